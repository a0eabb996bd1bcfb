//! Fonts that state the text of no code, but whose codes are known from the programs that make
//! them.

use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

/// Font families of Windows whose glyphs begin with those of the standard order of Macintosh, in
/// the order of ASCII: documents that do not embed them name glyphs by their numbers. PDF.js 5
/// (`standard_fonts.js`) reads them so, too.
const ORDERED_FAMILIES: [&str; 3] = ["Arial", "CourierNew", "TimesNewRoman"];
/// Number of the glyph of the blank in that order.
const FIRST_GLYPH: u32 = 3;

/// What is known of the codes of a font.
pub(super) enum OwnCodes {
    Unknown,
    /// They are numbers of glyphs in the standard order.
    GlyphOrder,
    /// They are characters, as the name of an identity instead of a CMap says; MuPDF 1.21 reads
    /// that so, too.
    Unicode,
    /// They are ASCII, where they are the number in the name of their glyph: for A, `a65` in bitmap
    /// fonts of TeX, and `C41` in those of printer drivers.
    Named(Vec<u32>),
}

impl OwnCodes {
    pub fn from_font(font: &Dict) -> OwnCodes {
        let to_unicode = font.get::<Name>("ToUnicode");
        match font.get::<Name>("Subtype").as_deref() {
            Some(b"Type0") if to_unicode.is_some_and(|name| name.starts_with(b"Identity-")) => {
                OwnCodes::Unicode
            }
            Some(b"Type0") if is_ordered(font) => OwnCodes::GlyphOrder,
            Some(b"Type3") => OwnCodes::Named(list_numbered_names(font)),
            _ => OwnCodes::Unknown,
        }
    }

    pub fn text(&self, code: u32) -> Option<String> {
        let ascii = match self {
            OwnCodes::Unicode => return char::from_u32(code).map(String::from),
            OwnCodes::GlyphOrder => code.checked_sub(FIRST_GLYPH)? + 0x20,
            OwnCodes::Named(codes) if codes.contains(&code) => code,
            _ => return None,
        };
        let c = char::from_u32(ascii).filter(|c| (' '..='~').contains(c));
        c.map(String::from)
    }
}

/// Returns `true` for a font that is not embedded, of one of the families.
fn is_ordered(font: &Dict) -> bool {
    let descendants = font.get::<Array>("DescendantFonts");
    let descendant = descendants.and_then(|array| array.iter::<Dict>().next());
    let descriptor = descendant.unwrap_or_default().get::<Dict>("FontDescriptor");
    let is_embedded = descriptor.is_some_and(|descriptor| {
        ["FontFile", "FontFile2", "FontFile3"]
            .iter()
            .any(|key| descriptor.get::<Stream>(key).is_some())
    });
    let name = font
        .get::<Name>("BaseFont")
        .map(|name| name.as_str().replace(' ', ""));
    let name = name.unwrap_or_default();
    !is_embedded
        && ORDERED_FAMILIES
            .iter()
            .any(|family| name.starts_with(family))
}

/// Returns the codes that are the decimal or hexadecimal number in the name of their glyph, after
/// one letter.
fn list_numbered_names(font: &Dict) -> Vec<u32> {
    let encoding = font.get::<Dict>("Encoding").unwrap_or_default();
    let mut code = 0;
    let mut numbered = Vec::new();
    for entry in encoding
        .get::<Array>("Differences")
        .into_iter()
        .flat_map(|array| array.iter())
    {
        match entry {
            Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(0),
            Object::Name(name) => {
                let digits = name.as_str().get(1..).unwrap_or_default();
                let is_number = |radix| u32::from_str_radix(digits, radix) == Ok(code);
                numbered.extend((is_number(10) || is_number(16)).then_some(code));
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    numbered
}
