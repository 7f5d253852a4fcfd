//! `/settings/export/`: what is stored about a person, and nothing about others

use serde_json::{Value, json};
use tests::fixtures::hours;
use tests::{Client, TestCampus};

use crate::erasure::sue;

// Their address changed after they were invited (P13, P14).
// proves P13, P14
#[tokio::test(start_paused = true)]
async fn an_invite_to_a_former_address_is_exported_and_erased() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let at = |name: &str, address: &str| {
        campus.client(&json!({ "email": address, "name": "A Name" }), name)
    };
    let club = async |name: &str| {
        campus.club(name, &ada).await;
        format!("/api/clubs/{name}/invites/")
    };
    let (chess, go) = (club("chess").await, club("go").await);
    at("sue", "Old@uni.example")
        .get("/api/settings/")
        .await
        .ok();
    at("bob", "b@uni.example").get("/api/settings/").await.ok();
    for (path, email) in [(&chess, "old@uni.example"), (&go, "b@uni.example")] {
        ada.post(path, json!({ "email": email })).await.created();
    }
    campus.deliver().await;
    // Bob's first address is given to somebody else.
    let sue = at("sue", "new@uni.example");
    let bob = at("bob", "bob@uni.example");
    for client in [&sue, &bob, &at("cat", "b@uni.example")] {
        client.get("/api/settings/").await.ok();
    }
    let export = async |client: &Client| client.get("/api/settings/export/").await.ok();
    let all = export(&sue).await;
    assert_eq!(all["former_emails"], json!(["old@uni.example"]));
    assert_eq!(all["invites"][0]["club_code"], "chess");
    assert_eq!(export(&bob).await["invites"], json!([]));
    for client in [&sue, &bob] {
        campus.erase(client).await;
    }
    assert_eq!(ada.get(&chess).await.ok(), json!([]));
    assert!(
        !json!(campus.stored())
            .to_string()
            .contains("old@uni.example")
    );
    assert_eq!(ada.get(&go).await.ok().as_array().map(Vec::len), Some(1));
}

// proves P13
#[tokio::test(start_paused = true)]
async fn the_export_has_everything_but_what_is_not_released() {
    let (campus, recruitment, sue, _) = sue().await;
    let all = sue.get("/api/settings/export/").await.ok();
    assert_eq!(
        (&all["profile"]["name"], &all["profile"]["graduation_year"]),
        (&json!("Planted Name"), &json!(2031))
    );
    assert_eq!(
        (
            &all["memberships"][0]["club_code"],
            &all["memberships"][0]["member"]["title"]
        ),
        (&json!("chess"), &json!("Planted title"))
    );
    assert_eq!(all["requests"][0]["club"], "go");
    let mut favorites: Vec<&str> = all["favorites"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item["club_code"].as_str())
        .collect();
    favorites.sort_unstable();
    assert_eq!(
        (favorites, &all["subscriptions"][0]["club_code"]),
        (vec!["chess", "go"], &json!("chess"))
    );
    assert!(
        all["profile"]["school"][0].is_u64() && all["requests"][0]["school"][0]["name"] == "Law"
    );
    assert_eq!(
        (
            &all["invites"][0]["club_code"],
            &all["invites"][0]["invite"]["email"]
        ),
        (&json!("bridge"), &json!("planted@uni.example"))
    );
    assert_eq!(all["extensions"][0]["end_time"], hours(30));
    let subjects: Vec<&str> = all["mails"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|mail| mail["subject"].as_str())
        .collect();
    assert_eq!(subjects, ["Welcome to chess", "Invitation to join bridge"]);
    let statuses: Vec<&Value> = all["submissions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|s| &s["status"])
        .collect();
    assert_eq!(statuses, [1, 1]);
    assert!(
        !all.to_string().contains("Planted reason"),
        "not before its time: {all}"
    );
    campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    let all = sue.get("/api/settings/export/").await.ok();
    assert!(all["mails"].to_string().contains("Planted reason"));
    let other = campus.as_("bob").get("/api/settings/export/").await.text();
    assert!(!other.to_lowercase().contains("planted"), "{other}");
}

// proves P13
#[tokio::test(start_paused = true)]
async fn an_unsent_acceptance_leaves_no_trace_in_the_export() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let before = sue.get("/api/settings/export/").await.ok();
    recruitment.decide(&submission, 4, "Because.").await;
    // The mail is queued, but no worker sends it.
    let send = format!("{}send_emails/", recruitment.path);
    let _ = tokio::time::timeout(
        std::time::Duration::from_millis(50),
        recruitment
            .officer
            .post(&send, json!({ "email_type": { "id": "acceptance" } })),
    )
    .await;
    assert!(
        json!(campus.stored()).to_string().contains("INVITE#"),
        "the invite is there"
    );
    assert_eq!(sue.get("/api/settings/export/").await.ok(), before);
}

// proves P13
#[tokio::test]
async fn withdrawals_and_used_join_links_are_exported() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let own = format!("/api/submissions/{}/", submission["id"]);
    sue.delete(&own).await.no_content();
    let links = "/api/clubs/chess/joinlinks/";
    let link = recruitment.officer.post(links, json!({})).await.created();
    let token = crate::joinlinks::token(&link);
    let joined = crate::joinlinks::join(&sue, &link, &token).await.ok();
    let member = format!("/api/clubs/chess/members/{}/", joined["id"]);
    sue.delete(&member).await.no_content();
    let all = sue.get("/api/settings/export/").await.ok();
    let used = json!([{ "club_code": "chess", "link": link["id"] }]);
    assert_eq!(all["join_links"], used);
    let withdrawn = &all["withdrawals"][0];
    assert_eq!(withdrawn["application"], recruitment.application["id"]);
}
