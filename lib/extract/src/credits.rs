//! Whose a page is and what it is about, as it declares it: authors, site, section, key words.

use crate::json_ld::{JsonLd, Work};
use crate::meta_fields::{MetaField, MetaValues};
use crate::paragraphs::{letters_and_digits, tidy_line};
use forage_record::Link;

/// Maximum length of a name or a key word in characters: what is longer is a sentence.
const MAX_CHARACTERS: usize = 100;
/// Maximum number of authors, and of key words.
const MAX_NAMES: usize = 100;

/// What a page declares about itself.
pub(crate) struct Declarations<'a> {
    /// The works in JSON-LD that may be the article, the most probable first.
    pub works: Vec<&'a Work>,
    pub json_ld: &'a JsonLd,
    pub meta: &'a MetaValues,
    /// The links of the page.
    pub links: &'a [Link],
}

impl Declarations<'_> {
    /// Returns the names of the authors, from the first source that has any.
    pub fn authors(&self) -> Vec<String> {
        let in_works = self.works.iter().map(|work| {
            let authors = work
                .authors
                .iter()
                .map(|author| self.json_ld.name_of(author));
            persons(&authors.map(str::to_owned).collect::<Vec<_>>())
        });
        let in_meta = self.meta.values_of(MetaField::Author);
        let in_meta = values_by_name(&in_meta).map(|values| persons(&values));
        let in_links = std::iter::once_with(|| persons(&self.author_links()));
        first_with_names(in_works.chain(in_meta).chain(in_links))
    }

    /// Returns the key words, from the first source that has any.
    pub fn tags(&self) -> Vec<String> {
        let in_works = self.works.iter().map(|work| key_words(&work.keywords));
        let in_meta = self.meta.values_of(MetaField::Tags);
        let in_meta = values_by_name(&in_meta).map(|values| key_words(&values));
        let in_links = std::iter::once_with(|| key_words(&self.link_texts("tag")));
        first_with_names(in_links.chain(in_works).chain(in_meta))
    }

    /// Returns the name of the section.
    pub fn section(&self) -> Option<String> {
        let in_works = self.works.iter().filter_map(|work| work.section.as_deref());
        let in_meta = self.meta.values_of(MetaField::Section).into_iter();
        in_meta
            .map(|(_, value)| value)
            .chain(in_works)
            .find_map(name)
    }

    /// Returns the name of the site.
    pub fn site(&self) -> Option<String> {
        let publishers = self
            .works
            .iter()
            .filter_map(|work| work.publisher.as_deref());
        let publishers = publishers.map(|publisher| self.json_ld.name_of(publisher));
        let in_json_ld = publishers.chain(self.json_ld.websites.iter().map(String::as_str));
        let in_meta = self.meta.values_of(MetaField::Site).into_iter();
        in_meta
            .map(|(_, value)| value)
            .chain(in_json_ld)
            .find_map(name)
    }

    /// Returns the description.
    pub fn description(&self) -> Option<String> {
        let in_works = self
            .works
            .iter()
            .filter_map(|work| work.description.as_deref());
        let in_meta = self.meta.values_of(MetaField::Description).into_iter();
        let mut all = in_meta.map(|(_, value)| value).chain(in_works);
        all.find_map(|value| Some(tidy_line(value)).filter(|value| !value.is_empty()))
    }

    /// Returns the references of pictures that stand for the page, the surest first.
    pub fn images(&self) -> impl Iterator<Item = &str> {
        let in_works = self.works.iter().filter_map(|work| work.image.as_deref());
        let in_meta = self.meta.values_of(MetaField::Image).into_iter();
        in_meta.map(|(_, value)| value).chain(in_works)
    }

    /// Returns the texts of the first links with `rel=author`, with no other link between them:
    /// later ones are those of other articles.
    fn author_links(&self) -> Vec<String> {
        let is_author = |link: &&Link| has_rel(link, "author") && !link.text.is_empty();
        let links = self.links.iter().skip_while(|link| !is_author(link));
        links
            .take_while(is_author)
            .map(|link| link.text.clone())
            .collect()
    }

    /// Returns the texts of the links with a `rel`.
    fn link_texts(&self, rel: &str) -> Vec<String> {
        let links = self.links.iter().filter(|link| has_rel(link, rel));
        links.map(|link| link.text.clone()).collect()
    }
}

fn has_rel(link: &Link, rel: &str) -> bool {
    let mut words = link
        .rel
        .as_deref()
        .unwrap_or_default()
        .split_ascii_whitespace();
    words.any(|word| word.eq_ignore_ascii_case(rel))
}

/// Groups the values of `<meta>` tags by the name of the tag.
fn values_by_name(values: &[(&'static str, &str)]) -> impl Iterator<Item = Vec<String>> {
    let groups = values.chunk_by(|(one, _), (other, _)| one == other);
    groups.map(|group| group.iter().map(|(_, value)| (*value).to_owned()).collect())
}

fn first_with_names(mut sources: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    sources.find(|names| !names.is_empty()).unwrap_or_default()
}

/// Returns a value as a name, unless it is empty, an address, or too long for one.
fn name(value: &str) -> Option<String> {
    let name = tidy_line(value);
    let is_address = name.contains("://") || name.starts_with("www.") || name.starts_with('@');
    let is_name = name.chars().any(char::is_alphanumeric)
        && !is_address
        && name.chars().take(MAX_CHARACTERS + 1).count() <= MAX_CHARACTERS;
    is_name.then_some(name)
}

/// Returns the names of persons in the values of a source. A value may have several, between
/// semicolons, or between commas if these do not part a surname from a first name.
fn persons(values: &[String]) -> Vec<String> {
    let persons = values.iter().flat_map(|value| {
        let by_commas: Vec<&str> = value.split(is_comma).map(str::trim).collect();
        let are_names = by_commas.iter().all(|part| part.contains(' '));
        let parts = match value.contains(';') {
            true => value.split(';').collect(),
            false if are_names => by_commas,
            // A name with titles or posts.
            false if by_commas.len() > 2 && by_commas[0].contains(' ') => vec![by_commas[0]],
            false => vec![value.as_str()],
        };
        let names = parts.into_iter().filter_map(name);
        names.filter(|name| is_author(name)).collect::<Vec<_>>()
    });
    distinct(persons)
}

/// Returns `true` unless a name is that of an account without a person, of a host, or a note on
/// copyright.
fn is_author(name: &str) -> bool {
    if is_host(name) {
        return false;
    }
    let name = name.to_lowercase();
    let is_account = ["admin", "administrator", "no author", "webmaster"].contains(&name.as_str());
    !is_account && !name.contains("copyright") && !name.contains('©')
}

/// Returns `true` for the name of a host, such as `novice.si`: its last label has two to four
/// small letters.
fn is_host(name: &str) -> bool {
    let is_end =
        |end: &str| (2..=4).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let ends = name
        .rsplit_once('.')
        .is_some_and(|(host, end)| host.len() > 1 && is_end(end));
    ends && name.chars().all(is_plain)
}

/// Returns the key words in the values of a source, which are lists with commas or semicolons.
fn key_words(values: &[String]) -> Vec<String> {
    let words = values
        .iter()
        .flat_map(|value| value.split(|c| is_comma(c) || c == ';'));
    distinct(words.filter_map(name))
}

fn is_comma(c: char) -> bool {
    matches!(c, ',' | '،' | '、' | '，')
}

/// Returns the first of the names that differ in more than case and punctuation.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names
        .filter(|name| seen.insert(letters_and_digits(name)))
        .take(MAX_NAMES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn a_list_of_persons_is_parted_but_no_name() {
        for (value, expected) in [
            ("Ana Zgled", &["Ana Zgled"][..]),
            ("Zgled, Ana; Novak, Bor", &["Zgled, Ana", "Novak, Bor"]),
            ("Ana Zgled, Bor Novak", &["Ana Zgled", "Bor Novak"]),
            ("Zgled, Ana", &["Zgled, Ana"]),
            ("Ana Zgled, urednica, Novice", &["Ana Zgled"]),
            ("admin", &[]),
            ("novice.si", &[]),
            ("J.R.R.Zgled", &["J.R.R.Zgled"]),
            ("https://www.facebook.com/ana", &[]),
            (" ", &[]),
        ] {
            assert_eq!(persons(&strings(&[value])), expected, "{value}");
        }
        assert_eq!(
            persons(&strings(&["Ana Zgled", "ANA ZGLED"])),
            ["Ana Zgled"]
        );
        assert!(persons(&["besede ".repeat(30)]).is_empty());
    }

    #[test]
    fn key_words_are_parted_at_commas_of_any_script() {
        let tags = key_words(&strings(&["mlini, reke", "نهر، ماء", "水、河"]));
        assert_eq!(tags, ["mlini", "reke", "نهر", "ماء", "水", "河"]);
    }
}
