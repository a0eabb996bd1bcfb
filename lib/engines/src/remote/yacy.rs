//! YaCy: an own index, or one shared among peers.
//!
//! `GET {base}/yacysearch.json?query=…&startRecord=0&maximumRecords=10` answers `channels`, the
//! first of which has `items` of `link`, `title`, `description` (HTML), and `totalResults`, written
//! as text. With `resource=local` only the own index is asked.
//!
//! Source: wiki.yacy.net, Dev:APIyacysearch.

use super::address::Base;
use super::read::{Names, hits, json, number};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "YaCy";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    page_size: Some(u32::MAX),
    ..Abilities::COMMON
};

/// A YaCy peer.
pub(super) struct Yacy(pub Base);

#[derive(Deserialize)]
struct Found {
    channels: Vec<Channel>,
}

#[derive(Deserialize)]
struct Channel {
    #[serde(rename = "totalResults", default)]
    total: Value,
    items: Vec<Value>,
}

impl Adapter for Yacy {
    fn write(&self, terms: &SignedTerms) -> String {
        line(terms, ("", Quotes::Needed), ("-", Quotes::Needed))
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let query = self.write(terms);
        Ok(self.0.get(
            "/yacysearch.json",
            &[("contentdom", "text")],
            &[
                ("query", &query),
                ("startRecord", &part.start),
                ("maximumRecords", &part.size),
            ],
        ))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        let Some(channel) = found.channels.first() else {
            return Err(EngineError::Down(format!("{NAME}'s answer has no channel")));
        };
        let hits = hits(
            NAME,
            &channel.items,
            Names {
                url: "link",
                title: "title",
                snippet: "description",
            },
        )?;
        let total = number(Some(&channel.total));
        let more = !hits.is_empty() && total.is_none_or(|total| part.is_before(total));
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

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::remote::testing::{answered, sent, shown, terms};

    #[test]
    fn asks_for_records_from_a_start() {
        let asked = sent(
            "yacy",
            "http://y.test:8090/?resource=local",
            &terms(&["lep dan"], &["the"]),
            2,
        );
        assert_eq!(
            asked.lines().next().unwrap(),
            "http://y.test:8090/yacysearch.json?resource=local&contentdom=text&query=%22lep+dan%22+-the\
             &startRecord=10&maximumRecords=10"
        );
    }

    #[test]
    fn reads_items_field_by_field() {
        let body = r#"{"channels":[{"title":"YaCy","totalResults":"1,234","startIndex":"0","itemsPerPage":"10","items":[
            {"title":"A","link":"http://a.test/","description":"lep <b>dan</b>","pubDate":"Wed, 21 Oct 2026","host":"a.test"}
            ],"navigation":[]}]}"#;
        let page = answered("yacy", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!(
            (shown(&page), page.counts.total),
            ((hits, true), Some(1234))
        );
        assert!(matches!(
            answered("yacy", 200, r#"{"channels":[]}"#),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            answered("yacy", 200, r#"{"channels":[{"items":"x"}]}"#),
            Err(EngineError::Down(_))
        ));
    }
}
