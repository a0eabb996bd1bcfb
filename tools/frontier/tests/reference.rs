//! A frontier compared with a simple one in memory, on random webs, while steps are repeated,
//! undone and rebuilt.

#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap

use forage_record::Record;
use forage_run::{Event, Projection, ProjectionFile, StepProjection};
use frontier::state_file::{BatchRequest, CrawlScope, Frontier, LinkOrder};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Units of a score of 1.
const UNITS: i64 = 1_000_000_000;

/// A page of a random web.
#[derive(Debug, Clone)]
struct Page {
    host: usize,
    kind: Kind,
    quarters: i64,
    links: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Live,
    Dead,
    Robots,
    Redirect(usize),
}

/// A change of a frontier.
#[derive(Debug, Clone)]
enum Change {
    /// Give this many URLs in a new step, in an order, and judge the pages.
    Step(usize, LinkOrder),
    /// The same, but killed when this many pages are judged, and repeated.
    KilledStep(usize, LinkOrder, usize),
    /// Judge the pages of an earlier step again.
    Repeat(usize),
    /// Undo this many steps.
    Undo(usize),
    /// Rebuild the file from the journal.
    Rebuild,
    /// Replace the file by its copy of an earlier time, and repair it.
    Restore,
    /// Copy the file.
    Copy,
}

fn page(pages: usize, hosts: usize) -> impl Strategy<Value = Page> {
    let kind = prop_oneof![
        5 => Just(Kind::Live),
        4 => Just(Kind::Dead),
        1 => Just(Kind::Robots),
        1 => (0..pages).prop_map(Kind::Redirect),
    ];
    let links = prop::collection::vec(0..pages, 0..8);
    (0..hosts, kind, -2..8_i64, links).prop_map(|(host, kind, quarters, links)| Page {
        host,
        kind,
        quarters,
        links,
    })
}

fn order() -> impl Strategy<Value = LinkOrder> {
    prop_oneof![Just(LinkOrder::Mean), Just(LinkOrder::Best)]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (1..6_usize, order()).prop_map(|(count, order)| Change::Step(count, order)),
        2 => (1..6_usize, order(), 0..4_usize)
            .prop_map(|(count, order, judged)| Change::KilledStep(count, order, judged)),
        1 => any::<usize>().prop_map(Change::Repeat),
        2 => (1..4_usize).prop_map(Change::Undo),
        1 => Just(Change::Rebuild),
        1 => Just(Change::Restore),
        1 => Just(Change::Copy),
    ]
}

/// A web, and the records that a crawl of it writes.
#[derive(Debug)]
struct Web(Vec<Page>);

impl Web {
    /// Returns the directory of a URL, on its host.
    fn directory(&self, page: usize) -> (usize, usize) {
        (self.0[page].host, page % 2)
    }

    fn url(&self, page: usize) -> String {
        let (host, directory) = self.directory(page);
        format!("http://h{host}.test/d{directory}/{page}.html")
    }

    fn record(&self, page: usize, step: u64, is_last: bool) -> String {
        let step = format!(r#""step":{{"number":{step},"target":"t","last":{is_last}}}"#);
        let url = self.url(page);
        let rest = match self.0[page].kind {
            Kind::Live => self.content(page),
            Kind::Dead => r#""error":{"tool":"x","kind":"http-status","message":""}"#.into(),
            Kind::Robots => r#""error":{"tool":"x","kind":"robots","message":""}"#.into(),
            Kind::Redirect(target) => self.content(target),
        };
        format!(r#"{{{step},"url":"{url}",{rest}}}"#)
    }

    /// Returns the fields of a page that was read. The last of its links are in-links, and so is
    /// the first one again, which must make no difference.
    fn content(&self, page: usize) -> String {
        let links = &self.0[page].links;
        let (out_links, in_links) = links.split_at(links.len() / 2);
        let out_links: Vec<String> = out_links
            .iter()
            .map(|link| {
                format!(
                    r##"{{"url":"{}#x","text":"page {link}"}}"##,
                    self.url(*link)
                )
            })
            .collect();
        let in_links: Vec<String> = in_links
            .iter()
            .chain(links.first())
            .map(|link| format!(r##"{{"url":"{}#y"}}"##, self.url(*link)))
            .collect();
        let links = format!(
            r#""links":[{}],"in_links":[{}]"#,
            out_links.join(","),
            in_links.join(",")
        );
        format!(
            r#""fetch":{{"url":"{}","status":200}},{links},"topic":{{"score":{}}}"#,
            self.url(page),
            self.0[page].quarters as f64 / 4.0
        )
    }
}

/// The simple frontier.
#[derive(Debug, Clone, Default)]
struct Model {
    /// URLs in the order of discovery, with the scores of their parents.
    found: Vec<usize>,
    parents: HashMap<usize, Vec<i64>>,
    seeds: HashSet<usize>,
    given: HashSet<usize>,
    requested: HashSet<usize>,
    judged: HashSet<usize>,
    read: HashSet<usize>,
    hosts: Vec<usize>,
    /// Dead links in a row, and the number of URLs given when a host is due.
    dead: HashMap<usize, (u32, usize)>,
    /// Live pages and all links that were followed, except those that robots.txt forbids.
    followed_on_host: HashMap<usize, (i32, i32)>,
    followed_in_directory: HashMap<(usize, usize), (i32, i32)>,
}

impl Model {
    fn find(&mut self, web: &Web, page: usize) {
        if !self.found.contains(&page) {
            self.found.push(page);
            if !self.hosts.contains(&web.0[page].host) {
                self.hosts.push(web.0[page].host);
            }
        }
    }

    fn scores(&self, page: usize) -> &[i64] {
        self.parents.get(&page).map_or(&[], Vec::as_slice)
    }

    fn place(&self, page: usize) -> usize {
        let place = self.found.iter().position(|found| *found == page);
        place.unwrap()
    }

    fn rank(&self, page: usize) -> (i64, usize) {
        let scores = self.scores(page);
        let mean = scores
            .iter()
            .sum::<i64>()
            .checked_div_euclid(scores.len() as i64);
        let rank = match self.seeds.contains(&page) {
            true => i64::MIN,
            false => -mean.unwrap_or(0),
        };
        (rank, self.place(page))
    }

    /// Returns the links in the order `best`, which is not that of an index.
    fn sort_by_estimate(&self, web: &Web, pages: &mut [usize]) {
        let live_share = |followed: Option<&(i32, i32)>, prior: f64| {
            let (live, all) = followed.copied().unwrap_or_default();
            (f64::from(live) + 2.0 * prior) / (f64::from(all) + 2.0)
        };
        let key = |page: usize| {
            let greatest = self.scores(page).iter().copied().max().unwrap_or(0);
            let host = live_share(self.followed_on_host.get(&web.0[page].host), 1.0);
            let directory = self.followed_in_directory.get(&web.directory(page));
            let estimate = greatest as f64 / UNITS as f64 * live_share(directory, host);
            (estimate, greatest, self.place(page))
        };
        pages.sort_by(|left, right| {
            let is_link = |page| !self.seeds.contains(page);
            let (left_key, right_key) = (key(*left), key(*right));
            let by_link = is_link(left).cmp(&is_link(right));
            let by_estimate = right_key.0.total_cmp(&left_key.0);
            let by_index = right_key
                .1
                .cmp(&left_key.1)
                .then(left_key.2.cmp(&right_key.2));
            by_link.then(by_estimate).then(by_index)
        });
    }

    fn take(&mut self, web: &Web, count: usize, order: LinkOrder) -> Vec<usize> {
        let mut waiting: Vec<usize> = self.found.clone();
        waiting.retain(|page| !self.given.contains(page));
        waiting.sort_by_key(|page| self.rank(*page));
        let mut ordered = waiting.clone();
        if order == LinkOrder::Best {
            self.sort_by_estimate(web, &mut ordered);
        }
        let state = |page: &usize| {
            let host = web.0[*page].host;
            (host, self.dead.get(&host).copied().unwrap_or_default())
        };
        let (mut batch, mut dead_hosts) = (Vec::new(), HashSet::new());
        for page in &ordered {
            let (host, (streak, resume)) = state(page);
            let is_backed_off = streak >= 2 && resume > self.requested.len();
            if !is_backed_off && (streak == 0 || dead_hosts.insert(host)) && batch.len() < count {
                batch.push(*page);
            }
        }
        if batch.is_empty() {
            let mut hosts = self.hosts.clone();
            let due = |host: &usize| self.dead.get(host).map_or(0, |dead| dead.1);
            hosts.sort_by_key(due);
            let best = |host: &usize| waiting.iter().find(|page| web.0[**page].host == *host);
            batch = hosts.iter().filter_map(best).take(count).copied().collect();
        }
        self.given.extend(&batch);
        self.requested.extend(&batch);
        batch
    }

    fn judge(&mut self, web: &Web, page: usize) {
        if !self.judged.insert(page) {
            return;
        }
        let target = match web.0[page].kind {
            Kind::Redirect(target) => target,
            _ => page,
        };
        self.find(web, target);
        self.given.insert(target);
        let host = web.0[target].host;
        if web.0[page].kind != Kind::Robots {
            let is_live = i32::from(web.0[page].kind != Kind::Dead);
            let on_host = self.followed_on_host.entry(host).or_default();
            *on_host = (on_host.0 + is_live, on_host.1 + 1);
            let directory = web.directory(page);
            let in_directory = self.followed_in_directory.entry(directory).or_default();
            *in_directory = (in_directory.0 + is_live, in_directory.1 + 1);
        }
        let dead = self.dead.entry(host).or_default();
        match web.0[page].kind {
            Kind::Robots => {}
            Kind::Dead => {
                dead.0 += 1;
                if dead.0 >= 2 {
                    let is_known = self.followed_on_host[&host].0 > 0;
                    let doublings = if is_known { 0 } else { dead.0 - 2 };
                    dead.1 = self.requested.len() + (20 << doublings);
                }
            }
            Kind::Live | Kind::Redirect(_) => {
                *dead = (0, 0);
                if self.read.insert(target) {
                    self.add_links(web, target);
                }
            }
        }
    }

    fn add_links(&mut self, web: &Web, page: usize) {
        let mut seen = HashSet::new();
        for link in web.0[page].links.iter().filter(|link| seen.insert(**link)) {
            self.find(web, *link);
            if !self.given.contains(link) {
                let parents = self.parents.entry(*link).or_default();
                parents.push(web.0[page].quarters * UNITS / 4);
            }
        }
    }
}

/// The crawl of a web, with a frontier, its model, and the journal.
struct Crawl<'a> {
    web: &'a Web,
    path: PathBuf,
    frontier: Option<Frontier>,
    /// The model before each step, and after the last.
    models: Vec<Model>,
    /// The pages of each step.
    steps: Vec<Vec<usize>>,
}

fn apply(frontier: &mut Frontier, line: &str) {
    let record = Record::parse(line.as_bytes().to_vec()).unwrap();
    frontier
        .apply(&Event::from_journal(&record).unwrap())
        .unwrap();
}

impl Crawl<'_> {
    fn frontier(&mut self) -> &mut Frontier {
        self.frontier.as_mut().unwrap()
    }

    fn open(path: &Path) -> Frontier {
        Frontier::open(path, CrawlScope::default()).unwrap()
    }

    /// Gives a batch, and compares it with that of the model.
    fn take(&mut self, count: usize, order: LinkOrder) -> Vec<usize> {
        let request = BatchRequest {
            count,
            per_host: None,
            step: self.steps.len() as u64 + 1,
            order,
        };
        let batch = self.frontier().take_batch(&request).unwrap();
        let urls: Vec<String> = batch.into_iter().map(|link| link.url).collect();
        let mut model = self.models.last().unwrap().clone();
        let expected = model.take(self.web, count, order);
        let expected_urls: Vec<String> = expected.iter().map(|page| self.web.url(*page)).collect();
        assert_eq!(urls, expected_urls);
        expected
    }

    fn judge(&mut self, pages: &[usize], step: u64) {
        for (index, page) in pages.iter().enumerate() {
            let line = self.web.record(*page, step, index + 1 == pages.len());
            apply(self.frontier(), &line);
        }
    }

    fn step(&mut self, count: usize, order: LinkOrder) {
        let pages = self.take(count, order);
        if pages.is_empty() {
            return;
        }
        let step = self.steps.len() as u64 + 1;
        self.judge(&pages, step);
        self.frontier().commit().unwrap();
        let mut model = self.models.last().unwrap().clone();
        model.take(self.web, count, order);
        for page in &pages {
            model.judge(self.web, *page);
        }
        self.models.push(model);
        self.steps.push(pages);
    }

    fn killed_step(&mut self, count: usize, order: LinkOrder, judged: usize) {
        let pages = self.take(count, order);
        let step = self.steps.len() as u64 + 1;
        self.judge(&pages[..judged.min(pages.len())], step);
        self.frontier().commit().unwrap();
        self.frontier = None;
        self.frontier = Some(Crawl::open(&self.path));
        self.frontier().remove_from(step).unwrap();
        self.step(count, order);
    }

    fn undo(&mut self, steps: usize) {
        let kept = self.steps.len().saturating_sub(steps);
        self.steps.truncate(kept);
        self.models.truncate(kept + 1);
        self.frontier().remove_from(kept as u64 + 1).unwrap();
        self.frontier().commit().unwrap();
        // A copy with steps that are undone is no earlier state of this crawl.
        let _ = std::fs::remove_file(self.copy_path());
    }

    fn rebuild(&mut self) {
        self.frontier = None;
        let mut frontier = Frontier::open_empty(&self.path, CrawlScope::default()).unwrap();
        for line in self.journal() {
            apply(&mut frontier, &line);
        }
        frontier.save().unwrap();
        self.frontier = None;
        self.frontier = Some(frontier);
    }

    fn journal(&self) -> Vec<String> {
        let mut lines = vec![format!(r#"{{"url":"{}"}}"#, self.web.url(0))];
        for (index, pages) in self.steps.iter().enumerate() {
            for (place, page) in pages.iter().enumerate() {
                let is_last = place + 1 == pages.len();
                lines.push(self.web.record(*page, index as u64 + 1, is_last));
            }
        }
        lines
    }

    fn copy_path(&self) -> PathBuf {
        self.path.with_extension("copy")
    }

    fn copy(&mut self) {
        self.frontier().commit().unwrap();
        self.frontier().merge_wal().unwrap();
        self.frontier = None;
        std::fs::copy(&self.path, self.copy_path()).unwrap();
        self.frontier = Some(Crawl::open(&self.path));
    }

    fn restore(&mut self) {
        if !self.copy_path().exists() {
            return;
        }
        self.frontier().merge_wal().unwrap();
        self.frontier = None;
        std::fs::copy(self.copy_path(), &self.path).unwrap();
        let mut frontier = Crawl::open(&self.path);
        let next = self.steps.len() as u64 + 1;
        let is_complete = frontier.keep_steps_before(next).unwrap();
        self.frontier = Some(frontier);
        if !is_complete {
            self.rebuild();
        }
        std::fs::remove_file(self.copy_path()).unwrap();
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Step(count, order) => self.step(*count, *order),
            Change::KilledStep(count, order, judged) => {
                self.killed_step(*count, *order, *judged);
            }
            Change::Repeat(choice) => {
                if let Some(index) = choice.checked_rem(self.steps.len()) {
                    self.judge(&self.steps[index].clone(), index as u64 + 1);
                }
            }
            Change::Undo(steps) => self.undo(*steps),
            Change::Rebuild => self.rebuild(),
            Change::Restore => self.restore(),
            Change::Copy => self.copy(),
        }
    }
}

/// Crawls a web with changes, and then to its end.
fn crawl(pages: Vec<Page>, changes: &[Change]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frontier.db");
    let web = Web(pages);
    let mut frontier = Crawl::open(&path);
    assert!(frontier.add_seed(&web.url(0)).unwrap().unwrap());
    frontier.advance_to(0);
    frontier.commit().unwrap();
    let mut model = Model::default();
    model.find(&web, 0);
    model.seeds.insert(0);
    let mut crawl = Crawl {
        web: &web,
        path,
        frontier: Some(frontier),
        models: vec![model],
        steps: Vec::new(),
    };
    for change in changes {
        crawl.change(change);
    }
    let orders = [LinkOrder::Mean, LinkOrder::Best];
    loop {
        let steps = crawl.steps.len();
        crawl.step(3, orders[steps % orders.len()]);
        if crawl.steps.len() == steps {
            break;
        }
    }
    let report = crawl.frontier().report().unwrap();
    let model = crawl.models.last().unwrap();
    assert_eq!(report.waiting, 0);
    assert_eq!(report.given, model.requested.len() as u64);
    assert_eq!(report.judged, model.read.len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_frontier_gives_the_same_urls_as_a_simple_one(
        pages in prop::collection::vec(page(40, 9), 40),
        changes in prop::collection::vec(change(), 0..20),
    ) {
        crawl(pages, &changes);
    }

    /// Few hosts, so that they are backed off and become due again.
    #[test]
    fn hosts_are_backed_off_and_become_due_alike(
        pages in prop::collection::vec(page(160, 3), 160),
        changes in prop::collection::vec(change(), 0..12),
    ) {
        crawl(pages, &changes);
    }
}
