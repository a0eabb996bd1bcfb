//! The file of a topic profile: tab-separated lines that people edit.
//!
//! ```text
//! # language: eng
//! term<TAB>graph<TAB>312<TAB>4.71
//! pair<TAB>shortest path<TAB>58<TAB>3.9
//! triple<TAB>binari search tree<TAB>21<TAB>3.3
//! ```

use super::entry::{EntryKind, ProfileEntry, TopicProfile};
use crate::keyphrases::language_words::fold_text;
use forage_langid::LanguageCode;
use std::collections::HashSet;
use std::fmt::Write;

/// The reason why a file is no topic profile. The message begins with the number of the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// A line cannot be read.
    #[error("{0}: {1}")]
    Line(usize, String),
    /// There is no entry.
    #[error("has no entries; each is a line such as: term TAB graph TAB 12")]
    Empty,
}

impl ProfileError {
    /// Returns the message for a file: `name:line: cause`, or `name: cause`.
    pub fn in_file(&self, name: &str) -> String {
        match self {
            // The message of a line begins with its number.
            ProfileError::Line(..) => format!("{name}:{self}"),
            ProfileError::Empty => format!("{name}: {self}"),
        }
    }
}

/// The key of the comment that names the language.
const LANGUAGE_COMMENT: &str = "language:";

impl TopicProfile {
    /// Parses a file.
    ///
    /// Blank lines, comments (`#`), a byte-order mark and CR before LF are ignored, except for the
    /// comment `# language: CODE`; without it, the language is English. The columns are class,
    /// stems, count, and optionally the weight in the vector space model; further columns are
    /// ignored.
    ///
    /// # Errors
    /// Fails if a line is no entry, an entry occurs twice, or there is none.
    pub fn parse(file: &[u8]) -> Result<TopicProfile, ProfileError> {
        let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
        let mut profile = TopicProfile {
            language: english(),
            entries: Vec::new(),
        };
        let mut known = HashSet::new();
        for (line, number) in file.split(|byte| *byte == b'\n').zip(1..) {
            let fail = |cause: String| ProfileError::Line(number, cause);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = std::str::from_utf8(line).map_err(|_| fail("is not UTF-8".into()))?;
            if let Some(comment) = line.strip_prefix('#') {
                if let Some(code) = comment.trim().strip_prefix(LANGUAGE_COMMENT) {
                    profile.language = parse_language(code.trim()).map_err(fail)?;
                }
            } else if !line.trim().is_empty() {
                let entry = parse_entry(line).map_err(fail)?;
                if !known.insert((entry.kind, entry.stems.clone())) {
                    let message = format!("{} `{}` occurs twice", entry.kind.name(), entry.stems);
                    return Err(fail(message));
                }
                profile.entries.push(entry);
            }
        }
        if profile.entries.is_empty() {
            return Err(ProfileError::Empty);
        }
        Ok(profile)
    }

    /// Returns the text of a file that [`TopicProfile::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut text = format!("# {LANGUAGE_COMMENT} {}\n", self.language);
        for entry in &self.entries {
            let (kind, stems, count) = (entry.kind.name(), &entry.stems, entry.count);
            // Writing to a string does not fail.
            let _ = write!(text, "{kind}\t{stems}\t{count}");
            if let Some(weight) = entry.weight {
                let _ = write!(text, "\t{weight}");
            }
            text.push('\n');
        }
        text
    }
}

fn english() -> LanguageCode {
    "eng".parse().unwrap_or(LanguageCode::UNDETERMINED)
}

fn parse_language(code: &str) -> Result<LanguageCode, String> {
    code.parse()
        .map_err(|_| format!("`{code}` is no ISO 639-3 code; use one such as eng, or und"))
}

fn parse_entry(line: &str) -> Result<ProfileEntry, String> {
    let mut columns = line.split('\t');
    let name = columns.next().unwrap_or_default().trim();
    let kind = EntryKind::from_name(name)
        .ok_or_else(|| format!("`{name}` is no class of entries; use term, pair or triple"))?;
    let (Some(stems), Some(count)) = (columns.next(), columns.next()) else {
        return Err("needs three columns, separated by tabs: class, stems, count".into());
    };
    let stems = fold_text(stems).to_lowercase();
    let stems: Vec<&str> = stems.split_whitespace().collect();
    if stems.len() != kind.stem_count() {
        let (needs, has) = (kind.stem_count(), stems.len());
        return Err(format!("a {name} has {needs} stems, not {has}"));
    }
    let weight = columns
        .next()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    Ok(ProfileEntry {
        kind,
        stems: stems.join(" "),
        count: parse_number(count, "count", |number| number >= 0.0)?,
        weight: weight
            .map(|text| parse_number(text, "weight", |number| number > 0.0))
            .transpose()?,
    })
}

fn parse_number(text: &str, name: &str, is_allowed: fn(f64) -> bool) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(number) if f64::is_finite(number) && is_allowed(number) => Ok(number),
        Ok(_) => Err(format!("the {name} `{}` is out of range", text.trim())),
        Err(_) => Err(format!("the {name} `{}` is no number", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_the_same_after_it_was_written_and_read() {
        let file = b"# language: slv\nterm\tdrevo\t3\t0.25\npair\tiskalno drevo\t2\n";
        let profile = TopicProfile::parse(file).unwrap();
        assert_eq!(profile.to_text().as_bytes(), file);
        assert_eq!(profile.language.as_str(), "slv");
    }

    #[test]
    fn a_file_edited_on_another_system_is_read_as_the_same() {
        let edited =
            b"\xef\xbb\xbf# my notes\r\n\r\nterm\tTree \t 3\r\npair\tsearch   tree\t2\t\r\n";
        let plain = b"term\ttree\t3\npair\tsearch tree\t2";
        assert_eq!(TopicProfile::parse(edited), TopicProfile::parse(plain));
    }

    #[test]
    fn an_error_names_its_line() {
        for (line, cause) in [
            ("term graph 3", "`term graph 3` is no class"),
            ("quad\ta b c d\t3", "`quad` is no class"),
            ("term\tgraph", "three columns"),
            ("term\tgraph\tmany", "no number"),
            ("term\tgraph\t-3", "out of range"),
            ("term\tgraph\tnan", "out of range"),
            ("term\tgraph\t3\t0", "weight"),
            ("pair\ta b c\t3", "2 stems, not 3"),
            ("term\ttree\t3", "occurs twice"),
            ("# language: klingon", "no ISO 639-3 code"),
        ] {
            let file = format!("term\ttree\t1\n{line}\n");
            let error = TopicProfile::parse(file.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.starts_with("2: ") && error.contains(cause), "{error}");
        }
        assert_eq!(TopicProfile::parse(b"# \n\n"), Err(ProfileError::Empty));
    }
}
