//! The stored types. None of them is sent to a client: each resource has its own response types.

mod answers;
mod bookmark;
mod club;
mod code;
mod draft;
mod email;
pub(crate) mod enums;
mod event;
mod keyed;
mod lookup;
mod mail;
mod membership;
mod person;
mod recruitment;
mod review;
mod submission;
mod whole;

pub use answers::{Answer, Answers, StoredAnswer};
pub use bookmark::{Favorite, Subscription};
pub use club::{
    AcceptanceMail, Club, ClubProfile, ClubText, DailyCount, InvitationLog, Invite, JoinLink,
    LinkUse, MembershipRequest, Role, Window,
};
pub use code::ClubCode;
pub use draft::DraftAnswer;
pub use email::Email;
pub use event::{Event, EventText, EventType, Image, Showing, Span};
pub use keyed::{KeyedOutcome, KeyedRequest};
pub use lookup::{Badge, Fair, Lookup, LookupKind, Major, Registration, School, Tag, Year};
pub use mail::{
    Decision, EmailStatus, InviteLink, Mail, MailId, MailKind, MailLease, MailState, NoMailId,
    Report, Telling, ToldDecision,
};
pub use membership::Membership;
pub use person::{Creations, Person, PersonAddress, PersonWord, Personal};
pub use recruitment::{
    Application, ApplicationTexts, Choice, Committee, Extension, Form, Prompt, Question,
    QuestionType, WholeForm,
};
pub use review::Review;
pub use submission::{
    Applicant, DecisionChange, Mailed, OldAndNew, OwnPlace, RememberedKey, Status, Submission,
    Told, Withdrawal,
};
pub use whole::Whole;
