//! Input that may say something else than was meant: nothing is done, and it is named.

use http::Method;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::id;
use tests::images::form;

// proves H37
#[tokio::test]
async fn a_key_that_is_there_twice_is_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submission = recruitment.submit(&campus.as_("sue")).await;
    recruitment.decide(&submission, 2, "").await;
    let send = format!("{}send_emails/", recruitment.path);
    let twice = r#"{"email_type":{"id":"rejection"},"dry_run":true,"dry_run":false}"#;
    let json = Some("application/json");
    let officer = &recruitment.officer;
    let response = officer.raw(Method::POST, &send, json, twice).await;
    response.invalid(&["dry_run"]);
    let within = r#"{"email_type":{"id":"acceptance","id":"rejection"}}"#;
    let response = officer.raw(Method::POST, &send, json, within).await;
    response.invalid(&["email_type.id"]);
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 0);
    let rows = r#"[{"code":"a","name":"A"},{"code":"b","name":"B","name":"C"}]"#;
    let admin = campus.admin();
    let response = admin.raw(Method::POST, "/api/clubs/import/", json, rows);
    response.await.invalid(&["1.name"]);
}

// proves H37, B1
#[tokio::test]
async fn a_quote_that_is_not_closed_takes_no_rows_along() {
    let campus = TestCampus::new();
    let import = async |rows: &str| {
        let path = "/api/clubs/import/";
        let admin = campus.admin();
        admin
            .raw(Method::POST, path, Some("text/csv"), rows.to_owned())
            .await
    };
    let open = "code,name,description\na,Club A,one\n\nb,Club B,\"open\nc,Club C,three\n";
    import(open).await.invalid(&["2"]);
    let admin = campus.admin();
    admin.get("/api/clubs/a/").await.error(404);
    let closed = "code;name;description\r\na;\"Club \"\"A\"\"\";\"x\r\ny\"\r\nb;4\" pipes;z\"\r\n";
    assert_eq!(import(closed).await.ok()["created"], 2);
    let name = admin.get("/api/clubs/a/").await.ok()["name"].clone();
    assert_eq!(name, "Club \"A\"");
}

// proves E4
#[tokio::test]
async fn removed_template_parts_are_named() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let saved = async |field: &str, template: &str| {
        let body = json!({ field: template });
        recruitment.officer.patch(&recruitment.path, body).await
    };
    for lost in [
        "<!-- {% if reason %} --><p>{{ reason }}</p><!-- {% else %} --><p>no</p><!-- {% endif %} -->",
        "<p {% if reason %}title='a'{% else %}title='b'{% endif %}>x</p>",
        "<style>{% if reason %}{% endif %}</style>",
        "<p>x</p><script>{{ name }}</script>",
        "<p onclick='{{ name }}'>x</p>",
    ] {
        let response = saved("rejection_email", lost).await;
        let why = response.json()["errors"]["rejection_email"][0].to_string();
        assert!(why.contains("comment"), "{lost}: {why}");
        response.invalid(&["rejection_email"]);
    }
    let link = "<p>Hi {{name}}, <a href=\"{{ link }}\" title=\"{{ club }}\">choose a time</a> or \
        <a href='{{link}}'>{{ link }}</a> or {{ link }}</p>";
    saved("interview_email", link).await.ok();
    let sue = campus.as_("sue");
    let submission = recruitment.submit(&sue).await;
    recruitment
        .send("interview", json!({ "submissions": [id(&submission)] }))
        .await
        .ok();
    campus.deliver().await;
    let mail = campus.mails().remove(0);
    let page = format!("/submissions/{}/interview/", id(&submission));
    assert_eq!(mail.html.matches("href=\"http").count(), 3, "{}", mail.html);
    assert_eq!(mail.html.matches(&page).count(), 5, "{}", mail.html);
    assert!(!mail.html.contains("clubs.invalid") && !mail.html.contains("{{"));
    // What is not sent stays.
    let body = json!({ "name": "Another" });
    let kept = recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    assert!(
        kept["interview_email"]
            .to_string()
            .contains("choose a time")
    );
}

// proves H16
#[tokio::test]
async fn a_name_that_nobody_sees_is_blank() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for name in [
        "\u{200b}",
        " \u{ad}\u{2060}",
        "\u{3164}",
        "\u{feff}\u{200d}",
    ] {
        let response = ada.post("/api/clubs/", json!({ "name": name })).await;
        response.invalid(&["name"]);
    }
    let shown = json!({ "name": "Zoë\u{200d}" });
    ada.post("/api/clubs/", shown).await.created();
}

// proves S11, H26
#[tokio::test]
async fn the_format_that_is_ranked_higher_is_sent() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let list = format!("{}submissions/", recruitment.path);
    for (accept, is_csv) in [
        ("text/csv", true),
        ("text/csv;q=0", false),
        ("text/csv;q=0.5, application/json", false),
        ("application/json;q=0.5, text/csv", true),
        ("application/json, text/csv", false),
        ("text/csv; charset=utf-8, application/json", true),
    ] {
        let client = recruitment.officer.clone().header("accept", accept);
        let kind = client.get(&list).await.header("content-type").to_owned();
        assert_eq!(kind.starts_with("text/csv"), is_csv, "{accept}: {kind}");
    }
    let wrong = recruitment
        .officer
        .get(&format!("{list}?committee=x"))
        .await;
    let why: Value = wrong.json()["errors"]["committee"][0].clone();
    assert_eq!(why, "Expected an id.");
}

// proves H20
#[tokio::test]
async fn a_web_address_is_one_on_every_page() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let save = async |field: &str, text: &str| {
        let body = json!({ field: text });
        ada.patch("/api/clubs/chess/", body).await
    };
    for wrong in [
        "https:example.com",
        "https:/a",
        "http:\\\\a.example",
        "//a.example",
    ] {
        save("website", wrong).await.invalid(&["website"]);
    }
    for right in ["HTTPS://example.com", "http://example.com/?a=://b"] {
        assert_eq!(save("website", right).await.ok()["website"], right);
    }
    save("subtitle", "a\u{2028}b").await.invalid(&["subtitle"]);
    save("subtitle", "a\u{2029}b").await.invalid(&["subtitle"]);
}

// proves H37, V17
#[tokio::test]
async fn a_part_of_a_form_that_is_there_twice_is_named() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let send = async |parts: &[(&str, &[u8])]| {
        let (kind, body) = form(parts);
        let path = "/api/clubs/chess/events/";
        ada.raw(Method::POST, path, Some(&kind), body).await
    };
    send(&[("name", b"a"), ("name", b"b")])
        .await
        .invalid(&["name"]);
    let showing = br#"{"start_time":"2026-12-01T10:00Z","location":"x","location":"y"}"#;
    let response = send(&[("name", b"a"), ("showings", showing)]).await;
    response.invalid(&["showings.location"]);
    assert_eq!(ada.get("/api/clubs/chess/events/").await.ok(), json!([]));
}

// proves H6, O11
#[tokio::test]
async fn a_path_that_is_no_text_is_not_found() {
    let campus = TestCampus::new();
    let anybody = campus.anonymous();
    for path in [
        "/api/calendars/%FF",
        "/api/unsubscribe/%FF/",
        "/api/docs/%FF",
        "/api/clubs/%FF/",
    ] {
        assert_eq!(
            anybody.get(path).await.json()["code"],
            "not_found",
            "{path}"
        );
    }
    let response = anybody.post("/api/unsubscribe/%FF/", json!({})).await;
    assert_eq!(response.json()["code"], "not_found");
    for path in ["/assets/%FF/app.js", "/qr.svg"] {
        assert_eq!(anybody.get(path).await.status, 404, "{path}");
    }
}

// proves H20
#[tokio::test]
async fn names_have_no_hidden_characters() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let ada = &recruitment.officer;
    let questions = format!("{}questions/", recruitment.path);
    for hidden in [
        '\u{61c}', '\u{200b}', '\u{202e}', '\u{2060}', '\u{2069}', '\u{feff}',
    ] {
        let text = format!("Che{hidden}ss");
        ada.patch("/api/clubs/chess/", json!({ "name": text }))
            .await
            .invalid(&["name"]);
        ada.patch("/api/clubs/chess/", json!({ "subtitle": text }))
            .await
            .invalid(&["subtitle"]);
        let question = json!({ "question_type": 1, "prompt": text });
        ada.post(&questions, question).await.invalid(&["prompt"]);
        let claims = json!({ "name": text });
        let sue = campus.client(&claims, &format!("sue{}", u32::from(hidden)));
        assert_eq!(sue.get("/api/settings/").await.ok()["name"], "Chess");
        // A text of several lines is stored as it is.
        ada.patch("/api/clubs/chess/", json!({ "description": text }))
            .await
            .ok();
    }
    // Joiners are parts of words.
    let joined = json!({ "name": "می\u{200c}خواهم" });
    ada.patch("/api/clubs/chess/", joined).await.ok();
}
