//! The command line of `fetch-extract`.

use forage_cli::{Input, Speech, Tool};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Fetch the page of each record's URL and keep its main text
///
/// A record with `url` and without `text` gets the text of that page: without menus, advertisements and footers,
/// composed (NFC), a line for each paragraph. A record that carries its page in `html` gets the text of that, without
/// the network. A record that has its text, or neither, is passed on as it is.
///
/// Hosts are treated with care: robots.txt is obeyed (its rules for "forage", or for all), requests to one host don't
/// overlap, and there is a pause between them. What can't be fetched or read goes on with `error`.
#[derive(Debug, clap::Parser)]
#[command(after_long_help = AFTER)]
pub struct Args {
    /// Address of mail or page where webmasters reach you, told to each host [default: $FORAGE_CONTACT]
    #[arg(long, value_name = "MAIL")]
    pub contact: Option<String>,

    /// Send all connections there; URL and Host header stay (as with curl)
    #[arg(long, value_name = "HOST:PORT")]
    pub connect_to: Option<String>,

    /// Pause between two requests to a host, in seconds; 0 lets them overlap
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub delay: f64,

    /// Time for one request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = timeout)]
    pub timeout: f64,

    /// Largest page, as sent and decompressed
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_bytes: u64,

    /// Records under way at once; the order of the output is that of the input
    #[arg(short, long, value_name = "N", default_value = "16")]
    pub jobs: NonZeroUsize,

    /// Add the page's links
    #[arg(long)]
    pub links: bool,

    /// Keep `html` in a record that came with it
    #[arg(long)]
    pub keep_html: bool,

    /// Fetch and extract also where there is a text, and replace it
    #[arg(long)]
    pub force: bool,

    /// Extract a page that lies in a file, and write its record
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "robots_check"])]
    pub html: Option<PathBuf>,

    /// Say whether a robots.txt allows AGENT to fetch URL: "allow" or "disallow"
    #[arg(long, num_args = 3, value_names = ["FILE", "AGENT", "URL"], conflicts_with = "files")]
    pub robots_check: Option<Vec<String>>,

    /// What is read.
    #[command(flatten)]
    pub input: Input,

    /// How much is said on standard error.
    #[command(flatten)]
    pub speech: Speech,
}

/// Reads a time that is not nothing.
fn timeout(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&seconds| seconds > 0.0).ok_or_else(|| "not a number of seconds above 0".into())
}

impl Tool for Args {
    const NAME: &'static str = "fetch-extract";
    // A URL or a page: a record that lacks both may well have its text.
    const NEEDS: Option<&'static str> = None;

    fn speech(&self) -> &Speech {
        &self.speech
    }
}

const AFTER: &str = "\
READS
  url     the page to fetch, where there is no text
  html    the page itself; then nothing is fetched
  Pages are HTML, XHTML or plain text, in any encoding.

ADDS
  id      hex of BLAKE3 over final URL, NUL, text
  title   where the page has one
  text    the main text; where none is found, all text of the page
  fetch   {url, status, at, media_type, charset, bytes, digest, html_lang,
          robots, optout, licence}; of a page in html, what is known.
          robots holds the directives of the page (noindex ...), optout
          those against text mining (noai, noimageai, tdm-reservation)
  links   with --links: [{url, text, rel}], without links within the page
  error   of kind bad-url, dns, connect, tls, timeout, http-status, robots,
          redirect, too-large, bad-body (damaged compression),
          unsupported-type, no-text, bad-field or internal

  html is taken away when its text was found, unless --keep-html is given.

MEMORY AND TIME
  Some 10 MB for passing records on; for each page under way some 20 times
  its size, at most --jobs of them. Start and one record that is passed on
  take about 3 ms. Extraction handles some 60 pages a second and core.

EXIT STATUS
  0  all records were read and answered, error records included
  1  some lines were not records; they were left out
  2  the tool could not run, or had to stop

EXAMPLES
  A list of URLs:
    jq -Rc '{url: .}' urls.txt | fetch-extract --contact me@example.org
  Which errors came, how often:
    fetch-extract < hits.jsonl | jq -r '.error.kind // \"none\"' |
      sort | uniq -c
  One saved page:
    fetch-extract --html page.html | jq -r .text

SEE ALSO
  search(1), dedup(1), forage-records(5), forage(7)
";
