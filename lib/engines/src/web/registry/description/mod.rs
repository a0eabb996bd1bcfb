//! Adapter for any engine with an OpenSearch 1.1 description: its `Url` template is filled in, and
//! the response is RSS or Atom.
//!
//! Hundreds of sites have a description: wikis, repositories, library catalogs. It is requested
//! before the first query. If the address is that of a web page, the page's link to a description
//! is followed. The query syntax of the engine is unknown. So terms are sent as plain words, and
//! hits that show an excluded term are skipped.
//!
//! Source: OpenSearch 1.1, draft 6 (github.com/dewitt/opensearch).

mod template;

use crate::web::address::EngineAddress;
use crate::web::feed_document::parse_feed;
use crate::web::markup::decode_feed;
use crate::web::response::parse_count;
use crate::web::{EngineAdapter, HitRange, failure};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage, HttpClient, MissingPart,
};
use std::time::Duration;
use template::UrlTemplate;
use url::Url;

pub(super) const NAME: &str = "the engine";

/// The interval was set by judgement: a search costs a site more than a page does, and pages are
/// fetched a second apart.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Unsupported,
    supports_phrases: false,
    call_interval: Duration::from_secs(2),
    ..EngineCapabilities::COMMON
};

/// Maximum number of requests to find a description: a web page, and the description that it links
/// to.
const MAX_REQUESTS: usize = 2;

/// Adapter for an engine with a description.
pub(super) struct DescriptionAdapter {
    address: EngineAddress,
    /// The template; `None` before the description is requested.
    template: Option<UrlTemplate>,
}

impl DescriptionAdapter {
    pub fn new(address: EngineAddress) -> Self {
        DescriptionAdapter {
            address,
            template: None,
        }
    }

    fn template(&self) -> EngineResult<&UrlTemplate> {
        let error = || EngineError::Down("the description was not requested".into());
        self.template.as_ref().ok_or_else(error)
    }

    /// Returns the hits that follow those of a page and precede the next page, because the engine
    /// returns fewer per page than it was asked for.
    fn hits_between_pages(
        &self,
        range: HitRange,
        total: Option<u64>,
        items_per_page: Option<u64>,
    ) -> EngineResult<Option<MissingPart>> {
        let size = items_per_page.filter(|size| (1..u64::from(range.size)).contains(size));
        let has_more = |size| total.is_some_and(|total| u64::from(range.start) + size < total);
        match size.filter(|size| has_more(*size)) {
            Some(size) if self.template()?.pages_by_index() => Ok(Some(MissingPart {
                name: "those between pages".into(),
                reason: format!("the engine returns {size} per page; set --page-size {size}"),
            })),
            _ => Ok(None),
        }
    }

    /// Requests the description at `url` and sets the template. If it is a web page that links to a
    /// description, returns the URL of the link instead.
    fn request_description(
        &mut self,
        http: &mut HttpClient,
        url: Url,
    ) -> EngineResult<Option<Url>> {
        let response = http(&self.address.build_get_url(url.clone())).map_err(EngineError::Down)?;
        let host = "the description's host";
        if let Some(failure) = failure::failure_from_status(host, None, &response) {
            return Err(failure);
        }
        let text = decode_response(&response)?;
        match template::parse_description(&text, &url) {
            Ok(template) => {
                self.template = Some(template);
                Ok(None)
            }
            Err(cause) => match template::find_description_link(&text, &url) {
                None => Err(EngineError::Refused(format!("{url}: {cause}"))),
                link => Ok(link),
            },
        }
    }
}

fn decode_response(response: &EngineResponse) -> EngineResult<String> {
    decode_feed(&response.body, response.header("content-type"))
        .map_err(|cause| EngineError::Down(format!("the response cannot be read: {cause}")))
}

impl EngineAdapter for DescriptionAdapter {
    fn prepare(&mut self, http: &mut HttpClient) -> EngineResult<()> {
        if self.template.is_some() {
            return Ok(());
        }
        let mut url = self.address.build_get("", &[], &[]).url;
        for _ in 0..MAX_REQUESTS {
            match self.request_description(http, url)? {
                Some(link) => url = link,
                None => return Ok(()),
            }
        }
        Err(EngineError::Refused(format!(
            "{url}: is linked as a description, but is a page with another link"
        )))
    }

    fn format_query(&self, query: &EngineQuery) -> String {
        query.include().join(" ").replace('"', " ")
    }

    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest> {
        let url = self.template()?.fill(&self.format_query(query), range);
        Ok(self
            .address
            .build_get_url(url.map_err(EngineError::Refused)?))
    }

    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage> {
        let feed = parse_feed(&decode_response(response)?).map_err(|cause| {
            EngineError::Down(format!("the response is neither RSS nor Atom: {cause}"))
        })?;
        let item_count = feed.items.len();
        let count = |text: &Option<String>| parse_count(Some(&text.clone()?.into()));
        let (total, items_per_page) = (count(&feed.total), count(&feed.items_per_page));
        let (hits, mut missing) =
            feed.into_hits(response.url.as_ref().unwrap_or(&self.address.url));
        if hits.is_empty() && item_count > 0 {
            return Err(EngineError::Down(format!(
                "none of the {item_count} items has a URL"
            )));
        }
        missing.extend(self.hits_between_pages(range, total, items_per_page)?);
        let hits_so_far = u64::from(range.start) + hits.len() as u64;
        let overlap = self.template()?.overlap();
        let has_more = !hits.is_empty()
            && total.is_none_or(|total| hits_so_far < total + overlap)
            && self.template()?.has_pages();
        Ok(HitPage {
            hits,
            has_more,
            counts: EngineCounts::from_total(total),
            missing,
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, open_engine, query};
    use crate::{EngineError, EngineRequest, EngineResponse, EngineResult, HitPage, HttpClient};
    use std::cell::RefCell;
    use std::rc::Rc;

    const DESCRIPTION: &str = r#"<?xml version="1.0"?>
        <OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
        <ShortName>Wiki</ShortName><Url type="text/html" template="/html?q={searchTerms}"/>
        <Url type="application/rss+xml"
        template="/feed?q={searchTerms}&amp;n={count?}&amp;from={startIndex?}"/>
        </OpenSearchDescription>"#;

    const FEED: &str = r#"<rss version="2.0"
        xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><channel>
        <title>Wiki</title><link>http://w.test/</link>
        <opensearch:totalResults>12</opensearch:totalResults>
        <item><title>A</title><link>http://w.test/a</link>
        <description>&lt;b&gt;lep&lt;/b&gt; dan</description></item></channel></rss>"#;

    /// Requests the first page from a server that responds with `responses` of path, status and
    /// body. Returns the page and the requested URLs.
    fn request_page(
        responses: &'static [(&str, u16, &str)],
    ) -> (EngineResult<HitPage>, Vec<String>) {
        let requested = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&requested);
        let http: HttpClient = Box::new(move |request: &EngineRequest| {
            log.borrow_mut().push(request.url.to_string());
            let (_, status, body) = responses
                .iter()
                .find(|(path, ..)| *path == request.url.path())
                .unwrap();
            Ok(EngineResponse {
                status: *status,
                body: body.as_bytes().into(),
                ..EngineResponse::default()
            })
        });
        let mut engine = open_engine("description", "http://w.test/start", "", http);
        let page = engine.request_page(&query(&["lep dan", "je"], &["the"]), 1, 10);
        (page, requested.take())
    }

    #[test]
    fn follows_the_link_of_a_web_page_to_the_description() {
        let web_page = r#"<html><link rel="search"
            type="application/opensearchdescription+xml" href="osd.xml"></html>"#;
        let (page, requested) = request_page(Box::leak(Box::new([
            ("/start", 200, web_page),
            ("/osd.xml", 200, DESCRIPTION),
            ("/feed", 200, FEED),
        ])));
        assert_eq!(
            format_hits(&page.unwrap()),
            (vec!["http://w.test/a | A | lep dan".to_owned()], true)
        );
        assert_eq!(
            requested[1..],
            [
                "http://w.test/osd.xml",
                "http://w.test/feed?q=je%20lep%20dan&n=10&from=1"
            ]
        );
    }

    #[test]
    fn hits_between_the_pages_of_an_engine_with_small_pages_are_reported() {
        for (size, expected) in [(5, 1), (10, 0), (0, 0), (12, 0)] {
            let size = format!("<o:itemsPerPage>{size}</o:itemsPerPage><item>");
            let feed: &str = Box::leak(FEED.replace("<item>", &size).into_boxed_str());
            let (page, _) = request_page(Box::leak(Box::new([
                ("/start", 200, DESCRIPTION),
                ("/feed", 200, feed),
            ])));
            let page = page.unwrap();
            assert_eq!(
                (page.hits.len(), page.missing.len()),
                (1, expected),
                "{size}"
            );
            for part in page.missing {
                let expected =
                    "those between pages: the engine returns 5 per page; set --page-size 5";
                assert_eq!(part.to_string(), expected);
            }
        }
    }

    #[test]
    fn classifies_failures_of_description_and_feed() {
        let (result, _) = request_page(&[("/start", 200, "<html>no</html>")]);
        let Err(EngineError::Refused(message)) = result else {
            panic!("{result:?}")
        };
        assert!(message.starts_with("http://w.test/start: "), "{message}");
        assert!(matches!(
            request_page(&[("/start", 503, "")]).0,
            Err(EngineError::Down(_))
        ));
        for body in ["<html></html>", "{}", "", "<rss><channel><item>"] {
            let responses = Box::leak(Box::new([
                ("/start", 200, DESCRIPTION),
                ("/feed", 200, body),
            ]));
            assert!(
                matches!(request_page(responses).0, Err(EngineError::Down(_))),
                "{body}"
            );
        }
        let empty = "<rss><channel></channel></rss>";
        let responses = Box::leak(Box::new([
            ("/start", 200, DESCRIPTION),
            ("/feed", 200, empty),
        ]));
        assert_eq!(request_page(responses).0, Ok(HitPage::default()));
    }
}
