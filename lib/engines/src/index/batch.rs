//! Documents in memory that will be a segment.

use super::failure::IndexResult;
use super::length::code_of_length;
use super::postings::ListBuilder;
use super::segment::{SegmentWriter, TextEncoder, link_key, write_segment};
use crate::EngineDocument;
use foldhash::HashMap;
use rusqlite::types::ValueRef;
use std::collections::BTreeMap;
use std::path::Path;

/// Documents by URL with the pages that they link to.
#[derive(Default)]
pub(super) struct DocumentBatch {
    documents: BTreeMap<String, (EngineDocument, Vec<String>)>,
    /// Bytes of the texts and links.
    pub bytes: usize,
}

impl DocumentBatch {
    /// Adds a document, which replaces an earlier one with the same URL.
    pub fn add(&mut self, url: String, document: EngineDocument, links: Vec<String>) {
        self.bytes += document.text.len() + links.iter().map(String::len).sum::<usize>();
        self.documents.insert(url, (document, links));
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Writes the documents as the segment `name` in a folder.
    pub fn write(self, folder: &Path, name: &str) -> IndexResult<()> {
        write_segment(folder, name, |out| {
            let mut lists = Lists::default();
            let mut encoder = TextEncoder::default();
            for (url, (document, links)) in self.documents {
                let terms = forage_text::terms(&document.text);
                let text = encoder.encode(&document.text)?;
                let columns = [
                    ValueRef::from(url.as_str()),
                    ValueRef::from(document.id.as_str()),
                    ValueRef::from(document.title.as_deref()),
                    ValueRef::from(&*text),
                ];
                let number = out.add_document(columns, code_of_length(terms.iter().count()))?;
                for (position, term) in (0..).zip(terms.iter()) {
                    lists.get(term).add_occurrence(number, position);
                }
                for link in &links {
                    lists.get(&link_key(link)).add_occurrence(number, 0);
                }
            }
            lists.write(out)
        })
    }
}

/// Lists of documents by key.
#[derive(Default)]
struct Lists {
    places: HashMap<Box<str>, usize>,
    lists: Vec<ListBuilder>,
}

impl Lists {
    fn get(&mut self, key: &str) -> &mut ListBuilder {
        let place = self.places.get(key).copied().unwrap_or_else(|| {
            self.places.insert(key.into(), self.lists.len());
            self.lists.push(ListBuilder::default());
            self.lists.len() - 1
        });
        &mut self.lists[place]
    }

    fn write(mut self, out: &SegmentWriter) -> IndexResult<()> {
        let mut places: Vec<(Box<str>, usize)> = self.places.into_iter().collect();
        places.sort_unstable();
        for (key, place) in places {
            out.add_list(&key, std::mem::take(&mut self.lists[place]).finish())?;
        }
        Ok(())
    }
}
