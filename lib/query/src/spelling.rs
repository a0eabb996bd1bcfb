//! ASCII folding: words with and without diacritics are counted as one term, and queries ask for
//! both spellings. Pages in a language with diacritics are often written without them; the report
//! of 2001 writes the words of Slovenian speakers without č, š and ž for this reason (Ghani, Jones
//! & Mladenić).
//!
//! The term is the ASCII form of its spellings. The file keeps the frequencies of the spellings
//! with diacritics in each class, because a spelling of one language may be none of another: `nasa`
//! is `naša` in Slovenian and `náša` in Slovak.
//!
//! The table exists only in statistics with ASCII folding, and so records that they have it.
//!
//! Without it, a second table has the spellings of words that were typed with other letters than
//! those of their term ([`forage_text::Spelling`]), such as ş for ș: a query for the term would
//! find none of the pages.

use crate::statistics::{Statistics, StatisticsError};
use forage_record::Query;
use forage_state::StateFile;
use forage_text::{TYPED, ascii_form, terms};
use rusqlite::Result;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The table of spellings with diacritics, with ASCII folding, and of those typed with other
/// letters.
const SPELLINGS: &str = "spelling";
/// The table of spellings typed with other letters, without ASCII folding.
const TYPED_SPELLINGS: &str = "typed_spelling";

/// Returns `true` if words with and without diacritics are one term.
pub(crate) fn has_ascii_folding(store: &StateFile) -> Result<bool> {
    store.has_table(SPELLINGS)
}

/// Creates the table of spellings: from now on, words with and without diacritics are one term.
pub(crate) fn create_table(store: &StateFile) -> Result<()> {
    create(store, SPELLINGS)
}

fn create(store: &StateFile, table: &str) -> Result<()> {
    store.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {table} (
            term INTEGER NOT NULL,
            class INTEGER NOT NULL,
            text TEXT NOT NULL,
            tf INTEGER NOT NULL,
            PRIMARY KEY (term, class, text)
        ) WITHOUT ROWID;"
    ))
}

/// Returns a word of a document without the spelling that was typed for it, and that, or the word.
fn split_typed(word: &str) -> (&str, &str) {
    word.split_once(TYPED).unwrap_or((word, word))
}

/// A term of a document, and its other spellings: words of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoldedTerm<'a> {
    pub text: Cow<'a, str>,
    pub tf: i64,
    pub spellings: Vec<(&'a str, i64)>,
}

/// Counts of spellings: the increments since the last write.
#[derive(Debug, Default)]
pub(crate) struct SpellingCounter {
    /// True if the statistics have ASCII folding; `None` before it was looked up.
    is_on: Option<bool>,
    /// tf by term id, class id and spelling.
    increments: BTreeMap<(i64, i64, Box<str>), i64>,
}

impl SpellingCounter {
    /// Returns the terms of a document from its distinct words and their frequencies, in order of
    /// first occurrence.
    pub fn fold<'a>(
        &mut self,
        store: &StateFile,
        words: Vec<(&'a str, i64)>,
    ) -> Result<Box<dyn Iterator<Item = FoldedTerm<'a>> + 'a>> {
        let is_on = match self.is_on {
            Some(is_on) => is_on,
            None => has_ascii_folding(store)?,
        };
        self.is_on = Some(is_on);
        if is_on || words.iter().any(|(word, _)| word.contains(TYPED)) {
            return Ok(Box::new(fold_words(words, is_on).into_iter()));
        }
        let unfolded = |(text, tf): (&'a str, i64)| FoldedTerm {
            text: text.into(),
            tf,
            spellings: Vec::new(),
        };
        Ok(Box::new(words.into_iter().map(unfolded)))
    }

    /// Counts the spellings of a term in a document of a class.
    pub fn count(&mut self, term: i64, class: i64, spellings: Vec<(&str, i64)>) {
        for (text, tf) in spellings {
            let spelling = (term, class, split_typed(text).1.into());
            *self.increments.entry(spelling).or_default() += tf;
        }
    }

    /// Replaces the ids of terms.
    pub fn renumber(&mut self, id_of: impl Fn(i64) -> i64) {
        self.increments = std::mem::take(&mut self.increments)
            .into_iter()
            .map(|((term, class, text), tf)| ((id_of(term), class, text), tf))
            .collect();
    }

    /// Writes the increments.
    pub fn write(&mut self, store: &StateFile) -> Result<()> {
        if self.increments.is_empty() {
            return Ok(());
        }
        let table = match self.is_on {
            Some(true) => SPELLINGS,
            _ => TYPED_SPELLINGS,
        };
        create(store, table)?;
        let mut upsert = store.prepare_cached(&format!(
            "INSERT INTO {table} VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (term, class, text) DO UPDATE SET tf = tf + ?4"
        ))?;
        for ((term, class, text), tf) in std::mem::take(&mut self.increments) {
            upsert.execute((term, class, text, tf))?;
        }
        Ok(())
    }
}

/// Returns the ASCII form of a term that has diacritics; `None` if it has none, or if the form is
/// no term, because it is too short or too long: Yoruba `ẹ̀` has two characters, and `e` has one.
fn folded_term(term: &str) -> Option<String> {
    match ascii_form(term) {
        Cow::Owned(form) if terms(&form).iter().eq([form.as_str()]) => Some(form),
        _ => None,
    }
}

/// Returns the term of a word of a document, which with `is_on` is the ASCII form.
pub(crate) fn term_of(word: &str, is_on: bool) -> Cow<'_, str> {
    let (term, _) = split_typed(word);
    let form = folded_term(term).filter(|_| is_on);
    form.map_or(Cow::Borrowed(term), Cow::Owned)
}

/// Adds up the words that have the same term, which with `is_on` is the ASCII form.
fn fold_words(words: Vec<(&str, i64)>, is_on: bool) -> Vec<FoldedTerm<'_>> {
    let mut folded: Vec<FoldedTerm> = Vec::with_capacity(words.len());
    let mut positions = BTreeMap::new();
    for (word, tf) in words {
        let (text, typed) = (term_of(word, is_on), split_typed(word).1);
        let spelling = (*text != *typed).then_some((word, tf));
        let position = *positions.entry(text.clone()).or_insert(folded.len());
        if position == folded.len() {
            folded.push(FoldedTerm {
                text,
                tf: 0,
                spellings: Vec::new(),
            });
        }
        folded[position].tf += tf;
        folded[position].spellings.extend(spelling);
    }
    folded
}

impl Statistics {
    /// Adds to a query the further spellings of its terms: with ASCII folding those with
    /// diacritics, otherwise the letters that most pages have in place of those of the term.
    pub(crate) fn add_spellings(&self, query: &mut Query, target: &str) -> Result<()> {
        let is_folded = has_ascii_folding(&self.db)?;
        if !is_folded && !self.db.has_table(TYPED_SPELLINGS)? {
            return Ok(());
        }
        let Query {
            include,
            exclude,
            variants,
            ..
        } = query;
        for (terms, is_included) in [(&*include, true), (&*exclude, false)] {
            for term in terms {
                let spelling = match is_folded {
                    true => self.other_spelling(term, target, is_included)?,
                    false => self.typed_spelling(term, target, is_included)?,
                };
                if let Some(spelling) = spelling {
                    variants.insert(term.clone(), vec![spelling]);
                }
            }
        }
        Ok(())
    }

    /// Returns the most frequent spelling of a term with diacritics: in the target for an inclusion
    /// term, in the other classes for an exclusion term. A term that has diacritics itself, because
    /// a strategy has taken it from a text, has its ASCII form. `None` if there is no other.
    fn other_spelling(
        &self,
        term: &str,
        target: &str,
        is_included: bool,
    ) -> Result<Option<String>> {
        if let Some(form) = folded_term(term) {
            return Ok(Some(form));
        }
        let spelling = self.most_frequent(SPELLINGS, term, target, is_included)?;
        Ok(spelling.map(|(text, _)| text))
    }

    /// Returns the most frequent spelling of a term in other letters, if it is that of most
    /// occurrences in the target for an inclusion term, in the other classes for an exclusion term.
    fn typed_spelling(
        &self,
        term: &str,
        target: &str,
        is_included: bool,
    ) -> Result<Option<String>> {
        let typed = self.most_frequent(TYPED_SPELLINGS, term, target, is_included)?;
        let Some((typed, tf)) = typed else {
            return Ok(None);
        };
        let all = self.db.find_row(
            "SELECT tf, coalesce((SELECT count.tf FROM class JOIN count
                ON count.class = class.id AND count.term = term.id WHERE name = ?2), 0)
             FROM term WHERE text = ?1",
            (term, target),
            |row| {
                let (all, in_target): (i64, i64) = (row.get(0)?, row.get(1)?);
                Ok(if is_included {
                    in_target
                } else {
                    all - in_target
                })
            },
        )?;
        Ok(all.is_none_or(|all| 2 * tf > all).then_some(typed))
    }

    /// Returns the most frequent spelling of a term in the rows of a table on one side of the
    /// target, and its frequency.
    fn most_frequent(
        &self,
        table: &str,
        term: &str,
        target: &str,
        is_included: bool,
    ) -> Result<Option<(String, i64)>> {
        let side = if is_included { "=" } else { "<>" };
        self.db.find_row(
            &format!(
                "SELECT spelled.text, sum(spelled.tf) FROM {table} AS spelled
                 JOIN term ON term.id = spelled.term JOIN class ON class.id = spelled.class
                 WHERE term.text = ?1 AND class.name {side} ?2
                 GROUP BY spelled.text ORDER BY sum(spelled.tf) DESC, spelled.text LIMIT 1"
            ),
            (term, target),
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// Fails if documents have been counted without ASCII folding; otherwise turns it on.
    pub(crate) fn turn_on_ascii_folding(&self) -> std::result::Result<(), StatisticsError> {
        self.with_path(|| {
            if !has_ascii_folding(&self.db)? && !self.classes()?.is_empty() {
                return Err(StatisticsError::NotFolded {
                    path: self.db.display_path(),
                });
            }
            Ok(create_table(&self.db)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Statistics, StatisticsError, open_ledger, rebuild_ledger, turn_on_ascii_folding};
    use forage_record::{Record, field};
    use forage_run::Ledger;
    use forage_text::terms;
    use std::path::Path;

    const TEXTS: [(&str, &str); 4] = [
        ("slv", "naša hiša, naša"),
        ("slv", "nasa hisa in naša ćilim"),
        ("slk", "náša náša náša chyža"),
        ("rus", "наш йод"),
    ];

    fn count(ledger: &mut Ledger, texts: &[(&str, &str)]) {
        for (class, text) in texts {
            let mut record = Record::new();
            record.set(field::TEXT, text);
            record.set(field::LABEL, class);
            ledger.apply(&record).unwrap();
        }
        ledger.commit().unwrap();
    }

    /// Counts the texts with ASCII folding, committed after `first` of them.
    fn folded_ledger(dir: &Path, first: usize) -> Ledger {
        let stats = dir.join("stats.db");
        turn_on_ascii_folding(&stats).unwrap();
        let journal = dir.join("journal.jsonl");
        let mut ledger = open_ledger(&stats, Some(&journal), None).unwrap();
        count(&mut ledger, &TEXTS[..first]);
        count(&mut ledger, &TEXTS[first..]);
        ledger.merge_wal().unwrap();
        ledger
    }

    /// Returns tf and df of the terms, and the spellings.
    fn rows(ledger: &Ledger) -> Vec<String> {
        let read = |sql| {
            let mut select = ledger.store().prepare(sql).unwrap();
            let rows = select.query_map([], |row| row.get(0)).unwrap();
            rows.map(Result::unwrap).collect::<Vec<String>>()
        };
        let mut rows = read("SELECT text || ' ' || tf || ' ' || df FROM term ORDER BY id");
        rows.extend(read(
            "SELECT term || ' ' || class || ' ' || text || ' ' || tf FROM spelling",
        ));
        rows
    }

    #[test]
    fn spellings_of_a_word_are_one_term() {
        let dir = tempfile::tempdir().unwrap();
        let rows = rows(&folded_ledger(dir.path(), 4));
        let expected = [
            "nasa 7 3",
            "hisa 2 2",
            "in 1 1",
            "cilim 1 1",
            "chyza 1 1",
            "наш 1 1",
            "йод 1 1",
            "1 1 naša 3",
            "1 2 náša 3",
            "2 1 hiša 1",
            "4 1 ćilim 1",
            "5 2 chyža 1",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn spellings_depend_neither_on_transactions_nor_on_a_rebuild() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let expected = rows(&folded_ledger(one.path(), 4));
        assert_eq!(rows(&folded_ledger(two.path(), 1)), expected);
        let journal = two.path().join("journal.jsonl");
        for (file, ascii_folding) in [("stats.db", false), ("new.db", true)] {
            let rebuilt = rebuild_ledger(&two.path().join(file), &journal, ascii_folding).unwrap();
            assert_eq!(rows(&rebuilt), expected, "{file}");
        }
    }

    #[test]
    fn the_other_spelling_is_the_most_frequent_one_on_the_side_of_the_term() {
        let dir = tempfile::tempdir().unwrap();
        let statistics = Statistics::from_ledger(&folded_ledger(dir.path(), 4));
        let other = |term, is_included| {
            let spelling = statistics.other_spelling(term, "slv", is_included).unwrap();
            spelling.unwrap_or_default()
        };
        assert_eq!(other("nasa", true), "naša");
        assert_eq!(other("nasa", false), "náša");
        assert_eq!(other("hisa", false), "");
        assert_eq!(other("in", true), "");
        assert_eq!(other("наш", false), "");
        // From a strategy that takes its terms from texts.
        assert_eq!(other("hiša", true), "hisa");
    }

    #[test]
    fn a_query_has_the_letters_that_most_pages_have() {
        let dir = tempfile::tempdir().unwrap();
        let journal = dir.path().join("journal.jsonl");
        let mut ledger = open_ledger(&dir.path().join("s.db"), Some(&journal), None).unwrap();
        count(
            &mut ledger,
            &[
                ("ron", "Maşina mea este în curtea şcolii, fără maşină"),
                ("ron", "Mașina este în curte, nu și în fața școlii"),
                ("che", "нана х1усамехь ю, х1ара книга хаза ю"),
                ("che", "х|ара Йо| ц|ахь ю"),
                ("tur", "şimdi ağaç"),
            ],
        );
        let statistics = Statistics::from_ledger(&ledger);
        let include = ["maşina", "școlii", "mașină", "хӏусамехь", "хӏара", "йоӏ"];
        let mut query = forage_record::Query {
            include: include.map(String::from).to_vec(),
            ..Default::default()
        };
        for (target, expected) in [
            ("ron", r#"{"mașină":["maşină"]}"#),
            ("che", r#"{"хӏусамехь":["х1усамехь"]}"#),
        ] {
            query.variants.clear();
            statistics.add_spellings(&mut query, target).unwrap();
            assert_eq!(serde_json::to_string(&query.variants).unwrap(), expected);
        }
    }

    #[test]
    fn a_form_that_is_no_term_is_not_folded() {
        assert_eq!(super::folded_term("ọ̀rọ̀").as_deref(), Some("oro"));
        for term in ["ẹ̀", "ọ̀", "йод", &"ß".repeat(40)] {
            assert_eq!(terms(term).len(), 1);
            assert_eq!(super::folded_term(term), None);
        }
    }

    #[test]
    fn a_rebuild_that_fails_does_not_turn_folding_on() {
        let dir = tempfile::tempdir().unwrap();
        let stats = dir.path().join("stats.db");
        count(&mut open_ledger(&stats, None, None).unwrap(), &TEXTS[..1]);
        assert!(rebuild_ledger(&stats, &dir.path().join("none"), true).is_err());
        assert!(turn_on_ascii_folding(&stats).is_err());
    }

    #[test]
    fn statistics_with_unfolded_terms_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let stats = dir.path().join("stats.db");
        count(&mut open_ledger(&stats, None, None).unwrap(), &TEXTS[..1]);
        let error = turn_on_ascii_folding(&stats).unwrap_err();
        assert!(
            matches!(error, StatisticsError::NotFolded { .. }),
            "{error}"
        );
    }
}
