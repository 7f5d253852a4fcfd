//! The things that Clubs knows. Most folders have one of them: its types (`model.rs`), its keys in
//! the table (`keys.rs`), and its reads and writes (`store.rs` and files beside it). What joins
//! several of them has a folder or a file above them. All depend in one direction.
//!
//! Types are not sent to clients: each resource has its own response types. There is one method of
//! [`crate::db::Table`] for each access pattern. Handlers never see an attribute value, and there
//! is no scan.

mod application;
mod audit;
mod bookmark;
mod catalogue;
mod change;
mod club;
mod club_page;
mod decision;
mod draft;
mod duties;
mod entities;
mod erase;
mod erasure;
mod event;
mod extension;
mod file;
mod form;
mod idempotency;
mod image;
mod interview;
mod invite;
mod join_link;
mod joining;
mod mail;
mod member;
mod notice;
mod outbox;
mod own;
mod person;
mod personal_data;
mod profile;
mod question;
mod reference;
mod registration;
mod removal;
mod request;
mod review;
mod slot;
mod status;
mod submission;
mod task;
mod ticket;
mod token;
mod webhook;

pub use application::deleted::DeletedApplication;
pub use application::model::{
    Application, ApplicationTexts, Committee, TemplateFormat, draft_reminder_at,
};
pub use application::store::ApplicationQuota;
pub use audit::{
    DERIVED_ENTRIES, NOT_COMPARED, answers_of, derived_entries, leads_to, reviewed, seat_of,
    seat_owner, unfinished_duplicate,
};
pub use bookmark::model::{Favorite, Subscription};
pub use bookmark::store::{Bookmark, Bookmarks};
#[cfg(feature = "api")]
pub use catalogue::memory::{Catalogue, ListedAt, SegmentItems};
pub use catalogue::versions::Versions;
pub use change::model::{
    ChangeCount, ChangeType, ClubChange, NewChange, Object, ObjectType, RecordedChange, TicketKey,
};
pub use club::invitation_log::{DailyCount, InvitationLog, logged};
#[cfg(feature = "api")]
pub use club::listed::{Clubs, ListedClub, club_segments};
pub use club::model::{Club, ClubProfile, ClubText, Window};
pub use club::store::ClubQuota;
pub use club_page::ClubPage;
pub use decision::ended::{Cancellations, EndedInterview, EndedInterviews};
pub use decision::store::DecisionMail;
pub use draft::begun::DraftKeys;
pub use draft::model::{BegunDraft, DraftAnswer};
pub use draft::store::{DraftEntry, DraftWrite};
pub use duties::{ClubDuties, Duty, DutyCount};
pub use entities::{Facts, misplaced};
pub use erasure::begin::{ERASURE_BEGINS_AFTER, OnlyOwner};
#[cfg(feature = "api")]
pub use event::listed::ListedEvent;
pub use event::model::{Event, EventText, EventType, Showing, Span};
pub use event::store::{EventListing, listed, segment_of};
pub use event::tickets::{Audience, TicketRules, TicketSale, TicketType};
pub use extension::model::Extension;
pub use file::model::{AnswerFile, FileState, Upload};
pub use form::conditions::Choices;
#[cfg(feature = "api")]
pub use form::memory::Forms;
pub use form::model::{Form, WholeForm};
pub use idempotency::model::{IdempotencyOutcome, IdempotencyRecord};
pub use image::Image;
pub use interview::calendar_revisions::CalendarPart;
pub use interview::mails::AppointmentMails;
#[cfg(feature = "api")]
pub use interview::memory::{ApplicationKey, BookedSlots, SeenSubmission, SlotCache};
pub use interview::model::Booking;
pub use interview::store::InterviewChange;
pub use invite::model::{AcceptanceMail, Invite};
pub use invite::store::InviteWrite;
pub use join_link::model::{JoinLink, LinkUse};
pub use joining::{Additions, NewMembership};
pub use mail::report::{MailReport, MailResult};
pub use mail::undelivered::Resent;
pub use member::clubs::NewOwner;
pub use member::model::{Membership, Role};
pub use outbox::model::{
    Appointment, AppointmentNews, CommunicatedDecision, Decision, InviteLink, Mail, RequestNews,
    SUPERSEDED,
};
pub use outbox::notice::{NewsItem, Notice, NoticeAbout, NoticeKind};
pub use outbox::state::{EmailStatus, MailId, MailKind, MailState, NoMailId, Report, Telling};
pub use outbox::ticket::{TicketLine, TicketMail, TicketNews};
pub use outbox::undelivered::{MailOwner, Undelivered};
pub use own::{Follower, OwnEntries};
pub use person::model::{Applicant, Creations, Person, PersonAddress, PersonWord, Personal};
pub use person::notices::{NewsRhythm, Notices};
pub use personal_data::PersonalData;
pub use question::model::{Choice, FileFormat, FileRule, Prompt, Question, QuestionType, ShowIf};
#[cfg(feature = "api")]
pub use reference::memory::{Entries, InMemory, ReferenceData};
pub use reference::model::{
    Badge, Fair, Major, ReferenceEntry, ReferenceKind, Registration, School, Tag, Year,
};
pub use request::model::MembershipRequest;
pub use request::store::JoinState;
pub use review::model::Review;
pub use review::store::GivenScore;
pub use slot::model::{Interviewer, OwnInterviews, Slot, SlotNote};
pub use slot::store::SlotChange;
pub use status::Status;
pub use submission::answers::{Answer, Answers, Attachment, StoredAnswer};
pub use submission::decide::DecisionWrite;
pub use submission::interview::Interview;
pub use submission::keys::SUBMISSION_PARTS;
pub use submission::lists::{ApplicationParts, References};
pub use submission::model::{
    Answered, Communicated, DecisionChange, Mailed, OldAndNew, RecentSubmission, RememberedKey,
    StatusChange, Submission, SubmissionAnswers, Visible,
};
pub use submission::store::{StoredSubmission, SubmissionQuery, Withdrawal};
pub use submission::submit::{CancelledInterview, WithdrawOutcome};
pub use task::model::{
    LOOKS_BACK, NoticeTimer, REMINDED_BEFORE, ScheduledTask, TaskKind, WebhookKey, hour_of,
};
pub use task::store::NEWS_AT_ONCE;
pub use ticket::draw::{
    DrawEntry, DrawResult, DrawResults, DrawShare, MOST_ENTRIES, RESULTS as DRAW_RESULTS,
    TicketDraw, entry_of,
};
pub use ticket::model::{
    Conflict, EndedCode, LOOKS_AFTER, QueuedTicket, Sale, Ticket, TicketCount, TicketId,
    TicketOrder, TicketOrders, TicketState,
};
pub use ticket::sale::Availability;
pub use ticket::store::{Beside, TicketChange};
pub use token::model::{Token, TokenScope};
pub use webhook::model::{
    Call, CallKind, Delivery, EncryptedSecret, Notification, OffReason, Webhook, WebhookRecipient,
};
