//! Pages with several parts: a mail with a page and its frames, a zip with a document, a book or
//! files.

use super::{PageContext, line_page, read_body};
use crate::epub::Book;
use crate::unpack::Unzipped;
use crate::{PageError, mail, office};
use forage_content::media::MediaType;
use forage_extract::{ExtractedPage, ExtractionOptions, Extractor, TextFormat, tidy_text};
use forage_record::{Fetch, StructurePart};
use std::cell::Cell;
use std::sync::Arc;

/// Reads a mail: the page in it, or the texts of its frames if those are over twice as long.
/// Returns `None` if there is no page.
pub(crate) fn read_mail(
    mail: &[u8],
    context: &PageContext,
    depth: usize,
) -> Result<Option<(ExtractedPage, Option<&'static str>)>, PageError> {
    /// Part of the longest text that a text has which is no menu. Set by judgement, not measured.
    const SHARE: usize = 4;
    let read = |part: &mail::MailedPage| {
        let inner = PageContext {
            url: part.url.as_ref().or(context.url),
            is_damaged: Cell::new(false),
            ..*context
        };
        let read = read_body(&part.body, &part.media, &inner, depth + 1);
        context.mark_damaged(inner.is_damaged.get());
        read
    };
    let parts = mail::find_pages(mail);
    let Some((first, frames)) = parts.split_first() else {
        return Ok(None);
    };
    let (mut page, charset) = read(first)?;
    let frames = frames.iter().filter_map(|part| Some(read(part).ok()?.0));
    let mut pages: Vec<ExtractedPage> = frames.collect();
    let longest = pages.iter().map(|frame| frame.text.len()).max();
    let longest = longest.unwrap_or_default();
    if page.text.len() * 2 < longest {
        pages.insert(0, page.clone());
        pages.retain(|part| part.text.len() * SHARE >= longest);
        let joined = join_pages(pages, context.options.format);
        (page.text, page.structure) = (joined.text, joined.structure);
        (page.robots, page.tdm_reservation) = (joined.robots, joined.tdm_reservation);
    }
    Ok(Some((page, charset)))
}

/// Reads a zip: a text document, a book, or an archive of files.
pub(crate) fn read_zip(
    zip: Unzipped,
    context: &PageContext,
    depth: usize,
) -> Result<ExtractedPage, PageError> {
    let mut members = zip.members;
    context.mark_damaged(zip.unread > 0);
    if let Some(text) = office::text_of_document(&members) {
        return Ok(line_page(tidy_text(&text), context));
    }
    if office::is_other_document(&members) {
        let cause =
            "application/zip: of office documents, docx and odt are read; convert it to PDF";
        return Err(PageError::UnsupportedType(cause.into()));
    }
    let Some(book) = Book::read(&members) else {
        members.retain(|member| !is_for_display(&member.name));
        let members = members
            .iter()
            .map(|member| (MediaType::sniff(&member.body), &*member.body));
        return read_members(members, context, depth).map_err(|e| match e {
            PageError::UnsupportedType(cause) => {
                PageError::UnsupportedType(format!("application/zip, of {cause}"))
            }
            e => e,
        });
    };
    let chapters = book.chapters.iter().filter_map(|name| {
        let member = members.iter().find(|member| member.name == *name);
        context.mark_damaged(member.is_none());
        Some((MediaType::parse("application/xhtml+xml")?, &*member?.body))
    });
    // A chapter has no boilerplate: its lists, tables and short lines are text.
    let options = Arc::new(ExtractionOptions {
        extractor: Extractor::AllText,
        ..(**context.options).clone()
    });
    let inner = PageContext {
        options: &options,
        is_damaged: Cell::new(false),
        ..*context
    };
    let page = read_members(chapters, &inner, depth)?;
    context.mark_damaged(inner.is_damaged.get());
    Ok(ExtractedPage {
        title: book.title,
        tdm_reservation: book.tdm_reservation.max(page.tdm_reservation),
        fetch: Fetch {
            html_lang: book.lang,
            ..page.fetch
        },
        ..page
    })
}

/// Returns `true` for the name of a file without text of its own: a style sheet, a script, a font,
/// or what Firefox notes of a saved page (MAFF).
fn is_for_display(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["css", "js", "ttf", "otf", "woff", "rdf"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// Reads files of an archive and joins their texts. Skips files that cannot be read, unless all
/// fail, or a limit of this machine is the cause.
fn read_members<'a>(
    members: impl Iterator<Item = (MediaType, &'a [u8])>,
    context: &PageContext,
    depth: usize,
) -> Result<ExtractedPage, PageError> {
    let mut pages = Vec::new();
    let mut failure = None;
    for (media, body) in members {
        match read_body(body, &media, context, depth + 1) {
            Ok((page, _)) => pages.push(page),
            Err(e @ PageError::MachineLimit(_)) => return Err(e),
            Err(e) => {
                // Pictures and empty pages are no loss.
                let has_no_text = matches!(e, PageError::NoText(_));
                context.mark_damaged(media.format().is_some() && !has_no_text);
                failure = failure.or(Some(e));
            }
        }
    }
    if pages.is_empty() {
        return Err(failure.unwrap_or(PageError::NoText(Vec::new())));
    }
    pages.retain(|page| !page.text.is_empty());
    Ok(join_pages(pages, context.options.format))
}

/// Joins the texts of pages and their parts. What one of them reserves is reserved.
fn join_pages(pages: Vec<ExtractedPage>, format: TextFormat) -> ExtractedPage {
    let separator = match format {
        TextFormat::Plain => "\n",
        TextFormat::Markdown { .. } => "\n\n",
    };
    let mut joined = ExtractedPage::default();
    let mut characters = 0;
    for page in pages {
        if !joined.text.is_empty() {
            joined.text.push_str(separator);
            characters += separator.len();
        }
        let parts = page.structure.into_iter().map(|part| StructurePart {
            start: part.start + characters,
            end: part.end + characters,
            ..part
        });
        joined.structure.extend(parts);
        joined.tdm_reservation = joined.tdm_reservation.max(page.tdm_reservation);
        joined.robots.extend(page.robots);
        characters += page.text.chars().count();
        joined.text.push_str(&page.text);
    }
    joined
}
