//! Requests about members at the same moment: no rule is broken, and the counters are exact

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tests::fixtures::{MailedLink, id};
use tests::recount::recount;
use tests::{Client, Response, Setup, TestCampus};

/// A campus whose table takes 5 ms for each call, so that requests at the same moment interleave.
fn slow() -> TestCampus {
    Setup::default().latency(5).build()
}

fn count(answers: &[Response], status: u16) -> usize {
    answers
        .iter()
        .filter(|response| response.status == status)
        .count()
}

async fn person(client: &Client) -> u64 {
    id(&client.get("/api/settings/").await.ok())
}

const ADA: &str = "/api/clubs/chess/members/ada/";
const SUE: &str = "/api/clubs/chess/members/sue/";

// proves M9
#[tokio::test(start_paused = true)]
async fn two_owners_who_demote_remove_or_leave_at_once_leave_one() {
    let member = json!({ "role": 20 });
    for case in 0..5 {
        let campus = slow();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let sue = campus.member("chess", &ada, "sue", 0).await;
        let (a, b) = match case {
            0 => futures::join!(
                ada.patch(ADA, member.clone()),
                sue.patch(SUE, member.clone())
            ),
            1 => futures::join!(
                ada.patch(SUE, member.clone()),
                sue.patch(ADA, member.clone())
            ),
            2 => futures::join!(ada.delete(SUE), sue.delete(ADA)),
            3 => futures::join!(ada.delete(ADA), sue.patch(SUE, member.clone())),
            _ => futures::join!(ada.delete("/api/settings/"), sue.delete("/api/settings/")),
        };
        let done = [a, b]
            .iter()
            .filter(|response| response.status.is_success())
            .count();
        assert_eq!((done, recount(&campus)), (1, vec![]), "case {case}");
    }
}

// proves M12
#[tokio::test(start_paused = true)]
async fn an_officer_who_is_demoted_promotes_nobody_any_more() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let olga = campus.member("chess", &ada, "olga", 10).await;
    campus.member("chess", &ada, "sue", 20).await;
    let friend = person(&campus.as_("friend")).await;
    // By its id, a membership is found in fewer steps than by the user name.
    let of_olga = ada.get("/api/clubs/chess/members/olga/").await.ok();
    let of_olga = format!("/api/clubs/chess/members/{}/", id(&of_olga));
    let (demoted, promoted, added, invited, removed) = futures::join!(
        ada.patch(&of_olga, json!({ "role": 20 })),
        olga.patch(SUE, json!({ "role": 10 })),
        olga.post(
            "/api/clubs/chess/members/",
            json!({ "person": friend, "role": 10 })
        ),
        olga.post(
            "/api/clubs/chess/invites/",
            json!({ "email": "friend@uni.example", "role": 10 })
        ),
        olga.delete("/api/clubs/chess/members/sue/"),
    );
    demoted.ok();
    // All her requests are finished after the demotion, so all are refused.
    for response in [promoted, added, invited, removed] {
        response.error(403);
    }
    assert_eq!(ada.get(SUE).await.ok()["role"], 20);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves I7
#[tokio::test(start_paused = true)]
async fn an_invite_is_used_once_by_many_at_once() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    ada.post(
        "/api/clubs/chess/invites/",
        json!({ "email": "ina@uni.example", "role": 10 }),
    )
    .await
    .created();
    campus.deliver().await;
    let link = MailedLink::sent_to(&campus, "ina@uni.example");
    let students: Vec<Client> = (0..16)
        .map(|n| campus.as_(&format!("student{n}")))
        .collect();
    let answers = join_all(students.iter().map(|student| link.accept(student))).await;
    assert_eq!(
        (count(&answers, 200), count(&answers, 400), recount(&campus)),
        (1, 15, vec![])
    );
}

// proves M12, R3
#[tokio::test(start_paused = true)]
async fn one_person_asks_is_added_and_joins_by_invite_at_once() {
    for _ in 0..4 {
        let campus = slow();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        let sue = campus.as_("sue");
        let body = json!({ "person": person(&sue).await });
        ada.post(
            "/api/clubs/chess/invites/",
            json!({ "email": "sue@uni.example" }),
        )
        .await
        .created();
        campus.deliver().await;
        let link = MailedLink::sent_to(&campus, "sue@uni.example");
        let ask = || sue.post("/api/requests/membership/", json!({ "club": "chess" }));
        let add = || ada.post("/api/clubs/chess/members/", body.clone());
        let (asked, added, joined, again) = futures::join!(ask(), add(), link.accept(&sue), ask());
        assert_eq!(
            [added, joined]
                .iter()
                .filter(|response| response.status.is_success())
                .count(),
            1,
            "joined once"
        );
        assert!(
            [asked, again]
                .iter()
                .all(|response| [200, 201, 400].contains(&response.status.as_u16()))
        );
        assert_eq!(recount(&campus), [""; 0]);
    }
}

// proves R3
#[tokio::test(start_paused = true)]
async fn nobody_becomes_a_member_who_asks_to_join() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let sue = campus.as_("sue");
    let body = json!({ "person": person(&sue).await });
    // The request is checked before she is added, but written afterwards.
    let ask = sue.post("/api/requests/membership/", json!({ "club": "chess" }));
    let (added, asked) = futures::join!(ada.post("/api/clubs/chess/members/", body), async {
        tokio::time::sleep(Duration::from_millis(6)).await;
        ask.await
    });
    added.created();
    asked.error(400);
    assert_eq!(recount(&campus), [""; 0]);
}

// proves R1, R4, X13
#[tokio::test(start_paused = true)]
async fn requests_at_once_are_each_stored_and_tell_officers_once() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let students: Vec<Client> = (0..24)
        .map(|n| campus.as_(&format!("student{}", n / 2)))
        .collect();
    let answers = join_all(
        students
            .iter()
            .map(|student| student.post("/api/requests/membership/", json!({ "club": "chess" }))),
    )
    .await;
    assert_eq!((count(&answers, 201), count(&answers, 200)), (12, 12));
    assert_eq!(
        ada.get("/api/clubs/chess/membershiprequests/")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(12)
    );
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 1);
}

// proves I2, I14
#[tokio::test(start_paused = true)]
async fn concurrent_invitations_of_an_address_are_one() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let invites = "/api/clubs/chess/invites/";
    let answers =
        join_all((0..8).map(|_| ada.post(invites, json!({ "email": "ina@uni.example" })))).await;
    assert_eq!((count(&answers, 201), count(&answers, 400)), (1, 7));
    let bulk = json!({ "emails": "ina@uni.example, eve@uni.example, bob@uni.example" });
    let answers =
        join_all((0..4).map(|_| ada.post("/api/clubs/chess/invite/", bulk.clone()))).await;
    let sent: u64 = answers
        .into_iter()
        .map(|response| response.ok()["sent"].as_u64().unwrap_or_default())
        .sum();
    assert_eq!(
        (sent, ada.get(invites).await.ok().as_array().map(Vec::len)),
        (2, Some(3))
    );
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 3);
    let path = ada.get(invites).await.ok()[0]["id"]
        .as_str()
        .map(|id| format!("{invites}{id}/resend/"))
        .unwrap_or_default();
    campus.advance(chrono::TimeDelta::minutes(10));
    let answers = join_all((0..4).map(|_| ada.post(&path, Value::Null))).await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (1, 3));
    campus.deliver().await;
    assert_eq!(campus.mails().len(), 4, "sent again once");
}

// proves X7
#[tokio::test(start_paused = true)]
async fn two_officers_editing_one_member_lose_nothing() {
    let campus = slow();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    campus.member("chess", &ada, "sue", 20).await;
    let (a, b, c) = futures::join!(
        ada.patch(SUE, json!({ "title": "Scribe" })),
        ada.patch(SUE, json!({ "description": "Writes." })),
        ada.patch(SUE, json!({ "role": 10 }))
    );
    for response in [a, b, c] {
        response.ok();
    }
    let now = ada.get(SUE).await.ok();
    assert_eq!(
        (&now["title"], &now["description"], &now["role"]),
        (&json!("Scribe"), &json!("Writes."), &json!(10))
    );
}

/// Random operations on a small club, six at a time.
// proves X13
#[tokio::test(start_paused = true)]
async fn whatever_happens_at_once_the_counts_are_right() {
    let campus = slow();
    let owner = campus.as_("p0");
    campus.club("chess", &owner).await;
    let people: Vec<Client> = (0..8).map(|n| campus.as_(&format!("p{n}"))).collect();
    let ids = join_all(people.iter().map(person)).await;
    let (mut state, mut done) = (20_261_121_u64, 0);
    for round in 0..40 {
        let mut next = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let plans: Vec<(usize, usize, u64, u64)> = (0..6)
            .map(|_| {
                (
                    usize::try_from(next(8)).unwrap_or(0),
                    usize::try_from(next(8)).unwrap_or(0),
                    next(5),
                    [0, 10, 20][usize::try_from(next(3)).unwrap_or(0)],
                )
            })
            .collect();
        let calls = plans.iter().map(async |(by, on, what, role)| {
            let (by, path) = (&people[*by], format!("/api/clubs/chess/members/p{on}/"));
            match what {
                0 => {
                    by.post(
                        "/api/clubs/chess/members/",
                        json!({ "person": ids[*on], "role": role }),
                    )
                    .await
                }
                1 => by.patch(&path, json!({ "role": role })).await,
                2 => by.delete(&path).await,
                3 => {
                    by.post("/api/requests/membership/", json!({ "club": "chess" }))
                        .await
                }
                _ => {
                    campus
                        .admin()
                        .post(
                            "/api/clubs/chess/members/",
                            json!({ "person": ids[*on], "role": role }),
                        )
                        .await
                }
            }
        });
        let answers = join_all(calls).await;
        assert!(
            answers
                .iter()
                .all(|response| response.status.as_u16() < 500),
            "round {round}"
        );
        done += answers
            .iter()
            .filter(|response| response.status.is_success())
            .count();
        assert_eq!(recount(&campus), [""; 0], "round {round}: {plans:?}");
    }
    assert!(done > 60, "only {done} operations succeeded");
}

// proves I7
#[tokio::test(start_paused = true)]
async fn an_invite_is_used_or_revoked_but_not_both() {
    for milliseconds in [0, 5, 10, 15] {
        let campus = slow();
        let ada = campus.as_("ada");
        campus.club("chess", &ada).await;
        ada.post(
            "/api/clubs/chess/invites/",
            json!({ "email": "ina@uni.example" }),
        )
        .await
        .created();
        campus.deliver().await;
        let link = MailedLink::sent_to(&campus, "ina@uni.example");
        let ina = campus.as_("ina");
        let (used, revoked) = futures::join!(link.accept(&ina), async {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            ada.delete(&link.path.replace("accept/", "")).await
        });
        assert_ne!(
            used.status == 200,
            revoked.status == 204,
            "{} {}",
            used.status,
            revoked.status
        );
    }
}
