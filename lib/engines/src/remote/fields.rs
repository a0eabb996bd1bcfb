//! Where an index of one's own (OpenSearch, Quickwit, Solr) keeps what a hit is made of.

use super::address::Base;
use super::read::{Names, plain, text};
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
        let mut field = |name: &str| base.take(name).filter(|field| !field.is_empty()).unwrap_or_else(|| name.into());
        Fields { url: field("url"), title: field("title"), text: field("text") }
    }

    /// The names of a hit whose snippet stands where the text would.
    pub fn names(&self) -> Names<'_> {
        Names { url: &self.url, title: &self.title, snippet: &self.text }
    }

    /// A document as a hit: with a piece of its text, if the engine gave one, in the place of the text.
    pub fn flat(&self, document: &Value, snippet: Option<String>) -> Value {
        json!({
            self.url.as_str(): text(document, &self.url),
            self.title.as_str(): text(document, &self.title),
            self.text.as_str(): snippet.map(|html| plain(&html)),
        })
    }
}
