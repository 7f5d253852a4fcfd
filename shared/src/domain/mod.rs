//! The things that Clubs knows. Each folder has one of them: its types (`model.rs`), its keys in
//! the table (`keys.rs`), and its reads and writes (`store.rs` and files beside it).
//!
//! Types are not sent to clients: each resource has its own response types. There is one method of
//! [`crate::db::Table`] for each access pattern. Handlers never see an attribute value, and there
//! is no scan.

mod application;
mod audit;
mod bookmark;
mod catalogue;
mod change;
pub mod chart;
mod club;
mod conditions;
mod draft;
mod erasure;
mod erasure_clubs;
mod erasure_mark;
mod event;
mod extension;
mod file;
mod form;
mod interview;
mod invite;
mod join_link;
mod keyed;
mod keys;
mod lookup;
mod mail;
mod member;
mod notice;
mod own;
mod person;
mod personal_data;
mod question;
mod request;
mod review;
mod slot;
mod submission;
mod token;
mod tombstones;
mod waiting;
mod webhook;

pub use application::model::{Application, ApplicationTexts, Committee};
pub use application::references::{ApplicationParts, References};
pub use application::store::ApplicationQuota;
pub use audit::{
    COMPANIONS, NOT_COMPARED, answers_of, companions, leads_to, misplaced, reviewed, seat_of,
    seat_owner, unfinished_copy,
};
pub use bookmark::model::{Favorite, Subscription};
pub use bookmark::store::{Bookmark, Bookmarks};
#[cfg(feature = "api")]
pub use catalogue::memory::{
    Catalogue, Clubs, ListedAt, ListedClub, ListedEvent, PartItems, club_parts,
};
pub use catalogue::versions::Versions;
pub use change::model::{
    ChangeCount, ChangeType, ClubChange, KnownChange, NewChange, Object, ObjectType,
};
pub use club::model::{Club, ClubProfile, ClubText, Window};
pub use club::store::{ClubPage, ClubQuota, NewOwner};
pub use draft::model::DraftAnswer;
pub use draft::store::DraftWrite;
pub use erasure::OnlyOwner;
pub use event::model::{Event, EventText, EventType, Image, Showing, Span};
pub use event::store::{EventListing, listed, listing_parts};
pub use extension::model::Extension;
pub use file::copy::FileCopy;
pub use file::model::{AnswerFile, FileState, Upload};
pub use form::conditions::Choices;
#[cfg(feature = "api")]
pub use form::memory::Forms;
pub use form::model::{Form, WholeForm};
pub use interview::marks::CalendarPart;
pub use interview::model::{Booking, Interview};
pub use interview::store::InterviewChange;
pub use interview::told::{Cancellations, EndedInterview, EndedInterviews};
pub use invite::model::{AcceptanceMail, DailyCount, InvitationLog, Invite};
pub use invite::store::InviteWrite;
pub use join_link::model::{JoinLink, LinkUse};
pub use keyed::model::{KeyedOutcome, KeyedRequest};
#[cfg(feature = "api")]
pub use lookup::memory::{Entries, InMemory, Lookups};
pub use lookup::model::{Badge, Fair, Lookup, LookupKind, Major, Registration, School, Tag, Year};
pub use mail::model::{
    Appointment, AppointmentNews, Decision, InviteLink, Mail, MailLease, RequestNews, SUPERSEDED,
    ToldDecision,
};
pub use mail::outage::MailOutage;
pub use mail::report::{MailReport, MailResult};
pub use mail::state::{EmailStatus, MailId, MailKind, MailState, NoMailId, Report, Telling};
pub use mail::store::DecisionMail;
pub use member::model::{Membership, Role};
pub use member::store::{Additions, NewMembership};
pub use notice::model::{
    BegunDraft, Due, DueEntry, LOOKS_BACK, NewsItem, Notice, NoticeAbout, NoticeTimer,
    REMINDED_BEFORE, draft_due, hour_of,
};
pub use notice::settings::{NewsRhythm, NoticeKind, Notices};
pub use notice::store::NEWS_AT_ONCE;
pub use own::{Follower, OwnEntries};
pub use person::model::{Creations, Person, PersonAddress, PersonWord, Personal};
pub use personal_data::PersonalData;
pub use question::model::{Choice, FileFormat, FileRule, Prompt, Question, QuestionType, ShowIf};
pub use request::model::MembershipRequest;
pub use request::store::JoinState;
pub use review::model::Review;
pub use review::store::GivenScore;
#[cfg(feature = "api")]
pub use slot::memory::{BookedPlaces, KnownSlots, Place, SeenSubmission};
pub use slot::model::{Interviewer, OwnInterviews, Slot, SlotNote};
pub use slot::store::SlotChange;
pub use submission::answers::{Answer, Answers, StoredAnswer};
pub use submission::decide::DecisionWrite;
pub use submission::keys::SUBMISSION_PARTS;
pub use submission::model::{
    AnswerSheet, Answered, Applicant, DecisionChange, Mailed, OldAndNew, OwnPlace, Status,
    StatusChange, Submission,
};
pub use submission::remembered::RememberedKey;
pub use submission::store::{StoredSubmission, SubmissionQuery};
pub use submission::submit::{CancelledInterview, WithdrawOutcome};
pub use submission::told::{Known, Told};
pub use submission::withdrawal::Withdrawal;
pub use token::model::{Token, TokenScope};
pub use tombstones::{DeletedApplication, Gone};
pub use waiting::{ClubWaiting, Waiting};
pub use webhook::model::{
    Call, CallKind, Delivery, Notification, OffReason, Recipient, SealedSecret, Webhook,
    WebhookPlace,
};
