//! Plain text: a line in, "code, tab, score, tab, line" out.

use crate::annotate::round;
use crate::args::Args;
use forage_cli::{Io, Line};
use forage_langid::{Identifier, Scratch};

/// Bytes that are gathered before they are written, while more input is there.
const GATHERED: usize = 1 << 16;

/// Identifies the lines of the input; bytes that are not UTF-8 are replaced, a line that is too long is left out.
pub(crate) fn identify(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    let mut lines = io.lines(&args.input)?;
    let mut scratch = Scratch::new();
    let mut gathered = 0;
    loop {
        let out = &mut io.out;
        let Some((place, line)) = lines.next(&mut || out.flush())? else { return Ok(()) };
        match line {
            Line::Bytes(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let found = identifier.identify_with(&mut scratch, &text);
                out.line(&format!("{}\t{}\t{text}", found.code, round(found.score)));
                gathered += bytes.len();
            }
            Line::TooLong(length) => {
                let most = args.input.max_line;
                io.say.warn(format_args!("{place}: a line of {length} bytes, longer than --max-line {most}; left out"));
            }
        }
        if gathered >= GATHERED {
            gathered = 0;
            io.out.flush()?;
        }
    }
}
