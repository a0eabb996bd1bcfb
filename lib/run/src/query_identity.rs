//! Ids of queries.
//!
//! Two queries are the same if they have the same inclusion terms and the same exclusion terms, in
//! any order.

/// Returns the id of a query of inclusion and exclusion terms: the first half of the BLAKE3 hash of
/// its sorted literals, as 32 hex digits.
pub fn query_id(include: &[String], exclude: &[String]) -> String {
    let mut literals: Vec<String> = include.iter().map(|term| format!("+{term}\n")).collect();
    literals.extend(exclude.iter().map(|term| format!("-{term}\n")));
    literals.sort_unstable();
    hash_to_hex(&literals.concat())
}

/// Returns the id of a more-like-this query for the document at `url`.
pub fn like_query_id(url: &str) -> String {
    hash_to_hex(&format!("~{url}\n"))
}

/// Returns the id of a query for pages that link to the one at `url`.
pub fn in_links_query_id(url: &str) -> String {
    hash_to_hex(&format!(">{url}\n"))
}

/// Returns the first 16 bytes of the BLAKE3 hash of a text, as 32 hex digits.
fn hash_to_hex(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::query_id;

    #[test]
    fn the_same_terms_in_any_order_are_the_same_query() {
        let id = |include: &[&str], exclude: &[&str]| {
            let to_strings = |terms: &[&str]| {
                terms
                    .iter()
                    .map(|&term| term.to_owned())
                    .collect::<Vec<_>>()
            };
            query_id(&to_strings(include), &to_strings(exclude))
        };
        assert_eq!(id(&["je", "da"], &["the"]), id(&["da", "je"], &["the"]));
        assert_ne!(id(&["je", "da"], &["the"]), id(&["je"], &["da", "the"]));
    }
}
