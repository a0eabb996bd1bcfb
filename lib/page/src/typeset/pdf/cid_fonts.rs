//! Composite fonts whose codes are those of a legacy charset (`GBK-EUC-H`, `90ms-RKSJ-V` …) or of a
//! CMap in the document, or numbers of glyphs in one of Adobe's character collections (ISO 32000-1,
//! 9.7.5 and 9.10.2).
//!
//! The crate knows only codes of two bytes, which the font itself maps to text. So before each page
//! such a font gets a CMap that the crate can read, a ToUnicode CMap and widths, all by code, and
//! only for the codes that the page shows: the crate parses the CMaps of a font again on each page,
//! slowly.

use super::to_unicode::{self, CodeMappings};
use hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::rc::Rc;

/// The largest number of codes of a font that are mapped: those of two bytes.
const MAX_CODES: usize = 1 << 16;
/// The largest length of a code, in bytes.
const MAX_CODE_BYTES: usize = 4;

/// Codes that a page shows, by their length in bytes and their value, with their CIDs if known.
type UsedCodes = BTreeMap<(usize, u32), Option<u32>>;

/// The fonts of a document that the crate cannot read.
pub(super) struct CidFonts {
    fonts: Vec<CidFont>,
    /// The fonts that forms use, on any page.
    form_fonts: HashSet<ObjectId>,
}

/// A font that the crate cannot read.
struct CidFont {
    id: ObjectId,
    descendant: Dictionary,
    encoding: FontEncoding,
    /// The texts of its own ToUnicode CMap, by code.
    own_texts: HashMap<u32, String>,
    /// Maps CIDs to text, if the character collection is one of Adobe's for Chinese, Japanese or
    /// Korean.
    collection: Option<Rc<CMap>>,
    /// The codes that forms show, on any page.
    form_codes: UsedCodes,
    /// The objects that replace its encoding and its ToUnicode CMap.
    cmap_ids: [ObjectId; 2],
}

/// The encoding of a font.
struct FontEncoding {
    cmap: Rc<CMap>,
    /// True if the codes are UTF-16.
    is_unicode: bool,
    /// True if there are codes of one byte; others have a first byte that is not ASCII then, as in
    /// all legacy charsets.
    has_single_bytes: bool,
}

impl CidFonts {
    /// Returns those of the fonts `ids` that the crate cannot read and whose codes are known.
    pub fn find(document: &mut Document, ids: &[ObjectId]) -> CidFonts {
        let mut cmaps = PredefinedCMaps::default();
        let fonts = ids
            .iter()
            .filter_map(|id| CidFont::find(document, *id, &mut cmaps));
        let mut found = CidFonts {
            fonts: fonts.collect(),
            form_fonts: HashSet::new(),
        };
        if !found.fonts.is_empty() {
            found.add_forms(document);
        }
        found
    }

    fn add_forms(&mut self, document: &Document) {
        let streams = document.objects.values();
        let forms = streams
            .filter_map(|object| object.as_stream().ok())
            .filter(|form| {
                let subtype = form.dict.get(b"Subtype").and_then(Object::as_name);
                subtype.is_ok_and(|name| name == b"Form")
            });
        for form in forms {
            self.form_fonts
                .extend(list_resource_fonts(document, &form.dict));
            let strings = list_strings(&form.get_plain_content().unwrap_or_default());
            for font in &mut self.fonts {
                font.encoding.add_codes(&strings, &mut font.form_codes);
            }
        }
    }

    /// Rewrites the fonts for the codes that a page shows.
    pub fn set_page(&self, document: &mut Document, page: ObjectId) {
        let dictionary = document.get_dictionary(page);
        let Some(dictionary) = dictionary.ok().filter(|_| !self.fonts.is_empty()) else {
            return;
        };
        let mut used = list_resource_fonts(document, dictionary);
        used.extend(&self.form_fonts);
        let content = document.get_page_content(page).unwrap_or_default();
        let strings = list_strings(&content);
        for font in self.fonts.iter().filter(|font| used.contains(&font.id)) {
            font.rewrite(document, &strings);
        }
    }
}

impl CidFont {
    fn find(document: &mut Document, id: ObjectId, cmaps: &mut PredefinedCMaps) -> Option<CidFont> {
        let font = document.get_dictionary(id).ok()?;
        let descendants = font
            .get_deref(b"DescendantFonts", document)
            .ok()?
            .as_array()
            .ok()?;
        let descendant = document
            .dereference(descendants.first()?)
            .ok()?
            .1
            .as_dict()
            .ok()?
            .clone();
        let encoding = FontEncoding::to_replace(document, font, cmaps)?;
        let own_texts = to_unicode::read_from_font(document, font);
        let collection = collection_name(document, &descendant, &encoding.cmap)
            .and_then(|name| cmaps.load(name));
        let has_text = collection.is_some() || !own_texts.is_empty() || encoding.is_unicode;
        has_text.then(|| CidFont {
            id,
            descendant,
            encoding,
            own_texts: own_texts.into_iter().collect(),
            collection,
            form_codes: UsedCodes::new(),
            cmap_ids: [(); 2].map(|()| document.add_object(Object::Null)),
        })
    }

    /// Rewrites the font and its descendant for the codes in these strings, and in forms.
    fn rewrite(&self, document: &mut Document, strings: &[Vec<u8>]) {
        let mut codes = self.form_codes.clone();
        self.encoding.add_codes(strings, &mut codes);
        let texts: CodeMappings = codes
            .iter()
            .filter_map(|(code, cid)| Some((code.1, self.text_of(*code, *cid)?)))
            .collect();
        let mut descendant = self.descendant.clone();
        descendant.set("W", widths_by_code(document, &descendant, &codes));
        let cmaps = [write_encoding(&codes), to_unicode::write_cmap(&texts)];
        for (id, cmap) in self.cmap_ids.into_iter().zip(cmaps) {
            document
                .objects
                .insert(id, Stream::new(Dictionary::new(), cmap).into());
        }
        if let Ok(font) = document.get_dictionary_mut(self.id) {
            font.set("Encoding", self.cmap_ids[0]);
            font.set("ToUnicode", self.cmap_ids[1]);
            font.set("DescendantFonts", vec![Object::Dictionary(descendant)]);
        }
    }

    fn text_of(&self, (length, code): (usize, u32), cid: Option<u32>) -> Option<String> {
        let own = self.own_texts.get(&code).cloned();
        let unicode = || {
            self.encoding
                .is_unicode
                .then(|| text_of_utf16(length, code))?
        };
        own.or_else(unicode).or_else(|| {
            Some(match self.collection.as_ref()?.lookup_bf_string(cid?)? {
                BfString::Char(c) => c.into(),
                BfString::String(text) => text,
            })
        })
    }
}

/// The predefined CMaps that fonts share.
#[derive(Default)]
struct PredefinedCMaps(HashMap<Vec<u8>, Option<Rc<CMap>>>);

impl PredefinedCMaps {
    fn load(&mut self, name: CMapName) -> Option<Rc<CMap>> {
        let parse = || match name {
            CMapName::IdentityH => Some(CMap::identity_h()),
            CMapName::IdentityV => Some(CMap::identity_v()),
            name => CMap::parse(load_embedded(name)?, load_embedded),
        };
        let cmap = self.0.entry(name.to_bytes().to_vec());
        cmap.or_insert_with(|| parse().map(Rc::new)).clone()
    }
}

impl FontEncoding {
    /// Returns the encoding of a font, if it is known and the crate cannot read the font with it.
    fn to_replace(
        document: &Document,
        font: &Dictionary,
        cmaps: &mut PredefinedCMaps,
    ) -> Option<FontEncoding> {
        let mut is_unicode = false;
        let cmap = match font.get_deref(b"Encoding", document).ok()? {
            Object::Name(name) if name.starts_with(b"Identity-") && font.has(b"ToUnicode") => None,
            Object::Name(name) => {
                let contains = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
                is_unicode = contains(b"UCS2-") || contains(b"TF16-");
                let cmap = cmaps.load(CMapName::from_bytes(name));
                cmap.or_else(|| cmaps.load(CMapName::IdentityH).filter(|_| is_unicode))
            }
            Object::Stream(cmap) => {
                CMap::parse(&cmap.get_plain_content().ok()?, load_embedded).map(Rc::new)
            }
            _ => None,
        }?;
        let has_single_bytes = (0..=0xFF).any(|code| cmap.lookup_cid_code(code, 1).is_some());
        Some(FontEncoding {
            cmap,
            is_unicode,
            has_single_bytes,
        })
    }

    /// Adds the codes in these strings, as far as the strings are in this encoding.
    fn add_codes(&self, strings: &[Vec<u8>], codes: &mut UsedCodes) {
        for string in strings {
            let mut rest = string.as_slice();
            while codes.len() < MAX_CODES
                && let Some((length, cid)) = self.first_code(rest)
            {
                let (code, after) = rest.split_at(length);
                codes.insert((length, to_number(code)), cid);
                rest = after;
            }
        }
    }

    /// Returns the length of the first code of a string, and its CID if it is known. `None` if the
    /// string ends before the code does.
    fn first_code(&self, string: &[u8]) -> Option<(usize, Option<u32>)> {
        let known = (1..=string.len().min(MAX_CODE_BYTES)).find_map(|length| {
            let code = to_number(&string[..length]);
            let cid = self.cmap.lookup_cid_code(code, length as u8)?;
            Some((length, Some(cid)))
        });
        let unknown_length = match string.first()? {
            0xD8..0xDC if self.is_unicode => 4,
            ..=0x80 if self.has_single_bytes => 1,
            _ => 2,
        };
        known.or((unknown_length <= string.len()).then_some((unknown_length, None)))
    }
}

/// Returns the name of the CMap that maps the CIDs of a font to text.
fn collection_name(
    document: &Document,
    descendant: &Dictionary,
    cmap: &CMap,
) -> Option<CMapName<'static>> {
    let system_info = descendant.get_deref(b"CIDSystemInfo", document);
    let system_info = system_info.and_then(Object::as_dict).ok();
    let string = |key| system_info?.get_deref(key, document).ok()?.as_str().ok();
    let own = string(b"Registry")
        .zip(string(b"Ordering"))
        .map(|(registry, ordering)| CidFamily::from_registry_ordering(registry, ordering));
    let of_cmap = cmap.metadata().character_collection.as_ref();
    let families = [own.as_ref(), of_cmap.map(|collection| &collection.family)];
    families
        .into_iter()
        .flatten()
        .find_map(CidFamily::ucs2_cmap)
}

fn text_of_utf16(length: usize, code: u32) -> Option<String> {
    let units = [(code >> 16) as u16, code as u16];
    String::from_utf16(&units[2 - (length / 2).min(2)..]).ok()
}

fn to_number(code: &[u8]) -> u32 {
    code.iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Returns a CMap whose CIDs are the codes themselves.
///
/// The crate halves the lengths of codespace ranges, and compares codes as numbers: so there is one
/// range for all codes of a length with the same bytes but for the last.
fn write_encoding(codes: &UsedCodes) -> Vec<u8> {
    let mut ranges: Vec<(usize, u32, u32)> = Vec::new();
    for (length, code) in codes.keys() {
        match ranges.last_mut() {
            Some((last_length, first, last))
                if last_length == length
                    && (if *length == 1 {
                        *last + 1 == *code
                    } else {
                        *first >> 8 == *code >> 8
                    }) =>
            {
                *last = *code
            }
            _ => ranges.push((*length, *code, *code)),
        }
    }
    let mut cmap = format!("begincmap\n{} begincodespacerange\n", ranges.len());
    for (length, first, last) in ranges {
        let digits = 4 * length;
        // Writing to a `String` cannot fail.
        let _ = writeln!(cmap, "<{first:0digits$X}> <{last:0digits$X}>");
    }
    cmap.push_str(
        "endcodespacerange\n1 begincidrange\n<00000000> <FFFFFFFF> 0\nendcidrange\nendcmap\n",
    );
    cmap.into_bytes()
}

/// Returns the widths of a descendant font, which it has by CID, by code.
fn widths_by_code(document: &Document, descendant: &Dictionary, codes: &UsedCodes) -> Vec<Object> {
    let widths = descendant
        .get_deref(b"W", document)
        .and_then(Object::as_array);
    let widths = widths.map(Vec::as_slice).unwrap_or_default();
    let mut by_cid: HashMap<u32, &Object> = HashMap::new();
    // Ranges have been expanded.
    for entry in widths.chunks_exact(2) {
        if let [Object::Integer(first), Object::Array(list)] = entry
            && let Ok(first) = u32::try_from(*first)
        {
            by_cid.extend((first..).zip(list));
        }
    }
    let mut by_code = Vec::new();
    for ((_, code), cid) in codes {
        if let Some(width) = cid.and_then(|cid| by_cid.get(&cid)) {
            by_code.push(Object::Integer((*code).into()));
            by_code.push(Object::Array(vec![(*width).clone()]));
        }
    }
    by_code
}

/// Returns the fonts in the resources of a page or form.
fn list_resource_fonts(document: &Document, owner: &Dictionary) -> HashSet<ObjectId> {
    let entry = |dictionary: &'_ Dictionary, key| {
        dictionary
            .get_deref(key, document)
            .and_then(Object::as_dict)
            .cloned()
    };
    let fonts =
        entry(owner, b"Resources".as_slice()).and_then(|resources| entry(&resources, b"Font"));
    let fonts = fonts.unwrap_or_default();
    fonts
        .iter()
        .filter_map(|(_, font)| font.as_reference().ok())
        .collect()
}

/// Returns the strings that a content stream shows.
fn list_strings(content: &[u8]) -> Vec<Vec<u8>> {
    let operations = Content::decode(content).map(|content| content.operations);
    let operands = operations
        .unwrap_or_default()
        .into_iter()
        .flat_map(|operation| operation.operands);
    let parts = operands.flat_map(|operand| match operand {
        Object::Array(parts) => parts,
        operand => vec![operand],
    });
    parts
        .filter_map(|part| match part {
            Object::String(string, _) => Some(string),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
