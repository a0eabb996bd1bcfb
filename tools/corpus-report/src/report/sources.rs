//! Figures of where the documents come from, and of what the pages say of themselves.

use crate::report::chart::{Bar, Column, arcs, bars, columns};
use crate::report::count::{BoundedCounts, Share};
use crate::report::figure::{Figure, Table};
use crate::report::html::{format_count, format_percent};
use crate::report::run_data::RunData;
use std::collections::BTreeMap;

/// Number of bars of a figure; its table has more.
const BARS: usize = 20;
/// Number of rows of a table.
const TABLE_ROWS: usize = 100;
/// Number of hosts in the graph.
const GRAPH_HOSTS: usize = 16;
/// Most columns of publication dates.
const MAX_DATES: usize = 40;

/// Hosts, directories and links between hosts.
pub(crate) fn host_figures(run: &RunData) -> Vec<Figure> {
    let documents = run.total.now.documents;
    let largest = run.hosts.top(1, |share| share.documents);
    let note = largest.first().map_or(String::new(), |(host, share)| {
        format!(
            "{} hosts; the largest, {host}, has {} of the documents.",
            format_count(run.hosts.len() as u64),
            format_percent(share.documents, documents)
        )
    });
    let mut figures = Vec::from_iter(share_figure("Hosts", &note, &run.hosts));
    if run.domains.len() > 1 {
        let note = "Documents by top-level domain, as that of a country.";
        figures.extend(share_figure("Domains", note, &run.domains));
    }
    if run.is_crawl {
        let note = "Documents by directory.";
        figures.extend(share_figure("Directories", note, &run.directories));
        figures.extend(graph_figure(run));
    }
    if run.engines.len() > 1 {
        let note = "Documents by engine.";
        figures.extend(share_figure("Engines", note, &run.engines));
    }
    if run.collections.len() > 1 {
        figures.extend(share_figure(
            "Collections by sample article",
            "Documents by the sample with which they were compared.",
            &run.collections,
        ));
    }
    figures
}

/// Bars of documents, and the relevant ones of them.
fn share_figure(title: &str, note: &str, shares: &BoundedCounts<Share>) -> Option<Figure> {
    let total: u64 = shares.sorted().values().map(|share| share.documents).sum();
    let mut table = Table::new(&["name", "documents", "share", "relevant", "precision"]);
    let top = shares.top(TABLE_ROWS, |share| share.documents);
    let name = |key: &str| if key.is_empty() { "none" } else { key }.to_owned();
    for (key, share) in &top {
        table.push([
            name(key),
            format_count(share.documents),
            format_percent(share.documents, total),
            format_count(share.relevant),
            format_percent(share.relevant, share.documents),
        ]);
    }
    let rows: Vec<Bar> = top
        .iter()
        .take(BARS)
        .map(|(key, share)| Bar::of_share(&name(key), share.documents, share.relevant))
        .collect();
    (!rows.is_empty()).then(|| Figure::new(title, note, table, |title| bars(title, &rows)))
}

fn graph_figure(run: &RunData) -> Option<Figure> {
    let hosts = run.hosts.top(GRAPH_HOSTS, |share| share.documents);
    let number: BTreeMap<&str, usize> = hosts
        .iter()
        .enumerate()
        .map(|(n, (host, _))| (*host, n))
        .collect();
    let mut table = Table::new(&["from", "to", "links"]);
    let mut edges: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (key, count) in run.host_links.top(2000, |count| *count) {
        let Some((from, to)) = key.split_once('\t') else {
            continue;
        };
        if let (Some(&a), Some(&b)) = (number.get(from), number.get(to)) {
            *edges.entry((a.min(b), a.max(b))).or_default() += *count as f64;
            table.push([from.to_owned(), to.to_owned(), format_count(*count)]);
        }
    }
    let nodes: Vec<Bar> = hosts
        .iter()
        .map(|(host, share)| Bar::of_count(host, share.relevant))
        .collect();
    let edges: Vec<_> = edges
        .into_iter()
        .map(|((a, b), weight)| (a, b, weight))
        .collect();
    let note = "An arc is as wide as there are links in either direction; a dot is as large as the host has relevant documents.";
    let draw = |title: &str| arcs(title, &nodes, &edges);
    (!edges.is_empty()).then(|| Figure::new("Links between hosts", note, table, draw))
}

/// Dates, licences, reservations, duplicates and errors.
pub(crate) fn page_figures(run: &RunData) -> Vec<Figure> {
    let mut figures = Vec::from_iter(date_figure(run));
    if run.licences.sorted().keys().any(|key| !key.is_empty()) {
        let note = "Licences to which pages link.";
        figures.extend(share_figure("Licences", note, &run.licences));
    }
    let note = "Reservations against text and data mining.";
    figures.extend(share_figure("Opt-outs", note, &run.optouts));
    let documents = run.total.now.documents;
    let duplicates: u64 = run.duplicates.values().sum();
    let mut counts = vec![("new".to_owned(), documents.saturating_sub(duplicates))];
    counts.extend(
        run.duplicates
            .iter()
            .map(|(status, count)| ((*status).to_owned(), *count)),
    );
    if duplicates > 0 {
        let note = format!(
            "{} of the documents are duplicates of earlier ones.",
            format_percent(duplicates, documents)
        );
        figures.push(count_figure("Duplicates", &note, &counts));
    }
    let errors: Vec<_> = run
        .errors
        .iter()
        .map(|((tool, kind), count)| (format!("{tool}: {kind}"), *count))
        .collect();
    if !errors.is_empty() {
        let note = "Records that a tool could not process.";
        figures.push(count_figure("Errors by kind", note, &errors));
    }
    figures
}

/// Bars of counts.
fn count_figure(title: &str, note: &str, counts: &[(String, u64)]) -> Figure {
    let mut table = Table::new(&["name", "records"]);
    let rows: Vec<Bar> = counts
        .iter()
        .map(|(name, count)| {
            table.push_counts(name, &[*count]);
            Bar::of_count(name, *count)
        })
        .collect();
    Figure::new(title, note, table, |title| bars(title, &rows))
}

/// Documents by publication date: per day, month or year, so that there are few columns.
fn date_figure(run: &RunData) -> Option<Figure> {
    let days = run.dates.sorted();
    let undated = days.get("").map_or(0, |share| share.documents);
    let periods = [10, 7, 4].map(|length| {
        let mut periods: BTreeMap<&str, Share> = BTreeMap::new();
        for (day, share) in days.iter().filter(|(day, _)| !day.is_empty()) {
            let period = periods.entry(&day[..length]).or_default();
            period.documents += share.documents;
            period.relevant += share.relevant;
        }
        periods
    });
    let [_, _, years] = &periods;
    let periods = periods
        .iter()
        .find(|periods| periods.len() <= MAX_DATES)
        .unwrap_or(years);
    let mut table = Table::new(&["published", "documents", "relevant"]);
    let bins: Vec<Column> = periods
        .iter()
        .map(|(period, share)| {
            table.push_counts(period, &[share.documents, share.relevant]);
            Column {
                label: (*period).to_owned(),
                values: vec![
                    share.relevant as f64,
                    (share.documents - share.relevant) as f64,
                ],
            }
        })
        .collect();
    let undated = format_percent(undated, run.total.now.documents);
    let note = format!("{undated} of the documents have no date.");
    let axes = ("published", "documents");
    let draw = |title: &str| columns(title, axes, &["relevant", "other"], &bins);
    (!bins.is_empty()).then(|| Figure::new("Dates of publication", note, table, draw))
}
