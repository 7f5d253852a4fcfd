//! `/clubs/{club}/joinlinks/…`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

pub(crate) const LINKS: &str = "/api/clubs/chess/joinlinks/";

async fn club(campus: &TestCampus) -> Client {
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    ada
}

pub(crate) fn token(link: &Value) -> String {
    let url = link["url"].as_str().unwrap_or_default();
    url.rsplit('/').next().unwrap_or_default().to_owned()
}

pub(crate) async fn join(client: &Client, link: &Value, token: &str) -> tests::Response {
    let path = format!("{LINKS}{}/join/", id(link));
    client.post(&path, json!({ "token": token })).await
}

// proves J1, J2
#[tokio::test]
async fn officers_make_change_and_delete_links() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let me = id(&ada.get("/api/settings/").await.ok());
    let link = ada
        .post(LINKS, json!({ "expires_at": null }))
        .await
        .created();
    let site = &campus.campus.app.settings.addresses.site_url;
    assert_eq!(
        link,
        json!({
            "id": link["id"],
            "url": format!("{site}/join/chess/{}/{}", id(&link), token(&link)),
            "title": "",
            "note": "",
            "expires_at": hours(30 * 24),
            "max_uses": null,
            "uses": 0,
            "created_by": { "id": me, "username": "ada" },
            "created_at": hours(0),
        })
    );
    let body = json!({
        "title": "Freshman",
        "note": "Fair, table 4",
        "max_uses": 10_000,
        "expires_at": hours(365 * 24),
    });
    campus.advance(TimeDelta::seconds(1));
    let ada = campus.as_("ada");
    let second = ada.post(LINKS, body).await.created();
    assert_eq!(second["title"], "Freshman");
    assert_eq!(ada.get(LINKS).await.ok(), json!([second, link]));
    let one = format!("{LINKS}{}/", id(&second));
    assert_eq!(ada.get(&one).await.ok(), second);
    let changed = ada
        .patch(&one, json!({ "max_uses": null, "note": "Fair" }))
        .await
        .ok();
    assert_eq!(
        (&changed["max_uses"], &changed["note"], &changed["title"]),
        (&json!(null), &json!("Fair"), &json!("Freshman"))
    );
    assert_eq!(changed["url"], second["url"]);
    ada.delete(&one).await.no_content();
    ada.get(&one).await.error(404);
    ada.put(&one, json!({})).await.error(405);
}

// proves J2
#[tokio::test]
async fn wrong_links_are_named() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let wrong = |body: Value| {
        let ada = ada.clone();
        async move {
            let json = Some("application/json");
            ada.raw(http::Method::POST, LINKS, json, body.to_string())
                .await
        }
    };
    for max_uses in [json!(0), json!(10_001), json!("x")] {
        wrong(json!({ "max_uses": max_uses }))
            .await
            .invalid(&["max_uses"]);
    }
    for expires_at in [hours(0), hours(-1), hours(367 * 24)] {
        wrong(json!({ "expires_at": expires_at }))
            .await
            .invalid(&["expires_at"]);
    }
    wrong(json!({ "title": "a\nb" })).await.invalid(&["title"]);
    wrong(json!({ "note": "x".repeat(256) }))
        .await
        .invalid(&["note"]);
    let link = ada.post(LINKS, json!({})).await.created();
    let path = format!("{LINKS}{}/join/", id(&link));
    let empty = json!({}).to_string();
    campus
        .as_("sue")
        .raw(http::Method::POST, &path, Some("application/json"), empty)
        .await
        .invalid(&["token"]);
}

// proves J1, J4, J7
#[tokio::test]
async fn link_joins_as_member() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let link = ada
        .post(LINKS, json!({ "title": "Freshman" }))
        .await
        .created();
    let sue = campus.as_("sue");
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let member = join(&sue, &link, &token(&link)).await.ok();
    assert_eq!(
        (&member["role"], &member["title"], &member["username"]),
        (&json!(20), &json!("Freshman"), &json!("sue"))
    );
    // The request is answered by that.
    let requests = ada.get("/api/clubs/chess/membershiprequests/").await.ok();
    assert_eq!(requests, json!([]));
    let again = join(&sue, &link, &token(&link)).await;
    assert_eq!(again.json()["code"], "already_member");
    again.error(400);
    let hidden = campus.as_("bob");
    let path = format!("{LINKS}{}/join/", id(&link));
    let body = json!({ "token": token(&link), "public": false });
    assert_eq!(hidden.post(&path, body).await.ok()["public"], false);
    let one = ada.get(&format!("{LINKS}{}/", id(&link))).await.ok();
    assert_eq!(one["uses"], 2);
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        3
    );
    // Joining by a link needs no mail.
    campus.deliver().await;
    assert!(
        campus
            .mails_but_welcomes()
            .iter()
            .all(|mail| mail.to != "sue@uni.example")
    );
    campus
        .anonymous()
        .post(&path, json!({ "token": "x" }))
        .await
        .error(401);
}

// The item of a creator would be in the transaction twice, which was 500.
// proves J7
#[tokio::test]
async fn the_creator_of_a_link_is_a_member_or_cannot_use_it() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let link = olga.post(LINKS, json!({})).await.created();
    let member = join(&olga, &link, &token(&link)).await;
    assert_eq!(member.json()["code"], "already_member");
    member.error(400);
    let one = "/api/clubs/chess/members/olga/";
    olga.delete(one).await.no_content();
    let left = join(&olga, &link, &token(&link)).await;
    assert_eq!(left.json()["code"], "invite_unusable");
    left.error(400);
}

// proves J3
#[tokio::test]
async fn the_answer_is_the_same_whatever_is_wrong_with_the_link() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let soon = json!({ "expires_at": hours(1), "max_uses": 1 });
    let [expired, used, revoked] = [soon, json!({ "max_uses": 1 }), json!({})];
    let mut links = Vec::new();
    for body in [expired, used, revoked] {
        links.push(ada.post(LINKS, body).await.created());
    }
    join(&campus.as_("bob"), &links[1], &token(&links[1]))
        .await
        .ok();
    ada.delete(&format!("{LINKS}{}/", id(&links[2])))
        .await
        .no_content();
    campus.advance(TimeDelta::hours(2));
    let sue = campus.as_("sue");
    let mut answers = Vec::new();
    for link in &links {
        answers.push(join(&sue, link, &token(link)).await);
    }
    let ada = campus.as_("ada");
    let good = ada.post(LINKS, json!({})).await.created();
    for token in [token(&links[1]), "x".into(), String::new()] {
        answers.push(join(&sue, &good, &token).await);
    }
    answers.push(
        sue.post(&format!("{LINKS}7/join/"), json!({ "token": "x" }))
            .await,
    );
    let first = answers[0].text();
    for response in answers {
        assert_eq!(response.json()["code"], "invite_unusable");
        assert_eq!(response.text(), first);
        response.error(400);
    }
    // A link that is made valid again works.
    let one = format!("{LINKS}{}/", id(&links[0]));
    ada.patch(&one, json!({ "expires_at": hours(9) }))
        .await
        .ok();
    join(&sue, &links[0], &token(&links[0])).await.ok();
}

// proves J4
#[tokio::test]
async fn the_cap_holds_when_two_hundred_people_press_at_once() {
    let campus = Setup::default().latency(2).build();
    let ada = club(&campus).await;
    let link = ada.post(LINKS, json!({ "max_uses": 50 })).await.created();
    let token = token(&link);
    let people: Vec<Client> = (0..200).map(|n| campus.as_(&format!("p{n}"))).collect();
    let joins = people.iter().map(|person| join(person, &link, &token));
    let answers = futures::future::join_all(joins).await;
    let mut joined = answers
        .iter()
        .filter(|response| response.status == 200)
        .count();
    // Somebody whom the table was too busy for presses again.
    for (person, response) in people.iter().zip(&answers) {
        if response.status == 429 {
            joined += usize::from(join(person, &link, &token).await.status == 200);
        }
    }
    assert_eq!(joined, 50);
    let one = ada.get(&format!("{LINKS}{}/", id(&link))).await.ok();
    assert_eq!(one["uses"], 50);
    let members = ada.get("/api/clubs/chess/members/").await.ok();
    assert_eq!(members.as_array().map(Vec::len), Some(51));
}

// proves J5
#[tokio::test]
async fn clubs_that_nobody_can_join_add_nobody() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = shared::settings::Approval::Required)
        .build();
    let ada = club(&campus).await;
    let link = ada.post(LINKS, json!({})).await.created();
    for client in [&campus.as_("sue"), &campus.admin()] {
        join(client, &link, &token(&link)).await.error(404);
    }
    campus
        .admin()
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    join(&campus.as_("sue"), &link, &token(&link)).await.ok();
    ada.delete("/api/clubs/chess/").await.no_content();
    join(&campus.as_("bob"), &link, &token(&link))
        .await
        .error(404);
}

// proves J1, J6
#[tokio::test]
async fn the_qr_code_is_an_image_of_the_address() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let link = ada.post(LINKS, json!({})).await.created();
    let path = format!("{LINKS}{}/qr.svg", id(&link));
    let image = ada.get(&path).await;
    assert_eq!(image.status, 200, "{}", image.text());
    assert_eq!(image.header("content-type"), "image/svg+xml");
    // The same squares as those of the address, with a border of four.
    let url = link["url"].as_str().unwrap();
    let code = qrcodegen::QrCode::encode_text(url, qrcodegen::QrCodeEcc::Medium).unwrap();
    let (size, text) = (code.size(), image.text());
    assert!(text.contains(&format!("viewBox=\"0 0 {0} {0}\"", size + 8)));
    let dark = (0..size)
        .flat_map(|y| (0..size).map(move |x| (x, y)))
        .filter(|(x, y)| code.get_module(*x, *y));
    let mut count = 0;
    for (x, y) in dark {
        assert!(text.contains(&format!("M{} {}h1v1h-1z", x + 4, y + 4)));
        count += 1;
    }
    assert_eq!(text.matches("h1v1h-1z").count(), count);
    campus.as_("sue").get(&path).await.error(403);
}

// proves J2
#[tokio::test]
async fn a_club_has_a_hundred_links_and_no_more() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    for _ in 0..100 {
        ada.post(LINKS, json!({})).await.created();
    }
    let refused = ada.post(LINKS, json!({})).await;
    assert_eq!(refused.json()["code"], "quota");
    refused.error(400);
}

#[tokio::test(start_paused = true)]
async fn an_erased_officer_is_on_no_link() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let link = olga.post(LINKS, json!({})).await.created();
    campus.erase(&olga).await;
    let shown = ada.get(&format!("{LINKS}{}/", id(&link))).await.ok();
    assert_eq!(shown["created_by"], json!(null));
}

// proves J7
#[tokio::test(start_paused = true)]
async fn the_link_of_an_admin_works_as_long_as_they_are_one() {
    let campus = TestCampus::new();
    club(&campus).await;
    let admin = campus.admin();
    let link = admin.post(LINKS, json!({})).await.created();
    let sue = campus.as_("sue");
    join(&sue, &link, &token(&link)).await.ok();
    // Who is no admin any more is seen without the group.
    campus.as_("root").get("/api/settings/").await.ok();
    let tom = join(&campus.as_("tom"), &link, &token(&link)).await;
    assert_eq!(tom.json()["code"], "invite_unusable");
    let member = join(&sue, &link, &token(&link)).await;
    assert_eq!(member.json()["code"], "already_member");

    let other = admin.post(LINKS, json!({})).await.created();
    join(&campus.as_("tom"), &other, &token(&other)).await.ok();
    campus.erase(&admin).await;
    let eve = join(&campus.as_("eve"), &other, &token(&other)).await;
    assert_eq!(eve.json()["code"], "invite_unusable");
}
