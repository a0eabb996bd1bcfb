//! A message for records that are passed on without a result of the tool: it could not use them, or
//! failed on them.
//!
//! Neither is a failure of the tool. But a user who has called the text `content`, or whose records
//! carry an error of an earlier tool, must not believe that the tool has worked.

use crate::messages::Messages;
use crate::plain_text_check::quote_for_shell;
use crate::plural::format_count;
use forage_record::{Hit, HitOutcome, Record, field};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable with the folder of a run. In a run, records without a result are reported by the
/// run as a whole, and not by each tool in each step.
const RUN_VARIABLE: &str = "FORAGE_RUN";

/// The fields that a tool reads and adds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolFields {
    /// A record needs one of them.
    pub(crate) input: &'static [&'static str],
    /// A record that has it already has the result; empty for a tool that adds none.
    pub(crate) output: &'static str,
    /// A record that has one of them is not processed either.
    pub(crate) done: &'static [&'static str],
}

/// Counts of the records that were written, and of those without a result, by cause.
#[derive(Debug, Default)]
pub(crate) struct ResultCounts {
    fields: ToolFields,
    written: AtomicU64,
    remarks: Mutex<ResultRemarks>,
}

/// What is reported of the records.
#[derive(Debug, Default)]
struct ResultRemarks {
    /// The number of records without a result, by cause.
    causes: BTreeMap<Cause, u64>,
    /// The message of the first new error.
    first_error: Option<String>,
    /// How the first record without a text may get one.
    remedy: Option<Option<String>>,
    /// Fields of other programs that were moved, with the number of records.
    moved: BTreeMap<String, u64>,
}

/// Why a record has no result.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    EarlierError,
    /// The record has this field.
    HasResult(&'static str),
    MissingInput,
    /// The tool failed with an error of this kind.
    NewError(String),
}

impl ResultCounts {
    pub(crate) fn new(fields: ToolFields) -> Self {
        ResultCounts {
            fields,
            ..ResultCounts::default()
        }
    }

    /// Counts a record as it is written.
    pub(crate) fn count_record(&self, record: &Record) {
        for key in record.moved_fields() {
            *self.remarks.lock().moved.entry(key.to_owned()).or_default() += 1;
        }
        let cause = match record.new_error() {
            Some(error) => {
                self.remarks.lock().first_error.get_or_insert(error.message);
                Some(Cause::NewError(error.kind.to_string()))
            }
            None if record.is_changed() || self.fields.output.is_empty() => None,
            None if is_without_page(record) => return,
            None => self.fields.cause_of_no_result(record),
        };
        self.written.fetch_add(1, Ordering::Relaxed);
        let Some(cause) = cause else { return };
        let mut remarks = self.remarks.lock();
        if cause == Cause::MissingInput && self.fields.input.contains(&field::TEXT) {
            remarks
                .remedy
                .get_or_insert_with(|| describe_renaming(record));
        }
        *remarks.causes.entry(cause).or_default() += 1;
    }

    /// Reports the records without a result, and fields of other programs, if there are any.
    pub(crate) fn report(&self, messages: &Messages) {
        if is_in_run() {
            return;
        }
        let remarks = self.remarks.lock();
        // A hit with the text of its page needs no download.
        let is_done = |cause: &Cause| matches!(cause, Cause::HasResult(field) if self.fields.done.contains(field));
        if !remarks.causes.keys().all(is_done) {
            let written = self.written.load(Ordering::Relaxed);
            messages.warn(self.format(written, &remarks));
        }
        for (key, count) in &remarks.moved {
            let records = format_count(*count, "record");
            messages.warn(format_args!(
                "{records} with a `{key}` of another program, which is now `foreign_{key}`"
            ));
        }
    }

    /// Returns the number of records without a result, those that had it before not counted, and
    /// the number of all; `None` if the share of the former is at most `limit`.
    pub(crate) fn failures_above(&self, limit: f64) -> Option<(u64, u64)> {
        let has_result = |cause: &Cause| matches!(cause, Cause::HasResult(_));
        let causes = &self.remarks.lock().causes;
        let failed = causes.iter().filter(|(cause, _)| !has_result(cause));
        let failed: u64 = failed.map(|(_, count)| count).sum();
        let written = self.written.load(Ordering::Relaxed);
        (failed as f64 > limit * written as f64).then_some((failed, written))
    }

    fn format(&self, written: u64, remarks: &ResultRemarks) -> String {
        let causes = &remarks.causes;
        let without = causes.values().sum::<u64>();
        let records = format_count(written, "record");
        let mut text = match written - without {
            0 if written == 1 => "the only record has no result: ".to_owned(),
            0 => format!("none of {records} has a result: "),
            _ => format!("{without} of {records} without a result: "),
        };
        let parts = causes.iter().map(|(cause, count)| match cause {
            Cause::EarlierError => format!("{count} with an earlier error"),
            Cause::HasResult(field) => format!("{count} with `{field}` already (--force)"),
            Cause::MissingInput => {
                format!("{count} without {}", format_alternatives(self.fields.input))
            }
            Cause::NewError(kind) => format!("{count} with a new error of kind {kind}"),
        });
        text += &parts.collect::<Vec<_>>().join(", ");
        if let Some(message) = &remarks.first_error {
            text += &format!("; the first error: {message}");
        }
        if let Some(Some(remedy)) = &remarks.remedy {
            text += &format!("; {remedy}");
        }
        text
    }
}

impl ToolFields {
    /// Returns why a record without an error of this tool was passed on unchanged; `None` if there
    /// was nothing to do.
    fn cause_of_no_result(&self, record: &Record) -> Option<Cause> {
        if record.has_error() {
            Some(Cause::EarlierError)
        } else if record.has_own_value(self.output) {
            Some(Cause::HasResult(self.output))
        } else if let Some(field) = self.done.iter().find(|field| record.has_value(field)) {
            Some(Cause::HasResult(field))
        } else if self.is_missing_in(record) {
            Some(Cause::MissingInput)
        } else {
            None
        }
    }

    /// Returns `true` if the record has none of the input fields that the tool needs.
    fn is_missing_in(&self, record: &Record) -> bool {
        !self.input.is_empty() && !self.input.iter().any(|field| record.has_value(field))
    }
}

/// Counts of the records that a tool which adds no field has used, and of the others by cause.
#[derive(Debug, Default)]
pub struct UsedRecords {
    records: u64,
    causes: BTreeMap<Cow<'static, str>, u64>,
}

impl UsedRecords {
    /// Counts a record, with the cause if it was not used, such as "without `text`".
    pub fn count(&mut self, cause: Option<impl Into<Cow<'static, str>>>) {
        self.records += 1;
        if let Some(cause) = cause {
            *self.causes.entry(cause.into()).or_default() += 1;
        }
    }

    /// Reports the records that were not used, if there are any and the tool is not part of a run.
    /// `verb` is what was to be done with them, such as "counted".
    pub fn report(&self, verb: &str, messages: &Messages) {
        if !self.causes.is_empty() && !is_in_run() {
            messages.warn(self.format(verb));
        }
    }

    fn format(&self, verb: &str) -> String {
        let unused = self.causes.values().sum::<u64>();
        let records = format_count(self.records, "record");
        let statement = match self.records - unused {
            0 if unused == 1 => format!("the only record was not {verb}"),
            0 => format!("none of {records} was {verb}"),
            _ => format!("{unused} of {records} not {verb}"),
        };
        let causes = self.causes.iter();
        let causes: Vec<String> = causes.map(|(cause, n)| format!("{n} {cause}")).collect();
        format!("{statement}: {}", causes.join(", "))
    }
}

/// Returns why a record is not a document, for [`UsedRecords`]; `None` if it is one, or reports a
/// query without a new hit.
pub fn why_no_document(record: &Record) -> Option<&'static str> {
    match record.text() {
        _ if record.has_error() => Some("with an error"),
        Ok(Some(_)) => None,
        Ok(None) if is_without_page(record) => None,
        Ok(None) => Some("without `text`"),
        Err(_) => Some("with a `text` that is not a string"),
    }
}

/// Returns `true` if the tool is part of a run.
fn is_in_run() -> bool {
    std::env::var_os(RUN_VARIABLE).is_some()
}

/// A warning for input in which no record has a field that the tool needs, for a tool that does not
/// pass records on.
#[derive(Debug, Default)]
pub(crate) struct InputCheck {
    fields: ToolFields,
    present: u64,
    missing: u64,
    /// How the first record without a text may get one.
    remedy: Option<String>,
}

impl InputCheck {
    pub(crate) fn new(fields: ToolFields) -> Self {
        InputCheck {
            fields,
            ..InputCheck::default()
        }
    }

    /// Counts a record as it was read.
    pub(crate) fn count_record(&mut self, record: &Record) {
        if !self.fields.is_missing_in(record) {
            self.present += 1;
        } else if !record.has_error() && !is_without_page(record) {
            if self.missing == 0 && self.fields.input.contains(&field::TEXT) {
                self.remedy = describe_renaming(record);
            }
            self.missing += 1;
        }
    }

    /// Warns if records lacked the fields and no record had any of them.
    pub(crate) fn warn_if_all_missing(&self, messages: &Messages) {
        if let (0, 1..) = (self.present, self.missing) {
            let remedy = self.remedy.iter().map(|remedy| format!("; {remedy}"));
            messages.warn(format_args!(
                "none of {} has {}{}",
                format_count(self.missing, "record"),
                format_alternatives(self.fields.input),
                remedy.collect::<String>()
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

/// Returns how to make the field the text that may be it, in a record without `text`; `None` if no
/// field may be it.
pub(crate) fn describe_renaming(record: &Record) -> Option<String> {
    let name = record.longest_text_field()?;
    Some(format!(
        "if the text is in `{name}`, use --text-field {}",
        quote_for_shell(&name)
    ))
}

/// Returns `true` if the record reports a query without a new hit.
pub(crate) fn is_without_page(record: &Record) -> bool {
    let hit = record.view::<Hit>(field::HIT).ok().flatten();
    hit.is_some_and(|hit| matches!(hit.outcome, Some(HitOutcome::Empty | HitOutcome::Exhausted)))
}

#[cfg(test)]
mod tests {
    use super::{InputCheck, ResultCounts, ToolFields, UsedRecords, why_no_document};
    use forage_record::{ErrorKind, Record};

    const LANGID: ToolFields = ToolFields {
        input: &["text"],
        output: "langid",
        done: &[],
    };
    const FETCH: ToolFields = ToolFields {
        input: &["url", "html", "text"],
        output: "fetch",
        done: &["text"],
    };

    fn parse(line: &str) -> Record {
        Record::parse(line.as_bytes().to_vec()).unwrap()
    }

    fn report(counts: &ResultCounts) -> String {
        counts.format(
            counts.written.load(super::Ordering::Relaxed),
            &counts.remarks.lock(),
        )
    }

    /// Returns the message for records that are passed on as they are.
    fn passed_on(fields: ToolFields, lines: &[&str]) -> String {
        let counts = ResultCounts::new(fields);
        lines
            .iter()
            .for_each(|line| counts.count_record(&parse(line)));
        report(&counts)
    }

    #[test]
    fn each_cause_is_counted() {
        let lines = [
            r#"{"content":"a"}"#,
            r#"{"text":null}"#,
            r#"{"text":"a","error":{"tool":"x","kind":"y"}}"#,
            r#"{"text":"a","langid":{"code":"slv"}}"#,
        ];
        let causes = "1 with an earlier error, 1 with `langid` already (--force), 2 without `text`";
        assert_eq!(
            passed_on(LANGID, &lines),
            format!("none of 4 records has a result: {causes}")
        );
        let counts = ResultCounts::new(LANGID);
        lines
            .iter()
            .for_each(|line| counts.count_record(&parse(line)));
        let mut done = parse(r#"{"text":"a"}"#);
        done.set("langid", &1);
        counts.count_record(&done);
        assert_eq!(
            report(&counts),
            format!("4 of 5 records without a result: {causes}")
        );
    }

    #[test]
    fn errors_of_the_tool_are_counted_by_kind_with_the_first_message() {
        let counts = ResultCounts::new(FETCH);
        for kind in [ErrorKind::Dns, ErrorKind::HttpStatus, ErrorKind::Dns] {
            let mut record = parse(r#"{"url":"http://a.test/"}"#);
            record.set_error("fetch-extract", kind, "m");
            counts.count_record(&record);
        }
        assert_eq!(
            report(&counts),
            "none of 3 records has a result: 2 with a new error of kind dns, 1 with a new error of \
             kind http-status; the first error: m"
        );
    }

    #[test]
    fn a_foreign_error_one_of_several_fields_and_a_query_without_a_page_are_no_cause() {
        let counts = ResultCounts::new(FETCH);
        for line in [
            r#"{"url":"a","error":false}"#,
            r#"{"html":"","error":"timeout"}"#,
            r#"{"hit":{"engine":"e","calls":1,"outcome":"empty"}}"#,
            r#"{"hit":{"engine":"e","calls":1,"outcome":"exhausted"}}"#,
        ] {
            counts.count_record(&parse(line));
        }
        assert_eq!(counts.written.load(super::Ordering::Relaxed), 2);
        assert!(counts.remarks.lock().causes.is_empty());
    }

    #[test]
    fn the_field_that_may_be_the_text_is_named() {
        for (line, path) in [
            (
                r#"{"id":1,"content":"Danes je lep dan."}"#,
                "--text-field content",
            ),
            (r#"{"a b":"Danes je lep dan."}"#, "--text-field 'a b'"),
            (r#"{"it's":"Danes je lep dan."}"#, r"--text-field 'it'\''s'"),
        ] {
            let message = passed_on(LANGID, &[line]);
            assert!(message.contains(path), "{message}");
        }
        assert!(!passed_on(LANGID, &[r#"{"url":"http://a.test/"}"#]).contains("jq"));
    }

    #[test]
    fn a_record_that_has_what_is_fetched_and_a_moved_field_are_counted() {
        assert_eq!(
            passed_on(
                FETCH,
                &[r#"{"url":"a","text":""}"#, r#"{"fetch":{},"text":"a"}"#]
            ),
            "none of 2 records has a result: 1 with `fetch` already (--force), 1 with `text` \
             already (--force)"
        );
        let counts = ResultCounts::new(LANGID);
        let mut record = parse(r#"{"text":"a","langid":"sl"}"#);
        record.set("langid", &1);
        counts.count_record(&record);
        assert!(counts.remarks.lock().causes.is_empty());
        assert_eq!(counts.remarks.lock().moved["langid"], 1);
    }

    #[test]
    fn records_that_a_tool_without_a_field_cannot_use_are_counted_by_cause() {
        let format = |lines: &[&str]| {
            let mut used = UsedRecords::default();
            lines
                .iter()
                .for_each(|line| used.count(why_no_document(&parse(line))));
            used.format("counted")
        };
        let empty = r#"{"hit":{"engine":"e","outcome":"empty"}}"#;
        let unused = [
            r#"{"content":"a"}"#,
            r#"{"text":null}"#,
            r#"{"text":5}"#,
            r#"{"text":"a","error":{"tool":"x","kind":"dns"}}"#,
        ];
        let causes = "1 with a `text` that is not a string, 1 with an error, 2 without `text`";
        assert_eq!(
            format(&unused),
            format!("none of 4 records was counted: {causes}")
        );
        let some = [&unused[..], &[empty, r#"{"text":"a","error":"x"}"#]].concat();
        assert_eq!(
            format(&some),
            format!("4 of 6 records not counted: {causes}")
        );
        assert_eq!(
            format(&unused[..1]),
            "the only record was not counted: 1 without `text`"
        );
    }

    #[test]
    fn fields_that_all_records_lack_are_noticed() {
        let counts = |lines: &[&str]| {
            let mut check = InputCheck::new(FETCH);
            lines
                .iter()
                .for_each(|line| check.count_record(&parse(line)));
            (check.present, check.missing)
        };
        assert_eq!(
            counts(&[r#"{"URL":"a"}"#, r#"{"html":""}"#, r#"{"url":null}"#]),
            (1, 2)
        );
        assert_eq!(
            super::format_alternatives(FETCH.input),
            "`url`, `html` or `text`"
        );
    }
}
