//! Pages that earlier runs archived, as far as fetching must know them.

use crate::exchange::Exchange;
use std::fmt;
use url::Url;

/// Pages of earlier archives, which are asked for only if they have changed.
///
/// Fetching knows archives by this alone; `forage-warc` has the one that reads them.
pub trait ArchivedPages: fmt::Debug + Send + Sync {
    /// The latest answer of this URL that came well and is archived whole, if there is one.
    fn find_page(&self, url: &Url) -> Option<Exchange>;
}
