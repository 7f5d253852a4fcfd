//! All limits on input (H16, H17). Lengths are in Unicode scalar values unless the comment says
//! bytes.

use std::time::Duration;

/// How long the deletion of an application (or of a committee) waits for submissions that started
/// before it. A submission that takes longer than half of this time checks the application again
/// before its response is sent (X14, X15).
pub const DELETION_GRACE: Duration = Duration::from_secs(1);
/// Text that one request may hold in memory, in bytes: the answers in a list, the mails in a
/// preview. For more, the caller must request less at once.
pub const MEMORY_BUDGET_BYTES: usize = 60_000_000;
/// Number of fields that one error names.
pub const NAMED_ERRORS: usize = 50;
/// The name of a token.
pub const TOKEN_NAME: usize = 100;
/// Number of tokens of a person that have not expired.
pub const TOKENS: u8 = 20;
/// Number of webhooks of a club, and of those for all clubs.
pub const WEBHOOKS: u8 = 5;
/// The address of a webhook, in bytes.
pub const WEBHOOK_URL: usize = 2_000;
/// The description of a webhook.
pub const WEBHOOK_DESCRIPTION: usize = 200;
/// Number of secrets of a webhook that sign at the same time.
pub const WEBHOOK_SECRETS: usize = 5;
/// Number of deliveries of a webhook that are listed.
pub const DELIVERIES: i32 = 100;
/// Number of submissions or members of one export that is asked for by ids.
pub const EXPORTED: usize = 10_000;
/// The same, if the address has the ids.
pub const EXPORTED_BY_ADDRESS: usize = 400;
/// Number of calls of a webhook that people can ask for in an hour: tests, and further attempts.
pub const WEBHOOK_CALLS: usize = 30;
/// Number of wrong tokens from one address in a minute.
pub const WRONG_TOKENS: usize = 20;
/// Number of submissions of a person, without withdrawn ones.
pub const SUBMISSIONS: usize = 300;
/// Number of submissions of a person, with withdrawn ones.
pub const SUBMISSIONS_WITH_WITHDRAWN: usize = 1_000;
/// Number of mails in 24 hours that confirm the same submission.
pub const CONFIRMATIONS_PER_DAY: usize = 5;
/// A name, title or location.
pub const NAME: usize = 255;
/// The prompt of a question.
pub const PROMPT: usize = 5_000;
/// A description of a club, event or application, or an e-mail template.
pub const LONG_TEXT: usize = 50_000;
/// Each of the four long texts of an application (the description and three mail templates), in
/// bytes of UTF-8. All four are stored in one item of the table.
pub const APPLICATION_TEXT_BYTES: usize = 100_000;
/// The description of a club or an event after cleaning, in bytes of UTF-8. An item can hold it
/// together with a hundred showings. The limit is large enough for any text of [`LONG_TEXT`]
/// characters, unless most of them need a longer form in HTML.
pub const DESCRIPTION_BYTES: usize = 250_000;
/// Number of tags in one HTML text. The time for cleaning grows with their nesting.
pub const TAGS: usize = 3_000;
/// Bytes of one tag. The parser compares each of its attributes with all others.
pub const TAG: usize = 4_096;
/// Bytes of one comment in HTML, which may hide a tag.
pub const HTML_COMMENT: usize = 40_000;
/// Number of nodes that the HTML parser may make of all HTML fields of one request. A node takes
/// about half a kilobyte while it is parsed.
pub const NODES: usize = 100_000;
/// A member's description.
pub const MEMBER_DESCRIPTION: usize = 1_000;
/// The reason of a decision.
pub const REASON: usize = 5_000;
/// The comment of a review.
pub const COMMENT: usize = 5_000;
/// A receipt that somebody wants to have verified.
pub const RECEIPT: usize = 10_000;
/// One answer of a submission.
pub const ANSWER: usize = 20_000;
/// Number of answers in all drafts of a person for an application.
pub const DRAFT_ANSWERS: usize = 300;
/// All drafts of a person in one application together, in bytes.
pub const DRAFTS_BYTES: usize = 600 * 1024;
/// All answers of one submission, in bytes.
pub const ANSWERS_BYTES: usize = 300 * 1024;
/// The answers of one submission in the form in which they are stored, in bytes. Quotation marks
/// and line breaks take more room there. An item of the table has at most 400 KB.
pub const STORED_ANSWERS: usize = 380_000;
/// Number of applications of a club that have not ended.
pub const OPEN_APPLICATIONS: usize = 50;
/// Number of applications of a club.
pub const APPLICATIONS: i64 = 500;
/// Number of open applications in one answer: the default and the maximum.
pub const OPEN_SLICE: (usize, usize) = (50, 200);
/// Largest word limit of a question.
pub const MAX_WORD_LIMIT: i64 = 10_000;
/// Largest number that has no meaning of its own, such as a position; the smallest is its negative.
pub const ANY_NUMBER: i64 = 1_000_000;
/// Largest number of results that a request may ask for with `limit`.
pub const SLICE: u64 = 10_000;

/// When a part of one's own submissions has answers of so many bytes, it ends.
pub const OWN_ANSWERS: usize = 1_000_000;
/// The largest part of one's own submissions, in bytes, if it has more than one.
pub const OWN_PART: usize = 3_000_000;
/// Number of questions in an application, without those for files.
pub const QUESTIONS: usize = 100;
/// Number of answers of a draft in a request. They are stored in one transaction.
pub const DRAFT_RESPONSES: usize = 100;
/// Number of answers in a submission: to all questions of an application.
pub const ANSWERS: usize = QUESTIONS + FILE_QUESTIONS;
/// How many versions a question may have. They are kept, because answers refer to them.
pub const PROMPT_VERSIONS: u32 = 200;
/// Number of committees in an application.
pub const COMMITTEES: usize = 50;
/// All names of the committees of an application together, in bytes of UTF-8. Everybody's list of
/// open applications reads them.
pub const COMMITTEE_BYTES: usize = 5_000;
/// How many hours before an interview its applicant can choose, move or cancel it, at most.
pub const NOTICE_HOURS: i64 = 168;
/// Number of places of a slot. A change of its time writes a mail for each, in one transaction.
pub const SLOT_PLACES: i64 = 50;
/// Number of people who hold the interviews of a slot.
pub const INTERVIEWERS: usize = 10;
/// The note of the officers about a slot.
pub const SLOT_NOTE: usize = 2_000;
/// Maximum types of tickets of a showing.
pub const TICKET_TYPES: usize = 10;
/// Largest capacity of a type of ticket.
pub const TICKETS_OF_A_TYPE: i64 = 5_000;
/// Maximum tickets of a showing that a person may have.
pub const TICKETS_A_PERSON: u32 = 20;
/// Maximum length of the description of a type of ticket, in characters.
pub const TICKET_DESCRIPTION: usize = 1_000;
/// Maximum length of the price of a ticket, in characters.
pub const TICKET_PRICE: usize = 50;
/// A draw is held at least so long before the start of its showing.
pub const DRAW_BEFORE: chrono::TimeDelta = chrono::TimeDelta::hours(1);
/// So many who wait get a ticket in the request that makes room. The timer goes on.
pub const MOVED_UP: usize = 25;
/// Maximum orders of a person for a showing in 24 hours.
pub const TICKET_ORDERS: usize = 20;
/// Maximum tickets that a person may hand over in 24 hours.
pub const TRANSFERS: usize = 20;
/// How often a ticket can be handed over.
pub const TRANSFERS_OF_A_TICKET: u16 = 3;
/// Maximum tickets that officers issue at a time.
pub const ISSUED: usize = 100;
/// Number of slots of an application.
pub const SLOTS: usize = 1_000;
/// Number of slots in one series.
pub const SERIES: usize = 200;
/// The longest slot, and the longest time from which a series is made.
pub const SLOT_TIME: chrono::TimeDelta = chrono::TimeDelta::hours(24);
/// Number of conditions in a chain of questions that depend on each other.
pub const CONDITIONS: usize = 5;
/// Number of questions for files in an application. They count apart from the others.
pub const FILE_QUESTIONS: usize = 5;
/// Number of uploads of a person to an application that no submission has used.
pub const UPLOADS: usize = 20;
/// The largest file that a question can take, in MiB.
pub const FILE_MB: u32 = 10;
/// Number of options of a multiple-choice question.
pub const OPTIONS: usize = 50;
/// The text of an option. A question with 50 options of this length still fits in an item of the
/// table.
pub const OPTION: usize = 1_000;
/// One part (HTML or text) of a mail, in bytes.
pub const MAIL_BYTES: usize = 150_000;
/// A mail with all its parts as it is stored, in bytes. An item of the table has at most 400 KB.
pub const MAIL_RECORD: usize = 380_000;
/// Number of submissions that one mail to a person is about. Each needs up to two writes of a
/// transaction.
pub const SUBMISSIONS_PER_MAIL: usize = 45;
/// Number of decision mails of one type about one submission in 24 hours.
pub const MAILS_PER_DAY: usize = 3;
/// Number of submissions in one bulk decision.
pub const BULK: usize = 2_000;
/// A URL that a user enters.
pub const URL: usize = 2_048;
/// The code of a club.
pub const CODE: usize = 64;
/// An e-mail address (RFC 5321 allows no more).
pub const EMAIL: usize = 254;
/// A JSON request body, in bytes.
pub const JSON_BODY: usize = 1024 * 1024;
/// An image, in bytes; a multipart body may be larger by [`MULTIPART_OVERHEAD`].
pub const IMAGE: usize = 4 * 1024 * 1024;
/// Number of pixels of an image.
pub const IMAGE_PIXELS: u64 = 40_000_000;
/// Width or height of an image, in pixels. JPEG does not support larger images.
pub const IMAGE_SIDE: u32 = 65_535;
/// Memory for decoding an image, in bytes.
pub const IMAGE_MEMORY: u64 = 384 * 1024 * 1024;
/// An image as it is stored, in bytes.
pub const STORED_IMAGE: usize = 12 * 1024 * 1024;
/// Width of the small size of an image, in pixels.
pub const SMALL_IMAGE: u32 = 600;
/// The width of an image as a sign in a list, in pixels.
pub const TINY_IMAGE: u32 = 112;
/// The other parts of a multipart body with an image, in bytes.
pub const MULTIPART_OVERHEAD: usize = 256 * 1024;
/// How much of a body that is too large is read before it is refused, in bytes.
pub const MAX_DRAINED_BYTES: usize = 32 * 1024 * 1024;
/// A response body, in bytes. Its base64 form must fit in the 6 MB of a Lambda response.
pub const RESPONSE_BODY: usize = 4_400_000;
/// Characters of a description that lists of clubs store and show, and of the text of a description
/// in a calendar.
pub const SHORTENED_DESCRIPTION: usize = 2_000;
/// Characters of a description that stand in the item of an event. They have the first
/// [`SHORTENED_DESCRIPTION`] characters of the text, unless more than half of them is markup.
pub const EVENT_DESCRIPTION: usize = 4_000;
/// Results on one page: the default and the maximum.
pub const PAGE: (u64, u64) = (25, 100);
/// Changes of a club in one answer: the default and the maximum.
pub const CHANGES: (u64, u64) = (100, 200);
/// How many changes of a club one request reads, to find those that a token may see.
pub const CHANGES_READ: usize = 1_000;
/// Minimum length of a word in a search for people.
pub const SEARCH: usize = 2;
/// Maximum number of people that one search returns.
pub const MAX_PEOPLE_FOUND: usize = 20;
/// Number of join links of a club.
pub const JOIN_LINKS: usize = 100;
/// How often one join link can be used.
pub const JOIN_USES: i64 = 10_000;
/// Number of rows of an import.
pub const IMPORTED: usize = 1_000;
/// Number of addresses in one bulk invitation.
pub const INVITED: usize = 100;
/// An idempotency key.
pub const IDEMPOTENCY_KEY: usize = 255;
/// Number of schools, and number of majors, of a person.
pub const STUDIES: usize = 10;
/// Number of tags, and number of badges, of a club. A change of all of them fits in one
/// transaction.
pub const CLUB_LABELS: usize = 20;
/// The description of a badge.
pub const BADGE_DESCRIPTION: usize = 1_000;
/// Years of graduation.
pub const YEARS: std::ops::RangeInclusive<i64> = 1900..=2200;
/// Number of showings of an event.
pub const SHOWINGS: usize = 100;
/// Bytes of the locations of all showings of an event: lists have them in memory.
pub const LOCATIONS: usize = 8_000;
/// How often the time or the place of a slot may change: each change is a mail to everybody in it.
pub const SLOT_REVISIONS: u32 = 50;
/// How many mails with a calendar file one submission may cause. It can still be cancelled.
pub const CALENDAR_FILES: i64 = 200;
/// Number of mails about the interviews of a person in an application in 24 hours. Later ones are
/// collected.
pub const APPOINTMENT_MAILS_PER_DAY: usize = 10;
/// How often a mail that did not arrive is sent again.
pub const MAIL_RESENDS: u8 = 3;
/// How many events a club may have in all, as a multiple of those that have not ended.
pub const EVENTS_IN_ALL: usize = 5;

/// Of how many applications of a club it is said what would end with it.
pub const ENDING_APPLICATIONS: usize = 10;
/// How many open applications of a club its entry in a list names.
pub const LISTED_APPLICATIONS: usize = 5;
/// Of how many clubs the home page says what waits for their officers.
pub const HOME_CLUBS: usize = 10;
/// Of how many applications of these clubs, those that end last first, it counts what is undecided.
pub const HOME_APPLICATIONS: usize = 3;
/// Pages of 1 MB that are read of each partition of submissions for these counts.
pub const COUNTED_PAGES: usize = 4;
/// How many requests to join a club are counted; the number of every duty ends here.
pub const COUNTED_ITEMS: i32 = 200;
/// How many open invitations of a person are shown.
pub const HOME_INVITES: usize = 20;
/// Among how many invitations to the address they are looked for.
pub const HOME_INVITES_READ: usize = 100;
/// How many favorites of a person are shown, and among how many of the last submissions decisions
/// are looked for.
pub const HOME_OWN: usize = 20;
/// For how many days a decision is shown.
pub const DECISION_DAYS: i64 = 30;
