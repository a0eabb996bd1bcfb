//! search: send queries to a search engine and add the hits, or the in-links of pages.

fn main() -> std::process::ExitCode {
    search::main()
}
