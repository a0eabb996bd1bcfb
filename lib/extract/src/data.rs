//! Data that a page embeds for machines: JSON-LD with schema.org's vocabulary.

use serde_json::Value;

/// What the data say.
#[derive(Debug, Default)]
pub(crate) struct Data {
    /// The text of the article (`articleBody`), the longest one.
    pub body: String,
    pub published: Option<String>,
    pub licence: Option<String>,
    /// Names of types, in lower case, in the order in which they come.
    pub types: Vec<String>,
}

/// Values that are looked at; data of a shop may hold thousands.
const MOST_VALUES: usize = 5000;

impl Data {
    /// Takes in the content of a script of type `application/ld+json`; what is no JSON says
    /// nothing.
    pub fn read(&mut self, script: &str) {
        let Ok(value) = serde_json::from_str::<Value>(script.trim()) else {
            return;
        };
        let mut left = vec![&value];
        let mut seen = 0;
        while let Some(value) = left.pop() {
            seen += 1;
            if seen > MOST_VALUES {
                return;
            }
            match value {
                Value::Array(values) => left.extend(values.iter().rev()),
                Value::Object(fields) => {
                    for (name, value) in fields {
                        self.field(name, value);
                        left.push(value);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, name: &str, value: &Value) {
        let Some(text) = value.as_str() else { return };
        match name {
            "articleBody" if text.len() > self.body.len() => self.body = text.to_owned(),
            "datePublished" if self.published.is_none() => self.published = date(text),
            "license" if self.licence.is_none() && text.starts_with("http") => {
                self.licence = Some(text.to_owned())
            }
            "@type" => self.types.push(text.to_ascii_lowercase()),
            _ => {}
        }
    }
}

/// A date or a time in the form of RFC 3339 or ISO 8601, as far as it is one: `2024-03-05`,
/// `2024-03-05T10:00:00+01:00`.
pub(crate) fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let is_day = bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
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
    let is_real = (1000..=9999).contains(&number(0..4))
        && (1..=12).contains(&number(5..7))
        && (1..=31).contains(&number(8..10));
    let rest = &text[10..];
    let is_time = rest.starts_with('T')
        && rest.len() <= 24
        && rest[1..]
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b":.+-Z".contains(&byte));
    is_real.then(|| {
        if is_time {
            text.to_owned()
        } else {
            day.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Data, date};

    #[test]
    fn the_article_is_found_in_a_graph() {
        let mut data = Data::default();
        data.read(r#"{"@graph":[{"@type":"WebPage"},{"@type":"NewsArticle","articleBody":"Voda.","datePublished":"2024-03-05"}]}"#);
        assert_eq!(
            (data.body.as_str(), data.published.as_deref()),
            ("Voda.", Some("2024-03-05"))
        );
        assert!(data.types.contains(&"newsarticle".to_owned()));
        data.read("{ no json");
    }

    #[test]
    fn what_is_no_date_is_none() {
        assert_eq!(date(" 2024-03-05 10:00 ").as_deref(), Some("2024-03-05"));
        assert_eq!(date("2024-13-05"), None);
        assert_eq!(date("5. 3. 2024"), None);
        assert_eq!(date("ččččččč"), None);
    }
}
