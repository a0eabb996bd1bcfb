//! Counts of bytes in a text window, by kind.
//!
//! All kinds are counted in one pass. A table has for each byte value a word of eight 8-bit
//! counters, one per kind, and the words of up to 255 bytes are added without overflow from one
//! counter to the next.

/// Maximum number of bytes that are counted with 8-bit counters.
const CHUNK_BYTES: usize = 255;

/// Numbers of bytes of a text, by kind. A byte may be of several kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteCounts {
    /// ASCII letters.
    pub(crate) letters: usize,
    /// ASCII vowels, including `w` and `y`.
    pub(crate) vowels: usize,
    /// Capitals that are Roman numerals.
    pub(crate) numerals: usize,
    /// ASCII characters other than blanks and the control characters below U+0020.
    pub(crate) visible: usize,
    /// ASCII characters of ranges that include all symbols that are frequent in programs.
    pub(crate) symbols: usize,
    /// First bytes of non-ASCII characters, and so the number of these characters.
    pub(crate) non_ascii: usize,
    /// First bytes of the characters U+00C0 to U+00FF.
    pub(crate) latin_leads: usize,
}

/// The first byte of the characters U+00C0 to U+00FF in UTF-8.
const LATIN_LEAD_BYTE: u8 = 0xc3;

/// The counters of each byte value, as [`u64::from_le_bytes`] packs them.
static COUNTERS: [u64; 256] = build_counters();

const fn build_counters() -> [u64; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < table.len() {
        let byte = index as u8;
        table[index] = u64::from_le_bytes([
            byte.is_ascii_alphabetic() as u8,
            is_vowel(byte) as u8,
            is_numeral(byte) as u8,
            (byte > b' ' && byte < 0x80) as u8,
            is_symbol(byte) as u8,
            (byte >= 0xc0) as u8,
            (byte == LATIN_LEAD_BYTE) as u8,
            0,
        ]);
        index += 1;
    }
    table
}

const fn is_vowel(byte: u8) -> bool {
    matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y' | b'w')
}

const fn is_numeral(byte: u8) -> bool {
    matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M')
}

const fn is_symbol(byte: u8) -> bool {
    matches!(byte, b';'..=b'>' | b'['..=b'_' | b'{'..=b'}' | b'(' | b')' | b'"' | b'$')
}

impl ByteCounts {
    pub(crate) fn new(text: &str) -> Self {
        let mut totals = [0; 8];
        for chunk in text.as_bytes().chunks(CHUNK_BYTES) {
            let counters = chunk
                .iter()
                .fold(0, |sum, byte| sum + COUNTERS[usize::from(*byte)]);
            for (total, counter) in totals.iter_mut().zip(counters.to_le_bytes()) {
                *total += usize::from(counter);
            }
        }
        let [
            letters,
            vowels,
            numerals,
            visible,
            symbols,
            non_ascii,
            latin_leads,
            _,
        ] = totals;
        Self {
            letters,
            vowels,
            numerals,
            visible,
            symbols,
            non_ascii,
            latin_leads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_bytes_by_kind() {
        let counts = ByteCounts::new("VIII dni: {časa} Ð É");
        let expected = ByteCounts {
            letters: 10,
            vowels: 6,
            numerals: 4,
            visible: 13,
            symbols: 2,
            non_ascii: 3,
            latin_leads: 2,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn counters_of_long_texts_do_not_overflow() {
        let counts = ByteCounts::new(&"A;É".repeat(1000));
        assert_eq!((counts.letters, counts.symbols), (1000, 1000));
        assert_eq!((counts.non_ascii, counts.latin_leads), (1000, 1000));
    }
}
