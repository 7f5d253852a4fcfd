//! template.yaml agrees with the code: routes, settings, table and rights.
//!
//! Proves H6, O2, O3.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::settings::{Settings, VARIABLES};
use tests::template::{ACCOUNT, Function, REGION, SamTemplate};

/// Deployments that together use every condition of the template.
fn deployments() -> Vec<SamTemplate> {
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

// What one caller may see is not given to another one from the cache at the edge (V20).
#[test]
fn only_calendars_are_cached_at_the_edge_and_by_who_asks() {
    let template = template();
    let delivery = &template.resources()["Delivery"]["Properties"]["DistributionConfig"];
    let disabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
    assert_eq!(delivery["DefaultCacheBehavior"]["CachePolicyId"], disabled);
    let behaviours = delivery["CacheBehaviors"].as_array().expect("behaviours");
    let of_api = behaviours.iter().filter_map(|one| {
        let path = one["PathPattern"]
            .as_str()
            .filter(|path| path.starts_with("/api"));
        Some((path?, &one["CachePolicyId"]))
    });
    let cached = json!("clubs-CalendarCache");
    let expected = [
        ("/api/events.ics", &cached),
        ("/api/clubs/*/events.ics", &cached),
        ("/api/*", &json!(disabled)),
    ];
    assert_eq!(of_api.collect::<Vec<_>>(), expected);
    let policy = &template.resources()["CalendarCache"]["Properties"]["CachePolicyConfig"];
    assert_eq!(
        (&policy["DefaultTTL"], &policy["MaxTTL"]),
        (&json!(0), &json!(300))
    );
    let key = &policy["ParametersInCacheKeyAndForwardedToOrigin"]["HeadersConfig"]["Headers"];
    assert!(
        key.as_array()
            .expect("headers")
            .contains(&json!("Authorization"))
    );
    let errors = delivery["CustomErrorResponses"].as_array().expect("errors");
    assert!(errors.iter().all(|error| error["ErrorCachingMinTTL"] == 0));
    assert!(
        [404, 500, 503]
            .iter()
            .all(|code| { errors.iter().any(|error| error["ErrorCode"] == *code) })
    );
}

fn template() -> SamTemplate {
    SamTemplate::load("clubs", &[])
}

fn by_binary(functions: &BTreeMap<String, Function>) -> BTreeMap<&str, &Function> {
    functions
        .values()
        .filter(|function| function.name != "MailReports")
        .map(|function| (function.binary.as_str(), function))
        .collect()
}

#[test]
fn each_operation_is_routed_to_the_function_that_serves_it_and_no_other() {
    let functions = template().functions();
    let functions = by_binary(&functions);
    let names: BTreeSet<&str> = functions.keys().copied().collect();
    assert_eq!(
        names,
        BTreeSet::from([
            "applications",
            "clubs",
            "events",
            "mailer",
            "memberships",
            "site",
            "submissions"
        ])
    );
    for (function, routes) in local::GROUPS {
        let document = json!(routes().split_for_parts().1);
        let served: BTreeSet<String> = document["paths"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(path, _)| path.trim_end_matches('/').to_owned())
            .collect();
        let function = functions[function];
        let routed: BTreeSet<String> = function.paths.iter().cloned().collect();
        assert_eq!(routed, served, "{}", function.name);
    }
    // Everything else is for the site.
    assert_eq!(functions["site"].paths, ["/", "/{proxy+}"]);
}

#[test]
fn one_parent_has_one_variable_segment() {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in local::api().1["paths"]
        .as_object()
        .into_iter()
        .flat_map(|paths| paths.keys())
    {
        let segments: Vec<&str> = path.split('/').collect();
        for (i, segment) in segments
            .iter()
            .enumerate()
            .filter(|(_, segment)| segment.starts_with('{'))
        {
            names
                .entry(segments[..i].join("/"))
                .or_default()
                .insert((*segment).to_owned());
        }
    }
    assert!(
        names.values().all(|variables| variables.len() == 1),
        "the gateway refuses this: {names:?}"
    );
}

#[test]
fn every_deployment_resolves_and_sets_every_setting_so_that_the_functions_start() {
    let known: BTreeSet<&str> = VARIABLES
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
            let set: BTreeSet<&str> = function
                .variables
                .keys()
                .map(String::as_str)
                .filter(|name| *name != "AWS_ENDPOINT_URL")
                // The allocator reads these (decision 103).
                .filter(|name| !name.starts_with("MALLOC_"))
                .collect();
            let own: BTreeSet<&str> = set.difference(&known).copied().collect();
            let of_site = [
                "SITE_CLIENT_ID",
                "SITE_CONNECT",
                "SITE_SCOPES",
                "SITE_TOKEN",
                "UNIVERSITY",
            ];
            let expected = if name == "Site" { &of_site[..] } else { &[] };
            assert!(
                own.iter().eq(expected) && known.is_subset(&set),
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
                continue;
            }
            let settings = Settings::read(|variable| function.variables.get(variable).map(secret))
                .expect("good settings");
            assert!(
                !settings.media_url.is_empty() && settings.issuer.starts_with("https://")
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
fn the_settings_of_each_environment_are_parameters_of_the_template() {
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
fn the_table_is_the_one_that_the_code_is_tested_on_and_is_kept() {
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

#[test]
fn only_the_mailer_sends_and_reads_the_stream_and_nobody_has_more_than_they_need() {
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
            assert_eq!(
                has("Stream") && has("GetRecords"),
                name == "Mailer",
                "{name}"
            );
            assert_eq!(
                has("s3:"),
                ["Clubs", "Events"].contains(&name.as_str()),
                "{name}"
            );
            assert_eq!(
                has("sqs:"),
                ["Mailer", "MailReports"].contains(&name.as_str()),
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
                        || (action == "ses:SendEmail" && template.holds("InSandbox"))
                });
                assert!(!wide || may_be, "{name}: {actions:?} on {resources:?}");
            }
        }
    }
}

#[test]
fn mails_go_out_as_the_identity_that_they_are_from() {
    let arn = |name: &str| format!("arn:aws:ses:{REGION}:{ACCOUNT}:identity/{name}");
    for (parameters, identity) in [
        (
            vec![("MailFrom", "Clubs <clubs@uni.example>")],
            "uni.example",
        ),
        (vec![("MailFrom", "clubs@uni.example")], "uni.example"),
        (
            vec![
                ("MailFrom", "clubs@uni.example"),
                ("MailIdentity", "clubs@uni.example"),
            ],
            "clubs@uni.example",
        ),
    ] {
        let functions = SamTemplate::load("clubs", &parameters).functions();
        assert!(
            functions["Mailer"].may("ses:SendEmail", &arn(identity)),
            "{parameters:?}"
        );
        assert!(
            !functions["Mailer"].may("ses:SendEmail", &arn("other.example")),
            "{parameters:?}"
        );
    }
}

#[test]
fn the_reports_of_ses_reach_the_mailer() {
    let resources = template().resources();
    let source = &resources["MailReportsSource"]["Properties"];
    assert_eq!(
        source["ConfigurationSetName"],
        template().functions()["Mailer"].variables["MAIL_CONFIGURATION_SET"]
    );
    let topic = &source["EventDestination"]["SnsDestination"]["TopicARN"];
    assert_eq!(
        source["EventDestination"]["MatchingEventTypes"],
        json!(["delivery", "bounce", "complaint", "reject"])
    );
    assert_eq!(
        &template().functions()["MailReports"].events["Reports"]["Properties"]["Topic"],
        topic
    );
    assert_eq!(
        resources["MailReportsTopicPolicy"]["Properties"]["Topics"],
        json!([topic])
    );
}

#[test]
fn errors_of_the_gateway_have_a_detail() {
    for template in deployments() {
        let api = template.resource("Api").expect("an API");
        let responses = api["Properties"]["GatewayResponses"]
            .as_object()
            .expect("responses")
            .clone();
        for (name, response) in responses {
            let body = response["ResponseTemplates"]["application/json"]
                .as_str()
                .expect("a body");
            let body = body.replace("$context.error.messageString", "\"Text\"");
            let body: Value =
                serde_json::from_str(&body).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(body["detail"].is_string(), "{name}");
            let origin = &response["ResponseParameters"]["Headers"]["Access-Control-Allow-Origin"];
            assert_eq!(
                origin.as_str(),
                template.holds("HasCors").then_some("'https://a'"),
                "{name}"
            );
        }
    }
}

#[test]
fn what_is_watched_exists_and_the_dashboard_is_json() {
    for template in deployments() {
        let resources = template.resources();
        let alarms = resources
            .values()
            .filter(|resource| resource["Type"] == "AWS::CloudWatch::Alarm");
        let alarms: Vec<&Value> = alarms.map(|alarm| &alarm["Properties"]).collect();
        // Ten alarms are free. The others are worth their price in production only.
        let more = if template.holds("IsProduction") { 2 } else { 0 };
        assert_eq!(alarms.len(), 10 + more);
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
        // These rights are used by cases that the price list does not measure: invitations, workers
        // that died, submissions whose application was deleted meanwhile, and events of clubs that
        // wait for approval.
        let rare = [
            ("Mailer", "GetItem", ""),
            ("Mailer", "ConditionCheckItem", ""),
            ("Mailer", "PutItem", ""),
            ("Mailer", "DeleteItem", ""),
            ("Mailer", "Query", "/index/gsi1"),
            ("submissions", "DeleteItem", ""),
            ("events", "Query", "/index/gsi1"),
        ];
        let is_rare = |(action, on): &&(String, String)| {
            rare.iter().any(|(function, verb, part)| {
                function == name && action.ends_with(verb) && on.ends_with(part)
            })
        };
        let unused: Vec<_> = allowed
            .difference(done)
            .filter(|right| !is_rare(right))
            .collect();
        assert!(
            missing.is_empty() && unused.is_empty(),
            "{name} lacks {missing:?}; it never uses {unused:?}"
        );
    }
}
