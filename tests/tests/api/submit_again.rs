//! `/clubs/{club}/applications/{application}/submissions/`: what is sent again, forms that changed,
//! and what remains after an erasure

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, hours, id};
use tests::suspended::Suspended;

pub(crate) async fn campus() -> (TestCampus, Recruitment) {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    (campus, recruitment)
}

// proves X6
#[tokio::test]
async fn the_last_five_keys_are_answered_with_what_is_stored() {
    let (campus, recruitment) = campus().await;
    let path = format!("{}submissions/", recruitment.path);
    let send = async |key: &str, text: &str| {
        let idempotent = campus.as_("sue").header("idempotency-key", key);
        idempotent.post(&path, recruitment.answer(text)).await
    };
    let first = send("one", "1").await.created();
    for (key, text) in [("two", "2"), ("three", "3"), ("four", "4"), ("five", "5")] {
        send(key, text).await.ok();
    }
    // An officer changes the form, and the deadline passes. Neither matters for a repeat.
    let question = format!("{}questions/{}/", recruitment.path, recruitment.question);
    recruitment.officer.delete(&question).await.no_content();
    campus.advance(TimeDelta::hours(20));
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "is_active": false }))
        .await
        .ok();
    for (key, text, status) in [("one", "1", 201), ("three", "3", 200), ("five", "5", 200)] {
        let again = send(key, text).await;
        assert_eq!(
            (again.status.as_u16(), again.header("idempotency-replayed")),
            (status, "true")
        );
        let again = again.json();
        assert_eq!(
            (&again["id"], &again["revision"]),
            (&first["id"], &json!(5))
        );
        assert_eq!(
            again["responses"][0]["text"], "5",
            "the newest answers stay"
        );
    }
    assert_eq!(send("two", "other").await.json()["code"], "key_reused");
    let committee = &recruitment.application["committees"][0]["id"];
    let mut elsewhere = recruitment.answer("1");
    elsewhere["committee"] = committee.clone();
    let idempotent = campus.as_("sue").header("idempotency-key", "one");
    assert_eq!(
        idempotent.post(&path, elsewhere).await.json()["code"],
        "key_reused"
    );
    assert_eq!(
        campus
            .as_("sue")
            .get("/api/submissions/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}

// proves X1
#[tokio::test]
async fn a_key_that_is_used_again_after_a_day_protects_again() {
    let (campus, recruitment) = campus().await;
    let later = json!({
        "application_end_time": hours(72), "result_release_time": hours(73),
    });
    recruitment
        .officer
        .patch(&recruitment.path, later)
        .await
        .ok();
    let path = format!("{}submissions/", recruitment.path);
    let send = async |text: &str| {
        let idempotent = campus.as_("sue").header("idempotency-key", "one");
        idempotent.post(&path, recruitment.answer(text)).await
    };
    send("1").await.created();
    campus.advance(TimeDelta::hours(25));
    send("2").await.ok();
    campus.advance(TimeDelta::hours(1));
    assert_eq!(send("3").await.json()["code"], "key_reused");
    let again = send("2").await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.ok()["responses"][0]["text"], "2");
}

// proves S21
#[tokio::test]
async fn a_tab_that_is_behind_replaces_nothing() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let seen = |text: &str, revision: Value| {
        let mut body = recruitment.answer(text);
        body["revision"] = revision;
        body
    };
    let first = sue.post(&path, seen("one", json!(0))).await.created();
    let own = format!("/api/submissions/{}/", id(&first));
    // Nobody who has not seen it replaces it. The same answers are no conflict: the answer to the
    // first request was lost.
    sue.post(&path, seen("other", json!(0))).await.error(412);
    let again = sue.post(&path, seen("one", json!(0))).await.ok();
    assert_eq!(again["revision"], 1);
    let newer = sue.post(&path, seen("two", json!(1))).await.ok();
    assert_eq!(newer["revision"], 2);
    sue.post(&path, seen("three", json!(1))).await.error(412);
    assert_eq!(sue.get(&own).await.ok()["revision"], 2);
    // Who does not say it replaces what is there.
    sue.post(&path, recruitment.answer("four")).await.ok();
    sue.post(&path, seen("four and more", json!(null)))
        .await
        .ok();
    sue.delete(&own).await.no_content();
    sue.post(&path, seen("five", json!(4))).await.error(412);
    sue.post(&path, seen("five", json!(0))).await.created();
    sue.post(&path, seen("six", json!("x")))
        .await
        .invalid(&["revision"]);
}

// proves S21
#[tokio::test(start_paused = true)]
async fn concurrent_tabs_give_one_conflict() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let seen = |text: &str| {
        let mut body = recruitment.answer(text);
        body["revision"] = json!(0);
        body
    };
    suspended.stop_write("\"revision\"");
    let (late, ()) = futures::join!(sue.post(&path, seen("late")), async {
        suspended.stopped().await;
        sue.post(&path, seen("other")).await.created();
        suspended.go();
    });
    late.error(412);
    let own = sue.get("/api/submissions/").await.ok();
    assert_eq!(own[0]["responses"][0]["text"], "other");
    assert_eq!(own[0]["revision"], 1);
}

// proves S19, S2, T5
#[tokio::test]
async fn equal_answers_change_nothing_and_are_confirmed_once() {
    let (campus, recruitment) = campus().await;
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "confirmation": true }))
        .await
        .ok();
    let (sue, path) = (
        campus.as_("sue"),
        format!("{}submissions/", recruitment.path),
    );
    let first = recruitment.submit(&sue).await;
    campus.deliver().await;
    campus.advance(TimeDelta::minutes(1));
    for _ in 0..3 {
        let again = sue.post(&path, recruitment.answer("Because.")).await.ok();
        assert_eq!(again, first);
    }
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
    // What was received later is newer, although it changed nothing.
    for n in 0..8 {
        sue.post(&path, recruitment.answer(&format!("{n}")))
            .await
            .ok();
    }
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 5, "five confirmations a day");
    let own = format!("/api/submissions/{}/", id(&first));
    for _ in 0..2 {
        sue.delete(&own).await.no_content();
        sue.post(&path, recruitment.answer("Anew.")).await.created();
    }
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 5, "also after a withdrawal");
    campus.advance(TimeDelta::hours(23) + TimeDelta::minutes(59));
    let last = sue.post(&path, recruitment.answer("the last")).await.ok();
    assert_eq!(last["revision"], 12);
    // Also when they were told a decision.
    recruitment.decide(&last, 2, "no").await;
    recruitment.send("rejection", json!({})).await.ok();
    campus.deliver().await;
    let shown = recruitment.own(&sue, &last).await;
    let again = sue.post(&path, recruitment.answer("the last")).await.ok();
    assert_eq!(tests::fixtures::in_own_list(&again, "chess"), shown);
    let other = sue.post(&path, recruitment.answer("another")).await;
    assert_eq!(other.json()["code"], "application_closed");
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 7);
}

// proves H29, S17, N9
#[tokio::test]
async fn answer_to_deleted_question_is_reported_and_removable() {
    let (campus, recruitment) = campus().await;
    let (sue, draft) = (campus.as_("sue"), format!("{}draft/", recruitment.path));
    let save = |version: u32, text: Value| {
        let answer = json!({ "question": recruitment.question, "text": text, "version": version });
        json!({ "responses": [answer] })
    };
    sue.patch(&draft, save(0, json!("typed"))).await.ok();
    let question = format!("{}questions/{}/", recruitment.path, recruitment.question);
    recruitment.officer.delete(&question).await.no_content();
    let path = format!("{}submissions/", recruitment.path);
    let refused = sue.post(&path, recruitment.answer("x")).await;
    assert_eq!(refused.json()["code"], "question_gone");
    refused.invalid(&["responses.0.question"]);
    let mut unknown = recruitment.answer("x");
    unknown["responses"][0]["question"] = json!(7);
    assert_eq!(
        sue.post(&path, unknown.clone()).await.json()["code"],
        "invalid"
    );
    // One that is gone and one that never was: the client can still drop what is gone.
    let both = [&unknown, &recruitment.answer("x")].map(|body| body["responses"][0].clone());
    let both = sue.post(&path, json!({ "responses": both })).await;
    assert_eq!(both.json()["code"], "question_gone");
    assert_eq!(sue.get(&draft).await.ok()["responses"][0]["text"], "typed");
    sue.patch(&draft, save(1, json!("more")))
        .await
        .invalid(&["responses.0.question"]);
    assert_eq!(
        sue.patch(&draft, save(1, Value::Null)).await.ok()["responses"],
        json!([])
    );
    // A committee that is gone.
    let committee = id(&recruitment.application["committees"][0]);
    let other = json!({ "question_type": 1, "prompt": "And?" });
    let other = recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), other)
        .await
        .created();
    let path = format!("{draft}?committee={committee}");
    let body = json!({ "responses": [{ "question": other["id"], "text": "t", "version": 0 }] });
    sue.patch(&path, body).await.ok();
    let left = json!({ "committees": [recruitment.application["committees"][1]] });
    recruitment
        .officer
        .patch(&recruitment.path, left)
        .await
        .ok();
    let found = sue.get(&path).await;
    let tag = found.header("etag").to_owned();
    assert_eq!(found.ok()["committee"], committee);
    sue.clone()
        .header("if-match", "\"old\"")
        .delete(&path)
        .await
        .error(412);
    sue.clone()
        .header("if-match", tag)
        .delete(&path)
        .await
        .no_content();
    sue.get(&path).await.error(400);
    sue.header("if-match", "*").delete(&draft).await.error(412);
}

// proves D5
#[tokio::test(start_paused = true)]
async fn erased_applicants_submission_does_not_change() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let sent = recruitment.submit(&sue).await;
    let other = recruitment.submit(&campus.as_("bob")).await;
    recruitment.decide(&sent, 2, "Because.").await;
    recruitment.close().await;
    campus.erase(&sue).await;
    let path = format!("{}submissions/{}/", recruitment.path, id(&sent));
    let erased = async |response: tests::Response| {
        assert_eq!(response.json()["code"], "erased", "{}", response.text());
        response.error(400);
    };
    erased(
        recruitment
            .officer
            .patch(&path, json!({ "reason": "x" }))
            .await,
    )
    .await;
    let review = json!({ "score": 3, "comment": null });
    erased(
        recruitment
            .officer
            .put(&format!("{path}reviews/mine/"), review)
            .await,
    )
    .await;
    let own = format!("{path}reviews/mine/");
    erased(recruitment.officer.delete(&own).await).await;
    let both = json!({ "submissions": [other["id"], sent["id"]], "status": 4 });
    erased(
        recruitment
            .officer
            .post(&format!("{}submissions/status/", recruitment.path), both)
            .await,
    )
    .await;
    let path = format!("{}submissions/{}/", recruitment.path, id(&other));
    assert_eq!(recruitment.officer.get(&path).await.ok()["status"], 1);
}

// proves H29, W4, W7
#[tokio::test(start_paused = true)]
async fn blind_round_shows_nothing_and_erased_reviewer_leaves_no_link() {
    let (campus, recruitment) = campus().await;
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "blind_reviews": true }))
        .await
        .ok();
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 10)
        .await;
    let sent = recruitment.submit(&campus.as_("sue")).await;
    let path = format!(
        "{}submissions/{}/reviews/mine/",
        recruitment.path,
        id(&sent)
    );
    let mine = bob
        .put(&path, json!({ "score": 5, "comment": "Yes." }))
        .await;
    let tag = mine.header("etag").to_owned();
    mine.ok();
    let review = json!({ "score": 4, "comment": null });
    bob.clone()
        .header("if-match", "\"other\"")
        .put(&path, review.clone())
        .await
        .error(412);
    let ada = &recruitment.officer;
    ada.clone()
        .header("if-match", "*")
        .put(&path, review.clone())
        .await
        .error(412);
    bob.clone()
        .header("if-match", tag)
        .put(&path, review)
        .await
        .ok();
    let found = async |client: &tests::Client, reviewed: &str| {
        let list = format!("{}submissions/?reviewed={reviewed}", recruitment.path);
        client.get(&list).await.ok().as_array().map_or(0, Vec::len)
    };
    assert_eq!(
        (found(ada, "none").await, found(ada, "others").await),
        (1, 0)
    );
    assert_eq!(
        (found(&bob, "none").await, found(&bob, "mine").await),
        (0, 1)
    );
    // Bob is erased and comes back: the review stays, and is nobody's.
    campus.erase(&bob).await;
    let bob = campus.member("chess", ada, "bob", 10).await;
    bob.get(&path.replace("mine/", "")).await.ok();
    assert_eq!(bob.get(&path.replace("mine/", "")).await.ok(), json!([]));
    assert_eq!(
        (found(&bob, "none").await, found(&bob, "mine").await),
        (1, 0)
    );
    ada.put(&path, json!({ "score": 3, "comment": null }))
        .await
        .ok();
    let all = ada.get(&path.replace("mine/", "")).await.ok();
    let of_nobody = |review: &&Value| review["by"].is_null();
    let left = all.as_array().into_iter().flatten().find(of_nobody);
    assert_eq!(left.map(|review| &review["score"]), Some(&json!(4)));
    let shown = format!("{}submissions/{}/", recruitment.path, id(&sent));
    assert_eq!(ada.get(&shown).await.ok()["score_average"], 3.5);
}

// proves H29
#[tokio::test]
async fn a_withdrawal_takes_the_tag_of_the_submission() {
    let (campus, recruitment) = campus().await;
    let sue = campus.as_("sue");
    let path = format!("/api/submissions/{}/", id(&recruitment.submit(&sue).await));
    let old = sue.get(&path).await.header("etag").to_owned();
    let submissions = format!("{}submissions/", recruitment.path);
    sue.post(&submissions, recruitment.answer("Newer."))
        .await
        .ok();
    sue.clone()
        .header("if-match", old)
        .delete(&path)
        .await
        .error(412);
    let now = sue.get(&path).await.header("etag").to_owned();
    sue.clone()
        .header("if-match", now)
        .delete(&path)
        .await
        .no_content();
    // Where there is nothing, nothing has the tag.
    sue.delete("/api/submissions/7/").await.error(404);
    let tagged = sue.header("if-match", "*");
    tagged.delete("/api/submissions/7/").await.error(412);
}
