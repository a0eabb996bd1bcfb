//! Reading of the sample: plain text, records, or a word list.

use crate::args::Args;
use crate::wordlist::WordListReader;
use forage_cli::Io;
use forage_langid::ProfileLearner;
use forage_record::Record;

/// Adds all of the input to `learner`.
pub(crate) fn read_sample(
    args: &Args,
    io: &mut Io,
    learner: &mut ProfileLearner,
) -> anyhow::Result<()> {
    if args.wordlist {
        return read_word_list(args, io, learner);
    }
    let mut has_records = None;
    io.for_each_line(&args.input, |line, _| {
        if *has_records.get_or_insert_with(|| looks_like_record(&line)) {
            add_record(line, learner)?;
        } else {
            learner.add_text(&String::from_utf8_lossy(&line));
        }
        Ok(())
    })
}

/// Returns `true` if a line is a record, or begins like one that was damaged. So a damaged first
/// record does not turn the sample into plain text, from which JSON would be learned.
fn looks_like_record(line: &[u8]) -> bool {
    let begins_like_record = |rest: &[u8]| {
        rest.trim_ascii_start().starts_with(b"\"") || Record::parse(line.to_vec()).is_ok()
    };
    line.trim_ascii_start()
        .strip_prefix(b"{")
        .is_some_and(begins_like_record)
}

fn read_word_list(args: &Args, io: &mut Io, learner: &mut ProfileLearner) -> anyhow::Result<()> {
    let mut reader = WordListReader::default();
    io.for_each_line(&args.input, |line, _| {
        reader.add_line(&String::from_utf8_lossy(&line), learner);
        Ok(())
    })?;
    reader.report_skipped(io)
}

fn add_record(line: Vec<u8>, learner: &mut ProfileLearner) -> Result<(), String> {
    let record = Record::parse(line).map_err(|(e, _)| e.to_string())?;
    if !record.has_error()
        && let Some(text) = record.text().map_err(|e| e.to_string())?
    {
        learner.add_text(&text);
    }
    Ok(())
}
