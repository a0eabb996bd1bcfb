//! The pages of a wiki that link to a page elsewhere.
//!
//! `GET …&list=exturlusage&euquery=…` returns `query.exturlusage` of `title` and `url`, the link.
//! It lists all links that begin with `euquery`, which has no scheme, so only those to the page
//! itself are kept. The next page of results is named by a token instead of an offset, so only the
//! first one is read, with the maximum of 500 links.
//!
//! Source: mediawiki.org, API:Exturlusage; `ApiQueryExtLinksUsage` of MediaWiki.

use super::{MediaWikiAdapter, MediaWikiFailure, NAME, classify_failure};
use crate::web::response::{parse_json, string_field};
use crate::{EngineError, EngineHit, EngineQuery, EngineRequest, EngineResult};
use crate::{EngineResponse, HitPage};
use forage_web::page_url::normalise;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

/// Maximum number of links per request for clients without further rights.
const MAX_LINKS: u32 = 500;

#[derive(Deserialize)]
struct UsageResponse {
    error: Option<MediaWikiFailure>,
    query: Option<UsageResults>,
}

#[derive(Deserialize)]
struct UsageResults {
    exturlusage: Vec<Value>,
    #[serde(default)]
    general: Value,
}

/// Builds the request for the pages that link to `url`.
///
/// # Errors
/// Refuses a query that also has terms, or the URL of a similar document.
pub(super) fn build_request(
    adapter: &MediaWikiAdapter,
    query: &EngineQuery,
    url: &str,
) -> EngineResult<EngineRequest> {
    let has_terms = !query.include().is_empty() || !query.exclude().is_empty();
    if has_terms || query.like_url().is_some() {
        return Err(EngineError::Refused(format!(
            "{url}: is not a page of the wiki; {NAME} finds pages that link to it, but not with \
             terms or `like`"
        )));
    }
    let Some((protocol, rest)) = url.split_once("://") else {
        return Err(EngineError::Refused(format!("{url}: is not a URL")));
    };
    Ok(adapter.address.build_get(
        adapter.api_path(),
        &[("eunamespace", "0"), ("maxlag", "5")],
        &[
            ("action", &"query"),
            ("format", &"json"),
            ("formatversion", &2),
            ("list", &"exturlusage"),
            ("meta", &"siteinfo"),
            ("siprop", &"general"),
            ("euprop", &"title|url"),
            ("euprotocol", &protocol),
            ("euquery", &rest),
            ("eulimit", &MAX_LINKS),
        ],
    ))
}

/// Parses the pages that link to `url`, which is normalised.
pub(super) fn parse_response(
    adapter: &MediaWikiAdapter,
    url: &str,
    response: &EngineResponse,
) -> EngineResult<HitPage> {
    let parsed: UsageResponse = parse_json(NAME, &response.body)?;
    if let Some(failure) = parsed.error {
        return Err(classify_failure(&failure, response));
    }
    let Some(UsageResults {
        exturlusage,
        general,
    }) = parsed.query
    else {
        return Err(EngineError::Down(format!(
            "{NAME} returned no `query`; check the address"
        )));
    };
    let link = |usage| Some((string_field(usage, "title")?, string_field(usage, "url")?));
    let links: Vec<(String, String)> = exturlusage.iter().filter_map(link).collect();
    if links.is_empty() && !exturlusage.is_empty() {
        return Err(EngineError::Down(format!(
            "none of the {} links of {NAME} has a title and a URL",
            exturlusage.len()
        )));
    }
    let links = links.into_iter().filter(|(_, link)| is_link_to(link, url));
    let hits = links.filter_map(|(title, _)| {
        Some(EngineHit {
            url: adapter.page_url(&title, &general)?,
            title: Some(title),
            ..EngineHit::default()
        })
    });
    Ok(HitPage {
        hits: hits.collect(),
        ..HitPage::default()
    })
}

/// Returns `true` if a link, which may lack its scheme, leads to the page at a normalised URL.
fn is_link_to(link: &str, url: &str) -> bool {
    let link = Url::parse(url).and_then(|base| base.join(link));
    link.is_ok_and(|link| normalise(link).is_ok_and(|link| link.as_str() == url))
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, open_engine, query};
    use crate::{EngineError, EngineResponse, EngineResult, HitPage, HttpClient};

    const PAGE: &str = "https://o.test/a?b=1";

    fn parse(body: &str) -> EngineResult<HitPage> {
        let response = EngineResponse {
            status: 200,
            body: body.into(),
            ..EngineResponse::default()
        };
        let http: HttpClient = Box::new(move |_| Ok(response.clone()));
        let query = query(&[], &[]).with_links_to(Some(PAGE));
        open_engine("mediawiki", "http://w.test/", "", http).request_page(&query, 1, 10)
    }

    #[test]
    fn requests_the_links_that_begin_with_the_url() {
        let in_links = query(&[], &[]).with_links_to(Some(PAGE));
        let request = format_request("mediawiki", "http://w.test", &in_links, 1);
        assert_eq!(
            request.lines().next().unwrap(),
            "http://w.test/w/api.php?eunamespace=0&maxlag=5&action=query&format=json\
             &formatversion=2&list=exturlusage&meta=siteinfo&siprop=general&euprop=title%7Curl\
             &euprotocol=https&euquery=o.test%2Fa%3Fb%3D1&eulimit=500"
        );
    }

    #[test]
    fn keeps_the_pages_that_link_to_the_page_itself() {
        let body = r#"{"continue":{"eucontinue":"x|1","continue":"-||"},"query":{
            "general":{"articlepath":"/wiki/$1","server":"//w.test"},"exturlusage":[
            {"ns":0,"title":"A b","url":"https://o.test/a?b=1"},
            {"ns":0,"title":"C","url":"https://o.test/a?b=12"},
            {"ns":0,"title":"D","url":"//o.test/a?b=1#part"}]}}"#;
        assert_eq!(
            format_hits(&parse(body).unwrap()),
            (
                vec![
                    "http://w.test/wiki/A_b | A b | -".to_owned(),
                    "http://w.test/wiki/D | D | -".to_owned()
                ],
                false
            )
        );
        let none = parse(r#"{"query":{"exturlusage":[]}}"#).unwrap();
        assert_eq!(none, HitPage::default());
    }

    #[test]
    fn another_response_is_a_failure_and_terms_are_refused() {
        for body in [
            "{}",
            r#"{"query":{}}"#,
            r#"{"query":{"search":[]}}"#,
            r#"{"query":{"exturlusage":[{"ns":0}]}}"#,
        ] {
            assert!(matches!(parse(body), Err(EngineError::Down(_))), "{body}");
        }
        let busy = r#"{"error":{"code":"maxlag","info":"waiting"}}"#;
        assert!(matches!(parse(busy), Err(EngineError::Throttled { .. })));
        let http: HttpClient = Box::new(|_| panic!("is not sent"));
        let with_terms = query(&["dan"], &[]).with_links_to(Some(PAGE));
        let refused =
            open_engine("mediawiki", "http://w.test/", "", http).request_page(&with_terms, 1, 10);
        assert!(matches!(refused, Err(EngineError::Refused(_))));
    }
}
