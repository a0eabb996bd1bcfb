//! Assigns documents to the groups of which samples are judged.

use forage_record::{BadField, Record, path};
use serde_json::Value;
use std::collections::BTreeSet;

/// The metric of the directory rule. It is no vote on the text of the document.
const DIRECTORY: &str = "directory";
/// The group of documents with votes of two or more metrics other than the directory rule.
const UNDOUBTED: &str = "undoubted";
/// The group of documents without a vote, and the first part of the names of other groups of
/// rejected documents, up to a slash.
const REJECTED: &str = "rejected";
/// The group of documents for which only the collocations or only the terms voted.
const COLLOCATION_OR_TERM: &str = "collocation-or-term";

/// The group of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Judged by a sample.
    Judged(String),
    /// Two or more metrics voted for the document: accepted without a judgement.
    Undoubted,
    /// Judged for the estimate of recall only, by a sample.
    Rejected(String),
}

impl Group {
    /// Returns the name of the group.
    pub fn name(&self) -> &str {
        match self {
            Group::Judged(name) | Group::Rejected(name) => name,
            Group::Undoubted => UNDOUBTED,
        }
    }

    /// Returns the group of documents for which no metric voted, or which do not have the field.
    pub fn rejected() -> Group {
        Group::Rejected(REJECTED.into())
    }

    /// Returns the group of rejected documents that are judged for a class.
    pub(crate) fn rejected_for(name: &str) -> Group {
        Group::Rejected(format!("{REJECTED}/{name}"))
    }

    /// Returns `true` for a group of rejected documents.
    pub fn is_rejected(&self) -> bool {
        matches!(self, Group::Rejected(_))
    }

    /// Returns the group with this name.
    pub fn from_name(name: &str) -> Group {
        match name {
            UNDOUBTED => Group::Undoubted,
            other if other.split('/').next() == Some(REJECTED) => Group::Rejected(other.into()),
            other => Group::Judged(other.into()),
        }
    }
}

/// The division of documents into groups.
#[derive(Debug, Clone)]
pub enum Grouping {
    /// By the class that the steps looked for, and by how near a document is to the threshold of
    /// the filter.
    ByTarget,
    /// By the value of a field.
    ByField(FieldGrouping),
}

/// The division of documents into groups by a field.
#[derive(Debug, Clone)]
pub struct FieldGrouping {
    /// The names of the nested fields, from the outermost.
    keys: Vec<String>,
    /// True for the five groups of Kluev (2000, section 4).
    is_by_metrics: bool,
}

impl Grouping {
    /// The name of the grouping by target.
    pub const TARGET: &str = "target";

    /// Creates the grouping by `target`, or by the field at a path, names joined by full stops.
    /// With `topic.metrics` the groups are the five of Kluev (2000, section 4); with another field
    /// each value is a group.
    ///
    /// # Errors
    /// Fails if a name is empty.
    pub fn parse(text: &str) -> Result<Grouping, String> {
        if text == Grouping::TARGET {
            return Ok(Grouping::ByTarget);
        }
        let keys: Vec<String> = text.split('.').map(str::to_owned).collect();
        if keys.iter().any(String::is_empty) {
            return Err("not a field, such as topic.metrics or label, nor target".into());
        }
        Ok(Grouping::ByField(FieldGrouping {
            keys,
            is_by_metrics: text == path::TOPIC_METRICS,
        }))
    }
}

impl FieldGrouping {
    /// Returns the field by which documents are grouped.
    pub fn field(&self) -> String {
        self.keys.join(".")
    }

    /// Returns the group of a document.
    ///
    /// # Errors
    /// Fails if the field, or one that contains it, has the wrong type.
    pub fn group_of(&self, record: &Record) -> Result<Group, BadField> {
        let values = self.read_values(record)?;
        if self.is_by_metrics {
            return Ok(group_of_metrics(values));
        }
        if values.is_empty() {
            return Ok(Group::rejected());
        }
        let name = Vec::from_iter(values).join("+");
        Ok(Group::Judged(name))
    }

    /// Returns the values of the field: the items of an array, or one scalar; none if it is absent
    /// or `null`.
    fn read_values(&self, record: &Record) -> Result<BTreeSet<String>, BadField> {
        let bad_field = |cause: &str| BadField {
            field: self.field(),
            cause: cause.into(),
        };
        let Some(mut value) = record.get::<Value>(&self.keys[0])? else {
            return Ok(BTreeSet::new());
        };
        for key in &self.keys[1..] {
            value = match value {
                Value::Object(mut fields) => fields.remove(key).unwrap_or_default(),
                Value::Null => Value::Null,
                _ => return Err(bad_field("is not in an object")),
            };
        }
        let items = match value {
            Value::Null => Vec::new(),
            Value::Array(items) => items,
            _ if self.is_by_metrics => return Err(bad_field("is not an array")),
            scalar => vec![scalar],
        };
        items
            .into_iter()
            .map(|item| match item {
                Value::String(text) => Ok(text),
                Value::Number(_) | Value::Bool(_) if !self.is_by_metrics => Ok(item.to_string()),
                _ => Err(bad_field("has an item of the wrong type")),
            })
            .collect()
    }
}

/// Returns the group of a document for which `metrics` voted (Kluev 2000, section 4).
///
/// Pairs and triples are one metric, the collocations. A metric that the paper does not have is a
/// vote like the others, and has a group of its own.
fn group_of_metrics(metrics: BTreeSet<String>) -> Group {
    let has_directory = metrics.contains(DIRECTORY);
    let mut votes: BTreeSet<&str> = metrics
        .iter()
        .map(|metric| match metric.as_str() {
            "pair" | "triple" => "collocation",
            other => other,
        })
        .collect();
    votes.remove(DIRECTORY);
    match (votes.len(), votes.first()) {
        (2.., _) => Group::Undoubted,
        (_, Some(&("collocation" | "term"))) => Group::Judged(COLLOCATION_OR_TERM.into()),
        (_, Some(&metric)) => Group::Judged(metric.into()),
        (_, None) if has_directory => Group::Judged(DIRECTORY.into()),
        (_, None) => Group::rejected(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Grouping};
    use forage_record::Record;

    fn group(field: &str, json: &str) -> Result<String, String> {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        let Ok(Grouping::ByField(grouping)) = Grouping::parse(field) else {
            panic!("{field} is not a field");
        };
        grouping
            .group_of(&record)
            .map(|group| group.name().to_owned())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn metrics_make_the_five_groups_of_the_paper() {
        for (metrics, name) in [
            (r#"["collocation"]"#, "collocation-or-term"),
            (r#"["pair","triple"]"#, "collocation-or-term"),
            (r#"["term"]"#, "collocation-or-term"),
            (r#"["vsm"]"#, "vsm"),
            (r#"["vsm","vsm"]"#, "vsm"),
            (r#"["passage"]"#, "passage"),
            (r#"["vsm","passage"]"#, "undoubted"),
            (r#"["pair","term"]"#, "undoubted"),
            (r#"["directory"]"#, "directory"),
            (r#"["directory","vsm"]"#, "vsm"),
            ("[]", "rejected"),
            ("null", "rejected"),
        ] {
            let record = format!(r#"{{"topic":{{"metrics":{metrics}}}}}"#);
            assert_eq!(group("topic.metrics", &record).unwrap(), name, "{metrics}");
        }
        assert_eq!(group("topic.metrics", "{}").unwrap(), "rejected");
        assert_eq!(
            group("topic.metrics", r#"{"topic":null}"#).unwrap(),
            "rejected"
        );
    }

    #[test]
    fn the_values_of_another_field_are_groups() {
        let record = r#"{"label":"slv","langid":{"code":"hrv"},"n":7,"tags":["b","a"],"o":{}}"#;
        for (field, name) in [
            ("label", "slv"),
            ("langid.code", "hrv"),
            ("n", "7"),
            ("tags", "a+b"),
            ("none", "rejected"),
        ] {
            assert_eq!(group(field, record).unwrap(), name);
        }
        assert!(group("o", record).is_err());
    }

    #[test]
    fn a_field_of_the_wrong_type_has_no_group() {
        for wrong in [
            r#"{"topic":3}"#,
            r#"{"topic":{"metrics":"vsm"}}"#,
            r#"{"topic":{"metrics":[1]}}"#,
            r#"{"topic":[]}"#,
        ] {
            assert!(group("topic.metrics", wrong).is_err(), "{wrong}");
        }
        assert!(Grouping::parse("topic..metrics").is_err());
    }

    #[test]
    fn names_of_rejected_groups_begin_with_the_word() {
        for name in ["rejected", "rejected/slv/near"] {
            let group = Group::from_name(name);
            assert!(group.is_rejected() && group.name() == name);
        }
        assert!(!Group::from_name("rejected-by-hand").is_rejected());
        assert_eq!(Group::rejected_for("slv").name(), "rejected/slv");
    }
}
