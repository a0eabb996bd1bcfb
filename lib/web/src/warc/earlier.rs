//! Pages of earlier archives that need not be sent again unless they have changed.
//!
//! What is remembered of a page is where it is kept. When it is asked for again, the validators that it came with
//! (`ETag`, `Last-Modified`) make the request a conditional one, and where the answer is 304 what is kept stands for it
//! (RFC 9110 §13). Where a server sends the same body once more, the page has not changed either; one that comes from
//! another address is known by its digest, and need not be kept twice.

use super::ArchiveError;
use super::form::{Original, field};
use super::payloads::{InFile, Payloads, key};
use super::record::{Raw, most};
use super::source::{Damage, Source};
use crate::fetch::visit::Exchange;
use reqwest::header::{ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// Where pages and payloads are kept; some 150 bytes for each.
#[derive(Debug, Default)]
pub struct Earlier {
    /// The latest answer, by the hash of its URL.
    pages: HashMap<[u8; 16], InFile>,
    /// Shared with what reads on after all archives were added; until then it is nobody else's, and is added to in place.
    payloads: Arc<Payloads>,
    most: u64,
}

impl Earlier {
    /// Nothing yet. Bodies of more than `max_bytes` are passed over.
    pub fn new(max_bytes: u64) -> Earlier {
        Earlier { most: most(max_bytes), ..Earlier::default() }
    }

    /// Looks through an archive; what it keeps goes before what those before it keep. Returns what of it could not be
    /// read.
    ///
    /// # Errors
    /// When it can't be read, or is none.
    pub fn add(&mut self, path: &Path) -> Result<Vec<Damage>, ArchiveError> {
        Arc::make_mut(&mut self.payloads).open(path);
        let (mut source, mut passed) = (Source::open(path)?, Vec::new());
        while let Some((raw, place)) = source.next(self.most, &mut passed)? {
            let is_new = raw.is_of_type("response");
            let url = match raw.target() {
                Some(_) if is_new => self.answer(&raw).map(|exchange| exchange.url),
                // Whether it is a page that came well is seen when it is asked for: its body is elsewhere.
                Some(url) if raw.is_of_type("revisit") => Url::parse(url).ok(),
                _ => None,
            };
            let Some(url) = url else { continue };
            self.pages.insert(key(url.as_str()), self.payloads.here(place));
            if is_new {
                Arc::make_mut(&mut self.payloads).note(&raw, place);
            }
        }
        Ok(passed)
    }

    /// The page as it is kept, if it is.
    pub(crate) fn page(&self, url: &Url) -> Option<Exchange> {
        let raw = self.payloads.record(*self.pages.get(&key(url.as_str()))?, self.most).ok()?;
        let mut exchange = self.answer(&raw).filter(|exchange| exchange.url == *url)?;
        // What refers to another record is not referred to itself.
        exchange.original = raw.is_of_type("response").then(|| original(&raw));
        Some(exchange)
    }

    /// The record that keeps a payload, if one does.
    pub(crate) fn payload(&self, digest: &str) -> Option<Original> {
        let raw = self.payloads.named(digest, self.most)?.ok()?;
        (raw.field(field::PAYLOAD_DIGEST) == Some(digest)).then(|| original(&raw))
    }

    pub(super) fn payloads(&self) -> Arc<Payloads> {
        self.payloads.clone()
    }

    /// A page that came well and is kept whole, in its own record or another one.
    fn answer(&self, raw: &Raw) -> Option<Exchange> {
        let is_whole =
            (raw.is_of_type("response") || raw.is_of_type("revisit")) && raw.field(field::TRUNCATED).is_none();
        let url = raw.target().filter(|_| is_whole && raw.block.is_some())?;
        self.payloads.exchange(raw, url, self.most).ok().filter(|exchange| exchange.status == 200)
    }
}

/// The headers that ask for a page only if it has changed since it came with these.
pub(crate) fn conditions(kept: &HeaderMap) -> HeaderMap {
    let pairs = [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)];
    pairs.into_iter().filter_map(|(name, condition)| Some((condition, kept.get(name)?.clone()))).collect()
}

fn original(raw: &Raw) -> Original {
    let told = |name: &str| raw.field(name).unwrap_or_default().to_owned();
    let target = raw.target().unwrap_or_default().to_owned();
    Original { id: told(field::ID), target, date: told(field::DATE) }
}

#[cfg(test)]
mod tests {
    use super::conditions;
    use reqwest::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};

    #[test]
    fn validators_become_conditions() {
        let kept = HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"x\""))]);
        assert_eq!(conditions(&kept)[IF_NONE_MATCH], "\"x\"");
        assert!(conditions(&HeaderMap::new()).is_empty());
    }
}
