//! keywords: extract the keyphrases of each document.

fn main() -> std::process::ExitCode {
    keywords::main()
}
