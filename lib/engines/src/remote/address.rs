//! The address of an engine, as a user gives it: where it lies, and options for it in the query part.

use url::Url;

/// Where an engine lies, and the options that the user has set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    url: Url,
    options: Vec<(String, String)>,
}

impl Base {
    /// The parts of a URL; what stands behind `#` has no meaning.
    pub fn new(mut url: Url) -> Self {
        let options = url.query_pairs().map(|(name, value)| (name.into(), value.into())).collect();
        url.set_query(None);
        url.set_fragment(None);
        Base { url, options }
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

    /// What stands at `path` below the base, unless the base names it already. The user's options come first, then
    /// `usual` ones that he has not set, then those that are `fixed`, which nobody can set.
    pub fn ask(&self, path: &str, usual: &[(&str, &str)], fixed: &[(&str, &str)]) -> Url {
        let mut url = self.at(path);
        let is_fixed = |name: &str| fixed.iter().any(|(other, _)| *other == name);
        let is_set = |name: &str| self.options.iter().any(|(other, _)| other == name);
        let mut pairs = url.query_pairs_mut();
        pairs.extend_pairs(self.options.iter().filter(|(name, _)| !is_fixed(name)));
        pairs.extend_pairs(usual.iter().filter(|(name, _)| !is_set(name)));
        pairs.extend_pairs(fixed);
        drop(pairs);
        // Without options there is no question mark.
        if url.query() == Some("") {
            url.set_query(None);
        }
        url
    }

    /// What stands at `path` below the base, without options.
    pub fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let base = url.path().trim_end_matches('/');
        let base = base.strip_suffix(path).unwrap_or(base);
        url.set_path(&format!("{base}{path}"));
        url
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
        let asked = base("http://e.test/?b=2&q=x#y").ask("/search", &[("a", "1"), ("b", "1")], &[("q", "č d")]);
        assert_eq!(asked.as_str(), "http://e.test/search?b=2&a=1&q=%C4%8D+d");
    }

    #[test]
    fn a_path_that_the_base_names_already_is_not_repeated() {
        for given in ["http://e.test/x", "http://e.test/x/", "http://e.test/x/api/s", "http://e.test/x/api/s/"] {
            assert_eq!(base(given).at("/api/s").as_str(), "http://e.test/x/api/s", "{given}");
        }
    }

    #[test]
    fn an_option_of_ours_is_not_sent() {
        let mut base = base("http://e.test/?text=body&x=1");
        assert_eq!((base.take("text").as_deref(), base.take("text")), (Some("body"), None));
        assert_eq!(base.ask("", &[], &[]).as_str(), "http://e.test/?x=1");
    }
}
