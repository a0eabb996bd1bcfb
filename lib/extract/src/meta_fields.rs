//! What the `<meta>` tags of a page state about it: when it was published, by whom, and where.

use std::sync::LazyLock;

/// What a `<meta>` tag states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetaField {
    Published,
    Modified,
    Author,
    /// The name of the site.
    Site,
    Section,
    /// One or several key words.
    Tags,
    Description,
    /// The address of a picture.
    Image,
}

use MetaField::{Author, Description, Image, Modified, Published, Section, Site, Tags};

/// The name of a tag that often states the time at which the page was written out.
pub(crate) const UNSURE_DATE: &str = "date";

/// Names of tags by what they state, between blanks, the surest first.
const NAMES_OF_FIELDS: [(MetaField, &str); 8] = [
    (
        Published,
        "article:published_time article:published og:published_time og:article:published_time \
         datepublished citation_online_date citation_publication_date citation_date \
         dcterms.issued dc.date.issued dcterms.date dc.date dcterms.created dc.date.created \
         prism.publicationdate parsely-pub-date sailthru.date publication_date \
         publication-date publish-date publish_date publishdate published_time published \
         pubdate article.published article:publish_date date",
    ),
    (
        Modified,
        "article:modified_time article:modified og:modified_time og:article:modified_time \
         datemodified dcterms.modified dc.date.modified prism.modificationdate \
         article.updated modified_time og:updated_time lastmod last-modified revised",
    ),
    (
        Author,
        "citation_author article:author_name parsely-author sailthru.author byl author \
         article:author og:article:author og:author dc.creator dcterms.creator",
    ),
    (
        Site,
        "og:site_name citation_journal_title prism.publicationname application-name \
         dc.publisher dcterms.publisher publisher",
    ),
    (
        Section,
        "article:section og:article:section parsely-section prism.section",
    ),
    (
        Tags,
        "article:tag og:article:tag parsely-tags sailthru.tags news_keywords \
         citation_keywords keywords",
    ),
    (
        Description,
        "og:description description twitter:description dc.description dcterms.description",
    ),
    (
        Image,
        "og:image og:image:url twitter:image twitter:image:src",
    ),
];

/// The same names, one by one.
static NAMES: LazyLock<[(MetaField, Vec<&str>); 8]> =
    LazyLock::new(|| NAMES_OF_FIELDS.map(|(field, names)| (field, names.split(' ').collect())));

/// Maximum number of values of a page; later ones are ignored.
const MAX_VALUES: usize = 300;
/// Maximum length of a value in bytes; longer ones are ignored.
const MAX_BYTES: usize = 2000;

/// The values of a page's `<meta>` tags.
#[derive(Debug, Default)]
pub(crate) struct MetaValues {
    values: Vec<(&'static str, String)>,
}

impl MetaValues {
    /// Adds a tag. `name` is in lower case.
    pub fn add(&mut self, name: &str, content: &str) {
        if self.values.len() >= MAX_VALUES || content.len() > MAX_BYTES {
            return;
        }
        let mut names = NAMES.iter().flat_map(|(_, names)| names);
        if let Some(name) = names.find(|other| **other == name) {
            self.values.push((name, content.to_owned()));
        }
    }

    /// Returns the names and values of the tags that state `field`, the surest first, those of one
    /// name in document order.
    pub fn values_of(&self, field: MetaField) -> Vec<(&'static str, &str)> {
        let names = NAMES.iter().find(|(other, _)| *other == field);
        let names = names.map_or(&[][..], |(_, names)| names);
        let by_name = names.iter().flat_map(|name| {
            let of_name = self.values.iter().filter(move |(other, _)| other == name);
            of_name.map(|(name, value)| (*name, value.as_str()))
        });
        by_name.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surest_name_is_first() {
        let mut values = MetaValues::default();
        for (name, content) in [
            ("date", "1"),
            ("article:tag", "a"),
            ("pubdate", "2"),
            ("article:tag", "b"),
            ("x", "y"),
        ] {
            values.add(name, content);
        }
        assert_eq!(
            values.values_of(Published),
            [("pubdate", "2"), ("date", "1")]
        );
        assert_eq!(
            values.values_of(Tags),
            [("article:tag", "a"), ("article:tag", "b")]
        );
        assert!(values.values_of(Author).is_empty());
    }

    #[test]
    fn a_name_states_one_thing() {
        let mut names: Vec<&str> = NAMES.iter().flat_map(|(_, names)| names).copied().collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
