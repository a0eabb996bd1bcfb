//! Content streams, written anew with only what text depends on, so that the crate reads all of it
//! (ISO 32000-1, 7.8.2 and 9.4.3).
//!
//! - The crate ignores what follows a fault, as a bracket without its pair. Here, a fault costs at
//!   most the operation that it is in.
//! - It ignores two operators that show text: `'` moves to the next line and shows text like `Tj`;
//!   `"` does so after setting word and character spacing.
//! - It fails on some colours, and takes a hundred times the memory of a drawing. Operators that paint
//!   are left out.

use super::budget::Budget;
use pdf_extract::{Document, Object, ObjectId, Stream};

/// Greatest size of the operators that show the text of a page, with those of its forms at each use.
/// Set by judgement: a dense page has a tenth of it, and the crate takes 60 times the memory.
pub(super) const MAX_CONTENT_BYTES: usize = 2 << 20;
/// Maximum number of levels of arrays and dictionaries.
const MAX_LEVELS: usize = 16;
/// Maximum number of digits of a number that the crate reads.
const MAX_DIGITS: usize = 15;
/// Greatest number of operands that are kept for the next operator; no operator has as many.
const MAX_OPERANDS: usize = 32;
/// Greatest number of saved graphics states.
const MAX_SAVED_STATES: usize = 1000;
/// Greatest length of a string. Far longer ones than the specification allows (annex C).
const MAX_STRING_BYTES: usize = 1 << 18;
/// Greatest distance of the data of an inline image from its beginning.
const MAX_IMAGE_HEAD_BYTES: usize = 4 << 10;

/// Repairs the content of all form XObjects, which pages include.
pub(super) fn repair_forms(document: &mut Document, budget: &mut Budget) {
    for form in document.objects.values_mut() {
        if let Object::Stream(form) = form
            && is_form(form)
        {
            let content = repair_content(&form.content, budget);
            form.set_plain_content(content);
        }
    }
}

fn is_form(stream: &Stream) -> bool {
    let subtype = stream.dict.get(b"Subtype").and_then(Object::as_name);
    subtype.is_ok_and(|name| name == b"Form")
}

/// Replaces the content of a page by the stream `id` with the repaired `content`.
pub(super) fn set_page_content(
    document: &mut Document,
    page: ObjectId,
    (id, content): (ObjectId, &[u8]),
    budget: &mut Budget,
) {
    let content = Stream::new(Default::default(), repair_content(content, budget));
    document.objects.insert(id, content.into());
    if let Ok(page) = document.get_dictionary_mut(page) {
        page.set("Contents", id);
    }
}

/// Returns a content stream with the operations that text depends on. What exceeds
/// [`MAX_CONTENT_BYTES`] or the budget is left out.
fn repair_content(content: &[u8], budget: &mut Budget) -> Vec<u8> {
    let mut repair = ContentRepair {
        rest: content,
        operands: Vec::new(),
        repaired: Vec::new(),
        saved_states: 0,
        budget,
    };
    while repair.skip_space() {
        if repair.repaired.len() > MAX_CONTENT_BYTES {
            repair.budget.is_exceeded = true;
            break;
        }
        repair.read_token();
    }
    repair.repaired.truncate(MAX_CONTENT_BYTES);
    repair.repaired
}

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Name,
    Array,
    Other,
}

/// State of the repair of a content stream.
struct ContentRepair<'a> {
    rest: &'a [u8],
    /// The operands of the current operation.
    operands: Vec<(Kind, Vec<u8>)>,
    repaired: Vec<u8>,
    /// The number of graphics states that are saved.
    saved_states: usize,
    budget: &'a mut Budget,
}

impl ContentRepair<'_> {
    /// Skips white space and comments. Returns `false` at the end.
    fn skip_space(&mut self) -> bool {
        while let Some(byte) = self.rest.first() {
            match byte {
                // The crate does not know the first two as white space.
                0 | 0x0C => self.skip(1),
                b' ' | b'\t' | b'\r' | b'\n' => self.rest = &self.rest[1..],
                b'%' => {
                    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
                    let end = self.rest.iter().position(is_end);
                    self.skip(end.unwrap_or(self.rest.len()));
                }
                _ => return true,
            }
        }
        false
    }

    /// Leaves out bytes.
    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Reads an operand or an operator, or leaves out a byte that begins neither.
    fn read_token(&mut self) {
        let mut operand = Vec::new();
        if let Some(kind) = self.read_operand(&mut operand, 0) {
            if self.operands.len() >= 2 * MAX_OPERANDS {
                self.operands.drain(..MAX_OPERANDS);
            }
            self.operands.push((kind, operand));
            return;
        }
        let is_operator = |byte: &&u8| byte.is_ascii_alphabetic() || b"*'\"".contains(byte);
        let length = self.rest.iter().take_while(is_operator).count();
        let is_glyph_width = self.rest.starts_with(b"d0") || self.rest.starts_with(b"d1");
        let (operator, rest) = self.rest.split_at(length + usize::from(is_glyph_width));
        match operator {
            b"" => self.skip(usize::from(!rest.is_empty())),
            b"BI" => self.skip_inline_image(),
            operator => {
                self.rest = rest;
                self.add_operation(operator);
            }
        }
    }

    /// Leaves out an inline image, which has no text.
    fn skip_inline_image(&mut self) {
        self.operands.clear();
        let head = &self.rest[..self.rest.len().min(MAX_IMAGE_HEAD_BYTES)];
        // `ID` may follow a value at once, and the end of the stream `EI`.
        let data = memchr::memmem::find(head, b"ID").map_or(2, |index| index + 2);
        let is_end = |window: &[u8]| {
            matches!(window, [before, b'E', b'I', after]
                if before.is_ascii_whitespace() && after.is_ascii_whitespace())
        };
        let end = self.rest[data..].windows(4).position(is_end);
        let end = end.map(|index| data + index + 3);
        if end.is_none() && !self.budget.spend(self.rest.len()) {
            self.rest = &[];
            return;
        }
        let is_last = || self.rest.trim_ascii_end().ends_with(b"EI");
        let end = end.or_else(|| is_last().then_some(self.rest.len()));
        self.skip(end.unwrap_or(data));
    }

    /// Adds an operation with the current operands; leaves it out if it has not the operands of its
    /// operator. Of too many, the last ones count.
    fn add_operation(&mut self, operator: &[u8]) {
        let mut operands = std::mem::take(&mut self.operands);
        let Some(wanted) = operands_of(operator) else {
            return;
        };
        operands.drain(..operands.len().saturating_sub(wanted.len()));
        let kinds = operands.iter().map(|(kind, _)| *kind);
        let is_text = |kind| matches!(kind, Kind::Text | Kind::Array);
        let is_valid = operands.len() == wanted.len()
            && kinds
                .zip(wanted)
                .all(|(kind, wanted)| kind == *wanted || is_text(kind) && is_text(*wanted));
        if !is_valid {
            return;
        }
        match operator {
            b"'" | b"\"" => {
                let text = operands.pop();
                for (operator, number) in [b"Tw", b"Tc"].into_iter().zip(operands) {
                    self.write([number], operator);
                }
                self.write([], b"T*");
                self.write_text(text);
            }
            b"Tj" | b"TJ" => {
                self.write_text(operands.pop());
            }
            b"q" => {
                self.saved_states += 1;
                if self.saved_states <= MAX_SAVED_STATES {
                    self.write([], operator);
                }
            }
            b"Q" => {
                if (1..=MAX_SAVED_STATES).contains(&self.saved_states) {
                    self.write([], operator);
                }
                self.saved_states = self.saved_states.saturating_sub(1);
            }
            operator => self.write(operands, operator),
        }
    }

    fn write_text(&mut self, text: Option<(Kind, Vec<u8>)>) {
        let is_array = text.as_ref().is_some_and(|(kind, _)| *kind == Kind::Array);
        self.write(text, if is_array { b"TJ" } else { b"Tj" });
    }

    fn write(&mut self, operands: impl IntoIterator<Item = (Kind, Vec<u8>)>, operator: &[u8]) {
        for (_, operand) in operands {
            self.repaired.extend(operand);
            self.repaired.push(b' ');
        }
        self.repaired.extend(operator);
        self.repaired.push(b'\n');
    }

    /// Reads an operand into `operand`, and returns its kind; `None` if no operand follows.
    fn read_operand(&mut self, operand: &mut Vec<u8>, level: usize) -> Option<Kind> {
        let kind = match *self.rest.first()? {
            b'(' => {
                let length = self.string_length()?;
                operand.extend(&self.rest[..length]);
                self.rest = &self.rest[length..];
                Kind::Text
            }
            b'[' if level < MAX_LEVELS => {
                self.read_list(operand, [b"[", b"]"], level);
                Kind::Array
            }
            b'<' if self.rest.starts_with(b"<<") && level < MAX_LEVELS => {
                self.read_list(operand, [b"<<", b">>"], level);
                Kind::Other
            }
            b'<' => {
                self.read_hexadecimal(operand);
                Kind::Text
            }
            b'/' => {
                self.read_name(operand);
                Kind::Name
            }
            b'0'..=b'9' | b'+' | b'-' | b'.' => {
                self.read_number(operand);
                Kind::Number
            }
            _ => {
                let word = &self.rest[..regular_length(self.rest)];
                if ![&b"true"[..], b"false", b"null"].contains(&word) {
                    return None;
                }
                operand.extend(word);
                self.rest = &self.rest[word.len()..];
                Kind::Other
            }
        };
        Some(kind)
    }

    /// Reads an array or a dictionary. One that has no end ends before the next operator.
    fn read_list(&mut self, operand: &mut Vec<u8>, [start, end]: [&[u8]; 2], level: usize) {
        operand.extend(start);
        self.rest = &self.rest[start.len()..];
        while self.skip_space() {
            if let Some(rest) = self.rest.strip_prefix(end) {
                self.rest = rest;
                operand.extend(end);
                return;
            }
            if self.read_operand(operand, level + 1).is_none() {
                if self.rest.first().is_some_and(u8::is_ascii_alphabetic) {
                    break;
                }
                self.skip(1);
            }
            operand.push(b' ');
        }
        operand.extend(end);
    }

    /// Returns the length of the string in parentheses at the beginning; `None` if it has no end.
    fn string_length(&mut self) -> Option<usize> {
        let text = &self.rest[..self.rest.len().min(MAX_STRING_BYTES)];
        let mut open = 0;
        let mut bytes = text.iter().enumerate();
        while let Some((index, byte)) = bytes.next() {
            match byte {
                b'\\' => _ = bytes.next(),
                b'(' => open += 1,
                b')' if open == 1 => return Some(index + 1),
                b')' => open -= 1,
                _ => {}
            }
        }
        // The bytes will be read again.
        if !self.budget.spend(text.len()) {
            self.rest = &[];
        }
        None
    }

    fn read_hexadecimal(&mut self, operand: &mut Vec<u8>) {
        let is_end = |byte: &u8| b"<>()[]/".contains(byte);
        let digits = &self.rest[1..];
        let length = digits.iter().position(is_end).unwrap_or(digits.len());
        let is_digit = |byte: &&u8| byte.is_ascii_hexdigit();
        let is_space = |byte: &u8| byte.is_ascii_whitespace();
        let length = match digits.get(length) {
            Some(b'>') => length,
            // Without an end, it ends before the operator.
            _ => digits
                .iter()
                .take_while(|byte| is_digit(byte) || is_space(byte))
                .count(),
        };
        let (digits, rest) = digits.split_at(length);
        operand.push(b'<');
        operand.extend(digits.iter().filter(is_digit));
        operand.push(b'>');
        self.rest = rest.strip_prefix(b">").unwrap_or(rest);
    }

    fn read_name(&mut self, operand: &mut Vec<u8>) {
        let length = 1 + regular_length(&self.rest[1..]);
        let (name, rest) = self.rest.split_at(length);
        for (index, byte) in name.iter().enumerate() {
            operand.push(*byte);
            let code = name.get(index + 1..index + 3).unwrap_or_default();
            if *byte == b'#' && (code.len() < 2 || !code.iter().all(u8::is_ascii_hexdigit)) {
                operand.extend(b"23");
            }
        }
        self.rest = rest;
    }

    /// Reads a number: `--5`, `5-3` and `5.0.1` are -5, 5 and 5.0.
    fn read_number(&mut self, operand: &mut Vec<u8>) {
        let is_sign = |byte: &u8| matches!(byte, b'+' | b'-');
        let is_part = |byte: &&u8| byte.is_ascii_digit() || is_sign(byte) || **byte == b'.';
        let length = self.rest.iter().take_while(is_part).count();
        let (written, rest) = self.rest.split_at(length);
        self.rest = rest;
        let signs = written.iter().take_while(|byte| is_sign(byte)).count();
        let mut points = 0;
        let mut digits = 0;
        let mut length = 0;
        for byte in &written[signs..] {
            points += usize::from(*byte == b'.');
            digits += usize::from(byte.is_ascii_digit());
            if is_sign(byte) || points > 1 || digits > MAX_DIGITS {
                break;
            }
            length += 1;
        }
        let number = &written[signs..signs + length];
        operand.extend(written[..signs].first());
        operand.extend(number);
        if !number.iter().any(u8::is_ascii_digit) {
            operand.push(b'0');
        }
    }
}

/// Returns the operands of an operator that text depends on; `None` for others.
fn operands_of(operator: &[u8]) -> Option<&'static [Kind]> {
    use Kind::{Array, Name, Number, Text};
    Some(match operator {
        b"BT" | b"ET" | b"q" | b"Q" | b"T*" => &[],
        b"Td" | b"TD" => &[Number; 2],
        b"Tm" | b"cm" => &[Number; 6],
        b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" | b"Tr" => &[Number],
        b"Tf" => &[Name, Number],
        b"Tj" | b"'" => &[Text],
        b"TJ" => &[Array],
        b"\"" => &[Number, Number, Text],
        b"Do" => &[Name],
        _ => return None,
    })
}

/// Returns the number of bytes before white space or a delimiter.
fn regular_length(text: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(byte);
    text.iter().position(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
