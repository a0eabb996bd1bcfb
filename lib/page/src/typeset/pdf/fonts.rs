//! Fonts: the text and the advance of each code that a string shows.
//!
//! The crate `hayro-font` reads fonts. Where it knows no text, the character collection of a
//! composite font does (ISO 32000-1, 9.10.2).

use super::budget::Budget;
use super::filters;
use super::legacy_codes::LegacyCodes;
use super::own_codes::OwnCodes;
use super::to_unicode::ToUnicode;
use hayro_cmap::{BfString, CMapName, load_embedded};
use hayro_font::kurbo::Vec2;
use hayro_font::{CMapResolverFn, FontResolverFn};
use hayro_font::{Font, FontCache, FontGlyph, FontQuery, StandardFont};
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Entries of a dictionary or of its descriptor that are streams, which the crate decodes.
const STREAMS: [&str; 6] = [
    "FontFile",
    "FontFile2",
    "FontFile3",
    "ToUnicode",
    "Encoding",
    "CIDToGIDMap",
];
/// Greatest code of a simple font, and greatest number of codes of a composite one.
const MAX_SIMPLE_CODE: i64 = 255;
const MAX_CIDS: f32 = 65536.0;
/// Mean width of the letters of a font, in font sizes.
const MEAN_WIDTH: f64 = 0.5;

/// The fonts of a document.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    loaded: HashMap<usize, Option<Rc<PageFont<'a>>>>,
}

/// A font, with the texts of the codes that were shown.
pub(super) struct PageFont<'a> {
    font: Font<'a>,
    legacy: Option<LegacyCodes>,
    own_codes: OwnCodes,
    to_unicode: Option<ToUnicode>,
    texts: RefCell<HashMap<u32, CodeText>>,
    /// The characters of its glyphs, if it maps characters to glyphs.
    glyph_texts: OnceCell<HashMap<u32, char>>,
    /// Factor from the size of a Type 3 font, whose units are its own, to that of another font with
    /// letters of the same width.
    pub size_factor: f64,
}

/// The text of a code.
#[derive(Clone)]
pub(super) struct CodeText {
    /// `None` if it is unknown.
    pub text: Option<Rc<str>>,
    /// False if the font states the text of codes, but not of this one.
    pub is_stated: bool,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Fonts {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
                })
            }),
            cmap_resolver: Arc::new(|name: CMapName| load_embedded(name)),
            loaded: HashMap::new(),
        }
    }
}

impl<'a> Fonts<'a> {
    /// Returns the font of a dictionary; `None` if it cannot be read, or would take too much
    /// memory.
    pub fn load(&mut self, dict: &Dict<'a>, budget: &mut Budget) -> Option<Rc<PageFont<'a>>> {
        let key = dict.data().as_ptr() as usize;
        if let Some(font) = self.loaded.get(&key) {
            return font.clone();
        }
        let font = self.read(dict, budget).map(Rc::new);
        self.loaded.insert(key, font.clone());
        font
    }

    fn read(&self, dict: &Dict<'a>, budget: &mut Budget) -> Option<PageFont<'a>> {
        if !is_affordable(dict, budget) {
            return None;
        }
        let font = self
            .cache
            .font(dict, &self.font_resolver, &self.cmap_resolver);
        let subtype = dict.get::<Name>("Subtype");
        let is_composite = subtype.as_deref() == Some(b"Type0");
        let font = match font {
            None if !is_composite => self.standard()?,
            font => font?,
        };
        let is_type3 = subtype.as_deref() == Some(b"Type3");
        Some(PageFont {
            own_codes: OwnCodes::from_font(dict),
            to_unicode: ToUnicode::from_font(dict),
            legacy: is_composite.then(|| LegacyCodes::from_font(dict)).flatten(),
            size_factor: if is_type3 {
                type3_size_factor(&font)
            } else {
                1.0
            },
            font,
            texts: RefCell::default(),
            glyph_texts: OnceCell::new(),
        })
    }

    fn standard(&self) -> Option<Font<'a>> {
        self.cache
            .standard_font(StandardFont::Helvetica, &self.font_resolver)
    }

    /// Returns the font of text for which the page has none.
    pub fn default_font(&self) -> Option<Rc<PageFont<'a>>> {
        Some(Rc::new(PageFont {
            own_codes: OwnCodes::Unknown,
            to_unicode: None,
            font: self.standard()?,
            legacy: None,
            texts: RefCell::default(),
            glyph_texts: OnceCell::new(),
            size_factor: 1.0,
        }))
    }
}

impl PageFont<'_> {
    /// Returns the first code of a string that is not empty, and its length.
    pub fn first_code(&self, string: &[u8]) -> (u32, usize) {
        match &self.legacy {
            Some(legacy) => legacy.first_code(string),
            None => self.font.read_code(string, 0),
        }
    }

    /// Returns the text of a code.
    pub fn text(&self, code: u32, length: usize) -> CodeText {
        let key = code ^ (length as u32) << 30;
        let mut texts = self.texts.borrow_mut();
        texts
            .entry(key)
            .or_insert_with(|| self.find_text(code, length))
            .clone()
    }

    fn find_text(&self, code: u32, length: usize) -> CodeText {
        let to_unicode = self.to_unicode.as_ref();
        let stated = to_unicode.and_then(|to_unicode| to_unicode.text(code));
        CodeText {
            is_stated: to_unicode.is_none() || stated.is_some(),
            text: stated
                .or_else(|| self.text_of_glyph(code, length))
                .map(Rc::from),
        }
    }

    fn text_of_glyph(&self, code: u32, length: usize) -> Option<String> {
        let glyph = self.font.glyph(self.font.map_code(code), code);
        let text = match &glyph {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        text.map(to_string)
            .filter(|text| !text.chars().all(|c| c == '\0'))
            .or_else(|| self.own_codes.text(code))
            .or_else(|| self.legacy.as_ref()?.text(code, length))
            .or_else(|| self.text_of_program(&glyph))
    }

    /// Returns the character that the font program maps to a glyph.
    fn text_of_program(&self, glyph: &FontGlyph) -> Option<String> {
        let FontGlyph::Outline(glyph) = glyph else {
            return None;
        };
        let texts = self.glyph_texts.get_or_init(|| {
            glyph
                .font_data()
                .map_or_else(HashMap::new, |font| glyph_texts((*font.data).as_ref()))
        });
        texts.get(&glyph.glyph_id().to_u32()).map(char::to_string)
    }

    /// Returns the advance of a code, in font sizes.
    pub fn advance(&self, code: u32) -> Vec2 {
        self.font.code_advance(code) / 1000.0
    }

    /// Returns `true` if its glyphs follow each other downwards.
    pub fn is_vertical(&self) -> bool {
        !self.font.is_horizontal()
    }
}

/// Returns the first character that a font program maps to each of its glyphs.
fn glyph_texts(program: &[u8]) -> HashMap<u32, char> {
    let mut texts = HashMap::new();
    let mappings = FontRef::new(program).map(|font| font.charmap());
    for (code, glyph) in mappings.iter().flat_map(|charmap| charmap.mappings()) {
        let text = char::from_u32(code).filter(|c| !matches!(c, '\u{E000}'..='\u{F8FF}'));
        if let Some(text) = text.filter(|_| glyph != GlyphId::NOTDEF) {
            texts.entry(glyph.to_u32()).or_insert(text);
        }
    }
    texts
}

/// Returns the text of an entry of a CMap.
pub(super) fn to_string(text: BfString) -> String {
    match text {
        BfString::Char(c) => c.into(),
        BfString::String(text) => text,
    }
}

/// Returns `true` if what the crate decodes or expands of a font is within the budget.
fn is_affordable(dict: &Dict, budget: &mut Budget) -> bool {
    let descendants = dict.get::<Array>("DescendantFonts");
    let descendants = descendants
        .into_iter()
        .flat_map(|array| array.iter::<Dict>().take(1));
    [dict.clone()].into_iter().chain(descendants).all(|font| {
        let descriptor = font.get::<Dict>("FontDescriptor").unwrap_or_default();
        let first = font.get::<i64>("FirstChar").unwrap_or(0);
        first <= MAX_SIMPLE_CODE
            && ["W", "W2"]
                .into_iter()
                .all(|key| has_small_ranges(&font, key, budget))
            && [&font, &descriptor].into_iter().all(|owner| {
                let streams = STREAMS.iter().filter_map(|key| owner.get::<Stream>(key));
                streams
                    .into_iter()
                    .all(|stream| filters::is_affordable(&stream, budget))
            })
    })
}

/// Returns `true` if the ranges of the widths of a composite font are within the budget.
fn has_small_ranges(font: &Dict, key: &str, budget: &mut Budget) -> bool {
    let mut values = Vec::new();
    let array = font.get::<Array>(key);
    array
        .into_iter()
        .flat_map(|array| array.iter::<Object>())
        .all(|value| {
            values.push(value.into_f32().unwrap_or(f32::NAN));
            let size = match values[..] {
                [.., first, last] if last > first => last - first,
                _ => 1.0,
            };
            values.drain(..values.len().saturating_sub(2));
            size <= MAX_CIDS && budget.spend(size as usize)
        })
}

/// Returns the factor by which the mean width of the glyphs of a font differs from that of usual
/// letters.
fn type3_size_factor(font: &Font) -> f64 {
    let widths = (0..=255).map(|code| font.code_advance(code).x.abs() / 1000.0);
    let widths: Vec<f64> = widths.filter(|width| *width > 0.0).collect();
    match widths.len() {
        0 => 1.0,
        count => widths.iter().sum::<f64>() / count as f64 / MEAN_WIDTH,
    }
}
