//! What the command line can say.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

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
    /// Let thousands order some hundred tickets in seconds, and some give theirs back, while calls
    /// of the table fail and functions are killed
    Rush {
        #[arg(long, default_value_t = 5_000)]
        people: usize,
        #[arg(long, default_value_t = 200)]
        capacity: usize,
        /// Seconds within which all people order
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// How many give back what they got or wait for
        #[arg(long, default_value_t = 500)]
        returns: usize,
        /// How many of a thousand calls of the table fail
        #[arg(long, default_value_t = 300)]
        faults: u64,
        /// Seed that decides which calls fail
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How often all environments of the function are killed while people order
        #[arg(long, default_value_t = 2)]
        kills: u32,
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
