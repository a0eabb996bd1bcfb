//! The stemmer of M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980), as
//! published: without the author's later changes, such as those of Porter 2.

/// Maximum length of a word that is stemmed, in bytes. Longer ones are no English words.
const MAX_LENGTH: usize = 64;

const STEP_2: [(&str, &str); 20] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [(&str, &str); 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// Replaces a word in small letters by its stem. Words of one or two letters, and words with other
/// characters than a to z, remain as they are.
pub fn stem(word: &mut String) {
    let is_english = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if word.len() <= 2 || word.len() > MAX_LENGTH || !is_english {
        return;
    }
    remove_plural(word);
    remove_participle(word);
    if let Some(stem) = word.strip_suffix('y')
        && has_vowel(stem)
    {
        replace_end(word, 1, "i");
    }
    replace_suffix(word, &STEP_2);
    replace_suffix(word, &STEP_3);
    remove_suffix(word);
    tidy_up(word);
}

/// Step 1a.
fn remove_plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        replace_end(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") {
        replace_end(word, 1, "");
    }
}

/// Step 1b.
fn remove_participle(word: &mut String) {
    if let Some(stem) = word.strip_suffix("eed") {
        if measure(stem) > 0 {
            replace_end(word, 1, "");
        }
        return;
    }
    let Some(suffix) = ["ed", "ing"].into_iter().find(|s| word.ends_with(s)) else {
        return;
    };
    if !has_vowel(&word[..word.len() - suffix.len()]) {
        return;
    }
    replace_end(word, suffix.len(), "");
    let is_restored = ["at", "bl", "iz"].iter().any(|end| word.ends_with(end));
    if is_restored {
        word.push('e');
    } else if ends_with_double_consonant(word) && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && ends_with_cvc(word) {
        word.push('e');
    }
}

/// Steps 2 and 3.
fn replace_suffix(word: &mut String, rules: &[(&str, &str)]) {
    let longest = rules
        .iter()
        .filter(|(suffix, _)| word.ends_with(suffix))
        .max_by_key(|(suffix, _)| suffix.len());
    if let Some((suffix, replacement)) = longest
        && measure(&word[..word.len() - suffix.len()]) > 0
    {
        replace_end(word, suffix.len(), replacement);
    }
}

/// Step 4.
fn remove_suffix(word: &mut String) {
    let suffixes = STEP_4.iter().filter(|suffix| word.ends_with(**suffix));
    let Some(suffix) = suffixes.max_by_key(|suffix| suffix.len()) else {
        return;
    };
    let stem = &word[..word.len() - suffix.len()];
    if measure(stem) > 1 && (*suffix != "ion" || stem.ends_with(['s', 't'])) {
        replace_end(word, suffix.len(), "");
    }
}

/// Step 5.
fn tidy_up(word: &mut String) {
    if let Some(stem) = word.strip_suffix('e') {
        let measure = measure(stem);
        if measure > 1 || measure == 1 && !ends_with_cvc(stem) {
            word.pop();
        }
    }
    if measure(word) > 1 && ends_with_double_consonant(word) && word.ends_with('l') {
        word.pop();
    }
}

fn replace_end(word: &mut String, length: usize, replacement: &str) {
    word.truncate(word.len() - length);
    word.push_str(replacement);
}

/// Returns for each letter whether it is a vowel: a, e, i, o, u, or y after a consonant.
fn vowels(word: &str) -> impl Iterator<Item = bool> {
    let mut is_vowel = true;
    word.bytes().map(move |letter| {
        is_vowel = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => true,
            b'y' => !is_vowel,
            _ => false,
        };
        is_vowel
    })
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|is_vowel| is_vowel)
}

/// Returns the number of sequences of vowels that a consonant follows: m in the paper.
fn measure(word: &str) -> usize {
    let mut count = 0;
    let mut after_vowel = false;
    for is_vowel in vowels(word) {
        count += usize::from(after_vowel && !is_vowel);
        after_vowel = is_vowel;
    }
    count
}

fn ends_with_double_consonant(word: &str) -> bool {
    matches!(word.as_bytes(), [.., a, b] if a == b) && vowels(word).last() == Some(false)
}

/// Returns `true` if the word ends with consonant, vowel, consonant, and the last is not w, x, y.
fn ends_with_cvc(word: &str) -> bool {
    let kinds: Vec<bool> = vowels(word).collect();
    kinds.ends_with(&[false, true, false]) && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    #[test]
    fn stems_are_those_of_the_paper() {
        let pairs = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("revival", "reviv"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("controller", "control"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
            ("prices", "price"),
            ("as", "as"),
            ("über", "über"),
        ];
        for (word, expected) in pairs {
            let mut stem = word.to_owned();
            super::stem(&mut stem);
            assert_eq!(stem, expected, "{word}");
        }
    }
}
