//! The walk through the pages of a query on one engine, hit by hit.

use super::call_budget::CallBudget;
use super::engine_caller::{EngineCaller, FailureRule, PageRequest};
use super::file_queue::FileQueue;
use super::{HitSelection, RankedHit, SearchError, SearchLimits};
use crate::hit_scope::{HitScope, HitsByHost};
use crate::snippet::{contains_term, make_snippet, url_words};
use crate::{
    EngineCounts, EngineError, EngineHit, EngineQuery, ExclusionSupport, HitCache, HitCacheError,
    HitPage, MissingPart,
};
use forage_web::page_url::{normalise_url, url_key};
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

/// What a walk has in common with all others of a reply.
pub(super) struct WalkContext<'a> {
    pub query: &'a EngineQuery,
    pub step: u64,
    pub selection: HitSelection,
    pub limits: SearchLimits,
    pub scope: &'a HitScope,
    /// Hits per host that were selected.
    pub hits_by_host: HitsByHost,
    pub cache: &'a mut HitCache,
    pub budget: &'a mut CallBudget,
}

/// State of the walk through the pages of a query on one engine.
pub(super) struct PageWalk {
    /// The query as it is sent, and its canonical form.
    query: EngineQuery,
    canonical_form: String,
    /// True if the engine may return hits that contain terms that the query excludes.
    pub is_unexcluded: bool,
    query_id: i64,
    /// Queries for other spellings of its terms, whose hits follow, and the number of pages of
    /// those before.
    spellings: VecDeque<EngineQuery>,
    earlier_pages: u32,
    /// Calls that the step has to report.
    pub calls: u64,
    pub counts: EngineCounts,
    /// Pages that were walked through.
    pages: u32,
    /// Hits of the current page that can be selected, and have not been.
    hits: VecDeque<(u64, EngineHit)>,
    has_more: bool,
    may_request_more: bool,
    /// Number of hits so far, without repeated and excluded ones.
    rank: u64,
    listed_urls: HashSet<String>,
    /// Number of hits that were selected.
    pub selected: u64,
    /// The failure that ended the walk.
    pub failure: Option<SearchError>,
    /// Hits skipped because their title or snippet contains an excluded term.
    pub skipped_hits: u64,
    /// Parts of the engine whose hits are missing in the pages that were requested.
    pub missing: Vec<MissingPart>,
    /// Pages of earlier steps that may be requested once more: their numbers, and the names of the
    /// parts whose hits are missing, and their files.
    provisional: Vec<(u32, Vec<String>, Option<String>)>,
    /// Files to be requested, which pages so far have named.
    files: FileQueue,
    /// True if the hits are in what follows the last page: it named files, or is the last one of a
    /// spelling.
    is_index: bool,
    /// True if the last file was skipped because the engine was down.
    has_skipped_outage: bool,
}

impl PageWalk {
    /// Begins a walk. An engine that does not support the query fails at once.
    pub fn begin(
        caller: &mut EngineCaller,
        context: &mut WalkContext,
    ) -> Result<PageWalk, HitCacheError> {
        let refusal = check_supported(caller, context.query);
        let (query, is_unexcluded) = match refusal {
            Some(_) => (context.query.clone(), false),
            None => caller.prepare_query(context.cache, context.query.clone())?,
        };
        let spellings = match caller.engine.capabilities() {
            capabilities if capabilities.supports_variants => Vec::new(),
            capabilities if capabilities.folds_apostrophes != Some(false) => Vec::new(),
            _ => query.other_apostrophes(),
        };
        let canonical_form = query.to_canonical_form();
        let query_id = match refusal {
            Some(_) => 0,
            None => {
                let is_for_all = caller.engine.capabilities().lists_all_documents;
                let terms = if is_for_all { "" } else { &canonical_form };
                context
                    .cache
                    .query_id(&caller.engine_name, caller.page_size, terms)?
            }
        };
        Ok(PageWalk {
            query,
            canonical_form,
            is_unexcluded,
            query_id,
            spellings: spellings.into(),
            earlier_pages: 0,
            calls: 0,
            counts: EngineCounts::default(),
            pages: 0,
            hits: VecDeque::new(),
            has_more: refusal.is_none(),
            may_request_more: refusal.is_none() && context.limits.max_pages > 0,
            rank: 0,
            listed_urls: HashSet::new(),
            selected: 0,
            failure: refusal.map(SearchError::from),
            skipped_hits: 0,
            missing: Vec::new(),
            provisional: Vec::new(),
            files: FileQueue::default(),
            is_index: false,
            has_skipped_outage: false,
        })
    }

    /// Returns the next hit that can be selected and whose URL is not among `selected_urls`, or
    /// `None` at the end of the walk.
    pub fn next_hit(
        &mut self,
        caller: &mut EngineCaller,
        context: &mut WalkContext,
        rule: FailureRule,
        selected_urls: &HashSet<String>,
    ) -> Result<Option<RankedHit>, HitCacheError> {
        loop {
            while let Some((rank, hit)) = self.hits.pop_front() {
                // Checked again, as hits of the same host may have been selected since.
                if !selected_urls.contains(&url_key(&hit.url))
                    && context
                        .scope
                        .admits(&hit.url, &context.hits_by_host, context.cache)?
                {
                    context
                        .scope
                        .count_selected(&hit.url, &mut context.hits_by_host);
                    self.selected += 1;
                    return Ok(Some(complete_hit(caller, context.query, rank, hit)));
                }
            }
            if !self.may_load_page(context.selection) {
                if self.repeat_provisional_page(caller, context, rule)? {
                    continue;
                }
                return Ok(None);
            }
            match self.load_page(caller, context, rule)? {
                Ok(page) => self.add_page(caller, context, page)?,
                Err(failure) => {
                    self.failure = Some(failure);
                    return Ok(None);
                }
            }
        }
    }

    /// Returns the URLs of the current page that can be selected, and have not been.
    pub fn unselected_urls(&self) -> impl Iterator<Item = &str> {
        self.hits.iter().map(|(_, hit)| hit.url.as_str())
    }

    /// Returns `true` if the engine has hits after the current page.
    pub fn has_more(&self) -> bool {
        self.has_more && self.pages > 0
    }

    /// Returns `true` if the limit of pages allows to request hits after the current page.
    pub fn may_request_more(&self) -> bool {
        self.may_request_more && self.pages > 0
    }

    /// Returns `true` if no page so far has a hit for the query.
    pub fn is_empty(&self) -> bool {
        self.rank == 0
    }

    fn may_load_page(&self, selection: HitSelection) -> bool {
        let is_one_page_done = matches!(selection, HitSelection::OnePage(_))
            && (self.selected > 0 || self.calls > 0 && !self.is_index);
        self.failure.is_none() && self.may_request_more && !is_one_page_done
    }

    /// Adds the hits of the next page.
    fn add_page(
        &mut self,
        caller: &EngineCaller,
        context: &mut WalkContext,
        page: HitPage,
    ) -> Result<(), HitCacheError> {
        self.pages += 1;
        if page.counts != EngineCounts::default() {
            self.counts = page.counts;
        }
        let listed_before = self.listed_urls.len();
        let is_unseen_only = !matches!(context.selection, HitSelection::Top(_));
        for hit in page.hits {
            // Duplicates and hits that should have been excluded get no rank, so that a rank tells
            // how many hits precede it.
            if !self.listed_urls.insert(url_key(&hit.url)) {
                continue;
            }
            if shows_excluded_term(caller, context.query, &hit) {
                self.skipped_hits += 1;
                continue;
            }
            if !is_listed_match(caller, context.query, &hit) {
                continue;
            }
            self.rank += 1;
            let is_admitted =
                context
                    .scope
                    .admits(&hit.url, &context.hits_by_host, context.cache)?;
            if is_admitted && (!is_unseen_only || !context.cache.is_returned(&hit.url)?) {
                self.hits.push_back((self.rank, hit));
            }
        }
        // A total that is less than the hits so far, or that of one spelling, counts something
        // else.
        let hits_so_far = self.listed_urls.len() as u64;
        let is_only_spelling = self.earlier_pages == 0 && self.spellings.is_empty();
        let is_total = |total: &u64| is_only_spelling && *total >= hits_so_far;
        self.counts.total = self.counts.total.filter(is_total);
        self.is_index = !page.files.is_empty();
        if !self.files.add(page.files) {
            self.missing.push(MissingPart {
                name: "files".into(),
                reason: "too many files name each other".into(),
            });
        }
        // An engine that ignores the page number returns the same page again and again.
        let has_next_page = page.has_more && self.listed_urls.len() > listed_before;
        let has_files = !self.files.is_empty();
        self.has_more = has_next_page || has_files;
        self.may_request_more = has_files || has_next_page && self.pages < context.limits.max_pages;
        if !self.has_more
            && let Some(query) = self.spellings.pop_front()
        {
            self.begin_spelling(caller, context, query)?;
        }
        Ok(())
    }

    /// Goes on with the pages of a query for another spelling, as if they were the next ones.
    fn begin_spelling(
        &mut self,
        caller: &EngineCaller,
        context: &mut WalkContext,
        query: EngineQuery,
    ) -> Result<(), HitCacheError> {
        let (name, size) = (&caller.engine_name, caller.page_size);
        self.canonical_form = query.to_canonical_form();
        self.query_id = context.cache.query_id(name, size, &self.canonical_form)?;
        self.query = query;
        self.earlier_pages = self.pages;
        self.provisional.clear();
        (self.is_index, self.has_more) = (true, true);
        self.may_request_more = self.pages < context.limits.max_pages;
        Ok(())
    }

    /// Returns the next page from the cache, or else from the engine.
    fn load_page(
        &mut self,
        caller: &mut EngineCaller,
        context: &mut WalkContext,
        rule: FailureRule,
    ) -> Result<Result<HitPage, SearchError>, HitCacheError> {
        let number = self.pages - self.earlier_pages + 1;
        let file = self.files.take_next();
        if let Some(cached) = context.cache.page(self.query_id, number)? {
            if cached.is_new_in(context.step) {
                self.count_call(context.cache, number);
            } else if cached.is_provisional {
                self.provisional.push((number, cached.missing, file));
            }
            return Ok(Ok(cached.page));
        }
        let result = self.request_page(caller, context, (number, file.as_deref()), rule)?;
        if result.is_ok() {
            self.count_call(context.cache, number);
        }
        Ok(result)
    }

    /// Requests a page from the engine, and stores it.
    fn request_page(
        &mut self,
        caller: &mut EngineCaller,
        context: &mut WalkContext,
        (number, file): (u32, Option<&str>),
        rule: FailureRule,
    ) -> Result<Result<HitPage, SearchError>, HitCacheError> {
        let request = PageRequest {
            query: &self.query,
            canonical_form: &self.canonical_form,
            number,
            file,
        };
        let result = caller.request_page((context.cache, context.budget), request, rule)?;
        let is_outage = matches!(&result, Err(SearchError::Engine(EngineError::Down(_))));
        let page = match (result, file) {
            (Ok(page), _) => page,
            (Err(SearchError::Engine(failure)), Some(name)) if self.may_skip_file(&failure) => {
                let (name, reason) = (name.to_owned(), failure.to_string());
                HitPage {
                    missing: vec![MissingPart { name, reason }],
                    ..HitPage::default()
                }
            }
            (Err(failure), _) => return Ok(Err(failure)),
        };
        self.has_skipped_outage = is_outage;
        context
            .cache
            .store_page(self.query_id, number, &page, context.step)?;
        self.missing.extend_from_slice(&page.missing);
        Ok(Ok(page))
    }

    /// Returns `true` if the walk may leave out a file that failed: one of several, which the
    /// server refuses or cannot generate. A server that fails for two files in a row, or asks to
    /// wait, is down.
    fn may_skip_file(&self, failure: &EngineError) -> bool {
        let is_of_file = match failure {
            EngineError::Refused(_) => true,
            EngineError::Down(_) => !self.has_skipped_outage,
            _ => false,
        };
        is_of_file && !(self.files.is_empty() && self.listed_urls.is_empty())
    }

    /// Requests the first provisional page again and begins the walk anew, if the query would
    /// otherwise have no hit, at no call, and all parts of the engine whose hits the page lacks
    /// have answered since. Returns `true` if it did.
    ///
    /// A walk that begins anew gives the same hits as a repetition of the step, which finds the new
    /// page in the cache.
    fn repeat_provisional_page(
        &mut self,
        caller: &mut EngineCaller,
        context: &mut WalkContext,
        rule: FailureRule,
    ) -> Result<bool, HitCacheError> {
        let is_without_hit = self.failure.is_none() && self.calls == 0 && self.selected == 0;
        if !is_without_hit || self.provisional.is_empty() {
            return Ok(false);
        }
        let last_missing = context.cache.last_missing(&caller.engine_name)?;
        let have_answered = |missing: &[String]| {
            let mut missing = missing.iter();
            missing.all(|name| !last_missing.contains(name))
        };
        let mut provisional = self.provisional.iter();
        let found = provisional.find(|(_, missing, _)| have_answered(missing));
        let Some((number, _, file)) = found.cloned() else {
            return Ok(false);
        };
        let page = (number, file.as_deref());
        if let Err(failure) = self.request_page(caller, context, page, rule)? {
            self.failure = Some(failure);
            return Ok(false);
        }
        *self = PageWalk {
            missing: std::mem::take(&mut self.missing),
            ..PageWalk::begin(caller, context)?
        };
        Ok(true)
    }

    /// Adds a call to the reply, and records that it is reported.
    fn count_call(&mut self, cache: &mut HitCache, number: u32) {
        self.calls += 1;
        cache.mark_call_reported(self.query_id, number);
    }
}

/// Returns a refusal if the engine does not support the query.
fn check_supported(caller: &EngineCaller, query: &EngineQuery) -> Option<EngineError> {
    let capabilities = caller.engine.capabilities();
    if query.is_empty() && !capabilities.lists_all_documents {
        return Some(EngineError::Refused("the query has no terms".into()));
    }
    if let Some(url) = query.links_to() {
        let page = normalise_url(url).map_err(|e| EngineError::Refused(format!("`{url}`: {e}")));
        if let Err(refusal) = page.map(drop).and_then(|()| caller.engine.check_in_links()) {
            return Some(refusal);
        }
    }
    let message = if query.like_url().is_some() && !capabilities.supports_more_like_this {
        "this engine does not support more-like-this queries (`query.like`); \
         use index:DIR or mediawiki:"
    } else if capabilities.needs_inclusion_term && query.include().is_empty() && !query.has_url() {
        "the query has no inclusion term, which this engine needs; add one, or use index:DIR"
    } else {
        return None;
    };
    Some(EngineError::Refused(message.into()))
}

/// Returns what a hit shows of its document: title and snippet. If an engine that lists all its
/// documents has neither, the words of the URL are what can be matched.
fn shown_texts<'a>(caller: &EngineCaller, hit: &'a EngineHit) -> Vec<Cow<'a, str>> {
    let texts = [&hit.title, &hit.snippet].into_iter().flatten();
    let mut texts: Vec<Cow<str>> = texts.map(|text| Cow::from(text.as_str())).collect();
    if texts.is_empty() && caller.engine.capabilities().lists_all_documents {
        texts.push(url_words(&hit.url).into());
    }
    texts
}

/// Returns `true` if the title or snippet of a hit contains an excluded term. Hits of an engine
/// with exact exclusion are not checked.
fn shows_excluded_term(caller: &EngineCaller, query: &EngineQuery, hit: &EngineHit) -> bool {
    let is_exact = caller.engine.capabilities().exclusion == ExclusionSupport::Exact;
    if is_exact || query.exclude().is_empty() {
        return false;
    }
    let shown = shown_texts(caller, hit);
    let is_shown = |term: &String| shown.iter().any(|text| contains_term(text, term));
    query.exclude().iter().any(is_shown)
}

/// Returns `true` unless the engine lists all its documents and what the hit shows does not contain
/// all inclusion terms.
fn is_listed_match(caller: &EngineCaller, query: &EngineQuery, hit: &EngineHit) -> bool {
    if !caller.engine.capabilities().lists_all_documents || query.include().is_empty() {
        return true;
    }
    let shown = shown_texts(caller, hit);
    query.include().iter().all(|term| {
        query
            .spellings(term)
            .any(|spelling| shown.iter().any(|text| contains_term(text, spelling)))
    })
}

/// Adds the document to a hit if the engine stores it. A hit whose document cannot be read is still
/// a hit: its URL can be fetched.
fn complete_hit(
    caller: &mut EngineCaller,
    query: &EngineQuery,
    rank: u64,
    mut hit: EngineHit,
) -> RankedHit {
    if caller.engine.capabilities().lists_all_documents {
        // A summary may be a whole article.
        hit.snippet = hit
            .snippet
            .map(|summary| make_snippet(&summary, &query.included_spellings()));
    }
    let document = caller.engine.document(&hit.url).ok().flatten();
    if let Some(document) = &document {
        hit.title = hit.title.or_else(|| document.title.clone());
        hit.snippet = hit
            .snippet
            .or_else(|| Some(make_snippet(&document.text, &query.included_spellings())));
    }
    RankedHit {
        engine: 0,
        rank,
        hit,
        document,
    }
}
