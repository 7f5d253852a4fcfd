//! What is checked after a story: tables, logs and what the gateway answers by itself.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};
use shared::time::{Clock as _, SystemClock};
use tests::images;

use crate::caller::Caller;
use crate::services::{credential, post};
use crate::{Cloud, Error};

/// Texts that no log may contain.
const SECRETS: [&str; 6] = [
    "Quastenflosse",
    "zerlina",
    "aardvark",
    "too shy",
    "clubs.uni.example/invite",
    "Bearer ",
];

/// Checks what the gateway does with requests.
pub(crate) async fn gateway(nobody: &Caller, ada: &Caller) {
    for path in [
        "/api/clubs",
        "/api/clubs/",
        "/api/clubs/?search=caf%C3%A9%20%26%20co&tags=1&tags=2",
    ] {
        assert_eq!(nobody.get(path).await.ok()["count"], 0, "{path}");
    }
    assert_eq!(
        nobody.get("/api/clubs/no%20such%20club/").await.error(404),
        "Not found."
    );
    assert_eq!(nobody.get("/nothing").await.error(404), "Not found.");
    assert_eq!(
        nobody
            .send(Method::DELETE, "/api/clubs/", Value::Null)
            .await
            .status,
        405
    );
    let refused = nobody.get("/api/settings/").await;
    assert!(
        !refused
            .header("x-amzn-remapped-www-authenticate")
            .is_empty()
    );
    refused.error(401);
    let long = "x".repeat(11 * 1024 * 1024);
    assert_eq!(
        ada.post("/api/clubs/", json!({ "name": long }))
            .await
            .error(413),
        "The request body is too large."
    );
    let page = nobody
        .header("accept-encoding", "gzip")
        .get("/api/openapi.json")
        .await;
    assert_eq!(page.header("content-encoding"), "gzip");
    assert!(
        page.bytes.starts_with(&[0x1f, 0x8b]) && page.bytes.len() < 200_000,
        "compressed once"
    );
    assert!(
        nobody
            .get("/api/docs")
            .await
            .text()
            .contains("<base href=\"/dev/api/docs/\">")
    );
}

pub(crate) async fn logo(cloud: &Cloud, ada: &Caller) -> Result<(), Error> {
    let found = ada.get("/api/clubs/?search=lodz").await.ok();
    assert_eq!(found["results"][0]["code"], "lodz-go", "{found}");
    let (content_type, body) = images::form(&[("file", &images::png(700, 500))]);
    let club = ada
        .0
        .raw(
            Method::POST,
            "/dev/api/clubs/lodz-go/upload/",
            Some(&content_type),
            body,
        )
        .await
        .ok();
    let file = club["image_url"]
        .as_str()
        .and_then(|url| url.rsplit('/').next())
        .ok_or("no logo")?
        .to_owned();
    let bucket = &cloud.functions["Clubs"].function.variables["MEDIA_BUCKET"];
    let (kind, size) = cloud
        .services
        .image(bucket, &format!("media/{file}"))
        .await?;
    assert!(kind.starts_with("image/") && size > 100, "{kind}, {size} B");
    Ok(())
}

/// Checks the rights, the logs and the table at the end.
pub(crate) async fn sound(cloud: &Cloud, secrets: &[&str]) -> Result<(), Error> {
    assert_eq!(cloud.services.denied(), Vec::<String>::new());
    let mut all = String::new();
    for name in cloud.functions.keys() {
        let log =
            std::fs::read_to_string(cloud.logs.join(format!("{name}.log"))).unwrap_or_default();
        for secret in SECRETS.iter().chain(secrets) {
            let line = log.lines().find(|line| line.contains(secret));
            assert!(line.is_none(), "the log of {name} tells {secret}: {line:?}");
        }
        all.push_str(&log);
    }
    for part in [
        "\"route\":\"/api/clubs/{club}/applications/{application}/submissions/\"",
        "\"message\":\"mail\"",
        "\"message\":\"report\"",
        "\"write_units\"",
    ] {
        assert!(all.contains(part), "the logs do not tell {part}");
    }
    check_metrics(&all, cloud.is_mixed);
    assert_eq!(check_table(cloud).await?, Vec::<String>::new());
    println!(
        "          table {}, all sound",
        cloud
            .template
            .resolved(&json!({ "!Ref": "Table" }))
            .unwrap_or_default()
    );
    Ok(())
}

/// Checks that each metric of a log line is a number in it, and each dimension a text (O17). With
/// two releases, one of them may write fewer.
fn check_metrics(logs: &str, is_mixed: bool) {
    let mut seen = BTreeSet::new();
    let lines = logs.lines().filter(|line| line.contains("\"_aws\""));
    for line in lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let directive = &line["_aws"]["CloudWatchMetrics"][0];
        for metric in directive["Metrics"].as_array().into_iter().flatten() {
            let name = metric["Name"].as_str().unwrap_or_default();
            assert!(line[name].is_number(), "{name} in {line}");
            seen.insert(name.to_owned());
        }
        let sets = directive["Dimensions"].as_array().into_iter().flatten();
        for name in sets.flat_map(|set| set.as_array().into_iter().flatten()) {
            let value = line[name.as_str().unwrap_or_default()].as_str();
            assert!(
                value.is_some_and(|value| !value.is_empty()),
                "{name} in {line}"
            );
        }
    }
    let seen: Vec<&str> = seen.iter().map(String::as_str).collect();
    let all = [
        "behind_ms",
        "mails",
        "mails_queued",
        "ms",
        "read_units",
        "write_units",
    ];
    assert!(is_mixed || seen == all, "{seen:?}");
}

/// The findings of `clubs-admin check`.
pub(crate) async fn check_table(cloud: &Cloud) -> Result<Vec<String>, Error> {
    Ok(admin::check(&stored(cloud).await?, SystemClock.now()))
}

/// All items of the table.
pub(crate) async fn stored(cloud: &Cloud) -> Result<Vec<Value>, Error> {
    let name = &cloud.functions["Clubs"].function.variables["TABLE_NAME"];
    let (mut items, mut from) = (Vec::new(), Value::Null);
    loop {
        let mut scan = json!({ "TableName": name, "ConsistentRead": true });
        if !from.is_null() {
            scan["ExclusiveStartKey"] = from;
        }
        let page = post(
            &cloud.services.table,
            "DynamoDB_20120810.Scan",
            &credential("operator", "dynamodb"),
            &scan,
        )
        .await?;
        items.extend(page["Items"].as_array().cloned().unwrap_or_default());
        from = page["LastEvaluatedKey"].clone();
        if from.is_null() {
            break;
        }
    }
    Ok(items)
}
