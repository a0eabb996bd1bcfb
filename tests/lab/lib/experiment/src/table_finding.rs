//! Findings on measured tables: statements, each with a comparison of two values that tests it.
//!
//! The table of findings is that of `finding.rs`, with other values. The setting `*` stands for
//! every other setting of its experiment and target. A measured table has one number for each
//! point, of which no interval can be computed: the numbers themselves are compared, and a finding
//! holds or does not hold.
//!
//! ```text
//! finding              left                            relation   right
//! Dice is the best.    similarity eng dice F           >          similarity eng * F
//! It is at .2.         similarity eng dice F threshold=0.2   ~ 5% similarity eng dice F
//! ```

use crate::compared_side::parse_number;
use crate::finding::evaluate_findings_table;
use crate::measured_table::MeasuredTables;
use crate::relation::Relation;
use crate::table_value::{TableValue, format_table_number};

/// The setting that stands for every setting but that of the left side.
const EACH_OTHER: &str = "*";

/// Tests findings by measured tables. Returns them in Markdown: a table for each heading.
///
/// # Errors
/// As [`crate::evaluate_findings`].
pub fn evaluate_table_findings(findings: &str, tables: &MeasuredTables) -> Result<String, String> {
    let headings = [
        "id",
        "finding",
        "comparison",
        "left",
        "right",
        "ratio",
        "verdict",
    ];
    evaluate_findings_table(findings, &headings, |[finding, left, relation, right]| {
        let comparison = format!("`{left} {relation} {right}`");
        let result = compare_sides(
            tables,
            &FindingSide::parse(left)?,
            Relation::parse(relation)?,
            &FindingSide::parse(right)?,
        );
        let mut row = vec![finding.to_owned(), comparison];
        row.extend(match result {
            None => ["–", "–", "–", "not tested"].map(str::to_owned),
            Some(result) => result.cells(),
        });
        Ok(row)
    })
}

/// A side of a comparison: a value times a factor, or only a number.
#[derive(Debug, Clone)]
struct FindingSide {
    /// The factor, or the number if there is no value.
    factor: f64,
    value: Option<TableValue>,
}

/// The result of a comparison.
struct FindingResult {
    holds: bool,
    left: String,
    right: String,
    /// The left value divided by the right one, both without their factors.
    ratio: Option<f64>,
    /// The absolute difference of the sides.
    distance: f64,
}

impl FindingResult {
    fn cells(self) -> [String; 4] {
        let verdict = if self.holds {
            "holds"
        } else {
            "**does not hold**"
        };
        let ratio = self.ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
        [self.left, self.right, ratio, verdict.into()]
    }
}

impl FindingSide {
    /// Parses a number, or `[FACTOR *] VALUE`.
    fn parse(text: &str) -> Result<FindingSide, String> {
        if let Some(factor) = parse_number(text) {
            return Ok(FindingSide {
                factor,
                value: None,
            });
        }
        let (factor, value) = match text.split_once(" * ") {
            Some((factor, value)) if parse_number(factor).is_some() => {
                (parse_number(factor), value)
            }
            _ => (None, text),
        };
        Ok(FindingSide {
            factor: factor.unwrap_or(1.0),
            value: Some(TableValue::parse(value)?),
        })
    }

    /// Returns the number without the factor; `None` if it was not measured.
    fn measure(&self, tables: &MeasuredTables) -> Option<f64> {
        match &self.value {
            None => Some(self.factor),
            Some(value) => value.measure(tables),
        }
    }

    /// Multiplies a measured number with the factor.
    fn scale(&self, number: f64) -> f64 {
        if self.value.is_some() {
            number * self.factor
        } else {
            number
        }
    }
}

/// Compares two sides. If the setting of the right side is `*`, the result is that of the nearest
/// setting for which the relation does not hold, or else of the nearest one. Returns `None` if a
/// side was not measured.
fn compare_sides(
    tables: &MeasuredTables,
    left: &FindingSide,
    relation: Relation,
    right: &FindingSide,
) -> Option<FindingResult> {
    let Some(each_other) = right
        .value
        .as_ref()
        .filter(|value| value.setting == EACH_OTHER)
    else {
        return compare_values(tables, left, relation, right);
    };
    let left_setting = left.value.as_ref().map(|value| value.setting.as_str());
    tables
        .of(&each_other.experiment, &each_other.target)
        .filter(|table| left_setting != Some(&table.setting))
        .filter_map(|table| {
            let value = TableValue {
                setting: table.setting.clone(),
                ..each_other.clone()
            };
            let right = FindingSide {
                factor: right.factor,
                value: Some(value),
            };
            let result = compare_values(tables, left, relation, &right)?;
            Some(FindingResult {
                right: format!("{} (`{}`)", result.right, table.setting),
                ..result
            })
        })
        .min_by(|a, b| {
            a.holds
                .cmp(&b.holds)
                .then(a.distance.total_cmp(&b.distance))
        })
}

fn compare_values(
    tables: &MeasuredTables,
    left: &FindingSide,
    relation: Relation,
    right: &FindingSide,
) -> Option<FindingResult> {
    let (left_number, right_number) = (left.measure(tables)?, right.measure(tables)?);
    let (scaled_left, scaled_right) = (left.scale(left_number), right.scale(right_number));
    Some(FindingResult {
        holds: relation.holds(scaled_left, scaled_right),
        left: format_table_number(left_number),
        right: format_table_number(right_number),
        ratio: (right_number > 0.0).then(|| left_number / right_number),
        distance: (scaled_left - scaled_right).abs(),
    })
}

#[cfg(test)]
mod tests {
    use super::evaluate_table_findings;
    use crate::measured_table::tests::tables;

    /// Returns the last columns of the row of a finding, from the number of the left side on.
    fn evaluate(comparison: &str) -> String {
        let table = format!(
            "finding\tleft\trelation\tright\nx\t{}",
            comparison.replace(", ", "\t")
        );
        let text = evaluate_table_findings(&table, &tables()).unwrap();
        let row = text.lines().last().unwrap();
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").skip(3).collect();
        cells.join(" ")
    }

    #[test]
    fn two_values_are_compared() {
        assert_eq!(
            evaluate("similarity eng dice F, >, similarity eng jaccard F"),
            "0.500 0.250 2.00 holds"
        );
        assert_eq!(
            evaluate("similarity eng dice F threshold=0.1, ~ 5%, similarity eng dice F"),
            "0.300 0.500 0.60 **does not hold**"
        );
        assert_eq!(
            evaluate("similarity eng dice F, >, 3 * similarity eng jaccard F"),
            "0.500 0.250 2.00 **does not hold**"
        );
        assert_eq!(
            evaluate("similarity eng dice F, >=, 0.5"),
            "0.500 0.500 1.00 holds"
        );
        assert_eq!(
            evaluate("similarity jpn dice F, >=, 0.5"),
            "– – – not tested"
        );
    }

    #[test]
    fn the_asterisk_stands_for_every_other_setting() {
        assert_eq!(
            evaluate("similarity eng dice F, >, similarity eng * F"),
            "0.500 0.250 (`jaccard`) 2.00 holds"
        );
        assert_eq!(
            evaluate("similarity eng jaccard F, >, similarity eng * F"),
            "0.250 0.500 (`dice`) 0.50 **does not hold**"
        );
        assert_eq!(
            evaluate("similarity eng dice F, >, 2.5 * similarity eng * F"),
            "0.500 0.250 (`jaccard`) 2.00 **does not hold**"
        );
    }

    #[test]
    fn errors_name_their_lines() {
        let error_of = |left: &str| {
            let findings = format!("finding\tleft\trelation\tright\nx\t{left}\t>\t1");
            evaluate_table_findings(&findings, &tables()).unwrap_err()
        };
        assert!(error_of("similarity eng").starts_with("line 2: `similarity eng` is neither"));
        assert_eq!(error_of("a b c"), "line 2: a quantity is missing");
    }
}
