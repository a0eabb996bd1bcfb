//! Formatting of queries for engines whose query syntax is a line of terms with signs and
//! quotation marks.

use crate::capabilities::QueryLengthLimit;
use crate::{EngineError, EngineQuery, EngineResult};
use forage_text::contains_unspaced_script;

/// Rule by which a term is put in quotation marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// Every term, so that the engine neither stems it nor interprets its punctuation.
    Always,
    /// Only a term that is not a single word; see [`is_single_word`].
    WhenNeeded,
}

/// Formats the inclusion terms, then the exclusion terms, each with its prefix and quoting.
pub(super) fn format_terms(
    query: &EngineQuery,
    include: (&str, Quoting),
    exclude: (&str, Quoting),
) -> String {
    let include = query.include().iter().map(|term| {
        let (prefix, quoting) = include;
        format!("{prefix}{}", format_spellings(query, term, quoting))
    });
    let exclude = query.exclude().iter().map(|term| {
        let (prefix, quoting) = exclude;
        format!("{prefix}{}", format_term(term, quoting))
    });
    include.chain(exclude).collect::<Vec<_>>().join(" ")
}

/// Formats an inclusion term; several spellings as `(a OR b)`.
fn format_spellings(query: &EngineQuery, term: &str, quoting: Quoting) -> String {
    let format = |spelling| format_term(spelling, quoting);
    join_spellings(query.spellings(term).map(format).collect())
}

/// Returns formatted spellings as one clause: `(a OR b)`, or the only one.
pub(super) fn join_spellings(mut spellings: Vec<String>) -> String {
    if spellings.len() == 1 {
        spellings.remove(0)
    } else {
        format!("({})", spellings.join(" OR "))
    }
}

fn format_term(term: &str, quoting: Quoting) -> String {
    match quoting {
        Quoting::WhenNeeded if is_single_word(term) => term.into(),
        _ => quote_term(term),
    }
}

/// Returns `true` if every engine takes a term as one word: it consists of letters and digits of
/// scripts with blanks between words.
///
/// In other scripts each engine has a tokenizer of its own, which may split the term into words or
/// characters. Only as a phrase does it then match the term itself.
pub(super) fn is_single_word(term: &str) -> bool {
    term.chars().all(char::is_alphanumeric) && !contains_unspaced_script(term)
}

/// Returns the term in quotation marks. Characters that would end the quotation become blanks.
pub(super) fn quote_term(term: &str) -> String {
    format!("\"{}\"", term.replace(['"', '\\'], " ").trim())
}

/// Drops exclusion terms, from the last on, until the formatted query has the allowed length.
///
/// # Errors
/// Refuses a query that is too long even without exclusion terms.
pub(super) fn fit_to_length(
    query: &EngineQuery,
    limit: &QueryLengthLimit,
    engine: &str,
    format_query: impl Fn(&EngineQuery) -> String,
) -> EngineResult<EngineQuery> {
    let mut query = query.clone();
    while let Some(excess) = limit.describe_excess(&format_query(&query)) {
        let Some(shorter) = query.without_last_exclusion() else {
            return Err(EngineError::Refused(format!(
                "the query is too long for {engine}: {excess}"
            )));
        };
        query = shorter;
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::{Quoting, fit_to_length, format_terms};
    use crate::EngineQuery;
    use crate::capabilities::QueryLengthLimit;
    use crate::web::WEB_ENGINES;
    use crate::web::tests::helpers::{format_request, query};

    #[test]
    fn formats_terms_with_prefix_and_quotation_marks() {
        let query = query(&["lep", "lep dan"], &["don't", "the"]);
        assert_eq!(
            format_terms(&query, ("", Quoting::Always), ("-", Quoting::WhenNeeded)),
            r#""lep" "lep dan" -"don't" -the"#
        );
        assert_eq!(
            format_terms(&query, ("+", Quoting::WhenNeeded), ("-", Quoting::Always)),
            r#"+lep +"lep dan" -"don't" -"the""#
        );
    }

    #[test]
    fn quotes_terms_of_scripts_without_blanks() {
        let query = query(&["東京都", "dan", "k東"], &["ภาษา", "the"]);
        assert_eq!(
            format_terms(
                &query,
                ("+", Quoting::WhenNeeded),
                ("-", Quoting::WhenNeeded)
            ),
            r#"+dan +"k東" +"東京都" -the -"ภาษา""#
        );
    }

    #[test]
    fn every_engine_is_sent_terms_of_scripts_without_blanks_as_phrases() {
        let query = query(&["dan", "東京都"], &["the", "ภาษา"]);
        for (prefix, expected) in [
            ("searxng", r#"q="dan" "東京都" -the -"ภาษา"&"#),
            ("mediawiki", r#"srsearch="dan" "東京都" -"the" -"ภาษา"&"#),
            ("brave", r#"q=+dan +"東京都" -the -"ภาษา"&"#),
            ("mojeek", r#"q=dan "東京都" -"ภาษา"&"#),
            ("mojeek", "qm=the&"),
            ("marginalia", r#"query=dan "東京都" -the -"ภาษา"&"#),
            (
                "opensearch",
                r#""must":[{"match_phrase":{"text":"dan"}},{"match_phrase":{"text":"東京都"}}]"#,
            ),
            (
                "opensearch",
                r#"[{"match_phrase":{"text":"the"}},{"match_phrase":{"text":"ภาษา"}}]"#,
            ),
            (
                "quickwit",
                r#"query=text:"dan" AND text:"東京都" AND NOT text:"the" AND NOT text:"ภาษา"&"#,
            ),
            (
                "solr",
                r#"q=+text:"dan" +text:"東京都" -text:"the" -text:"ภาษา"&"#,
            ),
            ("yacy", r#"query=dan "東京都" -the -"ภาษา"&"#),
            ("gdelt", r#"query=dan "東京都" -the -"ภาษา"&"#),
        ] {
            let request = decode(&format_request(prefix, "https://e.test/solr/x", &query, 1));
            assert!(request.contains(expected), "{prefix}: {request}");
        }
        // An engine with a description has an unknown syntax, and a feed and a site are sent no
        // query.
        assert_eq!(WEB_ENGINES.len(), 10 + 3);
    }

    #[test]
    fn several_spellings_are_alternatives() {
        let json = r#"{"include":["hisa","je"],"variants":{"hisa":["hiša"]}}"#;
        let query = EngineQuery::from(&serde_json::from_str(json).unwrap());
        for (prefix, expected) in [
            (
                "opensearch",
                r#""must":[{"bool":{"should":[{"match_phrase":{"text":"hisa"}},{"match_phrase":{"text":"hiša"}}]}},{"match_phrase":{"text":"je"}}]"#,
            ),
            (
                "quickwit",
                r#"query=(text:"hisa" OR text:"hiša") AND text:"je"&"#,
            ),
            ("solr", r#"q=+text:("hisa" OR "hiša") +text:"je"&"#),
            ("gdelt", r#"query=(hisa OR hiša) je&"#),
        ] {
            let request = decode(&format_request(prefix, "https://e.test/solr/x", &query, 1));
            assert!(request.contains(expected), "{prefix}: {request}");
        }
    }

    /// Returns a request with the parameters of its URL decoded.
    fn decode(request: &str) -> String {
        let (address, parameters) = request.split_once('?').unwrap_or((request, ""));
        let parameters: Vec<String> = url::form_urlencoded::parse(parameters.as_bytes())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("{address}?{}&", parameters.join("&"))
    }

    #[test]
    fn removes_quotation_marks_within_a_term() {
        let formatted = format_terms(
            &query(&[r#"!go "x\" :en"#], &[]),
            ("", Quoting::WhenNeeded),
            ("-", Quoting::WhenNeeded),
        );
        assert_eq!(formatted, r#""!go  x   :en""#);
    }

    #[test]
    fn drops_exclusion_terms_to_fit_but_never_inclusion_terms() {
        let query = query(&["a", "b"], &["c", "d", "e"]);
        let format_query =
            |query: &_| format_terms(query, ("", Quoting::WhenNeeded), ("-", Quoting::WhenNeeded));
        let fit_to_words = |words| {
            fit_to_length(
                &query,
                &QueryLengthLimit {
                    characters: None,
                    words: Some(words),
                },
                "X",
                format_query,
            )
        };
        assert_eq!(fit_to_words(9), Ok(query.clone()));
        assert_eq!(
            fit_to_words(3).map(|query| format_query(&query)).as_deref(),
            Ok("a b -c")
        );
        assert_eq!(
            fit_to_words(1).unwrap_err().to_string(),
            "the query is too long for X: 2 words, the limit is 1"
        );
    }
}
