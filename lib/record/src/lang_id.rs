//! The typed view of the language of a text.

use crate::json_text::{push_probability, push_string};
use crate::{Record, field};
use serde::{Deserialize, Serialize};

/// `langid`: the language of the text. `S` is the type of its strings, which a writer can borrow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LangId<S: Ord = String> {
    /// The ISO 639-3 code, or `und`.
    pub code: S,
    /// The ISO 15924 code of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<S>,
    /// Calibrated probability that `code` is right, 0 to 1.
    pub score: f64,
    /// The distance to the second-best language, relative to the evidence of the best.
    pub margin: f64,
    /// The best languages, at most five, with their probabilities, best first; if the code is
    /// `und`, the nearest ones. Other identifiers tell none.
    #[serde(default)]
    pub top: Vec<LanguageScore<S>>,
    /// The languages that are about as likely as `code`; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<S>,
    /// With `--paragraphs`: the share of the text in each language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<std::collections::BTreeMap<S, f64>>,
    /// The legacy font for which the text was typed, so that its language is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub font: Option<S>,
}

/// An item of `langid.top`: a language and its probability. Schema 3 had a pair of the two, which
/// is read as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LanguageScore<S = String> {
    /// The ISO 639-3 code.
    pub code: S,
    /// The probability, 0 to 1.
    pub score: f64,
}

impl<S: Ord + AsRef<str>> LangId<S> {
    /// Appends the field as JSON text, with probabilities rounded to four decimals.
    pub fn push_json(&self, json: &mut String) {
        json.push_str("{\"code\":");
        push_string(json, self.code.as_ref());
        if let Some(script) = &self.script {
            json.push_str(",\"script\":");
            push_string(json, script.as_ref());
        }
        json.push_str(",\"score\":");
        push_probability(json, self.score);
        json.push_str(",\"margin\":");
        push_probability(json, self.margin);
        json.push_str(",\"top\":[");
        for (index, language) in self.top.iter().enumerate() {
            json.push_str(if index == 0 { "{" } else { ",{" });
            json.push_str("\"code\":");
            push_string(json, language.code.as_ref());
            json.push_str(",\"score\":");
            push_probability(json, language.score);
            json.push('}');
        }
        json.push(']');
        if !self.alternatives.is_empty() {
            json.push_str(",\"alternatives\":");
            for (index, code) in self.alternatives.iter().enumerate() {
                json.push(if index == 0 { '[' } else { ',' });
                push_string(json, code.as_ref());
            }
            json.push(']');
        }
        if let Some(share) = &self.share {
            json.push_str(",\"share\":{");
            for (index, (code, share)) in share.iter().enumerate() {
                json.push_str(if index == 0 { "" } else { "," });
                push_string(json, code.as_ref());
                json.push(':');
                push_probability(json, *share);
            }
            json.push('}');
        }
        if let Some(font) = &self.font {
            json.push_str(",\"font\":");
            push_string(json, font.as_ref());
        }
        json.push('}');
    }
}

impl LangId {
    /// Returns the code of the language of a record; `None` if it has none. A stand-in for `langid`
    /// may write no other part of the field.
    pub fn code_of(record: &Record) -> Option<String> {
        #[derive(Deserialize)]
        struct Part {
            code: Option<String>,
        }
        record.view::<Part>(field::LANGID).ok().flatten()?.code
    }
}

#[cfg(test)]
mod tests {
    use super::{LangId, LanguageScore};
    use crate::Record;

    #[test]
    fn the_json_text_is_that_of_the_structure() {
        let check = |field: &LangId<&str>| {
            let mut json = String::new();
            field.push_json(&mut json);
            assert_eq!(json, serde_json::to_string(field).unwrap());
        };
        let mut field = LangId {
            code: "slv",
            script: Some("Latn"),
            score: 0.98,
            margin: 0.25,
            top: [("slv", 0.98), ("hrv", 0.0001)]
                .map(|(code, score)| LanguageScore { code, score })
                .into(),
            alternatives: vec!["hrv", "bos"],
            share: Some([("eng", 0.5), ("slv", 0.5)].into()),
            font: Some("kruti-dev"),
        };
        check(&field);
        field = LangId {
            script: None,
            top: Vec::new(),
            alternatives: Vec::new(),
            share: None,
            font: None,
            ..field
        };
        check(&field);
    }

    #[test]
    fn pairs_of_schema_3_are_read_as_languages_with_scores() {
        let read = |top: &str| {
            let json = format!(r#"{{"code":"slv","score":1,"margin":1,"top":{top}}}"#);
            serde_json::from_str::<LangId>(&json).map(|langid| langid.top)
        };
        let objects = r#"[{"code":"slv","score":0.9},{"code":"hrv","score":0.1,"x":1}]"#;
        let pairs = read(r#"[["slv",0.9],["hrv",0.1]]"#).unwrap();
        assert_eq!((pairs[1].code.as_str(), pairs[1].score), ("hrv", 0.1));
        assert_eq!(pairs, read(objects).unwrap());
        for wrong in [r#"["slv"]"#, r#"[["slv"]]"#, r#"[["slv",1,1]]"#, "[[1,1]]"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_code_is_read_from_fields_of_other_programs_if_they_have_one() {
        for (json, code) in [
            (
                r#"{"langid":{"code":"slv","score":1,"margin":1,"top":[]}}"#,
                Some("slv"),
            ),
            (r#"{"langid":{"code":"slv"}}"#, Some("slv")),
            (r#"{"langid":{"code":null}}"#, None),
            (r#"{"langid":{"code":7}}"#, None),
            (r#"{"langid":{}}"#, None),
            (r#"{"langid":"slv"}"#, None),
            (r#"{"langid":null}"#, None),
            (r"{}", None),
        ] {
            let record = Record::parse(json.into()).unwrap();
            assert_eq!(LangId::code_of(&record).as_deref(), code, "{json}");
        }
    }
}
