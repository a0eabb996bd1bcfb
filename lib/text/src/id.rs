//! Document identifiers.

/// Returns the `id` of a document: the BLAKE3 hash of its final URL, a NUL and its text, in
/// hexadecimal. The URL of a document without one is the empty string.
///
/// ```
/// let id = forage_text::document_id("http://a.test/", "Dober dan");
/// assert_eq!(id.len(), 64);
/// assert_ne!(id, forage_text::document_id("http://a.test/", "Dober dan!"));
/// ```
pub fn document_id(url: &str, text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(url.as_bytes())
        .update(&[0])
        .update(text.as_bytes());
    hasher.finalize().to_hex().to_string()
}
