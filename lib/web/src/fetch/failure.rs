//! What a failed request means.

use super::resolve::{Forbidden, Unknown};
use crate::FetchError;
use std::error::Error;
use std::time::Duration;

/// The kind and the innermost cause of a failed request; the outer ones only say that it failed.
pub(super) fn explain(error: &reqwest::Error, timeout: Duration) -> FetchError {
    let cause = chain(error).last().map_or_else(|| error.to_string(), ToString::to_string);
    if let Some(forbidden) = chain(error).find_map(|cause| cause.downcast_ref::<Forbidden>()) {
        FetchError::Forbidden(forbidden.to_string())
    } else if error.is_timeout() {
        FetchError::Timeout(timeout)
    } else if chain(error).any(is_tls) {
        FetchError::Tls(cause)
    } else if error.is_dns() || chain(error).any(|cause| cause.is::<Unknown>()) {
        FetchError::Dns(cause)
    } else if error.is_builder() {
        FetchError::BadUrl(cause)
    } else if error.is_connect() {
        FetchError::Connect(format!("no connection: {cause}"))
    } else {
        FetchError::Connect(format!("the connection broke: {cause}"))
    }
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Whether it is TLS that failed, be it wrapped in I/O errors, which hide what they wrap from the chain of causes.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_tls(inner))
}
