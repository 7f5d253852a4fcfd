//! Ids of another club in paths and bodies

use serde_json::json;
use tests::fixtures::{hours, id};
use tests::{Client, TestCampus};

/// The officer of both clubs, an applicant of chess, and the ids of what chess has.
struct Scene {
    officer: Client,
    sue: Client,
    /// The application of chess under the path of go.
    there: String,
    /// The application of go.
    here: String,
    question: u64,
    submission: u64,
    extension: u64,
    member: u64,
}

async fn scene() -> Scene {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let sue = campus.as_("sue");
    let submission = id(&chess.submit(&sue).await);
    let person = id(&sue.get("/api/settings/").await.ok());
    let extension = json!({ "person": person, "end_time": hours(30) });
    let extension = id(&chess
        .officer
        .post(&format!("{}extensions/", chess.path), extension)
        .await
        .created());
    let member = id(&chess
        .officer
        .get("/api/clubs/chess/members/ada/")
        .await
        .ok());
    let application = id(&chess.application);
    Scene {
        officer: chess.officer,
        sue,
        there: format!("/api/clubs/go/applications/{application}/"),
        here: go.path,
        question: chess.question,
        submission,
        extension,
        member,
    }
}

// proves H4
#[tokio::test]
async fn an_id_of_another_club_is_not_found_when_it_is_read() {
    let Scene {
        officer,
        there,
        here,
        question,
        submission,
        extension,
        member,
        ..
    } = scene().await;
    for path in [
        there.clone(),
        format!("{there}questions/"),
        format!("{there}submissions/"),
        format!("{there}submissions/export/"),
        format!("{there}extensions/"),
        format!("{there}submissions/{submission}/"),
        format!("{there}submissions/{submission}/history/"),
        format!("{here}questions/{question}/"),
        format!("{here}submissions/{submission}/"),
        format!("{here}submissions/{submission}/history/"),
        format!("{here}extensions/{extension}/"),
        format!("/api/clubs/go/members/{member}/"),
    ] {
        officer.get(&path).await.error(404);
    }
}

// proves H4
#[tokio::test(start_paused = true)]
async fn an_id_of_another_club_is_not_found_when_it_is_written() {
    let Scene {
        officer,
        sue,
        there,
        here,
        question,
        submission,
        extension,
        member,
    } = scene().await;
    officer
        .patch(&there, json!({ "name": "stolen" }))
        .await
        .error(404);
    officer
        .delete(&format!("{there}?force=true"))
        .await
        .error(404);
    officer
        .post(&format!("{there}duplicate/"), json!({}))
        .await
        .error(404);
    officer
        .post(
            &format!("{there}send_emails/"),
            json!({ "email_type": { "id": "acceptance" } }),
        )
        .await
        .error(404);
    officer
        .patch(
            &format!("{here}questions/{question}/"),
            json!({ "prompt": "stolen" }),
        )
        .await
        .error(404);
    officer
        .delete(&format!("{here}questions/{question}/"))
        .await
        .error(404);
    officer
        .patch(
            &format!("{here}submissions/{submission}/"),
            json!({ "status": 4 }),
        )
        .await
        .error(404);
    officer
        .patch(
            &format!("{here}extensions/{extension}/"),
            json!({ "end_time": hours(40) }),
        )
        .await
        .error(404);
    officer
        .delete(&format!("{here}extensions/{extension}/"))
        .await
        .error(404);
    officer
        .delete(&format!("/api/clubs/go/members/{member}/"))
        .await
        .error(404);
    sue.post(&format!("{there}submissions/"), json!({ "responses": [] }))
        .await
        .error(404);
}

// proves H4, Q4, S3, S4, D3
#[tokio::test]
async fn an_id_of_another_application_is_named_in_a_body() {
    let campus = TestCampus::new();
    let (chess, go) = (
        campus.recruitment("chess").await,
        campus.recruitment("go").await,
    );
    let submission = id(&chess.submit(&campus.as_("sue")).await);
    let committee = &chess.application["committees"][0]["id"];
    let officer = &go.officer;
    let at = |path: &str| format!("{}{path}", go.path);
    officer
        .post(
            &at("questions/precedence/"),
            json!({ "precedence": [chess.question] }),
        )
        .await
        .invalid(&["precedence.0"]);
    let question = json!({
        "question_type": 1,
        "prompt": "x",
        "committee_question": true,
        "committees": [committee],
    });
    officer
        .post(&at("questions/"), question)
        .await
        .invalid(&["committees.0"]);
    officer
        .patch(
            &go.path,
            json!({ "committees": [{ "id": committee, "name": "x" }] }),
        )
        .await
        .invalid(&["committees.0.id"]);
    officer
        .post(
            &at("submissions/status/"),
            json!({ "submissions": [submission], "status": 4 }),
        )
        .await
        .invalid(&["submissions.0"]);
    officer
        .post(
            &at("submissions/reason/"),
            json!({ "submissions": [{ "id": submission, "reason": "x" }] }),
        )
        .await
        .invalid(&["submissions.0.id"]);
    let answer = json!({
        "committee": committee,
        "responses": [{ "question": chess.question, "text": "x" }],
    });
    campus
        .as_("sue")
        .post(&at("submissions/"), answer)
        .await
        .invalid(&["committee", "responses.0.question"]);
    assert_eq!(
        chess
            .officer
            .get(&format!("{}submissions/", chess.path))
            .await
            .ok()[0]["status"],
        1
    );
}
