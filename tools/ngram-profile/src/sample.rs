//! The sample: plain text, records, or a word list, line by line.

use crate::args::Args;
use forage_cli::Io;
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
pub(crate) fn read(args: &Args, io: &mut Io, learner: &mut Learner) -> anyhow::Result<()> {
    let mut form = args.wordlist.then_some(Form::Words);
    io.each_line(&args.input, |line, _| {
        match *form.get_or_insert_with(|| form_of(&line)) {
            Form::Text => learner.text(&String::from_utf8_lossy(&line)),
            Form::Words => word(&String::from_utf8_lossy(&line), learner),
            Form::Records => record(line, learner)?,
        }
        Ok(())
    })
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
