//! Detection of source code, mark-up and data, by punctuation.
//!
//! The words of source code say little about it: they are English, or parts of English words. But
//! prose in any language has few of the symbols that are frequent in programs. Prose that has many,
//! such as a manual, has words that agree better on a language.

use crate::evidence::bytes::ByteCounts;

/// Weights of symbols. Some symbols of programs are rarer in prose than others. The remaining ones
/// have no weight: `#`, `@`, `*`, `+`, `~`, `%` and `/` are as frequent in lists, tables and chat
/// as in programs; apostrophes of all forms and colons are letters in some languages. `>` has only
/// half the weight of `<`, since it also precedes quoted lines.
const FULL_WEIGHT: i8 = 4;
const HALF_WEIGHT: i8 = 2;
const QUARTER_WEIGHT: i8 = 1;

/// Minimum sum of weights for source code, so that smileys are not detected. Set by judgement, not
/// measured.
const MIN_WEIGHT: i32 = 4 * FULL_WEIGHT as i32;

/// Maximum share of symbols among the visible characters of a window that is not source code, if
/// all words agree on a language.
///
/// This, [`SHARE_PER_NAT`] and [`MIN_SYMBOL_SHARE`] were fitted to source code of eleven kinds
/// (BENCHMARKS.md, "langid"), against the Declaration, the news and the closed web of
/// `docs/LANGID.md`; less than 0.1 % of these is rejected.
const SYMBOL_SHARE: f64 = 0.125;
/// Reduction of that share for each nat by which the agreement falls short.
const SHARE_PER_NAT: f64 = 0.07;
/// Lower bound of that share.
const MIN_SYMBOL_SHARE: f64 = 0.04;

/// Lower bound of the share of bytes that begin a visible character; few texts have less. Set by
/// judgement, not measured.
const MIN_VISIBLE_SHARE: f64 = 0.25;

/// Maximum share in a text that is clearly in a language other than English, as are transcripts
/// with marks for what is repeated or corrected. Of 3,136 parts of programs in 14 programming
/// languages, 152 are taken for a language other than English with it, 148 without.
const SYMBOL_SHARE_NOT_ENGLISH: f64 = 0.15;

/// Returns `true` if `window` is source code, given the counts of its bytes, the agreement of
/// the whole text's words on a language (0 to 1), and if that is clearly a language other than
/// English.
pub(crate) fn is_source_code(
    window: &str,
    counts: &ByteCounts,
    agreement: f64,
    is_not_english: bool,
) -> bool {
    let is_possible =
        |share: f64| counts.symbols as f64 >= MIN_VISIBLE_SHARE * share * window.len() as f64;
    // Most texts have too few symbols for any agreement.
    if !is_possible(MIN_SYMBOL_SHARE) {
        return false;
    }
    let log_agreement = libm::log(agreement.clamp(f64::MIN_POSITIVE, 1.0));
    let share = match is_not_english {
        true => SYMBOL_SHARE_NOT_ENGLISH,
        false => (SYMBOL_SHARE + SHARE_PER_NAT * log_agreement).max(MIN_SYMBOL_SHARE),
    };
    if !is_possible(share) {
        return false;
    }
    let mut weights = 0;
    let mut visible = 0;
    let mut previous = 0;
    for byte in window.bytes() {
        // A horizontal rule counts as one symbol.
        if byte == previous {
            continue;
        }
        previous = byte;
        weights += i32::from(symbol_weight(byte));
        visible += i32::from(begins_visible_character(byte));
    }
    weights >= MIN_WEIGHT
        && f64::from(weights) > share * f64::from(i32::from(FULL_WEIGHT) * visible)
}

fn symbol_weight(byte: u8) -> i8 {
    match byte {
        b'_' | b'{' | b'}' | b'=' | b';' | b'<' | b'\\' | b'$' | b'|' => FULL_WEIGHT,
        b'(' | b')' | b'[' | b']' | b'>' => HALF_WEIGHT,
        b'"' => QUARTER_WEIGHT,
        // Offsets the semicolon of an HTML entity ("&nbsp;").
        b'&' => -FULL_WEIGHT,
        _ => 0,
    }
}

fn begins_visible_character(byte: u8) -> bool {
    byte > b' ' && byte & 0xc0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_source_code(window: &str, agreement: f64) -> bool {
        super::is_source_code(window, &ByteCounts::new(window), agreement, false)
    }

    const CODE: [&str; 6] = [
        "for (i = 0; i < length; i++) { sum += values[i]; if (sum > limit) { return -1; } }",
        ".comment { color: #bfbfbf; font-style: italic; } .number { color: #ff0000; }",
        "let mut seen = [None; DIFFERENT]; for c in place.chars() { seen[different] = Some(c); }",
        "def read(self, path): with open(path) as f: self._lines = [l.strip() for l in f] return \
         self._lines",
        "{\"name\": \"anyhow\", \"version\": \"1.0\", \"files\": [\"lib.rs\", \"main.rs\"]}",
        "UPDATE stats SET df = df + 1, tf = tf + (SELECT count(*) FROM seen WHERE term_id = \
         stats.id);",
    ];

    const PROSE: [&str; 7] = [
        "Danes je lep dan, zato bomo šli na sprehod (do jezera); potem pa domov. \"Pridi,\" je \
         rekla.",
        "The option --lines reads plain text; with -j N it uses N threads [default: 4]. See \
         langid(1).",
        "Ra'ta' bu:unny na:a pahr yde:e:i'dy ze:i'ny la:a:i' lahzhni'.",
        "Alle&nbsp;Menschen&nbsp;sind&nbsp;frei&nbsp;und&nbsp;gleich&nbsp;an&nbsp;W&uuml;rde",
        "ha ha ;-) to je pa res =)",
        "> Danes je lep dan, > zato bomo šli na sprehod > do jezera, > če bo čas.",
        "`E ti`amanara`a to te ta`ata ato`a i te fa`atupu e te tahi atu i te auparuru-ti`ara`a",
    ];

    #[test]
    fn source_code_has_more_symbols_than_prose() {
        for text in CODE {
            assert!(is_source_code(text, 0.35), "{text}");
        }
        for text in PROSE {
            assert!(!is_source_code(text, 0.6), "{text}");
        }
    }

    #[test]
    fn prose_with_symbols_is_accepted_if_its_words_agree() {
        let text = "The statement i = 0; sets the variable i, and f(x); calls the function f of \
                    one argument (x).";
        assert!(!is_source_code(text, 0.9) && is_source_code(text, 0.2));
    }
}
