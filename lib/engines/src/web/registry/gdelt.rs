//! Adapter for GDELT DOC 2.0, an index of the world's online news of the last months.
//!
//! `GET {address}/api/v2/doc/doc?query=…&mode=artlist&format=json&maxrecords=250` returns
//! `articles` of `url` and `title`, and an empty object if there are no hits. There is a single
//! page of up to 250 hits, the maximum of `maxrecords`. Errors are plain text with status 200.
//! GDELT asks for five seconds between calls.
//!
//! Source: blog.gdeltproject.org, "GDELT DOC 2.0 API Debuts".

use crate::web::address::EngineAddress;
use crate::web::failure::{error_message, failure_from_message};
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{HitFields, parse_hits, parse_json};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineQuery, EngineRequest, EngineResponse, EngineResult, HitPage,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

pub(super) const NAME: &str = "GDELT";

/// Operators of the query syntax that have the same value throughout a run, and so are options of
/// the address.
const OPERATORS: [&str; 2] = ["sourcelang", "sourcecountry"];

/// The interval is the one that GDELT asks for in its error message.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    call_interval: Duration::from_secs(5),
    supports_variants: true,
    ..EngineCapabilities::COMMON
};

/// Adapter for GDELT's API.
pub(super) struct GdeltAdapter {
    address: EngineAddress,
    /// Operators at the end of every query.
    operators: String,
}

#[derive(Deserialize)]
struct GdeltResponse {
    articles: Vec<Value>,
}

impl GdeltAdapter {
    pub fn new(mut address: EngineAddress) -> Self {
        let format_operator = |name: &str| Some(format!(" {name}:{}", address.take_option(name)?));
        let operators = OPERATORS.into_iter().filter_map(format_operator).collect();
        GdeltAdapter { address, operators }
    }
}

impl EngineAdapter for GdeltAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let terms = format_terms(query, ("", Quoting::WhenNeeded), ("-", Quoting::WhenNeeded));
        terms + &self.operators
    }

    fn build_request(&self, query: &EngineQuery, _range: HitRange) -> EngineResult<EngineRequest> {
        let query = self.format_query(query);
        Ok(self.address.build_get(
            "/api/v2/doc/doc",
            &[],
            &[
                ("query", &query),
                ("mode", &"artlist"),
                ("format", &"json"),
                ("maxrecords", &250),
            ],
        ))
    }

    fn parse_response(&self, response: &EngineResponse, _range: HitRange) -> EngineResult<HitPage> {
        let json: Value = parse_json(NAME, &response.body).map_err(|failure| {
            let message = error_message(&response.body).filter(|_| !is_object(&response.body));
            match message {
                Some(message) => failure_from_message(
                    format!("{NAME} returned: {message}"),
                    message.contains("limit requests"),
                    response,
                ),
                None => failure,
            }
        })?;
        if json.as_object().is_some_and(Map::is_empty) {
            return Ok(HitPage::default());
        }
        let parsed: GdeltResponse = parse_json(NAME, &response.body)?;
        // Articles have no snippet.
        let fields = HitFields::new("url", "title", "");
        Ok(HitPage {
            hits: parse_hits(NAME, &parsed.articles, fields)?,
            ..HitPage::default()
        })
    }
}

fn is_object(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, parse_body, query};
    use crate::{EngineError, HitPage};

    #[test]
    fn source_language_is_part_of_the_query() {
        assert_eq!(
            format_request(
                "gdelt",
                "https://g.test/?timespan=1w&sourcelang=slovenian",
                &query(&["lep dan", "je"], &["the"]),
                1
            ),
            "https://g.test/api/v2/doc/doc?timespan=1w\
             &query=je+%22lep+dan%22+-the+sourcelang%3Aslovenian&mode=artlist&format=json\
             &maxrecords=250"
        );
    }

    #[test]
    fn parses_articles() {
        let body = r#"{"articles":[{"url":"https://a.test/n","url_mobile":"","title":"A",
            "seendate":"20260101T000000Z","socialimage":"","domain":"a.test",
            "language":"Slovenian","sourcecountry":"Slovenia"}]}"#;
        let hits = vec!["https://a.test/n | A | -".to_owned()];
        assert_eq!(
            format_hits(&parse_body("gdelt", 200, body).unwrap()),
            (hits, false)
        );
        assert_eq!(parse_body("gdelt", 200, "{}"), Ok(HitPage::default()));
    }

    #[test]
    fn classifies_plain_text_errors() {
        let failure = |text: &str| parse_body("gdelt", 200, text).unwrap_err();
        let too_short = "The specified phrase is too short.\n";
        assert_eq!(
            failure(too_short),
            EngineError::Refused("GDELT returned: The specified phrase is too short.".into())
        );
        let too_often =
            "Please limit requests to one every 5 seconds or contact us for larger queries.";
        assert!(matches!(failure(too_often), EngineError::Throttled { .. }));
        assert!(matches!(
            failure("<html></html>"),
            EngineError::Unreadable(_)
        ));
        assert!(matches!(failure(""), EngineError::Down(_)));
        assert!(matches!(
            failure(r#"{"articles":[{"url":"#),
            EngineError::Down(_)
        ));
    }
}
