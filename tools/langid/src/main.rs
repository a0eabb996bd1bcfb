//! langid: identify the language of each document.

fn main() -> std::process::ExitCode {
    langid::main()
}
