//! Erasures that are cut short, and requests beside an erasure: nothing of the person is left

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use serde_json::json;
use tests::fixtures::{MailedLink, id};
use tests::recount::recount;
use tests::suspended::Suspended;
use tests::{Setup, TestCampus};

use crate::erasure::{planted, sue_on};

// proves P17
#[tokio::test(start_paused = true)]
async fn an_erasure_that_is_cut_short_anywhere_goes_on() {
    let (first, _, sue, _) = sue_on(TestCampus::new()).await;
    // The first run of the timer looks at many hours.
    first.tick().await;
    for cut in 1.. {
        let (calls, armed) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicUsize::new(usize::MAX)),
        );
        let (counted, limit) = (calls.clone(), armed.clone());
        let setup = Setup::default().table(Arc::new(move |_: &str, _: &[u8]| {
            let fails = counted.fetch_add(1, Ordering::SeqCst) >= limit.load(Ordering::SeqCst);
            Box::pin(async move {
                fails.then(|| {
                    (
                        400,
                        json!({ "__type": "ResourceNotFoundException", "message": "cut" }),
                    )
                })
            })
        }));
        let campus = setup.like(&first).await.build();
        let sue = sue.clone().at(&campus);
        armed.store(calls.load(Ordering::SeqCst) + cut, Ordering::SeqCst);
        let begun = sue.delete("/api/settings/").await.status == 202;
        campus.advance(TimeDelta::seconds(5));
        let done = begun && campus.campus.ticker.tick().await.is_ok();
        armed.store(usize::MAX, Ordering::SeqCst);
        if !begun {
            sue.delete("/api/settings/").await;
        }
        campus.finish_erasures().await;
        assert_eq!(
            (planted(&campus), recount(&campus)),
            (vec![], vec![]),
            "cut after {cut} calls"
        );
        if done {
            assert!(cut > 15, "only {cut} calls");
            break;
        }
    }
}

// proves P16, P17
#[tokio::test(start_paused = true)]
async fn concurrent_work_survives_no_erasure() {
    for milliseconds in [1, 6, 11, 16, 21, 40, 60, 80, 100, 150] {
        let slow = Setup::default().latency(5);
        let (campus, recruitment, sue, decided) = sue_on(slow.build()).await;
        // The first run of the timer looks at many hours.
        campus.tick().await;
        let ada = &recruitment.officer;
        let person = id(&sue.get("/api/settings/").await.ok());
        let link = MailedLink::sent_to(&campus, "planted@uni.example");
        let submit = format!("{}submissions/", recruitment.path);
        let one = format!("{submit}{}/", id(&decided));
        let mut answer = recruitment.answer("I am Planted.");
        answer["committee"] = recruitment.application["committees"][1]["id"].clone();
        let beside = async {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            futures::join!(
                ada.post("/api/clubs/go/members/", json!({ "person": person })),
                link.accept(&sue),
                sue.post("/api/requests/membership/", json!({ "club": "go" })),
                sue.post(
                    "/api/clubs/",
                    json!({ "name": "Planted club", "code": "own" })
                ),
                sue.post(&submit, answer),
                sue.patch(
                    "/api/settings/",
                    json!({ "graduation_year": 2040, "school": [] })
                ),
                sue.post("/api/favorites/", json!({ "club": "bridge" })),
                sue.post("/api/subscriptions/", json!({ "club": "bridge" })),
                sue.delete("/api/favorites/chess/"),
                recruitment.send("rejection", json!({})),
                ada.patch(&one, json!({ "status": 3, "reason": "Planted again" })),
            )
        };
        let erasure = async {
            let begun = sue.delete("/api/settings/").await;
            if begun.status == 202 {
                campus.finish_erasures().await;
            }
            begun
        };
        let (erased, others) = futures::join!(erasure, beside);
        assert_eq!(recount(&campus), [""; 0], "after {milliseconds} ms");
        // If her club was created first, she is its only owner and cannot be erased.
        let club = others.3.status == 201;
        assert_eq!(
            erased.status.as_u16(),
            if club { 400 } else { 202 },
            "after {milliseconds} ms: {}",
            erased.text()
        );
        if !club {
            campus.deliver().await;
            assert_eq!(planted(&campus), [""; 0], "after {milliseconds} ms");
        }
    }
}

// If the transaction did not check the profile, a favorite that is created between the last read of
// the erasure and its end would stay.
// proves P17
#[tokio::test(start_paused = true)]
async fn no_favorite_is_made_of_who_is_erased() {
    for milliseconds in 0..150 {
        let campus = Setup::default().latency(5).build();
        campus.club("chess", &campus.as_("ada")).await;
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        campus.tick().await;
        let ((), _) = futures::join!(campus.erase(&sue), async {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            sue.post("/api/favorites/", json!({ "club": "chess" }))
                .await
        });
        let of = |kind: &str| {
            campus
                .stored()
                .into_iter()
                .filter(|item| item["type"]["S"] == kind)
                .count()
        };
        assert!(
            of("Favorite") == 0 || of("Person") == 2,
            "a favorite without a person, after {milliseconds} ms"
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves P17
#[tokio::test(start_paused = true)]
async fn changed_claims_restore_nothing_of_who_is_erased() {
    for stopped in ["WORDS#", "\"erasing\""] {
        let (suspended, campus) = Suspended::campus();
        let sue = campus.as_("sue");
        sue.get("/api/settings/").await.ok();
        campus.advance(TimeDelta::seconds(1));
        let claims = json!({ "email": "planted@uni.example", "name": "Planted Name" });
        let renamed = campus.client(&claims, "sue");
        suspended.stop_write(stopped);
        if stopped == "WORDS#" {
            let (response, ()) = futures::join!(renamed.get("/api/settings/"), async {
                suspended.stopped().await;
                sue.delete("/api/settings/").await.accepted();
                suspended.go();
            });
            assert_eq!(response.json()["code"], "erasing");
        } else {
            let (response, ()) = futures::join!(sue.delete("/api/settings/"), async {
                suspended.stopped().await;
                renamed.get("/api/settings/").await.ok();
                suspended.go();
            });
            response.accepted();
        }
        campus.finish_erasures().await;
        assert_eq!(planted(&campus), [""; 0], "{stopped}");
        let left = json!(campus.stored()).to_string();
        assert!(!left.contains("sue@uni.example"), "{stopped}");
    }
}

// proves P15, P17
#[tokio::test(start_paused = true)]
async fn a_reason_that_is_given_during_the_erasure_goes_too() {
    let (suspended, campus) = Suspended::campus();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment.decide(&submission, 2, "").await;
    recruitment.close().await;
    sue.delete("/api/settings/").await.accepted();
    campus.advance(TimeDelta::seconds(5));
    suspended.stop_answer("\"gsi1\"");
    let (done, ()) = futures::join!(campus.campus.ticker.tick(), async {
        suspended.stopped().await;
        campus.advance(TimeDelta::seconds(10));
        recruitment.decide(&submission, 3, "planted reason").await;
        suspended.go();
    });
    done.expect("a table");
    assert_eq!(planted(&campus), [""; 0]);
}

// proves P18
#[tokio::test(start_paused = true)]
async fn a_late_request_archives_no_club_of_returning_person() {
    let (suspended, campus) = Suspended::campus();
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    campus.advance(TimeDelta::seconds(1));
    suspended.stop_answer("\"gsi1\"");
    let late = sue.delete("/api/settings/?archive=true");
    let (late, ()) = futures::join!(late, async {
        suspended.stopped().await;
        campus.erase(&sue).await;
        campus.advance(TimeDelta::minutes(1));
        campus.club("chess", &campus.as_("sue")).await;
        suspended.go();
    });
    late.accepted();
    let club = campus.as_("sue").get("/api/clubs/chess/").await.ok();
    assert_eq!(club["is_member"], 0);
}

// An older release may find what a newer one has stored.
// proves P17
#[tokio::test(start_paused = true)]
async fn an_item_that_cannot_be_read_locks_nobody_out() {
    let campus = TestCampus::new();
    let sue = campus.as_("sue");
    sue.get("/api/settings/").await.ok();
    let stored = campus.stored();
    let profile = stored.iter().find(|item| item["type"]["S"] == "Person");
    let unreadable = json!({
        "pk": profile.expect("a profile")["pk"], "sk": { "S": "FAVORITE#0000000000000001" },
        "type": { "S": "Favorite" }, "club": { "N": "1" },
    });
    let put = json!({ "TableName": local::table::TABLE, "Item": unreadable });
    campus.campus.engine.json("PutItem", &put).expect("a write");
    campus.erase(&sue).await;
    sue.get("/api/settings/").await.ok();
}
