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
    // One application cannot take all of them, whatever the table.
    assert!(told.contains("would have to try again"), "{told}");
    assert!(told.contains("If several close"), "{told}");
    let spread = capacity(&[&options[..], &["--applications", "40"]].concat());
    assert!(!spread.contains("would have to try again"), "{spread}");
    // One call for the table and both indexes: DynamoDB refuses a second one meanwhile.
    assert_eq!(spread.matches("aws dynamodb update-table").count(), 1);
    for part in ["--table-name clubs-Table", "\"gsi1\"", "\"gsi2\""] {
        assert!(spread.contains(part), "{spread}");
    }
    let json = capacity(&[&options[..], &["--json", "--answers", "10000"]].concat());
    assert!(json.contains("\"write_units\":16000.0"), "{json}");
}

/// With more partitions, more placements serve it: the warm throughput follows from the number.
#[test]
fn the_throughput_is_what_99_of_100_placements_need() {
    let options = ["--submissions", "24000", "--minutes", "2", "--applications"];
    let partitions = |applications: &str| -> Option<u64> {
        let told = capacity(&[&options[..], &[applications, "--json"]].concat());
        let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        told["partitions"].as_u64()
    };
    // 1,000 in the busiest second are 5,000 units of writes: more than four partitions have.
    assert!(partitions("1").is_none_or(|partitions| partitions > 4));
    let many = partitions("40").expect("40 applications spread");
    assert!(many > 4, "{many}");
    let told = capacity(&[&options[..], &["40"]].concat());
    let warm = format!("WriteUnitsPerSecond={}", many * 1_000);
    assert!(told.contains(&warm), "{told}");
}
