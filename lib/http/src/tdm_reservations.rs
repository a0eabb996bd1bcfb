//! The reservations of a host's `/.well-known/tdmrep.json`, by the outcome of fetching it.
//!
//! The file itself is parsed by [`forage_web::robots`].

use crate::origin_cache::Cacheable;
use crate::robots_rules;
use forage_web::robots::Reservations;
use std::sync::Arc;
use std::time::Duration;
use url::{Position, Url};

/// The path of the file (TDM Reservation Protocol, "TDM File on the Origin Server"; well-known URIs
/// are defined by RFC 8615).
pub(crate) const PATH: &str = "/.well-known/tdmrep.json";

/// The reservations of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TdmReservations {
    /// The reservations of the file.
    File(Arc<Reservations>),
    /// There is no file, or robots.txt disallows it.
    NoFile,
    /// The host responded with a server error, or could not be reached.
    Unknown,
}

impl TdmReservations {
    /// Parses the reservations of a file.
    pub fn from_file(file: &[u8]) -> TdmReservations {
        TdmReservations::File(Arc::new(Reservations::parse(file)))
    }

    /// Returns `true` if a page is reserved, `false` if the file says that it is not, and `None` if
    /// no rule applies to it.
    pub fn is_reserved(&self, url: &Url) -> Option<bool> {
        let TdmReservations::File(reservations) = self else {
            return None;
        };
        reservations.is_reserved(&url[Position::BeforePath..Position::AfterQuery])
    }
}

impl Cacheable for TdmReservations {
    fn heap_bytes(&self) -> usize {
        if let TdmReservations::File(reservations) = self {
            reservations.heap_bytes()
        } else {
            0
        }
    }

    fn max_age(&self) -> Duration {
        if *self == TdmReservations::Unknown {
            robots_rules::FAILURE_MAX_AGE
        } else {
            robots_rules::MAX_AGE
        }
    }
}
