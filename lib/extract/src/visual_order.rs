//! Hebrew in visual order: lines of letters from left to right as the eye sees them, for programs
//! that do not know that Hebrew runs from right to left. ISO-8859-8 without `-I` is such a text
//! (RFC 1556; HTML 4.01, section 8.2.4).

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Returns `true` if a text in a character encoding is in visual order.
///
/// Many pages declare the encoding wrongly. The final forms of letters decide: in visual order,
/// they are at the beginning of words.
pub fn is_visual_hebrew(text: &str, charset: Option<&str>) -> bool {
    match charset {
        Some("ISO-8859-8") => {
            let (first, last) = count_final_letters(text);
            first >= last
        }
        // Texts of DOS are in either order, and pages for the first browsers were written with
        // Windows.
        Some("IBM862" | "IBM856" | "windows-1255" | "ISO-8859-8-I") => has_visual_words(text),
        _ => false,
    }
}

/// Returns `true` if a text has words in visual order, by their final letters.
pub(crate) fn has_visual_words(text: &str) -> bool {
    let (first, last) = count_final_letters(text);
    first > last
}

/// Returns the number of words with a final letter at their beginning, and at their end.
fn count_final_letters(text: &str) -> (usize, usize) {
    let is_letter = |c: &char| matches!(c, 'א'..='ת');
    let is_final = |c: char| matches!(c, 'ך' | 'ם' | 'ן' | 'ף' | 'ץ');
    let (mut first, mut last) = (0_usize, 0_usize);
    for word in text
        .split(|c| !is_letter(&c))
        .filter(|word| word.chars().nth(1).is_some())
    {
        first += usize::from(word.starts_with(is_final));
        last += usize::from(word.ends_with(is_final));
    }
    (first, last)
}

/// Returns a text in visual order in that of reading, line by line.
pub fn logical_text(visual: &str) -> String {
    let lines = visual.split_inclusive(['\n', '\r']);
    lines.map(logical_line).collect()
}

/// The inverse of the Unicode Bidirectional Algorithm is the algorithm itself, with the direction
/// that most letters of the line have.
fn logical_line(visual: &str) -> String {
    let count = |class: BidiClass| visual.chars().filter(|&c| bidi_class(c) == class).count();
    let (left_to_right, right_to_left) = (count(BidiClass::L), count(BidiClass::R));
    if right_to_left == 0 {
        return visual.to_owned();
    }
    let level = match right_to_left >= left_to_right {
        true => Level::rtl(),
        false => Level::ltr(),
    };
    let content = visual.trim_end_matches(['\n', '\r']);
    let bidi = BidiInfo::new(content, Some(level));
    let mut logical = String::with_capacity(visual.len());
    for paragraph in &bidi.paragraphs {
        let (levels, runs) = bidi.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let text = &content[run.clone()];
            match levels[run.start].is_rtl() {
                true => logical.extend(text.chars().rev().map(mirror)),
                false => logical.push_str(text),
            }
        }
    }
    logical + &visual[content.len()..]
}

/// Returns the bracket that looks like another one in text from right to left.
fn mirror(c: char) -> char {
    const PAIRS: &str = "()[]{}<>«»";
    let number = PAIRS.chars().position(|bracket| bracket == c);
    let mirrored = number.and_then(|number| PAIRS.chars().nth(number ^ 1));
    mirrored.unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::{is_visual_hebrew, logical_text};

    #[test]
    fn lines_are_read_from_right_to_left_but_numbers_and_latin_words() {
        for (logical, visual) in [
            ("הנחל זורם דרך הכפר.", ".רפכה ךרד םרוז לחנה"),
            ("בשנת 1948, ב-50% (בערך)", ")ךרעב( 50%-ב ,1948 תנשב"),
            ("הקובץ abc def נמצא\nכאן", "אצמנ abc def ץבוקה\nןאכ"),
            ("The word שלום means peace", "The word םולש means peace"),
            ("no Hebrew (1)\r", "no Hebrew (1)\r"),
        ] {
            let brackets = |text: &str| text.replace(")ךרעב(", "(ךרעב)");
            assert_eq!(logical_text(&brackets(visual)), logical, "{visual}");
        }
    }

    #[test]
    fn final_letters_tell_the_order() {
        let charset = Some("ISO-8859-8");
        assert!(is_visual_hebrew("<p>ךרד םרוז</p>", charset));
        assert!(!is_visual_hebrew("<p>זורם דרך</p>", charset));
        assert!(is_visual_hebrew("ךרד םרוז", Some("windows-1255")));
        assert!(!is_visual_hebrew("זורם דרך ם", Some("windows-1255")));
        assert!(!is_visual_hebrew("ךרד םרוז", Some("UTF-8")));
    }
}
