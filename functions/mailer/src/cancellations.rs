//! The mails that cancel interviews which a decision mail ends without mentioning them (K9).

use shared::bookings::{BookingRelease, cancellation};
use shared::db::{Table, TableError};
use shared::domain::{EndedInterview, Mail};
use shared::time::Timestamp;

/// Returns the mails that cancel these interviews, which end with `mail`: 2 reads if there are any.
pub(crate) async fn cancellations(
    table: &Table,
    mail: &Mail,
    ended: &[EndedInterview],
    now: Timestamp,
) -> Result<Vec<Mail>, TableError> {
    let Some(decision) = mail.decision.as_ref().filter(|_| !ended.is_empty()) else {
        return Ok(vec![]);
    };
    let (club, application) = futures::try_join!(
        table.club(&decision.club),
        table.application(&decision.club, decision.application)
    )?;
    let Some((club, application)) = club.zip(application) else {
        return Ok(vec![]);
    };
    let mails = ended
        .iter()
        .filter_map(|EndedInterview { submission, slot }| {
            let booking_release = BookingRelease {
                recruitment: (&club, &application),
                slot,
                received: 0,
                over: true,
                now,
            };
            cancellation(submission, &booking_release)
        });
    Ok(mails.collect())
}
