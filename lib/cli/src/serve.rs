//! What a thread of the parallel map does with a line: a record is worked on, or plain text answered.

use crate::bad_line::{BadLine, parse};
use crate::lines::Line;
use crate::missed::Missed;
use forage_record::{ErrorKind, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is done with each line.
pub(crate) trait Serve: Sync {
    /// Room that a thread works in.
    type Space;

    /// New room: for each thread, and after a panic, which may have left it half changed.
    fn space(&self) -> Self::Space;

    /// Appends the answer to a line. What is appended goes out, whether or not the line is left out.
    fn serve(&self, space: &mut Self::Space, line: Line, missed: &mut Missed, to: &mut Vec<u8>)
    -> Result<(), Unserved>;
}

/// Why a line is not answered.
pub(crate) enum Unserved {
    /// It is left out, and the others go on.
    Bad(BadLine),
    /// The tool must stop.
    Fatal(anyhow::Error),
}

/// Lines that are records, which `work` changes.
pub(crate) struct Records<'a, N, W> {
    pub(crate) tool: &'a str,
    pub(crate) max_line: usize,
    pub(crate) scratch: N,
    pub(crate) work: W,
}

impl<S, N, W> Serve for Records<'_, N, W>
where
    N: Fn() -> S + Sync,
    W: Fn(&mut S, &mut Record) -> anyhow::Result<()> + Sync,
{
    type Space = S;

    fn space(&self) -> S {
        (self.scratch)()
    }

    fn serve(&self, space: &mut S, line: Line, missed: &mut Missed, to: &mut Vec<u8>) -> Result<(), Unserved> {
        let mut record = parse(line, self.max_line).map_err(Unserved::Bad)?;
        missed.see(&record);
        match catch_unwind(AssertUnwindSafe(|| (self.work)(space, &mut record))) {
            Ok(result) => result.map_err(Unserved::Fatal)?,
            // It costs this record alone.
            Err(_) => {
                *space = self.space();
                record.set_error(self.tool, ErrorKind::Internal, "a defect of this tool was met; please report it");
            }
        }
        record.write(to);
        Ok(())
    }
}

/// Lines of plain text, to which `work` appends the answer; without a line, to one that nothing can be said of.
pub(crate) struct Plain<N, W> {
    pub(crate) max_line: usize,
    pub(crate) scratch: N,
    pub(crate) work: W,
}

impl<S, N, W> Serve for Plain<N, W>
where
    N: Fn() -> S + Sync,
    W: Fn(&mut S, Option<&[u8]>, &mut Vec<u8>) + Sync,
{
    type Space = S;

    fn space(&self) -> S {
        (self.scratch)()
    }

    fn serve(&self, space: &mut S, line: Line, _: &mut Missed, to: &mut Vec<u8>) -> Result<(), Unserved> {
        let start = to.len();
        let why = match line {
            Line::TooLong(length) => BadLine::too_long(length, self.max_line),
            Line::Bytes(line) => match catch_unwind(AssertUnwindSafe(|| (self.work)(space, Some(&line), to))) {
                Ok(()) => return Ok(()),
                Err(_) => {
                    *space = self.space();
                    to.truncate(start);
                    BadLine::wrong("a defect of this tool was met; please report it".into(), Some(line))
                }
            },
        };
        (self.work)(space, None, to);
        Err(Unserved::Bad(why))
    }
}
