//! The variable part of a profile: entries from the documents that a crawl has recommended last
//! (Kluev 2000, section 4, step 5).

use super::candidates::{CandidateEntry, ProfileSizes};
use super::core_statistics::CoreStatistics;
use super::entry::{EntryKind, ProfileEntry, TopicProfile};
use crate::general_words::GeneralText;
use forage_text::Random;
use std::collections::HashSet;

/// Size of the variable part in each class, relative to that of the permanent part (Kluev 2000).
const VARIABLE_SHARE: f64 = 0.3;

/// Factor of the weights in the vector space model (Kluev 2000: the damping factor).
const DAMPING: f64 = 0.2;

/// Entries that were drawn from recommended documents.
#[derive(Debug, Clone, PartialEq)]
pub struct VariablePart {
    /// The entries, class by class, those of a class in the order of their stems.
    pub entries: Vec<ProfileEntry>,
    /// Share of the terms that the documents would have as a core, up to the number of the
    /// permanent part, that are in the permanent part.
    pub shared_terms: f64,
}

impl CoreStatistics {
    /// Draws the variable part that these documents add to a profile.
    ///
    /// Of each class, entries are drawn at random from the middle of the frequency range, the two
    /// inner quartiles by count. Drawn are 30 % as many as the permanent part has, none that is in
    /// it, and only widespread ones (see [`CandidateEntry`]). Their weights are damped by 0.2.
    pub fn draw_variable_part(
        &self,
        permanent: &TopicProfile,
        general: &mut GeneralText,
        random: &mut Random,
    ) -> VariablePart {
        let candidates = self.rank_candidates(general);
        let entries = EntryKind::ALL.into_iter().flat_map(|kind| {
            let known: HashSet<&str> = stems_of_class(permanent, kind).collect();
            let size = (known.len() as f64 * VARIABLE_SHARE).round() as usize;
            let new = candidates.iter().filter(|candidate| {
                candidate.entry.kind == kind
                    && candidate.is_widespread
                    && !known.contains(&*candidate.entry.stems)
            });
            draw(inner_quartiles(new.collect()), size, random)
        });
        VariablePart {
            entries: entries.collect(),
            shared_terms: self.shared_terms(permanent, &candidates),
        }
    }

    fn shared_terms(&self, permanent: &TopicProfile, candidates: &[CandidateEntry]) -> f64 {
        let known: HashSet<&str> = stems_of_class(permanent, EntryKind::Term).collect();
        let sizes = ProfileSizes {
            terms: known.len(),
            pairs: 0,
            triples: 0,
        };
        let own = self.select(candidates, sizes);
        let shared = stems_of_class(&own, EntryKind::Term).filter(|stem| known.contains(stem));
        shared.count() as f64 / own.entries.len().max(1) as f64
    }
}

fn stems_of_class(profile: &TopicProfile, kind: EntryKind) -> impl Iterator<Item = &str> {
    profile.entries_of(kind).map(|entry| &*entry.stems)
}

/// Returns the candidates without the most and the least frequent quarter.
fn inner_quartiles(mut candidates: Vec<&CandidateEntry>) -> Vec<&CandidateEntry> {
    candidates.sort_by(|a, b| {
        let by_count = a.entry.count.total_cmp(&b.entry.count);
        by_count.then_with(|| a.entry.stems.cmp(&b.entry.stems))
    });
    let quarter = candidates.len() / 4;
    candidates[quarter..candidates.len() - quarter].to_vec()
}

/// Returns up to `size` of the candidates, each equally probable, in the order of their stems.
fn draw(
    mut candidates: Vec<&CandidateEntry>,
    size: usize,
    random: &mut Random,
) -> Vec<ProfileEntry> {
    let size = size.min(candidates.len());
    for place in 0..size {
        let left = (candidates.len() - place) as u64;
        candidates.swap(place, place + random.next_below(left) as usize);
    }
    candidates.truncate(size);
    candidates.sort_by(|a, b| a.entry.stems.cmp(&b.entry.stems));
    candidates.into_iter().map(damped_entry).collect()
}

fn damped_entry(candidate: &CandidateEntry) -> ProfileEntry {
    let weight = candidate.entry.vector_weight() * DAMPING;
    // With the precision of a file, so that it has the same weights.
    let weight = (weight * 1e4).round().max(1.0) / 1e4;
    ProfileEntry {
        weight: Some(weight),
        ..candidate.entry.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns documents with the words `waa`, `wab` …, of which number n occurs n + 1 times in
    /// each of three documents.
    fn documents(words: usize) -> CoreStatistics {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        let word = |number: usize| {
            let pair = [number / 26, number % 26].map(|n| &letters[n..=n]);
            format!("w{}q. ", pair.concat())
        };
        let text: String = (0..words).map(|n| word(n).repeat(n + 1)).collect();
        let mut core = CoreStatistics::new("eng".parse().unwrap());
        for host in ["a", "b", "c"] {
            core.add_document(host, &text);
        }
        core
    }

    fn draw_from(core: &CoreStatistics, permanent: &str, seed: u64) -> VariablePart {
        let permanent = TopicProfile::parse(permanent.as_bytes()).unwrap();
        let mut general = GeneralText::builtin("eng".parse().unwrap());
        let mut random = Random::for_purpose(seed, &["test"]);
        core.draw_variable_part(&permanent, &mut general, &mut random)
    }

    /// Returns a profile of ten terms, of which the documents have `waaq` and `wamq`.
    fn ten_terms() -> String {
        let stems = ["waaq", "wamq", "a", "b", "c", "d", "e", "f", "g", "h"];
        stems.map(|stem| format!("term\t{stem}\t1\n")).concat()
    }

    #[test]
    fn entries_come_from_the_middle_and_are_new() {
        let core = documents(26);
        let mut drawn = HashSet::new();
        for seed in 0..50 {
            let part = draw_from(&core, &ten_terms(), seed);
            assert_eq!(part.entries.len(), 3);
            for entry in part.entries {
                assert!((18.0..=63.0).contains(&entry.count), "{entry:?}");
                assert_ne!(entry.stems, "wamq");
                drawn.insert(entry.stems);
            }
        }
        assert_eq!(drawn.len(), 12, "{drawn:?}");
    }

    #[test]
    fn weights_are_damped() {
        let core = documents(26);
        let mut general = GeneralText::builtin("eng".parse().unwrap());
        let candidates = core.rank_candidates(&mut general);
        for entry in draw_from(&core, &ten_terms(), 1).entries {
            let own = candidates.iter().find(|c| c.entry.stems == entry.stems);
            let own = own.unwrap().entry.vector_weight();
            assert!((entry.vector_weight() - own * 0.2).abs() < 1e-4);
        }
    }

    #[test]
    fn the_draw_depends_on_the_seed_alone() {
        let core = documents(26);
        let part = draw_from(&core, &ten_terms(), 1);
        assert_eq!(part, draw_from(&core, &ten_terms(), 1));
        assert!((2..9).any(|seed| part != draw_from(&core, &ten_terms(), seed)));
    }

    #[test]
    fn shared_terms_are_a_share_of_the_terms_that_the_documents_would_have() {
        let all: String = (0..10)
            .map(|n| format!("term\twa{}q\t1\n", "qrstuvwxyz".split_at(n).1.split_at(1).0))
            .collect();
        assert_eq!(draw_from(&documents(26), &all, 1).shared_terms, 1.0);
        assert!(draw_from(&documents(26), &ten_terms(), 1).shared_terms < 0.3);
    }

    #[test]
    fn few_documents_have_few_entries() {
        assert_eq!(draw_from(&documents(2), &ten_terms(), 1).entries.len(), 1);
        let empty = CoreStatistics::new("eng".parse().unwrap());
        assert_eq!(draw_from(&empty, &ten_terms(), 1).entries, []);
    }
}
