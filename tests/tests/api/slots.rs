//! `/clubs/{club}/applications/{application}/slots/`, `…/{slot}/`, `…/series/`

use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, hours, id};

/// A slot of an hour that begins so many hours after the start of the test.
pub(crate) fn slot(start: i64) -> Value {
    json!({ "start_time": hours(start), "end_time": hours(start + 1), "location": "Room 1" })
}

impl Interviewing {
    /// A club with an application, and a person who is invited to an interview.
    pub(crate) async fn new(campus: &TestCampus) -> Self {
        Self::of(campus, campus.recruitment("chess").await).await
    }

    /// The same around the present time of a running clock.
    pub(crate) async fn new_now(campus: &TestCampus) -> Self {
        Self::of(campus, campus.recruitment_now("chess").await).await
    }

    /// A club with an application, and a person who applied and is not invited yet.
    pub(crate) async fn uninvited(campus: &TestCampus) -> Self {
        Self::applied(campus, campus.recruitment("chess").await).await
    }

    pub(crate) async fn of(campus: &TestCampus, recruitment: Recruitment) -> Self {
        let interviewing = Self::applied(campus, recruitment).await;
        interviewing.invite(&interviewing.submission).await;
        interviewing
    }

    /// The same in this application.
    pub(crate) async fn uninvited_in(campus: &TestCampus, recruitment: Recruitment) -> Self {
        Self::applied(campus, recruitment).await
    }

    async fn applied(campus: &TestCampus, recruitment: Recruitment) -> Self {
        let sue = campus.as_("sue");
        let submission = recruitment.submit(&sue).await;
        Self {
            recruitment,
            sue,
            submission,
        }
    }

    /// Invites an applicant.
    pub(crate) async fn invite(&self, submission: &Value) {
        let invited = json!({ "submissions": [id(submission)] });
        self.recruitment.send("interview", invited).await.ok();
    }

    /// Creates a slot and returns its id.
    pub(crate) async fn slot(&self, body: Value) -> u64 {
        let path = format!("{}slots/", self.recruitment.path);
        id(&self.recruitment.officer.post(&path, body).await.created())
    }

    /// The slot as officers see it.
    pub(crate) async fn shown(&self, slot: u64) -> Value {
        let path = format!("{}slots/{slot}/", self.recruitment.path);
        self.recruitment.officer.get(&path).await.ok()
    }

    /// `/api/submissions/…/` of the person.
    pub(crate) fn own(&self) -> String {
        format!("/api/submissions/{}/", id(&self.submission))
    }

    /// The path of the interview for officers.
    pub(crate) fn path(&self) -> String {
        let id = id(&self.submission);
        format!("{}submissions/{id}/interview/", self.recruitment.path)
    }

    /// Books a slot as the person.
    pub(crate) async fn book(&self, slot: u64) -> tests::Response {
        let path = format!("{}interview/", self.own());
        self.sue.put(&path, json!({ "slot": slot })).await
    }

    /// Books a slot for the person, as an officer.
    pub(crate) async fn assign(&self, slot: u64) -> tests::Response {
        let body = json!({ "slot": slot });
        self.recruitment.officer.put(&self.path(), body).await
    }

    /// The interview as the person sees it.
    pub(crate) async fn interview(&self) -> Value {
        self.recruitment.own(&self.sue, &self.submission).await["interview"].clone()
    }
}

/// A club, and Sue, who is invited to an interview.
pub(crate) struct Interviewing {
    pub(crate) recruitment: Recruitment,
    pub(crate) sue: tests::Client,
    pub(crate) submission: Value,
}

// proves K1
#[tokio::test]
async fn officers_write_slots() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    let person = id(&bob.get("/api/settings/").await.ok());
    let path = format!("{}slots/", recruitment.path);
    let committee = &recruitment.application["committees"][0]["id"];
    let body = json!({
        "start_time": hours(30), "end_time": hours(31), "location": "https://meet.example/chess",
        "capacity": 3, "committee": committee, "interviewers": [person], "note": "Bring tea.",
    });
    let created = recruitment.officer.post(&path, body).await;
    assert!(created.header("location").contains("/slots/"));
    let created = created.created();
    let existing =
        json!([{ "id": person, "username": "bob", "name": created["interviewers"][0]["name"] }]);
    assert_eq!(created["interviewers"], existing);
    let expected = json!({
        "id": id(&created), "start_time": hours(30), "end_time": hours(31),
        "location": "https://meet.example/chess", "capacity": 3, "committee": committee,
        "interviewers": existing, "note": "Bring tea.", "booked": 0, "bookings": [],
    });
    assert_eq!(created, expected);
    let earlier = recruitment.officer.post(&path, slot(5)).await.created();
    assert_eq!(earlier["capacity"], 1);
    let past = recruitment.officer.post(&path, slot(-50)).await.created();
    let listed = recruitment.officer.get(&path).await.ok();
    assert_eq!(listed, json!([past, earlier, expected]));
    let one = format!("{path}{}/", id(&created));
    assert_eq!(recruitment.officer.get(&one).await.ok(), expected);
    let change = json!({ "note": "", "interviewers": [], "committee": null });
    let changed = recruitment.officer.patch(&one, change).await.ok();
    assert_eq!(
        (
            &changed["note"],
            &changed["interviewers"],
            &changed["committee"],
            &changed["capacity"]
        ),
        (&json!(""), &json!([]), &json!(null), &json!(3))
    );
    bob.get(&path).await.error(403);
    campus.anonymous().get(&path).await.error(401);
    recruitment.officer.put(&one, slot(1)).await.error(405);
    recruitment.officer.delete(&one).await.no_content();
    recruitment.officer.get(&one).await.error(404);
    recruitment.officer.delete(&one).await.error(404);
}

// proves K2
#[tokio::test]
async fn wrong_slots_are_refused() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}slots/", recruitment.path);
    let refused = async |body: Value, field: &str| {
        recruitment
            .officer
            .post(&path, body)
            .await
            .invalid(&[field]);
    };
    refused(
        json!({ "start_time": hours(1), "end_time": hours(1) }),
        "end_time",
    )
    .await;
    refused(
        json!({ "start_time": hours(1), "end_time": hours(26) }),
        "end_time",
    )
    .await;
    refused(json!({ "end_time": hours(26) }), "start_time").await;
    for (field, value) in [
        ("capacity", json!(0)),
        ("capacity", json!(51)),
        ("location", json!("x".repeat(256))),
        ("location", json!("two\nlines")),
        ("note", json!("x".repeat(2_001))),
        ("committee", json!(7)),
        ("interviewers", json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])),
    ] {
        let mut body = slot(1);
        body[field] = value;
        refused(body, field).await;
    }
    let mut body = slot(1);
    body["interviewers"] = json!([7]);
    refused(body, "interviewers.0").await;
    assert_eq!(recruitment.officer.get(&path).await.ok(), json!([]));
}

// proves K4
#[tokio::test]
async fn a_series_has_all_slots_that_fit() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}slots/series/", recruitment.path);
    let body = json!({
        "start_time": hours(30), "end_time": hours(32), "minutes": 25, "break_minutes": 5,
        "location": "Room 2", "capacity": 2, "note": "Quiet.",
    });
    let idempotent = recruitment
        .officer
        .clone()
        .header("idempotency-key", "morning");
    let made = idempotent.post(&path, body.clone()).await.created();
    let made = made.as_array().cloned().unwrap_or_default();
    assert_eq!(made.len(), 4);
    assert_eq!(
        (&made[0]["start_time"], &made[3]["capacity"]),
        (&json!(hours(30)), &json!(2))
    );
    assert_eq!(made[1]["note"], "Quiet.");
    idempotent.post(&path, body).await.created();
    let slots = format!("{}slots/", recruitment.path);
    let listed = recruitment.officer.get(&slots).await.ok();
    assert_eq!(listed.as_array().map(Vec::len), Some(4));
    let refused = async |minutes: i64, end: i64, field: &str| {
        let body = json!({ "start_time": hours(1), "end_time": hours(end), "minutes": minutes });
        recruitment
            .officer
            .post(&path, body)
            .await
            .invalid(&[field]);
    };
    refused(121, 3, "minutes").await;
    refused(5, 25, "minutes").await;
    refused(4, 2, "minutes").await;
    refused(30, 26, "end_time").await;
    assert_eq!(recruitment.officer.get(&slots).await.ok(), listed);
}

// proves K2
#[tokio::test]
async fn an_application_has_at_most_a_thousand_slots() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}slots/", recruitment.path);
    let series = format!("{path}series/");
    let body = |end: i64| json!({ "start_time": hours(1), "end_time": hours(end), "minutes": 6 });
    for _ in 0..5 {
        recruitment.officer.post(&series, body(21)).await.created();
    }
    let refused = recruitment.officer.post(&path, slot(1)).await;
    assert_eq!(refused.json()["code"], "quota");
    refused.error(400);
    let all = recruitment.officer.get(&path).await.ok();
    assert_eq!(all.as_array().map(Vec::len), Some(1_000));
}

// proves K3
#[tokio::test(start_paused = true)]
async fn a_slot_in_use_keeps_what_its_bookings_need() {
    let campus = TestCampus::new();
    let there = Interviewing::new(&campus).await;
    let mut body = slot(40);
    body["capacity"] = json!(3);
    let slot = there.slot(body).await;
    there.book(slot).await.ok();
    let (officer, path) = (&there.recruitment.officer, &there.recruitment.path);
    let bob = campus.as_("bob");
    let other = there.recruitment.submit(&bob).await;
    let booking = json!({ "slot": slot });
    let interview = format!("{path}submissions/{}/interview/", id(&other));
    officer.put(&interview, booking).await.ok();
    let one = format!("{path}slots/{slot}/");
    let in_use = async |change: Value| {
        let refused = officer.patch(&one, change).await;
        assert_eq!(refused.json()["code"], "in_use");
        refused.error(400);
    };
    in_use(json!({ "capacity": 1 })).await;
    // What is wrong in itself is told first, all of it.
    let wrong = json!({ "capacity": 1, "end_time": hours(1), "interviewers": [{ "id": 1 }] });
    officer.patch(&one, wrong).await.invalid(&["end_time"]);
    in_use(json!({ "committee": there.recruitment.application["committees"][0]["id"] })).await;
    let refused = officer.delete(&one).await;
    assert_eq!(refused.json()["code"], "in_use");
    officer.patch(&one, json!({ "capacity": 2 })).await.ok();
    officer
        .delete(&format!("{one}?force=true"))
        .await
        .no_content();
    officer.get(&one).await.error(404);
    assert_eq!(there.interview().await["state"], "invited");
}

// proves K3
#[tokio::test]
async fn a_committee_with_slots_stays() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut body = slot(40);
    body["committee"] = recruitment.application["committees"][0]["id"].clone();
    recruitment
        .officer
        .post(&format!("{}slots/", recruitment.path), body)
        .await
        .created();
    let change = json!({ "committees": [{ "name": "Outreach" }] });
    let refused = recruitment.officer.patch(&recruitment.path, change).await;
    assert_eq!(refused.json()["code"], "in_use");
    let change = json!({ "committees": [{ "name": "Tech" }] });
    recruitment
        .officer
        .patch(&recruitment.path, change)
        .await
        .ok();
}

// proves K1
#[tokio::test]
async fn an_interviewer_who_leaves_the_club_leaves_the_slots() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    let person = id(&bob.get("/api/settings/").await.ok());
    let mut body = slot(40);
    body["interviewers"] = json!([person]);
    let path = format!("{}slots/", recruitment.path);
    let created = recruitment.officer.post(&path, body).await.created();
    assert_eq!(created["interviewers"][0]["username"], "bob");
    recruitment
        .officer
        .delete("/api/clubs/chess/members/bob/")
        .await
        .no_content();
    let one = format!("{path}{}/", id(&created));
    assert_eq!(
        recruitment.officer.get(&one).await.ok()["interviewers"],
        json!([])
    );
    campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    assert_eq!(
        recruitment.officer.get(&path).await.ok()[0]["interviewers"],
        json!([])
    );
}

// proves K2
#[tokio::test]
async fn a_copy_has_the_template_and_the_notice_and_no_slots() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let change = json!({ "interview_notice_hours": 24, "interview_email": "<p>{{ link }}</p>" });
    let changed = recruitment
        .officer
        .patch(&recruitment.path, change)
        .await
        .ok();
    assert_eq!(changed["interview_notice_hours"], 24);
    recruitment
        .officer
        .post(&format!("{}slots/", recruitment.path), slot(40))
        .await
        .created();
    let copy = recruitment
        .officer
        .post(&format!("{}duplicate/", recruitment.path), json!({}))
        .await
        .created();
    assert_eq!(
        (&copy["interview_notice_hours"], &copy["interview_email"]),
        (&json!(24), &json!("<p>{{ link }}</p>"))
    );
    let slots = format!("/api/clubs/chess/applications/{}/slots/", id(&copy));
    assert_eq!(recruitment.officer.get(&slots).await.ok(), json!([]));
    let fresh = &recruitment.application;
    assert_eq!(
        (&fresh["interview_notice_hours"], &fresh["interview_email"]),
        (&json!(12), &json!(""))
    );
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "interview_notice_hours": 169 }))
        .await
        .invalid(&["interview_notice_hours"]);
    let reason = json!({ "interview_email": "{{ reason }}" });
    recruitment
        .officer
        .patch(&recruitment.path, reason)
        .await
        .invalid(&["interview_email"]);
    let link = json!({ "rejection_email": "{{ link }}" });
    recruitment
        .officer
        .patch(&recruitment.path, link)
        .await
        .invalid(&["rejection_email"]);
    let sue = campus.as_("sue");
    assert_eq!(
        sue.get(&recruitment.path).await.ok()["interview_email"],
        json!(null)
    );
}
