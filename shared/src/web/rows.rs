//! The rows of an import: CSV as spreadsheets save it, or a JSON array (B1).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

use super::body::{invalid_body, media_type, read};
use super::error::{ApiError, FieldErrors};
use super::idempotency::ChangedNothing;
use super::twice::Twice;
use crate::limits;
use crate::reason::Reason;

/// The rows of the request body, in their order.
pub struct ImportRows {
    rows: Vec<ImportRow>,
    is_csv: bool,
}

impl ImportRows {
    /// Returns the rows if they have no other columns than these, and each once. Otherwise it is
    /// 400, which names the others, because an import cannot be taken back (H34).
    pub fn with_columns(self, listed: &[&str]) -> Result<Vec<ImportRow>, ApiError> {
        let mut errors = FieldErrors::default();
        for row in &self.rows {
            let mut seen = HashSet::new();
            for (name, path) in &row.sent {
                if !listed.contains(&name.as_str()) {
                    errors.add(path, Reason::UnknownField);
                } else if !seen.insert(name) {
                    errors.add(path, Reason::Twice);
                }
            }
        }
        errors.check()?;
        Ok(self.rows)
    }

    /// Returns the rows with these columns, and the names of the other columns of a table, which
    /// are ignored: a roster has what its club needs. It is 400 if a column is there twice, or if
    /// its name is nearly one of these: it could be meant (B8). An array of objects is as strict as
    /// in [`ImportRows::with_columns`].
    pub fn of_roster(mut self, listed: &[&str]) -> Result<(Vec<ImportRow>, Vec<String>), ApiError> {
        if !self.is_csv {
            return Ok((self.with_columns(listed)?, vec![]));
        }
        let mut ignored = vec![];
        let mut errors = FieldErrors::default();
        if let Some(first) = self.rows.first_mut() {
            let is_listed = |name: &String| listed.contains(&name.as_str());
            let near = |name: &str| {
                let mut all = listed.iter();
                all.find(|one| strsim::osa_distance(one, name) < 2).copied()
            };
            let (listed_here, others) = std::mem::take(&mut first.sent)
                .into_iter()
                .partition::<Vec<_>, _>(|(name, _)| is_listed(name));
            first.sent = listed_here;
            for (name, path) in others {
                match near(&name) {
                    Some(field) => errors.add(
                        path,
                        Reason::NearColumn {
                            value: field.to_owned(),
                        },
                    ),
                    None => ignored.push(path),
                }
            }
        }
        errors.check()?;
        Ok((self.with_columns(listed)?, ignored))
    }
}

/// One row. Columns that are missing and cells that are empty are the same.
#[derive(Debug, Clone, Default)]
pub struct ImportRow {
    /// The number of the row; the first one with data is 1.
    pub number: usize,
    cells: BTreeMap<String, String>,
    /// Lists of texts. Only some columns take them.
    lists: BTreeMap<String, Vec<String>>,
    /// Columns whose cell is no text.
    wrong: Vec<String>,
    /// The names of the columns as they were sent, each with its field path.
    sent: Vec<(String, String)>,
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct RowError {
    /// Number of the row; the first one with data is 1.
    pub row: usize,
    /// The column.
    pub field: String,
    /// A sentence for people.
    pub message: String,
    /// The same for programs.
    pub reason: Reason,
}

/// The outcome of an import.
#[derive(Debug, Clone, Default, Serialize, utoipa::ToSchema)]
pub struct ImportBody {
    /// Whether nothing was changed, and the numbers are what would happen.
    pub dry_run: bool,
    /// Number of rows that created something.
    pub created: usize,
    /// Number of rows that changed something.
    pub updated: usize,
    /// Number of people who were invited.
    pub invited: usize,
    /// Number of rows that changed nothing, because everything is there already.
    pub skipped: usize,
    /// What is wrong with rows. These rows were left out.
    pub errors: Vec<RowError>,
    /// The columns of a roster that the import does not know, as they were sent. Missing if there
    /// are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub ignored_columns: Vec<String>,
}

impl ImportBody {
    /// Adds an error of a row.
    pub fn error(&mut self, row: usize, field: &str, reason: Reason) {
        self.errors.push(RowError {
            row,
            field: field.to_owned(),
            message: reason.to_string(),
            reason,
        });
    }
}

impl IntoResponse for ImportBody {
    /// The errors are in the order of the rows. A dry run does not use up an idempotency key.
    fn into_response(mut self) -> Response {
        self.errors
            .sort_by(|a, b| (a.row, &a.field).cmp(&(b.row, &b.field)));
        let is_dry = self.dry_run;
        let mut response = Json(self).into_response();
        if is_dry {
            response.extensions_mut().insert(ChangedNothing);
        }
        response
    }
}

impl ImportRow {
    /// Returns the text of a column without the spaces around it; none if it is empty.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str)
    }

    /// Returns the texts of a column that may hold several: the list in JSON, or the parts of the
    /// text between `|` or commas.
    pub fn texts(&self, column: &str) -> Vec<&str> {
        let texts: Vec<&str> = match self.lists.get(column) {
            Some(list) => list.iter().map(String::as_str).collect(),
            None => self
                .text(column)
                .unwrap_or_default()
                .split(['|', ','])
                .collect(),
        };
        let texts = texts.into_iter().map(str::trim);
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Returns the columns whose cell is no text, or a list where the column takes none.
    pub fn wrong(&self, takes_lists: &[&str]) -> Vec<&str> {
        let lists = self.lists.keys().map(String::as_str);
        let wrong = self.wrong.iter().map(String::as_str);
        wrong
            .chain(lists.filter(|column| !takes_lists.contains(column)))
            .collect()
    }

    fn set(&mut self, column: &str, cell: &str) {
        let cell = cell.trim();
        if !cell.is_empty() {
            self.cells
                .insert(column.trim().to_lowercase(), cell.to_owned());
        }
    }

    fn of_json(number: usize, value: Value) -> Result<Self, ApiError> {
        let path = (number - 1).to_string();
        let Value::Object(fields) = value else {
            return Err(ApiError::field(path, Reason::NotObject));
        };
        let mut row = Self {
            number,
            ..Self::default()
        };
        for (column, value) in fields {
            let name = column.trim().to_lowercase();
            row.sent.push((name.clone(), format!("{path}.{column}")));
            match value {
                Value::Null => {}
                Value::String(text) => row.set(&column, &text),
                Value::Number(number) => row.set(&column, &number.to_string()),
                Value::Array(items) if items.iter().all(Value::is_string) => {
                    let texts = items.iter().filter_map(Value::as_str);
                    row.lists.insert(name, texts.map(str::to_owned).collect());
                }
                Value::Array(_) | Value::Object(_) | Value::Bool(_) => row.wrong.push(name),
            }
        }
        Ok(row)
    }
}

impl<S: Send + Sync> FromRequest<S> for ImportRows {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let sent = media_type(request.headers());
        if !["text/csv", "application/json"].contains(&sent.as_str()) {
            return Err(ApiError::UnsupportedMediaType(
                "Send rows as text/csv or as application/json.",
            ));
        }
        let bytes = read(request).await?;
        let is_csv = sent == "text/csv";
        let rows = if is_csv {
            of_csv(&bytes)?
        } else {
            of_json(&bytes)?
        };
        if rows.len() > limits::IMPORTED {
            let limit = limits::IMPORTED;
            return Err(ApiError::field("rows", Reason::TooMany { limit }));
        }
        Ok(Self { rows, is_csv })
    }
}

fn of_json(bytes: &[u8]) -> Result<Vec<ImportRow>, ApiError> {
    let value: Value = serde_json::from_slice(bytes).map_err(invalid_body)?;
    let Value::Array(rows) = value else {
        return Err(invalid_body("it must be a JSON array"));
    };
    Twice::check(bytes)?;
    rows.into_iter()
        .enumerate()
        .map(|(i, row)| ImportRow::of_json(i + 1, row))
        .collect()
}

/// The text from its first line with more than spaces.
fn without_blank_lines(text: &str) -> &str {
    let blank = text
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty());
    &text[blank.map(str::len).sum()..]
}

/// Returns the number of the row with a quote that is not closed: it would hold all later rows.
fn open_quote(text: &str, delimiter: u8) -> Option<usize> {
    let (mut row, mut opened, mut is_start, mut is_empty) = (0, None, true, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            // A doubled quote is a part of the text.
            b'"' if opened.is_some() => {
                if bytes.next_if_eq(&b'"').is_none() {
                    opened = None;
                }
            }
            _ if opened.is_some() => {}
            b'"' if is_start => (opened, is_start, is_empty) = (Some(row), false, false),
            b'\n' | b'\r' => {
                // Empty lines are no rows.
                row += usize::from(!is_empty);
                (is_start, is_empty) = (true, true);
            }
            other => (is_start, is_empty) = (other == delimiter, false),
        }
    }
    opened
}

/// Reads CSV with a header line. The delimiter is the one that the header line has: a spreadsheet
/// saves a comma, a semicolon or a tab, depending on its locale.
fn of_csv(bytes: &[u8]) -> Result<Vec<ImportRow>, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::rule(Reason::NotUtf8))?;
    // Old spreadsheets end lines with a carriage return alone.
    let text = if text.contains('\n') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.replace('\r', "\n"))
    };
    let mut text = without_blank_lines(text.trim_start_matches('\u{feff}'));
    // Some spreadsheets tell their delimiter in a line of its own.
    if let Some((first, rest)) = text.split_once('\n')
        && first.to_ascii_lowercase().starts_with("sep=")
    {
        text = without_blank_lines(rest);
    }
    let header = text.lines().next();
    let header = header.ok_or_else(|| ApiError::rule(Reason::NoHeader))?;
    let delimiter = delimiter(header);
    if let Some(row) = open_quote(text, delimiter) {
        return Err(ApiError::field(row.to_string(), Reason::OpenQuote));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| {
        let error = error.to_string();
        ApiError::rule(Reason::InvalidCsv { error })
    };
    let columns = reader.headers().map_err(unreadable)?.clone();
    let mut rows: Vec<ImportRow> = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(unreadable)?;
        let mut row = ImportRow {
            number: i + 1,
            ..ImportRow::default()
        };
        for (column, cell) in columns.iter().zip(&record) {
            row.set(column, cell);
        }
        // Cells behind the last column have no name.
        if record
            .iter()
            .skip(columns.len())
            .any(|cell| !cell.trim().is_empty())
        {
            let why = Reason::TooManyCells;
            return Err(ApiError::field(format!("{}", i + 1), why));
        }
        // Spreadsheets save rows that were emptied. They keep their numbers.
        if !row.cells.is_empty() {
            rows.push(row);
        }
        if rows.len() > limits::IMPORTED {
            break;
        }
    }
    // The names are told once. An empty one is allowed over an empty column.
    if let Some(first) = rows.first_mut() {
        first.sent = columns
            .iter()
            .filter(|name| !name.trim().is_empty())
            .map(|name| (name.trim().to_lowercase(), name.trim().to_owned()))
            .collect();
    }
    if rows.iter().any(|row| row.cells.contains_key("")) {
        return Err(ApiError::rule(Reason::NamelessColumn));
    }
    Ok(rows)
}

/// Returns the delimiter that occurs most often in the header line, outside quotes.
fn delimiter(header: &str) -> u8 {
    let count = |delimiter: char| {
        let mut quoted = false;
        let outside = header.chars().filter(|c| {
            quoted ^= *c == '"';
            !quoted && *c == delimiter
        });
        outside.count()
    };
    let (comma, semicolon, tab) = (count(','), count(';'), count('\t'));
    if tab > comma.max(semicolon) {
        b'\t'
    } else if semicolon > comma {
        b';'
    } else {
        b','
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<(usize, String, String)> {
        of_csv(text.as_bytes())
            .expect("rows")
            .into_iter()
            .map(|row| {
                let cell = |name| row.text(name).unwrap_or_default().to_owned();
                (row.number, cell("email"), cell("title"))
            })
            .collect()
    }

    // proves B1
    #[test]
    fn spreadsheets_of_any_locale_are_read() {
        let row = |n: usize, email: &str, title: &str| (n, email.to_owned(), title.to_owned());
        let expected = vec![row(1, "a@x", "Board, \"IT\"; web"), row(3, "b@x", "")];
        for text in [
            "email,title\na@x,\"Board, \"\"IT\"\"; web\"\n,\nb@x,\n",
            "\u{feff}Email;Title\r\na@x;\"Board, \"\"IT\"\"; web\"\r\n;\r\nb@x;\r\n",
            "email,title\ra@x,\"Board, \"\"IT\"\"; web\"\r,\rb@x,\r",
            "EMAIL\ttitle\na@x\t\"Board, \"\"IT\"\"; web\"\n\t\nb@x",
            "sep=;\r\n\"email\";\"title\"\r\n a@x ;\"Board, \"\"IT\"\"; web\"\r\n;\r\nb@x\r\n",
        ] {
            assert_eq!(cells(text), expected, "{text}");
        }
        assert!(of_csv(b"email\n\xff").is_err());
        assert!(of_csv(b"").is_err());
        // A line break inside quotes is part of the cell.
        assert_eq!(cells("email,title\nx,\"a\nb\"")[0].2, "a\nb");
    }
}
