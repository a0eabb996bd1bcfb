//! Word lists and n-grams: how often each occurs, in how many documents, and how evenly.
//!
//! The dispersion is DP (Gries 2008, "Dispersions and adjusted frequencies in corpora"), with the
//! documents as parts of the corpus: half of the sum of the differences between the share of a
//! document in the occurrences of the word, and its share in the corpus. 0 is perfectly even, 1
//! perfectly uneven.

use crate::corpus_format::document::Document;
use crate::corpus_format::postings::Postings;
use crate::corpus_format::sentences::sentences;
use crate::corpus_format::writer::{CorpusWriter, FormatOptions};
use foldhash::{HashMap, HashMapExt};
use forage_text::{Spelling, for_each_folded_word, paragraphs, push_number, take_number};
use std::io::{self, Write};
use std::path::PathBuf;

/// What is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counted {
    /// Words in the form in which they are compared: in small letters, without optional marks.
    Words,
    /// Sequences of so many words within a sentence.
    Ngrams(usize),
}

/// Writes a table of counts, by descending frequency.
#[derive(Debug)]
pub(crate) struct CountWriter {
    counted: Counted,
    min_frequency: u64,
    folder: PathBuf,
    /// For each item, its frequency in each document; for words followed by the words of the
    /// document.
    postings: Postings,
    /// The number of words of the corpus.
    words: u64,
}

impl CountWriter {
    pub(crate) fn new(counted: Counted, options: &FormatOptions) -> Self {
        CountWriter {
            counted,
            min_frequency: options.min_frequency,
            folder: options.temporary.clone(),
            postings: Postings::new(options.temporary.clone()),
            words: 0,
        }
    }
}

impl CorpusWriter for CountWriter {
    fn add(&mut self, document: &Document, _: &mut dyn Write) -> io::Result<()> {
        let text = &*document.text;
        let spelling = Spelling::of_text(text);
        let mut counts: HashMap<String, u64> = HashMap::new();
        let mut words = 0;
        let mut count = |item: String| *counts.entry(item).or_default() += 1;
        match self.counted {
            Counted::Words => for_each_folded_word(text, &spelling, |_, word| {
                words += 1;
                count(word.to_owned());
            }),
            Counted::Ngrams(order) => {
                for sentence in paragraphs(text).flat_map(sentences) {
                    let mut window: Vec<String> = Vec::new();
                    for_each_folded_word(sentence, &spelling, |_, word| {
                        words += 1;
                        window.push(word.to_owned());
                        if window.len() == order {
                            count(window.join(" "));
                            window.remove(0);
                        }
                    });
                }
            }
        }
        self.words += words;
        let mut value = Vec::with_capacity(2 * 10);
        for (item, frequency) in counts {
            value.clear();
            push_number(&mut value, frequency);
            if matches!(self.counted, Counted::Words) {
                push_number(&mut value, words);
            }
            self.postings.append(item.as_bytes(), &value)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let postings = Postings::new(self.folder.clone());
        let items = std::mem::replace(&mut self.postings, postings);
        let has_dispersion = matches!(self.counted, Counted::Words);
        // The second index sorts the rows: its keys begin with the complement of the frequency.
        let mut rows = Postings::new(self.folder.clone());
        items.for_each(|item, value| {
            let (frequency, documents) = sum(value, has_dispersion);
            if frequency < self.min_frequency {
                return Ok(());
            }
            let mut key = (!frequency).to_be_bytes().to_vec();
            key.extend_from_slice(item);
            let mut row = format!("\t{frequency}\t{documents}");
            if has_dispersion {
                let dispersion = dispersion(value, frequency, self.words);
                row += &format!("\t{dispersion:.4}");
            }
            rows.append(&key, row.as_bytes())
        })?;
        out.write_all(match self.counted {
            Counted::Words => b"word\tfrequency\tdocuments\tdp\n",
            Counted::Ngrams(_) => b"ngram\tfrequency\tdocuments\n",
        })?;
        rows.for_each(|key, row| {
            out.write_all(&key[size_of::<u64>()..])?;
            out.write_all(row)?;
            out.write_all(b"\n")
        })
    }
}

/// Returns the frequency of an item and the number of its documents.
fn sum(value: &[u8], is_pairs: bool) -> (u64, u64) {
    let step = if is_pairs { 2 } else { 1 };
    numbers(value)
        .step_by(step)
        .fold((0, 0), |(frequency, documents), n| {
            (frequency + n, documents + 1)
        })
}

/// Returns DP. What the documents without the word add to the sum is their share in the corpus.
fn dispersion(value: &[u8], frequency: u64, words: u64) -> f64 {
    let mut numbers = numbers(value);
    let (mut differences, mut share_of_documents) = (0.0, 0.0);
    while let (Some(occurrences), Some(size)) = (numbers.next(), numbers.next()) {
        let expected = size as f64 / words as f64;
        differences += (occurrences as f64 / frequency as f64 - expected).abs();
        share_of_documents += expected;
    }
    (0.5 * (differences + (1.0 - share_of_documents).max(0.0))).clamp(0.0, 1.0)
}

/// Returns the numbers of a value.
fn numbers(mut bytes: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || take_number(&mut bytes))
}

#[cfg(test)]
mod tests {
    use super::{CountWriter, Counted};
    use crate::corpus_format::document::tests::with_document;
    use crate::corpus_format::writer::{CorpusWriter, FormatOptions};

    fn table(counted: Counted, min_frequency: u64, texts: &[&str]) -> String {
        let options = FormatOptions {
            min_frequency,
            temporary: std::env::temp_dir(),
            ..FormatOptions::default()
        };
        let (mut writer, mut out) = (CountWriter::new(counted, &options), Vec::new());
        for text in texts {
            let json = serde_json::json!({ "text": text }).to_string();
            with_document(&json, |document| writer.add(document, &mut out).unwrap());
        }
        writer.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_have_frequency_documents_and_dispersion() {
        // Gries's definition: `a` has 1/2 of its occurrences in each half of the corpus, `b` all in
        // one.
        let text = table(Counted::Words, 1, &["A b c b", "a d. D e"]);
        let expected = "word\tfrequency\tdocuments\tdp\na\t2\t2\t0.0000\nb\t2\t1\t0.5000\nd\t2\t1\t0.5000\n\
                        c\t1\t1\t0.5000\ne\t1\t1\t0.5000\n";
        assert_eq!(text, expected);
        // Parts of 1 and 3 words.
        let text = table(Counted::Words, 2, &["a", "a b c"]);
        assert_eq!(text, "word\tfrequency\tdocuments\tdp\na\t2\t2\t0.2500\n");
    }

    #[test]
    fn ngrams_are_within_sentences() {
        let text = table(
            Counted::Ngrams(2),
            1,
            &["Lep dan je. Lep dan!", "dan je\nlep"],
        );
        let expected = "ngram\tfrequency\tdocuments\ndan je\t2\t2\nlep dan\t2\t1\n";
        assert_eq!(text, expected);
        assert_eq!(
            table(Counted::Ngrams(4), 1, &["a b c"]),
            "ngram\tfrequency\tdocuments\n"
        );
    }
}
