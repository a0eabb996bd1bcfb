//! Names of the top-level fields, and the forms by which fields of Forage are told from those of
//! other programs.

use crate::RecordError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The step that the record belongs to; added by `gen-query` or `frontier`.
pub const STEP: &str = "step";
/// The query that retrieved the record; added by `gen-query`.
pub const QUERY: &str = "query";
/// The absolute URL; added by `search`, `frontier` or the user.
pub const URL: &str = "url";
/// The place of the URL in the queue of a crawl; added by `frontier`.
pub const FRONTIER: &str = "frontier";
/// The response of the search engine; added by `search`.
pub const HIT: &str = "hit";
/// The identifier of the document; added by `fetch-extract`, the index or the user.
pub const ID: &str = "id";
/// The title of the document; added with the text.
pub const TITLE: &str = "title";
/// The text of the document, in Unicode NFC, with one line feed between paragraphs.
pub const TEXT: &str = "text";
/// The HTML of a page, from which the text is extracted without network access; added by the user.
pub const HTML: &str = "html";
/// The metadata of the fetched page; added by `fetch-extract`.
pub const FETCH: &str = "fetch";
/// The links of the page; added by `fetch-extract --links`.
pub const LINKS: &str = "links";
/// The parts of the text.
pub const STRUCTURE: &str = "structure";
/// The comments of readers; added by `fetch-extract --comments`.
pub const COMMENTS: &str = "comments";
/// The pages that link to the page, according to a search engine; added by `search --in-links`.
pub const IN_LINKS: &str = "in_links";
/// The duplicate status of the document; added by `dedup`.
pub const DEDUP: &str = "dedup";
/// The language of the text; added by `langid`.
pub const LANGID: &str = "langid";
/// The keyphrases of title and text with their scores, best first; added by `keywords`.
pub const KEYWORDS: &str = "keywords";
/// The method by which the keyphrases were found; added by `keywords`.
pub const KEYWORDS_METHOD: &str = "keywords_method";
/// The similarity to the sample articles; added by `topic-filter`.
pub const TOPIC: &str = "topic";
/// The place of the document in a sample that people judge; added by `sample`.
pub const SAMPLE: &str = "sample";
/// Measures of the text, and the reasons for which it is no prose; added by `quality`.
pub const QUALITY: &str = "quality";
/// True if the document was rejected in an earlier step and is judged again in this one; added by
/// `topic-filter`.
pub const RETRY: &str = "retry";
/// The first step in which an initial document is counted; added by `update-stats`.
pub const FROM_STEP: &str = "from_step";
/// What was here before it was taken down: URL, id and digest of the text, with the reason and the
/// time; set by `take-down`.
pub const TAKEN_DOWN: &str = "taken_down";
/// The class of the document; added by `langid`, another filter or the user.
pub const LABEL: &str = "label";
/// The version of the page that the corpus has, if the page is asked for again; added by pipelines.
pub const PREVIOUS: &str = "previous";
/// The time from which a pipeline asks its queries and pages again; added by pipelines.
pub const REFRESH: &str = "refresh";
/// The error of the first tool that could not process the record; added by any tool.
pub const ERROR: &str = "error";

/// A keyphrase of any schema, even if a part of it is damaged.
#[derive(Deserialize)]
struct AnyKeyphrase {
    #[serde(rename = "phrase")]
    _phrase: IgnoredAny,
    #[serde(rename = "score", default)]
    _score: IgnoredAny,
    #[serde(rename = "key", default)]
    _key: IgnoredAny,
}

/// Returns `true` if a value has the form that Forage gives to the field `key`, even if a part of
/// it is damaged. Other programs have fields of the same names, such as `"step":"news"`.
pub(crate) fn is_own_form(key: &str, json: &str) -> bool {
    let has_member = |member: &str| {
        serde_json::from_str::<BTreeMap<String, IgnoredAny>>(json)
            .is_ok_and(|object| object.contains_key(member))
    };
    match key {
        STEP => has_member("number"),
        LANGID => has_member("code"),
        DEDUP => has_member("status"),
        HIT => has_member("engine"),
        QUALITY => has_member("reasons"),
        QUERY | FETCH | TOPIC => json.starts_with('{'),
        KEYWORDS => serde_json::from_str::<Vec<AnyKeyphrase>>(json).is_ok(),
        ERROR => serde_json::from_str::<RecordError>(json).is_ok(),
        _ => true,
    }
}
