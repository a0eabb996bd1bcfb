//! What names and attributes of elements hint at: a class `sidebar`, a role `navigation`, a tag `<footer>`.
//!
//! The words are those of markup, which is English the world over; no word of a page's text is looked at.

use std::collections::HashMap;
use std::ops::{BitOr, BitOrAssign};

/// A set of hints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Hints(u32);

/// Kinds of hints, and the words in names that give them. A word counts anywhere in a name (`rightsidebar`), but one
/// after `=` must be a whole part of it (`ad` of `top-ad`, not of `header`).
const KINDS: [(Hints, &[&str]); 16] = [
    (Hints::CONTENT, &["article", "entry", "post", "story", "body", "content", "=text", "=main", "maintext"]),
    (Hints::COMMENT, &["comment", "disqus", "=reply", "=replies", "respond", "discuss", "komment"]),
    (Hints::NAVIGATION, &["navi", "=nav", "navbar", "menu", "breadcrumb", "paginat", "pager", "=toc", "sitemap"]),
    (Hints::FOOTER, &["footer", "=foot", "copyright", "colophon", "legal", "imprint", "disclaimer"]),
    (Hints::HEADER, &["header", "masthead", "=top", "topbar", "logo", "=brand"]),
    (Hints::SIDE, &["sidebar", "=side", "aside", "widget", "=rail", "=right", "=left", "secondary"]),
    (
        Hints::RELATED,
        &[
            "related",
            "recommend",
            "=more",
            "also",
            "teaser",
            "popular",
            "trending",
            "latest",
            "similar",
            "carousel",
            "recent",
            "outbrain",
            "taboola",
            "slider",
            "=next",
            "=prev",
        ],
    ),
    (Hints::SHARE, &["share", "sharing", "social", "follow", "facebook", "twitter", "addthis"]),
    (
        Hints::ABOUT,
        &["meta", "author", "byline", "=date", "=time", "=tag", "=tags", "categor", "credit", "publish", "=bio"],
    ),
    (Hints::ADVERTISEMENT, &["=ad", "=ads", "advert", "sponsor", "promo", "=dfp", "adslot", "banner", "=cta"]),
    (
        Hints::DIALOG,
        &[
            "subscri",
            "newsletter",
            "signup",
            "login",
            "regist",
            "modal",
            "popup",
            "cookie",
            "consent",
            "gdpr",
            "overlay",
            "paywall",
            "=form",
            "search",
            "tooltip",
            "dropdown",
        ],
    ),
    (Hints::HIDDEN, &["hidden", "=hide", "sr-only", "screen-reader", "noprint", "no-print"]),
    (Hints::MESSAGE, &["message", "thread", "topic", "=answer", "question", "review", "forum", "reply"]),
    (Hints::TITLE, &["title", "headline", "heading", "=h1"]),
    (Hints::ITEM, &["=list", "grid", "=item", "=items", "product", "price", "=card", "=cards", "result"]),
    (Hints::CAPTION, &["caption", "figure", "=image", "=img", "photo", "gallery", "=media", "video"]),
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
    /// Only for browsers without scripts: mostly a request to turn them on, but of some forums all there is.
    pub const SCRIPTLESS: Hints = Hints(1 << 18);
    /// Kinds in all.
    pub const KINDS: usize = 19;

    /// The hints of a name.
    fn of_name(name: &str) -> Hints {
        if name.is_empty() || name.len() > MOST_NAME {
            return Hints::default();
        }
        let name = name.to_ascii_lowercase();
        let mut hints = Hints::default();
        for (kind, words) in KINDS {
            if words.iter().any(|word| has_word(&name, word)) {
                hints |= kind;
            }
        }
        let is_body = ["article", "entry", "post", "story", "news"].iter().any(|word| name.contains(word))
            && ["body", "content", "text", "detail"].iter().any(|word| name.contains(word));
        if is_body { hints | Hints::ARTICLE_BODY } else { hints }
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

/// What the names on a page hint at: most of them stand there many times.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, Hints>);

impl Names {
    /// The hints of a `class`, an `id` or a `role`.
    pub fn hints(&mut self, name: &str) -> Hints {
        if let Some(known) = self.0.get(name) {
            return *known;
        }
        let hints = Hints::of_name(name);
        // Ids are all different; those of a page made to be hard must not fill the memory.
        if self.0.len() < MOST_NAMES && name.len() <= MOST_NAME {
            self.0.insert(name.to_owned(), hints);
        }
        hints
    }
}

/// Names of a page that are remembered.
const MOST_NAMES: usize = 10_000;

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

fn has_word(name: &str, word: &str) -> bool {
    match word.strip_prefix('=') {
        None => name.contains(word),
        Some(word) => name.match_indices(word).any(|(at, _)| {
            let is_edge = |c: Option<&u8>| c.is_none_or(|c| !c.is_ascii_alphabetic());
            let bytes = name.as_bytes();
            is_edge(at.checked_sub(1).and_then(|at| bytes.get(at))) && is_edge(bytes.get(at + word.len()))
        }),
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
