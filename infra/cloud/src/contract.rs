//! The contract of the bucket of files, with an emulator of S3 that checks signatures, policies and
//! rights: what a browser may send, what it may fetch, and what is copied and deleted.

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use chrono::TimeDelta;
use reqwest::multipart::{Form, Part};
use shared::files::{Announced, FileStore, HandedOut, UploadForm};
use shared::ids::sha256_hex;
use shared::time::{Clock as _, SystemClock, Timestamp};
use tests::files::pdf;
use tests::template::REGION;

use crate::{Error, http};

const BUCKET: &str = "contract";
const UPLOADED: &str = "uploads/0000000000000001/0000000000000002/0000000000000003";
const COPIED: &str = "files/0000000000000001/0000000000000004/0000000000000005/0000000000000003";

fn config(endpoint: &str) -> SdkConfig {
    let keys = Credentials::from_keys("test", "test", None);
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(REGION))
        .endpoint_url(endpoint)
        .credentials_provider(SharedCredentialsProvider::new(keys))
        .build()
}

fn soon(span: TimeDelta) -> Timestamp {
    Timestamp::at(SystemClock.now() + span)
}

/// Sends a form, in which one field is another one, and returns the status.
async fn send(form: &UploadForm, changed: &str, bytes: &[u8]) -> Result<u16, Error> {
    let mut body = Form::new();
    for (name, value) in &form.fields {
        let end = if name == changed { "x" } else { "" };
        body = body.text(name.clone(), format!("{value}{end}"));
    }
    let body = body.part("file", Part::bytes(bytes.to_vec()).file_name("cv.pdf"));
    Ok(http()
        .post(&form.url)
        .multipart(body)
        .send()
        .await?
        .status()
        .as_u16())
}

/// Checks the contract with the emulator at `endpoint`. The bucket must be there.
pub(crate) async fn run(endpoint: &str) -> Result<(), Error> {
    let files = shared::lambda::files(&config(endpoint), BUCKET)?;
    let store = files.store()?;
    let bytes = pdf("CV");
    sending(store, &bytes).await?;
    let seen = store.look(UPLOADED).await?.ok_or("the file is not there")?;
    assert_eq!(
        (seen.size, &seen.sha256),
        (bytes.len() as u64, &sha256_hex(&bytes))
    );
    assert!(bytes.starts_with(&seen.first) && seen.first.len() == 16);

    // A copy is made only of the bytes that were looked at.
    assert!(
        !store
            .copy(UPLOADED, COPIED, "\"00000000000000000000000000000000\"")
            .await?
    );
    assert!(!store.copy("uploads/none", COPIED, &seen.tag).await?);
    assert!(store.look(COPIED).await?.is_none());
    assert!(store.copy(UPLOADED, COPIED, &seen.tag).await?);
    assert_eq!(store.list("files/0000000000000001/").await?, [COPIED]);

    let disposition = "attachment; filename=\"CV _.pdf\"; filename*=UTF-8''CV%20%C3%A4.pdf";
    let address = HandedOut {
        key: COPIED,
        disposition,
        media_type: "application/pdf",
        until: soon(TimeDelta::seconds(60)),
    };
    let url = store.address(&address).await?;
    let found = http().get(&url).send().await?;
    assert_eq!(found.headers()["content-disposition"], disposition);
    assert_eq!(found.headers()["content-type"], "application/pdf");
    assert_eq!(found.bytes().await?.to_vec(), bytes);
    let other = url.replace(COPIED, UPLOADED);
    assert_eq!(http().get(other).send().await?.status(), 403);

    let all = [COPIED, UPLOADED, "files/none"].map(str::to_owned);
    store.delete(&all).await?;
    assert!(store.look(COPIED).await?.is_none() && store.list("").await?.is_empty());
    println!("the bucket takes what was announced, and nothing else");
    Ok(())
}

/// Sends what was announced, after everything else was refused.
async fn sending(store: &dyn FileStore, bytes: &[u8]) -> Result<(), Error> {
    assert!(store.look(UPLOADED).await?.is_none());
    let announced = Announced {
        key: UPLOADED.into(),
        size: bytes.len() as u64,
        media_type: "application/pdf",
        sha256: sha256_hex(bytes),
        until: soon(TimeDelta::minutes(15)),
    };
    let late = Announced {
        until: soon(TimeDelta::minutes(-1)),
        ..announced.clone()
    };
    let form = store.form(&announced).await?;
    for field in ["key", "Content-Type", "policy", "x-amz-signature"] {
        assert_eq!(send(&form, field, bytes).await? / 100, 4, "{field}");
    }
    let longer = [bytes, b"!"].concat();
    for wrong in [&longer[..], &bytes[1..], b""] {
        assert_eq!(send(&form, "", wrong).await?, 400);
    }
    assert_eq!(send(&store.form(&late).await?, "", bytes).await?, 403);
    assert!(store.look(UPLOADED).await?.is_none());
    assert_eq!(send(&form, "", bytes).await?, 204);
    Ok(())
}
