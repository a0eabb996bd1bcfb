//! The profile file: a profile as text that a person can read, and that a truncated copy can't pass
//! for.
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
//! Fields are separated by one tab. N-grams and words stand with their counts, most frequent first,
//! `_` for the blank. `check` is the FNV-1a hash (64 bits, hexadecimal) of all bytes before its
//! line. The line `margin` is there where the profile asks for one, which is what version 3 adds.
//! Version 1 has no vocabulary; such a file serves the method out-of-place alone.

use crate::code::LanguageCode;
use crate::ngram::NGram;
use crate::profile::{MOST_WORDS, PROFILE_SIZE, Profile, is_one_line};
use crate::script::Script;
use std::collections::HashSet;
use std::fmt::Write;

/// First word of the file; the version follows.
const MAGIC: &str = "forage-profile";
/// The newest version that is read. What needs no more is written as [`PLAIN`], which earlier
/// programs read, too.
const VERSION: u32 = 3;
/// The version of a profile that asks for no margin.
const PLAIN: u32 = 2;

/// Why a file is not a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The first line is another.
    #[error("not an n-gram profile; make one with ngram-profile")]
    NotAProfile,
    /// Written by a later version of this program.
    #[error("n-gram profile of version {0}, this program reads {VERSION}; use a newer one")]
    NewerVersion(u32),
    /// The end is missing or something was changed.
    #[error("n-gram profile is truncated or damaged; make it again with ngram-profile")]
    Damaged,
    /// Whole, but a line has not the form it must have.
    #[error(
        "line {0} of the n-gram profile is not as it must be; make it again with ngram-profile"
    )]
    BadLine(usize),
}

impl Profile {
    /// The profile as a file.
    pub fn to_text(&self) -> String {
        let Self {
            code,
            script,
            name,
            source,
            words,
            rejection_threshold,
            ngrams,
            vocabulary,
        } = self;
        let (version, margin) = if *rejection_threshold > 0.0 {
            (VERSION, format!("margin\t{rejection_threshold:.4}\n"))
        } else {
            (PLAIN, String::new())
        };
        let mut text = format!(
            "{MAGIC} {version}\ncode\t{code}\nscript\t{script}\nname\t{name}\nsource\t{source}\nwords\t{words}\n{margin}"
        );
        let _ = writeln!(text, "ngrams\t{}", ngrams.len());
        for (ngram, count) in ngrams {
            // Writing to a string can't fail.
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
    /// If it is not a profile, of a newer version, truncated or damaged; never panics.
    pub fn from_text(file: &[u8]) -> Result<Self, ProfileError> {
        let version = version(file)?;
        if version > VERSION {
            return Err(ProfileError::NewerVersion(version));
        }
        let text = checked(file).ok_or(ProfileError::Damaged)?;
        let mut lines = Lines {
            lines: text.lines(),
            number: 0,
        };
        lines.next()?;
        let code = lines.field("code", |v| v.parse::<LanguageCode>().ok())?;
        let script = lines.field("script", Script::new)?;
        let one_line = |value: &str| is_one_line(value).then(|| value.to_owned());
        let name = lines.field("name", one_line)?;
        let source = lines.field("source", one_line)?;
        let words = lines.field("words", |v| v.parse().ok())?;
        let is_share = |share: &f64| (0.0..=1.0).contains(share);
        let rejection_threshold = if version > PLAIN {
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
            ngrams.push(lines.counted(ngram)?);
        }
        let mut vocabulary = Vec::new();
        if version > 1 {
            let count: usize = lines.field("vocabulary", |v| {
                v.parse().ok().filter(|n| *n <= MOST_WORDS)
            })?;
            for _ in 0..count {
                vocabulary.push(lines.counted(|word, count| (count > 0).then(|| word.to_owned()))?);
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
            words,
            rejection_threshold,
            ngrams,
            vocabulary,
        })
    }
}

fn version(file: &[u8]) -> Result<u32, ProfileError> {
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

/// The text before the line `check`, if that line is there and says so.
fn checked(file: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(file).ok()?;
    let start = text.rfind("check\t")?;
    let (body, check) = text.split_at(start);
    let check = check.strip_prefix("check\t")?.strip_suffix('\n')?;
    (check == format!("{:016x}", fnv1a(body.as_bytes()))).then_some(body)
}

/// Lines, read in the order in which they must come.
struct Lines<'a> {
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a str, ProfileError> {
        self.number += 1;
        self.lines.next().ok_or(ProfileError::BadLine(self.number))
    }

    fn field<T>(
        &mut self,
        key: &str,
        read: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, ProfileError> {
        let line = self.next()?;
        let value = line
            .strip_prefix(key)
            .and_then(|rest| rest.strip_prefix('\t'));
        value
            .and_then(read)
            .ok_or(ProfileError::BadLine(self.number))
    }

    fn counted<T, R>(&mut self, read: R) -> Result<(T, u64), ProfileError>
    where
        R: FnOnce(&str, u64) -> Option<T>,
    {
        let entry = |line: &str| {
            let (entry, count) = line.split_once('\t')?;
            let count = count.parse().ok()?;
            Some((read(entry, count)?, count))
        };
        entry(self.next()?).ok_or(ProfileError::BadLine(self.number))
    }
}

/// Fowler, Noll & Vo's hash, variant 1a, 64 bits.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
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

    /// Reads a changed file as if it had been written so.
    fn read_resealed(text: &str) -> Result<Profile, ProfileError> {
        let body = &text[..text.rfind("check\t").unwrap()];
        Profile::from_text(format!("{body}check\t{:016x}\n", fnv1a(body.as_bytes())).as_bytes())
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(
            Profile::from_text(profile().to_text().as_bytes()),
            Ok(profile())
        );
    }

    #[test]
    fn a_margin_that_is_asked_for_is_kept_and_none_above_one_is_read() {
        let asking = Profile {
            rejection_threshold: 0.6912,
            ..profile()
        };
        let text = asking.to_text();
        assert!(
            text.starts_with("forage-profile 3\n") && text.contains("\nmargin\t0.6912\nngrams\t"),
            "{text}"
        );
        assert_eq!(Profile::from_text(text.as_bytes()), Ok(asking));
        let text = text.replacen("0.6912", "1.6912", 1);
        assert_eq!(read_resealed(&text), Err(ProfileError::BadLine(7)));
    }

    #[test]
    fn no_truncated_file_is_read() {
        let text = profile().to_text();
        for length in 0..text.len() {
            assert!(
                Profile::from_text(&text.as_bytes()[..length]).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let mut text = profile().to_text().into_bytes();
        let middle = text.len() / 2;
        text[middle] ^= 1;
        assert_eq!(Profile::from_text(&text), Err(ProfileError::Damaged));
    }

    #[test]
    fn control_characters_in_names_are_refused() {
        for (field, line) in [("name\t", 4), ("source\t", 5)] {
            let text = profile()
                .to_text()
                .replacen(field, &format!("{field}a\u{1b}[31mb"), 1);
            assert_eq!(read_resealed(&text), Err(ProfileError::BadLine(line)));
        }
    }

    #[test]
    fn a_later_version_is_refused_by_name() {
        let text = profile()
            .to_text()
            .replacen("forage-profile 2", "forage-profile 4", 1);
        assert_eq!(
            Profile::from_text(text.as_bytes()),
            Err(ProfileError::NewerVersion(4))
        );
    }

    #[test]
    fn other_files_are_not_profiles() {
        for file in ["", "{}\n", "forage-profile\n", "forage-profiles 1\n"] {
            assert_eq!(
                Profile::from_text(file.as_bytes()),
                Err(ProfileError::NotAProfile)
            );
        }
    }
}
