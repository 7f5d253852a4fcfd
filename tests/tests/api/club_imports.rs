//! `/clubs/import/`

use serde_json::{Value, json};
use tests::fixtures::id;
use tests::{Client, Setup, TestCampus};

use crate::imports::{club, counts, csv, errors, json_rows};

const CLUBS: &str = "/api/clubs/import/";

/// Two clubs that are new, one that is there, and rows that are wrong.
const FILE: &str = "code,name,subtitle,description,email,website,tags,owner\n\
    go,Go Club,Black and white,<p>Stones.</p>,go@clubs.example,https://go.example/,games,sue@uni.example\n\
    ,Bridge & Cards,,,,,\"Games|\",new@uni.example\n\
    chess,Chess Society,,,,,,\n\
    ,,,,,,,bob@uni.example\n\
    BAD,Bad,,,,,,\n\
    import,Import,,,,,,\n\
    poker,Poker,,,nonsense,,Cards,nobody\n";

/// A campus with the chess club and the tag of the file, the admin, and the tag.
async fn campus_with_a_tag() -> (TestCampus, Client, Value) {
    let campus = TestCampus::new();
    club(&campus).await;
    let admin = campus.admin();
    let tag = admin
        .post("/api/tags/", json!({ "name": "Games" }))
        .await
        .created();
    (campus, admin, tag)
}

// proves B1, B2, B5, B6, B7
#[tokio::test]
async fn clubs_are_imported_with_their_owners() {
    let (campus, admin, tag) = campus_with_a_tag().await;
    let dry = csv(&admin, &format!("{CLUBS}?dry_run=true"), FILE)
        .await
        .ok();
    let done = csv(&admin, CLUBS, FILE).await.ok();
    for body in [&dry, &done] {
        assert_eq!(counts(body), [2, 1, 1, 0], "{body}");
        let expected = [
            (4, "name"),
            (5, "code"),
            (6, "code"),
            (7, "owner"),
            (7, "tags"),
        ];
        assert_eq!(
            errors(body),
            expected.map(|(row, field)| (row, field.to_owned()))
        );
    }
    let go = campus.anonymous().get("/api/clubs/go/").await.ok();
    assert_eq!(
        (
            &go["name"],
            &go["subtitle"],
            &go["description"],
            &go["email"]
        ),
        (
            &json!("Go Club"),
            &json!("Black and white"),
            &json!("<p>Stones.</p>"),
            &json!("go@clubs.example")
        )
    );
    assert_eq!(go["tags"][0]["id"], tag["id"]);
    assert_eq!(
        (&go["approved"], &go["membership_count"]),
        (&json!(true), &json!(1))
    );
    let own = campus.as_("sue").get("/api/memberships/").await.ok();
    assert_eq!(own[0]["role"], 0);
    let bridge = admin.get("/api/clubs/bridge-cards/").await.ok();
    assert_eq!(bridge["membership_count"], 0);
    let invites = admin.get("/api/clubs/bridge-cards/invites/").await.ok();
    assert_eq!(
        (&invites[0]["email"], &invites[0]["role"]),
        (&json!("new@uni.example"), &json!(0))
    );
    assert_eq!(
        admin.get("/api/clubs/chess/").await.ok()["name"],
        "Chess Society"
    );
    assert_eq!(admin.get("/api/tags/").await.ok()[0]["clubs"], 2);
    campus.deliver().await;
    let to_sue = campus
        .mails()
        .into_iter()
        .find(|mail| mail.to == "sue@uni.example");
    assert_eq!(to_sue.expect("a mail").subject, "Welcome to Go Club");
}

// proves B2, B5, B6
#[tokio::test]
async fn existing_club_gets_another_owner_only() {
    let (campus, admin, _) = campus_with_a_tag().await;
    csv(&admin, CLUBS, FILE).await.ok();
    campus.deliver().await;
    // The same file again changes nothing more.
    let stored = campus.stored();
    assert_eq!(counts(&csv(&admin, CLUBS, FILE).await.ok()), [0, 0, 0, 3]);
    assert!(campus.stored() == stored);
    // An owner is added to a club that is there; a club is matched by its name, too.
    let more = json!([
        { "name": "Bridge & cards", "owner": "bob@uni.example", "tags": ["Games"] },
    ]);
    assert_eq!(
        counts(&json_rows(&admin, CLUBS, more).await.ok()),
        [0, 1, 0, 0]
    );
    let owners = admin.get("/api/clubs/bridge-cards/members/").await.ok();
    assert_eq!(owners[0]["username"], "bob");
    json_rows(&campus.as_("ada"), CLUBS, json!([]))
        .await
        .error(403);
    let findings = admin::check(
        &campus.stored(),
        shared::time::Clock::now(&*campus.campus.clock),
    );
    assert!(findings.is_empty(), "{findings:?}");
}

// proves B7
#[tokio::test]
async fn import_is_no_code_of_a_club() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    ada.post("/api/clubs/", json!({ "name": "x", "code": "import" }))
        .await
        .invalid(&["code"]);
    let club = ada
        .post("/api/clubs/", json!({ "name": "Import" }))
        .await
        .created();
    assert_eq!(club["code"], "import-club");
    campus
        .anonymous()
        .get("/api/clubs/import/")
        .await
        .error(405);
}

// proves B2, B6
#[tokio::test]
async fn row_with_uninvitable_owner_is_left_out() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = shared::settings::Approval::Required)
        .build();
    club(&campus).await;
    let admin = campus.admin();
    let rows = json!([{ "code": "chess", "name": "Renamed", "owner": "new@uni.example" }]);
    for path in [format!("{CLUBS}?dry_run=true"), CLUBS.to_owned()] {
        let done = json_rows(&admin, &path, rows.clone()).await.ok();
        assert_eq!(
            (counts(&done), errors(&done)),
            ([0; 4], vec![(1, "owner".into())])
        );
    }
    assert_eq!(admin.get("/api/clubs/chess/").await.ok()["name"], "chess");
    let twice = format!("{CLUBS}?dry_run=true&dry_run=false");
    json_rows(&admin, &twice, rows).await.invalid(&["dry_run"]);
    // Columns that the import does not know are refused, whatever they hold.
    let rows = json!([{ "code": "go", "name": "Go", "active": true, "Extra": {} }]);
    json_rows(&admin, CLUBS, rows)
        .await
        .invalid(&["0.Extra", "0.active"]);
}

// proves B6, M5
#[tokio::test]
async fn an_edit_of_a_club_without_owner_makes_nobody_its_owner() {
    let (campus, admin, _) = campus_with_a_tag().await;
    csv(&admin, CLUBS, "code,name\ngo,Go\n").await.ok();
    let bob = campus.as_("bob");
    let person = id(&bob.get("/api/settings/").await.ok());
    let members = "/api/clubs/go/members/";
    let body = json!({ "person": person, "role": 10 });
    admin.post(members, body).await.created();
    for client in [&bob, &admin] {
        let body = json!({ "subtitle": client.get("/api/settings/").await.ok()["username"] });
        client.patch("/api/clubs/go/", body).await.ok();
        let all = admin.get(members).await.ok();
        assert_eq!((&all[0]["role"], &all[1]), (&json!(10), &Value::Null));
    }
}
