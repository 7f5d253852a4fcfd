//! Receipts: signed statements of what was submitted and when (T1 to T6). A receipt is a JSON Web
//! Signature (RFC 7515, compact form) with the algorithm `EdDSA` (Ed25519, RFC 8037).
//!
//! The signing key is derived from a secret of its own. Whoever makes links of invitations cannot
//! sign receipts. The same submission always has the same receipt, because Ed25519 uses no random
//! numbers.

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use aws_lc_rs::{digest, hmac};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::domain::{Answered, Answers, StoredSubmission};
use crate::ids::{Id, of};
use crate::settings::Settings;
use crate::text::ClubCode;
use crate::time::Timestamp;

/// The seed of the signing key is the HMAC-SHA-256 of this text with the secret.
const DERIVATION: &[u8] = b"clubs receipt signing key 1";

/// What a receipt states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct ReceiptClaims {
    /// The deployment that signed it: the address of its site.
    pub iss: String,
    /// Id of the applicant, as text.
    pub sub: String,
    /// Code of the club.
    #[cfg_attr(feature = "api", schema(value_type = String))]
    pub club: ClubCode,
    /// Id of the application.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub application: Id<of::Application>,
    /// Id of the submission.
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub submission: Id<of::Submission>,
    /// Id of the committee, or null.
    #[cfg_attr(feature = "api", schema(value_type = Option<u64>))]
    pub committee: Option<Id<of::Committee>>,
    /// How often it had been submitted, from 1.
    pub revision: u32,
    /// The SHA-256 (base64url) of the answers in canonical JSON (RFC 8785): an array of `question`,
    /// `text` and `multiple_choice`, ordered by question. Absent values are null. An answer with a
    /// file also has `file`: the SHA-256 of its bytes in hexadecimal digits.
    pub answers: String,
    /// When the service received the submission.
    pub received_at: Timestamp,
    /// The same moment in seconds since 1970.
    pub iat: i64,
}

/// One answer as it is hashed. The fields are in the order of canonical JSON.
#[derive(Serialize)]
struct CanonicalAnswer {
    /// The SHA-256 of a file; the member is missing if the answer is no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    multiple_choice: Option<Id<of::Choice>>,
    question: Id<of::Question>,
    text: Option<String>,
}

/// Returns the hash of answers that a receipt has.
pub fn hash_of(answers: &Answers) -> String {
    let mut canonical: Vec<CanonicalAnswer> = answers
        .read()
        .iter()
        .map(|answer| CanonicalAnswer {
            file: answer.file().map(|file| file.sha256),
            multiple_choice: answer.option,
            question: answer.question,
            text: answer.text(),
        })
        .collect();
    canonical.sort_by_key(|answer| answer.question);
    // serde_json escapes texts as RFC 8785 demands, and ids are whole numbers.
    let json = serde_json::to_vec(&canonical).unwrap_or_default();
    BASE64_URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, &json))
}

impl ReceiptClaims {
    /// Returns what the receipt of a submission states; none after an erasure.
    pub fn of(submission: &Answered, settings: &Settings) -> Option<Self> {
        Some(Self {
            iss: settings.addresses.site_url.clone(),
            sub: submission.person?.to_string(),
            club: submission.club.clone(),
            application: submission.application,
            submission: submission.id,
            committee: submission.committee,
            revision: submission.revision,
            answers: hash_of(&submission.answers),
            received_at: submission.submitted_at,
            iat: submission.submitted_at.epoch_seconds(),
        })
    }
}

crate::text::enums::text_enum! {
    /// What is stored now, compared with a receipt.
    ReceiptState {
        /// The submission is stored as the receipt says.
        Current,
        /// The applicant has submitted again since.
        Replaced,
        /// The applicant has withdrawn the submission.
        Withdrawn,
        /// No such submission is stored, although the receipt is valid.
        Missing,
        /// The data of the applicant was erased, or the application was deleted.
        Erased,
    }
}

impl ReceiptState {
    /// Compares what a receipt states with what is stored at its key, and with its answers.
    pub fn of(
        claims: &ReceiptClaims,
        stored: &StoredSubmission,
        answers: Option<&Answers>,
    ) -> Self {
        if claims.revision <= stored.withdrawn() {
            return Self::Withdrawn;
        }
        if claims.revision <= stored.erased() {
            return Self::Erased;
        }
        let stored = match stored {
            StoredSubmission::Present(stored) => stored,
            StoredSubmission::Deleted(_) => return Self::Erased,
            StoredSubmission::Nothing | StoredSubmission::Withdrawn(_) => return Self::Missing,
        };
        let is_same = answers.is_some_and(|answers| hash_of(answers) == claims.answers);
        if stored.person.is_none() {
            Self::Erased
        } else if stored.revision > claims.revision {
            Self::Replaced
        } else if stored.revision == claims.revision && is_same {
            Self::Current
        } else {
            Self::Missing
        }
    }
}

/// A public key in the format of RFC 8037.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct PublicKey {
    /// Always `OKP`.
    pub kty: String,
    /// Always `Ed25519`.
    pub crv: String,
    /// Always `EdDSA`.
    pub alg: String,
    /// Always `sig`.
    #[serde(rename = "use")]
    pub usage: String,
    /// The id of the key: its thumbprint (RFC 7638).
    pub kid: String,
    /// The key, in base64url.
    pub x: String,
    /// Only receipts until this time count. Missing if it is the present key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl PublicKey {
    fn new(x: String, until: Option<Timestamp>) -> Self {
        let thumbprint = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let hash = digest::digest(&digest::SHA256, thumbprint.as_bytes());
        Self {
            kty: "OKP".into(),
            crv: "Ed25519".into(),
            alg: "EdDSA".into(),
            usage: "sig".into(),
            kid: BASE64_URL_SAFE_NO_PAD.encode(hash),
            x,
            until,
        }
    }
}

impl PublicKey {
    /// Returns whether this key has signed these bytes.
    pub fn has_signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        let key = BASE64_URL_SAFE_NO_PAD.decode(&self.x).unwrap_or_default();
        UnparsedPublicKey::new(&ED25519, key)
            .verify(bytes, signature)
            .is_ok()
    }
}

/// The public keys of all receipts that count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct PublicKeys {
    /// The present key first, then those of earlier secrets.
    pub keys: Vec<PublicKey>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    kid: String,
}

impl PublicKeys {
    /// Returns what a receipt states, if one of these keys signed it.
    pub fn verify(&self, receipt: &str) -> Option<ReceiptClaims> {
        let (signed, signature) = receipt.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        let header: Header = serde_json::from_slice(&decode(header)?).ok()?;
        let key = self
            .keys
            .iter()
            .find(|key| key.alg == header.alg && key.kid == header.kid)?;
        UnparsedPublicKey::new(&ED25519, decode(&key.x)?)
            .verify(signed.as_bytes(), &decode(signature)?)
            .ok()?;
        let claims: ReceiptClaims = serde_json::from_slice(&decode(claims)?).ok()?;
        // Who learns an old secret later cannot make receipts of a later time.
        let counts =
            |until: Timestamp| claims.received_at <= until && claims.iat <= until.epoch_seconds();
        key.until.is_none_or(counts).then_some(claims)
    }
}

/// Signs receipts.
#[derive(Debug)]
pub struct Receipts {
    key: Ed25519KeyPair,
    public: PublicKeys,
}

impl Receipts {
    /// Derives the key from the secret of the deployment. Returns none if the library refuses the
    /// seed, which does not happen with 32 bytes.
    pub fn new(settings: &Settings) -> Option<Self> {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, settings.secrets.receipt.reveal());
        let seed = hmac::sign(&secret, DERIVATION);
        let key = Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).ok()?;
        let present = BASE64_URL_SAFE_NO_PAD.encode(key.public_key());
        let old = settings.secrets.old_receipt_keys.iter();
        let old = old.map(|old| PublicKey::new(old.key.clone(), Some(old.until)));
        let keys = std::iter::once(PublicKey::new(present, None))
            .chain(old)
            .collect();
        Some(Self {
            key,
            public: PublicKeys { keys },
        })
    }

    /// Returns the public keys.
    pub fn public_keys(&self) -> &PublicKeys {
        &self.public
    }

    /// Returns the signature of any bytes. They begin with what they are for.
    pub fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.key.sign(bytes).as_ref().to_vec()
    }

    /// Returns the signed receipt.
    pub fn sign(&self, claims: &ReceiptClaims) -> String {
        let header = Header {
            alg: "EdDSA".into(),
            kid: self
                .public
                .keys
                .first()
                .map(|key| key.kid.clone())
                .unwrap_or_default(),
        };
        let encode = |json: serde_json::Result<Vec<u8>>| {
            BASE64_URL_SAFE_NO_PAD.encode(json.unwrap_or_default())
        };
        let signed = format!(
            "{}.{}",
            encode(serde_json::to_vec(&header)),
            encode(serde_json::to_vec(claims))
        );
        let signature = BASE64_URL_SAFE_NO_PAD.encode(self.key.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }
}
