//! The groups of documents by target: by the class that they are judged for, and by how near they
//! are to the threshold of the filter.
//!
//! A document with the label of a target is judged for this class, whatever its step looked for. A
//! rejected one is judged for the target that the filter found most probable, else for that of its
//! step. The filter errs most near its threshold, so the documents there are a group of their own,
//! of which a greater share is judged; the groups are put together again by their sizes.

use crate::group::Group;
use forage_record::{LangId, Topic, field};
use forage_run::Event;
use indexmap::IndexSet;
use std::collections::BTreeMap;

/// The share of accepted, and of rejected documents of a subject, that count as near the threshold.
const NEAR_SHARE: f64 = 0.25;
/// Languages that are kept of each document, at most as many as `langid` writes.
const MAX_RIVALS: usize = 5;
/// The index of no class.
const NONE: u32 = u32::MAX;

/// What is kept of a document to find its group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    label: u32,
    /// The class that the step looked for.
    sought: u32,
    /// The languages of `langid`, the most probable first.
    rivals: [u32; MAX_RIVALS],
    /// The margin of the language, or the score of the topic; NaN if there is none.
    score: f32,
    /// True if `score` is that of a topic, by which rejected documents are near the threshold, too.
    has_topic: bool,
}

/// The classes of all documents, by the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    names: IndexSet<String>,
    /// The classes that steps looked for, by index.
    sought: Vec<u32>,
}

impl Classes {
    /// Notes the position of a document whose class is `label`.
    pub(crate) fn position_of(&mut self, event: &Event, label: Option<&str>) -> Position {
        let record = event.record();
        let langid: Option<LangId> = record.view(field::LANGID).ok().flatten();
        let topic: Option<Topic> = record.view(field::TOPIC).ok().flatten();
        let topic_score = topic.and_then(|topic| topic.score);
        let margin = langid.as_ref().map(|langid| langid.margin);
        let mut rivals = [NONE; MAX_RIVALS];
        let top = langid.iter().flat_map(|langid| &langid.top);
        for (rival, language) in rivals.iter_mut().zip(top) {
            *rival = self.number_of(&language.code);
        }
        let sought = match event.target() {
            "" => NONE,
            target => self.number_of(target),
        };
        if sought != NONE && !self.sought.contains(&sought) {
            self.sought.push(sought);
        }
        Position {
            label: label.map_or(NONE, |label| self.number_of(label)),
            sought,
            rivals,
            score: topic_score
                .or(margin)
                .map_or(f32::NAN, |score| score as f32),
            has_topic: topic_score.is_some(),
        }
    }

    /// Returns the number of a class, which is added if it is new.
    fn number_of(&mut self, name: &str) -> u32 {
        self.names.insert_full(name.to_owned()).0 as u32
    }

    /// Returns `true` for the targets: the classes that steps looked for or, if there are no steps,
    /// all classes.
    fn is_target(&self, class: u32) -> bool {
        class != NONE && (self.sought.is_empty() || self.sought.contains(&class))
    }

    /// Returns the class that a document is judged for, and whether the filter has accepted it.
    fn target_of(&self, position: &Position) -> (u32, bool) {
        if self.is_target(position.label) {
            return (position.label, true);
        }
        let rival = position.rivals.into_iter().find(|&r| self.is_target(r));
        (rival.unwrap_or(position.sought), false)
    }

    /// Returns the class that a document is judged for, if there is one.
    pub(crate) fn target_name(&self, position: &Position) -> Option<&str> {
        let (target, _) = self.target_of(position);
        self.names.get_index(target as usize).map(String::as_str)
    }

    /// Returns the groups of documents.
    pub(crate) fn groups(&self, positions: &[Position]) -> Vec<Group> {
        let mut scores: BTreeMap<(u32, bool), Vec<f32>> = BTreeMap::new();
        for position in positions.iter().filter(|position| !position.score.is_nan()) {
            let part @ (_, is_accepted) = self.target_of(position);
            if is_accepted || position.has_topic {
                scores
                    .entry(part)
                    .or_default()
                    .push(self.distance_of(position));
            }
        }
        let limits: BTreeMap<(u32, bool), f32> = scores
            .into_iter()
            .map(|(part, distances)| (part, near_limit(distances)))
            .collect();
        let group_of = |position: &Position| {
            let part @ (target, is_accepted) = self.target_of(position);
            let is_near = if is_accepted || position.has_topic {
                let limit = limits.get(&part);
                limit.is_some_and(|&limit| self.distance_of(position) <= limit)
            } else {
                position.rivals.contains(&target) && target != NONE
            };
            let class = self.names.get_index(target as usize);
            let class = class.map_or("none", String::as_str);
            let near = if is_near { "/near" } else { "" };
            let name = format!("{class}{near}");
            match is_accepted {
                true => Group::Judged(name),
                false => Group::rejected_for(&name),
            }
        };
        positions.iter().map(group_of).collect()
    }

    /// Returns a measure of how far a document is from the threshold.
    fn distance_of(&self, position: &Position) -> f32 {
        let (_, is_accepted) = self.target_of(position);
        if is_accepted {
            position.score
        } else {
            -position.score
        }
    }
}

/// Returns the distance up to which documents are near the threshold. Those with the greatest
/// distance never are, even if they are most of all.
fn near_limit(mut distances: Vec<f32>) -> f32 {
    distances.sort_unstable_by(f32::total_cmp);
    let near = (distances.len() as f64 * NEAR_SHARE).ceil() as usize;
    let limit = near.checked_sub(1).map(|last| distances[last]);
    let less = distances.partition_point(|distance| Some(distance) < distances.last());
    let last_less = less.checked_sub(1).map(|last| distances[last]);
    match (limit, last_less) {
        (Some(limit), Some(last_less)) => limit.min(last_less),
        _ => f32::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::Classes;
    use forage_record::Record;
    use forage_run::Event;

    /// The groups of documents of a run that looks for `slv` and `hrv`, or of a file.
    fn groups_of(documents: &[String]) -> Vec<String> {
        let mut classes = Classes::default();
        let positions: Vec<_> = documents
            .iter()
            .map(|json| {
                let record = Record::parse(json.clone().into_bytes()).unwrap();
                let event = Event::from_record(&record);
                classes.position_of(&event, event.label.as_deref())
            })
            .collect();
        let groups = classes.groups(&positions);
        groups.iter().map(|group| group.name().to_owned()).collect()
    }

    fn language(target: &str, label: &str, margin: f64, top: &[&str]) -> String {
        let top: Vec<String> = top
            .iter()
            .map(|code| format!(r#"["{code}",0.5]"#))
            .collect();
        let top = top.join(",");
        format!(
            r#"{{"text":"x","step":{{"number":1,"target":"{target}"}},"label":"{label}",
            "langid":{{"code":"{label}","score":0.9,"margin":{margin},"top":[{top}]}}}}"#
        )
    }

    #[test]
    fn a_document_is_judged_for_its_own_target() {
        let groups = groups_of(&[
            language("slv", "slv", 0.5, &["slv", "hrv"]),
            language("slv", "hrv", 0.5, &["hrv", "slv"]),
            language("hrv", "bos", 0.5, &["bos", "srp", "slv", "hrv"]),
            language("hrv", "eng", 0.9, &["eng", "sco"]),
            language("slv", "und", 0.0, &[]),
        ]);
        let expected = [
            "slv",
            "hrv",
            "rejected/slv/near",
            "rejected/hrv",
            "rejected/slv",
        ];
        assert_eq!(groups, expected);
    }

    #[test]
    fn a_quarter_of_the_accepted_documents_is_near_the_threshold() {
        let margins = [0.9, 0.1, 0.5, 0.2, 0.8, 0.7, 1.0, 1.0];
        let groups = groups_of(&margins.map(|margin| language("slv", "slv", margin, &["slv"])));
        let near: Vec<_> = (0..8).filter(|&n| groups[n] == "slv/near").collect();
        assert_eq!(near, [1, 3]);
        let margins = [1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0];
        let groups = groups_of(&margins.map(|margin| language("slv", "slv", margin, &["slv"])));
        assert_eq!(
            groups.iter().filter(|group| *group == "slv/near").count(),
            1
        );
    }

    #[test]
    fn documents_of_a_subject_are_near_by_their_scores() {
        let document = |label: &str, score: f64| {
            format!(
                r#"{{"text":"x","step":{{"number":1,"target":"on-topic"}},"label":"{label}",
                "topic":{{"score":{score}}}}}"#
            )
        };
        let accepted = [0.9, 0.6, 0.8, 0.7].map(|score| document("on-topic", score));
        let rejected = [0.1, 0.3, 0.4, 0.2].map(|score| document("off-topic", score));
        let groups = groups_of(&[accepted, rejected].concat());
        assert_eq!(groups[1], "on-topic/near");
        assert_eq!(groups[6], "rejected/on-topic/near");
        let near = groups.iter().filter(|group| group.ends_with("/near"));
        assert_eq!(near.count(), 2);
    }

    #[test]
    fn margins_and_scores_are_not_compared() {
        // The second filter judges documents in English only; others have no score of the topic.
        let step = r#""step":{"number":1,"target":"on-topic"}"#;
        let mut documents = vec![language("on-topic", "deu", 0.0, &["deu"]); 9];
        documents.extend([0.3, 0.2, 0.1, 0.1].map(|score| {
            format!(r#"{{"text":"x",{step},"label":"off-topic","topic":{{"score":{score}}}}}"#)
        }));
        let groups = groups_of(&documents);
        let near: Vec<_> = (0..13).filter(|&n| groups[n].ends_with("/near")).collect();
        assert_eq!(near, [9]);
    }

    #[test]
    fn without_steps_each_label_is_a_target() {
        let document = |label: &str| format!(r#"{{"text":"x","label":"{label}"}}"#);
        let documents = [document("a"), document("b"), r#"{"text":"x"}"#.into()];
        assert_eq!(groups_of(&documents), ["a", "b", "rejected/none"]);
    }
}
