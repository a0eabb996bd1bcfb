//! Streams: their decoding within a budget (ISO 32000-1, 7.4). The crate decodes a stream as a
//! whole, so its size is found before.

use super::budget::Budget;
use flate2::bufread::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::{Dict, Object, Stream};
use memchr::memmem;
use std::borrow::Cow;
use std::io::{self, Read};

/// Greatest number of filters of a stream. Usual ones have at most two.
const MAX_FILTERS: usize = 8;
/// Greatest growth of data by deflate and by LZW, and by run lengths.
const MAX_GROWTH: usize = 1366;
const MAX_RUN_GROWTH: usize = 64;
/// Greatest size of a decoded stream.
const MAX_STREAM_BYTES: usize = 64 << 20;
/// Greatest size of a stream of objects or of cross-references.
const MAX_TABLE_BYTES: u64 = 32 << 20;

/// The decoded content of a stream.
#[derive(Default)]
pub(super) struct Decoded<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// False if a part of it cannot be decoded, or not within the budget.
    pub is_whole: bool,
}

/// Decodes a stream as far as the budget allows.
pub(super) fn decode<'a>(stream: &Stream<'a>, budget: &mut Budget) -> Decoded<'a> {
    if stream.filters().as_slice() == [Filter::FlateDecode] && rows(stream).is_empty() {
        let (content, is_whole) = inflate(&stream.raw_data(), limit_of(budget));
        let is_small = budget.spend_at_most(content.len(), MAX_STREAM_BYTES);
        return Decoded {
            bytes: if is_small { content } else { Vec::new() }.into(),
            is_whole: is_small && is_whole,
        };
    }
    let content = is_affordable(stream, budget).then(|| stream.decoded_data().ok());
    content
        .flatten()
        .map_or_else(Decoded::default, |bytes| Decoded {
            bytes,
            is_whole: true,
        })
}

/// Takes the size of a decoded stream from the budget. Returns `false` if that is larger, or the
/// crate does not know a filter.
pub(super) fn is_affordable(stream: &Stream, budget: &mut Budget) -> bool {
    let filters = stream.filters();
    if filters.len() != count_filters(stream) {
        return false;
    }
    let mut data = stream.raw_data();
    let mut filters = filters.as_slice();
    if let [Filter::Ascii85Decode, rest @ ..] = filters {
        data = decode_base_85(&data).into();
        filters = rest;
    }
    let growth = |size: usize, filter: &Filter| match filter {
        Filter::FlateDecode | Filter::LzwDecode => size.saturating_mul(MAX_GROWTH),
        Filter::RunLengthDecode => size.saturating_mul(MAX_RUN_GROWTH),
        _ => size,
    };
    let size = match filters {
        _ if filters.len() > MAX_FILTERS => usize::MAX,
        [Filter::FlateDecode] => inflate(&data, limit_of(budget)).0.len(),
        [Filter::LzwDecode] => lzw_size(&data),
        filters => filters.iter().fold(data.len(), growth),
    };
    let rows = rows(stream).into_iter().fold(0, usize::saturating_add);
    budget.spend_at_most(size.saturating_add(rows), MAX_STREAM_BYTES)
}

fn limit_of(budget: &Budget) -> u64 {
    budget.remaining().min(MAX_STREAM_BYTES as u64)
}

fn count_filters(stream: &Stream) -> usize {
    let value = ["F", "Filter"]
        .iter()
        .find_map(|key| stream.dict().get::<Object>(key));
    match value {
        Some(Object::Array(filters)) => filters.iter::<Object>().count(),
        Some(Object::Name(_)) => 1,
        _ => 0,
    }
}

/// Returns the sizes of the rows of data that are predicted from those above and before them.
fn rows(stream: &Stream) -> Vec<usize> {
    let value = ["DP", "DecodeParms"]
        .iter()
        .find_map(|key| stream.dict().get::<Object>(key));
    let parameters = match value {
        Some(Object::Array(array)) => array.iter::<Dict>().collect(),
        Some(Object::Dict(dict)) => vec![dict],
        _ => Vec::new(),
    };
    let parameters = parameters.iter();
    let predicted = parameters.filter(|dict| dict.get::<u8>("Predictor").is_some_and(|p| p > 1));
    let number = |dict: &Dict, key: &str, default| dict.get::<usize>(key).unwrap_or(default);
    let size = |dict: &Dict| {
        let pixel = number(dict, "Colors", 1).saturating_mul(number(dict, "BitsPerComponent", 8));
        pixel.saturating_mul(number(dict, "Columns", 1)) / 8
    };
    predicted.map(size).collect()
}

/// Returns inflated data, up to `limit` bytes and one more, and whether it is whole. White space
/// may precede it, or its header or checksum be wrong; otherwise it is what precedes a fault.
fn inflate(data: &[u8], limit: u64) -> (Vec<u8>, bool) {
    let trimmed = data.trim_ascii_start();
    if trimmed.is_empty() {
        return (Vec::new(), true);
    }
    let zlib: Box<dyn Read> = Box::new(ZlibDecoder::new(trimmed));
    let bare = [trimmed.get(2..).unwrap_or_default(), data];
    let bare = bare.map(|data| -> Box<dyn Read> { Box::new(DeflateDecoder::new(data)) });
    let mut longest = Vec::new();
    for reader in [zlib].into_iter().chain(bare) {
        let mut content = Vec::new();
        let result = reader
            .take(limit.saturating_add(1))
            .read_to_end(&mut content);
        if result.is_ok() {
            return (content, true);
        }
        if content.len() > longest.len() {
            longest = content;
        }
    }
    (longest, false)
}

/// Returns the size of data that is compressed by LZW.
fn lzw_size(data: &[u8]) -> usize {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut sink = io::sink();
    decoder
        .into_stream(&mut sink)
        .decode_all(data)
        .bytes_written
}

fn decode_base_85(content: &[u8]) -> Vec<u8> {
    let content = content.trim_ascii_start();
    let content = content.strip_prefix(b"<~").unwrap_or(content);
    let mut decoded = Vec::new();
    let (mut number, mut count) = (0_u32, 0);
    for byte in content.iter().take_while(|byte| **byte != b'~') {
        match byte {
            b'z' if count == 0 => decoded.extend([0; 4]),
            b'!'..=b'u' => {
                number = number.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
            }
            _ => {}
        }
        if count == 5 {
            decoded.extend(number.to_be_bytes());
            (number, count) = (0, 0);
        }
    }
    decoded
}

/// Returns the file without the keyword of each stream of objects or cross-references that is too
/// large: the crate decodes these while it parses the file. The second value is `true` if there is
/// one.
pub(super) fn without_bombs(body: &[u8]) -> (Cow<'_, [u8]>, bool) {
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
        let has = |word: &[u8]| memmem::find(head, word).is_some();
        // A name may be written with the codes of its letters.
        if (has(b"/ObjStm") || has(b"/XRef") || has(b"#"))
            && !has(b"/Image")
            && inflate(&body[start..], MAX_TABLE_BYTES).0.len() as u64 > MAX_TABLE_BYTES
        {
            repaired.to_mut()[stream..start].fill(b' ');
        }
    }
    let is_changed = matches!(repaired, Cow::Owned(_));
    (repaired, is_changed)
}

#[cfg(test)]
mod tests;
