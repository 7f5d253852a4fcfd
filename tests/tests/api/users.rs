//! `/users/`

use chrono::TimeDelta;
use serde_json::{Value, json};
use tests::{Client, TestCampus};

/// A campus with people to search for, and Ada, an officer.
async fn campus() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    campus.club("chess", &ada).await;
    for (username, name) in [
        ("zoe", "Zoë Anne-Marie O'Hara"),
        ("zorro", "Diego de la Vega"),
        ("big", "Großmann, Anna"),
        ("li", "李雷"),
    ] {
        campus
            .client(
                &json!({ "email": format!("{username}@mail.example"), "name": name }),
                username,
            )
            .get("/api/settings/")
            .await
            .ok();
    }
    (campus, ada)
}

async fn found(client: &Client, search: &str) -> Vec<String> {
    let query: String = url::form_urlencoded::byte_serialize(search.as_bytes()).collect();
    let response = client
        .get(&format!("/api/users/?search={query}"))
        .await
        .ok();
    response
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|user| user["username"].as_str().map(str::to_owned))
        .collect()
}

// proves P12
#[tokio::test]
async fn people_are_found_by_word_beginnings_without_case_and_accents() {
    let (_campus, ada) = campus().await;
    for (search, expected) in [
        ("zo", vec!["zorro", "zoe"]),
        ("ZOE", vec!["zoe"]),
        ("zoë ann", vec!["zoe"]),
        ("marie zo", vec!["zoe"]),
        ("hara", vec!["zoe"]),
        ("o'h", vec!["zoe"]),
        ("ara", vec![]),
        ("grossm", vec!["big"]),
        ("vega d", vec!["zorro"]),
        ("d vega", vec!["zorro"]),
        ("vega x", vec![]),
        ("李雷", vec!["li"]),
        ("zoe@mail.example", vec!["zoe"]),
        ("ZOE@mail.example", vec!["zoe"]),
        ("zoe@mail.exampl", vec![]),
        ("%", vec![]),
    ] {
        if search.chars().count() < 2 {
            ada.get("/api/users/?search=%25").await.invalid(&["search"]);
        } else {
            assert_eq!(found(&ada, search).await, expected, "{search}");
        }
    }
    for query in [
        "",
        "?search=",
        "?search=a",
        "?search=a+b+c",
        "?search=%C3%AB",
    ] {
        ada.get(&format!("/api/users/{query}"))
            .await
            .invalid(&["search"]);
    }
    found(&ada, &"x".repeat(5_000)).await;
}

// proves P11
#[tokio::test]
async fn addresses_show_to_admins_and_to_who_knows_them() {
    let (campus, ada) = campus().await;
    let zoe = &ada.get("/api/users/?search=zoe").await.ok()[0];
    assert_eq!(
        (&zoe["email"], &zoe["name"], zoe["id"].is_u64()),
        (&Value::Null, &json!("Zoë Anne-Marie O'Hara"), true)
    );
    assert_eq!(
        ada.get("/api/users/?search=zoe@mail.example").await.ok()[0]["email"],
        "zoe@mail.example"
    );
    assert_eq!(
        campus.admin().get("/api/users/?search=zoe").await.ok()[0]["email"],
        "zoe@mail.example"
    );
}

// proves P11
#[tokio::test]
async fn only_officers_of_clubs_that_are_there_search() {
    let (campus, ada) = campus().await;
    campus
        .as_("sue")
        .get("/api/users/?search=zo")
        .await
        .error(403);
    campus
        .member("chess", &ada, "mia", 20)
        .await
        .get("/api/users/?search=zo")
        .await
        .error(403);
    let olga = campus.member("chess", &ada, "olga", 10).await;
    olga.get("/api/users/?search=zo").await.ok();
    ada.delete("/api/clubs/chess/").await.no_content();
    olga.get("/api/users/?search=zo").await.error(403);
}

// proves P12
#[tokio::test]
async fn renamed_person_is_found_by_the_new_name() {
    let (campus, ada) = campus().await;
    campus.advance(TimeDelta::hours(1));
    let renamed = campus.client(
        &json!({ "email": "vega@mail.example", "name": "Diego Zamora" }),
        "fox",
    );
    renamed.get("/api/settings/").await.ok();
    assert_eq!(found(&ada, "fox").await, ["fox"], "another person");
    let same = campus.client(
        &json!({ "email": "new@mail.example", "name": "Isabel Vega" }),
        "zorro",
    );
    same.get("/api/settings/").await.ok();
    assert_eq!(
        (found(&ada, "diego").await, found(&ada, "isabel").await),
        (vec!["fox".to_owned()], vec!["zorro".to_owned()])
    );
    assert_eq!(
        (
            found(&ada, "zorro@mail.example").await.len(),
            found(&ada, "new@mail.example").await
        ),
        (0, vec!["zorro".to_owned()])
    );
}

// proves P12
#[tokio::test]
async fn twenty_at_most_and_a_bounded_price() {
    let (campus, ada) = campus().await;
    for n in 0..60 {
        campus
            .client(
                &json!({ "name": format!("Sam Same{n:02}") }),
                &format!("sam{n:02}"),
            )
            .get("/api/settings/")
            .await
            .ok();
    }
    let response = ada.get("/api/users/?search=sam").await;
    assert!(response.usage.calls <= 4, "{:?}", response.usage);
    assert_eq!(response.ok().as_array().map(Vec::len), Some(20));
    assert_eq!(found(&ada, "sam same42").await, ["sam42"]);
}

// proves H27, P12
#[tokio::test]
async fn umlauts_are_found_in_both_spellings() {
    let (campus, ada) = campus().await;
    for (username, name) in [
        ("one", "Jörg Müller"),
        ("two", "Joerg Mueller"),
        ("three", "Jorg Muller"),
    ] {
        let claims = json!({ "name": name });
        campus
            .client(&claims, username)
            .get("/api/settings/")
            .await
            .ok();
    }
    for (search, expected) in [
        ("müller", vec!["one", "three", "two"]),
        ("Mueller", vec!["one", "two"]),
        ("muller", vec!["one", "three"]),
        ("jörg muel", vec!["one", "two"]),
    ] {
        let mut found = found(&ada, search).await;
        found.sort_unstable();
        assert_eq!(found, expected, "{search}");
    }
    ada.patch("/api/clubs/chess/", json!({ "name": "Schützen München" }))
        .await
        .ok();
    for search in ["schuetzen muenchen", "schutzen", "SCHÜTZEN"] {
        let query: String = url::form_urlencoded::byte_serialize(search.as_bytes()).collect();
        let list = ada.get(&format!("/api/clubs/?search={query}")).await.ok();
        assert_eq!(list["count"], 1, "{search}");
    }
}

// proves H20, I1
#[tokio::test]
async fn addresses_have_domains_in_any_letters() {
    let (campus, ada) = campus().await;
    let path = "/api/clubs/chess/invites/";
    let invite = |email: &str| json!({ "email": email });
    let sent = ada.post(path, invite("Eva@xn--mnchen-3ya.example")).await;
    let sent = sent.created();
    assert_eq!(sent["email"], "eva@münchen.example");
    let again = ada.post(path, invite("eva@MÜNCHEN.example")).await;
    again.invalid(&["email"]);
    campus.deliver().await;
    let to: Vec<Value> = campus.mails().iter().map(|mail| json!(mail.to)).collect();
    assert!(
        json!(to).to_string().contains("eva@xn--mnchen-3ya.example"),
        "{to:?}"
    );
    let eva = campus.client(&json!({ "email": "eva@xn--mnchen-3ya.example" }), "eva");
    assert_eq!(
        eva.get("/api/settings/").await.ok()["email"],
        "eva@münchen.example"
    );
    assert_eq!(found(&ada, "eva@münchen.example").await, ["eva"]);
    assert_eq!(
        eva.get("/api/home/").await.ok()["invites"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    ada.post(path, invite("ädä@uni.example"))
        .await
        .invalid(&["email"]);
}
