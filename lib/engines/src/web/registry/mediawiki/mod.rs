//! Adapter for MediaWiki with CirrusSearch: all Wikipedias and their sister projects, and most
//! other wikis.
//!
//! `GET {address}/w/api.php?action=query&list=search&srsearch=…` returns `query.search` of `title`
//! and `snippet` (HTML), `query.searchinfo.totalhits`, and `continue.sroffset` if there are further
//! hits. URLs are built from the title and the wiki's `articlepath`, which the same request
//! returns. Terms are quoted, because CirrusSearch does not stem quoted terms.
//! `morelikethis:Title` is its more-like-this query. `linksto:Title` finds the pages of the wiki
//! that link to one of its pages; [`url_usage`] finds those that link to a page elsewhere.
//!
//! The search of a wiki without CirrusSearch depends on its database: MediaWiki 1.39 strips the
//! minus on MariaDB and SQLite, so that the excluded term is required, and excludes on PostgreSQL.
//! So exclusion is tested. It takes the keywords for words, and so finds nothing. All queries have
//! a parameter that only CirrusSearch knows: a wiki without it warns. CirrusSearch honours
//! exclusion.
//!
//! The searches of the databases have no OR, and that of CirrusSearch has none beside other terms;
//! so each spelling of an apostrophe is a query. CirrusSearch folds them in quoted terms on some
//! wikis only (`plain` in `AnalysisConfigBuilder`).
//!
//! A failure is an `error` of `code` and `info` in a response with status 200. `maxlag`,
//! `ratelimited` and a search that is too busy mean that the engine asks to wait. A failure of the
//! search back end means that it is down.
//!
//! Source: mediawiki.org, API:Search, API:Etiquette, Help:CirrusSearch (queries of at most 300
//! characters); `LinksToFeature` and `SimpleKeywordFeature` of CirrusSearch (`linksto`, quotation
//! marks escaped); `CirrusSearch::getProfiles` (`srqiprofile`); API:Errors and warnings.

mod url_usage;

use crate::capabilities::QueryLengthLimit;
use crate::web::address::EngineAddress;
use crate::web::failure::failure_from_message;
use crate::web::query_syntax::{Quoting, format_terms};
use crate::web::response::{
    collapse_white_space, normalise_page_url, parse_count, parse_json, string_field, text_field,
};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineHit, EngineQuery, EngineRequest,
    EngineResponse, EngineResult, ExclusionSupport, HitPage,
};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::Value;
use std::cell::Cell;
use std::time::Duration;
use url::Url;

pub(super) const NAME: &str = "MediaWiki";

/// API:Etiquette asks for one request after the other, and states no interval. That between calls
/// was set by judgement, in addition to `maxlag`.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Tested,
    folds_apostrophes: Some(false),
    meanings: &[
        "MediaWiki 1.39.17 on SQLite|yes|required|yes|yes|yes|no|no|yes|no",
        "MediaWiki 1.39.17 on MariaDB 10.11|yes|required|yes|some|yes|no|no|yes|no",
        "MediaWiki 1.39.17 on PostgreSQL 15|yes|yes|yes|no|yes|no|not ʼ|yes|no",
        "CirrusSearch|yes|yes|yes|yes|yes|some|some|yes|unknown",
    ],
    supports_more_like_this: true,
    supports_in_links: true,
    max_page_size: Some(500),
    max_hits: Some(10_000),
    query_length: QueryLengthLimit {
        characters: Some(300),
        words: None,
    },
    call_interval: Duration::from_secs(1),
    ..EngineCapabilities::COMMON
};

/// The parameter that only CirrusSearch knows, with its default value.
const CIRRUS_PARAMETER: (&str, &str) = ("srqiprofile", "engine_autoselect");

/// Adapter for the API of a wiki.
pub(super) struct MediaWikiAdapter {
    address: EngineAddress,
    /// True if the last response was that of CirrusSearch.
    has_cirrus: Cell<bool>,
}

#[derive(Deserialize)]
struct MediaWikiResponse {
    error: Option<MediaWikiFailure>,
    query: Option<MediaWikiResults>,
    #[serde(default)]
    warnings: Value,
    #[serde(rename = "continue")]
    continuation: Option<Value>,
}

#[derive(Deserialize)]
struct MediaWikiFailure {
    #[serde(default)]
    code: String,
    #[serde(default)]
    info: String,
}

#[derive(Deserialize)]
struct MediaWikiResults {
    search: Vec<Value>,
    #[serde(default)]
    searchinfo: Value,
    #[serde(default)]
    general: Value,
}

impl MediaWikiAdapter {
    pub(super) fn new(address: EngineAddress) -> MediaWikiAdapter {
        MediaWikiAdapter {
            address,
            has_cirrus: Cell::new(false),
        }
    }

    /// Returns the path of the API below the address: empty if the address is that of the API, and
    /// Wikimedia's path if the address has none.
    fn api_path(&self) -> &'static str {
        match self.address.url.path() {
            path if path.ends_with(".php") => "",
            "" | "/" => "/w/api.php",
            _ => "/api.php",
        }
    }

    /// Returns the title of the page at a URL, if it is on the host of the wiki.
    fn title_in_wiki(&self, url: &str) -> Option<String> {
        let host = Url::parse(url).ok()?.host_str().map(str::to_owned);
        let is_own = host.as_deref() == self.address.url.host_str();
        page_title(url).filter(|_| is_own)
    }

    /// Returns the URL of the page with a title. `general` is the site information.
    fn page_url(&self, title: &str, general: &Value) -> Option<String> {
        let path = string_field(general, "articlepath").unwrap_or_else(|| "/wiki/$1".into());
        let mut url = match string_field(general, "server") {
            // A server without a scheme gets the scheme of the address.
            Some(server) => self.address.url.join(&server).ok()?,
            None => self.address.url.join("/").ok()?,
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
        normalise_page_url(url.as_str())
    }
}

impl EngineAdapter for MediaWikiAdapter {
    fn format_query(&self, query: &EngineQuery) -> String {
        let like = query.like_url().and_then(page_title);
        let like = like.map(|title| format!("morelikethis:\"{}\"", title.replace('"', " ").trim()));
        let links_to = query.links_to().and_then(|url| self.title_in_wiki(url));
        let links_to = links_to.map(|title| format!("linksto:\"{}\"", title.replace('"', "\\\"")));
        let terms = format_terms(query, ("", Quoting::Always), ("-", Quoting::Always));
        let terms = Some(terms).filter(|terms| !terms.is_empty());
        let parts = [like, links_to, terms].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" ")
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        if let Some(url) = query.like_url().filter(|url| page_title(url).is_none()) {
            return Err(EngineError::Refused(format!(
                "{url}: is not the URL of a wiki page"
            )));
        }
        if let Some(url) = query.links_to()
            && self.title_in_wiki(url).is_none()
        {
            return url_usage::build_request(self, query, url);
        }
        Ok(self.address.build_get(
            self.api_path(),
            &[
                ("srnamespace", "0"),
                ("srenablerewrites", "0"),
                ("maxlag", "5"),
                CIRRUS_PARAMETER,
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
                ("srsearch", &self.format_query(query)),
                ("srlimit", &range.size),
                ("sroffset", &range.start),
            ],
        ))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let parsed: MediaWikiResponse = parse_json(NAME, &response.body)?;
        if let Some(failure) = parsed.error {
            return Err(classify_failure(&failure, response));
        }
        let warnings = parsed.warnings["main"].to_string();
        self.has_cirrus.set(!warnings.contains(CIRRUS_PARAMETER.0));
        if !self.has_cirrus.get() && has_keyword(response) {
            return Err(EngineError::Refused(
                "the wiki has no CirrusSearch, which `like` and `links_to` need".into(),
            ));
        }
        let Some(MediaWikiResults {
            search,
            searchinfo,
            general,
        }) = parsed.query
        else {
            return Err(EngineError::Down(format!(
                "{NAME} returned no `query`; check the address"
            )));
        };
        let parse_hit = |result: &Value| {
            let title = string_field(result, "title")?;
            Some(EngineHit {
                url: self.page_url(&title, &general)?,
                title: Some(title),
                snippet: text_field(result, "snippet"),
                ..EngineHit::default()
            })
        };
        let hits: Vec<EngineHit> = search.iter().filter_map(parse_hit).collect();
        if hits.is_empty() && !search.is_empty() {
            return Err(EngineError::Down(format!(
                "none of the {} results of {NAME} has a title",
                search.len()
            )));
        }
        let offset = parsed
            .continuation
            .and_then(|next| parse_count(next.get("sroffset")));
        // On PostgreSQL, MediaWiki counts no further than one hit beyond the page.
        let is_cut = |total: &u64| offset.is_some() && *total == u64::from(range.size) + 1;
        let total = parse_count(searchinfo.get("totalhits")).filter(|total| !is_cut(total));
        Ok(HitPage {
            hits,
            has_more: offset.is_some(),
            counts: EngineCounts::from_total(total),
            ..HitPage::default()
        })
    }

    fn exclusion(&self) -> Option<ExclusionSupport> {
        let has_cirrus = self.has_cirrus.get();
        has_cirrus.then_some(ExclusionSupport::Unreliable)
    }

    fn classify_failure(&self, response: &EngineResponse) -> Option<EngineError> {
        let assumed_path = self.api_path();
        (response.status == 404 && !assumed_path.is_empty()).then(|| {
            EngineError::Refused(format!(
                "{NAME} returned status 404; its API is not at {assumed_path}: give the full \
                 address of its api.php"
            ))
        })
    }

    fn parse_in_links(
        &self,
        url: &str,
        response: &EngineResponse,
        range: HitRange,
    ) -> EngineResult<HitPage> {
        match self.title_in_wiki(url) {
            Some(_) => self.parse_response(response, range),
            None => url_usage::parse_response(self, url, response),
        }
    }
}

/// Returns `true` if a response is to a query that only CirrusSearch answers.
fn has_keyword(response: &EngineResponse) -> bool {
    let keywords = ["morelikethis:", "linksto:"];
    let mut pairs = response.url.iter().flat_map(Url::query_pairs);
    pairs.any(|(name, text)| name == "srsearch" && keywords.iter().any(|k| text.starts_with(k)))
}

/// Returns the failure that an `error` means, by its code.
fn classify_failure(failure: &MediaWikiFailure, response: &EngineResponse) -> EngineError {
    let message = format!(
        "{NAME} returned {}: {}",
        collapse_white_space(&failure.code),
        collapse_white_space(&failure.info)
    );
    let code = failure.code.as_str();
    let asks_to_wait = matches!(code, "maxlag" | "ratelimited") || code.ends_with("too-busy-error");
    let is_down = matches!(code, "readonly" | "cirrussearch-backend-error")
        || code.starts_with("internal_api_error");
    match is_down && !asks_to_wait {
        true => EngineError::Down(message),
        false => failure_from_message(message, asks_to_wait, response),
    }
}

/// Returns the title of the page at a URL: the `title` of its query part, or the path after
/// `/wiki/` or `/index.php/`, or the last segment of the path.
fn page_title(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let query_title = url.query_pairs().find(|(name, _)| name == "title");
    let query_title = query_title.map(|(_, title)| title.into_owned());
    let mut prefixes = ["/wiki/", "/index.php/"].iter();
    let path = prefixes.find_map(|prefix| Some(url.path().split_once(prefix)?.1));
    let path = path.or_else(|| url.path().rsplit('/').next());
    let decoded = |path| percent_decode_str(path).decode_utf8_lossy().into_owned();
    let title = query_title.or_else(|| path.map(decoded))?;
    let title = title.replace('_', " ").trim().to_owned();
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::page_title;
    use crate::web::tests::helpers::{
        format_hits, format_request, open_engine, parse_body, parse_response, query,
    };
    use crate::{EngineError, EngineResponse, ExclusionSupport, HitPage, HttpClient};
    use std::time::Duration;

    /// Returns the URL that a query is sent to, for hits similar to the page at `like_url`.
    fn request_url(address: &str, like_url: Option<&str>) -> String {
        let query = query(&["dan"], &["the"]).with_like_url(like_url);
        format_request("mediawiki", address, &query, 2)
            .lines()
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn finds_the_path_of_the_api() {
        let url = request_url("https://sl.wikipedia.org", None);
        assert!(
            url.starts_with("https://sl.wikipedia.org/w/api.php?srnamespace=0&"),
            "{url}"
        );
        assert!(
            url.ends_with("&srsearch=%22dan%22+-%22the%22&srlimit=10&sroffset=10"),
            "{url}"
        );
        assert!(
            request_url("http://w.test/x/api.php?srnamespace=4", None)
                .starts_with("http://w.test/x/api.php?srnamespace=4&")
        );
        assert!(request_url("http://w.test/x", None).starts_with("http://w.test/x/api.php?"));
    }

    #[test]
    fn sends_the_title_of_the_page_for_more_like_this() {
        let url = request_url(
            "https://sl.wikipedia.org",
            Some("https://sl.wikipedia.org/wiki/Lep_dan"),
        );
        assert!(
            url.contains("&srsearch=morelikethis%3A%22Lep+dan%22+%22dan%22+-%22the%22&"),
            "{url}"
        );
        assert_eq!(
            page_title("http://w.test/w/index.php?title=A_b&x=1").as_deref(),
            Some("A b")
        );
        assert_eq!(
            page_title("http://w.test/wiki/C%2B%2B+%C4%8D/d").as_deref(),
            Some("C+++č/d")
        );
        assert_eq!(page_title("http://w.test/"), None);
    }

    #[test]
    fn sends_the_title_of_a_page_of_the_wiki_for_in_links() {
        let query =
            query(&[], &[]).with_links_to(Some("https://sl.wikipedia.org/wiki/Lep_%22dan%22"));
        let request = format_request("mediawiki", "https://sl.wikipedia.org", &query, 1);
        assert!(
            request.contains("&srsearch=linksto%3A%22Lep+%5C%22dan%5C%22%22&srlimit=10&"),
            "{request}"
        );
    }

    #[test]
    fn parses_results() {
        let body = r#"{"batchcomplete":true,"continue":{"sroffset":10,"continue":"-||"},"query":{
            "general":{"articlepath":"/wiki/$1","server":"//sl.wiki.test"},
            "searchinfo":{"totalhits":27},"search":[{"ns":0,"title":"Lep dan?","pageid":7,
            "wordcount":3,"timestamp":"2026-01-01T00:00:00Z",
            "snippet":"<span class=\"searchmatch\">Dan</span> &amp; noč"},{"ns":0}]}}"#;
        let page = parse_body("mediawiki", 200, body).unwrap();
        let hits = vec!["http://sl.wiki.test/wiki/Lep_dan%3F | Lep dan? | Dan & noč".to_owned()];
        assert_eq!(
            (format_hits(&page), page.counts.total),
            ((hits, true), Some(27))
        );
        let other = r#"{"query":{"general":{"articlepath":"/i.php?title=$1"},
            "search":[{"title":"A&b c"}]}}"#;
        let formatted = format_hits(&parse_body("mediawiki", 200, other).unwrap());
        assert_eq!(
            formatted,
            (
                vec!["http://engine.test/i.php?title=A%26b_c | A&b c | -".into()],
                false
            )
        );
    }

    #[test]
    fn a_wiki_without_cirrus_search_refuses_what_it_would_take_for_words() {
        let linked = query(&[], &[]).with_links_to(Some("http://w.test/index.php/A/b_c"));
        let request = format_request("mediawiki", "http://w.test/api.php", &linked, 1);
        assert!(
            request.contains("&srqiprofile=engine_autoselect&"),
            "{request}"
        );
        assert!(
            request.contains("&srsearch=linksto%3A%22A%2Fb+c%22&"),
            "{request}"
        );
        let body = r#"{"warnings":{"main":{"warnings":"Unrecognized parameter: srqiprofile."}},
            "query":{"search":[]}}"#;
        let expected = "the wiki has no CirrusSearch, which `like` and `links_to` need";
        let respond = |query, body: &'static str| {
            let response = EngineResponse {
                status: 200,
                body: body.into(),
                ..EngineResponse::default()
            };
            let http: HttpClient = Box::new(move |_| Ok(response.clone()));
            let mut wiki = open_engine("mediawiki", "http://w.test/api.php", "", http);
            (
                wiki.request_page(query, 1, 10),
                wiki.capabilities().exclusion,
            )
        };
        let refused = Err(EngineError::Refused(expected.into()));
        assert_eq!(respond(&linked, body), (refused, ExclusionSupport::Tested));
        let none = Ok(HitPage::default());
        let words = query(&["dan"], &[]);
        assert_eq!(
            respond(&words, body),
            (none.clone(), ExclusionSupport::Tested)
        );
        // Another warning does not matter.
        let body = r#"{"warnings":{"search":{"warnings":"srqiprofile"}},"query":{"search":[]}}"#;
        assert_eq!(respond(&linked, body), (none, ExclusionSupport::Unreliable));
    }

    #[test]
    fn names_the_path_of_the_api_that_was_not_found() {
        let failure = parse_body("mediawiki", 404, "").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "MediaWiki returned status 404; its API is not at /api.php: give the full address of \
             its api.php"
        );
    }

    #[test]
    fn classifies_errors_with_status_200() {
        let failure = |code: &str| {
            let body = format!(r#"{{"error":{{"code":"{code}","info":"details"}}}}"#).into();
            let retry_after = Some(Duration::from_secs(5));
            parse_response(
                "mediawiki",
                EngineResponse {
                    status: 200,
                    retry_after,
                    body,
                    ..EngineResponse::default()
                },
            )
            .unwrap_err()
        };
        assert_eq!(
            failure("maxlag").to_string(),
            "MediaWiki returned maxlag: details; it asks to wait 5 s"
        );
        assert!(matches!(
            failure("ratelimited"),
            EngineError::Throttled { .. }
        ));
        assert!(matches!(
            failure("cirrussearch-too-busy-error"),
            EngineError::Throttled { .. }
        ));
        assert!(matches!(
            failure("cirrussearch-backend-error"),
            EngineError::Down(_)
        ));
        assert!(matches!(
            failure("cirrussearch-parse-error"),
            EngineError::Refused(_)
        ));
        assert!(matches!(
            failure("internal_api_error_DBQueryError"),
            EngineError::Down(_)
        ));
        assert!(matches!(failure("badvalue"), EngineError::Refused(_)));
        assert!(matches!(
            parse_body("mediawiki", 200, "{}").unwrap_err(),
            EngineError::Down(_)
        ));
    }
}
