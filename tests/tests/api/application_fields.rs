//! The fields of an application: defaults, limits, who sees them, and changes at the same moment

use serde_json::{Value, json};
use tests::fixtures::{application, hours};
use tests::{Setup, TestCampus};

// proves H21, A2
#[tokio::test]
async fn defaults_and_required_fields() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = "/api/clubs/chess/applications/";
    ada.post(path, json!({})).await.invalid(&[
        "name",
        "application_start_time",
        "application_end_time",
        "result_release_time",
    ]);
    let minimal = json!({
        "name": "Fall",
        "application_start_time": hours(0),
        "application_end_time": hours(1),
        "result_release_time": hours(2),
    });
    let created = ada.post(path, minimal).await.created();
    assert_eq!(created["is_active"], false);
    assert_eq!(created["description"], "");
    assert_eq!(created["external_url"], Value::Null);
    assert_eq!(created["committees"], json!([]));
}

// proves H6, H8, H15, H16, H17, H20, H21, A3, A5, E4
#[tokio::test]
async fn wrong_fields_are_all_named() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = "/api/clubs/chess/applications/";
    let bad = |field: &'static str, value: Value| {
        let mut body = application("Fall");
        body[field] = value;
        let ada = ada.clone();
        async move { ada.post(path, body).await.invalid(&[field]) }
    };
    bad("name", json!(" ")).await;
    bad("name", json!("x".repeat(256))).await;
    bad("name", json!(7)).await;
    bad("name", json!(null)).await;
    bad("description", json!("x".repeat(50_001))).await;
    bad("description", json!("漢".repeat(40_000))).await;
    bad("application_start_time", json!("2026-11-21T09:00:00")).await;
    bad("application_end_time", json!(hours(-2))).await;
    bad("result_release_time", json!(hours(23))).await;
    bad("is_active", json!("yes")).await;
    bad("external_url", json!("javascript:alert(1)")).await;
    bad(
        "external_url",
        json!(format!("https://x.example/{}", "a".repeat(2_048))),
    )
    .await;
    bad("acceptance_email", json!("{{ password }}")).await;
    bad("rejection_email", json!("{% for a in b %}{% endfor %}")).await;
    bad("committees", json!(vec![json!({ "name": "x" }); 51])).await;
    ada.post(path, json!({ "name": 1, "is_active": 2 }))
        .await
        .invalid(&[
            "name",
            "is_active",
            "application_start_time",
            "application_end_time",
            "result_release_time",
        ]);
    assert_eq!(ada.get(path).await.ok(), json!([]), "nothing is stored");
}

// proves H16, H17
#[tokio::test]
async fn texts_at_their_limits_are_taken() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let mut body = application(&"é".repeat(255));
    for field in ["description", "acceptance_email", "rejection_email"] {
        body[field] = json!("é".repeat(50_000));
    }
    let created = ada
        .post("/api/clubs/chess/applications/", body)
        .await
        .created();
    assert_eq!(
        created["description"]
            .as_str()
            .map(|text| text.chars().count()),
        Some(50_000)
    );
}

// proves H14, A3
#[tokio::test]
async fn patch_changes_what_is_sent_and_checks_the_whole() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let changed = recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "name": "Spring", "id": 1, "club": "other", "nonsense": true }),
        )
        .await
        .ok();
    assert_eq!(changed["name"], "Spring");
    assert_eq!(changed["id"], recruitment.application["id"]);
    assert_eq!(changed["club"], "chess");
    assert_eq!(
        changed["application_end_time"],
        recruitment.application["application_end_time"]
    );
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "application_start_time": hours(30) }),
        )
        .await
        .invalid(&["application_end_time"]);
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "name": null }))
        .await
        .invalid(&["name"]);
    let url = recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "external_url": "http://x.example" }),
        )
        .await
        .ok();
    assert_eq!(url["external_url"], "http://x.example");
    assert_eq!(
        recruitment
            .officer
            .patch(&recruitment.path, json!({ "external_url": null }))
            .await
            .ok()["external_url"],
        Value::Null
    );
}

// proves H13
#[tokio::test]
async fn put_wants_every_field_and_takes_what_get_gave() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .put(&recruitment.path, json!({ "name": "x" }))
        .await
        .invalid(&[
            "description",
            "application_start_time",
            "application_end_time",
            "result_release_time",
            "is_active",
            "external_url",
            "acceptance_email",
            "rejection_email",
            "committees",
        ]);
    let got = recruitment.officer.get(&recruitment.path).await.ok();
    assert_eq!(
        recruitment
            .officer
            .put(&recruitment.path, got.clone())
            .await
            .ok(),
        got
    );
}

// proves A2
#[tokio::test]
async fn templates_are_for_officers() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .patch(
            &recruitment.path,
            json!({ "acceptance_email": "secret template" }),
        )
        .await
        .ok();
    let sue = campus.as_("sue");
    for path in [
        recruitment.path.as_str(),
        "/api/clubs/chess/applications/current/",
    ] {
        let text = sue.get(path).await;
        assert!(!text.text().contains("secret template"));
        assert!(text.text().contains("\"acceptance_email\":null"));
    }
    assert_eq!(
        recruitment.officer.get(&recruitment.path).await.ok()["acceptance_email"],
        "secret template"
    );
    assert_eq!(
        campus.admin().get(&recruitment.path).await.ok()["acceptance_email"],
        "secret template"
    );
}

// The texts are an item of their own. If a write did not name the texts that it was made for, the
// officer whose form was read before the other one's change would bring the old text back.
// proves X7
#[tokio::test(start_paused = true)]
async fn officers_who_change_different_texts_at_once_lose_none() {
    let campus = Setup::default().latency(5).build();
    let recruitment = campus.recruitment("chess").await;
    let change = |field: &'static str, text: &'static str| {
        let (officer, path) = (recruitment.officer.clone(), recruitment.path.clone());
        async move { officer.patch(&path, json!({ field: text })).await.ok() }
    };
    for round in ["<p>one</p>", "<p>two</p>"] {
        futures::join!(
            change("description", round),
            change("acceptance_email", round),
            change("rejection_email", round),
            change("name", "Spring"),
        );
        let now = recruitment.officer.get(&recruitment.path).await.ok();
        for field in ["description", "acceptance_email", "rejection_email"] {
            assert_eq!(now[field], round, "{field}");
        }
        assert_eq!(now["name"], "Spring");
    }
}

// proves A5, A12
#[tokio::test]
async fn a_request_that_the_quota_refuses_removes_no_committee() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let over = json!({
        "application_start_time": hours(-9), "application_end_time": hours(-8),
        "result_release_time": hours(90),
    });
    recruitment
        .officer
        .patch(&recruitment.path, over)
        .await
        .ok();
    let path = format!("/api/clubs/{}/applications/", recruitment.club);
    for n in 0..50 {
        let body = application(&format!("Application {n}"));
        recruitment.officer.post(&path, body).await.created();
    }
    let before = recruitment.officer.get(&recruitment.path).await.ok();
    let body = json!({ "application_end_time": hours(30), "committees": [] });
    let refused = recruitment.officer.patch(&recruitment.path, body).await;
    assert_eq!(refused.json()["code"], "quota");
    assert_eq!(
        recruitment.officer.get(&recruitment.path).await.ok(),
        before
    );
    assert_ne!(before["committees"], json!([]));
}

// proves A5
#[tokio::test]
async fn renamed_committee_frees_its_name() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let old = &recruitment.application["committees"][0];
    let body = json!({ "committees": [
        { "id": old["id"], "name": "Renamed" }, { "name": old["name"] },
    ]});
    let changed = recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    let [first, second] = &changed["committees"].as_array().expect("committees")[..] else {
        panic!("{changed}")
    };
    assert_eq!(
        (&first["id"], &first["name"]),
        (&old["id"], &json!("Renamed"))
    );
    assert_eq!(second["name"], old["name"]);
    assert_ne!(second["id"], old["id"]);
}
