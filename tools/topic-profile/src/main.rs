//! topic-profile: propose the topic profile of a focused crawl.

fn main() -> std::process::ExitCode {
    topic_profile::main()
}
