//! `clubs-admin preflight` with an AWS CLI that answers as an account would.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

/// A folder with a program `aws` that answers each question with a file of the same name.
struct Account(PathBuf);

impl Account {
    fn new(name: &str, answers: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("clubs-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (question, answer) in answers {
            fs::write(folder.join(question), answer).expect("a file");
        }
        let program = "#!/bin/sh\n\
            f=\"$(dirname \"$0\")/$1${2:+-$2}\"\n\
            case $1 in --version) f=\"$(dirname \"$0\")/version\";; esac\n\
            if [ -f \"$f\" ]; then cat \"$f\"; else echo \"An error: NotFound\" >&2; exit 254; fi\n";
        let path = folder.join("aws");
        fs::write(&path, program).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
        Self(folder)
    }

    fn preflight(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let path = format!("{}:/usr/bin:/bin", self.0.display());
        let done = Command::new(env!("CARGO_BIN_EXE_clubs-admin"))
            .args(["preflight", "--region", "eu-central-1"])
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .output()
            .expect("the binary");
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stdout).into_owned(),
        )
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const WHO: (&str, &str) = (
    "sts-get-caller-identity",
    r#"{"Arn":"arn:aws:iam::1:user/ada"}"#,
);

#[test]
fn ready_account_passes_preflight() {
    let account = Account::new(
        "ready",
        &[
            WHO,
            ("version", "aws-cli/2.31.0 Python/3.13"),
            (
                "lambda-get-account-settings",
                r#"{"AccountLimit":{"ConcurrentExecutions":1000}}"#,
            ),
            (
                "sesv2-get-account",
                r#"{"ProductionAccessEnabled":true,"SendQuota":{"MaxSendRate":14.0}}"#,
            ),
            (
                "sesv2-get-email-identity",
                r#"{"VerifiedForSendingStatus":true}"#,
            ),
            (
                "apigateway-get-account",
                r#"{"cloudwatchRoleArn":"arn:aws:iam::1:role/logs"}"#,
            ),
            (
                "acm-describe-certificate",
                r#"{"Certificate":{"Status":"ISSUED"}}"#,
            ),
        ],
    );
    let (status, output) = account.preflight(&[
        "--access-logs",
        "--mail-from",
        "Clubs <clubs@uni.example>",
        "--site-certificate",
        "arn:aws:acm:us-east-1:1:certificate/x",
    ]);
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains("good: uni.example is verified"), "{output}");
}

#[test]
fn preflight_failure_says_what_to_do() {
    let account = Account::new(
        "new",
        &[
            WHO,
            ("version", "aws-cli/1.44.0 Python/3.11"),
            (
                "lambda-get-account-settings",
                r#"{"AccountLimit":{"ConcurrentExecutions":10}}"#,
            ),
            ("sesv2-get-account", r#"{"ProductionAccessEnabled":false}"#),
            ("apigateway-get-account", "{}"),
        ],
    );
    let (status, output) = account.preflight(&[
        "--access-logs",
        "--mail-from",
        "clubs@uni.example",
        "--site-certificate",
        "arn:aws:acm:eu-central-1:1:certificate/x",
    ]);
    assert_eq!(status, Some(1), "{output}");
    for part in [
        "version 2 is needed",
        "ask for 1,000",
        "MailSandbox=yes",
        "CreateMailIdentity=yes",
        "infra/account.yaml",
        "must be in us-east-1",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn an_identity_that_is_an_address_is_asked_for_by_its_name() {
    let account = Account::new(
        "identity",
        &[
            WHO,
            (
                "sesv2-get-email-identity",
                r#"{"VerifiedForSendingStatus":true}"#,
            ),
        ],
    );
    let clubs = "clubs@uni.example";
    let (_, output) = account.preflight(&["--mail-from", clubs, "--mail-identity", clubs]);
    assert!(
        output.contains("good: clubs@uni.example is verified"),
        "{output}"
    );
    // The stack would give it a DKIM signature, which SES has for domains.
    let account = Account::new("address", &[WHO]);
    let create = [
        "--mail-from",
        clubs,
        "--mail-identity",
        clubs,
        "--create-mail-identity",
    ];
    let (status, output) = account.preflight(&create);
    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains("CreateMailIdentity=no"), "{output}");
}
