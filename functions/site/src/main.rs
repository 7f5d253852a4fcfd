//! The Lambda function `site`.

use shared::lambda::{Error, log_as_json, run_behind_gateway};
use site::SiteConfig;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_as_json();
    let public_url = site::variable("PUBLIC_URL");
    let public_url = (!public_url.is_empty()).then_some(public_url);
    run_behind_gateway(site::routes(SiteConfig::from_env()?), public_url).await
}
