//! Measures what a run over HTTP takes beside the time that it waits for answers: `loop-overhead
//! [DOCUMENTS]`.
//!
//! Of the pause between two requests to a host a server can't tell how much was waited, and how
//! much went by with other work. So it is a millisecond here.

use forage_tests::closed_web::{calls, documents, done, journal, new_run, steps, web};
use forage_tests::folder;
use forage_tests::open_web::OpenWeb;
use std::io::{Write, stdout};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "50".into());
    let (dir, open) = (folder(), OpenWeb::start());
    web();
    let out = dir.path().join("run");
    let args = open.args();
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(["--docs", &wanted, "--delay", "0.001", "--quiet"])
        .collect();
    let start = Instant::now();
    done(new_run(&out, &args)).exits(0);
    let (took, waited) = (start.elapsed(), open.waited());
    let journal = journal(&out);
    let documents = documents(&journal).len();
    writeln!(
        stdout(),
        "{documents} documents in {} steps and {} calls: {:.1} s, of which {:.1} s waiting; {:.0} ms a document beside it",
        steps(&journal).len(),
        calls(&journal),
        took.as_secs_f64(),
        waited.as_secs_f64(),
        took.saturating_sub(waited).as_secs_f64() * 1e3 / documents as f64
    )
}
