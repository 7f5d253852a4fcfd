//! The costs of a month, a recruitment week and a year. They are computed from the price list, from
//! how often people do things, and from published unit prices.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use shared::db::usage::Usage;
use tests::template::SamTemplate;

use super::costs_rig::{Row, serves};

/// Published unit prices in USD for eu-central-1, without any free tier. The page names the sources
/// and their dates.
mod unit {
    pub const REQUEST: f64 = 3.70e-6;
    pub const INVOCATION: f64 = 0.20e-6;
    pub const GB_SECOND: f64 = 0.000_013_333_4;
    pub const READ: f64 = 0.1525e-6;
    pub const WRITE: f64 = 0.7625e-6;
    pub const TABLE_GB_MONTH: f64 = 0.306;
    pub const BACKUP_GB_MONTH: f64 = 0.245;
    pub const MAIL: f64 = 0.10e-3;
    pub const NOTIFICATION: f64 = 0.50e-6;
    pub const LOG_GB: f64 = 0.63;
    pub const TRACE: f64 = 5.0e-6;
    pub const ALARM_MONTH: f64 = 0.10;
    pub const DASHBOARD_MONTH: f64 = 3.00;
    pub const IMAGE_GB_MONTH: f64 = 0.0245;
    pub const SECRET_MONTH: f64 = 0.40;
}

// These values are assumed for each request, in addition to the measured ones.
const ROUND_MS: f64 = 5.0;
const OWN_MS: f64 = 4.0;
/// A line of the function (0.57 KB), three lines of Lambda, and 26 bytes for each.
const LOG_KB: f64 = 0.93;
/// Alarms of the template in production. An alarm that looks at several metrics counts as so many:
/// one looks at two, and one at four.
const ALARMS: f64 = 25.0;
/// Which part of the pages of the site, and of the lists of anonymous callers, the distribution
/// answers, which keeps them for a minute (O22, H36). It keeps the files of the site for ever.
const FROM_EDGE: f64 = 0.5;
/// Milliseconds for a mail, at a rate of ten per second.
const MAIL_MS: f64 = 100.0;

/// Operation, note of its row in the price list, and how often it is done.
type Done = (&'static str, &'static str, f64);

/// A month without recruitment.
const QUIET_MONTH: [Done; 13] = [
    ("list_clubs", "anonymous", 10_000.0),
    ("list_clubs", "", 3_000.0),
    ("list_clubs", "catalogue not in memory", 500.0),
    ("show_club", "anonymous", 10_000.0),
    ("list_events", "anonymous", 10_000.0),
    ("show_calendar", "", 60_000.0),
    ("(timer)", "nothing is due", 2_880.0),
    ("(changes)", "1 change", 350.0),
    ("show_settings", "first request of a new person", 50.0),
    ("update_club", "", 50.0),
    ("create_event", "", 100.0),
    ("create_favorite", "", 200.0),
    ("list_members", "", 500.0),
];

/// A week in which 1,000 people apply to 3 of 100 clubs each.
const RECRUITMENT_WEEK: [Done; 26] = [
    ("(changes)", "1 change", 9_700.0),
    ("show_settings", "first request of a new person", 1_000.0),
    ("list_clubs", "anonymous", 10_000.0),
    ("list_clubs", "", 10_000.0),
    ("list_clubs", "catalogue not in memory", 500.0),
    ("show_club", "", 20_000.0),
    ("list_events", "anonymous", 5_000.0),
    ("list_events", "", 5_000.0),
    ("create_favorite", "", 2_000.0),
    ("create_application", "", 100.0),
    ("create_question", "", 600.0),
    ("list_current_applications", "", 10_000.0),
    ("show_application", "own submissions, none", 5_000.0),
    ("show_application", "own submissions, 1", 5_000.0),
    ("submit", "18 answers of 5 KB", 3_000.0),
    ("submit", "again", 2_000.0),
    ("list_own_submissions", "", 5_000.0),
    ("list_submissions", "10", 10_000.0),
    ("show_submission", "", 3_000.0),
    ("update_decision", "10 submissions there", 3_000.0),
    ("send_emails", "dry run, 9 mails", 400.0),
    ("send_emails", "120 mails, 2,000 submissions", 25.0),
    ("(mail worker)", "120 mails", 25.0),
    ("(mail report)", "a delivery", 2_940.0),
    ("(mail report)", "a bounce", 60.0),
    ("accept_invite", "of an acceptance", 800.0),
];

/// Mails in a recruitment week.
const WEEKLY_MAILS: f64 = 3_000.0;
/// Visits of the site in a quiet month, and in a recruitment week.
const VISITS: [f64; 2] = [5_000.0, 10_000.0];

#[derive(Default)]
struct Bill(BTreeMap<&'static str, f64>);

impl Bill {
    fn add(&mut self, what: &'static str, usd: f64) {
        *self.0.entry(what).or_default() += usd;
    }

    fn total(&self) -> f64 {
        self.0.values().sum()
    }

    fn plus(&self, other: &Self, times: f64) -> Self {
        let mut sum = Self(self.0.clone());
        for (what, usd) in &other.0 {
            sum.add(what, usd * times);
        }
        sum
    }

    /// The costs of what people do.
    fn of(done: &[Done], mails: f64, visits: f64, rows: &[Row]) -> Self {
        let memory = memory();
        let serves = serves();
        let mut bill = Self::default();
        for (operation, note, times) in done {
            let is_at_edge = operation.starts_with("list_") && *note == "anonymous";
            let times = &(times * if is_at_edge { 1.0 - FROM_EDGE } else { 1.0 });
            let row = rows
                .iter()
                .find(|row| row.operation == *operation && row.note == *note);
            let Row {
                usage:
                    Usage {
                        read_units,
                        write_units,
                        ..
                    },
                rounds,
                ..
            } = row.unwrap_or_else(|| panic!("{operation} ({note}) has no price"));
            bill.add(
                "Table",
                times * (read_units * unit::READ + write_units * unit::WRITE),
            );
            bill.add("Logs", times * LOG_KB * unit::LOG_GB / 1e6);
            bill.add("Functions", times * unit::INVOCATION);
            let rounds = f64::from(u32::try_from(*rounds).unwrap_or(u32::MAX));
            let ms = if *operation == "(mail worker)" {
                120.0 * MAIL_MS
            } else {
                OWN_MS + rounds * ROUND_MS
            };
            let function = serves.get(*operation).copied().unwrap_or("mailer");
            bill.add(
                "Functions",
                times * ms / 1_000.0 * memory[function] / 1_024.0 * unit::GB_SECOND,
            );
            if serves.contains_key(*operation) {
                bill.add("Gateway", times * unit::REQUEST);
            }
        }
        bill.add("Mail", mails * (unit::MAIL + unit::NOTIFICATION));
        let pages = visits * (1.0 - FROM_EDGE);
        bill.add("Gateway", pages * unit::REQUEST);
        bill.add("Functions", pages * unit::INVOCATION);
        bill.add("Logs", pages * LOG_KB * unit::LOG_GB / 1e6);
        bill
    }

    /// The costs of a month in which nobody comes.
    fn lying(table_gb: f64, images_gb: f64) -> Self {
        let mut bill = Self::default();
        bill.add(
            "Storage",
            table_gb * (unit::TABLE_GB_MONTH + unit::BACKUP_GB_MONTH)
                + images_gb * unit::IMAGE_GB_MONTH,
        );
        bill.add(
            "Alarms and dashboard",
            ALARMS * unit::ALARM_MONTH + unit::DASHBOARD_MONTH,
        );
        bill.add("Generated secrets", 2.0 * unit::SECRET_MONTH);
        bill
    }
}

/// Memory of the functions in MB, by binary.
fn memory() -> BTreeMap<String, f64> {
    let functions = SamTemplate::load("clubs", &[]).functions().into_values();
    functions
        .map(|function| {
            (
                function.binary,
                f64::from(u32::try_from(function.memory).unwrap_or_default()),
            )
        })
        .collect()
}

/// The page docs/prices.md.
#[expect(
    clippy::too_many_lines,
    reason = "a text, from its beginning to its end"
)]
pub(super) fn document(rows: &[Row]) -> String {
    let lying = Bill::lying(0.2, 1.0);
    let quiet = Bill::of(&QUIET_MONTH, 100.0, VISITS[0], rows).plus(&lying, 1.0);
    let week = Bill::of(&RECRUITMENT_WEEK, WEEKLY_MAILS, VISITS[1], rows);
    let year = Bill::default().plus(&quiet, 12.0).plus(&week, 2.0);
    let columns = [
        ("Nobody comes, a month", lying),
        ("A quiet month", quiet),
        ("A recruitment week", week),
        ("A year", year),
    ];
    let mut text = include_str!("prices_head.md").to_owned();
    text += "\n| USD | ";
    text += &columns
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(" | ");
    text += " |\n|---|---:|---:|---:|---:|\n";
    for what in [
        "Gateway",
        "Functions",
        "Table",
        "Mail",
        "Logs",
        "Storage",
        "Alarms and dashboard",
        "Generated secrets",
    ] {
        let cells: Vec<String> = columns
            .iter()
            .map(|(_, bill)| format!("{:.2}", bill.0.get(what).copied().unwrap_or_default()))
            .collect();
        let _ = writeln!(text, "| {what} | {} |", cells.join(" | "));
    }
    let cells: Vec<String> = columns
        .iter()
        .map(|(_, bill)| format!("**{:.2}**", bill.total()))
        .collect();
    let _ = writeln!(text, "| **Together** | {} |", cells.join(" | "));
    let each = |done: &[Done]| {
        done.iter()
            .fold(String::new(), |mut text, (operation, note, times)| {
                let _ = writeln!(text, "| {operation} | {note} | {times} |");
                text
            })
    };
    let head = "\n\n| Operation | With | Times |\n|---|---|---:|\n";
    let _ = write!(
        text,
        "\n## What people do in a quiet month{head}{}",
        each(&QUIET_MONTH)
    );
    let _ = write!(
        text,
        "\nand 100 mails, and 5,000 visits of the site.\n\n## What people do in a recruitment week{head}{}",
        each(&RECRUITMENT_WEEK)
    );
    let _ = writeln!(
        text,
        "\n3,000 mails, of which 60 come back, and 10,000 visits of the site. A year is twelve quiet months and two such \
         weeks."
    );
    text += "\n## Unit prices\n\n| What | USD |\n|---|---:|\n";
    for (what, usd, of) in [
        ("Gateway, a request (REST)", unit::REQUEST, 1e6),
        ("Lambda, an invocation", unit::INVOCATION, 1e6),
        ("Table, a read unit", unit::READ, 1e6),
        ("Table, a write unit", unit::WRITE, 1e6),
        ("SNS, a notification", unit::NOTIFICATION, 1e6),
        ("X-Ray, a trace", unit::TRACE, 1e6),
        ("SES, a mail (without a plan)", unit::MAIL, 1e3),
    ] {
        let _ = writeln!(
            text,
            "| {what}, by the {} | {:.4} |",
            if of > 1e5 { "million" } else { "thousand" },
            usd * of
        );
    }
    for (what, usd) in [
        ("Lambda on arm64, a GB-second", unit::GB_SECOND),
        ("Table, a GB-month", unit::TABLE_GB_MONTH),
        ("Point-in-time recovery, a GB-month", unit::BACKUP_GB_MONTH),
        ("Images, a GB-month", unit::IMAGE_GB_MONTH),
        ("Logs, a GB", unit::LOG_GB),
        ("An alarm, a month", unit::ALARM_MONTH),
        ("A dashboard, a month", unit::DASHBOARD_MONTH),
        (
            "A secret in Secrets Manager, a month, if none is given",
            unit::SECRET_MONTH,
        ),
    ] {
        let _ = writeln!(text, "| {what} | {usd} |");
    }
    text += include_str!("prices_notes.md");
    text
}
