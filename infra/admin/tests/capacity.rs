//! `clubs-admin capacity`, run as a program.

use std::process::Command;

fn capacity(options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_clubs-admin"))
        .arg("capacity")
        .args(options)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_thousand_students_need_nothing() {
    let told = capacity(&["--submissions", "1000", "--minutes", "1"]);
    assert!(
        told.contains("In the busiest second 84 submissions"),
        "{told}"
    );
    assert!(told.contains("Nothing needs to be done"), "{told}");
    assert!(!told.contains("aws dynamodb"), "{told}");
}

#[test]
fn more_than_a_new_table_serves_needs_warm_throughput() {
    let options = [
        "--submissions",
        "48000",
        "--minutes",
        "2",
        "--table",
        "clubs-Table",
    ];
    let told = capacity(&options);
    // 48,000 in 2 minutes are 400 a second, in the busiest one 2,000: 5 units of writes each.
    assert!(told.contains("10000 of writes"), "{told}");
    assert!(told.contains("--table-name clubs-Table"), "{told}");
    assert!(told.contains("WriteUnitsPerSecond=20000"), "{told}");
    assert!(
        told.contains("\"gsi1\"") && told.contains("\"gsi2\""),
        "{told}"
    );
    // One application cannot take all of them.
    assert!(told.contains("would have to try again"), "{told}");
    let spread = capacity(&[&options[..], &["--applications", "10"]].concat());
    assert!(!spread.contains("would have to try again"), "{spread}");
    let json = capacity(&[&options[..], &["--json", "--answers", "10000"]].concat());
    assert!(json.contains("\"write_units\":16000.0"), "{json}");
}
