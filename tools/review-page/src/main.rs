//! review-page: judge a sample of documents on a local page.

fn main() -> std::process::ExitCode {
    review_page::main()
}
