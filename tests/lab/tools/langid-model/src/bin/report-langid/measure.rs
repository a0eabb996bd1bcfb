//! Identifies texts of sources by models that were made without them.

use anyhow::Context;
use forage_langid::{EvidenceModel, Identifier, LanguageCode, Model, Scratch, Script};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Minimum size in tokens of the sample of a class, without the sources, whose texts are counted: a
/// language of which there is no other sample cannot be recognised.
const MIN_SAMPLE_TOKENS: u64 = 400;
/// Numbers of words to which texts are cut.
const WORDS: [usize; 5] = [1, 2, 3, 5, 8];
/// Number of texts of a language that are joined to a document.
const DOCUMENT_TEXTS: usize = 10;

/// A class and a length of texts: a number of words, `sentence` or `document`.
type Subject = (LanguageCode, Script, String);
/// The number of texts by answer.
type Answers = BTreeMap<LanguageCode, u32>;
/// Texts with their languages.
type LabelledTexts<'a> = Vec<(LanguageCode, &'a str)>;

/// Returns lines of source, genre, code, script, size of the sample of the class without the
/// sources, length of the texts, answer, number of texts. `folder` has what `build-langid-model
/// --leave-one-out` writes: models, `N.bin`, and texts for the test, `N.test`.
///
/// # Errors
/// Fails if a file cannot be read, or if there is none.
pub fn measure_left_out(folder: &Path) -> anyhow::Result<String> {
    let mut results = String::new();
    for number in 0.. {
        let file = folder.join(format!("{number}.test"));
        if number > 0 && !file.exists() {
            break;
        }
        let tests = crate::read(&file)?;
        let model = file.with_extension("bin");
        let evidence = std::fs::read(&model).with_context(|| model.display().to_string())?;
        let identifier =
            Identifier::new(Model::with_evidence(EvidenceModel::from_bytes(evidence)?));
        for ((source, genre), texts) in
            read_tests(&tests).with_context(|| file.display().to_string())?
        {
            let source = source.split(" (").next().unwrap_or(source);
            write_results(
                &identifier,
                &format!("{source}\t{genre}"),
                &texts,
                &mut results,
            );
        }
    }
    Ok(results)
}

/// Returns the texts of each source, with its genre, in their order.
fn read_tests(tests: &str) -> anyhow::Result<Vec<((&str, &str), LabelledTexts<'_>)>> {
    let mut sources: Vec<((&str, &str), LabelledTexts<'_>)> = Vec::new();
    for line in tests.lines() {
        let fields: Vec<&str> = line.splitn(4, '\t').collect();
        let [source, genre, code, text] = fields[..] else {
            anyhow::bail!("not four fields: {line}");
        };
        if sources
            .last()
            .is_none_or(|(last, _)| *last != (source, genre))
        {
            sources.push(((source, genre), Vec::new()));
        }
        let (_, texts) = sources.last_mut().context("a source was added")?;
        texts.push((code.parse()?, text));
    }
    Ok(sources)
}

/// Appends the lines of a source. Writing to a string cannot fail.
fn write_results(
    identifier: &Identifier,
    source: &str,
    texts: &LabelledTexts<'_>,
    results: &mut String,
) {
    let sizes: BTreeMap<(LanguageCode, Script), u64> = identifier
        .classes()
        .filter(|class| class.sample_tokens >= MIN_SAMPLE_TOKENS)
        .map(|class| ((class.code, class.script), class.sample_tokens))
        .collect();
    for ((code, script, length), answers) in identify_texts(identifier, texts) {
        let Some(size) = sizes.get(&(code, script)) else {
            continue;
        };
        for (answer, number) in answers {
            let _ = writeln!(
                results,
                "{source}\t{code}\t{script}\t{size}\t{length}\t{answer}\t{number}"
            );
        }
    }
}

/// Identifies texts, their beginnings, and consecutive texts of a language joined to documents.
fn identify_texts(
    identifier: &Identifier,
    texts: &LabelledTexts<'_>,
) -> BTreeMap<Subject, Answers> {
    let mut scratch = Scratch::default();
    let mut results: BTreeMap<Subject, Answers> = BTreeMap::new();
    let mut identify = |code: LanguageCode, script: Option<Script>, length: &str, text: &str| {
        let identification = identifier.identify_with(&mut scratch, text);
        // The script of the first word can be that of a name or a number.
        let script = script.unwrap_or(identification.script);
        let answers = results
            .entry((code, script, length.to_owned()))
            .or_default();
        *answers.entry(identification.code).or_default() += 1;
        script
    };
    for same_code in texts.chunk_by(|(a, _), (b, _)| a == b) {
        for (code, text) in same_code {
            let script = identify(*code, None, "sentence", text);
            let words: Vec<&str> = text.split_whitespace().collect();
            for number in WORDS.into_iter().filter(|number| *number < words.len()) {
                identify(
                    *code,
                    Some(script),
                    &number.to_string(),
                    &words[..number].join(" "),
                );
            }
        }
        for texts in same_code.chunks_exact(DOCUMENT_TEXTS) {
            let lines: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
            identify(texts[0].0, None, "document", &lines.join("\n"));
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{measure_left_out, read_tests, write_results};
    use forage_langid::Identifier;

    #[test]
    fn texts_their_beginnings_and_documents_are_identified() {
        let line = "S (CC0)\tnews\tslv\tDanes je zelo lep dan, zato gremo na dolg sprehod.\n";
        let tests = line.repeat(10);
        let sources = read_tests(&tests).unwrap();
        assert_eq!((sources.len(), sources[0].0), (1, ("S (CC0)", "news")));
        let mut results = String::new();
        write_results(
            &Identifier::builtin(),
            "S\tnews",
            &sources[0].1,
            &mut results,
        );
        let has = |length: &str, texts: u32| {
            let end = format!("\t{length}\tslv\t{texts}");
            results
                .lines()
                .any(|line| line.starts_with("S\tnews\tslv\tLatn\t") && line.ends_with(&end))
        };
        assert!(
            has("8", 10) && has("sentence", 10) && has("document", 1),
            "{results}"
        );
        assert!(read_tests("S\tnews\tslv\n").is_err());
        assert!(measure_left_out(std::path::Path::new("/nonexistent")).is_err());
    }
}
