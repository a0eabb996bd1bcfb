//! Settings of a run as other people may see them.

/// Returns a value with local paths, as in `index:/home/me/web`, without their folders, which
/// nobody else has.
pub fn without_folders(value: &str) -> String {
    let shorten = |part: &str| {
        let (prefix, path) = part.split_at(part.find('/').unwrap_or(part.len()));
        let is_absolute = prefix.is_empty() || prefix.ends_with([':', '=']);
        match path.trim_end_matches('/').rsplit_once('/') {
            Some((_, name)) if is_absolute && !path.starts_with("//") => format!("{prefix}{name}"),
            _ => part.to_owned(),
        }
    };
    value.split_inclusive([' ', ',']).map(shorten).collect()
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn the_folders_of_local_paths_are_not_shown() {
        for (value, shown) in [
            ("index:/home/me/My corpus/web/", "index:My corpus/web/"),
            ("index:/srv/demo/web", "index:web"),
            (
                "searxng:http://localhost:8888/x",
                "searxng:http://localhost:8888/x",
            ),
            (
                "langid --profile=/a/b.profile --state /c/d",
                "langid --profile=b.profile --state d",
            ),
            ("/a/b.jsonl,/c/d.jsonl", "b.jsonl,d.jsonl"),
            ("text/plain", "text/plain"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(without_folders(value), shown);
        }
    }
}
