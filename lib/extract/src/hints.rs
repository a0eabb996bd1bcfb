//! What names and attributes of elements hint at: a class `sidebar`, a role `navigation`, a tag
//! `<footer>`.
//!
//! The words are those of markup, which is English the world over; no word of a page's text is
//! looked at.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

/// A set of hints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hints(u32);

/// Kinds of hints, and the words in names that give them. A word counts anywhere in a name
/// (`rightsidebar`), but one after `=` must be a whole part of it (`ad` of `top-ad`, not of
/// `header`).
const KINDS: [(Hints, &str); 18] = [
    (
        Hints::CONTENT,
        "article entry post story body content =text =main maintext",
    ),
    (
        Hints::COMMENT,
        "comment disqus =reply =replies respond discuss komment",
    ),
    (
        Hints::NAVIGATION,
        "navi =nav navbar menu breadcrumb paginat pager =toc sitemap",
    ),
    (
        Hints::FOOTER,
        "footer =foot copyright colophon legal imprint disclaimer",
    ),
    (Hints::HEADER, "header masthead =top topbar logo =brand"),
    (
        Hints::SIDE,
        "sidebar =side aside widget =rail =right =left secondary",
    ),
    (
        Hints::RELATED,
        "related recommend =more also teaser popular trending latest similar carousel recent \
         outbrain taboola slider =next =prev",
    ),
    (
        Hints::SHARE,
        "share sharing social follow facebook twitter addthis",
    ),
    (
        Hints::ABOUT,
        "meta author byline =date =time =tag =tags categor credit publish =bio",
    ),
    (
        Hints::ADVERTISEMENT,
        "=ad =ads advert sponsor promo =dfp adslot banner =cta",
    ),
    (
        Hints::DIALOG,
        "subscri newsletter signup login regist modal popup cookie consent gdpr \
         overlay paywall =form search tooltip dropdown",
    ),
    (
        Hints::HIDDEN,
        "hidden =hide sr-only screen-reader noprint no-print",
    ),
    (
        Hints::MESSAGE,
        "message thread topic =answer question review forum reply",
    ),
    (Hints::TITLE, "title headline heading =h1"),
    (
        Hints::ITEM,
        "=list grid =item =items product price =card =cards result",
    ),
    (
        Hints::CAPTION,
        "caption figure =image =img photo gallery =media video",
    ),
    // A name must have one of each, to be [`Hints::ARTICLE_BODY`].
    (Hints::OF_ARTICLE, "article entry post story news"),
    (Hints::OF_BODY, "body content text detail"),
];

impl Hints {
    pub const CONTENT: Hints = Hints(1);
    pub const COMMENT: Hints = Hints(1 << 1);
    pub const NAVIGATION: Hints = Hints(1 << 2);
    pub const FOOTER: Hints = Hints(1 << 3);
    pub const HEADER: Hints = Hints(1 << 4);
    pub const SIDE: Hints = Hints(1 << 5);
    pub const RELATED: Hints = Hints(1 << 6);
    pub const SHARE: Hints = Hints(1 << 7);
    pub const ABOUT: Hints = Hints(1 << 8);
    pub const ADVERTISEMENT: Hints = Hints(1 << 9);
    pub const DIALOG: Hints = Hints(1 << 10);
    pub const HIDDEN: Hints = Hints(1 << 11);
    pub const MESSAGE: Hints = Hints(1 << 12);
    pub const TITLE: Hints = Hints(1 << 13);
    pub const ITEM: Hints = Hints(1 << 14);
    pub const CAPTION: Hints = Hints(1 << 15);
    /// A name that says both: an article's body.
    pub const ARTICLE_BODY: Hints = Hints(1 << 16);
    /// An attribute says that it isn't shown; tabs and unfolding parts say so as well.
    pub const INVISIBLE: Hints = Hints(1 << 17);
    /// Only for browsers without scripts: mostly a request to turn them on, but of some forums all
    /// there is.
    pub const SCRIPTLESS: Hints = Hints(1 << 18);
    /// One half of [`Hints::ARTICLE_BODY`], and the other; no name has them in the end.
    const OF_ARTICLE: Hints = Hints(1 << 30);
    const OF_BODY: Hints = Hints(1 << 31);
    /// Kinds in all.
    pub const KINDS: usize = 19;

    /// The hints of a `class`, an `id` or a `role`.
    pub fn of_name(name: &str) -> Hints {
        if name.is_empty() || name.len() > MOST_NAME {
            return Hints::default();
        }
        let HintWords { finder, meanings } = &*WORDS;
        let mut hints = Hints::default();
        let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphabetic());
        for found in finder.find_overlapping_iter(name) {
            let (meaning, is_part) = meanings[found.pattern().as_usize()];
            let (before, after) = (
                &name.as_bytes()[..found.start()],
                &name.as_bytes()[found.end()..],
            );
            if !is_part || (is_edge(before.last()) && is_edge(after.first())) {
                hints |= meaning;
            }
        }
        if hints.has(Self::OF_ARTICLE) && hints.has(Self::OF_BODY) {
            hints |= Self::ARTICLE_BODY;
        }
        Hints(hints.0 & !(Self::OF_ARTICLE | Self::OF_BODY).0)
    }

    /// Whether it has any of those.
    pub fn has(self, other: Hints) -> bool {
        self.0 & other.0 != 0
    }

    /// Each kind as a number, 0 or 1.
    pub fn flags(self) -> impl Iterator<Item = f32> {
        (0..Self::KINDS).map(move |kind| if self.0 >> kind & 1 == 1 { 1.0 } else { 0.0 })
    }
}

/// All words, looked for in one pass over a name.
struct HintWords {
    finder: AhoCorasick,
    /// Of each word what it hints at, and whether it must be a whole part of the name.
    meanings: Vec<(Hints, bool)>,
}

static WORDS: LazyLock<HintWords> = LazyLock::new(|| {
    let all = KINDS
        .iter()
        .flat_map(|(kind, words)| words.split(' ').map(|word| (*kind, word)));
    let (meanings, words): (Vec<_>, Vec<&str>) = all
        .map(|(kind, word)| match word.strip_prefix('=') {
            Some(part) => ((kind, true), part),
            None => ((kind, false), word),
        })
        .unzip();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words);
    HintWords {
        finder: finder.expect("the words are few and fixed"),
        meanings,
    }
});

/// Names longer than this are no names but lists of a style sheet's utilities.
const MOST_NAME: usize = 400;

impl BitOr for Hints {
    type Output = Hints;

    fn bitor(self, other: Hints) -> Hints {
        Hints(self.0 | other.0)
    }
}

impl BitOrAssign for Hints {
    fn bitor_assign(&mut self, other: Hints) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::Hints;

    #[test]
    fn words_are_found_inside_names_and_short_ones_as_whole_parts() {
        assert!(Hints::of_name("RightSidebar").has(Hints::SIDE));
        assert!(Hints::of_name("top-ad").has(Hints::ADVERTISEMENT));
        assert!(!Hints::of_name("shadow loaded").has(Hints::ADVERTISEMENT));
        assert!(Hints::of_name("post-content").has(Hints::ARTICLE_BODY));
        assert_eq!(Hints::of_name("wrapper"), Hints::default());
    }
}
