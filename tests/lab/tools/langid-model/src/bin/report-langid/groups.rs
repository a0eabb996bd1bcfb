//! Confusions within groups of languages.

use crate::results::{MIN_TEXTS, ResultLine, SENTENCE, accuracy_by};
use forage_experiment::chart::{ChartError, Matrix, draw_matrices};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum share of the sentences of a language that are taken for another one of its group.
const MIN_CONFUSED_SHARE: f64 = 0.1;
/// Maximum number of groups, of those with most mistakes.
const MAX_GROUPS: usize = 12;

/// Draws for each group the shares of the sentences of a language that are taken for each language.
/// A group has the languages that are connected by frequent confusions.
pub fn draw_groups(results: &[ResultLine<'_>]) -> Result<String, ChartError> {
    let sentences = || results.iter().filter(|line| line.length == SENTENCE);
    let texts: BTreeMap<&str, u64> = accuracy_by(sentences(), |line| line.code)
        .into_iter()
        .filter(|(_, accuracy)| accuracy.texts >= MIN_TEXTS)
        .map(|(code, accuracy)| (code, accuracy.texts))
        .collect();
    let shares: BTreeMap<(&str, &str), f64> =
        accuracy_by(sentences(), |line| (line.code, line.answer))
            .into_iter()
            .filter_map(|((code, answer), accuracy)| {
                let all = texts.get(code)?;
                Some(((code, answer), accuracy.texts as f64 / *all as f64))
            })
            .collect();
    let mut groups: Vec<Matrix> = connect(&shares)
        .into_iter()
        .map(|group| to_matrix(&group, &texts, &shares))
        .collect();
    let mistakes = |matrix: &Matrix| {
        let wrong = |row: &Vec<f64>| 1.0 - row.iter().copied().fold(0.0, f64::max);
        (1e6 * matrix.rows.iter().map(wrong).sum::<f64>()) as u64
    };
    groups.sort_by_key(|matrix| Reverse(mistakes(matrix)));
    groups.truncate(MAX_GROUPS);
    draw_matrices(
        "Sentences of sources left out (rows), and what they are identified as (columns), %",
        &groups,
    )
}

/// Returns the groups of languages that are connected by frequent confusions.
fn connect<'a>(shares: &BTreeMap<(&'a str, &'a str), f64>) -> Vec<BTreeSet<&'a str>> {
    let mut groups: Vec<BTreeSet<&str>> = Vec::new();
    for ((code, answer), share) in shares {
        if code != answer && *answer != "und" && *share >= MIN_CONFUSED_SHARE {
            let mut group = BTreeSet::from([*code, *answer]);
            groups.retain(|other| {
                let is_separate = other.is_disjoint(&group);
                if !is_separate {
                    group.extend(other);
                }
                is_separate
            });
            groups.push(group);
        }
    }
    groups
}

/// Returns the matrix of a group, whose rows are the languages with enough sentences.
fn to_matrix(
    group: &BTreeSet<&str>,
    texts: &BTreeMap<&str, u64>,
    shares: &BTreeMap<(&str, &str), f64>,
) -> Matrix {
    let share = |code: &str, answer: &str| shares.get(&(code, answer)).copied().unwrap_or_default();
    let row = |code: &&str| -> Vec<f64> {
        let own: Vec<f64> = group.iter().map(|answer| share(code, answer)).collect();
        let rest = 1.0 - own.iter().sum::<f64>();
        own.into_iter().chain([rest.max(0.0)]).collect()
    };
    let rows: Vec<&&str> = group
        .iter()
        .filter(|code| texts.contains_key(*code))
        .collect();
    Matrix {
        row_names: rows.iter().map(ToString::to_string).collect(),
        column_names: group
            .iter()
            .copied()
            .chain(["else"])
            .map(str::to_owned)
            .collect(),
        rows: rows.into_iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::connect;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn languages_with_frequent_confusions_are_one_group() {
        let shares = BTreeMap::from([
            (("bos", "hrv"), 0.3),
            (("srp", "bos"), 0.2),
            (("dan", "nob"), 0.2),
            (("dan", "eng"), 0.01),
            (("dan", "und"), 0.2),
        ]);
        assert_eq!(
            connect(&shares),
            [
                BTreeSet::from(["dan", "nob"]),
                BTreeSet::from(["bos", "hrv", "srp"])
            ]
        );
    }
}
