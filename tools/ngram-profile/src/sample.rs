//! The sample: plain text, records, or a word list, line by line.

use crate::args::Args;
use crate::wordlist::WordList;
use forage_cli::Io;
use forage_langid::Learner;
use forage_record::Record;

/// What the lines of the sample are.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Records,
}

/// Reads all of the input.
pub(crate) fn read(args: &Args, io: &mut Io, learner: &mut Learner) -> anyhow::Result<()> {
    if args.wordlist {
        return words(args, io, learner);
    }
    let mut form = None;
    io.each_line(&args.input, |line, _| {
        match *form.get_or_insert_with(|| form_of(&line)) {
            Form::Text => learner.text(&String::from_utf8_lossy(&line)),
            Form::Records => record(line, learner)?,
        }
        Ok(())
    })
}

/// Records if the sample's first line is one, or was one before it was damaged: nobody wants to learn JSON.
fn form_of(line: &[u8]) -> Form {
    let begins_a_record =
        |rest: &[u8]| rest.trim_ascii_start().starts_with(b"\"") || Record::parse(line.to_vec()).is_ok();
    if line.trim_ascii_start().strip_prefix(b"{").is_some_and(begins_a_record) { Form::Records } else { Form::Text }
}

fn words(args: &Args, io: &mut Io, learner: &mut Learner) -> anyhow::Result<()> {
    let mut list = WordList::default();
    io.each_line(&args.input, |line, _| {
        list.line(&String::from_utf8_lossy(&line), learner);
        Ok(())
    })?;
    list.tell(io)
}

fn record(line: Vec<u8>, learner: &mut Learner) -> Result<(), String> {
    let record = Record::parse(line).map_err(|(e, _)| e.to_string())?;
    if !record.has_error()
        && let Some(text) = record.text().map_err(|e| e.to_string())?
    {
        learner.text(&text);
    }
    Ok(())
}
