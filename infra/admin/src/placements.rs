//! How the keys of a deadline fall into the partitions of the table, and what the fullest takes.
//!
//! DynamoDB puts each partition key into one partition by a hash. Which keys share a partition is
//! chance, so this counts over many placements at random.

use shared::domain::SUBMISSION_PARTS;

/// Units of reads and of writes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Units {
    /// Units of reads.
    pub reads: f64,
    /// Units of writes.
    pub writes: f64,
}

/// What one partition of DynamoDB serves in a second.
pub const PARTITION: Units = Units {
    reads: 3_000.0,
    writes: 1_000.0,
};
/// Partitions of a new table on demand, and of each of its indexes.
pub const NEW_TABLE: u32 = 4;
/// Partitions of a table with the highest throughput that an account may ask for at first (40,000
/// units of writes).
pub const LARGEST_TABLE: u32 = 40;
/// How many placements are looked at.
const PLACEMENTS: usize = 4_000;
/// Applications beyond this number spread their keys as evenly as this number does.
const MOST_APPLICATIONS: u32 = 100;
/// Bytes in the table of 10 bytes of answers: they are compressed, and name their questions.
const PACKED: u32 = 6;

/// Partition keys of one kind that all submissions to an application use.
#[derive(Debug, Clone, Copy)]
pub struct HotKeys {
    /// The beginning of the keys.
    pub kind: &'static str,
    /// How many there are for one application.
    pub keys: u64,
    /// What a submission uses of all of them together.
    pub units: Units,
}

/// Units of the write of answers of this size (in bytes).
pub fn packed(answers: u32) -> f64 {
    f64::from((answers / 10 * PACKED).div_ceil(1_024).max(1))
}

/// Returns what a submission with answers of this size uses of the keys of its application.
/// `docs/scale.md` lists them; its test compares them with what submissions use. Each committee
/// beyond the second reads one unit more.
pub fn hot_keys(answers: u32) -> [HotKeys; 6] {
    let read = |kind, keys, reads, writes| HotKeys {
        kind,
        keys,
        units: Units { reads, writes },
    };
    [
        read("ANSWERS", SUBMISSION_PARTS, 0.0, packed(answers)),
        read("APPLICATIONS", 1, 1.0, 0.0),
        read("CLUB", 1, 1.0, 0.0),
        read("CLUBS", 1, 1.0, 0.0),
        read("EXTENSIONS", 1, 1.0, 0.0),
        read("SUBMISSIONS", SUBMISSION_PARTS, 3.0, 1.0),
    ]
}

/// What a submission uses of the keys of its person. These are so many that they spread evenly.
pub const OF_PERSON: Units = Units {
    reads: 1.0,
    writes: 1.0,
};

/// What a submission writes to each index. In `gsi2` it lies under the keys of the application.
pub const OF_INDEX: f64 = 1.0;

/// The loads of keys, each for one submission to any of the applications.
#[derive(Debug, Clone)]
pub struct Loads {
    hot: Vec<Units>,
    even: Units,
}

impl Loads {
    /// Returns the loads of the table, for answers of this size.
    pub fn of_table(answers: u32, applications: u32) -> Self {
        Self::spread(&hot_keys(answers), OF_PERSON, applications)
    }

    /// Returns the loads of `gsi2`.
    pub fn of_index(applications: u32) -> Self {
        let entries = HotKeys {
            kind: "SUBMISSIONS",
            keys: SUBMISSION_PARTS,
            units: Units {
                reads: 0.0,
                writes: OF_INDEX,
            },
        };
        Self::spread(&[entries], Units::default(), applications)
    }

    fn spread(kinds: &[HotKeys], even: Units, applications: u32) -> Self {
        let applications = applications.clamp(1, MOST_APPLICATIONS);
        let mut hot = Vec::new();
        for kind in kinds {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let keys = kind.keys as f64 * f64::from(applications);
            let units = Units {
                reads: kind.units.reads / keys,
                writes: kind.units.writes / keys,
            };
            for _ in 0..kind.keys * u64::from(applications) {
                hot.push(units);
            }
        }
        Self { hot, even }
    }

    /// Returns how many submissions a second a table with this many partitions serves until its
    /// fullest partition is full, for each placement; the lowest first. The same call returns the
    /// same.
    pub fn served(&self, partitions: u32) -> Served {
        let mut chance = fastrand::Rng::with_seed(u64::from(partitions));
        let even = Units {
            reads: self.even.reads / f64::from(partitions),
            writes: self.even.writes / f64::from(partitions),
        };
        let mut full = vec![even; partitions as usize];
        let mut all: Vec<f64> = (0..PLACEMENTS)
            .map(|_| {
                full.fill(even);
                for key in &self.hot {
                    let place = &mut full[chance.usize(..partitions as usize)];
                    place.reads += key.reads;
                    place.writes += key.writes;
                }
                full.iter()
                    .map(|one| (PARTITION.reads / one.reads).min(PARTITION.writes / one.writes))
                    .fold(f64::INFINITY, f64::min)
            })
            .collect();
        all.sort_by(f64::total_cmp);
        Served(all)
    }

    /// Returns the smallest number of partitions that serves so many submissions a second in 99 of
    /// 100 placements; none if not even the largest table does.
    pub fn partitions_for(&self, submissions: f64) -> Option<u32> {
        (NEW_TABLE..=LARGEST_TABLE)
            .filter(|partitions| *partitions < 10 || partitions % 5 == 0)
            .find(|partitions| self.served(*partitions).in_percent(99) >= submissions)
    }
}

/// Submissions a second, one number for each placement.
#[derive(Debug, Clone)]
pub struct Served(Vec<f64>);

impl Served {
    /// Returns the number that so many of 100 placements reach.
    pub fn in_percent(&self, percent: usize) -> f64 {
        let missed = self.0.len() * (100 - percent) / 100;
        self.0.get(missed).copied().unwrap_or_default()
    }
}
