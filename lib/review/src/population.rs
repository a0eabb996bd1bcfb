//! The documents of a crawl, a few bytes each, and the sample of them.

use crate::draw::{draw_positions, sample_size};
use crate::group::{Group, Grouping};
use crate::judgements::{DocumentKey, Judgements};
use crate::rule::{AcceptanceRule, GroupTally};
use foldhash::{HashMap, HashMapExt};
use forage_page_url::host_of;
use forage_record::BadField;
use forage_run::Event;
use forage_text::Random;
use std::collections::BTreeMap;

/// The number of periods into which a crawl is divided (Kluev 2000, section 5).
pub(crate) const PERIODS: u64 = 3;

/// The shares of documents to draw, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct SampleShares {
    /// Of each group that is judged.
    pub groups: f64,
    /// Of the undoubted documents.
    pub undoubted: f64,
    /// Of the rejected documents.
    pub rejected: f64,
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
}

/// The documents of a crawl, by group.
#[derive(Debug)]
pub struct Population {
    grouping: Grouping,
    groups: Names<Group>,
    hosts: Names<String>,
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
}

/// Distinct values by the order of their first occurrence.
#[derive(Debug)]
struct Names<T> {
    values: Vec<T>,
    indices: HashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Names<T> {
    fn new() -> Self {
        Names {
            values: Vec::new(),
            indices: HashMap::new(),
        }
    }

    fn index_of(&mut self, value: T) -> u32 {
        let next = self.values.len() as u32;
        *self.indices.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            next
        })
    }
}

impl Population {
    /// Creates a population without documents.
    pub fn new(grouping: Grouping) -> Population {
        Population {
            grouping,
            groups: Names::new(),
            hosts: Names::new(),
            documents: Vec::new(),
            last_step: 0,
        }
    }

    /// Adds a record, if it is a document and no duplicate. Numbers must ascend.
    ///
    /// # Errors
    /// Fails if the field of the grouping has the wrong type. The record is not added.
    pub fn add_record(&mut self, number: u64, event: &Event) -> Result<(), BadField> {
        if !event.is_document || event.is_duplicate() {
            return Ok(());
        }
        let group = self.grouping.group_of(event.record())?;
        let host = event.url().as_deref().and_then(host_of).unwrap_or_default();
        let document = Document {
            number,
            key: DocumentKey::new(&DocumentKey::identity_of(event)),
            step: event.step_number(),
            group: self.groups.index_of(group),
            host: self.hosts.index_of(host),
        };
        self.last_step = self.last_step.max(document.step);
        self.documents.push(document);
        Ok(())
    }

    /// Removes all records of a document but the last one, which has its latest votes. To be called
    /// after all records are added.
    pub fn keep_last_records(&mut self) {
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

    /// Returns the number of documents in `group`.
    pub fn group_size(&self, group: &Group) -> u64 {
        let is_member = |document: &&Document| self.group(document) == group;
        self.documents.iter().filter(is_member).count() as u64
    }

    /// Returns the number of judged documents.
    pub fn judged(&self, judgements: &Judgements) -> usize {
        let is_judged = |document: &&Document| judgements.verdict(document.key).is_some();
        self.documents.iter().filter(is_judged).count()
    }

    /// Draws documents of each group, in the order of their numbers.
    ///
    /// The rejected documents are ordered by host and by period before they are drawn, so that each
    /// host and each period has its share (implicit stratification); the documents of other groups
    /// are drawn over the course of the crawl. The draw of a group depends on `seed` and the group
    /// alone.
    pub fn draw(&self, shares: &SampleShares, seed: u64) -> Vec<ChosenRecord<'_>> {
        let mut drawn = Vec::new();
        for (group, mut members) in self.members() {
            let share = match group {
                Group::Judged(_) => shares.groups,
                Group::Undoubted => shares.undoubted,
                Group::Rejected => shares.rejected,
            };
            if *group == Group::Rejected {
                members.sort_by_key(|&(place, document)| {
                    (document.host, self.period(place, document), document.number)
                });
            }
            let mut random = Random::for_purpose(seed, &["sample", group.name()]);
            let size = sample_size(share, members.len());
            let positions = draw_positions(members.len(), size, &mut random);
            drawn.extend(positions.into_iter().map(|position| ChosenRecord {
                number: members[position].1.number,
                group,
                size: members.len() as u64,
            }));
        }
        drawn.sort_unstable_by_key(|chosen| chosen.number);
        drawn
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
                let group = self.group(document);
                let is_accepted = is_accepted.get(group).is_some_and(|&accepted| accepted);
                AcceptanceRule::keeps_document(group, is_accepted, judgements.verdict(document.key))
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

    /// Returns the numbers of rejected documents by period, from 0, and by host.
    pub(crate) fn rejected_tallies(
        &self,
        judgements: &Judgements,
    ) -> (Vec<GroupTally>, BTreeMap<&str, GroupTally>) {
        let mut periods = vec![GroupTally::default(); PERIODS as usize];
        let mut hosts: BTreeMap<&str, GroupTally> = BTreeMap::new();
        for (place, document) in self.documents.iter().enumerate() {
            if *self.group(document) == Group::Rejected {
                let verdict = judgements.verdict(document.key);
                periods[self.period(place, document) as usize].add_document(verdict);
                let host = self.hosts.values[document.host as usize].as_str();
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

    fn group(&self, document: &Document) -> &Group {
        &self.groups.values[document.group as usize]
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
    use super::{Population, SampleShares};
    use crate::group::Grouping;
    use crate::judgements::Judgements;
    use crate::rule::AcceptanceRule;
    use forage_record::Record;
    use forage_run::Event;

    const RULE: AcceptanceRule = AcceptanceRule { limit: 0.75 };
    const SHARES: SampleShares = SampleShares {
        groups: 0.2,
        undoubted: 0.0,
        rejected: 0.0,
    };

    fn population(records: impl IntoIterator<Item = String>) -> Population {
        let mut population = Population::new(Grouping::by_field("topic.metrics").unwrap());
        for (number, json) in records.into_iter().enumerate() {
            let record = Record::parse(json.into_bytes()).unwrap();
            population
                .add_record(number as u64, &Event::from_record(&record))
                .unwrap();
        }
        population.keep_last_records();
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
        let drawn = population.draw(&SHARES, 1);
        let of_group = |name: &str| drawn.iter().filter(|c| c.group.name() == name).count();
        assert_eq!([of_group("vsm"), of_group("passage")], [20, 20]);
        assert_eq!(drawn.len(), 40);
        assert!(drawn.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert_eq!(drawn, population.draw(&SHARES, 1));
        assert_ne!(drawn, population.draw(&SHARES, 2));
    }

    #[test]
    fn rejected_documents_are_drawn_from_each_host_and_period() {
        let step = |id: usize| format!(r#","step":{{"number":{},"target":"t"}}"#, id / 10 + 1);
        let population = population((0..300).map(|id| record(id, "", &step(id))));
        let shares = SampleShares {
            rejected: 0.2,
            ..SHARES
        };
        let drawn = population.draw(&shares, 7);
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
