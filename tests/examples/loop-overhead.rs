//! Measures the time of a run over HTTP without the time that it waits for responses:
//! `loop-overhead [DOCUMENTS]`.
//!
//! The delay between requests to a host is set to 1 ms, because a server cannot distinguish it from
//! time for other work.

use forage_tests::closed_web::{
    count_calls, new_run_command, read_journal, retrieved_documents, run_pipeline, step_numbers,
    web_folder,
};
use forage_tests::open_web::OpenWeb;
use forage_tests::temp_folder;
use std::io::{Write, stdout};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let documents = std::env::args().nth(1).unwrap_or_else(|| "50".into());
    let dir = temp_folder();
    let open = OpenWeb::start();
    web_folder();
    let out = dir.path().join("run");
    let args = open.args();
    let args: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .chain(["--docs", &documents, "--delay", "0.001", "--quiet"])
        .collect();
    let start = Instant::now();
    run_pipeline(new_run_command(&out, &args)).expect_exit(0);
    let elapsed = start.elapsed();
    let wait_time = open.wait_time();
    let journal = read_journal(&out);
    let documents = retrieved_documents(&journal).len();
    writeln!(
        stdout(),
        "{documents} documents in {} steps and {} calls: {:.1} s, including {:.1} s waiting; \
         {:.0} ms per document without it",
        step_numbers(&journal).len(),
        count_calls(&journal),
        elapsed.as_secs_f64(),
        wait_time.as_secs_f64(),
        elapsed.saturating_sub(wait_time).as_secs_f64() * 1e3 / documents as f64
    )
}
