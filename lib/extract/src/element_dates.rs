//! Dates of publication in the elements of a page: microdata, RDFa, microformats and `<time>`.

use crate::attributes::element_hints;
use crate::hints::MarkupHints;
use crate::publication_date::{DateOrder, parse_date};
use dom_query::{Document, Element, NodeId, NodeRef};

/// Maximum number of elements to examine; an article has few dates before its text.
const MAX_ELEMENTS: usize = 200;
/// Length of a date without time.
const DAY_BYTES: usize = "2024-03-05".len();

/// An element with a date.
struct DatedElement {
    /// The elements around it, the innermost first.
    containers: Vec<NodeId>,
    /// The date in the form of RFC 3339.
    date: String,
    sureness: Sureness,
}

/// How sure it is that a date is that of publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sureness {
    /// `datePublished` of microdata or RDFa.
    Property,
    /// `<time pubdate>`, or a class of a microformat.
    Named,
    /// `<time>`.
    Time,
}

/// Returns the dates of publication that elements of a page declare, the surest first.
///
/// A date belongs to the article if it is in no comment, menu or other item, and is beside the
/// first `<h1>`: in the innermost element around it that has a date.
pub(crate) fn find_element_dates(document: &Document, language: Option<&str>) -> Vec<String> {
    let order = DateOrder::of_language(language);
    let heading = document
        .root()
        .descendants_it()
        .find(|node| node.has_name("h1"));
    let around_heading = heading.map(|node| containers(&node)).unwrap_or_default();
    let dated = find_dated_elements(document, order, &around_heading);
    let kinds = [Sureness::Property, Sureness::Named, Sureness::Time];
    let beside_heading = kinds.into_iter().filter_map(|sureness| {
        let of_kind: Vec<&DatedElement> = dated
            .iter()
            .filter(|dated| dated.sureness == sureness)
            .collect();
        date_beside_heading(&around_heading, &of_kind, sureness)
    });
    let first = dated
        .iter()
        .find(|dated| dated.sureness == Sureness::Property);
    beside_heading
        .chain(first.map(|first| first.date.clone()))
        .collect()
}

/// Returns the first elements with a date, in document order.
fn find_dated_elements(
    document: &Document,
    order: DateOrder,
    around_heading: &[NodeId],
) -> Vec<DatedElement> {
    let root = document.root();
    let candidates = root.descendants_it().filter_map(|node| {
        let element = node.element_ref()?;
        let sureness = sureness_of(&element)?;
        let declared = ["content", "datetime", "title"].into_iter();
        let declared = declared.filter_map(|name| element.attr(name));
        let date = declared.filter_map(|date| parse_date(&date, order)).next();
        Some((node, sureness, date))
    });
    let dated = candidates
        .take(MAX_ELEMENTS)
        .filter_map(|(node, sureness, date)| {
            let date = date.or_else(|| parse_date(&node.text(), order))?;
            let is_wanted = !is_elsewhere(&node, sureness, around_heading);
            is_wanted.then(|| DatedElement {
                containers: containers(&node),
                date,
                sureness,
            })
        });
    dated.collect()
}

/// Returns the elements around a node, the innermost first, up to `<body>`, which is left out.
fn containers(node: &NodeRef) -> Vec<NodeId> {
    let around = node.ancestors_it(None);
    around
        .take_while(|around| !around.has_name("body"))
        .map(|around| around.id)
        .collect()
}

fn sureness_of(element: &Element) -> Option<Sureness> {
    let has_word = |value: &str, wanted: [&str; 2]| {
        let mut words = value.split_ascii_whitespace();
        words.any(|word| wanted.contains(&word))
    };
    let (mut is_property, mut is_named) = (false, false);
    for attribute in &element.attrs {
        let value = &*attribute.value;
        match &*attribute.name.local {
            "itemprop" | "property" => {
                is_property |= has_word(value, ["datePublished", "schema:datePublished"]);
            }
            "class" => is_named |= has_word(value, ["dt-published", "published"]),
            "pubdate" => is_named = true,
            _ => {}
        }
    }
    if is_property {
        Some(Sureness::Property)
    } else if is_named {
        matches!(&*element.name.local, "time" | "abbr" | "span").then_some(Sureness::Named)
    } else {
        (&*element.name.local == "time").then_some(Sureness::Time)
    }
}

/// Returns `true` if an element is in a comment, in a menu or a sidebar, or in an item of microdata
/// that is about something else than the article. What is also around the heading is none of these.
fn is_elsewhere(node: &NodeRef, sureness: Sureness, around_heading: &[NodeId]) -> bool {
    let mut around = node
        .ancestors_it(None)
        .take_while(|node| !around_heading.contains(&node.id));
    around.any(|around| {
        around.query_or(false, |inner| {
            let Some(element) = inner.as_element() else {
                return false;
            };
            let property = element.attr("itemprop").unwrap_or_default();
            let kind = element.attr("itemtype").unwrap_or_default();
            let is_other = |other: &str| property.contains(other) || kind.ends_with(other);
            let is_other_item = element.attr("itemscope").is_some()
                && OTHER_ITEMS.iter().any(|other| is_other(other));
            let unrelated = match sureness {
                Sureness::Property => MarkupHints::COMMENT,
                _ => MarkupHints::COMMENT | MarkupHints::RELATED,
            };
            let is_named = || element_hints(element).has_any(unrelated);
            match &*element.name.local {
                "html" | "body" | "main" | "article" => is_other_item,
                "nav" => true,
                "aside" => sureness == Sureness::Time,
                _ => is_other_item || is_named(),
            }
        })
    })
}

/// Parts of the names of properties and ends of the types of items that are not the article.
const OTHER_ITEMS: [&str; 12] = [
    "omment",
    "UserComments",
    "eview",
    "Answer",
    "elated",
    "mention",
    "hasPart",
    "citation",
    "itemListElement",
    "VideoObject",
    "ImageObject",
    "AudioObject",
];

/// Returns the date in the innermost element around the heading that has one. Of several `<time>`,
/// it is the earlier one of two, which are those of publication and of the last change. Of the
/// whole page, only a date counts that has no other beside it.
fn date_beside_heading(
    around_heading: &[NodeId],
    dated: &[&DatedElement],
    sureness: Sureness,
) -> Option<String> {
    let dates_in = |container: Option<&NodeId>| {
        let is_inside =
            |dated: &&&DatedElement| container.is_none_or(|id| dated.containers.contains(id));
        let mut dates: Vec<&String> = dated
            .iter()
            .filter(is_inside)
            .map(|dated| &dated.date)
            .collect();
        if sureness == Sureness::Time {
            dates.sort();
        }
        dates.dedup_by_key(|date| date[..DAY_BYTES].to_owned());
        dates
    };
    let mut inside = around_heading.iter().map(|id| dates_in(Some(id)));
    let (dates, most) = match inside.find(|dates| !dates.is_empty()) {
        Some(dates) => (dates, 2),
        None => (dates_in(None), 1),
    };
    dates
        .first()
        .filter(|_| dates.len() <= most)
        .map(|date| (*date).clone())
}

#[cfg(test)]
mod tests {
    use super::find_element_dates;
    use dom_query::Document;

    fn date(html: &str) -> Option<String> {
        find_element_dates(&Document::from(html), Some("sl"))
            .into_iter()
            .next()
    }

    #[test]
    fn reads_the_date_beside_the_heading() {
        for article in [
            "<span itemprop=datePublished content=2024-03-05>5. marec</span>",
            "<meta itemprop=datePublished content='2024-03-05'>",
            "<p itemprop='datePublished dateModified'>Objavljeno 05/03/2024</p>",
            "<b property='schema:datePublished'>5. 3. 2024</b>",
            "<time pubdate datetime=2024-03-05>danes</time><time datetime=2024-03-06></time>",
            "<abbr class=published title=2024-03-05>v torek</abbr>",
            "<time datetime=2024-03-05>v torek</time><time datetime=2024-03-07>včeraj</time>",
            "<time>5.3.2024</time>",
            "<div itemscope itemtype='https://schema.org/VideoObject'><meta itemprop=datePublished \
             content=2020-01-01></div><i itemprop=datePublished>2024-03-05</i>",
            "<div itemprop=comment itemscope><i itemprop=datePublished>2020-01-01</i></div>\
             <time>2024-03-05</time>",
            "<div class=comments><time pubdate>2020-01-01</time></div><time>2024-03-05</time>",
        ] {
            let html = format!(
                "<nav><time>2019-01-01</time></nav><p><time datetime=2018-01-01></p>\
                 <div><h1>Potok</h1>{article}</div><p><time>2017-01-01</time>"
            );
            assert_eq!(date(&html).as_deref(), Some("2024-03-05"), "{article}");
        }
        assert_eq!(
            date("<p><time>2024-03-05</time>").as_deref(),
            Some("2024-03-05")
        );
    }

    #[test]
    fn a_date_of_another_article_is_none() {
        for html in [
            "<h1>Novice</h1><time>2024-03-05</time><p><time>2024-03-04</time>",
            "<h1>Novice</h1><aside><time>2024-03-05</time></aside>",
            "<main><h1>Novice</h1><li><time>2024-03-05</time><li><time>2024-03-04</time>\
             <li><time>2024-03-03</time></main>",
            "<h1>Potok</h1><p>5. 3. 2024",
            "<main><h1>Potok</h1></main><div class=related><time>2024-03-05</time></div>",
        ] {
            assert_eq!(date(html), None, "{html}");
        }
    }
}
