//! What goes on late, after the opposite was done: a creation after its deletion, an erasure after
//! the person came back, a decision after an erasure.

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::id;
use tests::recount::recount;
use tests::suspended::Suspended;

use crate::lost_responses::after;

// proves R2, X17
#[tokio::test(start_paused = true)]
async fn a_request_that_was_refused_does_not_come_back() {
    let (suspended, campus) = Suspended::campus();
    let (ada, rita) = (campus.as_("ada"), campus.as_("rita"));
    campus.club("chess", &ada).await;
    let (path, wish) = ("/api/requests/membership/", json!({ "club": "chess" }));
    // Within an hour, officers are not told of a second request.
    let tim = campus.as_("tim");
    tim.post(path, wish.clone()).await.created();
    let list = "/api/clubs/chess/membershiprequests/";
    suspended.hold(usize::MAX, "\"MembershipRequest\"");
    rita.post(path, wish.clone()).await.error(500);
    let late = suspended.release();
    let request = rita.post(path, wish.clone()).await.created();
    campus.advance(TimeDelta::seconds(1));
    let one = format!("{list}{}/", id(&request));
    ada.delete(&one).await.no_content();
    ada.delete(&one).await.error(404);
    late.arrive();
    let left = ada.get(list).await.ok();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(rita.get(path).await.ok(), json!([]));
    // Nor with a repeat of a request whose process died.
    let idempotent = rita.clone().header("idempotency-key", "k");
    suspended.hold(usize::MAX, ":\"outcome\"");
    let request = idempotent.post(path, wish.clone()).await.created();
    drop(suspended.release());
    campus.advance(TimeDelta::seconds(1));
    ada.delete(&format!("{list}{}/", id(&request)))
        .await
        .no_content();
    campus.advance(TimeDelta::minutes(2));
    idempotent.post(path, wish.clone()).await.error(404);
    // She may ask again.
    campus.advance(TimeDelta::seconds(1));
    rita.post(path, wish).await.created();
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P18, X8
#[tokio::test(start_paused = true)]
async fn late_erasure_keeps_newer_submission() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    sue.delete(&format!("/api/submissions/{}/", id(&first)))
        .await
        .no_content();
    campus.advance(TimeDelta::seconds(1));
    sue.delete("/api/settings/").await.accepted();
    campus.advance(TimeDelta::seconds(5));
    // A run of the timer is slow, and another one is faster.
    suspended.stop_answer("\"gsi1\"");
    let (erased, ()) = futures::join!(campus.campus.ticker.tick(), async {
        suspended.stopped().await;
        campus.finish_erasures().await;
        campus.advance(TimeDelta::minutes(1));
        recruitment.submit(&campus.as_("sue")).await;
        suspended.go();
    });
    erased.expect("a table");
    let again = campus.as_("sue");
    let own = again.get("/api/submissions/").await.ok();
    assert_eq!(own[0]["responses"][0]["text"], "Because.");
    let list = format!("{}submissions/", recruitment.path);
    let seen = recruitment.officer.get(&list).await.ok();
    assert_eq!(seen[0]["user"]["username"], "sue");
    assert_eq!(recount(&campus), [""; 0]);
}

// proves P14, P15
#[tokio::test(start_paused = true)]
async fn reasons_of_withdrawn_submission_go_with_person_and_application() {
    for is_erased in [true, false] {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let sue = campus.as_("sue");
        let submission = recruitment.submit(&sue).await;
        recruitment.decide(&submission, 2, "planted reason").await;
        recruitment.decide(&submission, 1, "").await;
        sue.delete(&format!("/api/submissions/{}/", id(&submission)))
            .await
            .no_content();
        if is_erased {
            campus.erase(&sue).await;
        } else {
            recruitment
                .officer
                .delete(&recruitment.path)
                .await
                .no_content();
        }
        let stored = json!(campus.stored()).to_string();
        assert!(!stored.contains("planted reason"), "{is_erased}");
    }
}

// proves D3, D5
#[tokio::test(start_paused = true)]
async fn partly_stored_bulk_decision_is_not_reported_as_refused() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let mut ids = vec![];
    for n in 0..51 {
        ids.push(id(&recruitment.submit(&campus.as_(&format!("s{n}"))).await));
    }
    let last = Box::leak(format!("\"{:016}\"", ids[50]).into_boxed_str());
    let reasons = ids.iter().map(|id| json!({ "id": id, "reason": "x" }));
    let all = json!({ "submissions": reasons.collect::<Vec<_>>() });
    let path = format!("{}submissions/reason/", recruitment.path);
    recruitment.close().await;
    suspended.stop_write(last);
    let (decided, ()) = futures::join!(recruitment.officer.post(&path, all.clone()), async {
        suspended.stopped().await;
        let s50 = campus.as_("s50");
        recruitment.decide(&json!({ "id": ids[50] }), 4, "").await;
        campus.erase(&s50).await;
        suspended.go();
    });
    assert_eq!(decided.json()["code"], "outcome_unknown");
    let again = recruitment.officer.post(&path, all).await;
    assert_eq!(again.json()["code"], "erased");
}

// proves A6, H29
#[tokio::test(start_paused = true)]
async fn request_that_removed_committees_is_not_reported_as_unchanged() {
    for other in [json!({ "prompt": "Why us?" }), json!({ "name": "Winter" })] {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let officer = &recruitment.officer;
        let tag = officer
            .get(&recruitment.path)
            .await
            .header("etag")
            .to_owned();
        let careful = officer.clone().header("if-match", tag);
        let committees = json!([recruitment.application["committees"][0]]);
        let change = json!({ "committees": committees, "description": "New" });
        let is_question = other["name"].is_null();
        let path = if is_question {
            format!("{}questions/{}/", recruitment.path, recruitment.question)
        } else {
            recruitment.path.clone()
        };
        let (response, ()) = futures::join!(careful.patch(&recruitment.path, change), async {
            after(300).await;
            officer.patch(&path, other).await.ok();
        });
        assert_eq!(response.json()["code"], "outcome_unknown");
        let now = officer.get(&recruitment.path).await.ok();
        assert_eq!(now["committees"].as_array().map(Vec::len), Some(1));
        assert_eq!(now["description"], "");
    }
}

// proves P16
#[tokio::test(start_paused = true)]
async fn an_admin_who_left_a_club_can_restore_it() {
    let campus = TestCampus::new();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    let person = id(&admin.get("/api/settings/").await.ok());
    let members = "/api/clubs/chess/members/";
    let own = ada
        .post(members, json!({ "person": person }))
        .await
        .created();
    admin
        .delete(&format!("{members}{}/", id(&own)))
        .await
        .no_content();
    ada.delete("/api/clubs/chess/").await.no_content();
    campus.erase(&ada).await;
    campus.advance(TimeDelta::seconds(1));
    let restored = json!({ "archived": false });
    admin.patch("/api/clubs/chess/", restored).await.ok();
    assert_eq!(admin.get(members).await.ok()[0]["role"], 0);
}
