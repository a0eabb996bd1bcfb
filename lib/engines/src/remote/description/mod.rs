//! Any engine with an OpenSearch 1.1 description: its `Url` template is filled in, and RSS or Atom
//! is read.
//!
//! Hundreds of sites have one: wikis, repositories, library catalogues. The description is asked
//! for before the first call; where the address is that of a page, the page's link to a description
//! is followed. Nothing is known of the syntax behind it, so that terms are plain words, and what
//! should be excluded is looked for in what hits show.
//!
//! Source: OpenSearch 1.1, draft 6 (github.com/dewitt/opensearch).

mod feed;
mod template;

use super::address::Base;
use super::read::{address, number, plain};
use super::{Adapter, Part, status};
use crate::{
    Abilities, Answer, Counts, EngineError, Exclusion, Http, Page, PageHit, Request, SignedTerms,
};
use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use template::Template;
use url::Url;

pub(super) const NAME: &str = "the engine";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    exclusion: Exclusion::Absent,
    phrase: false,
    ..Abilities::COMMON
};

/// How many addresses are asked for on the way to a description: a page, and what it links to.
const STEPS: usize = 2;

/// An engine that describes itself.
pub(super) struct Described {
    base: Base,
    template: Option<Template>,
}

impl Described {
    pub fn new(base: Base) -> Self {
        Described {
            base,
            template: None,
        }
    }

    fn template(&self) -> Result<&Template, EngineError> {
        self.template
            .as_ref()
            .ok_or_else(|| EngineError::Down("the description was not asked for".into()))
    }

    /// Asks for the description, and says where else it lies if that is a page which links to it.
    fn describe(&mut self, http: &mut Http, url: Url) -> Result<Option<Url>, EngineError> {
        let answer = http(&self.base.request(url.clone())).map_err(EngineError::Down)?;
        if let Some(failure) = status::failure("the description's host", None, &answer) {
            return Err(failure);
        }
        let text = decode(&answer.body);
        match template::read(&text, &url) {
            Ok(template) => self.template = Some(template),
            Err(fault) => {
                let link = template::link_in(&text, &url);
                return link
                    .map(Some)
                    .ok_or_else(|| EngineError::Refused(format!("{url}: {fault}")));
            }
        }
        Ok(None)
    }
}

impl Adapter for Described {
    fn prepare(&mut self, http: &mut Http) -> Result<(), EngineError> {
        let mut next = self
            .template
            .is_none()
            .then(|| self.base.get("", &[], &[]).url);
        for _ in 0..STEPS {
            let Some(url) = next else { return Ok(()) };
            next = self.describe(http, url)?;
        }
        match next {
            Some(url) => Err(EngineError::Refused(format!(
                "{url}: holds no description, but a link to another"
            ))),
            None => Ok(()),
        }
    }

    fn write(&self, terms: &SignedTerms) -> String {
        terms.include().join(" ").replace('"', " ")
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let url = self
            .template()?
            .fill(&self.write(terms), part)
            .map_err(EngineError::Refused)?;
        Ok(self.base.request(url))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let feed = feed::read(&decode(&answer.body)).map_err(|fault| {
            EngineError::Down(format!("the answer is neither RSS nor Atom ({fault})"))
        })?;
        let number_of_items = feed.items.len();
        let hits: Vec<PageHit> = feed.items.into_iter().filter_map(hit).collect();
        if hits.is_empty() && number_of_items > 0 {
            return Err(EngineError::Down(format!(
                "none of the {number_of_items} items has an address"
            )));
        }
        let total = feed.total.and_then(|total| number(Some(&total.into())));
        let shown = u64::from(part.start) + hits.len() as u64;
        let has_more = !hits.is_empty() && total.is_none_or(|total| shown < total);
        let more = has_more && self.template()?.has_pages();
        Ok(Page {
            hits,
            more,
            counts: Counts {
                total,
                ..Counts::default()
            },
        })
    }
}

fn hit(item: feed::Item) -> Option<PageHit> {
    let text = |html: String| Some(plain(&html)).filter(|text| !text.is_empty());
    Some(PageHit {
        url: address(&item.link?)?,
        title: item.title.and_then(text),
        snippet: item.description.and_then(text),
    })
}

/// XML as text, by the encoding that it declares.
fn decode(body: &[u8]) -> Cow<'_, str> {
    let declaration = String::from_utf8_lossy(&body[..body.len().min(200)]);
    let label = declaration
        .split_once("encoding=")
        .and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
    let encoding = label
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .unwrap_or(UTF_8);
    encoding.decode(body).0
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::remote::testing::{open, shown, terms};
    use crate::{Answer, EngineError, Http, Page, Request};
    use std::cell::RefCell;
    use std::rc::Rc;

    const DESCRIPTION: &str = r#"<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
        <ShortName>Wiki</ShortName><Url type="text/html" template="/html?q={searchTerms}"/>
        <Url type="application/rss+xml" template="/feed?q={searchTerms}&amp;n={count?}&amp;from={startIndex?}"/>
        </OpenSearchDescription>"#;

    const FEED: &str = r#"<rss version="2.0" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><channel>
        <title>Wiki</title><link>http://w.test/</link><opensearch:totalResults>12</opensearch:totalResults>
        <item><title>A</title><link>http://w.test/a</link><description>&lt;b&gt;lep&lt;/b&gt; dan</description></item>
        </channel></rss>"#;

    /// What comes of the first page when the paths answer so, and the addresses that were asked
    /// for.
    fn ask(answers: &'static [(&str, u16, &str)]) -> (Result<Page, EngineError>, Vec<String>) {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&asked);
        let http: Http = Box::new(move |request: &Request| {
            log.borrow_mut().push(request.url.to_string());
            let (_, status, body) = answers
                .iter()
                .find(|(path, ..)| *path == request.url.path())
                .unwrap();
            Ok(Answer {
                status: *status,
                body: body.as_bytes().into(),
                ..Answer::default()
            })
        });
        let mut engine = open("description", "http://w.test/start", "", http);
        let page = engine.page(&terms(&["lep dan", "je"], &["the"]), 1, 10);
        (page, asked.take())
    }

    #[test]
    fn a_page_that_links_to_a_description_leads_to_a_feed() {
        let page = r#"<html><link rel="search" type="application/opensearchdescription+xml" href="osd.xml"></html>"#;
        let page: &'static str = page;
        let (found, asked) = ask(Box::leak(Box::new([
            ("/start", 200, page),
            ("/osd.xml", 200, DESCRIPTION),
            ("/feed", 200, FEED),
        ])));
        assert_eq!(
            shown(&found.unwrap()),
            (vec!["http://w.test/a | A | lep dan".to_owned()], true)
        );
        assert_eq!(
            asked[1..],
            [
                "http://w.test/osd.xml",
                "http://w.test/feed?q=je%20lep%20dan&n=10&from=1"
            ]
        );
    }

    #[test]
    fn what_is_no_description_and_what_is_no_feed_have_their_kinds() {
        let none = ask(&[("/start", 200, "<html>no</html>")]).0.unwrap_err();
        assert!(
            matches!(&none, EngineError::Refused(why) if why.starts_with("http://w.test/start: ")),
            "{none}"
        );
        assert!(matches!(
            ask(&[("/start", 503, "")]).0,
            Err(EngineError::Down(_))
        ));
        for body in ["<html></html>", "{}", "", "<rss><channel><item>"] {
            let answers = Box::leak(Box::new([
                ("/start", 200, DESCRIPTION),
                ("/feed", 200, body),
            ]));
            assert!(
                matches!(ask(answers).0, Err(EngineError::Down(_))),
                "{body}"
            );
        }
        let empty = "<rss><channel></channel></rss>";
        let answers = Box::leak(Box::new([
            ("/start", 200, DESCRIPTION),
            ("/feed", 200, empty),
        ]));
        assert_eq!(ask(answers).0, Ok(Page::default()));
    }

    #[test]
    fn xml_is_decoded_by_what_it_declares() {
        assert_eq!(
            decode(b"<?xml version='1.0' encoding='iso-8859-2'?>\xe8"),
            "<?xml version='1.0' encoding='iso-8859-2'?>č"
        );
        assert_eq!(decode("č".as_bytes()), "č");
    }
}
