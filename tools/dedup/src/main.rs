//! dedup: mark duplicates of earlier documents, and index new documents.

fn main() -> std::process::ExitCode {
    dedup::main()
}
