//! The language that a page declares as a hint for detection.
//!
//! chardetng takes a top-level domain as a hint. A language whose texts were written in other
//! encodings than windows-1252 stands for the domain of a country that used the same ones.

use crate::media::declaration::declared_language;

/// Languages and domains. Left out are those of windows-1252, which many templates declare for
/// pages in another language.
const DOMAINS: [(&str, &str); 39] = [
    ("ar", "sa"),
    ("az", "az"),
    ("be", "by"),
    ("bg", "bg"),
    ("bs", "ba"),
    ("cs", "cz"),
    ("dsb", "cz"),
    ("el", "gr"),
    ("fa", "ir"),
    ("he", "il"),
    ("hr", "hr"),
    ("hsb", "cz"),
    ("hu", "hu"),
    ("iw", "il"),
    ("ja", "jp"),
    ("kk", "kz"),
    ("ko", "kr"),
    ("ky", "kg"),
    ("lt", "lt"),
    ("lv", "lv"),
    ("mk", "mk"),
    ("mn", "mn"),
    ("os", "ru"),
    ("pl", "pl"),
    ("ro", "ro"),
    ("ru", "ru"),
    ("sk", "sk"),
    ("sl", "si"),
    // Latin or Cyrillic.
    ("sr", "ba"),
    ("tg", "tj"),
    ("th", "th"),
    ("tr", "tr"),
    ("tt", "ru"),
    ("uk", "ua"),
    ("ur", "pk"),
    ("vi", "vn"),
    ("yi", "il"),
    ("zh", "cn"),
    ("zh-tw", "tw"),
];

/// Returns the top-level domain that stands for the language which a page declares.
pub(crate) fn domain_of_declared_language(body: &[u8]) -> Option<&'static str> {
    let language = declared_language(body)?.replace('_', "-");
    let language = match language.as_str() {
        "zh-hk" | "zh-mo" | "zh-hant" => "zh-tw",
        language => language,
    };
    let primary = language.split('-').next();
    let names = [Some(language), primary];
    names.into_iter().flatten().find_map(|wanted| {
        let found = DOMAINS.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, domain)| *domain)
    })
}
