//! The command line of `fetch-extract`.

use forage_cli::{Input, Tool, Verbosity, parse_positive};
use forage_record::field;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Fetch the page of each record's URL and keep its main text
///
/// A record with `url` and without `text` gets the text of that page: without menus, advertisements
/// and footers, composed (NFC), a line for each paragraph. A record that carries its page in `html`
/// gets the text of that, without the network. A record that has its text, or neither, is passed on
/// as it is.
///
/// Hosts are treated with care: robots.txt is obeyed (its rules for "forage", or for all), requests
/// to one host don't overlap, and there is a pause between them. Many hosts are served at once, and
/// the order of the output is that of the input all the same. What can't be fetched or read goes on
/// with `error`.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// Address of mail or page where webmasters reach you, told to each host; without one nothing
    /// is fetched from the open web [default: $FORAGE_CONTACT]
    #[arg(long, value_name = "MAIL")]
    pub contact: Option<String>,

    /// Send all connections there; URL and Host header stay (as with curl)
    #[arg(long, value_name = "HOST:PORT")]
    pub connect_to: Option<String>,

    /// Connect to private addresses, too: this machine, its network
    #[arg(long)]
    pub allow_private: bool,

    /// Pause between two requests to a host, in seconds; 0 takes also those away that the host asks
    /// for
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub delay: Duration,

    /// Remember in this file when hosts may be asked again, and their robots.txt, for the next run
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,

    /// Time for one request, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = timeout)]
    pub timeout: Duration,

    /// Further tries of a request that failed in a way that may pass
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,

    /// Largest page, as sent and decompressed
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_bytes: u64,

    /// Connections open at once, each to another host; the output is the same for any number
    #[arg(short, long, value_name = "N", default_value = "1024", value_parser = parse_positive::<NonZeroUsize>)]
    pub jobs: NonZeroUsize,

    /// Keep requests and answers in this archive (WARC, gzip); what is there stays
    #[arg(long, value_name = "FILE")]
    pub warc: Option<PathBuf>,

    /// Ask for pages that this archive keeps only if they have changed, and keep no payload again;
    /// may be repeated, the earliest first
    #[arg(long, value_name = "FILE")]
    pub earlier: Vec<PathBuf>,

    /// Pass over records that are in the output of an earlier run, which was broken off
    #[arg(long, value_name = "OUT.jsonl")]
    pub resume: Option<PathBuf>,

    /// Give pages no text that reserve themselves against text mining
    #[arg(long)]
    pub respect_optout: bool,

    /// Add the page's links
    #[arg(long)]
    pub links: bool,

    /// Keep `html` in a record that came with it
    #[arg(long)]
    pub keep_html: bool,

    /// Fetch and extract also where there is a text, and replace it; where that fails, it goes
    #[arg(long)]
    pub force: bool,

    /// Write the records of pages that lie in files (HTML, PDF and what else is read)
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["files", "robots_check", "warc", "resume"])]
    pub html: Option<Vec<PathBuf>>,

    /// Write the records of pages that archives keep (WARC, also of other tools; `-` is standard
    /// input), without the network
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["files", "html", "robots_check", "warc", "earlier", "resume"])]
    pub from_warc: Option<Vec<PathBuf>>,

    /// Say whether a robots.txt allows AGENT to fetch URL: "allow", or "disallow" with exit code 1
    #[arg(long, num_args = 3, value_names = ["FILE", "AGENT", "URL"], conflicts_with = "files")]
    pub robots_check: Option<Vec<String>>,

    /// Answer with the text of the PDF on standard input; it is how this tool reads one apart from
    /// itself.
    #[arg(long, hide = true)]
    pub read_pdf: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// Reads a time.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    number.ok_or_else(|| "not a number of seconds from 0, or too large".into())
}

/// Reads a time that is not nothing.
fn timeout(text: &str) -> Result<Duration, String> {
    seconds(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a number of seconds above 0, or too large".into())
}

impl Tool for Args {
    const NAME: &'static str = "fetch-extract";
    // Where there is a text already, nothing more is needed.
    const INPUT_FIELDS: &'static [&'static str] = &[field::URL, field::HTML, field::TEXT];

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const AFTER: &str = "\
READS
  url     the page to fetch, where there is no text
  html    the page itself; then nothing is fetched
  Pages are HTML, XHTML or plain text, in any encoding; PDF; gzip and zip
  of such, up to 64 MiB unpacked; PostScript where ps2ascii is installed.
  PDF and PostScript are read by a process of their own, within 30 s and
  512 MiB; ligatures become letters, words broken at line ends are joined.

ADDS
  id      hex of BLAKE3 over final URL, NUL, text
  title   where the page has one
  text    the main text; where none is found, all text of the page
  fetch   {url, status, at, media_type, charset, bytes, digest, html_lang,
          canonical, published, robots, optout, licence, soft_404,
          unchanged}; of a page in html, what is known.
          robots holds the directives of the page (noindex ...), optout
          those against text mining (noai, noimageai, tdm-reservation);
          soft_404 says why a page may be none though it was answered with
          success: root-redirect or same-body; unchanged is true where the
          page came as an --earlier archive has it;
          with --warc also warc: {file, offset}
  links   with --links: [{url, text, rel}], without links within the page
  error   of kind bad-url, forbidden-address, dns, connect, tls, timeout,
          http-status, robots, redirect, too-large, bad-body (damaged
          compression or PDF), opt-out, unsupported-type, no-text, bad-field
          or internal; fetch then has url, status and at of the answer

  html is taken away when its text was found, unless --keep-html is given.
  With --force, all that a record has of an earlier page (id, title, text,
  fetch, links) makes way for what came of this one, be it an error.

POLITENESS AND SAFETY
  A host is asked for one page after the other, with the longer of --delay
  and its Crawl-delay in between, which counts up to 30 s. What may pass
  (a connection that breaks, 429, 502, 503, 504) is tried again, later each
  time, or when Retry-After says; until then the whole host is left alone.
  A host that asks for more than two minutes, or fails for three pages in a
  row (then for half an hour), gets no request, and its pages get errors at
  once. robots.txt is read once a day; where it fails, or is answered with
  429, nothing is fetched. Runs that follow each other, and those that were
  killed, share by --hosts what hosts have asked for and how they failed.

  Cookies that come on the way to a page are brought on that way alone.

  Reservations against text mining are recorded in fetch.optout, and with
  --respect-optout such pages become errors and are kept in no archive. A
  host may also reserve pages in /.well-known/tdmrep.json (TDM Reservation
  Protocol), which is asked for once a day where that is respected: it is
  one request more to each host, and few have one. What a page says goes
  before what its header says, and that before the host's file.

  By default no private address is connected to: no loopback, no local
  network, no cloud's metadata, be it by name, in any spelling, or behind a
  redirect. --connect-to is meant as it is said; --allow-private opens all.
  No proxy is used, as behind one it can't be seen what is connected to.

  Before a page is fetched, its URL loses fragment, credentials and
  parameters that track (utm_source, fbclid ...); fetch.url has what is left.
  A page that several records name is fetched once, errors too, as long as
  it is under way or among the last 16 MiB of what came.

ARCHIVES
  --warc keeps each page, its request and its redirects as they came, in
  files that other tools read (WARC 1.1, gzip by record). A payload that
  this run has kept already is kept as a revisit; so is one of an --earlier
  archive, which may be the one that --warc adds to: it is read through
  first. An answer that broke off or was too large is kept as far as it came
  (WARC-Truncated), of a large one the first 64 KiB. When the tool is killed
  the archive stays readable, and the next run adds to it. --from-warc gives
  the records back, errors too where there was an answer, in the order in
  which the pages came; of revisits, where it read the archive that has the
  payload before.

  --from-warc reads the archives of other tools, too: WARC 0.17 to 1.1,
  plain, or in gzip members or zstd frames with a record or many in each.
  Pages are responses and revisits; resources with a URL of http, https, ftp
  or file, and conversions to plain text (WET), which have no fetch.status.
  Records of other types are counted with -v. What is damaged is told by
  file and byte and left out, and reading goes on with the next record.

RESUMING
  A run that was broken off, be it by Ctrl-C or by a loss of power, goes on
  with --resume and the same input:
    fetch-extract --resume out.jsonl < hits.jsonl >> out.jsonl
  A last line that is not whole is cut off from the file first. With the
  same --warc, pages that the run archived but had not written, as they
  waited for a slow host before them, are taken from there. Errors count
  as done; to try them again leave them out:
    jq -c 'select(.error | not)' out.jsonl > ok.jsonl
    fetch-extract --resume ok.jsonl < hits.jsonl >> ok.jsonl

MEMORY AND TIME
  Up to 80 MB for passing records on, and up to 300 MB when thousands of
  hosts are fetched from, however many pages there are: bodies under way
  are bounded, and pages that wait for a slow host go to temporary files
  (TMPDIR). Start and one record that is passed on take about 3 ms.
  A page takes some 20 times its size while it is read, or 3 times where it
  is larger than 8 MiB or has more than 300,000 tags. Extraction handles some
  150 pages a second and core.

EXIT STATUS
  0  all records were read and answered, error records included
  1  some lines, or parts of an archive, were not records; they were left out
  2  the tool could not run, or had to stop
  130  it was interrupted (SIGINT); what was done is written, in its order
  143  it was told to end (SIGTERM); the same. A second signal ends it at once

EXAMPLES
  A list of URLs:
    jq -Rc '{url: .}' urls.txt | fetch-extract --contact me@example.org
  Which errors came, how often:
    fetch-extract < hits.jsonl | jq -r '.error.kind // \"none\"' |
      sort | uniq -c
  Overnight, with an archive:
    export FORAGE_CONTACT=me@example.org
    fetch-extract --warc pages.warc.gz < hits.jsonl > docs.jsonl
  The same pages again, with links, from the archive:
    fetch-extract --links --from-warc pages.warc.gz > docs.jsonl
  One saved page:
    fetch-extract --html page.html | jq -r .text

SEE ALSO
  search(1), dedup(1), forage-records(5), forage(7)
";
