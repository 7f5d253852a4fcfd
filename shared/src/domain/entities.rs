//! Everything that is stored: where it is and what it is. `docs/table.md` is made from it, and
//! `clubs-admin check` compares each item with it. A kind without facts does not compile.

use std::str::FromStr as _;

use crate::db;
use crate::db::{Entity, Item, from_item, to_item, type_of};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::change::model::{ChangeCount, ClubChange, RecordedChange};
use crate::domain::club::invitation_log::InvitationLog;
use crate::domain::club::model::{Club, ClubText};
use crate::domain::draft::model::{BegunDraft, DraftAnswer};
use crate::domain::erase::{EraseItem, erase};
use crate::domain::event::model::{Event, EventText};
use crate::domain::event::store::{EventClub, EventListing};
use crate::domain::extension::model::Extension;
use crate::domain::file::model::Upload;
use crate::domain::idempotency::model::IdempotencyRecord;
use crate::domain::interview::mails::AppointmentMails;
use crate::domain::interview::model::Booking;
use crate::domain::invite::model::Invite;
use crate::domain::join_link::model::{JoinLink, LinkUse};
use crate::domain::member::model::Membership;
use crate::domain::outbox::model::Mail;
use crate::domain::person::model::{Creations, Person, PersonAddress, PersonWord};
use crate::domain::question::model::{Prompt, Question};
use crate::domain::reference::model::{
    Badge, Fair, Major, ReferenceEntry, Registration, School, Tag, Year,
};
use crate::domain::reference::store::YearUses;
use crate::domain::request::model::MembershipRequest;
use crate::domain::review::model::Review;
use crate::domain::slot::model::{OwnInterviews, Slot, SlotNote};
use crate::domain::submission::answers::Attachment;
use crate::domain::submission::model::{
    DecisionChange, RecentSubmission, Submission, SubmissionAnswers,
};
use crate::domain::submission::store::Withdrawal;
use crate::domain::task::model::{NoticeTimer, ScheduledTask};
use crate::domain::ticket::draw::{DrawEntry, DrawResults, TicketDraw};
use crate::domain::ticket::model::{QueuedTicket, Sale, Ticket, TicketCount, TicketOrders};
use crate::domain::token::model::Token;
use crate::domain::webhook::model::{Delivery, Webhook};
use crate::kind::Kind;

/// Attributes that can be computed from the other attributes of an item.
const KEYS: [&str; 6] = [
    db::keys::PK,
    db::keys::SK,
    db::keys::GSI1PK,
    db::keys::GSI1SK,
    db::keys::GSI2PK,
    db::keys::GSI2SK,
];

/// What is true of a kind of item.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Its keys: partition, sort key, and key in `gsi1`, empty if it is not there. `<…>` is a
    /// value.
    pub keys: [&'static str; 3],
    /// What it is, for people who look at the table.
    pub about: &'static str,
    /// What an erasure of its person does with it.
    pub(crate) erasure: Erasure,
    /// The field of `GET /settings/export/` that shows it to its person. None: it is not shown, or
    /// is a part of something that is.
    pub export: Option<&'static str>,
    /// Says what is wrong with such an item, if anything is.
    check: fn(&Item) -> Option<String>,
}

impl Facts {
    /// Returns what an erasure of its person does with it, in words.
    pub fn erased(&self) -> &'static str {
        match self.erasure {
            Erasure::Keep => "",
            Erasure::Elsewhere(how) => how,
            Erasure::Delete { .. } => "delete",
            Erasure::Anonymise(_) => "anonymise",
            Erasure::FreeAndDelete(_) => "free and delete",
        }
    }
}

/// What an erasure of a person does with an item of theirs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Erasure {
    /// Nothing: it is nobody's, or has only the id of who did something for a club (P15).
    Keep,
    /// What becomes of it otherwise, in words.
    Elsewhere(&'static str),
    /// It is deleted as it was read. A tombstone is needed if it is not stored in a transaction
    /// that checks the person.
    Delete {
        /// Whether it leaves one.
        tombstone: bool,
    },
    /// What names the person is taken out of it.
    Anonymise(EraseItem),
    /// What it holds elsewhere, such as a place or bytes in the bucket, is given back. Then it is
    /// deleted.
    FreeAndDelete(EraseItem),
}

/// What happens to an item of a person: in an erasure, and in an export.
type OfPerson = (Erasure, Option<&'static str>);

/// The facts of an entity.
fn of<E: Entity>(
    keys: [&'static str; 3],
    about: &'static str,
    (erasure, export): OfPerson,
) -> Facts {
    Facts {
        keys,
        about,
        erasure,
        export,
        check: wrong_keys::<E>,
    }
}

/// The facts of an item that has no content to compare with its keys.
fn bare(keys: [&'static str; 3], about: &'static str, (erasure, export): OfPerson) -> Facts {
    Facts {
        keys,
        about,
        erasure,
        export,
        check: |_| None,
    }
}

impl Kind {
    /// Returns what is true of items of this kind.
    #[allow(clippy::too_many_lines, reason = "a table, a row for each kind")]
    pub fn facts(self) -> Facts {
        match self {
            Self::Person => of::<Person>(
                ["USER#<person>", "PROFILE", "USERNAME#<username> / <person>"],
                "A profile. It is stored at the person's first request and updated when the \
                 token's claims change.",
                (Erasure::Elsewhere("delete, last"), None),
            ),
            Self::Creations => of::<Creations>(
                ["USER#<person>", "CREATIONS", ""],
                "The number of clubs that an erased person created.",
                (Erasure::Keep, None),
            ),
            Self::Word => of::<PersonWord>(
                ["WORDS#<letter>", "<word>#<person>", ""],
                "Finds a person by the beginning of their user name or of a word of their name.",
                (Erasure::Elsewhere("delete, first"), None),
            ),
            Self::Address => of::<PersonAddress>(
                ["ADDRESS#<address>", "<person>", ""],
                "Finds a person by their full e-mail address.",
                (Erasure::Elsewhere("delete, first"), None),
            ),
            Self::IdempotencyRecord => of::<IdempotencyRecord>(
                ["USER#<person>", "ATTEMPT#<hash>", ""],
                "A request with an idempotency key, and its result. Kept for a day.",
                (Erasure::Elsewhere("delete"), None),
            ),
            Self::RecentSubmission => of::<RecentSubmission>(
                ["USER#<person>", "APPLIED#<submission>", ""],
                "Where a person has submitted. Kept for an hour, in which the index may be behind.",
                (Erasure::FreeAndDelete(erase::<RecentSubmission>), None),
            ),
            Self::Upload => of::<Upload>(
                ["USER#<person>", "FILE#<application>#<number>", ""],
                "A file that a person uploads, or has uploaded. One of 20 places in each \
                 application.",
                (Erasure::FreeAndDelete(erase::<Upload>), Some("files")),
            ),
            Self::Token => of::<Token>(
                ["USER#<person>", "TOKEN#<number>", ""],
                "A token with which a program acts for a person. One of 20 places; only its hash \
                 is stored.",
                (Erasure::Delete { tombstone: true }, Some("tokens")),
            ),
            Self::Booking => of::<Booking>(
                ["USER#<person>", "BOOKING#<submission>", ""],
                "The slot that a person has booked for a submission. Their calendar and a check \
                 for other interviews at that time find it there.",
                (Erasure::Delete { tombstone: false }, None),
            ),
            Self::AppointmentMails => of::<AppointmentMails>(
                ["USER#<person>", "APPOINTMENTS#<application>", ""],
                "Which mails told a person of their interviews in an application in the last 24 \
                 hours.",
                (Erasure::Delete { tombstone: false }, None),
            ),
            Self::OwnInterviews => of::<OwnInterviews>(
                ["USER#<person>", "ASKING#<application>", ""],
                "Tells where a person holds interviews, for their calendar.",
                (Erasure::Delete { tombstone: false }, None),
            ),
            Self::Favorite => of::<Favorite>(
                ["USER#<person>", "FAVORITE#<favorite>", ""],
                "A club that a person has marked as a favorite.",
                (Erasure::FreeAndDelete(erase::<Favorite>), Some("favorites")),
            ),
            Self::Subscription => of::<Subscription>(
                [
                    "USER#<person>",
                    "SUBSCRIPTION#<subscription>",
                    "CLUB#<code> / SUBSCRIBER#<person>",
                ],
                "A club that a person has subscribed to. Officers find it by the club.",
                (
                    Erasure::FreeAndDelete(erase::<Subscription>),
                    Some("subscriptions"),
                ),
            ),
            Self::Tag => of::<ReferenceEntry<Tag>>(
                ["TAGS", "<tag>", ""],
                "A tag, with the number of clubs that have it. Each collection that admins \
                 maintain is a segment of the catalogue.",
                (Erasure::Keep, None),
            ),
            Self::Badge => of::<ReferenceEntry<Badge>>(
                ["BADGES", "<badge>", ""],
                "A badge, with the number of clubs that have it.",
                (Erasure::Keep, None),
            ),
            Self::School => of::<ReferenceEntry<School>>(
                ["SCHOOLS", "<school>", ""],
                "A school, with the number of people in it.",
                (Erasure::Keep, None),
            ),
            Self::Major => of::<ReferenceEntry<Major>>(
                ["MAJORS", "<major>", ""],
                "A major, with the number of people who have it.",
                (Erasure::Keep, None),
            ),
            Self::Year => of::<ReferenceEntry<Year>>(
                ["YEARS", "<year>", ""],
                "A graduation year (class).",
                (Erasure::Keep, None),
            ),
            Self::YearUses => of::<YearUses>(
                ["YEARS#USES", "<number>", ""],
                "The number of people who graduate in a year. The year need not be in the \
                 collection.",
                (Erasure::Keep, None),
            ),
            Self::Fair => of::<ReferenceEntry<Fair>>(
                ["FAIRS", "<fair>", ""],
                "A club fair, with the number of registered clubs.",
                (Erasure::Keep, None),
            ),
            Self::Registration => of::<Registration>(
                ["REGISTRATIONS", "<fair>#<code>", ""],
                "The registration of a club for a fair.",
                (Erasure::Keep, None),
            ),
            Self::ClubChange => of::<ClubChange>(
                ["CHANGES#<club>", "<number>", ""],
                "A change of a club, for programs. Made from the stream; the numbers have no gap.",
                (Erasure::Keep, None),
            ),
            Self::Webhook => of::<Webhook>(
                ["WEBHOOKS#<club>", "WEBHOOK#<number>", ""],
                "A webhook of a club, in one of 5 places; without a club, one for all clubs. Its \
                 secrets are encrypted.",
                (Erasure::Keep, None),
            ),
            Self::Delivery => of::<Delivery>(
                ["DELIVERIES#<webhook>", "<time before the end>#<id>", ""],
                "The last attempt to tell a webhook something, the newest first. Kept for 30 days.",
                (Erasure::Keep, None),
            ),
            Self::ChangeCount => of::<ChangeCount>(
                ["CHANGES#<club>", "COUNT", ""],
                "The number of the last change of a club, and the first one of each of the last \
                 days.",
                (Erasure::Keep, None),
            ),
            Self::RecordedChange => of::<RecordedChange>(
                ["CHANGED#<record>", "CHANGE", ""],
                "That a record of the stream is among the changes. Kept for two days.",
                (Erasure::Keep, None),
            ),
            Self::Name => bare(
                ["<collection>#NAMES", "<hash>", ""],
                "Reserves a name in a collection. Case and diacritics are ignored.",
                (Erasure::Keep, None),
            ),
            Self::Club => of::<Club>(
                ["CLUBS#<segment>", "CLUB#<code>", ""],
                "A club with its counters. All segments together are the catalogue.",
                (Erasure::Keep, None),
            ),
            Self::ApplicationTexts => of::<ApplicationTexts>(
                ["APPLICATIONS#<club>", "<application>#TEXTS", ""],
                "Description and templates of an application. A submission and a decision do not \
                 read them.",
                (Erasure::Keep, None),
            ),
            Self::ClubText => of::<ClubText>(
                ["CLUB#<code>", "TEXT", ""],
                "The full description of a club, if it is longer than the beginning that lists \
                 contain.",
                (Erasure::Keep, None),
            ),
            Self::Version => bare(
                ["CATALOGUE", "VERSION", ""],
                "A version number for each catalogue segment. It increases with every change \
                 there, except changes of counters.",
                (Erasure::Keep, None),
            ),
            Self::Event => of::<Event>(
                ["CLUB#<code>", "EVENT#<event>", ""],
                "An event with its showings.",
                (Erasure::Keep, None),
            ),
            Self::EventText => of::<EventText>(
                ["CLUB#<code>", "TEXT#EVENT#<event>", ""],
                "The whole description of an event, if it is longer than what the event itself \
                 holds.",
                (Erasure::Keep, None),
            ),
            Self::EventListing => of::<EventListing>(
                ["EVENTS#<month>", "<event>", ""],
                "A copy of an event in the catalogue, by the month in which its last showing ends.",
                (Erasure::Keep, None),
            ),
            Self::EventClub => of::<EventClub>(
                ["EVENT#<event>", "CLUB", ""],
                "The club that an event belongs to.",
                (Erasure::Keep, None),
            ),
            Self::TicketSale => of::<Sale>(
                ["EVENT#<event>", "SALE#<showing>", ""],
                "The types of tickets of a showing, with what an order must know of it.",
                (Erasure::Keep, None),
            ),
            Self::TicketCount => of::<TicketCount>(
                ["COUNTS#<showing>#<partition>", "<type>#<part>", ""],
                "How many tickets of a type are valid, wait or take part in a draw: a 64th of them.",
                (Erasure::Keep, None),
            ),
            Self::Ticket => of::<Ticket>(
                [
                    "TICKETS#<showing>#<partition>",
                    "<ticket>",
                    "USER#<person> / TICKET#<showing>#<ticket>",
                ],
                "A ticket of a showing.",
                (Erasure::Anonymise(erase::<Ticket>), Some("tickets")),
            ),
            Self::QueuedTicket => of::<QueuedTicket>(
                ["QUEUE#<showing>#<type>#<partition>", "<order>", ""],
                "Where a ticket waits, or stands beyond the capacity.",
                (Erasure::Keep, None),
            ),
            Self::TicketOrders => of::<TicketOrders>(
                ["USER#<person>", "TICKETS#<showing>", ""],
                "What a person has ordered for a showing. Each order of theirs writes it.",
                (Erasure::Delete { tombstone: true }, None),
            ),
            Self::TicketDraw => of::<TicketDraw>(
                ["EVENT#<event>", "DRAW#<showing>", ""],
                "The draw of a showing, with its seed.",
                (Erasure::Keep, None),
            ),
            Self::DrawEntry => of::<DrawEntry>(
                ["DRAW#<showing>", "<entry>", ""],
                "One type of an order that takes part in a draw.",
                (Erasure::Keep, None),
            ),
            Self::DrawResults => of::<DrawResults>(
                ["DRAWN#<showing>", "<page>", ""],
                "Results of a draw, 500 in the drawn order.",
                (Erasure::Keep, None),
            ),
            Self::Membership => of::<Membership>(
                [
                    "CLUB#<code>",
                    "MEMBER#<membership>",
                    "USER#<person> / MEMBER#<code>",
                ],
                "A member of a club, with their role.",
                (
                    Erasure::FreeAndDelete(erase::<Membership>),
                    Some("memberships"),
                ),
            ),
            Self::MembershipRequest => of::<MembershipRequest>(
                [
                    "CLUB#<code>",
                    "REQUEST#<request>",
                    "USER#<person> / REQUEST#<code>",
                ],
                "A request to join a club. It is deleted when the person becomes a member.",
                (Erasure::Delete { tombstone: true }, Some("requests")),
            ),
            Self::Invite => of::<Invite>(
                [
                    "CLUB#<code>",
                    "INVITE#<invite>",
                    "ADDRESS#<address> / INVITE#<code>#<invite>",
                ],
                "An open or expired invitation. Its token is derived, not stored. It is deleted \
                 when it is used or revoked, or by TTL.",
                (Erasure::FreeAndDelete(erase::<Invite>), Some("invites")),
            ),
            Self::JoinLink => of::<JoinLink>(
                ["CLUB#<code>", "JOIN#<link>", ""],
                "A link with which anybody can join. Its token is derived, not stored. It has a \
                 TTL.",
                (Erasure::Keep, None),
            ),
            Self::InvitationLog => of::<InvitationLog>(
                ["CLUB#<code>", "LOG#INVITATIONS", ""],
                "The number of invitations that a club has sent in the last 24 hours.",
                (Erasure::Keep, None),
            ),
            Self::Application => of::<Application>(
                ["APPLICATIONS#<club>", "<application>", ""],
                "An application with its committees. Its version also tells changes of its \
                 questions.",
                (Erasure::Keep, None),
            ),
            Self::Question => of::<Question>(
                [
                    "APPLICATIONS#<club>",
                    "<application>#QUESTION#<question>",
                    "",
                ],
                "The current version of a question, in the same partition as its application.",
                (Erasure::Keep, None),
            ),
            Self::Prompt => of::<Prompt>(
                ["PROMPTS#<application>", "<question>#<version>", ""],
                "The text of a question when it was answered. It never changes.",
                (Erasure::Keep, None),
            ),
            Self::Slot => of::<Slot>(
                ["SLOTS#<application>", "SLOT#<slot>", ""],
                "A time for interviews, with the submissions that have booked it.",
                (Erasure::Keep, None),
            ),
            Self::SlotNote => of::<SlotNote>(
                ["SLOTS#<application>", "NOTE#<slot>", ""],
                "What officers note about a slot. A booking does not write it again.",
                (Erasure::Keep, None),
            ),
            Self::Extension => of::<Extension>(
                [
                    "EXTENSIONS#<application>",
                    "<extension>",
                    "USER#<person> / EXTENSION#<application>",
                ],
                "A later end of an application for one person.",
                (Erasure::Delete { tombstone: false }, Some("extensions")),
            ),
            Self::Draft => of::<DraftAnswer>(
                [
                    "DRAFTS#<application>#<part>",
                    "<person>#<committee>#<question>",
                    "USER#<person> / ANSWER#<application>#<committee>#<question>",
                ],
                "One answer of a draft. It has a TTL. A removed one keeps its version.",
                (Erasure::Delete { tombstone: true }, Some("drafts")),
            ),
            Self::Submission => of::<Submission>(
                [
                    "SUBMISSIONS#<application>#<part>",
                    "<submission>",
                    "USER#<person> / SUBMISSION#<submission>",
                ],
                "A submission: applicant, decision and mail state.",
                (Erasure::Anonymise(erase::<Submission>), Some("submissions")),
            ),
            Self::Answers => of::<SubmissionAnswers>(
                [
                    "ANSWERS#<application>#<part>",
                    "<submission>#<number of the request>",
                    "",
                ],
                "The answers of one revision. They count if the submission has their number.",
                (Erasure::Elsewhere("delete, with the submission"), None),
            ),
            Self::Attachment => of::<Attachment>(
                [
                    "ANSWERS#<application>#<part>",
                    "<submission>#<at>#<file>",
                    "USER#<person> / ATTACHMENT#<submission>#<at>#<file>",
                ],
                "Says that a submission may have a copy of a file in the bucket. Stored before \
                 the copy is made, and removed after it was deleted.",
                (Erasure::FreeAndDelete(erase::<Attachment>), None),
            ),
            Self::Withdrawal => of::<Withdrawal>(
                [
                    "SUBMISSIONS#<application>#<part>",
                    "<submission>",
                    "USER#<person> / SUBMISSION#<submission>",
                ],
                "A withdrawn submission. Only a few attributes remain, and the person until an \
                 erasure.",
                (Erasure::Anonymise(erase::<Withdrawal>), Some("withdrawals")),
            ),
            Self::Review => of::<Review>(
                [
                    "REVIEWS#<application>",
                    "<submission>#<review>",
                    "USER#<person> / REVIEW#<review>",
                ],
                "What an officer thinks of a submission. The submission has its score too.",
                (Erasure::Anonymise(erase::<Review>), Some("reviews")),
            ),
            Self::Change => of::<DecisionChange>(
                ["HISTORY#<application>", "<submission>#<change>", ""],
                "A change of a decision that its submission does not keep: who changed what, and \
                 when.",
                (
                    Erasure::Elsewhere("delete reasons, with the submission"),
                    None,
                ),
            ),
            Self::Mail => of::<Mail>(
                [
                    "OUTBOX#<about>",
                    "<sequence>#<kind>#<attempt>",
                    "USER#<person> / MAIL#<about>#<sequence>",
                ],
                "A mail of the outbox: to be sent, being sent, or sent. It has a TTL. In the \
                 index, invitations are under ADDRESS#<address>.",
                (Erasure::Delete { tombstone: false }, Some("mails")),
            ),
            Self::LinkUse => of::<LinkUse>(
                [
                    "CLUB#<code>",
                    "JOINED#<link>#<person>",
                    "USER#<person> / JOINED#<link>",
                ],
                "That a person joined with a link. Joining again does not use the link up.",
                (Erasure::Delete { tombstone: false }, Some("join_links")),
            ),
            Self::DeletedApplication => of::<DeletedApplication>(
                ["DELETED#<application>", "APPLICATION", ""],
                "What remains of a deleted application: receipts of its submissions are `erased`.",
                (Erasure::Keep, None),
            ),
            Self::Tombstone => bare(
                ["<partition>", "<key>", ""],
                "Stands for a day in the place of an item that was deleted, such as a submission \
                 or an upload, so that a write that arrives late does not bring it back.",
                (Erasure::Keep, None),
            ),
            Self::ScheduledTask => of::<ScheduledTask>(
                ["DUE#<hour>", "<kind>#<id>", ""],
                "Tells the timer to look at the drafts of an application, the bookings of a slot, \
                 the tickets of a showing, an upload, a webhook, an archived club, an erasure, a \
                 mail that was kept back, or the news of a person.",
                (Erasure::Keep, None),
            ),
            Self::BegunDraft => of::<BegunDraft>(
                [
                    "BEGUN#<application>",
                    "<person>#<committee>",
                    "USER#<person> / DRAFT#<application>#<committee>",
                ],
                "That a draft has answers, and since when, for lists and reminders.",
                (Erasure::Delete { tombstone: false }, None),
            ),
            Self::NoticeTimer => of::<NoticeTimer>(
                ["NOTICES", "TIMER", ""],
                "The hour up to which everything that was due is done.",
                (Erasure::Keep, None),
            ),
        }
    }
}

/// Returns what is wrong with an item: it cannot be read, or its keys do not match its content.
/// `None` if it is correct.
pub fn misplaced(item: &Item) -> Option<String> {
    let Ok(kind) = Kind::from_str(type_of(item)) else {
        return Some(format!("of no known type ({:?})", type_of(item)));
    };
    (kind.facts().check)(item)
}

fn wrong_keys<E: Entity>(item: &Item) -> Option<String> {
    let entity: E = match from_item(item.clone()) {
        Ok(entity) => entity,
        // The error would quote the item's content, which may be personal.
        Err(_) => return Some(format!("cannot be read as {}", E::TYPE)),
    };
    let expected = to_item(&entity).ok()?;
    let wrong: Vec<&str> = KEYS
        .into_iter()
        .filter(|key| item.get(*key) != expected.get(*key))
        .collect();
    (!wrong.is_empty()).then(|| format!("{} do not follow from the content", wrong.join(", ")))
}
