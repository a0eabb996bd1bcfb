//! JSON-LD with the vocabulary of schema.org, embedded in a page.

use serde_json::Value;

/// The values of interest in a page's JSON-LD.
#[derive(Debug, Default)]
pub(crate) struct JsonLd {
    /// The longest text of an article (`articleBody`).
    pub article_body: String,
    pub published: Option<String>,
    pub licence: Option<String>,
    /// Type names in lower case, in document order.
    pub types: Vec<String>,
}

/// Maximum number of values to visit per script; the data of a shop may contain thousands. Set by
/// judgement, not measured.
const MAX_VALUES: usize = 5000;

impl JsonLd {
    /// Adds the content of a script of type `application/ld+json`. Ignores invalid JSON.
    pub fn add_script(&mut self, script: &str) {
        let Ok(value) = serde_json::from_str::<Value>(script.trim()) else {
            return;
        };
        let mut stack = vec![&value];
        let mut visited = 0;
        while let Some(value) = stack.pop() {
            visited += 1;
            if visited > MAX_VALUES {
                return;
            }
            match value {
                Value::Array(values) => stack.extend(values.iter().rev()),
                Value::Object(fields) => {
                    for (name, value) in fields {
                        self.add_field(name, value);
                        stack.push(value);
                    }
                }
                _ => {}
            }
        }
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
