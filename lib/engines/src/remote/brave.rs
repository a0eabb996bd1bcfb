//! Brave Search: an own index of the web, by its API.
//!
//! `GET {base}/res/v1/web/search?q=…&count=20&offset=N` with the header `X-Subscription-Token`
//! answers `web.results` of `url`, `title`, `description`; no `web` at all for no hits. `offset`
//! counts pages, 0 to 9. `spellcheck` must be off, as it rewrites rare words. Of two kinds of 429,
//! `RATE_LIMITED` passes with the window that `X-RateLimit-Reset` tells first, `QUOTA_LIMITED` only
//! with the month; so does one where `X-RateLimit-Remaining` leaves nothing of it.
//!
//! Source: api-dashboard.search.brave.com, API reference of web search, search operators, response
//! headers.

use super::address::Base;
use super::read::{Names, hits, json};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::abilities::Longest;
use crate::{Abilities, Answer, Counts, EngineError, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAME: &str = "Brave";

/// The last page that can be asked for.
const LAST_PAGE: u32 = 10;

/// What it can express. One call a second is what its smallest plan allows.
pub(super) const ABILITIES: Abilities = Abilities {
    page_size: Some(20),
    deepest: Some(200),
    longest: Longest {
        characters: Some(400),
        words: Some(50),
    },
    pause: Duration::from_secs(1),
    ..Abilities::COMMON
};

/// Brave's API.
pub(super) struct Brave(pub Base);

#[derive(Deserialize)]
struct Found {
    r#type: String,
    #[serde(default)]
    query: Asked,
    web: Option<Web>,
}

#[derive(Deserialize, Default)]
struct Asked {
    #[serde(default)]
    more_results_available: bool,
}

#[derive(Deserialize)]
struct Web {
    results: Vec<Value>,
}

impl Adapter for Brave {
    fn write(&self, terms: &SignedTerms) -> String {
        line(terms, ("+", Quotes::Needed), ("-", Quotes::Needed))
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        Ok(self.0.get(
            "/res/v1/web/search",
            &[("country", "ALL")],
            &[
                ("q", &self.write(terms)),
                ("count", &part.size),
                ("offset", &(part.number - 1)),
                ("spellcheck", &false),
                ("operators", &true),
                ("text_decorations", &false),
                ("result_filter", &"web"),
            ],
        ))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        if found.r#type != "search" {
            return Err(EngineError::Down(format!(
                "{NAME}'s answer is none of a search; is the address right?"
            )));
        }
        let results = found.web.map(|web| web.results).unwrap_or_default();
        let names = Names {
            url: "url",
            title: "title",
            snippet: "description",
        };
        let hits = hits(NAME, &results, names)?;
        let more =
            found.query.more_results_available && part.number < LAST_PAGE && !hits.is_empty();
        Ok(Page {
            hits,
            more,
            counts: Counts::default(),
        })
    }

    fn failure(&self, answer: &Answer) -> Option<EngineError> {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        // The reference shows a list of errors, the service gives one.
        let code = ["/error/code", "/errors/0/code"]
            .iter()
            .find_map(|place| body.pointer(place)?.as_str());
        let code = code.unwrap_or(if answer.status == 429 { "429" } else { "" });
        let refused = |why: &str| {
            Some(EngineError::Refused(format!(
                "{NAME} answers {code}: {why}"
            )))
        };
        match code {
            "QUOTA_LIMITED" | "USAGE_LIMIT_EXCEEDED" => refused("the plan's quota is used up"),
            "SUBSCRIPTION_TOKEN_INVALID" => {
                refused("the key in BRAVE_API_KEY is not one of Brave's")
            }
            "RATE_LIMITED" | "429" if is_spent(answer) => refused("the plan's quota is used up"),
            "RATE_LIMITED" | "429" => Some(EngineError::Throttled {
                message: format!("{NAME} answers {code}, too many requests"),
                retry_after: answer
                    .retry_after
                    .or_else(|| reset(answer.header("x-ratelimit-reset")?)),
            }),
            _ => None,
        }
    }
}

/// Whether nothing is left of the longest window, the month. Its limit is 0 where the plan has
/// none.
fn is_spent(answer: &Answer) -> bool {
    let longest = |header: &str| {
        let (_, last) = answer.header(header)?.rsplit_once(',')?;
        last.trim().parse::<i64>().ok()
    };
    longest("x-ratelimit-remaining").is_some_and(|left| left <= 0)
        && longest("x-ratelimit-limit") != Some(0)
}

/// Seconds until the shortest window begins anew; the header has a number for each window, the
/// shortest first.
fn reset(header: &str) -> Option<Duration> {
    header
        .split(',')
        .next()?
        .trim()
        .parse()
        .ok()
        .map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use crate::remote::testing::{answered, answered_with, sent, shown, terms};
    use crate::{Answer, EngineError, Page};

    #[test]
    fn asks_with_the_key_in_a_header_and_counts_offsets_in_pages() {
        assert_eq!(
            sent(
                "brave",
                "https://api.test/?country=SI",
                &terms(&["lep dan", "je"], &["the"]),
                3
            ),
            "https://api.test/res/v1/web/search?country=SI&q=%2Bje+%2B%22lep+dan%22+-the&count=10&offset=2\
             &spellcheck=false&operators=true&text_decorations=false&result_filter=web\nx-subscription-token: secret"
        );
    }

    #[test]
    fn reads_results_field_by_field() {
        let body = r#"{"type":"search","query":{"original":"+dan","more_results_available":true,
            "search_operators":{"applied":true,"cleaned_query":"dan"}},"mixed":{},"web":{"type":"search","results":[
            {"url":"https://a.test/","title":"A","description":"It&#x27;s a","page_age":"2026-01-01T00:00:00",
            "language":"sl","extra_snippets":["x"]}],"family_friendly":true}}"#;
        let hits = vec!["https://a.test/ | A | It's a".to_owned()];
        assert_eq!(shown(&answered("brave", 200, body).unwrap()), (hits, true));
        assert_eq!(
            answered("brave", 200, r#"{"type":"search","query":{}}"#),
            Ok(Page::default())
        );
        assert!(matches!(
            answered("brave", 200, r#"{"type":"other"}"#),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            answered("brave", 200, r#"{"type":"search","web":{}}"#),
            Err(EngineError::Down(_))
        ));
    }

    #[test]
    fn nothing_left_of_the_month_is_a_spent_quota_and_nothing_left_of_the_second_is_not() {
        let ask = |limit: &str, remaining: &str, body: &str| {
            let named = [
                ("x-ratelimit-limit", limit),
                ("x-ratelimit-remaining", remaining),
                ("x-ratelimit-reset", "1, 99"),
            ];
            let headers = named
                .iter()
                .map(|(name, value)| ((*name).into(), (*value).into()))
                .collect();
            answered_with(
                "brave",
                Answer {
                    status: 429,
                    headers,
                    body: body.into(),
                    ..Answer::default()
                },
            )
            .unwrap_err()
        };
        for body in ["", r#"{"error":{"code":"RATE_LIMITED"}}"#] {
            assert!(matches!(
                ask("1, 2000", "0, 0", body),
                EngineError::Refused(_)
            ));
            for (limit, remaining) in [("1, 2000", "0, 12"), ("20, 0", "0, 0"), ("1", "0")] {
                assert!(matches!(
                    ask(limit, remaining, body),
                    EngineError::Throttled {
                        retry_after: Some(_),
                        ..
                    }
                ));
            }
        }
    }

    #[test]
    fn a_spent_quota_is_refused_and_a_full_second_is_waited_for() {
        let error = |code: &str| {
            format!(r#"{{"type":"ErrorResponse","errors":[{{"code":"{code}","status":429}}]}}"#)
        };
        let spent = answered("brave", 429, &error("QUOTA_LIMITED")).unwrap_err();
        assert_eq!(
            spent,
            EngineError::Refused("Brave answers QUOTA_LIMITED: the plan's quota is used up".into())
        );
        let headers = vec![("x-ratelimit-reset".to_owned(), "2, 1419704".to_owned())];
        let answer = Answer {
            status: 429,
            headers,
            body: error("RATE_LIMITED").into(),
            ..Answer::default()
        };
        let message = "Brave answers RATE_LIMITED, too many requests; it asks to wait 2 s";
        assert_eq!(
            answered_with("brave", answer).unwrap_err().to_string(),
            message
        );
        let invalid = answered(
            "brave",
            422,
            r#"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}"#,
        )
        .unwrap_err();
        assert!(invalid.to_string().contains("BRAVE_API_KEY"));
    }
}
