//! Every limit on input, in one place (H16, H17). Lengths count Unicode scalar values unless they
//! say bytes.

use std::time::Duration;

/// How long the deletion of an application (or of a committee) waits for submissions that were
/// begun before it. A submission that takes longer than half of it looks at the application again
/// before it is answered (X14, X15).
pub const DELETION_GRACE: Duration = Duration::from_secs(1);
/// Texts that one request may hold in memory, in bytes: answers of a list, mails of a preview.
/// Beyond it the caller asks for less.
pub const HELD: usize = 60_000_000;
/// Names, titles, locations.
pub const NAME: usize = 255;
/// The prompt of a question.
pub const PROMPT: usize = 5_000;
/// Descriptions of clubs, events and applications; each e-mail template.
pub const LONG_TEXT: usize = 50_000;
/// The long texts of an application in bytes of UTF-8: three of them share an item of the table.
pub const APPLICATION_TEXT_BYTES: usize = 100_000;
/// The description of a club or an event in bytes of UTF-8, after cleaning: an item holds it with a
/// hundred showings, and any text of that many characters that is not mostly characters which HTML
/// has to write longer.
pub const DESCRIPTION_BYTES: usize = 250_000;
/// Tags of one HTML text: how long cleaning takes grows with their nesting.
pub const TAGS: usize = 3_000;
/// A member's description.
pub const MEMBER_DESCRIPTION: usize = 1_000;
/// The reason of a decision.
pub const REASON: usize = 5_000;
/// One answer of a submission.
pub const ANSWER: usize = 20_000;
/// All answers of one submission, in bytes.
pub const ANSWERS_BYTES: usize = 300 * 1024;
/// Questions of an application.
pub const QUESTIONS: usize = 100;
/// Committees of an application.
pub const COMMITTEES: usize = 50;
/// Options of a multiple-choice question.
pub const OPTIONS: usize = 50;
/// The text of an option: with 50 of them a question still fits an item of the table.
pub const OPTION: usize = 1_000;
/// One part of a mail, in bytes.
pub const MAIL_BYTES: usize = 150_000;
/// Submissions that one bulk decision may name.
pub const BULK: usize = 2_000;
/// URLs that users write.
pub const URL: usize = 2_048;
/// The code of a club.
pub const CODE: usize = 64;
/// E-mail addresses (RFC 5321 allows no more).
pub const EMAIL: usize = 254;
/// A JSON request body, in bytes.
pub const JSON_BODY: usize = 1024 * 1024;
/// An image, in bytes; a multipart body may be larger by [`MULTIPART_OVERHEAD`].
pub const IMAGE: usize = 4 * 1024 * 1024;
/// Pixels of an image.
pub const IMAGE_PIXELS: u64 = 40_000_000;
/// Width or height of an image, in pixels; JPEG has no larger ones.
pub const IMAGE_SIDE: u32 = 65_535;
/// Memory that decoding an image may take, in bytes.
pub const IMAGE_MEMORY: u64 = 384 * 1024 * 1024;
/// An image as it is stored, in bytes.
pub const STORED_IMAGE: usize = 12 * 1024 * 1024;
/// Width of the small size of an image, in pixels.
pub const SMALL_IMAGE: u32 = 600;
/// Parts around an image in a multipart body, in bytes.
pub const MULTIPART_OVERHEAD: usize = 256 * 1024;
/// How much of a body that is too large is read before it is refused, in bytes.
pub const DRAINED: usize = 32 * 1024 * 1024;
/// An answer body, in bytes: base64 has to fit the 6 MB of a Lambda response.
pub const ANSWER_BODY: usize = 4_400_000;
/// Characters of a description that lists across clubs hold and show.
pub const SHORTENED: usize = 2_000;
/// Results on one page, by default and at most.
pub const PAGE: (u64, u64) = (25, 100);
/// A word of a search for people, at least.
pub const SEARCH: usize = 2;
/// People that one search finds at most.
pub const FOUND: usize = 20;
/// Addresses that one bulk invitation may name.
pub const INVITED: usize = 100;
/// An idempotency key.
pub const IDEMPOTENCY_KEY: usize = 255;
/// Schools, and majors, of a person.
pub const STUDIES: usize = 10;
/// Tags of a club, and badges: a change of all of them fits one transaction.
pub const CLUB_LABELS: usize = 20;
/// The description of a badge.
pub const BADGE_DESCRIPTION: usize = 1_000;
/// Years of graduation.
pub const YEARS: std::ops::RangeInclusive<u16> = 1900..=2200;
/// The same, as it is told.
pub const YEARS_TOLD: &str = "Expected a year from 1900 to 2200.";
/// Showings of an event.
pub const SHOWINGS: usize = 100;
