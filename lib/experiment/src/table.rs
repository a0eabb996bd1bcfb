//! Tables in Markdown.

use crate::axis::Axis;
use crate::results::Results;
use crate::value::{Quantity, Value};

/// Returns a table with a row for each setting, the best at the last checkpoint first, and a column
/// for each checkpoint; means over the targets.
pub fn settings_table(
    results: &Results,
    settings: &[&str],
    quantity: Quantity,
    (axis, checkpoints): (Axis, &[u64]),
    targets: &[String],
) -> String {
    let value = |setting: &str, at| Value {
        quantity,
        setting: setting.into(),
        at: (axis, at),
        targets: targets.into(),
    };
    let row = |setting: &&str| {
        let last = checkpoints
            .last()
            .and_then(|&last| value(setting, last).mean(results));
        let cells = checkpoints
            .iter()
            .map(|&at| value(setting, at).written(results));
        let cells = std::iter::once(format!("`{setting}`"))
            .chain(cells)
            .collect();
        (last.map_or(f64::NEG_INFINITY, |last| last.mean), cells)
    };
    let mut rows: Vec<(f64, Vec<String>)> = settings.iter().map(row).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let headings: Vec<String> = checkpoints
        .iter()
        .map(|number| format!("{number} {axis}"))
        .collect();
    let headings: Vec<&str> = std::iter::once("setting")
        .chain(headings.iter().map(String::as_str))
        .collect();
    markdown_table(&headings, 1, rows.into_iter().map(|(_, cells)| cells))
}

/// Returns a table of which the first `text_columns` are aligned to the left and the others,
/// numbers, to the right.
pub fn markdown_table(
    headings: &[&str],
    text_columns: usize,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let rule = |at| if at < text_columns { "---" } else { "--:" }.to_owned();
    let mut text = format!("| {} |\n", headings.join(" | "));
    text.push_str(&format!(
        "|{}|\n",
        (0..headings.len()).map(rule).collect::<Vec<_>>().join("|")
    ));
    for cells in rows {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Axis, Quantity, settings_table};
    use crate::results::tests::results;

    #[test]
    fn a_row_for_each_setting_with_the_range_of_its_seeds() {
        let quantity = Quantity::Share(Axis::Calls);
        let at = (Axis::Calls, &[50, 100][..]);
        let expected = "\
| setting | 50 calls | 100 calls |
|---|--:|--:|
| `a` | 5.00 (4.00–6.00) | 5.00 (4.00–6.00) |
| `b` | 2.00 (1.00–3.00) | 2.00 (1.00–3.00) |
| `c` | – | – |
";
        assert_eq!(
            settings_table(&results(), &["c", "b", "a"], quantity, at, &["slv".into()]),
            expected
        );
    }
}
