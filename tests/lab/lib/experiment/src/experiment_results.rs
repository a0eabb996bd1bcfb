//! The runs of an experiment: settings × targets × seeds.

use crate::measured_run::MeasuredRun;
use std::collections::BTreeSet;

/// All runs of an experiment; at most one for each setting, target and seed.
#[derive(Debug, Default)]
pub struct ExperimentResults {
    runs: Vec<MeasuredRun>,
    /// Setting, target and seed of each run.
    keys: BTreeSet<(String, String, u64)>,
}

impl ExperimentResults {
    /// Parses a line of `results.jsonl` and adds the run.
    ///
    /// # Errors
    /// Fails if the line is not a run, or as [`ExperimentResults::add_run`].
    pub fn add_line(&mut self, line: &[u8]) -> Result<(), String> {
        let run = serde_json::from_slice(line)
            .map_err(|e| format!("is not a run in the format of measure-run: {e}"))?;
        self.add_run(run)
    }

    /// Adds a run.
    ///
    /// # Errors
    /// Fails if there is a run of the same setting, target and seed, or if the run has other
    /// columns. A run that an earlier version measured may lack columns at the end.
    pub fn add_run(&mut self, run: MeasuredRun) -> Result<(), String> {
        if !run.has_known_columns() {
            return Err(format!(
                "has the columns {}, but {} are expected; it was measured by another version",
                run.columns.join(" "),
                MeasuredRun::current_columns().join(" ")
            ));
        }
        let key = (run.setting.clone(), run.target.clone(), run.seed);
        if !self.keys.insert(key) {
            return Err(format!(
                "a second run of {}, target {}, seed {}",
                run.setting, run.target, run.seed
            ));
        }
        self.runs.push(run);
        Ok(())
    }

    /// Returns all runs, in the order in which they were added.
    pub fn runs(&self) -> &[MeasuredRun] {
        &self.runs
    }

    /// Returns the runs of a setting for some targets, or for all targets if none is named.
    pub fn runs_of<'a>(
        &'a self,
        setting: &'a str,
        targets: &'a [String],
    ) -> impl Iterator<Item = &'a MeasuredRun> {
        self.runs.iter().filter(move |run| {
            run.setting == setting && (targets.is_empty() || targets.contains(&run.target))
        })
    }

    /// Returns the settings in order of their first run.
    pub fn settings(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.runs
            .iter()
            .map(|run| run.setting.as_str())
            .filter(|setting| seen.insert(*setting))
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{ExperimentResults, MeasuredRun};
    use crate::measured_run::RunLimits;
    use crate::snapshot::{QueryPrecision, RunSnapshot};

    /// Returns a run that finds `relevant` relevant documents among `documents` in 100 calls and
    /// 100 queries.
    pub(crate) fn run(
        setting: &str,
        target: &str,
        seed: u64,
        relevant: u64,
        documents: u64,
    ) -> MeasuredRun {
        let end = RunSnapshot {
            steps: 100,
            documents,
            queries: 100,
            empty: 40,
            calls: 100,
            relevant,
            correct: relevant,
            both: relevant,
            no_document: Some(70),
            query_precision: Some(QueryPrecision {
                queries: 50,
                millionths: 45_000_000,
            }),
            duplicates: Some(0),
            of_target: Some(relevant),
            of_other_targets: Some(0),
        };
        let half = RunSnapshot {
            documents: documents / 2,
            calls: 50,
            queries: 50,
            correct: relevant / 2,
            of_target: Some(relevant / 2),
            no_document: Some(20),
            ..end
        };
        MeasuredRun {
            setting: setting.into(),
            target: target.into(),
            seed,
            limits: RunLimits {
                calls: Some(100),
                ..RunLimits::default()
            },
            reachable: Some(1000),
            columns: MeasuredRun::current_columns(),
            points: vec![half, end],
            ..MeasuredRun::default()
        }
    }

    /// Returns the results of two settings, two targets and two seeds; `b` lacks a run.
    pub(crate) fn results() -> ExperimentResults {
        let mut results = ExperimentResults::default();
        for (setting, target, seed, relevant) in [
            ("a", "slv", 1, 600),
            ("a", "slv", 2, 400),
            ("a", "tgl", 1, 700),
            ("a", "tgl", 2, 500),
            ("b", "slv", 1, 300),
            ("b", "slv", 2, 100),
            ("b", "tgl", 1, 200),
        ] {
            results
                .add_run(run(setting, target, seed, relevant, 800))
                .unwrap();
        }
        results
    }

    #[test]
    fn a_run_is_read_as_it_was_written_and_only_once() {
        let line = serde_json::to_vec(&run("a", "slv", 1, 5, 8)).unwrap();
        let mut results = ExperimentResults::default();
        results.add_line(&line).unwrap();
        assert_eq!(results.runs(), [run("a", "slv", 1, 5, 8)]);
        assert!(
            results
                .add_line(&line)
                .unwrap_err()
                .contains("a second run of a, target slv, seed 1")
        );
    }

    #[test]
    fn refuses_lines_that_are_not_runs() {
        let mut results = ExperimentResults::default();
        assert!(results.add_line(b"{\"setting\":1}").is_err());
        let old = serde_json::to_string(&run("a", "slv", 1, 5, 8))
            .unwrap()
            .replace("\"both\"", "\"all\"");
        assert!(
            results
                .add_line(old.as_bytes())
                .unwrap_err()
                .contains("another version")
        );
        let line = serde_json::to_string(&run("a", "slv", 1, 5, 8)).unwrap();
        let shorter = line.replace(",\"no-document\"", "");
        assert!(results.add_line(shorter.as_bytes()).is_err(), "{shorter}");
    }

    /// Returns a run as measured by a version without the columns from `no-document` on.
    pub(crate) fn run_of_an_earlier_version(setting: &str, target: &str, seed: u64) -> MeasuredRun {
        let mut run = run(setting, target, seed, 5, 8);
        run.columns.truncate(8);
        run.points.iter_mut().for_each(|point| {
            point.no_document = None;
            point.query_precision = None;
            point.duplicates = None;
            point.of_target = None;
            point.of_other_targets = None;
        });
        run
    }

    #[test]
    fn a_run_of_an_earlier_version_may_lack_the_last_columns() {
        let mut results = ExperimentResults::default();
        let line = serde_json::to_vec(&run_of_an_earlier_version("a", "slv", 1)).unwrap();
        results.add_line(&line).unwrap();
        assert_eq!(results.runs(), [run_of_an_earlier_version("a", "slv", 1)]);
    }

    #[test]
    fn settings_keep_their_order() {
        assert_eq!(results().settings(), ["a", "b"]);
        assert_eq!(results().runs_of("b", &["tgl".into()]).count(), 1);
    }
}
