//! review-page: judge a sample of documents on a local page.
//!
//! A `ReviewSession` holds the documents and their verdicts, which it saves in a file one by one.
//! A `ReviewServer` serves the page (`page/`) and the session to a browser on the same machine,
//! over HTTP/1.1 with one request per connection. It is not meant for a network: it listens on
//! 127.0.0.1 alone, and its URL contains a random token, so that other pages in the browser and
//! other users of the machine can neither read the documents nor judge them.
//!
//! Documents come from the web. They are sent as JSON and inserted as text; the page loads nothing
//! but its own files, by its Content-Security-Policy.

mod args;
mod response;
mod server;
mod session;
mod verdict_file;

use crate::server::ReviewServer;
use crate::session::ReviewSession;
use args::Args;
use forage_cli::{Io, format_count};
use forage_review::AcceptanceRule;
use std::process::{Command, ExitCode, Stdio};

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let rule = AcceptanceRule { limit: args.limit };
    let mut session = ReviewSession::open(&args.judgements, rule)?;
    io.for_each_record(&args.input, |record| {
        session.add_document(&record).map(drop)
    })?;
    anyhow::ensure!(
        !session.is_empty(),
        "no record has `sample`; draw documents with sample first"
    );
    session.apply_saved_verdicts();
    io.messages.debug(format_args!(
        "{} of {} judged",
        session.judged(),
        format_count(session.len() as u64, "document")
    ));
    let server = ReviewServer::start(session)?;
    io.out.write_line(&server.url());
    io.out.flush()?;
    if args.open {
        open_browser(&server.url());
    }
    server.wait();
    Ok(())
}

/// Opens a page in the default browser. Without a desktop, a browser in the terminal would take it
/// over, so none is opened. The user has the URL in any case, so a failure is ignored.
fn open_browser(url: &str) {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if has_desktop {
        "xdg-open"
    } else {
        return;
    };
    let _ = Command::new(opener)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
