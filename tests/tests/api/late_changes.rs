//! A change whose first attempt reaches the table after the next change: the later one stays. What
//! was made and deleted does not come back.

use http::Method;
use serde_json::{Value, json};
use tests::fixtures::{Recruitment, hours, id};
use tests::{Client, TestCampus};

use crate::late_writes::Late;

/// A recruitment with one object of each kind.
struct Scene {
    campus: TestCampus,
    recruitment: Recruitment,
    admin: Client,
    sue: Client,
    tag: String,
    fair: String,
    event: String,
    link: String,
    extension: String,
    question: String,
    submission: u64,
}

/// Sends a request that must succeed, and returns the path of what it created.
async fn send(client: &Client, method: Method, path: &str, body: Value) -> String {
    let body = Some(body).filter(|body| !body.is_null());
    let response = client.send(method.clone(), path, body).await;
    let status = response.status;
    assert!(
        status.is_success(),
        "{method} {path}: {status} {}",
        response.text()
    );
    response.header("location").to_owned()
}

async fn post(client: &Client, path: &str, body: Value) -> String {
    send(client, Method::POST, path, body).await
}

fn fair(name: &str) -> Value {
    json!({
        "name": name, "start_time": hours(50), "end_time": hours(60),
        "registration_start_time": hours(-1), "registration_end_time": hours(40),
    })
}

/// Who changes what, and the two bodies of which the second one takes the first one back.
type Change<'a> = (&'a Client, Method, String, [Value; 2]);

fn two(name: &str) -> [Value; 2] {
    [json!({ name: "first" }), json!({ name: "second" })]
}

impl Scene {
    async fn new(late: &Late) -> Self {
        let campus = late.campus();
        let recruitment = campus.recruitment("chess").await;
        let (admin, sue) = (campus.admin(), campus.as_("sue"));
        admin.get("/api/settings/").await.ok();
        let ada = &recruitment.officer;
        campus.member("chess", ada, "sue", 20).await;
        let person = id(&campus.as_("bob").get("/api/settings/").await.ok());
        let extension = json!({ "person": person, "end_time": hours(30) });
        let submission = recruitment.submit(&campus.as_("bob")).await;
        Self {
            tag: post(&admin, "/api/tags/", json!({ "name": "Old" })).await,
            fair: post(&admin, "/api/clubfairs/", fair("Old")).await,
            event: post(
                ada,
                "/api/clubs/chess/events/",
                json!({ "name": "Evening" }),
            )
            .await,
            link: post(ada, "/api/clubs/chess/joinlinks/", json!({})).await,
            extension: post(ada, &format!("{}extensions/", recruitment.path), extension).await,
            question: format!("{}questions/{}/", recruitment.path, recruitment.question),
            submission: id(&submission),
            campus,
            admin,
            sue,
            recruitment,
        }
    }

    fn sorted(&self) -> Vec<String> {
        let mut stored: Vec<String> = self.campus.stored().iter().map(Value::to_string).collect();
        stored.sort();
        stored
    }

    /// Lets the writes that were held back arrive. They must change nothing.
    fn arrives(&self, late: &Late, what: &str) {
        let before = self.sorted();
        assert!(late.arrive() > 0, "{what}: nothing was late");
        let now = self.sorted();
        let changed: Vec<_> = now.iter().filter(|item| !before.contains(item)).collect();
        assert!(changed.is_empty(), "{what}: {changed:?}");
    }

    /// Collections with something to be made in them.
    fn collections(&self) -> Vec<(&Client, String, Value)> {
        let (ada, admin) = (&self.recruitment.officer, &self.admin);
        let showing = json!({ "start_time": hours(3), "end_time": hours(4) });
        let question = json!({ "question_type": 1, "prompt": "More?" });
        vec![
            (admin, "/api/tags/".into(), json!({ "name": "New" })),
            (admin, "/api/badges/".into(), json!({ "label": "New" })),
            (admin, "/api/schools/".into(), json!({ "name": "New" })),
            (admin, "/api/majors/".into(), json!({ "name": "New" })),
            (
                admin,
                "/api/years/".into(),
                json!({ "name": "New", "year": 2040 }),
            ),
            (admin, "/api/clubfairs/".into(), fair("New")),
            (
                ada,
                "/api/clubs/chess/invites/".into(),
                json!({ "email": "x@uni.example" }),
            ),
            (
                ada,
                format!("{}questions/", self.recruitment.path),
                question,
            ),
            (ada, format!("{}showings/", self.event), showing),
            (
                &self.sue,
                "/api/settings/tokens/".into(),
                json!({ "name": "Portal", "scopes": ["clubs:read"] }),
            ),
            (
                &self.sue,
                "/api/subscriptions/".into(),
                json!({ "club": "chess" }),
            ),
        ]
    }

    /// Requests of which the second one takes the first one back.
    fn changes(&self) -> Vec<Change<'_>> {
        let mut all = self.changes_of_the_club();
        all.extend(self.changes_of_the_application());
        all.extend(self.changes_of_others());
        all
    }

    fn changes_of_the_club(&self) -> Vec<Change<'_>> {
        let ada = &self.recruitment.officer;
        let (patch, post) = (Method::PATCH, Method::POST);
        let club = "/api/clubs/chess/".to_owned();
        let sue = format!("{club}members/sue/");
        vec![
            (ada, patch.clone(), club, two("description")),
            (ada, patch.clone(), self.event.clone(), two("name")),
            (ada, patch.clone(), self.link.clone(), two("note")),
            (ada, patch.clone(), sue.clone(), two("title")),
            (
                ada,
                patch,
                sue,
                [json!({ "role": 10 }), json!({ "role": 20 })],
            ),
            (
                ada,
                post,
                format!("{}register/", self.fair),
                [
                    json!({ "club": "chess", "status": true }),
                    json!({ "club": "chess", "status": false }),
                ],
            ),
        ]
    }

    fn changes_of_the_application(&self) -> Vec<Change<'_>> {
        let (ada, form) = (&self.recruitment.officer, &self.recruitment.path);
        let (patch, put, post) = (Method::PATCH, Method::PUT, Method::POST);
        let status = |status: u8| json!({ "submissions": [self.submission], "status": status });
        let submission = format!("{form}submissions/{}/", self.submission);
        let review = |score: u8| json!({ "score": score, "comment": null });
        vec![
            (ada, patch.clone(), form.clone(), two("name")),
            (ada, patch.clone(), self.question.clone(), two("prompt")),
            (
                ada,
                patch.clone(),
                self.extension.clone(),
                [
                    json!({ "end_time": hours(31) }),
                    json!({ "end_time": hours(32) }),
                ],
            ),
            (
                ada,
                patch.clone(),
                submission.clone(),
                [json!({ "status": 4 }), json!({ "status": 2 })],
            ),
            (ada, patch, submission.clone(), two("reason")),
            (
                ada,
                post,
                format!("{form}submissions/status/"),
                [status(4), status(2)],
            ),
            (
                ada,
                put,
                format!("{submission}reviews/mine/"),
                [review(1), review(5)],
            ),
        ]
    }

    /// Changes by an admin and by a member.
    fn changes_of_others(&self) -> Vec<Change<'_>> {
        let patch = Method::PATCH;
        let draft = |text: &str, version: u8| {
            let answer = json!({
                "question": self.recruitment.question, "text": text, "version": version,
            });
            json!({ "responses": [answer] })
        };
        vec![
            (&self.admin, patch.clone(), self.tag.clone(), two("name")),
            (&self.admin, patch.clone(), self.fair.clone(), two("name")),
            (
                &self.sue,
                patch.clone(),
                "/api/settings/".into(),
                [
                    json!({ "graduation_year": 2030 }),
                    json!({ "graduation_year": 2031 }),
                ],
            ),
            (
                &self.sue,
                patch,
                format!("{}draft/", self.recruitment.path),
                [draft("first", 0), draft("second", 1)],
            ),
        ]
    }
}

// proves X17
#[tokio::test(start_paused = true)]
async fn created_and_deleted_does_not_come_back_late() {
    let late = Late::default();
    let count = Scene::new(&late).await.collections().len();
    for n in 0..count {
        for delayed in [1, 2] {
            let scene = Scene::new(&late).await;
            let (client, path, body) = scene.collections().swap_remove(n);
            late.hold(0, delayed);
            let made = post(client, &path, body).await;
            send(client, Method::DELETE, &made, Value::Null).await;
            scene.arrives(&late, &path);
        }
    }
}

// proves X8
#[tokio::test(start_paused = true)]
async fn a_late_change_does_not_overtake_the_next_one() {
    let late = Late::default();
    let count = Scene::new(&late).await.changes().len();
    for n in 0..count {
        for delayed in [1, 2] {
            let scene = Scene::new(&late).await;
            let (client, method, path, [first, second]) = scene.changes().swap_remove(n);
            late.hold(0, delayed);
            send(client, method.clone(), &path, first).await;
            send(client, method, &path, second).await;
            scene.arrives(&late, &path);
        }
    }
}
