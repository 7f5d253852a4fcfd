//! What is made while a call of the table arrives when nobody waits for it any more: it is not
//! removed by an erasure before it, does not come back after its deletion, and is not on for a club
//! that is deleted.

use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::domain::TokenScope;
use tests::fixtures::id;
use tests::suspended::Suspended;

use crate::slots::slot;
use crate::tokens::with_scopes;
use crate::webhooks::HOOKS;

// proves P18, X8
#[tokio::test(start_paused = true)]
async fn late_erasure_keeps_tokens_of_returning_person() {
    let (suspended, campus) = Suspended::campus();
    let sue = campus.as_("sue");
    with_scopes(&campus, &sue, &[TokenScope::ClubsRead]).await;
    suspended.hold(1, "\"TOKEN#");
    campus.erase(&sue).await;
    let late = suspended.release();
    campus.advance(TimeDelta::minutes(1));
    let sue = campus.as_("sue");
    let token = with_scopes(&campus, &sue, &[TokenScope::ClubsRead]).await;
    late.arrive();
    token.get("/api/clubs/").await.ok();
}

// proves Z10
#[tokio::test(start_paused = true)]
async fn no_webhook_is_on_for_a_club_that_was_deleted_meanwhile() {
    for is_new in [true, false] {
        let (suspended, campus) = Suspended::campus();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let body = json!({ "url": "https://chat.example/h", "types": ["club.updated"] });
        let off =
            json!({ "url": "https://chat.example/h", "types": ["club.updated"], "active": false });
        let one = ada.post(HOOKS, off).await.created();
        let one = format!("{HOOKS}{}/", id(&one));
        suspended.stop_write("\"WEBHOOK#");
        let work = async {
            if is_new {
                ada.post(HOOKS, body).await
            } else {
                ada.patch(&one, json!({ "active": true })).await
            }
        };
        let (response, ()) = futures::join!(work, async {
            suspended.stopped().await;
            ada.delete("/api/clubs/chess/").await.no_content();
            suspended.go();
        });
        response.error(404);
        let on = |item: &&Value| item["type"]["S"] == "Webhook" && item["active"]["BOOL"] == true;
        assert_eq!(campus.stored().iter().filter(on).count(), 0, "{is_new}");
    }
}

// proves P17, X17
#[tokio::test(start_paused = true)]
async fn late_slot_keeps_nothing_of_erased_interviewer() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    let mut body = slot(30);
    body["interviewers"] = json!([id(&bob.get("/api/settings/").await.ok())]);
    suspended.hold(usize::MAX, "\"ASKING#");
    let path = format!("{}slots/", recruitment.path);
    recruitment.officer.post(&path, body).await.error(500);
    let late = suspended.release();
    campus.erase(&bob).await;
    late.arrive();
    let is_his = |item: &&Value| item["type"]["S"] == "OwnInterviews";
    assert_eq!(campus.stored().iter().filter(is_his).count(), 0);
}
