//! Words of the links that lead through a site: they are on its pages in any language, and say
//! nothing of it.

/// Words of standard navigation links, in English, which sites in most languages have (AutoCor
/// names "home", "contact" and "about us"), between blanks.
const WORDS: &str = "\
    about account archive archives articles back blog bookmark categories category click comment \
    comments contact contacts cookie cookies copyright download downloads email events facebook \
    faq feed feedback forum gallery help home homepage index instagram links login logout mail \
    menu navigation news newsletter next page pages password policy previous print privacy \
    profile register reply reserved rss search share sitemap subscribe tags twitter username \
    website";

/// Whether a term is a word of links that every site has.
pub(super) fn is_navigation(term: &str) -> bool {
    WORDS.split(' ').any(|word| word == term)
}
