//! State files, damaged in their bytes or in the values of their rows. A tool may refuse one, but
//! must not panic.

use super::state_files::{mutate_state, with_file};
use super::state_seeds::new_searcher;
use super::{Target, choice, shape_of_error, state_seeds};
use clap::Parser;
use forage_dedup::{DedupDocument, DuplicateIndex};
use forage_engines::{EngineQuery, HitCache, HitSelection};
use forage_query::coverage::estimate_coverage;
use forage_query::strategy::choose_query;
use forage_query::{Statistics, build_report, open_ledger};
use forage_record::{Keyphrase, Record};
use forage_run::{Event, Projection, ProjectionFile, StepProjection};
use forage_topic::feedback::{ArticleWords, FeedbackModel};
use forage_topic::profile::{CoreFit, MetricScores};
use forage_topic::similarity::{KeyphraseVector, SimilarityMeasure};
use frontier::state_file::{BatchRequest, CrawlScope, Frontier, LinkOrder};
use gen_query::StrategyArgs;
use langid::state_file::ClassProfiles;
use std::sync::LazyLock;
use topic_filter::state_files::{FeedbackState, SiteState, TopicLabels, TopicState};

const fn state(
    name: &'static str,
    summary: &'static str,
    run: fn(&[u8]) -> u64,
    seeds: fn() -> Vec<Vec<u8>>,
) -> Target {
    Target {
        seeds,
        mutate: mutate_state,
        max_bytes: 1 << 20,
        test_inputs: 800,
        ..Target::new(name, summary, run)
    }
}

/// `stats.db`, from which `gen-query` composes queries by each strategy.
pub const STATS: Target = state(
    "stats",
    "stats.db: queries of all strategies, report",
    run_stats,
    state_seeds::statistics,
);
/// `stats.db`, into which `update-stats` counts.
pub const LEDGER: Target = state(
    "ledger",
    "stats.db: records are counted",
    run_ledger,
    state_seeds::statistics,
);
/// `seen.db` of `dedup`.
pub const SEEN: Target = state(
    "seen",
    "seen.db: documents are checked and added",
    run_seen,
    state_seeds::duplicate_indexes,
);
/// `hits.db` of `search`.
pub const HITS: Target = state(
    "hits",
    "hits.db: queries are answered",
    run_hits,
    state_seeds::hit_caches,
);
/// `frontier.db` of `frontier`.
pub const FRONTIER: Target = state(
    "frontier",
    "frontier.db: batches, judged pages, report",
    run_frontier,
    state_seeds::frontiers,
);
/// `profiles.db` of `langid`.
pub const PROFILES: Target = state(
    "profiles",
    "profiles.db: documents are labelled and added",
    run_profiles,
    state_seeds::class_profiles,
);
/// `topic.db` of `topic-filter`.
pub const TOPIC: Target = state(
    "topic",
    "topic.db: samples, retries",
    run_topic,
    state_seeds::topics,
);
/// `topic.db` of `topic-filter --feedback`.
pub const FEEDBACK: Target = state(
    "feedback",
    "topic.db of --feedback: a model is trained",
    run_feedback,
    state_seeds::feedback,
);
/// `sites.db` of `topic-filter`.
pub const SITES: Target = state(
    "sites",
    "sites.db: hosts and directories",
    run_sites,
    state_seeds::sites,
);

/// The measure of the seeds.
pub(super) const KEYPHRASES_MEASURE: SimilarityMeasure = SimilarityMeasure::Cosine;

/// The labels of the seeds.
pub(super) fn labels() -> TopicLabels {
    TopicLabels {
        accepted: "on-topic".into(),
        rejected: "off-topic".into(),
    }
}

/// The options of `gen-query`.
#[derive(Debug, Parser)]
struct QueryOptions {
    #[command(flatten)]
    strategy: StrategyArgs,
}

/// Options that select all strategies and methods.
static STRATEGIES: LazyLock<Vec<StrategyArgs>> = LazyLock::new(|| {
    let options = [
        "--include or:3 --exclude or:3",
        "--include ptf:2 --exclude rtfidf:2",
        "--include co:2 --exclude por:1",
        "--include un:2 --exclude tf:3 --prune common,navigation",
        "--include porh:3 --exclude un:0 --versus hrv",
        "--include or:2 --exclude or:2 --recovery shorten:2 --probability tf --prune common:0.01",
        "--learn auto",
        "--learn auto --batch auto --until-coverage 0.9",
        "--learn like",
        "--learn seedfinder",
        "--learn samples",
        "--learn rocchio",
        "--learn ml",
        "--learn lta --lengths di",
        "--learn ltm --beta 0.3",
        "--learn fm",
    ];
    let parse = |line: &&str| {
        QueryOptions::parse_from(std::iter::once("gen-query").chain(line.split(' '))).strategy
    };
    options.iter().map(parse).collect()
});

/// Returns the shape of several operations by their errors.
fn shape_of_results<E: std::fmt::Display>(results: impl IntoIterator<Item = Result<(), E>>) -> u64 {
    let shapes = results
        .into_iter()
        .map(|result| result.map_or_else(shape_of_cause, |()| 0));
    super::hash(&shapes.collect::<Vec<_>>())
}

/// Returns the shape of an error, without the path before it.
fn shape_of_cause(error: impl std::fmt::Display) -> u64 {
    let message = error.to_string();
    shape_of_error(
        message
            .split_once(".db: ")
            .map_or(&*message, |(_, cause)| cause),
    )
}

fn run_stats(input: &[u8]) -> u64 {
    with_file(input, "stats.db", |path| {
        let statistics = match Statistics::open_read_only(path) {
            Ok(statistics) => statistics,
            Err(error) => return shape_of_cause(error),
        };
        let targets = ["slv", "on-topic"];
        let target = targets[choice(input, 4).min(1)];
        let mut results = vec![
            build_report(&statistics, &[target.into()]).map(drop),
            estimate_coverage(&statistics, target).map(drop),
        ];
        // A file has rows of few strategies; a third of them is tried with each.
        for args in STRATEGIES.iter().skip(choice(input, 3)).step_by(3) {
            let strategy = args
                .build_strategy(Default::default())
                .expect("the options agree");
            for step in [1, 7] {
                let request = args.request(&statistics, target, step);
                let query = choose_query(&*strategy, &request);
                results.push(query.map(drop));
            }
        }
        shape_of_results(results)
    })
}

/// Records that are applied to states: one of each kind.
fn records() -> [Record; 4] {
    [
        r#"{"url":"http://a.test/new.html","id":"n1","title":"Voda","text":"Voda je hladna in čista, reka je globoka.","label":"slv","langid":{"code":"slv","margin":0.9},"step":{"number":4,"target":"slv"},"query":{"include":["voda"],"exclude":["gora"],"strategy":{"name":"fixed"}},"hit":{"rank":1,"calls":1},"dedup":{"status":"new"}}"#,
        r#"{"url":"http://quakes.test/2020/a.html","id":"n2","title":"Earthquake","text":"A strong earthquake.","label":"on-topic","keywords":[["strong earthquake",2.5,"strong earthquak"]],"topic":{"score":0.9,"votes":3,"metrics":{"vsm":0.5,"term":0.5,"pair":0.1,"triple":0.1}},"links":[{"url":"http://quakes.test/b.html","text":"more earthquakes"}],"fetch":{"url":"http://quakes.test/2020/a.html","status":200},"step":{"number":4,"target":"on-topic"},"dedup":{"status":"new"}}"#,
        r#"{"url":"http://a.test/off.html","id":"n3","text":"Another text.","label":"off-topic","keywords":[["text",1,"text"]],"step":{"number":4,"target":"on-topic"},"dedup":{"status":"new"}}"#,
        r#"{"step":{"number":4,"target":"slv","last":true},"query":{"include":["reka"],"exclude":[]},"hit":{"outcome":"exhausted","calls":1}}"#,
    ]
    .map(|line| Record::parse(line.into()).expect("a record"))
}

fn run_ledger(input: &[u8]) -> u64 {
    with_file(input, "stats.db", |path| {
        let from_step = [None, Some(2), Some(u64::MAX)][choice(input, 3)];
        let mut ledger = match open_ledger(path, None, from_step) {
            Ok(ledger) => ledger,
            Err(error) => return shape_of_cause(error),
        };
        ledger.next_step();
        let _ = (
            ledger.totals().total("documents"),
            ledger.totals().corpus_size(),
        );
        let mut results: Vec<_> = records()
            .iter()
            .map(|record| ledger.apply(record).map(drop))
            .collect();
        results.push(ledger.commit());
        let report = build_report(&Statistics::from_ledger(&ledger), &["slv".into()]);
        results.push(ledger.merge_wal());
        super::hash(&(shape_of_results(results), report.is_ok()))
    })
}

fn run_seen(input: &[u8]) -> u64 {
    with_file(input, "seen.db", |path| {
        let mut index = match DuplicateIndex::open(path, None) {
            Ok(index) => index,
            Err(error) => return shape_of_cause(error),
        };
        let mut results = Vec::new();
        if choice(input, 2) == 0 {
            index.compare_titles();
        }
        if choice(input, 3) == 0 {
            results.push(index.remove_documents_from(2));
        }
        // The beginnings of texts of the seeds are found again.
        let documents = [
            "Voda je hladna in čista, reka je globoka.",
            "A strong earthquake shook the city.",
            "",
        ];
        for (text, step) in documents.iter().zip(4..) {
            let document = DedupDocument {
                text,
                id: Some("n"),
                title: Some("Voda"),
                step,
            };
            results.push(index.check(&index.comparer().prepare(&document)).map(drop));
            results.push(index.check_and_add(document).map(drop));
        }
        index.advance_to(9);
        results.push(index.commit());
        results.push(index.merge_wal());
        shape_of_results(results)
    })
}

fn run_hits(input: &[u8]) -> u64 {
    with_file(input, "hits.db", |path| {
        let mut cache = match HitCache::open(path) {
            Ok(cache) => cache,
            Err(error) => return shape_of_cause(error),
        };
        let rolled_back = match choice(input, 3) {
            0 => cache.roll_back_to(2),
            1 => cache.forget_empty_pages_from(3),
            _ => Ok(()),
        };
        let mut searcher = new_searcher(cache);
        let mut results = vec![rolled_back.map_err(|e| e.to_string())];
        for (terms, step) in [(&["pa"][..], 4), (&["voda", "reka"], 5), (&["pa"], 6)] {
            for selection in [HitSelection::NextUnseen(3), HitSelection::Top(4)] {
                let reply = searcher.answer_query(&EngineQuery::new(terms, &[]), step, selection);
                results.push(reply.map(drop).map_err(|e| e.to_string()));
            }
        }
        results.push(searcher.cache.save().map_err(|e| e.to_string()));
        shape_of_results(results)
    })
}

fn run_frontier(input: &[u8]) -> u64 {
    with_file(input, "frontier.db", |path| {
        let mut frontier = match Frontier::open(path, CrawlScope::default()) {
            Ok(frontier) => frontier,
            Err(error) => return shape_of_cause(error),
        };
        let mut results = vec![frontier.given_in_step(2).map(drop)];
        if choice(input, 2) == 0 {
            results.push(frontier.remove_from(3));
        }
        results.push(frontier.add_seed("http://seed.test/").map(drop));
        for record in &records() {
            results.push(frontier.apply_judged(&Event::from_record(record)));
        }
        let orders = [
            LinkOrder::Mean,
            LinkOrder::Breadth,
            LinkOrder::Anchor,
            LinkOrder::Yield,
            LinkOrder::Best,
        ];
        results.push(frontier.next_step().and_then(|step| {
            let request = BatchRequest {
                count: 5,
                per_host: [None, Some(1)][choice(input, 2)],
                step,
                order: orders[choice(input, 5)],
            };
            frontier.take_batch(&request).map(drop)
        }));
        results.push(frontier.report().map(drop));
        results.push(frontier.commit());
        results.push(frontier.merge_wal());
        shape_of_results(results)
    })
}

fn run_profiles(input: &[u8]) -> u64 {
    with_file(input, "profiles.db", |path| {
        let mut profiles = match ClassProfiles::open(path, 0.0) {
            Ok(profiles) => profiles,
            Err(error) => return shape_of_cause(error),
        };
        let mut results = vec![profiles.prepare_step([1, 4][choice(input, 2)])];
        results.push(profiles.identifier().map(|identifier| {
            identifier.identify("Voda je hladna in čista.");
        }));
        for record in &records() {
            results.push(profiles.apply_event(&Event::from_record(record)));
        }
        results.push(profiles.advance_to(9).map(drop));
        results.push(profiles.identifier().map(drop));
        results.push(profiles.commit());
        shape_of_results(results)
    })
}

fn run_topic(input: &[u8]) -> u64 {
    with_file(input, "topic.db", |path| {
        let mut state = match TopicState::open(path, KEYPHRASES_MEASURE, labels()) {
            Ok(state) => state,
            Err(error) => return shape_of_cause(error),
        };
        let mut results = Vec::new();
        if choice(input, 3) == 0 {
            results.push(state.remove_from(2));
        }
        let article = KeyphraseVector::new(article_keyphrases());
        results.push(state.nearest_sample(&article).map(drop));
        results.push(state.sample_with_id("n1").map(drop));
        let records = records();
        let events = records.each_ref().map(Event::from_record);
        for event in &events {
            results.push(state.apply_event(event));
        }
        let threshold = [None, Some(0.0)][choice(input, 2)];
        if let Some(step) = &events[3].step {
            match state.retries(&events[3], threshold) {
                Ok(retries) => {
                    for retry in &retries.accepted {
                        results.push(state.retry_record(retry, step).map(drop));
                    }
                }
                Err(error) => results.push(Err(error)),
            }
        }
        results.push(state.commit());
        results.push(state.merge_wal());
        shape_of_results(results)
    })
}

fn article_keyphrases() -> Vec<Keyphrase> {
    let record = &records()[1];
    let keyphrases = record.get(forage_record::field::KEYWORDS);
    keyphrases.expect("keyphrases").unwrap_or_default()
}

fn run_feedback(input: &[u8]) -> u64 {
    with_file(input, "topic.db", |path| {
        let mut state = match FeedbackState::open(path, "on-topic") {
            Ok(state) => state,
            Err(error) => return shape_of_cause(error),
        };
        let mut results = Vec::new();
        if choice(input, 3) == 0 {
            results.push(state.remove_from(2));
        }
        for record in &records() {
            results.push(state.apply_event(&Event::from_record(record)));
        }
        results.push(state.training_articles().map(|articles| {
            let words = ArticleWords::from_keyphrases(&article_keyphrases());
            for model in [
                FeedbackModel::train_query(&articles),
                FeedbackModel::train_classifier(&articles),
            ] {
                model.score(&words);
                model.indicative_words(5);
            }
        }));
        results.push(state.commit());
        results.push(state.merge_wal());
        shape_of_results(results)
    })
}

fn run_sites(input: &[u8]) -> u64 {
    with_file(input, "sites.db", |path| {
        let state = match SiteState::open(path, 3) {
            Ok(state) => state,
            Err(error) => return shape_of_cause(error),
        };
        let mut state = match choice(input, 2) {
            0 => state.with_core(CoreFit::new(&[MetricScores::default()], 0.7), "quakes"),
            _ => state,
        };
        let mut results = Vec::new();
        if choice(input, 3) == 0 {
            results.push(state.remove_from(2));
        }
        for url in ["http://quakes.test/2020/a.html", "http://a.test/", "no url"] {
            results.push(state.is_relevant(url).map(drop));
            results.push(state.factors(url).map(drop));
        }
        for record in &records() {
            let _ = state.apply(&Event::from_record(record));
        }
        results.push(state.commit());
        results.push(state.merge_wal());
        shape_of_results(results)
    })
}
