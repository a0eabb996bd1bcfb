//! Settings of a run as other people may see them.

/// Returns the address of a search engine, or a list of values, of whose local paths only the last
/// component is left: nobody else has the folders.
pub fn without_folders(values: &str) -> String {
    let shorten = |value: &str| {
        let (scheme, path) = match value.split_once(':') {
            Some((scheme, path)) => (Some(scheme), path),
            None => (None, value),
        };
        let name = path.trim_end_matches('/').rsplit('/').next();
        match (scheme, name) {
            _ if value.contains("://") || !path.contains('/') => value.to_owned(),
            (Some(scheme), Some(name)) => format!("{scheme}:{name}"),
            (_, name) => name.unwrap_or(value).to_owned(),
        }
    };
    values.split(',').map(shorten).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn local_paths_have_their_last_component() {
        for (values, expected) in [
            ("index:/home/me/web", "index:web"),
            ("index:../web/", "index:web"),
            ("/home/me/a.json,b.json", "a.json,b.json"),
            (
                "searxng:http://localhost/a/b",
                "searxng:http://localhost/a/b",
            ),
            ("mojeek", "mojeek"),
            ("90%", "90%"),
        ] {
            assert_eq!(without_folders(values), expected);
        }
    }
}
