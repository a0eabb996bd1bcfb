//! `--resolve`: the label of texts in the language of a code that a user typed.

use crate::list::LabelCoverage;
use anyhow::Context;
use forage_cli::Io;
use forage_langid::{Identifier, LanguageCode, UnknownLanguage};

/// Writes a line for each code: the code, its label, the name of the language, and the other labels
/// of its macrolanguage.
///
/// # Errors
/// Fails before anything is written if a string is not a code, or is a macrolanguage that has no
/// label, but several of whose languages have one.
pub(crate) fn write_labels(
    codes: &[String],
    identifier: &Identifier,
    coverage: &LabelCoverage,
    io: &mut Io,
) -> anyhow::Result<()> {
    let lines: Vec<String> = codes
        .iter()
        .map(|code| format_label(code.trim(), identifier, coverage).context("--resolve"))
        .collect::<Result<_, _>>()?;
    for line in lines {
        io.out.write_line(&line);
    }
    Ok(())
}

fn format_label(
    given: &str,
    identifier: &Identifier,
    coverage: &LabelCoverage,
) -> anyhow::Result<String> {
    let label: LanguageCode = given
        .parse()
        .map_err(|e| match code_of_name(given, identifier) {
            Some(code) => anyhow::anyhow!("{given:?} is a name; its code is {code}"),
            None => anyhow::Error::new(e),
        })?;
    match identifier.check_code(label) {
        Ok(()) | Err(UnknownLanguage::NoLabel(_)) => {}
        Err(e @ UnknownLanguage::Macrolanguage(..)) => {
            anyhow::bail!("{e}; choose one of these, or several as separate targets")
        }
    }
    let name = identifier
        .classes()
        .find(|class| class.code == label)
        .map_or("", |class| class.name);
    let others = coverage.other_labels(label);
    Ok(format!("{given}\t{label}\t{name}\t{}", others.join(" ")))
}

/// Returns the code of the language with an English name, in any case.
fn code_of_name(name: &str, identifier: &Identifier) -> Option<LanguageCode> {
    let name = name.to_lowercase();
    identifier
        .classes()
        .find(|class| class.name.to_lowercase() == name)
        .map(|class| class.code)
}
