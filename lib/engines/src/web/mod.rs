//! Engines on the web: an [`EngineAdapter`] for each, and what they share.
//!
//! An adapter states what its engine can express, formats queries, and parses responses. Each is a
//! module with an entry in [`registry`]. A [`WebEngine`] makes an [`Engine`] of an adapter: it
//! drops terms from queries that are too long, keeps within the engine's limit of hits, classifies
//! failures by their status, and redacts the key from everything that the engine returns.
//!
//! A response means "no hits" only if it says so in the form that the engine documents. A response
//! that cannot be read means that the engine is down.

pub(crate) mod address;
pub(crate) mod entry;
mod failure;
#[cfg(feature = "adapters")]
mod feed_document;
mod field_names;
#[cfg(feature = "adapters")]
mod markup;
#[cfg(feature = "adapters")]
mod modified_time;
mod named_files;
mod query_syntax;
#[cfg(feature = "adapters")]
mod registry;
mod response;
#[cfg(feature = "adapters")]
mod sitemap_document;
#[cfg(test)]
mod tests;

#[cfg(feature = "adapters")]
pub(crate) use registry::WEB_ENGINES;
/// All engines on the web: none, as the adapters are not built.
#[cfg(not(feature = "adapters"))]
pub(crate) static WEB_ENGINES: [entry::WebEngineEntry; 0] = [];

use crate::{
    ApiKey, Engine, EngineCapabilities, EngineError, EngineQuery, EngineRequest, EngineResponse,
    EngineResult, ExclusionSupport, HitPage, HttpClient, MissingPart,
};
use entry::WebEngineEntry;
use url::Url;

/// Maximum number of characters of an error message that are passed on.
const MAX_MESSAGE_LENGTH: usize = 400;

/// Translation between Forage and a certain engine on the web.
pub(crate) trait EngineAdapter {
    /// Formats a query in the engine's syntax. The length of the result is what the engine limits;
    /// it is empty if the engine limits none.
    fn format_query(&self, _query: &EngineQuery) -> String {
        String::new()
    }

    /// Builds the request for a range of the query's hits.
    ///
    /// # Errors
    /// Fails if the engine does not support the query.
    fn build_request(&self, query: &EngineQuery, range: HitRange) -> EngineResult<EngineRequest>;

    /// Parses the hits of a response with a status of success.
    ///
    /// # Errors
    /// Fails if the response has another form than the engine documents, or reports a failure.
    fn parse_response(&self, response: &EngineResponse, range: HitRange) -> EngineResult<HitPage>;

    /// Parses the hits of a response to a query for pages that link to `url`, if they have another
    /// form.
    ///
    /// # Errors
    /// Fails as [`EngineAdapter::parse_response`] does.
    fn parse_in_links(
        &self,
        _url: &str,
        response: &EngineResponse,
        range: HitRange,
    ) -> EngineResult<HitPage> {
        self.parse_response(response, range)
    }

    /// Builds the request for a file that an earlier response named ([`HitPage::files`]).
    ///
    /// # Errors
    /// Fails if the engine names no files.
    fn build_file_request(&self, _url: &Url) -> EngineResult<EngineRequest> {
        Err(EngineError::Refused("this engine has no files".into()))
    }

    /// Parses the hits of a file.
    ///
    /// # Errors
    /// Fails as [`EngineAdapter::parse_response`] does.
    fn parse_file(&self, _url: &Url, response: &EngineResponse) -> EngineResult<HitPage> {
        let range = HitRange {
            page: 1,
            size: 1,
            start: 0,
        };
        self.parse_response(response, range)
    }

    /// Returns the page of hits that a response without success to a request for `url` stands for,
    /// if it is no failure.
    fn parse_failure(&self, _url: &Url, _response: &EngineResponse) -> Option<HitPage> {
        None
    }

    /// Returns the failure that a response without success means, if it is another than its status
    /// implies.
    fn classify_failure(&self, _response: &EngineResponse) -> Option<EngineError> {
        None
    }

    /// Returns the support of exclusion terms that the last response has shown, if it is another
    /// than that of the registry.
    fn exclusion(&self) -> Option<ExclusionSupport> {
        None
    }

    /// Requests what the adapter must know before the first query.
    ///
    /// # Errors
    /// Fails if the information cannot be retrieved.
    fn prepare(&mut self, _http: &mut HttpClient) -> EngineResult<()> {
        Ok(())
    }
}

/// The range of a query's hits that a page consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HitRange {
    /// Number of the page, from 1.
    pub page: u32,
    /// Number of hits.
    pub size: u32,
    /// Number of hits before the range.
    pub start: u32,
}

impl HitRange {
    /// Returns the range of a page of `size` hits, within the engine's limits of hits per page and
    /// per query.
    fn for_page(capabilities: &EngineCapabilities, page: u32, size: u32) -> HitRange {
        let page = page.max(1);
        let size = size.min(capabilities.max_page_size.unwrap_or(size)).max(1);
        let start = (page - 1).saturating_mul(size);
        let available = capabilities.max_hits.map(|max| max.saturating_sub(start));
        let available = available.unwrap_or(size);
        HitRange {
            page,
            size: size.min(available.max(1)),
            start,
        }
    }

    /// Returns `true` if the engine counts more hits in all than lie before the end of the range.
    fn is_followed_by_hits(&self, total: u64) -> bool {
        u64::from(self.start) + u64::from(self.size) < total
    }
}

/// An engine on the web.
pub(crate) struct WebEngine {
    adapter: Box<dyn EngineAdapter>,
    entry: &'static WebEngineEntry,
    /// The key, which is redacted from everything that the engine returns.
    key: Option<ApiKey>,
    http: HttpClient,
}

impl WebEngine {
    fn request_range(&mut self, query: &EngineQuery, range: HitRange) -> EngineResult<HitPage> {
        self.adapter.prepare(&mut self.http)?;
        let (name, limit) = (
            self.entry.display_name,
            &self.entry.capabilities.query_length,
        );
        let format_query = |query: &EngineQuery| self.adapter.format_query(query);
        let query = query_syntax::fit_to_length(query, limit, name, format_query)?;
        let mut request = self.adapter.build_request(&query, range)?;
        loop {
            let page = self.send(&request, |adapter, response| match query.links_to() {
                Some(url) => adapter.parse_in_links(url, response, range),
                None => adapter.parse_response(response, range),
            })?;
            // The response may have told that the range begins elsewhere.
            let next = self.adapter.build_request(&query, range)?;
            if next.url == request.url {
                return Ok(page);
            }
            request = next;
        }
    }

    /// Sends a request, and parses its response with `parse` if it is a success.
    fn send(
        &mut self,
        request: &EngineRequest,
        parse: impl FnOnce(&dyn EngineAdapter, &EngineResponse) -> EngineResult<HitPage>,
    ) -> EngineResult<HitPage> {
        let mut response = (self.http)(request).map_err(EngineError::Down)?;
        response.url.get_or_insert_with(|| request.url.clone());
        let adapter = self.adapter.as_ref();
        let (name, key) = (self.entry.display_name, self.entry.key_variable);
        if let Some(failure) = failure::failure_from_status(name, key, &response) {
            let page = adapter.parse_failure(&request.url, &response);
            return page.ok_or_else(|| adapter.classify_failure(&response).unwrap_or(failure));
        }
        let mut page = parse(adapter, &response)?;
        if response.is_truncated {
            page.missing.push(MissingPart {
                name: "the rest of the response".into(),
                reason: "it is cut or damaged".into(),
            });
        }
        Ok(page)
    }

    /// Redacts the key from a result, in case the engine repeats it, and shortens its message.
    fn clean_result(&self, mut result: EngineResult<HitPage>) -> EngineResult<HitPage> {
        if let Some(key) = &self.key {
            result = redact_key(key, result);
        }
        result.map_err(|failure| failure.map_message(shorten_message))
    }
}

impl Engine for WebEngine {
    fn capabilities(&self) -> EngineCapabilities {
        let declared = self.entry.capabilities;
        EngineCapabilities {
            exclusion: self.adapter.exclusion().unwrap_or(declared.exclusion),
            ..declared
        }
    }

    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        size: u32,
    ) -> EngineResult<HitPage> {
        let capabilities = self.entry.capabilities;
        let range = HitRange::for_page(&capabilities, number, size);
        let mut result = self.request_range(query, range);
        if let Ok(page) = &mut result {
            let end = range.start.saturating_add(range.size);
            page.has_more &= capabilities.max_hits.is_none_or(|max_hits| end < max_hits);
        }
        self.clean_result(result)
    }

    fn request_file(&mut self, url: &str) -> EngineResult<HitPage> {
        let url = Url::parse(url).map_err(|e| EngineError::Refused(format!("`{url}`: {e}")))?;
        let request = self.adapter.build_file_request(&url);
        let result = request.and_then(|request| {
            self.send(&request, |adapter, response| {
                adapter.parse_file(&url, response)
            })
        });
        self.clean_result(result)
    }
}

/// Returns an error message, cut to [`MAX_MESSAGE_LENGTH`] characters.
fn shorten_message(message: &str) -> String {
    match message.char_indices().nth(MAX_MESSAGE_LENGTH) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.into(),
    }
}

/// Redacts the key from a result, in case the engine repeats it.
fn redact_key(key: &ApiKey, result: EngineResult<HitPage>) -> EngineResult<HitPage> {
    let mut page = result.map_err(|failure| failure.map_message(|message| key.redact(message)))?;
    for hit in &mut page.hits {
        hit.url = key.redact(&hit.url);
        for text in [&mut hit.title, &mut hit.snippet].into_iter().flatten() {
            *text = key.redact(text);
        }
        let alternates = hit.alternates.values_mut();
        alternates.for_each(|url| *url = key.redact(url));
    }
    for file in &mut page.files {
        *file = key.redact(file);
    }
    for part in &mut page.missing {
        part.name = key.redact(&part.name);
        part.reason = key.redact(&part.reason);
    }
    Ok(page)
}
