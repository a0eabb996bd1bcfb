//! Numbers for strings, in order of first occurrence.

use foldhash::HashMap;

/// Numbers for strings, from 0.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    numbers: HashMap<Box<str>, u32>,
    strings: Vec<Box<str>>,
}

impl Numbering {
    /// Returns the number of a string, which is a new one if the string is.
    pub fn number(&mut self, string: &str) -> u32 {
        if let Some(number) = self.numbers.get(string) {
            return *number;
        }
        // A text or a core has fewer than 2^32 words.
        let number = u32::try_from(self.strings.len()).unwrap_or(u32::MAX);
        self.numbers.insert(string.into(), number);
        self.strings.push(string.into());
        number
    }

    /// Returns the string with a number.
    pub fn string(&self, number: u32) -> &str {
        &self.strings[number as usize]
    }

    /// Returns the number of strings: all numbers are less.
    pub fn len(&self) -> usize {
        self.strings.len()
    }

    /// Forgets all strings but the first ones.
    pub fn truncate(&mut self, kept: usize) {
        self.strings.truncate(kept);
        self.numbers.retain(|_, number| (*number as usize) < kept);
    }
}
