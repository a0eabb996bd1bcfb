//! Where an index of one's own (OpenSearch, Quickwit, Solr) keeps what a hit is made of.

use super::address::Base;
use super::read::{Names, hits, plain, text};
use crate::{EngineError, PageHit};
use serde_json::{Value, json};

/// The fields in which an own index keeps what a hit is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub url: String,
    pub title: String,
    pub text: String,
}

impl Fields {
    /// As the user has set them in the address; `url`, `title` and `text` else.
    pub fn take(base: &mut Base) -> Fields {
        let mut field = |name: &str| {
            base.take(name)
                .filter(|field| !field.is_empty())
                .unwrap_or_else(|| name.into())
        };
        Fields {
            url: field("url"),
            title: field("title"),
            text: field("text"),
        }
    }

    /// The documents as hits, each with a piece of its text, if the engine gave one, in the place
    /// of the text.
    ///
    /// # Errors
    /// When none can be read though there are some.
    pub fn hits<'a>(
        &self,
        engine: &str,
        documents: impl Iterator<Item = (&'a Value, Option<String>)>,
    ) -> Result<Vec<PageHit>, EngineError> {
        let flat = |(document, snippet): (&Value, Option<String>)| {
            json!({
                self.url.as_str(): text(document, &self.url),
                self.title.as_str(): text(document, &self.title),
                self.text.as_str(): snippet.map(|html| plain(&html)),
            })
        };
        let names = Names {
            url: &self.url,
            title: &self.title,
            snippet: &self.text,
        };
        hits(engine, &documents.map(flat).collect::<Vec<_>>(), names)
    }
}
