//! Markdown tables.

use crate::checkpoint::Checkpoint;
use crate::experiment_results::ExperimentResults;
use crate::quantity::Quantity;
use crate::setting_value::SettingValue;

/// Returns a table with a row for each setting and a column for each checkpoint that a setting has
/// a value at. The cells are means over targets and seeds. Rows are sorted by the last checkpoint,
/// the best setting first. The result is empty if there is no value.
pub fn settings_table(
    results: &ExperimentResults,
    settings: &[&str],
    quantity: Quantity,
    checkpoints: &[Checkpoint],
    targets: &[String],
) -> String {
    let value_at = |setting: &str, checkpoint| SettingValue {
        quantity,
        setting: setting.into(),
        checkpoint,
        targets: targets.into(),
    };
    let has_value = |checkpoint: &&Checkpoint| {
        let value = |setting: &&str| value_at(setting, **checkpoint).mean(results);
        settings.iter().any(|setting| value(setting).is_some())
    };
    let checkpoints: Vec<Checkpoint> = checkpoints.iter().filter(has_value).copied().collect();
    if checkpoints.is_empty() {
        return String::new();
    }
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for setting in settings {
        let last_mean = checkpoints
            .last()
            .and_then(|&last| value_at(setting, last).mean(results))
            .map_or(f64::NEG_INFINITY, |last| last.mean);
        let mut cells = vec![format!("`{setting}`")];
        for &checkpoint in &checkpoints {
            cells.push(value_at(setting, checkpoint).format_mean(results));
        }
        rows.push((last_mean, cells));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut headings = vec!["setting".to_owned()];
    headings.extend(checkpoints.iter().map(Checkpoint::to_string));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    markdown_table(&headings, 1, rows.into_iter().map(|(_, cells)| cells))
}

/// Returns a table whose first `text_columns` are left-aligned. The other columns are numbers and
/// are right-aligned.
pub fn markdown_table(
    headings: &[&str],
    text_columns: usize,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let rules: Vec<&str> = (0..headings.len())
        .map(|column| if column < text_columns { "---" } else { "--:" })
        .collect();
    let mut text = format!("| {} |\n", headings.join(" | "));
    text.push_str(&format!("|{}|\n", rules.join("|")));
    for cells in rows {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, Quantity, settings_table};
    use crate::cost_axis::CostAxis;
    use crate::experiment_results::tests::results;

    #[test]
    fn a_row_has_the_means_of_a_setting_with_the_range_over_seeds() {
        let quantity = Quantity::RelevantPer(CostAxis::Calls);
        let checkpoints = [50, 100].map(|calls| Checkpoint::Cost(CostAxis::Calls, calls));
        let expected = "\
| setting | 50 calls | 100 calls |
|---|--:|--:|
| `a` | 5.00 (4.00–6.00) | 5.00 (4.00–6.00) |
| `b` | 2.00 (1.00–3.00) | 2.00 (1.00–3.00) |
| `c` | – | – |
";
        assert_eq!(
            settings_table(
                &results(),
                &["c", "b", "a"],
                quantity,
                &checkpoints,
                &["slv".into()]
            ),
            expected
        );
    }
}
