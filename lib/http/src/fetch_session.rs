//! Fetching of one page: robots.txt first, then one exchange after another to the end of the
//! redirect chain, with retries of transient failures. Each request goes through the host
//! scheduler.

use crate::connectivity::{Connectivity, FailedRequest, FailureCause};
use crate::content_coding;
use crate::cookies::CookieJar;
use crate::error::{Truncation, is_transient_status};
use crate::exchange::Exchange;
use crate::fetch_result::FetchResult;
use crate::headers::{
    conditional_headers, confirms_stored, content_codings, retry_after_delay, update_stored_headers,
};
use crate::host_scheduler::{HostScheduler, MAX_WAIT};
use crate::host_store::HostStore;
use crate::open_files::FileBudget;
use crate::origin_cache::{Cacheable, OriginCache};
use crate::page_url;
use crate::redirect_chain::RedirectChain;
use crate::refresh::find_refresh;
use crate::robots_rules::{self, RobotsRules};
use crate::settings::Settings;
use crate::soft_404::SeenBodies;
use crate::tdm_reservations::{self, TdmReservations};
use crate::transport::{BodyLimit, Transport};
use crate::{FetchError, SetupError};
use reqwest::header::HeaderMap;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// Shortest delay before the first retry, before [`jitter_factor`] is applied; it doubles for each
/// of the next six. Set by judgement, not measured.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(500);

const STATUS_NOT_FOUND: u16 = 404;

/// The state that is shared by all pages of a run.
#[derive(Debug)]
pub(crate) struct FetchSession {
    pub settings: Settings,
    transport: Transport,
    /// Maximum number of threads for name look-ups.
    pub lookup_threads: usize,
    hosts: HostScheduler,
    robots_rules: OriginCache<RobotsRules>,
    /// The reservations of origins; `None` if tdmrep.json is not fetched.
    tdm_reservations: Option<OriginCache<TdmReservations>>,
    seen_bodies: SeenBodies,
    /// `None` if outages are not told from hosts that are down.
    connectivity: Option<Connectivity>,
}

impl FetchSession {
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let budget = FileBudget::for_connections(settings.connections);
        Ok(FetchSession {
            transport: Transport::new(&settings, budget.keeps_idle_connections)?,
            lookup_threads: budget.lookup_threads,
            hosts: HostScheduler::new(
                settings.delay,
                budget.connections,
                settings.host_store.clone(),
            ),
            robots_rules: OriginCache::default(),
            tdm_reservations: settings.fetch_tdm_files.then(OriginCache::default),
            seen_bodies: SeenBodies::default(),
            connectivity: settings.patience.map(|patience| {
                Connectivity::new(
                    patience,
                    settings.outage_reporter.clone(),
                    settings.host_store.clone(),
                )
            }),
            settings,
        })
    }

    /// Fetches the page at `url`, which was given as `requested_url`, and follows its redirects.
    ///
    /// # Errors
    /// Fails if robots.txt or a back-off forbids a request of the chain, or there is no response. A
    /// response of any status is a result, and so is a redirect without a valid target.
    pub async fn fetch_page(
        &self,
        requested_url: String,
        url: Url,
    ) -> Result<FetchResult, FetchError> {
        let mut chain = RedirectChain::new(&url);
        let mut url = url;
        loop {
            self.hosts.check_back_off(&page_url::host_key(&url))?;
            let rules = self.check_robots(&url).await?;
            let tdm_file_reservation = self.check_tdm_file(&url, &rules).await;
            let mut exchange = self.request_page(&url, &chain.cookies).await?;
            exchange.refresh = find_refresh(&exchange, self.settings.refresh_finder);
            if exchange.is_redirect() {
                match chain.follow(&exchange) {
                    Ok(target) if !self.is_in_partition(&target) => {
                        exchange.failure = Some(FetchError::OtherPartition(target.into()));
                    }
                    Ok(target) => {
                        url = target;
                        chain.redirects.push(exchange);
                        continue;
                    }
                    // There is a page, although it redirects in a circle.
                    Err(_) if exchange.refresh.is_some() => exchange.refresh = None,
                    Err(e) => exchange.failure = Some(e),
                }
            }
            if !exchange.is_redirect() {
                exchange.is_duplicate = self.seen_bodies.record_body(&exchange);
            }
            return Ok(FetchResult {
                requested_url,
                redirects: chain.redirects,
                final_exchange: exchange,
                tdm_file_reservation,
            });
        }
    }

    /// Returns `true` if the host of a URL is one of those that this process asks for pages.
    fn is_in_partition(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let partition = self.settings.partition;
        partition.is_none_or(|partition| partition.contains_host(host))
    }

    /// Requests a page, conditionally if it is archived. If it has not changed, returns the
    /// archived exchange with the headers updated. A 304 response that is about another one is
    /// answered by a request without conditions (RFC 9111, section 4.3.4).
    async fn request_page(&self, url: &Url, cookies: &CookieJar) -> Result<Exchange, FetchError> {
        let archived = self.archived_page(url);
        let conditions = archived.map(|archived| conditional_headers(&archived.headers));
        let request = async |conditions: Option<HeaderMap>| {
            let mut extra_headers = conditions.unwrap_or_default();
            cookies.add_to(url, &mut extra_headers);
            let limit = BodyLimit::Reject(self.settings.max_bytes);
            self.exchange_with_retries(url, limit, &extra_headers).await
        };
        let mut exchange = request(conditions).await?;
        let is_about_other = |archived: Exchange| {
            exchange.status == 304 && !confirms_stored(&exchange.headers, &archived.headers)
        };
        if self.archived_page(url).is_some_and(is_about_other) {
            exchange = request(None).await?;
        }
        // The archived page is read again: many pages wait for their hosts concurrently, and
        // keeping all of them would take much memory.
        Ok(match self.archived_page(url) {
            Some(archived)
                if exchange.status == 304
                    && confirms_stored(&exchange.headers, &archived.headers) =>
            {
                Exchange {
                    date: exchange.date,
                    request_headers: exchange.request_headers,
                    headers: update_stored_headers(archived.headers, &exchange.headers),
                    not_modified: Some(exchange.headers),
                    is_unchanged: true,
                    ..archived
                }
            }
            Some(archived) => Exchange {
                is_unchanged: has_same_body(&archived, &exchange),
                ..exchange
            },
            None => exchange,
        })
    }

    fn archived_page(&self, url: &Url) -> Option<Exchange> {
        self.settings.archived_pages.as_ref()?.find_page(url)
    }

    /// Makes one exchange when the host is due, and repeats it after transient failures.
    async fn exchange_with_retries(
        &self,
        url: &Url,
        limit: BodyLimit,
        extra_headers: &HeaderMap,
    ) -> Result<Exchange, FetchError> {
        // Checked here so that an excluded host fails at once, without waiting for its turn.
        self.transport.check_host(url)?;
        let host = page_url::host_key(url);
        let mut retries = 0;
        // True for the repetition of a request that failed while the network was up afterwards.
        let mut is_repeated = false;
        let mut cut_length = None;
        loop {
            let request = async {
                let start = Instant::now();
                (start, self.transport.get(url, limit, extra_headers).await)
            };
            let (start, result) = self.hosts.run_in_turn(&host, request).await?;
            if let Ok(Exchange {
                status, headers, ..
            }) = &result
                && is_server_failure(*status)
                && let Some(delay) = retry_after_delay(headers)
            {
                self.hosts.back_off(&host, *status, delay);
            }
            // A server that ends a response at the same place again has no more of it.
            let is_cut_again = result.as_ref().is_ok_and(|exchange| {
                exchange.is_cut()
                    && cut_length.replace(exchange.body.len()) == Some(exchange.body.len())
            });
            let delay = self
                .retry_delay(url, &result, retries)
                .filter(|_| !is_cut_again);
            if let Some(delay) = delay.filter(|_| !is_repeated || result.is_ok()) {
                self.hosts.postpone(&host, delay);
                retries += 1;
                continue;
            }
            match self.find_cause(url, &result, start, is_repeated).await? {
                FailureCause::Host => {}
                FailureCause::Unknown => {
                    is_repeated = true;
                    continue;
                }
                FailureCause::Outage => {
                    (is_repeated, retries) = (false, 0);
                    continue;
                }
            }
            self.hosts
                .record_outcome(&host, host_failure(&result).as_ref());
            return result;
        }
    }

    /// Returns the cause of a failure, after waiting if it is an outage; for a response, `Host`.
    ///
    /// # Errors
    /// Fails if the outage lasts longer than the patience of the run.
    async fn find_cause(
        &self,
        url: &Url,
        result: &Result<Exchange, FetchError>,
        start: Instant,
        is_repeated: bool,
    ) -> Result<FailureCause, FetchError> {
        let Some(connectivity) = &self.connectivity else {
            return Ok(FailureCause::Host);
        };
        let failure = match result {
            Ok(exchange) => exchange.failure.as_ref(),
            Err(failure) => Some(failure),
        };
        let Some(failure) = failure.filter(|failure| failure.may_be_outage()) else {
            if result.is_ok() {
                connectivity.record_response(url);
            }
            return Ok(FailureCause::Host);
        };
        let request = FailedRequest {
            url,
            failure,
            start,
            is_repeated,
        };
        let probe = |origin: Url| async move { self.transport.has_response(&origin).await };
        let cause = connectivity.find_cause(&request, probe).await?;
        if cause != FailureCause::Host {
            self.transport.forget_lookup_failures();
        }
        Ok(cause)
    }

    /// Returns the delay before the next retry, after `retries` of them; `None` if the outcome is
    /// final.
    fn retry_delay(
        &self,
        url: &Url,
        result: &Result<Exchange, FetchError>,
        retries: u32,
    ) -> Option<Duration> {
        let retry_after = match result {
            Ok(exchange) if is_transient_status(exchange.status) => {
                retry_after_delay(&exchange.headers)
            }
            Ok(Exchange {
                failure: Some(FetchError::Connect(_)),
                ..
            })
            | Err(FetchError::Connect(_)) => None,
            Ok(exchange) if exchange.is_cut() => None,
            _ => return None,
        };
        let delay = self.settings.delay.max(FIRST_RETRY_DELAY) * (1 << retries.min(6));
        let delay = delay
            .mul_f64(jitter_factor(url, retries))
            .max(retry_after.unwrap_or_default());
        (retries < self.settings.retries && delay <= MAX_WAIT).then_some(delay)
    }

    /// Returns the robots.txt rules of a page's origin, if they allow the page.
    ///
    /// # Errors
    /// Fails if they disallow it, or robots.txt could not be fetched.
    async fn check_robots(&self, url: &Url) -> Result<RobotsRules, FetchError> {
        let origin = url.origin().ascii_serialization();
        let load = |store: &HostStore| store.load_robots_rules(&origin);
        let save = |store: &HostStore, rules: &RobotsRules| {
            // Without any response, the failure may be that of the network.
            if !matches!(rules, RobotsRules::Unreachable(_)) || self.has_responding_host() {
                store.save_robots_rules(&origin, rules);
            }
        };
        let fetch = || self.load_or_fetch(load, self.fetch_robots_rules(url), save);
        let rules = self.robots_rules.get_or_fetch(&origin, fetch).await;
        if let Some(delay) = rules.crawl_delay() {
            self.hosts.set_crawl_delay(&page_url::host_key(url), delay);
        }
        rules.check_url(url).map(|()| rules)
    }

    /// Returns `true` if the network is known to be up, or outages are not distinguished.
    fn has_responding_host(&self) -> bool {
        let connectivity = self.connectivity.as_ref();
        connectivity.is_none_or(|connectivity| connectivity.has_responded())
    }

    /// Returns the reservation of a page in the tdmrep.json of its origin; `None` if it states
    /// none, or is not fetched.
    async fn check_tdm_file(&self, url: &Url, rules: &RobotsRules) -> Option<bool> {
        let cache = self.tdm_reservations.as_ref()?;
        let origin = url.origin().ascii_serialization();
        let load = |store: &HostStore| store.load_reservations(&origin);
        let save = |store: &HostStore, reservations: &TdmReservations| {
            store.save_reservations(&origin, reservations)
        };
        let fetch = || self.load_or_fetch(load, self.fetch_tdm_reservations(url, rules), save);
        cache.get_or_fetch(&origin, fetch).await.is_reserved(url)
    }

    /// Returns a value of an origin, and its age: from the host store if it is fresh there, else
    /// fetched, and saved in the store.
    async fn load_or_fetch<T: Cacheable>(
        &self,
        load: impl FnOnce(&HostStore) -> Option<(T, Duration)>,
        fetch: impl Future<Output = T>,
        save: impl FnOnce(&HostStore, &T),
    ) -> (T, Duration) {
        let store = self.settings.host_store.as_deref();
        if let Some(stored) = store
            .and_then(load)
            .filter(|(value, age)| *age < value.max_age())
        {
            return stored;
        }
        let value = fetch.await;
        if let Some(store) = store {
            save(store, &value);
        }
        (value, Duration::ZERO)
    }

    /// Fetches the tdmrep.json of a page's origin, if robots.txt allows it.
    async fn fetch_tdm_reservations(&self, page: &Url, rules: &RobotsRules) -> TdmReservations {
        match page.join(tdm_reservations::PATH) {
            Ok(url) if rules.check_url(&url).is_ok() => match self.fetch_site_file(url).await {
                Ok(Ok(file)) => TdmReservations::from_file(&file),
                Ok(Err(UnavailableFile { status, .. })) if !is_server_failure(status) => {
                    TdmReservations::NoFile
                }
                Ok(Err(_)) | Err(_) => TdmReservations::Unknown,
            },
            _ => TdmReservations::NoFile,
        }
    }

    /// Fetches the robots.txt of a page's origin. Status 4xx other than 429 allows everything;
    /// status 429 or 5xx and a missing response disallow it (RFC 9309, section 2.3.1, which counts
    /// 429 as 4xx).
    async fn fetch_robots_rules(&self, page: &Url) -> RobotsRules {
        let Ok(url) = page.join("/robots.txt") else {
            return RobotsRules::AllowAll;
        };
        match self.fetch_site_file(url).await {
            Ok(Ok(file)) => RobotsRules::from_file(&file),
            Ok(Err(UnavailableFile {
                status,
                retry_after,
            })) => RobotsRules::from_status(status, retry_after),
            Err(e) => RobotsRules::Unreachable(e),
        }
    }

    /// Fetches the beginning of a site file, decompressed, or returns the status of a response
    /// other than 2xx. Follows five redirects, also to other hosts; with more of them, or without a
    /// valid target, the file counts as not found.
    ///
    /// # Errors
    /// Fails if there is no complete response, or it cannot be decompressed.
    async fn fetch_site_file(
        &self,
        mut url: Url,
    ) -> Result<Result<Vec<u8>, UnavailableFile>, FetchError> {
        for _ in 0..=robots_rules::MAX_REDIRECTS {
            let limit = BodyLimit::Truncate(robots_rules::MAX_BYTES);
            let exchange = self
                .exchange_with_retries(&url, limit, &HeaderMap::new())
                .await?;
            // Rules of which a part is missing may allow too much.
            if exchange.truncated == Some(Truncation::Disconnect) {
                return Err(FetchError::BadBody("the response ended early".into()));
            }
            if let Some(e) = exchange.failure {
                return Err(e);
            }
            if (200..300).contains(&exchange.status) {
                return content_coding::decompress_prefix(
                    &content_codings(&exchange.headers),
                    &exchange.body,
                    robots_rules::MAX_BYTES,
                    exchange.truncated.is_some(),
                )
                .map(Ok);
            }
            if !exchange.is_redirect() {
                return Ok(Err(UnavailableFile {
                    status: exchange.status,
                    retry_after: retry_after_delay(&exchange.headers),
                }));
            }
            match exchange.redirect_target() {
                Ok(target) => url = target,
                Err(_) => break,
            }
        }
        Ok(Err(UnavailableFile {
            status: STATUS_NOT_FOUND,
            retry_after: None,
        }))
    }
}

/// Returns `true` if a response has the status and body of an archived one.
fn has_same_body(archived: &Exchange, exchange: &Exchange) -> bool {
    archived.status == exchange.status
        && exchange.failure.is_none()
        && archived.body == exchange.body
}

/// A response to the request for a site file with a status other than 2xx.
struct UnavailableFile {
    status: u16,
    retry_after: Option<Duration>,
}

/// Returns `true` for statuses of server errors and overload. `Retry-After` then applies to the
/// whole host.
fn is_server_failure(status: u16) -> bool {
    status == 429 || status >= 500
}

/// Returns the failure of the host in the outcome of a request; `None` if the host responded.
fn host_failure(result: &Result<Exchange, FetchError>) -> Option<FetchError> {
    let failure = match result {
        Ok(exchange) if is_transient_status(exchange.status) => FetchError::Status(exchange.status),
        Ok(exchange) => exchange.failure.clone()?,
        Err(e) => e.clone(),
    };
    Some(failure).filter(FetchError::is_host_failure)
}

/// Returns a factor from 0.5 to 1.5, so that pages that failed together are not retried together.
/// It is a hash of its arguments, hence the same in every run.
fn jitter_factor(url: &Url, retries: u32) -> f64 {
    let hash = blake3::Hasher::new()
        .update(url.as_str().as_bytes())
        .update(&retries.to_le_bytes())
        .finalize();
    0.5 + f64::from(hash.as_bytes()[0]) / 255.0
}

#[cfg(test)]
mod tests;
