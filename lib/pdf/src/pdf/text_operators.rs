//! Content streams, written anew where the crate would stop reading or panic (ISO 32000-1, 7.8.2 and
//! 9.4.3).
//!
//! - The crate ignores what follows a fault, as a bracket without its pair. Here, a fault costs at
//!   most the operation that it is in.
//! - It ignores two operators that show text: `'` moves to the next line and shows text like `Tj`;
//!   `"` does so after setting word and character spacing.

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

/// Maximum number of levels of arrays and dictionaries.
const MAX_LEVELS: usize = 16;
/// Maximum number of digits of a number that the crate reads.
const MAX_DIGITS: usize = 15;

/// Repairs the content of all form XObjects, which pages include.
pub(super) fn repair_forms(document: &mut Document) {
    for object in document.objects.values_mut() {
        if let Object::Stream(form) = object
            && form
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|name| name == b"Form")
            && let Some(content) = form
                .get_plain_content()
                .ok()
                .and_then(|content| repair_content(&content))
        {
            form.set_plain_content(content);
        }
    }
}

/// Repairs the content of a page.
pub(super) fn repair_page(document: &mut Document, page: ObjectId) {
    let content = document
        .get_page_content(page)
        .ok()
        .and_then(|content| repair_content(&content));
    if let Some(content) = content {
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        if let Ok(page) = document.get_dictionary_mut(page) {
            page.set("Contents", content);
        }
    }
}

/// Returns a content stream in which each operation can be read, or `None` if this one is such.
fn repair_content(content: &[u8]) -> Option<Vec<u8>> {
    let mut repair = ContentRepair {
        rest: content,
        operands: Vec::new(),
        repaired: Vec::new(),
        is_changed: false,
    };
    while repair.skip_space() {
        repair.read_token();
    }
    repair.is_changed.then_some(repair.repaired)
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
    is_changed: bool,
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
        self.rest = &self.rest[count..];
        self.is_changed = true;
    }

    /// Reads an operand or an operator, or leaves out a byte that begins neither.
    fn read_token(&mut self) {
        let mut operand = Vec::new();
        if let Some(kind) = self.read_operand(&mut operand, 0) {
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
        let find = |text: &[u8], word: &[u8]| {
            text.windows(4).position(|window| {
                window[0].is_ascii_whitespace()
                    && window[1..3] == *word
                    && (window[3].is_ascii_whitespace())
            })
        };
        // `ID` may follow a value at once, and the end of the stream `EI`.
        let data = memchr::memmem::find(self.rest, b"ID").map_or(2, |index| index + 2);
        let end = find(&self.rest[data..], b"EI").map(|index| data + index + 3);
        let is_last = || self.rest.trim_ascii_end().ends_with(b"EI");
        let end = end.or_else(|| is_last().then_some(self.rest.len()));
        self.skip(end.unwrap_or(data));
    }

    /// Adds an operation with the current operands; leaves it out if it has not the operands of its
    /// operator. Of too many, the last ones count.
    fn add_operation(&mut self, operator: &[u8]) {
        let mut operands = std::mem::take(&mut self.operands);
        if let Some(wanted) = operands_of(operator) {
            let surplus = operands.len().saturating_sub(wanted.len());
            self.is_changed |= surplus > 0;
            operands.drain(..surplus);
            let kinds = operands.iter().map(|(kind, _)| *kind);
            let is_text = |kind| matches!(kind, Kind::Text | Kind::Array);
            let is_valid = operands.len() == wanted.len()
                && kinds
                    .zip(wanted)
                    .all(|(kind, wanted)| kind == *wanted || is_text(kind) && is_text(*wanted));
            if !is_valid {
                self.is_changed = true;
                return;
            }
        }
        match operator {
            b"'" | b"\"" => {
                self.is_changed = true;
                let text = operands.pop();
                for (operator, number) in [b"Tw", b"Tc"].into_iter().zip(operands) {
                    self.write([number], operator);
                }
                self.write([], b"T*");
                self.write_text(text);
            }
            b"Tj" | b"TJ" => {
                let is_array = operands.iter().any(|(kind, _)| *kind == Kind::Array);
                self.is_changed |= is_array != (operator == b"TJ");
                self.write_text(operands.pop());
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
                let length = string_length(self.rest)?;
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
                if self.rest[0].is_ascii_alphabetic() {
                    break;
                }
                self.skip(1);
            }
            operand.push(b' ');
        }
        self.is_changed = true;
        operand.extend(end);
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
        self.is_changed |= digits
            .iter()
            .any(|byte| !is_digit(&byte) && !is_space(byte));
        self.is_changed |= !rest.starts_with(b">");
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
                self.is_changed = true;
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
        let start = operand.len();
        operand.extend(written[..signs].first());
        operand.extend(number);
        if !number.iter().any(u8::is_ascii_digit) {
            operand.push(b'0');
        }
        self.is_changed |= operand[start..] != *written;
    }
}

/// Returns the operands of an operator that text depends on; `None` for others.
fn operands_of(operator: &[u8]) -> Option<&'static [Kind]> {
    use Kind::{Array, Name, Number, Text};
    Some(match operator {
        b"Td" | b"TD" | b"m" | b"l" => &[Number; 2],
        b"Tm" | b"cm" | b"c" => &[Number; 6],
        b"re" | b"v" | b"y" | b"k" | b"K" => &[Number; 4],
        b"rg" | b"RG" => &[Number; 3],
        b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" | b"Tr" | b"w" | b"g" | b"G" => &[Number],
        b"Tf" => &[Name, Number],
        b"Tj" | b"'" => &[Text],
        b"TJ" => &[Array],
        b"\"" => &[Number, Number, Text],
        b"gs" | b"Do" => &[Name],
        _ => return None,
    })
}

/// Returns the length of the string in parentheses at the beginning; `None` if it has no end.
fn string_length(text: &[u8]) -> Option<usize> {
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
    None
}

/// Returns the number of bytes before white space or a delimiter.
fn regular_length(text: &[u8]) -> usize {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(byte);
    text.iter().position(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::repair_content;
    use pdf_extract::content::Content;
    use proptest::prelude::*;

    fn repaired(content: &[u8]) -> String {
        let repaired = repair_content(content).expect("the content is faulty");
        String::from_utf8_lossy(&repaired).replace('\n', " ")
    }

    #[test]
    fn replaces_quote_operators_by_supported_ones() {
        let content = b"BT /F 9 Tf (a)' 1 .5 <62>\" [(c) 3 (d)] TJ ET";
        assert_eq!(
            repaired(content),
            "BT /F 9 Tf T* (a) Tj 1 Tw .5 Tc T* <62> Tj [(c) 3 (d) ] TJ ET "
        );
    }

    #[test]
    fn keeps_content_without_faults() {
        for content in [
            &b"BT (say \" this ' \\) (so) ) Tj ET"[..],
            b"q 1 0 0 -1 0. +.5 cm /P <</MCID 0/A[1 2]>> BDC <61 62>Tj[(a)-3]TJ EMC Q",
            b"/Cs1 cs true false null 0.1 scn 500 0 d0",
            b"",
        ] {
            assert_eq!(repair_content(content), None);
        }
    }

    #[test]
    fn a_fault_costs_at_most_its_operation() {
        for (faulty, expected) in [
            ("] (a) Tj", "(a) Tj "),
            ("(a) Tj ) } >> { (b) Tj", "(a) Tj (b) Tj "),
            ("--5 5.0.1 Td 7-3 . Td", "-5 5.0 Td 7 .0 Td "),
            ("123456789012345678901 0 Td", "123456789012345 0 Td "),
            ("1 Td (a) Tj", "(a) Tj "),
            (
                "/x 9 Td 9 1 2 Td (a) TJ [(b)] Tj",
                "1 2 Td (a) Tj [(b) ] TJ ",
            ),
            ("[(a) 3 (b) TJ (c) Tj", "[(a) 3 (b) ] TJ (c) Tj "),
            ("<6 z1> Tj (b) Tj", "<61> Tj (b) Tj "),
            ("<6 1 Tj (b) Tj", "<61> Tj (b) Tj "),
            ("(a ( b) Tj", "a ( b) Tj "),
            ("(a)\0Tj\x0cET", "(a) Tj ET "),
            ("1 % one\n 2 Td", "1 2 Td "),
            ("/a#b 9 Tf (a) Tj", "/a#23b 9 Tf (a) Tj "),
            ("/F Tf \u{e9} (a) Tj", "(a) Tj "),
            ("BI /W 1 ID \u{1}(\u{2} EI (a) Tj", "(a) Tj "),
            ("BI /W 1 (a) Tj", "(a) Tj "),
        ] {
            assert_eq!(repaired(faulty.as_bytes()), expected, "{faulty}");
        }
    }

    proptest! {
        #[test]
        fn what_follows_any_fault_is_read(
            fault in r"[\[\]<>(){}/%#.+0-9a-zA-Z \x00\x0c\n*'-]{0,20}",
        ) {
            // What may comprise the text is left out.
            prop_assume!(!fault.contains(['(', '%', '<']) && !fault.contains("BI"));
            let content = format!("BT {fault}\n ET (Potok) Tj");
            let repaired = repair_content(content.as_bytes()).unwrap_or(content.into_bytes());
            let operations = Content::decode(&repaired).unwrap().operations;
            prop_assert_eq!(&operations.last().unwrap().operator, "Tj");
        }

        #[test]
        fn arbitrary_bytes_never_cause_a_panic(content in prop::collection::vec(any::<u8>(), 0..99)) {
            let _ = repair_content(&content);
        }
    }
}
