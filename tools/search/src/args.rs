//! The command line of `search`.

use forage_cli::{Input, Tool, Verbosity, parse_positive};
use forage_engines::{Ask, Limits, Patience};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

/// Ask a search engine each query and add the hits that it gives
///
/// A record with `query` becomes one record for each hit: the query with the hit's URL, and with
/// its text where the engine holds documents. A query without a hit is still one record, which says
/// why. Other records are passed on.
///
/// Every page of hits is kept, so that the same query (the same terms, in any order) is never asked
/// twice: a query that comes again gets its next hits, and a further page is asked for only when
/// the known ones are used up.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// The engine, as in index:DIR, searxng:URL or brave:; see --engines
    #[arg(long, value_name = "SPEC", required_unless_present_any = ["engines", "rebuild"])]
    pub engine: Option<String>,

    /// List the engines: form, options, key, what it can express and its limits; tab-separated
    #[arg(long, exclusive = true)]
    pub engines: bool,

    /// Read no input, but check whether the engine leaves out what is excluded: ask for A, then for
    /// A without B, which is a word that A's hits show; `works`, `fails` and why
    #[arg(long, value_name = "A[,B]", num_args = 0..=1, default_missing_value = CANARY, requires = "engine",
        conflicts_with_all = ["files", "add", "hits", "next", "top", "by_page", "force"])]
    pub canary: Option<String>,

    /// Add the records' documents (`url`, `title`, `text`) to the embedded index instead; prints
    /// nothing
    #[arg(long, conflicts_with_all = ["hits", "next", "top", "from_step", "max_calls", "force"])]
    pub add: bool,

    /// Keep hits, and which were given, in this file; made when there is none. Without it, they end
    /// with the process
    #[arg(long, value_name = "FILE")]
    pub hits: Option<PathBuf>,

    /// Give the first K hits that were not given before in this run; this is the default, with K =
    /// 1. Before a file, write --next=K
    #[arg(long, value_name = "K", num_args = 0..=1, default_missing_value = "1", value_parser = next)]
    pub next: Option<NonZeroUsize>,

    /// Give the first N hits, given before or not
    #[arg(long, value_name = "N", conflicts_with = "next", value_parser = parse_positive::<NonZeroUsize>)]
    pub top: Option<NonZeroUsize>,

    /// Give what is known of a query first, and else the hits of one further page, without filling
    /// up to K
    #[arg(long, conflicts_with_all = ["top", "add", "rebuild"])]
    pub by_page: bool,

    /// Hits a page, where the engine lets us choose
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_positive::<NonZeroU32>)]
    pub page_size: NonZeroU32,

    /// Most pages that are asked for a query, ever
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_positive::<NonZeroU32>)]
    pub max_pages: NonZeroU32,

    /// Make at most so many calls to the engine; beyond them only known hits are given [default: no
    /// limit]
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,

    /// Send at most so many different queries to the engine; for others only known hits are given
    /// [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_queries: Option<u64>,

    /// Make at most so many calls a second, such as 0.5 [default: as the engine asks, see
    /// --engines]
    #[arg(long, value_name = "N", value_parser = rate)]
    pub rate: Option<f64>,

    /// How long an engine that asks to wait or is down is waited for since its last answer, in
    /// seconds; 0 gives it up at once, and asks again when it likes [default: 60 where it asks to
    /// wait, 0 where it is down]
    #[arg(long, value_name = "SECONDS")]
    pub patience: Option<u32>,

    /// Write what the engine can do, in one line: exclusion, exclusion-alone (a query
    /// without an inclusion term), like (documents like one that it has)
    #[arg(long, requires = "engine", conflicts_with_all = ["hits", "next", "top", "add", "canary"])]
    pub capabilities: bool,

    /// First forget which hits were given in steps from this one on (step.number); what the engine
    /// answered stays
    #[arg(long, value_name = "STEP", requires = "hits")]
    pub from_step: Option<u64>,

    /// Read no input, but note which hits were given anew from a journal; what engines answered
    /// can't be had from it
    #[arg(long, value_name = "JOURNAL", requires = "hits",
        conflicts_with_all = ["files", "engine", "next", "top", "from_step", "max_calls", "force", "add"])]
    pub rebuild: Option<PathBuf>,

    /// Rebuild only if FILE lacks a step before this one; otherwise only forget marks of steps from
    /// it on
    #[arg(long, value_name = "STEP", requires = "rebuild")]
    pub if_behind: Option<u64>,

    /// How long an engine on the web may take to answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = parse_positive::<NonZeroU32>)]
    pub timeout: NonZeroU32,

    /// Address of mail or page, told to engines that want to know who asks [default:
    /// $FORAGE_CONTACT]
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<String>,

    /// Ask again for what has a `hit` or `url` already
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

impl Tool for Args {
    const NAME: &'static str = "search";
    // With --add it works on documents, and tells of those that are none itself.
    const INPUT_FIELDS: &'static [&'static str] = &[];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

impl Args {
    /// Which hits are wanted.
    pub fn ask(&self) -> Ask {
        let next = self.next.map_or(1, NonZeroUsize::get);
        match self.top {
            Some(n) => Ask::Top(n.get()),
            None if self.by_page => Ask::OfPage(next),
            None => Ask::Next(next),
        }
    }

    /// How much may be asked of the engine.
    pub fn limits(&self) -> Limits {
        Limits {
            page_size: self.page_size.get(),
            max_pages: self.max_pages.get(),
            max_calls: self.max_calls,
            max_queries: self.max_queries,
        }
    }

    /// The time between two calls that the user wishes.
    pub fn interval(&self) -> Option<Duration> {
        self.rate
            .map(|rate| Duration::try_from_secs_f64(1.0 / rate).unwrap_or(Duration::MAX))
    }

    /// How long an engine that doesn't answer is waited for.
    pub fn patience(&self) -> Patience {
        let or = |default: u32| Duration::from_secs(self.patience.unwrap_or(default).into());
        Patience {
            throttled: or(60),
            down: or(0),
        }
    }

    /// The words that exclusion is checked with.
    pub fn canary_words(&self) -> (&str, Option<&str>) {
        let words = self.canary.as_deref().unwrap_or(CANARY);
        words
            .split_once(',')
            .map_or((words, None), |(word, excluded)| {
                (word.trim(), Some(excluded.trim()))
            })
    }

    /// Whether this is a step of a run, where what holds for all of it was said before.
    pub fn is_step(&self) -> bool {
        self.from_step.is_some()
    }
}

/// Reads K. What follows a bare `--next` is taken for it, a file too.
fn next(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| {
        "not a number from 1; a file that follows needs `--next=1`, or goes before".into()
    })
}

/// Reads calls a second.
fn rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate: &f64| rate.is_finite() && *rate > 0.0)
        .ok_or_else(|| "not a number above 0".into())
}

/// A word that has hits in most languages.
const CANARY: &str = "internet";

const AFTER: &str = "\
READS
  step    number: the step that the calls are counted for
  query   {include, exclude}: the terms that a document must and must not
          contain; like: the URL of a document that others are to be like

  A record without a query, or with `hit`, `url` or `error`, is passed on.
  With --add: url, text, and title and id where they are there; a record
  without url or text is skipped.

ADDS
  url     the hit's address; absent where there is none
  step    last, true on the last record of the step alone
  hit     {engine, rank, title, snippet, calls, outcome}
          rank counts from 1. calls is what this record cost: a step's first
          record carries all calls of its step, the others 0. outcome is hit, empty (the engine answered that
          there is nothing) or exhausted (all hits were given before). total
          and df, on the last record, are what the engine counts: documents
          that match, and documents that hold each word.
  id, title, text
          from the embedded index, which holds the documents
  error   where nobody knows: refused (the engine will not answer this query,
          or not with this key, or its quota is used up), throttled (it asks
          to wait for longer than --patience), engine-down (no connection, no
          answer in time, or none that can be read), budget (--max-calls or
          --max-queries are made), bad-field (query has the wrong type). None
          of them means that there are no hits, and none is remembered. hit
          has engine and calls alone.

THE EMBEDDED INDEX
  A document matches when its text contains every inclusion term and no
  exclusion term, by the words that all tools of Forage count: lower-cased, of
  2 to 40 characters, one a letter. A term of several words is a phrase.
  Documents are like one of the index (query.like) when they have some of the
  25 words that tell it best, by tf · log(N/df); it is not among them.
  Matches are ranked by BM25, equal ones by URL. --add makes the folder where
  there is none, puts a document in the place of one with the same URL, and
  fills id. Documents can be found when it has ended; while it runs, every
  50,000. One process adds at a time; any number can search meanwhile.

ENGINES ON THE WEB
      SPEC                  key in the environment    hits a page · a query
      searxng:URL           SEARXNG_AUTHORIZATION?    as it likes
      mediawiki:LANG|URL    MEDIAWIKI_AUTHORIZATION?  500 · 10,000
      brave:                BRAVE_API_KEY             20 · 200
      mojeek:               MOJEEK_API_KEY            100
      marginalia:           MARGINALIA_API_KEY?       100
      opensearch:URL/INDEX  OPENSEARCH_AUTHORIZATION? 10,000 · 10,000
      quickwit:URL/INDEX    QUICKWIT_AUTHORIZATION?   10,000 · 10,000
      solr:URL/solr/NAME    SOLR_AUTHORIZATION?       no limit
      yacy:URL              YACY_AUTHORIZATION?       no limit
      gdelt:                none                      250 in one page
      description:URL       DESCRIPTION_AUTHORIZATION?  as it likes

  `?`: only if it asks for one; an AUTHORIZATION is the value of that header,
  as in \"Basic dXNlcjpwYXNz\". Keys are sent to the engine's own host alone and
  stand in no record, file or message. A URL may follow `brave:`, `mojeek:`,
  `marginalia:` and `gdelt:`, too, for a proxy or an own instance. What stands
  behind `?` in it is passed on to the engine, as in brave:?country=SI; those
  with an own index take url=FIELD, title=FIELD and text=FIELD there. Elastic-
  search is asked by opensearch:, and any engine with an OpenSearch 1.1
  description, or a page that links to one, by description:. Wikipedias want
  to know who asks: give them a --contact.

  Proxies are taken from http_proxy, https_proxy and all_proxy, and NO_PROXY
  names hosts that are asked directly. So is an engine on this machine or a
  private network (localhost, 127.0.0.1, 192.168.1.9 ...), always.

  Excluded terms are asked for with a minus sign, or as the engine has it. On
  the web that can't be relied on: hits whose title or snippet hold an excluded
  term are skipped, which is said once. description: can't be asked to exclude,
  and hits are looked at only; --canary tests how it is with any engine. Where
  a query is too long (brave: 400 characters and 50 words, mediawiki: 300
  characters) exclusion terms are left out from the last on, and hits looked at
  for them; one that is too long without them is refused.

  Pages are kept apart by engine, page size and terms. Between two calls lies
  the time that the engine asks for (brave and marginalia 1 s, gdelt 5 s), over
  processes as well if --hits is given, or what --rate says. An
  engine that throttles or, with --patience, one that is down is asked again
  after its Retry-After, or after 1, 2, 4 ... 300 s, as long as --patience
  lasts since its last answer. One that names a longer time is not asked before
  that is over, or a day, by others with the same --hits either; --patience 0
  alone does. That it waits is said once, and then every quarter of an hour. A
  quota that is used up is refused, not waited for.

STATE
  --hits holds the pages of hits that engines gave, from the moment that they
  come, and the URLs that were given, after their records have been written:
  when the output breaks off, give the same input again, and nothing is lost or
  paid for twice; what was written just before a kill may come twice. With
  --from-step, in a pipeline that repeats a broken step, they are noted before.
  When search ends normally, FILE alone holds all of it; with --from-step and
  after a kill, FILE-wal belongs to it.

MEMORY AND TIME
  Searching takes some 15 MB beside the pages of the index that are in use,
  adding 64 MB a core (4 at most). A query of the embedded index takes time
  with the number of documents that match.

EXIT STATUS
  0  all input was read and answered, error records included; with --canary:
     exclusion works
  1  some lines were not records; they were left out. With --canary: exclusion
     does not work
  2  could not run or had to stop: no such engine or index, no key, a file of
     hits that is none, a full disk. With --canary: it can't be told

EXAMPLES
  Build an index, and look for pages with two words and without a third:
      search --engine index:web --add docs.jsonl
      echo '{\"query\":{\"include\":[\"je\",\"da\"],\"exclude\":[\"the\"]}}' |
          search --engine index:web --top 5 | jq -r .url
  Pages that are like one:
      echo '{\"query\":{\"like\":\"http://example.org/\"}}' |
          search --engine index:web --top 5 | jq -r .url
  The next three pages of Slovenian from the living web, by an own SearXNG:
      gen-query --stats stats.db --target slv --include or:3 --exclude or:3 \\
          --step 7 | search --engine searxng:http://localhost:8888 \\
          --hits hits.db --next 3 | fetch-extract
  Pages of a Wikipedia with two words, and whether Brave leaves words out:
      echo '{\"query\":{\"include\":[\"lep\",\"dan\"]}}' |
          search --engine mediawiki:sl --top 3 | jq -r .url
      BRAVE_API_KEY=... search --engine brave: --canary dan,the
  Note anew which hits a run was given, when the file of hits is lost:
      search --hits RUN/hits.db --rebuild RUN/journal.jsonl

SEE ALSO
  gen-query(1), fetch-extract(1), forage-records(5). Ghani, Jones & Mladenic:
  Mining the Web to Create Minority Language Corpora (CIKM 2001).
";
