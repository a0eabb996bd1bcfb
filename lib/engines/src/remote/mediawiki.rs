//! MediaWiki: every Wikipedia and its sisters, and most other wikis, by CirrusSearch.
//!
//! `GET {base}/w/api.php?action=query&list=search&srsearch=…` answers `query.search` of `title` and
//! `snippet` (HTML), `query.searchinfo.totalhits`, and `continue.sroffset` where there is more.
//! Addresses are made of the title and the wiki's `articlepath`, which is asked for along with the
//! hits. Terms are quoted: CirrusSearch does not stem what is quoted. `morelikethis:Title` is its
//! "more like this". A failure is an `error` of `code` and `info` in an answer of status 200;
//! `maxlag`, `ratelimited` and a search that is too busy ask to wait, one whose back end failed is
//! down.
//!
//! Source: mediawiki.org, API:Search, API:Etiquette, Help:CirrusSearch (300 characters at most).

use super::address::Base;
use super::read::{address, json, number, one_line, plain, text};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::abilities::Longest;
use crate::{Abilities, Answer, Counts, EngineError, Page, PageHit, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

pub(super) const NAME: &str = "MediaWiki";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    like: true,
    page_size: Some(500),
    deepest: Some(10_000),
    longest: Longest {
        characters: Some(300),
        words: None,
    },
    ..Abilities::COMMON
};

/// A wiki.
pub(super) struct MediaWiki(pub Base);

#[derive(Deserialize)]
struct Found {
    error: Option<Failure>,
    query: Option<Hits>,
    #[serde(rename = "continue")]
    further: Option<Value>,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    code: String,
    #[serde(default)]
    info: String,
}

#[derive(Deserialize)]
struct Hits {
    search: Vec<Value>,
    #[serde(default)]
    searchinfo: Value,
    #[serde(default)]
    general: Value,
}

impl MediaWiki {
    /// Where its API lies: where the user says, or where Wikimedia's wikis have it.
    fn api(&self) -> &'static str {
        match self.0.url().path() {
            path if path.ends_with(".php") => "",
            "" | "/" => "/w/api.php",
            _ => "/api.php",
        }
    }

    /// The address of the page with a title.
    fn page_address(&self, title: &str, general: &Value) -> Option<String> {
        let path = text(general, "articlepath").unwrap_or_else(|| "/wiki/$1".into());
        let mut url = match text(general, "server") {
            // It may stand without a scheme: the one that we ask by.
            Some(server) => self.0.url().join(&server).ok()?,
            None => self.0.url().join("/").ok()?,
        };
        let title = title.replace(' ', "_");
        match path.split_once('?') {
            Some((path, query)) => {
                let title: String =
                    url::form_urlencoded::byte_serialize(title.as_bytes()).collect();
                url.set_path(path);
                url.set_query(Some(&query.replace("$1", &title)));
            }
            None => {
                url.set_path(&path.replace("$1", &title.replace('%', "%25").replace('?', "%3F")))
            }
        }
        address(url.as_str())
    }
}

impl Adapter for MediaWiki {
    fn write(&self, terms: &SignedTerms) -> String {
        let terms_line = line(terms, ("", Quotes::Always), ("-", Quotes::Always));
        match terms.like().and_then(title_of) {
            Some(title) => format!("morelikethis:\"{title}\" {terms_line}")
                .trim_end()
                .into(),
            None => terms_line,
        }
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        if let Some(url) = terms.like().filter(|url| title_of(url).is_none()) {
            return Err(EngineError::Refused(format!(
                "{url}: is not the address of a page of a wiki"
            )));
        }
        Ok(self.0.get(
            self.api(),
            &[
                ("srnamespace", "0"),
                ("srenablerewrites", "0"),
                ("maxlag", "5"),
            ],
            &[
                ("action", &"query"),
                ("format", &"json"),
                ("formatversion", &2),
                ("list", &"search"),
                ("meta", &"siteinfo"),
                ("siprop", &"general"),
                ("srwhat", &"text"),
                ("srinfo", &"totalhits"),
                ("srprop", &"snippet"),
                ("srsearch", &self.write(terms)),
                ("srlimit", &part.size),
                ("sroffset", &part.start),
            ],
        ))
    }

    fn read(&self, answer: &Answer, _part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        if let Some(failure) = found.error {
            return Err(explain(&failure, answer));
        }
        let Some(Hits {
            search,
            searchinfo,
            general,
        }) = found.query
        else {
            return Err(EngineError::Down(format!(
                "{NAME}'s answer has no `query`; is the address right?"
            )));
        };
        let hit = |result: &Value| {
            let title = text(result, "title")?;
            let snippet = text(result, "snippet").map(|html| plain(&html));
            Some(PageHit {
                url: self.page_address(&title, &general)?,
                title: Some(title),
                snippet,
            })
        };
        let hits: Vec<PageHit> = search.iter().filter_map(hit).collect();
        if hits.is_empty() && !search.is_empty() {
            return Err(EngineError::Down(format!(
                "none of {NAME}'s {} results has a title",
                search.len()
            )));
        }
        let more = found
            .further
            .is_some_and(|further| number(further.get("sroffset")).is_some());
        let counts = Counts {
            total: number(searchinfo.get("totalhits")),
            ..Counts::default()
        };
        Ok(Page { hits, more, counts })
    }
}

/// What an `error` means, by its code.
fn explain(failure: &Failure, answer: &Answer) -> EngineError {
    let message = format!(
        "{NAME} answers {}: {}",
        one_line(&failure.code),
        one_line(&failure.info)
    );
    match failure.code.as_str() {
        code if matches!(code, "maxlag" | "ratelimited") || code.ends_with("too-busy-error") => {
            EngineError::Throttled {
                message,
                retry_after: answer.retry_after,
            }
        }
        code if matches!(code, "readonly" | "cirrussearch-backend-error")
            || code.starts_with("internal_api_error") =>
        {
            EngineError::Down(message)
        }
        _ => EngineError::Refused(message),
    }
}

/// The title of the page at an address: of the query part, or what follows `/wiki/`, or the last
/// part of the path.
fn title_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let asked = url
        .query_pairs()
        .find(|(name, _)| name == "title")
        .map(|(_, title)| title.into_owned());
    let path = url
        .path()
        .split_once("/wiki/")
        .map_or_else(|| url.path().rsplit('/').next(), |(_, title)| Some(title));
    let title = asked.or_else(|| Some(decode(path?)))?;
    let title = title.replace(['_', '"'], " ").trim().to_owned();
    (!title.is_empty()).then_some(title)
}

/// A part of a path without percent signs: that of form values, where a plus sign is a blank, but
/// for the plus signs.
fn decode(path: &str) -> String {
    let path = path.replace('+', "%2B");
    let pair = format!("t={path}").replace('&', "%26");
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map(|(_, title)| title.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::title_of;
    use crate::remote::testing::{answered, answered_with, sent, shown, terms};
    use crate::{Answer, EngineError};
    use std::time::Duration;

    fn first_line(base: &str, like: Option<&str>) -> String {
        let terms = terms(&["dan"], &["the"]).like_page(like);
        sent("mediawiki", base, &terms, 2)
            .lines()
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn asks_the_api_of_the_wiki_wherever_it_lies() {
        let asked = first_line("https://sl.wikipedia.org", None);
        assert!(
            asked.starts_with("https://sl.wikipedia.org/w/api.php?srnamespace=0&"),
            "{asked}"
        );
        assert!(
            asked.ends_with("&srsearch=%22dan%22+-%22the%22&srlimit=10&sroffset=10"),
            "{asked}"
        );
        assert!(
            first_line("http://w.test/x/api.php?srnamespace=4", None)
                .starts_with("http://w.test/x/api.php?srnamespace=4&")
        );
        assert!(first_line("http://w.test/x", None).starts_with("http://w.test/x/api.php?"));
    }

    #[test]
    fn pages_like_one_are_asked_for_by_its_title() {
        let asked = first_line(
            "https://sl.wikipedia.org",
            Some("https://sl.wikipedia.org/wiki/Lep_dan"),
        );
        assert!(
            asked.contains("&srsearch=morelikethis%3A%22Lep+dan%22+%22dan%22+-%22the%22&"),
            "{asked}"
        );
        assert_eq!(
            title_of("http://w.test/w/index.php?title=A_b&x=1").as_deref(),
            Some("A b")
        );
        assert_eq!(
            title_of("http://w.test/wiki/C%2B%2B+%C4%8D/d").as_deref(),
            Some("C+++č/d")
        );
        assert_eq!(title_of("http://w.test/"), None);
    }

    #[test]
    fn reads_results_field_by_field() {
        let body = r#"{"batchcomplete":true,"continue":{"sroffset":10,"continue":"-||"},"query":{
            "general":{"articlepath":"/wiki/$1","server":"//sl.wiki.test"},"searchinfo":{"totalhits":27},
            "search":[{"ns":0,"title":"Lep dan?","pageid":7,"wordcount":3,"timestamp":"2026-01-01T00:00:00Z",
            "snippet":"<span class=\"searchmatch\">Dan</span> &amp; noč"},{"ns":0}]}}"#;
        let page = answered("mediawiki", 200, body).unwrap();
        let hits = vec!["http://sl.wiki.test/wiki/Lep_dan%3F | Lep dan? | Dan & noč".to_owned()];
        assert_eq!((shown(&page), page.counts.total), ((hits, true), Some(27)));
        let other = r#"{"query":{"general":{"articlepath":"/i.php?title=$1"},"search":[{"title":"A&b c"}]}}"#;
        let shown = shown(&answered("mediawiki", 200, other).unwrap());
        assert_eq!(
            shown,
            (
                vec!["http://engine.test/i.php?title=A%26b_c | A&b c | -".into()],
                false
            )
        );
    }

    #[test]
    fn an_error_has_its_kind_though_its_status_is_200() {
        let ask = |code: &str| {
            let body = format!(r#"{{"error":{{"code":"{code}","info":"told"}}}}"#).into();
            let retry_after = Some(Duration::from_secs(5));
            answered_with(
                "mediawiki",
                Answer {
                    status: 200,
                    retry_after,
                    body,
                    ..Answer::default()
                },
            )
            .unwrap_err()
        };
        assert_eq!(
            ask("maxlag").to_string(),
            "MediaWiki answers maxlag: told; it asks to wait 5 s"
        );
        assert!(matches!(ask("ratelimited"), EngineError::Throttled { .. }));
        assert!(matches!(
            ask("cirrussearch-too-busy-error"),
            EngineError::Throttled { .. }
        ));
        assert!(matches!(
            ask("cirrussearch-backend-error"),
            EngineError::Down(_)
        ));
        assert!(matches!(
            ask("cirrussearch-parse-error"),
            EngineError::Refused(_)
        ));
        assert!(matches!(
            ask("internal_api_error_DBQueryError"),
            EngineError::Down(_)
        ));
        assert!(matches!(ask("badvalue"), EngineError::Refused(_)));
        assert!(matches!(
            answered("mediawiki", 200, "{}").unwrap_err(),
            EngineError::Down(_)
        ));
    }
}
