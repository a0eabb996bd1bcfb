//! sample: draw documents for people to judge, and pass on what their judgements accept.

fn main() -> std::process::ExitCode {
    sample::main()
}
