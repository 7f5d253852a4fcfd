//! Why a request is refused: each reason is a word for programs, its parameters, and a sentence for
//! people. The site translates the words.

use serde::Serialize;
use strum::{EnumIter, VariantNames};
use thiserror::Error;

/// Why a field, a row of an import or a request is refused. In JSON it is an object with the word
/// in `code`, beside the parameters: `{"code": "too_long", "limit": 255}`. Its sentence is what
/// [`ToString`] returns.
///
/// `value` and `id` are what is wrong, `limit` is the largest value, number or length that is
/// allowed, `minimum` the smallest, `allowed` are all values that are, `field` is the field that
/// this one is compared with, `until` the moment until which it holds, and `count` how many were
/// found. Where `limit` is about what is open, `total` is about all.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, EnumIter, VariantNames)]
#[serde(tag = "code", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "the sentence says what it is")]
pub enum Reason {
    // What is sent.
    #[error("This field is required.")]
    Required,
    #[error("This field may not be blank.")]
    Blank,
    #[error("This field may not be null.")]
    Null,
    #[error("This request does not have this field.")]
    UnknownField,
    #[error("Send this field once.")]
    Repeated,
    #[error("This is in the list twice.")]
    Twice,
    #[error("The body and the query say different things.")]
    Contradiction,
    #[error("The request body could not be read.")]
    Unread,
    #[error("The request body is not valid: {error}.")]
    InvalidBody {
        #[serde(skip)]
        error: String,
    },
    #[error("The request body is larger than {limit} bytes.")]
    LargeBody { limit: usize },
    #[error("This request takes no body.")]
    NoBody,
    #[error("The response is too large. Request it {how}.")]
    LargeResponse {
        #[serde(skip)]
        how: &'static str,
    },
    #[error("This is not a cursor of this list.")]
    InvalidCursor,
    #[error("This key was sent with another body before. Use a new key.")]
    KeyReused,
    #[error("This is never possible with a token.")]
    NotForTokens,
    #[error("This needs a token with the scope {}.", .allowed.join(" / "))]
    MissingScope { allowed: Vec<&'static str> },
    #[error("This token is for another club.")]
    TokenOfOtherClub,
    #[error("Too many wrong tokens came from this address.")]
    WrongTokens,

    // Values.
    #[error("Expected a text.")]
    NotText,
    #[error("Expected a text, or an object with a text in `value`.")]
    NotOption,
    #[error("Expected a list.")]
    NotList,
    #[error("Expected an object.")]
    NotObject,
    #[error("Expected true or false.")]
    NotBoolean,
    #[error("Expected a whole number.")]
    NotNumber,
    #[error("Expected a whole number from {minimum} to {limit}.")]
    OutOfRange { minimum: i64, limit: i64 },
    #[error("Expected a whole number, at least {minimum}.")]
    TooSmall { minimum: u64 },
    #[error("Expected a date-time with an offset, such as 2026-11-21T09:00:00Z.")]
    NotTime,
    #[error("Expected a date, such as 2026-12-24.")]
    NotDate,
    #[error(
        "Expected a rule such as FREQ=WEEKLY;BYDAY=TU;UNTIL=20270220: FREQ (DAILY, WEEKLY or \
        MONTHLY), INTERVAL, BYDAY, and one of COUNT and UNTIL."
    )]
    NotRule,
    #[error("The first showing does not fit this rule.")]
    NotInRule,
    #[error("Nothing is left of the series.")]
    NothingLeft,
    #[error("Expected an id.")]
    NotId,
    #[error("Expected an id, or an object with an id.")]
    NotReference,
    #[error("Expected one of: {}.", .allowed.join(", "))]
    NotAllowed { allowed: Vec<String> },
    #[error("Enter an e-mail address.")]
    NotAddress,
    #[error("{value:?} is not an e-mail address.")]
    WrongAddress { value: String },
    #[error("Enter an http or https URL.")]
    NotUrl,
    #[error("Expected `#rrggbb` or an empty text.")]
    NotColor,
    #[error("Expected 64 lower-case hexadecimal digits.")]
    NotHash,
    #[error("Use a-z, 0-9 and -, at most 64 characters, with at least one letter.")]
    InvalidCode,
    #[error("The name needs at least one letter.")]
    NoLetter,
    #[error("Line breaks and control characters are not allowed here.")]
    ControlCharacters,
    #[error(
        "Invisible characters, and those that turn the direction of text, are not allowed here."
    )]
    HiddenCharacters,
    #[error("At most {limit} characters are allowed.")]
    TooLong { limit: usize },
    #[error("At most {limit} bytes are allowed.")]
    TooManyBytes { limit: usize },
    #[error("At most {limit} words are allowed. This answer has {count}.")]
    TooManyWords { limit: usize, count: usize },
    #[error("At most {limit} are allowed.")]
    TooMany { limit: usize },
    #[error("At least {minimum} must be named.")]
    TooFew { minimum: usize },
    #[error("At most {limit} tags are allowed.")]
    TooManyTags { limit: usize },
    #[error(
        "A tag or a hidden comment is too long: at most {limit} bytes are allowed. Leave out \
         pictures that are part of the text, and paste text from Word without its formatting."
    )]
    LongTag { limit: usize },
    #[error("Too many different formats are open at once. Remove some formatting.")]
    TooManyFormats,
    #[error("At least one word of the search needs {minimum} or more characters.")]
    ShortSearch { minimum: usize },
    #[error("Only null is accepted here. Send the image as a file.")]
    OnlyNull,

    // Times.
    #[error("This must not be before `{field}`.")]
    Before { field: &'static str },
    #[error("This must not be after `{field}`.")]
    After { field: &'static str },
    #[error("This must be later than `{field}`.")]
    NotAfter { field: &'static str },
    #[error("Send a time in the future, within a year.")]
    NotWithinYear,
    #[error("This can be at most {limit} hours after the start.")]
    TooManyHours { limit: i64 },
    #[error("This would be later than the year 9999.")]
    TooLate,

    // What is there, and what is not.
    #[error("There is no {kind} with this id.")]
    UnknownId {
        #[serde(skip)]
        kind: &'static str,
    },
    #[error("There is no member of the club with this id.")]
    UnknownMember,
    #[error("This application has no multiple-choice question with this id.")]
    UnknownChoice,
    #[error("No entry has the id {id}.")]
    UnknownEntry { id: u64 },
    #[error("There is no such club.")]
    UnknownClub,
    #[error("There is no such person.")]
    UnknownPerson,
    #[error("Nobody has this user name, or several people have it.")]
    UnknownUsername,
    #[error("The service knows no address of this person.")]
    NoAddress,
    #[error("This mail was sent again {limit} times already.")]
    MailResentTooOften { limit: u8 },
    #[error("This mail cannot be sent again, because its text is not kept any more.")]
    MailNotKept,
    #[error("Several people have this address. Send their user names.")]
    AmbiguousAddress,
    #[error("There is no tag {value:?}.")]
    UnknownTag { value: String },
    #[error("This is already in use.")]
    Taken,
    #[error("This code is reserved.")]
    Reserved,
    #[error("This code belongs to a deleted club.")]
    CodeOfDeletedClub,
    #[error("A hundred clubs already have this name. Choose another name, or send a `code`.")]
    CommonName,
    #[error("No code can be made from this name. Send one.")]
    NoCode,
    #[error("This club is already in your list.")]
    AlreadyListed,
    #[error("A tag or badge was deleted just now. Send only those that still exist.")]
    TagDeleted,
    #[error("This entry cannot be deleted, because clubs (also deleted ones) or people use it.")]
    EntryInUse,
    #[error("Something changed at the same moment. Send this again.")]
    Changed,
    #[error("There was no time left for this row. Send the file again.")]
    NoTimeLeft,

    // Limits.
    #[error("You can create at most {limit} clubs. Deleted clubs count too. Admins have no limit.")]
    TooManyCreated { limit: u32 },
    #[error("A person can own at most {limit} clubs. Deleted clubs count too.")]
    TooManyOwned { limit: u32 },
    #[error("A club has at most {limit} events that have not ended.")]
    TooManyOpenEvents { limit: usize },
    #[error("A club has at most {limit} events, including those that have ended.")]
    TooManyEvents { limit: usize },
    #[error("The locations of all showings have at most {limit} bytes together.")]
    LongLocations { limit: usize },
    #[error(
        "A club can have at most {limit} applications that have not ended, and {total} in all."
    )]
    TooManyApplications { limit: usize, total: i64 },
    #[error("An application has at most {limit} questions.")]
    TooManyQuestions { limit: usize },
    #[error("An application has at most {limit} questions for files.")]
    TooManyFileQuestions { limit: usize },
    #[error("An application can have at most {limit} slots.")]
    TooManySlots { limit: usize },
    #[error("At most {limit} slots can be made at once.")]
    LongSeries { limit: usize },
    #[error("This was changed {limit} times already. Make a new one instead.")]
    ChangedTooOften { limit: u32 },
    #[error("This interview was changed {limit} times already.")]
    InterviewChangedTooOften { limit: i64 },
    #[error("You can have at most {limit} submissions.")]
    TooManySubmissions { limit: usize },
    #[error("You can have at most {limit} submissions, with withdrawn ones.")]
    TooManyWithWithdrawn { limit: usize },
    #[error("All answers together may have at most {limit} bytes. Shorten one.")]
    LongAnswers { limit: usize },
    #[error("The drafts of this application may have at most {limit} bytes together. Shorten one.")]
    LongDrafts { limit: usize },
    #[error("The drafts of this application may have at most {limit} answers together.")]
    ManyDraftAnswers { limit: usize },
    #[error("The names of all committees may have at most {limit} bytes together. Shorten one.")]
    LongCommittees { limit: usize },
    #[error("You can have at most {limit} files here that are not submitted.")]
    TooManyFiles { limit: usize },
    #[error("You can have at most {limit} tokens that have not expired. End one first.")]
    TooManyTokens { limit: u8 },
    #[error("A club can have at most {limit} join links. Delete one first.")]
    TooManyJoinLinks { limit: usize },
    #[error("There can be at most {limit} webhooks. Delete one first.")]
    TooManyWebhooks { limit: u8 },
    #[error("Too many secrets sign at present. Each one signs for a day after the next.")]
    TooManySecrets,
    #[error("People can ask for {limit} calls of a webhook in an hour.")]
    TooManyTests { limit: usize },
    #[error("A club can send at most {limit} invitations in 24 hours.")]
    TooManyInvitations { limit: usize },
    #[error("A club can add at most {limit} people in 24 hours. Invite them instead, or wait.")]
    TooManyAdded { limit: usize },
    #[error(
        "A club can add at most {limit} people who neither asked nor applied in 24 hours. Invite \
         them instead, or wait."
    )]
    TooManyStrangers { limit: usize },
    #[error("A club can add or invite at most {limit} people in 24 hours. Send this row later.")]
    TooManyImported { limit: usize },
    #[error("Wait ten minutes before you send the same invitation again.")]
    InvitedJustNow,

    // Clubs and their members.
    #[error("A club needs at least one owner.")]
    LastOwner,
    #[error(
        "You are the only owner of {value}. Make somebody else an owner, or add ?archive=true to \
         delete your profile and these clubs together."
    )]
    OnlyOwner { value: String },
    #[error("This club is not approved yet.")]
    ClubNotApproved,
    #[error("The registration for this fair is not open.")]
    RegistrationClosed,
    #[error("You are already a member of this club.")]
    YouAreMember,
    #[error("This person is already a member.")]
    AlreadyMember,
    #[error("This address already has an open invite.")]
    AlreadyInvited,
    #[error("This invitation cannot be used. It has expired, or was revoked or already used.")]
    InviteUnusable,
    #[error("This link cannot be used. It has expired, was used up or was revoked.")]
    LinkUnusable,
    #[error("This address could not be invited now. Send this row again.")]
    NotInvited,
    #[error("A row needs a name or a code.")]
    NoName,
    #[error("A row needs an address or a user name.")]
    NobodyNamed,
    #[error("Send `username` or `person`.")]
    NoPerson,
    #[error("You can change only roles below your own.")]
    RoleAboveYours,
    #[error("You cannot give a role above your own.")]
    RoleTooHigh,
    #[error("You may not do this in this club any more.")]
    NoOfficer,
    #[error("This webhook is off. Switch it on first.")]
    WebhookOff,

    // Addresses of webhooks.
    #[error("This is no URL.")]
    InvalidUrl,
    #[error("The URL must begin with https://.")]
    UrlNotHttps,
    #[error("The URL must not have a user name or a password.")]
    UrlHasPassword,
    #[error("The URL can have the ports 443 and 8443.")]
    UrlPort,
    #[error("The URL has no host.")]
    UrlHasNoHost,
    #[error("A webhook cannot call this service itself.")]
    UrlOfService,
    #[error("A webhook can only call a public address.")]
    UrlNotPublic,

    // Images, files and tables.
    #[error("Send a PNG, JPEG, WebP or GIF image.")]
    NotImage,
    #[error("Send the image in the part `{}`.", .allowed.join(" or "))]
    OtherPart { allowed: Vec<String> },
    #[error("The image cannot be decoded.")]
    BrokenImage,
    #[error("The image is too large: send a smaller one, or one without transparency.")]
    LargeImage,
    #[error("At most {limit} megapixels are allowed.")]
    TooManyMegapixels { limit: u64 },
    #[error("At most {limit} MiB are allowed.")]
    LargeFile { limit: u32 },
    #[error("This question takes {}.", .allowed.join(", "))]
    OtherFormat { allowed: Vec<&'static str> },
    #[error("The file has not arrived. Please upload it again.")]
    FileNotArrived,
    #[error("The file is not of the type that its name says.")]
    FileOfOtherType,
    #[error("The file is not what was announced. Please upload it again.")]
    OtherFile,
    #[error("The CSV is not valid: {error}.")]
    InvalidCsv {
        #[serde(skip)]
        error: String,
    },
    #[error("The file is not in UTF-8. Save it as CSV UTF-8 in your spreadsheet.")]
    NotUtf8,
    #[error("The file has no header line.")]
    NoHeader,
    #[error("A column with cells has no name in the header line.")]
    NamelessColumn,
    #[error("This may be the column {value:?}. Rename it, or leave it out.")]
    NearColumn { value: String },
    #[error("A row has more cells than the header line has columns.")]
    TooManyCells,
    #[error("A quote in this row is not closed.")]
    OpenQuote,

    // Applications and their questions.
    #[error("This application has submissions. Add ?force=true to delete them too.")]
    HasSubmissions,
    #[error("A committee that has submissions or slots cannot be removed.")]
    CommitteeInUse,
    #[error("This person already has an extension.")]
    HasExtension,
    #[error("An information text takes no answer.")]
    TakesNoAnswer,
    #[error("Only questions for files have this.")]
    OnlyForFiles,
    #[error("Only multiple-choice questions have options.")]
    OnlyForChoices,
    #[error("A question for a file has no limit on words.")]
    NoWordLimit,
    #[error("That question depends on this one already.")]
    ConditionCircle,
    #[error("A chain of questions that depend on each other has at most {limit} conditions.")]
    LongChain { limit: usize },
    #[error("This question is for people who are not asked the one that it depends on.")]
    ConditionNotAsked,
    #[error("The question {id} depends on it: change its condition first.")]
    QuestionDepends { id: u64 },
    #[error(
        "A question for one of these committees depends on another one, which is for other \
         committees. Change its condition first."
    )]
    CommitteesDepend,
    #[error("The results are released. This time can no longer be moved into the future.")]
    ResultsReleased,

    // What applicants send.
    #[error("You cannot make, change or withdraw a submission to this application now.")]
    ApplicationClosed,
    #[error("The question {id} needs an answer.")]
    Unanswered { id: u64 },
    #[error("This question is only for other committees. Leave it out.")]
    OtherCommittee,
    #[error("This question needs a text answer.")]
    NeedsText,
    #[error("This question needs one of its options in `multiple_choice`, and no text.")]
    NeedsOption,
    #[error("This question needs a file.")]
    NeedsFile,
    #[error("This question takes no file.")]
    TakesNoFile,
    #[error("Send a text, an option or a file. Null removes the answer.")]
    NothingAnswered,
    #[error("The data of this applicant was erased. What remains cannot be changed any more.")]
    ApplicantErased,
    #[error("Send a score or a comment.")]
    EmptyReview,

    // Tickets.
    #[error("There are tickets. Nothing was changed.")]
    HasTickets,
    #[error("There are tickets. Add ?force=true to cancel them too.")]
    CancelsTickets,
    #[error("The draw must be at least an hour before the start.")]
    DrawTooLate,
    #[error("The draw must be later than now.")]
    DrawInThePast,
    #[error("Tickets are not available yet.")]
    TicketsNotStarted,
    #[error("It is too late to take, give back or hand over a ticket.")]
    TicketsClosed,
    #[error("No tickets are left.")]
    SoldOut,
    #[error("At most {limit} tickets are allowed for one person.")]
    TooManyTickets { limit: u32 },
    #[error("This ticket is only for members of the club.")]
    MembersOnly,
    #[error("The draw is being held. Try again in a minute.")]
    Drawing,
    #[error("At most {limit} orders for one showing are allowed in 24 hours.")]
    TooManyOrders { limit: usize },
    #[error("At most {limit} tickets can be handed over in 24 hours.")]
    TooManyTransfers { limit: usize },
    #[error("A ticket can be handed over {limit} times.")]
    TransferredOften { limit: u16 },
    #[error("There is no such person to whom this ticket can be given.")]
    UnknownReceiver,
    #[error("Send either a code or a ticket.")]
    CodeOrTicket,
    #[error("A scan is at most 24 hours old, and not in the future.")]
    ScanTime,
    #[error("This code does not open this door.")]
    TicketUnusable,

    // Interviews.
    #[error("All places of this slot are taken.")]
    SlotFull,
    #[error("It is too late to change this interview. Ask the club.")]
    SlotClosed,
    #[error("There is another interview at this time. Send `overlap` to book both.")]
    Overlap,
    #[error("An interviewer has another interview at this time. Send `overlap` to have both.")]
    InterviewerBusy,
    #[error("This application is decided.")]
    Decided,
    #[error("Nothing is booked for this submission.")]
    NothingBooked,
    #[error("More people have booked this slot.")]
    MoreBooked,
    #[error("Somebody has booked this slot for its committee.")]
    BookedForCommittee,
    #[error("Somebody has booked this slot. Add ?force=true to cancel these interviews.")]
    SlotBooked,
    #[error("No slot of this length fits between these times.")]
    NoSlotFits,

    // Mails and their templates.
    #[error(
        "Something changed since the preview: decisions, reasons, answers, templates, addresses \
         or recipients. Nothing was sent. Make a new preview."
    )]
    PreviewChanged,
    #[error("{} not decided yet.", people_are(*count))]
    Undecided { count: usize },
    #[error("This is not for invitations to an interview.")]
    NotForInterviews,
    #[error("Invitations to an interview need the submissions.")]
    NeedsSubmissions,
    #[error("These are too many mails for one preview. Choose fewer with `submissions`.")]
    LargePreview,
    #[error("The mail about submission {id} {why}.")]
    LargeMail {
        id: u64,
        #[serde(skip)]
        why: String,
    },
    #[error("It is not known whether {count} e-mails were sent. See `email_status`.")]
    PerhapsSent { count: usize },
    #[error("{count} e-mails could not be queued in time. Call again to send the rest.")]
    NotQueued { count: usize },
    #[error("The template does not show the link, so nobody can choose an interview.")]
    NoLink,
    #[error("The template has {value} in single braces. It would be mailed as it stands.")]
    SingleBraces { value: String },
    #[error("The template has a link without an address.")]
    LostLink,
    #[error("The template shows the reason, but {count} decisions have no reason.")]
    NoReason { count: usize },
    #[error("The answers of {count} submissions are newer than their decision.")]
    ChangedAfterDecision { count: usize },
    #[error("The results are released at {until}. These mails would announce them earlier.")]
    AnnouncedEarly { until: String },
    #[error("The template of this mail is not valid: {why}")]
    InvalidTemplate {
        #[serde(skip)]
        why: String,
    },
    #[error("{value:?} is not a variable. There are: {}.", .allowed.join(", "))]
    UnknownVariable {
        value: String,
        allowed: Vec<&'static str>,
    },
    #[error("{value} without {}.", .allowed.concat())]
    OpenTag {
        value: String,
        allowed: Vec<&'static str>,
    },
    #[error("{value} is not supported: there are if, else and endif.")]
    UnknownCommand { value: String },
    #[error("Comments are not supported.")]
    TemplateComment,
    #[error("Each {{% if %}} needs an {{% endif %}}, and at most one {{% else %}}.")]
    UnbalancedIf,
    #[error("A variable is between the parts of a table. Put it into a cell.")]
    BetweenCells,
    #[error(
        "{value} is at a place where HTML allows no text, such as between the rows of a table. Put \
         it inside a cell, or around the whole table."
    )]
    BetweenRows { value: String },
    #[error(
        "{value} is at a place where HTML shows no text, such as a comment or the inside of a tag. \
         Put it into the text."
    )]
    HiddenText { value: String },
}

fn people_are(count: usize) -> String {
    match count {
        1 => "1 person is".to_owned(),
        _ => format!("{count} people are"),
    }
}

impl Reason {
    /// There is nothing of this kind with the id that was sent.
    pub const fn unknown(kind: &'static str) -> Self {
        Self::UnknownId { kind }
    }

    /// The value is none of these.
    pub fn not_one_of<S: ToString>(allowed: impl IntoIterator<Item = S>) -> Self {
        let allowed = allowed.into_iter().map(|one| one.to_string()).collect();
        Self::NotAllowed { allowed }
    }
}

#[cfg(feature = "api")]
impl utoipa::PartialSchema for Reason {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use strum::VariantNames;
        use utoipa::openapi::extensions::Extensions;
        use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
        let of = |kind| ObjectBuilder::new().schema_type(kind);
        let texts = ArrayBuilder::new().items(of(Type::String));
        let parameters: [(&str, &str, Schema); 9] = [
            ("value", "What is wrong.", of(Type::String).into()),
            (
                "id",
                "What is wrong, if it has an id.",
                of(Type::Integer).into(),
            ),
            (
                "limit",
                "The largest value, number or length.",
                of(Type::Integer).into(),
            ),
            (
                "total",
                "The limit of all, beside that of open ones.",
                of(Type::Integer).into(),
            ),
            ("minimum", "The smallest one.", of(Type::Integer).into()),
            ("count", "How many there are.", of(Type::Integer).into()),
            ("allowed", "All values that are allowed.", texts.into()),
            (
                "field",
                "The field that this one is compared with.",
                of(Type::String).into(),
            ),
            ("until", "Until when it holds.", of(Type::String).into()),
        ];
        let words = serde_json::json!(Self::VARIANTS);
        let words = Extensions::builder().add("x-extensible-enum", words);
        let code = of(Type::String)
            .description(Some("The word. There may be more in the future."))
            .extensions(Some(words.build()));
        let mut reason = ObjectBuilder::new()
            .description(Some(
                "Why something is refused, for programs: a word, and what belongs to it. There may be \
                 more parameters in the future.",
            ))
            .property("code", code);
        for (name, about, mut schema) in parameters {
            let about = Some(format!("{about} Missing if the word has none."));
            match &mut schema {
                Schema::Array(array) => array.description = about,
                Schema::Object(object) => object.description = about,
                _ => {}
            }
            reason = reason.property(name, schema);
        }
        reason.into()
    }
}

#[cfg(feature = "api")]
impl utoipa::ToSchema for Reason {}
