//! Composite fonts whose codes are those of a legacy charset (`GBK-EUC-H`, `90ms-RKSJ-V` …) or of a
//! CMap in the document, or numbers of glyphs in one of Adobe's character collections (ISO 32000-1,
//! 9.7.5 and 9.10.2).

use super::fonts::to_string;
use hayro_cmap::{CMap, CMapName, CidFamily, load_embedded};
use hayro_syntax::object::{Array, Dict, Object, Stream, String as PdfString};

/// The largest length of a code, in bytes.
const MAX_CODE_BYTES: usize = 4;

/// The codes of a composite font.
pub(super) struct LegacyCodes {
    cmap: CMap,
    /// True if the codes are UTF-16.
    is_unicode: bool,
    /// True if there are codes of one byte; others have a first byte that is not ASCII then, as in
    /// all legacy charsets.
    has_single_bytes: bool,
    /// Maps CIDs to text, if the character collection is one of Adobe's for Chinese, Japanese or
    /// Korean.
    collection: Option<CMap>,
}

impl LegacyCodes {
    /// Returns the codes of a composite font; `None` if they are numbers of glyphs, for which only
    /// the font itself knows the text.
    pub fn from_font(font: &Dict) -> Option<LegacyCodes> {
        let mut is_unicode = false;
        let cmap = match font.get::<Object>("Encoding")? {
            Object::Name(name) if name.starts_with(b"Identity-") && has_to_unicode(font) => None,
            Object::Name(name) => {
                let contains = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
                is_unicode = contains(b"UCS2-") || contains(b"TF16-");
                load(CMapName::from_bytes(&name))
            }
            Object::Stream(cmap) => CMap::parse(&cmap.decoded_data().ok()?, load_embedded),
            _ => None,
        }?;
        Some(LegacyCodes {
            has_single_bytes: (0..=0xFF).any(|code| cmap.lookup_cid_code(code, 1).is_some()),
            collection: collection_name(font, &cmap).and_then(load),
            cmap,
            is_unicode,
        })
    }

    /// Returns the first code of a string that is not empty, and its length.
    pub fn first_code(&self, string: &[u8]) -> (u32, usize) {
        let known = (1..=string.len().min(MAX_CODE_BYTES)).find(|length| {
            let code = to_number(&string[..*length]);
            self.cmap.lookup_cid_code(code, *length as u8).is_some()
        });
        let length = known.unwrap_or_else(|| match string.first() {
            Some(0xD8..0xDC) if self.is_unicode => 4,
            Some(..=0x80) if self.has_single_bytes => 1,
            _ => 2,
        });
        let length = length.min(string.len());
        (to_number(&string[..length]), length)
    }

    /// Returns the text of a code of this length.
    pub fn text(&self, code: u32, length: usize) -> Option<String> {
        if self.is_unicode {
            let units = [(code >> 16) as u16, code as u16];
            return String::from_utf16(&units[2 - (length / 2).min(2)..]).ok();
        }
        let cid = self.cmap.lookup_cid_code(code, length as u8)?;
        self.collection
            .as_ref()?
            .lookup_bf_string(cid)
            .map(to_string)
    }
}

fn has_to_unicode(font: &Dict) -> bool {
    font.get::<Stream>("ToUnicode").is_some()
}

fn load(name: CMapName) -> Option<CMap> {
    match name {
        CMapName::IdentityH => Some(CMap::identity_h()),
        CMapName::IdentityV => Some(CMap::identity_v()),
        name => CMap::parse(load_embedded(name)?, load_embedded),
    }
}

/// Returns the name of the CMap that maps the CIDs of a font to text.
fn collection_name(font: &Dict, cmap: &CMap) -> Option<CMapName<'static>> {
    let descendants = font.get::<Array>("DescendantFonts")?;
    let descendant = descendants.iter::<Dict>().next()?;
    let system_info = descendant.get::<Dict>("CIDSystemInfo").unwrap_or_default();
    let string = |key| system_info.get::<PdfString>(key);
    let own = string("Registry")
        .zip(string("Ordering"))
        .map(|(registry, ordering)| CidFamily::from_registry_ordering(&registry, &ordering));
    let of_cmap = cmap.metadata().character_collection.as_ref();
    let families = [own.as_ref(), of_cmap.map(|collection| &collection.family)];
    families
        .into_iter()
        .flatten()
        .find_map(CidFamily::ucs2_cmap)
}

fn to_number(code: &[u8]) -> u32 {
    code.iter()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests;
