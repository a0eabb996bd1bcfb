//! Fonts that the crate can't read, made such as it can. It fails where a font is chosen, and with
//! that the rest of the page is lost, which may be one bullet of ZapfDingbats before the text.
//!
//! What is known is mended: encodings that the crate has no table of, and fonts without a part that
//! it wants. Where a page fails all the same, its fonts are tried one by one; where a map that is
//! written anew does not help, blanks take the place of what they show.

use super::output::show_page;
use super::{maps, names, widths};
use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId, PlainTextOutput, Stream};
use std::time::{Duration, Instant};

/// Encodings that the crate has tables of.
const KNOWN: [&[u8]; 3] = [
    b"WinAnsiEncoding",
    b"MacRomanEncoding",
    b"MacExpertEncoding",
];
const STANDARD: &[u8] = b"StandardEncoding";
/// What Adobe's standard encoding has that the crate's own lacks (ISO 32000-1, D.2): names from a
/// code on.
const STANDARD_NAMES: [(i64, &str); 18] = [
    (0x27, "quoteright"),
    (0x60, "quoteleft"),
    (0xA4, "fraction"),
    (0xA6, "florin"),
    (0xA8, "currency quotesingle quotedblleft"),
    (0xAC, "guilsinglleft guilsinglright fi fl"),
    (0xB1, "endash dagger daggerdbl periodcentered"),
    (0xB7, "bullet quotesinglbase quotedblbase quotedblright"),
    (0xBC, "ellipsis perthousand"),
    (
        0xC1,
        "grave acute circumflex tilde macron breve dotaccent dieresis",
    ),
    (0xCA, "ring cedilla"),
    (0xCD, "hungarumlaut ogonek caron emdash"),
    (0xE1, "AE"),
    (0xE3, "ordfeminine"),
    (0xE8, "Lslash Oslash OE ordmasculine"),
    (0xF1, "ae"),
    (0xF5, "dotlessi"),
    (0xF8, "lslash oslash oe germandbls"),
];
/// Fonts whose widths the crate knows, beside ZapfDingbats; others must tell them.
const CORE: &str = "\
    Courier Courier-Bold Courier-BoldOblique Courier-Oblique \
    Helvetica Helvetica-Bold Helvetica-BoldOblique Helvetica-Oblique \
    Symbol Times-Bold Times-BoldItalic Times-Italic Times-Roman";
/// A usual width of a letter, in thousandths of the font's size.
const WIDTH: i64 = 500;
/// Time that is spent on trying fonts, of the half minute that a document has.
const MOST_TRYING: Duration = Duration::from_secs(5);

/// Mends what is known to make the crate fail.
pub(super) fn mend(document: &mut Document) {
    let mut unicode = None;
    for id in all(document) {
        let Ok(font) = document.get_dictionary(id) else {
            continue;
        };
        let mut font = font.clone();
        if font.has(b"DescendantFonts") {
            mend_composite(document, &mut font, &mut unicode);
        } else {
            mend_simple(document, &mut font);
            names::mend(document, &mut font);
        }
        document.objects.insert(id, Object::Dictionary(font));
    }
}

/// The fonts of a document that text may be shown in.
fn all(document: &Document) -> Vec<ObjectId> {
    let is_font = |font: &Dictionary| {
        let subtype = name(document, font, b"Subtype").unwrap_or_default();
        name(document, font, b"Type").is_some_and(|name| name == b"Font")
            && !subtype.starts_with(b"CIDFont")
    };
    let fonts = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(is_font));
    fonts.map(|(id, _)| *id).collect()
}

fn name<'a>(document: &'a Document, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    dictionary
        .get_deref(key, document)
        .and_then(Object::as_name)
        .ok()
}

fn mend_simple(document: &Document, font: &mut Dictionary) {
    let base = name(document, font, b"BaseFont")
        .unwrap_or_default()
        .to_owned();
    let encoding = font.get_deref(b"Encoding", document).ok().cloned();
    if base == b"ZapfDingbats" {
        // Its own encoding is the only one that the crate can follow.
        for key in ["Encoding", "FirstChar", "LastChar", "Widths"] {
            font.remove(key.as_bytes());
        }
        return;
    }
    // Without any, lines run into each other: what has no width seems to end where it begins.
    if !font.has(b"Widths") && !CORE.split(' ').any(|core| base == core.as_bytes()) {
        font.set("FirstChar", 0);
        font.set("LastChar", 255);
        font.set("Widths", vec![Object::Integer(WIDTH); 256]);
    }
    match encoding {
        Some(Object::Name(name)) if base == b"Symbol" || !KNOWN.contains(&name.as_slice()) => {
            font.remove(b"Encoding");
            if name == STANDARD && base != b"Symbol" {
                font.set(
                    "Encoding",
                    with_standard_names(Dictionary::new(), Vec::new()),
                );
            }
        }
        Some(Object::Dictionary(encoding)) => {
            if let Some(encoding) = with_known_base(document, encoding) {
                font.set("Encoding", encoding);
            }
        }
        _ => {}
    }
    // The crate wants one where the map to Unicode lacks a character.
    if font.has(b"ToUnicode") && !font.has(b"Encoding") {
        font.set("Encoding", Object::Name(KNOWN[0].to_vec()));
    }
}

/// An encoding whose base the crate has no table of, without that, but with what it means.
fn with_known_base(document: &Document, mut encoding: Dictionary) -> Option<Dictionary> {
    let base = name(document, &encoding, b"BaseEncoding")
        .filter(|base| !KNOWN.contains(base))?
        .to_owned();
    encoding.remove(b"BaseEncoding");
    let differences = encoding
        .get_deref(b"Differences", document)
        .and_then(Object::as_array)
        .cloned();
    let differences = differences.unwrap_or_default();
    Some(if base == STANDARD {
        with_standard_names(encoding, differences)
    } else {
        encoding
    })
}

fn with_standard_names(mut encoding: Dictionary, differences: Vec<Object>) -> Dictionary {
    let mut all = Vec::new();
    for (code, names) in STANDARD_NAMES {
        all.push(Object::Integer(code));
        all.extend(names.split(' ').map(|name| Object::Name(name.into())));
    }
    // What comes later holds.
    all.extend(differences);
    encoding.set("Differences", all);
    encoding
}

/// Mends a font of many letters. Codes that are Unicode are said to be, by one map for all fonts.
fn mend_composite(document: &mut Document, font: &mut Dictionary, unicode: &mut Option<ObjectId>) {
    let is_unicode = name(document, font, b"Encoding").is_some_and(|encoding| {
        [b"UCS2-", b"TF16-"]
            .iter()
            .any(|part| encoding.windows(part.len()).any(|it| it == part.as_slice()))
    });
    if is_unicode {
        font.set("Encoding", Object::Name(b"Identity-H".to_vec()));
        if !font.has(b"ToUnicode") {
            let map = *unicode.get_or_insert_with(|| {
                document.add_object(Stream::new(Dictionary::new(), maps::of_unicode()))
            });
            font.set("ToUnicode", map);
        }
    }
    let descendant = font
        .get_deref(b"DescendantFonts", document)
        .and_then(Object::as_array)
        .ok();
    let descendant =
        descendant.and_then(|fonts| document.dereference(fonts.first()?).ok()?.1.as_dict().ok());
    if let Some(mut descendant) = descendant.cloned() {
        widths::mend(document, &mut descendant);
        if !descendant.has(b"FontDescriptor") {
            descendant.set("FontDescriptor", Dictionary::new());
        }
        font.set("DescendantFonts", vec![Object::Dictionary(descendant)]);
    }
}

/// Gives a page the fonts that it chooses and that it has not, or that are none; whether there are
/// such. What they would show is most often what their codes say in Latin.
pub(super) fn stand_in(document: &mut Document, page: ObjectId) -> bool {
    let content = document
        .get_page_content(page)
        .ok()
        .and_then(|content| Content::decode(&content).ok());
    let chosen = content
        .into_iter()
        .flat_map(|content| content.operations)
        .filter(|it| it.operator == "Tf");
    let chosen: Vec<Object> = chosen
        .filter_map(|it| it.operands.into_iter().next())
        .collect();
    let resources = document
        .get_dictionary(page)
        .and_then(|page| page.get_deref(b"Resources", document));
    let Ok(mut resources) = resources.and_then(Object::as_dict).cloned() else {
        return false;
    };
    let fonts = resources
        .get_deref(b"Font", document)
        .and_then(Object::as_dict);
    let mut fonts = fonts.cloned().unwrap_or_default();
    let is_font = |font: &Dictionary| font.has(b"Subtype");
    let is_missing = |key: &&[u8]| {
        !fonts
            .get_deref(key, document)
            .and_then(Object::as_dict)
            .is_ok_and(is_font)
    };
    let missing: Vec<&[u8]> = chosen
        .iter()
        .filter_map(|it| it.as_name().ok())
        .filter(is_missing)
        .collect();
    for key in &missing {
        fonts.set(*key, latin());
    }
    resources.set("Font", fonts);
    !missing.is_empty()
        && document
            .get_dictionary_mut(page)
            .map(|page| page.set("Resources", resources))
            .is_ok()
}

/// A font whose codes are those of Latin letters.
fn latin() -> Dictionary {
    let entries = [
        ("Type", "Font"),
        ("Subtype", "Type1"),
        ("BaseFont", "Helvetica"),
        ("Encoding", "WinAnsiEncoding"),
    ];
    entries
        .into_iter()
        .map(|(key, name)| (key, Object::Name(name.into())))
        .collect()
}

/// Mends fonts that the crate fails on, or puts blanks in the place of what is shown in them;
/// whether there are such. They are tried on this page.
pub(super) fn replace_unreadable(document: &mut Document, page: ObjectId) -> bool {
    let Some(kept) = document.objects.get(&page).cloned() else {
        return false;
    };
    let (end, fonts) = (Instant::now() + MOST_TRYING, all(document));
    let content = document.add_object(Stream::new(Dictionary::new(), b"BT /F 1 Tf ET".to_vec()));
    let mut is_replaced = false;
    for font in fonts {
        if Instant::now() > end {
            break;
        }
        document
            .objects
            .insert(page, Object::Dictionary(trial(content, font)));
        if is_readable(document) {
            continue;
        }
        is_replaced = true;
        if !(map_anew(document, font) && is_readable(document)) {
            document.objects.insert(font, Object::Dictionary(blank()));
        }
    }
    document.objects.insert(page, kept);
    is_replaced
}

/// Whether the page that the tree holds can be read.
fn is_readable(document: &Document) -> bool {
    show_page(document, &mut PlainTextOutput::new(&mut String::new())).is_ok()
}

/// Writes a font's map to Unicode anew, if it has one that can be read.
fn map_anew(document: &mut Document, font: ObjectId) -> bool {
    let shown = document
        .get_dictionary(font)
        .map(|font| maps::read_from_font(document, font))
        .unwrap_or_default();
    if shown.is_empty() {
        return false;
    }
    let map = document.add_object(Stream::new(Dictionary::new(), maps::written(&shown)));
    document
        .get_dictionary_mut(font)
        .map(|font| font.set("ToUnicode", map))
        .is_ok()
}

/// A page that chooses a font.
fn trial(content: ObjectId, font: ObjectId) -> Dictionary {
    let fonts = Dictionary::from_iter([("F", Object::Reference(font))]);
    let resources = Dictionary::from_iter([("Font", Object::Dictionary(fonts))]);
    let corner = [0, 0, 9, 9].map(Object::Integer).to_vec();
    Dictionary::from_iter([
        ("Type", Object::Name(b"Page".to_vec())),
        ("MediaBox", Object::Array(corner)),
        ("Resources", Object::Dictionary(resources)),
        ("Contents", Object::Reference(content)),
    ])
}

/// A font in which every code is a blank.
fn blank() -> Dictionary {
    let mut differences = vec![Object::Integer(0)];
    differences.extend((0..256).map(|_| Object::Name(b"space".to_vec())));
    let encoding = Dictionary::from_iter([("Differences", Object::Array(differences))]);
    let mut font = latin();
    font.set("Encoding", encoding);
    font
}
