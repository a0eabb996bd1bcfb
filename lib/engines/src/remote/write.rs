//! How signed terms are written for engines that take a line of words with signs and quotation
//! marks.

use crate::abilities::Longest;
use crate::{EngineError, SignedTerms};

/// When a term stands in quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Always: the engine takes it as it is then, without stemming or marks of its own.
    Always,
    /// When it is more than letters and digits.
    Needed,
}

/// Writes inclusion terms, then exclusion terms, each behind its sign.
pub(super) fn line(
    terms: &SignedTerms,
    include: (&str, Quotes),
    exclude: (&str, Quotes),
) -> String {
    let written = |terms: &[String], (sign, quotes): (&str, Quotes)| -> Vec<String> {
        terms
            .iter()
            .map(|term| format!("{sign}{}", term_in(term, quotes)))
            .collect()
    };
    [
        written(terms.include(), include),
        written(terms.exclude(), exclude),
    ]
    .concat()
    .join(" ")
}

fn term_in(term: &str, quotes: Quotes) -> String {
    match quotes {
        Quotes::Needed if term.chars().all(char::is_alphanumeric) => term.into(),
        _ => quoted(term),
    }
}

/// The term in quotation marks, with nothing in it that could end them.
pub(super) fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace(['"', '\\'], " ").trim())
}

/// The query with as many of its exclusion terms, from the first, as the engine has room for.
///
/// # Errors
/// Refuses a query that is too long even without.
pub(super) fn fit(
    terms: &SignedTerms,
    longest: &Longest,
    engine: &str,
    write: impl Fn(&SignedTerms) -> String,
) -> Result<SignedTerms, EngineError> {
    let mut terms = terms.clone();
    while let Some(excess) = longest.excess(&write(&terms)) {
        let Some(shorter) = terms.without_last_exclusion() else {
            return Err(EngineError::Refused(format!(
                "the query is too long for {engine}: {excess}"
            )));
        };
        terms = shorter;
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::{Quotes, fit, line};
    use crate::abilities::Longest;
    use crate::remote::testing::terms;

    #[test]
    fn terms_stand_behind_their_signs_in_quotation_marks_where_needed() {
        let terms = terms(&["lep", "lep dan"], &["don't", "the"]);
        assert_eq!(
            line(&terms, ("", Quotes::Always), ("-", Quotes::Needed)),
            r#""lep" "lep dan" -"don't" -the"#
        );
        assert_eq!(
            line(&terms, ("+", Quotes::Needed), ("-", Quotes::Always)),
            r#"+lep +"lep dan" -"don't" -"the""#
        );
    }

    #[test]
    fn a_term_cannot_end_its_quotation_marks() {
        let written = line(
            &terms(&[r#"!go "x\" :en"#], &[]),
            ("", Quotes::Needed),
            ("-", Quotes::Needed),
        );
        assert_eq!(written, r#""!go  x   :en""#);
    }

    #[test]
    fn exclusion_terms_that_do_not_fit_are_left_out_and_inclusion_terms_never() {
        let query = terms(&["a", "b"], &["c", "d", "e"]);
        let write = |terms: &_| line(terms, ("", Quotes::Needed), ("-", Quotes::Needed));
        let within = |words| {
            fit(
                &query,
                &Longest {
                    characters: None,
                    words: Some(words),
                },
                "X",
                write,
            )
        };
        assert_eq!(within(9), Ok(query.clone()));
        assert_eq!(
            within(3).map(|terms| write(&terms)).as_deref(),
            Ok("a b -c")
        );
        assert_eq!(
            within(1).unwrap_err().to_string(),
            "the query is too long for X: 2 words, and 1 are the most"
        );
    }
}
