//! `clubs-admin capacity`: the throughput that a table should be warmed up to before a deadline.

use clap::Args;
use shared::domain::SUBMISSION_PARTS;

/// Units of a submission that do not depend on its answers. `docs/scale.md` lists them; its test
/// compares them with what submissions use.
///
/// Reads of an application with two committees. Each further committee is one more.
const READS: f64 = 8.0;
/// The write that notes where somebody has submitted.
const PLACE: f64 = 1.0;
const INDEX_WRITES: f64 = 1.0;
/// The write of the submission without its answers.
const OWN: f64 = 1.0;
/// Bytes in the table of 10 bytes of answers: they are compressed, and name their questions.
const PACKED: u32 = 6;
/// A new table on demand serves these units in a second.
const NEW_TABLE: (f64, f64) = (12_000.0, 4_000.0);
/// A partition serves this many units of writes in a second.
const PARTITION_WRITES: f64 = 1_000.0;

/// What is expected at a deadline.
#[derive(Debug, Args)]
pub struct Deadline {
    /// Submissions in the last minutes
    #[arg(long)]
    pub submissions: u32,
    /// The last minutes
    #[arg(long, default_value_t = 10)]
    pub minutes: u32,
    /// Bytes of the answers of one submission
    #[arg(long, default_value_t = 5_000)]
    pub answers: u32,
    /// How many times more than on average arrive in the busiest second
    #[arg(long, default_value_t = 5)]
    pub peak: u32,
    /// Applications among which the submissions are spread
    #[arg(long, default_value_t = 1)]
    pub applications: u32,
    /// Name of the table, for the commands
    #[arg(long, default_value = "TABLE")]
    pub table: String,
}

/// Units in a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throughput {
    /// Submissions in the busiest second.
    pub submissions: f64,
    /// Units of reads of the table.
    pub reads: f64,
    /// Units of writes of the table.
    pub writes: f64,
    /// Units of writes of each index.
    pub index_writes: f64,
}

/// Units of reads and of writes that a submission with answers of this size uses of the table.
pub fn units(answers: u32) -> (f64, f64) {
    (READS, packed(answers) + OWN + PLACE)
}

/// Units of the write of the answers.
fn packed(answers: u32) -> f64 {
    f64::from((answers / 10 * PACKED).div_ceil(1_024).max(1))
}

impl Deadline {
    /// Returns what the table must serve in the busiest second.
    pub fn throughput(&self) -> Throughput {
        let seconds = f64::from(self.minutes.max(1)) * 60.0;
        let average = f64::from(self.submissions) / seconds;
        let submissions = (average * f64::from(self.peak.max(1))).ceil();
        let (reads, writes) = units(self.answers);
        Throughput {
            submissions,
            reads: (submissions * reads).ceil(),
            writes: (submissions * writes).ceil(),
            index_writes: (submissions * INDEX_WRITES).ceil(),
        }
    }

    /// Returns the advice, line by line: what is expected, whether a new table is enough, and the
    /// commands if it is not.
    pub fn advice(&self) -> Vec<String> {
        let Throughput {
            submissions,
            reads,
            writes,
            index_writes,
        } = self.throughput();
        let mut lines = vec![format!(
            "In the busiest second {submissions} submissions: {reads} units of reads, {writes} of \
             writes, {index_writes} of writes for each index."
        )];
        let parts = u32::try_from(SUBMISSION_PARTS).unwrap_or(1);
        // Of all keys of an application, those of the answers are the hottest.
        let of_all = submissions * packed(self.answers);
        let of_one = of_all / f64::from(self.applications.max(1)) / f64::from(parts);
        if of_one > PARTITION_WRITES {
            lines.push(format!(
                "One application would write {of_one:.0} units to each of its {parts} keys, and a \
                 partition takes {PARTITION_WRITES}. Some students would have to try again."
            ));
        }
        // Keys do not spread evenly over partitions: half of the throughput can be counted on.
        let (reads, writes) = (reads * 2.0, writes * 2.0);
        if reads <= NEW_TABLE.0 && writes <= NEW_TABLE.1 {
            lines.push("A new table serves that. Nothing needs to be done.".to_owned());
            return lines;
        }
        let (reads, writes) = (reads.max(NEW_TABLE.0), writes.max(NEW_TABLE.1));
        let index = (index_writes * 2.0).max(NEW_TABLE.1);
        lines.push("A new table does not serve that at once. Some days before, run:".to_owned());
        lines.push(format!(
            "aws dynamodb update-table --table-name {} --warm-throughput \
             ReadUnitsPerSecond={reads},WriteUnitsPerSecond={writes}",
            self.table
        ));
        for name in ["gsi1", "gsi2"] {
            lines.push(format!(
                "aws dynamodb update-table --table-name {} --global-secondary-index-updates \
                 '[{{\"Update\":{{\"IndexName\":\"{name}\",\"WarmThroughput\":{{\
                 \"ReadUnitsPerSecond\":{},\"WriteUnitsPerSecond\":{index}}}}}}}]'",
                self.table, NEW_TABLE.0
            ));
        }
        lines
    }
}
