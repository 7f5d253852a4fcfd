//! The functions of template.yaml with their settings and rights, for one deployment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Map, Value, json};

pub use crate::intrinsics::{ACCOUNT, REGION, SamTemplate};
use crate::intrinsics::{json_of, list, text};

/// A function of the template, with its settings and rights.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name in the template.
    pub name: String,
    /// The name of its binary.
    pub binary: String,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// Megabytes.
    pub memory: u64,
    /// Seconds.
    pub timeout: u64,
    /// The paths of the gateway that it serves.
    pub paths: Vec<String>,
    /// Its other events by name, resolved.
    pub events: Map<String, Value>,
    /// The statements of its role: actions and resources.
    pub rights: Vec<(Vec<String>, Vec<String>)>,
}

impl Function {
    /// Whether its role allows this action on this resource.
    pub fn may(&self, action: &str, resource: &str) -> bool {
        let fits = |pattern: &String| match pattern.split_once('*') {
            None => pattern == resource,
            Some((start, end)) => {
                resource.len() >= start.len() + end.len()
                    && resource.starts_with(start)
                    && resource.ends_with(end)
            }
        };
        self.rights.iter().any(|(actions, resources)| {
            actions.iter().any(|existing| existing == action) && resources.iter().any(fits)
        })
    }
}

/// The paths of a gateway, each with the name of the function that it calls. Every path takes all
/// methods, and calls the version that is live.
fn routed(definition: &Value) -> Vec<(String, String)> {
    let paths = definition["paths"].as_object().into_iter().flatten();
    paths
        .map(|(path, methods)| {
            let integration =
                &methods["x-amazon-apigateway-any-method"]["x-amazon-apigateway-integration"];
            assert_eq!(
                (&integration["type"], &integration["httpMethod"]),
                (&json!("aws_proxy"), &json!("POST")),
                "{path}"
            );
            let uri = integration["uri"].as_str().unwrap_or_default();
            let name = uri
                .split_once(&format!(":{REGION}:{ACCOUNT}:function:"))
                .and_then(|(_, rest)| rest.strip_suffix(":live/invocations"))
                .unwrap_or_else(|| panic!("{path} calls {uri}"));
            (path.clone(), name.to_owned())
        })
        .collect()
}

impl SamTemplate {
    /// All functions that are deployed, by name.
    pub fn functions(&self) -> BTreeMap<String, Function> {
        let resources = self.resources();
        let globals = self
            .resolved(&self.text["Globals"]["Function"])
            .unwrap_or_default();
        let functions = resources
            .iter()
            .filter(|(_, resource)| resource["Type"] == "AWS::Serverless::Function");
        let paths = routed(&resources["Api"]["Properties"]["DefinitionBody"]);
        let function = |(name, resource): (&String, &Value)| {
            let own = &resource["Properties"];
            let variables = [&globals, own]
                .into_iter()
                .filter_map(|of| of["Environment"]["Variables"].as_object())
                .flatten();
            let number = |field: &str| {
                own[field]
                    .as_u64()
                    .or_else(|| globals[field].as_u64())
                    .unwrap_or_default()
            };
            let role = own["Role"]
                .as_str()
                .and_then(|arn| arn.rsplit_once(&format!("{}-", self.stack)))
                .map(|(_, role)| role);
            let function = Function {
                name: name.clone(),
                binary: self::text(&resource["Metadata"]["BuildProperties"]["Binary"]),
                variables: variables
                    .map(|(name, value)| (name.clone(), self::text(value)))
                    .collect(),
                memory: number("MemorySize"),
                timeout: number("Timeout"),
                events: own["Events"].as_object().cloned().unwrap_or_default(),
                paths: paths
                    .iter()
                    .filter(|(_, called)| *called == self::text(&own["FunctionName"]))
                    .map(|(path, _)| path.clone())
                    .collect(),
                rights: role
                    .map(|role| self.rights(&resources, role))
                    .unwrap_or_default(),
            };
            (name.clone(), function)
        };
        functions.map(function).collect()
    }

    /// What a role allows, with its managed policies. Conditions of statements are ignored.
    fn rights(
        &self,
        resources: &BTreeMap<String, Value>,
        role: &str,
    ) -> Vec<(Vec<String>, Vec<String>)> {
        let role = &resources[role]["Properties"];
        let managed = list(&role["ManagedPolicyArns"])
            .into_iter()
            .filter_map(|arn| {
                let (_, name) = arn.rsplit_once(&format!("{}-", self.stack))?;
                Some(&resources[name]["Properties"]["PolicyDocument"])
            });
        let inline = role["Policies"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|policy| &policy["PolicyDocument"]);
        let statements = managed
            .chain(inline)
            .flat_map(|document| document["Statement"].as_array().into_iter().flatten());
        statements
            .map(|statement| {
                assert_eq!(statement["Effect"], "Allow");
                (list(&statement["Action"]), list(&statement["Resource"]))
            })
            .collect()
    }
}

/// The path of a function's binary after `sam build`. Functions with the same binary may share a
/// folder, so the path is read from the template that `sam build` writes.
pub fn bootstrap(built: &Path, function: &str) -> PathBuf {
    let yaml = std::fs::read_to_string(built.join("template.yaml")).unwrap_or_default();
    let template = Yaml::load_from_str(&yaml)
        .ok()
        .and_then(|documents| documents.first().map(json_of))
        .unwrap_or_default();
    let folder = template["Resources"][function]["Properties"]["CodeUri"]
        .as_str()
        .unwrap_or(function);
    built.join(folder).join("bootstrap")
}

/// The IAM actions that a call of DynamoDB needs, each with its table or index.
pub fn table_actions(operation: &str, body: &Value) -> Vec<(String, String)> {
    let arn = |table: &Value| {
        format!(
            "arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{}",
            self::text(table)
        )
    };
    let action = |name: &str| format!("dynamodb:{name}");
    let many = |requests: &Value| -> Vec<(String, String)> {
        requests
            .as_object()
            .into_iter()
            .flatten()
            .map(|(table, _)| (action(operation), arn(&json!(table))))
            .collect()
    };
    match operation {
        "TransactWriteItems" => {
            let items = body["TransactItems"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|item| item.as_object()?.iter().next());
            let name = |kind: &str| {
                if kind == "ConditionCheck" {
                    action("ConditionCheckItem")
                } else {
                    action(&format!("{kind}Item"))
                }
            };
            items
                .map(|(kind, item)| (name(kind), arn(&item["TableName"])))
                .collect()
        }
        "BatchGetItem" | "BatchWriteItem" => many(&body["RequestItems"]),
        _ => {
            let table = arn(&body["TableName"]);
            let resource = body["IndexName"]
                .as_str()
                .map_or_else(|| table.clone(), |index| format!("{table}/index/{index}"));
            vec![(action(operation), resource)]
        }
    }
}
