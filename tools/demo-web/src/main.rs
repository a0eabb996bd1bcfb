//! demo-web: print the pages of a small closed web, composed of sentences from published crates, or

fn main() -> std::process::ExitCode {
    demo_web::main()
}
