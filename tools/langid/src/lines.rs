//! Plain text: a line in, "code, tab, score, tab, line" out, for each line.

use crate::annotate::round;
use crate::args::Args;
use forage_cli::Io;
use forage_langid::{Identifier, Scratch};
use std::io::Write;

/// Identifies the lines of the input; bytes that are not UTF-8 are replaced, and what is too long is as if it were blank.
pub(crate) fn identify(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    io.answer_lines(&args.input, args.jobs.number(), Scratch::default, |scratch, line, to| {
        let text = String::from_utf8_lossy(line.unwrap_or_default());
        let found = identifier.identify_with(scratch, &text);
        // Writing to a vector can't fail.
        let _ = writeln!(to, "{}\t{}\t{text}", found.code, round(found.score));
    })
}
