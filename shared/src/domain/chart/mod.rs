//! The chart of everything that is stored. `docs/table.md` is generated from it. The keys
//! themselves are built in `keys`.

mod people_and_clubs;
mod recruitment;

/// One row of the chart: type, partition key, sort key, key in `gsi1`, and a description.
pub type ChartRow = [&'static str; 5];

/// Returns the rows. `docs/table.md` is generated from them, and a test compares them with the
/// items that are really stored.
pub fn chart() -> impl Iterator<Item = &'static ChartRow> {
    people_and_clubs::ROWS.iter().chain(recruitment::ROWS)
}
