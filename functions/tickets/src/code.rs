//! The codes of tickets: 87 bytes in Base45 (RFC 9285), which a door verifies without a network
//! (Y10).

use shared::domain::{Ticket, TicketId};
use shared::ids::{Id, of, sha256_hex};
use shared::receipts::{PublicKeys, Receipts};

const FORMAT: u8 = 1;
/// Format, key, ticket, showing and version.
const SIGNED: usize = 1 + 4 + 8 + 8 + 2;
const DOMAIN: &[u8] = b"clubs-ticket";

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Code {
    pub(crate) ticket: TicketId,
    pub(crate) showing: Id<of::Showing>,
    pub(crate) version: u16,
}

fn key_hint(kid: &str) -> [u8; 4] {
    let hash = sha256_hex(kid.as_bytes());
    let first = hash
        .get(..8)
        .and_then(|first| u32::from_str_radix(first, 16).ok());
    first.unwrap_or_default().to_be_bytes()
}

fn signed(bytes: &[u8]) -> Vec<u8> {
    [DOMAIN, bytes].concat()
}

/// Returns the code of a ticket: always the same for one version.
pub(crate) fn code_of(ticket: &Ticket, receipts: &Receipts) -> String {
    let kid = receipts.public_keys().keys.first();
    let mut bytes = vec![FORMAT];
    bytes.extend(key_hint(kid.map_or("", |key| &key.kid)));
    bytes.extend(ticket.id.0.to_be_bytes());
    bytes.extend(ticket.showing.get().to_be_bytes());
    bytes.extend(ticket.code.to_be_bytes());
    let signature = receipts.sign_bytes(&signed(&bytes));
    bytes.extend(signature);
    base45::encode(&bytes)
}

impl Code {
    /// Reads a code; none if none of these keys has signed it.
    pub(crate) fn read(text: &str, keys: &PublicKeys) -> Option<Self> {
        let bytes = base45::decode(text).ok()?;
        let (body, signature) = bytes.split_at_checked(SIGNED)?;
        let (hint, rest) = body.strip_prefix(&[FORMAT])?.split_at_checked(4)?;
        let mut keys = keys.keys.iter().filter(|key| key_hint(&key.kid) == hint);
        keys.find(|key| key.has_signed(&signed(body), signature))?;
        let (ticket, rest) = rest.split_first_chunk::<8>()?;
        let (showing, version) = rest.split_first_chunk::<8>()?;
        Some(Self {
            ticket: TicketId(u64::from_be_bytes(*ticket)),
            showing: Id::new(u64::from_be_bytes(*showing)),
            version: u16::from_be_bytes(version.try_into().ok()?),
        })
    }
}
