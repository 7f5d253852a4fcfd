//! Encrypts what the table keeps but nobody may read in it: the secrets of webhooks (Z8).

use aws_lc_rs::aead::{AES_256_GCM, Aad, RandomizedNonceKey};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;

use crate::settings::Secret;

/// The key is the HMAC-SHA-256 of this text with the secret.
const DERIVATION: &[u8] = b"clubs webhook secrets 1";
/// Bytes of a nonce, which stands before what is encrypted.
const NONCE: usize = 12;

/// Encrypts with AES-256-GCM, with a key that is derived from a secret of the deployment.
pub struct SecretCipher(RandomizedNonceKey);

impl SecretCipher {
    /// A cipher with this secret.
    pub fn new(secret: &Secret) -> Self {
        let key = hmac::sign(
            &hmac::Key::new(hmac::HMAC_SHA256, secret.reveal()),
            DERIVATION,
        );
        let key = RandomizedNonceKey::new(&AES_256_GCM, key.as_ref());
        Self(key.expect("the key has 32 bytes"))
    }

    /// Encrypts bytes for an object: the result can be opened for the same object only.
    pub fn close(&self, object: &str, bytes: &[u8]) -> String {
        let mut encrypted = bytes.to_vec();
        let nonce = self
            .0
            .seal_in_place_append_tag(Aad::from(object), &mut encrypted);
        let nonce = nonce.expect("the text is short");
        BASE64_STANDARD_NO_PAD.encode([nonce.as_ref().as_slice(), &encrypted].concat())
    }

    /// Returns what was encrypted for an object; none if that was done with another secret.
    pub fn open(&self, object: &str, encrypted: &str) -> Option<Vec<u8>> {
        let bytes = BASE64_STANDARD_NO_PAD.decode(encrypted).ok()?;
        let (nonce, encrypted) = bytes.split_first_chunk::<NONCE>()?;
        let mut encrypted = encrypted.to_vec();
        let opened = self
            .0
            .open_in_place(nonce.into(), Aad::from(object), &mut encrypted);
        Some(opened.ok()?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves Z8
    #[test]
    fn only_the_same_secret_opens_it_for_the_same_object() {
        let encryption = SecretCipher::new(&Secret::new("a secret of the deployment"));
        let closed = encryption.close("7", b"whsec");
        assert_eq!(
            encryption.open("7", &closed).as_deref(),
            Some(&b"whsec"[..])
        );
        assert_eq!(encryption.open("8", &closed), None);
        assert_eq!(
            SecretCipher::new(&Secret::new("another one")).open("7", &closed),
            None
        );
        assert_eq!(encryption.open("7", &closed[2..]), None);
        assert_eq!(encryption.open("7", "%"), None);
        assert_ne!(encryption.close("7", b"whsec"), closed);
    }
}
