//! Everything that is stored: where it is and what it is. `docs/table.md` is made from it, and
//! `clubs-admin check` compares each item with it. A kind without facts does not compile.

use std::str::FromStr as _;

use crate::db::{Entity, Item, from_item, to_item, type_of};
use crate::domain::application::deleted::DeletedApplication;
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::bookmark::model::{Favorite, Subscription};
use crate::domain::change::model::{ChangeCount, ClubChange, RecordedChange};
use crate::domain::club::model::{Club, ClubText};
use crate::domain::draft::model::DraftAnswer;
use crate::domain::erasure_flag::ErasureFlag;
use crate::domain::event::model::{Event, EventText};
use crate::domain::event::store::{EventClub, EventListing};
use crate::domain::extension::model::Extension;
use crate::domain::file::attachment::Attachment;
use crate::domain::file::model::Upload;
use crate::domain::idempotency::model::IdempotencyRecord;
use crate::domain::interview::model::Booking;
use crate::domain::invite::model::{InvitationLog, Invite};
use crate::domain::join_link::model::{JoinLink, LinkUse};
use crate::domain::keys;
use crate::domain::mail::model::Mail;
use crate::domain::member::model::Membership;
use crate::domain::notice::model::{BegunDraft, NoticeTimer, ScheduledTask};
use crate::domain::person::model::{Creations, Person, PersonAddress, PersonWord};
use crate::domain::question::model::{Prompt, Question};
use crate::domain::reference::model::{
    Badge, Fair, Major, ReferenceEntry, Registration, School, Tag, Year,
};
use crate::domain::reference::store::YearUses;
use crate::domain::request::model::MembershipRequest;
use crate::domain::review::model::Review;
use crate::domain::slot::model::{OwnInterviews, Slot, SlotNote};
use crate::domain::submission::model::{
    DecisionChange, RecentSubmission, Submission, SubmissionAnswers,
};
use crate::domain::submission::withdrawal::Withdrawal;
use crate::domain::token::model::Token;
use crate::domain::webhook::model::{Delivery, Webhook};
use crate::kind::Kind;

/// Attributes that can be computed from the other attributes of an item.
const KEYS: [&str; 6] = [
    keys::PK,
    keys::SK,
    keys::GSI1PK,
    keys::GSI1SK,
    keys::GSI2PK,
    keys::GSI2SK,
];

/// What is true of a kind of item.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Its keys: partition, sort key, and key in `gsi1`, empty if it is not there. `<…>` is a value.
    pub keys: [&'static str; 3],
    /// What it is, for people who look at the table.
    pub about: &'static str,
    /// Says what is wrong with such an item, if anything is.
    check: fn(&Item) -> Option<String>,
}

/// The facts of an entity.
fn of<E: Entity>(keys: [&'static str; 3], about: &'static str) -> Facts {
    let check = wrong_keys::<E>;
    Facts { keys, about, check }
}

/// The facts of an item that has no content to compare with its keys.
fn bare(keys: [&'static str; 3], about: &'static str) -> Facts {
    let check = |_: &Item| None;
    Facts { keys, about, check }
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
            ),
            Self::Creations => of::<Creations>(
                ["USER#<person>", "CREATIONS", ""],
                "The number of clubs that an erased person created.",
            ),
            Self::Word => of::<PersonWord>(
                ["WORDS#<letter>", "<word>#<person>", ""],
                "Finds a person by the beginning of their user name or of a word of their name.",
            ),
            Self::Address => of::<PersonAddress>(
                ["ADDRESS#<address>", "<person>", ""],
                "Finds a person by their full e-mail address.",
            ),
            Self::IdempotencyRecord => of::<IdempotencyRecord>(
                ["USER#<person>", "ATTEMPT#<hash>", ""],
                "A request with an idempotency key, and its result. Kept for a day.",
            ),
            Self::RecentSubmission => of::<RecentSubmission>(
                ["USER#<person>", "APPLIED#<submission>", ""],
                "Where a person has submitted. Kept for an hour, in which the index may be behind.",
            ),
            Self::Upload => of::<Upload>(
                ["USER#<person>", "FILE#<application>#<number>", ""],
                "A file that a person uploads, or has uploaded. One of 20 places in each \
                 application.",
            ),
            Self::Token => of::<Token>(
                ["USER#<person>", "TOKEN#<number>", ""],
                "A token with which a program acts for a person. One of 20 places; only its hash \
                 is stored.",
            ),
            Self::Booking => of::<Booking>(
                ["USER#<person>", "BOOKING#<submission>", ""],
                "The slot that a person has booked for a submission. Their calendar and a check \
                 for other interviews at that time find it there.",
            ),
            Self::OwnInterviews => of::<OwnInterviews>(
                ["USER#<person>", "ASKING#<application>", ""],
                "Tells where a person holds interviews, for their calendar.",
            ),
            Self::ErasureFlag => of::<ErasureFlag>(
                [
                    "USER#<person>",
                    "ERASURE",
                    "USER#<person> / ERASURE#<round>",
                ],
                "Written by an erasure. When the index shows it, it shows what was written before.",
            ),
            Self::Favorite => of::<Favorite>(
                ["USER#<person>", "FAVORITE#<favorite>", ""],
                "A club that a person has marked as a favorite.",
            ),
            Self::Subscription => of::<Subscription>(
                [
                    "USER#<person>",
                    "SUBSCRIPTION#<subscription>",
                    "CLUB#<code> / SUBSCRIBER#<person>",
                ],
                "A club that a person has subscribed to. Officers find it by the club.",
            ),
            Self::Tag => of::<ReferenceEntry<Tag>>(
                ["TAGS", "<tag>", ""],
                "A tag, with the number of clubs that have it. Each collection that admins \
                 maintain is a segment of the catalogue.",
            ),
            Self::Badge => of::<ReferenceEntry<Badge>>(
                ["BADGES", "<badge>", ""],
                "A badge, with the number of clubs that have it.",
            ),
            Self::School => of::<ReferenceEntry<School>>(
                ["SCHOOLS", "<school>", ""],
                "A school, with the number of people in it.",
            ),
            Self::Major => of::<ReferenceEntry<Major>>(
                ["MAJORS", "<major>", ""],
                "A major, with the number of people who have it.",
            ),
            Self::Year => {
                of::<ReferenceEntry<Year>>(["YEARS", "<year>", ""], "A graduation year (class).")
            }
            Self::YearUses => of::<YearUses>(
                ["YEARS#USES", "<number>", ""],
                "The number of people who graduate in a year. The year need not be in the \
                 collection.",
            ),
            Self::Fair => of::<ReferenceEntry<Fair>>(
                ["FAIRS", "<fair>", ""],
                "A club fair, with the number of registered clubs.",
            ),
            Self::Registration => of::<Registration>(
                ["REGISTRATIONS", "<fair>#<code>", ""],
                "The registration of a club for a fair.",
            ),
            Self::ClubChange => of::<ClubChange>(
                ["CHANGES#<club>", "<number>", ""],
                "A change of a club, for programs. Made from the stream; the numbers have no gap.",
            ),
            Self::Webhook => of::<Webhook>(
                ["WEBHOOKS#<club>", "WEBHOOK#<number>", ""],
                "A webhook of a club, in one of 5 places; without a club, one for all clubs. Its \
                 secrets are encrypted.",
            ),
            Self::Delivery => of::<Delivery>(
                ["DELIVERIES#<webhook>", "<time before the end>#<id>", ""],
                "The last attempt to tell a webhook something, the newest first. Kept for 30 days.",
            ),
            Self::ChangeCount => of::<ChangeCount>(
                ["CHANGES#<club>", "COUNT", ""],
                "The number of the last change of a club, and the first one of each of the last \
                 days.",
            ),
            Self::RecordedChange => of::<RecordedChange>(
                ["CHANGED#<record>", "CHANGE", ""],
                "That a record of the stream is among the changes. Kept for two days.",
            ),
            Self::Name => bare(
                ["<collection>#NAMES", "<hash>", ""],
                "Reserves a name in a collection. Case and diacritics are ignored.",
            ),
            Self::Club => of::<Club>(
                ["CLUBS#<segment>", "CLUB#<code>", ""],
                "A club with its counters. All segments together are the catalogue.",
            ),
            Self::ApplicationTexts => of::<ApplicationTexts>(
                ["APPLICATIONS#<club>", "<application>#TEXTS", ""],
                "Description and templates of an application. A submission and a decision do not \
                 read them.",
            ),
            Self::ClubText => of::<ClubText>(
                ["CLUB#<code>", "TEXT", ""],
                "The full description of a club, if it is longer than the beginning that lists \
                 contain.",
            ),
            Self::Version => bare(
                ["CATALOGUE", "VERSION", ""],
                "A version number for each catalogue segment. It increases with every change \
                 there, except changes of counters.",
            ),
            Self::Event => of::<Event>(
                ["CLUB#<code>", "EVENT#<event>", ""],
                "An event with its showings.",
            ),
            Self::EventText => of::<EventText>(
                ["CLUB#<code>", "TEXT#EVENT#<event>", ""],
                "The whole description of an event, if it is longer than what the event itself \
                 holds.",
            ),
            Self::EventListing => of::<EventListing>(
                ["EVENTS#<month>", "<event>", ""],
                "A copy of an event in the catalogue, by the month in which its last showing ends.",
            ),
            Self::EventClub => of::<EventClub>(
                ["EVENT#<event>", "CLUB", ""],
                "The club that an event belongs to.",
            ),
            Self::Membership => of::<Membership>(
                [
                    "CLUB#<code>",
                    "MEMBER#<membership>",
                    "USER#<person> / MEMBER#<code>",
                ],
                "A member of a club, with their role.",
            ),
            Self::MembershipRequest => of::<MembershipRequest>(
                [
                    "CLUB#<code>",
                    "REQUEST#<request>",
                    "USER#<person> / REQUEST#<code>",
                ],
                "A request to join a club. It is deleted when the person becomes a member.",
            ),
            Self::Invite => of::<Invite>(
                [
                    "CLUB#<code>",
                    "INVITE#<invite>",
                    "ADDRESS#<address> / INVITE#<code>#<invite>",
                ],
                "An open or expired invitation. Its token is derived, not stored. It is deleted \
                 when it is used or revoked, or by TTL.",
            ),
            Self::JoinLink => of::<JoinLink>(
                ["CLUB#<code>", "JOIN#<link>", ""],
                "A link with which anybody can join. Its token is derived, not stored. It has a \
                 TTL.",
            ),
            Self::InvitationLog => of::<InvitationLog>(
                ["CLUB#<code>", "LOG#INVITATIONS", ""],
                "The number of invitations that a club has sent in the last 24 hours.",
            ),
            Self::Application => of::<Application>(
                ["APPLICATIONS#<club>", "<application>", ""],
                "An application with its committees. Its version also tells changes of its \
                 questions.",
            ),
            Self::Question => of::<Question>(
                [
                    "APPLICATIONS#<club>",
                    "<application>#QUESTION#<question>",
                    "",
                ],
                "The current version of a question, in the same partition as its application.",
            ),
            Self::Prompt => of::<Prompt>(
                ["PROMPTS#<application>", "<question>#<version>", ""],
                "The text of a question when it was answered. It never changes.",
            ),
            Self::Slot => of::<Slot>(
                ["SLOTS#<application>", "SLOT#<slot>", ""],
                "A time for interviews, with the submissions that have booked it.",
            ),
            Self::SlotNote => of::<SlotNote>(
                ["SLOTS#<application>", "NOTE#<slot>", ""],
                "What officers note about a slot. A booking does not write it again.",
            ),
            Self::Extension => of::<Extension>(
                [
                    "EXTENSIONS#<application>",
                    "<extension>",
                    "USER#<person> / EXTENSION#<application>",
                ],
                "A later end of an application for one person.",
            ),
            Self::Draft => of::<DraftAnswer>(
                [
                    "DRAFTS#<application>#<part>",
                    "<person>#<committee>#<question>",
                    "USER#<person> / <DRAFT or REMOVED>#<application>#<committee>#<question>",
                ],
                "One answer of a draft. It has a TTL. A removed one keeps its version.",
            ),
            Self::Submission => of::<Submission>(
                [
                    "SUBMISSIONS#<application>#<part>",
                    "<submission>",
                    "USER#<person> / SUBMISSION#<submission>",
                ],
                "A submission: applicant, decision and mail state.",
            ),
            Self::Answers => of::<SubmissionAnswers>(
                [
                    "ANSWERS#<application>#<part>",
                    "<submission>#<number of the request>",
                    "",
                ],
                "The answers of one revision. They count if the submission has their number.",
            ),
            Self::Attachment => of::<Attachment>(
                [
                    "ANSWERS#<application>#<part>",
                    "<submission>#<at>#<file>",
                    "USER#<person> / ATTACHMENT#<submission>#<at>#<file>",
                ],
                "Says that a submission may have a copy of a file in the bucket. Stored before \
                 the copy is made, and removed after it was deleted.",
            ),
            Self::Withdrawal => of::<Withdrawal>(
                [
                    "SUBMISSIONS#<application>#<part>",
                    "<submission>",
                    "USER#<person> / SUBMISSION#<submission>",
                ],
                "A withdrawn submission. Only a few attributes remain, and the person until an \
                 erasure.",
            ),
            Self::Review => of::<Review>(
                [
                    "REVIEWS#<application>",
                    "<submission>#<review>",
                    "USER#<person> / REVIEW#<review>",
                ],
                "What an officer thinks of a submission. The submission has its score too.",
            ),
            Self::Change => of::<DecisionChange>(
                ["HISTORY#<application>", "<submission>#<change>", ""],
                "A change of a decision that its submission does not keep: who changed what, and \
                 when.",
            ),
            Self::Mail => of::<Mail>(
                [
                    "OUTBOX#<about>",
                    "<sequence>#<kind>#<attempt>",
                    "USER#<person> / MAIL#<about>#<sequence>",
                ],
                "A mail of the outbox: to be sent, being sent, or sent. It has a TTL. In the \
                 index, invitations are under ADDRESS#<address>.",
            ),
            Self::LinkUse => of::<LinkUse>(
                [
                    "CLUB#<code>",
                    "JOINED#<link>#<person>",
                    "USER#<person> / JOINED#<link>",
                ],
                "That a person joined with a link. Joining again does not use the link up.",
            ),
            Self::DeletedApplication => of::<DeletedApplication>(
                ["DELETED#<application>", "APPLICATION", ""],
                "What remains of a deleted application: receipts of its submissions are `erased`.",
            ),
            Self::Tombstone => bare(
                ["<partition>", "<key>", ""],
                "Stands for a day in the place of an item that was deleted, such as a submission \
                 or an upload, so that a write that arrives late does not bring it back.",
            ),
            Self::ScheduledTask => of::<ScheduledTask>(
                ["DUE#<hour>", "<kind>#<id>", ""],
                "Tells the timer to look at the drafts of an application, the bookings of a slot, \
                 an upload, or the news of a person.",
            ),
            Self::BegunDraft => of::<BegunDraft>(
                ["BEGUN#<application>", "<person>#<committee>", ""],
                "When a draft was begun, for its reminder.",
            ),
            Self::NoticeTimer => of::<NoticeTimer>(
                ["NOTICES", "TIMER", ""],
                "The hour up to which everything that was due is done.",
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
