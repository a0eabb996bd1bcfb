//! The HTTP client for engines on the web: the API client of `forage-http`.

use forage_engines::{EngineRequest, EngineResponse, HttpClient};
use forage_http::{ApiClient, ApiRequest};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

/// Name of this program in the `User-Agent` header.
const USER_AGENT: &str = concat!("forage-search/", env!("CARGO_PKG_VERSION"));

/// Creates a client that waits at most `timeout_s` seconds for a response, and sends `contact` in
/// the `User-Agent` header. With `connect_to`, all connections go to these addresses.
pub fn new_http_client(
    timeout_s: NonZeroU32,
    contact: Option<&str>,
    connect_to: Option<Vec<SocketAddr>>,
) -> HttpClient {
    let user_agent = match contact {
        Some(contact) => format!("{USER_AGENT} (+{contact})"),
        None => USER_AGENT.into(),
    };
    let mut client = ApiClient::new(
        user_agent,
        Duration::from_secs(timeout_s.get().into()),
        connect_to,
    );
    Box::new(move |request: &EngineRequest| {
        let secrets = request.key_header.iter();
        let request = ApiRequest {
            url: &request.url,
            secrets: secrets.map(|(name, key)| (*name, key.reveal())).collect(),
            json: request.json.as_deref(),
        };
        let response = client.send(&request).map_err(|e| e.to_string())?;
        Ok(EngineResponse {
            status: response.status,
            retry_after: response.retry_after,
            headers: response.headers,
            body: response.body,
            is_truncated: response.is_truncated,
            url: Some(response.url),
        })
    })
}
