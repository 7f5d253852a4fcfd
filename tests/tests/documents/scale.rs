//! The page about scale: how submissions load the keys of the table. Students submit, and each call
//! of the table is attributed to its partition keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use local::engine::{Call, Reply};
use serde_json::{Value, json};
use shared::ids::sha256_hex;
use tests::{Setup, TestCampus};

use crate::costs_long::{SETTLED, answers, questions};

/// What one partition of DynamoDB serves in a second: units of reads, and of writes.
const PARTITION: Units = Units {
    reads: 3_000.0,
    writes: 1_000.0,
};
/// Bytes of the answers of a submission.
const ANSWERS: usize = 5_000;
/// Students of the scenario with one application, and of the one with many.
const ONE: usize = 240;
const MANY: (usize, usize) = (40, 6);
/// Numbers of partitions of the table. A new table has 4.
const PARTITIONS: [u64; 4] = [4, 10, 20, 40];

#[derive(Clone, Copy, Default)]
struct Units {
    reads: f64,
    writes: f64,
}

impl Units {
    fn add(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
    }

    /// Submissions a second that fill a partition, if each of them uses these units of it.
    fn most(self) -> f64 {
        (PARTITION.reads / self.reads).min(PARTITION.writes / self.writes)
    }
}

/// The table or an index, and a partition key of it.
type Place = (&'static str, String);
type Loads = BTreeMap<Place, Units>;

/// The bytes of an item, or of a value: names, texts and digits, without the names of types.
fn bytes(value: &Value) -> usize {
    const TYPES: [&str; 6] = ["S", "N", "BOOL", "NULL", "L", "M"];
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                // Bytes are base64 in JSON.
                if let Some(packed) = value.as_str().filter(|_| name == "B") {
                    return packed.len() * 3 / 4;
                }
                let is_type = TYPES.contains(&name.as_str());
                bytes(value) + if is_type { 0 } else { name.len() }
            })
            .sum(),
        Value::Array(items) => items.iter().map(bytes).sum(),
        Value::String(text) => text.len(),
        _ => 1,
    }
}

/// Units of a strongly consistent read of an item, or of the items of a query, found or not.
fn read_units(item: &Value) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an item has at most 400 KB")]
    let units = bytes(item).div_ceil(4_096).max(1) as f64;
    units
}

/// The places that a call loads. The sum of all units is compared with that of the engine.
fn loads(operation: &str, body: &Value, answer: &Value) -> Vec<(Place, Units)> {
    let text = |value: &Value| value["S"].as_str().unwrap_or_default().to_owned();
    let read = |place: &'static str, key: &Value, reads: f64| {
        let units = Units { reads, writes: 0.0 };
        ((place, text(key)), units)
    };
    let write = |place: &'static str, key: &Value, writes: f64| {
        let units = Units { reads: 0.0, writes };
        ((place, text(key)), units)
    };
    let put = |item: &Value| {
        #[expect(clippy::cast_precision_loss, reason = "an item has at most 400 KB")]
        let units = bytes(item).div_ceil(1_024) as f64;
        let indexes = [("gsi1", "gsi1pk"), ("gsi2", "gsi2pk")];
        let entries = indexes.into_iter().filter(|(_, key)| !item[*key].is_null());
        std::iter::once(write("table", &item["pk"], units))
            .chain(entries.map(|(index, key)| write(index, &item[key], 1.0)))
            .collect::<Vec<_>>()
    };
    match operation {
        "GetItem" => vec![read(
            "table",
            &body["Key"]["pk"],
            read_units(&answer["Item"]),
        )],
        "BatchGetItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            let keys =
                tables.flat_map(|(_, wanted)| wanted["Keys"].as_array().into_iter().flatten());
            let found: Vec<&Value> = answer["Responses"]
                .as_object()
                .into_iter()
                .flatten()
                .flat_map(|(_, items)| items.as_array().into_iter().flatten())
                .collect();
            keys.map(|key| {
                let is_it = |item: &&&Value| item["pk"] == key["pk"] && item["sk"] == key["sk"];
                let item = found.iter().find(is_it);
                let units = item.map_or(1.0, |item| read_units(item));
                read("table", &key["pk"], units)
            })
            .collect()
        }
        "Query" => {
            let place = match body["IndexName"].as_str() {
                Some("gsi1") => "gsi1",
                Some(_) => "gsi2",
                None => "table",
            };
            // Reads of an index are eventually consistent, and cost half.
            let half = if place == "table" { 1.0 } else { 0.5 };
            let units = half * read_units(&answer["Items"]);
            vec![read(
                place,
                &body["ExpressionAttributeValues"][":pk"],
                units,
            )]
        }
        "PutItem" => put(&body["Item"]),
        "UpdateItem" => {
            // An update that stores a submission sets all its attributes.
            let values = &body["ExpressionAttributeValues"];
            let mut all = put(&json!({ "pk": body["Key"]["pk"], "values": values }));
            let named = |name: &str| {
                let names = body["ExpressionAttributeNames"].as_object()?;
                let (placeholder, _) = names.iter().find(|(_, own)| *own == name)?;
                let update = body["UpdateExpression"].as_str()?;
                let after = update.split(&format!("{placeholder} = ")).nth(1)?;
                let value = after.split([',', ' ', ')']).next()?;
                let value = match value.strip_prefix("if_not_exists(") {
                    Some(_) => after.split([',', ')']).nth(1)?.trim(),
                    None => value,
                };
                values.get(value).cloned()
            };
            for (index, key) in [("gsi1", "gsi1pk"), ("gsi2", "gsi2pk")] {
                all.extend(named(key).map(|key| write(index, &key, 1.0)));
            }
            all
        }
        other => panic!("a submission calls {other}"),
    }
}

type Seen = Arc<Mutex<Vec<(String, Value, Value)>>>;

/// Lets students submit, and returns the loads of all of them.
async fn record(applications: usize, students: usize) -> Loads {
    let (seen, is_on) = (Seen::default(), Arc::new(AtomicBool::new(false)));
    let (calls, on) = (seen.clone(), is_on.clone());
    let campus: TestCampus = Setup::default()
        .settings(|settings| settings.quotas.clubs_created = 1_000)
        .hook(Arc::new(move |call: Call| {
            if !on.load(Ordering::SeqCst) {
                return Box::pin(async { None });
            }
            let reply = call.apply(&call.body);
            if let Reply::Answer(_, answer) = &reply {
                let json = |text: &[u8]| serde_json::from_slice(text).unwrap_or_default();
                let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                calls.push((call.operation, json(&call.body), json(answer.as_bytes())));
            }
            Box::pin(async { Some(reply) })
        }))
        .build();
    let mut forms = Vec::new();
    for n in 0..applications {
        let drive = campus.drive(&format!("club{n}")).await;
        forms.push((questions(&drive).await, drive));
    }
    campus.advance(SETTLED);
    let mut sent = Vec::new();
    for (n, (questions, drive)) in forms.into_iter().enumerate() {
        let body = answers(&questions, ANSWERS);
        for m in 0..students {
            let student = campus.as_(&format!("student{n}x{m}"));
            student.get("/api/settings/").await.ok();
            // Warm functions know the form. Equal answers would not be stored again.
            if m == 0 {
                let path = format!("{}submissions/", drive.path);
                let shorter = answers(&questions, ANSWERS - 500);
                student.post(&path, shorter).await.created();
            }
            sent.push((student, format!("{}submissions/", drive.path), body.clone()));
        }
    }
    is_on.store(true, Ordering::SeqCst);
    // One after the other: a request that waits long reads some of it again.
    let mut measured = Units::default();
    for (student, path, body) in sent {
        let answer = student.post(&path, body).await;
        measured.add(Units {
            reads: answer.usage.read_units,
            writes: answer.usage.write_units,
        });
    }
    let calls = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let mut all = Loads::new();
    for (operation, body, answer) in calls {
        for (place, units) in loads(&operation, &body, &answer) {
            all.entry(place).or_default().add(units);
        }
    }
    let mut attributed = Units::default();
    for units in all.values() {
        attributed.add(*units);
    }
    for (own, engine) in [
        (attributed.reads, measured.reads),
        (attributed.writes, measured.writes),
    ] {
        assert!(
            (own / engine - 1.0).abs() < 0.06,
            "{own} instead of {engine}"
        );
    }
    all
}

/// The form of a key: `SUBMISSIONS#1234#2` is `SUBMISSIONS#…#…`.
fn form((place, key): &Place) -> (&'static str, String) {
    let mut parts = key.split('#');
    let kind = parts.next().unwrap_or_default();
    let rest = parts.map(|_| "#…").collect::<String>();
    (place, format!("{kind}{rest}"))
}

/// The partition of a key. DynamoDB's hash is not known; any good one spreads keys alike.
fn partition(key: &str, partitions: u64) -> u64 {
    let first = u64::from_str_radix(&sha256_hex(key.as_bytes())[..16], 16).unwrap_or_default();
    first % partitions
}

/// Submissions a second until the fullest partition of the table is full.
fn most(loads: &Loads, submissions: f64, partitions: u64) -> f64 {
    let mut full: BTreeMap<u64, Units> = BTreeMap::new();
    for ((_, key), units) in loads.iter().filter(|((place, _), _)| *place == "table") {
        full.entry(partition(key, partitions))
            .or_default()
            .add(*units);
    }
    let each = full.values().map(|units| Units {
        reads: units.reads / submissions,
        writes: units.writes / submissions,
    });
    each.map(Units::most).fold(f64::INFINITY, f64::min)
}

/// The table of keys: how many a submission touches, and when the fullest of them is full.
fn keys_table(loads: &Loads, submissions: f64) -> String {
    let mut forms: BTreeMap<(&str, String), (usize, Units, Units)> = BTreeMap::new();
    for (place, units) in loads {
        let (number, sum, hottest) = forms.entry(form(place)).or_default();
        *number += 1;
        sum.add(*units);
        hottest.reads = hottest.reads.max(units.reads);
        hottest.writes = hottest.writes.max(units.writes);
    }
    let mut text =
        "| Where | Key | Keys | Read | Written | Submissions a second until the fullest \
                    key fills a partition |\n|---|---|---:|---:|---:|---:|\n"
            .to_owned();
    for ((place, form), (number, sum, hottest)) in forms {
        let limit = Units {
            reads: hottest.reads / submissions,
            writes: hottest.writes / submissions,
        }
        .most();
        let _ = writeln!(
            text,
            "| {place} | `{form}` | {number} | {:.1} | {:.1} | {} |",
            sum.reads / submissions,
            sum.writes / submissions,
            rounded(limit)
        );
    }
    text
}

/// Two digits: more would claim to be exact.
fn rounded(number: f64) -> String {
    let scale = 10f64.powf(number.log10().floor() - 1.0);
    format!("{:.0}", (number / scale).floor() * scale)
}

#[tokio::test]
async fn the_page_about_scale_is_made_from_the_keys() {
    let one = record(1, ONE).await;
    let many = record(MANY.0, MANY.1).await;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (of_one, of_many) = (ONE as f64, (MANY.0 * MANY.1) as f64);
    // What `clubs-admin capacity` computes with.
    let (reads, writes) = admin::units(u32::try_from(ANSWERS).expect("a small number"));
    let table = |units: fn(&Units) -> f64| {
        let all = one.iter().filter(|((place, _), _)| *place == "table");
        all.map(|(_, load)| units(load)).sum::<f64>() / of_one
    };
    assert!(
        (table(|load| load.reads) - reads).abs() < 0.1,
        "{}",
        table(|load| load.reads)
    );
    assert!(
        (table(|load| load.writes) - writes).abs() < 0.1,
        "{}",
        table(|load| load.writes)
    );
    let mut text = include_str!("scale_head.md").to_owned();
    text += &keys_table(&one, of_one);
    text += "\n";
    text += include_str!("scale_partitions.md");
    text += "| Partitions of the table | One application | 40 applications |\n|---:|---:|---:|\n";
    for partitions in PARTITIONS {
        let _ = writeln!(
            text,
            "| {partitions} | {} | {} |",
            rounded(most(&one, of_one, partitions)),
            rounded(most(&many, of_many, partitions))
        );
    }
    text += "\n";
    text += include_str!("scale_notes.md");
    super::check("docs/scale.md", &text);
}
