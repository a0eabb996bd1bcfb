//! Formats that are refused, each with a command that makes text of it.

use super::{HEAD_BYTES, Pattern, nearly_all, pattern};
use regex::Regex;
use std::sync::LazyLock;

/// A format that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is {name}, not plain text; make text of it with: {command}")]
pub struct UnreadFormat {
    /// Its name.
    pub name: &'static str,
    /// A command that writes the text of a file, whose path stands for the word FILE.
    pub command: &'static str,
    /// Patterns of the beginning without blank lines, of which one matches.
    starts: &'static [&'static str],
}

/// The formats that are known by their beginning.
const FORMATS: [UnreadFormat; 6] = [
    // A book begins with its code, or has verses in chapters or paragraphs.
    UnreadFormat {
        name: "USFM",
        command: r"perl -0pe 's/^\\(id|ide|usfm|sts|rem|h\d?|toc\w*)\b.*//mg; s/\\(f|fe|ef|x|ex|fig) .*?\\\1\*//sg; s/\|[^\\\n]*(\\\+?\w+\*)/$1/g; s/\\[cv] +\S+//g; s/\\\+?[a-z]+[0-9-]*\*?//g; s/~/ /g; s!//! !g' FILE",
        starts: &[
            r"\A\\id [A-Z0-9]{3}\b(?s:.*)^\\(?:c|h|p|mt1?|v)\b",
            r"\A\\\w(?s:.*)\\(?:c \d|p\s|q1?\s|s\s)(?s:.*)\\v \d",
        ],
    },
    // A lexicon, or texts with glosses.
    UnreadFormat {
        name: "Toolbox (SFM)",
        command: r"perl -ne 'print qq($2\n) if /^\\(lx|le|se|xv|tx|t) +(.*)/' FILE",
        starts: &[
            r"\A\\_sh\s",
            r"\A(?:\\\w.*\n)*\\lx\s.*\n\\\w",
            r"\A(?:\\\w.*\n)*\\(?:ref|tx|t)\s(?s:.*)^\\(?:mb?|ge?|ft?|gl)\s",
        ],
    },
    // A header and an utterance, or utterances, their continuations, comments and tiers alone.
    UnreadFormat {
        name: "CHAT",
        command: r"perl -0pe 's/\n\t/ /g; s/^[^*\n].*\n?//mg; s/^\*\w+:\t//mg; s/\x15.*?\x15|\[.*?\]|(?<!\S)[0&+]\S*|[<>()]//g' FILE",
        starts: &[
            r"\A@(?:UTF8|Begin|Languages:)(?s:.*)^\*[A-Z\d]{2,7}:\s",
            r"\A\*[A-Z\d]{2,7}:[\t ].*\n(?:(?:\*[A-Z\d]{2,7}:[\t ]|[@%\t]).*\n)*\z",
        ],
    },
    UnreadFormat {
        name: "fastText",
        command: "sed -E 's/__label__[^[:blank:]]+[[:blank:]]*//g' FILE",
        starts: &[r"\A__label__\S"],
    },
    UnreadFormat {
        name: "SubStation Alpha",
        command: r"perl -ne 'print if s/^Dialogue: (.*?,){9}// + s/\{.*?\}|\\[Nnh]/ /g' FILE",
        starts: &[r"\A\[Script Info\]"],
    },
    UnreadFormat {
        name: "a TextGrid of Praat",
        command: r"perl -ne 'print qq($1\n) if /^ *text = \x22(.*)\x22/' FILE",
        starts: &[r#"\AFile type = "ooTextFile"#],
    },
];
const HUNSPELL: UnreadFormat = UnreadFormat {
    name: "a Hunspell dictionary",
    command: "sed '1d; s|[/[:blank:]].*||' FILE",
    starts: &[],
};
const ELAN: UnreadFormat = UnreadFormat {
    name: "ELAN",
    command: r#"python3 -c 'import sys, xml.etree.ElementTree as e; [print(v.text or "") for v in e.parse(sys.argv[1]).iter("ANNOTATION_VALUE")]' FILE"#,
    starts: &[],
};
const XML: UnreadFormat = UnreadFormat {
    name: "XML",
    command: r#"python3 -c 'import sys, xml.etree.ElementTree as e; print("\n".join(e.parse(sys.argv[1]).getroot().itertext()))' FILE"#,
    starts: &[],
};

static STARTS: LazyLock<[Regex; 6]> =
    LazyLock::new(|| FORMATS.map(|format| pattern(&format!("(?:{})", format.starts.join("|")))));

/// An entry of Hunspell: a word with flags and a morphological description such as `al:potok`,
/// which some have.
static ENTRY: Pattern =
    Pattern::new(|| pattern(r"^[^\s/]+(?:/(\S+))?(?:[\t ]+(\w\w:\S*|\d+))*\s*$"));

/// The first element, after declarations and comments.
static ROOT: Pattern = Pattern::new(|| {
    pattern(
        r"\A\s*(<\?xml[^>]*>)?(?:\s|<!--(?s:.*?)-->|<\?[^>]*>|<![A-Z][^>\[]*(?:\[[^\]]*\]\s*)?>)*<(?:[^\s>/<:]*:)?([^\s>/<]+)([^>]*)",
    )
});

/// The roots of XML that is a page, a feed, or a document with a reader of its own.
const PAGES: &str = "html rss feed rdf svg fictionbook document worddocument package ncx urlset sitemapindex opml mediawiki";

/// The roots of XML without a declaration that is no page.
const ANNOTATIONS: &str = "tei tei.2 teicorpus tmx xliff osis usx folia lift cesdoc cesana";

/// Returns the format of a text with this beginning, if it is one of these.
pub(super) fn find(head: &str) -> Option<UnreadFormat> {
    let mut formats = FORMATS.iter().zip(&*STARTS);
    match formats.find(|(_, start)| start.is_match(head)) {
        Some((format, _)) => Some(*format),
        None if is_hunspell(head) => Some(HUNSPELL),
        None => find_xml(head),
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

/// Returns the format of XML that is no page.
pub(super) fn find_xml(head: &str) -> Option<UnreadFormat> {
    let root = ROOT.captures(head)?;
    let name = root[2].to_ascii_lowercase();
    let is_in = |names: &str| names.split(' ').any(|other| other == name);
    let is_xml = root.get(1).is_some() || root[3].contains("xmlns");
    match &*name {
        "annotation_document" => Some(ELAN),
        _ => (is_xml && !is_in(PAGES) || is_in(ANNOTATIONS)).then_some(XML),
    }
}
