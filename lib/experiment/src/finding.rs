//! Findings: sentences, each with a comparison of two measured sides by which the results say
//! whether it holds.
//!
//! They are a table with tabs between its columns. A side is a number, or a setting, a quantity, a
//! checkpoint and, if not all are meant, the targets; a factor may precede it. The setting `*`
//! stands for each other one:
//!
//! ```text
//! finding                     left                      relation   right
//! # Fixed settings
//! OR brings more than POR.    or:3 PosCalls calls=300   >          1.3 * por:3 PosCalls calls=300
//! No other is better.         or:1 PosCalls calls=300   >=         * PosCalls calls=300
//! LTM comes to prefer OR.     ltm include-method        prefers    or
//! ```

use crate::preference::preferences;
use crate::results::Results;
use crate::table::markdown_table;
use crate::value::{Cells, Value, mean};

const COLUMNS: &str = "finding\tleft\trelation\tright";
/// What `~` allows two sides to differ by, as a share of the right one.
const TOLERANCE: f64 = 0.05;
/// Stands for each setting but that of the left side.
const EACH_OTHER: &str = "*";

/// Returns the findings in Markdown, with what the results say of them: a table under each heading.
///
/// # Errors
/// When the first line does not name the columns, or a line is neither a finding nor a heading,
/// which begins with `#`; the error begins with the number of the line.
pub fn judge_findings(findings: &str, results: &Results) -> Result<String, String> {
    let mut sections = vec![(String::new(), Vec::new())];
    for (at, line) in findings.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            sections.push((format!("\n### {}\n", heading.trim()), Vec::new()));
        } else if at == 0 && line != COLUMNS {
            return Err(format!(
                "line 1: should name the columns: {}",
                COLUMNS.replace('\t', ", ")
            ));
        } else if let Some((_, rows)) = sections
            .last_mut()
            .filter(|_| at > 0 && !line.trim().is_empty())
        {
            rows.push(judge_line(line, results).map_err(|why| format!("line {}: {why}", at + 1))?);
        }
    }
    let headings = [
        "finding",
        "comparison",
        "left",
        "right",
        "ratio",
        "targets × seeds",
        "verdict",
    ];
    let table = |(heading, rows)| format!("{heading}\n{}", markdown_table(&headings, 2, rows));
    Ok(sections
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(table)
        .collect())
}

/// What the results say of a comparison.
#[derive(Debug)]
struct Judgement {
    holds: bool,
    /// How far the sides are apart.
    distance: f64,
    left: String,
    right: String,
    /// The left side per right side, without their factors.
    ratio: Option<f64>,
    /// Number of targets and seeds that were compared.
    runs: (usize, usize),
}

/// Returns the row of a finding.
fn judge_line(line: &str, results: &Results) -> Result<Vec<String>, String> {
    let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [finding, left, relation, right] = cells[..] else {
        return Err(format!(
            "has {} columns, and 4 are needed: {}",
            cells.len(),
            COLUMNS.replace('\t', ", ")
        ));
    };
    let judgement = match relation {
        "prefers" => judge_preference(results, left, right)?,
        _ => judge_sides(
            results,
            &Side::parse(left)?,
            parse_relation(relation)?,
            &Side::parse(right)?,
        ),
    };
    let comparison = format!("`{left} {relation} {right}`");
    let [left, right, ratio, runs, verdict] = match judgement {
        None => ["–", "–", "–", "–", "not measured"].map(str::to_owned),
        Some(Judgement {
            holds,
            left,
            right,
            ratio,
            runs: (targets, seeds),
            ..
        }) => {
            let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
            let verdict = if holds { "holds" } else { "**does not hold**" };
            [
                left,
                right,
                ratio,
                format!("{targets} × {seeds}"),
                verdict.into(),
            ]
        }
    };
    Ok(vec![
        finding.into(),
        comparison,
        left,
        right,
        ratio,
        runs,
        verdict,
    ])
}

type Relation = fn(f64, f64) -> bool;

fn parse_relation(text: &str) -> Result<Relation, String> {
    match text {
        ">" => Ok(|left, right| left > right),
        ">=" => Ok(|left, right| left >= right),
        "<" => Ok(|left, right| left < right),
        "<=" => Ok(|left, right| left <= right),
        "~" => Ok(|left, right| (left - right).abs() <= TOLERANCE * right.abs()),
        _ => Err(format!(
            "`{text}` is no relation: there are >, >=, <, <=, ~ and prefers"
        )),
    }
}

fn parse_targets(names: &[&str]) -> Vec<String> {
    names
        .iter()
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

/// A value times a factor, or only a number.
#[derive(Debug, Clone)]
struct Side {
    factor: f64,
    value: Option<Value>,
}

impl Side {
    /// Parses a number, or `[FACTOR *] SETTING QUANTITY AXIS=N [TARGETS]`.
    fn parse(text: &str) -> Result<Side, String> {
        let wrong =
            || format!("`{text}` should be a number, or as `or:3 PosCalls calls=300 slv,tgl`");
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        if let Some(factor) = number(text) {
            return Ok(Side {
                factor,
                value: None,
            });
        }
        let (factor, value) = text.split_once(" * ").unwrap_or(("1", text));
        let words: Vec<&str> = value.split_whitespace().collect();
        let [setting, quantity, at, targets @ ..] = &words[..] else {
            return Err(wrong());
        };
        let (axis, limit) = at
            .split_once('=')
            .filter(|_| targets.len() < 2)
            .ok_or_else(wrong)?;
        let at = (axis.parse()?, limit.parse().map_err(|_| wrong())?);
        let (setting, targets) = (setting.to_string(), parse_targets(targets));
        let value = Some(Value {
            quantity: quantity.parse()?,
            setting,
            at,
            targets,
        });
        Ok(Side {
            factor: number(factor).ok_or_else(wrong)?,
            value,
        })
    }

    /// Returns its mean without and with the factor; `cells` are those of its value.
    fn measure(&self, cells: Option<&Cells>) -> Option<(f64, f64)> {
        let measured = cells.map_or(Some(1.0), |cells| Some(mean(cells)?.mean))?;
        Some((
            if cells.is_some() {
                measured
            } else {
                self.factor
            },
            measured * self.factor,
        ))
    }

    fn format(&self, measured: f64) -> String {
        self.value.as_ref().map_or(measured.to_string(), |value| {
            value.quantity.format(measured)
        })
    }
}

/// Compares two sides by their means over the targets and seeds that both have; `None` where one
/// was not measured. Of several right sides, that counts for which the relation does not hold, else
/// the nearest.
fn judge_sides(
    results: &Results,
    left: &Side,
    relation: Relation,
    right: &Side,
) -> Option<Judgement> {
    let Some(value) = right
        .value
        .as_ref()
        .filter(|value| value.setting == EACH_OTHER)
    else {
        return compare(results, left, relation, right);
    };
    let own = left.value.as_ref().map(|value| value.setting.as_str());
    let others = results
        .settings()
        .into_iter()
        .filter(|setting| own != Some(setting));
    let judged = others.filter_map(|setting| {
        let value = Value {
            setting: setting.into(),
            ..value.clone()
        };
        let judgement = compare(
            results,
            left,
            relation,
            &Side {
                value: Some(value),
                ..*right
            },
        )?;
        Some(Judgement {
            right: format!("{} (`{setting}`)", judgement.right),
            ..judgement
        })
    });
    judged.min_by(|a, b| {
        a.holds
            .cmp(&b.holds)
            .then(a.distance.total_cmp(&b.distance))
    })
}

fn compare(results: &Results, left: &Side, relation: Relation, right: &Side) -> Option<Judgement> {
    let cells = |side: &Side| side.value.as_ref().map(|value| value.cells(results));
    let (mut of_left, mut of_right) = (cells(left), cells(right));
    if let (Some(left), Some(right)) = (&mut of_left, &mut of_right) {
        left.retain(|run, _| right.contains_key(run));
        right.retain(|run, _| left.contains_key(run));
    }
    let ((a, scaled_a), (b, scaled_b)) = (
        left.measure(of_left.as_ref())?,
        right.measure(of_right.as_ref())?,
    );
    let runs = mean(&of_left.or(of_right)?)?;
    Some(Judgement {
        holds: relation(scaled_a, scaled_b),
        distance: (scaled_a - scaled_b).abs(),
        left: left.format(a),
        right: right.format(b),
        ratio: (b > 0.0).then(|| a / b),
        runs: (runs.targets, runs.seeds),
    })
}

/// Judges whether a value is the most probable one at the end of a learner's runs; `left` is
/// `SETTING PARAMETER [TARGETS]`.
fn judge_preference(
    results: &Results,
    left: &str,
    value: &str,
) -> Result<Option<Judgement>, String> {
    let words: Vec<&str> = left.split_whitespace().collect();
    let [setting, parameter, targets @ ..] = &words[..] else {
        return Err(format!("`{left}` should be as `ltm include-method`"));
    };
    let values = preferences(
        results,
        setting,
        &parse_targets(targets),
        parameter,
        u64::MAX,
    );
    let known = values.iter().find(|(known, _)| known == value);
    Ok(values
        .first()
        .zip(known)
        .map(|((first, most), (value, probability))| Judgement {
            holds: first == value,
            distance: most.mean - probability.mean,
            left: format!("`{first}` {:.3}", most.mean),
            right: format!("`{value}` {:.3}", probability.mean),
            ratio: None,
            runs: (most.targets, most.seeds),
        }))
}

#[cfg(test)]
mod tests {
    use super::judge_findings;
    use crate::preference;
    use crate::results::{Results, tests};

    /// The last columns of a finding's row, from the left side's number on.
    fn judge_by(results: &Results, comparison: &str) -> String {
        let table = format!(
            "finding\tleft\trelation\tright\nx\t{}",
            comparison.replace(", ", "\t")
        );
        let text = judge_findings(&table, results).unwrap();
        text.trim_end()
            .rsplit_once("` | ")
            .unwrap()
            .1
            .replace(" |", "")
    }

    fn judge(comparison: &str) -> String {
        judge_by(&tests::results(), comparison)
    }

    #[test]
    fn sides_are_compared_over_the_runs_that_both_have() {
        // b lacks a run: over those that both have the mean of a is 5.67, over all of its own 5.50.
        let ours = "a PosCalls calls=100";
        assert_eq!(
            judge(&format!("{ours}, >, 2.8 * b PosCalls calls=100")),
            "5.67 2.00 2.83 2 × 2 holds"
        );
        let not = "5.67 2.00 2.83 2 × 2 **does not hold**";
        assert_eq!(
            judge(&format!("{ours}, >, 2.9 * b PosCalls calls=100")),
            not
        );
        assert_eq!(
            judge(&format!("{ours}, >, c PosCalls calls=100")),
            "– – – – not measured"
        );
    }

    #[test]
    fn a_side_can_be_a_number_and_relations_are_those_of_arithmetic() {
        let holds = |comparison: &str| judge(comparison).ends_with("holds");
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
            judge("5.5, >=, a PosCalls calls=100 tgl"),
            "5.5 6.00 0.92 1 × 2 **does not hold**"
        );
    }

    #[test]
    fn an_asterisk_stands_for_each_other_setting() {
        assert_eq!(
            judge("a relevant calls=100, >, * relevant calls=100"),
            "567 200 (`b`) 2.83 2 × 2 holds"
        );
        assert!(
            judge("b relevant calls=100, >, * relevant calls=100").ends_with("**does not hold**")
        );
    }

    #[test]
    fn a_learner_prefers_its_most_probable_value() {
        let judge = |value| {
            judge_by(
                &preference::tests::results(),
                &format!("ltm include-method, prefers, {value}"),
            )
        };
        assert_eq!(judge("tf"), "`tf` 0.600 `tf` 0.600 – 1 × 2 holds");
        assert_eq!(
            judge("or"),
            "`tf` 0.600 `or` 0.400 – 1 × 2 **does not hold**"
        );
        assert_eq!(judge("por"), "– – – – not measured");
    }

    #[test]
    fn headings_part_tables_and_errors_name_their_lines() {
        let findings =
            "finding\tleft\trelation\tright\n# One\n\n# Two\nb\t1\t>\ta recall calls=1\n";
        let text = judge_findings(findings, &tests::results()).unwrap();
        assert!(
            text.starts_with("\n### Two\n\n| finding | comparison |") && !text.contains("One"),
            "{text}"
        );
        let told = |line: &str| {
            judge_findings(&findings.replace("b\t1", line), &tests::results()).unwrap_err()
        };
        assert!(
            judge_findings("a\tb", &tests::results())
                .unwrap_err()
                .starts_with("line 1: should name the columns")
        );
        assert!(told("b").starts_with("line 5: has 3 columns, and 4 are needed"));
        assert!(told("b\ta recall calls").contains("`a recall calls` should be a number, or as"));
        assert!(
            told("b\ta recal calls=1")
                .contains("`recal` is no quantity: there are relevant, PosDocs")
        );
        assert!(told("b\t1\t=\t2\nc\t1").contains("`=` is no relation"));
    }
}
