//! Tables that people open in a spreadsheet: CSV in either dialect, and XLSX (S11, S12, S22).

use std::collections::{HashMap, HashSet};

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono_tz::Tz;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use super::error::ApiError;
use super::idempotency::ChangedNothing;
use super::list::{Sliced, accepts};
use super::params::Params;
use crate::ids::Id;
use crate::limits;
use crate::reason::Reason;
use crate::state::Context;
use crate::time::Timestamp;

/// The media type of XLSX.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// A cell of XLSX has at most so many characters. The rest is left out.
const CELL: usize = 32_767;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// CSV in UTF-8 with a byte order mark, and with this delimiter.
    Csv(u8),
    /// XLSX.
    Xlsx,
}

impl ExportFormat {
    /// Returns what a request asks for: `format` is `csv` or `xlsx`, or else `Accept` tells it;
    /// `dialect` of CSV is `comma` or `semicolon`.
    pub fn of(params: &Params, headers: &HeaderMap) -> Result<Self, ApiError> {
        let csv = Self::csv(params)?;
        match params.text("format") {
            Some("csv") => Ok(csv),
            Some("xlsx") => Ok(Self::Xlsx),
            Some(_) => Err(ApiError::field(
                "format",
                Reason::not_one_of(["csv", "xlsx"]),
            )),
            None if accepts(headers, XLSX, "text/csv") => Ok(Self::Xlsx),
            None => Ok(csv),
        }
    }

    /// Returns CSV in the dialect that a request asks for.
    pub fn csv(params: &Params) -> Result<Self, ApiError> {
        match params.text("dialect") {
            None | Some("comma") => Ok(Self::Csv(b',')),
            Some("semicolon") => Ok(Self::Csv(b';')),
            Some(_) => {
                let why = Reason::not_one_of(["comma", "semicolon"]);
                Err(ApiError::field("dialect", why))
            }
        }
    }
}

/// What an export is asked for: its format, and the rows that were chosen; none for all.
pub struct ExportRequest<T> {
    /// The format.
    pub format: ExportFormat,
    /// The ids of the rows.
    pub chosen: Option<HashSet<Id<T>>>,
}

impl<T> ExportRequest<T> {
    /// Reads it from the address of a request.
    pub fn of(params: &Params, headers: &HeaderMap) -> Result<Self, ApiError> {
        Ok(Self {
            format: ExportFormat::of(params, headers)?,
            chosen: params.ids("ids", limits::EXPORTED_BY_ADDRESS)?,
        })
    }

    /// The same with the ids in the body of the request.
    pub fn of_ids(params: &Params, headers: &HeaderMap, ids: Vec<Id<T>>) -> Result<Self, ApiError> {
        let limit = limits::EXPORTED;
        if ids.len() > limit {
            return Err(ApiError::field("ids", Reason::TooMany { limit }));
        }
        Ok(Self {
            format: ExportFormat::of(params, headers)?,
            chosen: Some(ids.into_iter().collect()),
        })
    }

    /// Returns whether a row is exported.
    pub fn has(&self, id: Id<T>) -> bool {
        self.chosen.as_ref().is_none_or(|all| all.contains(&id))
    }
}

/// A cell of a table.
#[derive(Debug, Clone)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A text. In CSV, one that a spreadsheet would run as a formula is made harmless.
    Text(String),
    /// A number.
    Number(f64),
    /// A time: in CSV in UTC, in XLSX a date in the time zone of the campus.
    Time(Timestamp),
}

impl Cell {
    /// Yes or no: a word where people read it, as in XLSX.
    pub fn flag(flag: bool, is_xlsx: bool) -> Self {
        match (is_xlsx, flag) {
            (true, true) => "yes".into(),
            (true, false) => "no".into(),
            (false, flag) => flag.to_string().into(),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<Timestamp>> for Cell {
    fn from(time: Option<Timestamp>) -> Self {
        time.map_or(Self::Empty, Self::Time)
    }
}

/// A table that is being written, row by row.
pub struct ExportFile(Writer);

enum Writer {
    Csv(Box<csv::Writer<Vec<u8>>>),
    Xlsx(Box<Xlsx>),
}

struct Xlsx {
    rows: Worksheet,
    row: u32,
    zone: Tz,
    /// The formats of times, by the name of the zone then: it is summer or winter.
    times: HashMap<String, Format>,
}

fn failed(error: impl std::error::Error) -> ApiError {
    ApiError::Internal(error.to_string())
}

impl ExportFile {
    /// A table with these columns. Of several with the same name, the later ones get a number.
    pub fn new(app: &Context, format: ExportFormat, columns: &[String]) -> Result<Self, ApiError> {
        let zone = app.settings.mail.time_zone;
        let columns = numbered(columns.iter().cloned());
        match format {
            ExportFormat::Csv(delimiter) => {
                let bytes = "\u{feff}".as_bytes().to_vec();
                let mut builder = csv::WriterBuilder::new();
                let mut writer = builder.delimiter(delimiter).from_writer(bytes);
                let columns = columns.iter().map(|column| harmless(column));
                writer.write_record(columns).map_err(failed)?;
                Ok(Self(Writer::Csv(Box::new(writer))))
            }
            ExportFormat::Xlsx => {
                let mut xlsx = Xlsx {
                    rows: Worksheet::new(),
                    row: 0,
                    zone,
                    times: HashMap::new(),
                };
                xlsx.head(&columns).map_err(failed)?;
                Ok(Self(Writer::Xlsx(Box::new(xlsx))))
            }
        }
    }

    /// Writes a row.
    pub fn row(&mut self, cells: Vec<Cell>) -> Result<(), ApiError> {
        match &mut self.0 {
            Writer::Csv(writer) => {
                let cells = cells.into_iter().map(|cell| match cell {
                    Cell::Empty => String::new(),
                    Cell::Text(text) => harmless(&text),
                    Cell::Number(number) => number.to_string(),
                    Cell::Time(time) => time.to_string(),
                });
                writer.write_record(cells).map_err(failed)
            }
            Writer::Xlsx(xlsx) => xlsx.write(&cells).map_err(failed),
        }
    }

    /// Returns the table as a file with this name, to which its ending is added. `next` is the link
    /// to the next part, if there is one.
    pub fn response(self, name: &str, next: Option<HeaderValue>) -> Result<Response, ApiError> {
        let (bytes, media_type, ending) = match self.0 {
            Writer::Csv(writer) => {
                let bytes = writer.into_inner().map_err(failed)?;
                (bytes, "text/csv; charset=utf-8", "csv")
            }
            Writer::Xlsx(xlsx) => {
                let mut book = Workbook::new();
                // A time of now would make each file another one.
                let made = ExcelDateTime::from_ymd(2000, 1, 1).map_err(failed)?;
                book.set_properties(&DocProperties::new().set_creation_datetime(&made));
                book.push_worksheet(xlsx.rows);
                (book.save_to_buffer().map_err(failed)?, XLSX, "xlsx")
            }
        };
        let headers = [
            (header::CONTENT_TYPE, media_type.to_owned()),
            (
                header::CONTENT_DISPOSITION,
                format!("attachment; filename=\"{name}.{ending}\""),
            ),
        ];
        let mut response = (headers, bytes).into_response();
        response.extensions_mut().insert(Sliced);
        // A repeat is answered anew.
        response.extensions_mut().insert(ChangedNothing);
        if let Some(link) = next {
            response.headers_mut().insert(header::LINK, link);
        }
        Ok(response)
    }
}

impl Xlsx {
    fn head(&mut self, columns: &[String]) -> Result<(), XlsxError> {
        let bold = Format::new().set_bold();
        for (n, column) in (0..).zip(columns) {
            self.rows
                .write_string_with_format(0, n, shortened(column), &bold)?;
            self.rows.set_column_width(n, 20)?;
        }
        self.rows.set_freeze_panes(1, 0)?;
        Ok(())
    }

    fn write(&mut self, cells: &[Cell]) -> Result<(), XlsxError> {
        self.row += 1;
        for (n, cell) in (0..).zip(cells) {
            match cell {
                Cell::Empty => {}
                Cell::Text(text) => {
                    self.rows.write_string(self.row, n, shortened(text))?;
                }
                Cell::Number(number) => {
                    self.rows.write_number(self.row, n, *number)?;
                }
                Cell::Time(time) => {
                    let local = time.moment().with_timezone(&self.zone);
                    let name = local.format("%Z").to_string();
                    let format = self.times.entry(name).or_insert_with_key(|name| {
                        let format = format!("yyyy-mm-dd hh:mm:ss \"{name}\"");
                        Format::new().set_num_format(format)
                    });
                    let local = local.naive_local();
                    self.rows
                        .write_datetime_with_format(self.row, n, local, format)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns names that are all different: of several with the same name, the later ones get the next
/// number that is free.
fn numbered(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut used = HashSet::new();
    let unique = names.map(|name| {
        let more = (2..).map(|n| format!("{name} ({n})"));
        let mut all = std::iter::once(name.clone()).chain(more);
        all.find(|one| used.insert(one.clone())).unwrap_or(name)
    });
    unique.collect()
}

/// Returns the text as a cell of XLSX can hold it.
fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(CELL)
        .map_or(text, |(end, _)| &text[..end])
}

/// Changes a cell of CSV so that no spreadsheet runs it as a formula (S12; OWASP, CSV injection). A
/// spreadsheet may take semicolons or tabs as separators, depending on its locale. Then quotes do
/// not protect, and a new cell begins after each of them.
fn harmless(cell: &str) -> String {
    let mut whole = String::with_capacity(cell.len());
    for (n, part) in cell.split_inclusive([';', '\t', '\r', '\n']).enumerate() {
        if is_formula(part) || (n == 0 && part.starts_with(['\t', '\r', '\n'])) {
            whole.push('\'');
        }
        whole.push_str(part);
    }
    whole
}

/// Whether a spreadsheet would run a text. A phone number and an item of a list are no formulas:
/// behind their sign they call nothing.
fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\u{a0}', '"', '\'']);
    let mut chars = text.chars();
    match chars.next() {
        Some('=' | '@' | '＝' | '＠') => true,
        Some(sign @ ('+' | '-' | '＋' | '－')) => {
            let rest = chars.as_str().trim_end();
            let is_number = |c: char| c.is_ascii_digit() || " ()/.,-\u{a0}".contains(c);
            let is_item = rest.starts_with(char::is_whitespace);
            // A call may have a space before its bracket, but then it is all of the text.
            let is_name = |c: char| c.is_alphanumeric() || "_.".contains(c);
            let calls = rest.contains(['=', '!', '|'])
                || rest.split_once('(').is_some_and(|(name, inside)| {
                    let is_one_word = name.trim().chars().all(is_name) && !inside.contains(' ');
                    name.ends_with(is_name) || is_one_word || inside.contains(['"', '&', '('])
                });
            let is_phone = sign == '+' && rest.chars().all(is_number);
            !is_phone && (!is_item || calls)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves S22
    #[test]
    fn columns_have_names_of_their_own() {
        let names = ["Why?", "Why?", "Why? (2)", "Why?"].map(str::to_owned);
        let unique = numbered(names.into_iter());
        assert_eq!(unique, ["Why?", "Why? (2)", "Why? (2) (2)", "Why? (3)"]);
    }

    // proves S12
    #[test]
    fn formulas_are_no_formulas_in_any_locale() {
        for (cell, expected) in [
            ("plain; text", "plain; text"),
            ("=1+1", "'=1+1"),
            ("a;=1+1", "a;'=1+1"),
            ("a;\"=1+1", "a;'\"=1+1"),
            ("a\t@x", "a\t'@x"),
            ("\t=1", "'\t'=1"),
            ("x = 1, y = 2", "x = 1, y = 2"),
            ("+49 (170) 123-45", "+49 (170) 123-45"),
            (" -1", "' -1"),
            ("+ 5 years", "+ 5 years"),
            ("- chess (two years)\n- go", "- chess (two years)\n- go"),
            ("-chess", "'-chess"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("- cmd|' /C calc'!A0", "'- cmd|' /C calc'!A0"),
            ("- HYPERLINK(\"x\")", "'- HYPERLINK(\"x\")"),
            ("- HYPERLINK (\"x\"&A1)", "'- HYPERLINK (\"x\"&A1)"),
            ("- WEBSERVICE (B2)", "'- WEBSERVICE (B2)"),
            ("- chess (two years), go", "- chess (two years), go"),
            ("- chess", "- chess"),
            ("-1+A1", "'-1+A1"),
            ("－1+A1", "'－1+A1"),
        ] {
            assert_eq!(harmless(cell), expected);
        }
    }
}
