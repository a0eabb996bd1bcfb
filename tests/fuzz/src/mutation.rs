//! Random changes of an input.
//!
//! Changes respect the structure of texts to some degree: a span often begins and ends at a
//! delimiter, and tokens come from the dictionary of the format.

use forage_text::Random;

/// Bytes at which spans begin and end: those that delimit parts of HTML, JSON, tables and headers.
const DELIMITERS: &[u8] = b"<>\n\t ,:;\"'{}[]()/=&|";
/// Bytes that parsers treat specially.
const SPECIAL_BYTES: &[u8] =
    b"\0\x01\t\n\r \"#$%&'*+,-./09:;<=>?@AZ[\\]^_az{|}\x7f\x80\xbf\xc2\xe0\xed\xf0\xff";
/// Integers at the limits of their types.
const LIMITS: [u64; 15] = [
    0,
    1,
    2,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    1 << 53,
    0x7FFF_FFFF_FFFF_FFFF,
    1 << 63,
    u64::MAX,
];
/// Decimal numbers at the limits of their types.
const DECIMALS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "00",
    "255",
    "65536",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
];
/// Characters whose case, normal form, width or direction is special, or that are no text.
const CHARACTERS: &str = "\u{0}\u{85}\u{A0}\u{AD}ßıİŉΣςǅﬁ\u{301}\u{345}\u{1161}가กเ\u{E33}ང\u{200B}\u{200D}\u{200E}\u{202E}\u{2028}\u{2066}　日語カﾞ\u{FEFF}\u{FFFD}\u{FFFF}𐐀𝟗😀🇸🇮\u{E0041}\u{10FFFF}";

/// Returns a uniformly distributed number below `n`, which must not be 0.
pub fn below(random: &mut Random, n: usize) -> usize {
    random.next_below(n as u64) as usize
}

/// Returns a random element.
pub fn pick<'a, T>(random: &mut Random, from: &'a [T]) -> &'a T {
    &from[below(random, from.len())]
}

/// Applies 1 to 16 random changes to an input, which then has at most `max_bytes`. Parts of `other`
/// and tokens of the dictionary may be inserted.
pub fn mutate(
    input: &mut Vec<u8>,
    other: &[u8],
    dictionary: &[&str],
    max_bytes: usize,
    random: &mut Random,
) {
    for _ in 0..1 << below(random, 5) {
        match below(random, 24) {
            0..3 => flip_bit(input, random),
            3..5 => set_byte(input, random),
            5 => set_integer(input, random),
            6..9 => {
                let span = pick_span(input, random);
                input.drain(span);
            }
            9..11 => {
                let copy = input[pick_span(input, random)].to_vec();
                insert(input, &copy, random);
            }
            11..14 => {
                let token = pick_token(dictionary, random);
                insert(input, token.as_bytes(), random);
            }
            14..16 => {
                let token = pick_token(dictionary, random);
                let span = pick_span(input, random);
                input.splice(span, token.bytes());
            }
            16..18 => {
                let part = &other[pick_span(other, random)];
                let span = pick_span(input, random);
                input.splice(span, part.iter().copied());
            }
            18..20 => replace_number(input, random),
            20..22 => insert_character(input, random),
            22 => {
                let length = below(random, input.len() + 1);
                if below(random, 4) == 0 {
                    input.truncate(length);
                }
            }
            _ => repeat(input, dictionary, max_bytes, random),
        }
        input.truncate(max_bytes);
    }
}

/// Flips a bit.
pub fn flip_bit(input: &mut [u8], random: &mut Random) {
    if !input.is_empty() {
        let at = below(random, input.len());
        input[at] ^= 1 << below(random, 8);
    }
}

fn set_byte(input: &mut [u8], random: &mut Random) {
    if !input.is_empty() {
        let at = below(random, input.len());
        input[at] = *pick(random, SPECIAL_BYTES);
    }
}

/// Overwrites an integer of 1 to 8 bytes, in either byte order.
pub fn set_integer(input: &mut [u8], random: &mut Random) {
    let width = 1 << below(random, 4);
    if input.len() >= width {
        let at = below(random, input.len() - width + 1);
        let value = *pick(random, &LIMITS);
        let bytes = match below(random, 2) {
            0 => value.to_le_bytes()[..width].to_vec(),
            _ => value.to_be_bytes()[8 - width..].to_vec(),
        };
        input[at..at + width].copy_from_slice(&bytes);
    }
}

fn insert(input: &mut Vec<u8>, bytes: &[u8], random: &mut Random) {
    let at = pick_place(input, random);
    input.splice(at..at, bytes.iter().copied());
}

fn insert_character(input: &mut Vec<u8>, random: &mut Random) {
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let character = pick(random, &characters);
    insert(input, character.encode_utf8(&mut [0; 4]).as_bytes(), random);
}

/// Replaces a decimal number after a random place.
fn replace_number(input: &mut Vec<u8>, random: &mut Random) {
    let from = below(random, input.len() + 1);
    let Some(start) = input[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let digits = input[start..].iter().take_while(|b| b.is_ascii_digit());
    let end = start + digits.count();
    input.splice(start..end, pick(random, &DECIMALS).bytes());
}

/// Repeats a span or a token, up to `max_bytes` in all: a long or deeply nested input, on which a
/// parser may take quadratic time or overflow its stack.
fn repeat(input: &mut Vec<u8>, dictionary: &[&str], max_bytes: usize, random: &mut Random) {
    let part = match below(random, 3) {
        0 => pick_token(dictionary, random).as_bytes().to_vec(),
        _ => input[pick_span(input, random)].to_vec(),
    };
    let room = max_bytes.saturating_sub(input.len());
    let most = room.checked_div(part.len()).unwrap_or(0);
    let times = (1 << below(random, 20)).min(most);
    insert(input, &part.repeat(times), random);
}

fn pick_token<'a>(dictionary: &[&'a str], random: &mut Random) -> &'a str {
    match dictionary.len() {
        0 => "",
        length => dictionary[below(random, length)],
    }
}

/// Returns a random place between two bytes, in half of the cases after a delimiter.
fn pick_place(input: &[u8], random: &mut Random) -> usize {
    let place = below(random, input.len() + 1);
    if below(random, 2) == 0 {
        return place;
    }
    let next = input[place..].iter().position(|b| DELIMITERS.contains(b));
    next.map_or(place, |distance| place + distance + 1)
}

/// Returns a random span: short, up to a delimiter, or of any length.
fn pick_span(input: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = pick_place(input, random).min(input.len());
    let rest = input.len() - start;
    let length = match below(random, 8) {
        0..3 => below(random, 17),
        3..7 => {
            // Past one of the next delimiters.
            let ends = input[start..].iter().enumerate();
            let mut ends = ends.filter(|(_, b)| DELIMITERS.contains(b));
            ends.nth(below(random, 6)).map_or(rest, |(at, _)| at + 1)
        }
        _ => below(random, rest + 1),
    };
    start..start + length.min(rest)
}

#[cfg(test)]
mod tests {
    use super::{Random, mutate};

    #[test]
    fn mutations_depend_on_the_random_stream_alone_and_keep_the_limit() {
        let run = |purpose: &str| {
            let mut random = Random::for_purpose(1, &[purpose]);
            let mut input = b"<p>One</p> 12".to_vec();
            for _ in 0..500 {
                mutate(&mut input, b"<b>", &["<i>"], 300, &mut random);
                assert!(input.len() <= 300);
            }
            input
        };
        assert_eq!(run("a"), run("a"));
        assert_ne!(run("a"), run("b"));
    }
}
