//! The binary with the credentials that people use: a profile whose program gives them, as tools
//! for IAM Identity Center do.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Starts a table engine as a server, with the table of the service.
async fn engine() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let database = dynoxide::Database::memory().expect("a database");
    let mut definition = local::table::definition();
    definition["TableName"] = json!("clubs");
    let table = serde_json::from_value(definition).expect("a table");
    database.create_table(table).expect("a table");
    #[expect(clippy::disallowed_methods, reason = "a server of this test")]
    tokio::spawn(async move { dynoxide::server::serve_on(listener, database).await });
    format!("http://{address}")
}

fn run(folder: &std::path::Path, endpoint: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_clubs-admin"))
        .args(arguments)
        .args(["--endpoint-url", endpoint])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", folder)
        .env("AWS_CONFIG_FILE", folder.join("config"))
        .env("AWS_PROFILE", "university")
        .output()
        .expect("the binary")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_gives_the_credentials_and_monitors_read_json() {
    let endpoint = engine().await;
    let folder = std::env::temp_dir().join(format!("clubs-admin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let credentials =
        json!({ "Version": 1, "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret" });
    let program = folder.join("credentials.json");
    std::fs::write(&program, credentials.to_string()).expect("a file");
    let config = format!(
        "[profile university]\nregion = eu-central-1\ncredential_process = /bin/cat {}\n",
        program.display()
    );
    std::fs::write(folder.join("config"), config).expect("a file");

    // Without a table, the error is that of the table, and not of the credentials.
    let missing = run(&folder, &endpoint, &["check", "--json", "--table", "none"]);
    let output = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(2));
    assert!(output.contains("ResourceNotFoundException"), "{output}");

    for arguments in [
        &["check", "--json", "--table", "clubs"][..],
        &["repair", "--dry-run", "--json", "--table", "clubs"],
    ] {
        let done = run(&folder, &endpoint, arguments);
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            done.status.success(),
            "{text} {}",
            String::from_utf8_lossy(&done.stderr)
        );
        let object: Value = serde_json::from_str(&text).expect("one JSON object");
        assert_eq!(
            (&object["items"], &object["findings"]),
            (&json!(0), &json!([]))
        );
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}
