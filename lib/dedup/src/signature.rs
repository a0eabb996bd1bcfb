//! Signatures: what an index needs of a document, as text, so that the documents of a corpus can be
//! compared by several processes.
//!
//! A document is compared with those that share a *tag* with it, one of the first halves of its
//! keys in the `KeyTable`. So documents that no chain of shared tags connects do not influence each
//! other, and the groups of connected documents (`groups`) can be compared apart: each in the order
//! of its documents, with the result that one index of all documents gives.

use crate::digest::TextDigest;
use crate::document::{DocumentComparer, PreparedDocument};
use crate::key_table::tag_of;
use crate::shingles::ShingleSet;
use crate::store::Entry;
use crate::title::TitleKey;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Bit of the first byte of a signature: the document has a title that is compared.
const HAS_TITLE: u8 = 1;
/// Bit of the first byte of a signature: the document has an `id`.
const HAS_ID: u8 = 2;

impl PreparedDocument {
    /// Returns the distinct tags of the document, ascending; that of its title only if titles are
    /// compared.
    pub fn tags(&self, compares_titles: bool) -> Vec<u32> {
        let title = self.entry.title.filter(|_| compares_titles);
        let title = title.map(|title| title.as_integer() as u64);
        let keys = self.keys.iter().copied().chain(title);
        let mut tags: Vec<u32> = keys
            .chain([self.entry.digest.key()])
            .map(|key| tag_of(key) as u32)
            .collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// Returns the signature, which [`DocumentComparer::read_signature`] reads: Base64, without
    /// line ends and tabs.
    pub fn to_signature(&self) -> String {
        let Entry {
            digest, id, title, ..
        } = &self.entry;
        let has = |is: bool, bit| if is { bit } else { 0 };
        let mut bytes = vec![has(title.is_some(), HAS_TITLE) | has(id.is_some(), HAS_ID)];
        bytes.extend_from_slice(digest.as_bytes());
        if let Some(title) = title {
            bytes.extend_from_slice(&title.as_integer().to_le_bytes());
        }
        if let Some(id) = id {
            bytes.extend_from_slice(&(id.len() as u32).to_le_bytes());
            bytes.extend_from_slice(id.as_bytes());
        }
        bytes.extend_from_slice(&self.shingles.to_bytes());
        STANDARD_NO_PAD.encode(bytes)
    }
}

impl DocumentComparer {
    /// Returns the properties of the document with this signature, as one of an initial document;
    /// `None` if it is not a signature.
    pub fn read_signature(&self, signature: &str) -> Option<PreparedDocument> {
        let bytes = STANDARD_NO_PAD.decode(signature).ok()?;
        let (&fields, bytes) = bytes.split_first()?;
        let (digest, mut bytes) = bytes.split_first_chunk()?;
        let mut entry = Entry {
            step: 0,
            digest: TextDigest::from_bytes(*digest),
            id: None,
            title: None,
        };
        if fields & HAS_TITLE != 0 {
            let (title, rest) = bytes.split_first_chunk()?;
            entry.title = Some(TitleKey::from_integer(i64::from_le_bytes(*title)));
            bytes = rest;
        }
        if fields & HAS_ID != 0 {
            let (length, rest) = bytes.split_first_chunk()?;
            let (id, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            entry.id = Some(str::from_utf8(id).ok()?.to_owned());
            bytes = rest;
        }
        let shingles = ShingleSet::from_bytes(bytes)?;
        Some(PreparedDocument::from_entry(
            entry,
            shingles,
            None,
            self.banding,
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::{DedupDocument, DocumentComparer, DuplicateIndex, PreparedDocument};
    use proptest::prelude::*;

    fn comparer() -> DocumentComparer {
        DuplicateIndex::in_memory(None).unwrap().comparer()
    }

    fn prepare(text: &str, id: Option<&str>, title: Option<&str>) -> PreparedDocument {
        comparer().prepare(&DedupDocument {
            text,
            id,
            title,
            step: 0,
        })
    }

    #[test]
    fn the_tag_of_a_title_counts_only_if_titles_are_compared() {
        let document = prepare("", None, Some("a title of five words"));
        let (without, with) = (document.tags(false), document.tags(true));
        assert_eq!((without.len(), with.len()), (1, 2));
        assert!(with.contains(&without[0]));
    }

    #[test]
    fn other_text_is_not_a_signature() {
        let signature = prepare("one two three four five six", Some("x"), None).to_signature();
        for end in 0..signature.len() {
            let cut = comparer().read_signature(&signature[..end]);
            // Without its last shingle, it is that of another document.
            assert!(cut.is_none_or(|cut| cut.shingles.len() < 2), "{end}");
        }
        assert!(comparer().read_signature("{\"text\":1}").is_none());
        assert!(comparer().read_signature("////").is_none());
    }

    proptest! {
        #[test]
        fn a_signature_is_read_as_it_was_written(
            text in "(\\PC{1,8} ){0,40}",
            id in prop::option::of("\\PC*"),
            title in prop::option::of("(\\w{3,6} ){3,5}"),
        ) {
            let document = prepare(&text, id.as_deref(), title.as_deref());
            let read = comparer().read_signature(&document.to_signature()).unwrap();
            prop_assert_eq!(format!("{read:?}"), format!("{document:?}"));
        }
    }
}
