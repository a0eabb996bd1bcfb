//! Findings: statements, each with a comparison of two measured sides that tests it.
//!
//! Findings are a table with tab-separated columns. A side is a number, or a value: a setting, a
//! quantity, a checkpoint, and optionally targets; a factor may precede the value. The setting `*`
//! stands for every other setting:
//!
//! ```text
//! finding                     left                      relation   right
//! # Fixed settings
//! OR brings more than POR.    or:3 PosCalls calls=300   >          1.3 * por:3 PosCalls calls=300
//! No other is better.         or:1 PosCalls calls=300   >=         * PosCalls calls=300
//! LTM comes to prefer OR.     ltm include-method        prefers    or
//! ```

use crate::experiment_results::ExperimentResults;
use crate::markdown::markdown_table;
use crate::preference::mean_preferences;
use crate::setting_value::{SettingValue, ValuesByRun, mean_over_runs};

/// The header line of the table.
const COLUMNS: &str = "finding\tleft\trelation\tright";
/// The maximum difference that the relation `~` allows, as a share of the right side. Set by
/// judgement.
const TOLERANCE: f64 = 0.05;
/// The setting that stands for every setting but that of the left side.
const EACH_OTHER: &str = "*";

/// Tests findings by the results. Returns them in Markdown: a table for each heading.
///
/// # Errors
/// Fails if the first line does not name the columns, or if a line is neither a finding nor a
/// heading, which starts with `#`. The message starts with the line number.
pub fn evaluate_findings(findings: &str, results: &ExperimentResults) -> Result<String, String> {
    let headings = [
        "finding",
        "comparison",
        "left",
        "right",
        "ratio",
        "targets × seeds",
        "verdict",
    ];
    evaluate_findings_table(findings, &headings, |cells| evaluate_line(cells, results))
}

/// Evaluates each line of a table of findings. `evaluate` returns the row of a finding from its
/// columns. Returns the rows in Markdown: a table for each heading.
///
/// # Errors
/// As [`evaluate_findings`], or if `evaluate` fails.
pub(crate) fn evaluate_findings_table(
    findings: &str,
    headings: &[&str],
    evaluate: impl Fn([&str; 4]) -> Result<Vec<String>, String>,
) -> Result<String, String> {
    let mut sections: Vec<(String, Vec<Vec<String>>)> = vec![(String::new(), Vec::new())];
    for (index, line) in findings.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            sections.push((format!("\n### {}\n", heading.trim()), Vec::new()));
        } else if index == 0 && line != COLUMNS {
            return Err(format!(
                "line 1: must name the columns: {}",
                COLUMNS.replace('\t', ", ")
            ));
        } else if let Some((_, rows)) = sections
            .last_mut()
            .filter(|_| index > 0 && !line.trim().is_empty())
        {
            let row = split_columns(line)
                .and_then(&evaluate)
                .map_err(|reason| format!("line {}: {reason}", index + 1))?;
            rows.push(row);
        }
    }
    Ok(sections
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(heading, rows)| format!("{heading}\n{}", markdown_table(headings, 2, rows)))
        .collect())
}

/// Splits a line of a table of findings into its columns.
fn split_columns(line: &str) -> Result<[&str; 4], String> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
    cells.try_into().map_err(|cells: Vec<&str>| {
        format!(
            "has {} columns; 4 are expected: {}",
            cells.len(),
            COLUMNS.replace('\t', ", ")
        )
    })
}

/// The result of a comparison.
#[derive(Debug)]
struct ComparisonResult {
    holds: bool,
    /// The absolute difference of the sides.
    distance: f64,
    /// The left side, formatted.
    left: String,
    /// The right side, formatted.
    right: String,
    /// The left value divided by the right one, both without their factors.
    ratio: Option<f64>,
    /// Numbers of targets and of seeds that were compared.
    runs: (usize, usize),
}

/// Tests a finding. Returns its row of the table.
fn evaluate_line(
    [finding, left, relation, right]: [&str; 4],
    results: &ExperimentResults,
) -> Result<Vec<String>, String> {
    let result = if relation == "prefers" {
        evaluate_preference(results, left, right)?
    } else {
        compare_sides(
            results,
            &ComparisonSide::parse(left)?,
            parse_relation(relation)?,
            &ComparisonSide::parse(right)?,
        )
    };
    let comparison = format!("`{left} {relation} {right}`");
    let mut row = vec![finding.to_owned(), comparison];
    row.extend(match result {
        None => ["–", "–", "–", "–", "not measured"].map(str::to_owned),
        Some(result) => {
            let (targets, seeds) = result.runs;
            let verdict = if result.holds {
                "holds"
            } else {
                "**does not hold**"
            };
            [
                result.left,
                result.right,
                result
                    .ratio
                    .map_or("–".into(), |ratio| format!("{ratio:.2}")),
                format!("{targets} × {seeds}"),
                verdict.into(),
            ]
        }
    });
    Ok(row)
}

/// A predicate of the left and the right side.
pub(crate) type Relation = fn(f64, f64) -> bool;

pub(crate) fn parse_relation(text: &str) -> Result<Relation, String> {
    match text {
        ">" => Ok(|left, right| left > right),
        ">=" => Ok(|left, right| left >= right),
        "<" => Ok(|left, right| left < right),
        "<=" => Ok(|left, right| left <= right),
        "~" => Ok(|left, right| (left - right).abs() <= TOLERANCE * right.abs()),
        _ => Err(format!(
            "`{text}` is not a relation; use one of >, >=, <, <=, ~, prefers"
        )),
    }
}

/// Parses a list of targets that are separated by commas.
fn parse_targets(names: &[&str]) -> Vec<String> {
    names
        .iter()
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

/// Parses a finite number.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A side of a comparison: a value times a factor, or only a number.
#[derive(Debug, Clone)]
struct ComparisonSide {
    /// The factor, or the number if there is no value.
    factor: f64,
    value: Option<SettingValue>,
}

impl ComparisonSide {
    /// Parses a number, or `[FACTOR *] SETTING QUANTITY AXIS=N [TARGETS]`.
    fn parse(text: &str) -> Result<ComparisonSide, String> {
        let malformed = || {
            format!(
                "`{text}` is neither a number nor a value such as `or:3 PosCalls calls=300 slv,tgl`"
            )
        };
        if let Some(factor) = parse_number(text) {
            return Ok(ComparisonSide {
                factor,
                value: None,
            });
        }
        let (factor, value) = text.split_once(" * ").unwrap_or(("1", text));
        let words: Vec<&str> = value.split_whitespace().collect();
        let [setting, quantity, checkpoint, targets @ ..] = &words[..] else {
            return Err(malformed());
        };
        let (axis, number) = checkpoint
            .split_once('=')
            .filter(|_| targets.len() < 2)
            .ok_or_else(malformed)?;
        let checkpoint = (axis.parse()?, number.parse().map_err(|_| malformed())?);
        let value = SettingValue {
            quantity: quantity.parse()?,
            setting: setting.to_string(),
            checkpoint,
            targets: parse_targets(targets),
        };
        Ok(ComparisonSide {
            factor: parse_number(factor).ok_or_else(malformed)?,
            value: Some(value),
        })
    }

    /// Returns the mean without and with the factor. `values` are those of the side's value, if it
    /// has one.
    fn measure(&self, values: Option<&ValuesByRun>) -> Option<(f64, f64)> {
        match values {
            None => Some((self.factor, self.factor)),
            Some(values) => {
                let mean = mean_over_runs(values)?.mean;
                Some((mean, mean * self.factor))
            }
        }
    }

    fn format(&self, number: f64) -> String {
        match &self.value {
            None => number.to_string(),
            Some(value) => value.quantity.format(number),
        }
    }
}

/// Compares two sides. If the setting of the right side is `*`, it is compared with every other
/// setting, and the result is that of the nearest setting for which the relation does not hold, or
/// else of the nearest one. Returns `None` if a side was not measured.
fn compare_sides(
    results: &ExperimentResults,
    left: &ComparisonSide,
    relation: Relation,
    right: &ComparisonSide,
) -> Option<ComparisonResult> {
    let Some(right_value) = right
        .value
        .as_ref()
        .filter(|value| value.setting == EACH_OTHER)
    else {
        return compare_means(results, left, relation, right);
    };
    let left_setting = left.value.as_ref().map(|value| value.setting.as_str());
    results
        .settings()
        .into_iter()
        .filter(|setting| left_setting != Some(setting))
        .filter_map(|setting| {
            let value = SettingValue {
                setting: setting.into(),
                ..right_value.clone()
            };
            let right = ComparisonSide {
                value: Some(value),
                ..*right
            };
            let result = compare_means(results, left, relation, &right)?;
            Some(ComparisonResult {
                right: format!("{} (`{setting}`)", result.right),
                ..result
            })
        })
        .min_by(|a, b| {
            a.holds
                .cmp(&b.holds)
                .then(a.distance.total_cmp(&b.distance))
        })
}

/// Compares the means of two sides over the targets and seeds that both have.
fn compare_means(
    results: &ExperimentResults,
    left: &ComparisonSide,
    relation: Relation,
    right: &ComparisonSide,
) -> Option<ComparisonResult> {
    let values_of = |side: &ComparisonSide| {
        side.value
            .as_ref()
            .map(|value| value.values_by_run(results))
    };
    let mut left_values = values_of(left);
    let mut right_values = values_of(right);
    if let (Some(left), Some(right)) = (&mut left_values, &mut right_values) {
        left.retain(|run, _| right.contains_key(run));
        right.retain(|run, _| left.contains_key(run));
    }
    let (left_mean, scaled_left) = left.measure(left_values.as_ref())?;
    let (right_mean, scaled_right) = right.measure(right_values.as_ref())?;
    let runs = mean_over_runs(&left_values.or(right_values)?)?;
    Some(ComparisonResult {
        holds: relation(scaled_left, scaled_right),
        distance: (scaled_left - scaled_right).abs(),
        left: left.format(left_mean),
        right: right.format(right_mean),
        ratio: (right_mean > 0.0).then(|| left_mean / right_mean),
        runs: (runs.targets, runs.seeds),
    })
}

/// Tests if a value is the most probable one of a parameter at the end of the runs of a learner.
/// `left` is `SETTING PARAMETER [TARGETS]`.
fn evaluate_preference(
    results: &ExperimentResults,
    left: &str,
    value: &str,
) -> Result<Option<ComparisonResult>, String> {
    let words: Vec<&str> = left.split_whitespace().collect();
    let [setting, parameter, targets @ ..] = &words[..] else {
        return Err(format!(
            "`{left}` is not a setting and a parameter such as `ltm include-method`"
        ));
    };
    let preferences = mean_preferences(
        results,
        setting,
        &parse_targets(targets),
        parameter,
        u64::MAX,
    );
    let most_probable = preferences.first();
    let expected = preferences.iter().find(|(known, _)| known == value);
    Ok(most_probable
        .zip(expected)
        .map(|((first, first_mean), (value, mean))| ComparisonResult {
            holds: first == value,
            distance: first_mean.mean - mean.mean,
            left: format!("`{first}` {:.3}", first_mean.mean),
            right: format!("`{value}` {:.3}", mean.mean),
            ratio: None,
            runs: (first_mean.targets, first_mean.seeds),
        }))
}

#[cfg(test)]
mod tests {
    use super::evaluate_findings;
    use crate::experiment_results::{ExperimentResults, tests};
    use crate::preference;

    /// Returns the last columns of the row of a finding, from the number of the left side on.
    fn evaluate_by(results: &ExperimentResults, comparison: &str) -> String {
        let table = format!(
            "finding\tleft\trelation\tright\nx\t{}",
            comparison.replace(", ", "\t")
        );
        let text = evaluate_findings(&table, results).unwrap();
        text.trim_end()
            .rsplit_once("` | ")
            .unwrap()
            .1
            .replace(" |", "")
    }

    fn evaluate(comparison: &str) -> String {
        evaluate_by(&tests::results(), comparison)
    }

    #[test]
    fn sides_are_compared_over_their_common_runs() {
        // b lacks a run: over the common runs the mean of a is 5.67, over all its own runs 5.50.
        let left = "a PosCalls calls=100";
        assert_eq!(
            evaluate(&format!("{left}, >, 2.8 * b PosCalls calls=100")),
            "5.67 2.00 2.83 2 × 2 holds"
        );
        let does_not_hold = "5.67 2.00 2.83 2 × 2 **does not hold**";
        assert_eq!(
            evaluate(&format!("{left}, >, 2.9 * b PosCalls calls=100")),
            does_not_hold
        );
        assert_eq!(
            evaluate(&format!("{left}, >, c PosCalls calls=100")),
            "– – – – not measured"
        );
    }

    #[test]
    fn a_side_can_be_a_number_and_relations_are_arithmetic() {
        let holds = |comparison: &str| evaluate(comparison).ends_with("holds");
        let right = [">= 5", "< 5.1", "<= 5", "~ 5.2", "> 4"];
        assert!(right.iter().all(|right| holds(&format!(
            "a PosCalls calls=100 slv, {}",
            right.replace(' ', ", ")
        ))));
        let wrong = ["> 5", "< 5", "<= 4", "~ 6", ">= 5.1"];
        assert!(!wrong.iter().any(|wrong| holds(&format!(
            "a PosCalls calls=100 slv, {}",
            wrong.replace(' ', ", ")
        ))));
        assert_eq!(
            evaluate("5.5, >=, a PosCalls calls=100 tgl"),
            "5.5 6.00 0.92 1 × 2 **does not hold**"
        );
    }

    #[test]
    fn an_asterisk_stands_for_every_other_setting() {
        assert_eq!(
            evaluate("a relevant calls=100, >, * relevant calls=100"),
            "567 200 (`b`) 2.83 2 × 2 holds"
        );
        assert!(
            evaluate("b relevant calls=100, >, * relevant calls=100")
                .ends_with("**does not hold**")
        );
    }

    #[test]
    fn a_learner_prefers_its_most_probable_value() {
        let evaluate = |value| {
            evaluate_by(
                &preference::tests::results(),
                &format!("ltm include-method, prefers, {value}"),
            )
        };
        assert_eq!(evaluate("tf"), "`tf` 0.600 `tf` 0.600 – 1 × 2 holds");
        assert_eq!(
            evaluate("or"),
            "`tf` 0.600 `or` 0.400 – 1 × 2 **does not hold**"
        );
        assert_eq!(evaluate("por"), "– – – – not measured");
    }

    #[test]
    fn headings_separate_tables_and_errors_name_their_lines() {
        let findings =
            "finding\tleft\trelation\tright\n# One\n\n# Two\nb\t1\t>\ta recall calls=1\n";
        let text = evaluate_findings(findings, &tests::results()).unwrap();
        assert!(
            text.starts_with("\n### Two\n\n| finding | comparison |") && !text.contains("One"),
            "{text}"
        );
        let error_of = |line: &str| {
            evaluate_findings(&findings.replace("b\t1", line), &tests::results()).unwrap_err()
        };
        assert!(
            evaluate_findings("a\tb", &tests::results())
                .unwrap_err()
                .starts_with("line 1: must name the columns")
        );
        assert!(error_of("b").starts_with("line 5: has 3 columns; 4 are expected"));
        assert!(
            error_of("b\ta recall calls")
                .contains("`a recall calls` is neither a number nor a value such as")
        );
        assert!(
            error_of("b\ta recal calls=1")
                .contains("`recal` is not a quantity; use one of relevant, PosDocs")
        );
        assert!(error_of("b\t1\t=\t2\nc\t1").contains("`=` is not a relation"));
    }
}
