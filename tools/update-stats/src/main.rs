//! update-stats: count finished records into the term statistics and the journal.

fn main() -> std::process::ExitCode {
    update_stats::main()
}
