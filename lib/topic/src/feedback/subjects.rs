//! The subjects of the samples of a run.
//!
//! Samples of one subject are often no more similar than those of two, but their queries become so:
//! an expanded query moves towards the articles of its subject, and away from those of others.

use super::rocchio::{Subject, TrainingVectors, rank};
use super::vectors::normalise_length;

/// Smallest cosine of the expanded queries of two samples of one subject (BENCHMARKS.md, "Samples
/// of two subjects").
const MIN_SIMILARITY: f64 = -0.05;

/// Maximum number of subjects. Set by judgement, so that the cost of a step is bounded.
const MAX_SUBJECTS: usize = 16;

impl TrainingVectors {
    /// Returns the subjects of the samples: those whose expanded queries are similar have one, as
    /// do those that are similar to a third.
    pub(super) fn subjects(&self) -> Vec<Subject> {
        let single = self.divide_samples();
        if single.len() < 2 {
            return single;
        }
        let expand = |subject: &Subject| normalise_length(self.expand_query(subject));
        let queries: Vec<Vec<f64>> = single.iter().map(expand).collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (number, query) in queries.iter().enumerate() {
            let is_similar = |other: &usize| dot(query, &queries[*other]) >= MIN_SIMILARITY;
            let has_similar = |group: &Vec<usize>| group.iter().any(is_similar);
            let (similar, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(has_similar);
            groups = others;
            groups.push(similar.into_iter().flatten().chain([number]).collect());
        }
        let samples_of = |group: Vec<usize>| {
            let samples = group.iter().flat_map(|number| &single[*number].samples);
            samples.copied().collect()
        };
        let groups = groups.into_iter();
        groups
            .map(|group| self.subject(samples_of(group)))
            .collect()
    }

    /// Returns a subject for each of the first [`MAX_SUBJECTS`] samples; the others belong to that
    /// of the nearest of these.
    fn divide_samples(&self) -> Vec<Subject> {
        let samples: Vec<usize> = self.positions(true).collect();
        let (first, others) = samples.split_at(samples.len().min(MAX_SUBJECTS));
        let queries: Vec<Vec<f64>> = first
            .iter()
            .map(|sample| self.centroid(&[*sample]))
            .collect();
        let mut groups: Vec<Vec<usize>> = first.iter().map(|sample| vec![*sample]).collect();
        for sample in others {
            let similarity = |query: &Vec<f64>| self.vectors[*sample].dot(query);
            let similarities: Vec<f64> = queries.iter().map(similarity).collect();
            let nearest = rank((0..groups.len()).collect(), &similarities);
            groups[nearest[0]].push(*sample);
        }
        let groups = groups.into_iter();
        groups.map(|samples| self.subject(samples)).collect()
    }

    fn subject(&self, samples: Vec<usize>) -> Subject {
        Subject {
            mean: normalise_length(self.centroid(&samples)),
            samples,
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
