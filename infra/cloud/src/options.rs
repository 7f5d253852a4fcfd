//! What the command line can say.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use tests::pairs::PAIRS;

/// Runs the release binaries in an emulated cloud on this machine. `bash infra/scripts/cloud`
/// prepares what it needs.
#[derive(Parser)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
    /// The folder into which `sam build` put the functions
    #[arg(long, default_value = ".aws-sam/build", global = true)]
    pub built: PathBuf,
    /// The functions of another release, which take every second invocation
    #[arg(long, global = true)]
    pub beside: Option<PathBuf>,
    /// The runtime interface emulator, which is a part of the SAM CLI
    #[arg(long, default_value = "aws-lambda-rie", global = true)]
    pub emulator: PathBuf,
    /// Address of the moto server, for SES and S3
    #[arg(long, default_value = "http://127.0.0.1:5000", global = true)]
    pub moto: String,
    /// The program that emulates DynamoDB
    #[arg(long, value_enum, default_value_t = TableEngine::Dynoxide, global = true)]
    pub table: TableEngine,
    /// Continue with this table, into which a table of the same moto server was restored
    #[arg(long, global = true)]
    pub restored: Option<String>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a recruitment from end to end, through all parts
    Story,
    /// Let a thousand students submit in a minute, while calls of the table fail and functions are
    /// killed
    Burst {
        #[arg(long, default_value_t = 1_000)]
        students: usize,
        /// Seconds within which all students submit
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// How many of a thousand calls of the table fail
        #[arg(long, default_value_t = 100)]
        faults: u64,
        /// Seed that decides which calls fail
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How often all environments of the function are killed
        #[arg(long, default_value_t = 2)]
        kills: u32,
    },
    /// Let five hundred people choose a hundred places for interviews, while the table fails
    Choose {
        #[arg(long, default_value_t = 500)]
        people: usize,
        /// Places in ten slots
        #[arg(long, default_value_t = 100)]
        places: usize,
        /// Seconds within which all people choose
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// How many of a thousand calls of the table fail
        #[arg(long, default_value_t = 100)]
        faults: u64,
    },
    /// Let writes arrive seconds late, after their opposites, with indexes that are behind, and
    /// kill the functions after each call
    Pairs {
        /// How many pairs of requests
        #[arg(long, default_value_t = PAIRS.len())]
        count: usize,
        /// Play only pairs whose name contains this
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Check the contract of the bucket of files with the emulator of S3 at this address, which
    /// checks signatures
    Contract { endpoint: String },
    /// Measure the start and the size of each function, beside those of a function that does
    /// nothing
    Measure {
        /// The binary of the function that does nothing
        #[arg(long)]
        empty: PathBuf,
    },
    /// Measure time, processor and memory of functions at work, apart from the table's engine
    Work {
        /// How many people have submitted
        #[arg(long, default_value_t = 1_000)]
        submissions: usize,
        /// How often each operation is measured
        #[arg(long, default_value_t = 15)]
        times: usize,
        /// Measure only operations whose name contains this
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Serve the whole API, for use by hand
    Serve {
        #[arg(long, default_value_t = 9000)]
        port: u16,
    },
    /// Serve only table, SES, S3 and issuer, for `sam local start-api`
    Services {
        #[arg(long, default_value_t = 8001)]
        port: u16,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableEngine {
    /// The engine of the local service, as a server
    Dynoxide,
    /// An independent emulator, as a second opinion. It takes one call at a time
    Moto,
}
