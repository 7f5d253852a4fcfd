//! The rows of applications, submissions, interviews and mails, and of what is for all.

use super::ChartRow;

pub(super) const ROWS: &[ChartRow] = &[
    [
        "Application",
        "APPLICATIONS#<club>",
        "<application>",
        "",
        "An application with its committees. Its version also tells changes of its questions.",
    ],
    [
        "Question",
        "APPLICATIONS#<club>",
        "<application>#QUESTION#<question>",
        "",
        "The current version of a question, in the same partition as its application.",
    ],
    [
        "Prompt",
        "PROMPTS#<application>",
        "<question>#<version>",
        "",
        "The text of a question when it was answered. It never changes.",
    ],
    [
        "Slot",
        "SLOTS#<application>",
        "SLOT#<slot>",
        "",
        "A time for interviews, with the submissions that have booked it.",
    ],
    [
        "SlotNote",
        "SLOTS#<application>",
        "NOTE#<slot>",
        "",
        "What officers note about a slot. A booking does not write it again.",
    ],
    [
        "Extension",
        "EXTENSIONS#<application>",
        "<extension>",
        "USER#<person> / EXTENSION#<application>",
        "A later end of an application for one person.",
    ],
    [
        "Draft",
        "DRAFTS#<application>#<part>",
        "<person>#<committee>#<question>",
        "USER#<person> / <DRAFT or REMOVED>#<application>#<committee>#<question>",
        "One answer of a draft. It has a TTL. A removed one keeps its version.",
    ],
    [
        "Submission",
        "SUBMISSIONS#<application>#<part>",
        "<submission>",
        "USER#<person> / SUBMISSION#<submission>",
        "A submission: applicant, decision and mail state.",
    ],
    [
        "Answers",
        "ANSWERS#<application>#<part>",
        "<submission>#<number of the request>",
        "",
        "The answers of one revision. They count if the submission has their number.",
    ],
    [
        "Attachment",
        "ANSWERS#<application>#<part>",
        "<submission>#<at>#<file>",
        "USER#<person> / ATTACHMENT#<submission>#<at>#<file>",
        "Says that a submission may have a copy of a file in the bucket. Stored before the copy is \
            made, and removed after it was deleted.",
    ],
    [
        "Withdrawal",
        "SUBMISSIONS#<application>#<part>",
        "<submission>",
        "USER#<person> / SUBMISSION#<submission>",
        "A withdrawn submission. Only a few attributes remain, and the person until an erasure.",
    ],
    [
        "Review",
        "REVIEWS#<application>",
        "<submission>#<review>",
        "USER#<person> / REVIEW#<review>",
        "What an officer thinks of a submission. The submission has its score too.",
    ],
    [
        "Change",
        "HISTORY#<application>",
        "<submission>#<change>",
        "",
        "A change of a decision that its submission does not keep: who changed what, and when.",
    ],
    [
        "Mail",
        "OUTBOX#<about>",
        "<sequence>#<kind>#<attempt>",
        "USER#<person> / MAIL#<about>#<sequence>",
        "A mail of the outbox: to be sent, being sent, or sent. It has a TTL. In the index, \
            invitations are under ADDRESS#<address>.",
    ],
    [
        "LinkUse",
        "CLUB#<code>",
        "JOINED#<link>#<person>",
        "USER#<person> / JOINED#<link>",
        "That a person joined with a link. Joining again does not use the link up.",
    ],
    [
        "DeletedApplication",
        "DELETED#<application>",
        "APPLICATION",
        "",
        "What remains of a deleted application: receipts of its submissions are `erased`.",
    ],
    [
        "Tombstone",
        "<partition>",
        "<key>",
        "",
        "Stands for a day in the place of an item that was deleted, such as a submission or an \
            upload, so that a write that arrives late does not bring it back.",
    ],
    [
        "ScheduledTask",
        "DUE#<hour>",
        "<kind>#<id>",
        "",
        "Tells the timer to look at the drafts of an application, the bookings of a slot, an \
            upload, or the news of a person.",
    ],
    [
        "BegunDraft",
        "BEGUN#<application>",
        "<person>#<committee>",
        "",
        "When a draft was begun, for its reminder.",
    ],
    [
        "NoticeTimer",
        "NOTICES",
        "TIMER",
        "",
        "The hour up to which everything that was due is done.",
    ],
];
