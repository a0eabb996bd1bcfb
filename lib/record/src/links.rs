//! The links of a page as a crawler reads them.

use crate::{BadField, Record, field};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An item of `links`, borrowed from its record. Fields that a crawler does not need are not read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct OutLink<'a> {
    /// The URL; empty if the item has none.
    #[serde(borrow)]
    pub url: Cow<'a, str>,
    /// The anchor text.
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// An item of `in_links`: a page that links to the page of the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InLink<'a> {
    /// The URL; empty if the item has none.
    #[serde(borrow, default)]
    pub url: Cow<'a, str>,
    /// The title that the engine reports.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Cow<'a, str>>,
}

impl Record {
    /// Returns the pages that link to the page; `None` if the record has none.
    ///
    /// # Errors
    /// Fails if `in_links` is not an array of objects whose `url` and `title` are strings.
    pub fn in_links(&self) -> Result<Option<Vec<InLink<'_>>>, BadField> {
        self.parse_links(field::IN_LINKS)
    }

    /// Returns the links of the page; `None` if the record has none.
    ///
    /// # Errors
    /// Fails if `links` is not an array of objects whose `url` and `text` are strings.
    pub fn out_links(&self) -> Result<Option<Vec<OutLink<'_>>>, BadField> {
        self.parse_links(field::LINKS)
    }

    fn parse_links<'a, T: Deserialize<'a>>(
        &'a self,
        name: &'static str,
    ) -> Result<Option<Vec<T>>, BadField> {
        match self.raw_json(name) {
            None | Some("null") => Ok(None),
            Some(json) => serde_json::from_str(json).map(Some).map_err(|e| BadField {
                field: name.into(),
                cause: format!("is not a list of links: {e}"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Record;

    #[test]
    fn in_links_have_a_url_and_a_title() {
        let json = br#"{"in_links":[{"url":"a","title":"A"},{"url":"b","x":1}]}"#;
        let record = Record::parse(json.to_vec()).unwrap();
        let in_links = record.in_links().unwrap().unwrap();
        let titles: Vec<_> = in_links
            .iter()
            .map(|link| (&*link.url, link.title.as_deref()))
            .collect();
        assert_eq!(titles, [("a", Some("A")), ("b", None)]);
        let bad = Record::parse(br#"{"in_links":[{"url":7}]}"#.to_vec()).unwrap();
        let message = bad.in_links().unwrap_err().to_string();
        assert!(message.contains("in_links"), "{message}");
    }

    #[test]
    fn links_are_read_without_regard_to_fields_that_are_not_needed() {
        let read = |json: &str| {
            let record = Record::parse(json.as_bytes().to_vec()).unwrap();
            record.out_links().map(|links| {
                let links = links.unwrap_or_default();
                links
                    .iter()
                    .map(|link| format!("{} {}", link.url, link.text))
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(
            read(r#"{"links":[{"url":"a","text":"\u0062","rel":[]},{"text":"c"}]}"#).unwrap(),
            ["a b", " c"]
        );
        assert!(read(r#"{"links":null}"#).unwrap().is_empty() && read("{}").unwrap().is_empty());
        assert!(read(r#"{"links":[7]}"#).is_err() && read(r#"{"links":"x"}"#).is_err());
    }
}
