//! `/clubs/{club}/members/…`: how members are listed and found, and what a hidden one shows.

use serde_json::{Value, json};
use shared::ids::Id;
use tests::TestCampus;
use tests::fixtures::id;

use crate::members::{MIA, staffed};

// proves M2, M3
#[tokio::test]
async fn private_members_are_anonymous_to_others() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let hidden = campus.client(
        &json!({ "email": "secret@uni.example", "name": "Secret Name" }),
        "secretuser",
    );
    let person = id(&hidden.get("/api/settings/").await.ok());
    hidden
        .patch(
            "/api/settings/",
            json!({ "image_url": "https://img.example/secret.png" }),
        )
        .await
        .ok();
    ada.post(
        "/api/clubs/chess/members/",
        json!({ "person": person, "public": false }),
    )
    .await
    .created();
    let list = "/api/clubs/chess/members/";
    let bob = campus.as_("bob");
    let text = bob.get(list).await.text();
    assert!(
        text.contains("Anonymous")
            && !text.to_lowercase().contains("secret")
            && !text.contains(&person.to_string()),
        "{text}"
    );
    assert!(!text.contains("@uni.example"), "addresses are for officers");
    bob.get("/api/clubs/chess/members/secretuser/")
        .await
        .error(404);
    let hidden_id = id(&ada.get("/api/clubs/chess/members/secretuser/").await.ok());
    assert!(!text.contains(&hidden_id.to_string()), "{text}");
    bob.get(&format!("/api/clubs/chess/members/{hidden_id}/"))
        .await
        .error(404);
    let officers = ada.get(list).await.ok();
    assert_eq!(
        (
            &officers[1]["name"],
            &officers[1]["username"],
            &officers[1]["image"]
        ),
        (&json!("Anonymous"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&officers[1]["person"], &officers[1]["email"]),
        (&json!(person), &json!("secret@uni.example"))
    );
    let own = hidden
        .get("/api/clubs/chess/members/secretuser/")
        .await
        .ok();
    assert_eq!(
        (&own["name"], &own["email"], &own["image"]),
        (
            &json!("Secret Name"),
            &Value::Null,
            &json!("https://img.example/secret.png")
        )
    );
}

// proves H24
#[tokio::test]
async fn the_member_list_comes_in_slices_too() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for n in 0..4 {
        campus.member("chess", &ada, &format!("m{n}"), 20).await;
    }
    let whole = ada.get("/api/clubs/chess/members/").await.ok();
    let first = ada.get("/api/clubs/chess/members/?limit=3").await;
    let link = first
        .header("link")
        .trim_start_matches('<')
        .split('>')
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut all = first.ok().as_array().cloned().unwrap_or_default();
    assert_eq!(all.len(), 3);
    let rest = ada.get(&link).await;
    assert_eq!(rest.header("link"), "");
    all.extend(rest.ok().as_array().cloned().unwrap_or_default());
    assert_eq!(Value::Array(all), whole);
}

// proves H4, P10, M10
#[tokio::test]
async fn member_is_found_by_numeric_name_in_their_club_only() {
    let (campus, [ada, ..]) = staffed().await;
    campus.member("chess", &ada, "4711", 20).await;
    for name in ["Sam", "sam"] {
        campus.member("chess", &ada, name, 20).await;
    }
    for name in ["Sam", "sam"] {
        assert_eq!(
            ada.get(&format!("/api/clubs/chess/members/{name}/"))
                .await
                .ok()["username"],
            name
        );
    }
    ada.get("/api/clubs/chess/members/SAM/").await.error(404);
    assert_eq!(
        ada.get("/api/clubs/chess/members/MIA/").await.ok()["username"],
        "mia"
    );
    assert_eq!(
        ada.get("/api/clubs/chess/members/4711/").await.ok()["username"],
        "4711"
    );
    let mia = id(&ada.get(MIA).await.ok());
    campus.club("go", &ada).await;
    ada.get(&format!("/api/clubs/go/members/{mia}/"))
        .await
        .error(404);
    ada.get("/api/clubs/go/members/mia/").await.error(404);
    ada.patch(
        &format!("/api/clubs/go/members/{mia}/"),
        json!({ "title": "x" }),
    )
    .await
    .error(404);
    ada.get(&format!("/api/clubs/chess/members/{}/", "x".repeat(3_000)))
        .await
        .error(404);
}

// proves H24, H25
#[tokio::test]
async fn five_thousand_members_are_one_query() {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    let model = campus
        .campus
        .app
        .table
        .members(&tests::fixtures::code("chess"))
        .await
        .expect("a table")
        .pop()
        .expect("a member");
    let copy = |n: u64| shared::domain::Membership {
        id: Id::new(n),
        person: Id::new(n),
        role: shared::domain::Role::Member,
        public: !n.is_multiple_of(5),
        ..model.clone()
    };
    campus
        .campus
        .app
        .table
        .load(&(1..5_000).map(copy).collect::<Vec<_>>())
        .await
        .expect("a table");
    let list = "/api/clubs/chess/members/";
    let response = ada.get(list).await;
    let size = response.bytes.len();
    // One call reads the club, one the role. The others read the pages of one query, 1 MB each.
    assert!(response.usage.calls <= 5, "{:?}", response.usage);
    assert_eq!(response.ok().as_array().map(Vec::len), Some(5_000));
    let compressed = ada
        .clone()
        .header("accept-encoding", "gzip")
        .get(list)
        .await;
    assert_eq!(compressed.header("content-encoding"), "gzip");
    assert!(
        compressed.bytes.len() * 10 < size,
        "{} of {size}",
        compressed.bytes.len()
    );
    let (mut path, mut seen, mut slices) = (
        format!("{list}?limit=1500"),
        std::collections::HashSet::new(),
        0,
    );
    while !path.is_empty() {
        let response = ada.get(&path).await;
        path = response
            .header("link")
            .trim_start_matches('<')
            .split('>')
            .next()
            .unwrap_or_default()
            .to_owned();
        seen.extend(response.ok().as_array().into_iter().flatten().map(id));
        slices += 1;
    }
    assert_eq!((seen.len(), slices), (5_000, 4));
}
