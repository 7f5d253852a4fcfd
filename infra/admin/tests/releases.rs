//! `clubs-admin keep` and `clubs-admin back` with an AWS CLI whose stack and bucket are folders.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

/// Answers as the AWS CLI does: `stack/template` and `stack/parameters` are what is deployed.
const AWS: &str = r#"#!/bin/sh
at=$(dirname "$0")
case "$1 $2" in
"cloudformation get-template") printf '{"TemplateBody":%s}' "$(cat "$at/stack/template")" ;;
"cloudformation describe-stacks") printf '{"Stacks":[{"Parameters":%s,"Tags":[{"Key":"Service","Value":"clubs"}]}]}' "$(cat "$at/stack/parameters")" ;;
"s3api list-objects-v2")
  cd "$at/bucket" && for one in clubs/releases/*.json; do
    if [ -f "$one" ]; then printf '%s{"Key":"%s"}' "${more:-{\"Contents\":[}" "$one"; more=,; fi
  done
  if [ -n "$more" ]; then printf ']}'; fi ;;
"s3 cp")
  case "$5" in
  -) cat "$at/bucket/${4#s3://code/}" ;;
  *) mkdir -p "$at/bucket/clubs/releases" && cp "$4" "$at/bucket/${5#s3://code/}" ;;
  esac ;;
"cloudformation deploy")
  [ ! -f "$at/refuses" ] || { echo "Failed to create/update the stack" >&2; exit 255; }
  while [ $# -gt 0 ]; do
    case "$1" in
    --template-file) cp "$2" "$at/deployed-template" ;;
    --parameter-overrides) cp "${2#file://}" "$at/deployed-parameters" ;;
    --tags) echo "$2" > "$at/deployed-tags" ;;
    esac
    shift
  done ;;
*) echo "An error: $1 $2" >&2; exit 254 ;;
esac
"#;

struct Account(PathBuf);

impl Account {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("clubs-{name}-{}", std::process::id()));
        for part in ["stack", "bucket"] {
            fs::create_dir_all(folder.join(part)).expect("a folder");
        }
        let path = folder.join("aws");
        fs::write(&path, AWS).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        Self(folder)
    }

    /// What somebody deploys.
    fn deploy(&self, code: &str, parameters: &[(&str, &str)]) {
        let template = format!("Resources:\n  Clubs:\n    CodeUri: s3://code/{code}\n");
        let given = parameters.iter().map(
            |(key, value)| json!({ "ParameterKey": key, "ParameterValue": value, "Other": "x" }),
        );
        let given: Vec<Value> = given.collect();
        let stack = self.0.join("stack");
        fs::write(stack.join("template"), json!(template).to_string()).expect("a file");
        fs::write(stack.join("parameters"), json!(given).to_string()).expect("a file");
    }

    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let path = format!("{}:/usr/bin:/bin", self.0.display());
        let done = Command::new(env!("CARGO_BIN_EXE_clubs-admin"))
            .args(arguments)
            .args(["--stack", "clubs"])
            .env_clear()
            .env("PATH", path)
            .output()
            .expect("the binary");
        let output = [done.stdout, done.stderr].concat();
        (
            done.status.success(),
            String::from_utf8_lossy(&output).into_owned(),
        )
    }

    fn names(&self) -> Vec<String> {
        let folder = self.0.join("bucket/clubs/releases");
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = files
            .map(|file| file.file_name().to_string_lossy().replace(".json", ""))
            .collect();
        names.sort();
        names
    }

    /// Gives a kept release the name of an earlier time.
    fn rename(&self, name: &str, earlier: &str) {
        let folder = self.0.join("bucket/clubs/releases");
        let at = |name: &str| folder.join(format!("{name}.json"));
        fs::rename(at(name), at(earlier)).expect("a file");
    }

    /// What was deployed on the way back: the code, and the parameters.
    fn deployed(&self) -> (String, Vec<(String, String)>) {
        let read = |name: &str| fs::read_to_string(self.0.join(name)).expect("a file");
        let given: Vec<String> =
            serde_json::from_str(&read("deployed-parameters")).expect("parameters");
        let given = given.iter().map(|one| {
            let (key, value) = one.split_once('=').expect("a parameter");
            (key.to_owned(), value.to_owned())
        });
        let (revision, others): (Vec<_>, _) = given.partition(|(key, _)| key == "Revision");
        // Each version is a new one, also after a deployment that failed.
        assert!(revision[0].1.starts_with("back 2"), "{revision:?}");
        assert_eq!(read("deployed-tags"), "Service=clubs\n", "the tags stay");
        (read("deployed-template"), others)
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_way_back_is_a_deployment_of_what_was_kept() {
    let account = Account::new("back");
    account.deploy(
        "first",
        &[
            ("MailRate", "10"),
            ("InviteSecret", "****"),
            ("OldReceiptKeys", ""),
            ("RestoredTable", ""),
        ],
    );
    let (is_done, output) = account.run(&["back"]);
    assert!(
        !is_done && output.contains("no other release was kept"),
        "{output}"
    );
    // The same release is kept once.
    for _ in 0..2 {
        assert!(account.run(&["keep"]).0);
    }
    let names = account.names();
    assert_eq!(names.len(), 1, "{names:?}");
    account.rename(&names[0], "2026-11-01T10-00-00Z");

    account.deploy(
        "second",
        &[
            ("MailRate", "20"),
            ("InviteSecret", "****"),
            ("OldReceiptKeys", "key@2026-11-01T00:00:00Z"),
            ("RestoredTable", "clubs-restored-1"),
        ],
    );
    // A way back that failed can be tried again.
    let refuses = account.0.join("refuses");
    fs::write(&refuses, "").expect("a file");
    let (is_done, output) = account.run(&["back"]);
    assert!(!is_done && output.contains("Failed to create"), "{output}");
    fs::remove_file(&refuses).expect("a file");
    let (is_done, output) = account.run(&["back"]);
    assert!(is_done, "{output}");
    assert!(
        output.contains("runs the release 2026-11-01T10-00-00Z again"),
        "{output}"
    );
    let (template, parameters) = account.deployed();
    assert!(template.contains("s3://code/first"), "{template}");
    // Secrets and the table in use stay: what is not given keeps its value.
    assert_eq!(parameters, [("MailRate".to_owned(), "10".to_owned())]);
    // What was in use was kept, too.
    let names = account.names();
    assert_eq!(names.len(), 2, "{names:?}");

    // Who presses twice goes neither forward into the fault nor back too far.
    account.deploy("first", &[("MailRate", "10"), ("CheckVersions", "yes")]);
    let (is_done, output) = account.run(&["back"]);
    assert!(!is_done && output.contains("went back already"), "{output}");
    // Forward again, by its name, during an incident.
    let (is_done, output) = account.run(&["back", "--to", &names[1], "--unchecked"]);
    assert!(is_done && output.contains("CheckVersions=yes"), "{output}");
    let (template, parameters) = account.deployed();
    assert!(template.contains("s3://code/second"), "{template}");
    let expected = [("MailRate", "20"), ("CheckVersions", "no")];
    assert_eq!(
        parameters,
        expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    let (_, listed) = account.run(&["back", "--list"]);
    assert!(names.iter().all(|name| listed.contains(name)), "{listed}");
}

#[test]
fn stack_without_bucket_is_reported() {
    let account = Account::new("no-bucket");
    account.deploy("first", &[]);
    let template = account.0.join("stack/template");
    fs::write(template, r#""Resources: {}""#).expect("a file");
    let (is_done, output) = account.run(&["keep"]);
    assert!(!is_done && output.contains("names no bucket"), "{output}");
}
