//! The records of the table's stream, in the form in which Lambda delivers them.

use aws_lambda_events::event::dynamodb::{EventRecord, StreamViewType};
use chrono::DateTime;
use rusqlite::{Connection, Row, params};

use crate::table::TABLE;

/// A batch has at most these bytes, as in Lambda, or one record.
const BATCH_BYTES: usize = 6 * 1_048_576;

/// Numbers have 21 digits outside of the engine: this one, and the number with zeros.
const FIRST_DIGIT: char = '1';

/// Reads at most `most` records of the stream: those after the record with this number, or the
/// first ones. Their time is that of the machine.
pub(crate) fn read(
    connection: &Connection,
    after: Option<&str>,
    most: usize,
) -> rusqlite::Result<Vec<EventRecord>> {
    let after = after.and_then(|number| number.strip_prefix(FIRST_DIGIT));
    let after: i64 = after.and_then(|number| number.parse().ok()).unwrap_or(0);
    let sql = "SELECT keys_json, CAST(sequence_number AS INTEGER),
            coalesce(event_id, sequence_number), event_name, created_at, new_image, old_image
        FROM _stream_records
        WHERE table_name = ?1 AND CAST(sequence_number AS INTEGER) > ?2
        ORDER BY CAST(sequence_number AS INTEGER) LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![TABLE, after, most])?;
    let (mut records, mut bytes) = (vec![], 0);
    while let Some(row) = rows.next()? {
        bytes += size(row)?;
        if bytes > BATCH_BYTES && !records.is_empty() {
            break;
        }
        let number = format!("{FIRST_DIGIT}{:020}", row.get::<_, i64>(1)?);
        records.push(record(row, &number)?);
    }
    Ok(records)
}

/// The bytes of keys and images.
fn size(row: &Row<'_>) -> rusqlite::Result<usize> {
    let mut bytes = 0;
    for column in [0, 5, 6] {
        bytes += row.get_ref(column)?.as_str_or_null()?.map_or(0, str::len);
    }
    Ok(bytes)
}

fn record(row: &Row<'_>, number: &str) -> rusqlite::Result<EventRecord> {
    let mut record = EventRecord::default();
    record.event_id = row.get(2)?;
    record.event_name = row.get(3)?;
    record.event_source = Some("aws:dynamodb".to_owned());
    record.event_version = Some("1.1".to_owned());
    let change = &mut record.change;
    change.approximate_creation_date_time =
        DateTime::from_timestamp(row.get(4)?, 0).unwrap_or_default();
    change.keys = json(row, 0)?;
    change.new_image = json::<Option<_>>(row, 5)?.unwrap_or_default();
    change.old_image = json::<Option<_>>(row, 6)?.unwrap_or_default();
    change.sequence_number = Some(number.to_owned());
    change.size_bytes = i64::try_from(size(row)?).unwrap_or(i64::MAX);
    change.stream_view_type = Some(StreamViewType::NewAndOldImages);
    Ok(record)
}

/// The value in a column with JSON.
fn json<'a, T: serde::Deserialize<'a>>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<T> {
    let value = row.get_ref(column)?;
    let text = value.as_str_or_null()?.unwrap_or("null");
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, value.data_type(), error.into())
    })
}
