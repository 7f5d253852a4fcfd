//! Two requests about an interview that overlap: the one that was received later is kept, whichever
//! of them writes first

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tests::{Setup, TestCampus};

use crate::lost_responses::after;
use crate::slots::Interviewing;

/// A campus whose next writes take long, once `left` says how many: of two, the first one 300 ms
/// and the second one 500 ms; a single one 500 ms. The other request has read by then.
fn slow_writes(left: &Arc<AtomicUsize>) -> TestCampus {
    let left = left.clone();
    let hook = move |operation: &str, _: &[u8]| {
        let is_write = ["UpdateItem", "TransactWriteItems"].contains(&operation);
        let less = |n: usize| n.checked_sub(1);
        let step = is_write
            .then(|| {
                left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
                    .ok()
            })
            .flatten();
        Box::pin(async move {
            after(match step {
                Some(2) => 300,
                Some(_) => 500,
                None => 0,
            })
            .await;
            None
        }) as _
    };
    Setup::default()
        .table(Arc::new(hook))
        .running_clock()
        .build()
}

// proves K7
#[tokio::test(start_paused = true)]
async fn cancellation_undoes_earlier_booking() {
    let left = Arc::default();
    let campus = slow_writes(&left);
    let there = Interviewing::new_now(&campus).await;
    let slot = there.slot(campus.slot_in(30)).await;
    let interview = format!("{}interview/", there.own());
    left.store(2, Ordering::SeqCst);
    let (booked, cancelled) = futures::join!(there.book(slot), async {
        after(100).await;
        there.sue.delete(&interview).await
    });
    cancelled.no_content();
    booked.ok();
    assert_eq!(there.interview().await["state"], "invited");
    assert_eq!(there.shown(slot).await["booked"], 0);
}

// proves K7
#[tokio::test(start_paused = true)]
async fn same_slot_booking_outlasts_earlier_cancellation() {
    let left = Arc::default();
    let campus = slow_writes(&left);
    let there = Interviewing::new_now(&campus).await;
    let slot = there.slot(campus.slot_in(30)).await;
    there.book(slot).await.ok();
    after(10).await;
    let interview = format!("{}interview/", there.own());
    left.store(2, Ordering::SeqCst);
    let (cancelled, booked) = futures::join!(there.sue.delete(&interview), async {
        after(100).await;
        there.book(slot).await
    });
    cancelled.no_content();
    assert_eq!(booked.ok()["state"], "booked");
    assert_eq!(there.interview().await["state"], "booked");
    assert_eq!(there.shown(slot).await["booked"], 1);
    // The same by an officer.
    after(10).await;
    left.store(2, Ordering::SeqCst);
    let (cancelled, booked) = futures::join!(there.sue.delete(&interview), async {
        after(100).await;
        there.assign(slot).await
    });
    cancelled.no_content();
    assert_eq!(booked.ok()["state"], "booked");
    assert_eq!(there.interview().await["state"], "booked");
}

// proves K11
#[tokio::test(start_paused = true)]
async fn a_withdrawal_and_a_change_of_the_slot_agree() {
    let left = Arc::default();
    let campus = slow_writes(&left);
    let there = Interviewing::new_now(&campus).await;
    let slot = there.slot(campus.slot_in(30)).await;
    there.book(slot).await.ok();
    after(10).await;
    left.store(1, Ordering::SeqCst);
    let path = format!("{}slots/{slot}/", there.recruitment.path);
    let (own, elsewhere) = (there.own(), json!({ "location": "Room 9" }));
    let (withdrawn, changed) = futures::join!(there.sue.delete(&own), async {
        after(100).await;
        there.recruitment.officer.patch(&path, elsewhere).await
    });
    changed.ok();
    withdrawn.no_content();
    assert_eq!(there.sue.get(&there.own()).await.status, 404);
    assert_eq!(there.shown(slot).await["booked"], 0);
}

// proves K8
#[tokio::test(start_paused = true)]
async fn attendance_belongs_to_its_interview() {
    let left = Arc::default();
    let campus = slow_writes(&left);
    let there = Interviewing::new_now(&campus).await;
    let (first, second) = (
        there.slot(campus.slot_in(30)).await,
        there.slot(campus.slot_in(40)).await,
    );
    there.book(first).await.ok();
    after(10).await;
    left.store(1, Ordering::SeqCst);
    let (path, body) = (there.path(), json!({ "attended": true }));
    let (noted, moved) = futures::join!(there.recruitment.officer.patch(&path, body), async {
        after(100).await;
        there.book(second).await
    });
    moved.ok();
    let noted = noted.ok();
    assert_eq!(noted["slot"]["id"], second);
    assert_eq!(noted["attended"], json!(null));
}
