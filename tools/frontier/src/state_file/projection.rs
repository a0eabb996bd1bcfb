//! The frontier as a projection of the journal: records without a step and without a text are seeds
//! (with a text, they are initial documents, such as those of a core), and each record with a step
//! is a URL that was given, and judged or not fetched.

use crate::state_file::frontier::{Frontier, JudgedPage};
use crate::state_file::undo;
use forage_record::{ErrorKind, Fetch, FrontierEntry, OutLink, Record, Step, field};
use forage_run::{Event, StepProjection};
use forage_state::{StateError, StepFile, sqlite_step};

impl Frontier {
    /// Applies a record that left the filter: its URL was given, and its links were found.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn apply_judged(&mut self, event: &Event) -> Result<(), StateError> {
        // A page that is judged again was given, and its links found, in an earlier record.
        if let Some(url) = event.url().filter(|_| !event.is_retry) {
            let fetch: Option<Fetch> = event.record().view(field::FETCH).ok().flatten();
            let robots = fetch.as_ref().and_then(|fetch| fetch.robots.as_deref());
            let is_closed = !self.scope.follows_nofollow && robots.is_some_and(has_nofollow);
            let links = linked_pages(event.record(), is_closed);
            let error = event.error.as_ref().map(|error| error.kind);
            let has_error = event.record().has_error();
            // What cannot be judged, such as a frameset or a redirect, passes on its own score.
            let passes_on = match error {
                Some(ErrorKind::NoText) => true,
                Some(ErrorKind::Redirect) => links.is_some(),
                _ => false,
            };
            let entry: Option<FrontierEntry> = event.record().view(field::FRONTIER).ok().flatten();
            self.apply_page(&JudgedPage {
                url: &url,
                final_url: fetch.as_ref().and_then(|fetch| fetch.url.as_deref()),
                step: event.step_number(),
                depth: entry.as_ref().map(|entry| entry.depth),
                is_live: match error {
                    Some(kind) => is_page_error(kind),
                    None => !has_error && fetch.is_some(),
                },
                is_dead: error.is_some_and(is_dead_link),
                score: match passes_on {
                    true => entry.and_then(|entry| entry.score),
                    false => self.score_field.read(event.record()).filter(|_| !has_error),
                },
                links: links.filter(|_| !has_error || passes_on),
                is_known: event.previous.is_some(),
            })?;
        }
        if let Some(step) = &event.step {
            self.advance_to(step.last_complete_step());
        }
        Ok(())
    }
}

/// Returns `true` if robots directives say that no link of a page is to be followed.
fn has_nofollow(directives: &str) -> bool {
    let mut words = directives.split(',').map(str::trim);
    words.any(|word| matches!(word, "nofollow" | "none"))
}

/// Returns the pages that a page is connected to: its links, unless it `is_closed`, and then its
/// in-links, which have no anchor text. `None` if the record has neither.
fn linked_pages(record: &Record, is_closed: bool) -> Option<Vec<OutLink<'_>>> {
    let links = record.out_links().ok().flatten();
    let in_links = record.in_links().ok().flatten();
    if links.is_none() && in_links.is_none() {
        return None;
    }
    let followed = links.filter(|_| !is_closed);
    let in_links = in_links.into_iter().flatten().map(|link| OutLink {
        url: link.url,
        ..OutLink::default()
    });
    Some(followed.into_iter().flatten().chain(in_links).collect())
}

/// Returns `true` for an error that means that a link leads nowhere.
fn is_dead_link(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::HttpStatus
            | ErrorKind::Dns
            | ErrorKind::Connect
            | ErrorKind::Tls
            | ErrorKind::Timeout
            | ErrorKind::ForbiddenAddress
    )
}

/// Returns `true` for an error on a page that the host returned.
fn is_page_error(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TooLarge
            | ErrorKind::OptOut
            | ErrorKind::UnsupportedType
            | ErrorKind::BadBody
            | ErrorKind::NoText
    )
}

impl StepProjection for Frontier {
    fn file(&self) -> &StepFile {
        &self.db
    }

    fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
        if event.step.is_some() {
            return self.apply_judged(event);
        }
        self.advance_to(event.step.as_ref().map_or(0, Step::last_complete_step));
        match event.url() {
            // A URL that cannot be a seed was reported when the seeds were added.
            Some(url) if !event.record().has_error() && !event.has_text => {
                drop(self.add_seed(&url)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Removes what `step` and later steps were given, and what their pages have changed.
    fn remove_from(&mut self, step: u64) -> Result<(), StateError> {
        self.db.begin_removal_from(step)?;
        self.begun = None;
        self.run(|db, cache| {
            cache.write(db)?;
            undo::remove_steps_from(db, sqlite_step(step))?;
            cache.reset(db)
        })
    }

    /// Writes the changes in memory first.
    fn commit(&mut self) -> Result<(), StateError> {
        self.run(|db, cache| cache.write(db))?;
        self.db.commit()
    }
}
