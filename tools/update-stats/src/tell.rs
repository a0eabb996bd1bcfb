//! What is said of a record: `-v` for people, `--tally` for pipelines.

use forage_cli::format_count;
use forage_query::RunFigures;
use forage_record::{HitOutcome, Query};
use forage_run::{Event, RunTotals};

/// What was asked, what came, and how far the run is.
pub fn line(query: &Query, event: &Event, totals: &RunTotals) -> String {
    let mut asked: Vec<String> = query.like.iter().map(|url| format!("~{url}")).collect();
    asked.extend(query.include.iter().map(|term| format!("+{term}")));
    asked.extend(query.exclude.iter().map(|term| format!("−{term}")));
    let total = |name| totals.total_for_target(event.target(), name);
    let relevant = total("relevant") as f64;
    let share = |of: i64| {
        if of > 0 {
            format!("{:.2}", relevant / of as f64)
        } else {
            "–".into()
        }
    };
    let (step, asked, came) = (event.step_number(), asked.join(" "), came(event));
    let (docs, queries) = (share(total("documents")), share(total("queries")));
    format!("{step:>5}  PosDocs {docs}  PosQueries {queries}  {asked}  →  {came}")
}

fn came(event: &Event) -> String {
    let url = event.url().unwrap_or_default();
    match (&event.error, event.outcome(), &event.label) {
        (Some(error), ..) => format!("{}: {}  {url}", error.tool, error.message)
            .trim_end()
            .to_owned(),
        (_, Some(HitOutcome::Empty), _) => "nothing".into(),
        (_, Some(HitOutcome::Exhausted), _) => "nothing new".into(),
        (_, _, Some(label)) if event.is_duplicate() => format!("{label}, a duplicate  {url}"),
        (_, _, Some(label)) if event.is_relevant() => format!("{label} ✓  {url}"),
        (_, _, Some(label)) => format!("{label}  {url}"),
        _ => format!("no label  {url}"),
    }
}

/// What a target cost and brought, for a person; a second line where something could not be had.
pub fn figures(target: &str, figures: &RunFigures) -> Vec<String> {
    let RunFigures {
        steps,
        queries,
        calls,
        documents,
        pos_docs,
        pos_queries,
        pos_calls,
        ..
    } = figures;
    let share = |share: &Option<f64>| share.map_or("–".into(), |share| format!("{share:.3}"));
    let (docs, per_query, per_call) = (share(pos_docs), share(pos_queries), share(pos_calls));
    let mut lines = vec![format!(
        "{target}: of {} retrieved in {}, by {} and {}: PosDocs {docs}, PosQueries {per_query}, \
         PosCalls {per_call}",
        format_count(*documents, "document"),
        format_count(*steps, "step"),
        format_count(*queries, "query"),
        format_count(*calls, "call"),
    )];
    let errors: Vec<String> = figures
        .errors
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if !errors.is_empty() {
        lines.push(format!(
            "{target}: could not be had, by kind of error: {}",
            errors.join(", ")
        ));
    }
    lines
}

/// What came: an outcome of the engine, or the kind of its error.
pub fn outcome(event: &Event) -> String {
    let name = |value: serde_json::Result<serde_json::Value>| {
        value
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_else(|| "none".into())
    };
    match (&event.error, event.outcome()) {
        (Some(error), _) if error.kind.is_engine_failure() => {
            name(serde_json::to_value(error.kind))
        }
        (_, Some(outcome)) => name(serde_json::to_value(outcome)),
        _ => "none".into(),
    }
}
