//! topic-filter: judge whether each document is on a topic.

fn main() -> std::process::ExitCode {
    topic_filter::main()
}
