//! corpus-report: show what runs brought, in one HTML page.

fn main() -> std::process::ExitCode {
    corpus_report::main()
}
