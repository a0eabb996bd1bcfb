//! What a failed request means.

use crate::FetchError;
use crate::resolve::{Forbidden, Unknown};
use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

/// Variables of the environment that name a proxy, also written in capitals.
const PROXIES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// The kind and the innermost cause of a failed request.
pub(crate) fn explain(error: &reqwest::Error, timeout: Duration) -> FetchError {
    let cause = innermost(error);
    if let Some(forbidden) = chain(error).find_map(|cause| cause.downcast_ref::<Forbidden>()) {
        FetchError::Forbidden(forbidden.to_string())
    } else if error.is_timeout() {
        FetchError::Timeout(timeout)
    } else if chain(error).any(is_tls) {
        FetchError::Tls(cause)
    } else if error.is_dns() || chain(error).any(|cause| cause.is::<Unknown>()) {
        FetchError::Dns(cause + proxy())
    } else if error.is_builder() {
        FetchError::BadUrl(cause)
    } else if error.is_connect() {
        FetchError::Connect(format!("no connection: {cause}{}", proxy()))
    } else {
        FetchError::Connect(format!("the connection broke: {cause}"))
    }
}

/// What is to be said of proxies where the environment names one. None is used: where a name leads
/// is then known to the proxy alone, and that it leads to the open web could not be seen to.
fn proxy() -> &'static str {
    static SAID: OnceLock<&str> = OnceLock::new();
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    SAID.get_or_init(|| {
        let is_named = PROXIES
            .iter()
            .any(|name| is_set(name) || is_set(&name.to_ascii_uppercase()));
        if is_named {
            "; pages are fetched without the proxy that the environment names"
        } else {
            ""
        }
    })
}

/// The innermost cause; those around it only say that something failed.
pub(crate) fn innermost(error: &(dyn Error + 'static)) -> String {
    chain(error).last().unwrap_or(error).to_string()
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Whether it is TLS that failed, be it wrapped in I/O errors, which hide what they wrap from the
/// chain of causes.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    let inner = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_tls(inner))
}
