//! Assigns documents to the groups of which samples are judged.

use forage_record::{BadField, Record, path};
use forage_run::final_url;
use forage_web::page_url::directory_of;
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
    /// By the values of one or more fields.
    ByFields(FieldGrouping),
}

/// The division of documents into groups by fields: those with the same values are a group.
#[derive(Debug, Clone)]
pub struct FieldGrouping(Vec<GroupField>);

/// A field by which documents are grouped.
#[derive(Debug, Clone)]
struct GroupField {
    /// The names of the nested fields, from the outermost.
    keys: Vec<String>,
    kind: FieldKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum FieldKind {
    /// The five groups of Kluev (2000, section 4).
    Metrics,
    /// The directory of the page.
    Directory,
    Other,
}

impl Grouping {
    /// The name of the grouping by target.
    pub const TARGET: &str = "target";

    /// Creates the grouping by `target`, or by the fields at paths, separated by commas; a path is
    /// names joined by full stops. With `topic.metrics` the groups are the five of Kluev (2000,
    /// section 4), with `directory` each directory is a group, and with another field each value.
    ///
    /// # Errors
    /// Fails if a name is empty.
    pub fn parse(text: &str) -> Result<Grouping, String> {
        if text == Grouping::TARGET {
            return Ok(Grouping::ByTarget);
        }
        let fields: Option<Vec<GroupField>> = text.split(',').map(GroupField::parse).collect();
        match fields {
            Some(fields) => Ok(Grouping::ByFields(FieldGrouping(fields))),
            None => Err("not fields, such as topic.metrics or label, nor target".into()),
        }
    }
}

impl FieldGrouping {
    /// Returns the fields by which documents are grouped, separated by commas.
    pub fn fields(&self) -> String {
        let fields: Vec<String> = self.0.iter().map(GroupField::path).collect();
        fields.join(",")
    }

    /// Returns the group of a document. One that is rejected by a field is rejected.
    ///
    /// # Errors
    /// Fails if a field, or one that contains it, has the wrong type.
    pub fn group_of(&self, record: &Record) -> Result<Group, BadField> {
        let mut names = Vec::new();
        let mut is_undoubted = false;
        for field in &self.0 {
            match field.group_of(record)? {
                Group::Judged(name) => names.push(name),
                Group::Undoubted => is_undoubted = true,
                rejected @ Group::Rejected(_) => return Ok(rejected),
            }
        }
        Ok(match is_undoubted {
            true => Group::Undoubted,
            false => Group::Judged(names.join(" ")),
        })
    }
}

impl GroupField {
    /// Parses a path; `None` if a name is empty.
    fn parse(text: &str) -> Option<GroupField> {
        let keys: Vec<String> = text.split('.').map(str::to_owned).collect();
        let kind = match text {
            path::TOPIC_METRICS => FieldKind::Metrics,
            "directory" => FieldKind::Directory,
            _ => FieldKind::Other,
        };
        let is_path = keys.iter().all(|key| !key.is_empty());
        is_path.then_some(GroupField { keys, kind })
    }

    fn path(&self) -> String {
        self.keys.join(".")
    }

    fn group_of(&self, record: &Record) -> Result<Group, BadField> {
        if self.kind == FieldKind::Directory {
            let url = final_url(record).unwrap_or_default();
            return Ok(Group::Judged(directory_of(&url).unwrap_or("-").into()));
        }
        let values = self.read_values(record)?;
        if self.kind == FieldKind::Metrics {
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
        let is_by_metrics = self.kind == FieldKind::Metrics;
        let bad_field = |cause: &str| BadField {
            field: self.path(),
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
            _ if is_by_metrics => return Err(bad_field("is not an array")),
            scalar => vec![scalar],
        };
        items
            .into_iter()
            .map(|item| match item {
                Value::String(text) => Ok(text),
                Value::Number(_) | Value::Bool(_) if !is_by_metrics => Ok(item.to_string()),
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

    fn group(fields: &str, json: &str) -> Result<String, String> {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        let Ok(Grouping::ByFields(grouping)) = Grouping::parse(fields) else {
            panic!("{fields}: are not fields");
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
    fn several_fields_divide_the_groups_of_each() {
        let record = |metrics: &str| {
            format!(r#"{{"url":"http://a.test/x/1","n":7,"topic":{{"metrics":[{metrics}]}}}}"#)
        };
        for (fields, metrics, name) in [
            (
                "directory,topic.metrics",
                r#""vsm""#,
                "http://a.test/x/ vsm",
            ),
            (
                "topic.metrics,directory,n",
                r#""vsm""#,
                "vsm http://a.test/x/ 7",
            ),
            ("directory,topic.metrics", r#""vsm","term""#, "undoubted"),
            ("directory,topic.metrics", "", "rejected"),
            ("topic.metrics,none", r#""vsm","term""#, "rejected"),
        ] {
            assert_eq!(group(fields, &record(metrics)).unwrap(), name, "{fields}");
        }
        assert_eq!(group("directory,n", r#"{"n":7}"#).unwrap(), "- 7");
        assert!(Grouping::parse("directory,").is_err());
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
