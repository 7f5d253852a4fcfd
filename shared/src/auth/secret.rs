//! The text of a token: `clubs_` and 40 letters and digits. They are the person (9), the number
//! among the person's tokens (1), 128 random bits (24), and a CRC-32 of all that stands before (6),
//! by which scanners of secrets tell a token from other text without asking anybody.

use crate::ids::{Id, MAX_ID, of, sha256_hex};
use crate::limits;

const PREFIX: &str = "clubs_";
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The digits of the person, of the number, of each half of the random bits, and of the checksum.
const PARTS: [usize; 5] = [9, 1, 12, 12, 6];

/// The text of a token, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSecret {
    /// Id of the person.
    pub person: Id<of::Person>,
    /// Which number the token has among those of its person.
    pub number: u8,
    /// The SHA-256 of the text, in hexadecimal digits.
    pub sha256: String,
}

fn written(mut number: u64, digits: usize) -> String {
    let mut text = vec![b'0'; digits];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[usize::try_from(number % 62).unwrap_or_default()];
        number /= 62;
    }
    text.into_iter().map(char::from).collect()
}

fn read(text: &str) -> Option<u64> {
    text.bytes().try_fold(0_u64, |number, byte| {
        let digit = DIGITS.iter().position(|digit| *digit == byte)?;
        number.checked_mul(62)?.checked_add(digit as u64)
    })
}

fn checksum(text: &str) -> String {
    written(crc32fast::hash(text.as_bytes()).into(), PARTS[4])
}

/// Returns whether somebody means a token, and not a session of the issuer.
pub fn is_secret(text: &str) -> bool {
    text.starts_with(PREFIX)
}

impl TokenSecret {
    /// Returns a new text for one of the numbers that a person's tokens have.
    pub fn generate(person: Id<of::Person>, number: u8) -> String {
        let mut random = [0_u8; 16];
        aws_lc_rs::rand::fill(&mut random).expect("the system has random numbers");
        let value = u128::from_be_bytes(random);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let halves = [(value >> 64) as u64, value as u64];
        let text = format!(
            "{PREFIX}{}{}{}{}",
            written(person.get(), PARTS[0]),
            written(number.into(), PARTS[1]),
            written(halves[0], PARTS[2]),
            written(halves[1], PARTS[3])
        );
        format!("{text}{}", checksum(&text))
    }

    /// Takes a text apart; none if it is no token. Nothing is read for such a text.
    pub fn parse(text: &str) -> Option<Self> {
        let length = PREFIX.len() + PARTS.iter().sum::<usize>();
        if text.len() != length || !text.is_ascii() {
            return None;
        }
        let (body, sum) = text.split_at(length - PARTS[4]);
        if sum != checksum(body) {
            return None;
        }
        let digits = body.strip_prefix(PREFIX)?;
        let person = read(&digits[..PARTS[0]]).filter(|id| (1..=MAX_ID).contains(id))?;
        let number = u8::try_from(read(&digits[PARTS[0]..=PARTS[0]])?).ok()?;
        (number < limits::TOKENS).then(|| Self {
            person: Id::new(person),
            number,
            sha256: sha256_hex(text.as_bytes()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves Z4
    #[test]
    fn token_names_its_person_and_number_and_a_wrong_checksum_fails() {
        for (person, number) in [(1, 0), (MAX_ID, 19)] {
            let text = TokenSecret::generate(Id::new(person), number);
            assert_eq!(text.len(), 46);
            let found = TokenSecret::parse(&text).expect("a token");
            assert_eq!((found.person, found.number), (Id::new(person), number));
            let last = text.as_bytes()[45];
            let other = if last == b'0' { "1" } else { "0" };
            assert_eq!(TokenSecret::parse(&format!("{}{other}", &text[..45])), None);
        }
        let one = TokenSecret::generate(Id::new(7), 3);
        assert_ne!(one, TokenSecret::generate(Id::new(7), 3));
        for text in ["", "clubs_", &one[..45], &format!("{one}0"), "clubs_äöü"] {
            assert_eq!(TokenSecret::parse(text), None);
        }
    }
}
