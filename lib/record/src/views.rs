//! Typed views: the parts of a record that one tool reads or writes.
//!
//! A field that is absent when unknown is an `Option`, and `None` is not written. Views ignore
//! unknown fields and accept missing ones where possible, because a record may come from a script
//! of the user. The views are not the whole record; see [`crate::Record`].

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// Largest integer up to which a double represents all integers exactly. RFC 8259, section 6,
/// advises against greater ones, because many JSON readers store numbers as IEEE 754 doubles.
const MAX_INTEGER: u64 = 1 << 53;

/// Deserializes an integer that no JSON reader rounds.
fn exact_integer<'de, D: Deserializer<'de>>(number: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(number)?;
    if number > MAX_INTEGER {
        Err(D::Error::custom(format!("{number} is larger than 2^53")))
    } else {
        Ok(number)
    }
}

/// Deserializes an optional integer that no JSON reader rounds.
fn optional_exact_integer<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct ExactInteger(#[serde(deserialize_with = "exact_integer")] u64);
    Ok(Option::<ExactInteger>::deserialize(number)?.map(|ExactInteger(number)| number))
}

/// Deserializes an optional inclusion probability, which is above 0 and at most 1.
fn probability<'de, D: Deserializer<'de>>(number: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(number)? {
        Some(number) if !(number > 0.0 && number <= 1.0) => Err(D::Error::custom(format!(
            "{number} is not a probability above 0 and at most 1"
        ))),
        number => Ok(number),
    }
}

/// `step`: the unit in which a run is counted, repeated and resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The number of the step, from 1.
    #[serde(default, deserialize_with = "exact_integer")]
    pub number: u64,
    /// The class that the step looks for.
    #[serde(default)]
    pub target: String,
    /// True on the last record of the step. A tool that expands one record to several moves this to
    /// the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<bool>,
}

impl Step {
    /// Returns `true` if the record is known to be the last one of its step.
    pub fn is_last(&self) -> bool {
        self.last == Some(true)
    }

    /// Returns the step without the mark of its last record.
    pub fn unmarked(&self) -> Step {
        Step {
            last: None,
            ..self.clone()
        }
    }

    /// Returns the number of the last step that is complete after this record: its own step on the
    /// last record, the previous one otherwise.
    pub fn last_complete_step(&self) -> u64 {
        if self.is_last() {
            self.number
        } else {
            self.number.saturating_sub(1)
        }
    }
}

/// `query`: the terms that a document must and must not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Hash of the sorted literals, so that the order of the terms does not matter, or of `like` or
    /// `links_to`.
    #[serde(default)]
    pub id: String,
    /// Terms that a document must contain.
    #[serde(default)]
    pub include: Vec<String>,
    /// Terms that a document must not contain.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Further spellings of terms, by term: a document that has any of them counts as one that has
    /// the term.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variants: BTreeMap<String, Vec<String>>,
    /// The URL of an example document: the query asks for similar ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The URL of a page: the query asks for pages that link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links_to: Option<String>,
    /// The maximum number of hits to return in this step; none if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<NonZeroUsize>,
    /// The strategy that generated the query, with its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<QueryStrategy>,
}

impl Query {
    /// Returns the strategy of the query, if it has this name.
    pub fn strategy_named(&self, name: &str) -> Option<&QueryStrategy> {
        self.strategy
            .as_ref()
            .filter(|strategy| strategy.name == name)
    }
}

/// `query.strategy`: the name of a strategy, and its parameters for this query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryStrategy {
    /// The name of the strategy.
    #[serde(default)]
    pub name: String,
    /// The methods by which the terms were selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<SelectionMethods>,
    /// The ranks that query recovery skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<RecoveryOffsets>,
    /// The learner of selection methods and query lengths, as in `ltm/ii`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learner: Option<String>,
    /// The literals of the queried region, in the order of the splits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literals: Option<Vec<String>>,
    /// The inclusion probability of the region of a probe.
    #[serde(
        default,
        deserialize_with = "probability",
        skip_serializing_if = "Option::is_none"
    )]
    pub probability: Option<f64>,
    /// The id of the sample article from whose keyphrases the terms were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}

impl QueryStrategy {
    /// Creates a strategy without parameters.
    pub fn new(name: &str) -> Self {
        QueryStrategy {
            name: name.into(),
            ..QueryStrategy::default()
        }
    }
}

/// `query.strategy.method`: the selection methods with their numbers of terms, as in `or:3`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectionMethods {
    /// The method for inclusion terms.
    pub include: String,
    /// The method for exclusion terms.
    pub exclude: String,
}

/// `query.strategy.offset`: the numbers of top-ranked terms that query recovery skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryOffsets {
    /// Skipped inclusion terms.
    pub include: u32,
    /// Skipped exclusion terms.
    pub exclude: u32,
    /// Inclusion terms by which the query was shortened.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shorter: u32,
}

/// `hit`: the response of the search engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The engine as given to `search --engine`.
    pub engine: String,
    /// The rank among the hits of the query, from 1.
    #[serde(
        default,
        deserialize_with = "optional_exact_integer",
        skip_serializing_if = "Option::is_none"
    )]
    pub rank: Option<u64>,
    /// The title that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The snippet that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The time of the last change of the document, as the engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// The URLs of the document in other languages that the engine reports, by language.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub alternates: std::collections::BTreeMap<String, String>,
    /// The URL of the licence that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The number of calls to the engine that this record cost.
    #[serde(default, deserialize_with = "exact_integer")]
    pub calls: u64,
    /// The result of the query; absent on a record with `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<HitOutcome>,
    /// True if the engine did not get the exclusion terms of the query, as it does not honour them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unexcluded: bool,
    /// On the last record of a step: unseen hits of the query in the cache, retrieved from the
    /// engine and not yet returned.
    #[serde(
        default,
        deserialize_with = "exact_integer",
        skip_serializing_if = "is_zero"
    )]
    pub unseen: u64,
    /// On the last record of a step: the hits after the retrieved pages; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<MoreHits>,
    /// On the last record of a step: the number of matching documents that the engine reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// On the last record of a step: the document frequency of each word of the query that the
    /// engine reports.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub df: std::collections::BTreeMap<String, u64>,
}

/// Returns `true` for 0, which is not written.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

impl Hit {
    /// Returns `true` if the query is exhausted after its step: the cache has no unseen hit of it,
    /// and no further page may be requested.
    pub fn is_exhausted(&self) -> bool {
        self.unseen == 0 && self.more != Some(MoreHits::Pages)
    }
}

/// `hit.more`: the hits of a query after the retrieved pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoreHits {
    /// Pages that can be requested.
    Pages,
    /// Hits after the last page that may be requested.
    Hidden,
}

/// `hit.outcome`: the result of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HitOutcome {
    /// A URL that was not seen before in this run.
    Hit,
    /// The engine reported no hits.
    Empty,
    /// All hits of the query were seen before.
    Exhausted,
}

/// `frontier`: the place of the URL in the queue of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FrontierEntry {
    /// The mean score of the judged pages that link to the URL, or of which it is an in-link;
    /// `null` if there is none.
    #[serde(default)]
    pub score: Option<f64>,
    /// The number of links and in-links on the path from a seed by which the URL was found first.
    #[serde(default)]
    pub depth: u32,
    /// The number of these pages.
    #[serde(default)]
    pub parents: u64,
}

/// `fetch`: the metadata of the fetched page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fetch {
    /// The final URL, after redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The HTTP status code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The time of the request, in RFC 3339 and UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The media type, without parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The character encoding from which the body was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// The size of the decompressed body in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The BLAKE3 digest of the body, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The language that the page declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html_lang: Option<String>,
    /// The canonical URL that the page declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The date of publication: a date, or a time in RFC 3339. If the page declares none, it is
    /// that in its address, or beside its headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Where `published` was found: `json-ld`, `meta`, `element`, `url` or `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_source: Option<String>,
    /// The date or the time of the last change that the page declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Where `modified` was found, as `published_source`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_source: Option<String>,
    /// The names of the authors that the page declares, or that are beside its headline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<String>,
    /// The name of the site that the page declares, or that is in its `<title>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The section of the site that the page declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The description that the page declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The URL of the picture that stands for the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The key words that the page declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The URLs of the page in other languages, by language tag (`hreflang`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub alternates: BTreeMap<String, String>,
    /// The robots directives of the page and of its header block, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<String>,
    /// The reservations against text and data mining that the page declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub optout: Vec<String>,
    /// The licence to which the page links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// The sign that the page is an error page despite its success status: `root-redirect` or
    /// `same-body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_404: Option<String>,
    /// True if the page is unchanged since an earlier archive; not written otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// True if the body is incomplete or damaged, and the text is that of the part which could be
    /// read; not written otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The site rule for the host of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<SiteRule>,
    /// The location of the exchange in an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc: Option<WarcLocation>,
}

impl Fetch {
    /// Adds the values that `other` has.
    ///
    /// # Errors
    /// Fails if a value has no form in JSON.
    pub fn extend(&mut self, other: &Fetch) -> serde_json::Result<()> {
        let [mut values, others] = [&*self, other].map(serde_json::to_value);
        if let (Ok(Value::Object(values)), Value::Object(others)) = (&mut values, others?) {
            values.extend(others);
        }
        *self = Fetch::deserialize(values?)?;
        Ok(())
    }
}

/// `fetch.rule`: the site rule for the host of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteRule {
    /// The host for which the rule is written.
    pub host: String,
    /// True if the rule determined the text; false if it matches nothing on the page.
    pub matched: bool,
}

/// `fetch.warc`: the location of a record in a WARC archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarcLocation {
    /// The path of the archive, as given to `--warc` or `--from-warc`.
    pub file: String,
    /// The offset of the record in bytes.
    pub offset: u64,
}

/// `previous`: what is known of a page that is asked for again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Previous {
    /// The `id` of the version that the corpus has; `None` if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The class of that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The target of the step that retrieved that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The number of words of that version.
    #[serde(skip_serializing_if = "is_zero")]
    pub words: u64,
    /// The time of the last request, in RFC 3339 and UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The time of the first of the last requests to which the server answered that the page is
    /// gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub away: Option<String>,
    /// The place of that version in a WARC archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc: Option<WarcLocation>,
}

/// An item of `links`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The absolute URL.
    pub url: String,
    /// The anchor text.
    pub text: String,
    /// The `rel` attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// An item of `comments`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The text, with one line feed between paragraphs.
    pub text: String,
    /// The name of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The date or time, as on the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

/// `dedup`: the duplicate status of the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dedup {
    /// New, or the kind of duplicate.
    pub status: DedupStatus,
    /// The `id` of the earlier document that it duplicates; `null` if that has none.
    #[serde(default)]
    pub of: Option<String>,
    /// The resemblance to that document, 0 to 1 (Broder 1997).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
    /// With `--paragraphs`: the paragraphs that repeat earlier text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Vec<RepeatedParagraph>>,
}

/// A paragraph in `dedup.repeated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatedParagraph {
    /// Its number, from 0, among the lines of `text`.
    pub paragraph: usize,
    /// The share of its sequences of five words that were seen before, 0 to 1.
    pub share: f64,
}

/// `dedup.status`: the kind of duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DedupStatus {
    /// No earlier document resembles it.
    New,
    /// An earlier document has the same text.
    Exact,
    /// The resemblance to an earlier document reaches the threshold.
    Near,
    /// An earlier document has the same title.
    Title,
}

/// `topic`: how near the document is to the topic, and how that was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// The value of `measure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The similarity measure by which the document was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// The id of the sample article with which the document was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// The metrics that vote for the document, if it was judged by a topic profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Vec<String>>,
    /// The factor of the thresholds, if they were lowered or raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_factor: Option<f64>,
    /// The values of all measures or metrics, by name.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub scores: std::collections::BTreeMap<String, f64>,
}

/// `sample`: the place of the document in a sample that people judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The identity by which the document is judged: its `id`, else its `url`, else a hash of its
    /// text.
    pub id: String,
    /// The group of the document.
    pub group: String,
    /// The number of documents in the group.
    #[serde(deserialize_with = "exact_integer")]
    pub size: u64,
    /// The class that the document is judged for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What people are asked, such as "Is this Slovenian?".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// True: the document is drawn.
    pub drawn: bool,
}

#[cfg(test)]
mod tests {
    use super::Fetch;

    #[test]
    fn the_values_of_a_response_are_added_to_those_of_its_page() {
        let mut fetch = Fetch {
            site: Some("a".into()),
            status: Some(500),
            truncated: true,
            ..Fetch::default()
        };
        let response = Fetch {
            status: Some(200),
            unchanged: true,
            ..Fetch::default()
        };
        fetch.extend(&response).unwrap();
        let expected = Fetch {
            site: Some("a".into()),
            truncated: true,
            ..response
        };
        assert_eq!(fetch, expected);
    }
}
