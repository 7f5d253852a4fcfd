//! `/tags/`, `/badges/`, `/schools/`, `/majors/`, `/years/`, `/clubfairs/`

use serde_json::{Value, json};
use tests::fixtures::{hours, id};
use tests::{Client, Setup, TestCampus};

/// Path, unique field, a valid body, and fields with invalid values.
type Collection = (
    &'static str,
    &'static str,
    Value,
    Vec<(&'static str, Value)>,
);

fn collections() -> Vec<Collection> {
    let badge = json!({
        "label": "Gold",
        "purpose": "merit",
        "description": "<b>plain</b>",
        "color": "#FFd700",
    });
    let fair = json!({
        "name": "Fair",
        "organization": "Union",
        "contact": "fair@uni.example",
        "information": "<b>x</b>",
        "start_time": hours(10),
        "end_time": hours(12),
        "registration_start_time": null,
        "registration_end_time": hours(9),
        "virtual": true,
    });
    vec![
        (
            "/api/tags/",
            "name",
            json!({ "name": "Board games" }),
            vec![("name", json!("2026")), ("name", json!("a\nb"))],
        ),
        (
            "/api/badges/",
            "label",
            badge,
            vec![
                ("color", json!("red")),
                ("color", json!("#12345g")),
                ("description", json!("x".repeat(1_001))),
                ("purpose", json!("x".repeat(256))),
            ],
        ),
        (
            "/api/schools/",
            "name",
            json!({ "name": "Law", "is_graduate": true }),
            vec![("is_graduate", json!("yes"))],
        ),
        (
            "/api/majors/",
            "name",
            json!({ "name": "Physics" }),
            vec![("name", json!(7))],
        ),
        (
            "/api/years/",
            "name",
            json!({ "name": "Senior", "year": 2027 }),
            vec![("year", json!(1)), ("year", json!("2027"))],
        ),
        (
            "/api/clubfairs/",
            "name",
            fair,
            vec![
                ("end_time", json!(hours(9))),
                ("registration_start_time", json!("tomorrow")),
                ("registration_end_time", json!(7)),
                ("virtual", json!(null)),
            ],
        ),
    ]
}

// proves H8, H12, H13, H14, H19, H24, L1, F2
#[tokio::test]
async fn entries_are_created_read_changed_and_deleted() {
    let campus = TestCampus::new();
    let (admin, anybody) = (campus.admin(), campus.anonymous());
    for (path, unique, body, _) in collections() {
        assert_eq!(anybody.get(path).await.ok(), json!([]), "{path}");
        let response = admin.post(path, body.clone()).await;
        let location = response.header("location").to_owned();
        let made = response.created();
        assert_eq!(location, format!("{path}{}/", id(&made)));
        for (field, value) in body.as_object().into_iter().flatten() {
            assert_eq!(made[field], *value, "{path} {field}");
        }
        assert_eq!(anybody.get(&location).await.ok(), made);
        assert_eq!(anybody.get(path).await.ok(), json!([made]));
        let changed = admin
            .patch(&location, json!({ unique: "Zebra", "id": 5, "unknown": 1 }))
            .await
            .ok();
        assert_eq!(
            (&changed[unique], &changed["id"]),
            (&json!("Zebra"), &made["id"])
        );
        assert_eq!(anybody.get(&location).await.ok(), changed);
        let missing: Vec<&str> = body
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, _)| field.as_str())
            .collect();
        admin.put(&location, json!({})).await.invalid(&missing);
        assert_eq!(admin.put(&location, made.clone()).await.ok(), made);
        // Case and accents do not count in the order.
        let mut others = Vec::new();
        for name in ["éclair", "Zulu", "Eclipse"] {
            let mut other = body.clone();
            other[unique] = json!(name);
            others.push(admin.post(path, other).await.created());
        }
        let sorted: Vec<String> = names(&anybody, path, unique).await;
        let mut expected = vec![
            "éclair".to_owned(),
            "Eclipse".into(),
            "Zulu".into(),
            made[unique].as_str().unwrap_or_default().to_owned(),
        ];
        expected.sort_by_key(|name| shared::text::fold(name));
        assert_eq!(sorted, expected, "{path}");
        admin.delete(&location).await.no_content();
        anybody.get(&location).await.error(404);
        admin.delete(&location).await.error(404);
        admin.patch(&location, json!({})).await.error(404);
    }
}

async fn names(client: &Client, path: &str, unique: &str) -> Vec<String> {
    let list = client.get(path).await.ok();
    list.as_array()
        .into_iter()
        .flatten()
        .map(|entry| entry[unique].as_str().unwrap_or_default().to_owned())
        .collect()
}

// proves H5, H8, H16, H20, L4, L5, L6, F2
#[tokio::test]
async fn wrong_fields_are_named() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    for (path, unique, body, wrong) in collections() {
        let made = admin.post(path, body.clone()).await.created();
        for (field, value) in wrong.into_iter().chain([
            (unique, json!("  ")),
            (unique, json!("x".repeat(256))),
            (unique, Value::Null),
        ]) {
            let mut bad = body.clone();
            bad[unique] = json!("Another");
            bad[field] = value.clone();
            admin.post(path, bad).await.invalid(&[field]);
            admin
                .patch(&format!("{path}{}/", id(&made)), json!({ field: value }))
                .await
                .invalid(&[field]);
        }
        admin
            .post(path, json!({ "virtual": false }))
            .await
            .error(400);
        for wrong in ["0", "x", "-1", "9007199254740993"] {
            campus
                .anonymous()
                .get(&format!("{path}{wrong}/"))
                .await
                .error(404);
        }
    }
}

// proves H8, L2
#[tokio::test]
async fn names_are_unique_whatever_their_case_and_diacritics() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    for (path, unique, mut body, _) in collections() {
        body[unique] = json!("Café");
        let first = admin.post(path, body.clone()).await.created();
        body[unique] = json!("CAFE");
        admin.post(path, body.clone()).await.invalid(&[unique]);
        body[unique] = json!("Tea");
        let second = admin.post(path, body.clone()).await.created();
        let second = format!("{path}{}/", id(&second));
        admin
            .patch(&second, json!({ unique: "cafe" }))
            .await
            .invalid(&[unique]);
        // An entry may take its own name in another spelling. A name that was given up is free.
        let first = format!("{path}{}/", id(&first));
        admin.patch(&first, json!({ unique: "CAFÉ" })).await.ok();
        admin.patch(&first, json!({ unique: "Coffee" })).await.ok();
        admin.patch(&second, json!({ unique: "Cafe" })).await.ok();
        admin.delete(&second).await.no_content();
        body[unique] = json!("café");
        admin.post(path, body).await.created();
    }
}

// If no item held the name, all of them would be stored.
// proves L2
#[tokio::test(start_paused = true)]
async fn concurrent_admins_get_one_name() {
    let campus = Setup::default().latency(5).build();
    let admin = campus.admin();
    let made = futures::future::join_all(
        (0..8).map(|_| admin.post("/api/tags/", json!({ "name": "Games" }))),
    )
    .await;
    assert_eq!(
        made.iter()
            .filter(|response| response.status == 201)
            .count(),
        1
    );
    assert_eq!(
        made.iter()
            .filter(|response| response.status == 400)
            .count(),
        7
    );
    assert_eq!(
        names(&campus.anonymous(), "/api/tags/", "name").await,
        ["Games"]
    );
}

// proves L5
#[tokio::test]
async fn badges_are_filtered_by_purpose() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    for (label, purpose) in [("A", "Merit"), ("B", "fair"), ("C", "merit")] {
        admin
            .post(
                "/api/badges/",
                json!({ "label": label, "purpose": purpose }),
            )
            .await
            .created();
    }
    assert_eq!(
        names(&admin, "/api/badges/?purpose=merit", "label").await,
        ["A", "C"]
    );
    assert_eq!(
        names(&admin, "/api/badges/?purpose=", "label").await,
        ["A", "B", "C"]
    );
    assert_eq!(
        names(&admin, "/api/badges/?purpose=other", "label").await,
        [""; 0]
    );
}

// proves H28, H30, L8
#[tokio::test]
async fn unchanged_reference_data_is_304_everywhere() {
    let campus = TestCampus::new();
    let admin = campus.admin();
    for (path, unique, body, _) in collections() {
        let made = admin.post(path, body).await.created();
        let one = format!("{path}{}/", id(&made));
        let tags = [
            campus.anonymous().get(path).await,
            campus.anonymous().get(&one).await,
        ]
        .map(|response| response.header("etag").to_owned());
        // A second service without anything in memory.
        let other = campus.another();
        let again = other
            .anonymous()
            .header("if-none-match", &tags[0])
            .get(path)
            .await;
        assert_eq!(
            (again.status.as_u16(), again.header("etag")),
            (304, tags[0].as_str()),
            "{path}"
        );
        assert!(again.bytes.is_empty() && again.header("cache-control").contains("no-cache"));
        assert_eq!(
            other
                .anonymous()
                .header("if-none-match", &tags[1])
                .get(&one)
                .await
                .status,
            304
        );
        admin.patch(&one, json!({ unique: "Changed" })).await.ok();
        for (tag, path) in tags.iter().zip([path, one.as_str()]) {
            let response = campus
                .anonymous()
                .header("if-none-match", tag)
                .get(path)
                .await;
            assert!(
                response.header("etag") != tag && response.text().contains("Changed"),
                "{path}"
            );
            response.ok();
        }
    }
}
