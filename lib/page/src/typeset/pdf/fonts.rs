//! Repair of fonts that the crate cannot read. It fails at the operator that selects a font, and
//! then the rest of the page is lost, even if the font only shows a bullet of ZapfDingbats before
//! the text.
//!
//! Known defects are repaired first: encodings that the crate has no table for, and missing entries
//! of font dictionaries. If a page still fails, all fonts are tested one by one. If rewriting its
//! ToUnicode CMap does not make a font readable, the font is replaced by one that shows only
//! spaces.

use super::budget::Budget;
use super::page_output::output_page;
use super::{glyph_names, glyph_widths, to_unicode};
use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId, PlainTextOutput, Stream};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Encodings that the crate has tables for.
const SUPPORTED_ENCODINGS: [&[u8]; 3] = [
    b"WinAnsiEncoding",
    b"MacRomanEncoding",
    b"MacExpertEncoding",
];
const STANDARD: &[u8] = b"StandardEncoding";
/// Glyph names of Adobe's standard encoding that the crate's default encoding lacks (ISO 32000-1,
/// D.2): the names of consecutive codes from a first code on.
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
/// Standard fonts whose widths the crate knows, besides ZapfDingbats; other fonts need a `Widths`
/// array.
const STANDARD_FONTS: &str = "\
    Courier Courier-Bold Courier-BoldOblique Courier-Oblique \
    Helvetica Helvetica-Bold Helvetica-BoldOblique Helvetica-Oblique \
    Symbol Times-Bold Times-BoldItalic Times-Italic Times-Roman";
/// A usual glyph width, in thousandths of the font size. Set by judgement, not measured.
const DEFAULT_WIDTH: i64 = 500;
/// Time limit for testing fonts, of the 30 seconds per document.
const MAX_TEST_TIME: Duration = Duration::from_secs(5);

/// Repairs the known defects of all fonts of a document.
pub(super) fn repair_fonts(document: &mut Document, budget: &mut Budget) {
    let widths = vec![Object::Integer(DEFAULT_WIDTH); 256];
    let widths = document.add_object(widths);
    for id in list_fonts(document) {
        let Ok(font) = document.get_dictionary(id) else {
            continue;
        };
        if !budget.spend(font_size(document, font)) {
            break;
        }
        let mut font = font.clone();
        if font.has(b"DescendantFonts") {
            repair_composite_font(document, &mut font, budget);
        } else {
            repair_simple_font(document, &mut font, widths);
            glyph_names::repair_names(document, &mut font);
        }
        document.objects.insert(id, Object::Dictionary(font));
    }
    rewrite_cmaps(document, budget);
}

/// Returns the memory of the parts of a font that are copied: several fonts may share them.
fn font_size(document: &Document, font: &Dictionary) -> usize {
    let encoding = font
        .get_deref(b"Encoding", document)
        .and_then(Object::as_dict);
    let differences = encoding.and_then(|encoding| encoding.get_deref(b"Differences", document));
    let names = differences.and_then(Object::as_array).map_or(0, Vec::len);
    // With the names of the standard encoding.
    (names + 128) * size_of::<Object>()
}

/// Rewrites the ToUnicode CMaps, of all that may be a font.
fn rewrite_cmaps(document: &mut Document, budget: &mut Budget) {
    let with_cmap = |(id, object): (&ObjectId, &Object)| {
        let cmap = object.as_dict().ok()?.get(b"ToUnicode").ok()?;
        Some((*id, cmap.clone()))
    };
    let fonts: Vec<(ObjectId, Object)> = document.objects.iter().filter_map(with_cmap).collect();
    let identity = document.add_object(Stream::new(
        Dictionary::new(),
        b"1 beginbfrange <0000> <FFFF> <0000> endbfrange".to_vec(),
    ));
    let mut cmaps = HashSet::new();
    for (id, cmap) in fonts {
        let cmap = document
            .dereference(&cmap)
            .map(|(id, cmap)| (id, cmap.clone()));
        match cmap {
            Ok((Some(cmap), Object::Stream(stream))) if cmaps.insert(cmap) => {
                let rewritten = to_unicode::rewrite_cmap(&stream.content, budget);
                let stream = Stream::new(Dictionary::new(), rewritten);
                document.objects.insert(cmap, stream.into());
            }
            Ok((_, Object::Stream(_))) => {}
            // The name of a predefined CMap: those that map to text, and not to glyphs, map Unicode to
            // itself. The crate fails on others, and on what is no CMap.
            other => {
                let name = other
                    .as_ref()
                    .map(|(_, name)| name.as_name().unwrap_or_default());
                let name = name.unwrap_or_default();
                let is_identity = name.starts_with(b"Identity-");
                if let Ok(font) = document.get_dictionary_mut(id) {
                    match is_identity && font.has(b"DescendantFonts") {
                        true => font.set("ToUnicode", identity),
                        false => _ = font.remove(b"ToUnicode"),
                    }
                }
            }
        }
    }
}

/// Returns the fonts of a document in which text can be shown, without descendant fonts.
pub(super) fn list_fonts(document: &Document) -> Vec<ObjectId> {
    let is_font = |font: &Dictionary| {
        let subtype = name_entry(document, font, b"Subtype").unwrap_or_default();
        name_entry(document, font, b"Type").is_some_and(|name| name == b"Font")
            && !subtype.starts_with(b"CIDFont")
    };
    let fonts = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(is_font));
    fonts.map(|(id, _)| *id).collect()
}

/// Returns the value of an entry of a dictionary, if it is a name.
fn name_entry<'a>(
    document: &'a Document,
    dictionary: &'a Dictionary,
    key: &[u8],
) -> Option<&'a [u8]> {
    dictionary
        .get_deref(key, document)
        .and_then(Object::as_name)
        .ok()
}

/// `widths` are usual ones, for a font without.
fn repair_simple_font(document: &Document, font: &mut Dictionary, widths: ObjectId) {
    let base_font = name_entry(document, font, b"BaseFont")
        .unwrap_or_default()
        .to_owned();
    let encoding = font.get_deref(b"Encoding", document).ok().cloned();
    if base_font == b"ZapfDingbats" {
        // The crate supports only the built-in encoding.
        for key in ["Encoding", "FirstChar", "LastChar", "Widths"] {
            font.remove(key.as_bytes());
        }
        return;
    }
    // Without widths, lines would run together, as each glyph would end where it begins.
    if !font.has(b"Widths")
        && !STANDARD_FONTS
            .split(' ')
            .any(|standard| base_font == standard.as_bytes())
    {
        font.set("FirstChar", 0);
        font.set("LastChar", 255);
        font.set("Widths", widths);
    }
    match encoding {
        Some(Object::Name(name))
            if base_font == b"Symbol" || !SUPPORTED_ENCODINGS.contains(&name.as_slice()) =>
        {
            font.remove(b"Encoding");
            if name == STANDARD && base_font != b"Symbol" {
                font.set(
                    "Encoding",
                    with_standard_names(Dictionary::new(), Vec::new()),
                );
            }
        }
        Some(Object::Dictionary(encoding)) => {
            if let Some(encoding) = without_unsupported_base(document, encoding) {
                font.set("Encoding", encoding);
            }
        }
        _ => {}
    }
    // The crate needs an encoding for characters that the ToUnicode CMap lacks.
    if font.has(b"ToUnicode") && !font.has(b"Encoding") {
        font.set("Encoding", Object::Name(SUPPORTED_ENCODINGS[0].to_vec()));
    }
}

/// Returns an encoding dictionary without its unsupported `BaseEncoding`, and with that encoding's
/// names if it is the standard one. `None` if the base is supported.
fn without_unsupported_base(document: &Document, mut encoding: Dictionary) -> Option<Dictionary> {
    let base = name_entry(document, &encoding, b"BaseEncoding")
        .filter(|base| !SUPPORTED_ENCODINGS.contains(base))?
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

/// Returns an encoding dictionary with the names of the standard encoding before `differences`,
/// which take precedence.
fn with_standard_names(mut encoding: Dictionary, differences: Vec<Object>) -> Dictionary {
    let mut all = Vec::new();
    for (code, names) in STANDARD_NAMES {
        all.push(Object::Integer(code));
        all.extend(names.split(' ').map(|name| Object::Name(name.into())));
    }
    all.extend(differences);
    encoding.set("Differences", all);
    encoding
}

fn repair_composite_font(document: &Document, font: &mut Dictionary, budget: &mut Budget) {
    let descendant = font
        .get_deref(b"DescendantFonts", document)
        .and_then(Object::as_array)
        .ok();
    let descendant =
        descendant.and_then(|fonts| document.dereference(fonts.first()?).ok()?.1.as_dict().ok());
    if let Some(mut descendant) = descendant.cloned() {
        glyph_widths::expand_ranges(document, &mut descendant, budget);
        if !descendant.has(b"FontDescriptor") {
            descendant.set("FontDescriptor", Dictionary::new());
        }
        font.set("DescendantFonts", vec![Object::Dictionary(descendant)]);
    }
}

/// Adds fonts that a page selects and that its resources lack or that are not fonts. Returns `true`
/// if there are such fonts. Their codes are read as Latin text, which is most often right.
pub(super) fn add_missing_fonts(document: &mut Document, page: ObjectId) -> bool {
    let content = document
        .get_page_content(page)
        .ok()
        .and_then(|content| Content::decode(&content).ok());
    let selected: Vec<Object> = content
        .into_iter()
        .flat_map(|content| content.operations)
        .filter(|operation| operation.operator == "Tf")
        .filter_map(|operation| operation.operands.into_iter().next())
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
    let missing: Vec<&[u8]> = selected
        .iter()
        .filter_map(|operand| operand.as_name().ok())
        .filter(is_missing)
        .collect();
    for key in &missing {
        fonts.set(*key, latin_font());
    }
    resources.set("Font", fonts);
    !missing.is_empty()
        && document
            .get_dictionary_mut(page)
            .map(|page| page.set("Resources", resources))
            .is_ok()
}

/// Returns a font whose codes are those of `WinAnsiEncoding`.
fn latin_font() -> Dictionary {
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

/// Repairs fonts on which the crate fails, or replaces them by fonts that show only spaces. Returns
/// `true` if there are such fonts. The fonts are tested on `page`, which is restored afterwards.
pub(super) fn replace_unreadable_fonts(document: &mut Document, page: ObjectId) -> bool {
    let Some(original_page) = document.objects.get(&page).cloned() else {
        return false;
    };
    let deadline = Instant::now() + MAX_TEST_TIME;
    let fonts = list_fonts(document);
    let content = document.add_object(Stream::new(Dictionary::new(), b"BT /F 1 Tf ET".to_vec()));
    let mut is_replaced = false;
    for font in fonts {
        if Instant::now() > deadline {
            break;
        }
        document
            .objects
            .insert(page, Object::Dictionary(test_page(content, font)));
        if is_current_page_readable(document) {
            continue;
        }
        is_replaced = true;
        if !(rewrite_to_unicode(document, font) && is_current_page_readable(document)) {
            document
                .objects
                .insert(font, Object::Dictionary(space_font()));
        }
    }
    document.objects.insert(page, original_page);
    is_replaced
}

/// Returns `true` if the crate can read the page in the page tree.
fn is_current_page_readable(document: &Document) -> bool {
    output_page(document, &mut PlainTextOutput::new(&mut String::new())).is_ok()
}

/// Rewrites the ToUnicode CMap of a font. Returns `false` if it has none that can be read.
fn rewrite_to_unicode(document: &mut Document, font: ObjectId) -> bool {
    let mappings = document
        .get_dictionary(font)
        .map(|font| to_unicode::read_from_font(document, font))
        .unwrap_or_default();
    if mappings.is_empty() {
        return false;
    }
    let cmap = Stream::new(Dictionary::new(), to_unicode::write_cmap(&mappings));
    let cmap = document.add_object(cmap);
    document
        .get_dictionary_mut(font)
        .map(|font| font.set("ToUnicode", cmap))
        .is_ok()
}

/// Returns a page whose content only selects a font.
fn test_page(content: ObjectId, font: ObjectId) -> Dictionary {
    let fonts = Dictionary::from_iter([("F", Object::Reference(font))]);
    let resources = Dictionary::from_iter([("Font", Object::Dictionary(fonts))]);
    let media_box = [0, 0, 9, 9].map(Object::Integer).to_vec();
    Dictionary::from_iter([
        ("Type", Object::Name(b"Page".to_vec())),
        ("MediaBox", Object::Array(media_box)),
        ("Resources", Object::Dictionary(resources)),
        ("Contents", Object::Reference(content)),
    ])
}

/// Returns a font in which every code shows a space.
fn space_font() -> Dictionary {
    let mut differences = vec![Object::Integer(0)];
    differences.extend((0..256).map(|_| Object::Name(b"space".to_vec())));
    let encoding = Dictionary::from_iter([("Differences", Object::Array(differences))]);
    let mut font = latin_font();
    font.set("Encoding", encoding);
    font
}
