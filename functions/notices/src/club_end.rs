//! Applications of a club that was archived end for their applicants (C22).

use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::{Club, Event, ScheduledTask};
use shared::endings::{cancel_interviews, tell_applicants};
use shared::ids::{Id, of};
use shared::mail::ApplicationEnd;
use shared::text::ClubCode;
use shared::time::Timestamp;

use crate::timer::{Looked, Run, Timer};

/// When what could not be done is tried again.
const AGAIN_AFTER: TimeDelta = TimeDelta::minutes(10);

impl Timer {
    /// Cancels the interviews of an archived club, and tells its applicants. A club that was
    /// restored meanwhile goes on, and so does one that was archived again, with an entry of its
    /// own.
    pub(crate) async fn end_club(
        &self,
        entry: &ScheduledTask,
        (code, version): (&ClubCode, u64),
        run: &Run,
    ) -> Result<Looked, TableError> {
        let (mut mails, mut again) = (0, None);
        self.end_tickets((code, version), run.now).await?;
        for application in self.table.application_ids(code).await? {
            if run.is_over() {
                let is_left = true;
                return Ok(Looked { mails, is_left });
            }
            // Each time: it may be restored at this moment.
            let club = self.table.club(code).await?;
            let Some(club) = club.filter(|club| club.archived && club.version == version) else {
                break;
            };
            // An application that cannot be read does not keep the others waiting.
            match self.end_application(&club, application, run.now).await {
                Ok(queued) => mails += queued,
                Err(error) => {
                    tracing::error!(%error, "an application of a closed club was not ended");
                    again = Some(run.now.plus(AGAIN_AFTER));
                }
            }
        }
        self.finish(entry, again, run.now).await?;
        Ok(Looked::of(mails))
    }

    /// Has the coming tickets of an archived club cancelled (Y7).
    async fn end_tickets(
        &self,
        (code, version): (&ClubCode, u64),
        now: Timestamp,
    ) -> Result<(), TableError> {
        let club = self.table.club(code).await?;
        if !club.is_some_and(|club| club.archived && club.version == version) {
            return Ok(());
        }
        let events = self.table.events(code).await?;
        let with_types = events.iter().flat_map(Event::sales).collect();
        for sale in self.table.sales(with_types).await? {
            if !sale.is_over(now) {
                self.table.file_task(&sale.task_at(now, now)).await?;
            }
        }
        Ok(())
    }

    async fn end_application(
        &self,
        club: &Club,
        application: Id<of::Application>,
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let Some(application) = self.table.application(&club.code, application).await? else {
            return Ok(0);
        };
        let recruitment = (club, &application);
        cancel_interviews(&self.table, recruitment, now).await?;
        let end = ApplicationEnd::ClubClosed(club.version);
        tell_applicants(&self.table, recruitment, end, now).await
    }
}
