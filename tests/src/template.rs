//! Reads template.yaml and resolves its parameters and intrinsic functions for one deployment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Map, Value, json};

/// The region of the deployment.
pub const REGION: &str = "eu-central-1";
/// The account of the deployment.
pub const ACCOUNT: &str = "123456789012";

/// The template with one set of parameters.
pub struct SamTemplate {
    text: Value,
    stack: String,
    parameters: BTreeMap<String, Value>,
}

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
            actions.iter().any(|known| known == action) && resources.iter().any(fits)
        })
    }
}

/// Converts YAML to JSON. A tagged value such as `!Ref Table` becomes `{"!Ref": "Table"}`.
fn json_of(node: &Yaml<'_>) -> Value {
    if let Yaml::Tagged(tag, inner) = node {
        return json!({ format!("!{}", tag.suffix): json_of(inner) });
    }
    if let Some(mapping) = node.as_mapping() {
        return mapping
            .iter()
            .map(|(key, value)| (key.as_str().unwrap_or_default().to_owned(), json_of(value)))
            .collect();
    }
    if let Some(sequence) = node.as_sequence() {
        return sequence.iter().map(json_of).collect();
    }
    node.as_bool()
        .map(|value| json!(value))
        .or_else(|| node.as_integer().map(|value| json!(value)))
        .or_else(|| node.as_floating_point().map(|value| json!(value)))
        .or_else(|| node.as_str().map(|value| json!(value)))
        .unwrap_or_default()
}

/// Name and argument, if the value is a call of an intrinsic function.
fn intrinsic(value: &Value) -> Option<(&str, &Value)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object
        .iter()
        .next()
        .and_then(|(name, argument)| name.strip_prefix('!').map(|name| (name, argument)))
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn list(value: &Value) -> Vec<String> {
    value.as_array().map_or_else(
        || vec![text(value)],
        |items| items.iter().map(text).collect(),
    )
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
    /// The template of this repository, deployed as `stack`. Parameters that are not given have
    /// their defaults.
    pub fn load(stack: &str, parameters: &[(&str, &str)]) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../template.yaml");
        let yaml = std::fs::read_to_string(path).expect("a template");
        let text = json_of(&Yaml::load_from_str(&yaml).expect("YAML")[0]);
        let mut given: BTreeMap<String, Value> = BTreeMap::new();
        for (name, parameter) in text["Parameters"].as_object().into_iter().flatten() {
            let default = parameter
                .get("Default")
                .unwrap_or_else(|| panic!("{name} has no default"));
            given.insert(name.clone(), default.clone());
        }
        for (name, value) in parameters {
            assert!(
                given.insert((*name).to_owned(), json!(value)).is_some(),
                "the template has no parameter {name}"
            );
        }
        Self {
            text,
            stack: stack.to_owned(),
            parameters: given,
        }
    }

    /// A section of the template, not resolved.
    pub fn section(&self, name: &str) -> &Map<String, Value> {
        self.text[name]
            .as_object()
            .unwrap_or_else(|| panic!("the template has no {name}"))
    }

    /// Whether a condition is true.
    pub fn holds(&self, condition: &str) -> bool {
        let rule = self
            .section("Conditions")
            .get(condition)
            .unwrap_or_else(|| panic!("no condition {condition}"));
        self.truth(rule)
    }

    fn truth(&self, rule: &Value) -> bool {
        let (name, argument) = intrinsic(rule).unwrap_or_else(|| panic!("not a condition: {rule}"));
        let each = || argument.as_array().into_iter().flatten();
        match name {
            "Condition" => self.holds(argument.as_str().unwrap_or_default()),
            "Not" => !self.truth(&argument[0]),
            "And" => each().all(|rule| self.truth(rule)),
            "Or" => each().any(|rule| self.truth(rule)),
            "Equals" => {
                self.resolved(&argument[0]).map(|value| self::text(&value))
                    == self.resolved(&argument[1]).map(|value| self::text(&value))
            }
            other => panic!("{other} makes no condition"),
        }
    }

    /// A resource, resolved. `None` if its condition is false.
    pub fn resource(&self, name: &str) -> Option<Value> {
        let resource = self
            .section("Resources")
            .get(name)
            .unwrap_or_else(|| panic!("no resource {name}"));
        if resource["Condition"]
            .as_str()
            .is_some_and(|condition| !self.holds(condition))
        {
            return None;
        }
        self.resolved(resource)
    }

    /// All resources that are deployed, resolved.
    pub fn resources(&self) -> BTreeMap<String, Value> {
        self.section("Resources")
            .keys()
            .filter_map(|name| Some((name.clone(), self.resource(name)?)))
            .collect()
    }

    /// A value, resolved. `None` if it is `AWS::NoValue`.
    pub fn resolved(&self, value: &Value) -> Option<Value> {
        if let Some((name, argument)) = intrinsic(value) {
            return self.call(name, argument);
        }
        Some(match value {
            Value::Array(items) => items
                .iter()
                .filter_map(|item| self.resolved(item))
                .collect(),
            Value::Object(fields) => fields
                .iter()
                .filter_map(|(name, field)| Some((name.clone(), self.resolved(field)?)))
                .collect::<Map<_, _>>()
                .into(),
            other => other.clone(),
        })
    }

    fn call(&self, name: &str, argument: &Value) -> Option<Value> {
        let resolved = |value: &Value| {
            self.resolved(value)
                .unwrap_or_else(|| panic!("no value in {name} {argument}"))
        };
        match name {
            "Ref" => self.reference(argument.as_str().unwrap_or_default()),
            "GetAtt" => Some(json!(self.attribute(argument.as_str().unwrap_or_default()))),
            "If" => self.resolved(
                &argument[if self.holds(argument[0].as_str().unwrap_or_default()) {
                    1
                } else {
                    2
                }],
            ),
            "Sub" => {
                let (pattern, local) = match argument {
                    Value::Array(parts) => (self::text(&parts[0]), resolved(&parts[1])),
                    pattern => (self::text(pattern), json!({})),
                };
                Some(json!(self.substituted(&pattern, &local)))
            }
            "Select" => {
                let index =
                    usize::try_from(argument[0].as_u64().unwrap_or_default()).unwrap_or_default();
                resolved(&argument[1]).get(index).cloned()
            }
            "Split" => {
                let (separator, whole) = (
                    self::text(&argument[0]),
                    self::text(&resolved(&argument[1])),
                );
                Some(whole.split(&separator).collect())
            }
            "Join" => Some(json!(
                list(&resolved(&argument[1])).join(&self::text(&argument[0]))
            )),
            other => panic!("the template uses {other}, which is not known here"),
        }
    }

    fn substituted(&self, pattern: &str, local: &Value) -> String {
        let mut parts = pattern.split("${");
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part
                .split_once('}')
                .unwrap_or_else(|| panic!("an open brace in {pattern}"));
            let value = match local.get(name) {
                Some(value) => self::text(value),
                None if name.contains('.') => self.attribute(name),
                None => self
                    .reference(name)
                    .map_or_else(|| panic!("no value for {name}"), |value| self::text(&value)),
            };
            whole.push_str(&value);
            whole.push_str(rest);
        }
        whole
    }

    fn reference(&self, name: &str) -> Option<Value> {
        Some(json!(match name {
            "AWS::NoValue" => return None,
            "AWS::Region" => REGION,
            "AWS::AccountId" => ACCOUNT,
            "AWS::Partition" => "aws",
            "AWS::URLSuffix" => "amazonaws.com",
            "AWS::StackName" => &self.stack,
            "AWS::StackId" => {
                return Some(json!(format!(
                    "arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{}/7c1b0c60",
                    self.stack
                )));
            }
            // SAM creates this resource for a function with `AutoPublishAlias`.
            alias if alias.ends_with(".Alias") => {
                let function = alias.trim_end_matches(".Alias");
                let function = &self.section("Resources")[function]["Properties"];
                let name = self.resolved(&function["FunctionName"])?;
                return Some(json!(format!(
                    "arn:aws:lambda:{REGION}:{ACCOUNT}:function:{}:live",
                    self::text(&name)
                )));
            }
            // SAM creates this resource for an API.
            "Api.Stage" => return self.parameters.get("Stage").cloned(),
            name => match self.parameters.get(name) {
                Some(value) => return Some(value.clone()),
                None => return Some(json!(self.physical(name))),
            },
        }))
    }

    /// The value of `Ref` for a resource.
    fn physical(&self, name: &str) -> String {
        let resource = self
            .section("Resources")
            .get(name)
            .unwrap_or_else(|| panic!("nothing is called {name}"));
        if let Some(condition) = resource["Condition"].as_str() {
            assert!(
                self.holds(condition),
                "{name} is not deployed, and is referred to"
            );
        }
        let arn = |service: &str, rest: &str| {
            format!(
                "arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}{}-{name}",
                self.stack
            )
        };
        match resource["Type"].as_str().unwrap_or_default() {
            "AWS::SNS::Topic" => arn("sns", ""),
            "AWS::SecretsManager::Secret" => arn("secretsmanager", "secret:"),
            "AWS::IAM::ManagedPolicy" => {
                format!("arn:aws:iam::{ACCOUNT}:policy/{}-{name}", self.stack)
            }
            "AWS::Logs::LogGroup" => self
                .resolved(&resource["Properties"]["LogGroupName"])
                .map(|name| self::text(&name))
                .unwrap_or_default(),
            "AWS::S3::Bucket" => format!("{}-{name}", self.stack).to_lowercase(),
            _ => format!("{}-{name}", self.stack),
        }
    }

    /// The value of `GetAtt`.
    fn attribute(&self, path: &str) -> String {
        if path == "Api.Stage" {
            return self
                .reference(path)
                .map(|stage| self::text(&stage))
                .unwrap_or_default();
        }
        let (name, attribute) = path
            .split_once('.')
            .unwrap_or_else(|| panic!("{path} is no attribute"));
        let physical = self.physical(name);
        let kind = self.section("Resources")[name]["Type"]
            .as_str()
            .unwrap_or_default();
        let arn = |service: &str, rest: &str| {
            format!("arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}{physical}")
        };
        match (kind, attribute) {
            ("AWS::DynamoDB::Table", "Arn") => arn("dynamodb", "table/"),
            ("AWS::DynamoDB::Table", "StreamArn") => format!(
                "{}/stream/2026-11-21T00:00:00.000",
                arn("dynamodb", "table/")
            ),
            ("AWS::SQS::Queue", "Arn") => arn("sqs", ""),
            ("AWS::SQS::Queue", "QueueName") => physical,
            ("AWS::S3::Bucket", "Arn") => format!("arn:aws:s3:::{physical}"),
            ("AWS::IAM::Role", "Arn") => format!("arn:aws:iam::{ACCOUNT}:role/{physical}"),
            ("AWS::Logs::LogGroup", "Arn") => arn("logs", "log-group:"),
            ("AWS::CloudWatch::Alarm", "Arn") => arn("cloudwatch", "alarm:"),
            _ => format!("{}.example", path.to_lowercase()),
        }
    }

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
