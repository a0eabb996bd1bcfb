//! `--resolve`: the label of texts in the language of a code that a user typed.

use crate::list::LabelCoverage;
use crate::similar_names::describe_similar;
use anyhow::Context;
use forage_cli::{Io, Messages};
use forage_langid::{Identifier, LanguageCode, UnknownLanguage};

/// The codes of several, of an unknown, of an uncoded, and of no language.
const NO_LANGUAGES: [&str; 4] = ["mul", "und", "mis", "zxx"];

/// Writes a line for each code: the code, its label, the name of the language, and the other labels
/// of its macrolanguage.
///
/// A string that is not a code, and a macrolanguage that has no label, but several of whose
/// languages have one, are reported and set the exit code to 1.
///
/// # Errors
/// Fails if no code has a label, or the output cannot be written.
pub(crate) fn write_labels(
    codes: &[String],
    identifier: &Identifier,
    coverage: &LabelCoverage,
    io: &mut Io,
) -> anyhow::Result<()> {
    let label_of = |code: &String| {
        format_label(code.trim(), identifier, coverage, &io.messages).context("--resolve")
    };
    let (labels, mut refused): (Vec<_>, Vec<_>) =
        codes.iter().map(label_of).partition(Result::is_ok);
    for line in labels.iter().flatten() {
        io.out.write_line(line);
    }
    io.out.flush()?;
    let last = refused.pop_if(|_| labels.is_empty());
    for error in refused.into_iter().filter_map(Result::err) {
        io.messages.error(format_args!("{error:#}"));
        io.fail_check();
    }
    last.map_or(Ok(()), |last| last.map(drop))
}

fn format_label(
    given: &str,
    identifier: &Identifier,
    coverage: &LabelCoverage,
    messages: &Messages,
) -> anyhow::Result<String> {
    let label =
        LanguageCode::from_tag(given).map_err(|e| match code_of_name(given, identifier) {
            Some(code) => anyhow::anyhow!("{given:?} is a name; its code is {code}"),
            None => match &*describe_similar(given, identifier) {
                "" => anyhow::Error::new(e),
                names => anyhow::anyhow!(
                    "{given:?} is not a language code; languages with such a name: {names}"
                ),
            },
        })?;
    anyhow::ensure!(
        !NO_LANGUAGES.contains(&label.as_str()),
        "{given:?} is the code of no language (ISO 639-2)"
    );
    match identifier.check_code(label) {
        Ok(()) => {}
        Err(e @ UnknownLanguage::NoLabel(_)) => {
            let message = format!("--resolve {given}: {e}; a profile can have it");
            messages.warn(message);
        }
        Err(e @ UnknownLanguage::Macrolanguage(..)) => {
            anyhow::bail!("{e}; choose one of these, or several as separate targets")
        }
        Err(e @ UnknownLanguage::Collection(..)) => return Err(e.into()),
    }
    let class = identifier.classes().find(|class| class.code == label);
    let name = class
        .map(|class| class.name)
        .filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| iso_name(label.as_str()));
    let others = coverage.other_labels(label);
    Ok(format!("{given}\t{label}\t{name}\t{}", others.join(" ")))
}

/// Returns the code of the language with an English name, in any case.
fn code_of_name(name: &str, identifier: &Identifier) -> Option<LanguageCode> {
    let name = name.to_lowercase();
    let mut classes = identifier.classes().filter(|_| !name.is_empty());
    let named = classes.find(|class| class.name.to_lowercase() == name);
    let mut others = iso_names().filter(|(_, other)| other.to_lowercase() == name);
    let other = || others.next().and_then(|(code, _)| code.parse().ok());
    named.map(|class| class.code).or_else(other)
}

/// Returns the codes of ISO 639-3 that are no labels of the built-in model, with their names, as
/// the registration authority, SIL International, publishes them (<https://iso639-3.sil.org>).
fn iso_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("names.tsv").lines();
    lines.filter_map(|line| line.split_once('\t'))
}

/// Returns the name of a language that the models do not have.
fn iso_name(code: &str) -> &'static str {
    match iso_names().find(|(other, _)| *other == code) {
        Some((_, name)) => name,
        None if ("qaa"..="qtz").contains(&code) => "(reserved for local use)",
        None => "(no code of ISO 639-3)",
    }
}
