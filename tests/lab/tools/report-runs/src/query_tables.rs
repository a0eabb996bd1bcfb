//! The tables of runs that are compared by their queries: precision and recall of the queries, by
//! numbers of queries, by recall level, and by length.

use crate::series::{CHECKPOINTS_BY_QUERIES, RunSeries, distinct};
use forage_experiment::{
    Checkpoint, CostAxis, Quantity, RecallLevel, SettingValue, markdown_table, settings_table,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the tables of the settings of a series for a set of targets. For one of several targets
/// there are only those by recall level and by length.
pub(crate) fn query_tables(series: &RunSeries, targets: &[String]) -> String {
    let mut text = String::new();
    if !series.is_one_of_several(targets) {
        let all = [
            Quantity::QueryPrecision,
            Quantity::QueryRecall,
            Quantity::Relevant,
        ];
        for quantity in all.into_iter().filter(|quantity| series.has(*quantity)) {
            let table = settings_table(
                series.results,
                &series.settings_with(targets),
                quantity,
                &CHECKPOINTS_BY_QUERIES.map(|number| Checkpoint::Cost(CostAxis::Queries, number)),
                targets,
            );
            if !table.is_empty() {
                let _ = write!(text, "\n{}:\n\n{table}", quantity.description());
            }
        }
    }
    text + &recall_table(series, targets) + &length_table(series, targets)
}

/// Returns the table of the mean precision of the queries at each recall level that a setting
/// reaches; empty if none does.
fn recall_table(series: &RunSeries, targets: &[String]) -> String {
    let settings = series.settings_with(targets);
    let is_reached = |checkpoint: &Checkpoint| {
        settings.iter().any(|setting| {
            precision_at(setting, *checkpoint, targets)
                .mean(series.results)
                .is_some()
        })
    };
    let levels: Vec<Checkpoint> = RecallLevel::all()
        .map(Checkpoint::Recall)
        .filter(is_reached)
        .collect();
    if levels.is_empty() {
        return String::new();
    }
    let table = settings_table(
        series.results,
        &settings,
        Quantity::QueryPrecision,
        &levels,
        targets,
    );
    format!("\nMean precision of the queries up to each recall level:\n\n{table}")
}

/// Returns the table of the mean precision of the queries with a column for each length, after the
/// greatest number of queries that all settings reach; empty if none has several lengths. A row
/// has the settings that differ by length alone.
fn length_table(series: &RunSeries, targets: &[String]) -> String {
    let settings: Vec<SettingOfLength> = series
        .settings_with(targets)
        .into_iter()
        .filter_map(SettingOfLength::parse)
        .collect();
    let lengths: BTreeSet<u32> = settings.iter().map(|setting| setting.length).collect();
    let checkpoint = CHECKPOINTS_BY_QUERIES
        .into_iter()
        .rev()
        .map(|number| Checkpoint::Cost(CostAxis::Queries, number))
        .find(|checkpoint| {
            settings.iter().all(|setting| {
                let value = precision_at(setting.name, *checkpoint, targets);
                value.mean(series.results).is_some()
            })
        });
    let Some(checkpoint) = checkpoint.filter(|_| lengths.len() > 1) else {
        return String::new();
    };
    let rows = distinct(settings.iter().map(|setting| setting.others.clone()));
    let rows = rows.into_iter().map(|others| {
        let cell = |length: &u32| {
            settings
                .iter()
                .find(|setting| setting.others == others && setting.length == *length)
                .map_or("–".into(), |setting| {
                    precision_at(setting.name, checkpoint, targets).format_mean(series.results)
                })
        };
        std::iter::once(format!("`{others}`"))
            .chain(lengths.iter().map(cell))
            .collect()
    });
    let headings: Vec<String> = std::iter::once("setting".to_owned())
        .chain(lengths.iter().map(|length| format!("N = {length}")))
        .collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let table = markdown_table(&headings, 1, rows);
    format!("\nMean precision of the queries by length N, after {checkpoint}:\n\n{table}")
}

fn precision_at(setting: &str, checkpoint: Checkpoint, targets: &[String]) -> SettingValue {
    SettingValue {
        quantity: Quantity::QueryPrecision,
        setting: setting.to_owned(),
        checkpoint,
        targets: targets.into(),
    }
}

/// A setting with a length, such as `or:3/others/pruned`.
struct SettingOfLength<'a> {
    name: &'a str,
    length: u32,
    /// The name with `N` in place of the length.
    others: String,
}

impl SettingOfLength<'_> {
    fn parse(name: &str) -> Option<SettingOfLength<'_>> {
        let (method, rest) = name.split_once(':')?;
        let digits = rest.find('/').unwrap_or(rest.len());
        let (length, options) = rest.split_at(digits);
        Some(SettingOfLength {
            name,
            length: length.parse().ok()?,
            others: format!("{method}:N{options}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::query_tables;
    use crate::series::group_by_steps;
    use forage_experiment::ExperimentResults;

    #[test]
    fn the_tables_have_precision_by_queries_by_recall_level_and_by_length() {
        let columns = r#"["steps","documents","queries","empty","calls","relevant","true","both",
            "no-document","queries-with-documents","query-precision-sum","duplicates","of-target"]"#;
        let mut results = ExperimentResults::default();
        for (setting, precision) in [("or:1/x", 9), ("or:2/x", 7), ("like/x", 5)] {
            let line = format!(
                r#"{{"setting":"{setting}","target":"slv","seed":1,"limits":{{"steps":50}},
                "reachable":100,"columns":{columns},
                "points":[[50,50,50,0,50,10,10,10,0,10,{precision}000000,0,25]]}}"#
            );
            results.add_line(line.as_bytes()).unwrap();
        }
        let series = &group_by_steps(&results)[0];
        let tables = query_tables(series, &["slv".into()]);
        for table in [
            "(query-precision):\n\n| setting | 50 queries |\n",
            "(query-recall):\n\n",
            "up to each recall level:\n\n\
             | setting | recall 0.1 | recall 0.2 |\n|---|--:|--:|\n\
             | `or:1/x` | 0.900 | 0.900 |\n",
            "by length N, after 50 queries:\n\n\
             | setting | N = 1 | N = 2 |\n|---|--:|--:|\n| `or:N/x` | 0.900 | 0.700 |\n",
        ] {
            assert!(tables.contains(table), "{table}\n{tables}");
        }
    }
}
