//! Words of navigation links, learned from the anchor texts of the collected pages (Dimalen & Roxas
//! 2007, section 4, prune labels of navigation links that two languages have; that they recur over
//! hosts is ours).
//!
//! A word of short anchor texts is a navigation word of a class if its pages on several hosts have
//! it. It is pruned if it is a navigation word of two classes: a word of one language alone, such
//! as its articles, is in labels of many hosts too.
//!
//! Pages have links if `fetch-extract --links` has added them. The tables exist only in runs with
//! such pages.

use crate::spelling::has_ascii_folding;
use forage_record::OutLink;
use forage_run::{Event, StoredProjection};
use forage_state::StateFile;
use forage_text::{ascii_form, terms};
use forage_web::page_url::host_of;
use rusqlite::Result;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Number of hosts from which on a word of labels is a navigation word of a class: more than the
/// two names of one site, and few, because a small language has few sites. Set by judgement, not
/// measured.
const MIN_HOSTS: usize = 3;

/// Number of classes of which a pruned word is a navigation word.
const MIN_CLASSES: usize = 2;

/// Maximum number of words of a label, as in `terms of service`; longer anchor texts are mostly
/// titles of pages. Set by judgement, not measured.
const MAX_LABEL_WORDS: usize = 3;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS label_word (      -- words of short anchor texts on few hosts
    word TEXT NOT NULL,
    class TEXT NOT NULL,
    host TEXT NOT NULL,
    PRIMARY KEY (word, class, host)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS navigation_word ( -- words of short anchor texts on several hosts
    word TEXT NOT NULL,
    class TEXT NOT NULL,
    PRIMARY KEY (word, class)
) WITHOUT ROWID;
";

/// The projection of navigation words. It keeps the hosts of a word until there are enough, so that
/// a word has at most two rows per class.
#[derive(Debug, Default)]
pub(crate) struct NavigationLabels {
    /// True if the tables have been created by this process.
    has_tables: bool,
}

impl StoredProjection for NavigationLabels {
    /// Counts the label words of a new page with links.
    fn apply(&mut self, store: &StateFile, event: &Event) -> Result<()> {
        let Some(class) = event.retrieved_label().filter(|_| !event.is_retry) else {
            return Ok(());
        };
        // Links of the wrong type count as absent.
        let Ok(Some(links)) = event.record().out_links() else {
            return Ok(());
        };
        let Some(host) = event.final_url().and_then(|url| host_of(&url)) else {
            return Ok(());
        };
        if !self.has_tables {
            store.execute_batch(SCHEMA)?;
            self.has_tables = true;
        }
        let is_folded = has_ascii_folding(store)?;
        for word in label_words(&links) {
            let term = match is_folded {
                true => ascii_form(&word),
                false => Cow::Borrowed(&*word),
            };
            count_host(store, [&*term, class, &host])?;
        }
        Ok(())
    }

    /// Does nothing: records are applied in the transaction that is committed next.
    fn write(&mut self, _store: &StateFile) -> Result<()> {
        Ok(())
    }
}

/// Returns the words of short anchor texts.
fn label_words(links: &[OutLink]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for link in links {
        let label = terms(&link.text);
        if label.iter().count() <= MAX_LABEL_WORDS {
            words.extend(label.iter().map(str::to_owned));
        }
    }
    words
}

/// Counts a host of a word in a class: `[word, class, host]`.
fn count_host(store: &StateFile, [word, class, host]: [&str; 3]) -> Result<()> {
    let sql = "SELECT 1 FROM navigation_word WHERE word = ? AND class = ?";
    if store.has_row(sql, [word, class])? {
        return Ok(());
    }
    let sql = "INSERT OR IGNORE INTO label_word VALUES (?, ?, ?)";
    store.execute_cached(sql, [word, class, host])?;
    let sql = "SELECT count(*) FROM label_word WHERE word = ? AND class = ?";
    let hosts: usize = store.read_row(sql, [word, class], |row| row.get(0))?;
    if hosts >= MIN_HOSTS {
        let sql = "DELETE FROM label_word WHERE word = ? AND class = ?";
        store.execute_cached(sql, [word, class])?;
        store.execute_cached("INSERT INTO navigation_word VALUES (?, ?)", [word, class])?;
    }
    Ok(())
}

/// Returns `true` if pages with links have been counted, from which navigation words are learned.
pub(crate) fn learns_from_labels(store: &StateFile) -> Result<bool> {
    if !store.has_table("navigation_word")? {
        return Ok(false);
    }
    let words = "SELECT 1 WHERE EXISTS (SELECT 1 FROM label_word)
                 OR EXISTS (SELECT 1 FROM navigation_word)";
    store.has_row(words, [])
}

/// Returns `true` if a word is a navigation word of two classes. The tables must exist.
pub(crate) fn is_learned(store: &StateFile, word: &str) -> Result<bool> {
    let sql = "SELECT count(*) FROM navigation_word WHERE word = ?";
    let classes: usize = store.read_row(sql, [word], |row| row.get(0))?;
    Ok(classes >= MIN_CLASSES)
}
