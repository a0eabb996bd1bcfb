//! The work that a document may cause, so that neither time nor memory depends on more than its size.

use std::io::{self, Write};

/// Decoded bytes and steps that remain to a document.
#[derive(Debug)]
pub(super) struct Budget {
    remaining: u64,
    /// True once something was left out, as it would have exceeded the budget.
    pub is_exceeded: bool,
}

impl Budget {
    pub const fn new(amount: u64) -> Budget {
        Budget {
            remaining: amount,
            is_exceeded: false,
        }
    }

    /// Takes an amount from the budget. Returns `false` if less remained, which is taken, too.
    pub const fn spend(&mut self, amount: usize) -> bool {
        let amount = amount as u64;
        if self.remaining < amount {
            self.remaining = 0;
            self.is_exceeded = true;
            return false;
        }
        self.remaining -= amount;
        true
    }

    /// Does work with a part of the budget, of at most `limit`.
    pub fn spend_part<T>(&mut self, limit: u64, work: impl FnOnce(&mut Budget) -> T) -> T {
        let limit = limit.min(self.remaining);
        let mut part = Budget::new(limit);
        let result = work(&mut part);
        self.remaining -= limit - part.remaining;
        self.is_exceeded |= part.is_exceeded;
        result
    }

    /// Returns `true` if nothing remains.
    pub const fn is_spent(&self) -> bool {
        self.remaining == 0
    }
}

/// Bytes that are decoded, as many as the budget allows.
pub(super) struct BoundedOutput<'a> {
    pub bytes: Vec<u8>,
    pub budget: &'a mut Budget,
}

impl Write for BoundedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.budget.spend(bytes.len()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
