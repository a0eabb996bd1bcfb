//! The documents of a crawl, a few bytes each, and the sample of them.

use crate::draw::{SampleSize, draw_positions};
use crate::group::{Group, Grouping};
use crate::judgements::{DocumentKey, Judgements, Verdict};
use crate::rule::{AcceptanceRule, GroupTally};
use crate::target::{Classes, Position};
use forage_record::BadField;
use forage_run::Event;
use forage_text::Random;
use forage_web::page_url::host_of;
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// The number of periods into which a crawl is divided (Kluev 2000, section 5).
pub(crate) const PERIODS: u64 = 3;

/// How many documents to draw; `None` for none.
#[derive(Debug, Clone, Copy)]
pub struct SampleSizes {
    /// Of each group that is judged.
    pub groups: SampleSize,
    /// Of the undoubted documents.
    pub undoubted: Option<SampleSize>,
    /// Of each group of rejected documents.
    pub rejected: Option<SampleSize>,
}

/// A record that is drawn or accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenRecord<'a> {
    /// The number of the record, as passed to [`Population::add_record`].
    pub number: u64,
    /// Its group.
    pub group: &'a Group,
    /// The number of documents in the group.
    pub size: u64,
    /// The class that it is judged for, if it is known.
    pub class: Option<&'a str>,
}

/// The documents of a run, by group.
#[derive(Debug)]
pub struct Population {
    grouping: Grouping,
    groups: IndexSet<Group>,
    hosts: IndexSet<String>,
    classes: Classes,
    documents: Vec<Document>,
    last_step: u64,
}

/// What is kept of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document {
    number: u64,
    key: DocumentKey,
    step: u64,
    group: u32,
    host: u32,
    position: Position,
}

impl Population {
    /// Creates a population without documents.
    pub fn new(grouping: Grouping) -> Population {
        Population {
            grouping,
            groups: IndexSet::new(),
            hosts: IndexSet::new(),
            classes: Classes::default(),
            documents: Vec::new(),
            last_step: 0,
        }
    }

    /// Adds a record, if it is a document and no duplicate. Numbers must ascend. `label` is the
    /// class that a filter gave to it. Returns `true` if it was added.
    ///
    /// # Errors
    /// Fails if the field of the grouping has the wrong type. The record is not added.
    pub fn add_record(
        &mut self,
        number: u64,
        event: &Event,
        label: Option<&str>,
    ) -> Result<bool, BadField> {
        if !event.is_document || event.is_duplicate() {
            return Ok(false);
        }
        let group = match &self.grouping {
            Grouping::ByTarget => Group::rejected(),
            Grouping::ByFields(grouping) => grouping.group_of(event.record())?,
        };
        let host = event.url().as_deref().and_then(host_of).unwrap_or_default();
        let document = Document {
            number,
            key: DocumentKey::of(event),
            step: event.step_number(),
            group: self.groups.insert_full(group).0 as u32,
            host: self.hosts.insert_full(host).0 as u32,
            position: self.classes.position_of(event, label),
        };
        self.last_step = self.last_step.max(document.step);
        self.documents.push(document);
        Ok(true)
    }

    /// Removes all records of a document but the last one, which has its latest votes, and finds
    /// the groups by target. To be called after all records are added.
    pub fn finish(&mut self) {
        self.keep_last_records();
        if matches!(self.grouping, Grouping::ByTarget) {
            let positions: Vec<Position> = self
                .documents
                .iter()
                .map(|document| document.position)
                .collect();
            let groups = self.classes.groups(&positions);
            for (document, group) in self.documents.iter_mut().zip(groups) {
                document.group = self.groups.insert_full(group).0 as u32;
            }
        }
    }

    fn keep_last_records(&mut self) {
        let documents = &mut self.documents;
        documents
            .sort_unstable_by_key(|document| (document.key, std::cmp::Reverse(document.number)));
        documents.dedup_by_key(|document| document.key);
        documents.sort_unstable_by_key(|document| document.number);
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns `true` if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns `true` if no document is in a group other than those of rejected ones.
    pub fn is_rejected(&self) -> bool {
        self.documents
            .iter()
            .all(|document| self.group(document).is_rejected())
    }

    /// Returns the number of judged documents.
    pub fn judged(&self, judgements: &Judgements) -> usize {
        let is_judged = |document: &&Document| judgements.verdict(document.key).is_some();
        self.documents.iter().filter(is_judged).count()
    }

    /// Draws documents of each group, in the order of their numbers.
    ///
    /// The rejected documents, and all groups by target, are ordered by host and by period before
    /// they are drawn, so that each host and each period has its share (implicit stratification);
    /// the documents of other groups are drawn over the course of the crawl. The draw of a group
    /// depends on `seed` and the group alone.
    pub fn draw(&self, sizes: &SampleSizes, seed: u64) -> Vec<ChosenRecord<'_>> {
        let mut drawn = Vec::new();
        for (group, mut members) in self.members() {
            let size = match group {
                Group::Judged(_) => Some(sizes.groups),
                Group::Undoubted => sizes.undoubted,
                Group::Rejected(_) => sizes.rejected,
            };
            let size = size.map_or(0, |size| size.of(members.len()));
            if group.is_rejected() || matches!(self.grouping, Grouping::ByTarget) {
                members.sort_by_key(|&(place, document)| {
                    (document.host, self.period(place, document), document.number)
                });
            }
            let mut random = Random::for_purpose(seed, &["sample", group.name()]);
            let positions = draw_positions(members.len(), size, &mut random);
            drawn.extend(positions.into_iter().map(|position| {
                let document = members[position].1;
                ChosenRecord {
                    number: document.number,
                    group,
                    size: members.len() as u64,
                    class: self.class(document),
                }
            }));
        }
        drawn.sort_unstable_by_key(|chosen| chosen.number);
        drawn
    }

    /// Returns the numbers of the records that are judged for `class` and have this verdict, in
    /// ascending order.
    pub fn judged_records(
        &self,
        judgements: &Judgements,
        class: &str,
        verdict: Verdict,
    ) -> Vec<u64> {
        self.documents
            .iter()
            .filter(|document| {
                self.class(document) == Some(class)
                    && judgements.verdict(document.key) == Some(verdict)
            })
            .map(|document| document.number)
            .collect()
    }

    /// Returns the numbers of the records that `rule` accepts, in ascending order.
    pub fn accepted_records(&self, judgements: &Judgements, rule: AcceptanceRule) -> Vec<u64> {
        let is_accepted: BTreeMap<&Group, bool> = self
            .tallies(judgements)
            .into_iter()
            .map(|(group, tally)| (group, rule.accepts_group(group, &tally)))
            .collect();
        self.documents
            .iter()
            .filter(|document| {
                let is_accepted = is_accepted
                    .get(self.group(document))
                    .is_some_and(|&accepted| accepted);
                AcceptanceRule::keeps_document(is_accepted, judgements.verdict(document.key))
            })
            .map(|document| document.number)
            .collect()
    }

    /// Returns the numbers of documents by group.
    pub fn tallies(&self, judgements: &Judgements) -> BTreeMap<&Group, GroupTally> {
        let mut tallies: BTreeMap<&Group, GroupTally> = BTreeMap::new();
        for document in &self.documents {
            tallies
                .entry(self.group(document))
                .or_default()
                .add_document(judgements.verdict(document.key));
        }
        tallies
    }

    /// Returns the classes that documents are judged for, each with the numbers of all its
    /// documents and of those that the filter accepted.
    pub fn classes(&self, judgements: &Judgements) -> Vec<(&str, GroupTally, GroupTally)> {
        let classes = self.class_tallies(judgements).into_iter();
        classes
            .filter(|(class, _)| !class.is_empty())
            .map(|(class, groups)| {
                let accepted = groups.iter().filter(|(group, _)| !group.is_rejected());
                let accepted = accepted.map(|(_, tally)| *tally).sum();
                (class, groups.values().copied().sum(), accepted)
            })
            .collect()
    }

    /// Returns the numbers of documents by the class that they are judged for, and by group.
    pub(crate) fn class_tallies(
        &self,
        judgements: &Judgements,
    ) -> BTreeMap<&str, BTreeMap<&Group, GroupTally>> {
        let mut classes: BTreeMap<&str, BTreeMap<&Group, GroupTally>> = BTreeMap::new();
        for document in &self.documents {
            let groups = classes.entry(self.class(document).unwrap_or_default());
            let tally = groups.or_default().entry(self.group(document)).or_default();
            tally.add_document(judgements.verdict(document.key));
        }
        classes
    }

    /// Returns `true` if a class has groups of its own.
    pub(crate) fn is_by_target(&self) -> bool {
        matches!(self.grouping, Grouping::ByTarget)
    }

    /// Returns the numbers of rejected documents by period, from 0, and by host.
    pub(crate) fn rejected_tallies(
        &self,
        judgements: &Judgements,
    ) -> (Vec<GroupTally>, BTreeMap<&str, GroupTally>) {
        let mut periods = vec![GroupTally::default(); PERIODS as usize];
        let mut hosts: BTreeMap<&str, GroupTally> = BTreeMap::new();
        for (place, document) in self.documents.iter().enumerate() {
            if self.group(document).is_rejected() {
                let verdict = judgements.verdict(document.key);
                periods[self.period(place, document) as usize].add_document(verdict);
                let host = self.hosts[document.host as usize].as_str();
                hosts.entry(host).or_default().add_document(verdict);
            }
        }
        (periods, hosts)
    }

    /// Returns the documents of each group, with their places among all documents.
    fn members(&self) -> BTreeMap<&Group, Vec<(usize, &Document)>> {
        let mut members: BTreeMap<&Group, Vec<(usize, &Document)>> = BTreeMap::new();
        for (place, document) in self.documents.iter().enumerate() {
            members
                .entry(self.group(document))
                .or_default()
                .push((place, document));
        }
        members
    }

    fn class(&self, document: &Document) -> Option<&str> {
        self.classes.target_name(&document.position)
    }

    fn group(&self, document: &Document) -> &Group {
        &self.groups[document.group as usize]
    }

    /// Returns the period of a document, from 0: the third of the steps, or of the documents if no
    /// record has a step.
    fn period(&self, place: usize, document: &Document) -> u64 {
        let (number, total) = if self.last_step > 0 {
            (document.step.saturating_sub(1), self.last_step)
        } else {
            (place as u64, self.documents.len() as u64)
        };
        let period = u128::from(number) * u128::from(PERIODS) / u128::from(total.max(1));
        (period as u64).min(PERIODS - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Population, SampleSizes};
    use crate::draw::SampleSize;
    use crate::group::Grouping;
    use crate::judgements::Judgements;
    use crate::rule::AcceptanceRule;
    use forage_record::Record;
    use forage_run::Event;

    const RULE: AcceptanceRule = AcceptanceRule { limit: 0.75 };
    const SIZES: SampleSizes = SampleSizes {
        groups: SampleSize::Share(0.2),
        undoubted: None,
        rejected: None,
    };

    fn population(records: impl IntoIterator<Item = String>) -> Population {
        let mut population = Population::new(Grouping::parse("topic.metrics").unwrap());
        for (number, json) in records.into_iter().enumerate() {
            let record = Record::parse(json.into_bytes()).unwrap();
            population
                .add_record(number as u64, &Event::from_record(&record), None)
                .unwrap();
        }
        population.finish();
        population
    }

    fn record(id: usize, metrics: &str, more: &str) -> String {
        let url = format!("http://{}.test/{id}", id % 5);
        let topic = format!(r#"{{"metrics":[{metrics}]}}"#);
        format!(r#"{{"id":"{id}","url":"{url}","text":"x","topic":{topic}{more}}}"#)
    }

    #[test]
    fn draws_the_share_of_each_group_but_not_the_undoubted() {
        let metrics = [r#""vsm""#, r#""passage""#, r#""vsm","passage""#, "", ""];
        let population = population((0..500).map(|id| record(id, metrics[id % 5], "")));
        let drawn = population.draw(&SIZES, 1);
        let of_group = |name: &str| drawn.iter().filter(|c| c.group.name() == name).count();
        assert_eq!([of_group("vsm"), of_group("passage")], [20, 20]);
        assert_eq!(drawn.len(), 40);
        assert!(drawn.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert_eq!(drawn, population.draw(&SIZES, 1));
        assert_ne!(drawn, population.draw(&SIZES, 2));
    }

    #[test]
    fn rejected_documents_are_drawn_from_each_host_and_period() {
        let step = |id: usize| format!(r#","step":{{"number":{},"target":"t"}}"#, id / 10 + 1);
        let population = population((0..300).map(|id| record(id, "", &step(id))));
        let sizes = SampleSizes {
            rejected: Some(SampleSize::Share(0.2)),
            ..SIZES
        };
        let drawn = population.draw(&sizes, 7);
        assert_eq!(drawn.len(), 60);
        for host in 0..5 {
            for period in 0..3 {
                let is_in = |number: u64| number % 5 == host && number / 100 == period;
                let count = drawn.iter().filter(|c| is_in(c.number)).count();
                assert!((2..=6).contains(&count), "{host} {period}: {count}");
            }
        }
    }

    #[test]
    fn duplicates_and_errors_are_left_out_and_the_last_record_of_a_document_counts() {
        let population = population([
            record(1, "", ""),
            record(2, r#""vsm""#, r#","dedup":{"status":"near","of":null}"#),
            record(
                3,
                r#""vsm""#,
                r#","error":{"tool":"t","kind":"dns","message":"m"}"#,
            ),
            record(
                4,
                r#""vsm","term""#,
                r#","dedup":{"status":"new","of":null}"#,
            ),
            record(1, r#""vsm","term""#, r#","retry":true"#),
            r#"{"id":"5","topic":{"metrics":["vsm","term"]}}"#.into(),
        ]);
        assert_eq!(population.len(), 2);
        assert_eq!(
            population.accepted_records(&Judgements::new(), RULE),
            [3, 4]
        );
    }

    #[test]
    fn the_rule_keeps_documents_by_group_and_verdict() {
        let population = population((0..10).map(|id| record(id, r#""vsm""#, "")));
        let accepted = |lines: &[&str]| {
            let mut judgements = Judgements::new();
            for line in lines {
                judgements.add_line(line.as_bytes()).unwrap();
            }
            population.accepted_records(&judgements, RULE)
        };
        assert_eq!(
            accepted(&["0\tyes", "1\tyes", "2\tyes", "3\tno"]),
            [0, 1, 2]
        );
        assert_eq!(
            accepted(&["0\tyes", "1\tyes", "2\tyes", "3\tyes", "4\tno"]),
            [0, 1, 2, 3, 5, 6, 7, 8, 9]
        );
        assert!(accepted(&[]).is_empty());
    }
}
