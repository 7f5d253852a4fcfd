//! People who asked for it are erased (P17).

use futures::FutureExt as _;
use shared::db::TableError;
use shared::domain::ScheduledTask;
use shared::ids::{Id, of};
use shared::time::Timestamp;

use crate::timer::Timer;

impl Timer {
    /// Erases a person whose profile of this time is flagged. What fails stays for the next run.
    pub(crate) async fn erase(
        &self,
        entry: &ScheduledTask,
        of: (Id<of::Person>, Timestamp),
        now: Timestamp,
    ) -> Result<(), TableError> {
        self.table.erase(of, now.moment()).boxed().await?;
        self.finish(entry, None, now).await
    }
}
