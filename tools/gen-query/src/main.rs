//! gen-query: generate the next query from the term statistics.

fn main() -> std::process::ExitCode {
    gen_query::main()
}
