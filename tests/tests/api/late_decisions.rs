//! What is taken back does not come back with a call of the table that arrives when nobody waits
//! for it any more: a decision, an invitation, an owner, an application, an erasure. And a mail
//! that was not handed over is not given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::Setup;
use tests::fixtures::id;
use tests::suspended::Suspended;

use crate::mail_worker::{rejections, state};

// proves X8
#[tokio::test(start_paused = true)]
async fn late_decision_does_not_come_back_after_revert() {
    for (many, seconds) in [(false, 1), (false, 0), (true, 1), (true, 0)] {
        let (suspended, campus) = Suspended::campus();
        let recruitment = campus.recruitment("chess").await;
        let submission = recruitment.submit(&campus.as_("sue")).await;
        let list = format!("{}submissions/", recruitment.path);
        let decide = async |status: u8| {
            campus.advance(TimeDelta::seconds(seconds));
            if many {
                let all = json!({ "status": status, "submissions": [id(&submission)] });
                recruitment
                    .officer
                    .post(&format!("{list}status/"), all)
                    .await
            } else {
                let one = format!("{list}{}/", id(&submission));
                recruitment
                    .officer
                    .patch(&one, json!({ "status": status }))
                    .await
            }
        };
        // The submission itself has no room for more changes of its status.
        for status in [3, 2, 3, 2] {
            decide(status).await.ok();
        }
        suspended.hold(usize::MAX, "rejected_at");
        decide(4).await.error(500);
        let late = suspended.release();
        decide(4).await.ok();
        decide(2).await.ok();
        late.arrive();
        assert_eq!(
            recruitment.officer.get(&list).await.ok()[0]["status"],
            2,
            "{many} {seconds}"
        );
        let history = format!("{list}{}/history/", id(&submission));
        let history = recruitment.officer.get(&history).await.ok();
        assert_eq!(history.as_array().map(Vec::len), Some(6));
    }
}

// proves X8
#[tokio::test(start_paused = true)]
async fn decision_with_lost_response_keeps_newer_one() {
    for careful in [false, true] {
        let (suspended, campus) = Suspended::campus();
        let recruitment = campus.recruitment("chess").await;
        let submission = recruitment.submit(&campus.as_("sue")).await;
        // The first decision of an application has a transaction with the note of it.
        let other = recruitment.submit(&campus.as_("tom")).await;
        recruitment.decide(&other, 2, "").await;
        let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
        let tag = recruitment
            .officer
            .get(&one)
            .await
            .header("etag")
            .to_owned();
        let officer = if careful {
            recruitment.officer.clone().header("if-match", tag)
        } else {
            recruitment.officer.clone()
        };
        suspended.lose_write("last_change");
        let (first, ()) = futures::join!(officer.patch(&one, json!({ "status": 4 })), async {
            suspended.stopped().await;
            let later = recruitment
                .officer
                .patch(&one, json!({ "status": 2 }))
                .await;
            later.ok();
            suspended.go();
        });
        assert_eq!(first.ok()["status"], 2, "as it is now");
        let history = recruitment
            .officer
            .get(&format!("{one}history/"))
            .await
            .ok();
        let changes = history.as_array().expect("changes").iter();
        let changes: Vec<&Value> = changes.map(|one| &one["changes"]["status"]).collect();
        assert_eq!(changes, [&json!([1, 4]), &json!([4, 2])]);
    }
}

// proves E24, I9
#[tokio::test(start_paused = true)]
async fn revoked_invitation_stays_revoked_while_mails_are_queued() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = recruitment.submit(&sue).await;
    let mut answer = recruitment.answer("again");
    answer["committee"] = recruitment.application["committees"][1]["id"].clone();
    let path = format!("{}submissions/", recruitment.path);
    let second = sue.post(&path, answer).await.created();
    for one in [&first, &second] {
        recruitment.decide(one, 4, "").await;
    }
    let only = |one: &Value| json!({ "submissions": [id(one)] });
    recruitment.send("acceptance", only(&first)).await.ok();
    let invites = "/api/clubs/chess/invites/";
    let invite = recruitment.officer.get(invites).await.ok()[0]["id"].clone();
    let invite = invite.as_str().expect("an id").to_owned();
    suspended.stop_write("INVITE#");
    let (sent, ()) = futures::join!(recruitment.send("acceptance", only(&second)), async {
        suspended.stopped().await;
        let one = format!("{invites}{invite}/");
        recruitment.officer.delete(&one).await.no_content();
        suspended.go();
    });
    assert_eq!(sent.ok()["failed"], 1);
    assert_eq!(recruitment.officer.get(invites).await.ok(), json!([]));
}

// proves E14
#[tokio::test(start_paused = true)]
async fn a_mail_that_could_not_be_prepared_is_tried_again() {
    let refuses = Arc::new(AtomicBool::new(false));
    let armed = refuses.clone();
    let hook = move |operation: &str, body: &[u8]| {
        let reads = matches!(operation, "GetItem" | "BatchGetItem");
        let is_one = String::from_utf8_lossy(body).contains("SUBMISSIONS#");
        let fails = armed.load(Ordering::Relaxed) && reads && is_one;
        let body = json!({ "__type": "ProvisionedThroughputExceededException" });
        Box::pin(async move { fails.then_some((400_u16, body)) })
            as futures::future::BoxFuture<'static, _>
    };
    let campus = Setup::default().table(Arc::new(hook)).build();
    let recruitment = rejections(&campus, 1).await;
    refuses.store(true, Ordering::Relaxed);
    campus.deliver().await;
    refuses.store(false, Ordering::Relaxed);
    assert_eq!(state(&recruitment).await.0, "queued");
    campus.deliver_all().await;
    assert_eq!(state(&recruitment).await.0, "sent");
    assert_eq!(campus.mails_but_welcomes().len(), 1);
}

// proves P18, X8
#[tokio::test(start_paused = true)]
async fn late_erasure_touches_nothing_of_returning_person() {
    let (suspended, campus) = Suspended::campus();
    campus.club("chess", &campus.as_("ada")).await;
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    campus.advance(TimeDelta::seconds(1));
    suspended.stop_write("\"erasing\"");
    let (erased, ()) = futures::join!(sue.delete("/api/settings/"), async {
        suspended.stopped().await;
        campus.erase(&sue).await;
        campus.advance(TimeDelta::minutes(1));
        let again = campus.as_("sue");
        let club = json!({ "club": "chess" });
        again.post("/api/favorites/", club).await.created();
        suspended.go();
    });
    erased.accepted();
    campus.finish_erasures().await;
    let again = campus.as_("sue");
    let all = again.get("/api/favorites/").await.ok();
    assert_eq!(all.as_array().map(Vec::len), Some(1));
}

// proves X8
#[tokio::test(start_paused = true)]
async fn removed_owner_is_not_imported_by_late_attempt() {
    let (suspended, campus) = Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.as_("sue").get("/api/settings/").await.ok();
    let admin = campus.admin();
    // A club that is not approved mails nobody.
    let waits = json!({ "approved": null });
    admin.patch("/api/clubs/chess/", waits).await.ok();
    let rows = json!([{ "code": "chess", "name": "Chess", "owner": "sue@uni.example" }]);
    let import = async || admin.post("/api/clubs/import/", rows.clone()).await;
    suspended.hold(usize::MAX, "MEMBER#");
    import().await;
    let late = suspended.release();
    import().await.ok();
    let members = "/api/clubs/chess/members/";
    let all = ada.get(members).await.ok();
    let all = all.as_array().expect("members").clone();
    let sue = all.iter().find(|one| one["username"] == "sue");
    let sue = id(sue.expect("a new owner"));
    ada.delete(&format!("{members}{sue}/")).await.no_content();
    late.arrive();
    let left = ada.get(members).await.ok();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
}
