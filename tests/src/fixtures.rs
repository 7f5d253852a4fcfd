//! What many tests begin with, made through the API.

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use shared::time::Timestamp;

use crate::{Client, TestCampus, start};

/// The moment `hours` after the start of the test, as the API writes it.
pub fn hours(hours: i64) -> String {
    Timestamp::at(start() + TimeDelta::hours(hours)).to_string()
}

/// A moment in milliseconds, as the API writes it.
fn moment(ms: i64) -> String {
    Timestamp::at(DateTime::from_timestamp_millis(ms).unwrap_or_default()).to_string()
}

/// A club with an open application: Ada owns it, the others are nobody.
pub struct Drive {
    /// Club code.
    pub club: String,
    /// The owner.
    pub officer: Client,
    /// The application, as it was answered.
    pub application: Value,
    /// `/api/clubs/…/applications/…/`
    pub path: String,
    /// A free-response question without limit.
    pub question: u64,
}

/// The usual body of an application: open from an hour ago for a day, released after two.
pub fn application(name: &str) -> Value {
    json!({
        "name": name,
        "application_start_time": hours(-1),
        "application_end_time": hours(24),
        "result_release_time": hours(48),
        "is_active": true,
        "committees": [{ "name": "Tech" }, { "name": "Outreach" }],
    })
}

/// The id in an answer.
#[track_caller]
pub fn id(value: &Value) -> u64 {
    value["id"].as_u64().unwrap_or_else(|| panic!("no id: {value}"))
}

impl TestCampus {
    /// A club whose owner is `owner`; its code is its name.
    pub async fn club(&self, name: &str, owner: &Client) -> String {
        owner.post("/api/clubs/", json!({ "name": name, "code": name })).await.created();
        name.to_owned()
    }

    /// A club, `name`, of Ada's with an open application and one question.
    pub async fn drive(&self, name: &str) -> Drive {
        self.drive_with(name, application("Fall")).await
    }

    /// The same, around the present time of a running clock.
    pub async fn drive_now(&self, name: &str) -> Drive {
        let mut body = application("Fall");
        for (field, hours) in [("application_start_time", -1), ("application_end_time", 24), ("result_release_time", 48)] {
            body[field] = json!(moment(self.now_ms() + hours * 3_600_000));
        }
        self.drive_with(name, body).await
    }

    async fn drive_with(&self, name: &str, application: Value) -> Drive {
        let officer = self.as_("ada");
        let club = self.club(name, &officer).await;
        let application = officer.post(&format!("/api/clubs/{club}/applications/"), application).await.created();
        let path = format!("/api/clubs/{club}/applications/{}/", id(&application));
        let question = officer.post(&format!("{path}questions/"), json!({ "question_type": 1, "prompt": "Why?" })).await.created();
        Drive { club, officer, application, path, question: id(&question) }
    }

    /// Makes somebody known and a member.
    pub async fn member(&self, club: &str, owner: &Client, username: &str, role: u64) -> Client {
        let client = self.as_(username);
        let person = id(&client.get("/api/settings/").await.ok());
        owner.post(&format!("/api/clubs/{club}/members/"), json!({ "person": person, "role": role })).await.created();
        client
    }
}

impl Drive {
    /// A body that answers the question.
    pub fn answer(&self, text: &str) -> Value {
        json!({ "responses": [{ "question": self.question, "text": text }] })
    }

    /// Submits as somebody; the submission.
    pub async fn submit(&self, client: &Client) -> Value {
        client.post(&format!("{}submissions/", self.path), self.answer("Because.")).await.created()
    }

    /// Moves the end to the second of this moment.
    pub async fn close_at_ms(&self, ms: i64) {
        self.officer.patch(&self.path, json!({ "application_end_time": moment(ms + 999) })).await.ok();
    }

    /// Decides.
    pub async fn decide(&self, submission: &Value, status: u64, reason: &str) -> Value {
        let path = format!("{}submissions/{}/", self.path, id(submission));
        self.officer.patch(&path, json!({ "status": status, "reason": reason })).await.ok()
    }

    /// Sends mails of a type, with more fields.
    pub async fn send(&self, kind: &str, more: Value) -> crate::Answer {
        let mut body = json!({ "email_type": { "id": kind } });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.officer.post(&format!("{}send_emails/", self.path), body).await
    }

    /// The submission as its applicant sees it.
    pub async fn own(&self, client: &Client, submission: &Value) -> Value {
        client.get(&format!("/api/submissions/{}/", id(submission))).await.ok()
    }
}
