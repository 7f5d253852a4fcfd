//! `send_emails`: what the mails say, from their templates and in a dry run.

use serde_json::{Value, json};
use tests::TestCampus;

use crate::send_emails::accepted;
use crate::slots::Interviewing;

const HOSTILE: &str =
    "<img src=x onerror=alert(1)> {{ name }} {% if x %} & \"q\" 'a'\r\nBcc: all@uni.example";

// proves E1, E2, E4, E6, E8, E10, I4
#[tokio::test]
async fn a_dry_run_shows_every_mail_and_does_nothing() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let template = "<p>Hi {{ name }} ({{ full_name }}), {{ club }}, {{ application }}\
        {% if committee %}, {{ committee }}{% endif %}: {{ reason }}</p>";
    recruitment
        .officer
        .patch(&recruitment.path, json!({ "acceptance_email": template }))
        .await
        .ok();
    recruitment
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "email": "chess@clubs.example" }),
        )
        .await
        .ok();
    let submissions = accepted(&campus, &recruitment, &["sue", "bob"]).await;
    recruitment.decide(&submissions[0], 4, "bravo").await;
    let rejected = recruitment.submit(&campus.as_("cleo")).await;
    recruitment.decide(&rejected, 2, "").await;
    recruitment.submit(&campus.as_("dan")).await;
    let silent = campus.client(&json!({ "name": "No Mail" }), "silent");
    let unreachable = recruitment.submit(&silent).await;
    recruitment.decide(&unreachable, 4, "").await;
    let stored = campus.stored().len();
    let dry = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(campus.stored().len(), stored);
    assert_eq!(dry["recipients"], 2);
    assert_eq!(
        (&dry["sent"], &dry["queued"], &dry["failed"]),
        (&json!(0), &json!(0), &json!(0))
    );
    assert_eq!(
        dry["skipped"],
        json!({
            "pending": 1, "already_notified": 0, "no_address": 1, "resent_recently": 0,
        })
    );
    assert_eq!(dry["email_type"], json!({ "id": "acceptance" }));
    assert_eq!(dry["previews"].as_array().map(Vec::len), Some(2));
    let preview = &dry["previews"][0];
    assert_eq!(
        (&preview["submission"], &preview["to"]),
        (&submissions[0]["id"], &json!("sue@uni.example"))
    );
    assert_eq!(preview["subject"], "Your application to chess: Fall");
    let html = preview["html"].as_str().unwrap_or_default();
    assert!(
        html.starts_with("<p>Hi sue (sue Test), chess, Fall: bravo</p>"),
        "{html}"
    );
    assert!(
        html.contains("personal link") && !html.contains("/invite/"),
        "{html}"
    );
    let warnings = dry["warnings"].to_string();
    assert!(
        warnings.contains("reason") && warnings.contains("released"),
        "{warnings}"
    );
    assert_eq!(
        dry["digest"],
        recruitment
            .send("acceptance", json!({ "dry_run": true }))
            .await
            .ok()["digest"]
    );
    let rejections = recruitment
        .send("rejection", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(rejections["previews"][0]["to"], "cleo@uni.example");
    assert!(!rejections.to_string().contains("personal link"));
}

// proves E5, E6
#[tokio::test]
async fn hostile_names_and_reasons_stay_text() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    recruitment
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "name": "<i>Chess</i> & \"Co\"" }),
        )
        .await
        .ok();
    recruitment.officer.patch(&recruitment.path, json!({
        "acceptance_email": "<p>{{ full_name }}|{{ reason }}|{{ club }}|{{ committee }}</p>",
        "committees": [{ "name": "<u>Tech</u>" }],
    })).await.ok();
    let committee =
        recruitment.officer.get(&recruitment.path).await.ok()["committees"][0]["id"].clone();
    let eve = campus.client(
        &json!({ "email": "eve@uni.example", "name": "<script>x</script>" }),
        "eve",
    );
    let submission = eve
        .post(
            &format!("{}submissions/", recruitment.path),
            json!({ "committee": committee, "responses": [] }),
        )
        .await
        .created();
    recruitment.decide(&submission, 4, HOSTILE).await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let mail = &campus.mails()[0];
    assert!(
        !mail.html.contains("<img")
            && !mail.html.contains("<script")
            && !mail.html.contains("<i>")
            && !mail.html.contains("<u>"),
        "{}",
        mail.html
    );
    assert!(
        mail.html
            .contains("&lt;img src=x onerror=alert(1)&gt; {{ name }}"),
        "values are not templates: {}",
        mail.html
    );
    assert!(
        mail.text.contains("<img src=x") && mail.text.contains("<script>x</script>"),
        "{}",
        mail.text
    );
    assert_eq!(
        mail.subject,
        "Your application to <i>Chess</i> & \"Co\": Fall"
    );
    assert!(!mail.subject.contains(['\r', '\n']));
    assert_eq!(mail.to, "eve@uni.example");
}

// proves E4
#[tokio::test]
async fn conditions_stand_where_html_allows_text() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let rows = "<table>{% if reason %}<tr><td>yes</td></tr>{% else %}<tr><td>no</td></tr>\
        {% endif %}</table>";
    let refused = recruitment
        .officer
        .patch(&recruitment.path, json!({ "acceptance_email": rows }))
        .await;
    assert!(
        refused.json()["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("{% if reason %}")),
        "{}",
        refused.text()
    );
    refused.invalid(&["acceptance_email"]);
    for good in [
        "<table><tr><td>{% if reason %}yes{% else %}no{% endif %}</td></tr></table>",
        "{% if reason %}<table><tr><td>{{ reason }}</td></tr></table>\
         {% else %}<p>no</p>{% endif %}",
        "<p>Dear {{ name }}{% if committee %} of {{ committee }}{% endif %},</p>\
         {% if reason %}<p>{{ reason }}</p>{% endif %}",
        "<ul><li>{% if reason %}<b>a</b>{% else %}<i>b</i>{% endif %}</li></ul><script>x</script>",
    ] {
        recruitment
            .officer
            .patch(&recruitment.path, json!({ "acceptance_email": good }))
            .await
            .ok();
    }
}

// Nothing was changed, so nothing has to be told but how to ask for less (H25, H35).
// proves H25, H35
#[tokio::test]
async fn a_preview_that_is_too_large_is_refused() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let template = format!("<p>{}</p>", "word ".repeat(9_000));
    let body = json!({ "acceptance_email": template });
    recruitment
        .officer
        .patch(&recruitment.path, body)
        .await
        .ok();
    let mut ids = Vec::new();
    for n in 0..60 {
        let sent = recruitment.submit(&campus.as_(&format!("s{n}"))).await;
        ids.push(sent["id"].clone());
    }
    let accepted = json!({ "submissions": ids, "status": 4 });
    let status = format!("{}submissions/status/", recruitment.path);
    recruitment.officer.post(&status, accepted).await.ok();
    let shown = recruitment
        .send("acceptance", json!({ "dry_run": true }))
        .await;
    let detail = shown.error(400);
    assert!(detail.contains("too large"), "{detail}");
}

// proves O8
#[tokio::test]
async fn sent_invitation_keeps_no_text() {
    let campus = TestCampus::new();
    Interviewing::new(&campus).await;
    let invitation = || {
        let mut stored = campus.stored();
        stored.retain(|item| item["kind"]["S"] == "interview");
        stored.remove(0)
    };
    let day = |item: &Value| {
        let seconds = item["ttl"]["N"].as_str().and_then(|text| text.parse().ok());
        (seconds.unwrap_or(0) - tests::start().timestamp()) / 86_400
    };
    assert!(invitation()["text"]["S"].as_str() > Some(""));
    assert_eq!(day(&invitation()), 60);
    campus.deliver().await;
    assert!(campus.mails()[0].text.contains("/interview/"));
    campus.report().await;
    let left = invitation();
    assert_eq!(
        (&left["text"]["S"], &left["html"]["S"]),
        (&json!(""), &json!(""))
    );
}

// proves E4, E10, H18
#[tokio::test]
async fn a_template_without_tags_is_text() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let submissions = accepted(&campus, &recruitment, &["sue"]).await;
    recruitment.decide(&submissions[0], 4, "").await;
    let typed = "Dear {{ name }},\n\nyou & I <3 chess.\nSee you {soon}!";
    let preview = async |template: &str| {
        let body = json!({ "acceptance_email": template });
        let shown = recruitment
            .officer
            .patch(&recruitment.path, body)
            .await
            .ok();
        let dry = recruitment
            .send("acceptance", json!({ "dry_run": true }))
            .await
            .ok();
        (shown["acceptance_email"].clone(), dry)
    };
    let (shown, dry) = preview(typed).await;
    assert_eq!(shown, typed);
    let html = dry["previews"][0]["html"].to_string();
    assert!(
        html.contains("<p>Dear sue,</p>\\n<p>you &amp; I &lt;3 chess.<br>\\nSee you {soon}!</p>"),
        "{html}"
    );
    let text = dry["previews"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("you & I <3 chess.\nSee you {soon}!"),
        "{text}"
    );
    assert!(
        dry["warnings"].to_string().contains("{soon}"),
        "{}",
        dry["warnings"]
    );
    // What GET gave can be sent back, and a copy has the same text.
    let whole = recruitment.officer.get(&recruitment.path).await.ok();
    recruitment
        .officer
        .put(&recruitment.path, whole.clone())
        .await
        .ok();
    assert_eq!(preview(typed).await.1["previews"], dry["previews"]);
    let (shown, dry) = preview("<p>See <a href=\"www.uni.example\">this</a>,</p>\n\nbye.").await;
    assert!(
        shown.to_string().contains("https://www.uni.example"),
        "{shown}"
    );
    let html = dry["previews"][0]["html"].to_string();
    assert!(html.contains("</p>\\n\\nbye."), "{html}");
    let (_, dry) = preview("<p><a href=\"here\">this</a></p>").await;
    assert!(
        dry["warnings"].to_string().contains("link"),
        "{}",
        dry["warnings"]
    );
}
