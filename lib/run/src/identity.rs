//! The identity of a query: the same terms with the same signs, in any order, are the same query.

/// The identity of a query of inclusion and exclusion terms: the first half of the BLAKE3 hash of
/// its sorted literals, as 32 hex digits.
pub fn query_id(include: &[String], exclude: &[String]) -> String {
    let mut literals: Vec<String> = include.iter().map(|term| format!("+{term}\n")).collect();
    literals.extend(exclude.iter().map(|term| format!("-{term}\n")));
    literals.sort_unstable();
    half_hash(&literals.concat())
}

/// The identity of a query for documents like the one at `url`.
pub fn like_query_id(url: &str) -> String {
    half_hash(&format!("~{url}\n"))
}

fn half_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::query_id;

    #[test]
    fn the_same_terms_in_any_order_are_the_same_query() {
        let id = |include: &[&str], exclude: &[&str]| {
            let all = |terms: &[&str]| {
                terms
                    .iter()
                    .map(|&term| term.to_owned())
                    .collect::<Vec<_>>()
            };
            query_id(&all(include), &all(exclude))
        };
        assert_eq!(id(&["je", "da"], &["the"]), id(&["da", "je"], &["the"]));
        assert_ne!(id(&["je", "da"], &["the"]), id(&["je"], &["da", "the"]));
    }
}
