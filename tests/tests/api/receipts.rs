//! `/submissions/{submission}/receipt/`, `/receipts/jwks.json` and `/receipts/verify/`.

use aws_lc_rs::digest;
use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use serde_json::{Value, json};
use shared::settings::{OldReceiptKey, Secret};
use shared::time::Timestamp;
use tests::fixtures::{Recruitment, hours, id};
use tests::{Client, Setup, TestCampus};

fn decoded(part: &str) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(part).expect("base64url")
}

/// Verifies a receipt as somebody else would, with the published keys alone.
async fn claims(campus: &TestCampus, receipt: &str) -> Value {
    let keys = campus.anonymous().get("/api/receipts/jwks.json").await.ok();
    let parts: Vec<&str> = receipt.split('.').collect();
    let header: Value = serde_json::from_slice(&decoded(parts[0])).expect("a receipt");
    assert_eq!(header["alg"], "EdDSA");
    let key = keys["keys"]
        .as_array()
        .expect("a receipt")
        .iter()
        .find(|key| key["kid"] == header["kid"])
        .expect("the key");
    assert_eq!(
        (&key["kty"], &key["crv"], &key["use"]),
        (&json!("OKP"), &json!("Ed25519"), &json!("sig"))
    );
    let signed = format!("{}.{}", parts[0], parts[1]);
    UnparsedPublicKey::new(&ED25519, decoded(key["x"].as_str().expect("a receipt")))
        .verify(signed.as_bytes(), &decoded(parts[2]))
        .expect("a signature");
    serde_json::from_slice(&decoded(parts[1])).expect("a receipt")
}

async fn verify(client: &Client, receipt: &str) -> Value {
    client
        .post("/api/receipts/verify/", json!({ "receipt": receipt }))
        .await
        .ok()
}

pub(crate) fn receipt(submission: &Value) -> String {
    submission["receipt"]
        .as_str()
        .expect("a receipt")
        .to_owned()
}

pub(crate) async fn submit(recruitment: &Recruitment, client: &Client, text: &str) -> Value {
    let path = format!("{}submissions/", recruitment.path);
    client.post(&path, recruitment.answer(text)).await.json()
}

// proves T1, T2, T3, T4
#[tokio::test]
async fn a_receipt_says_what_was_submitted_and_when() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let person = id(&sue.get("/api/settings/").await.ok());
    let submission = submit(&recruitment, &sue, "Because \"ü\"\n🎲").await;
    assert_eq!(submission["revision"], 1);
    let canonical = format!(
        "[{{\"multiple_choice\":null,\"question\":{},\"text\":\"Because \\\"ü\\\"\\n🎲\"}}]",
        recruitment.question
    );
    let hash = digest::digest(&digest::SHA256, canonical.as_bytes());
    let expected = json!({
        "iss": campus.campus.app.settings.addresses.site_url,
        "sub": person.to_string(),
        "club": "chess",
        "application": recruitment.application["id"],
        "submission": submission["id"],
        "committee": null,
        "revision": 1,
        "answers": BASE64_URL_SAFE_NO_PAD.encode(hash),
        "received_at": hours(0),
        "iat": tests::start().timestamp(),
    });
    assert_eq!(claims(&campus, &receipt(&submission)).await, expected);
    let path = format!("/api/submissions/{}/receipt/", id(&submission));
    assert_eq!(
        sue.get(&path).await.ok(),
        json!({ "receipt": receipt(&submission) })
    );
    // It is the applicant's alone.
    recruitment.officer.get(&path).await.error(404);
    campus.admin().get(&path).await.error(404);
    campus.anonymous().get(&path).await.error(401);
    let own = recruitment.own(&sue, &submission).await;
    assert_eq!(own, tests::fixtures::in_own_list(&submission, "chess"));
    for officer in [&recruitment.officer, &campus.admin()] {
        let list = officer
            .get(&format!("{}submissions/", recruitment.path))
            .await;
        assert_eq!(list.ok()[0].get("receipt"), None);
    }
    let verified = verify(&campus.anonymous(), &receipt(&submission)).await;
    assert_eq!(verified, json!({ "valid": true, "claims": expected }));
}

// proves T4, T6
#[tokio::test(start_paused = true)]
async fn receipt_is_compared_for_those_who_may_know() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let first = receipt(&submit(&recruitment, &sue, "one").await);
    for client in [&sue, &recruitment.officer, &campus.admin()] {
        assert_eq!(verify(client, &first).await["stored"], "current");
    }
    for client in [&campus.as_("bob"), &campus.anonymous()] {
        let body = verify(client, &first).await;
        assert_eq!((&body["valid"], body.get("stored")), (&json!(true), None));
    }
    let second = submit(&recruitment, &sue, "two").await;
    assert_eq!(second["revision"], 2);
    assert_eq!(verify(&sue, &first).await["stored"], "replaced");
    assert_eq!(verify(&sue, &receipt(&second)).await["stored"], "current");
    sue.delete(&format!("/api/submissions/{}/", id(&second)))
        .await
        .no_content();
    assert_eq!(verify(&sue, &first).await["stored"], "withdrawn");
    let third = submit(&recruitment, &sue, "three").await;
    assert_eq!(third["revision"], 3);
    // Receipts of what was withdrawn stay withdrawn.
    assert_eq!(verify(&sue, &receipt(&second)).await["stored"], "withdrawn");
    let fourth = submit(&recruitment, &sue, "four").await;
    assert_eq!(verify(&sue, &first).await["stored"], "withdrawn");
    assert_eq!(verify(&sue, &receipt(&third)).await["stored"], "replaced");
    campus.erase(&sue).await;
    let erased = verify(&recruitment.officer, &receipt(&fourth)).await;
    assert_eq!(erased["stored"], "erased");
    // What was withdrawn before stays withdrawn, and a new account changes nothing.
    campus.as_("sue").get("/api/settings/").await.ok();
    for (old, state) in [(&first, "withdrawn"), (&receipt(&fourth), "erased")] {
        assert_eq!(verify(&recruitment.officer, old).await["stored"], state);
    }
    recruitment
        .officer
        .delete(&format!("{}?force=true", recruitment.path))
        .await
        .no_content();
    for old in [&first, &receipt(&fourth)] {
        assert_eq!(verify(&recruitment.officer, old).await["stored"], "erased");
    }
}

// proves T4
#[tokio::test(start_paused = true)]
async fn a_decided_submission_of_an_erased_person_is_erased() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let submission = submit(&recruitment, &sue, "one").await;
    recruitment.decide(&submission, 4, "").await;
    campus.erase(&sue).await;
    let body = verify(&recruitment.officer, &receipt(&submission)).await;
    assert_eq!(body["stored"], "erased");
}

// proves T4
#[tokio::test]
async fn forged_receipts_are_not_valid() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let good = receipt(&submit(&recruitment, &sue, "one").await);
    let parts: Vec<&str> = good.split('.').collect();
    let mut claims: Value = serde_json::from_slice(&decoded(parts[1])).unwrap();
    claims["revision"] = json!(9);
    let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = encode(&json!({ "alg": "none" }));
    let not_valid = json!({ "valid": false, "claims": null });
    for forged in [
        format!("{}.{}.{}", parts[0], encode(&claims), parts[2]),
        format!("{unsigned}.{}.", encode(&claims)),
        format!("{unsigned}.{}.{}", parts[1], parts[2]),
        good[..good.len() - 4].to_owned(),
        format!(" {good} "),
        String::new(),
        "a.b.c".into(),
        "ü".into(),
    ] {
        assert_eq!(verify(&sue, &forged).await, not_valid, "{forged}");
    }
    sue.raw(
        http::Method::POST,
        "/api/receipts/verify/",
        Some("application/json"),
        json!({ "receipt": "x".repeat(10_001) }).to_string(),
    )
    .await
    .invalid(&["receipt"]);
}

// proves T3
#[tokio::test]
async fn receipts_of_an_old_secret_stay_valid() {
    let old = TestCampus::new();
    let recruitment = old.recruitment("chess").await;
    let kept = receipt(&submit(&recruitment, &old.as_("sue"), "one").await);
    let keys = old.anonymous().get("/api/receipts/jwks.json").await.ok();
    let key = keys["keys"][0]["x"].as_str().unwrap().to_owned();
    let rotated = |keys: Vec<OldReceiptKey>| {
        Setup::default()
            .settings(move |settings| {
                settings.secrets.receipt = Secret::new("another secret of this deployment, now");
                settings.secrets.old_receipt_keys = keys;
            })
            .build()
    };
    let until = |hours| OldReceiptKey {
        key: key.clone(),
        until: Timestamp::at(tests::start() + TimeDelta::hours(hours)),
    };
    let with_key = rotated(vec![until(1)]);
    assert_eq!(verify(&with_key.anonymous(), &kept).await["valid"], true);
    // Whoever has the old secret cannot make receipts of a later time.
    let earlier = rotated(vec![until(-1)]);
    assert_eq!(verify(&earlier.anonymous(), &kept).await["valid"], false);
    // The secret of invitations has nothing to do with them.
    let invites = Setup::default().settings(|settings| {
        settings.secrets.invite = Secret::new("another secret of this deployment, now");
    });
    assert_eq!(
        verify(&invites.build().anonymous(), &kept).await["valid"],
        true
    );
    let new = with_key.anonymous().get("/api/receipts/jwks.json").await;
    assert_eq!(new.ok()["keys"].as_array().map(Vec::len), Some(2));
    let without = rotated(vec![]);
    assert_eq!(verify(&without.anonymous(), &kept).await["valid"], false);
}

// proves T7
#[tokio::test]
async fn a_replay_has_the_receipt_of_the_first_request() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue").header("idempotency-key", "one");
    let first = submit(&recruitment, &sue, "one").await;
    let again = submit(&recruitment, &sue, "one").await;
    assert_eq!(again["receipt"], first["receipt"]);
    assert_eq!(again["revision"], 1);
}

// proves T8
#[tokio::test]
async fn operators_compare_a_file_of_receipts_with_the_table() {
    let campus = TestCampus::new();
    let recruitment = campus.recruitment("chess").await;
    let sue = campus.as_("sue");
    let old = receipt(&submit(&recruitment, &sue, "one").await);
    let new = receipt(&submit(&recruitment, &sue, "two").await);
    let bob = submit(&recruitment, &campus.as_("bob"), "lost").await;
    let text = format!(
        "My receipts:\n{old}, {new}\n\n\"{}\"\n{}x\nno receipt.at.all",
        receipt(&bob),
        &new[..new.len() - 9]
    );
    let keys = campus.anonymous().get("/api/receipts/jwks.json").await.ok();
    let keys = serde_json::from_value(keys).expect("keys");
    let table = &campus.campus.app.table;
    let verdicts = async || -> Vec<String> {
        let found = admin::reconcile(table, &keys, &text)
            .await
            .expect("a table");
        found
            .iter()
            .map(|receipt| {
                let sentence = receipt.sentence();
                let state = sentence.split(": ").nth(1).unwrap_or_default().to_owned();
                format!("{} {state} {}", receipt.line, receipt.is_missing())
            })
            .collect()
    };
    let not_ours = "5 not a receipt of this service true";
    assert_eq!(
        verdicts().await,
        [
            "2 replaced false",
            "2 current false",
            "4 current false",
            not_ours
        ]
    );
    // The table was restored to a moment before the last submission.
    let number = id(&bob).to_string();
    let stored = campus.stored();
    let lost = stored
        .iter()
        .find(|item| item["type"]["S"] == "Submission" && item["id"]["N"] == number)
        .expect("the submission");
    let delete = json!({
        "TableName": local::table::TABLE,
        "Key": { "pk": lost["pk"], "sk": lost["sk"] },
    });
    campus
        .campus
        .engine
        .json("DeleteItem", &delete)
        .expect("a write");
    assert_eq!(verdicts().await[2], "4 missing true");
}
