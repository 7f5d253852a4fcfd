//! Calendars of people with many interviews: an unchanged one is told from marks, whose cost does
//! not grow, and a mark comes after each change.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use chrono::TimeDelta;
use local::engine::{Call, EngineHook, Reply};
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Client, Setup, TestCampus};

use crate::audit::findings;
use crate::own_calendar::{calendar, interviewer, unchanged};
use crate::slots::{Interviewing, slot};

/// Somebody's calendar, and the state of it that their program has.
pub(crate) struct Polled<'a> {
    pub(crate) campus: &'a TestCampus,
    address: String,
    tag: String,
}

impl<'a> Polled<'a> {
    pub(crate) async fn new(campus: &'a TestCampus, person: &Client) -> Self {
        campus.list_changes().await;
        let address = calendar(person).await;
        let tag = String::new();
        let mut polled = Self {
            campus,
            address,
            tag,
        };
        polled.news().await;
        polled
    }

    /// Asks again, and returns the calendar if it is another one.
    pub(crate) async fn news(&mut self) -> Option<String> {
        let caller = self.campus.anonymous();
        let caller = caller.header("if-none-match", self.tag.clone());
        let response = caller.get(&self.address).await;
        assert_eq!(response.header("cache-control"), "private, no-cache");
        response.header("etag").clone_into(&mut self.tag);
        if response.status == 304 {
            return None;
        }
        assert_eq!(response.status, 200, "{}", response.text());
        Some(response.text().replace("\r\n ", ""))
    }

    /// Asks again after the stream was read. The calendar has to be another one.
    pub(crate) async fn changed(&mut self, why: &str) -> String {
        self.campus.list_changes().await;
        let text = self.news().await;
        assert_eq!(self.news().await, None, "{why}");
        text.unwrap_or_else(|| panic!("unchanged: {why}"))
    }
}

/// Sue has booked interviews with three clubs. Returns these, each with the slot.
pub(crate) async fn three(campus: &TestCampus) -> Vec<(Interviewing, u64)> {
    let mut all = vec![];
    for (n, club) in ["chess", "go", "rowing"].iter().enumerate() {
        let there = Interviewing::of(campus, campus.recruitment(club).await).await;
        let hours = 60 + 2 * i64::try_from(n).unwrap_or_default();
        let slot = there.slot(slot(hours)).await;
        there.book(slot).await.ok();
        all.push((there, slot));
    }
    all
}

// proves V22
#[tokio::test(start_paused = true)]
async fn changes_of_booked_interviews_are_seen() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let (there, first) = &all[0];
    let mut hers = Polled::new(&campus, &there.sue).await;
    let units = unchanged(&campus, &hers.address).await;
    assert!(units <= 2.0, "{units}");
    let officer = &there.recruitment.officer;
    let path = format!("{}slots/{first}/", there.recruitment.path);
    let moved = json!({ "location": "Tower" });
    officer.patch(&path, moved).await.ok();
    let text = hers.changed("another place").await;
    assert!(text.contains("LOCATION:Tower"), "{text}");
    // What changes nothing in the calendar makes no other state.
    let note = json!({ "note": "Bring a chair" });
    officer.patch(&path, note).await.ok();
    campus.list_changes().await;
    assert_eq!(hers.news().await, None);
    // What she does herself is there at once, also if she comes back to an earlier slot.
    let other = there.slot(slot(80)).await;
    let other_path = format!("{}slots/{other}/", there.recruitment.path);
    campus.list_changes().await;
    for slot in [other, *first, other] {
        there.book(slot).await.ok();
        assert!(hers.news().await.is_some(), "{slot}");
        campus.list_changes().await;
    }
    // Between two polls the place changes, and she leaves the slot and comes back.
    officer
        .patch(&other_path, json!({ "location": "Cellar" }))
        .await
        .ok();
    campus.list_changes().await;
    for slot in [*first, other] {
        there.book(slot).await.ok();
    }
    let text = hers.news().await.expect("another place");
    assert!(text.contains("LOCATION:Cellar"), "{text}");
    let name = json!({ "name": "Chess and more" });
    officer.patch("/api/clubs/chess/", name).await.ok();
    let text = hers.changed("another name").await;
    assert!(text.contains("Interview: Chess and more"), "{text}");
    let force = format!("{}slots/{other}/?force=true", there.recruitment.path);
    officer.delete(&force).await.no_content();
    let text = hers.changed("no slot").await;
    assert_eq!(text.matches("UID:interview-").count(), 2);
}

// proves V22
#[tokio::test(start_paused = true)]
async fn a_calendar_costs_nothing_for_what_it_does_not_show() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let there = &all[0].0;
    let hers = Polled::new(&campus, &there.sue).await;
    let before = unchanged(&campus, &hers.address).await;
    // Removed answers of a draft stay beside what the calendar shows.
    let (mut typed, mut removed) = (vec![], vec![]);
    for n in 0..40 {
        let question = json!({ "question_type": 1, "prompt": format!("Why {n}?") });
        let path = format!("{}questions/", there.recruitment.path);
        let made = there
            .recruitment
            .officer
            .post(&path, question)
            .await
            .created();
        typed.push(json!({ "question": made["id"], "text": "I", "version": 0 }));
        removed.push(json!({ "question": made["id"], "text": null, "version": 1 }));
    }
    let draft = format!("{}draft/", there.recruitment.path);
    for responses in [typed, removed] {
        let body = json!({ "responses": responses });
        there.sue.patch(&draft, body).await.ok();
    }
    campus.list_changes().await;
    let after = unchanged(&campus, &hers.address).await;
    assert!(after <= before, "{before} {after}");
}

/// What the stream marks, and what is booked once more, is as it should be.
// proves V22, O6
#[tokio::test(start_paused = true)]
async fn calendar_revision_is_no_finding() {
    let campus = TestCampus::new();
    let all = three(&campus).await;
    let (there, slot) = &all[0];
    let path = format!("{}slots/{slot}/", there.recruitment.path);
    let moved = json!({ "location": "Tower" });
    there.recruitment.officer.patch(&path, moved).await.ok();
    campus.list_changes().await;
    there.book(*slot).await.ok();
    let stored = campus.stored();
    let is_marked =
        |item: &Value| item["type"]["S"] == "Booking" && item["calendar_revision"].is_object();
    assert!(stored.iter().any(is_marked));
    assert_eq!(findings(&campus, &stored), Vec::<String>::new());
}

/// Bob holds interviews of the club.
struct Holding<'a> {
    there: Interviewing,
    bob: Client,
    slot: u64,
    his: Polled<'a>,
}

impl<'a> Holding<'a> {
    async fn new(campus: &'a TestCampus) -> Self {
        let there = Interviewing::new(campus).await;
        let (bob, interviewers) = interviewer(campus, &there).await;
        let mut body = slot(30);
        body["interviewers"] = interviewers;
        body["capacity"] = json!(2);
        let slot = there.slot(body).await;
        let his = Polled::new(campus, &bob).await;
        Self {
            there,
            bob,
            slot,
            his,
        }
    }

    /// Asks again after the stream was read, and returns how many interviews are shown.
    async fn shown(&mut self, why: &str) -> usize {
        let text = self.his.changed(why).await;
        text.matches("UID:interviews-").count()
    }

    async fn change(&self, slot: &Value) {
        let path = format!("{}slots/{}/", self.there.recruitment.path, self.slot);
        self.there
            .recruitment
            .officer
            .patch(&path, slot.clone())
            .await
            .ok();
    }
}

// proves V22
#[tokio::test(start_paused = true)]
async fn interviewers_see_changes_of_their_slots() {
    let campus = TestCampus::new();
    let mut scene = Holding::new(&campus).await;
    scene.there.book(scene.slot).await.ok();
    assert_eq!(scene.shown("booked").await, 1);
    // A second person in the slot changes nothing for him.
    let tom = campus.as_("tom");
    let submission = scene.there.recruitment.submit(&tom).await;
    scene.there.invite(&submission).await;
    let interview = format!("/api/submissions/{}/interview/", id(&submission));
    tom.put(&interview, json!({ "slot": scene.slot }))
        .await
        .ok();
    campus.list_changes().await;
    assert_eq!(scene.his.news().await, None);
    scene.change(&json!({ "location": "Tower" })).await;
    let text = scene.his.changed("another place").await;
    assert!(text.contains("LOCATION:Tower"), "{text}");
    scene.change(&json!({ "interviewers": [] })).await;
    assert_eq!(scene.shown("he does not hold it").await, 0);
    let person = id(&scene.bob.get("/api/settings/").await.ok());
    scene.change(&json!({ "interviewers": [person] })).await;
    assert_eq!(scene.shown("he holds it again").await, 1);
    tom.delete(&interview).await.no_content();
    let own = format!("{}interview/", scene.there.own());
    scene.there.sue.delete(&own).await.no_content();
    assert_eq!(scene.shown("nobody comes").await, 0);
    scene.there.book(scene.slot).await.ok();
    assert_eq!(scene.shown("booked again").await, 1);
    let application = format!("{}?force=true", scene.there.recruitment.path);
    scene
        .there
        .recruitment
        .officer
        .delete(&application)
        .await
        .no_content();
    assert_eq!(scene.shown("no application").await, 0);
}

/// Between two polls somebody leaves the club and comes back.
// proves V22
#[tokio::test(start_paused = true)]
async fn returned_member_interviews_nobody() {
    let campus = TestCampus::new();
    let mut scene = Holding::new(&campus).await;
    scene.there.book(scene.slot).await.ok();
    assert_eq!(scene.shown("booked").await, 1);
    let (bob, officer) = (
        "/api/clubs/chess/members/bob/",
        &scene.there.recruitment.officer,
    );
    officer.delete(bob).await.no_content();
    campus.member("chess", officer, "bob", 20).await;
    assert_eq!(scene.shown("another membership").await, 0);
}

/// The function of an earlier release has read the stream, for example.
// proves V22
#[tokio::test(start_paused = true)]
async fn change_without_revision_is_seen_within_a_day() {
    let campus = TestCampus::new();
    let mut scene = Holding::new(&campus).await;
    scene.there.book(scene.slot).await.ok();
    assert_eq!(scene.his.news().await, None, "the stream was not read");
    campus.advance(TimeDelta::hours(24));
    let text = scene.his.news().await.expect("a day has passed");
    assert!(text.contains("UID:interviews-"), "{text}");
}

// proves V22
#[tokio::test(start_paused = true)]
async fn revisions_bring_nothing_back() {
    let campus = TestCampus::new();
    let scene = Holding::new(&campus).await;
    scene.there.book(scene.slot).await.ok();
    scene.change(&json!({ "location": "Tower" })).await;
    for person in [&scene.bob, &scene.there.sue] {
        campus.erase(person).await;
    }
    // What was stored before is read after the erasure.
    campus.list_changes().await;
    let is_own = |item: &Value| {
        item["pk"]["S"]
            .as_str()
            .is_some_and(|pk| pk.starts_with("USER#"))
    };
    let marked = |item: &&Value| item.get("calendar_revision").is_some() && is_own(item);
    let left: Vec<Value> = campus.stored().iter().filter(marked).cloned().collect();
    assert_eq!(left, Vec::<Value>::new());
}

/// The stream delivers until each mark is set.
// proves V22
#[tokio::test(start_paused = true)]
async fn revisions_are_set_though_writes_fail() {
    let left = Arc::new(AtomicU64::new(0));
    let failing = left.clone();
    let hook: EngineHook = Arc::new(move |call: Call| {
        let is_flag = String::from_utf8_lossy(&call.body).contains("ASKING#");
        let fails = call.operation == "UpdateItem" && is_flag && failing.load(Relaxed) > 0;
        if fails {
            failing.fetch_sub(1, Relaxed);
        }
        Box::pin(async move { fails.then(|| Reply::Response(500, "{}".into())) })
    });
    let campus = Setup::default().hook(hook).build();
    let mut scene = Holding::new(&campus).await;
    scene.there.book(scene.slot).await.ok();
    left.store(200, Relaxed);
    campus.list_changes().await;
    assert_eq!(left.load(Relaxed), 0);
    assert!(scene.his.news().await.is_some());
}
