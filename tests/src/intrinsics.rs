//! Reads template.yaml and resolves its parameters and intrinsic functions for one deployment.

use std::collections::BTreeMap;
use std::path::Path;

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::{Map, Value, json};

/// The region of the deployment.
pub const REGION: &str = "eu-central-1";
/// The account of the deployment.
pub const ACCOUNT: &str = "123456789012";

/// The template with one set of parameters.
pub struct SamTemplate {
    pub(crate) text: Value,
    pub(crate) stack: String,
    parameters: BTreeMap<String, Value>,
}

/// Converts YAML to JSON. A tagged value such as `!Ref Table` becomes `{"!Ref": "Table"}`.
pub(crate) fn json_of(node: &Yaml<'_>) -> Value {
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

pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn list(value: &Value) -> Vec<String> {
    value.as_array().map_or_else(
        || vec![text(value)],
        |items| items.iter().map(text).collect(),
    )
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
}
