//! What reading answers has in common: JSON of a documented shape, hits among objects, text out of
//! HTML.

use crate::{EngineError, PageHit};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use url::Url;

/// Addresses that engines are known to list, and that are none of pages.
const OTHER_SCHEMES: [&str; 8] = [
    "javascript",
    "mailto",
    "data",
    "file",
    "ftp",
    "tel",
    "magnet",
    "about",
];

/// The names that an engine gives to the parts of a hit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    pub url: &'a str,
    pub title: &'a str,
    pub snippet: &'a str,
}

/// The answer as the JSON that the engine documents.
///
/// # Errors
/// When it is something else: then the engine is down, or something stands between it and us.
pub(super) fn json<T: DeserializeOwned>(engine: &str, body: &[u8]) -> Result<T, EngineError> {
    // A byte-order mark, or a byte of another encoding in one title, doesn't spoil the page.
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).map_err(|e| EngineError::Down(unreadable(engine, text, &e)))
}

fn unreadable(engine: &str, text: &str, cause: &serde_json::Error) -> String {
    match (text.trim_start().chars().next(), cause.classify()) {
        (None, _) => format!("{engine} gives an empty answer"),
        (Some('<'), _) => {
            format!(
                "{engine} gives a web page and not the JSON that it documents; is the address right?"
            )
        }
        (_, Category::Eof) => format!("{engine}'s answer breaks off"),
        (_, Category::Data) => {
            format!("{engine}'s answer is not what it should be (is it really one?)")
        }
        _ => format!("{engine}'s answer can't be read (is it really one?)"),
    }
}

/// The hits among `results`, in their order. One that is no page, has no address, or is not as it
/// should be is left out and has no rank; it doesn't spoil the others.
///
/// # Errors
/// When none can be read though there are some: the engine has changed its form, which must not
/// pass for "no hits".
pub(super) fn hits(
    engine: &str,
    results: &[Value],
    names: Names,
) -> Result<Vec<PageHit>, EngineError> {
    let hits: Vec<PageHit> = results
        .iter()
        .filter_map(|result| hit(result, names))
        .collect();
    let is_other = |url: Url| OTHER_SCHEMES.contains(&url.scheme());
    let has_address = |result| {
        text(result, names.url)
            .and_then(|url| Url::parse(url.trim()).ok())
            .is_some_and(is_other)
    };
    if hits.is_empty() && !results.is_empty() && !results.iter().any(has_address) {
        let number = results.len();
        let message = format!(
            "none of {engine}'s {number} results has an address in `{}`",
            names.url
        );
        return Err(EngineError::Down(message));
    }
    Ok(hits)
}

fn hit(result: &Value, names: Names) -> Option<PageHit> {
    Some(PageHit {
        url: address(&text(result, names.url)?)?,
        title: text(result, names.title).map(|title| plain(&title)),
        snippet: text(result, names.snippet).map(|snippet| plain(&snippet)),
    })
}

/// The address of a page in one spelling, as the same one may be written in several ways: without
/// credentials, which are nobody's business, and without what stands behind `#`, which is a place
/// in the page. What can't be fetched (`mailto:`, `javascript:` …) is the address of none.
pub(super) fn address(text: &str) -> Option<String> {
    let mut url = Url::parse(text.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// A field's text; of several values the first.
pub(super) fn text(object: &Value, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => values.iter().find_map(Value::as_str).map(Into::into),
        _ => None,
    }
}

/// A whole number, also one that is written as text, with or without commas (`"1,234"`).
pub(super) fn number(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::String(text) => text.replace(',', "").trim().parse().ok(),
        other => other.as_u64(),
    }
}

/// The text of a piece of HTML: without tags, entities resolved, on one line.
pub(super) fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        // A lone sign is one of the text.
        match after.split_once('>') {
            Some((tag, behind)) if is_tag(tag) => rest = behind,
            _ => {
                text.push('<');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    one_line(&html_escape::decode_html_entities(&text))
}

fn is_tag(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'))
        && !inside.contains('<')
}

/// What an engine says, on one line. It is cut only when the key was taken out of it.
pub(super) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Names, hits, json, number, one_line, plain};
    use serde_json::{Value, json};

    const NAMES: Names = Names {
        url: "url",
        title: "title",
        snippet: "content",
    };

    #[test]
    fn what_is_wrong_with_an_answer_is_told() {
        let wrong = |body: &str| {
            json::<Vec<u8>>("X", body.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(wrong(""), "X gives an empty answer");
        assert!(
            wrong(" <html>").contains("a web page"),
            "{}",
            wrong(" <html>")
        );
        assert_eq!(wrong("[1,"), "X's answer breaks off");
        assert_eq!(
            wrong("{}"),
            "X's answer is not what it should be (is it really one?)"
        );
        assert_eq!(
            wrong("oops"),
            "X's answer can't be read (is it really one?)"
        );
    }

    #[test]
    fn a_byte_order_mark_or_a_bad_byte_does_not_spoil_an_answer() {
        assert_eq!(json::<Vec<u8>>("X", b"\xef\xbb\xbf[1]"), Ok(vec![1]));
        assert_eq!(
            json::<Vec<String>>("X", b"[\"a\", \"\xe8esen\"]"),
            Ok(vec!["a".into(), "\u{fffd}esen".into()])
        );
    }

    #[test]
    fn a_hit_that_is_not_as_it_should_be_does_not_spoil_the_others() {
        let results = json!([{"url": "HTTP://A.test", "title": 7, "content": ["a <b>b</b>", "c"]}, {"title": "x"}, 7]);
        let found = hits("X", results.as_array().unwrap(), NAMES).unwrap();
        assert_eq!(
            (found.len(), found[0].url.as_str(), &found[0].title),
            (1, "http://a.test/", &None)
        );
        assert_eq!(found[0].snippet.as_deref(), Some("a b"));
    }

    #[test]
    fn results_that_cannot_be_read_at_all_are_not_no_hits() {
        let message = hits("X", &[json!({"link": "http://a.test"})], NAMES)
            .unwrap_err()
            .to_string();
        assert_eq!(message, "none of X's 1 results has an address in `url`");
        assert_eq!(hits("X", &[], NAMES), Ok(vec![]));
    }

    #[test]
    fn only_pages_are_hits_and_a_page_has_one_address() {
        let urls = [
            "javascript:alert(1)",
            "mailto:a@b.test",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://f.test/",
            "http://ok.test",
            "HTTP://OK.test:80/#part",
            "https://user:pw@u.test/a?b#c",
            "/relative",
        ];
        let results: Vec<Value> = urls.iter().map(|url| json!({"url": url})).collect();
        let found = hits("X", &results, NAMES).unwrap();
        let found: Vec<&str> = found.iter().map(|hit| hit.url.as_str()).collect();
        assert_eq!(
            found,
            ["http://ok.test/", "http://ok.test/", "https://u.test/a?b"]
        );
        assert_eq!(hits("X", &results[..2], NAMES), Ok(vec![]));
    }

    #[test]
    fn html_becomes_text() {
        assert_eq!(
            plain("<span class=\"m\">Lep</span>\n dan &amp; &scaron;e&nbsp;kaj"),
            "Lep dan & še kaj"
        );
        assert_eq!(
            plain("a < b <3 &c; <!-- x --> AT&T &lt;d"),
            "a < b <3 &c; AT&T <d"
        );
    }

    #[test]
    fn numbers_may_be_written_as_text() {
        let read = |value: Value| number(Some(&value));
        assert_eq!(
            [
                read(json!(7)),
                read(json!("1,234")),
                read(json!(-1)),
                number(None)
            ],
            [Some(7), Some(1234), None, None]
        );
    }

    #[test]
    fn what_an_engine_says_is_one_line() {
        assert_eq!(one_line("a\u{7}\n b"), "a b");
    }
}
