//! Hints at the function of an element from its names and attributes: a class `sidebar`, a role
//! `navigation`.
//!
//! The words are those of markup, which is English all over the world. The text of the page is not
//! examined.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

/// A set of hints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MarkupHints(u32);

/// The words in names that give each hint. A word matches anywhere in a name (`rightsidebar`), but
/// one after `=` must be a whole part of it (`ad` matches `top-ad`, but not `header`). Chosen by
/// judgement; the contribution of all hints is in BENCHMARKS.md, "Main text".
const HINT_WORDS: [(MarkupHints, &str); 21] = [
    (
        MarkupHints::CONTENT,
        "article entry post story body content =text =main maintext",
    ),
    (
        MarkupHints::COMMENT,
        "comment disqus =reply =replies respond discuss komment",
    ),
    (
        MarkupHints::NAVIGATION,
        "navi =nav navbar menu breadcrumb paginat pager =toc sitemap",
    ),
    (
        MarkupHints::FOOTER,
        "footer =foot copyright colophon legal imprint disclaimer",
    ),
    (
        MarkupHints::HEADER,
        "header masthead =top topbar logo =brand",
    ),
    (
        MarkupHints::SIDE,
        "sidebar =side aside widget =rail =right =left secondary",
    ),
    (
        MarkupHints::RELATED,
        "related recommend =more also teaser popular trending latest similar carousel recent \
         outbrain taboola slider =next =prev",
    ),
    (
        MarkupHints::SHARE,
        "share sharing social follow facebook twitter addthis",
    ),
    (
        MarkupHints::METADATA,
        "meta author byline =date =time =tag =tags categor credit publish =bio",
    ),
    (
        MarkupHints::ADVERTISEMENT,
        "=ad =ads advert sponsor promo =dfp adslot banner =cta",
    ),
    (
        MarkupHints::DIALOG,
        "subscri newsletter signup login regist modal popup cookie consent gdpr \
         overlay paywall =form search tooltip dropdown",
    ),
    (
        MarkupHints::HIDDEN,
        "hidden =hide sr-only screen-reader noprint no-print",
    ),
    (
        MarkupHints::MESSAGE,
        "message thread topic =answer question review forum reply",
    ),
    (MarkupHints::TITLE, "title headline heading =h1"),
    (
        MarkupHints::ITEM,
        "=list grid =item =items product price =card =cards result",
    ),
    (
        MarkupHints::CAPTION,
        "caption figure =image =img photo gallery =media video",
    ),
    (MarkupHints::READER_COMMENT, "comment komment disqus"),
    (
        MarkupHints::FORUM,
        "message thread topic =answer question forum reply",
    ),
    // `posted` is the line of author and date in the templates of TypePad and Movable Type.
    (MarkupHints::BYLINE, "=posted author byline =date =time"),
    // A name with a word of each of these two lists gets [`MarkupHints::ARTICLE_BODY`].
    (MarkupHints::ARTICLE_HALF, "article entry post story news"),
    (MarkupHints::BODY_HALF, "body content text detail"),
];

impl MarkupHints {
    pub const CONTENT: MarkupHints = MarkupHints(1);
    pub const COMMENT: MarkupHints = MarkupHints(1 << 1);
    pub const NAVIGATION: MarkupHints = MarkupHints(1 << 2);
    pub const FOOTER: MarkupHints = MarkupHints(1 << 3);
    pub const HEADER: MarkupHints = MarkupHints(1 << 4);
    pub const SIDE: MarkupHints = MarkupHints(1 << 5);
    pub const RELATED: MarkupHints = MarkupHints(1 << 6);
    pub const SHARE: MarkupHints = MarkupHints(1 << 7);
    pub const METADATA: MarkupHints = MarkupHints(1 << 8);
    pub const ADVERTISEMENT: MarkupHints = MarkupHints(1 << 9);
    pub const DIALOG: MarkupHints = MarkupHints(1 << 10);
    pub const HIDDEN: MarkupHints = MarkupHints(1 << 11);
    pub const MESSAGE: MarkupHints = MarkupHints(1 << 12);
    pub const TITLE: MarkupHints = MarkupHints(1 << 13);
    pub const ITEM: MarkupHints = MarkupHints(1 << 14);
    pub const CAPTION: MarkupHints = MarkupHints(1 << 15);
    /// The name of an article's body, such as `post-content`.
    pub const ARTICLE_BODY: MarkupHints = MarkupHints(1 << 16);
    /// An attribute hides the element. Tabs and collapsed sections have such attributes too.
    pub const INVISIBLE: MarkupHints = MarkupHints(1 << 17);
    /// The element is only for browsers without scripts. Mostly it is a request to enable scripts,
    /// but on some forums it contains the whole text.
    pub const SCRIPTLESS: MarkupHints = MarkupHints(1 << 18);
    /// Comments of readers, and not a discussion or a reply, which may be parts of any text. No
    /// feature of the model.
    pub const READER_COMMENT: MarkupHints = MarkupHints(1 << 29);
    /// Messages of a forum, and not reviews, which may be articles. No feature of the model.
    pub const FORUM: MarkupHints = MarkupHints(1 << 27);
    /// The author or the date of a text or a comment. No feature of the model.
    pub const BYLINE: MarkupHints = MarkupHints(1 << 28);
    /// An item of microdata or RDFa, such as an article of schema.org. No feature of the model.
    pub const STRUCTURED_DATA: MarkupHints = MarkupHints(1 << 26);
    /// The two halves of [`MarkupHints::ARTICLE_BODY`], used only while a name is matched.
    const ARTICLE_HALF: MarkupHints = MarkupHints(1 << 30);
    const BODY_HALF: MarkupHints = MarkupHints(1 << 31);
    /// Number of hints, without the halves.
    pub const COUNT: usize = 19;

    /// Returns the hints of a `class`, an `id` or a `role`.
    pub fn from_name(name: &str) -> MarkupHints {
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return MarkupHints::default();
        }
        let HintMatcher { automaton, hints } = &*MATCHER;
        let mut matched = MarkupHints::default();
        let is_boundary = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphabetic());
        for word in automaton.find_overlapping_iter(name) {
            let (hint, is_whole_part) = hints[word.pattern().as_usize()];
            let before = &name.as_bytes()[..word.start()];
            let after = &name.as_bytes()[word.end()..];
            let is_part =
                !is_whole_part || is_boundary(before.last()) && is_boundary(after.first());
            // The categories of an article are its author's, and not of the markup.
            let is_other_word = match hint {
                MarkupHints::FORUM => ends_with_category(before),
                MarkupHints::READER_COMMENT => is_commentary(after) || is_state(before, after),
                _ => false,
            };
            if is_part && !is_other_word {
                matched |= hint;
            }
        }
        if matched.has_any(Self::ARTICLE_HALF) && matched.has_any(Self::BODY_HALF) {
            matched |= Self::ARTICLE_BODY;
        }
        MarkupHints(matched.0 & !(Self::ARTICLE_HALF | Self::BODY_HALF).0)
    }

    /// Returns `true` if the two sets have a hint in common.
    pub fn has_any(self, other: MarkupHints) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns each hint as a feature, 0 or 1.
    pub fn flags(self) -> impl Iterator<Item = f32> {
        (0..Self::COUNT).map(move |bit| if self.0 >> bit & 1 == 1 { 1.0 } else { 0.0 })
    }
}

/// Returns `true` for what follows `comment` in the names of commentaries and commentators, which
/// are no readers.
fn is_commentary(after: &[u8]) -> bool {
    starts_with_any(after, &["ary", "ari", "ator"])
}

/// Returns `true` for what is around `comment` in the names that tell if an article has comments:
/// `no-comments`, `comments-open`.
fn is_state(before: &[u8], after: &[u8]) -> bool {
    let mut words = before.rsplit(u8::is_ascii_whitespace);
    let word = words.next().unwrap_or_default();
    let beginnings = ["no-", "has-", "with-", "without-"];
    beginnings
        .iter()
        .any(|beginning| word.eq_ignore_ascii_case(beginning.as_bytes()))
        || starts_with_any(
            after,
            &["s-open", "s-closed", "s-enabled", "s-disabled", "ed"],
        )
}

/// Returns `true` if a name starts with one of these beginnings, in upper or lower case.
fn starts_with_any(name: &[u8], beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| {
        let start = name.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning.as_bytes()))
    })
}

/// Returns `true` for the beginning of a class that is named after a category or a tag of an
/// article, such as `category-forum` in WordPress.
fn ends_with_category(name: &[u8]) -> bool {
    let class = name.rsplit(u8::is_ascii_whitespace).next();
    let prefixes = ["category-", "tag-", "entry-category-", "entry-tag-"];
    class.is_some_and(|class| starts_with_any(class, &prefixes))
}

/// A matcher that finds all words in one pass over a name.
struct HintMatcher {
    automaton: AhoCorasick,
    /// The hint of each word, and `true` if the word must be a whole part of the name.
    hints: Vec<(MarkupHints, bool)>,
}

static MATCHER: LazyLock<HintMatcher> = LazyLock::new(|| {
    let all = HINT_WORDS
        .iter()
        .flat_map(|(hint, words)| words.split(' ').map(|word| (*hint, word)));
    let (hints, words): (Vec<_>, Vec<&str>) = all
        .map(|(hint, word)| match word.strip_prefix('=') {
            Some(part) => ((hint, true), part),
            None => ((hint, false), word),
        })
        .unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words);
    HintMatcher {
        automaton: automaton.expect("the words are few and fixed"),
        hints,
    }
});

/// Longest name to match, in bytes; longer ones are lists of utility classes of a style sheet. Set
/// by judgement, not measured.
const MAX_NAME_BYTES: usize = 400;

impl BitOr for MarkupHints {
    type Output = MarkupHints;

    fn bitor(self, other: MarkupHints) -> MarkupHints {
        MarkupHints(self.0 | other.0)
    }
}

impl BitOrAssign for MarkupHints {
    fn bitor_assign(&mut self, other: MarkupHints) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::MarkupHints;

    #[test]
    fn matches_words_inside_names_and_short_words_as_whole_parts() {
        assert!(MarkupHints::from_name("RightSidebar").has_any(MarkupHints::SIDE));
        assert!(MarkupHints::from_name("top-ad").has_any(MarkupHints::ADVERTISEMENT));
        assert!(!MarkupHints::from_name("shadow loaded").has_any(MarkupHints::ADVERTISEMENT));
        assert!(MarkupHints::from_name("post-content").has_any(MarkupHints::ARTICLE_BODY));
        assert_eq!(MarkupHints::from_name("wrapper"), MarkupHints::default());
    }

    #[test]
    fn commentaries_are_no_comments_of_readers() {
        let is_comment = |name| MarkupHints::from_name(name).has_any(MarkupHints::READER_COMMENT);
        assert!(is_comment("CommentArea") && is_comment("commentaires") && is_comment("commenti"));
        assert!(!is_comment("commentary") && !is_comment("Commentators"));
        assert!(!is_comment("post No-Comments") && !is_comment("post comments-open"));
    }

    #[test]
    fn categories_of_an_article_do_not_make_it_a_message() {
        let is_forum = |name| MarkupHints::from_name(name).has_any(MarkupHints::FORUM);
        assert!(is_forum("forum-post") && is_forum("post topic-reply"));
        assert!(!is_forum("post hreview category-forum tag-threads"));
    }
}
