//! Records: `langid` and `label` of each. Plain text: "code, tab, score, tab, line" for each line.

use crate::args::Args;
use forage_cli::{Io, Tool};
use forage_langid::{Identification, Identifier, LanguageCode, Scratch};
use forage_record::{ErrorKind, LangId, Record, field};
use std::collections::BTreeMap;
use std::io::Write;

/// Annotates the records of the input.
pub(crate) fn documents(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    io.annotate(
        &args.input,
        args.jobs.thread_count(),
        Scratch::default,
        |scratch, record| {
            if record.should_add(field::LANGID, args.force) {
                annotate(args, identifier, scratch, record);
            }
            Ok(())
        },
    )
}

/// Identifies the lines of the input; bytes that are not UTF-8 are replaced, and what is too long
/// is as if it were blank.
pub(crate) fn lines(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    io.map_lines(
        &args.input,
        args.jobs.thread_count(),
        Scratch::default,
        |scratch, line, to| {
            let text = String::from_utf8_lossy(line.unwrap_or_default());
            let found = identifier.identify_with(scratch, &text);
            // Writing to a vector can't fail.
            let _ = writeln!(to, "{}\t{}\t{text}", found.code, round(found.score));
        },
    )
}

fn annotate(args: &Args, identifier: &Identifier, scratch: &mut Scratch, record: &mut Record) {
    let text = match record.text() {
        Ok(Some(text)) => text,
        Ok(None) => return,
        Err(e) => return record.set_error(Args::NAME, ErrorKind::BadField, e),
    };
    let (found, shares) = if args.paragraphs {
        let (found, shares) = identifier.identify_paragraphs(scratch, &text);
        (found, Some(shares))
    } else {
        (identifier.identify_with(scratch, &text), None)
    };
    drop(text);
    record.set(field::LANGID, &view(&found, shares));
    if args.force || !record.has_field(field::LABEL) {
        record.set(field::LABEL, &found.code.as_str());
    }
}

fn view(found: &Identification, shares: Option<BTreeMap<LanguageCode, f64>>) -> LangId {
    let rounded = |(code, number): (LanguageCode, f64)| (code.to_string(), round(number));
    LangId {
        code: found.code.to_string(),
        script: Some(found.script.to_string()),
        score: round(found.score),
        margin: round(found.margin),
        top: found.top.iter().copied().map(rounded).collect(),
        share: shares.map(|shares| shares.into_iter().map(rounded).collect()),
    }
}

/// To four decimals: more would say nothing, and could differ between machines.
fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
