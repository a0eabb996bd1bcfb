//! The work that a document may cause, so that neither time nor memory depends on more than its
//! size.

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

    /// Takes an amount from the budget. Returns `false`, and takes nothing, if less remains.
    pub const fn spend(&mut self, amount: usize) -> bool {
        let amount = amount as u64;
        if self.remaining < amount {
            self.is_exceeded = true;
            return false;
        }
        self.remaining -= amount;
        true
    }

    /// Takes an amount from the budget. Returns `false`, and takes nothing, if it is more than
    /// `limit` or than what remains.
    pub const fn spend_at_most(&mut self, amount: usize, limit: usize) -> bool {
        self.is_exceeded |= amount > limit;
        amount <= limit && self.spend(amount)
    }

    /// Returns what remains.
    pub const fn remaining(&self) -> u64 {
        self.remaining
    }
}
