//! Whether any record had a field that the tool works on.
//!
//! Records without it are passed on, which is no failure; but where all of them lack it, as when
//! the text is called `content`, it seems that the tool had worked.

use crate::plural::format_count;
use crate::speech::Messages;
use forage_record::{Hit, HitOutcome, Record, field};

/// Records that had one of the fields, and records that should have had one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Missed {
    tool: &'static str,
    needs: &'static [&'static str],
    had: u64,
    lacked: u64,
}

impl Missed {
    pub(crate) fn new(tool: &'static str, needs: &'static [&'static str]) -> Self {
        Missed {
            tool,
            needs,
            had: 0,
            lacked: 0,
        }
    }

    /// Counts a record as it came in.
    pub(crate) fn see(&mut self, record: &Record) {
        if self.needs.is_empty() {
            return;
        }
        // A tool's answer has the tool's name.
        if self.needs.iter().any(|field| record.has_value(field)) || record.has_field(self.tool) {
            self.had += 1;
        } else if !record.has_error() && !is_without_page(record) {
            self.lacked += 1;
        }
    }

    /// Adds what another thread saw.
    pub(crate) fn add(&mut self, other: Missed) {
        self.had += other.had;
        self.lacked += other.lacked;
    }

    /// Says at the end if there was nothing to do in any record.
    pub(crate) fn tell(&self, messages: &Messages) {
        if let (0, 1..) = (self.had, self.lacked) {
            messages.warn(format_args!(
                "no record had {} ({} passed on)",
                alternatives(self.needs),
                format_count(self.lacked, "record")
            ));
        }
    }
}

/// `a`, `b` or `c`.
fn alternatives(fields: &[&str]) -> String {
    let quoted: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}

/// Whether it tells of a query that brought nothing.
fn is_without_page(record: &Record) -> bool {
    let hit = record.view::<Hit>(field::HIT).ok().flatten();
    hit.is_some_and(|hit| matches!(hit.outcome, Some(HitOutcome::Empty | HitOutcome::Exhausted)))
}

#[cfg(test)]
mod tests {
    use super::Missed;
    use forage_record::Record;

    fn check(lines: &[&str], expected: (u64, u64)) {
        let mut missed = Missed::new("langid", &["text"]);
        lines
            .iter()
            .for_each(|line| missed.see(&Record::parse(line.as_bytes().to_vec()).unwrap()));
        assert_eq!((missed.had, missed.lacked), expected, "{lines:?}");
    }

    #[test]
    fn counts_records_that_have_the_field_or_the_answer_and_those_that_lack_both() {
        check(
            &[
                r#"{"content":"a"}"#,
                r#"{"text":null}"#,
                "{}",
                r#"{"text":"a"}"#,
                r#"{"text":1}"#,
            ],
            (2, 3),
        );
        check(&[r#"{"langid":{}}"#], (1, 0));
    }

    #[test]
    fn one_of_several_fields_is_enough() {
        let mut missed = Missed::new("fetch-extract", &["url", "html", "text"]);
        for line in [
            r#"{"URL":"a"}"#,
            r#"{"link":"a"}"#,
            r#"{"html":""}"#,
            r#"{"url":null,"text":"a"}"#,
        ] {
            missed.see(&Record::parse(line.as_bytes().to_vec()).unwrap());
        }
        assert_eq!((missed.had, missed.lacked), (2, 2));
        assert_eq!(super::alternatives(missed.needs), "`url`, `html` or `text`");
    }

    #[test]
    fn asks_nothing_of_failures_and_queries_without_a_page() {
        let hit = |outcome: &str| {
            format!(r#"{{"hit":{{"engine":"e","calls":1,"outcome":"{outcome}"}}}}"#)
        };
        check(
            &[r#"{"error":{}}"#, &hit("empty"), &hit("exhausted")],
            (0, 0),
        );
        check(&[&hit("hit")], (0, 1));
    }
}
