//! Plain text: a line in, "code, tab, score, tab, line" out.

use crate::annotate::round;
use crate::args::Args;
use forage_cli::Io;
use forage_langid::{Identifier, Scratch};

/// Identifies the lines of the input; bytes that are not UTF-8 are replaced, a line that is too long is left out.
pub(crate) fn identify(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    let mut scratch = Scratch::new();
    io.each_line(&args.input, |line, out| {
        let text = String::from_utf8_lossy(&line);
        let found = identifier.identify_with(&mut scratch, &text);
        out.line(&format!("{}\t{}\t{text}", found.code, round(found.score)));
        Ok(())
    })
}
