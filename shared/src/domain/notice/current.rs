//! Notices as they are when they are sent: what they say may have changed meanwhile (G2).

use crate::db::{Refusal, Table, TableError, Write};
use crate::domain::club::model::Club;
use crate::domain::extension::model::Extension;
use crate::domain::outbox::model::Mail;
use crate::domain::outbox::notice::NoticeKind;
use crate::domain::outbox::notice::{Notice, NoticeAbout};
use crate::domain::person::notices::NewsRhythm;
use crate::domain::slot::model::Slot;
use crate::domain::submission::model::Submission;
use crate::domain::ticket::model::{Ticket, TicketState};
use crate::domain::{person, slot, submission};
use crate::ids::{Id, of};
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Table {
    /// Returns the notice of a mail, with the end and the place as they are now. None if it helps
    /// nobody any more: what it is about is over, was removed or switched off, or the person may
    /// know that they were rejected. At most 2 rounds: 3 reads and 1 query, or 4 reads. Whether the
    /// person still wants it is checked when the mail is claimed.
    pub async fn notice_now(
        &self,
        mail: &Mail,
        now: Timestamp,
    ) -> Result<Option<Notice>, TableError> {
        let (Some(mut notice), Some(person)) = (mail.notice.clone(), mail.person) else {
            return Ok(None);
        };
        let is_right = match &mut notice.about {
            NoticeAbout::Draft {
                id,
                code: Some(code),
                end,
                ..
            } => {
                let last = self.end_of_draft((code, *id), person, mail.about, now);
                let last = last.await?;
                *end = last.unwrap_or(*end);
                last.is_some()
            }
            NoticeAbout::Interview {
                id,
                slot,
                end,
                location,
                ..
            } => {
                let submission_key = (*id, Id::new(mail.about));
                let slot = self.slot_if_booked(*slot, submission_key, now).await?;
                if let Some(slot) = &slot {
                    *end = slot.end;
                    location.clone_from(&slot.location);
                }
                slot.is_some()
            }
            NoticeAbout::Showing {
                showing, tickets, ..
            } => {
                let ids = tickets
                    .iter()
                    .filter_map(|id| Some((*showing, id.parse().ok()?)));
                let all = self.tickets(ids.collect::<Vec<_>>()).await?;
                let is_theirs =
                    |one: &Ticket| one.state == TicketState::Valid && one.person == Some(person);
                let sale = match all.iter().find(|one| is_theirs(one)) {
                    Some(ticket) => self.sale(ticket.event, *showing).await?,
                    None => None,
                };
                let start = mail.sequence;
                sale.is_some_and(|sale| {
                    !sale.cancelled && sale.showing.start.epoch_seconds().unsigned_abs() == start
                })
            }
            // A reminder that an earlier release made does not name the club.
            NoticeAbout::Draft { code: None, .. } | NoticeAbout::News { .. } => true,
        };
        Ok(Some(notice).filter(|notice| is_right && !notice.is_late(now)))
    }

    /// Returns until when a draft can be submitted; none if it is not there any more, or if its
    /// application takes no submissions. `about` is the id of the submission that it would become.
    async fn end_of_draft(
        &self,
        (code, id): (&ClubCode, Id<of::Application>),
        person: Id<of::Person>,
        about: u64,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, TableError> {
        let (club, application, extension) = futures::try_join!(
            self.open_club(code),
            self.application(code, id),
            self.extension(id, Extension::id_of(id, person))
        )?;
        // Nobody but its members sees a club that is not approved.
        let club = club.filter(|club| club.approved == Some(true));
        let active = application.filter(|application| application.is_active);
        let Some(application) = club.and(active) else {
            return Ok(None);
        };
        let committees = application.committees.iter().map(|one| Some(one.id));
        let mut all = committees.chain([None]);
        let submission_key = Id::new(about);
        let committee = all.find(|one| Submission::id_of(id, person, *one) == submission_key);
        // None is found if the committee was removed.
        let is_there = match committee {
            Some(committee) => self.has_draft((id, person), committee, now).await?,
            None => false,
        };
        let own = extension.map_or(application.end, |extension| extension.end);
        Ok(is_there.then(|| own.max(application.end)))
    }

    /// Returns a slot in which a submission is interviewed; none if that will not happen: the club
    /// is archived, or the applicant may know that they were rejected.
    async fn slot_if_booked(
        &self,
        slot: Id<of::Slot>,
        (application, submission): (Id<of::Application>, Id<of::Submission>),
        now: Timestamp,
    ) -> Result<Option<Slot>, TableError> {
        let Some(slot) = self.slot(application, slot).await? else {
            return Ok(None);
        };
        let (club, application, submission) = futures::try_join!(
            self.open_club(&slot.club),
            self.application(&slot.club, application),
            self.submission(application, submission)
        )?;
        let booked = club.and(application).zip(submission);
        let is_theirs = booked.is_some_and(|(application, submission)| {
            !submission.is_interview_over(&application, now.moment())
        });
        Ok(is_theirs.then_some(slot))
    }

    async fn open_club(&self, code: &ClubCode) -> Result<Option<Club>, TableError> {
        Ok(self.club(code).await?.filter(|club| !club.archived))
    }
}

/// Returns the conditions under which a notice is still right: the person wants it, and the draft
/// was not submitted, or the interview is booked and at the same time.
pub(crate) fn still_true(mail: &Mail) -> Vec<Write> {
    let Some((notice, person)) = mail.notice.as_ref().zip(mail.person) else {
        return vec![];
    };
    let requested = Write::check(person::keys::profile(person))
        .if_equals("created_at", &notice.since)
        .if_equals("erasing", &false);
    let requested = match notice.kind {
        NoticeKind::Drafts => requested.if_absent_or_equals("notices.drafts", &true),
        NoticeKind::Interviews => requested.if_absent_or_equals("notices.interviews", &true),
        NoticeKind::Events => requested.if_absent_or_equals("notices.events", &true),
        NoticeKind::News => requested.if_equals("notices.news", &NewsRhythm::Weekly),
    };
    let object = match &notice.about {
        NoticeAbout::Interview {
            id, slot, start, ..
        } => Some(
            Write::check(slot::keys::slot(*id, *slot))
                .if_equals("start", start)
                .if_none("deleted")
                .if_there(&format!("seats.{}", mail.about)),
        ),
        // A submission has a status. What a withdrawal leaves has none.
        NoticeAbout::Draft { id, .. } => Some(
            Write::check(submission::keys::submission(*id, Id::new(mail.about))).if_none("status"),
        ),
        NoticeAbout::News { .. } | NoticeAbout::Showing { .. } => None,
    };
    let all = std::iter::once(requested).chain(object);
    all.map(|check| check.or(Refusal::Superseded)).collect()
}
