//! Reading of the sample: plain text, records, or a word list.

use crate::args::Args;
use crate::wordlist::WordListReader;
use forage_cli::{GivenLine, Io, TextUse};
use forage_langid::ProfileLearner;
use forage_record::Record;

/// The command that learns a profile from the records of pages.
const COMMAND: &str = "ngram-profile --lang CODE --out FILE";

/// Adds all of the input to `learner`: each file by its content.
///
/// # Errors
/// Fails if a file cannot be read, or is neither text nor records.
pub(crate) fn read_sample(
    args: &Args,
    io: &mut Io,
    learner: &mut ProfileLearner,
) -> anyhow::Result<()> {
    if args.wordlist {
        return read_word_list(args, io, learner);
    }
    let input = args.input.with_text_use(TextUse::Sample);
    io.for_each_given(&input, COMMAND, |line| {
        match line {
            GivenLine::Record(record) => add_record(&record, learner)?,
            GivenLine::Text(text) => learner.add_text(&text),
        }
        Ok(())
    })
}

fn read_word_list(args: &Args, io: &mut Io, learner: &mut ProfileLearner) -> anyhow::Result<()> {
    let mut reader = WordListReader::default();
    io.for_each_given(&args.input, COMMAND, |line| match line {
        GivenLine::Record(_) => Err("is a record, not \"word, tab, frequency\"".into()),
        GivenLine::Text(line) => {
            reader.add_line(&line, learner);
            Ok(())
        }
    })?;
    reader.report_skipped(io)
}

fn add_record(record: &Record, learner: &mut ProfileLearner) -> Result<(), String> {
    if !record.has_error()
        && let Some(text) = record.text().map_err(|e| e.to_string())?
    {
        learner.add_text(&text);
    }
    Ok(())
}
