//! The profile file: a profile as human-readable text, with a checksum that detects truncation.
//!
//! ```text
//! forage-profile 3
//! code    bcl
//! script  Latn
//! name    Central Bikol
//! source  docs.jsonl
//! words   1234
//! margin  0.6900
//! ngrams  400
//! _       1234
//! a       987
//! …
//! vocabulary  1021
//! an      57
//! …
//! check   8f0c2b6d53a1e974
//! ```
//!
//! Fields are separated by one tab. `words` is the size of the sample. N-grams and words are listed
//! with their counts, most frequent first; `_` is the blank. `check` is the FNV-1a hash (64 bits,
//! hexadecimal) of all bytes before its line. The line `margin`, new in version 3, is present if
//! the profile has a rejection threshold. Version 1 has no vocabulary; such a file can only be used
//! with the method `out-of-place`.

use crate::code::LanguageCode;
use crate::format::{fnv1a, is_one_line};
use crate::ngram::NGram;
use crate::profile::{MAX_WORDS, PROFILE_SIZE, Profile};
use crate::script::Script;
use std::collections::HashSet;
use std::fmt::Write;

/// First word of the file; the version follows.
const MAGIC: &str = "forage-profile";
/// The newest version that can be read. It is written only for profiles with a rejection threshold;
/// others are written as [`VERSION_WITHOUT_THRESHOLD`], which earlier programs can also read.
const VERSION: u32 = 3;
/// The version that is written for a profile without a rejection threshold.
const VERSION_WITHOUT_THRESHOLD: u32 = 2;

/// An error in reading a profile file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The first line is not that of a profile.
    #[error("not an n-gram profile; make one with ngram-profile")]
    NotAProfile,
    /// Written by a later version of this program.
    #[error("n-gram profile has version {0}, this program reads {VERSION}; use a newer program")]
    NewerVersion(u32),
    /// Truncated or modified.
    #[error("n-gram profile is truncated or damaged; make it again with ngram-profile")]
    Damaged,
    /// The checksum is right, but a line does not have the required form.
    #[error("line {0} of the n-gram profile is invalid; make it again with ngram-profile")]
    BadLine(usize),
}

impl Profile {
    /// Returns the contents of the profile file.
    pub fn to_text(&self) -> String {
        let Self {
            code,
            script,
            name,
            source,
            sample_tokens,
            rejection_threshold,
            ngrams,
            vocabulary,
        } = self;
        let (version, margin) = if *rejection_threshold > 0.0 {
            (VERSION, format!("margin\t{rejection_threshold:.4}\n"))
        } else {
            (VERSION_WITHOUT_THRESHOLD, String::new())
        };
        let mut text = format!(
            "{MAGIC} {version}\ncode\t{code}\nscript\t{script}\nname\t{name}\nsource\t{source}\n\
             words\t{sample_tokens}\n{margin}"
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "ngrams\t{}", ngrams.len());
        for (ngram, count) in ngrams {
            let _ = writeln!(text, "{ngram}\t{count}");
        }
        let _ = writeln!(text, "vocabulary\t{}", vocabulary.len());
        for (word, count) in vocabulary {
            let _ = writeln!(text, "{word}\t{count}");
        }
        let _ = writeln!(text, "check\t{:016x}", fnv1a(text.as_bytes()));
        text
    }

    /// Reads a profile file.
    ///
    /// # Errors
    /// Fails if the file is not a profile, or of a newer version, truncated or damaged. Never
    /// panics.
    pub fn from_text(file: &[u8]) -> Result<Self, ProfileError> {
        let version = parse_version(file)?;
        if version > VERSION {
            return Err(ProfileError::NewerVersion(version));
        }
        let text = verify_checksum(file).ok_or(ProfileError::Damaged)?;
        let mut lines = ProfileLines {
            lines: text.lines(),
            number: 0,
        };
        lines.next()?;
        let code = lines.field("code", |v| v.parse::<LanguageCode>().ok())?;
        let script = lines.field("script", Script::new)?;
        let one_line = |value: &str| is_one_line(value).then(|| value.to_owned());
        let name = lines.field("name", one_line)?;
        let source = lines.field("source", one_line)?;
        let sample_tokens = lines.field("words", |v| v.parse().ok())?;
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        let rejection_threshold = if version > VERSION_WITHOUT_THRESHOLD {
            lines.field("margin", |v| v.parse().ok().filter(is_share))?
        } else {
            0.0
        };
        let count: usize =
            lines.field("ngrams", |v| v.parse().ok().filter(|n| *n <= PROFILE_SIZE))?;
        let mut ngrams = Vec::with_capacity(count);
        let mut seen = HashSet::with_capacity(count);
        for _ in 0..count {
            let ngram = |name: &str, _| NGram::parse(name).filter(|ngram| seen.insert(*ngram));
            ngrams.push(lines.entry_with_count(ngram)?);
        }
        let mut vocabulary = Vec::new();
        if version > 1 {
            let count: usize =
                lines.field("vocabulary", |v| v.parse().ok().filter(|n| *n <= MAX_WORDS))?;
            for _ in 0..count {
                let word = |word: &str, count| (count > 0).then(|| word.to_owned());
                vocabulary.push(lines.entry_with_count(word)?);
            }
        }
        if lines.next().is_ok() {
            return Err(ProfileError::BadLine(lines.number));
        }
        Ok(Self {
            code,
            script,
            name,
            source,
            sample_tokens,
            rejection_threshold,
            ngrams,
            vocabulary,
        })
    }
}

fn parse_version(file: &[u8]) -> Result<u32, ProfileError> {
    let line = file.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| ProfileError::NotAProfile)?;
    let version = line
        .trim_end()
        .strip_prefix(MAGIC)
        .and_then(|v| v.strip_prefix(' '));
    version
        .and_then(|v| v.parse().ok())
        .filter(|version| *version > 0)
        .ok_or(ProfileError::NotAProfile)
}

/// Returns the text before the line `check`, or `None` if that line is missing or does not match.
fn verify_checksum(file: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(file).ok()?;
    let start = text.rfind("check\t")?;
    let (body, check) = text.split_at(start);
    let checksum = check.strip_prefix("check\t")?.strip_suffix('\n')?;
    (checksum == format!("{:016x}", fnv1a(body.as_bytes()))).then_some(body)
}

/// The lines of a profile file, read in their fixed order.
struct ProfileLines<'a> {
    lines: std::str::Lines<'a>,
    /// Number of the last line read, from 1.
    number: usize,
}

impl<'a> ProfileLines<'a> {
    fn next(&mut self) -> Result<&'a str, ProfileError> {
        self.number += 1;
        self.lines.next().ok_or(ProfileError::BadLine(self.number))
    }

    /// Reads a line `key<TAB>value`; `parse` returns `None` for an invalid value.
    fn field<T>(
        &mut self,
        key: &str,
        parse: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, ProfileError> {
        let line = self.next()?;
        let value = line
            .strip_prefix(key)
            .and_then(|rest| rest.strip_prefix('\t'));
        value
            .and_then(parse)
            .ok_or(ProfileError::BadLine(self.number))
    }

    /// Reads a line `entry<TAB>count`; `parse` returns `None` for an invalid one.
    fn entry_with_count<T, P>(&mut self, parse: P) -> Result<(T, u64), ProfileError>
    where
        P: FnOnce(&str, u64) -> Option<T>,
    {
        let parse_line = |line: &str| {
            let (entry, count) = line.split_once('\t')?;
            let count = count.parse().ok()?;
            Some((parse(entry, count)?, count))
        };
        parse_line(self.next()?).ok_or(ProfileError::BadLine(self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::learn;

    fn profile() -> Profile {
        learn(
            "slv",
            "Danes je lep dan in sonce sije nad mestom. L'été aussi.",
            "a\ttest",
        )
    }

    /// Reads a modified file after replacing its checksum with the right one.
    fn read_with_valid_checksum(text: &str) -> Result<Profile, ProfileError> {
        let body = &text[..text.rfind("check\t").unwrap()];
        Profile::from_text(format!("{body}check\t{:016x}\n", fnv1a(body.as_bytes())).as_bytes())
    }

    #[test]
    fn reading_inverts_writing() {
        assert_eq!(
            Profile::from_text(profile().to_text().as_bytes()),
            Ok(profile())
        );
    }

    #[test]
    fn keeps_a_rejection_threshold_and_rejects_one_above_one() {
        let with_threshold = Profile {
            rejection_threshold: 0.6912,
            ..profile()
        };
        let text = with_threshold.to_text();
        assert!(
            text.starts_with("forage-profile 3\n") && text.contains("\nmargin\t0.6912\nngrams\t"),
            "{text}"
        );
        assert_eq!(Profile::from_text(text.as_bytes()), Ok(with_threshold));
        let text = text.replacen("0.6912", "1.6912", 1);
        assert_eq!(
            read_with_valid_checksum(&text),
            Err(ProfileError::BadLine(7))
        );
    }

    #[test]
    fn rejects_a_truncated_file() {
        let text = profile().to_text();
        for length in 0..text.len() {
            assert!(
                Profile::from_text(&text.as_bytes()[..length]).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn detects_a_changed_byte() {
        let mut text = profile().to_text().into_bytes();
        let middle = text.len() / 2;
        text[middle] ^= 1;
        assert_eq!(Profile::from_text(&text), Err(ProfileError::Damaged));
    }

    #[test]
    fn rejects_control_characters_in_names() {
        for (field, line) in [("name\t", 4), ("source\t", 5)] {
            let text = profile()
                .to_text()
                .replacen(field, &format!("{field}a\u{1b}[31mb"), 1);
            assert_eq!(
                read_with_valid_checksum(&text),
                Err(ProfileError::BadLine(line))
            );
        }
    }

    #[test]
    fn rejects_a_newer_version() {
        let text = profile()
            .to_text()
            .replacen("forage-profile 2", "forage-profile 4", 1);
        assert_eq!(
            Profile::from_text(text.as_bytes()),
            Err(ProfileError::NewerVersion(4))
        );
    }

    #[test]
    fn rejects_files_that_are_not_profiles() {
        for file in ["", "{}\n", "forage-profile\n", "forage-profiles 1\n"] {
            assert_eq!(
                Profile::from_text(file.as_bytes()),
                Err(ProfileError::NotAProfile)
            );
        }
    }
}
