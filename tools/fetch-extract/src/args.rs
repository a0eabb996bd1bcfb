//! Arguments of `fetch-extract`, and the text of its man page.

use forage_cli::{
    Input, InputAdvice, Politeness, RecordOutput, Refresh, Tool, Verbosity, parse_positive,
    parse_positive_byte_count, parse_seconds,
};
use forage_http::page_url::Partition;
use forage_page::{Extractor, TextFormat};
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
    #[command(flatten)]
    pub politeness: Politeness,

    /// Also connect to private addresses: this machine and its network
    #[arg(long)]
    pub allow_private: bool,

    /// Host store: back-off times and robots.txt files for later runs
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,

    /// If no host can be reached, wait for at most this time instead of writing errors
    ///
    /// Then the tool stops with exit code 2, and the URLs are not used up. See POLITENESS AND
    /// SAFETY below.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
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

    /// Fetch only from hosts of the K-th of N equal parts of the web, with K from 1
    ///
    /// Records of other parts are left out. See PARTITIONS below.
    #[arg(
        long,
        value_name = "K/N",
        conflicts_with_all = ["html", "from_warc", "robots_check"]
    )]
    pub partition: Option<Partition>,

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

    #[command(flatten)]
    pub extraction: Extraction,

    /// Add the links of the page
    #[arg(long)]
    pub links: bool,

    /// Add the comments of readers after the article
    ///
    /// The text is the same, without comments. See COMMENTS below.
    #[arg(long)]
    pub comments: bool,

    /// Form of the text: plain, or Markdown with headings, lists, tables, emphasis and code
    ///
    /// With --links, links in Markdown have their targets.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = FormatName::Plain)]
    pub format: FormatName,

    /// Add the parts of the text: headings, lists, tables, quotations, code, by their places
    #[arg(long, conflicts_with = "format")]
    pub structure: bool,

    /// Keep `html` in records that contain it
    #[arg(long)]
    pub keep_html: bool,

    /// Also process records that already have `text`; replace it
    ///
    /// If that fails, the old text is removed.
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub refresh: Refresh,

    /// Fetch the URLs in this list; repeatable
    ///
    /// It has one per line; `-` is standard input. Blank lines and lines that begin with # are
    /// ignored. Each URL becomes a record. Arguments that begin with http:// or https:// are URLs,
    /// too.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["html", "from_warc", "robots_check"]
    )]
    pub urls: Vec<PathBuf>,

    /// Read saved pages (HTML, PDF and other formats) instead of records
    ///
    /// `-` is standard input. A file that cannot be read is reported; the others are processed. The
    /// URL of a page is `file:` and the end of its path that begins with what was given, without
    /// the folders around it: no record has a path of this machine.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["files", "robots_check", "warc", "resume"]
    )]
    pub html: Option<Vec<PathBuf>>,

    /// Read archived pages instead of records, without the network
    ///
    /// Archives are WARC files, also of other tools; `-` is standard input. One that cannot be read
    /// is reported, and the others are read.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["files", "html", "robots_check", "warc", "earlier"]
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

/// How the text of a page is found.
#[derive(Debug, Clone, clap::Args)]
pub struct Extraction {
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
}

/// The methods of extraction by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExtractorName {
    /// A model that rates blocks of text
    Model,
    /// All text from the title to the footer (Bracewell et al. 2007), a baseline
    TitleBodyFooter,
}

/// The forms of a text by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FormatName {
    /// One line per paragraph, without marks
    Plain,
    /// Markdown (CommonMark, with the tables of GitHub)
    Markdown,
}

impl Args {
    /// Returns the form of texts.
    pub fn text_format(&self) -> TextFormat {
        match self.format {
            FormatName::Plain => TextFormat::Plain,
            FormatName::Markdown => TextFormat::Markdown { links: self.links },
        }
    }
}

impl From<ExtractorName> for Extractor {
    fn from(name: ExtractorName) -> Extractor {
        match name {
            ExtractorName::Model => Extractor::Model,
            ExtractorName::TitleBodyFooter => Extractor::TitleBodyFooter,
        }
    }
}

impl Tool for Args {
    const NAME: &'static str = "fetch-extract";
    const COMMON_OPTIONS: &'static [&'static str] =
        &["contact", "urls", "html", "from_warc", "warc"];
    // A record that has a text already needs neither of the others.
    const INPUT_FIELDS: &'static [&'static str] = &[field::URL, field::HTML, field::TEXT];

    fn output_field(&self) -> &'static str {
        field::FETCH
    }

    fn done_fields(&self) -> &'static [&'static str] {
        &[field::TEXT]
    }

    fn input_advice(&self) -> InputAdvice {
        InputAdvice {
            plain_text: Some("use --urls for a list of URLs, --html for saved pages"),
            url_list_option: Some("--urls"),
        }
    }
}

const SECTIONS: &str = include_str!("sections.txt").trim_ascii_end();
