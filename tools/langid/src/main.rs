//! langid: identify the language of each document.

use std::process::ExitCode;

fn main() -> ExitCode {
    langid::main()
}
