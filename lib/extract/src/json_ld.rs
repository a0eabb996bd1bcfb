//! JSON-LD with the vocabulary of schema.org, embedded in a page.
//!
//! A page may describe other articles, such as those that it links to. So each described object is
//! kept with what tells which it is, and [`JsonLd::of_article()`] orders them.

use crate::embedded_json::read_json;
use forage_record::Comment;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The values of interest in a page's JSON-LD.
#[derive(Debug, Default)]
pub(crate) struct JsonLd {
    /// Described objects with a date, a licence or a text, in document order.
    pub works: Vec<Work>,
    /// Type names in lower case, in document order.
    pub types: Vec<String>,
    /// Names of web sites.
    pub websites: Vec<String>,
    /// The names of described objects by their `@id`, to which others refer.
    names: HashMap<String, String>,
    /// Comments of readers as they are written, in document order; `None` if they are not wanted.
    pub comments: Option<Vec<Comment>>,
}

/// An object that may be the article of the page.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// The time of publication as it is written.
    pub published: Option<String>,
    /// The time of the last change as it is written.
    pub modified: Option<String>,
    /// The names of the authors.
    pub authors: Vec<String>,
    /// The name of the publisher.
    pub publisher: Option<String>,
    pub section: Option<String>,
    /// Key words, or lists of these.
    pub keywords: Vec<String>,
    pub description: Option<String>,
    /// The address of a picture.
    pub image: Option<String>,
    pub licence: Option<String>,
    /// `articleBody`.
    pub body: Option<String>,
    pub headline: Option<String>,
    /// Its addresses: `url`, `@id` and `mainEntityOfPage`.
    pub urls: Vec<String>,
    /// True if it is an article or a posting.
    is_article: bool,
    /// True if it is a part of another object, such as an item of a list.
    is_part: bool,
}

/// Types whose comments are the text of the page: a discussion, or answers to a question.
const DISCUSSION_TYPES: [&str; 3] = ["DiscussionForumPosting", "Question", "Answer"];

/// Types of articles and pages, besides those whose names say so.
const PAGE_TYPES: [&str; 11] = [
    "creativework",
    "report",
    "blog",
    "question",
    "recipe",
    "howto",
    "chapter",
    "thesis",
    "legislation",
    "claimreview",
    "quotation",
];

/// Maximum number of values to visit per script, which bounds the time; the data of a shop may
/// contain thousands.
const MAX_VALUES: usize = 5000;

/// Maximum number of works of a page; later ones are ignored.
const MAX_WORKS: usize = 1000;
/// Properties whose value is not a part of an object, but what the object is about or belongs to.
const WHOLES: [&str; 3] = ["@graph", "mainEntity", "mainEntityOfPage"];
/// Properties that are licences of a picture or a video, not of a text.
const MEDIA_TYPES: [&str; 5] = [
    "ImageObject",
    "VideoObject",
    "AudioObject",
    "MediaObject",
    "Dataset",
];

impl JsonLd {
    /// Adds the content of a script of type `application/ld+json`. Ignores what is no JSON.
    pub fn add_script(&mut self, script: &str) {
        let values = read_json(script);
        let mut stack: Vec<Described> = values.iter().rev().map(Described::new).collect();
        let mut visited = 0;
        while let Some(described) = stack.pop() {
            visited += 1;
            if visited > MAX_VALUES {
                return;
            }
            match described.value {
                Value::Array(values) => {
                    let items = values
                        .iter()
                        .rev()
                        .map(|value| Described { value, ..described });
                    stack.extend(items);
                }
                Value::Object(fields) => {
                    if !described.is_discussed {
                        self.add_comment(fields);
                    }
                    self.add_name(fields);
                    self.add_work(fields, described.is_part);
                    let is_discussion = has_type(fields, &DISCUSSION_TYPES);
                    for (name, value) in fields {
                        let is_post = is_discussion && name == "comment";
                        stack.push(Described {
                            value,
                            is_discussed: described.is_discussed || is_post,
                            is_part: described.is_part || !WHOLES.contains(&name.as_str()),
                        });
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the name of an object, given its name or its `@id`.
    pub fn name_of<'a>(&'a self, reference: &'a str) -> &'a str {
        self.names.get(reference).map_or(reference, String::as_str)
    }

    /// Returns the longest text of an article.
    pub fn longest_body(&self) -> &str {
        let bodies = self.works.iter().filter_map(|work| work.body.as_deref());
        bodies.max_by_key(|body| body.len()).unwrap_or_default()
    }

    /// Returns the works that may be the article of the page, the most probable first. `is_url` and
    /// `is_title` tell if an address and a headline are those of the page.
    ///
    /// A part of another object is the article only if its address or its headline is that of the
    /// page; any other work is not if it has both, and neither is.
    pub fn of_article(
        &self,
        is_url: impl Fn(&str) -> bool,
        is_title: impl Fn(&str) -> bool,
    ) -> Vec<&Work> {
        let rate = |work: &Work| {
            let has_url = work.urls.iter().any(|url| is_url(url));
            let has_title = work.headline.as_deref().is_some_and(&is_title);
            let is_other = !work.urls.is_empty() && work.headline.is_some();
            let is_possible = has_url || has_title || !work.is_part && !is_other;
            let points = 8 * u8::from(has_url) + 4 * u8::from(has_title);
            let points = points + 2 * u8::from(!work.is_part) + u8::from(work.is_article);
            is_possible.then_some(points)
        };
        let rated = self
            .works
            .iter()
            .filter_map(|work| rate(work).map(|points| (points, work)));
        let mut rated: Vec<(u8, &Work)> = rated.collect();
        rated.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
        rated.into_iter().map(|(_, work)| work).collect()
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
        comments.extend(string("text").map(|text| Comment {
            text: text.to_owned(),
            author: author.map(String::from),
            date: date.map(String::from),
        }));
    }

    /// Adds the name of an object that others may refer to, or that is a web site.
    fn add_name(&mut self, fields: &Map<String, Value>) {
        let string = |name: &str| fields.get(name).and_then(Value::as_str);
        let Some(name) = string("name").filter(|_| self.names.len() < MAX_WORKS) else {
            return;
        };
        if let Some(id) = string("@id") {
            self.names.insert(id.to_owned(), name.to_owned());
        }
        if has_type(fields, &["WebSite"]) {
            self.websites.push(name.to_owned());
        }
    }

    /// Adds the types of an object, and the object if it has a date, a licence or a text, or names
    /// of its authors.
    fn add_work(&mut self, fields: &Map<String, Value>, is_part: bool) {
        let types = fields
            .get("@type")
            .into_iter()
            .flat_map(items)
            .filter_map(Value::as_str);
        let types: Vec<String> = types.map(str::to_ascii_lowercase).collect();
        let text = |name: &str| fields.get(name).and_then(text_of);
        let names = |name: &str| match fields.get(name) {
            Some(value) => items(value).iter().filter_map(name_or_id).collect(),
            None => Vec::new(),
        };
        let is_page = types.is_empty() || types.iter().any(|name| is_page_type(name));
        let licence = text("license").filter(|licence| licence.starts_with("http"));
        let work = Work {
            published: text("datePublished").filter(|_| is_page),
            modified: text("dateModified").filter(|_| is_page),
            authors: names("author"),
            publisher: names("publisher").into_iter().next(),
            section: names("articleSection").into_iter().next(),
            keywords: names("keywords"),
            description: text("description"),
            image: text("image"),
            licence: licence.filter(|_| !has_type(fields, &MEDIA_TYPES)),
            body: text("articleBody"),
            headline: text("headline").or_else(|| text("name")),
            urls: ["url", "@id", "mainEntityOfPage"]
                .into_iter()
                .filter_map(text)
                .collect(),
            is_article: types
                .iter()
                .any(|t| t.contains("article") || t.contains("posting")),
            is_part,
        };
        self.types.extend(types);
        let is_useful = work.published.is_some()
            || work.licence.is_some()
            || work.body.is_some()
            || is_page && !work.authors.is_empty();
        if is_useful && self.works.len() < MAX_WORKS {
            self.works.push(work);
        }
    }
}

/// A value, and where it is.
#[derive(Clone, Copy)]
struct Described<'a> {
    value: &'a Value,
    /// True for what is inside the comments of a discussion.
    is_discussed: bool,
    /// True for a part of another object.
    is_part: bool,
}

impl<'a> Described<'a> {
    fn new(value: &'a Value) -> Described<'a> {
        Described {
            value,
            is_discussed: false,
            is_part: false,
        }
    }
}

/// Returns `true` if an object of this type may be the article or the page: the date of a comment,
/// a video or a product is not that of the page. `name` is in lower case.
fn is_page_type(name: &str) -> bool {
    let name = name.rsplit(['/', ':']).next().unwrap_or(name);
    ["article", "posting", "page"]
        .iter()
        .any(|part| name.contains(part))
        || PAGE_TYPES.contains(&name)
}

/// Returns the values of a property, which may be a list.
fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

/// Returns the text of a value: a string, a number, the value or the address of an object, or that
/// of the first item of a list.
fn text_of(value: &Value) -> Option<String> {
    match items(value).first()? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => {
            let names = ["@value", "@id", "url"];
            let text = names
                .into_iter()
                .find_map(|name| fields.get(name)?.as_str());
            text.map(str::to_owned)
        }
        _ => None,
    }
}

/// Returns a string, or the name of an object, or its `@id` if it has no name.
fn name_or_id(value: &Value) -> Option<String> {
    let name = match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(fields) => {
            let name = fields.get("name").and_then(text_of);
            name.or_else(|| Some(fields.get("@id")?.as_str()?.to_owned()))
        }
        _ => None,
    };
    name.filter(|name| !name.trim().is_empty())
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

#[cfg(test)]
mod tests {
    use super::JsonLd;

    /// Returns the date of the article of a page with this script, address and title.
    fn published(script: &str) -> Option<String> {
        let mut json_ld = JsonLd::default();
        json_ld.add_script(script);
        let works = json_ld.of_article(|url| url == "/1", |title| title == "Potok");
        works.iter().find_map(|work| work.published.clone())
    }

    #[test]
    fn finds_the_article_in_a_graph() {
        let mut json_ld = JsonLd::default();
        json_ld.add_script(
            r#"{"@graph":[{"@type":"WebPage"},{"@type":["NewsArticle"],"articleBody":"Voda.",
                "datePublished":"2024-03-05"}]}"#,
        );
        let work = &json_ld.works[0];
        assert_eq!(
            (json_ld.longest_body(), work.published.as_deref()),
            ("Voda.", Some("2024-03-05"))
        );
        assert!(json_ld.types.contains(&"newsarticle".to_owned()));
        json_ld.add_script("{ no json");
        json_ld.add_script(r#"{"@type": "Article", "datePublished": "2024"};"#);
        assert_eq!(json_ld.works.len(), 2);
    }

    #[test]
    fn tells_the_article_from_others() {
        let own = r#"{"@type": "Article", "datePublished": "own"}"#;
        let titled = r#"{"@type": "NewsArticle", "headline": "Potok", "datePublished": "own"}"#;
        let addressed = r#"{"mainEntityOfPage": {"@id": "/1"}, "datePublished": "own"}"#;
        let other = r#"{"@type": "Article", "url": "/2", "headline": "X", "datePublished": "o"}"#;
        for script in [
            format!("[{other}, {own}]"),
            format!(r#"{{"@graph": [{other}, {titled}]}}"#),
            format!(r#"{{"@type": "ItemList", "itemListElement": [{own}, {titled}]}}"#),
            format!(r#"[{{"mentions": {other}}}, {{"@graph": {addressed}}}]"#),
            format!(r#"{{"@type": "WebPage", "mainEntity": {own}, "hasPart": [{other}]}}"#),
            format!(r#"[{{"datePublished": "o"}}, {titled}]"#),
            r#"{"comment": {"datePublished": "o"}, "datePublished": ["own"]}"#.to_owned(),
        ] {
            assert_eq!(published(&script).as_deref(), Some("own"), "{script}");
        }
        for script in [
            format!(r#"{{"@type": "ItemList", "itemListElement": [{other}, {own}]}}"#),
            format!(r#"{{"relatedLink": {own}}}"#),
            other.to_owned(),
        ] {
            assert_eq!(published(&script), None, "{script}");
        }
    }

    #[test]
    fn the_date_of_another_thing_is_not_that_of_the_page() {
        for other in [
            "Comment",
            "VideoObject",
            "ImageObject",
            "Review",
            "Product",
            "Event",
            "Person",
            "Dataset",
            "Offer",
            "http://schema.org/Movie",
        ] {
            let script =
                format!(r#"{{"@type": "{other}", "name": "Potok", "datePublished": "o"}}"#);
            assert_eq!(published(&script), None, "{other}");
        }
        for own in [
            "NewsArticle",
            "BlogPosting",
            "WebPage",
            "http://schema.org/TechArticle",
            "schema:Report",
            "CreativeWork",
            "DiscussionForumPosting",
            "QAPage",
            "Recipe",
        ] {
            let script = format!(r#"[{{"@type": ["Thing", "{own}"], "datePublished": "own"}}]"#);
            assert_eq!(published(&script).as_deref(), Some("own"), "{own}");
        }
    }

    #[test]
    fn the_licence_of_a_picture_is_not_that_of_the_page() {
        let mut json_ld = JsonLd::default();
        json_ld.add_script(
            r#"[{"@type": "ImageObject", "license": "https://a.test/1"},
                {"@type": "Article", "license": {"@id": "https://a.test/2"}}]"#,
        );
        let works = json_ld.of_article(|_| false, |_| false);
        let licences: Vec<_> = works
            .iter()
            .filter_map(|work| work.licence.as_deref())
            .collect();
        assert_eq!(licences, ["https://a.test/2"]);
    }
}
