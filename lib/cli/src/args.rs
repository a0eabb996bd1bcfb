//! Arguments shared by several tools. Each tool flattens the groups that it needs into its own.

use crate::line_source::is_web_url;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// Parses the value of a flag that takes a positive integer. `Number` must exclude 0, as
/// [`NonZeroUsize`] does.
///
/// # Errors
/// Fails if `text` is not a `Number`. The messages of the number types are not written for users,
/// so they are replaced.
pub fn parse_positive<Number: FromStr>(text: &str) -> Result<Number, String> {
    text.parse()
        .map_err(|_| "not a positive integer, or too large".into())
}

/// Parses a share above 0 and at most 1.
///
/// # Errors
/// Fails if `text` is none.
pub fn parse_share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok();
    share
        .filter(|share| *share > 0.0 && *share <= 1.0)
        .ok_or("not a share above 0 and at most 1, as in 0.9")
}

/// What is wrong with a contact that is none.
pub const NO_CONTACT: &str = "neither a mail address nor the URL of a page, as in me@example.org or \
                              https://example.org/crawler";

/// Parses a contact, which webmasters must be able to use: a mail address, with a name or not, or
/// the URL of a page.
///
/// # Errors
/// Fails if `text` is neither.
pub fn parse_contact(text: &str) -> Result<String, String> {
    let is_address = |word: &str| {
        let word = word.trim_matches(['<', '>', '(', ')', ',']);
        let parts = word.rsplit_once('@');
        parts.is_some_and(|(name, host)| !name.is_empty() && is_domain(host))
    };
    let is_url = is_web_url(text.trim().as_bytes()) && !text.trim().ends_with("//");
    if is_url || text.split_ascii_whitespace().any(is_address) {
        Ok(text.to_owned())
    } else {
        Err(NO_CONTACT.into())
    }
}

/// Returns whether a host has a top-level domain: webmasters cannot write to `me@laptop`.
fn is_domain(host: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    host.contains('.') && host.split('.').all(is_label)
}

/// Returns the contact of the environment variable `FORAGE_CONTACT`; `None` if it is not set or
/// blank.
///
/// # Errors
/// Fails if it is no contact.
pub fn contact_of_environment() -> anyhow::Result<Option<String>> {
    const VARIABLE: &str = "FORAGE_CONTACT";
    let contact = std::env::var(VARIABLE).unwrap_or_default();
    if contact.trim().is_empty() {
        return Ok(None);
    }
    match parse_contact(&contact) {
        Ok(contact) => Ok(Some(contact)),
        Err(cause) => anyhow::bail!("{VARIABLE} {contact:?}: {cause}"),
    }
}

/// Arguments of a tool that can read each file as one document.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct FileArgs {
    /// Read each FILE as one document, and write a line per file
    ///
    /// Files are plain text in any encoding, or records, and may be compressed. With --recursive,
    /// binary files are left out. See FILES.
    #[arg(long = "files", conflicts_with_all = ["rejects", "tsv"])]
    pub as_documents: bool,
}

/// Arguments of a tool whose work on one record is bound by the CPU.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Jobs {
    /// Number of threads [default: available cores]
    ///
    /// The output is the same for any number.
    #[arg(
        short,
        long,
        value_name = "N",
        hide_default_value = true,
        value_parser = parse_positive::<NonZeroUsize>
    )]
    pub jobs: Option<NonZeroUsize>,
}

impl Jobs {
    /// Returns the number of threads to use, at most 1024.
    pub fn thread_count(&self) -> usize {
        /// Bounds the memory if `--jobs` is huge.
        const MAX_THREADS: usize = 1024;
        self.jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
            .min(MAX_THREADS)
    }
}

#[cfg(test)]
mod tests {
    use super::parse_contact;

    #[test]
    fn a_contact_is_a_mail_address_or_a_url() {
        for contact in [
            "me@example.org",
            " Ana <ana@example.org>",
            "mailto:me@example.org",
            "https://example.org/bot",
            "HTTP://example.org",
        ] {
            assert!(parse_contact(contact).is_ok(), "{contact}");
        }
        for text in [
            "me",
            "",
            "@",
            "me@",
            "@here",
            "me@laptop",
            "me@example.",
            "me@.org",
            "me@exa_mple.org",
            "http://",
            "me at example.org",
            "example.org",
        ] {
            assert!(parse_contact(text).is_err(), "{text}");
        }
    }
}
