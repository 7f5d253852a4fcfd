//! template.yaml agrees with the code: settings, table, rights and alarms.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::settings::{Settings, VARIABLES};
use tests::template::{Function, SamTemplate};

/// Deployments that together use every condition of the template.
pub(crate) fn deployments() -> Vec<SamTemplate> {
    let own = [
        ("Issuer", "https://id.uni.example"),
        ("Audience", "clubs"),
        ("InviteSecret", "0123456789abcdef0123456789abcdef"),
        ("ReceiptSecret", "abcdef0123456789abcdef0123456789"),
    ];
    let mail = [
        ("MailFrom", "Clubs <clubs@uni.example>"),
        ("CreateMailIdentity", "yes"),
        ("MailSandbox", "yes"),
        ("SiteUrl", "https://clubs.uni.example"),
    ];
    let edge = [
        ("DomainName", "api.uni.example"),
        ("CertificateArn", "arn:aws:acm:x"),
        ("HostedZoneId", "Z1"),
        ("Waf", "yes"),
        ("CorsOrigins", "https://a,https://b"),
    ];
    let rest = [
        ("Stage", "prod"),
        ("AccessLogs", "yes"),
        ("AlarmEmail", "it@uni.example"),
        ("MediaUrl", "https://media.uni.example"),
        ("RestoredTable", "back"),
        ("RestoredStream", "arn:aws:dynamodb:stream"),
    ];
    let all: Vec<_> = own
        .iter()
        .chain(&mail)
        .chain(&edge)
        .chain(&rest)
        .copied()
        .collect();
    let emulated = [("EndpointUrl", "http://host.docker.internal:8001")];
    vec![
        SamTemplate::load("clubs", &[]),
        SamTemplate::load("clubs", &own),
        SamTemplate::load("clubs", &all),
        SamTemplate::load("clubs", &emulated),
    ]
}

pub(crate) fn template() -> SamTemplate {
    SamTemplate::load("clubs", &[])
}

/// Checks that a function has every setting that is known, and starts with them.
fn starts(template: &SamTemplate, name: &str, function: &Function, existing: &BTreeSet<&str>) {
    let set: BTreeSet<&str> = function
        .variables
        .keys()
        .map(String::as_str)
        .filter(|name| *name != "AWS_ENDPOINT_URL")
        // The allocator reads these (decision 4).
        .filter(|name| !name.starts_with("MALLOC_"))
        .collect();
    let own: BTreeSet<&str> = set.difference(existing).copied().collect();
    let of_site = [
        "SITE_CLIENT_ID",
        "SITE_CONNECT",
        "SITE_FILES",
        "SITE_SCOPES",
        "SITE_SECOND_FACTOR",
        "SITE_TOKEN",
        "UNIVERSITY",
    ];
    let expected = if name == "Site" { &of_site[..] } else { &[] };
    assert!(
        own.iter().eq(expected) && existing.is_subset(&set),
        "{name}: {own:?}"
    );
    assert_eq!(
        function.variables.contains_key("AWS_ENDPOINT_URL"),
        template.holds("IsEmulated"),
        "{name}"
    );
    // CloudFormation replaces this reference by the secret.
    let secret = |value: &String| {
        if value.starts_with("{{resolve:secretsmanager:") {
            "x".repeat(48)
        } else {
            value.clone()
        }
    };
    // The site needs no secret.
    if name == "Site" {
        assert_eq!(function.variables["INVITE_SECRET"], "");
        assert_eq!(function.variables["RECEIPT_SECRET"], "");
        assert!(!function.variables["SITE_CLIENT_ID"].is_empty());
        return;
    }
    let settings = Settings::read(|variable| function.variables.get(variable).map(secret))
        .expect("good settings");
    assert!(
        !settings.media.url.is_empty() && settings.tokens.issuer.starts_with("https://")
            || template.holds("MakeUserPool"),
        "{name}"
    );
    let size: usize = function
        .variables
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    assert!(
        size < 3_500,
        "Lambda allows 4 KB of environment, {name} has {size} B"
    );
}

// proves O2
#[test]
fn deployments_resolve_and_functions_start() {
    let existing: BTreeSet<&str> = VARIABLES
        .into_iter()
        .chain(["AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH", "RUST_LOG"])
        .collect();
    for template in deployments() {
        assert!(template.resources().len() > 40);
        for output in template.section("Outputs").values() {
            if output["Condition"]
                .as_str()
                .is_none_or(|condition| template.holds(condition))
            {
                assert!(
                    template
                        .resolved(&output["Value"])
                        .is_some_and(|value| value.is_string()),
                    "{output}"
                );
            }
        }
        for (name, function) in template.functions() {
            starts(&template, &name, &function, &existing);
        }
    }
}

#[test]
fn every_parameter_is_described_and_no_default_is_a_secret() {
    let template = template();
    let grouped = template.section("Metadata")["AWS::CloudFormation::Interface"]["ParameterGroups"]
        .to_string();
    for (name, parameter) in template.section("Parameters") {
        assert!(
            parameter["Description"]
                .as_str()
                .is_some_and(|text| text.len() > 20),
            "{name}"
        );
        assert!(
            grouped.contains(&format!("\"{name}\"")),
            "{name} is in no group"
        );
        assert!(
            parameter["NoEcho"] != true || parameter["Default"] == "",
            "the default of {name} is a secret"
        );
    }
}

#[test]
fn environment_settings_are_template_parameters() {
    let config = std::fs::read_to_string(super::root().join("samconfig.toml")).expect("a file");
    let template = template();
    let overrides = config
        .lines()
        .filter_map(|line| line.strip_prefix("parameter_overrides = ["))
        .flat_map(|line| line.split('"'));
    let names: Vec<&str> = overrides
        .filter_map(|text| Some(text.split_once('=')?.0))
        .collect();
    assert!(names.len() > 10);
    for name in names {
        assert!(template.section("Parameters").contains_key(name), "{name}");
    }
}

#[test]
fn table_is_the_tested_one_and_is_retained() {
    let resource = template().resource("Table").expect("a table");
    let table = &resource["Properties"];
    let definition = local::table::definition();
    for name in [
        "BillingMode",
        "AttributeDefinitions",
        "KeySchema",
        "GlobalSecondaryIndexes",
    ] {
        assert_eq!(table[name], definition[name], "{name}");
    }
    assert_eq!(
        table["StreamSpecification"]["StreamViewType"],
        definition["StreamSpecification"]["StreamViewType"]
    );
    assert_eq!(
        table["TimeToLiveSpecification"],
        json!({ "AttributeName": "ttl", "Enabled": true })
    );
    assert_eq!(
        (
            &table["DeletionProtectionEnabled"],
            &resource["DeletionPolicy"]
        ),
        (&json!(true), &json!("Retain"))
    );
    assert_eq!(
        table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"],
        true
    );
    assert_eq!(table["SSESpecification"]["SSEEnabled"], true);
}

// proves O3
#[test]
fn only_mailer_sends_and_nobody_has_more_rights_than_needed() {
    for template in deployments() {
        for (name, function) in template.functions() {
            let actions: Vec<&str> = function
                .rights
                .iter()
                .flat_map(|(actions, _)| actions.iter().map(String::as_str))
                .collect();
            assert!(!actions.is_empty(), "{name} has no role");
            if name == "Site" {
                // It reads what previews of links need, and nobody's entries in an index.
                let reads =
                    ["GetItem", "BatchGetItem", "Query"].map(|name| format!("dynamodb:{name}"));
                assert!(actions.iter().all(|action| {
                    action.starts_with("logs:")
                        || action.starts_with("xray:")
                        || reads.iter().any(|read| read == action)
                }));
                let resources = function.rights.iter().flat_map(|(_, resources)| resources);
                assert!(
                    !resources
                        .into_iter()
                        .any(|resource| resource.contains("/index/"))
                );
            }
            let has = |part: &str| actions.iter().any(|action| action.contains(part));
            assert!(
                !has("*") && !has("Scan") && !has("DeleteTable") && !has("iam:"),
                "{name}: {actions:?}"
            );
            assert_eq!(has("ses:"), name == "Mailer", "{name}");
            let reads_stream = has("Stream") && has("GetRecords");
            assert_eq!(reads_stream, name == "Changes", "{name}");
            assert_eq!(
                has("s3:"),
                ["Applications", "Clubs", "Events", "Notices", "Submissions"]
                    .contains(&name.as_str()),
                "{name}"
            );
            assert_eq!(has("ListBucket"), name == "Applications", "{name}");
            assert_eq!(
                has("sqs:"),
                ["Changes", "Mailer", "MailReports", "Webhooks"].contains(&name.as_str()),
                "{name}"
            );
            // Actions of X-Ray have no resources. In the sandbox of SES, recipients need a right
            // too, and a condition limits the sender.
            for (actions, resources) in &function.rights {
                let wide = resources
                    .iter()
                    .any(|resource| resource == "*" || resource.ends_with("identity/*"));
                let may_be = actions.iter().all(|action| {
                    action.starts_with("xray:")
                        || (action.starts_with("ses:Send") && template.holds("InSandbox"))
                });
                assert!(!wide || may_be, "{name}: {actions:?} on {resources:?}");
            }
        }
    }
}

/// The filters of the stream name types and attributes as they are stored: a name that is not there
/// would pass no record.
#[test]
fn filters_of_the_stream_name_stored_attributes() {
    let template = deployments().remove(0);
    let resources = template.resources();
    let filters = resources
        .values()
        .filter_map(|resource| resource["Properties"]["FilterCriteria"]["Filters"].as_array());
    let patterns: Vec<Value> = filters
        .flatten()
        .map(|filter| serde_json::from_str(filter["Pattern"].as_str().unwrap_or_default()))
        .collect::<Result<_, _>>()
        .expect("patterns in JSON");
    let images = patterns
        .iter()
        .flat_map(|pattern| ["NewImage", "OldImage"].map(|image| &pattern["dynamodb"][image]));
    let mut count = 0;
    for image in images.filter_map(Value::as_object) {
        for name in image["type"]["S"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            let path = super::root().join(format!("tests/items/{name}.json"));
            let text = std::fs::read_to_string(path).expect(name);
            let item: Value = serde_json::from_str(&text).expect("an item");
            // Few mails have that. The next test looks at it.
            for attribute in image.keys().filter(|name| *name != "delayed_until") {
                assert!(item[attribute].is_object(), "{name} has no {attribute}");
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}

/// Whether a record passes a pattern of an event source, as Lambda reads it.
fn passes(pattern: &Value, record: &Value) -> bool {
    match pattern {
        Value::Object(fields) => fields
            .iter()
            .all(|(name, inside)| passes(inside, &record[name])),
        Value::Array(allowed) => allowed.iter().any(|one| {
            let exists = one["exists"] == true && !record.is_null();
            exists || one == record
        }),
        _ => false,
    }
}

// proves K14, E36
#[test]
fn mails_that_are_queued_again_pass_the_stream() {
    let template = deployments().remove(0);
    let resources = template.resources();
    let filters = resources["ChangesStream"]["Properties"]["FilterCriteria"]["Filters"].clone();
    let patterns: Vec<Value> = filters
        .as_array()
        .into_iter()
        .flatten()
        .map(|filter| serde_json::from_str(filter["Pattern"].as_str().unwrap_or_default()))
        .collect::<Result<_, _>>()
        .expect("patterns in JSON");
    let delayed = |status: &str| {
        json!({
            "type": { "S": "Mail" }, "status": { "S": status },
            "delayed_until": { "S": "2026-11-21T09:10:00Z" },
        })
    };
    let first = json!({ "type": { "S": "Mail" }, "status": { "S": "queued" } });
    for (event, mail, is_passed) in [
        ("INSERT", first.clone(), true),
        ("MODIFY", delayed("queued"), true),
        ("MODIFY", delayed("sent"), false),
        ("MODIFY", first, false),
    ] {
        let record = json!({ "eventName": event, "dynamodb": { "NewImage": mail } });
        let passes = patterns.iter().any(|pattern| passes(pattern, &record));
        assert_eq!(passes, is_passed, "{record}");
    }
}

#[test]
fn alarms_exist_and_dashboard_is_json() {
    for template in deployments() {
        let resources = template.resources();
        let alarms = resources
            .values()
            .filter(|resource| resource["Type"] == "AWS::CloudWatch::Alarm");
        let alarms: Vec<&Value> = alarms.map(|alarm| &alarm["Properties"]).collect();
        // Ten alarms are free. The others are worth their price in production only.
        let more = if template.holds("IsProduction") {
            10
        } else {
            0
        };
        let of_logs = usize::from(template.holds("HasAccessLogs"));
        assert_eq!(alarms.len(), 10 + more + of_logs);
        let operations =
            std::fs::read_to_string(super::root().join("docs/operations.md")).expect("a page");
        for alarm in alarms {
            let about = alarm["AlarmDescription"].as_str().unwrap_or_default();
            let name = about.split('"').nth(1).unwrap_or_default();
            assert!(resources.contains_key(name), "{about}");
            assert!(
                operations.contains(&format!("| `{name}` |")),
                "docs/operations.md does not say what {name} means"
            );
            assert_eq!(
                alarm["AlarmActions"],
                json!([template.resolved(&json!({ "!Ref": "AlarmTopic" }))])
            );
        }
        let body = resources["Dashboard"]["Properties"]["DashboardBody"]
            .as_str()
            .expect("a body");
        let body: Value = serde_json::from_str(body).expect("JSON");
        // All alarms are on it.
        let shown = body["widgets"][0]["properties"]["alarms"].as_array();
        assert_eq!(shown.map(Vec::len), Some(10 + more + of_logs));
        assert!(
            body["widgets"]
                .as_array()
                .is_some_and(|widgets| widgets.len() > 10)
        );
    }
}

/// Checks that the role of each function allows exactly the calls of the table that its operations
/// make.
pub(super) fn compare_rights(done: &BTreeMap<String, BTreeSet<(String, String)>>) {
    // With this parameter, the table has the name that the tests use.
    let template = SamTemplate::load("clubs", &[("RestoredTable", local::table::TABLE)]);
    let functions = template.functions();
    // The site is not measured: it only reads, for previews of links.
    assert_eq!(done.len() + 1, functions.len());
    let mut wrong = Vec::new();
    for (name, done) in done {
        let function = functions
            .values()
            .find(|function| function.name.eq_ignore_ascii_case(name))
            .expect("a function");
        let rights = &function.rights;
        let allowed: BTreeSet<(String, String)> = rights
            .iter()
            .flat_map(|(actions, resources)| {
                actions.iter().flat_map(move |action| {
                    resources.iter().map(move |resource| (action, resource))
                })
            })
            .filter(|(action, resource)| {
                action.starts_with("dynamodb:")
                    && resource.contains(":table/")
                    && !resource.contains("/stream/")
            })
            .map(|(action, resource)| (action.clone(), resource.clone()))
            .collect();
        let missing: Vec<_> = done.difference(&allowed).collect();
        // Rights of cases that the table of calls does not have: rejections, invitations, dead
        // workers, the check of new versions, reminders and news, slices of submissions,
        // submissions whose application was deleted meanwhile, interviews that end with a mail,
        // webhooks that are switched off, tickets that waited, and events of clubs that wait for
        // approval.
        let rare = [
            ("Mailer", "GetItem", "/clubs"),
            ("Mailer", "BatchGetItem", "/clubs"),
            ("Mailer", "ConditionCheckItem", "/clubs"),
            ("Mailer", "PutItem", "/clubs"),
            ("Mailer", "DeleteItem", "/clubs"),
            ("Mailer", "Query", "/clubs"),
            ("Changes", "GetItem", "/clubs"),
            ("submissions", "DeleteItem", "/clubs"),
            ("events", "Query", "/index/gsi1"),
            ("tickets", "DeleteItem", "/clubs"),
            ("submissions", "Query", "/index/gsi2"),
            ("Changes", "UpdateItem", "/clubs"),
            ("MailReports", "BatchGetItem", "/clubs"),
            ("MailReports", "DeleteItem", "/clubs"),
            ("MailReports", "PutItem", "/clubs"),
            ("Notices", "BatchGetItem", "/clubs"),
            ("Notices", "ConditionCheckItem", "/clubs"),
            ("Notices", "DeleteItem", "/clubs"),
            ("Webhooks", "Query", "/clubs"),
        ];
        let is_rare = |(action, on): &&(String, String)| {
            rare.iter().any(|(function, verb, part)| {
                function == name && *action == format!("dynamodb:{verb}") && on.ends_with(part)
            })
        };
        let unused: Vec<_> = allowed
            .difference(done)
            .filter(|right| !is_rare(right))
            .collect();
        if !missing.is_empty() || !unused.is_empty() {
            wrong.push(format!(
                "{name} lacks {missing:?}; it never uses {unused:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
