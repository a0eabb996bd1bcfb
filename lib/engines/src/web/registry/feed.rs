//! Adapter for a feed (RSS, Atom, JSON Feed), the only machine-readable offer of many news sites.
//!
//! A feed lists the latest documents of a site, whatever the query. So the whole feed is one page
//! of hits, which is requested and cached once for all queries; the queries are matched with title
//! and summary of its items (`EngineCapabilities::lists_all_documents`). Hits are in the order of
//! the feed, which is usually that of time, the latest first. Of a web page that links to feeds,
//! each of them is such a page of hits. A feed that the site's robots.txt disallows is not read,
//! nor one that redirects to such a URL.
//!
//! Source: RSS 2.0 (rssboard.org/rss-specification), RFC 4287 (Atom), JSON Feed 1.1
//! (jsonfeed.org), RFC 7303 (encodings).

use crate::web::address::EngineAddress;
use crate::web::feed_document::{find_feed_links, parse_feed};
use crate::web::markup::decode_feed;
use crate::web::named_files::{page_of_files, reject_empty};
use crate::web::{EngineAdapter, HitRange};
use crate::{
    EngineCapabilities, EngineError, EngineQuery, EngineRequest, EngineResponse, EngineResult,
    ExclusionSupport, HitPage, HttpClient,
};
use forage_web::robots::RobotsTxt;
use std::time::Duration;
use url::{Position, Url};

pub(super) const NAME: &str = "the feed";

/// The interval is the pause between two pages that are fetched from a site.
pub(super) const CAPABILITIES: EngineCapabilities = EngineCapabilities {
    exclusion: ExclusionSupport::Unsupported,
    needs_inclusion_term: false,
    supports_variants: true,
    folds_apostrophes: Some(true),
    meanings: &["feed or sitemap|yes|yes|yes|yes|yes|no|yes|yes|yes"],
    lists_all_documents: true,
    call_interval: Duration::from_secs(1),
    ..EngineCapabilities::COMMON
};

/// The product tokens that rules of robots.txt may name.
const AGENT: &str = "forage/0 forage-search/0";

/// Adapter for a feed.
pub(super) struct FeedAdapter {
    address: EngineAddress,
    /// The robots.txt of the site, once it was requested.
    robots: Option<RobotsTxt>,
}

impl FeedAdapter {
    pub(super) fn new(address: EngineAddress) -> FeedAdapter {
        FeedAdapter {
            address,
            robots: None,
        }
    }

    /// Returns `false` for a URL of the site that its robots.txt disallows.
    fn is_allowed(&self, url: &Url) -> bool {
        let robots = self.robots.as_ref();
        let robots = robots.filter(|_| url.origin() == self.address.full_url.origin());
        robots.is_none_or(|robots| robots.allows(&url[Position::BeforePath..Position::AfterQuery]))
    }

    /// Fails for a URL that robots.txt disallows.
    fn check_allowed(&self, url: &Url) -> EngineResult<()> {
        match self.is_allowed(url) {
            true => Ok(()),
            false => Err(EngineError::Refused(format!(
                "the robots.txt of {NAME} does not allow to read it"
            ))),
        }
    }

    /// Decodes a response, unless it was redirected to a URL that robots.txt disallows.
    fn decode(&self, response: &EngineResponse) -> EngineResult<String> {
        if let Some(url) = &response.url {
            self.check_allowed(url)?;
        }
        decode_feed(&response.body, response.header("content-type"))
            .map_err(|cause| EngineError::Down(format!("{NAME} cannot be read: {cause}")))
    }
}

/// Requests the robots.txt of the site of a URL. One that is missing allows all, one that cannot be
/// reached nothing (RFC 9309, section 2.3.1).
fn request_robots(url: &Url, http: &mut HttpClient) -> EngineResult<RobotsTxt> {
    let request = EngineRequest {
        url: url.join("/robots.txt").unwrap_or_else(|_| url.clone()),
        key_header: None,
        json: None,
    };
    let response = http(&request).map_err(EngineError::Down)?;
    match response.status {
        200..=299 => Ok(RobotsTxt::parse(&response.body, AGENT)),
        status @ (429 | 500..) => Err(EngineError::Down(format!(
            "{} answers with status {status}",
            request.url
        ))),
        _ => Ok(RobotsTxt::parse(b"", AGENT)),
    }
}

impl EngineAdapter for FeedAdapter {
    fn prepare(&mut self, http: &mut HttpClient) -> EngineResult<()> {
        let url = &self.address.full_url;
        if self.robots.is_none() {
            self.robots = Some(request_robots(url, http)?);
        }
        self.check_allowed(url)
    }

    fn build_request(&self, _query: &EngineQuery, _range: HitRange) -> EngineResult<EngineRequest> {
        Ok(self.address.build_get_url(self.address.full_url.clone()))
    }

    fn build_file_request(&self, url: &Url) -> EngineResult<EngineRequest> {
        Ok(self.address.build_get_url(url.clone()))
    }

    /// Parses a feed, or a web page that links to feeds of the site.
    fn parse_response(&self, response: &EngineResponse, _range: HitRange) -> EngineResult<HitPage> {
        let address = &self.address.full_url;
        let result = self.parse_file(address, response);
        let Err(EngineError::Refused(_)) = result else {
            return result;
        };
        let mut links = find_feed_links(&self.decode(response)?, address);
        links.retain(|link| self.is_allowed(link));
        match links.is_empty() {
            true => result,
            false => reject_empty(page_of_files(links, address)),
        }
    }

    fn parse_file(&self, url: &Url, response: &EngineResponse) -> EngineResult<HitPage> {
        let text = self.decode(response)?;
        let feed = parse_feed(&text).map_err(|cause| {
            cause.to_failure(&format!("{NAME} is neither RSS, Atom nor JSON Feed"))
        })?;
        let item_count = feed.items.len();
        let (hits, missing) = feed.into_hits(url);
        if hits.is_empty() && item_count > 0 {
            return Err(EngineError::Down(format!(
                "none of the {item_count} items of {NAME} has a URL"
            )));
        }
        Ok(HitPage {
            hits,
            missing,
            ..HitPage::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{format_hits, format_request, open_engine, parse_body, query};
    use crate::{EngineError, EngineRequest, EngineResponse, HitPage, HttpClient};

    #[test]
    fn requests_the_address_as_it_is() {
        for address in [
            "http://f.test/feed/?a=b,c&d",
            "http://f.test/",
            "http://f.test/x.xml",
        ] {
            let request = format_request("feed", address, &query(&["a"], &["b"]), 1);
            assert_eq!(request.lines().next(), Some(address));
        }
    }

    #[test]
    fn a_feed_that_robots_txt_disallows_is_not_read() {
        let feed = "<rss><channel><item><link>/a</link></item></channel></rss>";
        for (status, robots, is_read) in [
            (200, "User-agent: *\nDisallow: /feeds/", true),
            (200, "User-agent: *\nDisallow: /feed", false),
            (
                200,
                "User-agent: forage\nAllow: /\n\nUser-agent: *\nDisallow: /",
                true,
            ),
            (404, "Disallow: /", true),
            (503, "", false),
            // Of the URL that it redirects to.
            (200, "User-agent: *\nDisallow: /moved", false),
        ] {
            let http: HttpClient = Box::new(move |request: &EngineRequest| {
                let is_robots = request.url.path() == "/robots.txt";
                let (status, body) = if is_robots {
                    (status, robots)
                } else {
                    (200, feed)
                };
                Ok(EngineResponse {
                    status,
                    body: body.into(),
                    url: request.url.join("/moved/feed").ok(),
                    ..EngineResponse::default()
                })
            });
            let mut engine = open_engine("feed", "http://f.test/feed?a", "", http);
            let page = engine.request_page(&query(&["a"], &[]), 1, 10);
            assert_eq!(page.is_ok(), is_read, "{status} {robots}: {page:?}");
        }
    }

    #[test]
    fn all_items_are_one_page() {
        let body = "<rss><channel><item><title>Gold &amp;amp; silver</title><link>/a</link>\
            <description><![CDATA[<p>Two mines</p>]]></description></item>\
            <item><link>http://b.test/</link></item></channel></rss>";
        let page = parse_body("feed", 200, body).unwrap();
        let hits = [
            "http://engine.test/a | Gold & silver | Two mines",
            "http://b.test/ | - | -",
        ];
        assert_eq!(format_hits(&page), (hits.map(String::from).to_vec(), false));
        assert_eq!(
            parse_body("feed", 200, "<rss><channel></channel></rss>"),
            Ok(HitPage::default())
        );
    }

    #[test]
    fn what_is_not_a_feed_does_not_mean_no_hits() {
        let bodies = [
            "",
            "<html><body>",
            "{}",
            "<rss><channel><item>",
            "<rss><a b=",
            "<rss><channel><item><title>a</title></item></channel></rss>",
        ];
        for body in bodies {
            let failure = parse_body("feed", 200, body).unwrap_err();
            let is_expected = match failure {
                EngineError::Refused(_) => body.starts_with("<html>"),
                EngineError::Down(_) => !body.starts_with("<html>"),
                _ => false,
            };
            assert!(is_expected, "{body}: {failure}");
        }
    }
}
