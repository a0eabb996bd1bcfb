//! A document as the formats see it.

use forage_record::{Fetch, Hit, LangId, Query, Record, StructurePart, Topic, field};
use forage_run::{Event, without_folders};
use forage_text::{document_id, normalise};
use forage_web::page_url::host_of;
use std::borrow::Cow;

/// A document with the metadata that formats have columns for. What is unknown is empty.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    /// Its record.
    pub record: &'a Record,
    /// Its id; that of its URL and text if the record has none.
    pub id: String,
    /// Its URL.
    pub url: Cow<'a, str>,
    /// Its title, in NFC.
    pub title: Cow<'a, str>,
    /// Its text in NFC, without blanks at both ends: tokens are cut at marks that could be
    /// composed, and validators of CoNLL-U refuse them.
    pub text: Cow<'a, str>,
    /// The parts of the text, with places in it; empty if they are unknown.
    pub structure: Vec<StructurePart>,
    /// Its class.
    pub label: &'a str,
    /// The score of the filter, 0 to 1.
    pub score: Option<f64>,
    /// The margin of the language filter to the second-best language, 0 to 1.
    pub margin: Option<f64>,
    /// The date of publication that the page declares.
    pub date: String,
    /// The host of the URL.
    pub host: String,
    /// The query that retrieved it.
    pub query: String,
    /// The id of the query: the same for the same terms in another order.
    pub query_id: String,
    /// The search engine that returned it, without the folders of a local index.
    pub engine: String,
    /// The language of its text.
    pub langid: Option<LangId>,
    /// The metadata of its page.
    pub fetch: Fetch,
}

impl<'a> Document<'a> {
    /// Creates the document of a record of the class `label`.
    pub fn from_event(event: &'a Event<'a>, label: &'a str) -> Self {
        let record = event.record();
        let url = event.url().unwrap_or_default();
        let whole_text = event.text();
        let mut structure = trimmed_structure(record, &whole_text);
        let text = match whole_text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        let id = event.id().filter(|id| !id.trim().is_empty());
        let id = match id {
            Some(id) => id.into_owned(),
            None => document_id(&url, &text),
        };
        let normal = in_nfc(text.clone());
        if normal != text {
            structure = places_in_nfc(structure, &text, &normal);
        }
        let fetch: Fetch = record.view(field::FETCH).ok().flatten().unwrap_or_default();
        let langid: Option<LangId> = record.view(field::LANGID).ok().flatten();
        let hit: Option<Hit> = record.view(field::HIT).ok().flatten();
        let topic: Option<Topic> = record.view(field::TOPIC).ok().flatten();
        Document {
            record,
            id,
            host: host_of(&url).unwrap_or_default(),
            url,
            title: in_nfc(event.title().unwrap_or_default()),
            text: normal,
            structure,
            label,
            score: match &langid {
                Some(langid) => Some(langid.score),
                None => topic.and_then(|topic| topic.score),
            },
            margin: langid.as_ref().map(|langid| langid.margin),
            date: fetch.published.clone().unwrap_or_default(),
            query: event.query.as_ref().map(format_query).unwrap_or_default(),
            query_id: event
                .query
                .as_ref()
                .map_or(String::new(), |query| query.id.clone()),
            engine: hit.map_or(String::new(), |hit| without_folders(&hit.engine)),
            langid,
            fetch,
        }
    }

    /// Returns the document for others: a local file has its name, without the folders that only
    /// this machine has.
    pub fn without_folders(mut self) -> Self {
        if let Some(name) = local_name(&self.url) {
            self.url = Cow::Owned(format!("file:{name}"));
        }
        if let Some(name) = local_name(&self.id).map(str::to_owned) {
            self.id = name;
        }
        self
    }

    /// Returns the licence to which the page links; empty if it names none.
    pub fn licence(&self) -> &str {
        self.fetch.licence.as_deref().unwrap_or_default()
    }

    /// Returns the language code of the text: that of the language filter, or else the label if it
    /// has the form of one. Empty if it is unknown.
    pub fn language(&self) -> &str {
        let is_code =
            |label: &&str| label.len() == 3 && label.bytes().all(|b| b.is_ascii_lowercase());
        match &self.langid {
            Some(langid) => &langid.code,
            None => Some(self.label).filter(is_code).unwrap_or_default(),
        }
    }

    /// Returns the language tag of the text (BCP 47), with its script if that is known; `None` if
    /// its language is unknown.
    pub fn language_tag(&self) -> Option<String> {
        let code = forage_langid::language_tag(self.language());
        let is_letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
        if !matches!(code.len(), 2..=8) || !is_letters(code) {
            return None;
        }
        let script = self
            .langid
            .as_ref()
            .and_then(|langid| langid.script.as_deref());
        let script = script.filter(|script| script.len() == 4 && is_letters(script));
        Some(match script {
            Some(script) => format!("{code}-{script}"),
            None => code.to_owned(),
        })
    }

    /// Returns the metadata in the order of the columns of a table, but for the text.
    pub fn columns(&self) -> [(&'static str, Cow<'_, str>); COLUMNS] {
        let number = |value: Option<f64>| {
            let text = value.map(|value| value.to_string());
            Cow::Owned(text.unwrap_or_default())
        };
        [
            ("id", self.id.as_str().into()),
            ("url", self.url.as_ref().into()),
            ("title", self.title.as_ref().into()),
            ("label", self.label.into()),
            ("score", number(self.score)),
            ("margin", number(self.margin)),
            ("date", self.date.as_str().into()),
            ("licence", self.licence().into()),
            ("host", self.host.as_str().into()),
            ("query", self.query.as_str().into()),
        ]
    }
}

/// Returns the parts of a text, with their places in the text without blanks at its ends. Empty if
/// they are unknown, or of another text.
fn trimmed_structure(record: &Record, text: &str) -> Vec<StructurePart> {
    let parts: Option<Vec<StructurePart>> = record.get(field::STRUCTURE).ok().flatten();
    let Some(mut parts) = parts else {
        return Vec::new();
    };
    let start = text.chars().take_while(|c| c.is_whitespace()).count();
    let end = start + text.trim().chars().count();
    let length = text.chars().count();
    if parts.iter().any(|part| part.end > length) {
        return Vec::new();
    }
    for part in &mut parts {
        part.start = part.start.clamp(start, end) - start;
        part.end = part.end.clamp(start, end) - start;
    }
    parts
}

fn in_nfc(text: Cow<'_, str>) -> Cow<'_, str> {
    match normalise(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(normal) => Cow::Owned(normal),
    }
}

/// Returns the parts of a text with their places in its NFC; none if a place is between characters
/// that are composed.
fn places_in_nfc(mut parts: Vec<StructurePart>, text: &str, normal: &str) -> Vec<StructurePart> {
    let ends = parts.iter_mut();
    let ends = ends.flat_map(|part| [&mut part.start, &mut part.end]);
    let mut ends: Vec<&mut usize> = ends.collect();
    ends.sort_unstable();
    let (mut rest, mut before, mut length) = (text.chars(), 0, 0);
    for end in ends {
        let between: String = rest.by_ref().take(*end - before).collect();
        before = *end;
        length += normalise(&between).chars().count();
        *end = length;
    }
    length += normalise(rest.as_str()).chars().count();
    match length == normal.chars().count() {
        true => parts,
        false => Vec::new(),
    }
}

/// The number of columns of metadata.
const COLUMNS: usize = 10;

/// The names of the columns of metadata ([`Document::columns`]).
pub const COLUMN_NAMES: [&str; COLUMNS] = [
    "id", "url", "title", "label", "score", "margin", "date", "licence", "host", "query",
];

/// Returns the name of the file at a path of this machine, or at a URL of one; `None` for another
/// text.
fn local_name(text: &str) -> Option<&str> {
    let path = text.strip_prefix("file://").unwrap_or(text);
    let is_local = path.starts_with(['/', '.']) && path.contains('/');
    is_local.then(|| path.rsplit('/').next()).flatten()
}

/// Returns a query as people write it: its terms, with `-` before the excluded ones.
fn format_query(query: &Query) -> String {
    if let Some(url) = &query.like {
        return format!("like:{url}");
    }
    if let Some(url) = &query.links_to {
        return format!("links-to:{url}");
    }
    let quote = |term: &String| match term.contains(char::is_whitespace) {
        true => format!("\"{term}\""),
        false => term.clone(),
    };
    let include = query.include.iter().map(quote);
    let exclude = query.exclude.iter().map(|term| format!("-{}", quote(term)));
    include.chain(exclude).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Document;
    use forage_record::Record;
    use forage_run::Event;
    use serde_json::json;

    /// Calls `work` with the document of a record.
    pub(crate) fn with_document<T>(json: &str, work: impl FnOnce(&Document) -> T) -> T {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        let event = Event::from_record(&record);
        let label = event.label.clone().unwrap_or_default();
        work(&Document::from_event(&event, &label))
    }

    #[test]
    fn metadata_is_that_of_the_record() {
        let json = r#"{"id":"x","url":"http://www.a.test:80/b","title":"T","text":" a \n","label":"slv",
            "query":{"id":"q","include":["dober dan","noč"],"exclude":["day"]},
            "langid":{"code":"slv","score":0.9,"margin":0.25,"top":[]},
            "fetch":{"published":"2024-05-01","licence":"http://l.test/","optout":["noai"]}}"#;
        with_document(json, |document| {
            let columns = document.columns().map(|(_, value)| value.into_owned());
            let expected = [
                "x",
                "http://www.a.test:80/b",
                "T",
                "slv",
                "0.9",
                "0.25",
                "2024-05-01",
                "http://l.test/",
                "www.a.test",
                "\"dober dan\" noč -day",
            ];
            assert_eq!(columns, expected);
            assert_eq!((&*document.text, document.language()), ("a", "slv"));
            assert_eq!(document.fetch.optout, ["noai"]);
        });
    }

    #[test]
    fn a_text_is_in_nfc_with_its_structure() {
        let part =
            |start: usize, end: usize| json!({"kind": "heading", "start": start, "end": end});
        let text = "e\u{301}e\u{301}\nse\u{301}\nd";
        let record = json!({"text": text, "structure": [part(0, 4), part(5, 8), part(9, 10)]});
        with_document(&record.to_string(), |document| {
            assert_eq!(document.text, "éé\nsé\nd");
            let places = document.structure.iter().map(|part| (part.start, part.end));
            assert!(places.eq([(0, 2), (3, 5), (6, 7)]));
        });
        let record = json!({"text": text, "structure": [part(0, 1), part(1, 4)]});
        with_document(&record.to_string(), |document| {
            assert!(document.structure.is_empty())
        });
    }

    #[test]
    fn another_identifier_need_not_tell_the_best_languages() {
        let json = r#"{"text":"a","langid":{"code":"slv","score":0.9,"margin":0.5}}"#;
        with_document(json, |document| {
            assert_eq!((document.score, document.margin), (Some(0.9), Some(0.5)));
        });
    }

    #[test]
    fn language_tags_have_two_letters_if_there_are_any() {
        for (langid, expected) in [
            (r#"{"code":"slv","score":1,"margin":1}"#, Some("sl")),
            (
                r#"{"code":"srp","script":"Cyrl","score":1,"margin":1}"#,
                Some("sr-Cyrl"),
            ),
            (
                r#"{"code":"hsb","script":"?","score":1,"margin":1}"#,
                Some("hsb"),
            ),
            (r#"{"code":"a b","score":1,"margin":1}"#, None),
            (r#"{}"#, None),
        ] {
            with_document(
                &format!(r#"{{"text":"a","langid":{langid}}}"#),
                |document| {
                    assert_eq!(document.language_tag().as_deref(), expected, "{langid}");
                },
            );
        }
    }

    #[test]
    fn what_is_unknown_is_empty_but_for_the_id() {
        with_document(r#"{"text":"a","label":"on-topic"}"#, |document| {
            assert_eq!(document.id.len(), 64);
            let known = document
                .columns()
                .into_iter()
                .filter(|(_, value)| !value.is_empty());
            assert_eq!(known.count(), 2);
            assert_eq!(document.language(), "");
        });
    }
}
