//! Lists of hosts that a user allows or denies.

use std::collections::BTreeSet;

/// Hosts by name, each with its subdomains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList(BTreeSet<String>);

/// A line of a host list that is not the name of a host.
#[derive(Debug, thiserror::Error)]
#[error(
    "{line}: `{text}` is not a host name; write one name per line, such as example.org, which has its subdomains"
)]
pub struct HostListError {
    line: usize,
    text: String,
}

impl HostList {
    /// Parses a list with one host per line. Empty lines and lines that start with `#` are ignored.
    ///
    /// # Errors
    /// Fails if a line is not a host name or address.
    pub fn parse(text: &str) -> Result<HostList, HostListError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut hosts = BTreeSet::new();
        for (number, line) in text.lines().enumerate() {
            let name = line.trim();
            if name.is_empty() || name.starts_with('#') {
                continue;
            }
            // URLs may have a `*` in the host, but a list has subdomains without.
            let host = url::Host::parse(name.trim_end_matches('.'))
                .ok()
                .filter(|_| !name.contains('*'))
                .ok_or_else(|| HostListError {
                    line: number + 1,
                    text: name.into(),
                })?;
            hosts.insert(host.to_string());
        }
        Ok(HostList(hosts))
    }

    /// Returns `true` if the list has no host.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` if the list has the host, or a domain to which it belongs.
    pub fn contains(&self, host: &str) -> bool {
        let mut rest = Some(host);
        while let Some(name) = rest {
            if self.0.contains(name) {
                return true;
            }
            rest = name.split_once('.').map(|(_, parent)| parent);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::HostList;

    #[test]
    fn a_host_list_covers_subdomains() {
        let list = HostList::parse("\u{feff}# ours\r\nA.test\r\n\r\nb.c.test.\n").unwrap();
        assert!(
            list.contains("a.test") && list.contains("x.y.a.test") && list.contains("b.c.test")
        );
        assert!(!list.contains("c.test") && !list.contains("aa.test") && !list.contains("test"));
        let error = HostList::parse("a.test\nhttp://b.test/\n").unwrap_err();
        assert!(error.to_string().starts_with("2: `http://b.test/`"));
        assert!(HostList::parse("*.test").is_err());
    }
}
