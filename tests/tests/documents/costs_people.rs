//! Prices of clubs, members, requests and invites in special situations.

use serde_json::json;
use tests::fixtures::id;

use super::costs_rig::{Prices, Row, Witness};

/// Rows of clubs, their members, and those who look at them.
pub(super) async fn clubs_and_members(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let new = p.campus.as_("new");
    let note = "first request of a new person";
    p.get("show_settings", note, &new, "/api/settings/").await;
    let sue = p.campus.as_("sue");
    let person = sue.get("/api/settings/").await.ok();
    let keyed = sue.clone().header("idempotency-key", "k");
    for note in ["with an idempotency key", "with its key again"] {
        let body = json!({ "name": "Bridge" });
        p.row("create_club", note, &keyed, "/api/clubs/", body)
            .await;
    }
    let (all, anybody) = ("/api/clubs/?search=bridge", p.campus.anonymous());
    let note = "catalogue not in memory";
    p.get("list_clubs", note, &sue, "/api/clubs/").await;
    p.get("list_clubs", "anonymous", &anybody, all).await;
    let one = "/api/clubs/bridge/";
    p.get("show_club", "anonymous", &anybody, one).await;
    let ada = p.campus.as_("ada");
    p.campus.club("chess", &ada).await;
    p.campus.member("chess", &ada, "bob", 20).await;
    let members = "/api/clubs/chess/members/";
    let note = "who did not ask for it";
    let body = json!({ "person": person["id"] });
    let member = p.row("create_member", note, &ada, members, body).await;
    let one = format!("{members}{}/", id(&member));
    p.get("show_member", "by id", &ada, &one).await;
    let found = "/api/users/?search=test";
    p.get("list_users", "4 found", &ada, found).await;
    let found = "/api/users/?search=bob@uni.example";
    p.get("list_users", "exact address", &ada, found).await;
    p.rows
}

/// Rows of requests for membership and of invites.
pub(super) async fn requests_and_invites(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let ada = p.campus.as_("ada");
    p.campus.club("chess", &ada).await;
    p.campus.member("chess", &ada, "olga", 10).await;
    let rita = p.campus.as_("rita");
    rita.get("/api/settings/").await.ok();
    let requests = "/api/requests/membership/";
    let body = json!({ "club": "chess" });
    for note in ["2 officers to tell", "again"] {
        let body = body.clone();
        p.row("create_own_request", note, &rita, requests, body)
            .await;
    }
    let asked = "/api/clubs/chess/membershiprequests/";
    let request = ada.get(asked).await.ok();
    let one = format!("{asked}{}/", id(&request[0]));
    p.get("show_membership_request", "by id", &ada, &one).await;
    ada.delete(&one).await.no_content();
    let note = "officers were told";
    p.row("create_own_request", note, &rita, requests, body)
        .await;
    let hundred: Vec<String> = (0..100).map(|n| format!("person{n}@uni.example")).collect();
    let body = json!({ "emails": hundred.join(", ") });
    let invite = "/api/clubs/chess/invite/";
    p.row("create_invites", "100 addresses", &ada, invite, body)
        .await;
    p.rows
}
