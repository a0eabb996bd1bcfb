//! A warning for input in which no record has a field that the tool needs.
//!
//! A tool passes records without its fields through, which is not an error. But if all records lack
//! them, for example because the text is called `content`, the tool would seem to have worked.

use crate::messages::Messages;
use crate::plural::format_count;
use forage_record::{Hit, HitOutcome, Record, field};
use std::fmt::Display;

/// Counts of records with and without the fields that a tool needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldCheck {
    tool: &'static str,
    fields: &'static [&'static str],
    present: u64,
    missing: u64,
}

impl FieldCheck {
    /// Creates a check that at least one record has one of `fields`. It always passes if `fields`
    /// is empty.
    pub(crate) fn new(tool: &'static str, fields: &'static [&'static str]) -> Self {
        FieldCheck {
            tool,
            fields,
            present: 0,
            missing: 0,
        }
    }

    /// Counts a record as it was read.
    pub(crate) fn count_record(&mut self, record: &Record) {
        if self.fields.is_empty() {
            return;
        }
        // `dedup` and `langid` add a field of their own name. A record that has it was processed
        // before.
        if self.fields.iter().any(|field| record.has_value(field)) || record.has_field(self.tool) {
            self.present += 1;
        } else if !record.has_error() && !is_without_page(record) {
            self.missing += 1;
        }
    }

    /// Adds the counts of another thread.
    pub(crate) fn merge(&mut self, other: FieldCheck) {
        self.present += other.present;
        self.missing += other.missing;
    }

    /// Warns if records lacked the fields and no record had any of them.
    pub(crate) fn warn_if_all_missing(&self, messages: &Messages) {
        if let (0, 1..) = (self.present, self.missing) {
            messages.warn(format_args!(
                "no record has {}; {} passed through unchanged",
                format_alternatives(self.fields),
                format_count(self.missing, "record")
            ));
        }
    }
}

/// Formats a list of fields as "`a`, `b` or `c`".
pub(crate) fn format_alternatives(fields: &[impl Display]) -> String {
    let quoted: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// Returns `true` if the record reports a query without a new hit.
fn is_without_page(record: &Record) -> bool {
    let hit = record.view::<Hit>(field::HIT).ok().flatten();
    hit.is_some_and(|hit| matches!(hit.outcome, Some(HitOutcome::Empty | HitOutcome::Exhausted)))
}

#[cfg(test)]
mod tests {
    use super::FieldCheck;
    use forage_record::Record;

    fn assert_counts(lines: &[&str], expected: (u64, u64)) {
        let mut check = FieldCheck::new("langid", &["text"]);
        lines
            .iter()
            .for_each(|line| check.count_record(&Record::parse(line.as_bytes().to_vec()).unwrap()));
        assert_eq!((check.present, check.missing), expected, "{lines:?}");
    }

    #[test]
    fn counts_records_with_the_field_or_the_tools_own_field_and_records_without_both() {
        assert_counts(
            &[
                r#"{"content":"a"}"#,
                r#"{"text":null}"#,
                "{}",
                r#"{"text":"a"}"#,
                r#"{"text":1}"#,
            ],
            (2, 3),
        );
        assert_counts(&[r#"{"langid":{}}"#], (1, 0));
    }

    #[test]
    fn one_of_several_fields_is_enough() {
        let mut check = FieldCheck::new("fetch-extract", &["url", "html", "text"]);
        for line in [
            r#"{"URL":"a"}"#,
            r#"{"link":"a"}"#,
            r#"{"html":""}"#,
            r#"{"url":null,"text":"a"}"#,
        ] {
            check.count_record(&Record::parse(line.as_bytes().to_vec()).unwrap());
        }
        assert_eq!((check.present, check.missing), (2, 2));
        assert_eq!(
            super::format_alternatives(check.fields),
            "`url`, `html` or `text`"
        );
    }

    #[test]
    fn ignores_failures_and_queries_without_a_page() {
        let hit = |outcome: &str| {
            format!(r#"{{"hit":{{"engine":"e","calls":1,"outcome":"{outcome}"}}}}"#)
        };
        assert_counts(
            &[r#"{"error":{}}"#, &hit("empty"), &hit("exhausted")],
            (0, 0),
        );
        assert_counts(&[&hit("hit")], (0, 1));
    }
}
