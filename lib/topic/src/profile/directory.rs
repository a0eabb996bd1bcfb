//! Hosts and directories of URLs.

/// Returns the directory of a URL: all up to the last `/` of its path, without query and fragment.
/// Returns `None` if the URL has no host.
pub fn url_directory(url: &str) -> Option<&str> {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = &url[..end];
    let host = url.find("://")? + "://".len();
    match url[host..].rfind('/') {
        Some(slash) if slash > 0 => Some(&url[..=host + slash]),
        Some(_) => None,
        None => (host < url.len()).then_some(url),
    }
}

/// Returns the host of a URL, with its port if it has one; `None` if it has no host.
pub fn url_host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{url_directory, url_host};

    #[test]
    fn a_host_ends_at_the_path() {
        for (url, host) in [
            ("http://a.test/x/y.html", Some("a.test")),
            ("http://a.test:81?x=/", Some("a.test:81")),
            ("https://a.test", Some("a.test")),
            ("http:///x", None),
            ("nothing", None),
        ] {
            assert_eq!(url_host(url), host, "{url}");
        }
    }

    #[test]
    fn a_directory_ends_at_the_last_slash_of_the_path() {
        for (url, directory) in [
            ("http://a.test/x/y.html", Some("http://a.test/x/")),
            ("http://a.test/x/", Some("http://a.test/x/")),
            ("http://a.test/x/y?of=/z/#/t/", Some("http://a.test/x/")),
            ("http://a.test/y", Some("http://a.test/")),
            ("http://a.test", Some("http://a.test")),
            ("http:///x", None),
            ("nothing", None),
        ] {
            assert_eq!(url_directory(url), directory, "{url}");
        }
    }
}
