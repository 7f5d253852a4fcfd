//! What many tests begin with, made through the API.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use shared::models::{Club, ClubProfile, Event, EventType, Showing};
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
    value["id"]
        .as_u64()
        .unwrap_or_else(|| panic!("no id: {value}"))
}

impl TestCampus {
    /// A club whose owner is `owner`; its code is its name.
    pub async fn club(&self, name: &str, owner: &Client) -> String {
        owner
            .post("/api/clubs/", json!({ "name": name, "code": name }))
            .await
            .created();
        name.to_owned()
    }

    /// A club, `name`, of Ada's with an open application and one question.
    pub async fn drive(&self, name: &str) -> Drive {
        self.drive_with(name, application("Fall")).await
    }

    /// The same, around the present time of a running clock.
    pub async fn drive_now(&self, name: &str) -> Drive {
        let mut body = application("Fall");
        for (field, hours) in [
            ("application_start_time", -1),
            ("application_end_time", 24),
            ("result_release_time", 48),
        ] {
            body[field] = json!(moment(self.now_ms() + hours * 3_600_000));
        }
        self.drive_with(name, body).await
    }

    async fn drive_with(&self, name: &str, application: Value) -> Drive {
        let officer = self.as_("ada");
        let club = self.club(name, &officer).await;
        let application = officer
            .post(&format!("/api/clubs/{club}/applications/"), application)
            .await
            .created();
        let path = format!("/api/clubs/{club}/applications/{}/", id(&application));
        let question = officer
            .post(
                &format!("{path}questions/"),
                json!({ "question_type": 1, "prompt": "Why?" }),
            )
            .await
            .created();
        Drive {
            club,
            officer,
            application,
            path,
            question: id(&question),
        }
    }

    /// Makes somebody known and a member.
    pub async fn member(&self, club: &str, owner: &Client, username: &str, role: u64) -> Client {
        let client = self.as_(username);
        let person = id(&client.get("/api/settings/").await.ok());
        owner
            .post(
                &format!("/api/clubs/{club}/members/"),
                json!({ "person": person, "role": role }),
            )
            .await
            .created();
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
        client
            .post(
                &format!("{}submissions/", self.path),
                self.answer("Because."),
            )
            .await
            .created()
    }

    /// Moves the end to the second of this moment.
    pub async fn close_at_ms(&self, ms: i64) {
        self.officer
            .patch(
                &self.path,
                json!({ "application_end_time": moment(ms + 999) }),
            )
            .await
            .ok();
    }

    /// Decides.
    pub async fn decide(&self, submission: &Value, status: u64, reason: &str) -> Value {
        let path = format!("{}submissions/{}/", self.path, id(submission));
        self.officer
            .patch(&path, json!({ "status": status, "reason": reason }))
            .await
            .ok()
    }

    /// Sends mails of a type, with more fields.
    pub async fn send(&self, kind: &str, more: Value) -> crate::Answer {
        let mut body = json!({ "email_type": { "id": kind } });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.officer
            .post(&format!("{}send_emails/", self.path), body)
            .await
    }

    /// The submission as its applicant sees it.
    pub async fn own(&self, client: &Client, submission: &Value) -> Value {
        client
            .get(&format!("/api/submissions/{}/", id(submission)))
            .await
            .ok()
    }
}

/// An entry in each collection that admins keep; the variables of paths that name them. Clubs
/// register for the fair.
pub async fn collections(admin: &Client) -> Vec<(&'static str, String)> {
    let fair = json!({ "name": "Autumn fair", "start_time": hours(1), "end_time": hours(8) });
    let bodies = [
        ("{tag}", "/api/tags/", json!({ "name": "Games" })),
        (
            "{badge}",
            "/api/badges/",
            json!({ "label": "Gold", "purpose": "merit", "color": "#ffd700" }),
        ),
        (
            "{school}",
            "/api/schools/",
            json!({ "name": "Engineering" }),
        ),
        ("{major}", "/api/majors/", json!({ "name": "Physics" })),
        (
            "{year}",
            "/api/years/",
            json!({ "name": "Senior", "year": 2027 }),
        ),
        ("{fair}", "/api/clubfairs/", fair),
    ];
    let mut ids = Vec::new();
    for (name, path, body) in bodies {
        ids.push((
            name,
            id(&admin.post(path, body).await.created()).to_string(),
        ));
    }
    ids
}

/// The `n`th of many events of the chess club: each tenth is still to come, the others ended in the
/// 23 months before.
pub fn event(n: u64) -> Event {
    let n_hours = i64::try_from(n).unwrap_or_default();
    let back = if n.is_multiple_of(10) {
        24 + n_hours % 2_000
    } else {
        -24 - n_hours % 16_000
    };
    let begins = Timestamp::at(start() + TimeDelta::hours(back));
    let showing = Showing {
        id: 2_000_000 + n,
        start: begins,
        end: begins.plus(TimeDelta::hours(2)),
        location: Some("Main hall".into()),
        location_is_public: false,
        ticketed: false,
        ticket_drop: None,
        ticket_order_limit: 10,
    };
    Event {
        id: 1_000_000 + n,
        club: "chess".into(),
        version: 1,
        name: format!("Evening {n}"),
        description:
            "<p>Two hours of talks, and something to eat after them. Everybody is welcome.</p>"
                .into(),
        event_type: EventType::Social,
        url: None,
        image: None,
        pinned: false,
        showings: vec![showing],
        former_part: None,
        created_at: begins,
        updated_at: begins,
    }
}

/// The `n`th of many clubs, with a description of 2 KB: some with letters outside of ASCII, each
/// fifth inactive.
pub fn club(n: u64) -> Club {
    let words = [
        "evenings",
        "for",
        "everybody",
        "who",
        "likes",
        "games",
        "talks",
        "<b>music</b>",
        "Café",
        "weekend",
        "travel",
        "und",
        "Bücher",
    ];
    let word = |i: u64| {
        words[usize::try_from(crate::mixed(n * 1_000 + i) % words.len() as u64).unwrap_or_default()]
    };
    let mut description = format!("<p>Club number {n}.</p><p>");
    for i in 0.. {
        if description.len() > 2_040 {
            break;
        }
        description.push_str(word(i));
        description.push(' ');
    }
    description.push_str("</p>");
    Club {
        code: format!("club-{n}"),
        version: 1,
        profile: ClubProfile {
            name: format!("{} {} {n}", word(2_001), word(2_002)),
            subtitle: format!("{} and {}", word(2_003), word(2_004)),
            description,
            has_more: false,
            email: format!("club-{n}@clubs.example"),
            website: n
                .is_multiple_of(3)
                .then(|| format!("https://club-{n}.clubs.example/")),
            tags: vec![],
            application_required: 4,
            active: !n.is_multiple_of(5),
        },
        image: None,
        badges: vec![],
        approved: Some(true),
        archived: false,
        creation: 1,
        created_at: Timestamp::at(start()),
        members: 1,
        owners: 1,
        events: 0,
        favorites: i64::try_from(crate::mixed(n) % 40).unwrap_or_default(),
        told_of_requests_at: None,
        windows: BTreeMap::new(),
    }
}

/// The link of an invite in a mail: path to accept it, and its token.
pub struct InviteLink {
    /// `/api/clubs/…/invites/…/accept/`
    pub path: String,
    /// The token.
    pub token: String,
}

impl InviteLink {
    /// The link in the last mail to `address`.
    pub fn sent_to(campus: &TestCampus, address: &str) -> Self {
        let mail = campus
            .mails()
            .into_iter()
            .rfind(|mail| mail.to == address)
            .unwrap_or_else(|| panic!("no mail to {address}"));
        let link = mail
            .text
            .split_whitespace()
            .find(|word| word.contains("/invite/"))
            .unwrap_or_default()
            .to_owned();
        let parts: Vec<&str> = link.rsplit('/').take(3).collect();
        let [token, invite, club] = parts[..] else {
            panic!("no link in {}", mail.text)
        };
        Self {
            path: format!("/api/clubs/{club}/invites/{invite}/accept/"),
            token: token.to_owned(),
        }
    }

    /// Uses it.
    pub async fn accept(&self, client: &Client) -> crate::Answer {
        client
            .post(&self.path, json!({ "token": self.token }))
            .await
    }
}
