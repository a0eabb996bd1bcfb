//! Conversion of the lines of a typeset page to running text: ligatures to letters, and words
//! broken at line ends to whole words (`forage-content`). Nothing depends on the words of any
//! language.

use forage_content::{find_broken_word, rejoin_broken_words};
use std::iter::once;
use unicode_normalization::UnicodeNormalization;

/// The end of a part of a text: of a column or a page.
pub(super) const PART_END: &str = "\n\n\u{C}";

/// Removes the [`PART_END`] of a word that is broken between two parts, and marks of the others.
/// Page numbers and other paragraphs without letters are put after the part that continues.
pub(super) fn rejoin_parts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut between = String::new();
    for paragraph in text.split_inclusive("\n\n") {
        let is_part = paragraph.starts_with('\u{C}') || between.contains('\u{C}');
        if !paragraph.contains(char::is_alphabetic) {
            between.push_str(paragraph);
            continue;
        }
        if is_part && find_broken_word(&out, paragraph).is_some() {
            out.truncate(out.trim_end().len());
            out.push('\n');
        } else {
            out.push_str(&between);
            between.clear();
        }
        out.push_str(paragraph);
    }
    out.push_str(&between);
    out.replace('\u{C}', "")
}

/// Replaces ligatures, and rejoins words that are broken at line ends.
pub(super) fn rejoin_words(text: &str) -> String {
    rejoin_broken_words(&replace_ligatures(text))
}

/// Replaces Latin ligatures (Unicode's alphabetic presentation forms) and the contextual forms of
/// Arabic letters by the letters that they represent.
fn replace_ligatures(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Not the whole blocks: isolated marks and signs for whole words would become several
            // words.
            '\u{FB00}'..='\u{FB06}'
            | '\u{FB50}'..='\u{FBB1}'
            | '\u{FBD3}'..='\u{FC5D}'
            | '\u{FC64}'..='\u{FDC7}'
            | '\u{FE80}'..='\u{FEFC}' => letters.extend(once(c).nfkc()),
            c => letters.push(c),
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::{rejoin_parts, rejoin_words};

    #[test]
    fn replaces_ligatures_by_letters() {
        assert_eq!(
            rejoin_words("ﬁnd the oﬃce, ﬂat and ﬀ"),
            "find the office, flat and ff"
        );
        assert_eq!(
            rejoin_words("\u{FEDF}\u{FEB4}\u{FEFC}\u{FEE1} \u{FDFA}"),
            "\u{644}\u{633}\u{644}\u{627}\u{645} \u{FDFA}"
        );
    }

    #[test]
    fn rejoins_words_that_are_broken_at_line_ends() {
        assert_eq!(
            rejoin_words("a pro-\n gram of struc-\ntures"),
            "a program of structures"
        );
    }

    #[test]
    fn rejoins_words_that_are_broken_at_the_ends_of_columns_and_pages() {
        for (text, expected) in [
            (
                "a pro-\n\n\u{C}gram of struc-\n\n\u{C}17\n\n\u{C}tures\n\n\u{C}End\n",
                "a pro-\ngram of struc-\ntures\n\n17\n\nEnd\n",
            ),
            (
                "the pre-\n\nfix\n\n\u{C}17\n\n\u{C}Franz-\n\n\u{C}Josef",
                "the pre-\n\nfix\n\n17\n\nFranz-\n\nJosef",
            ),
        ] {
            assert_eq!(rejoin_parts(text), expected);
        }
    }
}
