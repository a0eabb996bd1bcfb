//! Arguments of `frontier`, and the text of its man page.

use forage_cli::{Input, RecordOutput, Tool, Verbosity, parse_positive};
use forage_frontier::{LinkOrder, ScoreField};
use forage_record::field;
use forage_step::StepArgs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Keep the URLs that a focused crawl has found, and give the best ones
///
/// Reads judged pages behind a filter, and passes them on. Their links are added to the URLs that
/// wait, with the score of the page: the score of a URL is the mean score of the pages that link to
/// it. With --next, writes the best URLs as records to fetch. No URL is given twice.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// State file of the crawl; created if missing
    #[arg(long, value_name = "FILE", group = "state_file")]
    pub state: PathBuf,

    /// Add the URLs of the input as seeds, which are given first
    ///
    /// Nothing is written. A URL that was given before is not given again.
    #[arg(long)]
    pub add: bool,

    /// Write up to this many URLs, best first, and mark them as given
    #[arg(
        long,
        value_name = "K",
        value_parser = parse_positive::<NonZeroUsize>,
        conflicts_with_all = ["add", "files", "rebuild"]
    )]
    pub next: Option<NonZeroUsize>,

    /// Write numbers about the frontier as JSON
    #[arg(long, conflicts_with_all = ["add", "next", "files", "step_task"])]
    pub report: bool,

    /// Field with the score of a page: a number, as in langid.share.slv
    #[arg(long, value_name = "FIELD", default_value_t)]
    pub score: ScoreField,

    #[command(flatten)]
    pub choice: Choice,

    #[command(flatten)]
    pub scope: Scope,

    #[command(flatten)]
    pub step: StepArgs,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// Arguments for the choice of URLs.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Choice of URLs (--next)")]
pub struct Choice {
    /// Number of the step [default: one more than the last]
    #[arg(long, value_name = "N", value_parser = parse_positive::<std::num::NonZeroU64>)]
    pub step: Option<std::num::NonZeroU64>,

    /// Class that the step looks for, for step.target
    #[arg(long, value_name = "LABEL", default_value = "on-topic")]
    pub target: String,

    /// Order in which URLs are given
    #[arg(long, value_enum, default_value_t)]
    pub order: Order,

    /// Maximum number of URLs of one host [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_positive::<NonZeroUsize>)]
    pub per_host: Option<NonZeroUsize>,
}

/// Arguments for the links that are added.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Scope")]
pub struct Scope {
    /// Maximum number of links from a seed [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// Only crawl the hosts of this file, and their subdomains
    ///
    /// One name per line; empty lines and lines that start with `#` are ignored.
    #[arg(long, value_name = "FILE")]
    pub hosts_allow: Option<PathBuf>,

    /// Do not crawl the hosts of this file, nor their subdomains
    #[arg(long, value_name = "FILE")]
    pub hosts_deny: Option<PathBuf>,
}

/// The order in which URLs are given.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub enum Order {
    /// By the mean score of the pages that link to a URL
    #[default]
    Mean,
    /// In the order of discovery: breadth-first
    Breadth,
    /// By what the words of anchor text and URL have brought
    Anchor,
    /// By what directory and host have brought
    Yield,
    /// By the greatest score of a page that links to a URL, and the share of live links
    Best,
}

impl From<Order> for LinkOrder {
    fn from(order: Order) -> LinkOrder {
        match order {
            Order::Mean => LinkOrder::Mean,
            Order::Breadth => LinkOrder::Breadth,
            Order::Anchor => LinkOrder::Anchor,
            Order::Yield => LinkOrder::Yield,
            Order::Best => LinkOrder::Best,
        }
    }
}

impl Tool for Args {
    const NAME: &'static str = "frontier";
    const INPUT_FIELDS: &'static [&'static str] = &[field::URL];

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  url          the URL that was given; with --add, a seed
  fetch.url    the final URL, which is not given again either
  links        the links of the page: url and text of each
  in_links     pages that link to the page: url of each
  topic.score  or the field of --score: the score of the page; 0 for a page with
               links that has none
  error        why there is no page; its links do not count, except those of a
               page without text (no-text), which passes on its own score
  step         the step that gave the URL, for --from-step

ADDS
With --next, to each record:
  step      {number, target, last}; last on the last record only
  url       the URL to fetch
  frontier  {score, depth, parents}
            score is the mean score of the pages that link to the URL or have
            it among their in_links, whatever the order, null for a seed
            without such a page; depth the number of links from a seed, in-links
            among them; parents the number of these pages
Otherwise:
  error     of kind bad-field, if a field above has the wrong type

ORDER
Seeds come first. Links follow by score; of links with equal scores, the one
that was found first. A page counts once for a link, however often it links to
it, and not at all for a URL that was given already. The in_links of a page
count as its links do, without anchor text. When a further page links
to a URL that waits, its score is computed again. Links of all pages count,
whatever their label.

With --order anchor, yield or best, the 20 K links (at least 500) with the
highest scores are ordered by an estimate:
  anchor  the mean score of pages that were reached by the same words, of the
          anchor text and the path of the URL
  yield   the mean score of pages of the same directory and host, times the
          share of links to the host that led to a page
  best    the greatest score of a page that links to the URL, times the share
          of links to the directory that led to a page; the share starts from
          that of the host
The links are those with the highest mean scores, or for best those with the
highest greatest scores. anchor and yield rest on the score of the link as long
as little else is known. With best, a link that a good page shares with poor
ones, as in a menu, keeps its score, and directories of dead links are left.

URLs
Only absolute http and https URLs are added; others are ignored. Fragments,
default ports, tracking parameters and session ids are removed. Links are left
out that are out of scope or deeper than --max-depth; that are longer than 2,000
bytes; of which a part of the path occurs three times in a row; and those to a
path with 200 other queries. --report counts them.

DEAD LINKS
Errors of kind http-status, dns, connect, tls, timeout and forbidden-address are
dead links. After two in a row, a host is backed off: its next URL is given
after 20 further URLs; if no link to the host was live so far, after twice as
many with each further dead link. A host whose last link was dead has at most
one URL in a batch. If no other URL waits, those of hosts that are backed off
are given, one per host.

STATE
Without --from-step, URLs are marked as given after they have been written, and
pages are applied after they have been passed on. If the output breaks off, run
frontier again on the same input: a page that was applied before changes
nothing. With --from-step, in a pipeline that repeats an interrupted step, the
state is committed before.

The state is derived from the journal: --rebuild makes records without step
seeds, and records with step URLs that were given. Give the same --max-depth,
--hosts-allow, --hosts-deny and --score. The URLs that are given next are those that the
old file would have given.

With --from-step N, if --next has given URLs to step N, each must arrive once,
the last one last; otherwise frontier stops, as a step must not be lost in parts.

The file is opened when the first record arrives, so that both ends of a pipe
can be the same frontier. When frontier ends normally, FILE of --state is
complete on its own. With --from-step and after a kill, FILE-wal belongs to it.

MEMORY AND TIME
Memory is about 130 MB for a frontier of any size. A URL takes about 140 bytes
on disk. A link takes about 8 microseconds in a stream of pages. A step of one
page with 60 links takes about 3 ms, and one of 20 pages 10 ms in a frontier of
10,000 URLs and 35 ms in one of a million. --report and --rebuild read
everything.

EXIT STATUS
  0  all input was processed, including records with an error, and seeds that
     are not URLs
  1  some lines were not records and were skipped
  2  could not run or had to stop: FILE is not a frontier, is damaged or in use

EXAMPLES
Start a crawl, and fetch its first pages:

  $ frontier --state frontier.db --add seeds.jsonl
  $ frontier --state frontier.db --next 20 | fetch-extract --links |
      keywords | topic-filter --samples samples.jsonl |
      frontier --state frontier.db > judged.jsonl

Crawl for a language: the score is the share of a page that is in Slovenian:

  $ fetch-extract --links < batch.jsonl | langid --paragraphs |
      frontier --state frontier.db --score langid.share.slv > judged.jsonl

Show what waits, and what was left out:

  $ frontier --state frontier.db --report | jq .

Rebuild a lost state from the journal of a run:

  $ frontier --state RUN/frontier.db --rebuild RUN/journal.jsonl

SEE ALSO
fetch-extract(1), topic-filter(1), update-stats(1), forage-records(5), forage(7)

V. Kluev: Compiling document collections from the Internet. SIGIR Forum. 2000.";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_argument_definitions_are_valid() {
        Args::command().debug_assert();
    }

    #[test]
    fn one_thing_is_done_at_a_time() {
        let parse = |args: &str| {
            Args::try_parse_from(format!("frontier --state x {args}").split_whitespace()).is_ok()
        };
        assert!(parse("--next 5 --step 2 --from-step 2") && parse("--add seeds.jsonl"));
        for args in [
            "--next 0",
            "--next 5 --add",
            "--next 5 file",
            "--report --next 1",
        ] {
            assert!(!parse(args), "{args}");
        }
    }
}
