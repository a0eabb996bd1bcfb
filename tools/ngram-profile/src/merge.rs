//! `--merge`: a profile from the words of other profiles.

use crate::pack;
use anyhow::Context;
use forage_cli::{Input, Io};
use forage_langid::{LanguageCode, Profile, ProfileLearner, Script};
use std::path::{Path, PathBuf};

/// A profile that was merged into another.
#[derive(Debug)]
pub(crate) struct MergedProfile {
    path: PathBuf,
    code: LanguageCode,
    script: Script,
}

/// Adds the words of profiles to `learner`; `-` is standard input.
pub(crate) fn add_profiles(
    files: &[PathBuf],
    io: &mut Io,
    learner: &mut ProfileLearner,
) -> anyhow::Result<Vec<MergedProfile>> {
    let mut merged = Vec::new();
    for path in files {
        let profile = match path.as_os_str() == "-" {
            true => read_profile_from_stdin(io)?,
            false => pack::read_profile(path)?,
        };
        let words = profile.vocabulary();
        anyhow::ensure!(
            !words.is_empty(),
            "{}: is a profile of version 1, which has no words; learn it again",
            path.display()
        );
        for (word, count) in words {
            learner.add_word(word, *count);
        }
        merged.push(MergedProfile {
            path: path.clone(),
            code: profile.code,
            script: profile.script,
        });
    }
    Ok(merged)
}

fn read_profile_from_stdin(io: &mut Io) -> anyhow::Result<Profile> {
    let mut file = Vec::new();
    let stdin = Input::from_files(vec![Path::new("-").into()]);
    io.for_each_line(&stdin, |line, _| {
        file.extend_from_slice(&line);
        file.push(b'\n');
        Ok(())
    })?;
    Profile::from_text(&file).context("-")
}

impl MergedProfile {
    /// Warns if the language or the script differs from that of the resulting profile.
    pub(crate) fn warn_of_differences(&self, result: &Profile, io: &Io) {
        let Self { path, code, script } = self;
        let path = path.display();
        if *code != result.code {
            io.messages.warn(format_args!(
                "{path}: is a profile of {code}, merged into one of {}",
                result.code
            ));
        }
        if *script != result.script {
            io.messages.warn(format_args!(
                "{path}: has words in {script}, which were not counted; most words are in {}",
                result.script
            ));
        }
    }
}
