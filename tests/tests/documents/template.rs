//! template.yaml and the code say the same: routes, settings, table.

use std::collections::{BTreeMap, BTreeSet};

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Value, json};
use shared::settings::VARIABLES;

/// YAML as JSON; a tagged value such as `!Ref Table` is `{"!Ref": "Table"}`.
fn json_of(node: &Yaml<'_>) -> Value {
    if let Yaml::Tagged(tag, inner) = node {
        return json!({ format!("!{}", tag.suffix): json_of(inner) });
    }
    if let Some(mapping) = node.as_mapping() {
        return mapping.iter().map(|(key, value)| (key.as_str().unwrap_or_default().to_owned(), json_of(value))).collect();
    }
    if let Some(sequence) = node.as_sequence() {
        return sequence.iter().map(json_of).collect();
    }
    node.as_bool()
        .map(|value| json!(value))
        .or_else(|| node.as_integer().map(|value| json!(value)))
        .or_else(|| node.as_str().map(|value| json!(value)))
        .unwrap_or_default()
}

fn template() -> Value {
    let text = std::fs::read_to_string(super::root().join("template.yaml")).expect("a template");
    json_of(&Yaml::load_from_str(&text).expect("YAML")[0])
}

fn functions(template: &Value) -> BTreeMap<String, Value> {
    let resources = template["Resources"].as_object().into_iter().flatten();
    resources
        .filter(|(_, resource)| resource["Type"] == "AWS::Serverless::Function")
        .map(|(_, resource)| (resource["Metadata"]["BuildProperties"]["Binary"].as_str().unwrap_or_default().to_owned(), resource.clone()))
        .collect()
}

#[test]
fn each_operation_is_routed_to_the_function_that_serves_it_and_no_other() {
    let functions = functions(&template());
    let names: BTreeSet<&str> = functions.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["applications", "clubs", "events", "mailer", "memberships", "submissions"]));
    for (function, routes) in local::GROUPS {
        let document = json!(routes().split_for_parts().1);
        let served: BTreeSet<String> =
            document["paths"].as_object().into_iter().flatten().map(|(path, _)| path.trim_end_matches('/').to_owned()).collect();
        let resource = &functions[function];
        assert_eq!(resource["Properties"]["CodeUri"], format!("functions/{function}"));
        let mut routed = BTreeSet::new();
        for event in resource["Properties"]["Events"].as_object().into_iter().flat_map(|events| events.values()) {
            assert_eq!((&event["Type"], &event["Properties"]["Method"]), (&json!("Api"), &json!("ANY")));
            assert!(routed.insert(event["Properties"]["Path"].as_str().unwrap_or_default().to_owned()), "{event} stands twice");
        }
        let rest: BTreeSet<String> = routed.difference(&served).cloned().collect();
        let unserved = if function == "clubs" { BTreeSet::from(["/".to_owned(), "/{proxy+}".to_owned()]) } else { BTreeSet::new() };
        assert_eq!((rest, served.difference(&routed).count()), (unserved, 0), "{function}");
    }
}

#[test]
fn one_parent_has_one_variable_segment() {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in json!(local::api().1)["paths"].as_object().into_iter().flat_map(|paths| paths.keys()) {
        let segments: Vec<&str> = path.split('/').collect();
        for (i, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.starts_with('{')) {
            names.entry(segments[..i].join("/")).or_default().insert((*segment).to_owned());
        }
    }
    assert!(names.values().all(|variables| variables.len() == 1), "the gateway refuses this: {names:?}");
}

#[test]
fn the_template_sets_every_setting() {
    let template = template();
    let variables = &template["Globals"]["Function"]["Environment"]["Variables"];
    let set: BTreeSet<&str> = variables.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let known = VARIABLES.into_iter().chain(["AWS_LAMBDA_HTTP_IGNORE_STAGE_IN_PATH", "RUST_LOG"]).collect();
    assert_eq!(set, known);
}

#[test]
fn the_table_is_the_one_that_the_code_is_tested_on() {
    let template = template();
    let table = &template["Resources"]["Table"]["Properties"];
    let definition = local::table::definition();
    for name in ["BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes"] {
        assert_eq!(table[name], definition[name], "{name}");
    }
    assert_eq!(table["StreamSpecification"]["StreamViewType"], definition["StreamSpecification"]["StreamViewType"]);
    assert_eq!(table["TimeToLiveSpecification"], json!({ "AttributeName": "ttl", "Enabled": true }));
}

#[test]
fn only_the_mailer_sends_and_nobody_scans() {
    for (name, function) in functions(&template()) {
        let policies = function["Properties"]["Policies"].to_string();
        assert_eq!(policies.contains("ses:"), name == "mailer", "{name}");
        assert!(!policies.contains("Scan") && !policies.contains(":*"), "{name}");
        assert_eq!(policies.contains("s3:"), ["clubs", "events"].contains(&name.as_str()), "{name}");
    }
}
