//! The word for programs that every error carries

use http::Method;
use serde_json::json;
use tests::{Response, TestCampus};

/// The status and the code of an answer.
fn code(response: &Response) -> (u16, String) {
    (
        response.status.as_u16(),
        response.json()["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    )
}

// proves H6, H7, P2
#[tokio::test]
async fn every_error_carries_a_code() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (ada, anybody) = (&recruitment.officer, campus.anonymous());
    let sue = campus.as_("sue");
    for (response, expected) in [
        (
            anybody.get("/api/settings/").await,
            (401, "authentication_required"),
        ),
        (
            campus.with_token("x").get("/api/clubs/").await,
            (401, "invalid_token"),
        ),
        (
            sue.get("/api/clubs/chess/invites/").await,
            (403, "permission_denied"),
        ),
        (sue.get("/api/clubs/nothing/").await, (404, "not_found")),
        (sue.get("/api/nothing/").await, (404, "not_found")),
        (sue.get("/api/clubs/?page=99").await, (404, "not_found")),
        (
            anybody.delete("/api/clubs/").await,
            (405, "method_not_allowed"),
        ),
        (
            ada.clone()
                .header("if-match", "\"old\"")
                .patch("/api/clubs/chess/", json!({}))
                .await,
            (412, "precondition_failed"),
        ),
        (
            ada.raw(Method::POST, "/api/clubs/", Some("text/plain"), "x")
                .await,
            (415, "unsupported_media_type"),
        ),
        (
            ada.post("/api/clubs/", json!({ "name": "x".repeat(1_100_000) }))
                .await,
            (413, "payload_too_large"),
        ),
        (ada.post("/api/clubs/", json!({})).await, (400, "invalid")),
    ] {
        assert_eq!(code(&response), (expected.0, expected.1.to_owned()));
    }
}

// proves H7, A7, M9, R1
#[tokio::test]
async fn recognisable_errors_have_codes() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let ada = &recruitment.officer;
    let sue = campus.as_("sue");
    for (response, expected) in [
        (
            ada.delete("/api/clubs/chess/members/ada/").await,
            (400, "last_owner"),
        ),
        (
            ada.post("/api/requests/membership/", json!({ "club": "chess" }))
                .await,
            (400, "already_member"),
        ),
        (
            sue.post(
                "/api/clubs/chess/invites/e1/accept/",
                json!({ "token": "x" }),
            )
            .await,
            (400, "invite_unusable"),
        ),
    ] {
        assert_eq!(code(&response), (expected.0, expected.1.to_owned()));
    }
    recruitment.submit(&sue).await;
    assert_eq!(
        code(&ada.delete(&recruitment.path).await),
        (400, "in_use".to_owned())
    );
    assert_eq!(
        code(
            &ada.patch(&recruitment.path, json!({ "committees": [] }))
                .await
        )
        .0,
        200
    );
}
