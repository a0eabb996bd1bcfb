//! The address of an engine, as a user gives it: where it lies, and options for it in the query
//! part.

use crate::{Key, Request};
use std::fmt::Display;
use url::Url;

/// Where an engine lies, the options that the user has set, and the header that holds the key.
pub(crate) struct Base {
    url: Url,
    options: Vec<(String, String)>,
    header: Option<(&'static str, Key)>,
}

/// Names and values of a request's query part.
pub(crate) type Parameters<'a> = &'a [(&'a str, &'a dyn Display)];

impl Base {
    /// The parts of a URL; what stands behind `#` has no meaning.
    pub fn new(mut url: Url) -> Self {
        let options = url
            .query_pairs()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        url.set_query(None);
        url.set_fragment(None);
        Base {
            url,
            options,
            header: None,
        }
    }

    /// The same with a header that holds a key, if there is one.
    pub fn with_key(self, header: &'static str, key: Option<Key>) -> Self {
        Base {
            header: key.map(|key| (header, key)),
            ..self
        }
    }

    /// The same with the value of an `Authorization` header, if there is one.
    pub fn authorized(self, key: Option<Key>) -> Self {
        self.with_key("authorization", key)
    }

    /// Where it lies, without options.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Takes out an option that is for us and not for the engine.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.options.iter().position(|(option, _)| option == name)?;
        Some(self.options.remove(at).1)
    }

    /// A request for what stands at `path` below the base, unless the base names it already. The
    /// user's options come first, then `usual` ones that he has not set, then those that are
    /// `fixed`, which nobody can set.
    pub fn get(&self, path: &str, usual: &[(&str, &str)], fixed: Parameters) -> Request {
        let mut url = self.url.clone();
        let base = url.path().trim_end_matches('/');
        let base = base.strip_suffix(path).unwrap_or(base);
        url.set_path(&format!("{base}{path}"));
        let is_fixed = |name: &str| fixed.iter().any(|(other, _)| *other == name);
        let is_set = |name: &str| self.options.iter().any(|(other, _)| other == name);
        let mut pairs = url.query_pairs_mut();
        pairs.extend_pairs(self.options.iter().filter(|(name, _)| !is_fixed(name)));
        pairs.extend_pairs(usual.iter().filter(|(name, _)| !is_set(name)));
        pairs.extend_pairs(fixed.iter().map(|(name, value)| (name, value.to_string())));
        drop(pairs);
        // Without options there is no question mark.
        if url.query() == Some("") {
            url.set_query(None);
        }
        self.request(url)
    }

    /// A request that carries the key only to the host that the user named.
    pub fn request(&self, url: Url) -> Request {
        let is_own = url.origin() == self.url.origin();
        Request {
            header: self.header.clone().filter(|_| is_own),
            url,
            json: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Base;
    use url::Url;

    fn base(url: &str) -> Base {
        Base::new(Url::parse(url).unwrap())
    }

    #[test]
    fn options_of_the_user_come_first_and_beat_the_usual_ones_alone() {
        let base = base("http://e.test/?b=2&q=x#y");
        let asked = base.get("/search", &[("a", "1"), ("b", "1")], &[("q", &"č d")]);
        assert_eq!(
            asked.url.as_str(),
            "http://e.test/search?b=2&a=1&q=%C4%8D+d"
        );
    }

    #[test]
    fn a_path_that_the_base_names_already_is_not_repeated() {
        for given in [
            "http://e.test/x",
            "http://e.test/x/",
            "http://e.test/x/api/s",
            "http://e.test/x/api/s/",
        ] {
            let asked = base(given).get("/api/s", &[], &[]);
            assert_eq!(asked.url.as_str(), "http://e.test/x/api/s", "{given}");
        }
    }

    #[test]
    fn an_option_of_ours_is_not_sent() {
        let mut base = base("http://e.test/?text=body&x=1");
        assert_eq!(
            (base.take("text").as_deref(), base.take("text")),
            (Some("body"), None)
        );
        assert_eq!(base.get("", &[], &[]).url.as_str(), "http://e.test/?x=1");
    }
}
