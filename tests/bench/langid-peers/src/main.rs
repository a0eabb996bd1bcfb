//! Compares language identifiers on the same texts, on one thread: `langid-peers FILE...`.
//!
//! A line of a file has code, tab, text. The output is a table: for each file and identifier its
//! speed, the share of correct answers of all texts and of the texts in its own languages, and the
//! share of correct answers of forage-langid on the latter if only these languages are candidates.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Scratch};
use std::collections::BTreeSet;
use std::time::Instant;

/// A function that returns the language code of a text, or `None` if the text is not identified.
type IdentifyFn<'a> = Box<dyn FnMut(&str) -> Option<String> + 'a>;

fn main() -> anyhow::Result<()> {
    let forage = Identifier::builtin();
    let whatlang_codes = parse_codes(whatlang::Lang::all().iter().map(|lang| lang.code()));
    let whichlang_codes = parse_codes(
        whichlang::LANGUAGES
            .iter()
            .map(|lang| lang.three_letter_code()),
    );
    println!(
        "| texts | identifier | languages | MB/s | correct, % of all | correct, % of its languages \
         | forage-langid restricted to them, % |"
    );
    println!("|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        let lines = std::fs::read_to_string(&file).with_context(|| file.clone())?;
        let texts: Vec<(&str, &str)> = lines
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .collect();
        let forage_codes: Vec<LanguageCode> = forage.classes().map(|class| class.code).collect();
        let identifiers: [(&str, &[LanguageCode], IdentifyFn<'_>); 3] = [
            ("forage-langid", &forage_codes, identify_fn(&forage)),
            (
                "whatlang",
                &whatlang_codes,
                Box::new(|text| {
                    Some(canonical_code(whatlang::detect_lang(text)?.code()).to_owned())
                }),
            ),
            (
                "whichlang",
                &whichlang_codes,
                Box::new(|text| {
                    let language = whichlang::detect_language(text);
                    Some(canonical_code(language.three_letter_code()).to_owned())
                }),
            ),
        ];
        for (name, codes, identify) in identifiers {
            print_row(&file, &texts, name, codes, identify)?;
        }
    }
    Ok(())
}

/// Parses the codes that an identifier uses for its languages; skips invalid ones.
fn parse_codes<'a>(codes: impl Iterator<Item = &'a str>) -> Vec<LanguageCode> {
    codes
        .filter_map(|code| canonical_code(code).parse().ok())
        .collect()
}

/// Returns the code that the texts have for a language that an identifier calls `code`.
fn canonical_code(code: &str) -> &str {
    match code {
        "cmn" => "zho",
        "est" => "ekk",
        "lav" => "lvs",
        "aze" => "azj",
        "nor" => "nob",
        other => other,
    }
}

fn identify_fn(identifier: &Identifier) -> IdentifyFn<'_> {
    let mut scratch = Scratch::default();
    Box::new(move |text| {
        Some(
            identifier
                .identify_with(&mut scratch, text)
                .code
                .to_string(),
        )
    })
}

/// Measures an identifier on the texts of a file and prints a row of the table.
fn print_row(
    file: &str,
    texts: &[(&str, &str)],
    name: &str,
    codes: &[LanguageCode],
    mut identify: IdentifyFn<'_>,
) -> anyhow::Result<()> {
    let own_codes: BTreeSet<&str> = codes.iter().map(LanguageCode::as_str).collect();
    let start = Instant::now();
    let answers: Vec<Option<String>> = texts.iter().map(|(_, text)| identify(text)).collect();
    let seconds = start.elapsed().as_secs_f64();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut restricted = Identifier::builtin();
    restricted.restrict_to(codes)?;
    let mut identify_restricted = identify_fn(&restricted);
    let (mut correct, mut own_texts, mut own_correct, mut restricted_correct) = (0, 0, 0, 0);
    for ((code, text), answer) in texts.iter().zip(&answers) {
        let code = canonical_code(code);
        let is_correct = answer.as_deref() == Some(code);
        correct += u32::from(is_correct);
        if own_codes.contains(code) {
            own_texts += 1;
            own_correct += u32::from(is_correct);
            restricted_correct += u32::from(identify_restricted(text).as_deref() == Some(code));
        }
    }
    println!(
        "| {} | {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
        file.rsplit('/').next().unwrap_or(file),
        own_codes.len(),
        bytes as f64 / 1e6 / seconds,
        percentage(correct, texts.len() as u32),
        percentage(own_correct, own_texts),
        percentage(restricted_correct, own_texts),
    );
    Ok(())
}

fn percentage(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole) * 100.0
}
