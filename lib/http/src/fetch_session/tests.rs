use super::FetchSession;
use crate::error::Truncation;
use crate::exchange::Exchange;
use crate::{FetchError, Settings, TimeLimit};
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use std::time::Duration;
use url::Url;

fn exchange(status: u16, retry_after: Option<&'static str>) -> Result<Exchange, FetchError> {
    let headers = retry_after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value)));
    Ok(Exchange::new(
        Url::parse("http://a.test/").unwrap(),
        status,
        HeaderMap::from_iter(headers),
    ))
}

#[test]
fn transient_failures_are_retried_with_growing_delays() {
    let session = FetchSession::new(Settings::default()).unwrap();
    let url = Url::parse("http://a.test/").unwrap();
    let retry_delay =
        |result: Result<Exchange, FetchError>, retries| session.retry_delay(&url, &result, retries);
    let broken = || Err(FetchError::Connect("x".into()));
    for (retries, expected) in [(0, 1000), (1, 2000)] {
        let delay = retry_delay(broken(), retries).unwrap();
        let range = Duration::from_millis(expected / 2)..=Duration::from_millis(expected * 3 / 2);
        assert!(range.contains(&delay), "{delay:?}");
    }
    assert_eq!(retry_delay(broken(), 2), None);
    let mut truncated = exchange(200, None).unwrap();
    truncated.truncate_body(FetchError::Connect("x".into()));
    assert!(retry_delay(Ok(truncated), 0).is_some());
    let mut cut = exchange(200, None).unwrap();
    cut.truncated = Some(Truncation::Disconnect);
    assert!(retry_delay(Ok(cut), 0).is_some());
    assert_eq!(
        retry_delay(exchange(503, Some("60")), 0),
        Some(Duration::from_secs(60))
    );
    assert_eq!(retry_delay(exchange(503, Some("86400")), 0), None);
    assert_eq!(
        retry_delay(exchange(404, None), 0).or(retry_delay(exchange(200, None), 0)),
        None
    );
    assert_eq!(
        retry_delay(
            Err(FetchError::Timeout(
                TimeLimit::Response,
                Duration::from_secs(30)
            )),
            0
        ),
        None
    );
}
