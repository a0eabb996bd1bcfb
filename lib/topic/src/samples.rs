//! Sample articles, with which other articles are compared.

use crate::similarity::{KeyphraseVector, SimilarityMeasure, default_threshold};
use forage_record::{BadField, Keyphrase, Record, field};
use serde::Deserialize;
use std::collections::HashMap;

/// Decimals of a similarity. More would not be significant, and the rounding errors of an article
/// that is exactly at the threshold would decide about it.
const DECIMALS: f64 = 1e9;

/// An article whose subject is the topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The `id` of its record, or else its URL; `None` if it has neither.
    pub id: Option<String>,
    /// Its keyphrases.
    pub keyphrases: KeyphraseVector,
    /// The default threshold of its language.
    pub default_threshold: f64,
}

/// The reason why a record cannot be a sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The record has no keyphrases.
    #[error("has no `keywords`; pass the sample articles through the tool `keywords` first")]
    NoKeywords,
    /// A field has the wrong type.
    #[error(transparent)]
    BadField(#[from] BadField),
}

/// The part of `langid` that is needed, which may be all that a user wrote.
#[derive(Deserialize)]
struct Language {
    code: Option<String>,
}

impl Sample {
    /// Creates a sample from the record of an article.
    ///
    /// # Errors
    /// Fails if the record has no `keywords`, or a field of the wrong type.
    pub fn from_record(record: &Record) -> Result<Sample, SampleError> {
        let keyphrases = read_keyphrases(record)?.ok_or(SampleError::NoKeywords)?;
        let language: Option<Language> = record.view(field::LANGID)?;
        let code = language
            .as_ref()
            .and_then(|language| language.code.as_deref());
        Ok(Sample {
            id: article_id(record)?,
            default_threshold: default_threshold(code, &keyphrases),
            keyphrases,
        })
    }

    /// Returns the similarity of an article to this sample, rounded to nine decimals.
    pub fn similarity(&self, measure: SimilarityMeasure, article: &KeyphraseVector) -> f64 {
        round_similarity(measure.compare(&self.keyphrases, article))
    }
}

/// Returns a similarity rounded to nine decimals, as it is written and compared with the threshold.
pub fn round_similarity(similarity: f64) -> f64 {
    // A value that is so large that the product is infinite has no decimals.
    let rounded = (similarity * DECIMALS).round() / DECIMALS;
    if rounded.is_finite() {
        rounded
    } else {
        similarity
    }
}

/// Returns the keyphrases of a record; `None` if it has no `keywords`.
///
/// # Errors
/// Fails if `keywords` has the wrong type.
pub fn read_keyphrases(record: &Record) -> Result<Option<KeyphraseVector>, BadField> {
    let keyphrases: Option<Vec<Keyphrase>> = record.get(field::KEYWORDS)?;
    Ok(keyphrases.map(KeyphraseVector::new))
}

/// Returns the name by which an article is referred to: its `id`, or else its `url`; `None` if it
/// has neither.
///
/// # Errors
/// Fails if `url` is needed, and is not a string.
pub fn article_id(record: &Record) -> Result<Option<String>, BadField> {
    let id = match record.id() {
        None => record.string(field::URL)?,
        id => id,
    };
    Ok(id.map(|id| id.into_owned()))
}

/// Several sample articles.
#[derive(Debug, Default)]
pub struct SampleSet {
    samples: Vec<Sample>,
    /// The first sample with each id.
    by_id: HashMap<String, usize>,
}

impl SampleSet {
    /// Creates a set of samples.
    pub fn new(samples: Vec<Sample>) -> SampleSet {
        let mut by_id = HashMap::new();
        for (number, sample) in samples.iter().enumerate() {
            if let Some(id) = &sample.id {
                by_id.entry(id.clone()).or_insert(number);
            }
        }
        SampleSet { samples, by_id }
    }

    /// Returns the first sample with this id.
    pub fn with_id(&self, id: &str) -> Option<&Sample> {
        self.by_id.get(id).map(|number| &self.samples[*number])
    }

    /// Returns the sample that an article is most similar to, the first of several, and the
    /// similarity; `None` if the set is empty.
    pub fn nearest(
        &self,
        measure: SimilarityMeasure,
        article: &KeyphraseVector,
    ) -> Option<(&Sample, f64)> {
        let mut nearest: Option<(&Sample, f64)> = None;
        for sample in &self.samples {
            let score = sample.similarity(measure, article);
            if nearest.is_none_or(|(_, highest)| score > highest) {
                nearest = Some((sample, score));
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, SampleError, SampleSet, read_keyphrases, round_similarity};
    use crate::similarity::SimilarityMeasure;
    use forage_record::Record;

    fn record(json: &str) -> Record {
        Record::parse(json.into()).unwrap()
    }

    fn sample(id: &str, phrase: &str) -> Sample {
        let json = format!(r#"{{"id":"{id}","keywords":[["{phrase}",1]]}}"#);
        Sample::from_record(&record(&json)).unwrap()
    }

    #[test]
    fn the_name_of_a_sample_is_its_id_or_else_its_url() {
        let id = |json: &str| Sample::from_record(&record(json)).unwrap().id;
        let both = r#"{"id":"a","url":"http://a.test/","keywords":[]}"#;
        assert_eq!(id(both).as_deref(), Some("a"));
        let url = r#"{"url":"http://a.test/","keywords":[]}"#;
        assert_eq!(id(url).as_deref(), Some("http://a.test/"));
        assert_eq!(id(r#"{"keywords":[]}"#), None);
    }

    #[test]
    fn a_record_without_keywords_or_with_bad_ones_is_no_sample() {
        let error = |json: &str| Sample::from_record(&record(json)).unwrap_err();
        assert!(matches!(error(r#"{"text":"x"}"#), SampleError::NoKeywords));
        let bad = error(r#"{"keywords":[[1,2]]}"#);
        assert!(matches!(bad, SampleError::BadField(_)));
    }

    #[test]
    fn the_nearest_sample_is_the_first_of_the_most_similar_ones() {
        let measure = SimilarityMeasure::PartialCosine;
        let set = SampleSet::new(vec![
            sample("a", "tuba"),
            sample("b", "mako"),
            sample("c", "mako"),
        ]);
        let article = read_keyphrases(&record(r#"{"keywords":[["mako",2]]}"#))
            .unwrap()
            .unwrap();
        let (nearest, score) = set.nearest(measure, &article).unwrap();
        assert_eq!((nearest.id.as_deref(), score), (Some("b"), 1.0));
        assert_eq!(set.with_id("c").and_then(|c| c.id.as_deref()), Some("c"));
        assert!(SampleSet::default().nearest(measure, &article).is_none());
    }

    #[test]
    fn rounding_keeps_large_values() {
        assert_eq!(round_similarity(0.1 + 0.2), 0.3);
        assert_eq!(round_similarity(1e305), 1e305);
    }
}
