//! What the local service is made of: where its data is, and its settings.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use chrono_tz::Tz;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use shared::ids::Ids;
use shared::settings::{
    Addresses, Approval, ClaimNames, MailSettings, MediaSettings, Quotas, Secret, Secrets,
    Settings, TokenSettings, WebhookSettings,
};

use crate::Error;
use crate::clock::MovableClock;
use crate::engine::Engine;
use crate::issuer::{AUDIENCE, ISSUER, Issuer};
use crate::mailbox::Mailbox;
use crate::table::TABLE;

/// The parts of a [`Campus`].
pub struct Parts {
    /// The table.
    pub engine: Engine,
    pub mailbox: Mailbox,
    pub clock: Arc<MovableClock>,
    /// The issuer's key, in PKCS #8.
    pub key: Vec<u8>,
    pub ids: Ids,
    pub images: Arc<dyn ObjectStore>,
    pub files: Arc<dyn ObjectStore>,
    pub settings: Settings,
    /// The files for the position of the changes in the stream, and for the queues.
    pub positions: [Option<PathBuf>; 2],
    /// Through what receivers of webhooks are called, if not through the network.
    pub receivers: Option<SharedHttpConnector>,
    /// Keeps other processes out of the folder.
    pub lock: Option<File>,
}

impl Parts {
    /// Parts that are stored in a folder, or in memory.
    pub fn open(folder: Option<&Path>) -> Result<Self, Error> {
        let file = |name: &str| folder.map(|folder| folder.join(name));
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
        }
        let lock = folder.map(lock).transpose()?;
        let engine = match file("table.db") {
            Some(path) => Engine::open(&path.to_string_lossy()).map_err(|error| {
                format!(
                    "the table {} cannot be opened: {error}. If it is damaged, move it away or \
                     choose another folder with --data-dir",
                    path.display()
                )
            })?,
            None => Engine::memory()?,
        };
        let key = match file("issuer.key") {
            Some(path) if path.exists() => {
                let key = std::fs::read(&path)?;
                Issuer::new(&key, ISSUER).map_err(|_| {
                    format!(
                        "the key {} is empty or damaged. Delete it: a new one is made, and tokens \
                         that were signed with it end",
                        path.display()
                    )
                })?;
                key
            }
            Some(path) => {
                let key = Issuer::new_key()?;
                std::fs::write(path, &key)?;
                key
            }
            None => Issuer::new_key()?,
        };
        let clock = Arc::new(MovableClock::running());
        let mailbox = Mailbox::open(clock.clone(), file("mail.jsonl"))?;
        let images: Arc<dyn ObjectStore> = match file("media") {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                Arc::new(LocalFileSystem::new_with_prefix(folder)?)
            }
            None => Arc::new(InMemory::new()),
        };
        let files: Arc<dyn ObjectStore> = match file("files") {
            Some(folder) => {
                std::fs::create_dir_all(&folder)?;
                Arc::new(LocalFileSystem::new_with_prefix(folder)?)
            }
            None => Arc::new(InMemory::new()),
        };
        Ok(Self {
            engine,
            mailbox,
            clock,
            key,
            ids: Ids::random(),
            images,
            files,
            settings: settings(),
            positions: [file("stream.position"), file("queues.json")],
            receivers: None,
            lock,
        })
    }
}

/// Takes the folder for this process, and tries whether it can be written to.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.join("lock");
    let words = |why: &str| format!("the folder {} {why}", folder.display());
    let mut file =
        File::create(&path).map_err(|error| words(&format!("cannot be used: {error}")))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(
                words("is in use by another process; choose another one with --data-dir").into(),
            );
        }
        Err(TryLockError::Error(error)) => {
            return Err(words(&format!("cannot be locked: {error}")).into());
        }
    }
    // A full disk lets files be made, but nothing be written.
    let tried = file
        .write_all(&[b' '; 8_192])
        .and_then(|()| file.sync_all());
    tried.map_err(|error| words(&format!("cannot be written to: {error}")))?;
    Ok(file)
}

/// The settings of the local service.
pub fn settings() -> Settings {
    Settings {
        table_name: TABLE.into(),
        tokens: TokenSettings {
            issuer: ISSUER.into(),
            id_namespace: ISSUER.into(),
            audience: AUDIENCE.into(),
            jwks_url: None,
            leeway_seconds: 0,
            claims: ClaimNames::default(),
            admin_group: "clubs-admin".into(),
        },
        club_approval: Approval::Automatic,
        quotas: Quotas::default(),
        addresses: Addresses {
            public_url: None,
            site_url: "http://127.0.0.1:8000".into(),
            cors_origins: vec!["*".into()],
            trusts_forwarded: false,
        },
        mail: MailSettings {
            from: "Clubs <no-reply@clubs.example>".into(),
            rate: 0,
            queue: String::new(),
            notice_queue: String::new(),
            configuration_set: Some("local".into()),
            time_zone: Tz::UTC,
        },
        metrics: None,
        secrets: Secrets {
            invite: Secret::new("the local service has no secrets to keep"),
            receipt: Secret::new("and none to sign the receipts of its demo campus"),
            old_receipt_keys: vec![],
        },
        media: MediaSettings {
            bucket: String::new(),
            url: "http://127.0.0.1:8000/media".into(),
        },
        files_bucket: String::new(),
        webhooks: WebhookSettings::default(),
    }
}
