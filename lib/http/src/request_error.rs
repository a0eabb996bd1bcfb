//! Conversion of errors of the HTTP client to [`FetchError`].

use crate::resolver::{ForbiddenAddress, UnresolvedName};
use crate::settings::{CONNECT_TIMEOUT, READ_TIMEOUT};
use crate::{FetchError, TimeLimit};
use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

/// Environment variables that name a proxy; they may also be in upper case.
const PROXY_VARIABLES: [&str; 3] = ["http_proxy", "https_proxy", "all_proxy"];

/// Converts an error of the client: its kind and innermost cause. `timeout` is the time limit of
/// the request.
pub(crate) fn classify_error(error: &reqwest::Error, timeout: Duration) -> FetchError {
    let cause = innermost_cause(error);
    let forbidden = error_chain(error).find_map(|cause| cause.downcast_ref::<ForbiddenAddress>());
    if let Some(forbidden) = forbidden {
        FetchError::Forbidden(forbidden.to_string())
    } else if error.is_timeout() && error.is_connect() {
        FetchError::Timeout(TimeLimit::Connection, CONNECT_TIMEOUT.min(timeout))
    } else if error.is_timeout() {
        FetchError::Timeout(TimeLimit::Read, READ_TIMEOUT.min(timeout))
    } else if error_chain(error).any(is_tls_error) {
        FetchError::Tls(cause)
    } else if error.is_dns() || error_chain(error).any(|cause| cause.is::<UnresolvedName>()) {
        FetchError::Dns(cause + proxy_remark())
    } else if error.is_builder() {
        FetchError::BadUrl(cause)
    } else if error.is_connect() {
        FetchError::Connect(format!("no connection: {cause}{}", proxy_remark()))
    } else {
        FetchError::Connect(format!("the connection broke: {cause}"))
    }
}

/// Returns `true` if the server ended a body early, by closing the connection or by data that are
/// no chunk: neither the network nor a time limit is the cause.
pub(crate) fn is_early_end(error: &reqwest::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    let is_end = |cause: &(dyn Error + 'static)| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| matches!(e.kind(), InvalidData | InvalidInput | UnexpectedEof))
    };
    !error.is_timeout() && error_chain(error).any(is_end)
}

/// Returns a remark for error messages if the environment names a proxy, else nothing. Proxies are
/// never used: a proxy resolves host names itself, so that private addresses could not be excluded.
fn proxy_remark() -> &'static str {
    static REMARK: OnceLock<&str> = OnceLock::new();
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    REMARK.get_or_init(|| {
        let names_proxy = PROXY_VARIABLES
            .iter()
            .any(|name| is_set(name) || is_set(&name.to_ascii_uppercase()));
        if names_proxy {
            "; pages are fetched without the proxy that the environment names"
        } else {
            ""
        }
    })
}

/// Returns the innermost cause of an error; the errors around it add no information.
pub(crate) fn innermost_cause(error: &(dyn Error + 'static)) -> String {
    error_chain(error).last().unwrap_or(error).to_string()
}

fn error_chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Returns `true` for an error of TLS, also if it is wrapped in I/O errors, whose inner errors are
/// not part of the chain of sources.
fn is_tls_error(error: &(dyn Error + 'static)) -> bool {
    let inner = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>() || inner.is_some_and(|inner| is_tls_error(inner))
}
