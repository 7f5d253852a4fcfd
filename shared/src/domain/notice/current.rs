//! Notices as they are when they are sent: what they say may have changed meanwhile (G2).

use crate::db::{Table, TableError};
use crate::domain::club::model::Club;
use crate::domain::extension::model::Extension;
use crate::domain::mail::model::Mail;
use crate::domain::notice::model::{Notice, NoticeAbout};
use crate::domain::submission::model::Submission;
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Table {
    /// Returns the notice of a mail with the end or the place of now; none if it helps nobody any
    /// more: what it is about is over, was removed or switched off, or the person may know that
    /// they were rejected. At most 3 reads, then 3 more or 1 query. Claiming the mail checks the
    /// rest.
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
                let (club, application, extension) = futures::try_join!(
                    self.open_club(code),
                    self.application(code, *id),
                    self.extension(*id, Extension::id_of(*id, person))
                )?;
                let active = application.filter(|application| application.is_active);
                match club.and(active) {
                    None => false,
                    Some(application) => {
                        let own = extension.map(|extension| extension.end);
                        *end = own.map_or(application.end, |own| own.max(application.end));
                        let place = Id::new(mail.about);
                        let all = application.committees.iter().map(|one| Some(one.id));
                        let mut all = all.chain([None]);
                        let found = all.find(|one| Submission::id_of(*id, person, *one) == place);
                        match found {
                            // The committee was removed.
                            None => false,
                            Some(one) => self.has_draft((*id, person), one, now).await?,
                        }
                    }
                }
            }
            NoticeAbout::Interview {
                id,
                slot,
                end,
                location,
                ..
            } => match self.slot(*id, *slot).await? {
                None => false,
                Some(slot) => {
                    *end = slot.end;
                    let (club, application, submission) = futures::try_join!(
                        self.open_club(&slot.club),
                        self.application(&slot.club, *id),
                        self.submission(*id, Id::new(mail.about))
                    )?;
                    location.clone_from(&slot.location);
                    let booked = application.zip(submission);
                    let goes_on = booked.is_some_and(|(application, submission)| {
                        !submission.is_interview_over(&application, now.moment())
                    });
                    club.is_some() && goes_on
                }
            },
            // A reminder that an earlier release made does not name the club.
            NoticeAbout::Draft { code: None, .. } | NoticeAbout::News { .. } => true,
        };
        Ok(Some(notice).filter(|notice| is_right && !notice.is_late(now)))
    }

    async fn open_club(&self, code: &ClubCode) -> Result<Option<Club>, TableError> {
        Ok(self.club(code).await?.filter(|club| !club.archived))
    }
}
