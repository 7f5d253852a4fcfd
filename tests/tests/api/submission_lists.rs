//! `/clubs/{club}/applications/{application}/submissions/` as a list, in slices and as CSV.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{hours, id};

// proves H26, H27, S9
#[tokio::test]
async fn the_list_is_newest_first_and_filtered() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let path = format!("{}submissions/", recruitment.path);
    let tech = &recruitment.application["committees"][0]["id"];
    for name in ["ann", "bob", "cleo"] {
        recruitment.submit(&campus.as_(name)).await;
    }
    let dan = campus.client(
        &json!({ "email": "dan@other.example", "name": "Dän Müller" }),
        "dan",
    );
    let last = dan
        .post(&path, json!({ "committee": tech, "responses": [] }))
        .await
        .created();
    recruitment.decide(&last, 4, "").await;
    let found = async |query: &str| -> Vec<String> {
        let all = recruitment
            .officer
            .get(&format!("{path}{query}"))
            .await
            .ok();
        all.as_array()
            .map(|all| {
                all.iter()
                    .map(|s| {
                        s["user"]["username"]
                            .as_str()
                            .unwrap_or_default()
                            .to_owned()
                    })
                    .collect()
            })
            .unwrap_or_default()
    };
    assert_eq!(found("").await, ["dan", "cleo", "bob", "ann"]);
    assert_eq!(found("?status=4").await, ["dan"]);
    assert_eq!(found("?status=1").await, ["cleo", "bob", "ann"]);
    assert_eq!(found(&format!("?committee={tech}")).await, ["dan"]);
    assert_eq!(found("?notified=true").await, Vec::<String>::new());
    assert_eq!(found("?notified=0").await.len(), 4);
    assert_eq!(found("?search=MULLER+dan").await, ["dan"]);
    assert_eq!(found("?search=other.example").await, ["dan"]);
    assert_eq!(found("?search=bo&status=1&unknown=1").await, ["bob"]);
    for (query, field) in [
        ("status=5", "status"),
        ("status=x", "status"),
        ("committee=x", "committee"),
        ("notified=maybe", "notified"),
        ("limit=0", "limit"),
        ("cursor=x", "cursor"),
    ] {
        recruitment
            .officer
            .get(&format!("{path}?{query}"))
            .await
            .invalid(&[field]);
    }
}

// proves H24
#[tokio::test]
async fn a_long_list_comes_in_slices() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    for n in 0..5 {
        recruitment
            .submit(&campus.as_(&format!("student{n}")))
            .await;
    }
    let whole = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    let (mut path, mut slices) = (
        format!("{}submissions/?limit=2&status=1", recruitment.path),
        Vec::new(),
    );
    loop {
        let response = recruitment.officer.get(&path).await;
        let link = response.header("link").to_owned();
        slices.extend(response.ok().as_array().cloned().unwrap_or_default());
        let Some((next, rel)) = link.strip_prefix('<').and_then(|link| link.split_once('>')) else {
            break;
        };
        assert_eq!(rel, "; rel=\"next\"");
        path = next.to_owned();
    }
    assert_eq!(Value::Array(slices), whole);
}

// proves S9, S11, S12
#[tokio::test]
async fn the_export_is_harmless_csv() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let choice = json!({
        "question_type": 2,
        "prompt": "=HYPERLINK(1)",
        "multiple_choice": ["+a", "b"],
        "precedence": 2,
    });
    let choice = recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), choice)
        .await
        .created();
    let eve = campus.client(
        &json!({ "email": "eve@uni.example", "name": "=cmd|'/c calc'!A1" }),
        "eve",
    );
    let body = json!({ "responses": [
        { "question": recruitment.question, "text": "@SUM(1), \"quoted\"\nnew line" },
        { "question": choice["id"], "multiple_choice": choice["multiple_choice"][0]["id"] },
    ] });
    let submission = eve
        .post(&format!("{}submissions/", recruitment.path), body)
        .await
        .created();
    recruitment.decide(&submission, 3, "-1").await;
    let response = recruitment
        .officer
        .get(&format!("{}submissions/export/", recruitment.path))
        .await;
    assert_eq!(response.header("content-type"), "text/csv; charset=utf-8");
    let text = response.text();
    assert!(text.starts_with('\u{feff}'));
    let expected = format!(
        "\u{feff}id,name,username,email,committee,status,reason,notified,email_status,interview,\
         created_at,updated_at,Why?,'=HYPERLINK(1)\n\
         {},'=cmd|'/c calc'!A1,eve,eve@uni.example,,3,'-1,false,,,\
         {},{},\"'@SUM(1), \"\"quoted\"\"\nnew line\",'+a\n",
        submission["id"],
        hours(0),
        hours(0)
    );
    assert_eq!(text, expected);
    let by_accept = recruitment
        .officer
        .clone()
        .header("accept", "text/csv")
        .get(&format!("{}submissions/", recruitment.path))
        .await;
    assert_eq!(by_accept.text(), expected);
    let filtered = recruitment
        .officer
        .get(&format!("{}submissions/export/?status=4", recruitment.path))
        .await;
    assert_eq!(filtered.text().lines().count(), 1);
}

// proves P8
#[tokio::test]
async fn lists_follow_a_changed_name() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment.submit(&campus.as_("sue")).await;
    campus.advance(TimeDelta::minutes(1));
    let renamed = campus.client(
        &json!({ "email": "new@uni.example", "name": "Susan Storm" }),
        "sue",
    );
    renamed.get("/api/settings/").await.ok();
    let list = recruitment
        .officer
        .get(&format!("{}submissions/", recruitment.path))
        .await
        .ok();
    assert_eq!(list[0]["user"]["name"], "Susan Storm");
    assert_eq!(list[0]["user"]["email"], "new@uni.example");
}

// proves H24, S11
#[tokio::test]
async fn csv_comes_in_slices_and_info_texts_have_no_column() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let info = json!({ "question_type": 4, "prompt": "Read this first" });
    recruitment
        .officer
        .post(&format!("{}questions/", recruitment.path), info)
        .await
        .created();
    for n in 0..5 {
        recruitment
            .submit(&campus.as_(&format!("student{n}")))
            .await;
    }
    let mut path = format!("{}submissions/export/?limit=2", recruitment.path);
    let mut names = Vec::new();
    loop {
        let response = recruitment.officer.get(&path).await;
        let link = response
            .header("link")
            .split(['<', '>'])
            .nth(1)
            .map(str::to_owned);
        let text = response.text();
        assert!(!text.contains("Read this first"));
        names.push(text.matches("@uni.example").count());
        let Some(next) = link else { break };
        path = next;
    }
    assert_eq!(names, [2, 2, 1]);
}

// The slice is made from keys in the order of time, some at once. A filter that few submissions
// pass has to go on until the slice is full.
// proves H24, S9
#[tokio::test]
async fn a_slice_with_a_filter_reads_on_until_it_is_full() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let mut expected_ids = Vec::new();
    for n in 0..80 {
        let student = campus.as_(&format!("student{n}"));
        let submission = recruitment.submit(&student).await;
        campus.advance(chrono::TimeDelta::seconds(1));
        match n {
            // The newest of all is withdrawn.
            79 => student
                .delete(&format!("/api/submissions/{}/", id(&submission)))
                .await
                .no_content(),
            _ if n % 30 == 1 => {
                recruitment.decide(&submission, 4, "").await;
                expected_ids.insert(0, id(&submission));
            }
            _ => {}
        }
    }
    let mut path = format!("{}submissions/?status=4&limit=2", recruitment.path);
    let mut found = Vec::new();
    loop {
        let response = recruitment.officer.get(&path).await;
        let link = response.header("link").to_owned();
        let slice = response.ok();
        assert!(slice.as_array().is_some_and(|slice| slice.len() <= 2));
        found.extend(slice.as_array().into_iter().flatten().map(id));
        match link.strip_prefix('<').and_then(|link| link.split_once('>')) {
            Some((next, _)) => path = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(found, expected_ids);
    let all = recruitment
        .officer
        .get(&format!("{}submissions/?limit=100", recruitment.path))
        .await
        .ok();
    assert_eq!(all.as_array().map(Vec::len), Some(79));
}
