//! Arguments of `search`, and the text of its man page.

use forage_cli::{Input, Tool, Verbosity, parse_positive};
use forage_engines::{HitSelection, Patience, SearchLimits};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
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
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Engine, as in index:DIR, searxng:URL or brave:; see --engines
    ///
    /// Can be repeated: each query goes to all engines, and their hits are interleaved by rank.
    #[arg(long, value_name = "SPEC", required_unless_present_any = ["engines", "rebuild"])]
    pub engine: Vec<String>,

    /// List the engines: form, options, key, capabilities; tab-separated
    #[arg(long, exclusive = true)]
    pub engines: bool,

    /// Test whether the engine honours exclusion terms
    ///
    /// Reads no input. Sends the query A (by default `internet`), and then A without B (by default
    /// a word that some of the hits for A contain). Writes `works` or `fails`, the engine, and the
    /// observation.
    #[arg(
        long,
        value_name = "A[,B]",
        num_args = 0..=1,
        default_missing_value = DEFAULT_CANARY_WORD,
        requires = "engine",
        conflicts_with_all = ["files", "add", "hits", "next", "top", "by_page", "force"]
    )]
    pub canary: Option<String>,

    /// Add documents to the embedded index instead of searching
    ///
    /// The documents are the records with `url` and `text`. Writes no output.
    #[arg(long, conflicts_with_all = ["hits", "next", "top", "from_step", "max_calls", "force"])]
    pub add: bool,

    /// Write the documents of the embedded index instead of searching
    ///
    /// Each is a record with `url`, `id`, `title` and `text`, in the order of the URLs. Also reads
    /// an index that is refused because its terms are of another segmentation version.
    #[arg(
        long,
        requires = "engine",
        conflicts_with_all = ["files", "add", "hits", "next", "top", "by_page", "from_step",
            "max_calls", "force", "canary"]
    )]
    pub dump: bool,

    /// Cache of hits and of returned URLs; created if missing
    ///
    /// Without it, the cache is in memory and ends with the process.
    #[arg(long, value_name = "FILE")]
    pub hits: Option<PathBuf>,

    /// Return the first K unseen hits, not returned before; the default
    ///
    /// K is 1 if it is not given. Before a file name, write --next=K.
    #[arg(
        long,
        value_name = "K",
        num_args = 0..=1,
        default_missing_value = "1",
        value_parser = parse_next
    )]
    pub next: Option<NonZeroUsize>,

    /// Return the first N hits, whether or not they were returned before
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "next",
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub top: Option<NonZeroUsize>,

    /// Return unseen hits from the cache, or else from one further page
    ///
    /// Returns fewer than K hits rather than requesting a second page.
    #[arg(long, conflicts_with_all = ["top", "add", "rebuild"])]
    pub by_page: bool,

    /// Hits per page, if the engine lets the client choose
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub page_size: NonZeroU32,

    /// Maximum number of pages per query and engine, cached ones included
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub max_pages: NonZeroU32,

    /// Maximum number of calls to all engines [default: no limit]
    ///
    /// Beyond it, only cached hits are returned.
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,

    /// Maximum number of distinct queries to send [default: no limit]
    ///
    /// For further queries, only cached hits are returned.
    #[arg(long, value_name = "N")]
    pub max_queries: Option<u64>,

    /// Maximum number of calls per second [default: the engine's]
    ///
    /// May be a fraction, such as 0.5. --engines lists the limit of each engine.
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    pub rate: Option<f64>,

    /// Maximum wait for a failing engine, in seconds [default: 60 or 0]
    ///
    /// Measured from the first failure since the engine's last response. The default is 60 for an
    /// engine that asks to wait, and 0 for one that is down. With 0, a failure is final for its
    /// query, and the next query does not wait.
    #[arg(long, value_name = "SECONDS")]
    pub patience: Option<u32>,

    /// Write the capabilities of the engine on one line
    ///
    /// Of several engines, those that all have. They are: exclusion, exclusion-alone (a query without an inclusion term), like (documents
    /// similar to a given one).
    #[arg(
        long,
        requires = "engine",
        conflicts_with_all = ["hits", "next", "top", "add", "dump", "canary"]
    )]
    pub capabilities: bool,

    /// First remove the URLs returned in this step and later steps
    ///
    /// The step of a URL is step.number of its record. Cached pages of hits are kept.
    #[arg(long, value_name = "STEP", requires = "hits")]
    pub from_step: Option<u64>,

    /// Restore the returned URLs from a journal instead of reading input
    ///
    /// Cached pages of hits cannot be restored.
    #[arg(
        long,
        value_name = "JOURNAL",
        requires = "hits",
        conflicts_with_all =
            ["files", "engine", "next", "top", "from_step", "max_calls", "force", "add", "dump"]
    )]
    pub rebuild: Option<PathBuf>,

    /// Rebuild only if the cache lacks a step before this one
    ///
    /// Otherwise, only remove the URLs returned in this step and later steps.
    #[arg(long, value_name = "STEP", requires = "rebuild")]
    pub if_behind: Option<u64>,

    /// Time limit for a response of an engine on the web, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub timeout: NonZeroU32,

    /// Mail address or URL to send to engines [default: $FORAGE_CONTACT]
    ///
    /// It is part of the User-Agent. Some engines require it.
    #[arg(long, value_name = "MAIL")]
    pub contact: Option<String>,

    /// Also process records that already have `hit` or `url`
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "search";
    // With --add, the input is documents, and the indexing stage reports records that are none.
    const INPUT_FIELDS: &'static [&'static str] = &[];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

impl Args {
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

    /// Returns the limits on requests to the engine.
    pub fn limits(&self) -> SearchLimits {
        SearchLimits {
            page_size: self.page_size.get(),
            max_pages: self.max_pages.get(),
            max_calls: self.max_calls,
            max_queries: self.max_queries,
        }
    }

    /// Returns the time between two calls that the user set.
    pub fn call_interval(&self) -> Option<Duration> {
        self.rate
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

    /// Returns the words with which exclusion is tested: the query, and the excluded word if it is
    /// given.
    pub fn canary_words(&self) -> (&str, Option<&str>) {
        let words = self.canary.as_deref().unwrap_or(DEFAULT_CANARY_WORD);
        words
            .split_once(',')
            .map_or((words, None), |(word, excluded)| {
                (word.trim(), Some(excluded.trim()))
            })
    }

    /// Returns `true` if this is a step of a run. Warnings that hold for the whole run were printed
    /// before its first step.
    pub fn is_step(&self) -> bool {
        self.from_step.is_some()
    }
}

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

/// Default query of `--canary`: a word that has hits in most languages. Set by judgement, not
/// measured.
const DEFAULT_CANARY_WORD: &str = "internet";

const SECTIONS: &str = "\
READS
  step    number: the step to which calls are attributed
  query   {include, exclude}: terms that a document must, and must not,
          contain; like: URL of a document that hits are to be similar to;
          limit: maximum number of hits, if it is less than that of --next

Records without query, and records with hit, url or error, are passed on
unchanged. With --add: url and text, and title and id if present. Records
without url or text are skipped.

ADDS
  url     URL of the hit; absent if there is none
  step    last: true on the last record of the step only
  hit     {engine, rank, title, snippet, calls, outcome}
          rank is counted from 1. calls is the number of calls that the record
          cost: the first record of a step has all calls of the step, the
          others have 0 (of several engines, the first record without an error). outcome is hit, empty (the query has no hits) or
          exhausted (all hits were returned before). The last record of a step
          also has unseen (hits of the query in the cache that have not been
          returned), more (pages if further pages may be requested, hidden if
          --max-pages forbids it), and the engine's document counts: total
          (documents that match) and df (documents that contain each word); not
          with several engines.
  id, title, text
          from the embedded index, which stores the documents
  error   if the query was not answered, of kind refused (the engine rejects the
          query or the key, or its quota is exhausted), throttled (it asks to
          wait for longer than --patience), engine-down (no connection, no
          response in time, or none that can be read), budget (--max-calls or
          --max-queries is reached) or bad-field (query has the wrong type).
          None of these means that there are no hits, and none is cached. hit
          then has only engine and calls.

SEVERAL ENGINES
The hits of several engines are interleaved by rank: the first hit of each
engine, in the order of --engine, then the second of each, and so on. A URL that
several engines return is returned once. --next, --top and the limit of a query
hold for the interleaved hits; a page is requested when its first hit is due, so
that --top 20 takes ten hits from each of two engines, by one call to each.
hit.engine and hit.rank are those of the engine that returned the hit. A query
is empty or exhausted if it is so for all engines that answer.

An engine that fails does not affect the others: the step has an additional
record with an error, before its hits. search waits for a failing engine
(--patience) only if no engine answers. --max-calls and --max-queries limit all
engines together.

THE EMBEDDED INDEX
A document matches if its text contains all inclusion terms and no exclusion
term. Terms are those of all tools of Forage: lower-cased words with a letter,
of at most 40 characters, in alphabets of at least 2. A term of several words is
a phrase. Documents similar to one of the index (query.like) are those that
contain any of its 25 most indicative words, by tf * log(N/df), except the
document itself. Matches are ranked by BM25, equal scores by URL.

--add creates the folder if it is missing, replaces a document with the same
URL, and generates a missing id. Documents can be found after --add has ended,
and during it after each 50,000. Only one process can add to an index at a time,
but any number of processes can search it meanwhile.

The index records the version of the rules that split text into terms. An index
of another version is refused, because its terms differ from those of queries.
Make a new index of its documents with --dump and --add.

ENGINES ON THE WEB
    SPEC                  key in the environment    hits per page, per query
    searxng:URL           SEARXNG_AUTHORIZATION?    set by the engine
    mediawiki:LANG|URL    MEDIAWIKI_AUTHORIZATION?  500, 10,000
    brave:                BRAVE_API_KEY             20, 200
    mojeek:               MOJEEK_API_KEY            100
    marginalia:           MARGINALIA_API_KEY?       100
    opensearch:URL/INDEX  OPENSEARCH_AUTHORIZATION? 10,000, 10,000
    quickwit:URL/INDEX    QUICKWIT_AUTHORIZATION?   10,000, 10,000
    solr:URL/solr/NAME    SOLR_AUTHORIZATION?       no limit
    yacy:URL              YACY_AUTHORIZATION?       no limit
    gdelt:                none                      one page of 250
    description:URL       DESCRIPTION_AUTHORIZATION?  set by the engine
    feed:URL              FEED_AUTHORIZATION?       the items of the feed

A key with `?` is needed only if the engine requires one. AUTHORIZATION
variables hold the value of the Authorization header, as in \"Basic
dXNlcjpwYXNz\". Keys are sent to the engine's own host only, and are not written
to any record, file or message.

A URL may also follow `brave:`, `mojeek:`, `marginalia:` and `gdelt:`, for a
proxy or an instance of your own. The query part of a URL has options for the
engine, as in brave:?country=SI. For opensearch:, quickwit: and solr:, the
options url=FIELD, title=FIELD and text=FIELD name the fields of the index.
Elasticsearch is searched as opensearch:, and any engine with an OpenSearch 1.1
description, or a page that links to one, as description:. Wikipedias require a
--contact.

A feed (RSS or Atom) lists the latest documents of a site. It is requested once
for all queries, which are matched with the titles and summaries of its items:
terms and phrases as in the embedded index, in the order of the feed. With
--hits, it is requested once per FILE.

Proxies are read from http_proxy, https_proxy and all_proxy. NO_PROXY lists
hosts without a proxy. Engines on this machine or in a private network
(localhost, 127.0.0.1, 192.168.1.9 ...) are always called directly.

Engines split text into words by rules of their own. A phrase is sent in
quotation marks, and so is a term of a script without blanks between words, such
as Japanese, so that it is found whatever these rules are. Only description: is
sent all terms as they are, because its query syntax is unknown.

Exclusion terms are sent with a minus sign, or in the engine's own syntax.
Engines on the web may ignore them: hits whose title or snippet contains an
exclusion term are skipped, which is reported once. description: and feed:
do not support exclusion, so their hits are only checked. --canary tests any engine. If a
query is too long (brave: 400 characters and 50 words, mediawiki: 300
characters), exclusion terms are dropped, the last ones first, and hits are
checked for them. A query that is too long without them is refused.

The cache distinguishes engines, page sizes and queries. Calls are at least the
engine's interval apart (brave and marginalia 1 s, gdelt 5 s), or as --rate sets
it; with --hits, also between processes. An engine that asks to wait or, with
--patience, one that is down is retried after its Retry-After, or after 1, 2, 4
... 300 s, until --patience has passed. An engine that names a longer time is
not called before that time, or for a day at most; with --hits this also holds
for later processes, except with --patience 0. A wait is reported at its start
and every quarter of an hour. An exhausted quota is an error of kind refused,
and search does not wait for it.

STATE
--hits stores pages of hits as soon as they arrive, and returned URLs after
their records have been written. If the output breaks off, run search again on
the same input: nothing is lost or paid for twice, but records that were written
just before a kill may occur twice. With --from-step, in a pipeline that repeats
an interrupted step, URLs are stored before.

When search ends normally, FILE of --hits is complete on its own. With
--from-step and after a kill, FILE-wal belongs to it.

MEMORY AND TIME
Searching needs about 15 MB in addition to the parts of the index that are in
use. Adding needs 64 MB per core, for up to 4 cores. The time of a query to the
embedded index is proportional to the number of documents that match.

EXIT STATUS
  0  all input was processed, including records with an error; with --canary:
     exclusion works
  1  some lines were not records and were skipped; with --canary: exclusion
     does not work
  2  could not run or had to stop: the engine or index does not exist, the key
     is missing, --hits is not a cache of hits, the disk is full; with
     --canary: no conclusion

EXAMPLES
Build an index, and search it for pages with two words and without a third:

  $ search --engine index:web --add docs.jsonl
  $ echo '{\"query\":{\"include\":[\"je\",\"da\"],\"exclude\":[\"the\"]}}' |
      search --engine index:web --top 5 | jq -r .url

Make a new index of the documents of an older one:

  $ search --engine index:web --dump | search --engine index:new --add

Search for pages similar to a given one:

  $ echo '{\"query\":{\"like\":\"http://example.org/\"}}' |
      search --engine index:web --top 5 | jq -r .url

Retrieve the next three Slovenian pages from the web, with a SearXNG instance:

  $ gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
      --step 7 | search --engine searxng:http://localhost:8888 \\
      --hits hits.db --next 3 | fetch-extract

Search two engines for news, ten articles from each:

  $ echo '{\"query\":{\"include\":[\"gold\",\"mine\"]}}' |
      search --engine gdelt: --engine mediawiki:https://en.wikinews.org \\
      --top 20 | jq -r '[.hit.engine, .url] | @tsv'

Search a Wikipedia for pages with two words:

  $ echo '{\"query\":{\"include\":[\"lep\",\"dan\"]}}' |
      search --engine mediawiki:sl --top 3 | jq -r .url

Test whether Brave honours exclusion terms:

  $ BRAVE_API_KEY=... search --engine brave: --canary dan,the

Restore the returned URLs of a run whose cache of hits is lost:

  $ search --hits RUN/hits.db --rebuild RUN/journal.jsonl

SEE ALSO
gen-query(1), fetch-extract(1), forage-records(5), forage(7)

R. Ghani, R. Jones, D. Mladenić: Mining the web to create minority language
corpora. CIKM 2001.";
