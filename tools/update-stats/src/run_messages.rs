//! Texts about a run: the messages of `-v`, and the outcome in the output of `--tally`.

use forage_cli::format_count;
use forage_query::RunFigures;
use forage_record::{HitOutcome, Query};
use forage_run::{Event, RunTotals};

/// Formats one line for `-v`: the step, the figures of the run so far, the query, and the result of
/// the record.
pub fn format_event(query: &Query, event: &Event, totals: &RunTotals) -> String {
    let total = |name| totals.total_for_target(event.target(), name);
    let relevant = total("relevant");
    let step = event.step_number();
    let pos_docs = format_ratio(relevant, total("documents"));
    let pos_queries = format_ratio(relevant, total("queries"));
    let query = format_query(query);
    let result = format_result(event);
    format!("{step:>5}  PosDocs {pos_docs}  PosQueries {pos_queries}  {query}  →  {result}")
}

/// Formats `part / whole` with two decimals, or a dash if `whole` is 0.
fn format_ratio(part: i64, whole: i64) -> String {
    if whole > 0 {
        format!("{:.2}", part as f64 / whole as f64)
    } else {
        "–".into()
    }
}

/// Formats the literals of a query: `+` for inclusion, `−` for exclusion, `~` for the URL of a
/// more-like-this query.
fn format_query(query: &Query) -> String {
    let mut literals: Vec<String> = query.like.iter().map(|url| format!("~{url}")).collect();
    literals.extend(query.include.iter().map(|term| format!("+{term}")));
    literals.extend(query.exclude.iter().map(|term| format!("−{term}")));
    literals.join(" ")
}

/// Formats the result of a record: its error, its outcome, or its label and URL.
fn format_result(event: &Event) -> String {
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

/// Formats the figures of a target as one line, followed by a line with the number of errors by
/// kind, if there are any.
pub fn format_figures(target: &str, figures: &RunFigures) -> Vec<String> {
    let mut lines = vec![format!("{target}: {}", format_yield(figures))];
    let errors: Vec<String> = figures
        .errors
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if !errors.is_empty() {
        lines.push(format!("{target}: errors by kind: {}", errors.join(", ")));
    }
    lines
}

/// Formats the cost and the yield of a target. A crawl has neither queries nor calls.
fn format_yield(figures: &RunFigures) -> String {
    let ratio = |ratio: Option<f64>| ratio.map_or("–".into(), |ratio| format!("{ratio:.3}"));
    let documents = format_count(figures.documents, "document");
    let steps = format_count(figures.steps, "step");
    let pos_docs = ratio(figures.pos_docs);
    if figures.queries == 0 && figures.calls == 0 {
        return format!("retrieved {documents} in {steps}: PosDocs {pos_docs}");
    }
    let attempts = match figures.attempts {
        0 => String::new(),
        count => format!(" and {}", format_count(count, "attempt")),
    };
    format!(
        "retrieved {documents} in {steps}{attempts}, from {} and {}: PosDocs {pos_docs}, PosQueries {}, \
         PosCalls {}",
        format_count(figures.queries, "query"),
        format_count(figures.calls, "call"),
        ratio(figures.pos_queries),
        ratio(figures.pos_calls),
    )
}

/// Returns the outcome of a record for `--tally`: the outcome of its query, the kind of the
/// engine's error, or `none`.
pub fn tally_outcome(event: &Event) -> String {
    let outcome = match (&event.error, event.outcome()) {
        (Some(error), _) if error.kind.is_engine_failure() => serde_json::to_value(error.kind).ok(),
        (_, Some(outcome)) => serde_json::to_value(outcome).ok(),
        _ => None,
    };
    outcome
        .as_ref()
        .and_then(serde_json::Value::as_str)
        .unwrap_or("none")
        .to_owned()
}
