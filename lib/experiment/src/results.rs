//! The runs of an experiment: settings × targets × seeds.

use crate::run::Run;
use std::collections::BTreeSet;

/// All runs, each of its setting, target and seed.
#[derive(Debug, Default)]
pub struct Results {
    runs: Vec<Run>,
    known: BTreeSet<(String, String, u64)>,
}

impl Results {
    /// Adds the run of a line of `results.jsonl`.
    ///
    /// # Errors
    /// When the line is no run, or [`Results::push`] refuses it.
    pub fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let run = serde_json::from_slice(line);
        self.push(run.map_err(|e| format!("is no run as measure-run writes it: {e}"))?)
    }

    /// Adds a run.
    ///
    /// # Errors
    /// When it is a second one of its setting, target and seed, or its points have other numbers.
    pub fn push(&mut self, run: Run) -> Result<(), String> {
        let wanted = Run::columns();
        if run.columns != wanted {
            let (found, wanted) = (run.columns.join(" "), wanted.join(" "));
            let columns = format!("its columns are {found}, and {wanted} are wanted");
            return Err(columns + ": measured by another version");
        }
        let Run {
            setting,
            target,
            seed,
            ..
        } = &run;
        if !self.known.insert((setting.clone(), target.clone(), *seed)) {
            return Err(format!(
                "a second run of {setting}, target {target}, seed {seed}"
            ));
        }
        self.runs.push(run);
        Ok(())
    }

    /// All runs, in the order in which they were added.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The runs of a setting, for some targets; for all of them where none is named.
    pub fn of<'a>(
        &'a self,
        setting: &'a str,
        targets: &'a [String],
    ) -> impl Iterator<Item = &'a Run> {
        let is_wanted = move |run: &&Run| {
            run.setting == setting && (targets.is_empty() || targets.contains(&run.target))
        };
        self.runs.iter().filter(is_wanted)
    }

    /// The settings, in the order in which they come.
    pub fn settings(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let settings = self.runs.iter().map(|run| run.setting.as_str());
        settings.filter(|setting| seen.insert(*setting)).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Results, Run};
    use crate::point::Point;
    use crate::run::Limits;

    /// A run that gives `relevant` documents of `documents` in 100 calls and as many queries.
    pub(crate) fn run(
        setting: &str,
        target: &str,
        seed: u64,
        relevant: u64,
        documents: u64,
    ) -> Run {
        let counts = Point {
            steps: 100,
            documents,
            queries: 100,
            empty: 40,
            calls: 100,
            relevant,
            correct: relevant,
            both: relevant,
        };
        let half = Point {
            documents: documents / 2,
            calls: 50,
            queries: 50,
            correct: relevant / 2,
            ..counts
        };
        Run {
            setting: setting.into(),
            target: target.into(),
            seed,
            limits: Limits {
                calls: Some(100),
                ..Limits::default()
            },
            reachable: Some(1000),
            columns: Run::columns(),
            points: vec![half, counts],
            ..Run::default()
        }
    }

    /// Two settings, two targets and two seeds; `b` lacks a run.
    pub(crate) fn results() -> Results {
        let mut results = Results::default();
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
                .push(run(setting, target, seed, relevant, 800))
                .unwrap();
        }
        results
    }

    #[test]
    fn a_run_is_read_as_it_was_written_and_only_once() {
        let line = serde_json::to_vec(&run("a", "slv", 1, 5, 8)).unwrap();
        let mut results = Results::default();
        results.add(&line).unwrap();
        assert_eq!(results.runs(), [run("a", "slv", 1, 5, 8)]);
        assert!(
            results
                .add(&line)
                .unwrap_err()
                .contains("a second run of a, target slv, seed 1")
        );
    }

    #[test]
    fn what_is_no_run_is_refused() {
        let mut results = Results::default();
        assert!(results.add(b"{\"setting\":1}").is_err());
        let old = serde_json::to_string(&run("a", "slv", 1, 5, 8))
            .unwrap()
            .replace("\"both\"", "\"all\"");
        assert!(
            results
                .add(old.as_bytes())
                .unwrap_err()
                .contains("another version")
        );
    }

    #[test]
    fn settings_keep_their_order() {
        assert_eq!(results().settings(), ["a", "b"]);
        assert_eq!(results().of("b", &["tgl".into()]).count(), 1);
    }
}
