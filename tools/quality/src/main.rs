//! quality: mark documents that are no prose, with the reasons.

fn main() -> std::process::ExitCode {
    quality::main()
}
