//! The links of a judged page as they are stored, so that the page can be removed from the parents
//! of these URLs.
//!
//! A sum without one of its scores can be computed, but a maximum cannot. So each link whose URL
//! got a greater score is stored with the one before. Most links raise nothing, and cost one bit.

use crate::state_file::score::Score;
use forage_text::{push_number, take_number};

/// A URL that a page is a parent of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredLink {
    /// The number of the URL.
    pub(crate) url: i64,
    /// The greatest score of the URL's parents before this page, if the page raised it.
    pub(crate) raised: Option<Score>,
}

/// Encodes links, of which the URLs are ascending, of a page with `score`.
///
/// For each link, twice the difference of its number to the last one, plus 1 if the page raised the
/// greatest score; then, in this case, by how much. Numbers have seven bits per byte, the lowest
/// first (LEB128).
pub(crate) fn encode_links(links: &[StoredLink], score: Score) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * links.len());
    let mut previous = 0;
    for link in links {
        let twice = link.url.abs_diff(previous) << 1;
        push_number(&mut bytes, twice | u64::from(link.raised.is_some()));
        if let Some(raised) = link.raised {
            push_number(&mut bytes, score.0.abs_diff(raised.0));
        }
        previous = link.url;
    }
    bytes
}

/// Decodes what [`encode_links`] has written.
pub(crate) fn decode_links(mut bytes: &[u8], score: Score) -> Vec<StoredLink> {
    let (mut links, mut url) = (Vec::new(), 0_i64);
    while let Some(number) = take_number(&mut bytes) {
        url = url.saturating_add_unsigned(number >> 1);
        let rise = (number & 1 == 1).then(|| take_number(&mut bytes)).flatten();
        let raised = rise.map(|rise| Score(score.0.saturating_sub_unsigned(rise)));
        links.push(StoredLink { url, raised });
    }
    links
}

#[cfg(test)]
mod tests {
    use super::{StoredLink, decode_links, encode_links};
    use crate::state_file::score::Score;

    #[test]
    fn links_are_stored_as_differences() {
        let score = Score::from_value(0.5);
        for urls in [vec![], vec![1], vec![1, 2, 200, 1 << 40, i64::MAX]] {
            for raised in [None, Some(-1000.0), Some(0.25), Some(0.499_999_999)] {
                let raised = raised.map(Score::from_value);
                let link = |url: &i64| StoredLink {
                    url: *url,
                    raised: raised.filter(|_| url % 2 == 1),
                };
                let links: Vec<StoredLink> = urls.iter().map(link).collect();
                assert_eq!(decode_links(&encode_links(&links, score), score), links);
            }
        }
        let links = [1000, 1001, 1003].map(|url| StoredLink { url, raised: None });
        assert_eq!(encode_links(&links, score).len(), 4);
    }
}
