//! Parsing of responses, as far as it is common to the adapters: JSON of a documented form, hits in
//! a list of objects, and text from HTML.

use crate::{EngineError, EngineHit, EngineResult};
use forage_content::read_faulty_json;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use url::Url;

/// URL schemes other than HTTP that engines list among their hits.
const OTHER_SCHEMES: &str = "javascript mailto data file ftp tel magnet about";

/// Names of the fields that an engine's hits have.
#[derive(Debug, Clone, Copy)]
pub(super) struct HitFields<'a> {
    pub url: &'a str,
    pub title: &'a str,
    pub snippet: &'a str,
}

impl<'a> HitFields<'a> {
    /// Returns the names of the fields for URL, title and snippet.
    pub const fn new(url: &'a str, title: &'a str, snippet: &'a str) -> HitFields<'a> {
        HitFields {
            url,
            title,
            snippet,
        }
    }
}

/// Parses the JSON of a response.
///
/// JSON that is not valid is read as far as possible: a fault costs at most one result, which
/// becomes `null`.
///
/// # Errors
/// Fails if the body is not JSON of the documented form: the engine is down, or something responds
/// in its place, such as a web server (`Unreadable`).
pub(super) fn parse_json<T: DeserializeOwned>(engine: &str, body: &[u8]) -> EngineResult<T> {
    let (text, _) = forage_content::media::decode(body, Some("utf-8"), false, None);
    let text = text.trim_start_matches('\u{feff}');
    let parse_faulty = |e: &serde_json::Error| {
        let value = (e.classify() != Category::Data).then(|| read_faulty_json(text))?;
        serde_json::from_value(value?).ok()
    };
    serde_json::from_str(text).or_else(|e| {
        parse_faulty(&e).ok_or_else(|| {
            let message = describe_json_error(engine, text, &e);
            match text.trim_start().starts_with('<') {
                true => EngineError::Unreadable(message),
                false => EngineError::Down(message),
            }
        })
    })
}

fn describe_json_error(engine: &str, text: &str, cause: &serde_json::Error) -> String {
    match (text.trim_start().chars().next(), cause.classify()) {
        (None, _) => format!("{engine} returned an empty response"),
        (Some('<'), _) => {
            format!("{engine} returned a web page instead of JSON; check the address")
        }
        (_, Category::Eof) => format!("{engine} returned truncated JSON"),
        (_, Category::Data) => {
            format!("{engine} returned JSON of another form; check the address")
        }
        _ => format!("{engine} returned invalid JSON; check the address"),
    }
}

/// Parses the hits of a list of results, in order. A result without the URL of a web page is left
/// out and gets no rank; the others remain.
///
/// # Errors
/// Fails if no result can be parsed although there are some, and none has a URL of another scheme:
/// the engine has changed its form, which must not count as "no hits".
pub(super) fn parse_hits(
    engine: &str,
    results: &[Value],
    fields: HitFields,
) -> EngineResult<Vec<EngineHit>> {
    let hits = results
        .iter()
        .filter_map(|result| parse_hit(result, fields));
    let hits: Vec<EngineHit> = hits.collect();
    let has_other_scheme = |result| {
        let url = string_field(result, fields.url);
        let url = url.and_then(|url| Url::parse(url.trim()).ok());
        url.is_some_and(|url| OTHER_SCHEMES.split(' ').any(|other| other == url.scheme()))
    };
    if hits.is_empty() && !results.is_empty() && !results.iter().any(has_other_scheme) {
        return Err(EngineError::Down(format!(
            "none of the {} results of {engine} has a URL in `{}`",
            results.len(),
            fields.url
        )));
    }
    Ok(hits)
}

fn parse_hit(result: &Value, fields: HitFields) -> Option<EngineHit> {
    Some(EngineHit {
        url: normalise_page_url(&string_field(result, fields.url)?)?,
        title: text_field(result, fields.title),
        snippet: text_field(result, fields.snippet),
        ..EngineHit::default()
    })
}

/// Returns the URL of a web page in normal form: without credentials, which must not spread, and
/// without a fragment, which is a position within the page. `None` for other schemes (`mailto:`,
/// `javascript:` …), which cannot be fetched.
pub(super) fn normalise_page_url(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok();
    let mut url = url.filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// Returns the string in a field, or the first string of an array.
pub(super) fn string_field(object: &Value, name: &str) -> Option<String> {
    match object.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => values.iter().find_map(Value::as_str).map(Into::into),
        _ => None,
    }
}

/// Returns the text of the HTML in a field, unless it is empty.
pub(super) fn text_field(object: &Value, name: &str) -> Option<String> {
    let text = html_to_text(&string_field(object, name)?);
    (!text.is_empty()).then_some(text)
}

/// Returns a non-negative integer, which may be written as a string, with or without commas
/// (`"1,234"`).
pub(super) fn parse_count(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::String(text) => text.replace(',', "").trim().parse().ok(),
        other => other.as_u64(),
    }
}

/// Elements of HTML that do not separate the words around them.
const INLINE_ELEMENTS: [&str; 17] = [
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "mark", "s", "small", "span",
    "strong", "sub", "sup", "u",
];

/// Returns the text of an HTML fragment: without tags, with entities decoded, on one line.
pub(super) fn html_to_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        match after.split_once('>') {
            Some((tag, after_tag)) if is_tag(tag) => {
                let name = tag.trim_start_matches('/');
                let end = name.find(|c: char| !c.is_ascii_alphanumeric());
                let name = name[..end.unwrap_or(name.len())].to_ascii_lowercase();
                if !INLINE_ELEMENTS.contains(&name.as_str()) {
                    text.push(' ');
                }
                rest = after_tag;
            }
            // A less-than sign in the text.
            _ => {
                text.push('<');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    collapse_white_space(&html_escape::decode_html_entities(&text))
}

/// Elements in which engines put the words of the query.
const HIGHLIGHTS: [&str; 6] = ["b", "em", "i", "mark", "span", "strong"];

/// Returns a text without the tags of highlighted words.
///
/// An engine may escape its own markup twice, as the feed of Xapian Omega does, so that the text of
/// the HTML has tags. Only pairs around words are removed: any other `<` is part of the text.
pub(super) fn remove_highlights(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        if let Some((words, after_end)) = split_highlight(after) {
            plain.push_str(words);
            rest = after_end;
        } else {
            plain.push('<');
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

/// Splits what follows a `<` into highlighted words and what follows their end tag.
fn split_highlight(after: &str) -> Option<(&str, &str)> {
    let (tag, after_tag) = after.split_once('>')?;
    let (name, attributes) = tag.split_once(' ').unwrap_or((tag, "="));
    let (words, end) = after_tag.split_once("</")?;
    let (end_name, after_end) = end.split_once('>')?;
    let has_name = |highlight: &&str| highlight.eq_ignore_ascii_case(name);
    let is_highlight = HIGHLIGHTS.iter().any(has_name)
        && end_name.eq_ignore_ascii_case(name)
        && attributes.contains('=')
        && !words.contains('<');
    is_highlight.then_some((words, after_end))
}

/// Returns `true` if the text between `<` and `>` is a tag.
fn is_tag(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'))
        && !inside.contains('<')
}

/// Returns the text on one line, without control characters.
///
/// Messages are not shortened here, but only after the key is redacted, as half a key would not be
/// recognised.
pub(super) fn collapse_white_space(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{
        HitFields, collapse_white_space, html_to_text, parse_count, parse_hits, parse_json,
        remove_highlights,
    };
    use serde_json::{Value, json};

    const FIELDS: HitFields = HitFields::new("url", "title", "content");

    #[test]
    fn describes_invalid_json() {
        let message = |body: &str| {
            parse_json::<Vec<u8>>("X", body.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(message(""), "X returned an empty response");
        assert!(
            message(" <html>").contains("a web page"),
            "{}",
            message(" <html>")
        );
        assert_eq!(message("[1,"), "X returned truncated JSON");
        assert_eq!(
            message("{}"),
            "X returned JSON of another form; check the address"
        );
        assert_eq!(
            message("oops"),
            "X returned invalid JSON; check the address"
        );
    }

    #[test]
    fn tolerates_a_byte_order_mark_and_a_byte_in_another_encoding() {
        assert_eq!(parse_json::<Vec<u8>>("X", b"\xef\xbb\xbf[1]"), Ok(vec![1]));
        let texts = parse_json::<Vec<String>>("X", b"[\"a\", \"\xe8esen\"]").unwrap();
        assert!(texts[1].ends_with("esen"), "{texts:?}");
    }

    #[test]
    fn leaves_out_a_result_that_can_not_be_parsed() {
        let results = json!([
            {"url": "HTTP://A.test", "title": 7, "content": ["a <b>b</b>", "c"]},
            {"title": "x"},
            7
        ]);
        let hits = parse_hits("X", results.as_array().unwrap(), FIELDS).unwrap();
        assert_eq!(
            (hits.len(), hits[0].url.as_str(), &hits[0].title),
            (1, "http://a.test/", &None)
        );
        assert_eq!(hits[0].snippet.as_deref(), Some("a b"));
    }

    #[test]
    fn results_of_unknown_form_are_a_failure() {
        let message = parse_hits("X", &[json!({"link": "http://a.test"})], FIELDS)
            .unwrap_err()
            .to_string();
        assert_eq!(message, "none of the 1 results of X has a URL in `url`");
        assert_eq!(parse_hits("X", &[], FIELDS), Ok(vec![]));
    }

    #[test]
    fn hits_are_web_pages_with_normalised_urls() {
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
        let hits = parse_hits("X", &results, FIELDS).unwrap();
        let urls: Vec<&str> = hits.iter().map(|hit| hit.url.as_str()).collect();
        assert_eq!(
            urls,
            ["http://ok.test/", "http://ok.test/", "https://u.test/a?b"]
        );
        assert_eq!(parse_hits("X", &results[..2], FIELDS), Ok(vec![]));
    }

    #[test]
    fn converts_html_to_text() {
        assert_eq!(
            html_to_text("<span class=\"m\">Lep</span>\n dan &amp; &scaron;e&nbsp;kaj"),
            "Lep dan & še kaj"
        );
        assert_eq!(
            html_to_text("a<BR/>b<p>c</p>d m<b>ost</b>a"),
            "a b c d mosta"
        );
        assert_eq!(
            html_to_text("a < b <3 &c; <!-- x --> AT&T &lt;d"),
            "a < b <3 &c; AT&T <d"
        );
    }

    #[test]
    fn removes_highlights_that_were_escaped_twice_and_nothing_else() {
        for (text, expected) in [
            (
                "<strong>Lep</strong> <STRONG>dan</strong>, <em>l'ura</em>",
                "Lep dan, l'ura",
            ),
            ("<span class=\"m\">北京</span>市 <b>भारत</b>", "北京市 भारत"),
            ("<mark></mark>a <b>b<b>c</b></b>", "a <b>bc</b>"),
            (
                "a < b, <b and c> d</b> <bold>e</bold>",
                "a < b, <b and c> d</b> <bold>e</bold>",
            ),
            ("Vec<i>, <i>x", "Vec<i>, <i>x"),
            ("AT&amp;T <p>x</p> </b> <", "AT&amp;T <p>x</p> </b> <"),
            ("<b>x</i> <em>y</em", "<b>x</i> <em>y</em"),
        ] {
            assert_eq!(remove_highlights(text), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_title_or_snippet_is_none() {
        let results = [json!({"url": "http://a.test/", "title": " ", "content": "<br>"})];
        let hits = parse_hits("X", &results, FIELDS).unwrap();
        assert_eq!((&hits[0].title, &hits[0].snippet), (&None, &None));
    }

    #[test]
    fn parses_counts_written_as_strings() {
        let count = |value: Value| parse_count(Some(&value));
        assert_eq!(
            [
                count(json!(7)),
                count(json!("1,234")),
                count(json!(-1)),
                parse_count(None)
            ],
            [Some(7), Some(1234), None, None]
        );
    }

    #[test]
    fn collapses_white_space_and_control_characters() {
        assert_eq!(collapse_white_space("a\u{7}\n b"), "a b");
    }
}
