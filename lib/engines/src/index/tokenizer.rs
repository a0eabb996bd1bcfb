//! Tantivy tokenizer that produces the terms of [`forage_text::terms`].

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Splits text into terms. Tokens have no offsets into the text, because the index does not use
/// them.
#[derive(Debug, Clone, Default)]
pub(super) struct TermTokenizer {
    token: Token,
    /// The terms of the current text, concatenated.
    terms: String,
    /// The end of each term in `terms`.
    ends: Vec<usize>,
}

/// The tokens of a text.
pub(super) struct TermStream<'a> {
    tokenizer: &'a mut TermTokenizer,
    next: usize,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        self.terms.clear();
        self.ends.clear();
        for term in forage_text::terms(text).iter() {
            self.terms.push_str(term);
            self.ends.push(self.terms.len());
        }
        TermStream {
            tokenizer: self,
            next: 0,
        }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let TermTokenizer { token, terms, ends } = &mut *self.tokenizer;
        let Some(&end) = ends.get(self.next) else {
            return false;
        };
        let start = self
            .next
            .checked_sub(1)
            .map_or(0, |previous| ends[previous]);
        token.text.clear();
        token.text.push_str(&terms[start..end]);
        token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.tokenizer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokenizer.token
    }
}

#[cfg(test)]
mod tests {
    use super::TermTokenizer;
    use tantivy::tokenizer::{TokenStream, Tokenizer};

    #[test]
    fn produces_the_terms_of_each_text_in_order() {
        let mut tokenizer = TermTokenizer::default();
        for (text, expected) in [
            ("Danes JE 7 lep dan.", vec!["danes", "je", "lep", "dan"]),
            ("", vec![]),
            ("Čas", vec!["čas"]),
        ] {
            let mut tokens = Vec::new();
            let mut stream = tokenizer.token_stream(text);
            while stream.advance() {
                assert_eq!(stream.token().position, tokens.len());
                tokens.push(stream.token().text.clone());
            }
            assert_eq!(tokens, expected, "{text}");
        }
    }
}
