//! The links of a page as a crawler reads them.

use crate::{BadField, Record, field};
use serde::Deserialize;
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

impl Record {
    /// Returns the links of the page; `None` if the record has none.
    ///
    /// # Errors
    /// Fails if `links` is not an array of objects whose `url` and `text` are strings.
    pub fn out_links(&self) -> Result<Option<Vec<OutLink<'_>>>, BadField> {
        match self.raw_json(field::LINKS) {
            None | Some("null") => Ok(None),
            Some(json) => serde_json::from_str(json).map(Some).map_err(|e| BadField {
                field: field::LINKS.into(),
                cause: format!("is not a list of links: {e}"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Record;

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
