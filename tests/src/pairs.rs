//! Requests with their opposites: something is made, and then deleted, withdrawn or changed. If the
//! first write of such a request reaches the table after the opposite, nothing may come back. The
//! tests let this happen in their own process, the emulated cloud in its proxy.

use chrono::TimeDelta;
use http::Method;
use serde_json::{Value, json};
use shared::time::Timestamp;

use crate::fixtures::id;
use crate::{Client, TestCampus};

/// The names of all pairs.
pub const PAIRS: [&str; 17] = [
    "submit, withdraw",
    "submit, erase",
    "committee, remove it",
    "submit, delete the application",
    "draft, delete the application",
    "draft, erase",
    "draft, delete the draft",
    "extension, erase",
    "copy, change its question",
    "erase, come back",
    "withdraw, erase, come back",
    "submit, withdraw, delete the application",
    "interview, cancel it",
    "interview, move it",
    "interview, delete its slot",
    "interview, erase",
    "weekly news, no news",
];

/// A club of Ada with an open application that has a question, and Sue, who knows neither.
pub struct Scene<'a> {
    campus: &'a TestCampus,
    /// The owner of the club.
    ada: Client,
    /// Anybody else.
    sue: Client,
    /// `/api/clubs/…/`
    club: String,
    /// `/api/clubs/…/applications/…/`
    path: String,
    question: u64,
    /// The user id of Sue.
    person: u64,
    /// The submission of Sue, who is invited to an interview, and the slots, for pairs that need
    /// them.
    interview: Option<(u64, [u64; 2])>,
}

/// Sends a request until it is answered neither with 429 nor with 5xx, and returns the path of what
/// it created. It must succeed.
async fn done(client: &Client, method: Method, path: &str, body: Value) -> String {
    let body = Some(body).filter(|body| !body.is_null());
    let mut tries = 0;
    loop {
        tries += 1;
        let response = client.send(method.clone(), path, body.clone()).await;
        let passes = response.status.is_server_error() || response.status == 429;
        // A request that was killed may have been done, so that its repeat finds nothing to delete.
        let is_done = response.status.is_success()
            || tries > 1 && method == Method::DELETE && response.status == 404;
        if is_done {
            return response
                .header("location")
                .trim_start_matches("/dev")
                .to_owned();
        }
        assert!(
            passes && tries < 20,
            "{method} {path}: {} {}",
            response.status,
            response.text()
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Reads until there is a response.
async fn read(client: &Client, path: &str) -> Value {
    for _ in 0..20 {
        let response = client.get(path).await;
        if response.status.is_success() {
            return response.json();
        }
    }
    panic!("{path} cannot be read")
}

async fn post(client: &Client, path: &str, body: Value) -> String {
    done(client, Method::POST, path, body).await
}

async fn delete(client: &Client, path: &str) {
    done(client, Method::DELETE, path, Value::Null).await;
}

impl<'a> Scene<'a> {
    /// Creates the club `name`.
    pub async fn new(name: &str, campus: &'a TestCampus) -> Self {
        let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
        let person = id(&read(&sue, "/api/settings/").await);
        let body = json!({ "name": name, "code": name });
        let club = post(&ada, "/api/clubs/", body).await;
        let mut scene = Self {
            campus,
            person,
            ada,
            sue,
            club,
            path: String::new(),
            question: 0,
            interview: None,
        };
        let applications = format!("{}applications/", scene.club);
        scene.path = post(&scene.ada, &applications, Self::application("Fall")).await;
        let question = json!({ "question_type": 1, "prompt": "Why?" });
        let questions = format!("{}questions/", scene.path);
        let made = post(&scene.ada, &questions, question).await;
        let number = made.trim_end_matches('/').rsplit('/').next();
        scene.question = number
            .and_then(|number| number.parse().ok())
            .unwrap_or_default();
        scene
    }

    /// Makes what must be there before the pair is played.
    #[must_use]
    pub async fn ready_for(mut self, pair: &str) -> Self {
        if !pair.starts_with("interview") {
            return self;
        }
        let submission = number(&self.submit().await);
        let slots = [self.offer(30).await, self.offer(40).await].map(|slot| number(&slot));
        let invitation =
            json!({ "email_type": { "id": "interview" }, "submissions": [submission] });
        post(&self.ada, &format!("{}send_emails/", self.path), invitation).await;
        self.interview = Some((submission, slots));
        self
    }

    /// Ada offers a slot that begins after these hours.
    async fn offer(&self, hours: i64) -> String {
        let slot = json!({ "start_time": Self::hours(hours), "end_time": Self::hours(hours + 1) });
        post(&self.ada, &format!("{}slots/", self.path), slot).await
    }

    /// Sue books the first slot.
    async fn book(&self) -> (String, [u64; 2]) {
        let (submission, slots) = self.interview.expect("an invitation");
        let path = format!("/api/submissions/{submission}/interview/");
        done(&self.sue, Method::PUT, &path, json!({ "slot": slots[0] })).await;
        (path, slots)
    }

    /// Sue is erased.
    async fn erase(&self) {
        delete(&self.sue, "/api/settings/").await;
        self.campus.finish_erasures().await;
    }

    async fn choose_news(&self, how: &str) {
        let body = json!({ "notices": { "news": how } });
        done(&self.sue, Method::PATCH, "/api/settings/", body).await;
    }

    fn hours(hours: i64) -> String {
        Timestamp::at(crate::start() + TimeDelta::hours(hours)).to_string()
    }

    fn application(name: &str) -> Value {
        json!({
            "name": name,
            "application_start_time": Self::hours(-1),
            "application_end_time": Self::hours(24),
            "result_release_time": Self::hours(48),
            "is_active": true,
        })
    }

    async fn submit(&self) -> String {
        let answer = json!({ "question": self.question, "text": "x" });
        let submissions = format!("{}submissions/", self.path);
        post(&self.sue, &submissions, json!({ "responses": [answer] })).await
    }

    async fn save_draft(&self) {
        let answer = json!({ "question": self.question, "text": "I", "version": 0 });
        let (draft, body) = (
            format!("{}draft/", self.path),
            json!({ "responses": [answer] }),
        );
        done(&self.sue, Method::PATCH, &draft, body).await;
    }

    async fn extend(&self) -> String {
        let extension = json!({ "person": self.person, "end_time": Self::hours(30) });
        post(&self.ada, &format!("{}extensions/", self.path), extension).await
    }

    async fn copy(&self) -> String {
        post(&self.ada, &format!("{}duplicate/", self.path), Value::Null).await
    }

    /// Sends a request of [`PAIRS`], and then its opposite. Calls `between` before the opposite.
    #[expect(clippy::too_many_lines, reason = "a table: each pair of requests")]
    pub async fn play(&self, pair: &str, between: impl FnOnce()) {
        let sue = &self.sue;
        let opposite = match pair {
            "submit, withdraw" => {
                let made = self.submit().await;
                let path = format!("{}submissions/{}/reviews/mine/", self.path, number(&made));
                done(
                    &self.ada,
                    Method::PUT,
                    &path,
                    json!({ "score": 4, "comment": "" }),
                )
                .await;
                Opposite::Delete(sue, format!("/api/submissions/{}/", number(&made)))
            }
            "submit, erase" => {
                self.submit().await;
                Opposite::Erase
            }
            "submit, delete the application" => {
                self.submit().await;
                Opposite::DeleteApplication
            }
            "draft, delete the application" => {
                self.save_draft().await;
                Opposite::DeleteApplication
            }
            "draft, erase" => {
                self.save_draft().await;
                Opposite::Erase
            }
            "draft, delete the draft" => {
                self.save_draft().await;
                Opposite::Delete(sue, format!("{}draft/", self.path))
            }
            "committee, remove it" => {
                let body = json!({ "committees": [{ "name": "Tech" }] });
                done(&self.ada, Method::PATCH, &self.path, body).await;
                Opposite::Change(self.path.clone(), json!({ "committees": [] }))
            }
            "extension, erase" => {
                self.extend().await;
                Opposite::Erase
            }
            "copy, change its question" => {
                let copy = self.copy().await;
                let question = id(&read(&self.ada, &copy).await["questions"][0]);
                let path = format!("{copy}questions/{question}/");
                Opposite::Change(path, json!({ "prompt": "Changed" }))
            }
            "erase, come back" => {
                self.erase().await;
                Opposite::ComeBack
            }
            "withdraw, erase, come back" => {
                let made = self.submit().await;
                delete(sue, &format!("/api/submissions/{}/", number(&made))).await;
                self.erase().await;
                Opposite::ComeBack
            }
            "submit, withdraw, delete the application" => {
                let made = self.submit().await;
                delete(sue, &format!("/api/submissions/{}/", number(&made))).await;
                Opposite::Delete(&self.ada, self.path.clone())
            }
            "interview, cancel it" => Opposite::Delete(sue, self.book().await.0),
            "interview, move it" => {
                let (path, [_, other]) = self.book().await;
                Opposite::Move(path, other)
            }
            "interview, delete its slot" => {
                let (_, [slot, _]) = self.book().await;
                let path = format!("{}slots/{slot}/?force=true", self.path);
                Opposite::Delete(&self.ada, path)
            }
            "interview, erase" => {
                self.book().await;
                Opposite::Erase
            }
            "weekly news, no news" => {
                self.choose_news("weekly").await;
                Opposite::NoNews
            }
            other => panic!("{other}"),
        };
        between();
        self.undo(opposite).await;
    }

    async fn undo(&self, opposite: Opposite<'_>) {
        match opposite {
            Opposite::Delete(client, path) => delete(client, &path).await,
            Opposite::Erase => self.erase().await,
            Opposite::DeleteApplication => {
                delete(&self.ada, &format!("{}?force=true", self.path)).await;
            }
            Opposite::Change(path, body) => {
                done(&self.ada, Method::PATCH, &path, body).await;
            }
            Opposite::Move(path, slot) => {
                done(&self.sue, Method::PUT, &path, json!({ "slot": slot })).await;
            }
            Opposite::NoNews => self.choose_news("off").await,
            Opposite::ComeBack => {
                read(&self.sue, "/api/settings/").await;
                self.submit().await;
            }
        }
    }
}

/// What undoes a request.
enum Opposite<'a> {
    Delete(&'a Client, String),
    Erase,
    DeleteApplication,
    Change(String, Value),
    Move(String, u64),
    NoNews,
    ComeBack,
}

/// The id at the end of a path.
fn number(path: &str) -> u64 {
    let last = path.trim_end_matches('/').rsplit('/').next();
    last.and_then(|last| last.parse().ok()).unwrap_or_default()
}
