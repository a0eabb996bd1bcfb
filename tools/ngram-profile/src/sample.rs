//! The sample: plain text, records, or a word list, line by line.

use crate::args::Args;
use crate::wordlist::WordList;
use forage_cli::Io;
use forage_langid::ProfileLearner;
use forage_record::Record;

/// Reads all of the input.
pub(crate) fn read(args: &Args, io: &mut Io, learner: &mut ProfileLearner) -> anyhow::Result<()> {
    if args.wordlist {
        return words(args, io, learner);
    }
    let mut are_records = None;
    io.for_each_line(&args.input, |line, _| {
        if *are_records.get_or_insert_with(|| begins_records(&line)) {
            record(line, learner)?;
        } else {
            learner.add_text(&String::from_utf8_lossy(&line));
        }
        Ok(())
    })
}

/// Whether the sample's first line is a record, or was one before it was damaged: nobody wants to
/// learn JSON.
fn begins_records(line: &[u8]) -> bool {
    let begins_a_record = |rest: &[u8]| {
        rest.trim_ascii_start().starts_with(b"\"") || Record::parse(line.to_vec()).is_ok()
    };
    line.trim_ascii_start()
        .strip_prefix(b"{")
        .is_some_and(begins_a_record)
}

fn words(args: &Args, io: &mut Io, learner: &mut ProfileLearner) -> anyhow::Result<()> {
    let mut list = WordList::default();
    io.for_each_line(&args.input, |line, _| {
        list.line(&String::from_utf8_lossy(&line), learner);
        Ok(())
    })?;
    list.tell(io)
}

fn record(line: Vec<u8>, learner: &mut ProfileLearner) -> Result<(), String> {
    let record = Record::parse(line).map_err(|(e, _)| e.to_string())?;
    if !record.has_error()
        && let Some(text) = record.text().map_err(|e| e.to_string())?
    {
        learner.add_text(&text);
    }
    Ok(())
}
