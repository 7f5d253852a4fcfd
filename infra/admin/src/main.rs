//! The commands of `clubs-admin`, for whoever operates a deployment: `check` reads a whole table
//! and says what is wrong, `repair` repairs what follows from other items, `bring-back` copies
//! single objects from a restored table, `erase` erases a person, `reconcile` compares receipts
//! with a table, `preflight` asks the account what would make a deployment fail, `keep` remembers a
//! release and `back` returns to it.

mod access;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use admin::{BroughtBack, DeploymentPlan, Erased, ItemFilter, Repairs, Stack, Way};
use clap::{Parser, Subcommand};
use serde_json::json;
use shared::db::Table;
use shared::time::{Clock as _, SystemClock};

use crate::access::{Which, connect, each_page, read_all, with_files};

/// Checks and repairs a table of Clubs. Credentials and region come from the environment or a
/// profile, as for the AWS CLI.
#[derive(Parser)]
#[command(name = "clubs-admin")]
struct Options {
    #[command(subcommand)]
    command: Command,
    /// Print one JSON object instead of lines, for monitors
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Reads the whole table (one read unit for each 4 KB) and prints what is wrong: keys,
    /// counters, clubs without an owner, duplicate submissions, mails that are stuck or do not
    /// agree with their submissions, segments of the catalogue without a version, and items that
    /// belong to nothing. Exit status 1 if anything is wrong
    Check(Which),
    /// Repairs what follows from other items: counters, versions, windows, and entries that are
    /// missing or belong to nothing. It reads the table twice, and looks at each item again before
    /// it writes: what changed meanwhile stays as it is, and can be repaired by the next run
    Repair {
        #[command(flatten)]
        which: Which,
        /// Print what would be repaired, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Asks the account what would make a deployment fail: version of the AWS CLI, credentials,
    /// limit of concurrent executions, state of SES, role for access logs, certificates. Exit
    /// status 1 if anything would
    Preflight(DeploymentPlan),
    /// Keeps what a stack is deployed with: its template and its parameters, without secrets. They
    /// go into the bucket with the code of the functions. Run it before each deployment
    Keep(Stack),
    /// Goes back to a release that was kept, by a deployment of its code, template and parameters.
    /// The next deployment works as always. The table in use and the secrets stay as they are
    Back(Way),
    /// Copies items of a restored table into the table in use, unless it has an item with the same
    /// key. Nothing that came since is lost. Run check afterwards
    BringBack {
        /// Name of the restored table
        #[arg(long)]
        from: String,
        #[command(flatten)]
        which: Which,
        /// Print how many items there are, and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Ids (of an application, a submission, an event, …) or codes of clubs: everything with
        /// one of them in its key
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Erases somebody who cannot sign in any more, as their own request on the site would. Exit
    /// status 1 if that is nobody, or several people, or the only owner of a club
    Erase {
        #[command(flatten)]
        which: Which,
        /// Archive the clubs that nobody else owns
        #[arg(long)]
        archive: bool,
        /// Their id, user name or address
        who: String,
    },
    /// Compares receipts of applicants with the table, after a restore or when somebody says that a
    /// submission was lost. Exit status 1 if a submission is missing or a receipt is not valid
    Reconcile {
        /// A text file with receipts, for example one in each line
        receipts: PathBuf,
        #[command(flatten)]
        which: Which,
        /// The public keys: what /api/receipts/jwks.json returns
        #[arg(long)]
        keys: PathBuf,
    },
}

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Options { command, json } = Options::parse();
    let left = match command {
        Command::Check(which) => Box::pin(check(&which, json)).await,
        Command::Repair { which, dry_run } => Box::pin(repair(&which, dry_run, json)).await,
        Command::Preflight(plan) => Ok(show_preflight(&plan, json)),
        Command::Keep(stack) => show_release(json, |folder| {
            admin::keep(&stack, SystemClock.now(), folder).map(|line| vec![line])
        }),
        Command::Back(way) => {
            show_release(json, |folder| admin::back(&way, SystemClock.now(), folder))
        }
        Command::BringBack {
            from,
            which,
            dry_run,
            names,
        } => {
            Box::pin(bring_back(
                &which,
                &from,
                &ItemFilter::new(&names),
                dry_run,
                json,
            ))
            .await
        }
        Command::Erase {
            which,
            archive,
            who,
        } => Box::pin(erase(&which, &who, archive, json)).await,
        Command::Reconcile {
            receipts,
            which,
            keys,
        } => Box::pin(reconcile(&which, &receipts, &keys, json)).await,
    };
    match left {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints the findings and returns their number.
async fn check(which: &Which, as_json: bool) -> Result<usize, Error> {
    let reading = read_all(which).await?;
    let (items, wrong) = (reading.count(), reading.findings(SystemClock.now()));
    if as_json {
        let texts: Vec<&str> = wrong.iter().map(|finding| finding.text.as_str()).collect();
        println!("{}", json!({ "items": items, "findings": texts }));
        return Ok(wrong.len());
    }
    for finding in &wrong {
        println!("{}", finding.text);
    }
    println!("{items} items, {} findings", wrong.len());
    Ok(wrong.len())
}

/// Prints the results and returns the number of bad ones.
fn show_preflight(plan: &DeploymentPlan, as_json: bool) -> usize {
    let all = admin::preflight(plan);
    if as_json {
        let answers: Vec<_> = all
            .iter()
            .map(|one| json!({ "good": one.is_good, "text": one.text }))
            .collect();
        println!("{}", json!({ "preflight": answers }));
    } else {
        for one in &all {
            println!("{}: {}", if one.is_good { "good" } else { "bad" }, one.text);
        }
    }
    all.iter().filter(|one| !one.is_good).count()
}

/// Runs what needs a folder for its files, and prints what was done.
fn show_release(
    as_json: bool,
    work: impl FnOnce(&Path) -> Result<Vec<String>, String>,
) -> Result<usize, Error> {
    let folder = std::env::temp_dir().join(format!("clubs-admin-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = work(&folder);
    std::fs::remove_dir_all(&folder)?;
    let lines = done?;
    if as_json {
        println!("{}", json!({ "done": lines }));
    } else {
        println!("{}", lines.join("\n"));
    }
    Ok(0)
}

/// Repairs what can be repaired. Returns the number of findings that are left.
///
/// The table is read twice: what the second reading finds is repaired where no counter changed
/// since the first one.
async fn repair(which: &Which, dry_run: bool, as_json: bool) -> Result<usize, Error> {
    let client = connect(which).await;
    let files = with_files(which).await?;
    let mut reading = read_all(which).await?;
    let before = reading.count_versions();
    if !dry_run {
        reading = read_all(which).await?;
    }
    let repairs = Repairs {
        files: files.as_ref(),
        client: &client,
        table: &which.table,
        before: &before,
    };
    let (items, wrong) = (reading.count(), reading.findings(SystemClock.now()));
    let (mut left, mut listed) = (0, Vec::new());
    for finding in &wrong {
        let done = match &finding.repair {
            None => "by hand",
            Some(_) if dry_run => "would be repaired",
            Some(repair) if repairs.apply(repair).await? => "repaired",
            Some(_) => "changed meanwhile",
        };
        left += usize::from(done != "repaired");
        if as_json {
            listed.push(json!({ "finding": finding.text, "repair": done }));
        } else {
            println!("{done}: {}", finding.text);
        }
    }
    if as_json {
        println!(
            "{}",
            json!({ "items": items, "findings": listed, "left": left })
        );
    } else {
        println!("{items} items, {} findings, {left} left", wrong.len());
    }
    Ok(left)
}

/// Prints what each receipt is worth, and returns the number of those that are not stored.
async fn reconcile(
    which: &Which,
    receipts: &Path,
    keys: &Path,
    as_json: bool,
) -> Result<usize, Error> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let keys = serde_json::from_str(&read(keys)?).map_err(|error| format!("the keys: {error}"))?;
    let table = Table::new(connect(which).await, &which.table);
    let found = admin::reconcile(&table, &keys, &read(receipts)?).await?;
    let missing = found.iter().filter(|receipt| receipt.is_missing()).count();
    let sentences = found.iter().map(admin::FoundReceipt::sentence);
    if as_json {
        let sentences: Vec<String> = sentences.collect();
        println!("{}", json!({ "receipts": sentences, "missing": missing }));
        return Ok(missing);
    }
    for sentence in sentences {
        println!("{sentence}");
    }
    println!("{} receipts, {missing} missing or not valid", found.len());
    Ok(missing)
}

/// Erases a person, with their files. Returns 1 if that was not possible.
async fn erase(which: &Which, who: &str, archive: bool, as_json: bool) -> Result<usize, Error> {
    let table = with_files(which).await?;
    let table = table.ok_or("--files is needed: the files of the person are erased, too")?;
    let erased = admin::erase(&table, who, archive, &SystemClock).await?;
    let (left, text) = match &erased {
        Erased::Done(id) => (0, format!("{id} is erased")),
        Erased::Nobody => (1, "nobody has this id, user name or address".to_owned()),
        Erased::Several(ids) => (1, format!("several people have it, use an id: {ids:?}")),
        Erased::OnlyOwner(clubs) => {
            let clubs = clubs.join(", ");
            (
                1,
                format!("the only owner of {clubs}: add another one, or use --archive"),
            )
        }
    };
    if as_json {
        println!("{}", json!({ "is_erased": left == 0, "text": text }));
    } else {
        println!("{text}");
    }
    Ok(left)
}

/// Copies what is wanted from a restored table. Fails if nothing is found.
async fn bring_back(
    which: &Which,
    from: &str,
    item_filter: &ItemFilter,
    dry_run: bool,
    as_json: bool,
) -> Result<usize, Error> {
    let client = connect(which).await;
    let (mut found, mut done) = (0, BroughtBack::default());
    each_page(&client, from, async |items| {
        for item in items.into_iter().filter(|item| item_filter.has(item)) {
            found += 1;
            if !dry_run {
                done.put(&client, &which.table, item).await?;
            }
        }
        Ok(())
    })
    .await?;
    done.show(&client, &which.table).await?;
    let BroughtBack { back, there, .. } = done;
    if as_json {
        println!(
            "{}",
            json!({ "found": found, "back": back, "there": there })
        );
    } else {
        println!("{found} items found, {back} brought back, {there} were there");
    }
    Ok(usize::from(found == 0))
}
