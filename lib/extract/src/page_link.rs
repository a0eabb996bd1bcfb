//! A link of a page, with its anchor text.

/// A link of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLink {
    /// Absolute URL, HTTP or HTTPS.
    pub url: String,
    /// The anchor text.
    pub text: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
}
