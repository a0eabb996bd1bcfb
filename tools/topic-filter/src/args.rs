//! Arguments of `topic-filter`, and the text of its man page.

use forage_cli::{Input, Jobs, RecordOutput, Tool, Verbosity};
use forage_record::{Record, field};
use forage_step::StepArgs;
use forage_topic::profile::Thresholds;
use forage_topic::similarity::SimilarityMeasure;
use forage_topic_state::TopicLabels;
use std::path::PathBuf;

/// Judge whether each document is on a topic
///
/// The keyphrases of each document, which keywords adds, are compared with those of the sample
/// article that the query was made from (query.strategy.sample), or of the nearest sample if the
/// query names none. If the similarity is over the threshold, the document is on the topic.
///
/// No other corpus is needed: two articles are compared by their own keyphrases alone.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Sample articles: records with `keywords`
    ///
    /// A record without keywords is an error. With --state, they are compared before the samples
    /// of the state.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present_any = ["state_file", "profile"],
        conflicts_with_all = ["profile", "rebuild"]
    )]
    pub samples: Option<PathBuf>,

    /// State of a run: samples and rejected articles; created if missing
    ///
    /// See STATE.
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub state: Option<PathBuf>,

    /// Judge by relevance feedback instead; state of a run: all its articles
    ///
    /// See FEEDBACK. Requires --from-step, --rebuild or --final.
    #[arg(
        long,
        value_name = "FILE",
        group = "state_file",
        conflicts_with_all = ["samples", "measure", "all_measures", "explain"]
    )]
    pub feedback: Option<PathBuf>,

    /// Judge by several metrics instead; the profile of a topic, by topic-profile
    ///
    /// See PROFILE.
    #[arg(
        long,
        value_name = "FILE",
        requires = "thresholds_or_core",
        conflicts_with_all = ["feedback", "measure", "all_measures", "explain", "threshold"]
    )]
    pub profile: Option<PathBuf>,

    /// Thresholds of the metrics, such as vsm=0.18,term=0.5,pair=0.1,triple=0.08
    ///
    /// The threshold of `passage` is half that of `vsm` if it is missing.
    #[arg(
        long,
        value_name = "LIST",
        requires = "profile",
        group = "thresholds_or_core"
    )]
    pub thresholds: Option<Thresholds>,

    /// Fit the thresholds to the documents of the core, records with `text`
    #[arg(
        long,
        value_name = "FILE",
        requires = "profile",
        group = "thresholds_or_core"
    )]
    pub fit: Option<PathBuf>,

    /// Share of the core that the fitted thresholds recognise
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.7,
        requires = "fit",
        conflicts_with = "thresholds",
        value_parser = parse_share
    )]
    pub recognise: f64,

    /// Write the fitted thresholds, in the form of --thresholds, instead of records
    #[arg(long, requires = "fit", conflicts_with = "thresholds")]
    pub print_thresholds: bool,

    /// Undoubtedly relevant pages after which a directory counts as relevant; 0: never
    #[arg(long, value_name = "NUMBER", default_value_t = 3, requires = "profile")]
    pub directory: u32,

    /// Share of undoubtedly relevant pages of a host below which thresholds are doubled
    ///
    /// It applies to hosts with five judged pages; PROFILE describes which pages count. With 0, all
    /// hosts have the same thresholds, as in the paper.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        requires = "profile",
        value_parser = parse_share_or_zero
    )]
    pub host_share: f64,

    /// Judge all documents of a journal by the final model
    ///
    /// The topic and label of each document that has a step are replaced, and all other records are
    /// passed on. The state is not changed.
    #[arg(long = "final", requires = "feedback", conflicts_with = "step_task")]
    pub is_final: bool,

    #[command(flatten)]
    pub step: StepArgs,

    /// Similarity measure
    ///
    /// See MEASURES.
    #[arg(long, value_name = "MEASURE", default_value_t)]
    pub measure: SimilarityMeasure,

    /// Similarity over which a document is on the topic [default: by language]
    ///
    /// A number of at least 0. The default is 0.20 for a sample in English (langid.code) and 0.10
    /// for one in Japanese; for one in another language, it is 0.10 if most of its keyphrases are
    /// in a script without blanks between words, and 0.20 otherwise. The defaults are those of
    /// partial-cosine. With --feedback, it applies to --final, and is the least score of an
    /// accepted document (0.5 if absent).
    #[arg(long, value_name = "SIMILARITY", value_parser = parse_threshold)]
    pub threshold: Option<f64>,

    /// Labels of documents that are, and are not, on the topic
    #[arg(
        long,
        value_name = "ON,OFF",
        default_value = "on-topic,off-topic",
        value_parser = parse_labels
    )]
    pub labels: TopicLabels,

    /// Also write the values of all measures
    #[arg(long)]
    pub all_measures: bool,

    /// Write the matching phrases as text instead of records
    ///
    /// A line for each document: its id or URL, label, similarity, threshold and sample. Below it,
    /// a line for each match: its part of the similarity, and the phrase. If the spellings differ,
    /// both are written, the sample's first: `oil price = oil prices`. If the phrases share only
    /// words, Dice's coefficient of their words follows: `oil price ~ oil market (0.50)`.
    #[arg(long, conflicts_with_all = ["all_measures", "force", "state", "rebuild"])]
    pub explain: bool,

    /// Judge only documents that an earlier filter has given this label
    ///
    /// Others are passed on with theirs, as in `langid | topic-filter --only-label slv`.
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["feedback", "rebuild", "explain"])]
    pub only_label: Option<String>,

    /// Also process records that already have `topic`
    #[arg(long, conflicts_with = "rebuild")]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub jobs: Jobs,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// Parses two labels, separated by a comma.
fn parse_labels(text: &str) -> Result<TopicLabels, &'static str> {
    match text.split(',').collect::<Vec<_>>()[..] {
        [accepted, rejected]
            if !accepted.is_empty() && !rejected.is_empty() && accepted != rejected =>
        {
            Ok(TopicLabels {
                accepted: accepted.into(),
                rejected: rejected.into(),
            })
        }
        _ => Err("not two different labels, separated by a comma"),
    }
}

/// Parses a share greater than 0 and at most 1.
fn parse_share(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("not a share above 0 and at most 1"),
    }
}

/// Parses a share from 0 to 1.
fn parse_share_or_zero(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not a share from 0 to 1"),
    }
}

fn parse_threshold(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(number) if number >= 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("not a number of at least 0"),
    }
}

impl Args {
    /// Returns the rule by which records are selected.
    pub fn selection(&self) -> Selection {
        Selection {
            force: self.force,
            only_label: self.only_label.clone(),
        }
    }
}

/// The rule by which records are selected to be judged.
#[derive(Debug, Clone)]
pub struct Selection {
    /// True if records that have `topic` are judged again.
    force: bool,
    /// The label that a record must have.
    only_label: Option<String>,
}

impl Selection {
    /// Returns `true` if a record is to be judged.
    pub fn includes(&self, record: &Record) -> bool {
        let label = || record.string(field::LABEL).ok().flatten();
        record.should_add(field::TOPIC, self.force)
            && (self.only_label.is_none() || label().as_deref() == self.only_label.as_deref())
    }
}

impl Tool for Args {
    const NAME: &'static str = "topic-filter";

    fn input_fields(&self) -> &'static [&'static str] {
        if self.profile.is_some() {
            &[field::TEXT]
        } else {
            &[field::KEYWORDS]
        }
    }

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  keywords  the keyphrases; a record without them is passed on
  text      with --profile, the document; a record without it is passed on
  links     with --profile, the texts of the links
  query     strategy.sample names the sample; if it is absent, or not the id of
            a sample, the nearest sample is taken
  id, url   the name of a document
  fetch     with --profile, the final url
  step      with --state, its number, and the mark of its last record
  dedup     with --state, whether the document is a duplicate
  label     with --only-label, the label of an earlier filter

The samples have keywords, id (or url, if that is absent), and langid.code, on
which the default threshold depends.

ADDS
  topic  {score, measure, sample, scores}; with --profile, see PROFILE
         score is the value of the measure, to nine decimals, and sample the id
         of the sample. scores, with --all-measures, has all measures by name.
  label  the first of --labels if the score is over the threshold, otherwise
         the second. It replaces the label of an earlier filter: the last
         filter of a pipe decides about the class.
  error  of kind bad-field, if keywords or query has the wrong type

MEASURES
Keyphrases are equal if their keys are (see keywords in forage-records(5)). Let
q and i be the numbers of keyphrases of the sample and the document, c that of
equal ones, Q and I the vectors of scores, and |Q| the length of a vector.

  dice                     2c / (q + i)
  jaccard                  c / (q + i - c)
  cosine                   c / sqrt(qi)
  overlap                  c / min(q, i)
  percentage               QI / (sum of Q + sum of I); has no upper limit
  vector-cosine            QI / |Q||I|
  partial-cosine           vector-cosine that also counts phrases that share
                           words
  vector-cosine-printed    QI / (|Q| + |I|), as in the paper's equation 7
  partial-cosine-unlogged  partial-cosine with the weights exp(score)

All are 0 if nothing matches. Those up to overlap, and the cosines, are 1 for a
document compared with itself.

For partial-cosine, each keyphrase of the sample that has no equal, in
descending order of scores, is matched with the unused keyphrase of the document
that has the highest resemblance (Dice's coefficient of the words of their
keys), if it is above 0. The product of the two scores, times the resemblance,
is added to QI. Of equal scores or resemblances, the higher score and then the
first phrase by code point has precedence.

STATE
With --state, the samples are the initial documents in the journal of a run with
the first of --labels, which --rebuild reads, and every document that is
accepted; they need an id or a url, and keywords. The state also has the
rejected documents, which new samples judge again:

- If queries name samples, a sample is new in the first step whose query
  names it. It judges all documents that earlier steps rejected.
- Otherwise, the documents that a step accepts are new at its end, and
  judge what earlier steps rejected. Documents of that step itself follow
  in the next step, and so do samples that were only accepted by this
  judgement.

A rejected document that is accepted now is written before the last record of
the step, in descending order of scores and then by id: the record without its
query and hit, with the step that accepts it, topic and label, and retry, which
is true. Duplicates (dedup) are neither samples nor judged again.

The documents of a step are committed before they are written, so that a
pipeline can repeat an interrupted step with --from-step. When topic-filter ends
normally without --from-step, FILE of --state is complete on its own; otherwise,
FILE-wal belongs to it. The state is made for one measure.

FEEDBACK
With --feedback, a document is judged with all articles that the run has
retrieved so far. An article is a vector of the words of its keyphrases. The
weight of a word is the sum of e^score - n over the keyphrases of n words that
contain it, times its inverse document frequency.

During a run, the samples are a query that is expanded by the articles ranked
first, less the mean of all (Rocchio's pseudo-relevance feedback). topic.score
is relative to the mean of the ten best articles (of fewer than 30, the best
third), and documents from 0.5 are accepted. Until more than ten articles are
retrieved, topic.score is the cosine with the samples, divided by 0.8. A step is
buffered up to its last record (step.last), and judged as a whole.

--final trains a Rocchio classifier that starts from the expanded query.
topic.score is 1 for the mean of the articles that it is trained with as
relevant, and 0 for that of the nonrelevant ones. Relevant are as many articles
as the expanded query ranks near the ten best. A higher --threshold raises
precision and lowers recall.

FILE of --feedback has the words of the samples, which are the initial documents
with the first of --labels, and of all documents that steps have retrieved.
Duplicates (dedup) are judged, but not added. More than 1,500 articles are
represented by a systematic sample of 1,500. -v reports the most indicative
words.

PROFILE
With --profile, a document is compared with the stems and collocations of a
topic profile, which topic-profile proposes, in five ways:

  term     share of the profile's terms that occur in the document
  pair     share of its pairs that occur in the document
  triple   share of its triples that occur in the document
  vsm      cosine of the document with the terms (vector space model); the
           weight of a stem in the document is 1 + ln tf
  passage  the greatest such cosine of a passage: 200 characters, at every
           50th

Each of the metrics votes for the document if its value reaches the threshold;
pair and triple together are the metric collocation. A document with a vote is
on the topic, and one with the votes of two metrics is undoubtedly relevant.
Other pages in a directory with three undoubtedly relevant ones (--directory)
are on the topic, too, by the vote of directory, unless the name of the
directory is a number, as in /2026/03/.

topic is {score, metrics, scores}: score is vsm over its threshold, metrics has
the votes, and scores the five values. If the texts of a page's links together
are longer than its text, as in a table of contents, and their vsm is greater,
score is that over the threshold: links are followed by it. They do not vote.

On a host whose pages are seldom on the topic, those that seem to be are often
near misses. With --host-share S, if five pages of a host were judged and less
than S of them are undoubtedly relevant, all thresholds for its other pages are
doubled, directories do not vote, and topic.threshold_factor is 2. For this
share, pages count by 1.25 times the thresholds, also if these were doubled, so
that near misses do not count and a host can recover; and ten pages that do not
count are added, because the share of few pages is uncertain.

--fit lowers the thresholds until the share --recognise of the core has a vote.
As many documents of the core reach the threshold of passage as that of vsm, and
a tenth of their number those of the others, which are less reliable.

With --state, FILE has the counts by directory and host, and is a projection of
the journal.

MEMORY AND TIME
About 10 MB, the samples, and three times the longest record per thread. Start
and one record take about 3 ms. A document takes about 0.05 ms, and 0.01 ms for
each sample that it is compared with; without query.strategy.sample, these are
all samples.

With --state, about 30 MB for any number of documents, and the documents that
one step accepts after all. Samples and rejected documents are found by an index
of words, of which a step reads the words of its own documents and new samples:
with 20,000 rejected documents, a step takes about 10 ms, one with a new sample
15 ms more, and each document that is accepted after all 0.3 ms. On disk, a
rejected document takes about 6 kB.

With --feedback, about 20 MB for any number of documents. A step takes 6 ms of
CPU time when 100 articles were retrieved, 10 ms with 500, and 20 ms with 1,500
and more; --final takes 0.05 to 0.1 ms for each document. On disk, an article
takes about 1.3 kB.

With --profile, about 15 MB. A document takes about 0.03 ms per kB of text. On
disk, a directory takes about 50 bytes, and each step about 50 for each of its
hosts.

EXIT STATUS
  0  all input was processed, including records with an error
  1  some lines were not records and were skipped
  2  could not run or had to stop: the samples cannot be read, or one has no
     keywords

EXAMPLES
Judge documents by one article:

  $ keywords article.jsonl > samples.jsonl
  $ keywords docs.jsonl | topic-filter --samples samples.jsonl

Show why the best document is similar:

  $ topic-filter --samples samples.jsonl --explain < best.jsonl

Compare the measures:

  $ topic-filter --samples samples.jsonl --all-measures < docs.jsonl |
      jq -c .topic.scores

Judge the Slovenian documents only; others keep the label of langid:

  $ langid docs.jsonl |
      topic-filter --only-label slv --profile filter.tsv --fit core.jsonl

Judge documents by a topic profile:

  $ topic-profile --out filter.tsv core.jsonl
  $ topic-filter --profile filter.tsv --fit core.jsonl < docs.jsonl

SEE ALSO
keywords(1), topic-profile(1), frontier(1), langid(1), update-stats(1),
forage-records(5), forage(7)

V. Kluev: Compiling document collections from the Internet. ACM SIGIR Forum,
2000.

D. B. Bracewell, F. Ren, S. Kuroiwa: Mining news sites to create special domain
news collections. 2007.";

#[cfg(test)]
mod tests {
    use super::{Args, parse_labels};
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn labels_are_two_and_differ() {
        let labels = parse_labels("yes,no").unwrap();
        assert_eq!((&*labels.accepted, &*labels.rejected), ("yes", "no"));
        for bad in ["one", "a,b,c", "a,", ",b", "a,a", ""] {
            assert!(parse_labels(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_threshold_is_a_number_of_at_least_0() {
        let parse = |text| Args::try_parse_from(["x", "--samples", "s", "--threshold", text]);
        assert_eq!(parse("0.15").unwrap().threshold, Some(0.15));
        for bad in ["much", "nan", "inf", "=-1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
