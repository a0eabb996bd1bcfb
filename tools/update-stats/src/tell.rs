//! What is said of a record: `-v` for people, `--tally` for pipelines.

use forage_query::{Event, Tally};
use forage_record::{Outcome, Query};

/// What was asked, what came, and how far the run is.
pub fn line(query: &Query, event: &Event, url: Option<&str>, tally: Tally) -> String {
    let mut asked: Vec<String> = query.like.iter().map(|url| format!("~{url}")).collect();
    asked.extend(query.include.iter().map(|term| format!("+{term}")));
    asked.extend(query.exclude.iter().map(|term| format!("−{term}")));
    let share = |of: i64| if of > 0 { format!("{:.2}", tally.relevant as f64 / of as f64) } else { "–".into() };
    let Query { step, .. } = query;
    let (asked, came) = (asked.join(" "), came(event, url));
    let (docs, queries) = (share(tally.documents), share(tally.queries));
    format!("{step:>5}  PosDocs {docs}  PosQueries {queries}  {asked}  →  {came}")
}

fn came(event: &Event, url: Option<&str>) -> String {
    let url = url.unwrap_or_default();
    match (&event.error, event.outcome, &event.label) {
        (Some(error), ..) => format!("{}: {}  {url}", error.tool, error.message).trim_end().to_owned(),
        (_, Some(Outcome::Empty), _) => "nothing".into(),
        (_, Some(Outcome::Exhausted), _) => "nothing new".into(),
        (_, _, Some(label)) if event.is_twin => format!("{label}, a twin  {url}"),
        (_, _, Some(label)) if event.is_relevant() => format!("{label} ✓  {url}"),
        (_, _, Some(label)) => format!("{label}  {url}"),
        _ => format!("no label  {url}"),
    }
}

/// What came: an outcome of the engine, or the kind of its error.
pub fn outcome(event: &Event) -> String {
    let name = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_else(|| "none".into())
    };
    match (&event.error, event.outcome) {
        (Some(error), _) if error.tool == "search" => name(serde_json::to_value(error.kind)),
        (_, Some(outcome)) => name(serde_json::to_value(outcome)),
        _ => "none".into(),
    }
}
