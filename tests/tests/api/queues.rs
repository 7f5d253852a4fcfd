//! The queues of the local service

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use chrono::TimeDelta;
use futures::future::join_all;
use local::clock::MovableClock;
use local::queues::{Consumer, Queues, WEBHOOKS};
use serde::Serialize;
use shared::queue::Message;

#[derive(Serialize)]
struct Call(&'static str);

impl Message for Call {
    fn group(&self) -> Option<String> {
        Some(self.0.to_owned())
    }
}

/// Takes ten seconds for each message of the group `slow`.
#[derive(Default)]
struct Receivers(Mutex<Vec<String>>);

impl Consumer for Receivers {
    const BATCH: usize = 10;
    const AT_ONCE: usize = 10;
    const PAUSE: TimeDelta = TimeDelta::seconds(1);

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let calls = event.records.into_iter().map(async |message| {
            let body = message.body.unwrap_or_default();
            if body.contains("slow") {
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
            self.0.lock().expect("no panic").push(body);
        });
        join_all(calls).await;
        SqsBatchResponse::default()
    }
}

// proves Z9
#[tokio::test(start_paused = true)]
async fn a_slow_receiver_does_not_delay_the_calls_of_others() {
    let queues = Queues::open(Arc::new(MovableClock::running()), None);
    let queue = queues.queue(WEBHOOKS);
    let many: Vec<Call> = (0..200).map(|_| Call("slow")).collect();
    queue.send(&many, Duration::ZERO).await.unwrap();
    let receivers = Receivers::default();
    let others = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        queue.send(&[Call("fast")], Duration::ZERO).await.unwrap();
        tokio::time::sleep(Duration::from_secs(3)).await;
    };
    tokio::select! {
        () = queues.run(WEBHOOKS, &receivers) => {}
        () = others => {}
    }
    assert_eq!(*receivers.0.lock().unwrap(), ["\"fast\"".to_owned()]);
}
