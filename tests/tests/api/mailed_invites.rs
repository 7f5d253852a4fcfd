//! `send_emails`: the invitations in acceptance mails, and how a rejection revokes them.

use chrono::TimeDelta;
use serde_json::json;
use tests::TestCampus;
use tests::fixtures::{MailedLink, id};

use crate::telling::mailed;

// proves E24, I4
#[tokio::test]
async fn the_accepted_get_one_invite_each_and_members_none() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let tech = recruitment.application["committees"][0]["id"].clone();
    let sue = campus.as_("sue");
    let bob = campus
        .member("chess", &recruitment.officer, "bob", 20)
        .await;
    let first = recruitment.submit(&sue).await;
    let second = sue
        .post(
            &format!("{}submissions/", recruitment.path),
            json!({ "committee": tech, "responses": [] }),
        )
        .await
        .created();
    let third = recruitment.submit(&bob).await;
    for submission in [&first, &second, &third] {
        recruitment.decide(submission, 4, "").await;
    }
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
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
    // The words above may be in any language.
    let text = &campus.mails_but_welcomes()[0].text;
    assert!(
        text.contains("Join the club / Dem Club beitreten"),
        "{text}"
    );
    assert_eq!(link(0), link(1), "two committees, but one invite");
    assert_eq!(link(2), None, "Bob is a member");
    campus.advance(TimeDelta::days(1));
    campus
        .with_worker(recruitment.send("acceptance", json!({ "allow_resend": true })))
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

// proves S15, E17, E25
#[tokio::test(start_paused = true)]
async fn withdrawal_before_a_queued_acceptance_is_mailed_takes_both() {
    for is_to_person in [false, true] {
        let campus = TestCampus::new();
        let recruitment = campus.recruitment("chess").await;
        let sue = campus.as_("sue");
        let submission = recruitment.submit(&sue).await;
        recruitment.decide(&submission, 4, "").await;
        let more = json!({ "one_per_person": is_to_person });
        assert_eq!(recruitment.send("acceptance", more).await.ok()["queued"], 1);
        let own = format!("/api/submissions/{}/", id(&submission));
        sue.delete(&own).await.no_content();
        campus.deliver().await;
        assert_eq!(campus.mails().len(), 0, "{is_to_person}");
        let stored = campus.stored();
        let invites = stored.iter().filter(|item| item["type"]["S"] == "Invite");
        assert_eq!(invites.count(), 0, "{is_to_person}");
        let anew = recruitment.submit(&sue).await;
        assert_eq!(recruitment.own(&sue, &anew).await["status"], 1);
    }
}

// proves E25
#[tokio::test(start_paused = true)]
async fn rejection_after_acceptance_revokes_its_invitation() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let (sue, tech) = (
        campus.as_("sue"),
        recruitment.application["committees"][0]["id"].clone(),
    );
    let first = recruitment.submit(&sue).await;
    recruitment.decide(&first, 4, "").await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    let link = MailedLink::sent_to(&campus, "sue@uni.example");
    let invites = "/api/clubs/chess/invites/";
    recruitment.decide(&first, 2, "").await;
    assert_eq!(
        recruitment
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
            &format!("{}submissions/", recruitment.path),
            json!({ "committee": tech, "responses": [] }),
        )
        .await
        .created();
    recruitment.decide(&second, 4, "").await;
    campus
        .with_worker(recruitment.send("acceptance", json!({})))
        .await
        .ok();
    campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(
        recruitment
            .officer
            .get(invites)
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    recruitment.decide(&second, 3, "").await;
    campus
        .with_worker(recruitment.send("rejection", json!({})))
        .await
        .ok();
    assert_eq!(recruitment.officer.get(invites).await.ok(), json!([]));
    link.accept(&sue).await.error(400);
    // A queued acceptance that is not sent takes its invitation with it (E25).
    let bob = campus.as_("bob");
    let third = recruitment.submit(&bob).await;
    recruitment.decide(&third, 4, "").await;
    assert_eq!(
        recruitment.send("acceptance", json!({})).await.ok()["queued"],
        1
    );
    recruitment.decide(&third, 2, "").await;
    campus.deliver().await;
    assert_eq!(recruitment.officer.get(invites).await.ok(), json!([]));
}

// proves E25
#[tokio::test]
async fn a_rejection_revokes_only_what_it_tells() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let mut both = Vec::new();
    for committee in [0, 1] {
        let committee = &recruitment.application["committees"][committee]["id"];
        let body = json!({ "committee": committee, "responses": [] });
        let path = format!("{}submissions/", recruitment.path);
        both.push(sue.post(&path, body).await.created());
    }
    for submission in &both {
        recruitment.decide(submission, 4, "").await;
    }
    mailed(&campus, &recruitment, "acceptance", json!({})).await;
    recruitment.decide(&both[0], 2, "").await;
    mailed(&campus, &recruitment, "rejection", json!({})).await;
    let invites = || recruitment.officer.get("/api/clubs/chess/invites/");
    assert_eq!(invites().await.ok().as_array().map(Vec::len), Some(1));
    recruitment.decide(&both[1], 2, "").await;
    mailed(&campus, &recruitment, "rejection", json!({})).await;
    assert_eq!(invites().await.ok(), json!([]));
}
