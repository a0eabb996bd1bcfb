//! Adapter for the sitemaps of a site, in which many sites list all their pages.
//!
//! The address is a sitemap, an index of sitemaps, or a site, whose robots.txt names its sitemaps;
//! without any there, `/sitemap.xml` is tried. Each file is one page of hits, which is requested
//! when a hit of it is due, and cached once for all queries
//! (`EngineCapabilities::lists_all_documents`). So an index of thousands of files costs one call
//! for each that is read, and no more memory than one file and the names of the others. Hits are in
//! the order of the files: their dates are often those of the last run of a generator, and sorting
//! would require all files.
//!
//! Files on other hosts are not requested, except `www.` and subdomains: a site must not make its
//! visitors request addresses of its choice. The pages that a file lists may be on any host.
//!
//! Source: sitemaps.org/protocol.html, RFC 9309, section 2.2.4 (other records of robots.txt).

use crate::web::address::EngineAddress;
use crate::web::markup::decode_feed;
use crate::web::named_files::{is_same_site, page_of_files, reject_empty};
use crate::web::sitemap_document::parse_sitemap;
use crate::web::{EngineAdapter, HitRange};
use crate::{EngineError, EngineQuery, EngineRequest, EngineResponse, EngineResult, HitPage};
use forage_web::robots::find_sitemaps;
use url::Url;

pub(super) const NAME: &str = "the site";

const ROBOTS_PATH: &str = "/robots.txt";
/// The sitemap of a site whose robots.txt names none.
const DEFAULT_PATH: &str = "/sitemap.xml";

pub(super) use super::feed::CAPABILITIES;

/// Adapter for the sitemaps of a site.
pub(super) struct SitemapAdapter(pub EngineAddress);

impl SitemapAdapter {
    /// Returns the URL of the first file: that of the user, or robots.txt of a site.
    fn first_url(&self) -> Url {
        let url = self.0.full_url.clone();
        match (url.path(), url.query()) {
            ("/", None) => url.join(ROBOTS_PATH).unwrap_or(url),
            _ => url,
        }
    }
}

/// Returns the page of the sitemaps that a robots.txt names, or else of the default one.
fn parse_robots(text: &str, url: &Url) -> HitPage {
    let join = |reference| url.join(&String::from_utf8_lossy(reference)).ok();
    let mut files: Vec<Url> = find_sitemaps(text.as_bytes()).filter_map(join).collect();
    if files.is_empty() {
        files.extend(url.join(DEFAULT_PATH));
    }
    page_of_files(files, url)
}

impl EngineAdapter for SitemapAdapter {
    fn build_request(&self, _query: &EngineQuery, _range: HitRange) -> EngineResult<EngineRequest> {
        Ok(self.0.build_get_url(self.first_url()))
    }

    fn build_file_request(&self, url: &Url) -> EngineResult<EngineRequest> {
        Ok(self.0.build_get_url(url.clone()))
    }

    fn parse_response(&self, response: &EngineResponse, _range: HitRange) -> EngineResult<HitPage> {
        self.parse_file(&self.first_url(), response)
    }

    fn parse_file(&self, url: &Url, response: &EngineResponse) -> EngineResult<HitPage> {
        let text = decode_feed(&response.body, response.header("content-type"))
            .map_err(|cause| EngineError::Refused(format!("{url} cannot be read: {cause}")))?;
        if url.path() == ROBOTS_PATH {
            return reject_empty(parse_robots(&text, url));
        }
        let sitemap = parse_sitemap(&text, url)
            .map_err(|cause| cause.to_failure(&format!("{url} is no sitemap")))?;
        let mut page = page_of_files(sitemap.files, url);
        page.hits = sitemap.hits;
        page.missing.extend(sitemap.missing);
        reject_empty(page)
    }

    /// Follows a redirect, and takes a site without robots.txt for one that names no sitemap.
    fn parse_failure(&self, url: &Url, response: &EngineResponse) -> Option<HitPage> {
        match response.status {
            300..=399 => {
                let location = url.join(response.header("location")?).ok()?;
                is_same_site(&location, url).then(|| page_of_files(vec![location], url))
            }
            429 => None,
            400..=499 if url.path() == ROBOTS_PATH => Some(parse_robots("", url)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::web::tests::helpers::{
        format_hits, format_request, parse_body, parse_response, query,
    };
    use crate::{EngineError, EngineResponse};

    #[test]
    fn a_site_is_asked_for_its_robots_txt_and_a_file_as_it_is() {
        for (address, expected) in [
            ("http://s.test", "http://s.test/robots.txt"),
            ("http://s.test/s.xml?a=b,c", "http://s.test/s.xml?a=b,c"),
            ("http://s.test/?sitemap=1", "http://s.test/?sitemap=1"),
        ] {
            let request = format_request("sitemap", address, &query(&["a"], &["b"]), 1);
            assert_eq!(request.lines().next(), Some(expected));
        }
    }

    #[test]
    fn an_index_names_the_files_of_its_site() {
        let body = "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap>\
            <sitemap><loc>https://www.engine.test/b.xml.gz</loc></sitemap>\
            <sitemap><loc>http://127.0.0.1/admin</loc></sitemap>\
            <sitemap><loc>file:///etc/passwd</loc></sitemap></sitemapindex>";
        let page = parse_body("sitemap", 200, body).unwrap();
        let files = [
            "http://engine.test/a.xml",
            "https://www.engine.test/b.xml.gz",
        ];
        assert_eq!(page.files, files);
        assert_eq!(
            page.missing[0].to_string(),
            "2 files on other hosts, as http://127.0.0.1/admin: search them as engines of their own"
        );
        assert!(page.hits.is_empty() && !page.has_more);
    }

    #[test]
    fn redirects_of_the_site_are_followed() {
        let redirect = |location: &str| EngineResponse {
            status: 301,
            headers: vec![("location".into(), location.into())],
            ..EngineResponse::default()
        };
        let page = parse_response("sitemap", redirect("https://engine.test/web")).unwrap();
        assert_eq!(page.files, ["https://engine.test/web"]);
        let refused = parse_response("sitemap", redirect("http://other.test/"));
        assert!(matches!(refused, Err(EngineError::Refused(_))));
    }

    #[test]
    fn what_is_no_sitemap_does_not_mean_no_hits() {
        for body in [
            "",
            "{}",
            "<html><body>http://a.test/",
            "<urlset><url",
            "<urlset>",
            "\u{1}",
        ] {
            let failure = parse_body("sitemap", 200, body).unwrap_err();
            let is_refused = matches!(failure, EngineError::Refused(_));
            let is_down = matches!(failure, EngineError::Down(_));
            assert!(
                is_refused || is_down && !body.contains("html"),
                "{body}: {failure}"
            );
        }
        let empty = parse_body("sitemap", 200, "<urlset/>").unwrap();
        assert_eq!(format_hits(&empty), (vec![], false));
        assert_eq!(empty.missing, []);
    }
}
