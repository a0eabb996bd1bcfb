//! Annotation of records with `langid` and `label`, and of plain text with "code, tab, score, tab,
//! line" for each line.

use crate::args::Args;
use forage_cli::{FileReading, Io, Tool};
use forage_langid::{Identification, Identifier, LanguageCode, LegacyFont, Scratch};
use forage_record::{ErrorKind, LangId, LanguageScore, Record, field};
use std::collections::BTreeMap;
use std::io::Write;

/// Annotates the records of the input.
///
/// # Errors
/// Fails if the input cannot be read or the output cannot be written.
pub fn annotate_records(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    let (input, threads) = (&args.input, args.jobs.thread_count());
    io.annotate(input, threads, Scratch::default, |scratch, record| {
        annotate_record(args, identifier, scratch, record);
        Ok(())
    })
}

/// Annotates the lines of the input. Replaces bytes that are not UTF-8, and treats a line that is
/// too long as empty.
///
/// # Errors
/// Fails if the input cannot be read or the output cannot be written.
pub fn annotate_lines(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    io.map_lines(
        &args.input,
        args.jobs.thread_count(),
        "langid --lines",
        Scratch::default,
        |scratch, line, output| {
            let text = String::from_utf8_lossy(line.unwrap_or_default());
            let Identification { code, score, .. } = identifier.identify_with(scratch, &text);
            // Writing to a vector cannot fail.
            let _ = writeln!(output, "{code}\t{}\t{text}", round(score));
        },
    )
}

/// Writes a line for each file of the input: path, code and score. A file that is not plain text is
/// `und`.
///
/// # Errors
/// Fails if no file can be read or the output cannot be written.
pub fn annotate_files(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    io.map_files(
        &args.input,
        args.jobs.thread_count(),
        FileReading {
            command: Args::NAME,
            accepts_part: true,
        },
        |text| identifier.identify_with(&mut Scratch::default(), text.unwrap_or_default()),
        |_, Identification { code, score, .. }| Ok(format!("{code}\t{}", round(score))),
    )
}

/// Sets `langid` and `label` of a record with a text, unless it has `langid` already.
pub fn annotate_record(
    args: &Args,
    identifier: &Identifier,
    scratch: &mut Scratch,
    record: &mut Record,
) {
    if !record.should_add(field::LANGID, args.force) {
        return;
    }
    let text = match record.text() {
        Ok(Some(text)) => text,
        Ok(None) => return,
        Err(e) => return record.set_error(Args::NAME, ErrorKind::BadField, e),
    };
    let (identification, shares) = if args.paragraphs {
        let (identification, shares) = identifier.identify_paragraphs(scratch, &text);
        (identification, Some(shares))
    } else {
        (identifier.identify_with(scratch, &text), None)
    };
    drop(text);
    record.set_with(field::LANGID, |json| {
        to_field(&identification, shares.as_ref()).push_json(json);
    });
    if args.force || !record.has_value(field::LABEL) {
        record.set(field::LABEL, &identification.code.as_str());
    }
}

/// Returns the value of the field `langid`.
fn to_field<'a>(
    identification: &'a Identification,
    shares: Option<&'a BTreeMap<LanguageCode, f64>>,
) -> LangId<&'a str> {
    let with_name = |(code, p): (&'a LanguageCode, &f64)| (code.as_str(), *p);
    let top = identification.top.iter().map(|(code, p)| LanguageScore {
        code: code.as_str(),
        score: *p,
    });
    let alternatives = identification.alternatives.iter();
    LangId {
        code: identification.code.as_str(),
        script: Some(identification.script.as_str()),
        score: identification.score,
        margin: identification.margin,
        top: top.collect(),
        alternatives: alternatives.map(LanguageCode::as_str).collect(),
        share: shares.map(|shares| shares.iter().map(with_name).collect()),
        font: identification.font.map(LegacyFont::as_str),
    }
}

/// Rounds to four decimals. More would not be significant, and could differ between machines.
fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
