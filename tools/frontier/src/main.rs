//! frontier: keep the URLs that a focused crawl has found, and give the best ones.

fn main() -> std::process::ExitCode {
    frontier::main()
}
