//! English names of languages.

use crate::code::LanguageCode;
use crate::evidence::file::EvidenceModel;

/// Returns the English name of a language of the built-in model, as in ISO 639-3, without the notes
/// "(macrolanguage)" and those on its time, as in "Modern Greek (1453-)"; `None` if the model does
/// not have it.
pub fn language_name(code: LanguageCode) -> Option<String> {
    let model = EvidenceModel::builtin();
    let mut classes = model.classes().map(|(class, _)| class);
    let class = classes.find(|class| class.code == code && !class.name.is_empty())?;
    Some(without_note(class.name).to_owned())
}

fn without_note(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((language, note))
            if note == "macrolanguage)" || note.contains(|c: char| c.is_ascii_digit()) =>
        {
            language
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::language_name;

    #[test]
    fn languages_of_the_model_have_names_without_notes() {
        let name = |code: &str| language_name(code.parse().unwrap());
        for (code, expected) in [
            ("sl", "Slovenian"),
            ("ell", "Modern Greek"),
            ("ori", "Oriya"),
            ("fan", "Fang (Equatorial Guinea)"),
        ] {
            assert_eq!(name(code).as_deref(), Some(expected));
        }
        assert_eq!(name("qaa"), None);
        assert_eq!(name("und"), None);
    }
}
