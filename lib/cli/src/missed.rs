//! Whether any record had the field that the tool works on.
//!
//! Records without it are passed on, which is no failure; but where all of them lack it, as when the text is called
//! `content`, it seems that the tool had worked.

use crate::speech::Speaker;
use forage_record::{Hit, Outcome, Record, field};

/// Records that had the field, and records that should have had it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Missed {
    tool: &'static str,
    needs: Option<&'static str>,
    had: u64,
    lacked: u64,
}

impl Missed {
    pub(crate) fn new(tool: &'static str, needs: Option<&'static str>) -> Self {
        Missed { tool, needs, had: 0, lacked: 0 }
    }

    /// Counts a record as it came in.
    pub(crate) fn see(&mut self, record: &Record) {
        let Some(needed) = self.needs else { return };
        // A tool's answer has the tool's name.
        if record.raw(needed).is_some_and(|json| json != "null") || record.has(self.tool) {
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
    pub(crate) fn tell(&self, say: &Speaker) {
        if let (Some(needed), 0, 1..) = (self.needs, self.had, self.lacked) {
            let records = if self.lacked == 1 { "record" } else { "records" };
            say.warn(format_args!("no record had `{needed}` ({} {records} passed on)", self.lacked));
        }
    }
}

/// Whether it tells of a query that brought nothing.
fn is_without_page(record: &Record) -> bool {
    let hit = record.view::<Hit>(field::HIT).ok().flatten();
    hit.is_some_and(|hit| matches!(hit.outcome, Some(Outcome::Empty | Outcome::Exhausted)))
}

#[cfg(test)]
mod tests {
    use super::Missed;
    use forage_record::Record;

    fn check(lines: &[&str], expected: (u64, u64)) {
        let mut missed = Missed::new("langid", Some("text"));
        lines.iter().for_each(|line| missed.see(&Record::parse(line.as_bytes().to_vec()).unwrap()));
        assert_eq!((missed.had, missed.lacked), expected, "{lines:?}");
    }

    #[test]
    fn counts_records_that_have_the_field_or_the_answer_and_those_that_lack_both() {
        check(&[r#"{"content":"a"}"#, r#"{"text":null}"#, "{}", r#"{"text":"a"}"#, r#"{"text":1}"#], (2, 3));
        check(&[r#"{"langid":{}}"#], (1, 0));
    }

    #[test]
    fn asks_nothing_of_failures_and_queries_without_a_page() {
        let hit = |outcome: &str| format!(r#"{{"hit":{{"engine":"e","calls":1,"outcome":"{outcome}"}}}}"#);
        check(&[r#"{"error":{}}"#, &hit("empty"), &hit("exhausted")], (0, 0));
        check(&[&hit("hit")], (0, 1));
    }
}
