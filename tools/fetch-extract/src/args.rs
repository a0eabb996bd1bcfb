//! Arguments of `fetch-extract`, and the text of its man page.

use forage_cli::{
    Input, InputAdvice, RecordOutput, Tool, Verbosity, parse_positive, parse_positive_byte_count,
};
use forage_page::Extractor;
use forage_record::field;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Fetch the page of each record's URL and extract its main text
///
/// A record with `url` and without `text` gets the text of that page: without menus, advertisements
/// and footers, in NFC, one line per paragraph. A record that contains its page in `html` gets the
/// text of that, without the network. An argument that begins with http:// or https:// stands for a
/// record with that `url`; any other is a file of records. A record that has `text`, or neither
/// `url` nor `html`, is passed on unchanged.
///
/// The tool obeys robots.txt (the rules for "forage", or for all robots), sends one request at a
/// time to a host, and pauses between requests. It fetches from many hosts at the same time, but
/// the output is in the order of the input. A page that cannot be fetched or read results in an
/// `error`.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = SECTIONS)]
pub struct Args {
    /// Mail address or URL to send to each host [default: $FORAGE_CONTACT]
    ///
    /// Webmasters can reach you by it. Without one, nothing is fetched from the open web.
    #[arg(long, value_name = "MAIL")]
    pub contact: Option<String>,

    /// Send all connections to this address, as with curl
    ///
    /// URL and Host header stay the same.
    #[arg(long, value_name = "HOST:PORT")]
    pub connect_to: Option<String>,

    /// Also connect to private addresses: this machine and its network
    #[arg(long)]
    pub allow_private: bool,

    /// Pause between two requests to a host, in seconds
    ///
    /// With 0, the Crawl-delay of hosts is ignored too.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub delay: Duration,

    /// Host store: back-off times and robots.txt files for later runs
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,

    /// Time limit per request, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = positive_seconds)]
    pub timeout: Duration,

    /// If no host can be reached, wait for at most this time instead of writing errors
    ///
    /// Then the tool stops with exit code 2, and the URLs are not used up. See POLITENESS AND
    /// SAFETY below.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,

    /// Number of retries of a request after transient failures
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,

    /// Maximum size of a page in bytes, as sent and decompressed
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "16M",
        value_parser = parse_positive_byte_count::<u64>
    )]
    pub max_bytes: u64,

    /// Maximum number of open connections, each to a different host
    ///
    /// The output is the same for any number. A low limit of open files (ulimit -n) lowers it.
    #[arg(
        short,
        long,
        value_name = "N",
        default_value = "1024",
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub jobs: NonZeroUsize,

    /// Append requests and responses to this archive (WARC, gzip)
    #[arg(long, value_name = "FILE")]
    pub warc: Option<PathBuf>,

    /// Fetch pages of this archive only if they have changed; repeatable
    ///
    /// Payloads that it contains are not archived again. Give the earliest archive first.
    #[arg(long, value_name = "FILE")]
    pub earlier: Vec<PathBuf>,

    /// Skip records that are in this output of an interrupted run
    #[arg(long, value_name = "FILE", conflicts_with = "tsv")]
    pub resume: Option<PathBuf>,

    /// Apply site rules: a TOML file, a folder of these, or "news"; repeatable
    ///
    /// A rule states where the article is in the pages of a host; "news" stands for built-in rules
    /// for news sites. If several rules fit a page, the one for the longest host is tried first,
    /// then those of files given later. For a file of the name "news", write "./news".
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,

    /// Method of extraction for pages to which no site rule applies
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = ExtractorName::Model)]
    pub extractor: ExtractorName,

    /// Reject pages that opt out of text mining
    #[arg(long)]
    pub respect_optout: bool,

    /// Add the links of the page
    #[arg(long)]
    pub links: bool,

    /// Add the comments of readers after the article
    ///
    /// The text is the same, without comments. See COMMENTS below.
    #[arg(long)]
    pub comments: bool,

    /// Keep `html` in records that contain it
    #[arg(long)]
    pub keep_html: bool,

    /// Also process records that already have `text`; replace it
    ///
    /// If that fails, the old text is removed.
    #[arg(long)]
    pub force: bool,

    /// Fetch the URLs of this list, one per line; repeatable
    ///
    /// `-` is standard input. Blank lines and lines that begin with # are ignored. Each URL becomes
    /// a record. Arguments that begin with http:// or https:// are URLs, too.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["html", "from_warc", "robots_check"]
    )]
    pub urls: Vec<PathBuf>,

    /// Read saved pages (HTML, PDF and other formats) instead of records
    ///
    /// `-` is standard input. A file that cannot be read is reported; the others are processed.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["files", "robots_check", "warc", "resume"]
    )]
    pub html: Option<Vec<PathBuf>>,

    /// Read archived pages instead of records, without the network
    ///
    /// Archives are WARC files, also of other tools; `-` is standard input.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["files", "html", "robots_check", "warc", "earlier", "resume"]
    )]
    pub from_warc: Option<Vec<PathBuf>>,

    /// Check whether a robots.txt allows AGENT to fetch URL
    ///
    /// Prints "allow", or "disallow" with exit code 1.
    #[arg(long, num_args = 3, value_names = ["FILE", "AGENT", "URL"], conflicts_with = "files")]
    pub robots_check: Option<Vec<String>>,

    /// Write the text of the PDF on standard input
    ///
    /// The tool reads PDFs in a sandboxed subprocess, which is itself with this option.
    #[arg(long, hide = true)]
    pub read_pdf: bool,

    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: RecordOutput,

    #[command(flatten)]
    pub verbosity: Verbosity,
}

/// The methods of extraction by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExtractorName {
    /// A model that rates blocks of text
    Model,
    /// All text from the title to the footer (Bracewell et al. 2007), a baseline
    TitleBodyFooter,
}

impl From<ExtractorName> for Extractor {
    fn from(name: ExtractorName) -> Extractor {
        match name {
            ExtractorName::Model => Extractor::Model,
            ExtractorName::TitleBodyFooter => Extractor::TitleBodyFooter,
        }
    }
}

/// Parses a duration in seconds, zero included.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    number.ok_or_else(|| "not a number of seconds from 0, or too large".into())
}

/// Parses a duration in seconds above zero.
fn positive_seconds(text: &str) -> Result<Duration, String> {
    seconds(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a number of seconds above 0, or too large".into())
}

impl Tool for Args {
    const NAME: &'static str = "fetch-extract";
    // A record that has a text already needs neither of the others.
    const INPUT_FIELDS: &'static [&'static str] = &[field::URL, field::HTML, field::TEXT];

    fn input_advice(&self) -> InputAdvice {
        InputAdvice {
            plain_text: Some("use --urls for a list of URLs, --html for saved pages"),
            url_list_option: Some("--urls"),
        }
    }

    fn record_output(&self) -> Option<&RecordOutput> {
        Some(&self.output)
    }

    fn verbosity(&self) -> &Verbosity {
        &self.verbosity
    }
}

const SECTIONS: &str = "\
READS
  url     the page to fetch, if the record has no text
  html    the page itself; then nothing is fetched

A URL among the arguments or in a list of --urls stands for a record with only
that url. The records of files and arguments come in the order of the arguments,
then those of --urls. A list is in UTF-8; a line of it that is a record is
skipped.

Pages are HTML, XHTML or plain text, in any encoding; PDF; gzip and zip of
these, up to 64 MiB unpacked; PostScript if ps2ascii is installed. PDF and
PostScript are read in a sandboxed subprocess, within 30 s and 512 MiB;
ligatures become letters, and words broken at line ends are joined.

ADDS
  id      hex of BLAKE3 over final URL, NUL, text
  title   the title, if the page has one
  text    the main text; if none is found, all text of the page
  fetch   {url, status, at, media_type, charset, bytes, digest, html_lang,
          canonical, published, robots, optout, licence, soft_404,
          unchanged, rule}; for a page in html, only what is known.
          robots holds the directives of the page (noindex ...), optout
          those against text mining (noai, noimageai, tdm-reservation);
          soft_404 gives the reason why a page with a success status may
          be an error page: root-redirect or same-body; unchanged is true if
          the page is the same as in an --earlier archive;
          rule is the site rule for the host of the page: {host, matched};
          with --warc also warc: {file, offset}
  links   with --links: [{url, text, rel}], without links within the page;
          frames are links, and a page without text (no-text) keeps its links;
          after 4 MB of links, further ones are left out
  comments  with --comments: [{text, author, date}], if the page has any
  error   of kind bad-url, forbidden-address, dns, connect, tls, timeout,
          http-status, robots, redirect, too-large, bad-body (damaged
          compression or PDF), opt-out, unsupported-type, no-text, bad-field
          or internal; fetch then has url, status and at of the response

html is removed once its text is extracted, unless --keep-html is given. With
--force, all fields of an earlier page (id, title, text, fetch, links, comments)
are replaced by the new result, even if that is an error.

COMMENTS
Comments of readers are left out of the text where the markup tells them apart:
in elements named for comments that follow an article. With --comments, each
comment in them becomes an item of comments, in the order of the page; a reply
is an item of its own. Comments in JSON-LD are added if they are not on the
page. Comments are told apart by microdata (schema.org), by the names that
comment systems give to elements, by repeated elements with the same tag and
class, or by the targets of links to them, in any language. author and date are
there if the markup tells them, or if the comments have them in lines of the
same form (Posted by: Ana | 1 May 2020); date is as on the page, preferably in
the form for machines (datetime). Requests to log in, counts of comments and
lists of links are left out, and so is what tells neither author nor date if
it is short, or the same as another.

A page without comments in its HTML has no field comments: many sites load them
by a script. Neither has a page of a forum, or of questions and answers, whose
posts are its text, nor a very large page (see MEMORY AND TIME).

SITE RULES
A file of --rules has a table [[site]] for each site:

  [[site]]
  host = \"example.org\"              # and its subdomains
  title = \"h1.headline\"             # CSS selectors
  article = \".story\"
  drop = [\".share\", \"figure\"]
  end-pattern = '^Read also'         # a regular expression

Each value is a string or an array of strings.

  host           hosts of the site; required
  title          elements with the title (of a meta element, its content)
  title-pattern  the part of the title, or of the title element if title is
                 not given, that is the title: its first group, or all of it
  article        the elements that contain the article
  start, end     elements between which the article is; not part of it
  drop           elements that are not part of the article
  start-pattern, end-pattern, drop-pattern
                 the same for lines of the text, after the selectors
  footer.LANG    as end-pattern, for pages in a language

One of article, start and start-pattern is required. Of several selectors in
title and article, the first that matches something is used; elsewhere, all.
The article ends at the first line that matches an end-pattern or a footer
pattern. LANG is a language as in the lang attribute of pages (en, ja), or
\"any\"; on a page in another language, or in none, all footer patterns apply.
A table [footer] before the sites applies to all sites of the file.

Patterns are regular expressions of the crate regex, which match anywhere in a
line unless they are anchored, and do not distinguish upper and lower case
unless they begin with (?-i). A line of the text is a paragraph.

The host of a page is that of its final URL; of a saved page, that of the
canonical address that it declares. If no rule for the host selects any text,
the page is extracted without rules, fetch.rule.matched is false, and the host
is reported once on standard error.

\"--rules news\" has rules for some news sites; share/forage/news.toml is a copy.

--extractor title-body-footer is a baseline for experiments: the article is all
text between the line of the title and the first line with a footer pattern.
Tables [footer] of --rules add patterns to the built-in ones.

POLITENESS AND SAFETY
A host gets one request at a time, with a pause of --delay or its Crawl-delay
(up to 30 s), whichever is longer. After a transient failure (a broken
connection, 429, 502, 503, 504) the request is retried, after a longer delay
each time, or at the time that Retry-After gives; until then the whole host is
backed off. A host that asks for more than two minutes gets no request until
then, and one that fails for three pages in a row gets none for half an hour;
their pages get errors immediately. robots.txt is fetched once a day; if that
fails, or its status is 429, no page is fetched. With --hosts, this state is
kept for later runs, also after a kill.

With --patience, a host that is down is distinguished from an outage of the
network, or of this machine (cable, DNS, clock): of the hosts that responded
before, those in --hosts included, up to five are asked for the header of their
robots.txt. If none of them responds, or three hosts fail before any has
responded, all requests are repeated until one is answered. One or two hosts
that fail before any has responded are waited for, but at most a minute; then
their pages get errors, as there is no other host to compare with.

Cookies that are set along a redirect chain are sent along that chain only.

Opt-outs from text mining are recorded in fetch.optout; with --respect-optout
such pages become errors and are not archived. A host may also declare opt-outs
in /.well-known/tdmrep.json (TDM Reservation Protocol), which is fetched once a
day with --respect-optout only: it is one more request per host, and few hosts
have the file. A declaration in the page takes precedence over one in its
header, and that over the host's file.

By default the tool connects to no private address (loopback, local network,
cloud metadata service), whether by name, in any spelling, or after a redirect.
--connect-to is exempt; --allow-private allows all. No proxy is used, because
the tool could not check the addresses behind it.

Before a page is fetched, the fragment, credentials and tracking parameters
(utm_source, fbclid ...) are removed from its URL; fetch.url is the final URL. A
page that several records name is fetched once, even if that fails, as long as
it is in flight or among the last 16 MiB of results.

ARCHIVES
--warc archives each page, its request and its redirects as received, in files
that other tools read (WARC 1.1, gzip by record). A payload that this run has
archived already is written as a revisit; so is a payload of an --earlier
archive. The same file may be given to --earlier and --warc: it is read first. A
response that broke off or was too large is archived up to that point
(WARC-Truncated), up to 64 KiB of a large one. If the tool is killed, the
archive stays readable, and the next run appends to it.

--from-warc writes a record for each page of an archive, in the order in which
the pages arrived; also errors, if there was a response, and revisits, if the
archive with the payload was read before.

--from-warc reads archives of other tools, too: WARC 0.17 to 1.1, plain, or in
gzip members or zstd frames with one or more records each. Pages are responses
and revisits; resources with a URL of http, https, ftp or file; and conversions
to plain text (WET), which have no fetch.status. -v reports the number of other
records. Damaged parts are reported by file and byte and skipped; reading
continues with the next record.

RESUMING
To resume an interrupted run, after Ctrl-C or a power failure, use --resume and
the same input:

  $ fetch-extract --resume out.jsonl < hits.jsonl >> out.jsonl

First, an incomplete last line is removed from the file. With the same --warc,
pages that the run archived but had not written, because they waited for a slow
host before them, are read from the archive. Errors count as done; to retry
them, remove them:

  $ jq -c 'select(.error | not)' out.jsonl > ok.jsonl
  $ fetch-extract --resume ok.jsonl < hits.jsonl >> ok.jsonl

MEMORY AND TIME
Up to 80 MB for passing records on, and up to 300 MB when fetching from
thousands of hosts, for any number of pages: bytes in flight have a memory
budget, and pages that wait for a slow host are written to temporary files
(TMPDIR). Start and one record that is passed on take about 3 ms. A page takes
about 20 times its size while it is parsed, or 3 times if it is larger than 8
MiB or has more than 300,000 tags. Extraction handles about 150 pages per second
and core.

EXIT STATUS
  0    all input was processed, including records with an error
  1    some lines, or parts of an archive, were not records and were skipped;
       some files of --html could not be read; with --robots-check: disallow
  2    could not run or had to stop; no file of --html could be read
  130  interrupted (SIGINT); finished records are written, in order. A second
       signal ends the tool immediately
  143  terminated (SIGTERM); the same

EXAMPLES
Fetch a page, and the URLs of a list:

  $ fetch-extract --contact me@example.org https://example.org/
  $ fetch-extract --contact me@example.org --urls urls.txt > docs.jsonl

List status, title and error of each URL as a table:

  $ fetch-extract --urls urls.txt --tsv url,fetch.status,title,error.kind

Count errors by kind:

  $ fetch-extract < hits.jsonl | jq -r '.error.kind // \"none\"' |
      sort | uniq -c

Fetch with an archive:

  $ export FORAGE_CONTACT=me@example.org
  $ fetch-extract --warc pages.warc.gz < hits.jsonl > docs.jsonl

Extract the same pages again, with links, from the archive:

  $ fetch-extract --links --from-warc pages.warc.gz > docs.jsonl

Extract a saved page:

  $ fetch-extract --html page.html | jq -r .text

Write the comments of saved pages as a table of author, date and text:

  $ fetch-extract --comments --html *.html |
      jq -r '.comments[]? | [.author, .date, .text] | @tsv'

Extract pages of news sites by rules, and list the hosts whose rules fail:

  $ fetch-extract --rules news --rules rules.toml < hits.jsonl |
      jq -r 'select(.fetch.rule.matched == false) | .fetch.rule.host' |
      sort | uniq -c

SEE ALSO
search(1), dedup(1), forage-records(5), forage(7)";
