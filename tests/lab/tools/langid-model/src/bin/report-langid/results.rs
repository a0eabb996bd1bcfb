//! The results on sources that were left out, and the classes of the model.

use anyhow::Context;
use std::collections::BTreeMap;

/// Length of whole texts.
pub const SENTENCE: &str = "sentence";
/// Lengths of the texts, ascending, with names for figures.
pub const LENGTHS: [(&str, &str); 7] = [
    ("1", "1 word"),
    ("2", "2 words"),
    ("3", "3 words"),
    ("5", "5 words"),
    ("8", "8 words"),
    (SENTENCE, "sentence"),
    (DOCUMENT, "document"),
];
const DOCUMENT: &str = "document";
/// Minimum number of texts of a language whose accuracy is shown, and counts in means.
pub const MIN_TEXTS: u64 = 20;
/// The same for documents, of which each is ten texts.
const MIN_DOCUMENTS: u64 = 2;

/// Texts of a length, source and class that were identified as one language.
#[derive(Debug, Clone, Copy)]
pub struct ResultLine<'a> {
    pub source: &'a str,
    pub genre: &'a str,
    pub code: &'a str,
    pub script: &'a str,
    /// Size in tokens of the sample of the class, without the source.
    pub sample_tokens: u64,
    pub length: &'a str,
    pub answer: &'a str,
    pub texts: u64,
}

/// A class of the model: a line of `SOURCES.tsv`.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    pub code: &'a str,
    pub script: &'a str,
    pub sources: &'a str,
    pub kinds: &'a str,
    /// The nearest languages by the model.
    pub nearest: &'a str,
}

/// Reads lines of results.
///
/// # Errors
/// Fails if a line has other fields.
pub fn read_results(text: &str) -> anyhow::Result<Vec<ResultLine<'_>>> {
    let lines = text.lines().enumerate();
    lines
        .map(|(index, line)| read_result(line).with_context(|| format!("line {}", index + 1)))
        .collect()
}

fn read_result(line: &str) -> anyhow::Result<ResultLine<'_>> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        source,
        genre,
        code,
        script,
        sample_tokens,
        length,
        answer,
        texts,
    ] = fields[..]
    else {
        anyhow::bail!("not eight fields");
    };
    Ok(ResultLine {
        source,
        genre,
        code,
        script,
        sample_tokens: sample_tokens.parse()?,
        length,
        answer,
        texts: texts.parse()?,
    })
}

/// Reads the classes of the model.
///
/// # Errors
/// Fails if a line has other fields.
pub fn read_sources(text: &str) -> anyhow::Result<Vec<Class<'_>>> {
    text.lines()
        .enumerate()
        .skip(1)
        .map(|(number, line)| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [code, script, _, _, _, _, sources, kinds, nearest] = fields[..] else {
                anyhow::bail!("line {}: not nine fields", number + 1);
            };
            Ok(Class {
                code,
                script,
                sources,
                kinds,
                nearest,
            })
        })
        .collect()
}

/// Numbers of texts.
#[derive(Debug, Default, Clone, Copy)]
pub struct Accuracy {
    pub texts: u64,
    pub correct: u64,
    pub undetermined: u64,
}

impl Accuracy {
    pub fn add(&mut self, line: &ResultLine<'_>) {
        self.texts += line.texts;
        self.correct += if line.answer == line.code {
            line.texts
        } else {
            0
        };
        self.undetermined += if line.answer == "und" { line.texts } else { 0 };
    }

    /// Returns the share of correct texts.
    pub fn share(self) -> f64 {
        self.correct as f64 / self.texts.max(1) as f64
    }
}

/// Returns the accuracy of lines by a key of each.
pub fn accuracy_by<'a, K: Ord>(
    lines: impl Iterator<Item = &'a ResultLine<'a>>,
    key: impl Fn(&ResultLine<'a>) -> K,
) -> BTreeMap<K, Accuracy> {
    let mut accuracies: BTreeMap<K, Accuracy> = BTreeMap::new();
    for line in lines {
        accuracies.entry(key(line)).or_default().add(line);
    }
    accuracies
}

/// Returns the mean over languages of the shares of those with enough texts of a length, or `None`
/// without any.
pub fn mean_share<'a>(accuracies: impl Iterator<Item = &'a Accuracy>, length: &str) -> Option<f64> {
    let min = if length == DOCUMENT {
        MIN_DOCUMENTS
    } else {
        MIN_TEXTS
    };
    let counted = accuracies.filter(|accuracy| accuracy.texts >= min);
    let shares: Vec<f64> = counted.map(|accuracy| accuracy.share()).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// Returns the mean over the worst quarter of the languages with enough sentences.
pub fn worst_quarter<'a>(accuracies: impl Iterator<Item = &'a Accuracy>) -> f64 {
    let counted = accuracies.filter(|accuracy| accuracy.texts >= MIN_TEXTS);
    let mut shares: Vec<f64> = counted.map(|accuracy| accuracy.share()).collect();
    shares.sort_by(f64::total_cmp);
    let worst = &shares[..shares.len().div_ceil(4)];
    worst.iter().sum::<f64>() / worst.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::{Accuracy, accuracy_by, mean_share, read_results, read_sources, worst_quarter};

    #[test]
    fn lines_are_read_and_counted_by_language() {
        let text = "A\tnews\tslv\tLatn\t900\tsentence\tslv\t30\n\
                    A\tnews\tslv\tLatn\t900\tsentence\thrv\t8\n\
                    A\tnews\tslv\tLatn\t900\tsentence\tund\t2\n";
        let lines = read_results(text).unwrap();
        let by_code = accuracy_by(lines.iter(), |line| line.code);
        let Accuracy {
            texts,
            correct,
            undetermined,
        } = by_code["slv"];
        assert_eq!((texts, correct, undetermined), (40, 30, 2));
        assert!(
            read_results("A\tnews\n")
                .unwrap_err()
                .to_string()
                .contains("line 1")
        );
        assert!(read_results("A\tb\tc\td\tfew\tf\tg\t1\n").is_err());
        assert!(
            read_sources("heading\nslv\tLatn\n")
                .unwrap_err()
                .to_string()
                .contains("line 2")
        );
    }

    #[test]
    fn means_are_over_languages_with_enough_texts() {
        let accuracy = |texts, correct| Accuracy {
            texts,
            correct,
            undetermined: 0,
        };
        let all = [accuracy(100, 100), accuracy(20, 10), accuracy(19, 0)];
        assert_eq!(mean_share(all.iter(), "sentence"), Some(0.75));
        assert_eq!(mean_share(all.iter(), "document"), Some(0.5));
        assert_eq!(mean_share(all[2..].iter(), "1"), None);
        assert_eq!(worst_quarter(all.iter()), 0.5);
    }
}
