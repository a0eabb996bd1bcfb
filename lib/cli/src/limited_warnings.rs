//! Warnings of one kind, of which only the first are written, so that a large input with one defect
//! does not fill the screen.

use crate::messages::Messages;
use crate::plural::group_digits;

/// Number of warnings that are written without `-v`.
const MAX_SHOWN: u64 = 5;

/// A number of warnings of one kind.
#[derive(Debug, Default)]
pub(crate) struct LimitedWarnings {
    total: u64,
    shown: u64,
}

impl LimitedWarnings {
    /// The number of warnings so far, shown or not.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns `true` until the last warning is written that is shown without `-v`.
    pub(crate) fn has_room(&self) -> bool {
        self.shown < MAX_SHOWN
    }

    /// Counts a warning, and writes it if it is among the first, or with `-v`.
    pub(crate) fn report(&mut self, message: impl std::fmt::Display, messages: &Messages) {
        self.total += 1;
        if self.has_room() || messages.is_verbose() {
            self.shown += 1;
            messages.warn(message);
        }
    }

    /// Counts a warning that another message stands for.
    pub(crate) fn count_silently(&mut self) {
        self.total += 1;
        self.shown += 1;
    }

    /// Writes the total, unless all warnings were written: "7 files `statement`, of which 5 are
    /// shown". `remedy` follows the advice to use `-v`.
    pub(crate) fn finish(
        &mut self,
        noun: &str,
        statement: &str,
        remedy: &str,
        messages: &Messages,
    ) {
        if self.shown < self.total {
            messages.warn(format_args!(
                "{} {noun} {statement}, of which {} are shown; -v shows all{remedy}",
                group_digits(self.total),
                self.shown
            ));
            self.shown = self.total;
        }
    }
}
