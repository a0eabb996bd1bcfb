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
    hash_document(url, text).to_hex().to_string()
}

/// Returns the key by which a document is recognised in statistics that are merged: the first 128
/// bits of its [`document_id`].
pub fn document_key(url: &str, text: &str) -> [u8; 16] {
    hash_document(url, text).as_bytes().as_chunks().0[0]
}

fn hash_document(url: &str, text: &str) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(url.as_bytes())
        .update(&[0])
        .update(text.as_bytes());
    hasher.finalize()
}
