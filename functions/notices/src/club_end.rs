//! Applications of a club that was archived end for their applicants (C22).

use shared::db::TableError;
use shared::domain::ScheduledTask;
use shared::endings::{cancel_interviews, tell_applicants};
use shared::mail::ApplicationEnd;
use shared::text::ClubCode;

use crate::timer::{Looked, Run, Timer};

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
        let club = self.table.club(code).await?;
        let Some(club) = club.filter(|club| club.archived && club.version == version) else {
            self.finish(entry, None, run.now).await?;
            return Ok(Looked::default());
        };
        let mut mails = 0;
        for whole in self.table.whole_forms(code).await? {
            if run.is_over() {
                let is_left = true;
                return Ok(Looked { mails, is_left });
            }
            let recruitment = (&club, &whole.form.application);
            cancel_interviews(&self.table, recruitment, run.now).await?;
            let end = ApplicationEnd::ClubClosed(version);
            mails += tell_applicants(&self.table, recruitment, end, run.now).await?;
        }
        self.finish(entry, None, run.now).await?;
        Ok(Looked::of(mails))
    }
}
