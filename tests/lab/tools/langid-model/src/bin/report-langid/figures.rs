//! Accuracy by the length of the texts, and by the size of the sample.

use crate::results::{LENGTHS, ResultLine, SENTENCE, accuracy_by, mean_share};
use forage_experiment::chart::{Chart, ChartError, ChartLine, ChartPoint, draw_chart};
use std::collections::BTreeSet;

/// Minimum number of languages of a source in the figure of lengths.
const MIN_LANGUAGES: usize = 30;
/// Lower ends of the intervals of the size of a sample, in words, with their names.
const SIZES: [(u64, &str); 5] = [
    (400, "400 to 4,000"),
    (4_000, "to 40,000"),
    (40_000, "to 400,000"),
    (400_000, "to 4 million"),
    (4_000_000, "more"),
];
const Y_LABEL: &str = "correct, % (mean over languages)";

/// Draws the accuracy by length, with a line for each source in many languages.
pub fn draw_lengths(results: &[ResultLine<'_>]) -> Result<String, ChartError> {
    let sources: BTreeSet<(&str, &str)> = results
        .iter()
        .map(|line| (line.source, line.genre))
        .collect();
    let of = |source: &str, length: &str| {
        let lines = results.iter().filter(|line| is_spaced(line.script));
        let lines = lines.filter(|line| line.source == source && line.length == length);
        accuracy_by(lines, |line| line.code)
    };
    let lines = sources
        .into_iter()
        .filter(|(source, _)| of(source, SENTENCE).len() >= MIN_LANGUAGES)
        .map(|(source, genre)| ChartLine {
            name: genre.to_owned(),
            points: points(
                LENGTHS.map(|(length, _)| mean_share(of(source, length).values(), length)),
            ),
        })
        .collect();
    draw_chart(&Chart {
        title: "Accuracy on sources left out, by length of the text".to_owned(),
        x_label: "length".to_owned(),
        y_label: Y_LABEL.to_owned(),
        x_names: LENGTHS.map(|(_, name)| name.to_owned()).into(),
        lines,
        ..Chart::default()
    })
}

/// Draws the accuracy by the size of the sample without the source, with a line for each length.
pub fn draw_samples(results: &[ResultLine<'_>]) -> Result<String, ChartError> {
    let interval = |tokens: u64| SIZES.iter().rposition(|(from, _)| *from <= tokens);
    let line = |(length, name): (&str, &str)| {
        let share = |index: usize| {
            let lines = results.iter().filter(|line| is_spaced(line.script));
            let lines = lines.filter(|line| {
                line.length == length && interval(line.sample_tokens) == Some(index)
            });
            let by_language = accuracy_by(lines, |line| (line.source, line.code));
            mean_share(by_language.values(), length)
        };
        ChartLine {
            name: name.to_owned(),
            points: points(std::array::from_fn::<_, { SIZES.len() }, _>(share)),
        }
    };
    draw_chart(&Chart {
        title: "Accuracy on sources left out, by size of the sample without the source".to_owned(),
        x_label: "words of the sample (those of running text count twice)".to_owned(),
        y_label: Y_LABEL.to_owned(),
        x_names: SIZES.map(|(_, name)| name.to_owned()).into(),
        lines: LENGTHS.map(line).into(),
        ..Chart::default()
    })
}

/// Returns the points of a line, without those that are not known.
fn points<const N: usize>(shares: [Option<f64>; N]) -> Vec<ChartPoint> {
    let point = |(index, share): (usize, Option<f64>)| {
        let y = share? * 100.0;
        Some(ChartPoint {
            x: index as f64,
            y,
            low: y,
            high: y,
        })
    };
    shares.into_iter().enumerate().filter_map(point).collect()
}

/// Returns `true` if words are separated by blanks in a script; in the others, a text has no first
/// words.
fn is_spaced(script: &str) -> bool {
    const UNSPACED: [&str; 8] = [
        "Hani", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Bopo",
    ];
    !UNSPACED.contains(&script)
}
