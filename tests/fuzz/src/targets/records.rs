//! Records, and journals of them.

use super::{Target, shape_of, shape_of_error, state_files};
use forage_query::rebuild_ledger;
use forage_record::{
    Comment, Dedup, Fetch, FieldPath, FrontierEntry, Hit, Keyphrase, LangId, Query, Record, Sample,
    Step, Topic, field,
};
use forage_run::Event;

/// Parts of records.
const RECORD_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "\\\"",
    "1e400",
    "-0",
    "\"url\":\"http://a.test/\",",
    "\"id\":",
    "\"text\":",
    "\"title\":",
    "\"label\":\"slv\",",
    "\"step\":{\"number\":3,\"target\":\"slv\",\"last\":true},",
    "\"query\":",
    "\"include\":[",
    "\"exclude\":[",
    "\"strategy\":{",
    "\"method\":",
    "\"literals\":",
    "\"hit\":{\"outcome\":\"exhausted\"},",
    "\"rank\":",
    "\"hit\":{\"rank\":1,\"calls\":9223372036854775807},",
    "\"dedup\":{\"status\":\"new\"},",
    "\"error\":{\"tool\":\"x\",\"kind\":\"timeout\",\"message\":\"\"},",
    "\"fetch\":{",
    "\"langid\":{",
    "\"keywords\":[",
    "\"topic\":{\"score\":1e308,",
    "\"metrics\":{",
    "\"links\":[",
    "\"retry\":true,",
    "\"calls\":18446744073709551615",
    "\n",
];

/// Single records.
pub const RECORD: Target = Target {
    dictionary: RECORD_WORDS,
    test_inputs: 8000,
    ..Target::new(
        "record",
        "records, their fields, and events of them",
        run_record,
    )
};

/// Journals, which statistics are rebuilt from.
pub const JOURNAL: Target = Target {
    dictionary: RECORD_WORDS,
    max_bytes: 64 << 10,
    test_inputs: 800,
    ..Target::new(
        "journal",
        "journals, which stats.db is rebuilt from",
        run_journal,
    )
};

fn run_record(input: &[u8]) -> u64 {
    let lines = input.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let shapes = lines.map(run_line).collect::<Vec<_>>();
    super::hash(&shapes)
}

fn run_line(line: &[u8]) -> u64 {
    let mut record = match Record::parse(line.to_vec()) {
        Ok(record) => record,
        Err((error, bytes)) => {
            assert_eq!(bytes, line, "an error loses the line");
            return shape_of_error(error);
        }
    };
    let mut written = Vec::new();
    record.write(&mut written);
    assert_eq!(
        written.trim_ascii(),
        line.trim_ascii(),
        "a record is not written as it was read"
    );
    let views = [
        record.view::<Step>(field::STEP).is_ok(),
        record.view::<Query>(field::QUERY).is_ok(),
        record.view::<Hit>(field::HIT).is_ok(),
        record.view::<Dedup>(field::DEDUP).is_ok(),
        record.view::<Fetch>(field::FETCH).is_ok(),
        record.view::<Topic>(field::TOPIC).is_ok(),
        record.view::<LangId>(field::LANGID).is_ok(),
        record.view::<FrontierEntry>(field::FRONTIER).is_ok(),
        record.view::<Sample>(field::SAMPLE).is_ok(),
        record.get::<Vec<Keyphrase>>(field::KEYWORDS).is_ok(),
        record.get::<Vec<Comment>>(field::COMMENTS).is_ok(),
        record.in_links().is_ok(),
        record.out_links().is_ok(),
        record.text().is_ok(),
        Event::from_journal(&record).is_ok(),
        Event::from_current_schema(&record).is_ok(),
    ];
    let event = Event::from_record(&record);
    let flags = (
        views,
        event.is_document,
        event.is_duplicate(),
        event.ends_step(),
        event.is_retry,
    );
    let path =
        ["topic.metrics.vsm", "fetch.status", "a.b"].map(|path| path.parse::<FieldPath>().is_ok());
    record.set("added", &1);
    record.remove(field::TEXT);
    written.clear();
    record.write(&mut written);
    assert!(
        Record::parse(written.trim_ascii().to_vec()).is_ok(),
        "a changed record is no record"
    );
    super::hash(&(flags, path))
}

fn run_journal(input: &[u8]) -> u64 {
    state_files::with_file(input, "journal.jsonl", |path| {
        let stats = path.with_file_name("rebuilt.db");
        state_files::remove_database(&stats);
        match rebuild_ledger(&stats, path, false) {
            Ok(ledger) => shape_of(
                "journal",
                &[
                    ledger.next_step() as usize,
                    ledger.totals().total("documents") as usize,
                ],
            ),
            Err(error) => shape_of_error(last_cause(&error)),
        }
    })
}

/// Returns the message of an error without the path before it.
fn last_cause(error: &dyn std::error::Error) -> String {
    let message = error.to_string();
    let cause = message.rsplit(": ").next();
    cause.unwrap_or_default().to_owned()
}
