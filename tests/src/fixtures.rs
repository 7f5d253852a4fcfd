//! Data that many tests begin with. Most of it is created through the API.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta};
use serde_json::{Value, json};
use shared::db::Table;
use shared::domain::{Answered, Club, ClubProfile, Event, EventType, Showing, TicketRules};
use shared::ids::Id;
use shared::text::{ClubCode, Email};
use shared::time::Timestamp;

use crate::{Client, TestCampus, start};

/// The time `hours` after the start of the test, in the format of the API.
pub fn hours(hours: i64) -> String {
    Timestamp::at(start() + TimeDelta::hours(hours)).to_string()
}

/// A Unix time in milliseconds, in the format of the API.
pub fn moment(ms: i64) -> String {
    Timestamp::at(DateTime::from_timestamp_millis(ms).unwrap_or_default()).to_string()
}

/// A club with an open application. Ada is its owner and its only member.
#[derive(Clone)]
pub struct Recruitment {
    /// The code of the club.
    pub club: String,
    /// Ada.
    pub officer: Client,
    /// The application, as the API returned it.
    pub application: Value,
    /// `/api/clubs/…/applications/…/`
    pub path: String,
    /// The id of a free-response question without a word limit.
    pub question: u64,
}

/// The usual body of an application. It opened an hour ago and closes in a day; the results are
/// released in two days.
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

/// A submission without reviews, as an officer sees what its applicant sees.
pub fn for_officer(submission: &Value) -> Value {
    let mut shown = submission.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("receipt");
    }
    shown["review_count"] = json!(0);
    shown["score_average"] = json!(null);
    shown["my_score"] = json!(null);
    shown["changed_after_decision"] = json!(false);
    shown["interview_email_status"] = json!(null);
    shown["duties"] = json!(["undecided"]);
    shown
}

/// The `id` of an object.
#[track_caller]
pub fn id(value: &Value) -> u64 {
    value["id"]
        .as_u64()
        .unwrap_or_else(|| panic!("no id: {value}"))
}

impl TestCampus {
    /// Creates a club whose code is its name, and returns the code.
    pub async fn club(&self, name: &str, owner: &Client) -> String {
        owner
            .post("/api/clubs/", json!({ "name": name, "code": name }))
            .await
            .created();
        name.to_owned()
    }

    /// Creates the club `name` with an open application that has one question.
    pub async fn recruitment(&self, name: &str) -> Recruitment {
        self.recruitment_with(name, application("Fall")).await
    }

    /// Like [`TestCampus::recruitment`], but with times around the present time of a running clock.
    pub async fn recruitment_now(&self, name: &str) -> Recruitment {
        let mut body = application("Fall");
        for (field, hours) in [
            ("application_start_time", -1),
            ("application_end_time", 24),
            ("result_release_time", 48),
        ] {
            body[field] = json!(moment(self.now_ms() + hours * 3_600_000));
        }
        self.recruitment_with(name, body).await
    }

    async fn recruitment_with(&self, name: &str, application: Value) -> Recruitment {
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
        Recruitment {
            club,
            officer,
            application,
            path,
            question: id(&question),
        }
    }

    /// The body of a slot of an hour that begins in so many hours, for a running clock.
    pub fn slot_in(&self, hours: i64) -> Value {
        let start = self.now_ms() + hours * 3_600_000;
        json!({ "start_time": moment(start), "end_time": moment(start + 3_600_000) })
    }

    /// Creates the profile of a person and adds the person to the club.
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

impl Recruitment {
    /// The body of a submission that answers the question.
    pub fn answer(&self, text: &str) -> Value {
        json!({ "responses": [{ "question": self.question, "text": text }] })
    }

    /// Submits as `client` and returns the submission.
    pub async fn submit(&self, client: &Client) -> Value {
        client
            .post(
                &format!("{}submissions/", self.path),
                self.answer("Because."),
            )
            .await
            .created()
    }

    /// Submits again as `client` and returns the submission.
    pub async fn submit_again(&self, client: &Client) -> Value {
        let path = format!("{}submissions/", self.path);
        client.post(&path, self.answer("Because!")).await.ok()
    }

    /// Changes the end of the application to this time, in milliseconds, without the fraction of a
    /// second.
    pub async fn close_at_ms(&self, ms: i64) {
        self.officer
            .patch(
                &self.path,
                json!({ "application_end_time": moment(ms + 999) }),
            )
            .await
            .ok();
    }

    /// Switches the application off, so that nobody can submit or withdraw.
    pub async fn close(&self) {
        let off = json!({ "is_active": false });
        self.officer.patch(&self.path, off).await.ok();
    }

    /// Sets the decision of a submission and returns the submission.
    pub async fn decide(&self, submission: &Value, status: u64, reason: &str) -> Value {
        let path = format!("{}submissions/{}/", self.path, id(submission));
        self.officer
            .patch(&path, json!({ "status": status, "reason": reason }))
            .await
            .ok()
    }

    /// Calls `send_emails/`. `kind` is `acceptance` or `rejection`; `more` has further fields.
    pub async fn send(&self, kind: &str, more: Value) -> crate::Response {
        let mut body = json!({ "email_type": { "id": kind } });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        self.officer
            .post(&format!("{}send_emails/", self.path), body)
            .await
    }

    /// The submission as its applicant sees it in `/submissions/`.
    pub async fn own(&self, client: &Client, submission: &Value) -> Value {
        client
            .get(&format!("/api/submissions/{}/", id(submission)))
            .await
            .ok()
    }
}

/// Creates an entry in each collection that admins keep, and returns the path variable and the id
/// of each. Clubs can register for the fair.
pub async fn collections(admin: &Client) -> Vec<(&'static str, u64)> {
    let fair = json!({ "name": "Autumn fair", "start_time": hours(1), "end_time": hours(8) });
    let bodies = [
        ("{tag}", "/api/tags/", json!({ "name": "Sports" })),
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
        ids.push((name, id(&admin.post(path, body).await.created())));
    }
    ids
}

/// The `n`th of many events of the chess club. Each tenth event is in the future; the others ended
/// within the last 23 months.
pub fn event(n: u64) -> Event {
    let n_hours = i64::try_from(n).unwrap_or_default();
    let back = if n.is_multiple_of(10) {
        24 + n_hours % 2_000
    } else {
        -24 - n_hours % 16_000
    };
    let begins = Timestamp::at(start() + TimeDelta::hours(back));
    let showing = Showing {
        id: Id::new(2_000_000 + n),
        start: begins,
        end: begins.plus(TimeDelta::hours(2)),
        location: Some("Main hall".into()),
        location_is_public: false,
        ticketed: false,
        ticket_drop: None,
        ticket_order_limit: 10,
        start_set_at: None,
        tickets: TicketRules::default(),
        types: None,
    };
    Event {
        id: Id::new(1_000_000 + n),
        club: code("chess"),
        version: 1,
        name: format!("Evening {n}"),
        description:
            "<p>Two hours of talks, and something to eat after them. Everybody is welcome.</p>"
                .into(),
        event_type: EventType::Social,
        url: None,
        image: None,
        image_alt: String::new(),
        pinned: false,
        showings: vec![showing],
        text: None,
        created_at: begins,
        updated_at: begins,
    }
}

/// The `n`th of many clubs, with a description of 2 KB. Some descriptions have letters outside of
/// ASCII. Each fifth club is inactive.
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
        code: code(&format!("club-{n}")),
        version: 1,
        profile: ClubProfile {
            name: format!("{} {} {n}", word(2_001), word(2_002)),
            subtitle: format!("{} and {}", word(2_003), word(2_004)),
            description,
            image_alt: String::new(),
            has_more: false,
            email: Email::parse(&format!("club-{n}@clubs.example")).expect("an address"),
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
        requests_notified_at: None,
        windows: BTreeMap::new(),
        releases: BTreeMap::new(),
        applications: 0,
        without_owner: false,
    }
}

/// The link of an invite in a mail.
pub struct MailedLink {
    /// `/api/clubs/…/invites/…/accept/`
    pub path: String,
    pub token: String,
}

impl MailedLink {
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

    /// Accepts the invite as `client`.
    pub async fn accept(&self, client: &Client) -> crate::Response {
        client
            .post(&self.path, json!({ "token": self.token }))
            .await
    }
}

/// The code of a club.
pub fn code(text: &str) -> ClubCode {
    ClubCode::parse(text).expect("the code of a club")
}

/// A submission to an open club, as its applicant finds it in the list of their own.
#[must_use]
pub fn in_own_list(submission: &Value, club: &str) -> Value {
    let mut own = submission.clone();
    own["club_name"] = json!(club);
    own["club_archived"] = json!(false);
    own
}

/// The newest submission of a person with its answers, as it is stored.
///
/// # Panics
///
/// If there is none.
pub async fn answered_of(table: &Table, person: u64) -> Answered {
    let (own, _) = table.applied_of(Id::new(person)).await.expect("a table");
    let mut own = table.answered(own).await.expect("a table");
    own.remove(0)
}
