//! gen-query: generate the next query from the term statistics.

use std::process::ExitCode;

fn main() -> ExitCode {
    gen_query::main()
}
