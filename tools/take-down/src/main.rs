//! take-down: remove documents from runs, and keep them out.

fn main() -> std::process::ExitCode {
    take_down::main()
}
