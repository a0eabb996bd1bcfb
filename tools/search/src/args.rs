//! Arguments of `search`.

use crate::sections::sections;
use forage_cli::{
    Contact, HostLists, Input, Paging, RecordOutput, Refresh, Tool, Verbosity, parse_positive,
};
use forage_engines::canary::COMMON_WORD;
use forage_engines::{HitSelection, Patience, SearchLimits};
use forage_record::field;
use forage_step::StepArgs;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Send queries to a search engine and add the hits
///
/// Each record with `query` becomes one record per hit: the query with the URL of the hit, and with
/// its text if the engine stores documents. A query without a hit becomes one record with the
/// reason. Other records are passed on.
///
/// All pages of hits are cached, so that no page is requested twice for the same query (the same
/// terms in any order). A repeated query returns its next hits, and requests a further page only
/// after all cached hits have been returned.
///
/// With --in-links, adds to the record of each relevant page the pages that link to it.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = sections())]
pub struct Args {
    /// Engine, as in index:DIR or brave:; see --engines
    ///
    /// Can be repeated: each query goes to all engines, and their hits are interleaved by rank.
    #[arg(
        long,
        value_name = "SPEC",
        required_unless_present_any = ["engines", "rebuild"],
        conflicts_with = "rebuild"
    )]
    pub engine: Vec<String>,

    /// List the engines, or test an --engine: canary, canary=A,B or probe
    ///
    /// Reads no input. Without a value, lists form, options, key and capabilities of each engine: a
    /// table on a terminal, else tab-separated. A test writes `works` or `fails`, the engine, and
    /// the observation; exit code 1 if it fails. canary tests whether the engine honours exclusion
    /// terms: it sends the query A (by default `internet`), and then A without B (by default a word
    /// that some of the hits for A contain). It writes `fails:` with `ignores`, `requires` (hits
    /// must contain B) or `error`; if the engine does not answer, exit code 0. probe tests whether
    /// the engine still has hits: it sends the last query in --hits that had hits once more; if
    /// none had, the last query and a common word. If the last page had hits, it sends nothing.
    #[arg(
        long,
        value_name = "TEST",
        num_args = 0..=1,
        default_missing_value = "list",
        conflicts_with_all = ["files", "add", "merge", "dump", "in_links", "next", "top", "by_page",
            "force", "from_step", "rebuild"]
    )]
    pub engines: Option<EngineTask>,

    /// Add documents to an index instead of searching
    ///
    /// The documents are the records with `url` and `text`. Writes no output.
    #[arg(long, conflicts_with_all = ["hits", "next", "top", "from_step", "rebuild", "max_calls", "force"])]
    pub add: bool,

    /// Remove documents from an index instead of searching
    ///
    /// They are those with the `url` or the `id` of a record. Writes no output.
    #[arg(
        long,
        requires = "engine",
        conflicts_with_all = ["add", "merge", "dump", "in_links", "hits", "next", "top", "by_page",
            "from_step", "rebuild", "max_calls", "force"]
    )]
    pub remove: bool,

    /// Add the documents of these embedded indexes instead of searching
    ///
    /// Each is a folder, as in DIR or index:DIR. Of documents with the same URL, the index has the
    /// one of the last index, as if all were added by --add in this order. Writes no output.
    #[arg(
        long,
        value_name = "INDEX",
        num_args = 1..,
        requires = "engine",
        conflicts_with_all = ["files", "add", "dump", "in_links", "hits", "next", "top", "by_page",
            "from_step", "rebuild", "max_calls", "force"]
    )]
    pub merge: Vec<PathBuf>,

    /// Write the documents of the embedded index instead of searching
    ///
    /// Each is a record with `url`, `id`, `title` and `text`, in the order of the URLs. Also reads
    /// an index that is refused because its terms are of another segmentation version.
    #[arg(
        long,
        requires = "engine",
        conflicts_with_all = ["files", "add", "hits", "next", "top", "by_page", "from_step", "rebuild",
            "max_calls", "force"]
    )]
    pub dump: bool,

    /// Add the pages that link to each relevant page, and pass on all records
    ///
    /// The relevant pages are the records with a text whose label is that of --target, and that are
    /// no duplicates. Adds the first --top hits (by default 10) for the URL after redirects. If the
    /// engine does not answer, the record is passed on without them; after three such pages in a
    /// row, it is not asked again.
    #[arg(
        long,
        requires = "engine",
        conflicts_with_all = ["next", "by_page", "add", "dump", "rebuild"]
    )]
    pub in_links: bool,

    /// Label of the relevant pages, for --in-links [default: on-topic]
    #[arg(long, value_name = "LABEL", requires = "in_links")]
    pub target: Option<String>,

    /// Cache of hits and of returned URLs; created if missing
    ///
    /// Without it, the cache is in memory and ends with the process.
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub hits: Option<PathBuf>,

    /// Return the first K unseen hits; the default
    ///
    /// They have not been returned before. K is 1 if it is not given. Before a file name, write
    /// --next=K.
    #[arg(
        long,
        value_name = "K",
        num_args = 0..=1,
        default_missing_value = "1",
        conflicts_with = "rebuild",
        value_parser = parse_next
    )]
    pub next: Option<NonZeroUsize>,

    /// Return the first N hits, returned before or not
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["next", "rebuild"],
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub top: Option<NonZeroUsize>,

    /// Return unseen hits from the cache, or else from one further page
    ///
    /// Returns fewer than K hits rather than requesting a second page.
    #[arg(long, conflicts_with_all = ["top", "add", "rebuild"])]
    pub by_page: bool,

    #[command(flatten)]
    pub paging: Paging,

    /// Maximum number of calls to all engines [default: no limit]
    ///
    /// Beyond it, only cached hits are returned.
    #[arg(long, value_name = "N", conflicts_with = "rebuild")]
    pub max_calls: Option<u64>,

    /// Maximum number of distinct queries to send [default: no limit]
    ///
    /// For further queries, only cached hits are returned.
    #[arg(long, value_name = "N")]
    pub max_queries: Option<u64>,

    /// Give up an engine without any hit after N queries [default: no limit]
    ///
    /// An engine that fails may answer that there are no hits. If the engines have never returned a
    /// hit, and N distinct queries were sent, a quarter of them with a single word, or 2 N of any
    /// kind, queries get an error of kind no-hits. So do they if an engine that has returned hits
    /// has none for N/4, N/2, N, 2 N … queries in a row, nor for its last query that had some; or
    /// if no hit of N queries is on a host that --hosts-allow and --hosts-deny admit. Such queries
    /// are still sent, so that it is noticed when the engine works again. Counts the queries in
    /// --hits.
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroU32>)]
    pub max_empty: Option<NonZeroU32>,

    #[command(flatten)]
    pub pace: Pace,

    /// Maximum wait for a failing engine, in seconds [default: 60 or 0]
    ///
    /// Measured from the first failure since the engine's last response. The default is 60 for an
    /// engine that asks to wait, and 0 for one that is down. With 0, a failure is final for its
    /// query, and the next query does not wait.
    #[arg(long, value_name = "SECONDS")]
    pub patience: Option<u32>,

    #[command(flatten)]
    pub step: StepArgs,

    /// With --if-behind: forget the pages without hits of these steps
    ///
    /// Their queries are sent again when the steps are repeated.
    #[arg(long, requires = "if_behind")]
    pub forget_empty: bool,

    /// Time limit for a response of an engine on the web, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub timeout: NonZeroU32,

    #[command(flatten)]
    pub contact: Contact,

    /// Send all connections to this address, as with curl
    ///
    /// URL and Host header stay the same.
    #[arg(long, value_name = "HOST:PORT")]
    pub connect_to: Option<String>,

    #[command(flatten)]
    pub refresh: Refresh,

    /// Also process records that already have `hit` or `url`
    #[arg(long, conflicts_with = "rebuild")]
    pub force: bool,

    #[command(flatten)]
    pub scope: Scope,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// What `--engines` does.
#[derive(Debug, Clone)]
pub enum EngineTask {
    /// Lists the engines.
    List,
    /// Tests whether an engine honours exclusion: the query, and the excluded word if it is given.
    Canary(String, Option<String>),
    /// Tests whether engines still have hits.
    Probe,
}

impl FromStr for EngineTask {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (task, words) = text.split_once('=').unzip();
        match (task.unwrap_or(text), words) {
            ("list", None) => Ok(Self::List),
            ("probe", None) => Ok(Self::Probe),
            ("canary", words) => {
                let mut words = words.unwrap_or(COMMON_WORD).splitn(2, ',');
                let query = words.next().unwrap_or_default().trim().to_owned();
                let excluded = words.next().map(|word| word.trim().to_owned());
                Ok(Self::Canary(query, excluded))
            }
            _ => Err("not canary, canary=A, canary=A,B or probe"),
        }
    }
}

/// How often engines are called.
#[derive(Debug, Clone, clap::Args)]
pub struct Pace {
    /// Maximum number of calls per second [default: the engine's]
    ///
    /// May be a fraction, such as 0.5. --engines lists the interval of each engine: none for an
    /// index of your own, and 1 to 11 seconds for engines that others use, too.
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub rate: Option<f64>,
}

/// The hits that may be returned.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Scope")]
pub struct Scope {
    /// Skip hits that these files have; repeatable
    ///
    /// Files of records with `url`, such as an earlier corpus. Their URLs are read once into
    /// --hits, and again when a file has changed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["add", "merge", "dump", "in_links"])]
    pub known: Vec<PathBuf>,

    /// The hosts.
    #[command(flatten)]
    pub hosts: HostLists,

    /// Maximum number of hits to return per host [default: no limit]
    ///
    /// With --hits, the hits of earlier steps count.
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroU64>)]
    pub per_host: Option<NonZeroU64>,
}

impl Tool for Args {
    const NAME: &'static str = "search";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["engine", "engines", "add", "top", "next", "hits", "contact"];
    const INPUT_FIELDS: &'static [&'static str] = &[];

    /// Only queries: --add and --in-links report documents that they cannot use.
    fn input_fields(&self) -> &'static [&'static str] {
        match self.is_answering() {
            true => &[field::QUERY],
            false => &[],
        }
    }

    fn output_field(&self) -> &'static str {
        match self.is_answering() {
            true => field::HIT,
            false => "",
        }
    }

    fn done_fields(&self) -> &'static [&'static str] {
        match self.is_answering() {
            true => &[field::URL],
            false => &[],
        }
    }
}

impl Args {
    /// Returns `true` if the input is queries.
    fn is_answering(&self) -> bool {
        !self.add && !self.remove && !self.in_links
    }

    /// Returns the rule by which hits are selected, for a query with this `limit`.
    pub fn hit_selection(&self, limit: Option<NonZeroUsize>) -> HitSelection {
        let next = self.next.unwrap_or(NonZeroUsize::MIN);
        let next = limit.map_or(next, |limit| next.min(limit)).get();
        match self.top {
            Some(n) => HitSelection::Top(n.get()),
            None if self.by_page => HitSelection::OnePage(next),
            None => HitSelection::NextUnseen(next),
        }
    }

    /// Returns the rule by which in-links are selected.
    pub fn in_links_selection(&self) -> HitSelection {
        HitSelection::Top(self.top.map_or(DEFAULT_IN_LINKS, NonZeroUsize::get))
    }

    /// Returns the label of the pages whose in-links are added.
    pub fn target(&self) -> &str {
        self.target.as_deref().unwrap_or(DEFAULT_TARGET)
    }

    /// Returns the limits on requests to the engine.
    pub fn limits(&self) -> SearchLimits {
        SearchLimits {
            page_size: self.paging.page_size.get(),
            max_pages: self.paging.max_pages.get(),
            max_calls: self.max_calls,
            max_queries: self.max_queries,
            max_empty: self.max_empty.map(|limit| limit.get().into()),
        }
    }

    /// Returns the time between two calls that the user set.
    pub fn call_interval(&self) -> Option<Duration> {
        self.pace
            .rate
            .map(|rate| Duration::try_from_secs_f64(1.0 / rate).unwrap_or(Duration::MAX))
    }

    /// Returns the longest wait for a failing engine.
    pub fn patience(&self) -> Patience {
        let seconds = |default: u32| Duration::from_secs(self.patience.unwrap_or(default).into());
        Patience {
            throttled: seconds(60),
            down: seconds(0),
        }
    }
}

/// Text after the options in the long help.
/// Parses K of `--next`. The argument after a bare `--next` is parsed as K too, also a file name.
fn parse_next(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| {
        "not a number from 1; to name a file next, write `--next=1` or put the file first".into()
    })
}

/// Parses a number of calls per second.
fn parse_rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate: &f64| rate.is_finite() && *rate > 0.0)
        .ok_or_else(|| "not a number above 0".into())
}

/// Maximum number of in-links per page, unless `--top` sets it (Kluev 2000).
const DEFAULT_IN_LINKS: usize = 10;

/// Label of the relevant pages of a focused crawl, unless `--target` sets it.
const DEFAULT_TARGET: &str = "on-topic";
