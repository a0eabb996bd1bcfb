//! The palochka, a letter of Caucasian alphabets that keyboards lack: it is typed as another
//! letter, a digit or a sign, in a text that has it.
//!
//! Nearly all keyboards and the encodings before Unicode lack U+04C0, so that pages have `1`, `I`,
//! `l`, `|` or Ukrainian `і` in its place (proposal L2/05-080 for U+04CF). In Russian, a digit
//! after a word is the number of a note, and `|` separates items.

use super::lookalikes::AlikeScript;
use super::survey::{LetterClass, Survey};
use memchr::memmem;

/// The letter that is written for all signs.
const PALOCHKA: char = 'ӏ';

/// One position in so many bytes of text must show that signs are letters: a letter has two bytes,
/// a word six letters, and one word in eight has a palochka. Set by judgement, not measured.
const BYTES_PER_POSITION: usize = 400;

/// Returns `true` if signs in the place of the palochka are letters in `text`: if it has the letter
/// itself. Otherwise there must be signs between a consonant after which it stands and a vowel, and
/// these must be half of those beside a letter or more.
pub(super) fn has_palochka(text: &str, survey: &Survey) -> bool {
    if survey.has(LetterClass::Palochka) {
        return true;
    }
    let others: &[&str] = match survey.has(LetterClass::PalochkaSign) {
        true => &["і", "І", "¦", "ǀ"],
        false => &[],
    };
    let is_beside = |index: usize| {
        let bytes = text.as_bytes();
        let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| *byte >= 0x80);
        is_letter(bytes.get(index.wrapping_sub(1))) || is_letter(bytes.get(index + 1))
    };
    let signs = memchr::memchr3_iter(b'|', b'1', b'I', text.as_bytes())
        .chain(memchr::memchr2_iter(b'l', b'!', text.as_bytes()))
        .filter(|index| is_beside(*index))
        .map(|index| (index, 1))
        .chain(others.iter().flat_map(|sign| {
            let places = memmem::find_iter(text.as_bytes(), sign);
            places.map(|index| (index, sign.len()))
        }));
    let [mut beside, mut between] = [0_usize; 2];
    for (index, length) in signs {
        let before = text[..index].chars().next_back();
        let after = text[index + length..].chars().next();
        let is_between = before.is_some_and(takes_palochka) && after.is_some_and(is_vowel);
        // An exclamation mark, and the small letter of Ukrainian, are beside letters everywhere.
        let counts = !matches!(text.as_bytes()[index], b'!' | 0xd1);
        beside += usize::from(counts);
        between += usize::from(counts && is_between);
    }
    between > 0 && between * 2 >= beside && between * BYTES_PER_POSITION >= text.len()
}

/// Returns `true` if a palochka often follows the consonant.
fn takes_palochka(c: char) -> bool {
    "кКтТпПцЦчЧхХгГшШщЩлЛфФъЪ".contains(c)
}

fn is_vowel(c: char) -> bool {
    "аэыоуиеёюяь".contains(c)
}

/// Returns `true` if a sign at a place of `text` is in the place of a palochka, given that the text
/// has signs for it: beside a Cyrillic letter, and for a digit not beside another one.
pub(super) fn is_sign_at(text: &str, at: usize, sign: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + sign.len_utf8()..].chars().next();
    let is_cyrillic =
        |c: Option<char>| c.and_then(AlikeScript::of_letter) == Some(AlikeScript::Cyrillic);
    let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase) && is_cyrillic(c);
    let is_alone = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    match sign {
        '1' => {
            is_cyrillic(before) && (is_cyrillic(after) || is_alone(after))
                || is_alone(before) && is_small(after)
        }
        '!' => is_cyrillic(before) && is_small(after),
        _ => is_sign(sign) && (is_cyrillic(before) || is_cyrillic(after)),
    }
}

/// Returns `true` for the palochka and the signs for it.
pub(super) fn is_sign(c: char) -> bool {
    matches!(
        c,
        '1' | '!' | '|' | '¦' | 'ǀ' | 'I' | 'l' | 'і' | 'І' | 'Ӏ' | 'ӏ'
    )
}

/// Returns `word` with the letter for all signs.
pub(super) fn write_palochkas(word: &str) -> String {
    let letters = word.char_indices();
    letters
        .map(|(at, c)| if is_sign_at(word, at, c) { PALOCHKA } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Survey, has_palochka, write_palochkas};

    #[test]
    fn signs_are_letters_in_a_text_that_has_them_after_consonants() {
        for text in [
            "Х|ара книга хаза ю. Йо| ц|ахь ю.",
            "х1ума",
            "Гlалгlай мотт",
            "кIант",
            "гІалаш",
        ] {
            assert!(has_palochka(text, &Survey::of_text(text)), "{text}");
        }
        for text in [
            "В этой книге дом1 и лес2 описаны подробно.",
            "Главная|новости|спорт|контакты",
            "привет!как дела",
            "в 1а классе 11 человек",
            "Гість і хата, соціальний захист і спеціалісти",
            "соціальний",
            "СОЦІАЛЬНИЙ",
        ] {
            assert!(!has_palochka(text, &Survey::of_text(text)), "{text}");
        }
        let text = "хӏума, йо1";
        assert!(has_palochka(text, &Survey::of_text(text)));
    }

    #[test]
    fn all_signs_become_one_letter() {
        for (word, expected) in [
            ("Йо|", "Йоӏ"),
            ("х1ума", "хӏума"),
            ("1алам", "ӏалам"),
            ("ХӀинца", "Хӏинца"),
            ("11а", "11а"),
            ("х21у", "х21у"),
            ("к!ант", "кӏант"),
        ] {
            assert_eq!(write_palochkas(word), expected);
        }
    }
}
