//! Webhooks on a table that fails at random, with a receiver that fails every second time: every
//! change is told.

use std::collections::{BTreeMap, BTreeSet};

use local::queues::WEBHOOKS;
use serde_json::json;
use shared::time::Clock as _;
use tests::Setup;
use tests::faults::Faults;
use tests::receiver::Instant;

use crate::changes::all;
use crate::webhooks::{HOOKS, change};

// proves Z9
#[tokio::test(start_paused = true)]
async fn changes_are_sent_with_every_third_call_at_fault() {
    for seed in 1..4 {
        let (faults, receivers) = (Faults::new(seed), Instant::default());
        let setup = Setup::default().hook(faults.clone().hook());
        let campus = setup.instant_receivers(&receivers).build();
        let owner = campus.as_("ada");
        campus.club("chess", &owner).await;
        let body = json!({ "url": "https://chat.example/flaky", "types": ["club.updated"] });
        owner.post(HOOKS, body).await.created();
        for n in 0..40 {
            change(&owner, &n.to_string()).await;
        }
        faults.hit(300);
        campus.list_changes().await;
        let (calls, clock) = (&campus.campus.queues, &campus.campus.clock);
        while let Some(next) = calls.next() {
            campus.advance((next - clock.now()).max(chrono::TimeDelta::zero()));
            calls.deliver(WEBHOOKS, &*campus.campus.dispatcher).await;
        }
        faults.hit(0);
        let (changes, _) = all(&owner, "chess").await;
        let updated = changes.iter().filter(|one| one["type"] == "club.updated");
        let updated: BTreeSet<String> = updated.map(|one| one["id"].to_string()).collect();
        assert_eq!(updated.len(), 40);
        let mut notified: BTreeMap<String, usize> = BTreeMap::new();
        for (id, _) in receivers
            .calls()
            .iter()
            .filter(|(_, status)| *status == 204)
        {
            *notified.entry(id.clone()).or_default() += 1;
        }
        assert_eq!(
            notified.keys().cloned().collect::<BTreeSet<_>>(),
            updated,
            "seed {seed}"
        );
        // At least once does not mean often.
        let twice = notified.values().filter(|count| **count > 1).count();
        assert!(twice <= 20, "{twice} of 40 were told more than once");
        let shown = owner.get(HOOKS).await.ok();
        assert_eq!(shown[0]["active"], true);
    }
}
