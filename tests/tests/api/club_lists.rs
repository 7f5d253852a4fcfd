//! `/clubs/`: the search, the orders and the pages of the list

use serde_json::{Value, json};
use tests::{Client, TestCampus};

/// Three clubs, one of which is not active. Returns their owner, too.
async fn clubs() -> (TestCampus, Client) {
    let campus = TestCampus::new();
    let ada = campus.as_("ada");
    for (name, active) in [("Zebra", true), ("Émile", true), ("apple", false)] {
        ada.post(
            "/api/clubs/",
            json!({
                "name": name,
                "active": active,
                "subtitle": format!("the {name}"),
                "description": "<p>words</p>",
            }),
        )
        .await
        .created();
    }
    (campus, ada)
}

/// The names of the clubs that a query lists.
async fn names(ada: &Client, query: &str) -> Vec<String> {
    let page = ada.get(&format!("/api/clubs/{query}")).await.ok();
    page["results"]
        .as_array()
        .map(|all| {
            all.iter()
                .map(|club| club["name"].as_str().unwrap_or_default().to_owned())
                .collect()
        })
        .unwrap_or_default()
}

// proves H27, C10
#[tokio::test]
async fn search_ignores_markup() {
    let (_campus, ada) = clubs().await;
    assert_eq!(names(&ada, "?search=EMILE+the").await, ["Émile"]);
    let described = "<p><a href=\"https://x.example\">link</a> needle &amp; thread</p>";
    ada.patch("/api/clubs/apple/", json!({ "description": described }))
        .await
        .ok();
    assert_eq!(names(&ada, "?search=needle+%26").await, ["apple"]);
    for unseen in ["noopener", "x.example", "href"] {
        assert_eq!(
            names(&ada, &format!("?search={unseen}")).await,
            Vec::<String>::new(),
            "the text, not its mark-up"
        );
    }
}

// proves H26, C12, C13
#[tokio::test]
async fn the_list_is_ordered_and_filtered_by_activity() {
    let (_campus, ada) = clubs().await;
    assert_eq!(
        names(&ada, "?ordering=alphabetical").await,
        ["apple", "Émile", "Zebra"]
    );
    assert_eq!(
        names(&ada, "?ordering=-alphabetical").await,
        ["Zebra", "Émile", "apple"]
    );
    assert_eq!(names(&ada, "?active=false").await, ["apple"]);
    assert_eq!(names(&ada, "?ordering=featured").await.len(), 3);
    ada.get("/api/clubs/?ordering=random")
        .await
        .invalid(&["ordering"]);
    ada.get("/api/clubs/?active=perhaps")
        .await
        .invalid(&["active"]);
}

// proves H22, H23, H26
#[tokio::test]
async fn the_list_comes_in_pages() {
    let (_campus, ada) = clubs().await;
    ada.get("/api/clubs/?page_size=0")
        .await
        .invalid(&["page_size"]);
    for page in ["0", "3", "x", "-1"] {
        assert_eq!(
            ada.get(&format!("/api/clubs/?page_size=2&page={page}"))
                .await
                .error(404),
            "Invalid page."
        );
    }
    let first = ada
        .get("/api/clubs/?page_size=2&ordering=alphabetical")
        .await
        .ok();
    assert_eq!(
        (&first["count"], &first["previous"]),
        (&json!(3), &Value::Null)
    );
    let next = "http://clubs.example/api/clubs/?ordering=alphabetical&page_size=2&page=2";
    assert_eq!(first["next"], next);
    let second = ada
        .get(
            next.strip_prefix("http://clubs.example")
                .unwrap_or_default(),
        )
        .await
        .ok();
    assert_eq!(
        (&second["next"], second["results"].as_array().map(Vec::len)),
        (&Value::Null, Some(1))
    );
    assert_eq!(
        ada.get("/api/clubs/?search=nothing").await.ok(),
        json!({ "count": 0, "next": null, "previous": null, "results": [] })
    );
}
