//! What the local service has beside the API, for use of the emulated cloud by hand.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use local::issuer::Subject;
use serde_json::json;

use crate::Cloud;

/// The paths for tokens and mails of the local service, so that the same commands work here.
pub fn conveniences(cloud: &Arc<Cloud>) -> Router {
    let (tokens, mails) = (cloud.clone(), cloud.clone());
    let token = post(async move |body: String| {
        let subject: Subject = serde_json::from_str(&body).unwrap_or_default();
        axum::Json(json!({
            "access_token": tokens.token(&subject).unwrap_or_default(),
            "token_type": "Bearer",
        }))
    });
    let mail = get(async move || {
        let mails = mails.services.mails().await.unwrap_or_default();
        let text = |(to, subject, html): (String, String, String)| {
            format!(
                "{{\"to\":{},\"subject\":{},\"html\":{}}}",
                json!(to),
                json!(subject),
                json!(html)
            )
        };
        format!(
            "[{}]",
            mails.into_iter().map(text).collect::<Vec<_>>().join(",")
        )
    });
    Router::new()
        .route("/dev/local/token", token.clone())
        .route("/dev/local/token/", token)
        .route("/dev/local/mail.json", mail)
}
