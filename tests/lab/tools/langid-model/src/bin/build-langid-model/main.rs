//! Builds the model that comes with the program, `build-langid-model DATA NAMES OUT`, or a model
//! from restricted sources as well, `build-langid-model --extended DATA NAMES FILE`; or writes
//! models without some sources, for `fit-reject-model` and `report-langid`, `build-langid-model
//! --leave-one-out DATA NAMES FOLDER`.
//!
//! DATA is a folder with the word lists (`lib/langid/model/README.md` has their sources and
//! licences). NAMES is `iso_639-3.json` of the package iso-codes. The folder OUT gets
//! `evidence.bin`, `ranks.bin`, and `SOURCES.tsv`, the sources of each class; and `langid.model`, for
//! `langid --model`. The model contains no text. Equal data give equal bytes.

mod leave_one_out;
mod lists;
mod ranks;
mod relatives;
mod samples;
mod sentences;
mod serbian;

use anyhow::Context;
use forage_langid::{ClassSample, EvidenceLimits, EvidenceModel, Identifier, Model, RankModel};
use samples::{SourceWords, WordsByClass};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Limits of the model: words and n-grams that are rare in all classes are left out, and those for
/// which the buckets have no room. Set by judgement, not measured.
const LIMITS: EvidenceLimits = EvidenceLimits {
    min_word_log_probability: -11.5,
    min_ngram_log_probability: -9.0,
    classes_per_word: 12,
    classes_per_ngram: 10,
    min_evidence_share: 0.4,
    buckets: Some(426_000),
};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match arguments.as_slice() {
        [flag, data, names, out] if flag.as_os_str() == "--leave-one-out" => {
            anyhow::ensure!(out.is_dir(), "{}: not a folder", out.display());
            let words = samples::read_source_words(data)?;
            leave_one_out::write_models(&words, data, &read_names(names)?, &LIMITS, out)
        }
        [flag, data, names, out] if flag.as_os_str() == "--extended" => {
            build_extended(data, &read_names(names)?, out)
        }
        [data, names, out] if !data.starts_with("--extended") => {
            build(data, &read_names(names)?, out)
        }
        _ => anyhow::bail!(
            "usage: build-langid-model DATA NAMES OUT, build-langid-model --extended DATA NAMES \
             FILE, or build-langid-model --leave-one-out DATA NAMES FOLDER"
        ),
    }
}

/// Writes the files of the model to the folder `out`.
fn build(data: &Path, names: &BTreeMap<String, String>, out: &Path) -> anyhow::Result<()> {
    let write = |name: &str, bytes: &[u8]| {
        let file = out.join(name);
        std::fs::write(&file, bytes).with_context(|| file.display().to_string())
    };
    let words = samples::read_source_words(data)?;
    let samples = samples::make_samples(&words, &[], data, names)?;
    let evidence = EvidenceModel::from_samples(&samples, &LIMITS)?;
    write("evidence.bin", evidence.as_bytes())?;
    let model = Model::with_evidence(evidence);
    write("langid.model", &model.to_bytes())?;
    let identifier = Identifier::new(model);
    let sources = format_sources(&samples, &words, &identifier);
    write("SOURCES.tsv", sources.as_bytes())?;
    let profiles = ranks::learn_profiles(data, names)?;
    write("ranks.bin", RankModel::from_profiles(&profiles)?.as_bytes())
}

/// Writes a model that is made from restricted sources as well, for `langid --model`, to the file
/// `out`.
fn build_extended(data: &Path, names: &BTreeMap<String, String>, out: &Path) -> anyhow::Result<()> {
    let mut words = samples::read_source_words(data)?;
    samples::add_restricted_words(data, &mut words)?;
    let samples = samples::make_samples(&words, &[], data, names)?;
    let model = Model::with_evidence(EvidenceModel::from_samples(&samples, &LIMITS)?);
    std::fs::write(out, model.to_bytes()).with_context(|| out.display().to_string())
}

/// Returns the English names of languages by code.
fn read_names(file: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let table: serde_json::Value = serde_json::from_str(&lists::read_file(file)?)?;
    let entries = table["639-3"].as_array().context("no list \"639-3\"")?;
    let pair = |e: &serde_json::Value| {
        Some((
            e["alpha_3"].as_str()?.to_owned(),
            e["name"].as_str()?.to_owned(),
        ))
    };
    Ok(entries.iter().filter_map(pair).collect())
}

/// Returns a line per class: code, script, name, sample tokens, distinct words, n-grams, sources,
/// their kinds, nearest languages.
fn format_sources(
    samples: &[ClassSample],
    words: &WordsByClass,
    identifier: &Identifier,
) -> String {
    let line = |s: &ClassSample| {
        let sources = words
            .get(&(s.code, s.script))
            .map_or(&[][..], Vec::as_slice);
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n",
            s.code,
            s.script,
            s.name,
            s.sample_tokens,
            s.words.len(),
            s.ngrams.len(),
            s.source,
            format_kinds(sources),
            relatives::nearest_languages(s, identifier).join(" ")
        )
    };
    let heading = "code\tscript\tname\twords\tdistinct words\tn-grams\tsources\tkinds\tnearest\n";
    heading.to_owned() + &samples.iter().map(line).collect::<String>()
}

/// Returns the kinds of the texts of sources, each with the number of its sentences if there are
/// any: `law:45 messages religion`. A class without word counts has n-grams.
fn format_kinds(sources: &[SourceWords]) -> String {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for source in sources {
        *kinds.entry(source.kind).or_default() += source.sentences;
    }
    if kinds.is_empty() {
        return "n-grams".to_owned();
    }
    let kind = |(kind, sentences): (&str, u64)| match sentences {
        0 => kind.to_owned(),
        sentences => format!("{kind}:{sentences}"),
    };
    kinds.into_iter().map(kind).collect::<Vec<_>>().join(" ")
}
