//! Figures of what was collected: classes, margins, words, lengths.

use crate::report::chart::{Bar, Column, Range, Series, Unit, bars, columns, lines, ranges};
use crate::report::figure::{Figure, Table};
use crate::report::html::{format_count, format_decimal, format_percent};
use crate::report::run_data::{MARGIN_BINS, RunData};
use crate::report::timeline::thin;
use crate::report::vocabulary::Vocabulary;

/// Number of bars of a figure; its table has more.
const BARS: usize = 20;
/// Number of rows of a table.
const TABLE_ROWS: usize = 100;
/// Number of words that are drawn.
const DRAWN_WORDS: usize = 25;

/// The labels that the filter gave, and its margins.
pub(crate) fn filter_figures(run: &RunData) -> Vec<Figure> {
    let kind = if run.has_topic_scores {
        "score"
    } else {
        "margin"
    };
    let mut table = Table::default();
    let mean_kind = format!("mean {kind}");
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
        let mean = match tally.with_margin {
            0 => "–".into(),
            count => format_decimal(tally.margin_sum / count as f64, 3),
        };
        let runner_up = tally
            .runners_up
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))
            .map(|(code, n)| format!("{code} ({})", format_count(*n)));
        table.push_named([
            ("target and label", name(key)),
            ("documents", format_count(tally.documents)),
            ("share", format_percent(tally.documents, total)),
            (&mean_kind, mean),
            ("runner-up most often", runner_up.unwrap_or_default()),
        ]);
    }
    let rows: Vec<Bar> = labels
        .iter()
        .take(BARS)
        .map(|(key, tally)| Bar::of_count(&name(key), tally.documents))
        .collect();
    let title = if run.targets.len() > 1 {
        "Targets of queries and labels of documents"
    } else {
        "Labels of the documents"
    };
    if !rows.is_empty() {
        let note = "Without duplicates. The table has the languages between which the filter had to decide.";
        figures.push(Figure::new(title, note, table, |title| bars(title, &rows)));
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
            table.push_counts(&format!("{label} and more"), &[*relevant, *other]);
            Column {
                label,
                values: vec![*relevant as f64, *other as f64],
            }
        })
        .collect();
    let (title, note) = match kind {
        "score" => (
            "Scores of the topic filter",
            "Documents near the border between both colours are worth a look.",
        ),
        _ => (
            "Margins of the language filter",
            "Distance from the second-best language. Low margins are worth a look.",
        ),
    };
    let is_told = run.margins.iter().flatten().any(|count| *count > 0);
    let draw = |title: &str| columns(title, (kind, "documents"), &names, &bins);
    is_told.then(|| Figure::new(title, note, table, draw))
}

/// The growth of the vocabulary, the commonest words, and the lengths.
pub(crate) fn word_figures(run: &RunData) -> Vec<Figure> {
    let mut figures = Vec::from_iter(growth_figure(run));
    figures.extend(convergence_figure(run));
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
            for point in thin(&points) {
                table.push_counts(target, &[point.tokens, point.types]);
            }
            let points: Vec<_> = points
                .iter()
                .map(|p| (p.tokens as f64, p.types as f64))
                .collect();
            exponents.extend(fit_power(&points).map(|(k, beta)| {
                let (k, beta) = (format_decimal(k, 1), format_decimal(beta, 2));
                format!("{target}: V = {k} · N^{beta}")
            }));
            Series {
                name: target.clone(),
                points,
            }
        })
        .collect();
    let note = match exponents.is_empty() {
        true => String::new(),
        false => format!("Heaps’ law, fitted: {}.", exponents.join("; ")),
    };
    let draw = |title: &str| lines(title, ("words", "distinct words"), Unit::Count, &series);
    (!series.is_empty()).then(|| Figure::new("Growth of the vocabulary", note, table, draw))
}

fn convergence_figure(run: &RunData) -> Option<Figure> {
    let mut table = Table::new(&["target", "words", "change"]);
    let mut series = Vec::new();
    for target in &run.targets {
        let vocabulary = run.vocabularies.get(target);
        let changes = vocabulary.map_or(&[][..], |words| &words.convergence.changes);
        for (tokens, change) in changes {
            let row = [
                target.clone(),
                format_count(*tokens),
                format_decimal(*change, 3),
            ];
            table.push(row);
        }
        let points = changes
            .iter()
            .map(|(tokens, change)| (*tokens as f64, *change));
        series.push(Series {
            name: target.clone(),
            points: points.collect(),
        });
    }
    series.retain(|series| !series.points.is_empty());
    let note = "The share of the words that are others than at half their number, by the thousand \
                commonest: near 0, further documents change nothing.";
    let draw = |title: &str| lines(title, ("words", "change"), Unit::Percent, &series);
    (!series.is_empty()).then(|| Figure::new("Convergence of the words", note, table, draw))
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
    let size =
        |class: &str, words: &Vocabulary| format!("{class} ({} words)", format_count(words.tokens));
    let here = size(target, words);
    let other = contrast.map(|(class, words)| size(class, words));
    let rate = |class: &String| format!("per million in {class}");
    let mut columns = vec!["word".to_owned(), "count".to_owned(), rate(&here)];
    columns.extend(other.iter().map(rate));
    let mut table = Table {
        columns,
        rows: Vec::new(),
    };
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
        let mut cells = vec![word.to_owned(), format_count(*count)];
        cells.extend(
            [Some(here), there]
                .into_iter()
                .flatten()
                .map(|n| format_count(n.round() as u64)),
        );
        table.rows.push(cells);
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
    let beside = other.map(|other| format!(", beside {other}, the other class with most words"));
    let note = format!(
        "In {here}{}. The table has a hundred.",
        beside.unwrap_or_default()
    );
    let names = contrast.map(|(class, _)| (target, class));
    let draw = |title: &str| ranges(title, "per million words", Unit::Count, names, &rows);
    Some(Figure::new(title, note, table, draw))
}

fn length_figure(run: &RunData) -> Option<Figure> {
    let first = run.lengths.iter().position(|count| *count > 0)?;
    let last = run.lengths.iter().rposition(|count| *count > 0)?;
    let from = |bin: usize| libm::ceil(libm::exp2(bin as f64 / 2.0) - 1e-9) as u64;
    let mut table = Table::new(&["words from", "relevant documents"]);
    let bins: Vec<Column> = (first..=last)
        .map(|bin| {
            let count = run.lengths[bin];
            table.push_counts(&format_count(from(bin)), &[count]);
            Column {
                label: format_count(from(bin)),
                values: vec![count as f64],
            }
        })
        .collect();
    let now = &run.total.now;
    let mean = now.tokens.checked_div(now.relevant).map(format_count);
    let note = mean.map(|mean| format!("{mean} words per relevant document on average."));
    let axes = ("words, on a logarithmic scale", "documents");
    let draw = |title: &str| columns(title, axes, &["documents"], &bins);
    let title = "Lengths of the relevant documents";
    Some(Figure::new(title, note.unwrap_or_default(), table, draw))
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
