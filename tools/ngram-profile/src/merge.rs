//! Profiles as a sample: all their words.

use crate::pack;
use anyhow::Context;
use forage_cli::{Input, Io};
use forage_langid::{LanguageCode, Profile, ProfileLearner, Script};
use std::path::{Path, PathBuf};

/// What a profile that was merged said that it is.
#[derive(Debug)]
pub(crate) struct Merged {
    path: PathBuf,
    code: LanguageCode,
    script: Script,
}

/// Learns the words of profiles; `-` is standard input.
pub(crate) fn profiles(
    files: &[PathBuf],
    io: &mut Io,
    learner: &mut ProfileLearner,
) -> anyhow::Result<Vec<Merged>> {
    let mut merged = Vec::new();
    for path in files {
        let profile = if path.as_os_str() == "-" {
            from_stdin(io)?
        } else {
            pack::read(path)?
        };
        let words = profile.vocabulary();
        anyhow::ensure!(
            !words.is_empty(),
            "{}: a profile of version 1 has no words; learn it anew",
            path.display()
        );
        words
            .iter()
            .for_each(|(word, count)| learner.add_word(word, *count));
        merged.push(Merged {
            path: path.clone(),
            code: profile.code,
            script: profile.script,
        });
    }
    Ok(merged)
}

fn from_stdin(io: &mut Io) -> anyhow::Result<Profile> {
    let mut file = Vec::new();
    io.for_each_line(
        &Input::from_files(vec![Path::new("-").into()]),
        |line, _| {
            file.extend_from_slice(&line);
            file.push(b'\n');
            Ok(())
        },
    )?;
    Profile::from_text(&file).context("-")
}

impl Merged {
    /// Says where it is not what the profile made of it is.
    pub(crate) fn compare(&self, made: &Profile, io: &Io) {
        let Self { path, code, script } = self;
        let path = path.display();
        if *code != made.code {
            io.messages.warn(format_args!(
                "{path}: a profile of {code}, merged into one of {}",
                made.code
            ));
        }
        if *script != made.script {
            let most = made.script;
            io.messages.warn(format_args!(
                "{path}: its words are in {script}, most in {most}; they were not counted"
            ));
        }
    }
}
