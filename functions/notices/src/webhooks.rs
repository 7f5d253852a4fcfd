//! Webhooks that fail for five days are switched off, also when nothing happens any more (Z10).

use shared::db::TableError;
use shared::domain::{OffReason, ScheduledTask, WebhookKey};
use shared::time::Timestamp;
use shared::webhook_off::switch_off;

use crate::timer::Timer;

impl Timer {
    /// Switches a webhook off that still fails, or looks again when it has failed for long enough.
    pub(crate) async fn look_at_webhook(
        &self,
        entry: &ScheduledTask,
        key: &WebhookKey,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let webhook = self.table.webhook(key).await?;
        let webhook = webhook.filter(|webhook| webhook.active);
        if webhook
            .as_ref()
            .is_some_and(|webhook| webhook.has_failed(now))
        {
            let site = &self.settings.addresses.site_url;
            switch_off(&self.table, key, OffReason::Failed, site, now).await?;
            return self.finish(entry, None, now).await;
        }
        let since = webhook.and_then(|webhook| webhook.failing_since);
        let again = since.map(|since| since.plus(shared::domain::Webhook::FAILS_FOR));
        self.finish(entry, again, now).await
    }
}
