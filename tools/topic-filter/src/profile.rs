//! `--profile`: judgement by several metrics that compare a document with a topic profile.

use crate::args::{Args, Selection};
use crate::rebuild::rebuild_file;
use crate::state_files::{SiteState, TopicLabels};
use anyhow::Context;
use forage_cli::{CommitOrder, Io, Output, Stage, Tool, absorb_bad_field};
use forage_record::{BadField, Record, Step, Topic, field};
use forage_run::{Event, StepProjection, final_url};
use forage_topic::profile::{
    CoreFit, Metric, MetricScores, ProfileScorer, ThresholdFactors, Thresholds, TopicProfile,
    Votes, fit_printed_thresholds,
};
use forage_topic::samples::round_similarity;
use std::fs;
use std::path::Path;

/// Judges the records of the input, or writes the thresholds.
pub(crate) fn run(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    let file = fs::read(path).with_context(|| path.display().to_string())?;
    let profile = TopicProfile::parse(&file)
        .map_err(|e| anyhow::anyhow!(e.in_file(&path.display().to_string())))?;
    let mut scorer = match args.paper {
        true => ProfileScorer::by_frequencies(&profile),
        false => ProfileScorer::new(&profile),
    };
    let rule = match (&args.metrics.thresholds, &args.fit) {
        (Some(thresholds), _) => VotingRule::Given(*thresholds),
        (None, Some(core)) => {
            let scores = scores_of_core(args, core, &mut scorer, io)?;
            match args.paper {
                true => VotingRule::Given(fit_printed_thresholds(&scores, args.metrics.recognise)),
                false => VotingRule::Fitted(CoreFit::new(&scores, args.metrics.recognise)),
            }
        }
        (None, None) => anyhow::bail!("--profile requires --thresholds or --fit"),
    };
    if let Some(journal) = &args.step.rebuild {
        return rebuild(args, journal, &rule, io);
    }
    // A crawl reports this once, not in each step.
    if let VotingRule::Fitted(fit) = &rule
        && !args.step.is_step()
    {
        let (thresholds, correlations) = (fit.thresholds, fit.describe_correlations());
        io.messages
            .info(format_args!("fitted thresholds: {thresholds}"));
        io.messages.info(format_args!(
            "correlation of votes in the core: {correlations}"
        ));
    }
    if args.print_thresholds {
        io.out.write_line(&rule.thresholds().to_string());
        return Ok(());
    }
    let sites = match &args.state {
        Some(state) => SiteState::open(state, args.metrics.directory)?,
        None => SiteState::in_memory(args.metrics.directory)?,
    };
    let mut sites = configure(sites, &rule, args);
    if let Some(step) = args.step.from_step {
        sites.remove_from(step)?;
        sites.commit()?;
    }
    let mut stage = ProfileStage {
        judge: ProfileJudge {
            scorer,
            rule,
            scores_links: !args.paper,
        },
        labels: args.labels.clone(),
        sites,
        selection: args.selection(),
        is_step: args.step.is_step(),
        looks_back: args.paper,
    };
    io.run_stage(&args.input, &mut stage)
}

/// Rebuilds the state from a journal.
fn rebuild(args: &Args, journal: &Path, rule: &VotingRule, io: &mut Io) -> anyhow::Result<()> {
    let path = args.state.as_deref();
    let path = path.context("--rebuild: with --profile, requires --state")?;
    let configure = |sites: SiteState| configure(sites, rule, args);
    let open = || SiteState::open(path, args.metrics.directory).map(configure);
    let open_empty = || SiteState::open_empty(path, args.metrics.directory).map(configure);
    rebuild_file(args, (path, journal), io, open, open_empty)
}

/// Returns the state with the rules by which it counts pages.
fn configure(sites: SiteState, rule: &VotingRule, args: &Args) -> SiteState {
    match rule {
        VotingRule::Given(_) if args.paper => sites.with_printed_rule(),
        VotingRule::Given(_) => sites,
        VotingRule::Fitted(fit) => sites.with_core(fit.clone(), &args.labels.accepted),
    }
}

/// Returns the scores of the documents of a core. A record without a text that has the scores of an
/// earlier run is taken by them.
fn scores_of_core(
    args: &Args,
    core: &Path,
    scorer: &mut ProfileScorer,
    io: &mut Io,
) -> anyhow::Result<Vec<MetricScores>> {
    let mut scores = Vec::new();
    io.for_each_record(&args.input.with_file(core), |record| {
        if let Ok(Some(text)) = record.text() {
            scores.push(scorer.score(&text).rounded());
        } else if let Ok(Some(topic)) = record.view::<Topic>(field::TOPIC)
            && !topic.scores.is_empty()
        {
            let known = |name: &str| topic.scores.get(name).copied();
            scores.push(MetricScores::from_named(known));
        }
        Ok(())
    })?;
    let name = core.display();
    anyhow::ensure!(!scores.is_empty(), "{name}: has no document with `text`");
    Ok(scores)
}

/// The rule by which values become votes.
enum VotingRule {
    /// By given thresholds, as in the paper: two votes are enough, and nothing changes them.
    Given(Thresholds),
    /// By what a core says of the metrics, and the judged pages of the background.
    Fitted(CoreFit),
}

impl VotingRule {
    fn thresholds(&self) -> &Thresholds {
        match self {
            VotingRule::Given(thresholds) => thresholds,
            VotingRule::Fitted(fit) => &fit.thresholds,
        }
    }

    /// Returns the votes by the thresholds times the factors of a host.
    fn votes(&self, scores: &MetricScores, factors: ThresholdFactors) -> Votes {
        match self {
            VotingRule::Given(thresholds) => thresholds.votes(scores),
            VotingRule::Fitted(fit) => fit.votes(scores, factors),
        }
    }
}

/// Compares documents with a profile.
struct ProfileJudge {
    scorer: ProfileScorer,
    rule: VotingRule,
    /// Whether a page of links is as good a parent as their texts are.
    scores_links: bool,
}

impl ProfileJudge {
    /// Returns the scores of a document; `None` if the record has no text.
    fn score(&mut self, record: &Record) -> Result<Option<MetricScores>, BadField> {
        let text = record.text()?;
        Ok(text.map(|text| self.scorer.score(&text).rounded()))
    }

    /// Returns the score of a document for a frontier: the cosine of its text, or that of the texts
    /// of its links if it is greater, over the threshold times `factor`, if that raises it. Links
    /// of a host are followed no earlier because nothing else on the host is near the subject.
    fn topic_score(&mut self, record: &Record, vsm: f64, factor: f64) -> f64 {
        let of_links = match self.scores_links {
            true => self.link_cosine(record),
            false => None,
        };
        let cosine = vsm.max(of_links.unwrap_or_default());
        let threshold = self.rule.thresholds().vsm * factor.max(1.0);
        let threshold = threshold.max(f64::MIN_POSITIVE);
        round_similarity((cosine / threshold).min(MAX_TOPIC_SCORE))
    }

    /// Returns the cosine of the texts of a document's links with the terms; `None` if they are
    /// shorter than the text of the document.
    ///
    /// A page that is mostly links, such as a table of contents, may have little main text. It is
    /// as good a parent of its links as their texts are.
    fn link_cosine(&mut self, record: &Record) -> Option<f64> {
        let length = record.text().ok()??.len();
        let link_text = link_text(record)?;
        (link_text.len() > length).then(|| self.scorer.score(&link_text).rounded().vsm)
    }
}

/// Returns the texts of a document's links, one per line; `None` if it has no links that can be
/// read. Those that cannot be read are reported by the frontier.
fn link_text(record: &Record) -> Option<String> {
    let links = record.out_links().ok()??;
    let texts: Vec<&str> = links.iter().map(|link| &*link.text).collect();
    Some(texts.join("\n"))
}

/// Greatest topic score, so that one with a threshold of nearly 0 is a number that every JSON
/// reader accepts.
const MAX_TOPIC_SCORE: f64 = 1e6;

/// Judges records in their order.
struct ProfileStage {
    judge: ProfileJudge,
    labels: TopicLabels,
    sites: SiteState,
    selection: Selection,
    /// True if the input is a step of a pipeline, which is repeated if it is interrupted.
    is_step: bool,
    /// Whether the rejected pages of a directory that turns out to be relevant are accepted.
    looks_back: bool,
}

impl Stage for ProfileStage {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if self.selection.includes(&record) {
            let annotated = self.annotate(&mut record);
            annotated.or_else(|e| absorb_bad_field(e, &mut record, Args::NAME))?;
        }
        let event = Event::from_record(&record);
        self.sites.apply_event(&event)?;
        if let Some(step) = event.step.as_ref().filter(|step| step.is_last()) {
            self.write_looked_back(step, out)?;
        }
        out.write_record(&record);
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.sites.commit()?)
    }

    fn commit_order(&self) -> CommitOrder {
        forage_step::commit_order(self.is_step)
    }

    fn close(&mut self) -> anyhow::Result<()> {
        Ok(self.sites.merge_wal()?)
    }
}

impl ProfileStage {
    /// Writes the rejected pages of the directories that a step has found to be relevant.
    fn write_looked_back(&mut self, step: &Step, out: &mut Output) -> anyhow::Result<()> {
        if !self.looks_back {
            return Ok(());
        }
        for mut record in self.sites.look_back(step)? {
            let mut topic: Topic = record.view(field::TOPIC)?.unwrap_or_default();
            topic.metrics = Some(vec![Metric::Directory.name().into()]);
            record.set(field::TOPIC, &topic);
            record.set(field::LABEL, &self.labels.accepted);
            self.sites.apply_event(&Event::from_record(&record))?;
            out.write_record(&record);
        }
        Ok(())
    }

    /// Adds `topic` and `label` to a record. A [`BadField`] concerns this record only.
    fn annotate(&mut self, record: &mut Record) -> anyhow::Result<()> {
        let Some(scores) = self.judge.score(record)? else {
            return Ok(());
        };
        let url = final_url(record).unwrap_or_default();
        let (votes, factor) = self.vote(&scores, &url)?;
        let metrics = votes.metrics().map(Metric::name).map(String::from);
        let named = scores.named().into_iter();
        let score = self.judge.topic_score(record, scores.vsm, factor);
        let topic = Topic {
            score: Some(score),
            metrics: Some(metrics.collect()),
            threshold_factor: (factor != 1.0).then(|| round_similarity(factor)),
            scores: named.map(|(name, score)| (name.into(), score)).collect(),
            ..Topic::default()
        };
        record.set(field::TOPIC, &topic);
        record.set(field::LABEL, &self.labels.of(votes.is_recommended()));
        Ok(())
    }

    /// Returns the votes for a page, and the factor of the thresholds.
    fn vote(&mut self, scores: &MetricScores, url: &str) -> anyhow::Result<(Votes, f64)> {
        let factors = self.sites.factors(url)?;
        let mut votes = self.judge.rule.votes(scores, factors);
        if !votes.is_recommended() && self.sites.is_relevant(url)? {
            votes.add_directory();
        }
        Ok((votes, factors.vote))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge() -> ProfileJudge {
        let profile = TopicProfile::parse(b"# language: eng\nterm\tgraph\t9\nterm\ttree\t9\n");
        ProfileJudge {
            scorer: ProfileScorer::new(&profile.unwrap()),
            rule: VotingRule::Given("vsm=0.5,term=1,pair=1,triple=1".parse().unwrap()),
            scores_links: true,
        }
    }

    fn topic_score(json: &str, factor: f64) -> f64 {
        let record = Record::parse(json.into()).unwrap();
        let mut judge = judge();
        let vsm = judge.score(&record).unwrap().unwrap().vsm;
        judge.topic_score(&record, vsm, factor)
    }

    #[test]
    fn a_page_of_links_is_scored_by_their_texts() {
        let contents = r#"{"text":"Manual","links":[{"url":"a","text":"Graph"},{"url":"b"},{"url":"c","text":"Tree"}]}"#;
        assert_eq!(topic_score(contents, 1.0), 2.0);
        assert_eq!(topic_score(contents, 2.0), 1.0);
        assert_eq!(topic_score(contents, 0.5), 2.0);
    }

    #[test]
    fn a_page_of_text_is_scored_by_it() {
        let cooking = "Boil the water and add the onions";
        let menu = r#"[{"url":"a","text":"Graph"},{"url":"b","text":"Tree"}]"#;
        let page = format!(r#"{{"text":"{cooking}","links":{menu}}}"#);
        assert_eq!(topic_score(&page, 1.0), 0.0);
        let links = format!(r#"[{{"url":"a","text":"{cooking} {cooking}"}}]"#);
        let page = format!(r#"{{"text":"Graph tree","links":{links}}}"#);
        assert_eq!(topic_score(&page, 1.0), 2.0);
    }

    #[test]
    fn links_that_cannot_be_read_have_no_texts() {
        for links in [
            "null",
            "7",
            r#"[{"text":7}]"#,
            r#""Graph tree graph tree""#,
            "[]",
        ] {
            let page = format!(r#"{{"text":"Manual","links":{links}}}"#);
            assert_eq!(topic_score(&page, 1.0), 0.0, "{links}");
        }
    }
}
