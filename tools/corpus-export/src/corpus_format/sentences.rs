//! Tokens of a sentence; the sentences are those of [`forage_text::sentences`].

use forage_text::for_each_token;
pub(crate) use forage_text::sentences;

/// Returns the tokens of a sentence. The second value is true if a token follows the one before it
/// without a blank.
pub(crate) fn tokens(sentence: &str) -> Vec<(&str, bool)> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for_each_token(sentence, |token| {
        let is_joined = !tokens.is_empty() && token.start == end;
        end = token.end;
        tokens.push((&sentence[token], is_joined));
    });
    tokens
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn a_token_says_whether_a_blank_precedes_it() {
        let joined: Vec<_> = tokens("(Da, res.)")
            .into_iter()
            .map(|(_, joined)| joined)
            .collect();
        assert_eq!(joined, [false, true, true, false, true, true]);
    }
}
