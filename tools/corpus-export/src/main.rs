//! corpus-export: write the documents of a corpus in a format of other programs.

fn main() -> std::process::ExitCode {
    corpus_export::main()
}
