//! Tokens: the words of a text where they are in it, and all that is between them.

use crate::address::addresses;
use crate::fold::{fold_unspaced, is_invisible};
use crate::scripts::Delimitation;
use crate::segment::{for_each_run, segment_run};
use crate::spelling::{Spelling, place_in};
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Calls `emit` with the place of each token of `text`, in order. `text` must be in NFC, and is the
/// text of the rules `spelling` or a part of it.
///
/// Tokens are words as of [`crate::for_each_word`], in the spelling of the text; web and mail
/// addresses; and what is between them: each sign is a token, but equal signs in a row are one
/// (`...`, `!!`). So the tokens are the text without its blanks and invisible characters, and none
/// has a blank. Runs in O(`text.len()`).
///
/// Signs that were typed for letters are letters of their words ([`crate::Spelling`]). An
/// abbreviation of Thai, Lao or Khmer has its full stops (`ม.ค.`), and ฯลฯ is one token.
pub fn for_each_token(text: &str, spelling: &Spelling, mut emit: impl FnMut(Range<usize>)) {
    let mut last: Range<usize> = 0..0;
    for_each_place(text, spelling, |token| {
        // Only Thai, Lao and Khmer, by the first byte of their letters.
        let may_be_abbreviated =
            last.end == token.start && matches!(text.as_bytes().get(last.start), Some(0xe0 | 0xe1));
        if may_be_abbreviated && is_abbreviated(text, &last, &token) {
            last.end = token.end;
        } else {
            let ended = std::mem::replace(&mut last, token);
            if !ended.is_empty() {
                emit(ended);
            }
        }
    });
    if !last.is_empty() {
        emit(last);
    }
}

/// Returns `true` if the token `next`, which follows `last` directly, belongs to the same
/// abbreviation.
fn is_abbreviated(text: &str, last: &Range<usize>, next: &Range<usize>) -> bool {
    let (before, next_text) = (&text[last.clone()], &text[next.clone()]);
    match next_text {
        "." => is_abbreviation(before.rsplit('.').next().unwrap_or_default()),
        "ล" | "ฯ" => matches!(before, "ฯ" | "ฯล") && text[last.start..].starts_with("ฯลฯ"),
        _ => {
            before.ends_with('.') && is_abbreviation(next_text) && text[next.end..].starts_with('.')
        }
    }
}

/// Returns `true` for a Thai word of consonants, and for a single letter of Lao and Khmer.
fn is_abbreviation(word: &str) -> bool {
    let mut letters = word.chars();
    match (letters.next(), letters.next()) {
        (Some('\u{e81}'..='\u{eae}' | '\u{1780}'..='\u{17b3}'), None) => true,
        (Some(_), _) => word.chars().all(|c| matches!(c, '\u{e01}'..='\u{e2e}')),
        _ => false,
    }
}

/// Calls `emit` with the place of each word, address and sign.
fn for_each_place(text: &str, spelling: &Spelling, mut emit: impl FnMut(Range<usize>)) {
    let read = spelling.read(text);
    let mut end = 0;
    for_each_read_token(read.as_str(), |token| {
        let token = read.original(token);
        // Several tokens of one character, such as ﷺ, are one.
        let token = token.start.max(end)..token.end;
        if !token.is_empty() {
            end = token.end;
            emit(token);
        }
    });
}

fn for_each_read_token(text: &str, mut emit: impl FnMut(Range<usize>)) {
    let mut end = 0;
    for address in addresses(text) {
        emit_part(text, end..address.start, &mut emit);
        emit(address.clone());
        end = address.end;
    }
    emit_part(text, end..text.len(), &mut emit);
}

/// Emits the tokens of a part without addresses.
fn emit_part(text: &str, part: Range<usize>, emit: &mut impl FnMut(Range<usize>)) {
    let mut end = part.start;
    for_each_run(&text[part.clone()], |run, delimitation| {
        let Some(base) = place_in(text, run).map(|place| place.start) else {
            return;
        };
        for_each_word_place(run, delimitation, |word| {
            let word = base + word.start..base + word.end;
            if word.start >= end && !word.is_empty() {
                emit_signs(text, end..word.start, emit);
                end = word.end;
                emit(word);
            }
        });
    });
    emit_signs(text, end..part.end, emit);
}

/// Calls `emit` with the places of the words of a run of letters with the same rule.
fn for_each_word_place(run: &str, delimitation: Delimitation, mut emit: impl FnMut(Range<usize>)) {
    let folded = match delimitation {
        Delimitation::Blanks => Cow::Borrowed(run),
        _ => fold_unspaced(run),
    };
    if matches!(folded, Cow::Borrowed(_)) {
        segment_run(run, delimitation, &mut |word| {
            if let Some(place) = place_in(run, word) {
                emit(place);
            }
        });
        return;
    }
    // The ends of the words in the folded run become ends of graphemes of the run.
    let mut ends = Vec::new();
    segment_run(&folded, delimitation, &mut |word: &str| {
        let last = ends.last().copied().unwrap_or(0);
        ends.push(last + word.len());
    });
    let (mut start, mut folded_end, mut next) = (0, 0, ends.iter().copied().peekable());
    for_each_folded_unit(run, |unit_end, folded_length| {
        folded_end += folded_length;
        if next.next_if(|&word_end| word_end <= folded_end).is_some() {
            while next.next_if(|&word_end| word_end <= folded_end).is_some() {}
            emit(start..unit_end);
            start = unit_end;
        }
    });
    emit(start..run.len());
}

/// Calls `emit` with the end of each part of `run` that is folded by itself, and the length of its
/// folded form. A part has several graphemes where these are folded together: `เเ`, and Thai and
/// Lao AM in two characters.
fn for_each_folded_unit(run: &str, mut emit: impl FnMut(usize, usize)) {
    let (mut start, mut end, mut length) = (0, 0, 0);
    for (at, grapheme) in run.grapheme_indices(true) {
        let alone = fold_unspaced(grapheme).len();
        let joined = fold_unspaced(&run[start..at + grapheme.len()]).len();
        if length + alone == joined && at > 0 {
            emit(end, length);
            (start, length) = (at, alone);
        } else {
            length = joined;
        }
        end = at + grapheme.len();
    }
    emit(end, length);
}

/// Emits the tokens of a part without words.
fn emit_signs(text: &str, part: Range<usize>, emit: &mut impl FnMut(Range<usize>)) {
    let mut last = part.start..part.start;
    let mut emit_last = |place: Range<usize>| {
        if !place.is_empty() {
            emit(place);
        }
    };
    for (at, grapheme) in text[part.clone()].grapheme_indices(true) {
        for place in visible_parts(part.start + at, grapheme) {
            let sign = &text[place.clone()];
            let is_repeated = last.end == place.start && sign != "<";
            if is_repeated && text[last.clone()].ends_with(sign) {
                last.end = place.end;
            } else {
                emit_last(std::mem::replace(&mut last, place));
            }
        }
    }
    emit_last(last);
}

/// Returns the places of the parts of a grapheme at `start` without blanks and invisible
/// characters. A mark after a blank is a part of its own. `<` is one, too: it begins a tag in
/// corpora, so no token begins with it and has more.
fn visible_parts(start: usize, grapheme: &str) -> impl Iterator<Item = Range<usize>> {
    let is_left_out = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || is_invisible(c)
            || matches!(c, '\u{200b}' | '\u{61c}')
    };
    let base = grapheme.chars().next().map_or(0, char::len_utf8);
    // Joiners inside an emoji are kept.
    let begins_visibly = !grapheme.starts_with(is_left_out);
    let is_tag = grapheme.starts_with('<');
    let split = if begins_visibly && !is_tag { 0 } else { base };
    let first = start..start + if is_tag { base } else { 0 };
    let rest = start + split..start + grapheme.len();
    let has_rest = !grapheme[split..].trim_matches(is_left_out).is_empty();
    [first, if has_rest { rest } else { start..start }]
        .into_iter()
        .filter(|place| !place.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Spelling, for_each_token};
    use crate::normalise;
    use crate::segment::for_each_word;
    use proptest::prelude::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        for_each_token(text, &Spelling::of_text(text), |token| {
            tokens.push(&text[token])
        });
        tokens
    }

    #[test]
    fn words_addresses_and_signs_are_tokens() {
        for (text, expected) in [
            ("Danes je lep dan.", "Danes|je|lep|dan|."),
            ("„Ne!“ (je rekel) ...", "„|Ne|!|“|(|je|rekel|)|..."),
            ("<<a>> <b/> a<3", "<|<|a|>>|<|b|/|>|a|<|3"),
            (
                "Glej www.a.si/b?c, piši na a@b.si.",
                "Glej|www.a.si/b?c|,|piši|na|a@b.si|.",
            ),
            ("10\u{a0}000 km\u{200b} x", "10|000|km|x"),
            ("2024年、JR東日本は…", "2024|年|、|JR|東日本|は|…"),
            ("ภาษาไทย ๆ", "ภาษา|ไทย|ๆ"),
            ("เเม่ไปตลาดกับน้ำหวาน", "เเม่|ไป|ตลาด|กับ|น้ำหวาน"),
            ("แม่ไปตลาดกับนํ้าหวาน", "แม่|ไป|ตลาด|กับ|นํ้าหวาน"),
            ("ม.ค. พ.ศ.2567 กทม.", "ม.ค.|พ.ศ.|2567|กทม."),
            ("ข้าว ปลา ฯลฯ ไทยฯ", "ข้าว|ปลา|ฯลฯ|ไทย|ฯ"),
            ("ຄ.ສ. 2020 ດີ.", "ຄ.ສ.|2020|ດີ|."),
            ("Йо| ц1ахь, х!ума", "Йо||ц1ахь|,|х!ума"),
            ("यह है।", "यह|है|।"),
            ("👩‍👩‍👧 🇸🇮!", "👩‍👩‍👧|🇸🇮|!"),
            ("a\u{0}b \u{301}c", "a|b|\u{301}|c"),
            ("", ""),
        ] {
            assert_eq!(tokens(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn folded_words_are_found_in_the_spelling_of_the_text() {
        assert_eq!(tokens("ﾃﾚﾋﾞを見る"), ["ﾃﾚﾋﾞ", "を", "見る"]);
        assert_eq!(tokens("เเละภา\u{2060}ษา").concat(), "เเละภา\u{2060}ษา");
    }

    proptest! {
        #[test]
        fn tokens_are_the_text_without_blanks(
            text in r"(\PC|[ \n\t<>&.!a-zčšž0-9]|[ก-๙เําｦ-ﾟ一-丁あ-ん]|https://a\.si/|[\u{200b}\u{301}\u{202f}\u{0}]){0,60}"
        ) {
            let text = normalise(&text);
            let tokens = tokens(&text);
            let visible = |text: &str| {
                let letters = text.chars().filter(|c| c.is_alphanumeric());
                letters.collect::<String>()
            };
            prop_assert_eq!(visible(&tokens.concat()), visible(&text));
            for token in tokens {
                prop_assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{:?}", token);
                prop_assert!(!token.starts_with('<') || token == "<", "{:?}", token);
            }
        }

        #[test]
        fn every_word_is_a_token(text in "[a-zčšž ,.'’-]{0,60}") {
            let text = normalise(&text);
            let tokens = tokens(&text);
            for_each_word(&text, |word| assert!(tokens.contains(&word), "{word}"));
        }
    }
}
