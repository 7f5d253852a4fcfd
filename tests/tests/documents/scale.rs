//! The page about scale: how submissions load the keys of the table. Students submit, and each call
//! of the table is attributed to its partition keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use admin::{LARGEST_TABLE, Loads, OF_PERSON, PARTITION, Units, hot_keys};
use local::engine::{Call, Reply};
use serde_json::{Value, json};
use tests::{Setup, TestCampus};

use crate::costs_long::{SETTLED, answers, questions};

/// Bytes of the answers of a submission.
const ANSWERS: usize = 5_000;
/// Students who submit to one application.
const STUDENTS: usize = 240;
/// Numbers of partitions of the table. A new table has 4, the largest one 40.
const PARTITIONS: [u32; 5] = [4, 10, 20, 30, LARGEST_TABLE];
/// Numbers of applications that close at the same moment.
const APPLICATIONS: [u32; 3] = [1, 10, 40];

fn add(sum: &mut Units, other: Units) {
    sum.reads += other.reads;
    sum.writes += other.writes;
}

/// Submissions a second that fill a partition, if each of them uses these units of it.
fn most(units: Units) -> f64 {
    (PARTITION.reads / units.reads).min(PARTITION.writes / units.writes)
}

/// The table or an index, and a partition key of it.
type Place = (&'static str, String);
type Recorded = BTreeMap<Place, Units>;

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

/// Lets students submit with a key, and returns the loads of all of them.
async fn record() -> Recorded {
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
    let drive = campus.drive("club").await;
    let questions = questions(&drive).await;
    campus.advance(SETTLED);
    let path = format!("{}submissions/", drive.path);
    let body = answers(&questions, ANSWERS);
    let mut students = Vec::new();
    for n in 0..STUDENTS {
        let student = campus.as_(&format!("student{n}"));
        student.get("/api/settings/").await.ok();
        // Warm functions know the form. Equal answers would not be stored again.
        if n == 0 {
            let shorter = answers(&questions, ANSWERS - 500);
            student.post(&path, shorter).await.created();
        }
        students.push(student);
    }
    is_on.store(true, Ordering::SeqCst);
    // One after the other: a request that waits long reads some of it again.
    let mut measured = Units::default();
    for (n, student) in students.iter().enumerate() {
        // The site sends a key with each submission.
        let keyed = student.clone().header("idempotency-key", format!("key{n}"));
        let answer = keyed.post(&path, body.clone()).await;
        let (reads, writes) = (answer.usage.read_units, answer.usage.write_units);
        add(&mut measured, Units { reads, writes });
    }
    let calls = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let mut all = Recorded::new();
    for (operation, body, answer) in calls {
        for (place, units) in loads(&operation, &body, &answer) {
            add(all.entry(place).or_default(), units);
        }
    }
    let mut attributed = Units::default();
    for units in all.values() {
        add(&mut attributed, *units);
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

/// The table of keys: how many a submission touches, and when the fullest of them is full.
fn keys_table(loads: &Recorded, submissions: f64) -> String {
    let mut forms: BTreeMap<(&str, String), (usize, Units, Units)> = BTreeMap::new();
    for (place, units) in loads {
        let (number, sum, hottest) = forms.entry(form(place)).or_default();
        *number += 1;
        add(sum, *units);
        hottest.reads = hottest.reads.max(units.reads);
        hottest.writes = hottest.writes.max(units.writes);
    }
    let mut text =
        "| Where | Key | Keys | Read | Written | Submissions a second until the fullest \
                    key fills a partition |\n|---|---|---:|---:|---:|---:|\n"
            .to_owned();
    for ((place, form), (number, sum, hottest)) in forms {
        let limit = most(Units {
            reads: hottest.reads / submissions,
            writes: hottest.writes / submissions,
        });
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

/// What `clubs-admin capacity` computes with is what submissions use.
fn compare_with_capacity(loads: &Recorded, submissions: f64) {
    let size = u32::try_from(ANSWERS).expect("a small number");
    let mut of_person = Units::default();
    let mut of_kind: BTreeMap<&str, (u64, Units)> = BTreeMap::new();
    for ((_, key), units) in loads.iter().filter(|((place, _), _)| *place == "table") {
        match key.split('#').next().unwrap_or_default() {
            "USER" => add(&mut of_person, *units),
            kind => {
                let (keys, sum) = of_kind.entry(kind).or_default();
                *keys += 1;
                add(sum, *units);
            }
        }
    }
    let is_near = |own: Units, recorded: Units| {
        (own.reads - recorded.reads / submissions).abs() < 0.1
            && (own.writes - recorded.writes / submissions).abs() < 0.1
    };
    assert!(is_near(OF_PERSON, of_person), "{of_person:?}");
    let kinds = hot_keys(size);
    assert_eq!(kinds.len(), of_kind.len(), "{of_kind:?}");
    for kind in kinds {
        let (keys, units) = of_kind[kind.kind];
        assert_eq!(kind.keys, keys, "{kind:?}");
        assert!(is_near(kind.units, units), "{kind:?} {units:?}");
    }
}

#[tokio::test]
async fn the_page_about_scale_is_made_from_the_keys() {
    let loads = record().await;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let submissions = STUDENTS as f64;
    compare_with_capacity(&loads, submissions);
    let size = u32::try_from(ANSWERS).expect("a small number");
    let mut text = include_str!("scale_head.md").to_owned();
    text += &keys_table(&loads, submissions);
    text += "\n";
    text += include_str!("scale_partitions.md");
    text += "| Partitions of the table |";
    for applications in APPLICATIONS {
        let word = if applications == 1 { "" } else { "s" };
        let _ = write!(text, " {applications} application{word}: 99 % | 50 % |");
    }
    text += "\n|---:|---:|---:|---:|---:|---:|---:|\n";
    for partitions in PARTITIONS {
        let _ = write!(text, "| {partitions} |");
        for applications in APPLICATIONS {
            let served = Loads::of_table(size, applications).served(partitions);
            for percent in [99, 50] {
                let _ = write!(text, " {} |", rounded(served.in_percent(percent)));
            }
        }
        text += "\n";
    }
    text += "\n";
    text += include_str!("scale_notes.md");
    super::check("docs/scale.md", &text);
}
