//! Exports: what a spreadsheet shows of submissions and members

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Response, TestCampus};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The cells of the only table of a file.
fn cells(response: &Response) -> Vec<Vec<Data>> {
    assert_eq!(
        (response.status.as_u16(), response.header("content-type")),
        (200, XLSX)
    );
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(response.bytes.clone())).expect("XLSX");
    let table = book.worksheet_range_at(0).expect("a table").expect("cells");
    table.rows().map(<[Data]>::to_vec).collect()
}

fn column(rows: &[Vec<Data>], name: &str) -> Vec<Data> {
    let at = rows[0].iter().position(|cell| cell == name);
    let at = at.unwrap_or_else(|| panic!("no {name}: {:?}", rows[0]));
    rows[1..].iter().map(|row| row[at].clone()).collect()
}

// proves S11, S12, S22
#[tokio::test]
async fn submissions_are_exported_for_people_to_read() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let questions = format!("{}questions/", recruitment.path);
    let phone = json!({ "question_type": 1, "prompt": "Why?", "precedence": 2 });
    let phone = officer.post(&questions, phone).await.created();
    let submissions = format!("{}submissions/", recruitment.path);
    let mut sent = vec![];
    for (name, text) in [("sue", "- chess\n- go"), ("tom", "=1+1"), ("una", "x")] {
        let body = json!({ "responses": [
            { "question": recruitment.question, "text": text },
            { "question": phone["id"], "text": "+49 170 1234" },
        ] });
        sent.push(campus.as_(name).post(&submissions, body).await.created());
    }
    recruitment.decide(&sent[0], 4, "").await;
    let review = json!({ "score": 4, "comment": null });
    let own = format!("{submissions}{}/reviews/mine/", id(&sent[0]));
    officer.put(&own, review).await;
    let export = format!("{submissions}export/");
    let rows = cells(
        &officer
            .get(&format!("{export}?format=xlsx&search=sue"))
            .await,
    );
    assert_eq!(rows.len(), 2);
    let text = |text: &str| vec![Data::String(text.to_owned())];
    assert_eq!(column(&rows, "id"), text(&id(&sent[0]).to_string()));
    assert_eq!(column(&rows, "status"), text("accepted"));
    assert_eq!(column(&rows, "notified"), text("no"));
    assert_eq!(column(&rows, "my_score"), [Data::Float(4.0)]);
    assert_eq!(column(&rows, "Why?"), text("- chess\n- go"));
    assert_eq!(column(&rows, "Why? (2)"), text("+49 170 1234"));
    let created = column(&rows, "created_at")[0].clone();
    let created = calamine::DataType::as_datetime(&created).map(|time| time.to_string());
    assert_eq!(created.as_deref(), Some("2026-11-21 09:00:00"));
    let by_accept = officer.clone().header("accept", XLSX).get(&export).await;
    assert_eq!(cells(&by_accept).len(), 4);
    assert_eq!(
        by_accept.header("content-disposition"),
        format!(
            "attachment; filename=\"submissions-{}.xlsx\"",
            id(&recruitment.application)
        )
    );
    // What would be a formula in CSV is a text here.
    let tom = cells(
        &officer
            .get(&format!("{export}?format=xlsx&ids={}", id(&sent[1])))
            .await,
    );
    assert_eq!(column(&tom, "Why?"), text("=1+1"));
    let csv = officer
        .get(&format!("{export}?dialect=semicolon&ids={}", id(&sent[0])))
        .await;
    let csv = csv.text();
    assert!(csv.starts_with("\u{feff}id;name;username;"), "{csv}");
    assert!(csv.contains(";\"- chess\n- go\";+49 170 1234\n"), "{csv}");
    assert_eq!(csv.lines().count(), 3);
}

// proves S22, H26
#[tokio::test]
async fn exports_take_chosen_rows_and_name_wrong_values() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let officer = &recruitment.officer;
    let mut sent = vec![];
    for name in ["sue", "tom", "una"] {
        sent.push(recruitment.submit(&campus.as_(name)).await);
    }
    let text = |text: &str| vec![Data::String(text.to_owned())];
    let export = format!("{}submissions/export/", recruitment.path);
    let list = format!("{}submissions/?dialect=semicolon", recruitment.path);
    let list = officer
        .clone()
        .header("accept", "text/csv")
        .get(&list)
        .await;
    assert!(list.text().contains("id;name;"));
    let first = officer.get(&format!("{export}?format=xlsx")).await;
    campus.advance(chrono::TimeDelta::hours(1));
    let again = officer.get(&format!("{export}?format=xlsx")).await;
    assert_eq!(first.header("etag"), again.header("etag"));
    let two = json!({ "ids": [sent[0]["id"], sent[2]["id"], 7] });
    let two = officer
        .post(&format!("{export}?format=xlsx&limit=1"), two)
        .await;
    assert!(two.header("link").contains("rel=\"next\""));
    assert_eq!(column(&cells(&two), "username"), text("una"));
    for (query, field) in [
        ("format=pdf".to_owned(), "format"),
        ("dialect=tab".to_owned(), "dialect"),
        ("ids=1,x".to_owned(), "ids"),
        (
            format!(
                "ids={}",
                (1..=401)
                    .map(|n| n.to_string())
                    .collect::<Vec<_>>()
                    .join(",")
            ),
            "ids",
        ),
    ] {
        officer
            .get(&format!("{export}?{query}"))
            .await
            .invalid(&[field]);
    }
    let many: Vec<u64> = (1..=10_001).collect();
    officer
        .post(&export, json!({ "ids": many }))
        .await
        .invalid(&["ids"]);
}

// proves M15
#[tokio::test]
async fn members_are_exported_for_officers() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let bob = campus.member("chess", &ada, "bob", 20).await;
    let path = "/api/clubs/chess/members/export/";
    let csv = ada.get(path).await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    let lines: Vec<String> = csv.text().lines().map(str::to_owned).collect();
    assert_eq!(
        lines[0],
        "\u{feff}id,name,username,email,role,title,description,public,active"
    );
    assert!(lines[1].contains(",ada,ada@uni.example,0,"), "{lines:?}");
    assert!(lines[2].contains(",bob,bob@uni.example,20,"), "{lines:?}");
    let rows = cells(&ada.get(&format!("{path}?format=xlsx")).await);
    let roles: Vec<String> = column(&rows, "role")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(roles, ["owner", "member"]);
    let list = ada.get("/api/clubs/chess/members/").await.ok();
    let bobs: &Value = &list[1]["id"];
    let rows = cells(
        &ada.post(&format!("{path}?format=xlsx"), json!({ "ids": [bobs] }))
            .await,
    );
    assert_eq!(rows.len(), 2);
    bob.get(path).await.error(403);
    campus.anonymous().get(path).await.error(401);
}
