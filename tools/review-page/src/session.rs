//! The documents of a sample and the verdicts on them.

use crate::verdict_file::{SavedVerdict, VerdictFile};
use anyhow::Context;
use foldhash::{HashMap, HashMapExt};
use forage_record::{Fetch, LangId, Record, Sample, field};
use forage_review::{
    AcceptanceRule, Group, GroupReport, GroupTally, Verdict, is_judgeable_identity,
};
use forage_run::Event;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// The review of a sample. Texts are kept in a temporary file without a name.
#[derive(Debug)]
pub struct ReviewSession {
    documents: Vec<SampledDocument>,
    numbers: HashMap<String, usize>,
    /// The question about the first document.
    question: Option<String>,
    texts: File,
    texts_length: u64,
    verdicts: VerdictFile,
    /// The verdicts that the file had when it was opened, until they are applied.
    saved: Vec<SavedVerdict>,
    /// The judgements in the order of the file, for undoing them from the last one.
    history: Vec<HistoryEntry>,
    rule: AcceptanceRule,
}

#[derive(Debug)]
struct SampledDocument {
    id: String,
    group: Group,
    /// The number of documents in the group.
    group_size: u64,
    /// The position and length of its JSON for the page in `texts`.
    offset: u64,
    length: usize,
    verdict: Option<Verdict>,
}

#[derive(Debug)]
struct HistoryEntry {
    /// The document; `None` if it is not in the sample.
    number: Option<usize>,
    previous: Option<Verdict>,
}

/// What the page shows of a document.
#[derive(Serialize)]
struct ShownDocument<'a> {
    title: Option<&'a str>,
    /// Only HTTP addresses: the page makes it a link, and a script address would run.
    url: Option<&'a str>,
    lang: Option<&'a str>,
    text: &'a str,
    /// What people are asked about the document.
    question: &'a str,
    group: &'a str,
    topic: Option<Value>,
    langid: Option<LangId>,
}

/// The question about a document that was drawn without one.
const GENERAL_QUESTION: &str = "Is the document relevant?";

/// The progress of the review.
#[derive(Debug, Serialize)]
pub(crate) struct Progress {
    documents: usize,
    judged: usize,
    /// The share of relevant documents that an accepted group must exceed.
    limit: f64,
    groups: Vec<GroupProgress>,
}

#[derive(Debug, Serialize)]
struct GroupProgress {
    #[serde(flatten)]
    report: GroupReport,
    drawn: u64,
}

impl ReviewSession {
    /// Creates a review of no documents whose verdicts are in the file at `judgements`. The file is
    /// created if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is malformed, or another session has it open.
    pub fn open(judgements: &Path, rule: AcceptanceRule) -> anyhow::Result<ReviewSession> {
        let (verdicts, saved) = VerdictFile::open(judgements)?;
        Ok(ReviewSession {
            documents: Vec::new(),
            numbers: HashMap::new(),
            question: None,
            texts: tempfile::tempfile().context("temporary file for the texts")?,
            texts_length: 0,
            verdicts,
            saved,
            history: Vec::new(),
            rule,
        })
    }

    /// Adds a document of the sample. A record without `sample`, or of a document that was added
    /// already, is ignored. Returns `true` if it was added.
    ///
    /// # Errors
    /// Fails if its id cannot be in a line of judgements, or the temporary file cannot be written.
    pub fn add_document(&mut self, record: &Record) -> anyhow::Result<bool> {
        let Some(sample) = record.view::<Sample>(field::SAMPLE).ok().flatten() else {
            return Ok(false);
        };
        if self.numbers.contains_key(&sample.id) {
            return Ok(false);
        }
        anyhow::ensure!(
            is_judgeable_identity(&sample.id),
            "sample.id {:?}: cannot be in a line of judgements; draw documents with sample",
            sample.id
        );
        let json = shown_json(record, &sample)?;
        self.question
            .get_or_insert_with(|| question_of(&sample).into());
        self.texts
            .write_all_at(&json, self.texts_length)
            .context("temporary file for the texts")?;
        self.numbers.insert(sample.id.clone(), self.documents.len());
        self.documents.push(SampledDocument {
            id: sample.id,
            group: Group::from_name(&sample.group),
            group_size: sample.size,
            offset: self.texts_length,
            length: json.len(),
            verdict: None,
        });
        self.texts_length += json.len() as u64;
        Ok(true)
    }

    /// Applies the verdicts that the file had when it was opened. To be called after all documents
    /// are added.
    pub fn apply_saved_verdicts(&mut self) {
        for saved in std::mem::take(&mut self.saved) {
            let number = self.numbers.get(&saved.id).copied();
            self.apply_verdict(number, saved.verdict);
        }
    }

    /// Returns the question about the first document.
    pub(crate) fn first_question(&self) -> &str {
        self.question.as_deref().unwrap_or(GENERAL_QUESTION)
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns `true` if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns the number of judged documents.
    pub fn judged(&self) -> usize {
        let is_judged = |document: &&SampledDocument| document.verdict.is_some();
        self.documents.iter().filter(is_judged).count()
    }

    /// Returns the verdicts by document.
    pub(crate) fn verdict_names(&self) -> Vec<Option<&'static str>> {
        self.documents
            .iter()
            .map(|document| document.verdict.map(Verdict::name))
            .collect()
    }

    /// Returns what the page shows of a document, as JSON; `None` if there is no such document.
    ///
    /// # Errors
    /// Fails if the temporary file cannot be read.
    pub(crate) fn document_json(&self, number: usize) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(document) = self.documents.get(number) else {
            return Ok(None);
        };
        let mut json = vec![0; document.length];
        self.texts
            .read_exact_at(&mut json, document.offset)
            .context("temporary file for the texts")?;
        Ok(Some(json))
    }

    /// Saves a verdict. Returns `false` if there is no such document.
    ///
    /// # Errors
    /// Fails if the verdict cannot be saved; it then has no effect.
    pub(crate) fn judge(&mut self, number: usize, verdict: Verdict) -> anyhow::Result<bool> {
        let Some(document) = self.documents.get(number) else {
            return Ok(false);
        };
        self.verdicts.append(&document.id, verdict)?;
        self.apply_verdict(Some(number), verdict);
        Ok(true)
    }

    fn apply_verdict(&mut self, number: Option<usize>, verdict: Verdict) {
        let document = number.and_then(|number| self.documents.get_mut(number));
        let previous = document.and_then(|document| document.verdict.replace(verdict));
        self.history.push(HistoryEntry { number, previous });
    }

    /// Removes the last verdict. Returns its document; `None` if there is no verdict, or the last
    /// one in the file is not about a document of the sample.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or has another last verdict since it was edited.
    pub(crate) fn undo(&mut self) -> anyhow::Result<Option<usize>> {
        let Some(&HistoryEntry {
            number: Some(number),
            previous,
        }) = self.history.last()
        else {
            return Ok(None);
        };
        let document = &mut self.documents[number];
        if let Some(verdict) = document.verdict {
            self.verdicts.remove_last(&document.id, verdict)?;
        }
        document.verdict = previous;
        self.history.pop();
        Ok(Some(number))
    }

    /// Returns the progress of the review, by group.
    pub(crate) fn progress(&self) -> Progress {
        let mut groups: BTreeMap<&Group, (u64, GroupTally)> = BTreeMap::new();
        for document in &self.documents {
            let (drawn, tally) = groups.entry(&document.group).or_default();
            *drawn += 1;
            tally.add_document(document.verdict);
            tally.documents = document.group_size;
        }
        Progress {
            documents: self.documents.len(),
            judged: self.judged(),
            limit: self.rule.limit,
            groups: groups
                .into_iter()
                .map(|(group, (drawn, mut tally))| {
                    // The size is from the input, and may be wrong.
                    tally.documents = tally.documents.max(drawn);
                    GroupProgress {
                        report: GroupReport::new(group, &tally, self.rule),
                        drawn,
                    }
                })
                .collect(),
        }
    }
}

fn question_of(sample: &Sample) -> &str {
    sample.question.as_deref().unwrap_or(GENERAL_QUESTION)
}

/// Returns what the page shows of a document, as JSON.
fn shown_json(record: &Record, sample: &Sample) -> anyhow::Result<Vec<u8>> {
    let event = Event::from_record(record);
    let langid = record.view::<LangId>(field::LANGID).ok().flatten();
    let fetch = record.view::<Fetch>(field::FETCH).ok().flatten();
    let declared = fetch.and_then(|fetch| fetch.html_lang);
    let is_http = |url: &str| url.starts_with("http://") || url.starts_with("https://");
    let (title, url) = (event.title(), event.url());
    let shown = ShownDocument {
        title: title.as_deref(),
        url: url.as_deref().filter(|url| is_http(url)),
        lang: langid
            .as_ref()
            .map(|langid| langid.code.as_str())
            .or(declared.as_deref()),
        text: &event.text(),
        question: question_of(sample),
        group: &sample.group,
        topic: record.get(field::TOPIC).ok().flatten(),
        langid: langid.clone(),
    };
    Ok(serde_json::to_vec(&shown)?)
}

#[cfg(test)]
mod tests {
    use super::ReviewSession;
    use forage_record::Record;
    use forage_review::{AcceptanceRule, Verdict};
    use std::fs;
    use std::path::Path;

    const RULE: AcceptanceRule = AcceptanceRule { limit: 0.75 };

    fn open(path: &Path) -> ReviewSession {
        let mut session = ReviewSession::open(path, RULE).unwrap();
        for (id, url) in [
            ("a", "http://a/"),
            ("b", "javascript:alert(1)"),
            ("a", "http://c/"),
        ] {
            let sample = format!(r#"{{"id":"{id}","group":"vsm","size":9,"drawn":true}}"#);
            let json =
                format!(r#"{{"url":"{url}","title":"<b>","text":"{id}\nx","sample":{sample}}}"#);
            session
                .add_document(&Record::parse(json.into_bytes()).unwrap())
                .unwrap();
        }
        session.apply_saved_verdicts();
        session
    }

    #[test]
    fn verdicts_survive_the_session_and_are_undone_from_the_last() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        let mut session = open(&path);
        assert_eq!((session.len(), session.judged()), (2, 0));
        assert!(session.judge(0, Verdict::Relevant).unwrap());
        assert!(session.judge(1, Verdict::Nonrelevant).unwrap());
        assert!(!session.judge(2, Verdict::Relevant).unwrap());
        drop(session);
        let mut session = open(&path);
        assert_eq!(session.verdict_names(), [Some("yes"), Some("no")]);
        session.judge(0, Verdict::Nonrelevant).unwrap();
        assert_eq!(session.undo().unwrap(), Some(0));
        assert_eq!(session.verdict_names(), [Some("yes"), Some("no")]);
        assert_eq!(session.undo().unwrap(), Some(1));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\tyes\n");
        assert_eq!(session.undo().unwrap(), Some(0));
        assert_eq!(session.undo().unwrap(), None);
    }

    #[test]
    fn judgements_of_other_documents_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        fs::write(&path, "other\tyes\n").unwrap();
        let mut session = open(&path);
        session.judge(0, Verdict::Relevant).unwrap();
        session.undo().unwrap();
        assert_eq!(session.undo().unwrap(), None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "other\tyes\n");
    }

    #[test]
    fn verdicts_are_in_the_file_that_has_the_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        let mut session = open(&path);
        session.judge(0, Verdict::Relevant).unwrap();
        // As an editor saves: another file gets the name. Its last line has no line feed.
        fs::write(dir.path().join("new"), "other\tno\na\tyes").unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        session.judge(1, Verdict::Nonrelevant).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "other\tno\na\tyes\nb\tno\n");
        fs::remove_file(&path).unwrap();
        session.judge(0, Verdict::Nonrelevant).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\tno\n");
    }

    #[test]
    fn undo_removes_only_the_verdict_that_it_is_about() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        let mut session = open(&path);
        session.judge(0, Verdict::Relevant).unwrap();
        session.judge(1, Verdict::Nonrelevant).unwrap();
        for changed in [
            "",
            "a\tyes\n",
            "a\tyes\nb\tyes\n",
            "a\tyes\nb\tno\nc\tyes\n",
        ] {
            fs::write(&path, changed).unwrap();
            let message = session.undo().unwrap_err().to_string();
            assert!(message.contains("j.tsv: "), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), changed);
        }
        fs::write(&path, "# mine\nb\tno\n").unwrap();
        assert_eq!(session.undo().unwrap(), Some(1));
        assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
        assert_eq!(session.verdict_names(), [Some("yes"), None]);
    }

    #[test]
    fn an_id_that_is_no_line_of_the_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut session = ReviewSession::open(&dir.path().join("j.tsv"), RULE).unwrap();
        for id in ["", "a\\tb", "a\\nb", "\u{feff}a"] {
            let json =
                format!(r#"{{"sample":{{"id":"{id}","group":"vsm","size":1,"drawn":true}}}}"#);
            let record = Record::parse(json.into_bytes()).unwrap();
            assert!(session.add_document(&record).is_err(), "{id}");
        }
    }

    #[test]
    fn a_script_address_is_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let session = open(&dir.path().join("j.tsv"));
        let json = String::from_utf8(session.document_json(1).unwrap().unwrap()).unwrap();
        assert!(json.contains(r#""url":null"#), "{json}");
        assert!(session.document_json(2).unwrap().is_none());
    }

    #[test]
    fn progress_applies_the_rule_to_the_whole_group() {
        let dir = tempfile::tempdir().unwrap();
        let mut session = open(&dir.path().join("j.tsv"));
        session.judge(0, Verdict::Relevant).unwrap();
        let progress = session.progress();
        let group = &progress.groups[0];
        assert_eq!(
            (group.drawn, group.report.judged, group.report.kept),
            (2, 1, 9)
        );
    }
}
