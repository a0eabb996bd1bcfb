//! What the cache tells about the engines: which parts did not answer, whether one has ever
//! returned a hit, and what the user was told.

use super::{HitCache, HitCacheError};
use crate::MissingPart;
use rusqlite::params;

/// Queries to an engine that has never returned a hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HitlessQueries {
    /// Number of distinct queries.
    pub distinct: u64,
    /// Number of those with a single inclusion term of one word.
    pub one_word: u64,
}

impl HitlessQueries {
    /// Returns `true` if an engine that works would have returned a hit: after `limit` queries, of
    /// which a quarter have one word, or else after twice as many.
    ///
    /// A query with several terms may have no hit for want of a page that has all of them; one word
    /// of an initial document is on some page of any engine for its language.
    pub fn reach(self, limit: u64) -> bool {
        self.distinct >= limit.saturating_mul(2)
            || (self.distinct >= limit && self.one_word.saturating_mul(4) >= limit)
    }
}

/// Condition for a page with a hit, in both forms in which pages are stored.
const HAS_HITS: &str = "(hits LIKE '[{%' OR hits LIKE '{\"hits\":[{%')";

impl HitCache {
    /// Returns the queries to an engine without a hit; `None` if it has ever returned one.
    pub(crate) fn hitless_queries(
        &self,
        engine: &str,
    ) -> Result<Option<HitlessQueries>, HitCacheError> {
        let select = format!(
            "SELECT 1 FROM page JOIN query ON query.id = page.query WHERE engine = ? AND {HAS_HITS}"
        );
        if self.db.has_row(&select, [engine])? {
            return Ok(None);
        }
        let select = "SELECT DISTINCT page_size, terms FROM page \
                      JOIN query ON query.id = page.query WHERE engine = ?";
        let mut statement = self.db.prepare_cached(select)?;
        let terms = statement.query_map([engine], |row| row.get::<_, String>(1))?;
        let mut queries = HitlessQueries::default();
        for terms in terms {
            queries.distinct += 1;
            queries.one_word += u64::from(has_one_word(&terms?));
        }
        Ok(Some(queries))
    }

    /// Returns the number of distinct queries without a hit since an engine's last page with hits;
    /// `None` if it has never returned one.
    pub(crate) fn empty_queries_since_hits(
        &self,
        engine: &str,
    ) -> Result<Option<u64>, HitCacheError> {
        let select = format!(
            "SELECT number, {HAS_HITS} FROM page JOIN query ON query.id = page.query \
             WHERE engine = ? ORDER BY page.rowid DESC"
        );
        let mut statement = self.db.prepare_cached(&select)?;
        let mut rows = statement.query([engine])?;
        let mut empty = 0;
        while let Some(row) = rows.next()? {
            if row.get(1)? {
                return Ok(Some(empty));
            }
            empty += u64::from(row.get::<_, u32>(0)? == 1);
        }
        Ok(None)
    }

    /// Returns `true` if the last page that an engine returned, of any query, has hits.
    pub(crate) fn has_last_page_hits(&self, engine: &str) -> Result<bool, HitCacheError> {
        let select = format!(
            "SELECT {HAS_HITS} FROM page JOIN query ON query.id = page.query \
             WHERE engine = ? ORDER BY page.rowid DESC LIMIT 1"
        );
        Ok(self.db.find_value(&select, [engine])?.unwrap_or(false))
    }

    /// Returns the last query to an engine, in canonical form, with its number: the last one that
    /// had hits, or any.
    pub(crate) fn last_query(
        &self,
        engine: &str,
        has_hits: bool,
    ) -> Result<Option<(i64, String)>, HitCacheError> {
        let condition = if has_hits { HAS_HITS } else { "TRUE" };
        let select = format!(
            "SELECT query.id, terms FROM page JOIN query ON query.id = page.query \
             WHERE engine = ? AND number = 1 AND {condition} ORDER BY page.rowid DESC LIMIT 1"
        );
        Ok(self
            .db
            .find_row(&select, [engine], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// Returns `true` if an engine has returned hits while all these parts were silent.
    pub(crate) fn has_hits_without(
        &self,
        engine: &str,
        parts: &[MissingPart],
    ) -> Result<bool, HitCacheError> {
        let select = format!(
            "SELECT DISTINCT missing FROM page JOIN query ON query.id = page.query \
             WHERE engine = ? AND {HAS_HITS} AND missing != '[]'"
        );
        let mut statement = self.db.prepare_cached(&select)?;
        let lists = statement.query_map([engine], |row| row.get::<_, String>(0))?;
        for list in lists {
            let silent: Vec<String> = serde_json::from_str(&list?)?;
            if parts.iter().all(|part| silent.contains(&part.name)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records durably which parts of an engine were silent when it returned hits for a query that
    /// had hits before.
    pub(crate) fn record_silent_parts(
        &mut self,
        query: i64,
        parts: &[MissingPart],
    ) -> Result<(), HitCacheError> {
        self.db.begin()?;
        let update = "UPDATE page SET missing = ? WHERE query = ? AND number = 1";
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        let names = serde_json::to_string(&names)?;
        self.db.execute_cached(update, params![names, query])?;
        Ok(self.db.commit()?)
    }

    /// Returns `true` if an engine has ever answered a query.
    pub(crate) fn has_pages(&self, engine: &str) -> Result<bool, HitCacheError> {
        let select = "SELECT 1 FROM page JOIN query ON query.id = page.query WHERE engine = ?";
        Ok(self.db.has_row(select, [engine])?)
    }

    /// Returns the number of distinct queries with hits, if none of their hits was returned.
    pub(crate) fn queries_without_returned_hit(&self) -> Result<Option<u64>, HitCacheError> {
        let mut select = self.db.prepare_cached("SELECT 1 FROM returned_url")?;
        if !self.returned.is_empty() || select.exists([])? {
            return Ok(None);
        }
        let select = format!("SELECT count(DISTINCT query) FROM page WHERE {HAS_HITS}");
        let queries = self
            .db
            .prepare_cached(&select)?
            .query_row([], |row| row.get(0))?;
        Ok(Some(queries))
    }

    /// Forgets the pages without hits that were requested in `step` and later, so that their
    /// queries are sent again.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn forget_empty_pages_from(&mut self, step: u64) -> Result<(), HitCacheError> {
        self.db.begin()?;
        let delete = format!("DELETE FROM page WHERE step >= ? AND NOT {HAS_HITS}");
        self.db.execute(&delete, [step])?;
        Ok(self.db.commit()?)
    }

    /// Lets all pages of an engine be requested once more, with the next commit.
    pub(crate) fn distrust_pages(&mut self, engine: &str) -> Result<(), HitCacheError> {
        self.db.begin()?;
        let update = "UPDATE page SET provisional = 1 \
                      WHERE query IN (SELECT id FROM query WHERE engine = ?)";
        self.db.execute_cached(update, [engine])?;
        Ok(())
    }

    /// Returns the names of the parts of an engine whose hits were missing in its last response.
    pub(crate) fn last_missing(&self, engine: &str) -> Result<Vec<String>, HitCacheError> {
        let select = "SELECT missing FROM page JOIN query ON query.id = page.query \
                      WHERE engine = ? ORDER BY page.rowid DESC LIMIT 1";
        let missing: Option<String> = self.db.find_value(select, [engine])?;
        missing.map_or(Ok(Vec::new()), |names| Ok(serde_json::from_str(&names)?))
    }

    /// Returns what follows `prefix` in the notes that begin with it.
    pub(crate) fn notes_with_prefix(&self, prefix: &str) -> Result<Vec<String>, HitCacheError> {
        let select = "SELECT substr(text, length(?1) + 1) FROM note \
                      WHERE substr(text, 1, length(?1)) = ?1";
        Ok(self.db.read_rows(select, [prefix], |row| row.get(0))?)
    }

    /// Records with the next commit that the user was told `text`, or a test gave this result.
    /// Returns `true` the first time.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn record_note(&mut self, text: &str) -> Result<bool, HitCacheError> {
        self.db.begin()?;
        let insert = "INSERT OR IGNORE INTO note (text) VALUES (?)";
        Ok(self.db.execute_cached(insert, params![text])? > 0)
    }
}

/// Returns `true` if the canonical form of a query has one inclusion term, of one word.
fn has_one_word(terms: &str) -> bool {
    let mut included = terms.lines().filter(|line| line.starts_with('+'));
    let first = included.next();
    included.next().is_none() && first.is_some_and(|term| !term.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::{HitlessQueries, has_one_word};
    use crate::{EngineHit, HitCache, HitPage, MissingPart};

    #[test]
    fn an_engine_is_given_up_after_enough_queries_some_of_them_short() {
        let reach = |distinct, one_word| HitlessQueries { distinct, one_word }.reach(20);
        assert!(reach(20, 5) && reach(40, 0) && reach(25, 25));
        assert!(!reach(19, 19) && !reach(20, 4) && !reach(39, 4));
        assert!(!HitlessQueries::default().reach(u64::MAX));
    }

    #[test]
    fn a_query_of_one_word_may_exclude_terms_and_have_spellings() {
        for (terms, expected) in [
            ("+a", true),
            ("+a\tá\n-the", true),
            ("+a\n+b", false),
            ("+a b", false),
            ("-the", false),
            ("", false),
        ] {
            assert_eq!(has_one_word(terms), expected, "{terms:?}");
        }
    }

    #[test]
    fn counts_distinct_queries_until_an_engine_returns_a_hit() {
        let mut cache = HitCache::in_memory().unwrap();
        let mut store = |engine: &str, terms: &str, page: &HitPage| {
            let query = cache.query_id(engine, 10, terms).unwrap();
            cache.store_page(query, 1, page, 1).unwrap();
            cache.hitless_queries(engine).unwrap()
        };
        let empty = HitPage::default();
        store("e:", "+a", &empty);
        store("e:", "+a", &empty);
        let queries = store("e:", "+a\n+b", &empty);
        let expected = HitlessQueries {
            distinct: 2,
            one_word: 1,
        };
        assert_eq!(queries, Some(expected));
        let page = HitPage {
            hits: vec![EngineHit::default()],
            ..HitPage::default()
        };
        assert_eq!(store("e:", "+c", &page), None);
        let mut with_counts = page.clone();
        with_counts.counts.total = Some(1);
        assert_eq!(store("f:", "+c", &with_counts), None);
        let mut without_hits = empty.clone();
        without_hits.counts.total = Some(0);
        assert_eq!(
            store("g:", "+c", &without_hits).map(|queries| queries.distinct),
            Some(1)
        );
    }

    #[test]
    fn a_page_that_lacks_hits_is_provisional_until_it_is_stored_again() {
        let mut cache = HitCache::in_memory().unwrap();
        let query = cache.query_id("e:", 10, "+a").unwrap();
        let part = MissingPart {
            name: "brave".into(),
            reason: "CAPTCHA".into(),
        };
        let page = HitPage {
            missing: vec![part],
            ..HitPage::default()
        };
        for is_provisional in [true, false] {
            cache.store_page(query, 1, &page, 1).unwrap();
            let cached = cache.page(query, 1).unwrap().unwrap();
            assert_eq!(cached.is_provisional, is_provisional);
            assert_eq!(cached.missing, ["brave"]);
        }
        assert_eq!(cache.last_missing("e:").unwrap(), ["brave"]);
        assert!(cache.last_missing("f:").unwrap().is_empty());
        let other = cache.query_id("e:", 10, "+b").unwrap();
        cache.store_page(other, 1, &HitPage::default(), 1).unwrap();
        assert!(cache.last_missing("e:").unwrap().is_empty());
    }

    #[test]
    fn a_note_is_recorded_once() {
        let mut cache = HitCache::in_memory().unwrap();
        let mut record = |text| cache.record_note(text).unwrap();
        assert_eq!([record("a"), record("a"), record("b")], [true, false, true]);
    }
}
