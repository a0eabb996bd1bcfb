//! Removal of the last steps: everything that they have changed is taken back, in reverse order, so
//! that the same steps give the same numbers and the same order again.

use crate::state_file::crawl_url::CrawlUrl;
use crate::state_file::hosts;
use crate::state_file::outcomes::{self, StoredPage};
use crate::state_file::score::ParentScores;
use crate::state_file::store::{self, WaitingUrl};
use crate::state_file::words::WordKeys;
use forage_state::StateFile;
use rusqlite::Result;

/// URLs that are deleted at a time.
const URL_BATCH: u32 = 1000;

/// Removes `step` and all later steps.
pub(crate) fn remove_steps_from(db: &StateFile, step: i64) -> Result<()> {
    let Some(start) = store::first_start_from(db, step)? else {
        return Ok(());
    };
    for given in store::given_from_step(db, step)? {
        store::delete_given(db, &given)?;
        store::add_waiting(db, given.id, &given.url)?;
        store::add_place(db, given.id, given.url.rank(), false)?;
    }
    while let Some(page) = outcomes::take_last_page(db, step)? {
        undo_page(db, &page)?;
    }
    loop {
        let urls = store::urls_found_from(db, start.first_url, step, URL_BATCH)?;
        if urls.is_empty() {
            break;
        }
        for (id, url) in urls {
            delete_url(db, id, &url)?;
        }
    }
    hosts::delete_hosts_found_from(db, start.first_host, step)?;
    store::delete_steps(db, step)
}

fn undo_page(db: &StateFile, page: &StoredPage) -> Result<()> {
    for link in page.links.iter().flatten() {
        let remove = |parents: ParentScores| parents.without(page.score, link.raised);
        if let Some(waiting) = store::waiting_url(db, link.url)? {
            set_parents(db, link.url, &waiting, remove(waiting.parents))?;
        } else if let Some(parents) = store::given_parents(db, link.url)? {
            store::set_given_parents(db, link.url, remove(parents))?;
        }
    }
    let (url, words) = store::url_text(db, page.url)?;
    if let Ok(url) = CrawlUrl::parse(&url) {
        outcomes::add_outcome(db, &url, page.outcome, -1)?;
        if page.links.is_some() {
            let words = WordKeys::from_bytes(&words);
            outcomes::add_score(db, page.host, &url, &words, page.score, -1)?;
        }
    }
    hosts::undo_outcome(db, page.host, page.outcome, page.host_before)
}

fn set_parents(db: &StateFile, id: i64, waiting: &WaitingUrl, parents: ParentScores) -> Result<()> {
    let changed = WaitingUrl {
        parents,
        ..*waiting
    };
    store::set_waiting(db, id, &changed)?;
    if changed.rank() != waiting.rank() {
        store::delete_place(db, id, waiting.rank(), waiting.is_parked)?;
        store::add_place(db, id, changed.rank(), changed.is_parked)?;
    }
    Ok(())
}

/// Deletes a URL that a removed step has found.
fn delete_url(db: &StateFile, id: i64, text: &str) -> Result<()> {
    if let Some(waiting) = store::waiting_url(db, id)? {
        store::delete_place(db, id, waiting.rank(), waiting.is_parked)?;
        store::delete_waiting(db, id)?;
    }
    // In a damaged file, the text may not be a URL; the row would be found again if it remained.
    let url = CrawlUrl::parse(text).ok();
    if let Some(path) = url.as_ref().and_then(CrawlUrl::path_key) {
        store::add_to_queries(db, path, -1)?;
    }
    store::delete_url(db, id, url.iter().flat_map(CrawlUrl::keys))
}
