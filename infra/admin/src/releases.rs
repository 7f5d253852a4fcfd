//! `clubs-admin keep` and `clubs-admin back`: what a stack was deployed with, and the way back.
//!
//! A deployment of the template and the parameters of an earlier release is one like any other, so
//! the next one works whatever changed. With aliases that were moved by hand, the next one fails.

use std::path::Path;

use chrono::{DateTime, Utc};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::aws_cli::{ask, run};

/// Parameters that stay as they are now. The table in use does not go back: what people wrote since
/// a restore is only there. The public keys of old receipts belong to the secret, which stays, too.
const STAY: [&str; 3] = ["RestoredTable", "RestoredStream", "OldReceiptKeys"];
/// How the name of a release ends that `back` left.
const LEFT: &str = "-left";
/// These say nothing about the release.
const CHECK: &str = "CheckVersions";
const REVISION: &str = "Revision";

/// A stack whose releases are kept.
#[derive(Debug, Clone, Args)]
pub struct Stack {
    /// Name of the stack
    #[arg(long)]
    pub stack: String,
}

/// Where to go back to.
#[derive(Debug, Clone, Args)]
pub struct Way {
    #[command(flatten)]
    pub stack: Stack,
    /// Name of a kept release; without it, the last one that was kept before a deployment
    #[arg(long)]
    pub to: Option<String>,
    /// Print the names of the kept releases, and change nothing
    #[arg(long)]
    pub list: bool,
    /// Do not let the functions answer a request first. For incidents of AWS or of the issuer; the
    /// next deployment needs CheckVersions=yes
    #[arg(long)]
    pub unchecked: bool,
}

/// What a stack was deployed with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Release {
    /// The template with the addresses of the code: a text, or an object.
    template: Value,
    /// The parameters, without secrets.
    parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameter {
    parameter_key: String,
    parameter_value: String,
}

impl Release {
    /// What the stack is deployed with now.
    fn in_use(stack: &str) -> Result<Self, String> {
        let template = ask(&[
            "cloudformation",
            "get-template",
            "--stack-name",
            stack,
            "--template-stage",
            "Original",
        ])?;
        let parameters = described(stack)?["Parameters"].clone();
        let parameters: Vec<Parameter> =
            serde_json::from_value(parameters).map_err(|error| error.to_string())?;
        Ok(Self {
            template: template["TemplateBody"].clone(),
            // CloudFormation shows stars instead of a secret. A deployment keeps the secret that it
            // is not given.
            parameters: parameters
                .into_iter()
                .filter(|parameter| parameter.parameter_value != "****")
                .collect(),
        })
    }

    fn template_text(&self) -> String {
        match &self.template {
            Value::String(text) => text.clone(),
            object => object.to_string(),
        }
    }

    /// The bucket with the code of the functions.
    fn bucket(&self) -> Result<String, String> {
        let text = self.template_text();
        let (_, after) = text
            .split_once("s3://")
            .ok_or("the template was not deployed by `sam deploy`: it names no bucket")?;
        let end = after.find('/').unwrap_or(after.len());
        Ok(after[..end].to_owned())
    }

    fn is_as(&self, other: &Self) -> bool {
        let own = |release: &Self| -> Vec<Parameter> {
            let mut own = release.parameters.clone();
            own.retain(|parameter| {
                let key = parameter.parameter_key.as_str();
                ![CHECK, REVISION].contains(&key) && !STAY.contains(&key)
            });
            own.sort_by(|a, b| a.parameter_key.cmp(&b.parameter_key));
            own
        };
        self.template == other.template && own(self) == own(other)
    }
}

/// The releases of a stack, in the bucket of its code.
struct KeptReleases {
    bucket: String,
    prefix: String,
    /// Their names are the times at which they were kept, so the newest is the last.
    names: Vec<String>,
}

impl KeptReleases {
    fn of(stack: &str, release: &Release) -> Result<Self, String> {
        let (bucket, prefix) = (release.bucket()?, format!("{stack}/releases/"));
        let listed = ask(&[
            "s3api",
            "list-objects-v2",
            "--bucket",
            &bucket,
            "--prefix",
            &prefix,
        ])?;
        let keys = listed["Contents"].as_array().into_iter().flatten();
        let mut names: Vec<String> = keys
            .filter_map(|object| object["Key"].as_str()?.strip_prefix(&prefix))
            .filter_map(|name| name.strip_suffix(".json"))
            .map(str::to_owned)
            .collect();
        names.sort();
        Ok(Self {
            bucket,
            prefix,
            names,
        })
    }

    fn address(&self, name: &str) -> String {
        format!("s3://{}/{}{name}.json", self.bucket, self.prefix)
    }

    fn read(&self, name: &str) -> Result<Release, String> {
        let text = run(&["s3", "cp", "--only-show-errors", &self.address(name), "-"])?;
        serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))
    }

    /// Keeps a release, unless the last one is the same. Returns its name.
    fn keep(&self, release: &Release, name: String, folder: &Path) -> Result<String, String> {
        if let Some(last) = self.names.last()
            && last.ends_with(LEFT) == name.ends_with(LEFT)
            && self.read(last)?.is_as(release)
        {
            return Ok(last.clone());
        }
        let file = folder.join("release.json");
        store(&file, &json!(release).to_string())?;
        let file = file.to_string_lossy();
        run(&[
            "s3",
            "cp",
            "--only-show-errors",
            &file,
            &self.address(&name),
        ])?;
        Ok(name)
    }
}

/// Keeps what the stack is deployed with now, in the bucket with its code. Run before each
/// deployment. Returns what was done.
pub fn keep(stack: &Stack, now: DateTime<Utc>, folder: &Path) -> Result<String, String> {
    let release = Release::in_use(&stack.stack)?;
    let name = KeptReleases::of(&stack.stack, &release)?.keep(&release, name_of(now), folder)?;
    Ok(format!("kept as {name}"))
}

/// Deploys an earlier release: its code, its template and its parameters. The release in use is
/// kept first, so that there is a way forward again. `folder` is for files that only this needs.
/// Returns what was done, line by line.
pub fn back(way: &Way, now: DateTime<Utc>, folder: &Path) -> Result<Vec<String>, String> {
    let stack = &way.stack.stack;
    let in_use = Release::in_use(stack)?;
    let kept = KeptReleases::of(stack, &in_use)?;
    if way.list {
        return Ok(kept.names);
    }
    let left = kept.names.last().filter(|name| name.ends_with(LEFT));
    // One that could not go back has left nothing.
    if way.to.is_none()
        && let Some(left) = left
        && !kept.read(left)?.is_as(&in_use)
    {
        return Err("the stack went back already; see --list, and name a release with --to".into());
    }
    let (name, release) = match &way.to {
        Some(name) => (name.clone(), kept.read(name)?),
        None => last_other(&kept, &in_use)?,
    };
    let current = kept.keep(&in_use, format!("{}{LEFT}", name_of(now)), folder)?;
    deploy(way, &kept, release, now, folder)?;
    let mut steps = vec![
        format!("{stack} runs the release {name} again"),
        format!("to go forward again: clubs-admin back --stack {stack} --to {current}"),
    ];
    if way.unchecked {
        steps.push("the next deployment needs CheckVersions=yes".to_owned());
    }
    Ok(steps)
}

/// Deploys a kept release, and waits until it runs.
fn deploy(
    way: &Way,
    kept: &KeptReleases,
    release: Release,
    now: DateTime<Utc>,
    folder: &Path,
) -> Result<(), String> {
    let stack = &way.stack.stack;
    let template = folder.join("template.yaml");
    store(&template, &release.template_text())?;
    let mut parameters = release.parameters;
    parameters.retain(|parameter| !STAY.contains(&parameter.parameter_key.as_str()));
    let mut give = |key: &str, value: String| {
        parameters.retain(|parameter| parameter.parameter_key != key);
        parameters.push(Parameter {
            parameter_key: key.to_owned(),
            parameter_value: value,
        });
    };
    // Lambda publishes no version that is as the last one, also if that one belongs to a deployment
    // that failed, and CloudFormation takes this for an error. With another revision, each is new.
    give(REVISION, format!("back {}", name_of(now)));
    if way.unchecked {
        give(CHECK, "no".to_owned());
    }
    let file = folder.join("parameters.json");
    let given: Vec<String> = parameters
        .iter()
        .map(|one| format!("{}={}", one.parameter_key, one.parameter_value))
        .collect();
    store(&file, &json!(given).to_string())?;
    let parameters = format!("file://{}", file.display());
    let deploy = [
        "cloudformation",
        "deploy",
        "--stack-name",
        stack,
        "--template-file",
        &template.to_string_lossy(),
        "--s3-bucket",
        &kept.bucket,
        "--s3-prefix",
        &kept.prefix,
        "--capabilities",
        "CAPABILITY_IAM",
        "CAPABILITY_AUTO_EXPAND",
        "--no-fail-on-empty-changeset",
        "--parameter-overrides",
        &parameters,
    ];
    let tags = tags(stack)?;
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    run(&[&deploy[..], &tags].concat()).map(drop)
}

fn described(stack: &str) -> Result<Value, String> {
    let described = ask(&["cloudformation", "describe-stacks", "--stack-name", stack])?;
    Ok(described["Stacks"][0].clone())
}

/// The option with the tags of a stack. Without it, a deployment removes them.
fn tags(stack: &str) -> Result<Vec<String>, String> {
    let found = described(stack)?["Tags"].clone();
    let tag = |tag: &Value| {
        Some(format!(
            "{}={}",
            tag["Key"].as_str()?,
            tag["Value"].as_str()?
        ))
    };
    let mut tags: Vec<String> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(tag)
        .collect();
    if !tags.is_empty() {
        tags.insert(0, "--tags".to_owned());
    }
    Ok(tags)
}

/// The name of a release that is kept at this time.
fn name_of(now: DateTime<Utc>) -> String {
    now.format("%Y-%m-%dT%H-%M-%S.%3fZ").to_string()
}

/// The last release that is not in use.
fn last_other(kept: &KeptReleases, in_use: &Release) -> Result<(String, Release), String> {
    let deployed = kept.names.iter().filter(|name| !name.ends_with(LEFT));
    for name in deployed.rev() {
        let release = kept.read(name)?;
        if !release.is_as(in_use) {
            return Ok((name.clone(), release));
        }
    }
    Err("no other release was kept: run `clubs-admin keep` before each deployment".to_owned())
}

fn store(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}
