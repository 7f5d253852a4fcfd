//! The decision about a submission, as mails tell it too.

crate::text::enums::integer_enum! {
    /// The decision about a submission.
    Status {
        /// Not decided yet.
        Pending = 1,
        /// Rejected after the written application.
        RejectedWritten = 2,
        /// Rejected after the interview.
        RejectedInterview = 3,
        /// Accepted.
        Accepted = 4,
    }
}

impl Status {
    /// Returns whether it is a rejection, before or after an interview.
    pub fn is_rejection(self) -> bool {
        matches!(self, Self::RejectedWritten | Self::RejectedInterview)
    }
}
