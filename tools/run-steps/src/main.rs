//! run-steps: repeat the steps of a pipeline until a limit is reached, and resume them after a
//! kill.

fn main() -> std::process::ExitCode {
    run_steps::main()
}
