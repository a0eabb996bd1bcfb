//! How engines on the web are asked: by the client for APIs of `forage-http`.

use forage_engines::{Answer, Http, Request};
use forage_http::{ApiClient, ApiRequest, ApiResponse};
use std::num::NonZeroU32;
use std::time::Duration;

/// How this program names itself to engines.
const AGENT: &str = concat!("forage-search/", env!("CARGO_PKG_VERSION"));

/// A client that gives up after `timeout_s` seconds, and tells engines the `contact`.
pub fn open(timeout_s: NonZeroU32, contact: Option<&str>) -> Http {
    let agent = contact.map_or(AGENT.into(), |contact| format!("{AGENT} (+{contact})"));
    let mut client = ApiClient::new(agent, Duration::from_secs(timeout_s.get().into()));
    Box::new(move |request: &Request| {
        let secrets = request
            .header
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
        } = client.send(&request).map_err(|e| e.to_string())?;
        Ok(Answer {
            status,
            retry_after,
            headers,
            body,
        })
    })
}
