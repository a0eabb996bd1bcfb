//! The filters of streams, except for those of pictures (ISO 32000-1, 7.4). What precedes a fault is
//! decoded.

use super::budget::{BoundedOutput, Budget};
use flate2::bufread::{DeflateDecoder, ZlibDecoder};
use pdf_extract::filters::png::{FilterType, decode_row};
use pdf_extract::{Dictionary, Document, Object, Stream};
use std::io::{self, Write};
use std::slice;

/// Greatest number of filters of a stream. Usual ones have at most two.
const MAX_FILTERS: usize = 8;

/// Returns the decoded content of a stream; `None` if it has a filter that is not supported.
pub(super) fn decode(document: &Document, stream: &Stream, budget: &mut Budget) -> Option<Vec<u8>> {
    let filters = entries(document, &stream.dict, [b"Filter".as_slice(), b"F"]);
    let parameters = entries(document, &stream.dict, [b"DecodeParms".as_slice(), b"DP"]);
    if filters.len() > MAX_FILTERS {
        return None;
    }
    let mut content: Option<Vec<u8>> = None;
    for (index, filter) in filters.iter().enumerate() {
        let parameters = parameters.get(index).and_then(|entry| entry.as_dict().ok());
        let input = content.as_deref().unwrap_or(&stream.content);
        let mut output = BoundedOutput {
            bytes: Vec::new(),
            budget,
        };
        // What precedes an error counts.
        let _ = match filter.as_name().ok()? {
            b"ASCIIHexDecode" | b"AHx" => decode_hexadecimal(input, &mut output),
            b"ASCII85Decode" | b"A85" => decode_base_85(input, &mut output),
            b"RunLengthDecode" | b"RL" => decode_run_lengths(input, &mut output),
            b"FlateDecode" | b"Fl" => inflate(input, &mut output),
            b"LZWDecode" | b"LZW" => decode_lzw(input, parameters, &mut output),
            _ => return None,
        };
        let decoded = output.bytes;
        content = Some(match (filter.as_name(), parameters) {
            (Ok(b"FlateDecode" | b"Fl" | b"LZWDecode" | b"LZW"), Some(parameters)) => {
                undo_prediction(decoded, parameters)
            }
            _ => decoded,
        });
    }
    content.or_else(|| {
        let is_allowed = budget.spend(stream.content.len());
        is_allowed.then(|| stream.content.clone())
    })
}

/// Returns the values of the first of two keys that a dictionary has: a list, or one.
fn entries<'a>(
    document: &'a Document,
    dictionary: &'a Dictionary,
    keys: [&[u8]; 2],
) -> Vec<&'a Object> {
    let mut values = keys
        .iter()
        .filter_map(|key| dictionary.get_deref(key, document).ok());
    let values = match values.next() {
        Some(Object::Array(values)) => values.as_slice(),
        Some(Object::Null) | None => &[],
        Some(value) => slice::from_ref(value),
    };
    let values = values.iter().take(MAX_FILTERS + 1);
    values
        .map(|value| {
            document
                .dereference(value)
                .map_or(value, |(_, value)| value)
        })
        .collect()
}

/// White space may precede the data, or its header may be missing or damaged.
fn inflate(content: &[u8], output: &mut BoundedOutput) -> io::Result<()> {
    let has_header = |content: &[u8]| {
        matches!(content, [method, flags, ..]
            if method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
    };
    let trimmed = content.trim_ascii_start();
    let zlib = [content, trimmed]
        .into_iter()
        .find(|content| has_header(content));
    let result = match zlib {
        Some(zlib) => io::copy(&mut ZlibDecoder::new(zlib), output),
        None => io::copy(&mut DeflateDecoder::new(content), output),
    };
    if output.bytes.is_empty()
        && !output.budget.is_exceeded
        && let Some(rest) = content.get(2..)
    {
        io::copy(&mut DeflateDecoder::new(rest), output)?;
        return Ok(());
    }
    result.map(|_| ())
}

fn decode_lzw(
    content: &[u8],
    parameters: Option<&Dictionary>,
    output: &mut BoundedOutput,
) -> io::Result<()> {
    use weezl::{BitOrder::Msb, decode::Decoder};
    let early_change = parameters.and_then(|parameters| parameters.get(b"EarlyChange").ok());
    let mut decoder = match early_change.and_then(|value| value.as_i64().ok()) {
        Some(0) => Decoder::new(Msb, 8),
        _ => Decoder::with_tiff_size_switch(Msb, 8),
    };
    decoder.into_stream(output).decode_all(content).status
}

/// Undoes the prediction of bytes from those above and before them.
fn undo_prediction(mut content: Vec<u8>, parameters: &Dictionary) -> Vec<u8> {
    let number = |key: &[u8], default: usize| {
        let value = parameters.get(key).and_then(Object::as_i64);
        value.map_or(default, |value| usize::try_from(value).unwrap_or(0))
    };
    let pixel_bits = number(b"Colors", 1).saturating_mul(number(b"BitsPerComponent", 8));
    let row_bytes = pixel_bits.saturating_mul(number(b"Columns", 1)).div_ceil(8);
    let pixel_bytes = pixel_bits.div_ceil(8);
    // A longer row has no end.
    if row_bytes == 0 || row_bytes > content.len() {
        return content;
    }
    match number(b"Predictor", 1) {
        2 => {
            for row in content.chunks_mut(row_bytes) {
                decode_row(FilterType::Sub, pixel_bytes, &[], row);
            }
            content
        }
        10.. => {
            let mut decoded: Vec<u8> = Vec::with_capacity(content.len());
            let mut above = vec![0; row_bytes];
            for row in content.chunks(row_bytes + 1) {
                let filter = FilterType::try_from(row[0]).unwrap_or(FilterType::None);
                let mut current = row[1..].to_vec();
                decode_row(filter, pixel_bytes, &above, &mut current);
                decoded.extend(&current);
                above[..current.len()].copy_from_slice(&current);
            }
            decoded
        }
        _ => content,
    }
}

fn decode_hexadecimal(content: &[u8], output: &mut BoundedOutput) -> io::Result<()> {
    let content = content.split(|byte| *byte == b'>').next();
    let digits: Vec<u8> = content
        .unwrap_or_default()
        .iter()
        .filter_map(|byte| Some(char::from(*byte).to_digit(16)? as u8))
        .collect();
    let pairs = digits.chunks(2);
    let bytes: Vec<u8> = pairs
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or_default())
        .collect();
    output.write_all(&bytes)
}

fn decode_base_85(content: &[u8], output: &mut BoundedOutput) -> io::Result<()> {
    let content = content.trim_ascii_start();
    let content = content.strip_prefix(b"<~").unwrap_or(content);
    let mut group = Vec::new();
    for byte in content {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => output.write_all(&[0; 4])?,
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            output.write_all(&number_of_base_85(&group))?;
            group.clear();
        }
    }
    let count = group.len().saturating_sub(1);
    group.resize(5, 84);
    output.write_all(&number_of_base_85(&group)[..count])
}

fn number_of_base_85(digits: &[u8]) -> [u8; 4] {
    let number = digits.iter().fold(0_u32, |number, digit| {
        number.wrapping_mul(85).wrapping_add(u32::from(*digit))
    });
    number.to_be_bytes()
}

fn decode_run_lengths(mut content: &[u8], output: &mut BoundedOutput) -> io::Result<()> {
    /// The length that ends the data.
    const END: u8 = 128;
    while let [length, rest @ ..] = content
        && *length != END
    {
        let count = usize::from(*length);
        if *length < END {
            let (bytes, after) = rest.split_at((count + 1).min(rest.len()));
            output.write_all(bytes)?;
            content = after;
        } else {
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            output.write_all(&vec![*byte; 257 - count])?;
            content = after;
        }
    }
    Ok(())
}
