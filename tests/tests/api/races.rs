//! Requests at the same moment: nothing is lost, and nothing happens twice

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::suspended::Suspended;
use tests::{Setup, TestCampus};

/// A campus whose table takes `ms(operation)` milliseconds for a call, so that requests at the same
/// moment interleave.
pub(crate) fn delayed(ms: impl Fn(&str) -> u64 + Send + Sync + 'static) -> TestCampus {
    Setup::default()
        .table(Arc::new(move |operation: &str, _: &[u8]| {
            let pause = Duration::from_millis(ms(operation));
            Box::pin(async move {
                tokio::time::sleep(pause).await;
                None
            })
        }))
        .running_clock()
        .build()
}

pub(crate) fn slow() -> TestCampus {
    delayed(|_| 5)
}

// proves X13
#[tokio::test(start_paused = true)]
async fn sixty_four_students_at_once_are_all_stored_once() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let students: Vec<_> = (0..64)
        .map(|n| campus.as_(&format!("student{n}")))
        .collect();
    let path = format!("{}submissions/", recruitment.path);
    let answers = join_all(
        students
            .iter()
            .map(|student| student.post(&path, recruitment.answer("x"))),
    )
    .await;
    assert!(answers.iter().all(|response| response.status == 201));
    let list = recruitment.officer.get(&path).await.ok();
    let mut names: Vec<&str> = list
        .as_array()
        .map(|all| {
            all.iter()
                .filter_map(|s| s["user"]["username"].as_str())
                .collect()
        })
        .unwrap_or_default();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), list.as_array().map(Vec::len)), (64, Some(64)));
}

// proves S6, S7
#[tokio::test(start_paused = true)]
async fn one_student_sixteen_times_at_once_has_one_submission() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let texts: Vec<String> = (0..16).map(|n| format!("text {n}")).collect();
    let answers = join_all(
        texts
            .iter()
            .map(|text| sue.post(&path, recruitment.answer(text))),
    )
    .await;
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        1,
        "only one submission is created"
    );
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 200)
            .count(),
        15,
        "the others replace it"
    );
    let list = recruitment.officer.get(&path).await.ok();
    assert_eq!(list.as_array().map(Vec::len), Some(1));
    assert!(
        texts
            .iter()
            .any(|text| list[0]["responses"][0]["text"] == *text),
        "the answers of two submissions are mixed"
    );
}

// proves D4
#[tokio::test(start_paused = true)]
async fn a_decision_and_a_resubmission_at_once_lose_neither() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let path = format!("{}submissions/", recruitment.path);
    let (decided, again) = futures::join!(
        recruitment.officer.patch(&one, json!({ "status": 4 })),
        sue.post(&path, recruitment.answer("new"))
    );
    decided.ok();
    let now = recruitment.officer.get(&one).await.ok();
    assert_eq!(now["status"], 4, "the decision stands");
    let text = now["responses"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert_eq!(
        again.status == 200,
        text == "new",
        "an answer of 200 means that it is stored"
    );
}

// proves D4
#[tokio::test(start_paused = true)]
async fn two_officers_deciding_at_once_leave_a_true_history() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let (a, b) = futures::join!(
        recruitment.officer.patch(&one, json!({ "status": 4 })),
        recruitment.officer.patch(&one, json!({ "status": 2 }))
    );
    a.ok();
    b.ok();
    let history = recruitment
        .officer
        .get(&format!("{one}history/"))
        .await
        .ok();
    let first = &history[0]["changes"]["status"];
    let second = &history[1]["changes"]["status"];
    assert_eq!((&first[0], &second[0]), (&json!(1), &first[1]), "{history}");
    assert_eq!(
        recruitment.officer.get(&one).await.ok()["status"],
        second[1]
    );
}

// proves E12
#[tokio::test(start_paused = true)]
async fn two_officers_sending_at_once_mail_each_applicant_once() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    for n in 0..20 {
        let submission = recruitment
            .submit(&campus.as_(&format!("student{n}")))
            .await;
        recruitment.decide(&submission, 4, "").await;
    }
    let both = async {
        futures::join!(
            recruitment.send("acceptance", json!({})),
            recruitment.send("acceptance", json!({}))
        )
    };
    let (a, b) = campus.with_worker(both).await;
    let (a, b) = (a.ok(), b.ok());
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    assert_eq!(
        number(&a["recipients"]) + number(&b["recipients"]),
        20,
        "{a} {b}"
    );
    assert_eq!(
        number(&a["sent"]) + number(&b["sent"]) + number(&a["queued"]) + number(&b["queued"]),
        20
    );
    campus.deliver().await;
    let mut to: Vec<String> = campus.mails().into_iter().map(|mail| mail.to).collect();
    to.sort();
    to.dedup();
    assert_eq!((to.len(), campus.mails().len()), (20, 20));
}

// proves E24
#[tokio::test(start_paused = true)]
async fn concurrent_officers_mail_both_acceptances() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let path = format!("{}submissions/", recruitment.path);
    let first = recruitment.submit(&sue).await;
    let mut body = recruitment.answer("Because.");
    body["committee"] = recruitment.application["committees"][0]["id"].clone();
    let second = sue.post(&path, body).await.created();
    recruitment.decide(&first, 4, "").await;
    // The second officer sees the second decision, but not yet the invite that the request of the
    // first officer is writing.
    let after = async |milliseconds| tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    let all = async {
        futures::join!(
            recruitment.send("acceptance", json!({})),
            async {
                after(2).await;
                recruitment.decide(&second, 4, "").await
            },
            async {
                after(3).await;
                recruitment.send("acceptance", json!({})).await
            }
        )
    };
    let (a, _, b) = campus.with_worker(all).await;
    let (a, b) = (a.ok(), b.ok());
    assert_eq!(
        (&a["recipients"], &b["recipients"], &b["failed"]),
        (&json!(1), &json!(1), &json!(0)),
        "{a} {b}"
    );
    campus.deliver().await;
    let links: std::collections::BTreeSet<String> = campus
        .mails()
        .iter()
        .filter_map(|mail| {
            mail.text
                .split_whitespace()
                .find(|word| word.contains("/invite/"))
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(
        (campus.mails().len(), links.len()),
        (2, 1),
        "two mails, one link"
    );
}

// proves C3, C4
#[tokio::test(start_paused = true)]
async fn two_clubs_with_one_code_or_one_name() {
    let campus = slow();
    let ada = campus.as_("ada");
    let make = |body: Value| ada.post("/api/clubs/", body);
    let same = json!({ "name": "Chess", "code": "chess" });
    let (a, b) = futures::join!(make(same.clone()), make(same));
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400]);
    let named = json!({ "name": "Go Club" });
    let (a, b) = futures::join!(make(named.clone()), make(named));
    let mut codes = [
        a.created()["code"].to_string(),
        b.created()["code"].to_string(),
    ];
    codes.sort();
    assert_eq!(codes, ["\"go-club\"", "\"go-club-2\""]);
}

// proves M12, X13
#[tokio::test(start_paused = true)]
async fn a_person_added_twice_at_once_is_counted_once() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = id(&campus.as_("sue").get("/api/settings/").await.ok());
    let answers =
        join_all((0..8).map(|_| ada.post("/api/clubs/chess/members/", json!({ "person": sue }))))
            .await;
    assert_eq!(
        answers
            .iter()
            .filter(|response| response.status == 201)
            .count(),
        1
    );
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        2
    );
    assert_eq!(
        ada.get("/api/clubs/chess/members/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

// proves M9
#[tokio::test(start_paused = true)]
async fn two_owners_leaving_at_once_leave_one() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.member("chess", &ada, "sue", 0).await;
    let (a, b) = futures::join!(
        ada.delete("/api/clubs/chess/members/ada/"),
        sue.delete("/api/clubs/chess/members/sue/")
    );
    let mut statuses = [a.status.as_u16(), b.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 400]);
}

// proves X7
#[tokio::test(start_paused = true)]
async fn two_officers_editing_at_once_lose_nothing() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let (a, b) = futures::join!(
        recruitment
            .officer
            .patch(&recruitment.path, json!({ "name": "Autumn" })),
        recruitment.officer.patch(
            &recruitment.path,
            json!({ "external_url": "https://x.example/" })
        )
    );
    a.ok();
    b.ok();
    let now = recruitment.officer.get(&recruitment.path).await.ok();
    assert_eq!(
        (&now["name"], &now["external_url"]),
        (&json!("Autumn"), &json!("https://x.example/"))
    );
    let (a, b) = futures::join!(
        recruitment
            .officer
            .patch("/api/clubs/chess/", json!({ "subtitle": "s" })),
        recruitment
            .officer
            .patch("/api/clubs/chess/", json!({ "email": "a@b.example" }))
    );
    a.ok();
    b.ok();
    let club = recruitment.officer.get("/api/clubs/chess/").await.ok();
    assert_eq!(
        (&club["subtitle"], &club["email"]),
        (&json!("s"), &json!("a@b.example"))
    );
}

// proves Q6
#[tokio::test(start_paused = true)]
async fn a_hundred_questions_and_no_more_at_once() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let body = json!({ "question_type": 1, "prompt": "?" });
    join_all((0..98).map(|_| recruitment.officer.post(&path, body.clone()))).await;
    join_all((0..8).map(|_| recruitment.officer.post(&path, body.clone()))).await;
    let count = recruitment
        .officer
        .get(&path)
        .await
        .ok()
        .as_array()
        .map(Vec::len);
    assert!(
        count.is_some_and(|count| (99..=100).contains(&count)),
        "{count:?}"
    );
}

// proves Q6
#[tokio::test]
async fn questions_for_files_count_apart_from_the_hundred() {
    let campus = tests::TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}questions/", recruitment.path);
    let file = json!({ "question_type": 5, "prompt": "CV" });
    let text = json!({ "question_type": 1, "prompt": "?" });
    for _ in 0..5 {
        recruitment
            .officer
            .post(&path, file.clone())
            .await
            .created();
    }
    for _ in 1..100 {
        recruitment
            .officer
            .post(&path, text.clone())
            .await
            .created();
    }
    let more = recruitment.officer.post(&path, text.clone()).await;
    more.invalid(&["questions"]);
    let all = recruitment.officer.get(&path).await.ok();
    let of_file = |one: &&Value| one["question_type"] == 5;
    let one = all.as_array().and_then(|all| all.iter().find(of_file));
    let one = format!("{path}{}/", id(one.expect("a question for a file")));
    let changed = recruitment
        .officer
        .patch(&one, json!({ "question_type": 1 }))
        .await;
    changed.invalid(&["questions"]);
    // All of them can be answered in one request.
    let responses: Vec<Value> = all
        .as_array()
        .into_iter()
        .flatten()
        .filter(|one| one["question_type"] == 1)
        .map(|one| json!({ "question": one["id"], "text": "x" }))
        .collect();
    // A draft is stored in one transaction, which has a hundred writes.
    let sue = campus.as_("sue");
    let draft = format!("{}draft/", recruitment.path);
    let mut typed = responses.clone();
    for one in &mut typed {
        one["version"] = json!(0);
    }
    let saved = sue.patch(&draft, json!({ "responses": typed })).await.ok();
    assert_eq!(saved["responses"].as_array().map(Vec::len), Some(100));
    typed.push(typed[0].clone());
    let more = sue.patch(&draft, json!({ "responses": typed })).await;
    more.invalid(&["responses"]);
    let body = json!({ "committee": null, "responses": responses });
    let path = format!("{}submissions/", recruitment.path);
    campus.as_("sue").post(&path, body).await.created();
}

// proves X7
#[tokio::test(start_paused = true)]
async fn two_officers_editing_one_question_lose_nothing() {
    let campus = slow();
    let recruitment = campus.recruitment("chess").await;
    let tech = &recruitment.application["committees"][0]["id"];
    let path = format!("{}questions/{}/", recruitment.path, recruitment.question);
    let (a, b) = futures::join!(
        recruitment.officer.patch(
            &path,
            json!({ "committee_question": true, "committees": [tech] })
        ),
        recruitment.officer.patch(&path, json!({ "word_limit": 7 }))
    );
    a.ok();
    b.ok();
    let now = recruitment.officer.get(&path).await.ok();
    assert_eq!(
        (&now["committees"], &now["word_limit"]),
        (&json!([tech]), &json!(7))
    );
}

// proves D4, S2
#[tokio::test(start_paused = true)]
async fn mailed_decision_closes_submission_meanwhile() {
    for is_withdrawn in [false, true] {
        let (suspended, campus) = Suspended::campus();
        let recruitment = campus.recruitment("chess").await;
        let sue = campus.as_("sue");
        let submission = recruitment.submit(&sue).await;
        recruitment.decide(&submission, 2, "").await;
        let own = format!("/api/submissions/{}/", id(&submission));
        let path = format!("{}submissions/", recruitment.path);
        suspended.stop_write("submitted");
        let request = async {
            if is_withdrawn {
                sue.delete(&own).await
            } else {
                sue.post(&path, recruitment.answer("other")).await
            }
        };
        let (refused, ()) = futures::join!(request, async {
            suspended.stopped().await;
            recruitment.send("rejection", json!({})).await.ok();
            campus.deliver().await;
            suspended.go();
        });
        assert_eq!(
            refused.json()["code"],
            "application_closed",
            "{is_withdrawn}"
        );
        let stored = recruitment.own(&sue, &submission).await;
        assert_eq!(stored["responses"][0]["text"], "Because.");
        assert_eq!(stored["status"], 2);
    }
}
