//! Words of standard navigation links. They occur on pages in any language, so they are evidence
//! for none. The list is for runs without links, from which `navigation_labels` learns such words.

/// Words of standard navigation links in English, which sites in most languages have, separated by
/// spaces. Dimalen & Roxas (2007), section 4, name "home", "contact" and "about us"; the other
/// words were chosen by judgement.
const WORDS: &str = "\
    about account archive archives articles back blog bookmark categories category click comment \
    comments contact contacts cookie cookies copyright download downloads email events facebook \
    faq feed feedback forum gallery help home homepage index instagram links login logout mail \
    menu navigation news newsletter next page pages password policy previous print privacy \
    profile register reply reserved rss search share sitemap subscribe tags twitter username \
    website";

/// Returns `true` if a term is a word of standard navigation links.
pub(super) fn is_navigation_word(term: &str) -> bool {
    WORDS.split(' ').any(|word| word == term)
}
