//! The tables of a section of `docs/LANGID.md`.

use crate::results::{
    Accuracy, Class, ResultLine, SENTENCE, accuracy_by, mean_share, worst_quarter,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Lower ends of the intervals of the number of sources of a class, with their names.
const NUMBERS_OF_SOURCES: [(usize, &str); 5] = [
    (1, "1"),
    (2, "2"),
    (3, "3 to 5"),
    (6, "6 to 10"),
    (11, "11 and more"),
];

/// Returns the tables by source and by number of sources. Writing to a string cannot fail.
pub fn format_section(classes: &[Class<'_>], results: &[ResultLine<'_>]) -> String {
    let sentences: Vec<&ResultLine<'_>> = results
        .iter()
        .filter(|line| line.length == SENTENCE)
        .collect();
    let mut section = String::new();
    write_sources(&sentences, &mut section);
    write_numbers_of_sources(classes, &sentences, &mut section);
    section
}

fn write_sources(sentences: &[&ResultLine<'_>], section: &mut String) {
    let _ = writeln!(
        section,
        "| source | genre | languages | texts | correct, % | `und`, % | mean over languages, % \
         | worst quarter of languages, % |\n|---|---|--:|--:|--:|--:|--:|--:|"
    );
    let mut sources: Vec<(&str, &str)> = Vec::new();
    for line in sentences {
        if !sources.contains(&(line.source, line.genre)) {
            sources.push((line.source, line.genre));
        }
    }
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for (source, genre) in sources {
        let lines = || {
            sentences
                .iter()
                .copied()
                .filter(|line| line.source == source)
        };
        let languages = accuracy_by(lines(), |line| line.code);
        let mut all = Accuracy::default();
        lines().for_each(|line| all.add(line));
        // A source without enough texts in any language says little.
        let Some(mean) = mean_share(languages.values(), SENTENCE) else {
            continue;
        };
        let values = [
            all.share(),
            all.undetermined as f64 / all.texts.max(1) as f64,
            mean,
            worst_quarter(languages.values()),
        ];
        let _ = writeln!(
            section,
            "| {source} | {genre} | {} | {} | {} |",
            languages.len(),
            all.texts,
            format_values(values)
        );
        rows.push(values);
    }
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
    let _ = writeln!(
        section,
        "| mean | | | | {} |",
        format_values([0, 1, 2, 3].map(mean))
    );
}

fn write_numbers_of_sources(
    classes: &[Class<'_>],
    sentences: &[&ResultLine<'_>],
    section: &mut String,
) {
    let _ = writeln!(
        section,
        "\n| sources of a language | languages | of these tested | mean over these, % \
         | worst quarter of these, % |\n|---|--:|--:|--:|--:|"
    );
    let accuracies = accuracy_by(sentences.iter().copied(), |line| (line.code, line.script));
    let mut by_number: BTreeMap<usize, Vec<Option<Accuracy>>> = BTreeMap::new();
    for class in classes {
        let number = class.sources.split("; ").count();
        let interval = NUMBERS_OF_SOURCES
            .iter()
            .rposition(|(from, _)| *from <= number);
        let accuracy = accuracies.get(&(class.code, class.script)).copied();
        by_number
            .entry(interval.unwrap_or_default())
            .or_default()
            .push(accuracy);
    }
    for (interval, accuracies) in by_number {
        let tested = || accuracies.iter().flatten();
        let means = mean_share(tested(), SENTENCE).map_or_else(
            || "— | —".to_owned(),
            |mean| {
                format!(
                    "{:.1} | {:.1}",
                    100.0 * mean,
                    100.0 * worst_quarter(tested())
                )
            },
        );
        let name = NUMBERS_OF_SOURCES[interval].1;
        let (number, tested) = (accuracies.len(), tested().count());
        let _ = writeln!(section, "| {name} | {number} | {tested} | {means} |");
    }
}

fn format_values(values: [f64; 4]) -> String {
    values
        .map(|value| format!("{:.1}", 100.0 * value))
        .join(" | ")
}
