//! Figures of what was collected: classes, words, hosts, and what the pages say of themselves.

use crate::chart::{Bar, Column, Range, Series, Unit, arcs, bars, columns, lines, ranges};
use crate::count::{BoundedCounts, Share};
use crate::figure::{Figure, Table};
use crate::html::{format_count, format_decimal, format_percent};
use crate::run_data::{MARGIN_BINS, RunData};
use std::collections::BTreeMap;

/// Number of bars of a figure; its table has more.
const BARS: usize = 20;
/// Number of rows of a table.
const TABLE_ROWS: usize = 100;
/// Number of words that are drawn.
const DRAWN_WORDS: usize = 25;
/// Number of hosts in the graph.
const GRAPH_HOSTS: usize = 16;
/// Most columns of publication dates.
const MAX_DATES: usize = 40;

/// The labels that the filter gave, and its margins.
pub(crate) fn filter_figures(run: &RunData) -> Vec<Figure> {
    let kind = if run.has_topic_scores {
        "score"
    } else {
        "margin"
    };
    let mut table = Table::new(&[
        "target and label",
        "documents",
        "share",
        &format!("mean {kind}"),
        "runner-up most often",
    ]);
    let mut figures = Vec::new();
    let labels = run.labels.top(TABLE_ROWS, |tally| tally.documents);
    let total: u64 = labels.iter().map(|(_, tally)| tally.documents).sum();
    let name = |key: &str| {
        let (target, label) = key.split_once('\t').unwrap_or(("", key));
        let label = if label.is_empty() { "no label" } else { label };
        match run.targets.len() {
            1 => label.to_owned(),
            _ => format!("{target} → {label}"),
        }
    };
    for (key, tally) in &labels {
        let mean = tally.margin_sum / tally.with_margin.max(1) as f64;
        let runner_up = tally
            .runners_up
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
        table.push([
            name(key),
            format_count(tally.documents),
            format_percent(tally.documents, total),
            if tally.with_margin > 0 {
                format_decimal(mean, 3)
            } else {
                "–".into()
            },
            runner_up
                .map(|(code, n)| format!("{code} ({})", format_count(*n)))
                .unwrap_or_default(),
        ]);
    }
    let rows: Vec<Bar> = labels
        .iter()
        .take(BARS)
        .map(|(key, tally)| Bar {
            label: name(key),
            value: tally.documents as f64,
            part: None,
            shown: format_count(tally.documents),
        })
        .collect();
    let title = if run.targets.len() > 1 {
        "Targets of queries and labels of documents"
    } else {
        "Labels of the documents"
    };
    if !rows.is_empty() {
        figures.push(Figure {
            title: title.into(),
            note: "Without duplicates. The table has the languages between which the filter had to decide.".into(),
            svg: bars(title, &rows),
            table,
        });
    }
    figures.extend(margin_figure(run, kind));
    figures
}

fn margin_figure(run: &RunData, kind: &str) -> Option<Figure> {
    let names = ["relevant", "other"];
    let mut table = Table::new(&[kind, "relevant", "other"]);
    let bins: Vec<Column> = run
        .margins
        .iter()
        .enumerate()
        .map(|(index, [relevant, other])| {
            let label = format_decimal(index as f64 / MARGIN_BINS as f64, 2);
            table.push([
                format!("{label} and more"),
                format_count(*relevant),
                format_count(*other),
            ]);
            Column {
                label,
                values: vec![*relevant as f64, *other as f64],
            }
        })
        .collect();
    let title = match kind {
        "score" => "Scores of the topic filter".to_owned(),
        _ => "Margins of the language filter".to_owned(),
    };
    let is_told = run.margins.iter().flatten().any(|count| *count > 0);
    is_told.then(|| Figure {
        svg: columns(&title, (kind, "documents"), &names, &bins),
        note: match kind {
            "score" => "Documents near the border between both colours are worth a look.".into(),
            _ => "Distance from the second-best language. Low margins are worth a look.".into(),
        },
        title,
        table,
    })
}

/// The growth of the vocabulary, the commonest words, and the lengths.
pub(crate) fn word_figures(run: &RunData) -> Vec<Figure> {
    let mut figures = Vec::from_iter(growth_figure(run));
    for target in &run.targets {
        figures.extend(common_words_figure(run, target));
    }
    figures.extend(length_figure(run));
    figures
}

fn growth_figure(run: &RunData) -> Option<Figure> {
    let mut table = Table::new(&["target", "words", "distinct words"]);
    let mut exponents = Vec::new();
    let series: Vec<Series> = run
        .by_target
        .iter()
        .filter(|(_, line)| line.now.tokens > 0)
        .map(|(target, line)| {
            let points = line.points();
            let every = points.len().div_ceil(20).max(1);
            let last = points.len() - 1;
            for point in points
                .iter()
                .enumerate()
                .filter(|(i, _)| (last - i).is_multiple_of(every))
                .map(|(_, p)| p)
            {
                table.push([
                    target.clone(),
                    format_count(point.tokens),
                    format_count(point.types),
                ]);
            }
            let points: Vec<_> = points
                .iter()
                .map(|p| (p.tokens as f64, p.types as f64))
                .collect();
            exponents.extend(fit_power(&points).map(|(k, beta)| {
                format!(
                    "{target}: V = {} · N^{}",
                    format_decimal(k, 1),
                    format_decimal(beta, 2)
                )
            }));
            Series {
                name: target.clone(),
                points,
            }
        })
        .collect();
    let title = "Growth of the vocabulary".to_owned();
    (!series.is_empty()).then(|| Figure {
        svg: lines(&title, ("words", "distinct words"), Unit::Count, &series),
        note: match exponents.is_empty() {
            true => String::new(),
            false => format!("Heaps’ law, fitted: {}.", exponents.join("; ")),
        },
        title,
        table,
    })
}

/// Fits `y = k * x^beta` by least squares of the logarithms; `None` for fewer than three points.
fn fit_power(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let logs: Vec<_> = points
        .iter()
        .filter(|(x, y)| *x > 0.0 && *y > 0.0)
        .map(|(x, y)| (libm::log(*x), libm::log(*y)))
        .collect();
    let n = logs.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| logs.iter().map(value).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    if logs.len() < 3 || spread <= 0.0 {
        return None;
    }
    let beta = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
    Some((libm::exp(y - beta * x), beta))
}

fn common_words_figure(run: &RunData, target: &str) -> Option<Figure> {
    let words = run
        .vocabularies
        .get(target)
        .filter(|words| words.words.len() > 0)?;
    let contrast = run.vocabularies.contrast(target);
    let other = contrast.map_or("no other class", |(class, _)| class);
    let mut table = Table::new(&[
        "word",
        "count",
        &format!("per million in {target}"),
        &format!("per million in {other}"),
    ]);
    let top = words.words.top(200, |count| *count);
    let top = top
        .into_iter()
        .filter(|(word, _)| word.contains(char::is_alphabetic));
    let mut rows = Vec::new();
    for (word, count) in top.take(100) {
        let (here, there) = (
            words.per_million(word),
            contrast.map(|(_, words)| words.per_million(word)),
        );
        table.push([
            word.to_owned(),
            format_count(*count),
            format_count(here.round() as u64),
            there
                .map(|n| format_count(n.round() as u64))
                .unwrap_or_default(),
        ]);
        if rows.len() < DRAWN_WORDS {
            rows.push(Range {
                label: word.to_owned(),
                value: here,
                interval: None,
                other: there,
            });
        }
    }
    let title = format!("Commonest words of {target}");
    Some(Figure {
        svg: ranges(
            &title,
            "per million words",
            Unit::Count,
            contrast.map(|_| (target, other)),
            &rows,
        ),
        note: match contrast {
            Some((class, _)) => {
                format!("Beside {class}, the other class with most words. The table has a hundred.")
            }
            None => "The table has a hundred.".into(),
        },
        title,
        table,
    })
}

fn length_figure(run: &RunData) -> Option<Figure> {
    let first = run.lengths.iter().position(|count| *count > 0)?;
    let last = run.lengths.iter().rposition(|count| *count > 0)?;
    let from = |bin: usize| libm::ceil(libm::exp2(bin as f64 / 2.0) - 1e-9) as u64;
    let mut table = Table::new(&["words from", "relevant documents"]);
    let bins: Vec<Column> = (first..=last)
        .map(|bin| {
            let count = run.lengths[bin];
            table.push([format_count(from(bin)), format_count(count)]);
            Column {
                label: format_count(from(bin)),
                values: vec![count as f64],
            }
        })
        .collect();
    let title = "Lengths of the relevant documents".to_owned();
    let now = &run.total.now;
    Some(Figure {
        svg: columns(
            &title,
            ("words, on a logarithmic scale", "documents"),
            &["documents"],
            &bins,
        ),
        note: match now.relevant {
            0 => String::new(),
            relevant => format!(
                "{} words per relevant document on average.",
                format_count(now.tokens / relevant)
            ),
        },
        title,
        table,
    })
}

/// Hosts, directories and links between hosts.
pub(crate) fn host_figures(run: &RunData) -> Vec<Figure> {
    let documents = run.total.now.documents;
    let largest = run.hosts.top(1, |share| share.documents);
    let note = largest.first().map_or(String::new(), |(host, share)| {
        format!(
            "{} hosts; the largest, {host}, has {} of the documents. Dark: relevant.",
            format_count(run.hosts.len() as u64),
            format_percent(share.documents, documents)
        )
    });
    let mut figures = Vec::from_iter(share_figure("Hosts", &note, &run.hosts));
    if run.is_crawl {
        figures.extend(share_figure(
            "Directories",
            "Dark: relevant documents.",
            &run.directories,
        ));
        figures.extend(graph_figure(run));
    }
    if run.collections.len() > 1 {
        figures.extend(share_figure(
            "Collections by sample article",
            "Documents by the sample with which they were compared. Dark: relevant.",
            &run.collections,
        ));
    }
    figures
}

/// Bars of documents, with the relevant ones dark.
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
        .map(|(key, share)| Bar {
            label: name(key),
            value: share.documents as f64,
            part: Some(share.relevant as f64),
            shown: format_count(share.documents),
        })
        .collect();
    (!rows.is_empty()).then(|| Figure {
        title: title.into(),
        note: note.into(),
        svg: bars(title, &rows),
        table,
    })
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
        .map(|(host, share)| Bar {
            label: (*host).to_owned(),
            value: share.relevant as f64,
            part: None,
            shown: format_count(share.relevant),
        })
        .collect();
    let edges: Vec<_> = edges
        .into_iter()
        .map(|((a, b), weight)| (a, b, weight))
        .collect();
    let title = "Links between hosts".to_owned();
    (!edges.is_empty()).then(|| Figure {
        svg: arcs(&title, &nodes, &edges),
        note: "An arc is as wide as there are links in either direction; a dot is as large as the host has relevant documents.".into(),
        title,
        table,
    })
}

/// Dates, licences, reservations, duplicates and errors.
pub(crate) fn page_figures(run: &RunData) -> Vec<Figure> {
    let mut figures = Vec::from_iter(date_figure(run));
    if run.licences.sorted().keys().any(|key| !key.is_empty()) {
        figures.extend(share_figure(
            "Licences",
            "Licences to which pages link. Dark: relevant documents.",
            &run.licences,
        ));
    }
    figures.extend(share_figure(
        "Opt-outs",
        "Reservations against text and data mining. Dark: relevant documents.",
        &run.optouts,
    ));
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
        figures.push(count_figure(
            "Errors by kind",
            "Records that a tool could not process.",
            &errors,
        ));
    }
    figures
}

/// Bars of counts.
fn count_figure(title: &str, note: &str, counts: &[(String, u64)]) -> Figure {
    let mut table = Table::new(&["name", "records"]);
    let rows: Vec<Bar> = counts
        .iter()
        .map(|(name, count)| {
            table.push([name.clone(), format_count(*count)]);
            Bar {
                label: name.clone(),
                value: *count as f64,
                part: None,
                shown: format_count(*count),
            }
        })
        .collect();
    Figure {
        title: title.into(),
        note: note.into(),
        svg: bars(title, &rows),
        table,
    }
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
            table.push([
                (*period).to_owned(),
                format_count(share.documents),
                format_count(share.relevant),
            ]);
            Column {
                label: (*period).to_owned(),
                values: vec![
                    share.relevant as f64,
                    (share.documents - share.relevant) as f64,
                ],
            }
        })
        .collect();
    let title = "Dates of publication".to_owned();
    (!bins.is_empty()).then(|| Figure {
        svg: columns(
            &title,
            ("published", "documents"),
            &["relevant", "other"],
            &bins,
        ),
        note: format!(
            "{} of the documents have no date.",
            format_percent(undated, run.total.now.documents)
        ),
        title,
        table,
    })
}

#[cfg(test)]
mod tests {
    use super::fit_power;

    #[test]
    fn heaps_law_is_found_in_data_that_follow_it() {
        let points: Vec<_> = (0..50)
            .map(|n| (f64::from(n * 100), 7.0 * libm::pow(f64::from(n * 100), 0.6)))
            .collect();
        let (k, beta) = fit_power(&points).unwrap();
        assert!((k - 7.0).abs() < 1e-6 && (beta - 0.6).abs() < 1e-9);
        assert_eq!(fit_power(&points[..2]), None);
    }
}
