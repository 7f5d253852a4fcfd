//! Questions that are asked only of those who chose an option of another one, and questions that
//! need an answer.

use futures::future::join_all;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{Recruitment, id};

use crate::races::slow;

/// A form with questions of its own.
pub(crate) struct Form {
    pub(crate) recruitment: Recruitment,
    pub(crate) path: String,
}

impl Form {
    pub(crate) async fn of(campus: &TestCampus) -> Self {
        let recruitment = campus.recruitment("chess").await;
        let path = format!("{}questions/", recruitment.path);
        Self { recruitment, path }
    }

    pub(crate) async fn add(&self, body: Value) -> Value {
        self.recruitment
            .officer
            .post(&self.path, body)
            .await
            .created()
    }

    /// A question with the options "a" and "b", with more fields.
    pub(crate) async fn choice(&self, more: Value) -> Value {
        let question = json!({
            "question_type": 2, "prompt": "Which?", "multiple_choice": ["a", "b"],
        });
        self.add(with(question, more)).await
    }

    /// A question with a text, with more fields.
    pub(crate) async fn text(&self, more: Value) -> Value {
        let question = json!({ "question_type": 1, "prompt": "More?" });
        self.add(with(question, more)).await
    }

    fn one(&self, question: &Value) -> String {
        format!("{}{}/", self.path, id(question))
    }

    pub(crate) async fn patch(&self, question: &Value, body: Value) -> tests::Response {
        self.recruitment
            .officer
            .patch(&self.one(question), body)
            .await
    }

    /// Refuses a change that another question forbids: the field, and the code.
    async fn in_use(&self, question: &Value, field: &str, body: Value) {
        let response = self.patch(question, body).await;
        assert_eq!(response.json()["code"], "in_use", "{}", response.text());
        response.invalid(&[field]);
    }
}

pub(crate) fn with(mut body: Value, more: Value) -> Value {
    let (Value::Object(body_fields), Value::Object(more)) = (&mut body, more) else {
        panic!("two objects");
    };
    body_fields.extend(more);
    body
}

/// The id of an option: 0 is "a".
pub(crate) fn option(question: &Value, n: usize) -> &Value {
    &question["multiple_choice"][n]["id"]
}

/// The condition that somebody chose option `n` of a question.
pub(crate) fn chose(question: &Value, n: usize) -> Value {
    json!({ "show_if": { "question": question["id"], "options": [option(question, n)] } })
}

// proves Q8, Q10
#[tokio::test]
async fn a_question_keeps_its_condition() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let choice = form.choice(json!({ "required": true })).await;
    assert_eq!(choice["show_if"], Value::Null);
    assert_eq!(choice["required"], true);
    // A client may send the objects that it got, and an option twice.
    let a = &choice["multiple_choice"][0];
    let condition = json!({ "question": choice["id"], "options": [a["id"]] });
    let sent = json!({ "show_if": { "question": { "id": choice["id"] }, "options": [a, a] } });
    let more = form.text(sent).await;
    assert_eq!(
        (&more["show_if"], &more["required"]),
        (&condition, &json!(false))
    );
    let one = form.one(&more);
    let got = campus.as_("sue").get(&one).await.ok();
    assert_eq!(got, more);
    let officer = &form.recruitment.officer;
    assert_eq!(officer.put(&one, got.clone()).await.ok(), got);
    let put = json!({
        "question_type": 3, "prompt": "Short?", "word_limit": 0, "precedence": 0,
        "committee_question": false, "committees": [], "multiple_choice": [],
    });
    let put = officer.put(&one, put).await.ok();
    assert_eq!(put["show_if"], condition, "PUT may leave it out");
    let not = form
        .patch(&more, json!({ "show_if": null, "required": true }))
        .await
        .ok();
    assert_eq!(
        (&not["show_if"], &not["required"]),
        (&Value::Null, &json!(true))
    );
}

// proves Q8
#[tokio::test]
async fn wrong_conditions_are_named() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let choice = form.choice(json!({})).await;
    let elsewhere = campus.recruitment("go").await;
    let (a, text) = (option(&choice, 0), form.recruitment.question);
    let committee = &form.recruitment.application["committees"][0]["id"];
    let only = form
        .choice(json!({ "committee_question": true, "committees": [committee] }))
        .await;
    let cases = [
        ("show_if.question", json!({ "options": [a] })),
        ("show_if.options", json!({ "question": choice["id"] })),
        (
            "show_if.options",
            json!({ "question": choice["id"], "options": [] }),
        ),
        (
            "show_if.options.1",
            json!({ "question": choice["id"], "options": [a, 1] }),
        ),
        ("show_if.question", json!({ "question": 1, "options": [a] })),
        (
            "show_if.question",
            json!({ "question": text, "options": [a] }),
        ),
        (
            "show_if.question",
            json!({ "question": elsewhere.question, "options": [a] }),
        ),
        ("show_if.question", chose(&only, 0)["show_if"].clone()),
        (
            "show_if.question",
            json!({ "question": "x", "options": [a] }),
        ),
        ("show_if", json!("x")),
    ];
    let before = form.recruitment.officer.get(&form.path).await.ok();
    for (field, condition) in cases {
        let body = json!({ "question_type": 1, "prompt": "x", "show_if": condition });
        form.recruitment
            .officer
            .post(&form.path, body)
            .await
            .invalid(&[field]);
    }
    assert_eq!(form.recruitment.officer.get(&form.path).await.ok(), before);
}

// proves Q8
#[tokio::test]
async fn a_chain_has_an_end_and_at_most_five_conditions() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let mut chain = vec![form.choice(json!({})).await];
    let itself = chose(&chain[0], 0);
    form.patch(&chain[0], itself)
        .await
        .invalid(&["show_if.question"]);
    for n in 0..5 {
        let next = form.choice(chose(&chain[n], 0)).await;
        chain.push(next);
    }
    let sixth = json!({ "question_type": 1, "prompt": "x" });
    let sixth = with(sixth, chose(&chain[5], 0));
    let officer = &form.recruitment.officer;
    officer
        .post(&form.path, sixth)
        .await
        .invalid(&["show_if.question"]);
    // Whoever is put in front of a chain makes it longer, too.
    let front = form.choice(json!({})).await;
    let before = chose(&front, 0);
    form.patch(&chain[0], before)
        .await
        .invalid(&["show_if.question"]);
    let circle = chose(&chain[4], 0);
    form.patch(&chain[0], circle)
        .await
        .invalid(&["show_if.question"]);
    form.patch(&chain[1], json!({ "show_if": null })).await.ok();
    form.patch(&chain[0], chose(&front, 0)).await.ok();
}

// proves Q9
#[tokio::test]
async fn needed_questions_and_options_stay() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let choice = form.choice(json!({})).await;
    let more = form.text(chose(&choice, 0)).await;
    let officer = &form.recruitment.officer;
    let deleted = officer.delete(&form.one(&choice)).await;
    assert_eq!(deleted.json()["code"], "in_use");
    deleted.error(400);
    form.in_use(&choice, "question_type", json!({ "question_type": 1 }))
        .await;
    form.in_use(
        &choice,
        "multiple_choice",
        json!({ "multiple_choice": ["b", "c"] }),
    )
    .await;
    let committee = &form.recruitment.application["committees"][0]["id"];
    let only = json!({ "committee_question": true, "committees": [committee] });
    form.in_use(&choice, "committees", only.clone()).await;
    // One of the options may go if another one stays.
    let both =
        json!({ "question": choice["id"], "options": [option(&choice, 0), option(&choice, 1)] });
    form.patch(&more, json!({ "show_if": both })).await.ok();
    form.patch(&choice, json!({ "multiple_choice": ["a", "c"] }))
        .await
        .ok();
    let now = officer.get(&form.one(&more)).await.ok();
    assert_eq!(now["show_if"], chose(&choice, 0)["show_if"]);
    // The narrower question can follow, and then it cannot be wider again.
    form.patch(&more, only.clone()).await.ok();
    form.patch(&choice, only).await.ok();
    form.patch(&more, json!({ "committee_question": false }))
        .await
        .invalid(&["committees"]);
    officer.delete(&form.one(&more)).await.no_content();
    officer.delete(&form.one(&choice)).await.no_content();
}

// proves Q9
#[tokio::test(start_paused = true)]
async fn a_committee_that_a_condition_needs_stays() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    let officer = &form.recruitment.officer;
    let names = json!([{ "name": "tech" }, { "name": "art" }]);
    let application = officer
        .patch(&form.recruitment.path, json!({ "committees": names }))
        .await
        .ok();
    let [tech, art] = [0, 1].map(|n| &application["committees"][n]);
    let only = |ids: &[&Value]| {
        let ids: Vec<&Value> = ids.iter().map(|one| &one["id"]).collect();
        json!({ "committee_question": true, "committees": ids })
    };
    let choice = form.choice(only(&[tech, art])).await;
    form.text(with(chose(&choice, 0), only(&[tech]))).await;
    // Without "tech" the second question would be for everybody, and the first only for "art".
    let refused = officer
        .patch(&form.recruitment.path, json!({ "committees": [art] }))
        .await;
    assert_eq!(refused.json()["code"], "in_use");
    refused.invalid(&["committees"]);
    officer
        .patch(&form.recruitment.path, json!({ "committees": [tech] }))
        .await
        .ok();
    officer
        .patch(&form.recruitment.path, json!({ "committees": [] }))
        .await
        .ok();
}

// proves A8
#[tokio::test]
async fn a_copy_has_conditions_of_its_own() {
    let campus = TestCampus::new();
    let form = Form::of(&campus).await;
    // The condition names a question that stands behind it.
    let choice = form.choice(json!({ "precedence": 9 })).await;
    form.text(with(chose(&choice, 1), json!({ "required": true })))
        .await;
    let path = format!("{}duplicate/", form.recruitment.path);
    let copy = form
        .recruitment
        .officer
        .post(&path, json!({}))
        .await
        .created();
    let questions = copy["questions"].as_array().cloned().unwrap_or_default();
    let [_, more, choice] = &questions[..] else {
        panic!("{questions:?}");
    };
    assert_eq!(more["show_if"], chose(choice, 1)["show_if"]);
    assert_eq!(more["required"], true);
}

// proves Q8
#[tokio::test(start_paused = true)]
async fn two_officers_at_once_make_no_circle() {
    let campus = slow();
    let form = Form::of(&campus).await;
    let all = join_all((0..4).map(|_| form.choice(json!({})))).await;
    let changes = (0..4).map(|n| {
        let next = chose(&all[(n + 1) % 4], 0);
        form.patch(&all[n], next)
    });
    let mut statuses: Vec<u16> = join_all(changes)
        .await
        .iter()
        .map(|one| one.status.as_u16())
        .collect();
    statuses.sort_unstable();
    assert_eq!(
        statuses,
        [200, 200, 200, 400],
        "one of them would close the circle"
    );
}

// proves Q9
#[tokio::test(start_paused = true)]
async fn question_is_not_deleted_while_another_begins_to_depend_on_it() {
    for pause in 0..20 {
        let campus = slow();
        let form = Form::of(&campus).await;
        let choice = form.choice(json!({})).await;
        let more = form.text(json!({})).await;
        let condition = form.patch(&more, chose(&choice, 0));
        let one = form.one(&choice);
        let deletion = async {
            tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
            form.recruitment.officer.delete(&one).await.status
        };
        let (condition, deleted) = futures::join!(condition, deletion);
        let both = (condition.status.as_u16(), deleted.as_u16());
        assert!(
            [(200, 400), (400, 204)].contains(&both),
            "{pause} ms: {both:?}"
        );
    }
}
