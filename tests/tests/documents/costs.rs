//! The price list: calls of DynamoDB, sequential rounds and capacity units of every operation, as
//! the engine counts them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::PoisonError;

use shared::db::usage::Usage;
use tests::operations;

use super::costs_rig::{Rights, Row, Witness, usual};
use super::{
    costs_calendars, costs_changes, costs_features, costs_interviews, costs_lists, costs_long,
    costs_notices, costs_people, costs_recruitment,
};

async fn measure() -> (Vec<Row>, Rights) {
    let witness = Witness::default();
    let mut rows = usual(&witness).await;
    rows.extend(costs_people::clubs_and_members(&witness).await);
    rows.extend(costs_people::requests_and_invites(&witness).await);
    rows.extend(costs_lists::lists(&witness).await);
    rows.extend(costs_recruitment::form(&witness).await);
    rows.extend(Box::pin(costs_recruitment::submissions(&witness)).await);
    rows.extend(costs_recruitment::accept(&witness).await);
    rows.extend(costs_long::long_texts(&witness).await);
    rows.extend(costs_features::recruitment(&witness).await);
    rows.extend(Box::pin(costs_features::files(&witness)).await);
    rows.extend(Box::pin(costs_features::tokens(&witness)).await);
    rows.extend(costs_features::imports(&witness).await);
    rows.extend(Box::pin(costs_interviews::interviews(&witness)).await);
    rows.extend(Box::pin(costs_calendars::calendars(&witness)).await);
    rows.extend(Box::pin(costs_notices::notices(&witness)).await);
    rows.extend(Box::pin(costs_changes::changes(&witness)).await);
    rows.extend(Box::pin(costs_changes::webhooks(&witness)).await);
    // The rows of an operation stand together.
    let order: Vec<&str> = operations::all().iter().map(|one| one.id).collect();
    rows.sort_by_key(|row| {
        let place = order.iter().position(|id| *id == row.operation);
        place.unwrap_or(order.len())
    });
    let rights = std::mem::take(&mut witness.lock().unwrap_or_else(PoisonError::into_inner).1);
    (rows, rights)
}

fn document(rows: &[Row]) -> String {
    let mut text = include_str!("costs_head.md").to_owned();
    for Row {
        operation,
        note,
        usage,
        rounds,
    } in rows
    {
        let _ = writeln!(
            text,
            "| {operation} | {note} | {} | {rounds} | {} | {} |",
            usage.calls, usage.read_units, usage.write_units
        );
    }
    text.push_str(include_str!("costs_notes.md"));
    text
}

/// What requests may cost at most, and what must not change their price.
fn check_limits(rows: &[Row]) {
    let price = |operation: &str, note: &str| -> (Usage, u128) {
        let row = rows
            .iter()
            .find(|row| row.operation == operation && row.note == note)
            .unwrap_or_else(|| panic!("{operation} {note} has no row"));
        (row.usage, row.rounds)
    };
    // The number of submissions changes neither the price of a submission nor that of a decision.
    for operation in ["submit", "update_decision"] {
        assert_eq!(
            price(operation, "10 submissions there"),
            price(operation, "2,000 submissions there")
        );
    }
    // The texts of a club and of an application change the price of a submission by nothing.
    let wordy = "18 answers of 5 KB, club and application with texts of 172 KB";
    let (short, rounds) = price("submit", "18 answers of 5 KB");
    assert_eq!(short, price("submit", wordy).0);
    assert!(rounds <= 3 && short.write_units <= 8.0);
    // However long the answers are, only a submission writes them.
    let huge = "18 answers of 300 KB";
    for (operation, note, most) in [
        ("update_decision", huge, 4.0),
        ("put_review", huge, 7.0),
        ("put_review", "18 answers of 300 KB, again", 5.0),
        ("send_emails", huge, 7.0),
    ] {
        let (long, _) = price(operation, note);
        assert!(long.write_units <= most, "{operation}: {long:?}");
    }
    let (all, _) = price("set_statuses", "120");
    assert!(all.write_units <= 2.0 * 120.0);
    // A form that is not in memory is read before the places of its committees.
    assert!(price("submit", "10 submissions there").1 <= 4);
    assert!(price("update_decision", "10 submissions there").1 <= 2);
    assert!(price("list_submissions", "10").1 <= 3);
    let (draft, rounds) = price("save_draft", "an answer again");
    assert!(draft.write_units <= 2.0 && rounds <= 2);
    assert!(price("put_review", "").1 <= 2);
    for note in [
        "a slot of 100 that was listed",
        "moved",
        "the last of 50 places",
    ] {
        let (booking, rounds) = price("book_interview", note);
        assert!(booking.write_units <= 12.0 && rounds <= 2, "{note}");
    }
    let (slice, rounds) = price("list_submissions", "`limit=50` of 2,000");
    assert!(slice.read_units < 120.0 && rounds <= 4);
    assert_eq!(price("list_clubs", "anonymous").0.calls, 1);
    assert_eq!(price("show_club", "").0.calls, 1);
    for note in ["", "anonymous", "200 events", "2,000 events"] {
        assert_eq!(price("list_events", note).0.calls, 1, "{note}");
    }
}

// proves O3, O4
#[tokio::test(start_paused = true)]
async fn the_price_list_is_measured() {
    let (rows, done) = Box::pin(measure()).await;
    super::template::compare_rights(&done);
    check_limits(&rows);
    let notes: BTreeSet<_> = rows.iter().map(|row| (row.operation, row.note)).collect();
    assert_eq!(
        notes.len(),
        rows.len(),
        "a row has no note that tells it apart"
    );
    super::check("docs/costs.md", &document(&rows));
    super::check("docs/prices.md", &super::prices::document(&rows));
}
