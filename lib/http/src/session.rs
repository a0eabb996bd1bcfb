//! One page: robots.txt first, then request by request to the end of its redirects, with a second
//! try for what may pass. All of it in the hosts' turns.

use crate::cache::{Cache, Held};
use crate::cookies::Cookies;
use crate::decode;
use crate::error::is_passing;
use crate::exchange::Exchange;
use crate::fetch_result::FetchResult;
use crate::headers::{codings, conditions, retry_after, updated};
use crate::host_store::HostStore;
use crate::hosts::{Hosts, LONGEST_WAIT};
use crate::page_url;
use crate::redirect_chain::RedirectChain;
use crate::rules::{self, Rules};
use crate::settings::Settings;
use crate::soft_404::SeenBodies;
use crate::tdm::{self, Reserved};
use crate::transport::{BodyLimit, Transport};
use crate::{FetchError, SetupError};
use reqwest::header::HeaderMap;
use std::time::Duration;
use url::Url;

/// The pause before the second try, at least; before each further one it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The status of a file that is not there.
const MISSING: u16 = 404;

/// What all fetching of a run shares.
#[derive(Debug)]
pub(crate) struct Session {
    pub settings: Settings,
    transport: Transport,
    hosts: Hosts,
    robots: Cache<Rules>,
    /// Where reservations are asked for.
    reserved: Option<Cache<Reserved>>,
    bodies: SeenBodies,
}

impl Session {
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        Ok(Session {
            transport: Transport::new(&settings)?,
            hosts: Hosts::new(
                settings.delay,
                settings.connections,
                settings.host_store.clone(),
            ),
            robots: Cache::default(),
            reserved: settings.fetch_tdm_files.then(Cache::default),
            bodies: SeenBodies::default(),
            settings,
        })
    }

    /// Fetches the page of `url`, which was given as `requested`: one exchange after the other,
    /// until one is no redirect.
    ///
    /// # Errors
    /// Whatever kept an answer away. An answer that is no success is one.
    pub async fn fetch(&self, requested: String, url: Url) -> Result<FetchResult, FetchError> {
        let mut chain = RedirectChain::new(&url);
        let mut url = url;
        loop {
            self.hosts.check(&page_url::host(&url))?;
            let rules = self.ask_robots(&url).await?;
            let tdm_file_reservation = self.ask_reservation(&url, &rules).await;
            let mut exchange = self.page(&url, &chain.cookies).await?;
            if exchange.is_redirect() {
                match chain.next(&exchange) {
                    Ok(next) => {
                        url = next;
                        chain.redirects.push(exchange);
                        continue;
                    }
                    Err(e) => exchange.failure = Some(e),
                }
            } else {
                exchange.is_duplicate = self.bodies.is_duplicate(&exchange);
            }
            return Ok(FetchResult {
                requested,
                redirects: chain.redirects,
                final_exchange: exchange,
                tdm_file_reservation,
            });
        }
    }

    /// The answer to a page's URL; what is kept of an earlier run, where that has not changed.
    async fn page(&self, url: &Url, cookies: &Cookies) -> Result<Exchange, FetchError> {
        let mut further = self
            .archived_page(url)
            .map(|kept| conditions(&kept.headers))
            .unwrap_or_default();
        cookies.add_to(url, &mut further);
        let limit = BodyLimit::Refuse(self.settings.max_bytes);
        let answer = self.exchange(url, limit, &further).await?;
        // Read anew: many pages wait for their hosts at once, and what is kept of them would take
        // much memory.
        Ok(match self.archived_page(url) {
            Some(kept) if answer.status == 304 => {
                let headers = updated(kept.headers, &answer.headers);
                Exchange {
                    at: answer.at,
                    request: answer.request,
                    headers,
                    is_unchanged: true,
                    ..kept
                }
            }
            Some(kept) => Exchange {
                is_unchanged: is_same(&kept, &answer),
                ..answer
            },
            None => answer,
        })
    }

    fn archived_page(&self, url: &Url) -> Option<Exchange> {
        self.settings.archived_pages.as_ref()?.find_page(url)
    }

    /// One request, when it is the host's turn, and again where the failure may pass.
    async fn exchange(
        &self,
        url: &Url,
        limit: BodyLimit,
        further: &HeaderMap,
    ) -> Result<Exchange, FetchError> {
        // Before a host has been waited for in vain.
        self.transport.permit(url)?;
        let host = page_url::host(url);
        let mut tries = 0;
        loop {
            let result = self
                .hosts
                .turn(&host, self.transport.get(url, limit, further))
                .await?;
            if let Ok(Exchange {
                status, headers, ..
            }) = &result
                && is_busy(*status)
                && let Some(pause) = retry_after(headers)
            {
                self.hosts.back_off(&host, *status, pause);
            }
            let Some(wait) = self.wait(url, &result, tries) else {
                self.hosts.record_outcome(&host, failure(&result).as_ref());
                return result;
            };
            self.hosts.pause(&host, wait);
            tries += 1;
        }
    }

    /// How long to wait before the next try, if there is to be one.
    fn wait(
        &self,
        url: &Url,
        result: &Result<Exchange, FetchError>,
        tries: u32,
    ) -> Option<Duration> {
        let asked = match result {
            Ok(exchange) if is_passing(exchange.status) => retry_after(&exchange.headers),
            Ok(Exchange {
                failure: Some(FetchError::Connect(_)),
                ..
            })
            | Err(FetchError::Connect(_)) => None,
            _ => return None,
        };
        let wait = self.settings.delay.max(FIRST_WAIT) * (1 << tries.min(6));
        let wait = wait
            .mul_f64(jitter(url, tries))
            .max(asked.unwrap_or_default());
        (tries < self.settings.retries && wait <= LONGEST_WAIT).then_some(wait)
    }

    /// What the host's robots.txt says.
    ///
    /// # Errors
    /// Where it does not allow the page.
    async fn ask_robots(&self, url: &Url) -> Result<Rules, FetchError> {
        let origin = url.origin().ascii_serialization();
        let known = |store: &HostStore| store.robots(&origin);
        let save = |store: &HostStore, rules: &Rules| store.save_robots(&origin, rules);
        let read = || self.known_or_read(known, self.read_robots(url), save);
        let rules = self.robots.get_or_read(&origin, read).await;
        if let Some(delay) = rules.crawl_delay() {
            self.hosts.ask_delay(&page_url::host(url), delay);
        }
        rules.permit(url).map(|()| rules)
    }

    /// Whether the host's tdmrep.json reserves the page, where that is asked for.
    async fn ask_reservation(&self, url: &Url, rules: &Rules) -> Option<bool> {
        let cache = self.reserved.as_ref()?;
        let origin = url.origin().ascii_serialization();
        let known = |store: &HostStore| store.reserved(&origin);
        let save = |store: &HostStore, it: &Reserved| store.save_reservations(&origin, it);
        let read = || self.known_or_read(known, self.read_reserved(url, rules), save);
        cache.get_or_read(&origin, read).await.is_reserved(url)
    }

    /// What an origin says, and how old that is: as the host store has it, or read now and stored.
    async fn known_or_read<T: Held>(
        &self,
        known: impl FnOnce(&HostStore) -> Option<(T, Duration)>,
        read: impl Future<Output = T>,
        save: impl FnOnce(&HostStore, &T),
    ) -> (T, Duration) {
        let store = self.settings.host_store.as_deref();
        if let Some(known) = store
            .and_then(known)
            .filter(|(held, age)| *age < held.holds_for())
        {
            return known;
        }
        let held = read.await;
        if let Some(store) = store {
            save(store, &held);
        }
        (held, Duration::ZERO)
    }

    /// What tdmrep.json reserves. It is a file like others: robots.txt is obeyed.
    async fn read_reserved(&self, page: &Url, rules: &Rules) -> Reserved {
        match page.join(tdm::PATH) {
            Ok(url) if rules.permit(&url).is_ok() => match self.file(url).await {
                Ok(Ok(file)) => Reserved::read(&file),
                Ok(Err(Refused { status, .. })) if !is_busy(status) => Reserved::Nothing,
                Ok(Err(_)) | Err(_) => Reserved::Unknown,
            },
            _ => Reserved::Nothing,
        }
    }

    /// What robots.txt says (RFC 9309): 4xx allows everything, 5xx and no answer forbid it.
    async fn read_robots(&self, page: &Url) -> Rules {
        let Ok(url) = page.join("/robots.txt") else {
            return Rules::Everything;
        };
        match self.file(url).await {
            Ok(Ok(file)) => Rules::from_file(&file),
            Ok(Err(Refused { status, again })) => Rules::from_status(status, again),
            Err(e) => Rules::Unreachable(e),
        }
    }

    /// A file that speaks to robots, or what came in its place. Up to five redirects are followed,
    /// to other hosts too; where there are more the file counts as missing.
    ///
    /// # Errors
    /// Where no answer comes, or it can't be decompressed.
    async fn file(&self, mut url: Url) -> Result<Result<Vec<u8>, Refused>, FetchError> {
        for _ in 0..=rules::MAX_REDIRECTS {
            let exchange = self
                .exchange(
                    &url,
                    BodyLimit::Truncation(rules::MAX_BYTES),
                    &HeaderMap::new(),
                )
                .await?;
            if let Some(e) = exchange.failure {
                return Err(e);
            }
            if (200..300).contains(&exchange.status) {
                let codings = codings(&exchange.headers);
                return decode::beginning(
                    &codings,
                    &exchange.body,
                    rules::MAX_BYTES,
                    exchange.truncated.is_some(),
                )
                .map(Ok);
            }
            if !exchange.is_redirect() {
                return Ok(Err(Refused {
                    status: exchange.status,
                    again: retry_after(&exchange.headers),
                }));
            }
            match exchange.redirect_target() {
                Ok(next) => url = next,
                Err(_) => break,
            }
        }
        Ok(Err(Refused {
            status: MISSING,
            again: None,
        }))
    }
}

/// Whether an answer is what is kept, sent again.
fn is_same(kept: &Exchange, answer: &Exchange) -> bool {
    kept.status == answer.status && answer.failure.is_none() && kept.body == answer.body
}

/// An answer to the question for a file that is no success.
struct Refused {
    status: u16,
    /// When the host wants to be asked again.
    again: Option<Duration>,
}

/// Whether a status says that the host has an error, or too much to do: `Retry-After` is then meant
/// for all of it.
fn is_busy(status: u16) -> bool {
    status == 429 || status >= 500
}

/// What the host failed with, if it was the host that failed.
fn failure(result: &Result<Exchange, FetchError>) -> Option<FetchError> {
    let failure = match result {
        Ok(exchange) if is_passing(exchange.status) => FetchError::Status(exchange.status),
        Ok(exchange) => exchange.failure.clone()?,
        Err(e) => e.clone(),
    };
    Some(failure).filter(FetchError::is_of_host)
}

/// A factor of 0.5 to 1.5, so that pages that failed together don't come back together; the same in
/// every run.
fn jitter(url: &Url, tries: u32) -> f64 {
    let hash = blake3::Hasher::new()
        .update(url.as_str().as_bytes())
        .update(&tries.to_le_bytes())
        .finalize();
    0.5 + f64::from(hash.as_bytes()[0]) / 255.0
}

#[cfg(test)]
mod tests {
    use super::Session;
    use crate::exchange::Exchange;
    use crate::{FetchError, Settings};
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
    use std::time::Duration;
    use url::Url;

    fn answer(status: u16, after: Option<&'static str>) -> Result<Exchange, FetchError> {
        let headers = after.map(|value| (RETRY_AFTER, HeaderValue::from_static(value)));
        Ok(Exchange::new(
            Url::parse("http://a.test/").unwrap(),
            status,
            HeaderMap::from_iter(headers),
        ))
    }

    #[test]
    fn what_may_pass_is_tried_again_after_longer_and_longer_pauses() {
        let session = Session::new(Settings::default()).unwrap();
        let url = Url::parse("http://a.test/").unwrap();
        let wait = |result: Result<Exchange, FetchError>, tries| session.wait(&url, &result, tries);
        let broken = || Err(FetchError::Connect("x".into()));
        for (tries, expected) in [(0, 1000), (1, 2000)] {
            let wait = wait(broken(), tries).unwrap();
            let range =
                Duration::from_millis(expected / 2)..=Duration::from_millis(expected * 3 / 2);
            assert!(range.contains(&wait), "{wait:?}");
        }
        assert_eq!(wait(broken(), 2), None);
        let mut half = answer(200, None).unwrap();
        half.break_off(FetchError::Connect("x".into()));
        assert!(wait(Ok(half), 0).is_some());
        assert_eq!(
            wait(answer(503, Some("60")), 0),
            Some(Duration::from_secs(60))
        );
        assert_eq!(wait(answer(503, Some("86400")), 0), None);
        assert_eq!(
            wait(answer(404, None), 0).or(wait(answer(200, None), 0)),
            None
        );
        assert_eq!(
            wait(Err(FetchError::Timeout(Duration::from_secs(30))), 0),
            None
        );
    }
}
