//! Prices of lists that are in memory or not, and of lists with many events.

use serde_json::json;
use tests::fixtures::{collections, event};

use super::costs_rig::{Prices, Row, Witness};

const ALL_TIMES: &str = "/api/events/?earliest_start_time=2000-01-01T00:00:00Z";
const EVENTS: &str = "/api/events/";

/// Rows of look-ups, fairs and events.
pub(super) async fn lists(witness: &Witness) -> Vec<Row> {
    let mut p = Prices::new(witness);
    let (ada, admin, anybody) = (p.campus.as_("ada"), p.campus.admin(), p.campus.anonymous());
    p.campus.club("chess", &ada).await;
    let entries = collections(&admin).await;
    p.get("list_tags", "not in memory", &anybody, "/api/tags/")
        .await;
    let fair = entries.iter().find(|(name, _)| *name == "{fair}");
    let fair = fair.expect("a fair").1;
    let register = format!("/api/clubfairs/{fair}/register/");
    let body = json!({ "club": "chess" });
    ada.post(&register, body).await.ok();
    let note = "month not in memory";
    p.get("list_events", note, &anybody, EVENTS).await;
    p.get("list_events", "anonymous", &anybody, EVENTS).await;
    let of_fair = format!("{EVENTS}?fair={fair}");
    let note = "of a fair, not in memory";
    p.get("list_events", note, &anybody, &of_fair).await;
    let body = json!({ "club": "chess", "status": false });
    p.row("register_club", "no longer", &ada, &register, body)
        .await;
    events(&mut p).await;
    p.rows
}

/// Lists with many events. A tenth of them is in the future; the others ended within the last 23
/// months.
async fn events(p: &mut Prices) {
    let anybody = p.campus.anonymous();
    let sizes = [
        (
            0..200,
            [
                "200 events, not in memory",
                "200 events",
                "200 events, all times",
            ],
        ),
        (
            200..2_000,
            [
                "2,000 events, not in memory",
                "2,000 events",
                "2,000 events, all times",
            ],
        ),
    ];
    for (new, notes) in sizes {
        let n = new.end;
        let listings: Vec<_> = new.map(event).collect();
        let table = &p.campus.campus.app.table;
        table.load_listings(&listings).await.expect("a table");
        for (note, path) in notes.into_iter().zip([EVENTS, EVENTS, ALL_TIMES]) {
            let found = p.get("list_events", note, &anybody, path).await;
            let expected = if path == ALL_TIMES { n } else { n / 10 };
            assert_eq!(found["count"], expected, "{note}");
        }
    }
}
