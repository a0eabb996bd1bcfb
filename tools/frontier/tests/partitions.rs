//! Frontiers of partitions, which read the judged pages of all of them, compared with one frontier
//! of the whole web, while rounds are killed and repeated.

#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap

use forage_record::{Record, Step, field};
use forage_run::{Event, StepProjection};
use forage_web::page_url::Partition;
use frontier::state_file::{BatchRequest, CrawlScope, Frontier, LinkOrder, QueuedUrl};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A page of a random web.
#[derive(Debug, Clone)]
struct Page {
    host: usize,
    kind: Kind,
    quarters: i32,
    links: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Live,
    NoText,
    Robots,
    /// Leads to a page of the same host.
    Redirect(usize),
}

fn web() -> impl Strategy<Value = Vec<Page>> {
    let kind = prop_oneof![
        6 => Just(Kind::Live),
        1 => Just(Kind::NoText),
        1 => Just(Kind::Robots),
        1 => any::<usize>().prop_map(Kind::Redirect),
    ];
    let links = prop::collection::vec(0..40_usize, 0..6);
    let page = (0..12_usize, kind, -2..8, links).prop_map(|(host, kind, quarters, links)| Page {
        host,
        kind,
        quarters,
        links,
    });
    prop::collection::vec(page, 40)
}

fn url(web: &[Page], page: usize) -> String {
    format!("http://h{}.test/{page}", web[page].host)
}

/// Returns the record of a URL after it was fetched and judged.
fn judge(web: &[Page], queued: &QueuedUrl, step: &Step) -> String {
    let number = queued.url.rsplit('/').next().unwrap();
    let page = &web[number.parse::<usize>().unwrap()];
    let mut record = json!({ "step": step, "url": queued.url, "frontier": queued.entry });
    let final_page = match page.kind {
        Kind::Redirect(target) => {
            let targets: Vec<&Page> = web.iter().filter(|to| to.host == page.host).collect();
            targets[target % targets.len()]
        }
        _ => page,
    };
    let place = web.iter().position(|page| std::ptr::eq(page, final_page));
    let links: Vec<Value> = final_page
        .links
        .iter()
        .map(|link| json!({ "url": url(web, *link), "text": format!("page {link}") }))
        .collect();
    let error = |kind| json!({ "tool": "fetch-extract", "kind": kind, "message": "" });
    match page.kind {
        Kind::Robots => record["error"] = error("robots"),
        Kind::NoText => {
            record["error"] = error("no-text");
            record["links"] = links.into();
        }
        Kind::Live | Kind::Redirect(_) => {
            record["fetch"] = json!({ "url": url(web, place.unwrap()), "status": 200 });
            record["links"] = links.into();
            record["topic"] = json!({ "score": f64::from(final_page.quarters) / 4.0 });
        }
    }
    record.to_string()
}

/// The frontier of a partition, or of the whole web.
struct Crawl {
    path: PathBuf,
    partition: Option<Partition>,
}

impl Crawl {
    fn new(dir: &Path, partition: Option<Partition>) -> Crawl {
        let name = partition.map_or(0, Partition::number);
        let crawl = Crawl {
            path: dir.join(format!("{name}.db")),
            partition,
        };
        let mut frontier = crawl.open();
        frontier.add_seed("http://h0.test/0").unwrap().unwrap();
        frontier.add_seed("http://h1.test/1").unwrap().unwrap();
        frontier.commit().unwrap();
        crawl
    }

    fn open(&self) -> Frontier {
        let scope = CrawlScope {
            partition: self.partition,
            ..CrawlScope::default()
        };
        Frontier::open(&self.path, scope).unwrap()
    }

    /// Applies the pages of a round; with `kill`, only as many, uncommitted or committed.
    fn apply(&self, pages: &[String], step: u64, kill: Option<(usize, bool)>) {
        let mut frontier = self.open();
        frontier.remove_from(step).unwrap();
        let count = kill.map_or(pages.len(), |(count, _)| count.min(pages.len()));
        for page in &pages[..count] {
            let record = Record::parse(page.clone().into_bytes()).unwrap();
            frontier.apply_judged(&Event::from_record(&record)).unwrap();
        }
        if kill.is_none_or(|(_, is_committed)| is_committed) {
            frontier.commit().unwrap();
        }
    }

    /// Gives all URLs that wait.
    fn give(&self, step: u64) -> Vec<QueuedUrl> {
        let mut frontier = self.open();
        frontier.remove_from(step).unwrap();
        let request = BatchRequest {
            count: 99,
            per_host: None,
            step,
            order: LinkOrder::Mean,
        };
        let batch = frontier.take_batch(&request).unwrap();
        frontier.commit().unwrap();
        batch
    }
}

/// Returns the URLs of the rounds with their places in the queue, until no URL waits. `kills` has
/// the rounds and partitions that are killed.
fn crawl(
    web: &[Page],
    crawls: &[Crawl],
    kills: &[(u64, usize, usize, bool)],
) -> Vec<BTreeMap<String, Value>> {
    let mut rounds = Vec::new();
    let mut pages = Vec::new();
    for round in 1..99 {
        let mut given = BTreeMap::new();
        let mut next_pages = Vec::new();
        for (index, crawl) in crawls.iter().enumerate() {
            for (_, _, count, is_committed) in kills
                .iter()
                .filter(|kill| (kill.0, kill.1) == (round, index))
            {
                crawl.apply(&pages, round - 1, Some((*count, *is_committed)));
                crawl.give(round);
            }
            if round > 1 {
                crawl.apply(&pages, round - 1, None);
            }
            let batch = crawl.give(round);
            for (place, queued) in batch.iter().enumerate() {
                let last = (place + 1 == batch.len()).then_some(true);
                let step = Step {
                    number: round,
                    target: "t".into(),
                    last,
                };
                next_pages.push(judge(web, queued, &step));
                let entry = serde_json::to_value(queued.entry).unwrap();
                let earlier = given.insert(queued.url.clone(), entry);
                assert!(earlier.is_none(), "{}", queued.url);
            }
        }
        if given.is_empty() {
            return rounds;
        }
        rounds.push(given);
        pages = next_pages;
    }
    panic!("the web has an end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// The rounds have the same URLs, scores, depths and numbers of parents.
    #[test]
    fn partitions_give_together_what_one_frontier_gives(
        web in web(),
        count in 1..6_u32,
        kills in prop::collection::vec((2..5_u64, 0..5_usize, 0..20_usize, any::<bool>()), 0..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let whole = crawl(&web, &[Crawl::new(dir.path(), None)], &[]);
        let partitions: Vec<Crawl> = (1..=count)
            .map(|number| Crawl::new(dir.path(), Partition::new(number, count)))
            .collect();
        prop_assert_eq!(crawl(&web, &partitions, &kills), whole);
        for crawl in &partitions {
            let mut frontier = crawl.open();
            prop_assert_eq!(frontier.report().unwrap().waiting, 0);
        }
    }
}

#[test]
fn a_page_of_another_partition_is_stored_only_if_it_leads_here() {
    let dir = tempfile::tempdir().unwrap();
    // The partitions of the two hosts are different.
    let host = |number| {
        let partition = Partition::new(number, 2).unwrap();
        let mut urls = (0..).map(|host| format!("http://h{host}.test/"));
        urls.find(|url| partition.contains_url(url)).unwrap()
    };
    let (own, other) = (host(1), host(2));
    let scope = CrawlScope {
        partition: Partition::new(1, 2),
        ..CrawlScope::default()
    };
    let mut frontier = Frontier::open(&dir.path().join("frontier.db"), scope).unwrap();
    let mut apply = |name: &str, link: &str, depth: u32| {
        let mut record = Record::new();
        record.set(field::URL, &format!("{other}{name}"));
        record.set(field::LINKS, &json!([{ "url": link, "text": "" }]));
        record.set(
            field::FRONTIER,
            &json!({ "score": 0.5, "depth": depth, "parents": 1 }),
        );
        record.set(field::TOPIC, &json!({ "score": 0.25 }));
        frontier.apply_judged(&Event::from_record(&record)).unwrap();
        let report = frontier.report().unwrap();
        (report.waiting, report.judged, report.given)
    };
    assert_eq!(apply("1", &format!("{other}x"), 6), (0, 0, 0));
    assert_eq!(apply("2", &format!("{own}x"), 6), (1, 1, 0));
    // Applied again, it changes nothing.
    assert_eq!(apply("2", &format!("{own}x"), 6), (1, 1, 0));
    assert_eq!(apply("3", &format!("{own}x"), 2), (1, 2, 0));
    let request = BatchRequest {
        count: 9,
        per_host: None,
        step: 1,
        order: LinkOrder::Mean,
    };
    let batch = frontier.take_batch(&request).unwrap();
    assert_eq!(batch.len(), 1);
    assert_eq!((batch[0].entry.depth, batch[0].entry.parents), (7, 2));
    assert_eq!(batch[0].entry.score, Some(0.25));
}
