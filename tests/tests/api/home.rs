//! `/home/`: everything that a home page needs, in one request

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::{application, id};
use tests::{Client, TestCampus};

async fn home(client: &Client) -> Value {
    client.get("/api/home/").await.ok()
}

/// Each kind of duty with its number.
fn duties(home: &Value) -> Vec<(String, u64)> {
    let all = home["duties"].as_array().into_iter().flatten();
    let text = |duty: &Value| duty["kind"].as_str().unwrap_or_default().to_owned();
    all.map(|duty| (text(duty), duty["count"].as_u64().unwrap_or_default()))
        .collect()
}

// proves A14
#[tokio::test]
async fn officers_see_what_waits_and_members_do_not() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    let people = ["sue", "tim", "eve"].map(|name| campus.as_(name));
    let mut all = Vec::new();
    for person in &people {
        all.push(recruitment.submit(person).await);
    }
    let request = json!({ "club": "chess" });
    let asks = campus.as_("kim");
    asks.post("/api/requests/membership/", request)
        .await
        .created();
    recruitment.decide(&all[0], 4, "").await;
    recruitment.decide(&all[1], 2, "").await;
    let officer = &recruitment.officer;
    let club = home(officer).await["clubs"][0].clone();
    assert_eq!(
        club["club"],
        json!({ "code": "chess", "name": "chess", "image_url": null })
    );
    assert_eq!(
        (&club["role"], &club["all_counted"]),
        (&json!(0), &json!(true))
    );
    let counts = async || duties(&home(officer).await);
    let request = ("requests".to_owned(), 1);
    let waits = |kind: &str, n: u64| (kind.to_owned(), n);
    assert_eq!(
        counts().await,
        [request.clone(), waits("undecided", 1), waits("untold", 2)]
    );
    // Whoever was told does not count, until the decision is taken back.
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let fewer = [request.clone(), waits("undecided", 1), waits("untold", 1)];
    assert_eq!(counts().await, fewer);
    recruitment.decide(&all[0], 2, "").await;
    assert_eq!(
        counts().await,
        [request, waits("undecided", 1), waits("untold", 2)]
    );
    // Members and applicants see nothing of it.
    let bobs = home(&bob).await;
    assert_eq!(
        (&bobs["duties"], &bobs["clubs"][0]["all_counted"]),
        (&json!([]), &json!(false))
    );
    let sue = home(&people[0]).await;
    assert_eq!((&sue["clubs"], &sue["admin"]), (&json!([]), &Value::Null));
    assert_eq!(sue["applications"][0]["submissions"][0]["id"], all[0]["id"]);
}

// proves A14
#[tokio::test]
async fn an_application_that_ended_counts_for_two_months() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    campus.advance(TimeDelta::days(50));
    // A new application does not push the old one out.
    let next = tests::fixtures::application("Spring");
    let path = "/api/clubs/chess/applications/";
    recruitment.officer.post(path, next).await.created();
    let worked_on = |home: &Value| {
        let all = home["duties"].as_array().cloned().unwrap_or_default();
        all.iter()
            .map(|duty| id(&duty["application"]))
            .collect::<Vec<u64>>()
    };
    let seen = worked_on(&home(&recruitment.officer).await);
    assert!(seen.contains(&id(&recruitment.application)), "{seen:?}");
    campus.advance(TimeDelta::days(12));
    let seen = worked_on(&home(&recruitment.officer).await);
    assert!(!seen.contains(&id(&recruitment.application)), "{seen:?}");
}

// proves A14
#[tokio::test]
async fn an_open_invitation_is_not_hidden_by_expired_ones() {
    let campus = TestCampus::new();
    let ada = campus.admin();
    let invite = async |club: &str| {
        campus.club(club, &ada).await;
        let body = json!({ "emails": "sue@uni.example" });
        let path = format!("/api/clubs/{club}/invite/");
        ada.post(&path, body).await.ok();
    };
    for n in 0..20 {
        invite(&format!("zz-{n}")).await;
    }
    campus.advance(TimeDelta::days(15));
    invite("aa").await;
    let shown = home(&campus.as_("sue")).await["invites"].clone();
    assert_eq!(shown.as_array().map(Vec::len), Some(1));
    assert_eq!(shown[0]["club"]["code"], "aa");
}

// proves A14
#[tokio::test]
async fn open_invitations_are_shown_without_their_secret() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let body = json!({ "emails": "sue@uni.example", "role": 10 });
    ada.post("/api/clubs/chess/invite/", body).await.ok();
    let invites = home(&campus.as_("sue")).await["invites"].clone();
    assert_eq!(invites.as_array().map(Vec::len), Some(1), "{invites}");
    assert_eq!(
        (&invites[0]["club"]["code"], &invites[0]["role"]),
        (&json!("chess"), &json!(10))
    );
    assert_eq!(invites[0].as_object().map(serde_json::Map::len), Some(4));
    assert_eq!(home(&campus.as_("bob")).await["invites"], json!([]));
    // Its end is near, and then it is over.
    campus.advance(TimeDelta::days(12));
    let ending = [("invites_ending".to_owned(), 1)];
    assert_eq!(duties(&home(&ada).await), ending);
    campus.advance(TimeDelta::days(3));
    assert_eq!(duties(&home(&ada).await), []);
    assert_eq!(home(&campus.as_("sue")).await["invites"], json!([]));
}

// proves A14
#[tokio::test]
async fn withdrawn_submission_is_shown() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let state = async || {
        let one = home(&sue).await["applications"][0].clone();
        (one["withdrawn"].clone(), one["submissions"].clone())
    };
    assert_eq!(state().await.0, false);
    let path = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&path).await.no_content();
    assert_eq!(state().await, (json!(true), json!([])));
    let all = sue.get("/api/applications/open/").await.ok();
    assert_eq!(all[0]["withdrawn"], true);
    let again = recruitment.answer("Again.");
    let path = format!("{}submissions/", recruitment.path);
    sue.post(&path, again).await;
    assert_eq!(state().await.0, false);
    assert_eq!(
        home(&campus.as_("bob")).await["applications"][0]["withdrawn"],
        false
    );
}

// proves A14
#[tokio::test]
async fn admins_see_figures_of_the_campus() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let root = campus.admin();
    let figures = home(&root).await["admin"].clone();
    assert_eq!(
        (
            &figures["clubs"],
            &figures["members"],
            &figures["open_applications"]
        ),
        (&json!(1), &json!(1), &json!(1)),
        "{figures}"
    );
    assert_eq!(home(&recruitment.officer).await["admin"], Value::Null);
}

// proves A14
#[tokio::test(start_paused = true)]
async fn decision_is_shown_from_its_time_for_a_month() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let decisions = async || home(&sue).await["decisions"].clone();
    recruitment.decide(&submission, 4, "Well done.").await;
    // Neither before the release, nor while the mail waits: its invitation would tell it.
    assert_eq!(decisions().await, json!([]));
    let before = home(&sue).await;
    recruitment.send("acceptance", json!({})).await.ok();
    assert_eq!(home(&sue).await, before);
    campus.deliver().await;
    let shown = decisions().await;
    assert_eq!(
        (
            &shown[0]["id"],
            &shown[0]["status"],
            &shown[0]["club"]["code"]
        ),
        (&submission["id"], &json!(4), &json!("chess"))
    );
    // So the invitation can be used without its mail, by nobody else.
    let invites = home(&sue).await["invites"].clone();
    let invite = invites[0]["id"].as_str().unwrap_or_default();
    let accept = format!("/api/clubs/chess/invites/{invite}/accept/");
    campus.as_("bob").post(&accept, json!({})).await.error(400);
    // What is decided after the mail stays unknown until the release.
    recruitment.decide(&submission, 2, "").await;
    assert_eq!(decisions().await[0]["status"], 4);
    let release = json!({ "application_end_time": tests::fixtures::hours(1),
        "result_release_time": tests::fixtures::hours(2) });
    recruitment
        .officer
        .patch(&recruitment.path, release)
        .await
        .ok();
    campus.advance(TimeDelta::hours(3));
    assert_eq!(decisions().await[0]["status"], 2);
    assert_eq!(home(&recruitment.officer).await["decisions"], json!([]));
    campus.advance(TimeDelta::days(31));
    assert_eq!(decisions().await, json!([]));
}

// proves A14
#[tokio::test]
async fn favorites_are_shown_by_name() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    let sue = campus.as_("sue");
    for name in ["go", "chess"] {
        campus.club(name, &ada).await;
        let body = json!({ "club": name });
        sue.post("/api/favorites/", body).await.created();
    }
    let shown = home(&sue).await["favorites"].clone();
    assert_eq!(
        (&shown[0]["code"], &shown[1]["code"]),
        (&json!("chess"), &json!("go"))
    );
    ada.delete("/api/clubs/chess/").await.no_content();
    let shown = home(&sue).await["favorites"].clone();
    assert_eq!(
        shown,
        json!([{ "code": "go", "name": "go", "image_url": null }])
    );
    // Nor is a club that she cannot see any more.
    let refused = json!({ "approved": false });
    campus.admin().patch("/api/clubs/go/", refused).await.ok();
    assert_eq!(home(&sue).await["favorites"], json!([]));
}

// proves A14
#[tokio::test]
async fn decisions_name_a_committee_as_it_is_called_now() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let mut committees = recruitment.application["committees"].clone();
    let mut answer = recruitment.answer("x");
    answer["committee"] = committees[0]["id"].clone();
    let path = format!("{}submissions/", recruitment.path);
    let submission = sue.post(&path, answer).await.created();
    committees[0]["name"] = json!("Engineering");
    let body = json!({ "committees": committees });
    recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    recruitment.decide(&submission, 4, "").await;
    let sent = campus.with_worker(recruitment.send("acceptance", json!({})));
    sent.await.ok();
    let home = home(&sue).await;
    assert_eq!(home["decisions"][0]["committee"], "Engineering", "{home}");
}

// proves A14
#[tokio::test]
async fn pending_work_is_counted_for_ten_clubs_and_three_applications() {
    let campus = TestCampus::new();
    // Admins may create as many clubs as they want.
    let ada = campus.admin();
    for n in 10..21 {
        campus.club(&format!("c{n}"), &ada).await;
    }
    for name in ["One", "Two", "Three", "Four"] {
        ada.post("/api/clubs/c10/applications/", application(name))
            .await
            .created();
    }
    let clubs = home(&ada).await["clubs"].clone();
    assert_eq!(clubs.as_array().map(Vec::len), Some(11));
    let counted: Vec<&Value> = (0..11).map(|n| &clubs[n]["all_counted"]).collect();
    let no = json!(false);
    assert_eq!((counted[0], counted[10]), (&no, &no));
    assert!(
        counted[1..10].iter().all(|whole| **whole == true),
        "{clubs}"
    );
}

// proves A14
#[tokio::test]
async fn home_shows_twenty_favorites_and_no_own_club_invitation() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.admin(), campus.as_("sue"));
    for n in 10..31 {
        let club = campus.club(&format!("c{n}"), &ada).await;
        let favorite = json!({ "club": club });
        sue.post("/api/favorites/", favorite).await.created();
    }
    let invite = json!({ "email": "sue@uni.example" });
    for club in ["c10", "c11"] {
        let invites = format!("/api/clubs/{club}/invites/");
        ada.post(&invites, invite.clone()).await.created();
    }
    // She joins one of the clubs in another way.
    let links = "/api/clubs/c11/joinlinks/";
    let link = ada.post(links, json!({})).await.created();
    let token = json!({ "token": crate::joinlinks::token(&link) });
    sue.post(&format!("{links}{}/join/", id(&link)), token)
        .await
        .ok();
    let shown = home(&sue).await;
    assert_eq!(shown["favorites"].as_array().map(Vec::len), Some(20));
    let invitations = shown["invites"].as_array().expect("invites");
    let clubs: Vec<&Value> = invitations.iter().map(|one| &one["club"]["code"]).collect();
    assert_eq!(clubs, ["c10"]);
}
