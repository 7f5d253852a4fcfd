//! `/submissions/…`: the caller's own submissions, and what applicants must not see yet

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::domain::TokenScope;
use tests::fixtures::{hours, id, in_own_list};
use tests::{Client, TestCampus};

use crate::tokens::with_scopes;

const SECRET: &str = "planted secret";

// proves S13
#[tokio::test]
async fn own_submissions_across_clubs_newest_first() {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let (sue, bob) = (campus.as_("sue"), campus.as_("bob"));
    let first = chess.submit(&sue).await;
    let second = go.submit(&sue).await;
    chess.submit(&bob).await;
    assert_eq!(
        sue.get("/api/submissions/").await.ok(),
        json!([in_own_list(&second, "go"), in_own_list(&first, "chess")])
    );
    let shown = chess.own(&sue, &first).await;
    assert_eq!(shown, in_own_list(&first, "chess"));
    bob.get(&format!("/api/submissions/{}/", id(&first)))
        .await
        .error(404);
    bob.delete(&format!("/api/submissions/{}/", id(&first)))
        .await
        .error(404);
    assert_eq!(
        campus.as_("cleo").get("/api/submissions/").await.ok(),
        json!([])
    );
}

// proves A15
#[tokio::test]
async fn an_application_says_what_the_caller_submitted_to_it() {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let committees = json!({ "committees": [{ "name": "Board" }] });
    let shown = chess.officer.patch(&chess.path, committees).await.ok();
    let committee = &shown["committees"][0]["id"];
    let sue = campus.as_("sue");
    let path = format!("{}?own=true", chess.path);
    let mine = async |who: &Client| who.get(&path).await.ok()["my_submissions"].clone();
    assert_eq!(mine(&sue).await, json!([]));
    go.submit(&sue).await;
    chess.submit(&campus.as_("bob")).await;
    let first = chess.submit(&sue).await;
    let submissions = format!("{}submissions/", chess.path);
    let responses = json!([{ "question": chess.question, "text": "I play." }]);
    let body = json!({ "committee": committee, "responses": responses });
    let second = sue.post(&submissions, body).await.created();
    let brief = |one: &Value, committee: &Value| {
        let at = &one["updated_at"];
        json!({ "id": one["id"], "committee": committee, "updated_at": at, "status": 1 })
    };
    let both = [brief(&second, committee), brief(&first, &Value::Null)];
    assert_eq!(mine(&sue).await, json!(both));
    // Nobody is shown what others sent, and without the parameter nothing is read for it.
    assert_eq!(mine(&chess.officer).await, json!([]));
    let plain = sue.get(&chess.path).await.ok();
    assert_eq!(plain.get("my_submissions"), None);
    let own = format!("/api/submissions/{}/", id(&second));
    sue.delete(&own).await.no_content();
    assert_eq!(mine(&sue).await, json!([both[1]]));
    sue.get(&format!("{}?own=maybe", chess.path))
        .await
        .error(400);
    // What a person sent is never for tokens.
    let token = with_scopes(&campus, &chess.officer, &[TokenScope::RecruitmentRead]).await;
    assert_eq!(token.get(&path).await.ok().get("my_submissions"), None);
}

// proves S2, S7, S14, S15, S19, S21
#[tokio::test]
async fn hidden_decision_locks_nobody_out() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submissions = format!("{}submissions/", recruitment.path);
    let [decided, pending] = ["sue", "tom"].map(|name| campus.as_(name));
    let submission = recruitment.submit(&decided).await;
    recruitment.submit(&pending).await;
    recruitment.decide(&submission, 2, SECRET).await;
    let steps: [(&str, Value); 4] = [
        ("Because.", json!(1)),
        ("second", json!(7)),
        ("second", json!(1)),
        ("third", json!(null)),
    ];
    // What differs between two people only: ids, names and what is signed for them.
    let shown = |response: tests::Response| {
        let mut body = response.json();
        for name in ["id", "user", "receipt"] {
            body[name] = Value::Null;
        }
        (response.status, body)
    };
    for (text, revision) in steps {
        let mut body = recruitment.answer(text);
        if !revision.is_null() {
            body["revision"] = revision;
        }
        let found = shown(decided.post(&submissions, body.clone()).await);
        assert_eq!(
            found,
            shown(pending.post(&submissions, body).await),
            "{text}"
        );
        campus.advance(TimeDelta::minutes(1));
    }
    let list = recruitment.officer.get(&submissions).await.ok();
    let sue = list.as_array().into_iter().flatten();
    let sue: Vec<&Value> = sue.filter(|one| one["id"] == submission["id"]).collect();
    assert_eq!(
        (&sue[0]["status"], &sue[0]["reason"]),
        (&json!(2), &json!(SECRET))
    );
    assert_eq!(sue[0]["responses"][0]["text"], "third");
    let own = format!("/api/submissions/{}/", id(&submission));
    decided.delete(&own).await.no_content();
    let anew = recruitment.submit(&decided).await;
    let shown = format!("{submissions}{}/", id(&anew));
    let seen = recruitment.officer.get(&shown).await.ok();
    assert_eq!((&seen["status"], &seen["reason"]), (&json!(1), &json!("")));
    // A decision that was told closes it, until an officer takes it back.
    recruitment.decide(&anew, 2, "").await;
    recruitment.send("rejection", json!({})).await.ok();
    campus.deliver().await;
    let body = recruitment.answer("too late");
    let closed = decided.post(&submissions, body.clone()).await.error(400);
    assert_eq!(decided.delete(&own).await.error(400), closed);
    recruitment.decide(&anew, 1, "").await;
    decided.post(&submissions, body).await.ok();
}

// proves S2, S14
#[tokio::test]
async fn nothing_shows_before_release_or_mail() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let paths = [
        "/api/submissions/".to_owned(),
        format!("/api/submissions/{}/", id(&submission)),
        format!("{}submissions/{}/", recruitment.path, id(&submission)),
        recruitment.path.clone(),
        format!("{}?own=true", recruitment.path),
        "/api/applications/open/".to_owned(),
        "/api/clubs/chess/applications/current/".to_owned(),
        format!("{}questions/", recruitment.path),
        "/api/clubs/chess/".to_owned(),
        "/api/clubs/".to_owned(),
        "/api/memberships/".to_owned(),
        "/api/settings/".to_owned(),
        "/api/clubs/chess/members/".to_owned(),
    ];
    let seen = async || {
        let mut all = Vec::new();
        for path in &paths {
            let response = sue.get(path).await;
            // In lists of clubs, the entity tag ends with the time until which it is valid. This
            // part is not compared.
            let tag = response
                .header("etag")
                .split('-')
                .next()
                .unwrap_or_default()
                .to_owned();
            all.push((tag, response.text()));
        }
        all
    };
    let before = seen().await;
    campus.advance(TimeDelta::hours(1));
    recruitment.decide(&submission, 2, SECRET).await;
    recruitment
        .officer
        .post(
            &format!("{}submissions/status/", recruitment.path),
            json!({ "submissions": [submission["id"]], "status": 4 }),
        )
        .await
        .ok();
    // A dry run sends nothing.
    recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(seen().await, before, "the applicant sees the decision");
    let submissions = format!("{}submissions/", recruitment.path);
    campus.advance(TimeDelta::hours(24));
    let closed = sue.post(&submissions, recruitment.answer("x")).await;
    let closed = closed.error(400);
    assert_eq!(
        sue.delete(&format!("/api/submissions/{}/", id(&submission)))
            .await
            .error(400),
        closed,
        "the detail is not the same"
    );
    campus.advance(TimeDelta::hours(22) + TimeDelta::minutes(59));
    assert_eq!(recruitment.own(&sue, &submission).await["status"], 1);
    campus.advance(TimeDelta::minutes(1));
    let released = recruitment.own(&sue, &submission).await;
    assert_eq!(
        (&released["status"], &released["reason"]),
        (&json!(4), &json!(SECRET))
    );
    assert_eq!(sue.get("/api/submissions/").await.ok(), json!([released]));
}

// proves S14
#[tokio::test(start_paused = true)]
async fn queued_mail_shows_nothing_and_a_sent_one_its_decision() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 4, "mailed reason").await;
    let listed = async || {
        let mine = sue
            .get(&format!("{}?own=true", recruitment.path))
            .await
            .ok();
        let open = sue.get("/api/applications/open/").await.ok();
        let listed = mine["my_submissions"][0]["status"].clone();
        assert_eq!(open.pointer("/0/submissions/0/status"), Some(&listed));
        listed
    };
    let before = recruitment.own(&sue, &submission).await;
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    assert_eq!(recruitment.own(&sue, &submission).await, before);
    assert_eq!(listed().await, 1);
    campus.deliver().await;
    let mailed = recruitment.own(&sue, &submission).await;
    assert_eq!(
        (&mailed["status"], &mailed["reason"], &mailed["notified"]),
        (&json!(4), &json!("mailed reason"), &json!(true))
    );
    assert_eq!(mailed["email_status"], "sent");
    assert_eq!(listed().await, 4);
    campus.advance(TimeDelta::hours(1));
    recruitment.decide(&submission, 2, SECRET).await;
    assert_eq!(
        recruitment.own(&sue, &submission).await,
        mailed,
        "until the release, the decision is shown as it was mailed"
    );
    assert_eq!(listed().await, 4);
    campus.advance(TimeDelta::hours(48));
    let released = recruitment.own(&sue, &submission).await;
    assert_eq!(
        (&released["status"], &released["reason"]),
        (&json!(2), &json!(SECRET))
    );
}

#[tokio::test]
async fn officers_see_what_applicants_do_not() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 3, SECRET).await;
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(
        (&list[0]["status"], &list[0]["reason"]),
        (&json!(3), &json!(SECRET))
    );
}

// proves S15
#[tokio::test]
async fn withdrawal_is_possible_while_open_and_pending() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let path = format!("/api/submissions/{}/", id(&submission));
    sue.delete(&path).await.no_content();
    sue.get(&path).await.error(404);
    assert_eq!(
        recruitment
            .officer
            .get(&format!("{}submissions/", recruitment.path))
            .await
            .ok(),
        json!([])
    );
    campus.advance(TimeDelta::hours(1));
    let anew = recruitment.submit(&sue).await;
    assert_eq!(
        (&anew["id"], &anew["created_at"]),
        (&submission["id"], &json!(hours(1)))
    );
    campus.advance(TimeDelta::hours(24));
    sue.delete(&path).await.error(400);
    sue.get(&path).await.ok();
}

// proves S14
#[tokio::test]
async fn pending_with_reason_stays_masked_after_resubmission() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 1, SECRET).await;
    let again = sue
        .post(
            &format!("{}submissions/", recruitment.path),
            recruitment.answer("better"),
        )
        .await;
    assert!(!again.text().contains(SECRET));
    again.ok();
    let officers: Value = recruitment
        .officer
        .get(&format!(
            "{}submissions/{}/",
            recruitment.path,
            id(&submission)
        ))
        .await
        .ok();
    assert_eq!(officers["reason"], SECRET);
}
