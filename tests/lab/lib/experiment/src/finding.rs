//! Findings: statements, each with a comparison of two measured sides that tests it.
//!
//! Findings are a table with tab-separated columns. A side is a number, or a value: a setting, a
//! quantity, a checkpoint, and optionally targets; a factor may precede the value. The setting `*`
//! stands for every other setting. The relation `~` has a tolerance:
//!
//! ```text
//! finding                     left                      relation   right
//! # Fixed settings
//! OR brings more than POR.    or:3 PosCalls calls=300   >          1.3 * por:3 PosCalls calls=300
//! No other is better.         or:1 PosCalls calls=300   >=         * PosCalls calls=300
//! Both are equally precise.   or:3 PosDocs calls=300    ~ 5%       por:3 PosDocs calls=300
//! LTM comes to prefer OR.     ltm include-method        prefers    or
//! It includes few terms.      ltm include-length        is below   exclude-length
//! ```
//!
//! The verdict is computed from the interval of the paired difference (`paired_comparison.rs`,
//! `bootstrap.rs`): confirmed if the relation holds in the whole interval, contradicted if it holds
//! nowhere in it, else undecided; not tested if there is no pair.

use crate::compared_side::{ComparedSide, parse_targets};
use crate::comparison_result::ComparisonResult;
use crate::experiment_results::ExperimentResults;
use crate::markdown::markdown_table;
use crate::paired_comparison::compare_sides;
use crate::preference::{compare_expected, compare_preference};
use crate::relation::{Relation, Verdict};
use crate::setting_value::SettingValue;
use std::collections::BTreeMap;

/// The header line of the table.
const COLUMNS: &str = "finding\tleft\trelation\tright";
/// The setting that stands for every setting but that of the left side.
const EACH_OTHER: &str = "*";

/// Tests findings by the results. Returns them in Markdown: how many have which verdict, and a
/// table for each heading.
///
/// # Errors
/// Fails if the first line does not name the columns, or if a line is neither a finding nor a
/// heading, which starts with `#`. The message starts with the line number.
pub fn evaluate_findings(findings: &str, results: &ExperimentResults) -> Result<String, String> {
    let headings = [
        "id",
        "finding",
        "comparison",
        "left",
        "right",
        "difference or ratio",
        "pairs (targets)",
        "verdict",
    ];
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let tables = evaluate_findings_table(findings, &headings, |cells| {
        let result = evaluate_comparison(&cells, results)?;
        *counts.entry(result.verdict).or_default() += 1;
        Ok(format_row(cells, result))
    })?;
    let verdicts = Verdict::ALL.map(|verdict| {
        let count = counts.get(&verdict).copied().unwrap_or(0);
        format!("{count} {verdict}")
    });
    let all: usize = counts.values().sum();
    Ok(format!(
        "\n{all} findings: {}.\n{tables}",
        verdicts.join(", ")
    ))
}

/// Evaluates each line of a table of findings. `evaluate` returns the row of a finding from its
/// columns, without its id: the numbers of the heading and of the finding under it. Returns the rows
/// in Markdown: a table for each heading.
///
/// # Errors
/// As [`evaluate_findings`], or if `evaluate` fails.
pub(crate) fn evaluate_findings_table(
    findings: &str,
    headings: &[&str],
    mut evaluate: impl FnMut([&str; 4]) -> Result<Vec<String>, String>,
) -> Result<String, String> {
    let mut sections: Vec<(String, Vec<Vec<String>>)> = vec![(String::new(), Vec::new())];
    let mut heading_count = 0;
    for (index, line) in findings.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            heading_count += 1;
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
                .and_then(&mut evaluate)
                .map_err(|reason| format!("line {}: {reason}", index + 1))?;
            let id = match heading_count {
                0 => format!("{}", rows.len() + 1),
                heading => format!("{heading}.{}", rows.len() + 1),
            };
            rows.push(std::iter::once(id).chain(row).collect());
        }
    }
    Ok(sections
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(heading, rows)| format!("{heading}\n{}", markdown_table(headings, 3, rows)))
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

/// Tests the comparison of a finding.
fn evaluate_comparison(
    [_, left, relation, right]: &[&str; 4],
    results: &ExperimentResults,
) -> Result<ComparisonResult, String> {
    if ["prefers", "is below"].contains(relation) {
        return evaluate_learner(results, left, relation, right);
    }
    Ok(compare_with_each(
        results,
        &ComparedSide::parse(left)?,
        Relation::parse(relation)?,
        &ComparedSide::parse(right)?,
    ))
}

/// Returns the row of a finding.
fn format_row(
    [finding, left, relation, right]: [&str; 4],
    result: ComparisonResult,
) -> Vec<String> {
    vec![
        finding.to_owned(),
        format!("`{left} {relation} {right}`"),
        result.left,
        result.right,
        result.difference,
        result.pairs.format(),
        match result.verdict {
            Verdict::Contradicted => "**contradicted**".into(),
            verdict => verdict.to_string(),
        },
    ]
}

/// Compares two sides. If the setting of the right side is `*`, it is compared with every other
/// setting, and the result is that of the setting that supports the relation least.
fn compare_with_each(
    results: &ExperimentResults,
    left: &ComparedSide,
    relation: Relation,
    right: &ComparedSide,
) -> ComparisonResult {
    let Some(right_value) = right
        .value
        .as_ref()
        .filter(|value| value.setting == EACH_OTHER)
    else {
        return compare_sides(results, left, relation, right);
    };
    let left_setting = left.value.as_ref().map(|value| value.setting.as_str());
    let comparisons = results
        .settings()
        .into_iter()
        .filter(|setting| left_setting != Some(setting))
        .map(|setting| {
            let value = SettingValue {
                setting: setting.into(),
                ..right_value.clone()
            };
            let right = ComparedSide {
                value: Some(value),
                ..*right
            };
            let result = compare_sides(results, left, relation, &right);
            ComparisonResult {
                right: format!("{} (`{setting}`)", result.right),
                ..result
            }
        });
    ComparisonResult::least_supported(comparisons.collect(), 0)
}

/// Tests what a learner has learned: if it prefers the value `right`, or if the expected value of the
/// parameter is below that of the parameter `right`. `left` is `SETTING PARAMETER [TARGETS]`.
fn evaluate_learner(
    results: &ExperimentResults,
    left: &str,
    relation: &str,
    right: &str,
) -> Result<ComparisonResult, String> {
    let words: Vec<&str> = left.split_whitespace().collect();
    let [setting, parameter, targets @ ..] = &words[..] else {
        return Err(format!(
            "`{left}` is not a setting and a parameter such as `ltm include-method`"
        ));
    };
    let targets = parse_targets(targets);
    Ok(if relation == "prefers" {
        compare_preference(results, setting, &targets, parameter, right)
    } else {
        compare_expected(results, setting, &targets, [parameter, right])
    })
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

    /// Returns the results of `a` and `b`, which has about half as many relevant documents, and
    /// lacks a run.
    fn results() -> ExperimentResults {
        let mut results = ExperimentResults::default();
        for (setting, relevant) in [
            ("a", &[600, 400, 700, 500, 900][..]),
            ("b", &[300, 202, 352, 248]),
        ] {
            for (index, &relevant) in relevant.iter().enumerate() {
                let (target, seed) = (["slv", "tgl"][index % 2], index as u64 / 2);
                let run = tests::run(setting, target, seed, relevant, 900);
                results.add_run(run).unwrap();
            }
        }
        results
    }

    fn evaluate(comparison: &str) -> String {
        evaluate_by(&results(), comparison)
    }

    #[test]
    fn a_row_has_both_sides_their_ratio_with_its_interval_the_pairs_and_the_verdict() {
        // Over the common runs the mean of a is 5.50, over all its own runs 6.20.
        let left = "a PosCalls calls=100";
        assert_eq!(
            evaluate(&format!("{left}, >, b PosCalls calls=100")),
            "5.50 2.75 1.996 × (1.966 to 2.034) 4 of 4 (2) confirmed"
        );
        assert_eq!(
            evaluate(&format!("{left}, <, b PosCalls calls=100")),
            "5.50 2.75 1.996 × (1.966 to 2.034) 4 of 4 (2) **contradicted**"
        );
        assert_eq!(
            evaluate(&format!("{left}, >, c PosCalls calls=100")),
            "– – – 0 of 0 (0) not tested"
        );
    }

    #[test]
    fn an_asterisk_stands_for_every_other_setting() {
        assert!(
            evaluate("a relevant calls=100, >, * relevant calls=100")
                .starts_with("550 276 (`b`) 1.996 ×")
        );
        assert!(
            evaluate("b relevant calls=100, >, * relevant calls=100").ends_with("**contradicted**")
        );
    }

    #[test]
    fn the_asterisk_leaves_out_settings_with_too_few_pairs_and_the_least_supported_one_decides() {
        let mut results = results();
        for (setting, relevant) in [("c", [590, 390, 690, 490]), ("d", [550, 350, 650, 450])] {
            for (index, relevant) in relevant.into_iter().enumerate() {
                let (target, seed) = (["slv", "tgl"][index % 2], index as u64 / 2);
                let run = tests::run(setting, target, seed, relevant, 800);
                results.add_run(run).unwrap();
            }
        }
        results
            .add_run(tests::run("e", "slv", 1, 900, 900))
            .unwrap();
        let row = evaluate_by(&results, "a relevant calls=100, >, * relevant calls=100");
        assert!(row.contains("(`c`)") && row.ends_with("confirmed"), "{row}");
        let row = evaluate_by(&results, "d relevant calls=100, >, * relevant calls=100");
        assert!(
            row.contains("(`a`)") && row.ends_with("**contradicted**"),
            "{row}"
        );
    }

    #[test]
    fn two_runs_are_too_few_for_the_preference_of_a_learner() {
        let evaluate = |value| {
            evaluate_by(
                &preference::tests::results(),
                &format!("ltm include-method, prefers, {value}"),
            )
        };
        assert_eq!(
            evaluate("tf"),
            "`tf` 0.600 `or` 0.400 +0.200 2 of 2 (1) undecided"
        );
        assert_eq!(evaluate("por"), "– – – 0 of 2 (0) not tested");
    }

    #[test]
    fn the_report_has_the_number_of_each_verdict_and_a_row_for_each_finding() {
        let findings = "finding\tleft\trelation\tright\n\
            # Counts\n\
            More.\ta PosCalls calls=100\t>\tb PosCalls calls=100\n\
            Less.\ta PosCalls calls=100\t<\tb PosCalls calls=100\n\
            Twice.\ta PosCalls calls=100\t~ 1%\t2 * b PosCalls calls=100\n\
            # Others\n\
            Precise.\ta PosDocs calls=100\t>\t0.3\n\
            Missing.\ta PosCalls calls=100\t>\tc PosCalls calls=100\n";
        let expected = "
5 findings: 2 confirmed, 1 contradicted, 1 undecided, 1 not tested.

### Counts

| id | finding | comparison | left | right | difference or ratio | pairs (targets) | verdict |
|---|---|---|--:|--:|--:|--:|--:|
| 1.1 | More. | `a PosCalls calls=100 > b PosCalls calls=100` | 5.50 | 2.75 | 1.996 × (1.966 to 2.034) | 4 of 4 (2) | confirmed |
| 1.2 | Less. | `a PosCalls calls=100 < b PosCalls calls=100` | 5.50 | 2.75 | 1.996 × (1.966 to 2.034) | 4 of 4 (2) | **contradicted** |
| 1.3 | Twice. | `a PosCalls calls=100 ~ 1% 2 * b PosCalls calls=100` | 5.50 | 2.75 | 1.996 × (1.966 to 2.034) | 4 of 4 (2) | undecided |

### Others

| id | finding | comparison | left | right | difference or ratio | pairs (targets) | verdict |
|---|---|---|--:|--:|--:|--:|--:|
| 2.1 | Precise. | `a PosDocs calls=100 > 0.3` | 0.689 | 0.3 | +0.389 (+0.002 to +0.700) | 5 of 5 (2) | confirmed |
| 2.2 | Missing. | `a PosCalls calls=100 > c PosCalls calls=100` | – | – | – | 0 of 0 (0) | not tested |
";
        assert_eq!(evaluate_findings(findings, &results()), Ok(expected.into()));
    }

    #[test]
    fn headings_separate_tables_and_errors_name_their_lines() {
        let findings =
            "finding\tleft\trelation\tright\n# One\n\n# Two\nb\t1\t>\ta recall calls=1\n";
        let text = evaluate_findings(findings, &tests::results()).unwrap();
        assert!(
            text.contains("\n### Two\n\n| id | finding | comparison |") && !text.contains("One"),
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
