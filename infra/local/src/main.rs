//! `cargo run -p local` runs the whole service on this machine.

use std::io::{ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use axum::extract::{ConnectInfo, Request};
use chrono_tz::Tz;
use clap::Parser;
use local::queues::{MAILS, NOTICES, WEBHOOKS};
use local::{Campus, Error, Parts, demo};
use shared::settings::{Approval, WebhookSettings};
use shared::time::Clock as _;
use shared::web::ClientAddress;
use tokio::net::TcpListener;

/// Runs the club-management service on this machine, without a cloud account or containers
#[derive(Parser)]
struct Options {
    /// Port to listen on. 0 takes any free port
    #[arg(long, default_value_t = 8000)]
    port: u16,
    /// Folder for the data
    #[arg(long, default_value = ".local")]
    data_dir: PathBuf,
    /// Keep all data in memory
    #[arg(long)]
    memory: bool,
    /// Start without the demo campus
    #[arg(long)]
    empty: bool,
    /// Time zone of the campus, for example Europe/Berlin. Mails and exports tell times in it
    #[arg(long, default_value_t = Tz::UTC)]
    time_zone: Tz,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::lambda::log(
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr),
        "warn",
    );
    match Box::pin(run(Options::parse())).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Error> {
    let stop = stop_signal()?;
    // The port is taken first. A service that does not get it must not change the data.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => format!(
                "port {} is taken; stop what listens there or choose another one with --port",
                options.port
            ),
            _ => format!("cannot listen on port {}: {error}", options.port),
        })?;
    let folder = (!options.memory).then_some(options.data_dir.as_path());
    let mut parts = Parts::open(folder)?;
    parts.settings.mail.time_zone = options.time_zone;
    let origin = format!("http://{}", listener.local_addr()?);
    parts.settings.club_approval = Approval::from_env()?;
    parts.settings.webhooks.is_local = WebhookSettings::is_local_from_env()?;
    parts.settings.tokens.issuer = format!("{origin}/local");
    parts.settings.addresses.site_url.clone_from(&origin);
    parts.settings.media.url = format!("{origin}/media");
    let campus = Campus::new(parts)?;
    if !options.empty && demo::matches(&campus).await? {
        demo::load(&campus).await?;
    }
    let greeting = format!(
        "listening on {origin}\n\n  \
        start     {origin}/            (in a browser)\n  \
        API       {origin}/api/        (docs: {origin}/api/docs/)\n  \
        mailbox   {origin}/local/mail/\n  \
        data      {}\n\n",
        folder.map_or_else(|| "in memory".into(), |folder| folder.display().to_string())
    );
    say(&greeting);
    for (who, subject) in demo::personas() {
        let (token, _) = campus.issuer.token(&subject, campus.clock.now())?;
        say(&format!(
            "  {who} token ({}): {token}\n\n",
            subject.username
        ));
    }
    let router = campus.router.clone();
    let router = router.layer(axum::middleware::map_request(with_address));
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, service).with_graceful_shutdown(stop);
    tokio::select! {
        done = std::future::IntoFuture::into_future(server) => done.map_err(Error::from)?,
        () = campus.stream.run(&campus.feed) => {}
        () = campus.queues.run(MAILS, &*campus.worker) => {}
        () = campus.queues.run(NOTICES, &*campus.worker) => {}
        () = campus.queues.run(WEBHOOKS, &*campus.dispatcher) => {}
        () = campus.ticker.run() => {}
        () = campus.mailbox.report(&campus.reports) => {}
    }
    say("stopped\n");
    Ok(())
}

/// Prints this, if anybody still reads what the service prints. Whoever closes the pipe does not
/// stop the service.
fn say(text: &str) {
    let mut output = std::io::stdout();
    let _ = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
}

/// Tells the service the address of the client, as the gateway does.
async fn with_address(
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Request {
    let address = ClientAddress(address.ip().to_string());
    request.extensions_mut().insert(address);
    request
}

/// Waits for the signal to stop. The handlers are set at once, not when the future is first polled:
/// a shell lets its background jobs ignore an interrupt, and until then it would be lost.
#[cfg(unix)]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
