//! JSON-LD with the vocabulary of schema.org, embedded in a page.

use crate::page_comment::PageComment;
use serde_json::{Map, Value};

/// The values of interest in a page's JSON-LD.
#[derive(Debug, Default)]
pub(crate) struct JsonLd {
    /// The longest text of an article (`articleBody`).
    pub article_body: String,
    pub published: Option<String>,
    pub licence: Option<String>,
    /// Type names in lower case, in document order.
    pub types: Vec<String>,
    /// Comments of readers, in document order; `None` if they are not wanted.
    pub comments: Option<Vec<PageComment>>,
}

/// Types whose comments are the text of the page: a discussion, or answers to a question.
const DISCUSSION_TYPES: [&str; 3] = ["DiscussionForumPosting", "Question", "Answer"];

/// Maximum number of values to visit per script, which bounds the time; the data of a shop may
/// contain thousands.
const MAX_VALUES: usize = 5000;

impl JsonLd {
    /// Adds the content of a script of type `application/ld+json`. Ignores invalid JSON.
    pub fn add_script(&mut self, script: &str) {
        let Ok(value) = serde_json::from_str::<Value>(script.trim()) else {
            return;
        };
        // True for what is inside the comments of a discussion.
        let mut stack = vec![(&value, false)];
        let mut visited = 0;
        while let Some((value, is_discussed)) = stack.pop() {
            visited += 1;
            if visited > MAX_VALUES {
                return;
            }
            match value {
                Value::Array(values) => {
                    stack.extend(values.iter().rev().map(|value| (value, is_discussed)));
                }
                Value::Object(fields) => {
                    if !is_discussed {
                        self.add_comment(fields);
                    }
                    let is_discussion = has_type(fields, &DISCUSSION_TYPES);
                    for (name, value) in fields {
                        self.add_field(name, value);
                        let is_post = is_discussion && name == "comment";
                        stack.push((value, is_discussed || is_post));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds an object that is a comment, if comments are wanted.
    fn add_comment(&mut self, fields: &Map<String, Value>) {
        let Some(comments) = &mut self.comments else {
            return;
        };
        if !has_type(fields, &["Comment"]) {
            return;
        }
        let string = |name: &str| fields.get(name).and_then(Value::as_str);
        let author = fields.get("author").map(|author| match author {
            Value::Array(authors) => authors.first().unwrap_or(author),
            _ => author,
        });
        let author = author.and_then(|author| author.get("name").unwrap_or(author).as_str());
        let date = string("dateCreated").or_else(|| string("datePublished"));
        comments.extend(string("text").and_then(|text| {
            PageComment::from_markup(text, author.map(String::from), date.map(String::from))
        }));
    }

    fn add_field(&mut self, name: &str, value: &Value) {
        let Some(text) = value.as_str() else { return };
        match name {
            "articleBody" if text.len() > self.article_body.len() => {
                self.article_body = text.to_owned()
            }
            "datePublished" if self.published.is_none() => self.published = parse_date(text),
            "license" if self.licence.is_none() && text.starts_with("http") => {
                self.licence = Some(text.to_owned())
            }
            "@type" => self.types.push(text.to_ascii_lowercase()),
            _ => {}
        }
    }
}

/// Returns `true` if an object has one of these types.
fn has_type(fields: &Map<String, Value>, types: &[&str]) -> bool {
    let is_one = |value: &Value| value.as_str().is_some_and(|name| types.contains(&name));
    match fields.get("@type") {
        Some(Value::Array(names)) => names.iter().any(is_one),
        Some(name) => is_one(name),
        None => false,
    }
}

/// Returns the date, or the date and time, that a text begins with, in the form of RFC 3339 or ISO
/// 8601: `2024-03-05`, `2024-03-05T10:00:00+01:00`. Returns only the date if the rest of the text
/// is not a time.
pub(crate) fn parse_date(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_day = bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(index, byte)| {
            if index == 4 || index == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        });
    let day = text.get(..10).filter(|_| is_day)?;
    let number = |range| {
        day.get(range)
            .and_then(|part: &str| part.parse::<u32>().ok())
            .unwrap_or(0)
    };
    let is_in_range = (1000..=9999).contains(&number(0..4))
        && (1..=12).contains(&number(5..7))
        && (1..=31).contains(&number(8..10));
    let rest = &text[10..];
    let is_time = rest.starts_with('T')
        && rest.len() <= 24
        && rest[1..]
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":.+-Z".contains(&byte));
    is_in_range.then(|| {
        if is_time {
            text.to_owned()
        } else {
            day.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{JsonLd, parse_date};

    #[test]
    fn finds_the_article_in_a_graph() {
        let mut json_ld = JsonLd::default();
        json_ld.add_script(
            r#"{"@graph":[{"@type":"WebPage"},{"@type":"NewsArticle","articleBody":"Voda.",
                "datePublished":"2024-03-05"}]}"#,
        );
        assert_eq!(
            (json_ld.article_body.as_str(), json_ld.published.as_deref()),
            ("Voda.", Some("2024-03-05"))
        );
        assert!(json_ld.types.contains(&"newsarticle".to_owned()));
        json_ld.add_script("{ no json");
    }

    #[test]
    fn rejects_texts_that_are_not_dates() {
        assert_eq!(
            parse_date(" 2024-03-05 10:00 ").as_deref(),
            Some("2024-03-05")
        );
        assert_eq!(parse_date("2024-13-05"), None);
        assert_eq!(parse_date("5. 3. 2024"), None);
        assert_eq!(parse_date("ččččččč"), None);
    }
}
