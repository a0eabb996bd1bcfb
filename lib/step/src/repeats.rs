//! Documents that several inputs have, of which the first one is exported.

use forage_cli::{Messages, format_count};
use forage_run::Event;
use forage_text::{comparison_form, document_key};
use std::collections::HashMap;
use std::path::Path;

/// Number of documents of an input that are named without `-v`.
const MAX_NAMED: usize = 5;

/// The texts of all inputs so far. A text that one input has twice is no repeat: duplicates within
/// an input are marked by `dedup`.
#[derive(Debug, Default)]
pub struct RepeatFilter {
    /// The number of the first input with a text, by the key of its comparison form, so that texts
    /// that `dedup` calls exact duplicates have the same key.
    first_inputs: HashMap<[u8; 16], usize>,
    input: usize,
    repeats: u64,
    /// The first repeats of the input.
    names: Vec<String>,
}

impl RepeatFilter {
    /// Returns `true` if an earlier input has the text of a document; otherwise notes the text.
    pub fn is_repeat(&mut self, event: &Event, messages: &Messages) -> bool {
        let key = document_key("", &comparison_form(&event.text()));
        let is_repeat = *self.first_inputs.entry(key).or_insert(self.input) < self.input;
        if is_repeat {
            let name = event.url().or_else(|| event.id());
            let name = name.unwrap_or("a document without url and id".into());
            messages.debug(format_args!("{name}: is in an earlier input"));
            self.repeats += 1;
            if self.names.len() < MAX_NAMED {
                self.names.push(name.into());
            }
        }
        is_repeat
    }

    /// Ends an input, and reports how many of its documents were left out, and which.
    pub fn finish_input(&mut self, path: &Path, messages: &Messages) {
        self.input += 1;
        let names = std::mem::take(&mut self.names);
        let repeats = std::mem::take(&mut self.repeats);
        if repeats > 0 {
            let more = match repeats - names.len() as u64 {
                0 => String::new(),
                more => format!(" and {more} more, which -v names"),
            };
            messages.info(format_args!(
                "{}: {} left out, because an earlier input has the text: {}{more}",
                path.display(),
                format_count(repeats, "document"),
                names.join(", ")
            ));
        }
    }
}
