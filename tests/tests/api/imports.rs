//! `/clubs/{club}/members/import/`

use http::Method;
use serde_json::{Value, json};
use shared::settings::Approval;
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

const MEMBERS: &str = "/api/clubs/chess/members/import/";

pub(crate) async fn csv(client: &Client, path: &str, text: &str) -> tests::Response {
    client
        .raw(Method::POST, path, Some("text/csv"), text.to_owned())
        .await
}

pub(crate) async fn json_rows(client: &Client, path: &str, rows: Value) -> tests::Response {
    client
        .raw(
            Method::POST,
            path,
            Some("application/json"),
            rows.to_string(),
        )
        .await
}

/// The numbers of created, updated, invited and skipped rows.
pub(crate) fn counts(body: &Value) -> [u64; 4] {
    ["created", "updated", "invited", "skipped"].map(|name| body[name].as_u64().unwrap_or(99))
}

/// Row and column of each error.
pub(crate) fn errors(body: &Value) -> Vec<(u64, String)> {
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    errors
        .iter()
        .map(|error| {
            let field = error["field"].as_str().unwrap_or_default().to_owned();
            (error["row"].as_u64().unwrap_or(0), field)
        })
        .collect()
}

pub(crate) async fn club(campus: &TestCampus) -> Client {
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for name in ["sue", "bob", "kim"] {
        campus.as_(name).get("/api/settings/").await.ok();
    }
    ada
}

async fn members(client: &Client) -> Vec<(String, u64, String)> {
    let list = client.get("/api/clubs/chess/members/").await.ok();
    let mut all: Vec<(String, u64, String)> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|member| {
            let text = |name: &str| member[name].as_str().unwrap_or_default().to_owned();
            (
                text("username"),
                member["role"].as_u64().unwrap_or(99),
                text("title"),
            )
        })
        .collect();
    all.sort();
    all
}

fn member(name: &str, role: u64, title: &str) -> (String, u64, String) {
    (name.to_owned(), role, title.to_owned())
}

// proves I15, M13, P11
#[tokio::test]
async fn unapproved_club_learns_nothing_about_people() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let (ada, sue, bob) = (campus.as_("ada"), campus.as_("sue"), campus.as_("bob"));
    let recruitment = campus.recruitment("chess").await;
    let sues = id(&sue.get("/api/settings/").await.ok());
    bob.get("/api/settings/").await.ok();
    // The address of whoever is added without having asked is not shown.
    let added = ada
        .post("/api/clubs/chess/members/", json!({ "person": sues }))
        .await
        .created();
    assert_eq!(added["email"], Value::Null);
    // Whether somebody is there makes no difference.
    let rows = "email,username\nbob@uni.example,\n,bob\n,nobody\nnobody@example.org,\n";
    let body = csv(&ada, MEMBERS, rows).await.ok();
    let errors = body["errors"].as_array().expect("errors");
    assert_eq!((counts(&body), errors.len()), ([0; 4], 4));
    assert!(
        errors
            .iter()
            .all(|one| one["message"] == errors[0]["message"])
    );
    for username in ["bob", "nobody"] {
        let body = json!({ "username": username, "end_time": hours(30) });
        let path = format!("{}extensions/", recruitment.path);
        let refused = ada.post(&path, body).await;
        assert_eq!(refused.json()["code"], "club_not_approved");
    }
    sue.patch("/api/clubs/chess/members/sue/", json!({ "public": true }))
        .await
        .ok();
    let shown = ada.get("/api/clubs/chess/members/sue/").await.ok();
    assert_eq!(shown["email"], "sue@uni.example");
}

// proves B1, B2, B3
#[tokio::test]
async fn a_roster_is_imported_and_repeated() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    campus
        .as_("sue")
        .post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let file = "\u{feff}Email;Username;Role;Title\r\n\
        SUE@uni.example;;10;Webmaster\r\n\
        ;bob;;\r\n\
        new@uni.example;;member;Treasurer\r\n";
    let dry = csv(&ada, &format!("{MEMBERS}?dry_run=true"), file)
        .await
        .ok();
    assert_eq!(
        (&dry["dry_run"], counts(&dry)),
        (&json!(true), [2, 0, 1, 0])
    );
    assert_eq!(members(&ada).await, [member("ada", 0, "")]);
    let done = csv(&ada, MEMBERS, file).await.ok();
    assert_eq!(
        done,
        json!({
            "dry_run": false,
            "created": 2,
            "updated": 0,
            "invited": 1,
            "skipped": 0,
            "errors": [],
        })
    );
    let all = [
        member("ada", 0, ""),
        member("bob", 20, ""),
        member("sue", 10, "Webmaster"),
    ];
    assert_eq!(members(&ada).await, all);
    let invites = ada.get("/api/clubs/chess/invites/").await.ok();
    assert_eq!(
        (
            &invites[0]["email"],
            &invites[0]["title"],
            &invites[0]["role"]
        ),
        (&json!("new@uni.example"), &json!("Treasurer"), &json!(20))
    );
    let requests = ada.get("/api/clubs/chess/membershiprequests/").await.ok();
    assert_eq!(requests, json!([]));
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        3
    );
    // Those who were added get a mail, and the stranger an invitation.
    campus.deliver().await;
    let mut to: Vec<String> = campus.mails().into_iter().map(|mail| mail.to).collect();
    // Ada was told of the request.
    to.retain(|to| to != "ada@uni.example");
    to.sort();
    assert_eq!(
        to,
        ["bob@uni.example", "new@uni.example", "sue@uni.example"]
    );
    // The same file again changes nothing more.
    let stored = campus.stored();
    assert_eq!(counts(&csv(&ada, MEMBERS, file).await.ok()), [0, 0, 0, 3]);
    assert!(campus.stored() == stored);
}

// proves B1, B2, B3
#[tokio::test]
async fn rows_that_are_wrong_are_left_out_and_named() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let rows = json!([
        { "username": "sue" },
        { "username": "nobody" },
        { "email": "not an address" },
        { "title": "Nobody at all" },
        { "username": "SUE" },
        { "username": "bob", "role": 7 },
        { "username": "kim", "title": "a\nb" },
        { "username": "kim", "title": "x".repeat(256) },
        { "username": ["kim"], "role": true },
    ]);
    let done = json_rows(&ada, MEMBERS, rows).await.ok();
    assert_eq!(counts(&done), [1, 0, 0, 0]);
    let expected = [
        (2, "username"),
        (3, "email"),
        (4, "email"),
        (5, "username"),
        (6, "role"),
        (7, "title"),
        (8, "title"),
        (9, "role"),
        (9, "username"),
    ];
    assert_eq!(
        errors(&done),
        expected.map(|(row, field)| (row, field.to_owned()))
    );
    assert_eq!(
        members(&ada).await,
        [member("ada", 0, ""), member("sue", 20, "")]
    );
}

// proves B1, B3, B4
#[tokio::test]
async fn officers_change_titles_and_lower_roles_and_never_owners() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    campus.member("chess", &ada, "otto", 10).await;
    campus.member("chess", &ada, "mia", 20).await;
    let rows = json!([
        { "username": "ada", "role": 20, "title": "Taken over" },
        { "username": "otto", "role": 20 },
        { "username": "mia", "role": 10, "title": "Secretary" },
        { "username": "bob", "role": 0 },
        { "username": "sue", "role": 10 },
    ]);
    let done = json_rows(&olga, MEMBERS, rows).await.ok();
    assert_eq!(counts(&done), [1, 1, 0, 1]);
    assert_eq!(errors(&done), [(2, "role".into()), (4, "role".into())]);
    assert_eq!(
        members(&ada).await,
        [
            member("ada", 0, ""),
            member("mia", 10, "Secretary"),
            member("olga", 10, ""),
            member("otto", 10, ""),
            member("sue", 10, ""),
        ]
    );
    // The title of another officer may change. An empty cell changes nothing.
    let rows = json!([{ "username": "otto", "title": "Coach", "role": "" }, { "username": "mia" }]);
    assert_eq!(
        counts(&json_rows(&olga, MEMBERS, rows).await.ok()),
        [0, 1, 0, 1]
    );
    let rows = json!([{ "username": "otto", "role": 0 }]);
    assert_eq!(
        counts(&json_rows(&ada, MEMBERS, rows).await.ok()),
        [0, 1, 0, 0]
    );
    let owners = members(&ada)
        .await
        .iter()
        .filter(|(_, role, _)| *role == 0)
        .count();
    assert_eq!(owners, 2);
    campus.as_("sue").get("/api/settings/").await.ok();
    json_rows(&campus.as_("nobody"), MEMBERS, json!([]))
        .await
        .error(403);
}

// proves B1
#[tokio::test]
async fn files_that_cannot_be_read_are_refused() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    csv(&ada, MEMBERS, "").await.error(400);
    ada.raw(
        Method::POST,
        MEMBERS,
        Some("text/csv"),
        b"email\n\xff\n".to_vec(),
    )
    .await
    .error(400);
    ada.raw(Method::POST, MEMBERS, Some("text/plain"), "email\n")
        .await
        .error(415);
    json_rows(&ada, MEMBERS, json!({ "email": "x" }))
        .await
        .error(400);
    json_rows(&ada, MEMBERS, json!([["x"]]))
        .await
        .invalid(&["0"]);
    let many = "email\n".to_owned() + &"a@x.example\n".repeat(1_001);
    csv(&ada, MEMBERS, &many).await.invalid(&["rows"]);
    assert_eq!(counts(&csv(&ada, MEMBERS, "email\n").await.ok()), [0; 4]);
}

// proves B2, B3
#[tokio::test]
async fn invitations_above_daily_limit_are_row_errors() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let file: String = std::iter::once("email\n".to_owned())
        .chain((0..310).map(|n| format!("new{n}@uni.example\n")))
        .collect();
    let dry = csv(&ada, &format!("{MEMBERS}?dry_run=perhaps"), &file).await;
    dry.invalid(&["dry_run"]);
    let dry = csv(&ada, &format!("{MEMBERS}?dry_run=true"), &file)
        .await
        .ok();
    let done = csv(&ada, MEMBERS, &file).await.ok();
    for body in [dry, done] {
        assert_eq!(counts(&body), [0, 0, 300, 0]);
        assert_eq!(errors(&body).len(), 10);
        assert_eq!(errors(&body)[0], (301, "email".into()));
    }
    let again = csv(&ada, MEMBERS, &file).await.ok();
    assert_eq!((counts(&again), errors(&again).len()), ([0, 0, 0, 300], 10));
    // A check of a later part counts what the earlier ones would do.
    campus.advance(chrono::TimeDelta::hours(25));
    let later: String = std::iter::once("email\n".to_owned())
        .chain((0..20).map(|n| format!("later{n}@uni.example\n")))
        .collect();
    let dry = format!("{MEMBERS}?dry_run=true&planned=290");
    let dry = csv(&ada, &dry, &later).await.ok();
    assert_eq!((counts(&dry), errors(&dry).len()), ([0, 0, 10, 0], 10));
}

// proves B3
#[tokio::test(start_paused = true)]
async fn a_large_roster_is_added_even_if_others_add_at_once() {
    let campus = Setup::default().latency(2).build();
    let ada = club(&campus).await;
    let names: Vec<String> = (0..120).map(|n| format!("p{n}")).collect();
    for name in &names {
        campus.as_(name).get("/api/settings/").await.ok();
    }
    let rows: Vec<Value> = names
        .iter()
        .map(|name| json!({ "username": name }))
        .collect();
    let rows = json!(rows);
    let (one, two) = futures::join!(
        json_rows(&ada, MEMBERS, rows.clone()),
        json_rows(&ada, MEMBERS, rows)
    );
    let (one, two) = (one.ok(), two.ok());
    assert_eq!((errors(&one), errors(&two)), (vec![], vec![]));
    assert_eq!(counts(&one)[0] + counts(&two)[0], 120);
    assert_eq!(
        ada.get("/api/clubs/chess/").await.ok()["membership_count"],
        121
    );
    assert_eq!(members(&ada).await.len(), 121);
}

// proves B3, B4
#[tokio::test]
async fn officers_may_be_in_their_own_file() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let rows = json!([{ "username": "olga", "title": "Coach" }, { "email": "new@uni.example" }]);
    let done = json_rows(&olga, MEMBERS, rows).await.ok();
    assert_eq!((counts(&done), errors(&done)), ([0, 1, 1, 0], vec![]));
}

// proves H34
#[tokio::test]
async fn a_column_that_is_there_twice_is_named() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let path = "/api/clubs/chess/members/import/";
    let file = "email,role,Role\na@uni.example,20,10\n";
    csv(&ada, path, file).await.invalid(&["Role"]);
    let row = json!({ "email": "a@uni.example", "role": 20, "Role ": 10 });
    json_rows(&ada, path, json!([row]))
        .await
        .invalid(&["0.role"]);
}

// proves B1
#[tokio::test]
async fn a_file_may_begin_with_a_line_of_spaces() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    for (n, begin) in ["   \n", "sep=;\n  \n"].into_iter().enumerate() {
        let name = ["sue", "bob"][n];
        let rows = format!("{begin}username;title\n{name};Coach\n");
        let body = csv(&ada, MEMBERS, &rows).await.ok();
        assert_eq!((counts(&body), errors(&body)), ([1, 0, 0, 0], vec![]));
    }
}

// proves B8
#[tokio::test]
async fn a_roster_may_have_columns_of_its_own() {
    let campus = TestCampus::new();
    let ada = club(&campus).await;
    let dry = format!("{MEMBERS}?dry_run=true");
    let table = "Matriculation,Email,Shirt size,Title\n1,new@uni.example,M,Coach\n";
    let seen = csv(&ada, &dry, table).await.ok();
    assert_eq!(
        seen["ignored_columns"],
        json!(["Matriculation", "Shirt size"])
    );
    let done = csv(&ada, MEMBERS, table).await.ok();
    assert_eq!(
        (counts(&done), &done["ignored_columns"]),
        (counts(&seen), &seen["ignored_columns"])
    );
    assert_eq!(
        csv(&ada, MEMBERS, "email\n")
            .await
            .ok()
            .get("ignored_columns"),
        None
    );
    // It could be meant.
    csv(&ada, &dry, "email,rolle\na@uni.example,10\n")
        .await
        .invalid(&["rolle"]);
    csv(&ada, &dry, "e-mail,email\nx,a@uni.example\n")
        .await
        .invalid(&["e-mail"]);
    csv(
        &ada,
        &dry,
        "email,Size,Email\na@uni.example,M,b@uni.example\n",
    )
    .await
    .invalid(&["Email"]);
    json_rows(
        &ada,
        &dry,
        json!([{ "email": "a@uni.example", "size": "M" }]),
    )
    .await
    .invalid(&["0.size"]);
    csv(&campus.admin(), "/api/clubs/import/", "name,size\nGo,M\n")
        .await
        .invalid(&["size"]);
}
