//! ngram-profile: learn the profile of a language from a sample.
mod args;
mod bootstrap;
mod merge;
mod pack;
mod sample;
mod wordlist;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_langid::{Identifier, LanguageCode, Profile, ProfileLearner, SampleSize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some(folder) = &args.bootstrap {
        return bootstrap::run(&args, folder, io);
    }
    let out = args.out.as_deref().context("--out is required")?;
    match (&args.pack, &*args.lang) {
        (Some(folder), _) => pack::pack_folder(folder, out, args.force, io),
        (None, [code]) => learn(&args, *code, out, io),
        (None, _) => anyhow::bail!("--lang: takes one language; several need --bootstrap"),
    }
}

/// Learns the profile of a language from the input and writes it.
fn learn(args: &Args, code: LanguageCode, out: &Path, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        code != LanguageCode::UNDETERMINED,
        "--lang und: is the code for unknown languages; use a private code, qaa to qtz"
    );
    let mut learner = ProfileLearner::default();
    let mut merged = Vec::new();
    if args.merge {
        let files = args.input.list_files(&args.input.files)?;
        merged = merge::add_profiles(&files, io, &mut learner)?;
    } else {
        sample::read_sample(args, io, &mut learner)?;
    }
    let identifier = Identifier::builtin();
    let (profile, size) = learner
        .finish(code, name_of(code, &identifier), &describe_source(args))
        .context("nothing to learn from")?;
    forage_cli::replace_file(out, profile.to_text().as_bytes(), args.force)?;
    for source in merged {
        source.warn_of_differences(&profile, io);
    }
    report_profile(&profile, size, &identifier, io);
    Ok(())
}

/// Returns the English name of a language; empty if the identifier does not have it.
fn name_of(code: LanguageCode, identifier: &Identifier) -> &str {
    let class = identifier.classes().find(|class| class.code == code);
    class.map_or("", |class| class.name)
}

/// Returns the source of the sample for the profile: the names of the files without their folders.
fn describe_source(args: &Args) -> String {
    let name = |path: &PathBuf| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let files = &args.input.files;
    match files.is_empty() {
        true => "-".into(),
        false => files.iter().map(name).collect::<Vec<_>>().join(" "),
    }
}

/// Reports the properties of the profile.
fn report_profile(profile: &Profile, size: SampleSize, identifier: &Identifier, io: &Io) {
    /// Maximum number of n-grams shown.
    const MAX_SHOWN: usize = 12;
    /// Minimum number of characters of an n-gram that is shown; shorter ones are similar in all
    /// languages.
    const MIN_CHARACTERS: usize = 3;
    /// Number of words below which a sample is small. Set by judgement, not measured.
    const SMALL_SAMPLE: u64 = 100;
    let ngrams = profile.ngrams().iter().map(|(ngram, _)| ngram.to_string());
    let long = ngrams.filter(|ngram| ngram.chars().count() >= MIN_CHARACTERS);
    let frequent: Vec<String> = long.take(MAX_SHOWN).collect();
    let Profile { code, script, .. } = profile;
    io.messages.info(format_args!(
        "{code} ({script}): {} words, {} distinct n-grams",
        size.tokens, size.distinct_ngrams
    ));
    io.messages
        .info(format_args!("alphabet: {}", format_alphabet(profile)));
    io.messages
        .info(format_args!("frequent n-grams: {}", frequent.join(" ")));
    if size.tokens < SMALL_SAMPLE {
        io.messages
            .warn("the sample is small; a few thousand letters give a much better profile");
    }
    match identifier.nearest_languages(profile).first() {
        Some((nearest, distance)) => io.messages.info(format_args!(
            "nearest known language: {nearest}, distance {distance:.3}"
        )),
        None => io.messages.info(format_args!(
            "the built-in model has no other language in {script}"
        )),
    }
}

/// Returns the letters of the profile, most frequent first; at most 60, and the number of others.
fn format_alphabet(profile: &Profile) -> String {
    const MAX_SHOWN: usize = 60;
    let mut counts: BTreeMap<char, u64> = BTreeMap::new();
    for (word, count) in profile.vocabulary() {
        for c in word.chars() {
            let sum = counts.entry(c).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
    let mut letters: Vec<(char, u64)> = counts.into_iter().collect();
    letters.sort_by_key(|(_, count)| Reverse(*count));
    let shown = letters.iter().take(MAX_SHOWN);
    let shown: Vec<String> = shown.map(|(letter, _)| letter.to_string()).collect();
    match letters.len().saturating_sub(MAX_SHOWN) {
        0 => shown.join(" "),
        others => format!("{} and {others} more", shown.join(" ")),
    }
}
