//! What all HTTP clients of this crate share: how TLS is set up.

use reqwest::{Client, ClientBuilder};

/// A client for `https` URLs, or one for plain HTTP alone. That one trusts no certificate, since it needs none: reading
/// the system's takes milliseconds.
///
/// # Errors
/// When the system's certificates can't be read.
pub(crate) fn build_client(builder: ClientBuilder, is_secure: bool) -> reqwest::Result<Client> {
    // It fails where another provider was installed, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if is_secure { builder } else { builder.tls_certs_only([]) }.build()
}
