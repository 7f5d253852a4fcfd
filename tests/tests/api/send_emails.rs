//! `/clubs/{club}/applications/{application}/send_emails/`
//!
//! Proves H7, H10, E1, E2, E3, E4, E5, E6, E8, E9, E10, E11, E13, E16, E24, E25, I4.

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::TestCampus;
use tests::fixtures::{MailedLink, Recruitment, id};

const HOSTILE: &str =
    "<img src=x onerror=alert(1)> {{ name }} {% if x %} & \"q\" 'a'\r\nBcc: all@uni.example";

async fn accepted(campus: &TestCampus, drive: &Recruitment, names: &[&str]) -> Vec<Value> {
    let mut submissions = Vec::new();
    for name in names {
        let submission = drive.submit(&campus.as_(name)).await;
        submissions.push(drive.decide(&submission, 4, "").await);
    }
    submissions
}

#[tokio::test]
async fn a_dry_run_shows_every_mail_and_does_nothing() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let template = "<p>Hi {{ name }} ({{ full_name }}), {{ club }}, {{ application }}\
        {% if committee %}, {{ committee }}{% endif %}: {{ reason }}</p>";
    drive
        .officer
        .patch(&drive.path, json!({ "acceptance_email": template }))
        .await
        .ok();
    drive
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "email": "chess@clubs.example" }),
        )
        .await
        .ok();
    let submissions = accepted(&campus, &drive, &["sue", "bob"]).await;
    drive.decide(&submissions[0], 4, "bravo").await;
    let rejected = drive.submit(&campus.as_("cleo")).await;
    drive.decide(&rejected, 2, "").await;
    drive.submit(&campus.as_("dan")).await;
    let silent = campus.client(&json!({ "name": "No Mail" }), "silent");
    let unreachable = drive.submit(&silent).await;
    drive.decide(&unreachable, 4, "").await;
    let stored = campus.stored().len();
    let dry = drive
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
        drive
            .send("acceptance", json!({ "dry_run": true }))
            .await
            .ok()["digest"]
    );
    let rejections = drive
        .send("rejection", json!({ "dry_run": true }))
        .await
        .ok();
    assert_eq!(rejections["previews"][0]["to"], "cleo@uni.example");
    assert!(!rejections.to_string().contains("personal link"));
}

#[tokio::test]
async fn mails_are_sent_once_and_reported() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "email": "chess@clubs.example" }),
        )
        .await
        .ok();
    let submissions = accepted(&campus, &drive, &["sue", "bob"]).await;
    let sent = campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (
            &sent["recipients"],
            &sent["sent"],
            &sent["queued"],
            &sent["dry_run"]
        ),
        (&json!(2), &json!(2), &json!(0), &json!(false))
    );
    assert!(sent.get("previews").is_none());
    let mails = campus.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].to, "sue@uni.example");
    assert_eq!(mails[0].reply_to.as_deref(), Some("chess@clubs.example"));
    assert_eq!(mails[0].subject, "Your application to chess: Fall");
    assert!(mails[0].text.contains("Dear sue"), "{}", mails[0].text);
    let list = drive
        .officer
        .get(&format!("{}submissions/?notified=true", drive.path))
        .await
        .ok();
    assert_eq!(list.as_array().map(Vec::len), Some(2));
    assert_eq!(list[0]["email_status"], "sent");
    let again = campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    assert_eq!(
        (&again["recipients"], &again["skipped"]["already_notified"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(campus.mails().len(), 2);
    let resent = campus
        .with_worker(drive.send("acceptance", json!({ "allow_resend": true })))
        .await
        .ok();
    assert_eq!(resent["sent"], 2);
    assert_eq!(campus.mails().len(), 4);
    // Somebody accepted by mistake can still be rejected.
    drive.decide(&submissions[0], 3, "").await;
    let corrected = campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        (
            &corrected["sent"],
            &corrected["skipped"]["already_notified"]
        ),
        (&json!(1), &json!(0))
    );
    assert!(campus.mails()[4].text.contains("sorry"));
}

#[tokio::test]
async fn a_stale_digest_sends_nothing() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submissions = accepted(&campus, &drive, &["sue"]).await;
    let digest = async || {
        drive
            .send("acceptance", json!({ "dry_run": true }))
            .await
            .ok()["digest"]
            .clone()
    };
    let old = digest().await;
    drive.decide(&submissions[0], 4, "changed").await;
    drive
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    let old = digest().await;
    drive
        .officer
        .patch(&drive.path, json!({ "acceptance_email": "<p>other</p>" }))
        .await
        .ok();
    drive
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    let old = digest().await;
    drive.decide(&submissions[0], 2, "changed").await;
    drive
        .send("acceptance", json!({ "digest": old }))
        .await
        .invalid(&["digest"]);
    campus.deliver().await;
    assert!(campus.mails().is_empty());
    drive.decide(&submissions[0], 4, "changed").await;
    let other = campus.client(&json!({ "email": "dan@uni.example", "name": "Dan" }), "dan");
    let second = drive.submit(&other).await;
    drive.decide(&second, 4, "").await;
    let fresh = digest().await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    let after = campus
        .with_worker(drive.send("acceptance", json!({ "digest": fresh })))
        .await
        .ok();
    assert_eq!(
        (&after["recipients"], &after["skipped"]["already_notified"]),
        (&json!(0), &json!(2)),
        "sending changes no decision"
    );
}

#[tokio::test]
async fn wrong_calls_are_named() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let path = format!("{}send_emails/", drive.path);
    let officer = &drive.officer;
    officer
        .post(&path, json!({}))
        .await
        .invalid(&["email_type"]);
    officer
        .post(&path, json!({ "email_type": "acceptance" }))
        .await
        .invalid(&["email_type"]);
    officer
        .post(&path, json!({ "email_type": { "id": "both" } }))
        .await
        .invalid(&["email_type.id"]);
    officer
        .post(&path, json!({ "email_type": {} }))
        .await
        .invalid(&["email_type.id"]);
    officer
        .post(&path, json!({ "email_type": ["acceptance"] }))
        .await
        .invalid(&["email_type"]);
    officer
        .post(
            &path,
            json!({ "email_type": { "id": "acceptance" }, "dry_run": "yes" }),
        )
        .await
        .invalid(&["dry_run"]);
}

#[tokio::test]
async fn hostile_names_and_reasons_stay_text() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    drive
        .officer
        .patch(
            "/api/clubs/chess/",
            json!({ "name": "<i>Chess</i> & \"Co\"" }),
        )
        .await
        .ok();
    drive.officer.patch(&drive.path, json!({
        "acceptance_email": "<p>{{ full_name }}|{{ reason }}|{{ club }}|{{ committee }}</p>",
        "committees": [{ "name": "<u>Tech</u>" }],
    })).await.ok();
    let committee = drive.officer.get(&drive.path).await.ok()["committees"][0]["id"].clone();
    let eve = campus.client(
        &json!({ "email": "eve@uni.example", "name": "<script>x</script>" }),
        "eve",
    );
    let submission = eve
        .post(
            &format!("{}submissions/", drive.path),
            json!({ "committee": committee, "responses": [] }),
        )
        .await
        .created();
    drive.decide(&submission, 4, HOSTILE).await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
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

#[tokio::test]
async fn the_accepted_get_one_invite_each_and_members_none() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let tech = drive.application["committees"][0]["id"].clone();
    let sue = campus.as_("sue");
    let bob = campus.member("chess", &drive.officer, "bob", 20).await;
    let first = drive.submit(&sue).await;
    let second = sue
        .post(
            &format!("{}submissions/", drive.path),
            json!({ "committee": tech, "responses": [] }),
        )
        .await
        .created();
    let third = drive.submit(&bob).await;
    for submission in [&first, &second, &third] {
        drive.decide(submission, 4, "").await;
    }
    campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    let link = |i: usize| {
        campus.mails_but_welcomes()[i]
            .text
            .split_whitespace()
            .find(|word| word.contains("/invite/chess/"))
            .map(str::to_owned)
    };
    assert!(link(0).is_some());
    assert_eq!(link(0), link(1), "two committees, but one invite");
    assert_eq!(link(2), None, "Bob is a member");
    campus.advance(TimeDelta::days(1));
    campus
        .with_worker(drive.send("acceptance", json!({ "allow_resend": true })))
        .await
        .ok();
    assert_eq!(link(3), link(0), "sent again, but the same invite");
    let stored = campus.stored();
    assert_eq!(
        stored
            .iter()
            .filter(|item| item["type"]["S"] == "Invite")
            .count(),
        1
    );
    let token = link(0)
        .and_then(|link| link.rsplit('/').next().map(str::to_owned))
        .unwrap_or_default();
    assert!(
        token.len() > 20 && !json!(stored).to_string().contains(&token),
        "the token is stored"
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_outbox_is_reported_as_queued() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    accepted(&campus, &drive, &["sue"]).await;
    let began = tokio::time::Instant::now();
    let queued = drive.send("acceptance", json!({})).await.ok();
    assert_eq!((&queued["queued"], &queued["sent"]), (&json!(1), &json!(0)));
    assert!(
        (2..=3).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    let list = drive
        .officer
        .get(&format!("{}submissions/", drive.path))
        .await
        .ok();
    assert_eq!(
        (&list[0]["email_status"], &list[0]["notified"]),
        (&json!("queued"), &json!(false))
    );
    assert_eq!(
        drive
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["skipped"]["already_notified"],
        1,
        "the mail is queued"
    );
    campus.advance(TimeDelta::minutes(16));
    assert_eq!(
        drive
            .send("acceptance", json!({ "allow_resend": true }))
            .await
            .ok()["queued"],
        1,
        "the mail has been queued for too long"
    );
    campus.deliver().await;
    assert_eq!(
        campus.mails().len(),
        1,
        "the first of the two was taken back"
    );
    assert_eq!(
        id(&list[0]),
        id(&drive
            .officer
            .get(&format!("{}submissions/?notified=1", drive.path))
            .await
            .ok()[0])
    );
}

#[tokio::test(start_paused = true)]
async fn mails_go_to_those_who_were_chosen() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let mut ids = Vec::new();
    for name in ["ann", "bob", "cleo"] {
        let submission = drive.submit(&campus.as_(name)).await;
        drive.decide(&submission, 4, "").await;
        ids.push(id(&submission));
    }
    let some = json!({ "submissions": [ids[1]] });
    let preview = drive
        .send(
            "acceptance",
            json!({ "submissions": [ids[1]], "dry_run": true }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &preview["recipients"],
            &preview["previews"][0]["submission"]
        ),
        (&json!(1), &json!(ids[1]))
    );
    // The digest depends on the choice of recipients, and on `allow_resend`.
    let all = drive
        .send("acceptance", json!({ "dry_run": true }))
        .await
        .ok();
    for (digest, more) in [
        (&all["digest"], some.clone()),
        (&preview["digest"], json!({})),
        (&preview["digest"], json!({ "allow_resend": true })),
    ] {
        let mut body = more;
        body["digest"] = digest.clone();
        let refused = drive.send("acceptance", body).await;
        assert_eq!(
            (refused.status.as_u16(), refused.json()["code"].as_str()),
            (400, Some("digest_changed"))
        );
    }
    let again = json!({ "submissions": [ids[1]], "digest": preview["digest"] });
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", again))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(
        campus
            .mails()
            .iter()
            .map(|mail| mail.to.as_str())
            .collect::<Vec<_>>(),
        ["bob@uni.example"]
    );
    // The mail is sent again to him only, and not to those who have no mail yet.
    let resend = json!({ "submissions": [ids[1]], "allow_resend": true });
    assert_eq!(
        campus
            .with_worker(drive.send("acceptance", resend))
            .await
            .ok()["sent"],
        1
    );
    assert_eq!(campus.mails().len(), 2);
    drive
        .send("acceptance", json!({ "submissions": [] }))
        .await
        .invalid(&["submissions"]);
    drive
        .send("acceptance", json!({ "submissions": [ids[0], 7] }))
        .await
        .invalid(&["submissions.1"]);
    drive
        .send("acceptance", json!({ "submissions": "all" }))
        .await
        .invalid(&["submissions"]);
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_was_never_taken_is_sent_without_asking_for_it() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let submission = drive.submit(&campus.as_("sue")).await;
    drive.decide(&submission, 4, "").await;
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    assert_eq!(
        drive.send("acceptance", json!({})).await.ok()["skipped"]["already_notified"],
        1,
        "the mail is queued"
    );
    campus.advance(TimeDelta::minutes(16));
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1, "the first record was taken back");
}

#[tokio::test(start_paused = true)]
async fn a_rejection_that_follows_an_acceptance_revokes_its_invitation() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let (sue, tech) = (
        campus.as_("sue"),
        drive.application["committees"][0]["id"].clone(),
    );
    let first = drive.submit(&sue).await;
    drive.decide(&first, 4, "").await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    let link = MailedLink::sent_to(&campus, "sue@uni.example");
    let invites = "/api/clubs/chess/invites/";
    drive.decide(&first, 2, "").await;
    assert_eq!(
        drive
            .officer
            .get(invites)
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1),
        "a dead link would reveal the decision"
    );
    // The invitation stays while another committee accepts her.
    let second = sue
        .post(
            &format!("{}submissions/", drive.path),
            json!({ "committee": tech, "responses": [] }),
        )
        .await
        .created();
    drive.decide(&second, 4, "").await;
    campus
        .with_worker(drive.send("acceptance", json!({})))
        .await
        .ok();
    campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        drive
            .officer
            .get(invites)
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    drive.decide(&second, 3, "").await;
    campus
        .with_worker(drive.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(drive.officer.get(invites).await.ok(), json!([]));
    link.accept(&sue).await.error(400);
    // A queued acceptance that is not sent takes its invitation with it (E25).
    let bob = campus.as_("bob");
    let third = drive.submit(&bob).await;
    drive.decide(&third, 4, "").await;
    assert_eq!(drive.send("acceptance", json!({})).await.ok()["queued"], 1);
    drive.decide(&third, 2, "").await;
    campus.deliver().await;
    assert_eq!(drive.officer.get(invites).await.ok(), json!([]));
}

#[tokio::test]
async fn conditions_stand_where_html_allows_text() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let rows = "<table>{% if reason %}<tr><td>yes</td></tr>{% else %}<tr><td>no</td></tr>\
        {% endif %}</table>";
    let refused = drive
        .officer
        .patch(&drive.path, json!({ "acceptance_email": rows }))
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
        "{% if reason %}<table><tr><td>{{ reason }}</td></tr></table>{% else %}<p>no</p>{% endif %}",
        "<p>Dear {{ name }}{% if committee %} of {{ committee }}{% endif %},</p>\
         {% if reason %}<p>{{ reason }}</p>{% endif %}",
        "<ul><li>{% if reason %}<b>a</b>{% else %}<i>b</i>{% endif %}</li></ul><script>x</script>",
    ] {
        drive
            .officer
            .patch(&drive.path, json!({ "acceptance_email": good }))
            .await
            .ok();
    }
}

// Nothing was changed, so nothing has to be told but how to ask for less (H25, H35).
#[tokio::test]
async fn a_preview_that_is_too_large_is_refused() {
    let campus = TestCampus::new();
    let drive = campus.drive("chess").await;
    let template = format!("<p>{}</p>", "word ".repeat(9_000));
    let body = json!({ "acceptance_email": template });
    drive.officer.patch(&drive.path, body).await.ok();
    let mut ids = Vec::new();
    for n in 0..60 {
        let sent = drive.submit(&campus.as_(&format!("s{n}"))).await;
        ids.push(sent["id"].clone());
    }
    let accepted = json!({ "submissions": ids, "status": 4 });
    let status = format!("{}submissions/status/", drive.path);
    drive.officer.post(&status, accepted).await.ok();
    let told = drive.send("acceptance", json!({ "dry_run": true })).await;
    let detail = told.error(400);
    assert!(detail.contains("too large"), "{detail}");
}
