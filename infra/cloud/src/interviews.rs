//! The interviews of a story: more people than places, a move to a full slot, a cancellation, and
//! the reminders of the timer, which is started twice at once.

use chrono::TimeDelta;
use futures::future::join_all;
use http::Method;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::Response;
use tests::fixtures::id;

use crate::caller::{Caller, until};
use crate::{Cloud, Error};

/// People who are invited. There are half as many places.
const INVITED: usize = 4;
/// After this time reminders are due.
const SOON: TimeDelta = TimeDelta::seconds(4);
/// The beginning of the subject of a reminder.
const REMINDER: &str = "Reminder: your interview";

struct Interviewee<'a> {
    caller: &'a Caller,
    /// The path of the own submission.
    own: String,
}

impl Interviewee<'_> {
    async fn book(&self, slot: &Value) -> Response {
        let path = format!("{}interview/", self.own);
        let slot = json!({ "slot": slot["id"] });
        self.caller.send(Method::PUT, &path, slot).await
    }

    async fn state(&self) -> Value {
        self.caller.get(&self.own).await.ok()["interview"]["state"].clone()
    }
}

/// `list` has the submissions as the officer sees them, `crowd` the applicants `student0` and so
/// on. With `at_once`, they choose at the same moment.
pub(crate) async fn run(
    cloud: &Cloud,
    (ada, path): (&Caller, &str),
    (list, crowd): (&Value, &[Caller]),
    at_once: bool,
) -> Result<(), Error> {
    let hours = |hours: i64| json!(SystemClock.now() + TimeDelta::hours(hours));
    let series = json!({
        "start_time": hours(36), "end_time": hours(37), "minutes": 30, "location": "Room 7",
    });
    ada.post(&format!("{path}slots/series/"), series)
        .await
        .created();
    let slots = ada.get(&format!("{path}slots/")).await.ok();
    let (ids, candidates) = candidates(list, crowd)?;
    let invitation = json!({ "email_type": { "id": "interview" }, "submissions": ids });
    let sent = ada
        .post(&format!("{path}send_emails/"), invitation)
        .await
        .ok();
    assert_eq!(sent["recipients"], json!(INVITED), "{sent}");

    let choices = candidates.iter().enumerate();
    let choices = choices.map(|(n, candidate)| candidate.book(&slots[n % 2]));
    let answers: Vec<Response> = if at_once {
        join_all(choices).await
    } else {
        let mut answers = Vec::new();
        for choice in choices {
            answers.push(choice.await);
        }
        answers
    };
    let (mut booked, mut refused) = (Vec::new(), Vec::new());
    for (n, (candidate, response)) in candidates.iter().zip(answers).enumerate() {
        if response.status == 200 {
            booked.push((candidate, n % 2));
        } else {
            assert_eq!(response.json()["code"], "slot_full", "{}", response.text());
            refused.push((candidate, n % 2));
        }
    }
    assert_eq!((booked.len(), refused.len()), (2, 2));

    // The other slot is full, so the first one keeps the place. After a cancellation, it is free.
    let (first, slot) = booked[0];
    let moved = first.book(&slots[1 - slot]).await;
    assert_eq!(moved.json()["code"], "slot_full");
    assert_eq!(first.state().await, "booked");
    first
        .caller
        .send(
            Method::DELETE,
            &format!("{}interview/", first.own),
            Value::Null,
        )
        .await
        .no_content();
    let next = refused.iter().find(|(_, slot_id)| *slot_id == slot);
    let (next, _) = next.ok_or("both places of a slot are taken")?;
    next.book(&slots[slot]).await.ok();
    let listed = ada.get(&format!("{path}slots/")).await.ok();
    assert_eq!(
        (&listed[0]["booked"], &listed[1]["booked"]),
        (&json!(1), &json!(1))
    );
    // The officer moves both, so that their reminders are due in a few seconds.
    let begin = SystemClock.now() + TimeDelta::hours(24) + SOON;
    for slot in slots.as_array().into_iter().flatten() {
        let times = json!({ "start_time": begin, "end_time": begin + TimeDelta::hours(1) });
        let slot = format!("{path}slots/{}/", id(slot));
        ada.send(Method::PATCH, &slot, times).await.ok();
    }
    remind(cloud).await
}

/// The submissions of those who are invited.
fn candidates<'a>(
    list: &Value,
    crowd: &'a [Caller],
) -> Result<(Vec<u64>, Vec<Interviewee<'a>>), Error> {
    let (mut ids, mut candidates) = (Vec::new(), Vec::new());
    for (n, caller) in crowd.iter().enumerate().take(INVITED) {
        let name = json!(format!("student{n}"));
        let mut all = list.as_array().into_iter().flatten();
        let submission = all
            .find(|submission| submission["user"]["username"] == name)
            .ok_or("a student is not in the list")?;
        ids.push(id(submission));
        let own = format!("/api/submissions/{}/", id(submission));
        candidates.push(Interviewee { caller, own });
    }
    Ok((ids, candidates))
}

/// Whoever has booked is reminded in a few seconds, once, by a timer that runs again and again.
async fn remind(cloud: &Cloud) -> Result<(), Error> {
    let timer = &cloud.functions["Notices"];
    let event = json!({});
    let reminders = async || -> Result<usize, Error> {
        let mails = cloud.services.mails().await?;
        let reminders = mails
            .iter()
            .filter(|(_, subject, _)| subject.starts_with(REMINDER));
        Ok(reminders.count())
    };
    until("two reminders", async || {
        let both = futures::try_join!(timer.invoke(&event), timer.invoke(&event));
        both.is_ok() && reminders().await.is_ok_and(|count| count >= 2)
    })
    .await?;
    timer.invoke(&event).await?;
    assert_eq!(reminders().await?, 2);
    Ok(())
}
