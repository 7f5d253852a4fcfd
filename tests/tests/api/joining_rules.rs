//! How people come into a club: the order of members, confirmed memberships, imports, invitations
//! and join links.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use shared::settings::Approval;
use tests::fixtures::id;
use tests::{Client, Setup, TestCampus};

use crate::imports::{counts, csv, errors, json_rows};
use crate::joinlinks::{join, token};

const MEMBERS: &str = "/api/clubs/chess/members/";
const IMPORT: &str = "/api/clubs/chess/members/import/";
const INVITES: &str = "/api/clubs/chess/invites/";

async fn chess() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    (campus, ada)
}

/// Invites an address, and returns the path of the invite.
async fn invite(officer: &Client) -> String {
    let body = json!({ "email": "x@uni.example" });
    let made = officer.post(INVITES, body).await.created();
    format!("{INVITES}{}/", made["id"].as_str().unwrap_or_default())
}

async fn member(client: &Client, name: &str) -> Value {
    client.get(&format!("{MEMBERS}{name}/")).await.ok()
}

/// What an officer sees of a member: whether there is an address, and whether it is confirmed.
async fn confirmed(client: &Client, name: &str) -> (bool, Value) {
    let shown = member(client, name).await;
    (shown["email"].is_string(), shown["confirmed"].clone())
}

// proves M1
#[tokio::test]
async fn active_members_come_first_then_the_role_counts() {
    let campus = TestCampus::new();
    let zoe = campus.as_("zoe");
    campus.club("chess", &zoe).await;
    let mia = campus.member("chess", &zoe, "mia", 10).await;
    campus.member("chess", &zoe, "bob", 20).await;
    campus.member("chess", &zoe, "ann", 20).await;
    let off = json!({ "active": false });
    mia.patch(&format!("{MEMBERS}mia/"), off).await.ok();
    let list = zoe.get(MEMBERS).await.ok();
    let names: Vec<&Value> = list.as_array().into_iter().flatten().collect();
    let names: Vec<&Value> = names.iter().map(|one| &one["username"]).collect();
    assert_eq!(names, ["zoe", "ann", "bob", "mia"]);
}

// proves M6
#[tokio::test]
async fn an_officer_who_is_hidden_is_not_named_to_whom_they_add() {
    let (campus, ada) = chess().await;
    let own = format!("{MEMBERS}ada/");
    ada.patch(&own, json!({ "public": false })).await.ok();
    campus.member("chess", &ada, "bob", 20).await;
    campus.deliver().await;
    let mails = campus.mails();
    assert_eq!(mails.len(), 1);
    assert!(!mails[0].text.contains("ada"), "{}", mails[0].text);
}

// proves M13
#[tokio::test]
async fn an_officer_sees_the_own_address_before_confirming() {
    let (campus, ada) = chess().await;
    for name in ["olga", "sue"] {
        campus.as_(name).get("/api/settings/").await.ok();
    }
    let rows = json!([{ "username": "olga", "role": 10 }, { "username": "sue" }]);
    json_rows(&ada, IMPORT, rows).await.ok();
    let (olga, sue) = (campus.as_("olga"), campus.as_("sue"));
    assert_eq!(confirmed(&ada, "olga").await, (false, json!(false)));
    assert_eq!(confirmed(&olga, "olga").await, (true, json!(false)));
    assert_eq!(member(&sue, "sue").await["email"], json!(null));
}

// proves M13, Z3
#[tokio::test]
async fn a_token_confirms_no_membership() {
    let (campus, ada) = chess().await;
    let olga = campus.as_("olga");
    olga.get("/api/settings/").await.ok();
    json_rows(&ada, IMPORT, json!([{ "username": "olga", "role": 10 }]))
        .await
        .ok();
    let scopes = [shared::domain::TokenScope::MembersWrite];
    let program = crate::tokens::with_scopes(&campus, &olga, &scopes).await;
    let own = format!("{MEMBERS}olga/");
    program.patch(&own, json!({ "title": "Coach" })).await.ok();
    assert_eq!(confirmed(&ada, "olga").await, (false, json!(false)));
}

// proves M13
#[tokio::test]
async fn applicant_before_import_has_confirmed() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    json_rows(&recruitment.officer, IMPORT, json!([{ "username": "sue" }]))
        .await
        .ok();
    let seen = confirmed(&recruitment.officer, "sue").await;
    assert_eq!(seen, (true, json!(true)));
}

// proves M13
#[tokio::test]
async fn a_member_who_uses_an_invitation_has_confirmed() {
    let (campus, ada) = chess().await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    // She is invited under another address than hers.
    ada.post(INVITES, json!({ "email": "private@uni.example" }))
        .await
        .created();
    campus.deliver().await;
    let link = tests::fixtures::MailedLink::sent_to(&campus, "private@uni.example");
    json_rows(&ada, IMPORT, json!([{ "username": "sue" }]))
        .await
        .ok();
    assert_eq!(confirmed(&ada, "sue").await, (false, json!(false)));
    link.accept(&sue).await.error(400);
    assert_eq!(confirmed(&ada, "sue").await, (true, json!(true)));
}

// proves M14
#[tokio::test]
async fn requester_does_not_count_among_three_hundred_added() {
    let (campus, ada) = chess().await;
    let names: Vec<String> = (0..302).map(|n| format!("p{n}")).collect();
    let mut ids = vec![];
    for name in &names {
        ids.push(id(&campus.as_(name).get("/api/settings/").await.ok()));
    }
    let rows = |names: &[String]| {
        let rows = names.iter().map(|name| json!({ "username": name }));
        json!(rows.collect::<Vec<_>>())
    };
    let done = json_rows(&ada, IMPORT, rows(&names[..300])).await.ok();
    assert_eq!(counts(&done), [300, 0, 0, 0]);
    ada.post(MEMBERS, json!({ "person": ids[300] }))
        .await
        .error(429);
    campus
        .as_("p301")
        .post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let done = json_rows(&ada, IMPORT, rows(&names[300..])).await.ok();
    assert_eq!(counts(&done), [1, 0, 0, 0]);
    assert_eq!(errors(&done), [(1, "username".to_owned())]);
}

// proves B3
#[tokio::test]
async fn import_respects_the_daily_limit_of_an_address() {
    let (_campus, ada) = chess().await;
    for _ in 0..3 {
        let one = invite(&ada).await;
        ada.delete(&one).await.no_content();
    }
    let done = json_rows(&ada, IMPORT, json!([{ "email": "x@uni.example" }]))
        .await
        .ok();
    assert_eq!(errors(&done), [(1, "email".to_owned())]);
    assert_eq!(done["invited"], 0);
}

// proves B7
#[tokio::test]
async fn import_is_no_user_name_in_a_path() {
    let (campus, ada) = chess().await;
    campus.member("chess", &ada, "import", 20).await;
    ada.get(IMPORT).await.error(405);
}

// proves B1
#[tokio::test]
async fn tabs_separate_cells_and_rows_without_data_do_not_count() {
    let (campus, ada) = chess().await;
    campus.as_("sue").get("/api/settings/").await.ok();
    let done = csv(&ada, IMPORT, "username\ttitle\nsue\tCoach\n")
        .await
        .ok();
    assert_eq!(counts(&done), [1, 0, 0, 0]);
    assert_eq!(member(&ada, "sue").await["title"], "Coach");
    let blank = ",\n".repeat(50);
    let many = "sue,Coach\n".repeat(999);
    let text = format!("username,title\n{blank}{many}{blank}nobody,x\n");
    let done = csv(&ada, &format!("{IMPORT}?dry_run=true"), &text)
        .await
        .ok();
    // The header is row 0 of the file.
    let wrong = errors(&done);
    assert_eq!(wrong.last(), Some(&(1100, "username".to_owned())));
}

// proves I15
#[tokio::test]
async fn a_club_that_waits_imports_members_and_who_asked() {
    let (campus, ada) = chess().await;
    let sue = campus.as_("sue");
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let admin = campus.admin();
    let waits = json!({ "approved": null });
    admin.patch("/api/clubs/chess/", waits).await.ok();
    let first = json_rows(&ada, IMPORT, json!([{ "username": "sue" }])).await;
    assert_eq!(counts(&first.ok()), [1, 0, 0, 0]);
    let again = json!([{ "username": "sue", "title": "Coach" }]);
    let again = json_rows(&ada, IMPORT, again).await;
    assert_eq!(counts(&again.ok()), [0, 1, 0, 0]);
}

// proves B5
#[tokio::test]
async fn imported_club_is_approved_and_empty_cells_change_nothing() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let admin = campus.admin();
    let file = "code,name,subtitle,description,email,website\n\
        go,Go,Stones,<p>Board</p>,go@uni.example,https://go.example/\n";
    csv(&admin, "/api/clubs/import/", file).await.ok();
    let shown = campus.anonymous().get("/api/clubs/go/").await.ok();
    assert_eq!(shown["website"], "https://go.example/");
    let empty = "code,name,subtitle,description,email,website\ngo,Go Club,,,,\n";
    csv(&admin, "/api/clubs/import/", empty).await.ok();
    let now = campus.anonymous().get("/api/clubs/go/").await.ok();
    assert_eq!(now["name"], "Go Club");
    for field in ["subtitle", "description", "email", "website"] {
        assert_eq!(now[field], shown[field], "{field}");
    }
}

// proves J1, J2, J7
#[tokio::test]
async fn join_link_token_is_not_stored_and_uses_are() {
    let (campus, ada) = chess().await;
    let links = "/api/clubs/chess/joinlinks/";
    let link = ada.post(links, json!({})).await.created();
    let secret = token(&link);
    join(&campus.as_("sue"), &link, &secret).await.ok();
    let stored = campus.stored();
    let text = json!(stored).to_string();
    let hash = shared::ids::sha256_hex(secret.as_bytes());
    assert!(secret.len() > 20 && !text.contains(&secret) && !text.contains(&hash));
    let days = |kind: &str| {
        let of_kind = |item: &&Value| item["type"]["S"] == kind;
        let item = stored.iter().find(of_kind).expect("an item");
        let ttl = item["ttl"]["N"].as_str().unwrap_or_default();
        let left = ttl.parse::<i64>().unwrap_or_default() - campus.now_ms() / 1_000;
        TimeDelta::seconds(left).num_days()
    };
    // A link can be used for 30 days. Who used it is remembered for two years more.
    assert_eq!(days("JoinLink"), 30 + 90);
    assert_eq!(days("LinkUse"), 30 + 90 + 730);
}

// proves I3
#[tokio::test]
async fn an_expired_invite_is_listed_for_thirty_days() {
    let (campus, ada) = chess().await;
    let one = invite(&ada).await;
    campus.advance(TimeDelta::days(43));
    let ada = campus.as_("ada");
    assert_eq!(ada.get(INVITES).await.ok()[0]["email"], "x@uni.example");
    let again = ada.post(&format!("{one}resend/"), json!({})).await;
    assert!(again.status.is_success(), "{}", again.text());
}

// proves I8
#[tokio::test]
async fn invisible_club_is_404_for_invitations() {
    let (campus, ada) = chess().await;
    let accept = format!("{}accept/", invite(&ada).await);
    let waits = json!({ "approved": null });
    campus.admin().patch("/api/clubs/chess/", waits).await.ok();
    let bob = campus.as_("bob");
    for body in ["{}", "{\"token\":7}", "[]", "nothing"] {
        let response = bob.raw(
            Method::POST,
            &accept,
            Some("application/json"),
            body.to_owned(),
        );
        response.await.error(404);
    }
}
