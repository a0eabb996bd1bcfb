//! concordance: show the occurrences of a term with their contexts.

fn main() -> std::process::ExitCode {
    concordance::main()
}
