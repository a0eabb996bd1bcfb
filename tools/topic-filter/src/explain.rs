//! The text of `--explain`: the phrases that a document and a sample have in common.

use crate::args::Args;
use crate::sample_file::read_given_samples;
use crate::samples::TopicJudge;
use forage_cli::{Io, Output, Stage};
use forage_record::{BadField, Record, field};
use forage_topic::samples::{Sample, SampleSet, article_id, read_keyphrases};
use forage_topic::similarity::{ArticleComparison, KeyphraseVector, PhraseMatch};

/// Writes the explanation of each record of the input.
pub(crate) fn run(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let judge = TopicJudge::new(args);
    let samples = read_given_samples(args, io)?;
    io.run_stage(&args.input, &mut ExplanationStage { judge, samples })
}

/// Writes one paragraph per record.
struct ExplanationStage {
    judge: TopicJudge,
    samples: SampleSet,
}

impl Stage for ExplanationStage {
    fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()> {
        // A URL tells more than an id, which is usually a hash.
        let url = record.string(field::URL).ok().flatten();
        let id = || article_id(&record).ok().flatten();
        let name = url.map(String::from).or_else(id);
        let name = clean(name.as_deref().unwrap_or("(no id)"));
        match self.explain_record(&record) {
            Ok(lines) => {
                out.write_line(&format!("{name}: {}", lines[0]));
                lines[1..].iter().for_each(|line| out.write_line(line));
            }
            Err(e) => out.write_line(&format!("{name}: {}", clean(&e.to_string()))),
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

impl ExplanationStage {
    /// Returns the judgement of a record, and a line for each match.
    fn explain_record(&self, record: &Record) -> Result<Vec<String>, BadField> {
        let Some(article) = read_keyphrases(record)? else {
            return Ok(vec!["not judged: has no `keywords`".into()]);
        };
        let Some((sample, score)) = self.judge.sample_for(&self.samples, record, &article)? else {
            return Ok(vec!["not judged: there is no sample".into()]);
        };
        let judgement = format!(
            "{}: {} {score:.4}, threshold {}, sample {}",
            self.judge.label(sample, score),
            self.judge.measure,
            self.judge.threshold(sample),
            clean(sample.id.as_deref().unwrap_or("(no id)")),
        );
        let matches = self.explain_matches(sample, &article);
        Ok(std::iter::once(judgement).chain(matches).collect())
    }

    /// Returns a line for each match, in descending order of contributions.
    fn explain_matches(&self, sample: &Sample, article: &KeyphraseVector) -> Vec<String> {
        let measure = self.judge.measure;
        let comparison = ArticleComparison::new(&sample.keyphrases, article);
        let mut matches: Vec<(f64, PhraseMatch)> = measure
            .matches(&comparison)
            .into_iter()
            .map(|pair| (measure.contribution(&comparison, &pair), pair))
            .collect();
        // The sort is stable: equal contributions stay in the order of the comparison.
        matches.sort_by(|a, b| b.0.total_cmp(&a.0));
        matches
            .iter()
            .map(|(contribution, pair)| {
                let phrases = describe_phrases(sample, article, pair);
                format!("  {contribution:.4}  {phrases}")
            })
            .collect()
    }
}

/// Returns the phrases of a match: one if both are spelt alike, the sample's first otherwise.
fn describe_phrases(sample: &Sample, article: &KeyphraseVector, pair: &PhraseMatch) -> String {
    let in_sample = &sample.keyphrases.keyphrases()[pair.in_sample];
    let in_article = &article.keyphrases()[pair.in_article];
    let [q, i] = [in_sample, in_article].map(|keyphrase| clean(&keyphrase.phrase));
    if in_sample.key != in_article.key {
        format!("{q} ~ {i} ({:.2})", pair.resemblance)
    } else if q == i {
        q
    } else {
        format!("{q} = {i}")
    }
}

/// Replaces control characters, which a page may contain and a terminal interprets.
fn clean(text: &str) -> String {
    text.replace(char::is_control, " ")
}
