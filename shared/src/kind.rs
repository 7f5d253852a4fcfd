//! The kinds of items in the table.

use strum::{EnumIter, EnumString, IntoEnumIterator as _, IntoStaticStr};

/// A kind of item: the value of its attribute `type`. What is true of each kind stands in
/// [`crate::domain::Facts`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, EnumString, IntoStaticStr,
)]
#[strum(const_into_str)]
#[allow(missing_docs, reason = "the facts say what each one is")]
pub enum Kind {
    Person,
    Creations,
    Word,
    Address,
    IdempotencyRecord,
    RecentSubmission,
    Upload,
    Token,
    Booking,
    AppointmentMails,
    OwnInterviews,
    Favorite,
    Subscription,
    Tag,
    Badge,
    School,
    Major,
    Year,
    YearUses,
    Fair,
    Registration,
    ClubChange,
    Webhook,
    Delivery,
    ChangeCount,
    RecordedChange,
    Name,
    Club,
    ApplicationTexts,
    ClubText,
    Version,
    Event,
    EventText,
    EventListing,
    EventClub,
    TicketSale,
    TicketCount,
    Ticket,
    QueuedTicket,
    TicketOrders,
    TicketDraw,
    DrawEntry,
    DrawResults,
    Membership,
    MembershipRequest,
    Invite,
    JoinLink,
    InvitationLog,
    Application,
    Question,
    Prompt,
    Slot,
    SlotNote,
    Extension,
    Draft,
    Submission,
    Answers,
    Attachment,
    Withdrawal,
    Review,
    Change,
    Mail,
    LinkUse,
    DeletedApplication,
    Tombstone,
    ScheduledTask,
    BegunDraft,
    NoticeTimer,
}

impl Kind {
    /// Returns all kinds, in the order of docs/table.md.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns its name, as items have it.
    pub const fn name(self) -> &'static str {
        self.into_str()
    }
}
