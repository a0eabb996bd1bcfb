//! The HTTP client for engines on the web: the API client of `forage-http`.

use forage_engines::{EngineRequest, EngineResponse, HttpClient};
use forage_http::{ApiClient, ApiRequest, ApiResponse};
use std::num::NonZeroU32;
use std::time::Duration;

/// Name of this program in the `User-Agent` header.
const USER_AGENT: &str = concat!("forage-search/", env!("CARGO_PKG_VERSION"));

/// Creates a client that waits at most `timeout_s` seconds for a response, and sends `contact` in
/// the `User-Agent` header.
pub fn new_http_client(timeout_s: NonZeroU32, contact: Option<&str>) -> HttpClient {
    let user_agent = match contact {
        Some(contact) => format!("{USER_AGENT} (+{contact})"),
        None => USER_AGENT.into(),
    };
    let mut client = ApiClient::new(user_agent, Duration::from_secs(timeout_s.get().into()));
    Box::new(move |request: &EngineRequest| {
        let secrets = request
            .key_header
            .iter()
            .map(|(name, key)| (*name, key.reveal()))
            .collect();
        let request = ApiRequest {
            url: &request.url,
            secrets,
            json: request.json.as_deref(),
        };
        let ApiResponse {
            status,
            retry_after,
            headers,
            body,
            is_truncated,
        } = client.send(&request).map_err(|e| e.to_string())?;
        Ok(EngineResponse {
            status,
            retry_after,
            headers,
            body,
            is_truncated,
        })
    })
}
