//! Adapter for any engine with an OpenSearch 1.1 description: its `Url` template is filled in, and
//! the response is RSS or Atom.
//!
//! Hundreds of sites have a description: wikis, repositories, library catalogs. It is requested
//! before the first query. If the address is that of a web page, the page's link to a description
//! is followed. The query syntax of the engine is unknown. So terms are sent as plain words, and
//! hits that show an excluded term are skipped.
//!
//! Source: OpenSearch 1.1, draft 6 (github.com/dewitt/opensearch).

mod paging;
mod template;

use crate::web::address::EngineAddress;
use crate::web::feed_document::parse_feed;
use crate::web::markup::decode_feed;
use crate::web::response::parse_count;
use crate::web::{EngineAdapter, HitRange, failure};
use crate::{
    EngineCapabilities, EngineCounts, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage, HttpClient,
};
use paging::Paging;
use std::cell::RefCell;
use std::time::Duration;
use template::UrlTemplate;
use url::Url;

pub(super) const NAME: &str = "the engine";

/// The interval was set by judgement: a search costs a site more than a page does, and pages are
/// fetched a second apart.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Unsupported,
    supports_phrases: false,
    folds_apostrophes: Some(false),
    meanings: &[
        "kiwix-serve 3.3.0|no|not sent|yes|some|yes|yes|not ʼ|yes|no",
        "Omega 1.4.22|no|not sent|yes|yes|yes|no|not ʼ|yes|no",
    ],
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
    paging: RefCell<Paging>,
}

impl DescriptionAdapter {
    pub fn new(address: EngineAddress) -> Self {
        DescriptionAdapter {
            address,
            template: None,
            paging: RefCell::default(),
        }
    }

    fn template(&self) -> EngineResult<&UrlTemplate> {
        let error = || EngineError::Down("the description was not requested".into());
        self.template.as_ref().ok_or_else(error)
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
        let url = response.url.unwrap_or(url);
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
        let mut url = self.address.full_url.clone();
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
        let (template, query) = (self.template()?, self.format_query(query));
        let by_number = template.has_page_numbers();
        let (range, first_page) = (self.paging.borrow_mut()).place(&query, range, by_number);
        let url = template.fill(&query, range, first_page);
        Ok(self
            .address
            .build_get_url(url.map_err(EngineError::Refused)?))
    }

    fn parse_response(&self, response: &EngineResponse, _: HitRange) -> EngineResult<HitPage> {
        let feed = parse_feed(&decode_response(response)?).map_err(|cause| {
            EngineError::Down(format!("the response is neither RSS nor Atom: {cause}"))
        })?;
        let item_count = feed.items.len() as u64;
        let count = |text: &Option<String>| parse_count(Some(&text.clone()?.into()));
        let (total, items_per_page) = (count(&feed.total), count(&feed.items_per_page));
        let (hits, missing) = feed.into_hits(response.url.as_ref().unwrap_or(&self.address.url));
        if hits.is_empty() && item_count > 0 {
            return Err(EngineError::Down(format!(
                "none of the {item_count} items has a URL"
            )));
        }
        let first_hit = hits.first().map_or("", |hit| &hit.url);
        let range = self.paging.borrow_mut().learn(first_hit, item_count as u32);
        let template = self.template()?;
        // A total that ends with a full page may be the number of hits on it, or wrong.
        let asked = u64::from(range.size);
        let full_page = items_per_page.filter(|size| (1..asked).contains(size));
        let is_full = item_count >= full_page.unwrap_or(asked);
        let overlap = u64::from(range.page > 1 && !template.has_page_numbers());
        let end = u64::from(range.start) + item_count;
        let has_more = item_count > 0
            && (is_full || total.is_none_or(|total| end < total + overlap))
            && template.has_pages();
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
                "http://w.test/feed?q=je%20lep%20dan&n=10"
            ]
        );
    }

    /// RFC 3986, section 5.1.3. The address is requested as it was given.
    #[test]
    fn relative_urls_are_resolved_by_the_response_after_redirects() {
        let template = r#"<OpenSearchDescription><Url type="application/rss+xml"
            template="s?q={searchTerms}"/></OpenSearchDescription>"#;
        let feed = "<rss><channel><item><link>a</link></item></channel></rss>";
        let http: HttpClient = Box::new(move |request: &EngineRequest| {
            let (body, moved_to) = match request.url.as_str() {
                "http://w.test/dir/?x" => (template, "http://w.test/new/osd.xml"),
                "http://w.test/new/s?q=dan" => (feed, "http://w.test/new/er/s"),
                other => panic!("{other}"),
            };
            Ok(EngineResponse {
                status: 200,
                body: body.into(),
                url: moved_to.parse().ok(),
                ..EngineResponse::default()
            })
        });
        let mut engine = open_engine("description", "http://w.test/dir/?x", "", http);
        let page = engine.request_page(&query(&["dan"], &[]), 1, 10).unwrap();
        assert_eq!(page.hits[0].url, "http://w.test/new/er/a");
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
