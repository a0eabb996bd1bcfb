//! Documents that end before their catalog, as lost connections and crawls with a size limit leave
//! them.

use memchr::memmem;

/// Numbers of objects of our own, the highest that the crate accepts.
const CATALOG: u32 = 8_388_606;
const PAGES: u32 = 8_388_607;
/// Greatest size of the dictionary of a page before its type, and greatest number of pages.
const MAX_DICT_BYTES: usize = 1 << 16;
const MAX_PAGES: usize = 1 << 16;

/// Returns the document with a catalog of all its pages; `None` if it has none.
pub(super) fn with_catalog(body: &[u8]) -> Option<Vec<u8>> {
    let places = memmem::find_iter(body, b"/Page").take(MAX_PAGES);
    let pages = places.filter_map(|place| {
        let after = body.get(place + b"/Page".len());
        let before = &body[place.saturating_sub(MAX_DICT_BYTES)..place];
        let is_page = after.is_none_or(|byte| !byte.is_ascii_alphanumeric())
            && before.trim_ascii_end().ends_with(b"/Type");
        is_page.then(|| find_reference(before)).flatten()
    });
    let pages: Vec<String> = pages.collect();
    let kids = pages.concat();
    let count = pages.len();
    let end = format!(
        "\nendstream endobj {PAGES} 0 obj<</Type/Pages/Kids[{kids}]/Count {count}>>endobj\n\
         {CATALOG} 0 obj<</Type/Catalog/Pages {PAGES} 0 R>>endobj\n\
         trailer<</Root {CATALOG} 0 R/Size {PAGES}>>\n"
    );
    (count > 0).then(|| [body, end.as_bytes()].concat())
}

/// Returns a reference to the object in whose dictionary a text ends.
fn find_reference(text: &[u8]) -> Option<String> {
    let head = &text[..memmem::rfind(text, b"obj")?];
    let mut tokens = head.rsplit(|byte| byte.is_ascii_whitespace());
    let mut number = || {
        let token = tokens.find(|token| !token.is_empty())?;
        std::str::from_utf8(token).ok()?.parse::<u32>().ok()
    };
    let (generation, object) = (number()?, number()?);
    Some(format!("{object} {generation} R "))
}
