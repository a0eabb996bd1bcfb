//! What a host's `/.well-known/tdmrep.json` comes to when it is fetched; what stands in it is for
//! [`forage_robots`].

use crate::cache::Held;
use crate::rules;
use forage_robots::Reservations;
use std::sync::Arc;
use std::time::Duration;
use url::{Position, Url};

/// Where the file lies (RFC 8615).
pub(crate) const PATH: &str = "/.well-known/tdmrep.json";

/// What a host reserves, as far as it says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reserved {
    /// By the file.
    Read(Arc<Reservations>),
    /// There is none, or it may not be read.
    Nothing,
    /// The host has an error, or could not be reached: nothing is known.
    Unknown,
}

impl Reserved {
    /// What a file says.
    pub fn read(file: &[u8]) -> Reserved {
        Reserved::Read(Arc::new(Reservations::parse(file)))
    }

    /// Whether a page is reserved; `None` where nothing is said of it.
    pub fn is_reserved(&self, url: &Url) -> Option<bool> {
        let Reserved::Read(reservations) = self else {
            return None;
        };
        reservations.is_reserved(&url[Position::BeforePath..Position::AfterQuery])
    }
}

impl Held for Reserved {
    fn bytes(&self) -> usize {
        if let Reserved::Read(reservations) = self {
            reservations.bytes()
        } else {
            0
        }
    }

    fn holds_for(&self) -> Duration {
        if *self == Reserved::Unknown {
            rules::FAILURE_FRESH
        } else {
            rules::FRESH
        }
    }
}
