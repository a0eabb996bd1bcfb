//! Tables in Markdown: a row for each setting.

use crate::axis::Axis;
use crate::results::Results;
use crate::value::{Quantity, Value};
use crate::words::Words;

/// What a table shows: `AXIS=N,N QUANTITY… [of SETTINGS] [in TARGETS] [sorted]`, or after `by-target` a column for each
/// target and one for all of them.
pub(crate) fn table(results: &Results, words: &mut Words, by_target: bool) -> Result<String, String> {
    let (axis, numbers) = words.points()?;
    let mut quantities: Vec<Quantity> = Vec::new();
    let (mut settings, mut targets, mut is_sorted) = (Vec::new(), Vec::new(), false);
    while !words.is_at_end() {
        let of = words.names_after("of")?;
        let within = words.names_after("in")?;
        let sorted = words.take("sorted");
        is_sorted |= sorted;
        if of.is_empty() && within.is_empty() && !sorted {
            quantities.push(words.next("a quantity")?.parse()?);
        }
        settings.extend(of);
        targets.extend(within);
    }
    if settings.is_empty() {
        settings = results.settings().into_iter().map(str::to_owned).collect();
    }
    let columns = columns(results, (axis, &numbers), &quantities, &targets, by_target);
    if is_sorted {
        sort(results, &mut settings, &columns);
    }
    Ok(rows(results, &settings, &columns))
}

/// A column: its heading, and the figure of a setting in it.
struct Column {
    heading: String,
    quantity: Quantity,
    at: (Axis, u64),
    targets: Vec<String>,
}

impl Column {
    fn value(&self, setting: &str) -> Value {
        Value { quantity: self.quantity, setting: setting.into(), at: self.at, targets: self.targets.clone() }
    }
}

fn columns(
    results: &Results,
    (axis, numbers): (Axis, &[u64]),
    quantities: &[Quantity],
    targets: &[String],
    by_target: bool,
) -> Vec<Column> {
    let known: Vec<String> = results.targets().into_iter().map(str::to_owned).collect();
    let each = if targets.is_empty() { &known } else { targets };
    let mut columns = Vec::new();
    for &number in numbers {
        for &quantity in quantities {
            let column = |heading, targets| Column { heading, quantity, at: (axis, number), targets };
            if by_target {
                columns.extend(each.iter().map(|target| column(target.clone(), vec![target.clone()])));
                columns.push(column("mean".into(), each.to_vec()));
            } else {
                columns.push(column(format!("{quantity} at {number}"), targets.to_vec()));
            }
        }
    }
    columns
}

/// The best first, by the last column of the first quantity; those without a figure last.
fn sort(results: &Results, settings: &mut [String], columns: &[Column]) {
    let Some(first) = columns.first() else { return };
    let Some(by) = columns.iter().rfind(|column| column.quantity == first.quantity) else { return };
    let figure = |setting: &String| by.value(setting).mean(results).map_or(f64::NEG_INFINITY, |mean| mean.mean);
    settings.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
}

fn rows(results: &Results, settings: &[String], columns: &[Column]) -> String {
    let row = |first: &str, rest: Vec<String>| format!("| {first} | {} |", rest.join(" | "));
    let heading = row("setting", columns.iter().map(|column| column.heading.clone()).collect());
    let rule = format!("|---|{}", "--:|".repeat(columns.len()));
    let of = |setting: &String| {
        row(&format!("`{setting}`"), columns.iter().map(|column| cell(results, column, setting)).collect())
    };
    [heading, rule].into_iter().chain(settings.iter().map(of)).collect::<Vec<_>>().join("\n")
}

/// The mean, and the range of the seeds where there are several.
fn cell(results: &Results, column: &Column, setting: &str) -> String {
    let Some(mean) = column.value(setting).mean(results) else { return "–".into() };
    let [low, middle, high] = [mean.low, mean.mean, mean.high].map(|number| column.quantity.format(number));
    if low == high { middle } else { format!("{middle} ({low}–{high})") }
}

#[cfg(test)]
mod tests {
    use super::{Words, table};
    use crate::results::tests::results;

    #[test]
    fn a_row_for_each_setting_with_the_range_of_its_seeds() {
        let made = table(&results(), &mut Words::of("calls=50,100 PosCalls of b,a sorted in slv"), false).unwrap();
        let expected = "\
| setting | PosCalls at 50 | PosCalls at 100 |
|---|--:|--:|
| `a` | 5.00 (4.00–6.00) | 5.00 (4.00–6.00) |
| `b` | 2.00 (1.00–3.00) | 2.00 (1.00–3.00) |";
        assert_eq!(made, expected);
    }

    #[test]
    fn a_column_for_each_target() {
        let made = table(&results(), &mut Words::of("calls=100 PosDocs of b"), true).unwrap();
        assert!(made.contains("| setting | slv | tgl | mean |"), "{made}");
        assert!(made.ends_with("| `b` | 0.250 (0.125–0.375) | 0.250 | 0.250 (0.125–0.312) |"), "{made}");
    }

    #[test]
    fn what_is_no_quantity_is_told() {
        assert!(table(&results(), &mut Words::of("calls=100 PosDoc"), false).unwrap_err().contains("PosDoc"));
    }
}
