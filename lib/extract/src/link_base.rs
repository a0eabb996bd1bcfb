//! What the links of a page are resolved against: its address or its first `<base>`, and its
//! character encoding, in which browsers encode queries.

use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;
use url::Url;

/// The base of the links of a page.
#[derive(Debug)]
pub(crate) struct LinkBase {
    url: Option<Url>,
    /// True if there was a `<base>` with a reference: further ones do not count (the HTML standard,
    /// section 4.2.3).
    is_declared: bool,
    encoding: &'static Encoding,
}

impl Default for LinkBase {
    fn default() -> Self {
        LinkBase::new(None)
    }
}

impl LinkBase {
    /// Returns the base of a page at `url` in UTF-8.
    pub fn new(url: Option<Url>) -> LinkBase {
        LinkBase {
            url,
            is_declared: false,
            encoding: UTF_8,
        }
    }

    /// Sets the character encoding of the page, by its name.
    pub fn set_charset(&mut self, charset: &str) {
        let encoding = Encoding::for_label(charset.as_bytes());
        self.encoding = encoding.map_or(UTF_8, Encoding::output_encoding);
    }

    /// Adds the reference of a `<base>`. One that is not HTTP is ignored, but counts as the first.
    pub fn declare(&mut self, reference: &str) {
        if !std::mem::replace(&mut self.is_declared, true)
            && let Some(url) = self.resolve(reference)
        {
            self.url = Some(url);
        }
    }

    /// Returns the absolute HTTP or HTTPS URL of a reference, without its fragment and credentials,
    /// which are not for others.
    pub fn resolve(&self, reference: &str) -> Option<Url> {
        let encode: &dyn Fn(&str) -> Cow<[u8]> = &|query| self.encoding.encode(query).0;
        let mut url = Url::options()
            .base_url(self.url.as_ref())
            .encoding_override((self.encoding != UTF_8).then_some(encode))
            .parse(reference.trim())
            .ok()?;
        url.set_fragment(None);
        // Fails only for URLs without a host, which have none.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        matches!(url.scheme(), "http" | "https").then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::LinkBase;
    use url::Url;

    fn base() -> LinkBase {
        LinkBase::new(Url::parse("http://a.test/x/y").ok())
    }

    fn resolve(base: &LinkBase, reference: &str) -> String {
        base.resolve(reference)
            .map(String::from)
            .unwrap_or_default()
    }

    #[test]
    fn queries_are_encoded_in_the_charset_of_the_page_and_paths_in_utf8() {
        for (charset, reference, expected) in [
            ("windows-1250", "/č?q=č&r=%C4%8D", "/%C4%8D?q=%E8&r=%C4%8D"),
            ("windows-1251", "?q=ручей", "/x/y?q=%F0%F3%F7%E5%E9"),
            ("GBK", "?q=溪", "/x/y?q=%CF%AA"),
            ("Shift_JIS", "?q=川", "/x/y?q=%90%EC"),
            ("UTF-16LE", "?q=č", "/x/y?q=%C4%8D"),
            ("UTF-8", "?q=č", "/x/y?q=%C4%8D"),
            ("no charset", "?q=č", "/x/y?q=%C4%8D"),
        ] {
            let mut base = base();
            base.set_charset(charset);
            assert_eq!(
                resolve(&base, reference),
                format!("http://a.test{expected}"),
                "{charset}"
            );
        }
    }

    #[test]
    fn the_first_base_counts() {
        let mut first = base();
        first.declare("../z/");
        first.declare("/other/");
        assert_eq!(resolve(&first, "1"), "http://a.test/z/1");
        for reference in ["javascript:1", "file:///C:/", "http://["] {
            let mut invalid = base();
            invalid.declare(reference);
            invalid.declare("/other/");
            assert_eq!(resolve(&invalid, "1"), "http://a.test/x/1", "{reference}");
        }
    }
}
