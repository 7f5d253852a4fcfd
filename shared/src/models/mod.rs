//! The stored types. None of them is sent to a client: each resource has its own response types.

mod bookmark;
mod club;
mod code;
mod email;
mod event;
mod keyed;
mod lookup;
mod mail;
mod person;
mod recruitment;
mod submission;

pub use bookmark::{Favorite, Subscription};
pub use club::{
    Club, ClubProfile, ClubText, InvitationLog, Invite, Membership, MembershipRequest, Role, Window,
};
pub use code::ClubCode;
pub use email::Email;
pub use event::{Event, EventType, Image, Showing, Span};
pub use keyed::{KeyedOutcome, KeyedRequest};
pub use lookup::{Badge, Fair, Lookup, LookupKind, Major, Registration, School, Tag, Year};
pub use mail::{
    Decision, EmailStatus, InviteLink, Mail, MailId, MailKind, MailLease, MailState, Report,
};
pub use person::{Creations, Person, PersonAddress, PersonWord, Personal};
pub use recruitment::{
    Application, Choice, Committee, Extension, Form, Prompt, Question, QuestionType,
};
pub use submission::{
    Answer, Applicant, DecisionChange, Mailed, OldAndNew, Status, Submission, Withdrawal,
};

/// Defines an enum for an integer code of the API. It is serialised as its number; unknown numbers
/// are refused.
macro_rules! integer_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $value:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$variant_meta])* $variant = $value),+ }

        impl $name {
            /// Returns the number used in the API.
            pub fn code(self) -> u8 {
                self as u8
            }
        }

        impl TryFrom<u64> for $name {
            type Error = String;

            fn try_from(code: u64) -> Result<Self, String> {
                match code {
                    $($value => Ok(Self::$variant),)+
                    _ => Err(format!("{code} is not one of {}.", [$(stringify!($value)),+].join(", "))),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u8(self.code())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u64::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::Integer)
                    .enum_values(Some([$($value),+]))
                    .into()
            }
        }

        #[cfg(feature = "api")]
        impl utoipa::ToSchema for $name {}
    };
}
use integer_enum;
