//! Tags, badges, schools, majors, years and fairs that are in use, counted or deleted meanwhile.

use serde_json::json;
use tests::fixtures::id;
use tests::{Setup, TestCampus};

// proves L3, L6, F6
#[tokio::test]
async fn used_reference_data_is_not_deleted() {
    let campus = TestCampus::new();
    let (admin, ada) = (campus.admin(), campus.as_("ada"));
    campus.club("chess", &ada).await;
    let ids = tests::fixtures::collections(&admin).await;
    let of = |name: &str| {
        ids.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, id)| *id)
            .unwrap_or_default()
    };
    let path = |collection: &str, name: &str| format!("/api/{collection}/{}/", of(name));
    ada.patch("/api/clubs/chess/", json!({ "tags": [of("{tag}")] }))
        .await
        .ok();
    admin
        .patch("/api/clubs/chess/", json!({ "badges": [of("{badge}")] }))
        .await
        .ok();
    ada.patch(
        "/api/settings/",
        json!({ "school": [of("{school}")], "major": [of("{major}")], "graduation_year": 2027 }),
    )
    .await
    .ok();
    ada.post(
        &format!("/api/clubfairs/{}/register/", of("{fair}")),
        json!({ "club": "chess" }),
    )
    .await
    .ok();
    let all = [
        path("tags", "{tag}"),
        path("badges", "{badge}"),
        path("schools", "{school}"),
        path("majors", "{major}"),
        path("years", "{year}"),
        path("clubfairs", "{fair}"),
    ];
    for path in &all {
        admin.delete(path).await.error(400);
        campus.anonymous().get(path).await.ok();
    }
    // References of a deleted club count, because it may be restored.
    ada.delete("/api/clubs/chess/").await.no_content();
    admin.delete(&all[0]).await.error(400);
    admin
        .patch("/api/clubs/chess/", json!({ "archived": false }))
        .await
        .ok();
    ada.patch("/api/clubs/chess/", json!({ "tags": [] }))
        .await
        .ok();
    admin
        .patch("/api/clubs/chess/", json!({ "badges": [] }))
        .await
        .ok();
    ada.patch(
        "/api/settings/",
        json!({ "school": [], "major": [], "graduation_year": null }),
    )
    .await
    .ok();
    ada.post(
        &format!("/api/clubfairs/{}/register/", of("{fair}")),
        json!({ "club": "chess", "status": false }),
    )
    .await
    .ok();
    for path in &all {
        admin.delete(path).await.no_content();
    }
}

// If the transactions did not count the uses, a club could refer to a deleted tag.
// proves L3
#[tokio::test(start_paused = true)]
async fn tag_taken_during_deletion_is_consistent() {
    let campus = Setup::default().latency(5).build();
    let (admin, ada) = (campus.admin(), campus.as_("ada"));
    for n in 0..6 {
        let code = campus.club(&format!("club-{n}"), &ada).await;
        let tag = id(&admin
            .post("/api/tags/", json!({ "name": format!("Tag {n}") }))
            .await
            .created());
        let club = format!("/api/clubs/{code}/");
        let path = format!("/api/tags/{tag}/");
        let (taken, deleted) = futures::join!(
            ada.patch(&club, json!({ "tags": [tag] })),
            admin.delete(&path)
        );
        let outcome = (taken.status.as_u16(), deleted.status.as_u16());
        assert!([(200, 400), (400, 204)].contains(&outcome), "{outcome:?}");
        let there = campus.anonymous().get(&path).await.status == 200;
        let tags = campus.anonymous().get(&club).await.ok()["tags"]
            .as_array()
            .map(Vec::len);
        assert_eq!(
            (there, tags),
            if outcome.0 == 200 {
                (true, Some(1))
            } else {
                (false, Some(0))
            }
        );
    }
}

// proves L3, L6
#[tokio::test(start_paused = true)]
async fn choice_taken_during_deletion_is_consistent() {
    let campus = Setup::default().latency(5).build();
    let (admin, sue) = (campus.admin(), campus.as_("sue"));
    sue.get("/api/settings/").await.ok();
    for (path, field, name) in [
        ("/api/schools/", "school", "School"),
        ("/api/majors/", "major", "Major"),
        ("/api/years/", "year", "Year"),
    ] {
        for (n, milliseconds) in [0, 3, 6, 9, 12].into_iter().enumerate() {
            let year = 2030 + n;
            let entry = id(&admin
                .post(path, json!({ "name": format!("{name} {n}"), "year": year }))
                .await
                .created());
            let one = format!("{path}{entry}/");
            let body = if field == "year" {
                json!({ "graduation_year": year })
            } else {
                json!({ field: [entry] })
            };
            let deleted = async {
                tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
                admin.delete(&one).await
            };
            let (taken, deleted) = futures::join!(sue.patch("/api/settings/", body), deleted);
            let outcome = (taken.status.as_u16(), deleted.status.as_u16());
            // People may graduate in years that are not listed.
            assert!(
                [(200, 400), (if field == "year" { 200 } else { 400 }, 204)].contains(&outcome),
                "{path} {outcome:?}"
            );
            assert_eq!(
                campus.anonymous().get(&one).await.status == 200,
                deleted.status == 400
            );
            if deleted.status == 400 {
                admin.delete(&one).await.error(400);
            }
        }
    }
    assert_eq!(tests::recount::recount(&campus), [""; 0]);
}

// proves L4
#[tokio::test]
async fn tags_count_the_clubs_that_everybody_sees() {
    let campus = TestCampus::new();
    let (admin, ada) = (campus.admin(), campus.as_("ada"));
    let tag = id(&admin
        .post("/api/tags/", json!({ "name": "Games" }))
        .await
        .created());
    let count = async || campus.anonymous().get("/api/tags/").await.ok()[0]["clubs"].clone();
    for code in ["chess", "go"] {
        campus.club(code, &ada).await;
        ada.patch(
            &format!("/api/clubs/{code}/"),
            json!({ "tags": [tag, tag] }),
        )
        .await
        .ok();
    }
    assert_eq!(count().await, 2);
    admin
        .patch("/api/clubs/go/", json!({ "approved": false }))
        .await
        .ok();
    assert_eq!(count().await, 1);
    ada.delete("/api/clubs/chess/").await.no_content();
    assert_eq!(count().await, 0);
}
