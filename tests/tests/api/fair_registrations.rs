//! `/clubfairs/{fair}/register/`: which clubs may register, when, and who sees that they did

use chrono::TimeDelta;
use serde_json::json;
use shared::settings::Approval;
use tests::fixtures::{hours, id};
use tests::recount::recount;
use tests::{Client, Setup, TestCampus};

use crate::clubfairs::fair;
use crate::lost_responses::{LOSSES, Trap, after};

// proves F3, F4
#[tokio::test]
async fn clubs_register_while_the_registration_is_open() {
    let campus = TestCampus::new();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("go", &ada).await;
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    let mia = campus.member("chess", &ada, "mia", 20).await;
    let path = fair(&campus, "Fair", (10, 12), (Some(1), Some(2))).await;
    let register = format!("{path}register/");
    let chess = json!({ "club": "chess", "status": true });
    assert_eq!(
        ada.post(&register, chess.clone()).await.error(400),
        "The registration for this fair is not open."
    );
    campus.advance(TimeDelta::hours(1));
    for (client, status) in [(&sue, 403), (&mia, 403), (&campus.anonymous(), 401)] {
        client.post(&register, chess.clone()).await.error(status);
    }
    let fair = olga.post(&register, chess.clone()).await.ok();
    assert_eq!(
        (&fair["clubs"], &fair["name"]),
        (&json!(["chess"]), &json!("Fair"))
    );
    assert_eq!(
        olga.post(&register, json!({ "club": "chess" })).await.ok(),
        fair,
        "again"
    );
    assert_eq!(
        ada.post(&register, json!({ "club": "go" })).await.ok()["clubs"],
        json!(["chess", "go"])
    );
    assert_eq!(
        campus.anonymous().get(&path).await.ok()["clubs"],
        json!(["chess", "go"])
    );
    assert_eq!(
        campus.anonymous().get("/api/clubfairs/").await.ok()[0]["clubs"],
        json!(["chess", "go"])
    );
    assert_eq!(
        ada.post(&register, json!({ "club": "go", "status": false }))
            .await
            .ok()["clubs"],
        json!(["chess"])
    );
    assert_eq!(
        ada.post(&register, json!({ "club": "go", "status": false }))
            .await
            .ok()["clubs"],
        json!(["chess"]),
        "again"
    );
    // The registration is open in its last second, and closed one second later.
    campus.advance(TimeDelta::hours(1));
    olga.post(&register, chess.clone()).await.ok();
    campus.advance(TimeDelta::seconds(1));
    olga.post(&register, json!({ "club": "chess", "status": false }))
        .await
        .error(400);
    assert_eq!(
        campus.anonymous().get(&path).await.ok()["clubs"],
        json!(["chess"])
    );
    campus.deliver().await;
    assert_eq!(recount(&campus), [""; 0]);
}

// proves F5
#[tokio::test]
async fn wrong_registrations_are_named() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (10, 12), (Some(1), Some(2))).await;
    let register = format!("{path}register/");
    let chess = json!({ "club": "chess", "status": true });
    campus.advance(TimeDelta::hours(1));
    let fair = ada.post(&register, chess.clone()).await.ok();
    for (field, body) in [
        ("club", json!({})),
        ("club", json!({ "club": "nothing" })),
        ("club", json!({ "club": null })),
        ("club", json!({ "club": "No code" })),
        ("status", json!({ "club": "chess", "status": "yes" })),
    ] {
        ada.post(&register, body).await.invalid(&[field]);
    }
    ada.post("/api/clubfairs/7/register/", chess)
        .await
        .error(404);
    ada.raw(http::Method::POST, &register, None, "x")
        .await
        .error(415);
    assert_eq!(campus.anonymous().get(&path).await.ok(), fair);
}

// proves F4
#[tokio::test]
async fn registration_without_times_is_open_until_the_fair_ends() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (1, 2), (None, None)).await;
    let register = format!("{path}register/");
    ada.post(&register, json!({ "club": "chess" })).await.ok();
    campus.advance(TimeDelta::hours(2) + TimeDelta::seconds(1));
    ada.post(&register, json!({ "club": "chess", "status": false }))
        .await
        .error(400);
    campus
        .admin()
        .patch(&path, json!({ "registration_end_time": hours(3) }))
        .await
        .ok();
    ada.post(&register, json!({ "club": "chess", "status": false }))
        .await
        .ok();
}

// proves C6, F5, F6
#[tokio::test]
async fn hidden_clubs_are_not_listed_at_fairs() {
    let campus = Setup::default()
        .settings(|settings| settings.club_approval = Approval::Required)
        .build();
    let (ada, sue, admin) = (campus.as_("ada"), campus.as_("sue"), campus.admin());
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (1, 2), (None, None)).await;
    let register = format!("{path}register/");
    sue.post(&register, json!({ "club": "chess" }))
        .await
        .invalid(&["club"]);
    ada.post(&register, json!({ "club": "chess" })).await.ok();
    let clubs = async |client: &Client| {
        let (list, one) = (
            client.get("/api/clubfairs/").await,
            client.get(&path).await.ok(),
        );
        // The entity tag of one caller gives another caller 304 only if both see the same list.
        let theirs = sue
            .clone()
            .header("if-none-match", list.header("etag"))
            .get("/api/clubfairs/")
            .await;
        assert!(theirs.status == 304 || list.bytes != theirs.bytes);
        assert_eq!(
            theirs.status == 304,
            list.bytes == sue.get("/api/clubfairs/").await.bytes
        );
        assert_eq!(list.ok()[0]["clubs"], one["clubs"]);
        one["clubs"].clone()
    };
    for (client, notified) in [
        (&ada, true),
        (&admin, true),
        (&sue, false),
        (&campus.anonymous(), false),
    ] {
        assert_eq!(
            clubs(client).await,
            if notified {
                json!(["chess"])
            } else {
                json!([])
            }
        );
    }
    // A new member sees the club, although nothing changed since the entity tag of the first answer
    // but the membership.
    let mia = campus.as_("mia");
    let tag = mia.get("/api/clubfairs/").await.header("etag").to_owned();
    campus.member("chess", &ada, "mia", 20).await;
    let seen = mia
        .header("if-none-match", tag)
        .get("/api/clubfairs/")
        .await
        .ok();
    assert_eq!(seen[0]["clubs"], json!(["chess"]));
    admin
        .patch("/api/clubs/chess/", json!({ "approved": true }))
        .await
        .ok();
    assert_eq!(clubs(&campus.anonymous()).await, json!(["chess"]));
    ada.delete("/api/clubs/chess/").await.no_content();
    assert_eq!(clubs(&admin).await, json!(["chess"]));
    assert_eq!(clubs(&ada).await, json!([]));
    ada.post(&register, json!({ "club": "chess", "status": false }))
        .await
        .invalid(&["club"]);
    admin
        .post(&register, json!({ "club": "chess" }))
        .await
        .invalid(&["club"]);
    admin.delete(&path).await.error(400);
    admin
        .post(&register, json!({ "club": "chess", "status": false }))
        .await
        .ok();
    admin.delete(&path).await.no_content();
}

// If the transaction did not check the role, an officer who was just removed would register the
// club.
// proves M12
#[tokio::test(start_paused = true)]
async fn officer_removed_meanwhile_registers_nothing() {
    for milliseconds in 0..20 {
        let campus = Setup::default().latency(5).build();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let olga = campus.member("chess", &ada, "olga", 10).await;
        let path = fair(&campus, "Fair", (1, 2), (None, None)).await;
        let members = ada.get("/api/clubs/chess/members/").await.ok();
        let member = members
            .as_array()
            .into_iter()
            .flatten()
            .find(|member| member["username"] == "olga")
            .map(id);
        let member = format!("/api/clubs/chess/members/{}/", member.unwrap_or_default());
        let removed = async {
            tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
            ada.patch(&member, json!({ "role": 20 })).await.ok();
            json!(campus.stored())
                .to_string()
                .contains("REGISTRATIONS\"}")
        };
        let register = format!("{path}register/");
        let (registered, then) =
            futures::join!(olga.post(&register, json!({ "club": "chess" })), removed);
        let after = campus.anonymous().get(&path).await.ok()["clubs"].clone();
        match registered.status.as_u16() {
            200 => assert_eq!(after, json!(["chess"])),
            403 => assert_eq!(after, json!([])),
            other => panic!("{other} {}", registered.text()),
        }
        assert_eq!(
            then,
            after == json!(["chess"]),
            "the registration changed after the removal ({milliseconds} ms)"
        );
    }
}

// If the transactions did not count the clubs of a fair, a fair could be deleted while a club
// registers.
// proves L3, F6
#[tokio::test(start_paused = true)]
async fn fair_deleted_during_registration_is_consistent() {
    let campus = Setup::default().latency(5).build();
    let (ada, admin) = (campus.as_("ada"), campus.admin());
    campus.club("chess", &ada).await;
    for n in 0..4 {
        let path = fair(&campus, &format!("Fair {n}"), (1, 2), (None, None)).await;
        let register = format!("{path}register/");
        let (registered, deleted) = futures::join!(
            ada.post(&register, json!({ "club": "chess" })),
            admin.delete(&path)
        );
        let outcome = (registered.status.as_u16(), deleted.status.as_u16());
        assert!([(200, 400), (404, 204)].contains(&outcome), "{outcome:?}");
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves X9
#[tokio::test(start_paused = true)]
async fn late_cancellation_keeps_newer_registration() {
    for loss in LOSSES {
        let trap = Trap::default();
        let campus = trap.campus();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let olga = campus.member("chess", &ada, "olga", 10).await;
        let path = fair(&campus, "Fair", (10, 12), (None, None)).await;
        let register = format!("{path}register/");
        let (on, off) = (
            json!({ "club": "chess", "status": true }),
            json!({ "club": "chess", "status": false }),
        );
        ada.post(&register, on.clone()).await.ok();
        trap.arm(1, loss);
        futures::join!(olga.post(&register, off.clone()), async {
            after(100).await;
            ada.post(&register, off.clone()).await.ok();
            campus.advance(TimeDelta::minutes(1));
            ada.post(&register, on.clone()).await.ok();
        });
        after(5_000).await;
        let clubs = &ada.get(&path).await.ok()["clubs"];
        assert_eq!(clubs, &json!(["chess"]), "{loss:?}");
    }
}

// proves X8, X9
#[tokio::test(start_paused = true)]
async fn a_registration_of_the_same_second_is_another_one() {
    let (suspended, campus) = tests::suspended::Suspended::campus();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let path = fair(&campus, "Fair", (10, 12), (None, None)).await;
    let register = format!("{path}register/");
    let body = |status: bool| json!({ "club": "chess", "status": status });
    ada.post(&register, body(true)).await.ok();
    suspended.hold(usize::MAX, "REGISTRATION");
    ada.post(&register, body(false)).await.error(500);
    let late = suspended.release();
    ada.post(&register, body(false)).await.ok();
    ada.post(&register, body(true)).await.ok();
    late.arrive();
    assert_eq!(ada.get(&path).await.ok()["clubs"], json!(["chess"]));
}
