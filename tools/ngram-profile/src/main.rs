//! ngram-profile: learn the profile of a language from a sample.

fn main() -> std::process::ExitCode {
    ngram_profile::main()
}
