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

/// The errors of a 400, each with the reasons that belong to its messages.
fn reasons(response: &Response) -> serde_json::Value {
    assert_eq!(response.status, 400);
    let body = response.json();
    for (field, messages) in body["errors"].as_object().expect("errors") {
        let reasons = &body["reasons"][field];
        assert_eq!(
            messages.as_array().map(Vec::len),
            reasons.as_array().map(Vec::len),
            "{field}"
        );
    }
    assert_eq!(
        body["errors"].as_object().map(serde_json::Map::len),
        body["reasons"].as_object().map(serde_json::Map::len)
    );
    body["reasons"].clone()
}

// proves H6
#[tokio::test]
async fn every_wrong_field_has_its_reasons() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let ada = &recruitment.officer;
    let body = json!({
        "name": "x".repeat(256), "description": 7, "tags": [999], "email": null,
    });
    let response = ada.patch("/api/clubs/chess/", body).await;
    assert_eq!(
        reasons(&response),
        json!({
            "name": [{ "code": "too_long", "limit": 255 }],
            "description": [{ "code": "not_text" }],
            "tags": [{ "code": "unknown_entry", "id": 999 }],
            "email": [{ "code": "null" }],
        })
    );
    let first = json!({ "code": "not_text" });
    assert_eq!(response.json()["reason"], first);

    let path = &recruitment.path;
    let body = json!({
        "application_end_time": "soon", "committees": [{ "id": "x" }], "interview_notice_hours": -1,
        "rejection_email": "{{ nmae }}",
    });
    assert_eq!(
        reasons(&ada.patch(path, body).await),
        json!({
            "application_end_time": [{ "code": "not_time" }],
            "committees.0.id": [{ "code": "not_number" }],
            "interview_notice_hours": [{ "code": "out_of_range", "minimum": 0, "limit": 168 }],
            "rejection_email": [{
                "code": "unknown_variable", "value": "nmae",
                "allowed": [
                    "name", "full_name", "reason", "committee", "committees", "club", "application",
                ],
            }],
        })
    );
    let body = json!({ "application_end_time": "2020-01-01T00:00:00Z" });
    assert_eq!(
        reasons(&ada.patch(path, body).await),
        json!({ "application_end_time": [{ "code": "before", "field": "application_start_time" }] })
    );
    let body = json!({ "question_type": 9, "prompt": " ", "multiple_choice": [7] });
    assert_eq!(
        reasons(&ada.post(&format!("{path}questions/"), body).await),
        json!({
            "question_type": [{ "code": "not_allowed", "allowed": ["1", "2", "3", "4", "5"] }],
            "prompt": [{ "code": "blank" }],
            "multiple_choice.0": [{ "code": "not_option" }],
        })
    );
    // What is not about a field has one reason; what its code says has none.
    let refused = recruitment.send(
        "acceptance",
        json!({ "require_all_decided": true, "nmae": 1 }),
    );
    assert_eq!(
        reasons(&refused.await),
        json!({ "nmae": [{ "code": "unknown_field" }] })
    );
    let admin = campus.admin();
    let rows = json!([{ "tags": ["Sports"] }]);
    let imported = admin.post("/api/clubs/import/", rows).await.ok();
    let row = &imported["errors"][0];
    assert_eq!(row["reason"], json!({ "code": "no_name" }));
    let deleted = campus.as_("sue").get("/api/clubs/nothing/").await.json();
    assert_eq!(
        (&deleted["reason"], &deleted["reasons"]),
        (&json!(null), &json!(null))
    );
    let last = ada.delete("/api/settings/").await.json();
    assert_eq!(
        last["reason"],
        json!({ "code": "only_owner", "value": "chess" })
    );
}
