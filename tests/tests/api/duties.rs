//! What waits for officers and admins: each number leads to a list of exactly so many

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::settings::Approval;
use tests::fixtures::{Recruitment, id};
use tests::{Client, Setup, TestCampus};

use crate::mail_reports::simulated;

/// The duties of a response. Each must lead to a list of so many.
async fn duties(client: &Client, path: &str) -> Vec<(String, u64)> {
    let found = client.get(path).await.ok();
    let mut all = vec![];
    for duty in found["duties"].as_array().into_iter().flatten() {
        let [kind, list] = ["kind", "api"].map(|name| duty[name].as_str().unwrap_or_default());
        let list = client.get(list).await.ok();
        let list = list.as_array().or_else(|| list["results"].as_array());
        let count = duty["count"].as_u64().unwrap_or_default();
        assert_eq!(list.map(Vec::len), usize::try_from(count).ok(), "{duty}");
        all.push((kind.to_owned(), count));
    }
    all
}

/// A submission for each thing that can be to do, and some for which nothing is.
async fn scene(campus: &TestCampus) -> Recruitment {
    let recruitment = campus.recruitment("chess").await;
    let submit = async |name: &str, address: &str| {
        recruitment.submit(&simulated(campus, name, address)).await
    };
    for (name, address, status) in [
        ("sue", "success", 4),
        ("tim", "bounce", 4),
        ("kim", "complaint", 2),
        ("ben", "success+ben", 2),
    ] {
        let submission = submit(name, address).await;
        recruitment.decide(&submission, status, "").await;
    }
    for kind in ["acceptance", "rejection"] {
        let send = recruitment.send(kind, json!({}));
        campus.with_worker(send).await.ok();
    }
    campus.report().await;
    // Ben was told of a rejection that was taken back.
    let list = recruitment
        .officer
        .get(&format!("{}submissions/?search=ben", recruitment.path))
        .await;
    recruitment.decide(&list.ok()[0], 4, "").await;
    submit("ann", "success+ann").await;
    let late = submit("lea", "success+lea").await;
    recruitment.decide(&late, 2, "").await;
    recruitment
}

// proves A14, A17
#[tokio::test(start_paused = true)]
async fn each_duty_leads_to_exactly_those() {
    let campus = TestCampus::new();
    let recruitment = scene(&campus).await;
    let officer = &recruitment.officer;
    let join = json!({ "club": "chess" });
    let zoe = campus.as_("zoe");
    zoe.post("/api/requests/membership/", join).await.created();
    let body = json!({ "emails": "max@uni.example" });
    officer.post("/api/clubs/chess/invite/", body).await.ok();
    campus.advance(TimeDelta::days(12));
    let body = json!({ "emails": "eva@uni.example" });
    officer.post("/api/clubs/chess/invite/", body).await.ok();
    let expected = [
        ("requests", 1),
        ("undecided", 1),
        ("untold", 2),
        ("unreached", 1),
        // Those of two who were accepted, too.
        ("invites_ending", 3),
    ]
    .map(|(kind, n)| (kind.to_owned(), n));
    assert_eq!(duties(officer, "/api/home/").await, expected);
    let overview = "/api/clubs/chess/overview/";
    assert_eq!(duties(officer, overview).await, expected);
    let ending = officer.get("/api/clubs/chess/invites/?ending=false").await;
    assert_eq!(ending.ok()[0]["email"], "eva@uni.example");
    // Nobody else may ask.
    zoe.get(overview).await.error(403);
}

// proves A17
#[tokio::test(start_paused = true)]
async fn officers_see_what_is_to_do_and_applicants_do_not() {
    let campus = TestCampus::new();
    let recruitment = scene(&campus).await;
    let list = format!("{}submissions/", recruitment.path);
    let of = async |name: &str| {
        let found = recruitment
            .officer
            .get(&format!("{list}?search={name}"))
            .await;
        found.ok()[0]["duties"].clone()
    };
    for (name, expected) in [
        ("sue", json!([])),
        ("kim", json!([])),
        ("tim", json!(["unreached"])),
        ("ben", json!(["untold"])),
        ("ann", json!(["undecided"])),
    ] {
        assert_eq!(of(name).await, expected, "{name}");
    }
    let sue = simulated(&campus, "sue", "success");
    let own = sue.get("/api/submissions/").await.ok();
    let path = format!("/api/submissions/{}/", id(&own[0]));
    assert_eq!(own[0].get("duties"), None::<&Value>);
    assert_eq!(sue.get(&path).await.ok().get("duties"), None::<&Value>);
    let wrong = recruitment
        .officer
        .get(&format!("{list}?duty=requests"))
        .await;
    wrong.invalid(&["duty"]);
    // Whoever was erased is nobody to decide about, or to tell.
    let ben = simulated(&campus, "ben", "success+ben");
    campus.erase(&ben).await;
    let untold = recruitment
        .officer
        .get(&format!("{list}?duty=untold"))
        .await;
    assert_eq!(untold.ok().as_array().map(Vec::len), Some(1));
}

// proves A17, C12
#[tokio::test]
async fn admins_find_the_clubs_that_wait() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let (ada, sue) = (campus.admin(), campus.as_("sue"));
    for name in ["Chess", "Go"] {
        let body = json!({ "name": name });
        sue.post("/api/clubs/", body).await.created();
    }
    let waits = [("approvals".to_owned(), 2)];
    assert_eq!(duties(&ada, "/api/home/").await, waits);
    let body = json!({ "approved": true });
    ada.patch("/api/clubs/chess/", body).await.ok();
    let waits = [("approvals".to_owned(), 1)];
    assert_eq!(duties(&ada, "/api/home/").await, waits);
    assert_eq!(duties(&sue, "/api/home/").await, []);
    let list = "/api/clubs/?approved=none";
    sue.get(list).await.error(403);
    campus.anonymous().get(list).await.error(403);
    ada.get("/api/clubs/?approved=true")
        .await
        .invalid(&["approved"]);
}

// proves C12
#[tokio::test]
async fn admins_find_deleted_clubs() {
    let campus = TestCampus::new();
    let ada = campus.admin();
    for club in ["chess", "choir"] {
        campus.club(club, &ada).await;
    }
    ada.delete("/api/clubs/choir/").await.no_content();
    let codes = async |list: &str| {
        let found = ada.get(list).await.ok();
        let all = found["results"].as_array().cloned().unwrap_or_default();
        all.iter()
            .map(|one| one["code"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("/api/clubs/?archived=true").await, ["choir"]);
    assert_eq!(codes("/api/clubs/?archived=false").await, ["chess"]);
    assert_eq!(codes("/api/clubs/?archived=true&search=che").await, [""; 0]);
    let list = "/api/clubs/?archived=true";
    campus.as_("sue").get(list).await.error(403);
    campus.anonymous().get(list).await.error(403);
}
