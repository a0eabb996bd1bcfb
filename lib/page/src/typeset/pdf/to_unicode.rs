//! The text of codes as a font states it (`ToUnicode`; ISO 32000-1, 9.10.3).

use super::fonts::to_string;
use hayro_cmap::{CMap, load_embedded};
use hayro_syntax::object::{Dict, Stream};
use memchr::memmem;

/// Stands for a text without characters, which the crate does not read: WeasyPrint 69 writes `<>`
/// for all glyphs of a cluster but the first.
const NOTHING: char = '\u{FEFF}';

/// The sections of a CMap that map codes to text. The crate reads nothing of a CMap that has a
/// fault, so each is a CMap of its own.
pub(super) struct ToUnicode(Vec<CMap>);

impl ToUnicode {
    /// Returns the sections of a font; `None` if it has none.
    pub fn from_font(font: &Dict) -> Option<ToUnicode> {
        let data = font.get::<Stream>("ToUnicode")?.decoded_data().ok()?;
        let kinds = [("beginbfchar", "endbfchar"), ("beginbfrange", "endbfrange")];
        let sections = kinds.into_iter().flat_map(|(start, end)| {
            memmem::find_iter(&data, start).filter_map(|position| {
                let rest = &data[position..];
                let end =
                    memmem::find(rest, end.as_bytes()).map_or(rest.len(), |at| at + end.len());
                let section = repair_codes(&String::from_utf8_lossy(&rest[..end]));
                CMap::parse(section.as_bytes(), load_embedded)
            })
        });
        let sections: Vec<CMap> = sections.collect();
        (!sections.is_empty()).then_some(ToUnicode(sections))
    }

    /// Returns the text of a code, which may be empty; `None` if it is not stated.
    pub fn text(&self, code: u32) -> Option<String> {
        let mut sections = self.0.iter();
        let text = sections.find_map(|section| section.lookup_bf_string(code));
        let text = text.map(to_string)?;
        (!text.chars().all(|c| c == '\0')).then(|| text.replace(NOTHING, ""))
    }
}

/// Returns a section whose texts are UTF-16: some programs write a character of five digits as
/// such.
fn repair_codes(section: &str) -> String {
    let mut parts = section.split('<');
    let mut repaired = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once('>').unwrap_or((part, ""));
        let character = match digits.len() {
            0 => Some(NOTHING),
            5 => u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32),
            _ => None,
        };
        let units = character.map(|c| c.encode_utf16(&mut [0; 2]).to_vec());
        let units = units.map(|units| units.iter().map(|unit| format!("{unit:04X}")).collect());
        let digits: String = units.unwrap_or_else(|| digits.to_owned());
        repaired.push_str(&format!("<{digits}>{rest}"));
    }
    repaired
}
