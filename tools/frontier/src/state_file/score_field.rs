//! The field of a record that has the score of a page.

use forage_record::{Record, field};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The path of a number in a record, as in `topic.score` or `langid.share.slv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreField {
    field: String,
    /// Names of the fields within it.
    path: Vec<String>,
}

/// The reason why a text is no path of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a field, as in topic.score or langid.share.slv")]
pub struct ScoreFieldError(String);

impl ScoreField {
    /// Returns `true` if a record lacks what the score is a part of: of `langid.share.slv` the
    /// field `langid.share`, of `topic.score` the number itself.
    pub fn is_missing(&self, record: &Record) -> bool {
        self.find(record, self.path.len().max(2) - 1).is_none()
    }

    /// Returns the score of a page; `None` if the record has no number there.
    pub(crate) fn read(&self, record: &Record) -> Option<f64> {
        self.find(record, self.path.len())?.as_f64()
    }

    /// Returns the value at the first `depth` names of the path within the field.
    fn find(&self, record: &Record, depth: usize) -> Option<Value> {
        let value: Value = record.get(&self.field).ok().flatten()?;
        let mut path = self.path.iter().take(depth);
        path.try_fold(&value, |value, name| value.get(name))
            .cloned()
    }
}

impl Default for ScoreField {
    /// Returns `topic.score`.
    fn default() -> ScoreField {
        ScoreField {
            field: field::TOPIC.into(),
            path: vec!["score".into()],
        }
    }
}

impl FromStr for ScoreField {
    type Err = ScoreFieldError;

    fn from_str(text: &str) -> Result<ScoreField, ScoreFieldError> {
        let mut names = text.split('.').map(str::to_owned);
        let field = names.next().unwrap_or_default();
        let path: Vec<String> = names.collect();
        if field.is_empty() || path.iter().any(String::is_empty) {
            return Err(ScoreFieldError(text.into()));
        }
        Ok(ScoreField { field, path })
    }
}

impl fmt::Display for ScoreField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.field)?;
        self.path.iter().try_for_each(|name| write!(f, ".{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(field: &str, json: &str) -> Option<f64> {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        field.parse::<ScoreField>().unwrap().read(&record)
    }

    #[test]
    fn a_number_is_found_by_its_path() {
        let json = r#"{"n":3,"langid":{"share":{"slv":0.25,"hrv":"x"}}}"#;
        assert_eq!(read("n", json), Some(3.0));
        assert_eq!(read("langid.share.slv", json), Some(0.25));
        for missing in [
            "langid.share.hrv",
            "langid.share",
            "langid.share.slv.x",
            "n.x",
            "url",
        ] {
            assert_eq!(read(missing, json), None, "{missing}");
        }
    }

    #[test]
    fn what_the_score_is_a_part_of_may_be_missing() {
        let is_missing = |field: &str, json: &str| {
            let record = Record::parse(json.as_bytes().to_vec()).unwrap();
            field.parse::<ScoreField>().unwrap().is_missing(&record)
        };
        let share = r#"{"langid":{"code":"hrv","share":{"hrv":1}},"topic":{"score":1}}"#;
        assert!(!is_missing("langid.share.slv", share));
        assert!(is_missing(
            "langid.share.slv",
            r#"{"langid":{"code":"hrv"}}"#
        ));
        assert!(!is_missing("topic.score", share) && is_missing("topic.scor", share));
        assert!(is_missing("share", share) && !is_missing("topic", share));
    }

    #[test]
    fn a_path_has_names() {
        for bad in ["", ".", "topic.", ".score", "a..b"] {
            assert!(bad.parse::<ScoreField>().is_err(), "{bad}");
        }
        for good in ["topic.score", "score"] {
            assert_eq!(good.parse::<ScoreField>().unwrap().to_string(), good);
        }
        assert_eq!(ScoreField::default(), "topic.score".parse().unwrap());
    }
}
