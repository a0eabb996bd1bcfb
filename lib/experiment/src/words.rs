//! The words of an instruction in a template, read from left to right.

use crate::axis::Axis;
use crate::value::Value;

/// What is left of an instruction.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(instruction: &'a str) -> Self {
        Words { words: instruction.split_whitespace().peekable() }
    }

    /// The next word, which is there to be `what`.
    pub(crate) fn next(&mut self, what: &str) -> Result<&'a str, String> {
        self.words.next().ok_or_else(|| format!("{what} is missing"))
    }

    /// Whether the next word is this one, which is then read.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        self.words.next_if(|next| *next == word).is_some()
    }

    /// Reads a word that must be there.
    pub(crate) fn expect(&mut self, word: &str) -> Result<(), String> {
        let found = self.next(&format!("`{word}`"))?;
        if found == word { Ok(()) } else { Err(format!("`{word}` is wanted where `{found}` stands")) }
    }

    /// Nothing may be left.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        self.words.next().map_or(Ok(()), |word| Err(format!("`{word}` is too much")))
    }

    pub(crate) fn is_at_end(&mut self) -> bool {
        self.words.peek().is_none()
    }

    /// A number.
    pub(crate) fn number(&mut self) -> Result<f64, String> {
        let word = self.next("a number")?;
        word.parse().map_err(|_| format!("`{word}` is no number"))
    }

    /// The next word, if it is a number.
    pub(crate) fn number_if(&mut self) -> Option<f64> {
        let number = self.words.peek()?.parse().ok()?;
        self.words.next();
        Some(number)
    }

    /// Numbers of an axis: `calls=100,300`.
    pub(crate) fn points(&mut self) -> Result<(Axis, Vec<u64>), String> {
        let word = self.next("an axis, as in calls=300")?;
        let (axis, numbers) = word.split_once('=').ok_or_else(|| format!("`{word}` should be as calls=300"))?;
        let number = |text: &str| text.parse().map_err(|_| format!("`{word}`: `{text}` is no whole number"));
        Ok((axis.parse()?, numbers.split(',').map(number).collect::<Result<_, _>>()?))
    }

    /// Names between commas, after a word that need not be there.
    pub(crate) fn names_after(&mut self, word: &str) -> Result<Vec<String>, String> {
        if !self.take(word) {
            return Ok(Vec::new());
        }
        Ok(self.next("names between commas")?.split(',').map(str::to_owned).collect())
    }

    /// `QUANTITY SETTING at AXIS=N [in TARGETS]`.
    pub(crate) fn value(&mut self) -> Result<Value, String> {
        let quantity = self.next("a quantity")?.parse()?;
        let setting = self.next("a setting")?.to_owned();
        self.expect("at")?;
        let (axis, numbers) = self.points()?;
        let [number] = numbers[..] else { return Err("one number is wanted here".into()) };
        Ok(Value { quantity, setting, at: (axis, number), targets: self.names_after("in")? })
    }
}
