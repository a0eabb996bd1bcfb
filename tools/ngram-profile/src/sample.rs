//! The sample: plain text, records, or a word list, line by line.

use crate::args::Args;
use forage_cli::{Io, Line, Place};
use forage_langid::Learner;
use forage_record::Record;

/// What the lines of the sample are.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Records,
    Words,
}

/// Reads all of the input.
pub(crate) fn read(args: &Args, io: &Io, learner: &mut Learner) -> anyhow::Result<()> {
    let mut lines = io.lines(&args.input)?;
    let mut form = args.wordlist.then_some(Form::Words);
    while let Some((place, line)) = lines.next(&mut || Ok(()))? {
        let bytes = match line {
            Line::Bytes(bytes) => bytes,
            Line::TooLong(length) => {
                leave_out(args, io, &place, &format!("a line of {length} bytes, longer than --max-line"))?;
                continue;
            }
        };
        match *form.get_or_insert_with(|| form_of(&bytes)) {
            Form::Text => learner.text(&String::from_utf8_lossy(&bytes)),
            Form::Words => word(&String::from_utf8_lossy(&bytes), learner),
            Form::Records => {
                if let Err(cause) = record(bytes, learner) {
                    leave_out(args, io, &place, &cause)?;
                }
            }
        }
    }
    Ok(())
}

/// Records if the sample's first line is one.
fn form_of(line: &[u8]) -> Form {
    if line.trim_ascii_start().starts_with(b"{") && Record::parse(line.to_vec()).is_ok() {
        Form::Records
    } else {
        Form::Text
    }
}

/// Learns "word, tab, frequency"; anything else on the line, such as a heading, is passed over.
fn word(line: &str, learner: &mut Learner) {
    let mut fields = line.split('\t');
    if let (Some(word), Some(Ok(frequency))) = (fields.next(), fields.next().map(|f| f.trim().parse()))
        && !word.starts_with('#')
    {
        learner.word(word, frequency);
    }
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

fn leave_out(args: &Args, io: &Io, place: &Place, cause: &str) -> anyhow::Result<()> {
    anyhow::ensure!(!args.input.strict, "{place}: {cause}");
    io.say.warn(format_args!("{place}: {cause}; left out"));
    Ok(())
}
