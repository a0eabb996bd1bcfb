//! The roles that names and attributes give to an element of a comment.
//!
//! The words are those of markup, which is English all over the world.

use crate::attributes::attribute_value;
use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use html5ever::Attribute;

/// Words in names of authors, of dates, and of the text of a comment. Chosen by judgement, from the
/// names of common comment systems.
const AUTHOR_WORDS: &str = "author user name nick byline poster commenter commentor \
     vcard from";
/// Words in names of links to what an author has, whose text is not the author's name.
const SITE_OF_AUTHOR_WORDS: &str = "homepage journal";
// `submitted` is the line of author and date in the templates of Drupal.
const DATE_WORDS: &str = "submitted date time stamp posted ago published created";
const BODY_WORDS: &str = "body content text message bubble entry";
/// Words in names of the parts around the text.
const MARGIN_WORDS: &str = "meta footer header avatar action reply replies vote rating \
     share permalink report";

/// Words in names of forms for a comment, and of requests to log in.
const FORM_WORDS: &str = "login signin respond commentform comment-form comment_form";
/// Words in names of lists of the latest comments of a site.
const LATEST_WORDS: &str = "recent latest popular";

/// Longest name that has a role, in bytes, and the most names of an element that are looked at.
const MAX_NAME_BYTES: usize = 60;
const MAX_NAMES: usize = 12;

/// The roles of an element.
#[derive(Debug, Clone, Default)]
pub(super) struct ElementRoles {
    /// Its class names and its id that are names for comments, in lower case and without digits.
    pub comment_names: Vec<String>,
    /// True if its id is a name for comments with a number, such as `comment-12`.
    pub has_numbered_id: bool,
    /// True if microdata declares it as a comment.
    pub is_comment: bool,
    /// True if its text is that of a comment, by microdata or by its names.
    pub is_body: bool,
    /// True if it is named for a reply.
    pub is_reply: bool,
    /// True if its text is the name of an author, by microdata or a microformat.
    pub is_author: bool,
    /// True if microdata declares it as a name.
    pub is_name: bool,
    /// True if it is named for authors.
    pub is_named_author: bool,
    /// True if it is named for dates.
    pub is_named_date: bool,
    /// True if it is named for what is around the text: metadata, votes, links to reply.
    pub is_margin: bool,
    /// True for a link within the page, or to a script.
    pub is_inner_link: bool,
    /// True if it is named for the latest comments of a site.
    pub is_list_of_latest: bool,
    /// True if it is named for a form, or for users to log in.
    pub is_named_form: bool,
    /// The date for machines.
    pub machine_date: Option<String>,
    /// The content of a `<meta>` with a name.
    pub content: Option<String>,
}

impl ElementRoles {
    /// Returns the roles of an element.
    pub fn new(tag: &str, kind: ElementKind, attributes: &[Attribute]) -> ElementRoles {
        let mut roles = ElementRoles::default();
        for attribute in attributes {
            let value = &*attribute.value;
            match &*attribute.name.local {
                "class" => roles.add_class_names(value),
                "id" => roles.add_id(value),
                "name" if kind == ElementKind::Link => roles.add_id(value),
                "itemtype" => {
                    let name = value.rsplit('/').next().unwrap_or_default();
                    roles.is_comment |= matches!(name, "Comment" | "UserComments");
                }
                "itemprop" => roles.add_property(value, attributes),
                "rel" => {
                    roles.is_author |= value.split_ascii_whitespace().any(|rel| rel == "author");
                }
                "href" if kind == ElementKind::Link => {
                    roles.is_inner_link = is_inner_reference(value);
                }
                "datetime" => roles.machine_date = Some(value.to_owned()),
                _ => {}
            }
        }
        // The pattern for dates and times of microformats.
        if tag == "abbr" && roles.is_named_date && roles.machine_date.is_none() {
            roles.machine_date = attribute_value(attributes, "title").map(str::to_owned);
        }
        if roles
            .machine_date
            .as_ref()
            .is_some_and(|date| !has_digit(date))
        {
            roles.machine_date = None;
        }
        roles.is_named_date |= tag == "time";
        roles
    }

    fn add_class_names(&mut self, classes: &str) {
        for name in classes.split_ascii_whitespace().take(MAX_NAMES) {
            self.is_author |= name == "fn";
            self.add_name(name);
        }
    }

    fn add_id(&mut self, id: &str) {
        let is_named = self.add_name(id);
        self.has_numbered_id |= is_named && has_digit(id);
    }

    /// Returns `true` if the element is named for the author, the date or another part of a comment
    /// besides its text.
    pub fn is_about_comment(&self) -> bool {
        !self.is_body && (self.is_named_author || self.is_named_date || self.is_margin)
    }

    /// Adds a name. Returns `true` if it is a name for comments.
    fn add_name(&mut self, name: &str) -> bool {
        if name.len() > MAX_NAME_BYTES {
            return false;
        }
        let name: String = name
            .chars()
            .filter(|c| !c.is_ascii_digit())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let name = name.trim_matches(['-', '_']);
        let has_any = |words: &str| words.split(' ').any(|word| name.contains(word));
        // What a comment has or is, such as `has-reply`, is no part of it.
        let is_state = ["has-", "is-", "no-"]
            .iter()
            .any(|start| name.starts_with(start));
        let is_body = has_any(BODY_WORDS) || name.ends_with("comment");
        self.is_body |= is_body;
        self.is_reply |= name.contains("reply");
        let is_author = has_any(AUTHOR_WORDS) && !has_any(SITE_OF_AUTHOR_WORDS);
        self.is_named_author |= is_author && !is_body && !is_class_of_wordpress(name);
        self.is_named_date |= has_any(DATE_WORDS) && !is_body;
        self.is_margin |= has_any(MARGIN_WORDS) && !is_body && !is_state;
        self.is_named_form |= has_any(FORM_WORDS);
        self.is_list_of_latest |= has_any(LATEST_WORDS) && name.contains("comment");
        let is_comment = MarkupHints::from_name(name).has_any(MarkupHints::COMMENT) || name == "c";
        if is_comment && !self.comment_names.iter().any(|known| known == name) {
            self.comment_names.push(name.to_owned());
        }
        is_comment
    }

    fn add_property(&mut self, properties: &str, attributes: &[Attribute]) {
        let content = attribute_value(attributes, "content");
        for property in properties.split_ascii_whitespace() {
            match property {
                "comment" => self.is_comment |= attribute_value(attributes, "itemscope").is_some(),
                "text" | "commentText" => self.is_body = true,
                "author" | "creator" => self.is_author = true,
                "name" => self.is_name = true,
                "dateCreated" | "datePublished" | "commentTime" => {
                    self.is_named_date = true;
                    if let Some(content) = content {
                        self.machine_date = Some(content.to_owned());
                    }
                }
                _ => {}
            }
        }
        self.content = content.map(str::to_owned);
    }
}

/// Returns `true` for a class with which WordPress tells whose comment an element is.
fn is_class_of_wordpress(name: &str) -> bool {
    matches!(name, "byuser" | "bypostauthor") || name.starts_with("comment-author-")
}

/// Returns `true` if a text has a digit, or another number, of any script.
pub(super) fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Parts of references to a comment, and to forms: for a reply, for a report, for users.
const INNER_REFERENCES: [&str; 7] = [
    "#comment",
    "replytocom=",
    "comment/reply",
    "op=Reply",
    "/report",
    "/login",
    "/register",
];

/// Returns `true` if a reference leads to a place in the page, to a script, or to a form for
/// replies.
fn is_inner_reference(reference: &str) -> bool {
    let reference = reference.trim();
    reference.is_empty()
        || reference.starts_with('#')
        || reference.starts_with("javascript:")
        || INNER_REFERENCES.iter().any(|part| reference.contains(part))
}
