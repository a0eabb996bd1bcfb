//! update-stats: count finished records into the term statistics and the journal.

use std::process::ExitCode;

fn main() -> ExitCode {
    update_stats::main()
}
