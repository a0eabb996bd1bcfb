//! The address of an engine, and the requests that are built from it.

use crate::{ApiKey, EngineRequest, KeyPlace};
use std::fmt::Display;
use url::Url;

/// Address of an engine: its URL, options of the user, and the key.
pub(crate) struct EngineAddress {
    /// URL without options, which are its query part, and without the fragment.
    pub url: Url,
    /// URL as the user gave it, with options and without the fragment.
    pub full_url: Url,
    /// Names and values from the query part of the URL that the user gave.
    options: Vec<(String, String)>,
    pub key: Option<(KeyPlace, ApiKey)>,
}

/// Names and values for the query part of a request.
pub(crate) type QueryParameters<'a> = &'a [(&'a str, &'a dyn Display)];

impl EngineAddress {
    /// Splits a URL into address and options. The fragment is ignored.
    pub fn new(mut url: Url) -> Self {
        let options = url.query_pairs();
        let options = options.map(|(name, value)| (name.into(), value.into()));
        let options = options.collect();
        url.set_fragment(None);
        let full_url = url.clone();
        url.set_query(None);
        EngineAddress {
            url,
            full_url,
            options,
            key: None,
        }
    }

    /// Removes an option that is meant for the adapter and not for the engine, and returns its
    /// value.
    pub fn take_option(&mut self, name: &str) -> Option<String> {
        let index = self.options.iter().position(|(option, _)| option == name)?;
        Some(self.options.remove(index).1)
    }

    /// Builds a GET request for `path` below the address. A path that the address already ends with
    /// is not repeated.
    ///
    /// The query part has the options of the user, except for those in `fixed`, then the
    /// `defaults` that the user did not set, then the `fixed` parameters, then the key if it is a
    /// parameter.
    pub fn build_get(
        &self,
        path: &str,
        defaults: &[(&str, &str)],
        fixed: QueryParameters,
    ) -> EngineRequest {
        let mut url = self.url.clone();
        let base = url.path().trim_end_matches('/');
        let base = base.strip_suffix(path).unwrap_or(base);
        url.set_path(&format!("{base}{path}"));
        let is_fixed = |name: &str| fixed.iter().any(|(other, _)| *other == name);
        let is_set = |name: &str| self.options.iter().any(|(other, _)| other == name);
        let mut pairs = url.query_pairs_mut();
        pairs.extend_pairs(self.options.iter().filter(|(name, _)| !is_fixed(name)));
        pairs.extend_pairs(defaults.iter().filter(|(name, _)| !is_set(name)));
        pairs.extend_pairs(fixed.iter().map(|(name, value)| (name, value.to_string())));
        if let Some((KeyPlace::Parameter(name), key)) = &self.key {
            pairs.append_pair(name, key.reveal());
        }
        drop(pairs);
        // Removes the question mark if there are no parameters.
        if url.query() == Some("") {
            url.set_query(None);
        }
        self.build_get_url(url)
    }

    /// Builds a GET request for a URL. Only a request to the origin of the address carries the key.
    pub fn build_get_url(&self, url: Url) -> EngineRequest {
        let key_header = match &self.key {
            Some((KeyPlace::Header(name), key)) if url.origin() == self.url.origin() => {
                Some((*name, key.clone()))
            }
            _ => None,
        };
        EngineRequest {
            key_header,
            url,
            json: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EngineAddress;
    use url::Url;

    fn address(url: &str) -> EngineAddress {
        EngineAddress::new(Url::parse(url).unwrap())
    }

    #[test]
    fn user_options_override_defaults_but_not_fixed_parameters() {
        let address = address("http://e.test/?b=2&q=x#y");
        let request = address.build_get("/search", &[("a", "1"), ("b", "1")], &[("q", &"č d")]);
        assert_eq!(
            request.url.as_str(),
            "http://e.test/search?b=2&a=1&q=%C4%8D+d"
        );
    }

    #[test]
    fn a_path_that_the_address_ends_with_is_not_repeated() {
        for url in [
            "http://e.test/x",
            "http://e.test/x/",
            "http://e.test/x/api/s",
            "http://e.test/x/api/s/",
        ] {
            let request = address(url).build_get("/api/s", &[], &[]);
            assert_eq!(request.url.as_str(), "http://e.test/x/api/s", "{url}");
        }
    }

    #[test]
    fn options_for_the_adapter_are_not_sent() {
        let mut address = address("http://e.test/?text=body&x=1");
        assert_eq!(
            (
                address.take_option("text").as_deref(),
                address.take_option("text")
            ),
            (Some("body"), None)
        );
        assert_eq!(
            address.build_get("", &[], &[]).url.as_str(),
            "http://e.test/?x=1"
        );
    }
}
