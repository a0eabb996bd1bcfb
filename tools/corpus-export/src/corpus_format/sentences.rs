//! Tokens of a sentence; the sentences are those of [`forage_text::sentences`].

pub(crate) use forage_text::sentences;
use forage_text::{Spelling, for_each_token};

/// Returns the tokens of a sentence of a text with these rules. The second value is true if a token
/// follows the one before it without a blank.
pub(crate) fn tokens<'a>(sentence: &'a str, spelling: &Spelling) -> Vec<(&'a str, bool)> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for_each_token(sentence, spelling, |token| {
        let is_joined = !tokens.is_empty() && token.start == end;
        end = token.end;
        tokens.push((&sentence[token], is_joined));
    });
    tokens
}

#[cfg(test)]
mod tests {
    use super::{Spelling, tokens};

    #[test]
    fn a_token_says_whether_a_blank_precedes_it() {
        let joined: Vec<_> = tokens("(Da, res.)", &Spelling::of_text(""))
            .into_iter()
            .map(|(_, joined)| joined)
            .collect();
        assert_eq!(joined, [false, true, true, false, true, true]);
    }
}
