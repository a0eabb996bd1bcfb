//! Extraction of the main text and the metadata of an HTML page: the page without its menus,
//! advertisements and footers.
//!
//! A page is parsed once. A walk over its tree (`outline`) collects its metadata and its blocks of
//! text. `features` describes each block by its text, its position, its neighbours, and by the
//! result of an extractor after Readability. A model (`boosted_trees`) gives the probability that
//! the block is main text, and `block_selection` selects the blocks with the highest expected F1.
//! A text that is twice on the page is then selected once (`repetition`). Comments after an article
//! are left out (`comment_threads`), and if they are wanted, told apart (`comments`).
//! Nothing of this depends on the words of any language. See docs/algorithms.md, "Main text".
//!
//! Authors, day and site that a page does not declare are read beside its headline
//! (`visible_metadata`).
//!
//! A page is read as a browser shows it: with its shadow roots (`shadow_roots`), with blanks where
//! the eye sees them (`blanks`), XHTML by the rules of XML (`xhtml`). If only a script shows the
//! article, its text is that of the page's data (`declared_text`).
//!
//! A page that is very deeply nested or very large is read without a tree, in one pass of the
//! tokenizer (`flat_scan`). Then all text is used, as on pages where no block is main text.
//!
//! Site rules (`site_rules`) state where the article is in the pages of a host, and take precedence
//! over the model. `title_body_footer` is a baseline for experiments.
//!
//! The crate uses no socket, file, clock, thread or process. A library may still panic or take long
//! on a hostile page, so the caller must bound both (`forage-page` does).

mod attributes;
mod blanks;
mod block_selection;
mod boosted_trees;
mod comment_threads;
mod comments;
mod credits;
mod declared_text;
mod element_dates;
mod element_kind;
mod embedded_json;
mod features;
mod flat_scan;
mod footers;
mod groups;
mod hints;
mod html_tokens;
mod inline_marks;
mod json_ld;
mod link_base;
mod link_header;
mod markdown;
mod meta_fields;
mod metadata;
mod month_names;
mod note_marks;
mod outline;
mod page_comment;
mod paragraphs;
mod publication_date;
mod readability;
mod readability_scores;
mod repetition;
mod scale;
mod shadow_roots;
mod site_rules;
mod structure;
mod tables;
mod text_features;
mod title_body_footer;
pub mod training;
mod tree_limits;
mod visible_metadata;
mod visual_order;
mod xhtml;

pub use forage_web::robots::parse_reservation;
pub use link_header::add_response_fields;
pub use markdown::plain_text_as_markdown;
pub use paragraphs::{layout_paragraphs, plain_text_paragraphs, tidy_text};
pub use site_rules::{NEWS_RULES, RuleFileError, RuleSet};
pub use visual_order::{is_visual_hebrew, logical_text};
pub use xhtml::html_from_xhtml;

use boosted_trees::BoostedTrees;
use comment_threads::{deselect_comment_threads, is_article};
use comments::{add_json_ld_comments, read_threads};
use declared_text::find_declared_text;
use dom_query::Document;
use element_dates::find_element_dates;
use flat_scan::scan_from;
use forage_record::{Comment, Fetch, Link, StructurePart};
use hints::MarkupHints;
use metadata::PageMetadata;
use outline::{Outline, build_marked_outline, build_outline, text_size};
use paragraphs::tidy_line;
use repetition::{deselect_hidden_data, deselect_repetitions};
use site_rules::RuleText;
use structure::line_parts;
use tables::complete_alternations;
use tables::complete_tables;
use title_body_footer::extract_article;
use tree_limits::parse_within_limits;
use url::Url;
use visible_metadata::add_visible_metadata;

/// The text and the metadata of a page. Strings are in NFC, without control characters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtractedPage {
    /// The title, if there is one.
    pub title: Option<String>,
    /// The main text, paragraphs separated by one line feed; empty if the page has no text.
    pub text: String,
    /// What the page declares of itself: language, licence, dates, authors, site, key words and the
    /// like; with the site rule for the page, if there is one.
    pub fetch: Fetch,
    /// Robots directives of `<meta>` tags, in lower case and in document order.
    pub robots: Vec<String>,
    /// True if a `<meta>` tag reserves the page against text and data mining
    /// (`tdm-reservation` of the TDM Reservation Protocol); `None` if there is no such tag.
    pub tdm_reservation: Option<bool>,
    /// The parts of the text, in the order of their beginnings; empty unless
    /// [`ExtractionOptions::structure`] is set.
    pub structure: Vec<StructurePart>,
    /// Links to other pages in document order, absolute, HTTP or HTTPS.
    pub links: Vec<Link>,
    /// The comments of readers after the article, in document order; empty unless
    /// [`ExtractionOptions::comments`] is set.
    pub comments: Vec<Comment>,
}

/// A method of extraction, for pages to which no site rule applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extractor {
    /// The model that rates blocks of text.
    #[default]
    Model,
    /// The title–body–footer method (Bracewell, Ren and Kuroiwa 2007, section V.B), a baseline.
    TitleBodyFooter,
    /// All text that is not hidden, for the chapters of a book.
    AllText,
}

/// The form of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextFormat {
    /// A paragraph a line, without marks.
    #[default]
    Plain,
    /// Markdown.
    Markdown {
        /// True if links have their targets.
        links: bool,
    },
}

/// Site rules, the method for pages to which none applies, and what is extracted.
#[derive(Debug, Clone, Default)]
pub struct ExtractionOptions {
    /// The site rules.
    pub rules: RuleSet,
    /// The method for pages to which no rule applies.
    pub extractor: Extractor,
    /// True if comments are read, too, whatever the method.
    pub comments: bool,
    /// The form of the text.
    pub format: TextFormat,
    /// True if the parts of the text are found; those of the text without marks.
    pub structure: bool,
}

/// Stack that [`extract_page()`] needs on the calling thread, in bytes. Libraries recurse over the
/// tree, whose depth is limited; this leaves over 100 kB for each of 512 levels.
pub const STACK_BYTES: usize = 64 << 20;

/// Extracts the main text and the metadata of a page. `url` is its address, against which links are
/// resolved, and by whose host a site rule is chosen. The page is passed by value, so that a large
/// one is freed as soon as it is parsed.
///
/// Deterministic. Time is linear in the size for usual pages (about 6 ms for 150 kB). It is
/// quadratic in the depth and in the attributes of a tag, which `tree_limits` and `html_tokens`
/// limit. Memory is about 20 times the size, or 3 times for a page above 8 MiB. Accepts any input,
/// however broken, deep or empty, given [`STACK_BYTES`] of stack.
///
/// # Panics
/// Panics if a library has a defect that the page triggers.
pub fn extract_page(html: String, url: Option<&str>, options: &ExtractionOptions) -> ExtractedPage {
    extract_decoded_page(html, url, None, options)
}

/// Extracts a page as [`extract_page()`] does. `charset` names the character encoding from which it
/// was decoded, in which the queries of its links are encoded.
///
/// # Panics
/// Panics if a library has a defect that the page triggers.
pub fn extract_decoded_page(
    html: String,
    url: Option<&str>,
    charset: Option<&str>,
    options: &ExtractionOptions,
) -> ExtractedPage {
    let url = url.and_then(|url| Url::parse(url).ok());
    extract_from_tree(&html, url.clone(), charset, options)
        .unwrap_or_else(|| extract_flat(html, url, charset, options))
}

/// Returns the URL that a page at `url`, decoded from `charset`, redirects to by
/// `<meta http-equiv=refresh>`. `html` may be its beginning. As in other crawlers, a redirect for
/// browsers without scripts (`<noscript>`) is none: it often leads to a page that asks for them.
pub fn page_redirect(html: &str, url: &Url, charset: Option<&str>) -> Option<Url> {
    let metadata = PageMetadata::new(Some(url.clone())).with_charset(charset);
    scan_from(html, metadata).metadata.refresh
}

/// Extracts a page from its tree. Returns `None` if the tree exceeds a limit.
fn extract_from_tree(
    html: &str,
    url: Option<Url>,
    charset: Option<&str>,
    options: &ExtractionOptions,
) -> Option<ExtractedPage> {
    let document = parse_within_limits(html)?;
    let mut metadata = PageMetadata::new(url.clone()).with_charset(charset);
    metadata.is_visual = is_visual_hebrew(html, charset);
    metadata.json_ld.comments = options.comments.then(Vec::new);
    let outline = match options.format {
        TextFormat::Plain => build_outline(&document, &mut metadata),
        TextFormat::Markdown { .. } => build_marked_outline(&document, &mut metadata),
    };
    metadata.element_dates =
        find_element_dates(&document, metadata.page.fetch.html_lang.as_deref());
    metadata.finish();
    add_visible_metadata(&outline, url.as_ref(), &mut metadata);
    let is_visual = metadata.is_visual;
    let applied = options
        .rules
        .apply(url.as_ref(), &metadata.page, Some(&document));
    let (rule, rule_text) = applied.unzip();
    metadata.page.fetch.rule = rule;
    let rule_text = rule_text.flatten();
    let uses_model = rule_text.is_none() && options.extractor == Extractor::Model;
    if options.extractor == Extractor::AllText {
        let selected = select_visible_blocks(&outline);
        let text = selected_text(&outline, &selected);
        let page = assemble_page(metadata, &outline, text);
        return Some(with_format(page, &outline, &selected, options));
    }
    let main_text = match uses_model || options.comments {
        true => select_text(document, &outline, &mut metadata, &boosted_trees::BUILTIN),
        false => MainText::default(),
    };
    if let Some(RuleText { title, text }) = rule_text {
        let page = assemble_page(metadata, &outline, text);
        let title = title.or(page.title);
        return Some(with_line_format(ExtractedPage { title, ..page }, options));
    }
    if !uses_model {
        let lines = outline.blocks.iter().map(|block| block.text.as_str());
        return Some(extract_between_title_and_footer(metadata, lines, options));
    }
    let MainText { text, selected } = main_text;
    let page = assemble_page(metadata, &outline, text);
    // Marks are of the source, in which visual text has another order.
    let is_marked = !is_visual || options.format == TextFormat::Plain;
    Some(match selected.filter(|_| is_marked) {
        Some(selected) => with_format(page, &outline, &selected, options),
        None => with_line_format(page, options),
    })
}

/// Adds the structure of the page's text, and gives it the form that is wanted.
fn with_format(
    mut page: ExtractedPage,
    outline: &Outline,
    selected: &[bool],
    options: &ExtractionOptions,
) -> ExtractedPage {
    if options.structure {
        page.structure = structure::find_parts(outline, selected);
    }
    if let TextFormat::Markdown { links } = options.format {
        page.text = markdown::write_markdown(outline, selected, links);
    }
    page
}

/// Adds the structure of the text of a page of which only the lines are known, and gives it the
/// form that is wanted.
pub fn with_line_format(mut page: ExtractedPage, options: &ExtractionOptions) -> ExtractedPage {
    if options.structure {
        page.structure = line_parts(&page.text);
    }
    if let TextFormat::Markdown { .. } = options.format {
        page.text = plain_text_as_markdown(&page.text);
    }
    page
}

/// The main text of a page.
#[derive(Debug, Default)]
struct MainText {
    /// A paragraph a line.
    text: String,
    /// Which blocks it consists of; `None` if it is not that of blocks.
    selected: Option<Vec<bool>>,
}

/// Returns the main text by the model, without the comments of readers, or the text that the page
/// has only as data. Adds the comments to the page if they are wanted.
fn select_text(
    document: Document,
    outline: &Outline,
    metadata: &mut PageMetadata,
    model: &BoostedTrees,
) -> MainText {
    let declared_text = find_declared_text(&document, outline, metadata);
    // Readability consumes the tree.
    let with_comments = metadata.json_ld.comments.is_some();
    let copy = with_comments.then(|| document.clone());
    let kept = readability::elements_kept_by_readability(document, outline);
    let rows = features::block_features(outline, metadata, &kept);
    let mut selected = select_blocks(outline, &model.probabilities(&rows));
    complete_tables(outline, &mut selected);
    complete_alternations(outline, &mut selected);
    let threads = deselect_comment_threads(outline, &mut selected);
    deselect_hidden_data(outline, &mut selected);
    deselect_repetitions(outline, &mut selected);
    if let (Some(declared), Some(document)) = (metadata.json_ld.comments.take(), copy) {
        let mut comments = read_threads(&document, outline, &threads);
        if is_article(outline, &selected) {
            add_json_ld_comments(&mut comments, declared);
        }
        metadata.page.comments = comments;
    }
    if !selected.contains(&true) {
        selected.fill(true);
        deselect_hidden_data(outline, &mut selected);
    }
    let text = selected_text(outline, &selected);
    match declared_text {
        Some(declared) if text_size(&text) * 2 < text_size(&declared) => MainText {
            text: declared,
            selected: None,
        },
        _ => MainText {
            text,
            selected: Some(selected),
        },
    }
}

/// Extracts a page without a tree. The page may be large, so it is freed as soon as possible.
fn extract_flat(
    html: String,
    url: Option<Url>,
    charset: Option<&str>,
    options: &ExtractionOptions,
) -> ExtractedPage {
    let metadata = PageMetadata::new(url.clone()).with_charset(charset);
    let mut scan = scan_from(&html, metadata);
    drop(html);
    let text = tidy_text(&scan.text);
    let applied = options.rules.apply(url.as_ref(), &scan.metadata.page, None);
    scan.metadata.page.fetch.rule = applied.map(|(rule, _)| rule);
    match options.extractor {
        Extractor::Model | Extractor::AllText => {
            let page = assemble_page(scan.metadata, &Outline::default(), text);
            with_line_format(page, options)
        }
        Extractor::TitleBodyFooter => {
            extract_between_title_and_footer(scan.metadata, text.lines(), options)
        }
    }
}

/// Extracts a page by the title–body–footer method from texts, which may have several lines.
fn extract_between_title_and_footer<'a>(
    metadata: PageMetadata,
    texts: impl Iterator<Item = &'a str>,
    options: &ExtractionOptions,
) -> ExtractedPage {
    let lines: Vec<&str> = texts.flat_map(str::lines).collect();
    let title = tidy_line(&metadata.title);
    let language = metadata.page.fetch.html_lang.as_deref();
    let article = extract_article(&lines, &title, language, &options.rules.footers);
    let page = ExtractedPage {
        title: article.title,
        text: article.text,
        ..metadata.page
    };
    with_line_format(page, options)
}

/// Returns for each block if it is selected, given its probability.
fn select_blocks(outline: &Outline, probabilities: &[f32]) -> Vec<bool> {
    let sizes: Vec<usize> = outline.blocks.iter().map(|block| block.size).collect();
    block_selection::select_blocks(probabilities, &sizes)
}

/// Returns for each block if no attribute of an element around it hides it.
fn select_visible_blocks(outline: &Outline) -> Vec<bool> {
    let elements = outline
        .blocks
        .iter()
        .map(|block| &outline.elements[block.element]);
    elements
        .map(|element| !element.inherited_hints.has_any(MarkupHints::INVISIBLE))
        .collect()
}

/// Returns the text of the selected blocks.
fn selected_text(outline: &Outline, selected: &[bool]) -> String {
    let blocks = outline.blocks.iter().zip(selected);
    let texts = blocks.filter(|(_, is_selected)| **is_selected);
    texts
        .map(|(block, _)| block.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Adds the title and the text to the metadata.
fn assemble_page(metadata: PageMetadata, outline: &Outline, text: String) -> ExtractedPage {
    ExtractedPage {
        title: choose_title(&metadata, outline),
        text,
        ..metadata.page
    }
}

/// Most headings that may be the title, and the number of times that another heading must be longer
/// than the first `<h1>` if that is the name of the site. Set by judgement;
/// `tests/bench/extraction/constants.tsv` has the effect of half and twice the values.
const MAX_HEADINGS: usize = 40;
const MIN_LENGTH_RATIO: f32 = 1.5;

/// Returns the title: a heading or `og:title` if `<title>` contains it, since `<title>` often
/// includes the name of the site; otherwise `<title>`, or `og:title` if that is empty.
fn choose_title(metadata: &PageMetadata, outline: &Outline) -> Option<String> {
    let title = tidy_line(&metadata.title);
    let og_title = tidy_line(&metadata.og_title);
    let heading = choose_heading(&paragraphs::letters_and_digits(&title), outline);
    let part = heading.map(tidy_line).or_else(|| {
        let letters = paragraphs::letters_and_digits(&og_title);
        let is_part =
            !letters.is_empty() && paragraphs::letters_and_digits(&title).contains(&letters);
        is_part.then(|| og_title.clone())
    });
    part.into_iter()
        .chain([title, og_title])
        .find(|title| !title.is_empty())
}

/// Returns the heading that is a part of a `<title>` with these letters: the first `<h1>`, or the
/// longest one if that is much longer, since the `<h1>` of many blogs has their name; without an
/// `<h1>`, one with at least half of the letters.
fn choose_heading<'a>(title: &str, outline: &'a Outline) -> Option<&'a str> {
    let parts: Vec<(u8, usize, &str)> = outline
        .headings()
        .take(MAX_HEADINGS)
        .filter_map(|(level, text)| {
            let letters = paragraphs::letters_and_digits(text);
            let is_part = !letters.is_empty() && title.contains(&letters);
            is_part.then_some((level, letters.len(), text))
        })
        .collect();
    let first = parts.iter().find(|(level, ..)| *level == 1);
    let (_, longest_size, longest) = parts.iter().rev().max_by_key(|(_, size, _)| *size)?;
    match first {
        Some((_, size, heading)) => {
            let is_longer = *longest_size as f32 >= MIN_LENGTH_RATIO * *size as f32;
            Some(if is_longer { longest } else { heading })
        }
        None => (longest_size * 2 >= title.len()).then_some(longest),
    }
}

#[cfg(test)]
pub(crate) mod tests;
