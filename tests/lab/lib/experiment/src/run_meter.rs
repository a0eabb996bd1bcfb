//! Measures a run: reads its journal and takes snapshots of its counts at checkpoints.
//!
//! The counts are those of `update-stats` (`docs/algorithms.md`, "Measures"), except that `empty`
//! has distinct queries instead of records; and counts by the true classes of the documents. A
//! snapshot is taken just before a checkpoint is exceeded, so that the counts at 300 calls are what
//! 300 calls retrieved; and at the end of a step that reaches a recall level.

use crate::checkpoint::RecallLevel;
use crate::cost_axis::{CostAxis, next_checkpoint};
use crate::learner_history::{LearnerHistories, is_recorded_after, record_probabilities};
use crate::learner_replay::LearnerReplay;
use crate::measured_run::{MeasuredRun, RunLimits};
use crate::snapshot::{QueryPrecision, RunSnapshot};
use crate::true_classes::TrueClasses;
use foldhash::{HashMap, HashSet};
use forage_record::HitOutcome;
use forage_run::{BoxError, Event, Projection};
use std::collections::BTreeMap;

/// Measures one journal. A projection of it.
#[derive(Debug)]
pub struct RunMeter<'a> {
    true_classes: Option<&'a TrueClasses>,
    targets: BTreeMap<String, TargetMeter>,
    replay: LearnerReplay,
}

impl Projection for RunMeter<'_> {
    /// Counts a record of a step. Initial documents are not counted: they have no cost.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(step) = &event.step else {
            return Ok(());
        };
        let class = self
            .true_classes
            .zip(event.url())
            .and_then(|(true_classes, url)| true_classes.class(&url));
        let is_correct = class.is_some_and(|class| class == step.target);
        let is_of_other_target = !is_correct && class.is_some_and(|c| self.targets.contains_key(c));
        let true_classes = self.true_classes;
        let meter = self
            .targets
            .entry(step.target.clone())
            .or_insert_with(|| TargetMeter {
                reachable: true_classes.map(|classes| classes.documents_of_class(&step.target)),
                ..TargetMeter::default()
            });
        let is_new_step = meter.step != step.number;
        if is_new_step && is_recorded_after(meter.counts.steps) {
            record_probabilities(
                &mut meter.learned,
                meter.counts.steps,
                &step.target,
                &self.replay,
            );
        }
        let is_of_target = if self.true_classes.is_some() {
            is_correct
        } else {
            event.label.as_deref() == Some(&*step.target)
        };
        let class = DocumentClass {
            is_correct,
            is_of_target,
            is_of_other_target,
        };
        meter.count(event, class);
        self.replay.apply(event)
    }
}

impl<'a> RunMeter<'a> {
    /// Returns a meter for the beginning of a journal, with the true classes of the documents if
    /// they are known.
    pub fn new(true_classes: Option<&'a TrueClasses>) -> Self {
        RunMeter {
            true_classes,
            targets: BTreeMap::new(),
            replay: LearnerReplay::default(),
        }
    }

    /// Returns the measured run of each target, in order of their names. `limits` are those of all
    /// targets together.
    pub fn finish(self, setting: &str, seed: u64, limits: RunLimits) -> Vec<MeasuredRun> {
        let end = self
            .targets
            .values()
            .fold(RunSnapshot::default(), |all, meter| RunSnapshot {
                steps: all.steps + meter.counts.steps,
                documents: all.documents + meter.counts.documents,
                calls: all.calls + meter.counts.calls,
                ..all
            });
        let limits = limits.of_each_target(self.targets.len() as u64, &end);
        let mut runs = Vec::new();
        for (target, mut meter) in self.targets {
            meter.end_step();
            meter.take_snapshot();
            record_probabilities(
                &mut meter.learned,
                meter.counts.steps,
                &target,
                &self.replay,
            );
            runs.push(MeasuredRun {
                setting: setting.to_owned(),
                seed,
                limits,
                reachable: meter.reachable,
                columns: MeasuredRun::current_columns(),
                points: meter.snapshots,
                learned: meter.learned,
                target,
            });
        }
        runs
    }
}

/// The class of a document in relation to the target of its step.
#[derive(Debug, Clone, Copy)]
struct DocumentClass {
    /// Its true class is the target.
    is_correct: bool,
    /// Likewise, or by the filter if true classes are unknown.
    is_of_target: bool,
    /// Its true class is another target of the run.
    is_of_other_target: bool,
}

/// The counts of the steps for one target.
#[derive(Debug)]
struct TargetMeter {
    counts: RunSnapshot,
    /// Number of documents of the target, if true classes are known.
    reachable: Option<u64>,
    /// The highest recall level that was reached in an earlier step.
    recall_level: Option<RecallLevel>,
    /// Number of the current step.
    step: u64,
    /// True if the current step has a query that the engine answered, and no document so far.
    has_no_document: bool,
    /// Ids of the queries sent.
    sent_queries: HashSet<String>,
    /// Ids of the queries without a hit.
    empty_queries: HashSet<String>,
    precision: QueryPrecisionMeter,
    snapshots: Vec<RunSnapshot>,
    learned: LearnerHistories,
}

impl Default for TargetMeter {
    fn default() -> Self {
        TargetMeter {
            counts: RunSnapshot {
                no_document: Some(0),
                query_precision: Some(QueryPrecision::default()),
                duplicates: Some(0),
                of_target: Some(0),
                of_other_targets: Some(0),
                ..RunSnapshot::default()
            },
            reachable: None,
            recall_level: None,
            step: 0,
            has_no_document: false,
            sent_queries: HashSet::default(),
            empty_queries: HashSet::default(),
            precision: QueryPrecisionMeter::default(),
            snapshots: Vec::new(),
            learned: LearnerHistories::new(),
        }
    }
}

impl TargetMeter {
    /// Counts a record. If that exceeds a checkpoint, takes a snapshot of the counts before it.
    fn count(&mut self, event: &Event, class: DocumentClass) {
        let is_new_step = self.step != event.step_number();
        if is_new_step {
            self.end_step();
            self.step = event.step_number();
            self.has_no_document = !event.is_unanswered();
        }
        self.has_no_document &= !event.is_document || event.is_retry;
        let mut next = self.counts;
        next.steps += u64::from(is_new_step);
        if event.is_attempt() {
            next.steps -= 1;
            self.has_no_document = false;
        }
        let calls = event.hit.as_ref().map_or(0, |hit| hit.calls);
        next.calls = next.calls.saturating_add(calls);
        if let Some(id) = event.query_id().filter(|_| !event.is_unanswered()) {
            if event.outcome() == Some(HitOutcome::Empty) {
                next.empty += u64::from(self.empty_queries.insert(id.clone()));
            }
            next.queries += u64::from(self.sent_queries.insert(id));
        }
        if event.is_document {
            self.count_document(&mut next, event, class);
        }
        let exceeds_checkpoint = CostAxis::ALL
            .iter()
            .any(|axis| axis.cost(&next) > next_checkpoint(axis.cost(&self.counts)));
        if exceeds_checkpoint {
            self.take_snapshot();
        }
        self.counts = next;
    }

    /// Counts a document in `next`. A retry is counted again only as far as the filter judges it.
    fn count_document(&mut self, next: &mut RunSnapshot, event: &Event, class: DocumentClass) {
        let is_new = !event.is_retry;
        let add = |count: &mut Option<u64>, condition: bool| {
            *count = count.map(|n| n + u64::from(condition && is_new));
        };
        add(&mut next.of_target, class.is_correct);
        add(&mut next.of_other_targets, class.is_of_other_target);
        add(&mut next.duplicates, event.is_duplicate());
        let is_relevant = event.is_relevant();
        let is_correct = class.is_correct && !event.is_duplicate();
        next.documents += u64::from(is_new);
        next.relevant += u64::from(is_relevant);
        next.correct += u64::from(is_correct && is_new);
        next.both += u64::from(is_relevant && is_correct);
        if let Some(id) = event.query_id().filter(|_| is_new) {
            next.query_precision = Some(self.precision.count(id, class.is_of_target));
        }
    }

    /// Counts the current step if it retrieved no document. If it reached a recall level, takes a
    /// snapshot.
    fn end_step(&mut self) {
        if let Some(no_document) = &mut self.counts.no_document {
            *no_document += u64::from(self.has_no_document);
        }
        self.has_no_document = false;
        let found = self.counts.of_target.zip(self.reachable);
        let level = found.and_then(|(found, existing)| RecallLevel::highest(found, existing));
        if level > self.recall_level {
            self.recall_level = level;
            self.take_snapshot();
        }
    }

    /// Appends the current counts to the snapshots, unless they are there already.
    fn take_snapshot(&mut self) {
        if self.snapshots.last() != Some(&self.counts) {
            self.snapshots.push(self.counts);
        }
    }
}

/// The documents of each query.
#[derive(Debug, Default)]
struct QueryPrecisionMeter {
    /// Numbers of documents, and of those of the target, by the id of the query.
    queries: HashMap<String, (u64, u64)>,
    /// Sum of the precisions of the queries.
    sum: f64,
}

impl QueryPrecisionMeter {
    /// Counts a document of a query. Returns the precision of the queries so far.
    fn count(&mut self, query: String, is_of_target: bool) -> QueryPrecision {
        let (documents, of_target) = self.queries.entry(query).or_default();
        if *documents > 0 {
            self.sum -= *of_target as f64 / *documents as f64;
        }
        *documents += 1;
        *of_target += u64::from(is_of_target);
        self.sum += *of_target as f64 / *documents as f64;
        QueryPrecision {
            queries: self.queries.len() as u64,
            millionths: (self.sum * 1e6).round().max(0.0) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MeasuredRun, QueryPrecision, RunLimits, RunMeter, RunSnapshot};
    use crate::checkpoint::Checkpoint;
    use crate::true_classes::TrueClasses;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn measure_with(lines: &[String], limits: RunLimits) -> Vec<MeasuredRun> {
        let mut true_classes = TrueClasses::default();
        for n in 0..500 {
            let class = if n % 4 == 0 { "hrv" } else { "slv" };
            true_classes
                .add_line(format!("http://{n}/\t{class}").as_bytes())
                .unwrap();
        }
        let mut meter = RunMeter::new(Some(&true_classes));
        for line in lines {
            meter
                .apply(&Event::from_record(
                    &Record::parse(line.clone().into_bytes()).unwrap(),
                ))
                .unwrap();
        }
        meter.finish("or:1", 1, limits)
    }

    fn measure(lines: &[String]) -> Vec<MeasuredRun> {
        measure_with(lines, RunLimits::default())
    }

    fn document(step: u64, url: usize, more: &str) -> String {
        let query = step / 20;
        let calls = u64::from(step % 10 == 1);
        let step = format!(r#""step":{{"number":{step},"target":"slv"}}"#);
        let query = format!(r#""query":{{"id":"q{query}"}},"url":"http://{url}/""#);
        let hit = format!(r#""hit":{{"engine":"x","calls":{calls}}}"#);
        format!(r#"{{{step},{query},{hit},"text":""{more}}}"#)
    }

    #[test]
    fn limits_count_all_targets_together() {
        let lines: Vec<String> = (1..=60)
            .map(|n| match n % 3 {
                0 => document(n, n as usize, "").replace("slv", "hrv"),
                1 => document(n, n as usize, "").replace("slv", "tgl"),
                _ => document(n, n as usize, ""),
            })
            .collect();
        let limits_of = |limits| {
            let runs = measure_with(&lines, limits);
            assert_eq!(runs.len(), 3);
            runs[0].limits
        };
        let limits = |documents, steps| RunLimits {
            documents,
            steps,
            calls: None,
        };
        let steps = Some(60);
        assert_eq!(limits_of(limits(None, steps)), limits(None, Some(20)));
        assert_eq!(limits_of(limits(Some(90), steps)), limits(None, Some(20)));
        // Ended by documents, of which no target has a share.
        assert_eq!(limits_of(limits(Some(60), None)), RunLimits::default());
        assert_eq!(limits_of(limits(Some(60), Some(90))), RunLimits::default());
        // Exhausted before all limits.
        let below = limits(Some(61), Some(90));
        assert_eq!(limits_of(below), limits(Some(61), Some(30)));
    }

    #[test]
    fn takes_a_snapshot_at_each_checkpoint() {
        let lines: Vec<String> = (1..=120)
            .map(|n| document(n, n as usize, r#","label":"slv""#))
            .collect();
        let runs = measure(&lines);
        let [run] = runs.as_slice() else {
            panic!("{runs:?}")
        };
        let at_100_documents = run
            .points
            .iter()
            .find(|snapshot| snapshot.documents == 100)
            .copied();
        let expected = RunSnapshot {
            steps: 100,
            documents: 100,
            queries: 6,
            empty: 0,
            calls: 10,
            relevant: 100,
            correct: 75,
            both: 75,
            no_document: Some(0),
            // Query 0 has 19 documents, 15 of the target; the next four have 20 each, 15 of the
            // target; query 5 has document 100, which is of another class.
            query_precision: Some(QueryPrecision {
                queries: 6,
                millionths: 3_789_474,
            }),
            duplicates: Some(0),
            of_target: Some(75),
            of_other_targets: Some(0),
        };
        assert_eq!(at_100_documents, Some(expected));
        assert_eq!(
            run.points
                .iter()
                .map(|snapshot| snapshot.documents)
                .collect::<Vec<_>>(),
            // The 99th document is the 75th of the target, and recall is 0.2.
            [10, 25, 50, 99, 100, 120]
        );
        assert_eq!(run.reachable, Some(375));
    }

    #[test]
    fn documents_of_other_targets_are_counted_from_their_first_step_on() {
        // Of URL 0, 4 and 8 the class is hrv, which has its first step after the first of them.
        let lines = [(1, 0), (3, 4), (4, 8), (5, 9)].map(|(step, url)| document(step, url, ""));
        let of_hrv = document(2, 1, "").replace("\"target\":\"slv\"", "\"target\":\"hrv\"");
        let [first, rest @ ..] = lines;
        let lines: Vec<String> = [first, of_hrv].into_iter().chain(rest).collect();
        let counts = |run: &MeasuredRun| run.points.last().map(|end| end.of_other_targets);
        let runs = measure(&lines);
        assert_eq!(
            runs.iter().map(counts).collect::<Vec<_>>(),
            // The document of the step for hrv is of slv, a target since the first step.
            [Some(Some(1)), Some(Some(2))]
        );
    }

    #[test]
    fn takes_a_snapshot_at_the_end_of_the_step_that_reaches_a_recall_level() {
        // Of 375 documents of the target, the second step has the 38th, a tenth of them.
        let lines: Vec<String> = (1..=70)
            .map(|n| document(1 + n / 30, n as usize, r#","label":"slv""#))
            .collect();
        let run = &measure(&lines)[0];
        let level = Checkpoint::Recall("0.1".parse().unwrap());
        let reached = run.snapshot_at(level).unwrap();
        let counts = (reached.steps, reached.documents, reached.of_target);
        assert_eq!(counts, (2, 59, Some(45)));
        let next = Checkpoint::Recall("0.2".parse().unwrap());
        assert_eq!(run.snapshot_at(next), None);
    }

    #[test]
    fn duplicates_errors_and_other_labels_are_not_relevant() {
        let lines = [
            document(1, 1, r#","label":"slv""#),
            document(2, 2, r#","label":"slv","dedup":{"status":"near"}"#),
            document(3, 3, r#","label":"hrv""#),
            document(
                4,
                5,
                r#","label":"slv","error":{"tool":"langid","kind":"internal","message":""}"#,
            ),
            r#"{"text":"initial","label":"slv"}"#.to_owned(),
        ];
        let last = measure(&lines)[0].points.last().copied().unwrap();
        assert_eq!(
            (
                last.steps,
                last.documents,
                last.relevant,
                last.correct,
                last.both,
                last.of_target
            ),
            (4, 3, 1, 2, 1, Some(3))
        );
    }

    #[test]
    fn queries_without_a_hit_are_counted_once_and_unanswered_queries_never() {
        let without_document = |id: &str, step: u64, outcome: &str, more: &str| {
            let step =
                format!(r#""step":{{"number":{step},"target":"slv"}},"query":{{"id":"{id}"}}"#);
            format!(r#"{{{step},"hit":{{"engine":"x","calls":1{outcome}}}{more}}}"#)
        };
        let empty = r#","outcome":"empty""#;
        let lines = [
            without_document("a", 1, empty, ""),
            without_document("a", 2, empty, ""),
            without_document("b", 3, r#","outcome":"exhausted""#, ""),
            without_document(
                "c",
                4,
                "",
                r#","error":{"tool":"search","kind":"throttled","message":""}"#,
            ),
        ];
        let last = measure(&lines)[0].points.last().copied().unwrap();
        assert_eq!(
            (
                last.steps,
                last.queries,
                last.empty,
                last.calls,
                last.documents
            ),
            (4, 2, 1, 4, 0)
        );
    }

    #[test]
    fn a_step_without_a_document_is_counted_whatever_the_reason_but_not_if_it_was_unanswered() {
        let step = |number: u64, more: &str| {
            format!(
                r#"{{"step":{{"number":{number},"target":"slv"}},"query":{{"id":"a"}},"url":"http://{number}/"{more}}}"#
            )
        };
        let hit =
            |outcome: &str| format!(r#","hit":{{"engine":"x","calls":1,"outcome":"{outcome}"}}"#);
        let error = |tool: &str, kind: &str| {
            format!(r#","error":{{"tool":"{tool}","kind":"{kind}","message":""}}"#)
        };
        let failed = error("fetch-extract", "timeout");
        let lines = [
            step(1, &hit("empty")),
            step(2, &hit("exhausted")),
            step(3, &failed),
            step(3, &failed),
            // A step with one document is not counted, even if it begins with a failure.
            step(4, &failed),
            step(4, r#","text":"a","label":"hrv""#),
            step(5, &error("search", "throttled")),
            step(6, &hit("exhausted")),
        ];
        let last = measure(&lines)[0].points.last().copied().unwrap();
        assert_eq!((last.steps, last.no_document), (6, Some(4)));
    }

    #[test]
    fn a_journal_with_several_targets_gives_a_run_for_each() {
        let other = document(2, 2, r#","label":"hrv""#).replace("slv", "hrv");
        let runs = measure(&[document(1, 1, r#","label":"slv""#), other]);
        assert_eq!(
            runs.iter()
                .map(|run| run.target.as_str())
                .collect::<Vec<_>>(),
            ["hrv", "slv"]
        );
        assert!(measure(&[]).is_empty());
    }
}
