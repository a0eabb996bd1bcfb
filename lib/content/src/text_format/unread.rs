//! Formats that are refused, each with a command that makes text of it.

use super::{HEAD_BYTES, Pattern, nearly_all, pattern};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A format that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is {name}, not plain text; make text of it with: {command}")]
pub struct UnreadFormat {
    /// Its name.
    pub name: &'static str,
    /// A command that writes the text of a file, whose path stands for the word FILE.
    pub command: &'static str,
}

/// The formats that are known by their beginning.
static FORMATS: LazyLock<Vec<(Regex, UnreadFormat)>> = LazyLock::new(|| {
    let rows = include_str!("unread_formats.tsv").lines();
    let rows = rows.filter_map(|row| row.split_once('\t'));
    rows.filter_map(|(name, row)| Some((name, row.split_once('\t')?)))
        .map(|(name, (start, command))| (pattern(start), UnreadFormat { name, command }))
        .collect()
});
const HUNSPELL: UnreadFormat = UnreadFormat {
    name: "a Hunspell dictionary",
    command: "sed '1d; s|[/[:blank:]].*||' FILE",
};
const XML: UnreadFormat = UnreadFormat {
    name: "XML",
    command: r#"python3 -c 'import sys, xml.etree.ElementTree as e; print("\n".join(e.parse(sys.argv[1]).getroot().itertext()))' FILE"#,
};

/// An entry of Hunspell: a word with flags and a morphological description such as `al:potok`,
/// which some have.
static ENTRY: Pattern =
    Pattern::new(|| pattern(r"^[^\s/]+(?:/(\S+))?(?:[\t ]+(\w\w:\S*|\d+))*\s*$"));

/// What precedes the root element, and its tag with name and attributes.
static ROOT: Pattern = Pattern::new(|| {
    pattern(
        r"\A((?:\s|<!--(?s:.*?)-->|<\?[^>]*>|<![A-Z][^>\[]*(?:\[[^\]]*\]\s*)?>)*)(<([^\s>/<]+)([^>]*))",
    )
});

/// The roots of XML that is a page, a feed, or a document with a reader of its own.
const PAGES: &str = "html rss feed rdf svg fictionbook office:document worddocument package tei \
     tei.2 teicorpus teicorpus.2 ncx urlset sitemapindex opml mediawiki";

/// The roots of XML without a declaration that is no page.
const ANNOTATIONS: &str = "tei tei.2 teicorpus xliff osis folia lift cesdoc cesana";

/// Returns the format of a text with this beginning, if it is one of these.
pub(super) fn find(head: &str) -> Option<UnreadFormat> {
    let root = ROOT.captures(head);
    let tag = root.as_ref().and_then(|root| root.get(2));
    let start = tag.map_or(head, |tag| &head[tag.start()..]);
    match FORMATS.iter().find(|(pattern, _)| pattern.is_match(start)) {
        Some((_, format)) => Some(*format),
        None if is_hunspell(head) => Some(HUNSPELL),
        None => root.filter(is_other_xml).map(|_| XML),
    }
}

/// Returns `true` for a dictionary of Hunspell: the number of its entries, and words of which some
/// have flags or a morphological description. In those of Arabic and Bulgarian (Debian 12), the
/// first that has them comes after thousands.
fn is_hunspell(head: &str) -> bool {
    let (count, entries) = head.split_once('\n').unwrap_or_default();
    let count = count.split_whitespace().next().unwrap_or_default();
    let entries = || entries.lines().filter(|line| !line.starts_with('#'));
    let found = || entries().filter_map(|line| ENTRY.captures(line));
    let has_flags = || found().any(|entry| entry.get(1).or(entry.get(2)).is_some());
    count
        .parse()
        .is_ok_and(|count: usize| count >= entries().count() / 2)
        && (head.len() > HEAD_BYTES / 2 || has_flags())
        && nearly_all(entries(), |line| ENTRY.is_match(line))
}

/// Returns `true` for the root of XML that is no page.
fn is_other_xml(root: &Captures) -> bool {
    let [prolog, name] = [&root[1], &root[3]].map(str::to_ascii_lowercase);
    let is_declared = ["<?xml", "<!doctype"].iter().any(|it| prolog.contains(it));
    let is_xml = is_declared && !prolog.contains("<!doctype html") || root[4].contains("xmlns");
    let local = name.rsplit(':').next();
    let mut names = if is_xml { PAGES } else { ANNOTATIONS }.split_ascii_whitespace();
    is_xml != names.any(|other| other == name || Some(other) == local)
}
