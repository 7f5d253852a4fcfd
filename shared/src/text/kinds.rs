//! Kinds of values in requests: each has its limit, its reading with the sentence that says what is
//! wrong, and its schema in the OpenAPI document (H16). A field of a request names its kind; see
//! [`crate::web::input`].

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

use crate::limits;
use crate::reason::Reason;
use crate::text::Email;
use crate::text::kind::{FieldType, add_schemas, reference};

pub use crate::text::kind::List;

/// What a text may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextForm {
    /// Anything.
    Free,
    /// At least one character that is no space, and none that is hidden.
    NotBlank,
    /// No control characters, which is what [`char::is_control`] means, no separators of lines, and
    /// no hidden characters. Spaces around it are left out.
    Line,
    /// A line that is not blank.
    FilledLine,
}

/// Whether a character shows something. A name of spaces and of characters that nobody sees is
/// blank.
fn is_visible(c: char) -> bool {
    let is_ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_whitespace() && !is_ignorable
}

/// Whether nobody sees a character, or it turns the direction of text round: with them, a name
/// looks like another one. Joiners (U+200C, U+200D) are parts of words in some languages.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether a character ends a line or a paragraph without being a control character.
fn is_separator(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

impl TextForm {
    fn pattern(self) -> Option<&'static str> {
        match self {
            Self::Free => None,
            Self::NotBlank => Some(r"\S"),
            Self::Line => Some(r"^[^\x00-\x1f]*$"),
            Self::FilledLine => Some(r"^[^\x00-\x1f]*[^\s\x00-\x1f][^\x00-\x1f]*$"),
        }
    }

    fn is_filled(self) -> bool {
        matches!(self, Self::NotBlank | Self::FilledLine)
    }

    fn read(self, text: String, max: usize) -> Result<String, Reason> {
        if self.is_filled() && !text.chars().any(is_visible) {
            return Err(Reason::Blank);
        }
        if !fits(&text, max) {
            return Err(Reason::TooLong { limit: max });
        }
        if self == Self::Free {
            return Ok(text);
        }
        if text.chars().any(is_hidden) {
            return Err(Reason::HiddenCharacters);
        }
        if self == Self::NotBlank {
            return Ok(text);
        }
        if text.chars().any(|c| c.is_control() || is_separator(c)) {
            return Err(Reason::ControlCharacters);
        }
        Ok(text.trim().to_owned())
    }
}

/// Whether a text has at most `max` characters.
pub fn fits(text: &str, max: usize) -> bool {
    text.len() <= max || text.chars().count() <= max
}

fn text(max: usize, pattern: Option<&str>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(max))
        .pattern(pattern)
}

fn number(range: &RangeInclusive<i64>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(*range.start()))
        .maximum(Some(*range.end()))
}

/// How a kind is read, and its schema.
trait Rule<Sent, Value> {
    fn read(&self, sent: Sent) -> Result<Value, Reason>;

    fn is_same(&self, _: &Sent, _: &Value) -> bool {
        false
    }

    fn schema(self) -> ObjectBuilder;
}

fn schema_of<Sent, Value>(rule: impl Rule<Sent, Value>) -> RefOr<Schema> {
    rule.schema().into()
}

/// A text with at most this number of characters.
struct Text(usize, TextForm);

impl Rule<String, String> for Text {
    fn read(&self, sent: String) -> Result<String, Reason> {
        self.1.read(sent, self.0)
    }

    fn is_same(&self, sent: &String, stored: &String) -> bool {
        !stored.is_empty() && sent == stored
    }

    fn schema(self) -> ObjectBuilder {
        let filled = self.1.is_filled().then_some(1);
        text(self.0, self.1.pattern()).min_length(filled)
    }
}

/// A whole number in this range.
struct Whole<T>(RangeInclusive<i64>, PhantomData<T>);

/// A whole number in this range.
fn whole<T>(range: RangeInclusive<i64>) -> Whole<T> {
    Whole(range, PhantomData)
}

impl<T: TryFrom<i64>> Rule<i64, T> for Whole<T> {
    fn read(&self, sent: i64) -> Result<T, Reason> {
        let stored = T::try_from(sent).ok();
        let (minimum, limit) = (*self.0.start(), *self.0.end());
        stored
            .filter(|_| self.0.contains(&sent))
            .ok_or(Reason::OutOfRange { minimum, limit })
    }

    fn schema(self) -> ObjectBuilder {
        number(&self.0)
    }
}

/// Anything else.
struct Special<S, V>(fn(S) -> Result<V, Reason>, ObjectBuilder);

impl<S, V> Rule<S, V> for Special<S, V> {
    fn read(&self, sent: S) -> Result<V, Reason> {
        self.0(sent)
    }

    fn schema(self) -> ObjectBuilder {
        self.1
    }
}

/// A type for each kind, with its rule.
macro_rules! own_kinds {
    ($($(#[$doc:meta])* $name:ident: $sent:ty => $value:ty = $rule:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                schema_of::<$sent, $value>($rule)
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }

        impl FieldType for $name {
            type Input = $sent;
            type Value = $value;

            fn read(sent: $sent) -> Result<$value, Reason> {
                $rule.read(sent)
            }

            fn is_same(sent: &$sent, stored: &$value) -> bool {
                $rule.is_same(sent, stored)
            }

            fn schema() -> RefOr<Schema> {
                reference::<Self>()
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                add_schemas::<Self>(schemas);
            }
        }
    )+};
}

const WEB: &str = r"^([Hh][Tt][Tt][Pp][Ss]?://\S+)?$";
const COLOR: &str = "^(#[0-9A-Fa-f]{6})?$";
const CODE: &str = "^[a-z0-9-]*[a-z][a-z0-9-]*$";
const SHA_256: &str = "^[0-9a-f]{64}$";
/// An address, or nothing.
const ADDRESS: &str = r"^(\s*[^@\s]+@[^@\s]+\s*)?$";

own_kinds! {
    /// One line that may be empty.
    Line: String => String = Text(limits::NAME, TextForm::Line);
    /// One line that must not be blank.
    Name: String => String = Text(limits::NAME, TextForm::FilledLine);
    /// A long text in HTML. Whoever reads it cleans it.
    Html: String => String = Text(limits::LONG_TEXT, TextForm::Free);
    /// The text of a question.
    PromptText: String => String = Text(limits::PROMPT, TextForm::NotBlank);
    /// The text of an option.
    OptionText: String => String = Text(limits::OPTION, TextForm::NotBlank);
    /// One answer of a submission.
    AnswerText: String => String = Text(limits::ANSWER, TextForm::Free);
    /// The reason of a decision.
    ReasonText: String => String = Text(limits::REASON, TextForm::Free);
    /// The description of a member.
    MemberText: String => String = Text(limits::MEMBER_DESCRIPTION, TextForm::Free);
    /// The comment of a review.
    CommentText: String => String = Text(limits::COMMENT, TextForm::Free);
    /// The name of a file.
    FileName: String => String =
        Special(file_name, text(limits::NAME, TextForm::FilledLine.pattern()).min_length(Some(1)));
    /// The name of a token.
    TokenName: String => String = Text(limits::TOKEN_NAME, TextForm::FilledLine);
    /// What a webhook is for.
    WebhookText: String => String = Text(limits::WEBHOOK_DESCRIPTION, TextForm::Line);
    /// A receipt that is to be verified.
    ReceiptText: String => String = Text(limits::RECEIPT, TextForm::Free);
    /// The description of a badge.
    BadgeText: String => String = Text(limits::BADGE_DESCRIPTION, TextForm::Free);
    /// A note of the officers about a slot.
    SlotNote: String => String = Text(limits::SLOT_NOTE, TextForm::Free);
    /// A year of graduation.
    YearNumber: i64 => u16 = whole(limits::YEARS);
    /// A limit on words. 0 means none.
    WordLimit: i64 => u32 = whole(0..=limits::MAX_WORD_LIMIT);
    /// A position in a list.
    Position: i64 => i32 = whole(-limits::ANY_NUMBER..=limits::ANY_NUMBER);
    /// How often a join link can be used.
    JoinUses: i64 => u32 = whole(1..=limits::JOIN_USES);
    /// A number of tickets.
    Tickets: i64 => u32 = whole(1..=limits::ANY_NUMBER);
    /// How many tickets of a type somebody orders.
    TicketNumber: i64 => u32 = whole(1..=i64::from(limits::TICKETS_A_PERSON));
    /// How many tickets of a type there are.
    Capacity: i64 => u32 = whole(1..=limits::TICKETS_OF_A_TYPE);
    /// The description of a type of ticket.
    TicketText: String => String = Text(limits::TICKET_DESCRIPTION, TextForm::Free);
    /// What a ticket costs, for people.
    PriceText: String => String = Text(limits::TICKET_PRICE, TextForm::Line);
    /// A number from 1 to 5.
    FromOneToFive: i64 => u8 = whole(1..=5);
    /// The size of a file, in bytes.
    FileBytes: i64 => u64 = whole(1..=i64::from(limits::FILE_MB) * 1024 * 1024);
    /// The largest size of a file, in MiB.
    FileMegabytes: i64 => u32 = whole(1..=i64::from(limits::FILE_MB));
    /// Hours before an interview.
    NoticeHours: i64 => u16 = whole(0..=limits::NOTICE_HOURS);
    /// The number of places of a slot.
    Places: i64 => u16 = whole(1..=limits::SLOT_PLACES);
    /// The length of a slot in minutes.
    SlotMinutes: i64 => i64 = whole(5..=480);
    /// How often something was changed, as the client last saw it.
    SeenNumber: i64 => u32 = whole(0..=i64::from(i32::MAX));
    /// The minutes between two slots.
    BreakMinutes: i64 => i64 = whole(0..=480);
    /// A web address. An empty text means none.
    WebAddress: String => Option<String> =
         Special(web_address, text(limits::URL, Some(WEB)));
    /// An e-mail address.
    Address: String => Email =
 Special(
        address,
        text(limits::EMAIL, None).format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))),
    );
    /// An e-mail address, or an empty text.
    MaybeAddress: String => Email =
         Special(maybe_address, text(limits::EMAIL, Some(ADDRESS)));
    /// A color, or an empty text.
    Color: String => String =
 Special(color, text("#rrggbb".len(), Some(COLOR)));
    /// The code of a club. Whoever reads it says what is wrong with it.
    CodeText: String => String =
 Special(Ok, text(limits::CODE, Some(CODE)));
    /// The address of a webhook. Whoever reads it says what is wrong with it.
    WebhookUrl: String => String =
 Special(Ok, text(limits::WEBHOOK_URL, None));
    /// A SHA-256 in hexadecimal digits.
    Sha256: String => String =
 Special(sha256, text(64, Some(SHA_256)));
    /// Only null: a file is sent in another way. Whoever reads it says how.
    OnlyNull: serde_json::Value => () =
         Special(|_| Ok(()), ObjectBuilder::new().schema_type(Type::Null));
}

/// Hidden characters are removed: the person did not choose them.
fn file_name(sent: String) -> Result<String, Reason> {
    let shown = sent.chars().filter(|c| !is_hidden(*c)).collect();
    TextForm::FilledLine.read(shown, limits::NAME)
}

fn address(sent: String) -> Result<Email, Reason> {
    Email::parse(sent.trim()).ok_or(Reason::NotAddress)
}

fn maybe_address(sent: String) -> Result<Email, Reason> {
    if sent.trim().is_empty() {
        return Ok(Email::default());
    }
    address(sent)
}

fn color(sent: String) -> Result<String, Reason> {
    let is_color = sent.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    if is_color || sent.is_empty() {
        return Ok(sent);
    }
    Err(Reason::NotColor)
}

fn sha256(sent: String) -> Result<String, Reason> {
    if sent.len() == 64
        && sent
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    {
        return Ok(sent);
    }
    Err(Reason::NotHash)
}

fn web_address(sent: String) -> Result<Option<String>, Reason> {
    if sent.is_empty() {
        return Ok(None);
    }
    if sent.chars().count() > limits::URL {
        return Err(Reason::TooLong { limit: limits::URL });
    }
    // The parser also takes `https:example.com`. On a page with HTTPS, browsers read that as a
    // relative path.
    let is_absolute = sent.split_once("://").is_some_and(|(scheme, _)| {
        ["http", "https"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web))
    });
    let is_web = is_absolute && url::Url::parse(&sent).is_ok_and(|url| url.has_host());
    if is_web && !sent.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Ok(Some(sent));
    }
    Err(Reason::NotUrl)
}
