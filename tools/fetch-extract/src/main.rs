//! fetch-extract: fetches the page of each record's URL and extracts its main text.

fn main() -> std::process::ExitCode {
    fetch_extract::main()
}
