//! The choice of the URLs that are given next.
//!
//! There are indexes by mean and by greatest score of the parents only, because what is known of a
//! host changes for all of its links at once. For another order, the best links by one of them are
//! read and ordered again, so links with a low score are not considered. A batch may have fewer
//! URLs than requested if the limits per host exclude the others of these links.
//!
//! The order `best` needs the index by greatest score: with links read by mean, crawls for a narrow
//! subject had a mean recall of .785, and with this index .869 (docs/algorithms.md, "Frontier").

use crate::state_file::crawl_url::CrawlUrl;
use crate::state_file::frontier::Frontier;
use crate::state_file::hosts::{self, HostState};
use crate::state_file::priority::{LinkCandidate, LinkOrder};
use crate::state_file::store::{self, GivenUrl, WaitingUrl};
use crate::state_file::words::WordKeys;
use foldhash::HashMap;
use forage_record::FrontierEntry;
use forage_state::{StateError, StateFile, read_count, sqlite_step};
use rusqlite::{Result, Row};

/// Links that are read from an index for each URL of a batch. Set by judgement, not measured.
const POOL_FACTOR: usize = 20;
/// Minimum number of links that are read from an index. Set by judgement, not measured.
const MIN_POOL: usize = 500;

/// A request for URLs.
#[derive(Debug, Clone, Copy)]
pub struct BatchRequest {
    /// Maximum number of URLs.
    pub count: usize,
    /// Maximum number of URLs of one host; `None`: any.
    pub per_host: Option<usize>,
    /// The step to which they are given.
    pub step: u64,
    /// Their order.
    pub order: LinkOrder,
}

/// A URL that is given.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedUrl {
    /// The URL.
    pub url: String,
    /// Its place in the queue.
    pub entry: FrontierEntry,
}

impl Frontier {
    /// Returns the best URLs that wait, best first, and marks them as given. Returns none only if
    /// none waits.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn take_batch(
        &mut self,
        request: &BatchRequest,
    ) -> std::result::Result<Vec<QueuedUrl>, StateError> {
        self.db.begin()?;
        let step = sqlite_step(request.step);
        let chosen = self.run(|db, cache| {
            cache.write(db)?;
            let given = match store::step_start(db, step)? {
                Some(start) => start.given,
                None => store::given_count(db)?,
            };
            hosts::end_step_before(db, step, given)?;
            choose(db, request)
        })?;
        if !chosen.is_empty() {
            self.begin_step(step)?;
        }
        self.run(|db, _| chosen.iter().try_for_each(|link| give(db, link, step)))?;
        Ok(chosen.into_iter().map(WaitingLink::into_queued).collect())
    }
}

/// A link that waits, as it is read from the file.
#[derive(Debug)]
struct WaitingLink {
    id: i64,
    waiting: WaitingUrl,
    text: String,
    anchor: WordKeys,
    host: i64,
    state: HostState,
}

impl WaitingLink {
    fn into_queued(self) -> QueuedUrl {
        let parents = self.waiting.parents.total;
        QueuedUrl {
            url: self.text,
            entry: FrontierEntry {
                score: (parents.count > 0).then(|| parents.mean().value()),
                depth: self.waiting.depth,
                parents: u64::try_from(parents.count).unwrap_or(0),
            },
        }
    }
}

const LINK_COLUMNS: &str = "\
    waiting.id, depth, parents, waiting.sum, greatest, is_parked, url, words, url.host, \
    streak, resume, live, dead, pages, host.sum";
const LINK_JOINS: &str = "\
    JOIN url ON url.id = waiting.id JOIN host ON host.id = url.host";

fn read_link(row: &Row) -> Result<WaitingLink> {
    Ok(WaitingLink {
        id: read_count(row, 0)?,
        waiting: store::read_waiting(row, 1)?,
        text: row.get(6)?,
        anchor: WordKeys::from_bytes(row.get_ref(7)?.as_blob()?),
        host: read_count(row, 8)?,
        state: hosts::read_host(row, 9)?,
    })
}

/// Chooses the URLs of a batch.
fn choose(db: &StateFile, request: &BatchRequest) -> Result<Vec<WaitingLink>> {
    let given = store::given_count(db)?;
    hosts::release_due(db, given)?;
    let mut batch = Batch::new(request);
    let pool = scan(db, request, given, &mut batch)?;
    if let Some(mut priority) = request.order.priority() {
        let mut estimated = Vec::with_capacity(pool.len());
        for link in pool {
            let estimate = estimate(db, priority.as_mut(), &link)?;
            estimated.push((estimate, link));
        }
        // The sort is stable: links with equal estimates stay in the order of the index. Seeds
        // come first.
        estimated.sort_by(|(a, left), (b, right)| {
            let is_link = |link: &WaitingLink| link.waiting.depth > 0;
            is_link(left).cmp(&is_link(right)).then(b.total_cmp(a))
        });
        for (_, link) in estimated {
            batch.offer(link);
        }
    }
    if batch.links.is_empty() {
        return take_parked(db, request.count);
    }
    Ok(batch.links)
}

fn estimate(
    db: &StateFile,
    priority: &mut dyn crate::state_file::priority::LinkPriority,
    link: &WaitingLink,
) -> Result<f64> {
    let parents = link.waiting.parents;
    let mean = parents.total.mean().value();
    let Ok(url) = CrawlUrl::parse(&link.text) else {
        return Ok(mean);
    };
    let candidate = LinkCandidate {
        url: &url,
        anchor: &link.anchor,
        mean,
        greatest: parents.greatest.value(),
        host: &link.state,
    };
    priority.estimate(db, &candidate)
}

/// Reads links in the order of an index, and parks those of hosts that are backed off. Offers them
/// to the batch if that is the order of the batch; returns them otherwise.
fn scan(
    db: &StateFile,
    request: &BatchRequest,
    given: i64,
    batch: &mut Batch,
) -> Result<Vec<WaitingLink>> {
    let sql = match request.order {
        LinkOrder::Breadth => format!(
            "SELECT {LINK_COLUMNS} FROM waiting {LINK_JOINS} WHERE NOT is_parked \
             ORDER BY waiting.id"
        ),
        LinkOrder::Best => format!(
            "SELECT {LINK_COLUMNS} FROM waiting INDEXED BY waiting_greatest {LINK_JOINS} \
             WHERE NOT is_parked ORDER BY depth > 0, greatest DESC, waiting.id"
        ),
        LinkOrder::Mean | LinkOrder::Anchor | LinkOrder::Yield => format!(
            "SELECT {LINK_COLUMNS} FROM priority CROSS JOIN waiting ON waiting.id = priority.id \
             {LINK_JOINS} ORDER BY rank, priority.id"
        ),
    };
    let is_batch_order = matches!(request.order, LinkOrder::Mean | LinkOrder::Breadth);
    let limit = request.count.saturating_mul(POOL_FACTOR).max(MIN_POOL);
    let (mut pool, mut backed_off, mut read) = (Vec::new(), Vec::new(), 0);
    let mut select = db.prepare_cached(&sql)?;
    let mut rows = select.query([])?;
    while read < limit && !batch.is_full() {
        let Some(row) = rows.next()? else { break };
        let link = read_link(row)?;
        if link.state.is_backed_off(given) {
            let place = (link.waiting.rank(), link.id);
            backed_off.push((link.host, link.state.resume, place));
            continue;
        }
        read += 1;
        if is_batch_order {
            batch.offer(link);
        } else {
            pool.push(link);
        }
    }
    drop(rows);
    for (host, resume, place) in backed_off {
        hosts::park(db, host, resume, place)?;
    }
    Ok(pool)
}

/// Returns URLs of hosts that are backed off, one of each host, those of the hosts that are due
/// first: no other URL waits.
fn take_parked(db: &StateFile, count: usize) -> Result<Vec<WaitingLink>> {
    let sql = format!("SELECT {LINK_COLUMNS} FROM waiting {LINK_JOINS} WHERE waiting.id = ?");
    let mut select = db.prepare_cached(&sql)?;
    hosts::best_parked(db, count)?
        .iter()
        .map(|id| select.query_row([id], read_link))
        .collect()
}

/// Marks a link as given.
fn give(db: &StateFile, link: &WaitingLink, step: i64) -> Result<()> {
    store::delete_place(db, link.id, link.waiting.rank(), link.waiting.is_parked)?;
    store::delete_waiting(db, link.id)?;
    let given = GivenUrl {
        id: link.id,
        step,
        url: link.waiting,
        is_request: true,
    };
    store::add_given(db, &given)
}

/// The URLs chosen so far.
#[derive(Debug)]
struct Batch {
    links: Vec<WaitingLink>,
    count: usize,
    per_host: usize,
    hosts: HashMap<i64, usize>,
}

impl Batch {
    fn new(request: &BatchRequest) -> Batch {
        Batch {
            links: Vec::new(),
            count: request.count,
            per_host: request.per_host.unwrap_or(usize::MAX),
            hosts: HashMap::default(),
        }
    }

    fn is_full(&self) -> bool {
        self.links.len() >= self.count
    }

    /// Adds a link, unless the batch is full or has enough URLs of its host: of a host whose last
    /// link was dead, one.
    fn offer(&mut self, link: WaitingLink) {
        let limit = match link.state.streak {
            0 => self.per_host,
            _ => 1,
        };
        let taken = self.hosts.entry(link.host).or_default();
        if *taken < limit && self.links.len() < self.count {
            *taken += 1;
            self.links.push(link);
        }
    }
}
