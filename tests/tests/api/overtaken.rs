//! Requests that somebody overtakes: a deletion, a revocation, an import

use chrono::TimeDelta;
use serde_json::json;
use tests::suspended::Suspended;

// proves X7
#[tokio::test(start_paused = true)]
async fn a_deletion_goes_on_after_a_change_at_the_same_moment() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    suspended.stop_write("\"deleted\"");
    let (deleted, ()) = futures::join!(recruitment.officer.delete(&recruitment.path), async {
        suspended.stopped().await;
        let name = json!({ "name": "Winter" });
        recruitment
            .officer
            .patch(&recruitment.path, name)
            .await
            .ok();
        suspended.go();
    });
    deleted.no_content();
    recruitment.officer.get(&recruitment.path).await.error(404);
}

// proves X8, I6
#[tokio::test(start_paused = true)]
async fn late_revocation_spares_newer_invite() {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let (path, body) = (
        "/api/clubs/chess/invites/",
        json!({ "email": "ina@uni.example" }),
    );
    let first = ada.post(path, body.clone()).await.created();
    let one = format!("{path}{}/", first["id"].as_str().expect("an id"));
    suspended.stop_write("INVITE#");
    let (late, ()) = futures::join!(ada.delete(&one), async {
        suspended.stopped().await;
        ada.delete(&one).await.no_content();
        campus.advance(TimeDelta::minutes(11));
        ada.post(path, body).await.created();
        suspended.go();
    });
    late.error(404);
    let left = ada.get(path).await.ok();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
}

// proves H35, B2
#[tokio::test(start_paused = true)]
async fn officer_removed_during_import_learns_what_was_stored() {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let bob = campus.member("chess", &ada, "bob", 10).await;
    let mut rows = vec![];
    for n in 0..30 {
        let name = format!("s{n:02}");
        campus.as_(&name).get("/api/settings/").await.ok();
        rows.push(json!({ "email": format!("{name}@uni.example") }));
    }
    suspended.stop_write("s25@uni.example");
    let path = "/api/clubs/chess/members/import/";
    let (imported, ()) = futures::join!(bob.post(path, json!(rows)), async {
        suspended.stopped().await;
        let member = json!({ "role": 20 });
        let one = "/api/clubs/chess/members/bob/";
        ada.patch(one, member).await.ok();
        suspended.go();
    });
    let imported = imported.ok();
    assert_eq!(imported["created"], 20, "{imported}");
    assert_eq!(imported["errors"].as_array().map(Vec::len), Some(10));
    let members = ada.get("/api/clubs/chess/members/").await.ok();
    assert_eq!(members.as_array().map(Vec::len), Some(22));
    // Who may nothing any more, and has stored nothing, is told just that.
    bob.post(path, json!(rows)).await.error(403);
}
