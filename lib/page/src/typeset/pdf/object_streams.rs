//! The streams that the crate decodes while it parses a document, whatever their size: those of
//! objects, and of cross-references (ISO 32000-1, 7.5.7 and 7.5.8).

use super::budget::{BoundedOutput, Budget};
use super::filters;
use flate2::bufread::ZlibDecoder;
use memchr::memmem;
use pdf_extract::{Document, Error, LoadOptions, Object, ObjectId};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

/// Greatest size of a field of a cross-reference.
const MAX_FIELD_BYTES: u64 = 8;
/// Greatest value of a parameter of the filter of a stream of cross-references.
const MAX_PARAMETER: u64 = 255;

/// Greatest size of a table, compressed and not.
const MAX_TABLE_BYTES: u64 = 32 << 20;

thread_local! {
    /// The budget of the document that is being parsed: the crate takes no closure.
    static BUDGET: RefCell<Budget> = const { RefCell::new(Budget::new(0)) };
}

/// Parses a PDF whose cross-reference streams have been checked by [`without_hostile_tables`].
///
/// # Errors
/// Fails if the crate does.
pub(super) fn load(body: &[u8], budget: &mut Budget) -> Result<Document, Error> {
    BUDGET.with_borrow_mut(|current| std::mem::swap(current, budget));
    let options = LoadOptions::with_filter(decode_object_stream);
    let document = Document::load_mem_with_options(body, options);
    BUDGET.with_borrow_mut(|current| std::mem::swap(current, budget));
    document
}

/// Decodes an object stream, within the budget. Returns a copy of any other object, as the crate uses
/// that, or the original.
fn decode_object_stream(id: ObjectId, object: &mut Object) -> Option<(ObjectId, Object)> {
    let Object::Stream(stream) = object else {
        return Some((id, object.clone()));
    };
    if stream.dict.has_type(b"ObjStm") {
        let decoded =
            BUDGET.with_borrow_mut(|budget| filters::decode(&Document::new(), stream, budget));
        stream.set_plain_content(decoded.unwrap_or_default());
    }
    Some((id, Object::Null))
}

/// Returns the file without the keyword of each cross-reference stream that would make the crate read
/// entries without an end, or decode too much.
pub(super) fn without_hostile_tables<'a>(body: &'a [u8], budget: &mut Budget) -> Cow<'a, [u8]> {
    let mut repaired = Cow::Borrowed(body);
    let mut start = 0;
    for stream in memmem::find_iter(body, b"stream") {
        let before = &body[start..stream];
        start = stream + b"stream".len();
        // Otherwise, what precedes is the data of a stream.
        if before.ends_with(b"end") {
            continue;
        }
        let head = memmem::rfind(before, b"obj").map_or(before, |object| &before[object..]);
        // The name may be written with its code.
        let is_table = !values_of(head, b"/W").is_empty() || memmem::find(head, b"/#57").is_some();
        if is_table && !is_harmless(head, &body[start..], budget) {
            repaired.to_mut()[stream..start].fill(b' ');
        }
    }
    repaired
}

/// Returns `true` if the crate can read a cross-reference stream with this dictionary.
fn is_harmless(head: &[u8], data: &[u8], budget: &mut Budget) -> bool {
    let widths = values_of(head, b"/W");
    let parameters = [&b"/Columns"[..], b"/Colors", b"/BitsPerComponent"];
    let mut parameters = parameters.iter().flat_map(|key| values_of(head, key));
    let are_usual = widths.len() == 3
        && widths.iter().all(|width| *width <= MAX_FIELD_BYTES)
        && widths.iter().any(|width| *width > 0)
        && parameters.all(|parameter| parameter <= MAX_PARAMETER)
        && !head.contains(&b'#');
    let count = |word: &[u8]| memmem::find_iter(head, word).count();
    let filters = (
        count(b"Decode") - count(b"/DecodeParms"),
        count(b"/FlateDecode"),
    );
    are_usual
        && match filters {
            (0, _) => true,
            (1, 1) => budget.spend_part(MAX_TABLE_BYTES, |part| is_small(data, part)),
            _ => false,
        }
}

/// Returns `true` if compressed data can be read and decoded within a budget.
fn is_small(data: &[u8], budget: &mut Budget) -> bool {
    let mut decoder = ZlibDecoder::new(data.trim_ascii_start());
    let mut output = BoundedOutput {
        bytes: Vec::new(),
        budget,
    };
    let _ = io::copy(&mut decoder, &mut output);
    let is_empty = output.bytes.is_empty();
    budget.spend(decoder.total_in() as usize) && !is_empty
}

/// Returns the numbers after a key, one or those of an array.
fn values_of(head: &[u8], key: &[u8]) -> Vec<u64> {
    let rests = memmem::find_iter(head, key).map(|position| &head[position + key.len()..]);
    let rests = rests.filter(|rest| !rest.first().is_some_and(u8::is_ascii_alphabetic));
    let values = rests.flat_map(|rest| {
        let value = rest.trim_ascii_start();
        let value = value.strip_prefix(b"[").unwrap_or(value);
        let is_end = |byte: &u8| !byte.is_ascii_digit() && !byte.is_ascii_whitespace();
        let value = value.split(is_end).next().unwrap_or_default();
        let words = value
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        // What is no number is none of a usual table.
        let numbers = words.map(|word| str::from_utf8(word).ok()?.parse().ok());
        let numbers: Vec<_> = numbers.map(|number| number.unwrap_or(u64::MAX)).collect();
        if numbers.is_empty() {
            vec![u64::MAX]
        } else {
            numbers
        }
    });
    values.collect()
}
