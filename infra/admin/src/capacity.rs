//! `clubs-admin capacity`: the throughput that a table should be warmed up to before a deadline.

use clap::Args;

use crate::placements::{
    LARGEST_TABLE, Loads, NEW_TABLE, OF_INDEX, OF_PERSON, PARTITION, Units, hot_keys,
};

/// How much of what a table reaches can be counted on, for what else students do at that time.
const OTHER_LOAD: f64 = 1.25;

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

impl Deadline {
    /// Returns what the table must serve in the busiest second.
    pub fn throughput(&self) -> Throughput {
        let seconds = f64::from(self.minutes.max(1)) * 60.0;
        let average = f64::from(self.submissions) / seconds;
        let submissions = (average * f64::from(self.peak.max(1))).ceil();
        let mut each = OF_PERSON;
        for kind in hot_keys(self.answers) {
            each.reads += kind.units.reads;
            each.writes += kind.units.writes;
        }
        Throughput {
            submissions,
            reads: (submissions * each.reads).ceil(),
            writes: (submissions * each.writes).ceil(),
            index_writes: (submissions * OF_INDEX).ceil(),
        }
    }

    /// Returns how many partitions the table and its indexes need; none if no table serves it.
    pub fn partitions(&self) -> (Option<u32>, Option<u32>) {
        let submissions = self.throughput().submissions * OTHER_LOAD;
        let of_table = Loads::of_table(self.answers, self.applications);
        let of_index = Loads::of_index(self.applications);
        (
            of_table.partitions_for(submissions),
            of_index.partitions_for(submissions),
        )
    }

    /// Returns the advice, line by line: what is expected, whether a new table is enough, and the
    /// command if it is not.
    pub fn advice(&self) -> Vec<String> {
        let needed = self.throughput();
        let mut lines = vec![format!(
            "In the busiest second {} submissions: {} units of reads, {} of writes, {} of writes \
             for each index.",
            needed.submissions, needed.reads, needed.writes, needed.index_writes
        )];
        if self.applications <= 1 {
            lines.push(
                "This is for one application. If several close at the same time, count all of \
                 their submissions, and pass --applications."
                    .to_owned(),
            );
        }
        let (table, index) = self.partitions();
        if table == Some(NEW_TABLE) && index == Some(NEW_TABLE) {
            lines.push("A new table serves that. Nothing needs to be done.".to_owned());
            return lines;
        }
        if table.is_none() || index.is_none() {
            let most = Loads::of_table(self.answers, self.applications).served(LARGEST_TABLE);
            lines.push(format!(
                "With {LARGEST_TABLE} partitions, the most without a request to AWS, 99 of 100 \
                 placements of the keys serve {:.0} submissions a second, and half of them {:.0}. \
                 So some students would have to try again for a while. Let the applications close \
                 at different times.",
                most.in_percent(99),
                most.in_percent(50),
            ));
        }
        lines.push("A new table may not serve that at once. Some days before, run:".to_owned());
        lines.push(self.command(table, index));
        lines
    }

    /// The command that raises the table and both indexes. DynamoDB refuses a second one while the
    /// first is at work.
    fn command(&self, table: Option<u32>, index: Option<u32>) -> String {
        let warm = |partitions: Option<u32>, reads: f64| {
            let partitions = f64::from(partitions.unwrap_or(LARGEST_TABLE));
            let least = f64::from(NEW_TABLE) * PARTITION.reads;
            Units {
                reads: reads.max(least),
                writes: partitions * PARTITION.writes,
            }
        };
        let of_table = warm(table, self.throughput().reads);
        let of_index = warm(index, 0.0);
        let updates = ["gsi1", "gsi2"].map(|name| {
            format!(
                "{{\"Update\":{{\"IndexName\":\"{name}\",\"WarmThroughput\":{{\
                 \"ReadUnitsPerSecond\":{},\"WriteUnitsPerSecond\":{}}}}}}}",
                of_index.reads, of_index.writes
            )
        });
        format!(
            "aws dynamodb update-table --table-name {} --warm-throughput \
             ReadUnitsPerSecond={},WriteUnitsPerSecond={} --global-secondary-index-updates '[{}]'",
            self.table,
            of_table.reads,
            of_table.writes,
            updates.join(",")
        )
    }
}
