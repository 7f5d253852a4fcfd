//! Prices of look-ups, favorites, subscriptions, and lists with many events.

use http::Method;
use serde_json::{Value, json};
use tests::Client;
use tests::fixtures::{hours, id};

use super::costs::Prices;

/// The operations of each collection: list, create, show, update, replace, delete.
const OPERATIONS: [[&str; 6]; 6] = [
    [
        "list_tags",
        "create_tag",
        "show_tag",
        "update_tag",
        "replace_tag",
        "delete_tag",
    ],
    [
        "list_badges",
        "create_badge",
        "show_badge",
        "update_badge",
        "replace_badge",
        "delete_badge",
    ],
    [
        "list_schools",
        "create_school",
        "show_school",
        "update_school",
        "replace_school",
        "delete_school",
    ],
    [
        "list_majors",
        "create_major",
        "show_major",
        "update_major",
        "replace_major",
        "delete_major",
    ],
    [
        "list_years",
        "create_year",
        "show_year",
        "update_year",
        "replace_year",
        "delete_year",
    ],
    [
        "list_fairs",
        "create_fair",
        "show_fair",
        "update_fair",
        "replace_fair",
        "delete_fair",
    ],
];

const ALL_TIMES: &str = "/api/events/?earliest_start_time=2000-01-01T00:00:00Z";

impl Prices {
    /// The collections that admins keep: tags, badges, schools, majors, years, fairs.
    #[expect(clippy::too_many_lines, reason = "a table: one row an operation")]
    pub(super) async fn collections(&mut self, owner: &Client) {
        let (admin, anybody) = (self.campus.admin(), self.campus.anonymous());
        admin.get("/api/settings/").await.ok();
        let (get, post, put, patch, delete) = (
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        );
        let fair = json!({
            "name": "Fair",
            "organization": "",
            "contact": "",
            "information": "",
            "start_time": hours(1),
            "end_time": hours(2),
            "registration_start_time": null,
            "registration_end_time": null,
            "virtual": false,
        });
        let badge = json!({ "label": "Gold", "purpose": "", "description": "", "color": "" });
        for (operations, path, unique, body) in [
            (
                OPERATIONS[0],
                "/api/tags/",
                "name",
                json!({ "name": "Games" }),
            ),
            (OPERATIONS[1], "/api/badges/", "label", badge),
            (
                OPERATIONS[2],
                "/api/schools/",
                "name",
                json!({ "name": "Law", "is_graduate": true }),
            ),
            (
                OPERATIONS[3],
                "/api/majors/",
                "name",
                json!({ "name": "Physics" }),
            ),
            (
                OPERATIONS[4],
                "/api/years/",
                "name",
                json!({ "name": "Senior", "year": 2027 }),
            ),
            (OPERATIONS[5], "/api/clubfairs/", "name", fair),
        ] {
            let [list, create, show, update, replace, remove] = operations;
            let mut body = self.row(create, "", &admin, post.clone(), path, body).await;
            let one = format!("{path}{}/", id(&body));
            self.row(
                list,
                "not in memory",
                &anybody,
                get.clone(),
                path,
                Value::Null,
            )
            .await;
            self.row(list, "", &anybody, get.clone(), path, Value::Null)
                .await;
            self.row(show, "", &anybody, get.clone(), &one, Value::Null)
                .await;
            self.row(
                update,
                "",
                &admin,
                patch.clone(),
                &one,
                json!({ unique: "Other" }),
            )
            .await;
            body[unique] = json!("Another");
            self.row(replace, "", &admin, put.clone(), &one, body).await;
            if path == "/api/clubfairs/" {
                self.one_fair(owner, &one).await;
            }
            self.row(remove, "", &admin, delete.clone(), &one, Value::Null)
                .await;
        }
    }

    /// What only fairs have.
    async fn one_fair(&mut self, owner: &Client, one: &str) {
        let anybody = self.campus.anonymous();
        self.row(
            "list_current_fairs",
            "",
            &anybody,
            Method::GET,
            "/api/clubfairs/current/",
            Value::Null,
        )
        .await;
        let register = format!("{one}register/");
        self.row(
            "register_club",
            "",
            owner,
            Method::POST,
            &register,
            json!({ "club": "go" }),
        )
        .await;
        let fair = format!(
            "/api/events/?fair={}",
            one.trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default()
        );
        self.row(
            "list_events",
            "of a fair, not in memory",
            &anybody,
            Method::GET,
            &fair,
            Value::Null,
        )
        .await;
        self.row(
            "register_club",
            "no longer",
            owner,
            Method::POST,
            &register,
            json!({ "club": "go", "status": false }),
        )
        .await;
    }

    pub(super) async fn bookmarks(&mut self, client: &Client) {
        let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
        for ([list, create, show, remove], path) in [
            (
                [
                    "list_favorites",
                    "create_favorite",
                    "show_favorite",
                    "delete_favorite",
                ],
                "/api/favorites/",
            ),
            (
                [
                    "list_subscriptions",
                    "create_subscription",
                    "show_subscription",
                    "delete_subscription",
                ],
                "/api/subscriptions/",
            ),
        ] {
            self.row(
                create,
                "",
                client,
                post.clone(),
                path,
                json!({ "club": "go" }),
            )
            .await;
            client.get("/api/clubs/").await.ok();
            self.row(list, "1", client, get.clone(), path, Value::Null)
                .await;
            let one = format!("{path}go/");
            self.row(show, "", client, get.clone(), &one, Value::Null)
                .await;
            if path == "/api/subscriptions/" {
                self.row(
                    "list_subscribers",
                    "1",
                    client,
                    get.clone(),
                    "/api/clubs/go/subscription/",
                    Value::Null,
                )
                .await;
            }
            self.row(remove, "", client, delete.clone(), &one, Value::Null)
                .await;
        }
    }

    /// Lists with many events. A tenth of them is in the future; the others ended within the last
    /// 23 months.
    pub(super) async fn events(&mut self, client: &Client) {
        let sizes = [
            (
                0,
                200,
                "200 events, not in memory",
                "200 events",
                "200 events, all times",
            ),
            (
                200,
                2_000,
                "2,000 events, not in memory",
                "2,000 events",
                "2,000 events, all times",
            ),
        ];
        for (there, n, cold, warm, all) in sizes {
            self.campus
                .campus
                .app
                .table
                .load_listings(&(there..n).map(tests::fixtures::event).collect::<Vec<_>>())
                .await
                .expect("a table");
            for (note, path) in [
                (cold, "/api/events/"),
                (warm, "/api/events/"),
                (all, ALL_TIMES),
            ] {
                let found = self
                    .row("list_events", note, client, Method::GET, path, Value::Null)
                    .await;
                assert_eq!(
                    found["count"],
                    if path == ALL_TIMES { n } else { n / 10 },
                    "{note}"
                );
            }
        }
    }
}
