//! `/settings/`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::fixtures::id;
use tests::recount::recount;
use tests::{Setup, TestCampus};

// proves H13, H14, P9
#[tokio::test]
async fn the_profile_comes_from_the_token_and_from_its_person() {
    let campus = TestCampus::new();
    let sue = campus.client(
        &json!({ "email": "sue@uni.example", "name": "Sue Ellen Storm" }),
        "sue",
    );
    let profile = sue.get("/api/settings/").await.ok();
    assert_eq!(
        profile,
        json!({
            "id": profile["id"],
            "username": "sue",
            "name": "Sue Ellen Storm",
            "first_name": "Sue",
            "last_name": "Ellen Storm",
            "email": "sue@uni.example",
            "graduation_year": null,
            "school": [],
            "major": [],
            "image_url": null,
            "is_admin": false,
            "undelivered": null,
            "notices": { "drafts": true, "events": true, "interviews": true, "news": "off" },
        })
    );
    let changed = sue
        .patch(
            "/api/settings/",
            json!({ "graduation_year": 2027, "email": "x@y.example", "name": "Other" }),
        )
        .await
        .ok();
    assert_eq!(
        (
            &changed["graduation_year"],
            &changed["email"],
            &changed["name"]
        ),
        (&json!(2027), &profile["email"], &profile["name"])
    );
    sue.patch("/api/settings/", json!({ "graduation_year": 1 }))
        .await
        .invalid(&["graduation_year"]);
    sue.put("/api/settings/", json!({ "graduation_year": null }))
        .await
        .invalid(&["image_url", "school", "major"]);
    let body = json!({
        "graduation_year": null,
        "image_url": "https://x.example/i.png",
        "school": [],
        "major": [],
    });
    let put = sue.put("/api/settings/", body).await.ok();
    assert_eq!(
        (&put["graduation_year"], &put["image_url"]),
        (&Value::Null, &json!("https://x.example/i.png"))
    );
    assert_eq!(sue.get("/api/settings/").await.ok(), put);
    assert_eq!(
        campus.admin().get("/api/settings/").await.ok()["is_admin"],
        true
    );
}

// proves P6
#[tokio::test]
async fn it_follows_the_claims_of_the_youngest_token() {
    let campus = TestCampus::new();
    let old = campus.as_("sue");
    let id = old.get("/api/settings/").await.ok()["id"].clone();
    campus.advance(TimeDelta::hours(1));
    let new = campus.client(
        &json!({ "email": "new@uni.example", "name": "New Name" }),
        "sue",
    );
    let fresh = new.get("/api/settings/").await.ok();
    assert_eq!(
        (&fresh["id"], &fresh["email"], &fresh["name"]),
        (&id, &json!("new@uni.example"), &json!("New Name"))
    );
    assert_eq!(
        old.get("/api/settings/").await.ok()["email"],
        "new@uni.example",
        "an older token changed the profile"
    );
    let silent = campus.client(&json!({}), "sue");
    assert_eq!(
        silent.get("/api/settings/").await.ok()["email"],
        "new@uni.example",
        "a missing claim removed the address"
    );
}

// proves P6
#[tokio::test]
async fn a_profile_is_stored_at_the_first_request_of_any_kind() {
    let campus = TestCampus::new();
    campus.as_("sue").get("/api/health/").await.ok();
    let people = campus
        .stored()
        .into_iter()
        .filter(|item| item["type"]["S"] == "Person")
        .count();
    assert_eq!(people, 1);
}

/// Two schools, Law and Art, and Physics.
async fn studies(admin: &tests::Client) -> [u64; 3] {
    let mut ids = Vec::new();
    for (path, name) in [
        ("schools", "Law"),
        ("schools", "Art"),
        ("majors", "Physics"),
    ] {
        ids.push(id(&admin
            .post(&format!("/api/{path}/"), json!({ "name": name }))
            .await
            .created()));
    }
    [ids[0], ids[1], ids[2]]
}

// proves H13, P9
#[tokio::test]
async fn schools_and_majors_are_set_by_their_ids() {
    let campus = TestCampus::new();
    let (admin, sue) = (campus.admin(), campus.as_("sue"));
    let [law, art, physics] = studies(&admin).await;
    let set = sue
        .patch(
            "/api/settings/",
            json!({ "school": [art, { "id": law }, art], "major": [physics] }),
        )
        .await
        .ok();
    assert_eq!(
        (&set["school"], &set["major"]),
        (&json!([law, art]), &json!([physics]))
    );
    assert_eq!(sue.get("/api/settings/").await.ok(), set);
    assert_eq!(sue.put("/api/settings/", set.clone()).await.ok(), set);
    for (field, value) in [
        ("school", json!([7])),
        ("school", json!([physics])),
        ("major", json!(null)),
        ("school", json!((0..11).collect::<Vec<_>>())),
    ] {
        sue.patch("/api/settings/", json!({ field: value }))
            .await
            .invalid(&[field]);
    }
    assert_eq!(sue.get("/api/settings/").await.ok(), set);
}

// proves P8, P9, S8, L7
#[tokio::test]
async fn schools_and_majors_are_ids_here_and_names_elsewhere() {
    let campus = TestCampus::new();
    let (admin, sue) = (campus.admin(), campus.as_("sue"));
    let recruitment = campus.recruitment("chess").await;
    let [law, art, physics] = studies(&admin).await;
    let set = json!({ "school": [law, art], "major": [physics] });
    sue.patch("/api/settings/", set).await.ok();
    let submission = recruitment.submit(&sue).await;
    sue.post("/api/requests/membership/", json!({ "club": "chess" }))
        .await
        .created();
    let (school, major) = (
        json!([{ "id": art, "name": "Art" }, { "id": law, "name": "Law" }]),
        json!([{ "id": physics, "name": "Physics" }]),
    );
    let own = format!("/api/submissions/{}/", id(&submission));
    let one = format!("{}submissions/{}/", recruitment.path, id(&submission));
    let requests = "/api/clubs/chess/membershiprequests/";
    let shown = async || {
        [
            recruitment
                .officer
                .get(&format!("{}submissions/", recruitment.path))
                .await
                .ok()[0]["user"]
                .clone(),
            recruitment.officer.get(&one).await.ok()["user"].clone(),
            sue.get(&own).await.ok()["user"].clone(),
            sue.get("/api/submissions/").await.ok()[0]["user"].clone(),
            recruitment.officer.get(requests).await.ok()[0].clone(),
            recruitment
                .officer
                .get(&format!("{requests}sue/"))
                .await
                .ok(),
            sue.get("/api/requests/membership/").await.ok()[0].clone(),
            sue.get("/api/settings/export/").await.ok()["submissions"][0]["user"].clone(),
            sue.get("/api/settings/export/").await.ok()["requests"][0].clone(),
        ]
    };
    assert_eq!(
        (&submission["user"]["school"], &submission["user"]["major"]),
        (&school, &major)
    );
    for user in shown().await {
        assert_eq!((&user["school"], &user["major"]), (&school, &major));
    }
    // The present profile with the present names of schools and majors.
    admin
        .patch(
            &format!("/api/schools/{law}/"),
            json!({ "name": "School of Law" }),
        )
        .await
        .ok();
    sue.patch("/api/settings/", json!({ "school": [law], "major": [] }))
        .await
        .ok();
    for user in shown().await {
        assert_eq!(
            (&user["school"], &user["major"]),
            (&json!([{ "id": law, "name": "School of Law" }]), &json!([]))
        );
    }
    assert_eq!(recount(&campus), [""; 0]);
}

// If a write did not check that the profile is as it was read, a school would count a person who is
// not in it.
// proves X7
#[tokio::test(start_paused = true)]
async fn two_changes_at_once_are_counted_exactly() {
    let campus = Setup::default().latency(5).build();
    let (admin, sue) = (campus.admin(), campus.as_("sue"));
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(id(&admin
            .post("/api/schools/", json!({ "name": format!("School {n}") }))
            .await
            .created()));
    }
    sue.patch("/api/settings/", json!({ "school": [ids[0]] }))
        .await
        .ok();
    let set = |body| sue.patch("/api/settings/", body);
    let (one, other, year, image) = futures::join!(
        set(json!({ "school": [ids[1], ids[2]] })),
        set(json!({ "school": [ids[3]] })),
        set(json!({ "graduation_year": 2030 })),
        set(json!({ "image_url": "https://x.example/i.png" })),
    );
    for response in [one, other, year, image] {
        response.ok();
    }
    let now = sue.get("/api/settings/").await.ok();
    assert_eq!(
        (&now["graduation_year"], &now["image_url"]),
        (&json!(2030), &json!("https://x.example/i.png"))
    );
    assert_eq!(recount(&campus), [""; 0]);
}

/// The first subscriber of the chess club, as its officers see them.
async fn subscriber(officer: &tests::Client) -> Value {
    officer.get("/api/clubs/chess/subscription/").await.ok()[0].clone()
}

/// Sends two requests of one person, the second one `milliseconds` later. Returns the profile and
/// its copy that officers see.
async fn after_two(
    milliseconds: u64,
    first: Value,
    second: impl AsyncFn(&tests::Client, &tests::Client),
) -> (Value, Value) {
    let campus = Setup::default().latency(5).build();
    let (ada, sue) = (campus.as_("ada"), campus.as_("sue"));
    campus.club("chess", &ada).await;
    let school = id(&campus
        .admin()
        .post("/api/schools/", json!({ "name": "Law" }))
        .await
        .created());
    sue.post("/api/subscriptions/", json!({ "club": "chess" }))
        .await
        .created();
    campus.advance(TimeDelta::hours(1));
    let renamed = campus.client(
        &json!({ "email": "new@uni.example", "name": "New Name" }),
        "sue",
    );
    let mut first = first;
    first["school"] = json!([school]);
    futures::join!(
        async { sue.patch("/api/settings/", first).await.ok() },
        async {
            tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
            second(&sue, &renamed).await;
        }
    );
    assert_eq!(recount(&campus), [""; 0]);
    (sue.get("/api/settings/").await.ok(), subscriber(&ada).await)
}

// If the copies were not refreshed after a refused write, officers would never see the school.
// proves P8
#[tokio::test(start_paused = true)]
async fn copies_follow_two_concurrent_settings() {
    for milliseconds in 0..40 {
        let image = json!({ "image_url": "https://x.example/i.png" });
        let (profile, seen) = after_two(milliseconds, image.clone(), async |sue, _| {
            drop(sue.patch("/api/settings/", image.clone()).await.ok());
        })
        .await;
        assert_eq!(
            (&profile["school"][0], &seen["school"][0]["name"]),
            (&seen["school"][0]["id"], &json!("Law")),
            "{milliseconds} ms"
        );
    }
}

// If both requests wrote the whole copy, half of it would stay old.
// proves P8, X7
#[tokio::test(start_paused = true)]
async fn copies_follow_concurrent_claims_and_settings() {
    for milliseconds in 0..40 {
        let year = json!({ "graduation_year": 2031 });
        let (profile, seen) = after_two(milliseconds, year, async |_, renamed| {
            drop(renamed.get("/api/settings/").await.ok());
        })
        .await;
        assert_eq!(
            (&profile["name"], &profile["graduation_year"]),
            (&json!("New Name"), &json!(2031))
        );
        assert_eq!(
            (
                &seen["name"],
                &seen["email"],
                &seen["school"][0]["name"],
                &seen["graduation_year"]
            ),
            (
                &json!("New Name"),
                &json!("new@uni.example"),
                &json!("Law"),
                &json!(2031)
            ),
            "{milliseconds} ms"
        );
    }
}

// proves P6
#[tokio::test]
async fn the_first_name_is_what_people_are_called_by() {
    let campus = TestCampus::new();
    for (n, (claims, first, last)) in [
        (
            json!({ "name": "van Beethoven, Ludwig" }),
            "Ludwig",
            "van Beethoven",
        ),
        (json!({ "name": "John Smith, Jr." }), "John", "Smith"),
        (json!({ "name": "de la Cruz" }), "de la Cruz", ""),
        (
            json!({ "name": "Ada L", "given_name": "Ada Maria", "family_name": "Lovelace" }),
            "Ada Maria",
            "Lovelace",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let shown = campus
            .client(&claims, &format!("p{n}"))
            .get("/api/settings/")
            .await
            .ok();
        assert_eq!(
            (&shown["first_name"], &shown["last_name"]),
            (&json!(first), &json!(last))
        );
    }
}
