//! Measured tables: results of experiments that are not runs of a pipeline, such as a curve by
//! threshold.

use serde::Deserialize;
use std::collections::BTreeSet;

/// The measurements of one experiment, target and setting: a curve, or a single point.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTable {
    /// Name of the experiment.
    pub experiment: String,
    /// What was measured, such as a language.
    pub target: String,
    /// The method that was measured.
    pub setting: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The points, each with a number for each column; `None` if it was not measured.
    pub points: Vec<Vec<Option<f64>>>,
}

/// All measured tables of a report; at most one for each experiment, target and setting.
#[derive(Debug, Default)]
pub struct MeasuredTables {
    tables: Vec<MeasuredTable>,
    /// Experiment, target and setting of each table.
    keys: BTreeSet<[String; 3]>,
}

impl MeasuredTables {
    /// Parses a line, a JSON object with the fields of [`MeasuredTable`], and adds the table.
    ///
    /// # Errors
    /// Fails if the line is not a table, if a point has not a number for each column, or if there
    /// is a table of the same experiment, target and setting.
    pub fn add_line(&mut self, line: &[u8]) -> Result<(), String> {
        let table: MeasuredTable =
            serde_json::from_slice(line).map_err(|e| format!("is not a measured table: {e}"))?;
        let width = table.columns.len();
        if table.points.iter().any(|point| point.len() != width) {
            return Err(format!("has a point that has not {width} numbers"));
        }
        let key = [&table.experiment, &table.target, &table.setting].map(String::clone);
        if !self.keys.insert(key) {
            return Err(format!(
                "a second table of {} {} {}",
                table.experiment, table.target, table.setting
            ));
        }
        self.tables.push(table);
        Ok(())
    }

    /// Returns whether there is no table.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the tables of an experiment and target, in the order in which they were added.
    pub fn of<'a>(
        &'a self,
        experiment: &'a str,
        target: &'a str,
    ) -> impl Iterator<Item = &'a MeasuredTable> {
        self.tables
            .iter()
            .filter(move |table| table.experiment == experiment && table.target == target)
    }
}

impl MeasuredTable {
    /// Returns the numbers of a column, one for each point; `None` if there is no such column.
    pub fn column(&self, name: &str) -> Option<impl Iterator<Item = Option<f64>>> {
        let index = self.columns.iter().position(|column| column == name)?;
        Some(self.points.iter().map(move |point| point[index]))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::MeasuredTables;

    const CURVE: &str = r#"{"experiment":"similarity","target":"eng","setting":"dice","columns":["threshold","F","recall"],"points":[[0.1,0.3,0.9],[0.2,0.5,0.4],[0.3,null,0.1]]}"#;

    /// Two curves, of which that of Jaccard's coefficient is half as high.
    pub(crate) fn tables() -> MeasuredTables {
        let mut tables = MeasuredTables::default();
        tables.add_line(CURVE.as_bytes()).unwrap();
        let lower = CURVE
            .replace("dice", "jaccard")
            .replace("0.3,0.9", "0.15,0.9")
            .replace("0.5", "0.25");
        tables.add_line(lower.as_bytes()).unwrap();
        tables
    }

    #[test]
    fn a_column_has_a_number_for_each_point() {
        let tables = tables();
        let curve = tables.of("similarity", "eng").next().unwrap();
        let numbers: Vec<Option<f64>> = curve.column("F").unwrap().collect();
        assert_eq!(numbers, [Some(0.3), Some(0.5), None]);
        assert!(curve.column("G").is_none());
        assert_eq!(tables.of("similarity", "jpn").count(), 0);
    }

    #[test]
    fn invalid_lines_are_refused() {
        let error_of = |line: &str| tables().add_line(line.as_bytes()).unwrap_err();
        assert_eq!(error_of(CURVE), "a second table of similarity eng dice");
        assert!(error_of("{}").starts_with("is not a measured table: "));
        let short = CURVE
            .replace("dice", "cosine")
            .replace("[0.1,0.3,0.9]", "[0.1]");
        assert_eq!(error_of(&short), "has a point that has not 3 numbers");
    }
}
