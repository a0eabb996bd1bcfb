//! The judgements of people: a verdict per document.

use foldhash::{HashMap, HashMapExt};
use forage_run::Event;

/// What a person judged a document to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// What the run has asked for.
    Relevant,
    /// Something else.
    Nonrelevant,
}

impl Verdict {
    /// Parses `yes` or `no`.
    pub fn parse(text: &str) -> Option<Verdict> {
        match text {
            "yes" => Some(Verdict::Relevant),
            "no" => Some(Verdict::Nonrelevant),
            _ => None,
        }
    }

    /// Returns `yes` or `no`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Relevant => "yes",
            Verdict::Nonrelevant => "no",
        }
    }
}

/// A document's identity as a hash of 128 bits, so that millions fit in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey(u128);

impl DocumentKey {
    /// Returns the key of an identity.
    pub fn new(identity: &str) -> DocumentKey {
        let hash = blake3::hash(identity.as_bytes());
        DocumentKey(u128::from_le_bytes(hash.as_bytes().as_chunks().0[0]))
    }

    /// Returns the key of a document.
    pub fn of(event: &Event) -> DocumentKey {
        DocumentKey::new(&DocumentKey::identity_of(event))
    }

    /// Returns the identity of a document, by which it is judged: its `id`, else its `url`, else
    /// the id that its text alone gives. An `id` or `url` that cannot be in a line of judgements is
    /// passed over.
    pub fn identity_of(event: &Event) -> String {
        [event.id(), event.url()]
            .into_iter()
            .flatten()
            .find(|identity| is_judgeable_identity(identity))
            .map_or_else(
                || forage_text::document_id("", &event.text()),
                |identity| identity.into_owned(),
            )
    }
}

/// The verdicts by document.
#[derive(Debug, Default)]
pub struct Judgements(HashMap<DocumentKey, Verdict>);

impl Judgements {
    /// Creates judgements of no document.
    pub fn new() -> Judgements {
        Judgements(HashMap::new())
    }

    /// Parses a line as [`parse_judgement`] does, and adds its verdict. A later line replaces an
    /// earlier one for the same document.
    ///
    /// # Errors
    /// Fails if the line is malformed.
    pub fn add_line(&mut self, line: &[u8]) -> Result<(), String> {
        if let Some((identity, verdict)) = parse_judgement(line)? {
            self.0.insert(DocumentKey::new(identity), verdict);
        }
        Ok(())
    }

    /// Returns the verdict on a document; `None` if it is not judged.
    pub fn verdict(&self, key: DocumentKey) -> Option<Verdict> {
        self.0.get(&key).copied()
    }

    /// Combines the verdicts of several people: a document is relevant if all who have judged it
    /// say so.
    pub fn combine(people: &[Judgements]) -> Judgements {
        let mut combined = Judgements::new();
        for (key, verdict) in people.iter().flat_map(Judgements::iter) {
            let earlier = combined.0.entry(key).or_insert(verdict);
            if verdict == Verdict::Nonrelevant {
                *earlier = verdict;
            }
        }
        combined
    }

    /// Returns the verdicts, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (DocumentKey, Verdict)> {
        self.0.iter().map(|(&key, &verdict)| (key, verdict))
    }

    /// Returns the number of documents with a verdict.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if no document has a verdict.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns `true` if a line of judgements can begin with an identity: one that is not empty, has no
/// tab or line break, and no byte order mark at its start, which readers of a file remove.
pub fn is_judgeable_identity(identity: &str) -> bool {
    !identity.is_empty()
        && !identity.contains(['\t', '\n', '\r'])
        && !identity.starts_with('\u{feff}')
}

/// Parses a line of judgements; `None` for a comment or a blank line. A line that starts with `#`
/// is a comment, unless it has the form of a judgement, because an identity may start with `#`.
///
/// # Errors
/// Fails if the line is not an identity, a tab, and `yes` or `no`.
pub fn parse_judgement(line: &[u8]) -> Result<Option<(&str, Verdict)>, String> {
    let line = std::str::from_utf8(line).map_err(|_| "is not UTF-8")?;
    if line.trim().is_empty() {
        return Ok(None);
    }
    match split_judgement(line) {
        Err(_) if line.starts_with('#') => Ok(None),
        judgement => judgement.map(Some),
    }
}

fn split_judgement(line: &str) -> Result<(&str, Verdict), String> {
    let (identity, verdict) = line
        .split_once('\t')
        .filter(|(identity, _)| !identity.is_empty())
        .ok_or("is not \"id, tab, yes or no\"")?;
    let verdict = verdict.trim();
    Verdict::parse(verdict)
        .map(|verdict| (identity, verdict))
        .ok_or_else(|| format!("`{verdict}` is not a verdict; use yes or no"))
}

#[cfg(test)]
mod tests {
    use super::{DocumentKey, Judgements, Verdict};
    use forage_record::Record;
    use forage_run::Event;

    #[test]
    fn later_lines_win_and_comments_are_ignored() {
        let mut judgements = Judgements::new();
        for line in [
            "# by me",
            "",
            "a\tyes",
            "b\tno",
            "a\tno",
            "http://c/ d\tyes ",
        ] {
            judgements.add_line(line.as_bytes()).unwrap();
        }
        let verdict = |identity| judgements.verdict(DocumentKey::new(identity));
        assert_eq!(verdict("a"), Some(Verdict::Nonrelevant));
        assert_eq!(verdict("http://c/ d"), Some(Verdict::Relevant));
        assert_eq!((verdict("z"), judgements.len()), (None, 3));
    }

    #[test]
    fn a_judgement_may_be_about_an_id_that_looks_like_a_comment() {
        let mut judgements = Judgements::new();
        for line in [
            "#c\tyes",
            "# c\tno\r",
            "#id\tverdict",
            "# yes",
            "#",
            "#\t",
            "\u{20}\tno",
            "\u{20}c\tyes",
        ] {
            judgements.add_line(line.as_bytes()).unwrap();
        }
        let verdict = |identity| judgements.verdict(DocumentKey::new(identity));
        assert_eq!(verdict("#c"), Some(Verdict::Relevant));
        assert_eq!(verdict("# c"), Some(Verdict::Nonrelevant));
        assert_eq!(verdict(" "), Some(Verdict::Nonrelevant));
        assert_eq!(verdict(" c"), Some(Verdict::Relevant));
        assert_eq!(judgements.len(), 4);
    }

    #[test]
    fn one_no_is_enough_whoever_says_it() {
        let person = |lines: &[&str]| {
            let mut judgements = Judgements::new();
            for line in lines {
                judgements.add_line(line.as_bytes()).unwrap();
            }
            judgements
        };
        let people = [
            person(&["a\tyes", "b\tno", "c\tyes"]),
            person(&["a\tno", "b\tyes", "d\tno"]),
        ];
        for people in [
            &people[..],
            &[
                person(&["a\tno", "b\tyes", "d\tno"]),
                person(&["b\tno", "c\tyes"]),
            ],
        ] {
            let combined = Judgements::combine(people);
            let verdict = |identity| combined.verdict(DocumentKey::new(identity));
            assert_eq!(
                (verdict("a"), verdict("b")),
                (Some(Verdict::Nonrelevant), Some(Verdict::Nonrelevant))
            );
            assert_eq!(
                (verdict("c"), verdict("e")),
                (Some(Verdict::Relevant), None)
            );
        }
    }

    #[test]
    fn refuses_malformed_lines() {
        for line in [
            &b"a yes"[..],
            b"a\tmaybe",
            b"a\t",
            b"\tyes",
            b"\xff\tyes",
            b"a\tYES",
        ] {
            assert!(Judgements::new().add_line(line).is_err(), "{line:?}");
        }
    }

    #[test]
    fn a_document_is_known_by_its_id_or_url_or_text() {
        let identity = |json: &str| {
            let record = Record::parse(json.as_bytes().to_vec()).unwrap();
            DocumentKey::identity_of(&Event::from_record(&record))
        };
        assert_eq!(identity(r#"{"id":"a","url":"http://a/","text":"x"}"#), "a");
        assert_eq!(
            identity(r#"{"id":[3],"url":"http://a/","text":"x"}"#),
            "http://a/"
        );
        assert_eq!(identity(r#"{"id":3,"url":"http://a/","text":"x"}"#), "3");
        assert_eq!(
            identity(r#"{"id":"a\tb","url":"http://a/","text":"x"}"#),
            "http://a/"
        );
        assert_eq!(
            identity("{\"id\":\"\u{feff}a\",\"url\":\"http://a/\",\"text\":\"x\"}"),
            "http://a/"
        );
        assert_eq!(
            identity(r#"{"text":"x"}"#),
            forage_text::document_id("", "x")
        );
    }
}
