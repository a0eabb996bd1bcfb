//! Solr: an own index, by its standard query parser.
//!
//! `GET {base}/select?q=+text:"a" -text:"b"&rows=10&start=0` answers `response.docs`,
//! `response.numFound`, and `highlighting` by the documents' unique key. Failures have an `error`
//! of `msg`.
//!
//! Source: solr.apache.org, Reference Guide, common query parameters, standard query parser,
//! highlighting.

use super::address::{Base, Parameters};
use super::fields::Fields;
use super::read::{json, text};
use super::write::{Quotes, line};
use super::{Adapter, Part};
use crate::{Abilities, Answer, Counts, EngineError, Exclusion, Page, Request, SignedTerms};
use serde::Deserialize;
use serde_json::Value;

pub(super) const NAME: &str = "Solr";

/// What it can express.
pub(super) const ABILITIES: Abilities = Abilities {
    exclusion: Exclusion::Exact,
    needs_inclusion: false,
    page_size: Some(u32::MAX),
    ..Abilities::COMMON
};

/// A collection of Solr's.
pub(super) struct Solr {
    base: Base,
    fields: Fields,
    unique_key: String,
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "responseHeader", default)]
    header: Header,
    response: Response,
    #[serde(default)]
    highlighting: Value,
}

#[derive(Deserialize, Default)]
struct Header {
    #[serde(rename = "partialResults", default)]
    is_partial: bool,
}

#[derive(Deserialize)]
struct Response {
    #[serde(rename = "numFound")]
    found: u64,
    docs: Vec<Value>,
}

impl Solr {
    pub fn new(mut base: Base) -> Self {
        let unique_key = base.take("id").unwrap_or_else(|| "id".into());
        Solr {
            fields: Fields::take(&mut base),
            base,
            unique_key,
        }
    }

    fn snippet(&self, document: &Value, highlighting: &Value) -> Option<String> {
        text(
            highlighting.get(text(document, &self.unique_key)?)?,
            &self.fields.text,
        )
    }
}

impl Adapter for Solr {
    fn write(&self, terms: &SignedTerms) -> String {
        let field = &self.fields.text;
        let terms_line = line(
            terms,
            (&format!("+{field}:"), Quotes::Always),
            (&format!("-{field}:"), Quotes::Always),
        );
        // Exclusion alone leaves nothing to exclude from.
        if terms.include().is_empty() {
            format!("*:* {terms_line}")
        } else {
            terms_line
        }
    }

    fn request(&self, terms: &SignedTerms, part: Part) -> Result<Request, EngineError> {
        let Fields { url, title, text } = &self.fields;
        let fixed: Parameters = &[
            ("q", &self.write(terms)),
            ("defType", &"lucene"),
            ("fl", &format_args!("{},{url},{title}", self.unique_key)),
            ("rows", &part.size),
            ("start", &part.start),
            ("wt", &"json"),
            ("hl", &true),
            ("hl.fl", text),
            ("hl.snippets", &1),
            ("hl.fragsize", &200),
        ];
        Ok(self.base.get("/select", &[], fixed))
    }

    fn read(&self, answer: &Answer, part: Part) -> Result<Page, EngineError> {
        let found: Found = json(NAME, &answer.body)?;
        let documents = &found.response.docs;
        if found.header.is_partial && documents.is_empty() {
            return Err(EngineError::Down(format!(
                "the search ran out of time within {NAME}"
            )));
        }
        let snippet = |document| self.snippet(document, &found.highlighting);
        let hits = self
            .fields
            .hits(NAME, documents.iter().map(|it| (it, snippet(it))))?;
        let total = found.response.found;
        Ok(Page {
            hits,
            more: part.is_before(total),
            counts: Counts {
                total: Some(total),
                ..Counts::default()
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::EngineError;
    use crate::remote::testing::{answered, sent, shown, terms};

    #[test]
    fn asks_by_field_and_sign() {
        let asked = sent(
            "solr",
            "http://s.test:8983/solr/pages?text=body",
            &terms(&["dan"], &["in the"]),
            2,
        );
        let query = "q=%2Bbody%3A%22dan%22+-body%3A%22in+the%22&defType=lucene&fl=id%2Curl%2Ctitle&rows=10&start=10";
        assert!(
            asked.starts_with(&format!(
                "http://s.test:8983/solr/pages/select?{query}&wt=json"
            )),
            "{asked}"
        );
        assert!(
            sent("solr", "http://s.test/solr/p", &terms(&[], &["the"]), 1)
                .contains("?q=*%3A*+-text%3A%22the%22&")
        );
    }

    #[test]
    fn reads_documents_field_by_field() {
        let body = r#"{"responseHeader":{"status":0,"QTime":3},"response":{"numFound":11,"start":0,"numFoundExact":true,
            "docs":[{"id":"d1","url":["http://a.test/"],"title":"A"}]},"highlighting":{"d1":{"text":["lep <em>dan</em>"]}}}"#;
        let page = answered("solr", 200, body).unwrap();
        let hits = vec!["http://a.test/ | A | lep dan".to_owned()];
        assert_eq!((shown(&page), page.counts.total), ((hits, true), Some(11)));
        let partial =
            r#"{"responseHeader":{"partialResults":true},"response":{"numFound":0,"docs":[]}}"#;
        assert!(matches!(
            answered("solr", 200, partial),
            Err(EngineError::Down(_))
        ));
        assert!(matches!(
            answered("solr", 200, r#"{"response":{}}"#),
            Err(EngineError::Down(_))
        ));
        let refused = answered(
            "solr",
            400,
            r#"{"error":{"msg":"undefined field text","code":400}}"#,
        )
        .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Solr answers 400: undefined field text"
        );
    }
}
