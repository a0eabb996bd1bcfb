//! ngram-profile: learn the n-gram profile of a language from a sample.
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
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some(folder) = &args.bootstrap {
        return bootstrap::run(&args, folder, io);
    }
    let out = args.out.as_deref().context("--out is needed")?;
    match (&args.pack, &*args.lang) {
        (Some(folder), _) => pack::bundle(folder, out, io),
        (None, [code]) => learn(&args, *code, out, io),
        (None, _) => anyhow::bail!("--lang: one language is needed; several are for --bootstrap"),
    }
}

fn learn(args: &Args, code: LanguageCode, out: &Path, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        code != LanguageCode::UNDETERMINED,
        "--lang und: is what langid says of no language; qaa to qtz are free"
    );
    let mut learner = ProfileLearner::default();
    let merged = if args.merge {
        merge::profiles(&args.input.files, io, &mut learner)?
    } else {
        Vec::new()
    };
    if !args.merge {
        sample::read(args, io, &mut learner)?;
    }
    let identifier = Identifier::builtin();
    let name = identifier
        .classes()
        .find(|known| known.code == code)
        .map_or("", |known| known.name);
    let (profile, sample) = learner
        .finish(code, name, &source(args))
        .context("nothing to learn from")?;
    forage_cli::replace_file(out, profile.to_text().as_bytes())?;
    merged.iter().for_each(|one| one.compare(&profile, io));
    tell(&profile, sample, &identifier, io);
    Ok(())
}

/// Where the sample came from, as the profile remembers it: file names without their folders.
fn source(args: &Args) -> String {
    let name = |path: &std::path::PathBuf| {
        path.file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned()
    };
    if args.input.files.is_empty() {
        "-".into()
    } else {
        args.input
            .files
            .iter()
            .map(name)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// Says what was learned.
fn tell(profile: &Profile, sample: SampleSize, identifier: &Identifier, io: &Io) {
    /// Typical n-grams that are shown, and least letters of each: single letters are much the same
    /// everywhere.
    const SHOWN: usize = 12;
    const LETTERS: usize = 3;
    /// Words that are too few to tell a language by.
    const FEW: u64 = 100;
    let long = profile
        .ngrams()
        .iter()
        .map(|(ngram, _)| ngram.to_string())
        .filter(|n| n.chars().count() >= LETTERS);
    let typical: Vec<String> = long.take(SHOWN).collect();
    let Profile { code, script, .. } = profile;
    io.messages.info(format_args!(
        "{code} ({script}): {} words, {} distinct n-grams",
        sample.words, sample.distinct_ngrams
    ));
    io.messages
        .info(format_args!("alphabet: {}", alphabet(profile)));
    io.messages
        .info(format_args!("most typical: {}", typical.join(" ")));
    if sample.words < FEW {
        io.messages.warn(
            "that is little text; with a few thousand letters the language is told far better",
        );
    }
    match identifier.nearest_languages(profile).first() {
        Some((nearest, distance)) => io.messages.info(format_args!(
            "nearest known language: {nearest}, distance {distance:.3}"
        )),
        None => io
            .messages
            .info(format_args!("no other language in {script} is known")),
    }
}

/// The letters, most frequent first; of many the first ones, and how many there are.
fn alphabet(profile: &Profile) -> String {
    const SHOWN: usize = 60;
    let mut counts: BTreeMap<char, u64> = BTreeMap::new();
    for (word, count) in profile.vocabulary() {
        for c in word.chars() {
            let sum = counts.entry(c).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
    let mut letters: Vec<(char, u64)> = counts.into_iter().collect();
    letters.sort_by_key(|(_, count)| Reverse(*count));
    let shown: Vec<String> = letters
        .iter()
        .take(SHOWN)
        .map(|(letter, _)| letter.to_string())
        .collect();
    let rest = if letters.len() > SHOWN {
        format!(" and {} more", letters.len() - SHOWN)
    } else {
        String::new()
    };
    shown.join(" ") + &rest
}
