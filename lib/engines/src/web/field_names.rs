//! Names of the fields in an index of the user's own (OpenSearch, Quickwit, Solr).

use super::address::EngineAddress;
use super::response::{HitFields, parse_hits, string_field};
use crate::{EngineHit, EngineResult};
use serde_json::{Value, json};

/// Names of the fields in which an index stores URL, title and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldNames {
    pub url: String,
    pub title: String,
    pub text: String,
}

impl FieldNames {
    /// Takes the names from the options of the address. The defaults are `url`, `title` and `text`.
    pub fn take_from(address: &mut EngineAddress) -> FieldNames {
        let mut field_name = |option: &str| {
            let name = address.take_option(option);
            name.filter(|name| !name.is_empty())
                .unwrap_or(option.into())
        };
        FieldNames {
            url: field_name("url"),
            title: field_name("title"),
            text: field_name("text"),
        }
    }

    /// Parses documents as hits. Each document comes with its snippet (HTML), if the engine
    /// returned one.
    ///
    /// # Errors
    /// Fails if no document can be parsed although there are some.
    pub fn parse_documents<'a>(
        &self,
        engine: &str,
        documents: impl Iterator<Item = (&'a Value, Option<String>)>,
    ) -> EngineResult<Vec<EngineHit>> {
        let to_result = |(document, snippet): (&Value, Option<String>)| {
            json!({
                self.url.as_str(): string_field(document, &self.url),
                self.title.as_str(): string_field(document, &self.title),
                self.text.as_str(): snippet,
            })
        };
        let fields = HitFields::new(&self.url, &self.title, &self.text);
        let results: Vec<Value> = documents.map(to_result).collect();
        parse_hits(engine, &results, fields)
    }
}
