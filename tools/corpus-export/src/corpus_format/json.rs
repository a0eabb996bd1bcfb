//! JSON lines: the records, or the fields of well-known data sets under their names.

use crate::corpus_format::document::Document;
use crate::corpus_format::metadata::{FURTHER_COLUMNS, is_number, name_in_jsonl};
use crate::corpus_format::writer::{CorpusWriter, FieldNames};
use forage_record::{Record, field};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes JSON lines.
#[derive(Debug)]
pub(crate) struct JsonWriter {
    names: FieldNames,
    is_release: bool,
}

impl JsonWriter {
    pub(crate) fn new(names: FieldNames, is_release: bool) -> Self {
        JsonWriter { names, is_release }
    }
}

impl CorpusWriter for JsonWriter {
    fn add(&mut self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        let record = match self.names {
            FieldNames::Forage if self.is_release => release_row(document),
            FieldNames::Forage => {
                let mut line = Vec::new();
                to_present_schema(document.record).write(&mut line);
                return out.write_all(&line);
            }
            FieldNames::Hplt => hplt(document),
            FieldNames::Fineweb => fineweb(document),
        };
        writeln!(out, "{record}")
    }
}

/// Returns a record with the items of its lists as objects. In schema 3 they were arrays of strings
/// and numbers, which Arrow cannot read, and which no column can have beside objects.
fn to_present_schema(record: &Record) -> Cow<'_, Record> {
    let mut record = Cow::Borrowed(record);
    for (field, list, names) in [
        (field::LANGID, "/top", &["code", "score"][..]),
        (field::KEYWORDS, "", &["phrase", "score", "key"]),
    ] {
        let mut value: Value = record.get(field).ok().flatten().unwrap_or_default();
        let items = value.pointer_mut(list).and_then(Value::as_array_mut);
        let mut is_changed = false;
        for item in items.into_iter().flatten() {
            let array = item.as_array().map_or(&[][..], Vec::as_slice);
            if let [Value::String(_), Value::Number(_), ..] = array
                && array.len() <= names.len()
            {
                *item = names.iter().copied().zip(array.to_vec()).collect();
                is_changed = true;
            }
        }
        if is_changed {
            record.to_mut().set(field, &value);
        }
    }
    record
}

/// Returns a line of a release, with the columns of a table and further ones. All lines have the
/// same fields, `null` where nothing is known: readers take their types from a part of a file.
fn release_row(document: &Document) -> Value {
    let (columns, optout) = (document.columns(), document.fetch.optout.join(","));
    let columns = columns.iter().map(|(name, value)| (*name, value.as_ref()));
    let retrieved = document.fetch.at.as_deref().unwrap_or_default();
    let further = FURTHER_COLUMNS.into_iter();
    let further = further.zip([document.language(), retrieved, &optout]);
    let all = columns.chain([("text", &*document.text)]).chain(further);
    let to_field = |(name, value): (_, &str)| {
        let value = match value {
            "" => Value::Null,
            number if is_number(name) => number.parse::<f64>().map_or(Value::Null, Value::from),
            text => text.into(),
        };
        (name_in_jsonl(name).to_owned(), value)
    };
    all.map(to_field).collect()
}

/// Returns a record of HPLT. Of its fields, those of its own pipeline (`filter`, `pii`,
/// `doc_scores` …) are unknown.
fn hplt(document: &Document) -> Value {
    let (languages, scores): (Vec<_>, Vec<_>) = match &document.langid {
        Some(langid) => {
            let scores = langid.top.iter();
            let scores = scores.map(|language| (language.code.as_str(), language.score));
            let rest = scores.filter(|(code, _)| *code != langid.code);
            let first = (langid.code.as_str(), langid.score);
            std::iter::once(first)
                .chain(rest)
                .map(|(code, score)| (with_script(code, document), score))
                .unzip()
        }
        None => (Vec::new(), Vec::new()),
    };
    let warc = document.fetch.warc.as_ref();
    json!({
        "f": warc.map(|warc| &warc.file),
        "o": warc.map(|warc| warc.offset),
        "u": *document.url,
        "c": document.fetch.media_type,
        "ts": document.fetch.at,
        "lang": languages,
        "prob": scores,
        "text": *document.text,
        "id": document.id,
    })
}

/// Returns a code with its script, such as `slv_Latn`. Only the script of the text itself is known.
fn with_script(code: &str, document: &Document) -> String {
    let langid = document
        .langid
        .as_ref()
        .filter(|langid| langid.code == code);
    match langid.and_then(|langid| langid.script.as_ref()) {
        Some(script) => format!("{code}_{script}"),
        None => code.to_owned(),
    }
}

/// Returns a record of FineWeb 2.
fn fineweb(document: &Document) -> Value {
    let langid = document.langid.as_ref();
    json!({
        "text": *document.text,
        "id": document.id,
        "url": *document.url,
        "date": document.fetch.at,
        "file_path": document.fetch.warc.as_ref().map(|warc| &warc.file),
        "language": Some(document.language()).filter(|code| !code.is_empty()),
        "language_score": langid.map(|langid| langid.score),
        "language_script": langid.and_then(|langid| langid.script.as_ref()),
    })
}

#[cfg(test)]
mod tests {
    use super::{FieldNames, JsonWriter};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::CorpusWriter;

    fn line(names: FieldNames, json: &str) -> String {
        let mut out = Vec::new();
        with_document(json, |document| {
            JsonWriter::new(names, false)
                .add(document, &mut out)
                .unwrap();
        });
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn records_are_written_in_the_present_schema_or_with_other_names() {
        let record = r#"{"x":1e2,"id":"i","url":"http://a.test/","text":"a","langid":{"code":"slv","script":"Latn","score":0.5,"margin":0.1,"top":[["slv",0.5],["hrv",0.4]]},"fetch":{"at":"2025-01-01T00:00:00Z","warc":{"file":"w","offset":7}}}"#;
        let present = record.replace(
            r#"[["slv",0.5],["hrv",0.4]]"#,
            r#"[{"code":"slv","score":0.5},{"code":"hrv","score":0.4}]"#,
        );
        assert_eq!(line(FieldNames::Forage, record), format!("{present}\n"));
        let keywords = r#"{"text":"a","keywords":[["dež",0.4,"dež"],["a",2]],"n":[["a",1]]}"#;
        assert_eq!(
            line(FieldNames::Forage, keywords),
            "{\"text\":\"a\",\"keywords\":[{\"phrase\":\"dež\",\"score\":0.4,\"key\":\"dež\"},\
             {\"phrase\":\"a\",\"score\":2}],\"n\":[[\"a\",1]]}\n"
        );
        for unchanged in [
            r#"{"text":"a", "keywords":[{"phrase":"a","score":1e2,"key":"a"}],"langid":{"top":[]}}"#,
            r#"{"text":"a","keywords":[["a","b"],["c"]],"langid":"slv"}"#,
        ] {
            assert_eq!(
                line(FieldNames::Forage, unchanged),
                format!("{unchanged}\n")
            );
        }
        assert_eq!(
            line(FieldNames::Hplt, record),
            "{\"f\":\"w\",\"o\":7,\"u\":\"http://a.test/\",\"c\":null,\"ts\":\"2025-01-01T00:00:00Z\",\
             \"lang\":[\"slv_Latn\",\"hrv\"],\"prob\":[0.5,0.4],\"text\":\"a\",\"id\":\"i\"}\n"
        );
        assert_eq!(
            line(FieldNames::Fineweb, record),
            "{\"text\":\"a\",\"id\":\"i\",\"url\":\"http://a.test/\",\"date\":\"2025-01-01T00:00:00Z\",\
             \"file_path\":\"w\",\"language\":\"slv\",\"language_score\":0.5,\"language_script\":\"Latn\"}\n"
        );
    }
}
