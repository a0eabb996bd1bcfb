//! Measures what a step of a crawl costs in frontiers of several sizes: the file is opened, one URL
//! or 20 are given, their pages with 60 links each are judged, and the changes are committed.
//!
//! `cargo run --release --package measure-frontier -- FOLDER [URLS]...`

use forage_record::OutLink;
use forage_run::StepProjection;
use frontier::state_file::{BatchRequest, CrawlScope, Frontier, JudgedPage, LinkOrder};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// The steps that are measured: their URLs, and the order of these.
const MEASURED: [(usize, LinkOrder); 5] = [
    (1, LinkOrder::Mean),
    (20, LinkOrder::Mean),
    (20, LinkOrder::Anchor),
    (20, LinkOrder::Yield),
    (20, LinkOrder::Best),
];
/// Links of a page.
const LINKS: u64 = 60;
/// Hosts of all links.
const HOSTS: u64 = 5000;
/// Repetitions of each, of which the median counts.
const STEPS: usize = 30;
/// Pages that are added at a time while the frontier is filled.
const FILL: u64 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args
        .next()
        .ok_or("usage: measure-frontier FOLDER [URLS]...")?;
    let sizes: Vec<u64> = args.map(|size| size.parse()).collect::<Result<_, _>>()?;
    for size in sizes {
        measure(Path::new(&folder), size)?;
    }
    Ok(())
}

fn measure(folder: &Path, size: u64) -> Result<(), Box<dyn Error>> {
    let path = folder.join(format!("frontier-{size}.db"));
    let mut random = Random(size);
    let start = Instant::now();
    let links = fill(&path, size, &mut random)?;
    let fill_seconds = start.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&path)?.len();
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{size} URLs: {:.0} links/s, {} bytes per URL",
        links as f64 / fill_seconds,
        bytes / size
    )?;
    for (count, order) in MEASURED {
        let mut times = Vec::new();
        for _ in 0..STEPS {
            let start = Instant::now();
            step(&path, size, (count, order), &mut random)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        writeln!(
            out,
            "  {count} URLs, {order:?}: {:.1} ms per step",
            times[STEPS / 2]
        )?;
    }
    Ok(())
}

/// Fills a frontier with about `size` URLs. Returns the number of links that led to them.
fn fill(path: &Path, size: u64, random: &mut Random) -> Result<u64, Box<dyn Error>> {
    let mut frontier = Frontier::open(path, CrawlScope::default())?;
    let mut links = 0;
    let mut page = 0;
    while links * 9 / 10 < size {
        for _ in 0..FILL.min(size / LINKS) {
            judge(
                &mut frontier,
                &format!("http://p{page}.test/"),
                0,
                size,
                random,
            )?;
            page += 1;
            links += LINKS;
        }
        frontier.commit()?;
    }
    frontier.merge_wal()?;
    Ok(links)
}

fn step(
    path: &Path,
    size: u64,
    (count, order): (usize, LinkOrder),
    random: &mut Random,
) -> Result<(), Box<dyn Error>> {
    let mut frontier = Frontier::open(path, CrawlScope::default())?;
    let step = frontier.next_step()?;
    let request = BatchRequest {
        count,
        per_host: None,
        step,
        order,
    };
    for queued in frontier.take_batch(&request)? {
        judge(&mut frontier, &queued.url, step, size, random)?;
    }
    frontier.commit()?;
    Ok(())
}

/// Judges a page with random links, three of four to its own host, and nine of ten to new URLs.
fn judge(
    frontier: &mut Frontier,
    url: &str,
    step: u64,
    size: u64,
    random: &mut Random,
) -> Result<(), Box<dyn Error>> {
    let score = random.below(1000) as f64 / 1000.0;
    let own_host = random.below(HOSTS);
    let links = (0..LINKS).map(|link| {
        let is_own = link % 4 > 0;
        let host = if is_own {
            own_host
        } else {
            random.below(HOSTS)
        };
        let number = random.below(10 * size / HOSTS);
        OutLink {
            url: format!("http://h{host}.test/{}/{number}", number % 7).into(),
            text: format!("page {}", number % 1000).into(),
        }
    });
    frontier.apply_page(&JudgedPage {
        url,
        step,
        is_live: true,
        score: Some(score),
        links: Some(links.collect()),
        ..JudgedPage::default()
    })?;
    Ok(())
}

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}
