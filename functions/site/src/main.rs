//! The Lambda function `site`.

use std::sync::Arc;

use shared::db::Table;
use shared::lambda::{Error, log_as_json, ready, run_behind_gateway, sdk_config};
use shared::time::SystemClock;
use site::{Public, SiteConfig};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_as_json();
    let public_url = site::variable("PUBLIC_URL");
    let public_url = (!public_url.is_empty()).then_some(public_url);
    let config = SiteConfig::from_env()?;
    // The connection is opened by the first page that has a preview.
    let table = Table::connect(&sdk_config(), site::variable("TABLE_NAME"));
    let public = Public::new(
        table.clone(),
        Arc::new(SystemClock),
        config.media_url.clone(),
        config.time_zone.clone(),
    );
    run_behind_gateway(ready(site::routes(config, public), table), public_url).await
}
