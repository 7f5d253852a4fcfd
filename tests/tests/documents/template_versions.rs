//! template.yaml: what a deployment publishes.

use serde_json::Value;
use tests::template::SamTemplate;

use crate::template::template;

/// Another value of a parameter.
fn another(name: &str, parameter: &Value) -> String {
    let default = text_of(&parameter["Default"]);
    let others = parameter["AllowedValues"].as_array().into_iter().flatten();
    let allowed = others.map(text_of).find(|value| *value != default);
    allowed.unwrap_or_else(|| match name {
        _ if parameter["Type"] == "Number" => "7".into(),
        "Issuer" | "JwksUrl" | "SiteUrl" | "MediaUrl" | "EndpointUrl" => {
            "https://another.example".into()
        }
        _ => format!("{default}x"),
    })
}

// SAM compares the text of the template, in which a parameter is only a name.
// proves O2
#[test]
fn parameters_of_functions_publish_a_version() {
    let own = [
        ("Issuer", "https://id.uni.example"),
        ("Audience", "clubs"),
        ("JwksUrl", "https://id.uni.example/keys"),
    ];
    let existing = |template: &SamTemplate| -> Vec<Value> {
        let mut global = template.resolved(&template.section("Globals")["Function"]);
        // How a version is deployed is nothing that it knows.
        if let Some(global) = &mut global {
            global["DeploymentPreference"] = Value::Null;
        }
        let functions = template.resources().into_values();
        functions
            .filter(|one| one["Type"] == "AWS::Serverless::Function")
            .map(|one| one["Properties"]["Environment"].clone())
            .chain(global)
            .collect()
    };
    let mut counted = 0;
    for base in [&[][..], &own] {
        let before = SamTemplate::load("clubs", base);
        for (name, parameter) in before.section("Parameters") {
            let value = another(name, parameter);
            let mut given = base.to_vec();
            given.retain(|(other, _)| other != name);
            given.push((name, &value));
            let after = SamTemplate::load("clubs", &given);
            let is_listed = existing(&before) != existing(&after);
            let settings = |template: &SamTemplate| template.resource("SettingsVersion");
            let secrets = |template: &SamTemplate| template.resource("SecretsVersion");
            let is_readable = settings(&before) != settings(&after);
            let is_hashed = secrets(&before) != secrets(&after);
            counted += usize::from(is_listed);
            assert!(
                is_readable || is_hashed || !is_listed,
                "a changed {name} does not reach the functions that run"
            );
            assert_eq!(is_hashed, parameter["NoEcho"] == true, "{name}");
            assert!(!(is_readable && is_hashed), "{name} can be read");
        }
    }
    assert!(counted > 40, "{counted}");
    let settings = template().section("Resources")["SettingsVersion"]["Properties"].clone();
    let content = settings["Content"].to_string();
    assert!(content.contains("${SecretsVersion}"), "{content}");
    for (name, resource) in template().section("Resources") {
        if resource["Type"] == "AWS::Serverless::Function" {
            for text in ["Description", "VersionDescription"] {
                let text = resource["Properties"][text].to_string();
                // The others are for a deployment again after one that was taken back.
                for value in ["${SettingsVersion}", "${Revision}", "${CheckVersions}"] {
                    assert!(text.contains(value), "{name}: {text}");
                }
            }
        }
    }
}

// proves O19
#[test]
fn new_versions_answer_the_tested_events() {
    let template = template();
    let code = &template.section("Resources")["VersionCheck"]["Properties"]["Code"]["ZipFile"];
    let event = format!("'{}'", tests::lambda::ready_event());
    assert!(text_of(code).contains(&event), "{code}");
    let deployed = |check: &str| {
        let template = SamTemplate::load("clubs", &[("CheckVersions", check)]);
        let global = template.resolved(&template.section("Globals")["Function"]);
        global.unwrap_or_default()["DeploymentPreference"].clone()
    };
    let (checked, unchecked) = (deployed("yes"), deployed("no"));
    assert_eq!(checked["Hooks"]["PreTraffic"], "clubs-VersionCheck");
    assert_eq!(unchecked["Hooks"]["PreTraffic"], Value::Null);
    // An alarm of an incident must not stop the deployment of its end.
    for preference in [checked, unchecked] {
        assert_eq!(preference["Type"], "AllAtOnce");
        assert_eq!(preference["Alarms"], Value::Null);
    }
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
