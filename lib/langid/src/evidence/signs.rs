//! Whether a place of a text is source code, mark-up or data, by its signs.
//!
//! Its words say little, for they are English, or bits of it. But prose of any language has few of
//! the signs that programs are full of, and where it has many, as in manuals, its words agree the
//! better on a language.

use crate::evidence::bytes::count;

/// What the signs of programs count; in prose some are rarer than others. The rest (`#`, `@`, `*`,
/// `+`, `~`, `%`, `/`) are as frequent in lists, tables and chat as in programs, and apostrophes,
/// however written, and colons are letters of some languages; `>` stands before what is quoted.
const FULL: i8 = 4;
const HALF: i8 = 2;
const QUARTER: i8 = 1;

/// The least sum for a place to be code: smileys are none.
const LEAST: i32 = 4 * FULL as i32;

/// The part of the visible characters that signs are from which a place is code, if all words agree
/// on a language; how much less it takes for each natural unit that the agreement falls short; and
/// what it takes at least. Fitted to code of eleven kinds, against the declaration, the news and
/// the closed web of `docs/LANGID.md`, of which it takes under 0.1 %.
const PART: f64 = 0.125;
const PART_LESS: f64 = 0.07;
const PART_LEAST: f64 = 0.04;

/// The part of the bytes that begin a visible character, at least; less than that is seldom.
const SEEN: f64 = 0.25;

/// Whether `place` is code, where so much is the agreement of the whole text's words on a language.
pub(crate) fn is_code(place: &str, agreement: f64) -> bool {
    let part =
        (PART + PART_LESS * libm::log(agreement.clamp(f64::MIN_POSITIVE, 1.0))).max(PART_LEAST);
    if (count(place.as_bytes(), is_sign) as f64) < SEEN * part * place.len() as f64 {
        return false;
    }
    let (mut signs, mut visible, mut before) = (0, 0, 0);
    for byte in place.bytes() {
        // A ruler is one sign.
        if byte == before {
            continue;
        }
        before = byte;
        signs += i32::from(weight(byte));
        visible += i32::from(is_visible(byte));
    }
    signs >= LEAST && f64::from(signs) > part * f64::from(i32::from(FULL) * visible)
}

/// Counts a byte as a sign.
fn weight(byte: u8) -> i8 {
    match byte {
        b'_' | b'{' | b'}' | b'=' | b';' | b'<' | b'\\' | b'$' | b'|' => FULL,
        b'(' | b')' | b'[' | b']' | b'>' => HALF,
        b'"' => QUARTER,
        // The semicolon of its entity ("&nbsp;") is no sign.
        b'&' => -FULL,
        _ => 0,
    }
}

/// Whether a byte counts as a sign, for a quick look at all: written in ranges, which the compiler
/// looks at several at a time.
fn is_sign(byte: u8) -> bool {
    matches!(byte, b';'..=b'>' | b'['..=b'_' | b'{'..=b'}' | b'(' | b')' | b'"' | b'$')
}

/// Whether it begins a character that is seen.
fn is_visible(byte: u8) -> bool {
    byte > b' ' && byte & 0xc0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: [&str; 6] = [
        "for (i = 0; i < length; i++) { sum += values[i]; if (sum > limit) { return -1; } }",
        ".comment { color: #bfbfbf; font-style: italic; } .number { color: #ff0000; }",
        "let mut seen = [None; DIFFERENT]; for c in place.chars() { seen[different] = Some(c); }",
        "def read(self, path): with open(path) as f: self._lines = [l.strip() for l in f] return self._lines",
        "{\"name\": \"anyhow\", \"version\": \"1.0\", \"files\": [\"lib.rs\", \"main.rs\"]}",
        "UPDATE stats SET df = df + 1, tf = tf + (SELECT count(*) FROM seen WHERE term_id = stats.id);",
    ];

    const PROSE: [&str; 7] = [
        "Danes je lep dan, zato bomo šli na sprehod (do jezera); potem pa domov. \"Pridi,\" je rekla.",
        "The option --lines reads plain text; with -j N it uses N threads [default: 4]. See langid(1).",
        "Ra'ta' bu:unny na:a pahr yde:e:i'dy ze:i'ny la:a:i' lahzhni'.",
        "Alle&nbsp;Menschen&nbsp;sind&nbsp;frei&nbsp;und&nbsp;gleich&nbsp;an&nbsp;W&uuml;rde",
        "ha ha ;-) to je pa res =)",
        "> Danes je lep dan, > zato bomo šli na sprehod > do jezera, > če bo čas.",
        "`E ti`amanara`a to te ta`ata ato`a i te fa`atupu e te tahi atu i te auparuru-ti`ara`a",
    ];

    #[test]
    fn code_has_signs_and_prose_has_few() {
        for text in CODE {
            assert!(is_code(text, 0.35), "{text}");
        }
        for text in PROSE {
            assert!(!is_code(text, 0.6), "{text}");
        }
    }

    #[test]
    fn prose_with_signs_is_prose_where_its_words_agree() {
        let text = "The statement i = 0; sets the variable i, and f(x); calls the function f of one argument (x).";
        assert!(!is_code(text, 0.9) && is_code(text, 0.2));
    }
}
