//! Values of measured tables: a column at the points that fulfil conditions.

use crate::measured_table::{MeasuredTable, MeasuredTables};

/// The condition that a column has its maximum.
const MAXIMUM: &str = "max";

/// A value of a setting: the maximum of a column over the points that fulfil all conditions. For
/// example, `threshold F=max` is the threshold with the highest F, and `recall precision=1` the
/// highest recall of the points with a precision of 1.
#[derive(Debug, Clone, PartialEq)]
pub struct PointValue {
    /// The column.
    pub quantity: String,
    conditions: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    column: String,
    /// The number that the column must have; `None` for its maximum over the points that fulfil
    /// the conditions before.
    number: Option<f64>,
}

/// A value of a setting of an experiment: a side of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct TableValue {
    /// Name of the experiment.
    pub experiment: String,
    /// The target.
    pub target: String,
    /// Name of the setting.
    pub setting: String,
    /// The value.
    pub value: PointValue,
}

impl PointValue {
    /// Parses `QUANTITY [COLUMN=NUMBER | COLUMN=max]...`.
    ///
    /// # Errors
    /// Fails if there is no quantity, or if a condition is malformed.
    pub fn parse(words: &[&str]) -> Result<PointValue, String> {
        let (quantity, conditions) = words.split_first().ok_or("a quantity is missing")?;
        let conditions = conditions.iter().map(|word| {
            let malformed =
                || format!("`{word}` is not a condition such as `precision=1` or `F=max`");
            let (column, number) = word.split_once('=').ok_or_else(malformed)?;
            let number = match number {
                MAXIMUM => None,
                number => Some(number.parse().map_err(|_| malformed())?),
            };
            Ok(Condition {
                column: column.into(),
                number,
            })
        });
        Ok(PointValue {
            quantity: (*quantity).into(),
            conditions: conditions.collect::<Result<_, String>>()?,
        })
    }

    /// Returns the value of a table; `None` if a column is missing, or if no point fulfils the
    /// conditions.
    pub fn measure(&self, table: &MeasuredTable) -> Option<f64> {
        let mut points: Vec<usize> = (0..table.points.len()).collect();
        for condition in &self.conditions {
            let numbers: Vec<Option<f64>> = table.column(&condition.column)?.collect();
            let wanted = condition
                .number
                .or_else(|| maximum(points.iter().filter_map(|&point| numbers[point])));
            points.retain(|&point| wanted.is_some() && numbers[point] == wanted);
        }
        let numbers: Vec<Option<f64>> = table.column(&self.quantity)?.collect();
        maximum(points.iter().filter_map(|&point| numbers[point]))
    }
}

impl TableValue {
    /// Parses `EXPERIMENT TARGET SETTING QUANTITY [COLUMN=NUMBER | COLUMN=max]...`.
    ///
    /// # Errors
    /// Fails if a part is missing, or if a condition is malformed.
    pub fn parse(text: &str) -> Result<TableValue, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [experiment, target, setting, value @ ..] = &words[..] else {
            return Err(format!(
                "`{text}` is neither a number nor a value such as `similarity eng dice F`"
            ));
        };
        Ok(TableValue {
            experiment: (*experiment).into(),
            target: (*target).into(),
            setting: (*setting).into(),
            value: PointValue::parse(value)?,
        })
    }

    /// Returns the value; `None` if it was not measured.
    pub fn measure(&self, tables: &MeasuredTables) -> Option<f64> {
        let table = tables
            .of(&self.experiment, &self.target)
            .find(|table| table.setting == self.setting)?;
        self.value.measure(table)
    }
}

fn maximum(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    numbers.reduce(f64::max)
}

/// Formats a number of a table: whole numbers, and numbers of at least 100, without decimals,
/// others with three.
pub fn format_table_number(number: f64) -> String {
    if number.fract() == 0.0 || number.abs() >= 100.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::{TableValue, format_table_number};
    use crate::measured_table::tests::tables;

    #[test]
    fn conditions_select_points_and_the_maximum_is_taken() {
        let measure = |text| TableValue::parse(text).unwrap().measure(&tables());
        assert_eq!(measure("similarity eng dice F"), Some(0.5));
        assert_eq!(measure("similarity eng dice threshold F=max"), Some(0.2));
        assert_eq!(measure("similarity eng dice F threshold=0.1"), Some(0.3));
        assert_eq!(measure("similarity eng dice F threshold=0.15"), None);
        assert_eq!(measure("similarity eng dice F threshold=0.3"), None);
        assert_eq!(
            measure("similarity eng dice recall threshold=max"),
            Some(0.1)
        );
        assert_eq!(
            measure("similarity eng dice recall threshold=0.2 F=max"),
            Some(0.4)
        );
        assert_eq!(measure("similarity eng dice G"), None);
        assert_eq!(measure("similarity eng cosine F"), None);
    }

    #[test]
    fn malformed_values_are_refused() {
        let error_of = |text| TableValue::parse(text).unwrap_err();
        assert!(error_of("similarity eng").contains("neither a number nor a value"));
        assert_eq!(error_of("similarity eng dice"), "a quantity is missing");
        assert!(
            error_of("similarity eng dice F best").starts_with("`best` is not a condition such as")
        );
        assert!(error_of("similarity eng dice F x=much").starts_with("`x=much` is not"));
    }

    #[test]
    fn numbers_have_three_decimals_if_they_are_small() {
        let formatted = [0.5, 1.0, 12.3456, 123.456, 31000.4].map(format_table_number);
        assert_eq!(formatted, ["0.500", "1", "12.346", "123", "31000"]);
    }
}
