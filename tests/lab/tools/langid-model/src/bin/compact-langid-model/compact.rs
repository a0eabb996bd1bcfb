//! A smaller evidence table, made from a large one alone: the model in the package of this crate.
//!
//! A table has no words and n-grams, only their hashes. But the evidence of a row tells how
//! probable its word or n-gram is in each of its classes, and whether it is a word: the evidence of
//! n-grams has half the weight. Four things make the table smaller, in the order of what they gain
//! (`docs/LANGID.md`, "Compact model", has what they cost):
//!
//! - Only the rows that are used most, over all languages, are kept.
//! - Evidence is rounded to half a nat, that of words to a nat.
//! - Classes with a small share of an n-gram's evidence are left out.
//! - Bases, which matter only together with other models, are rounded to a nat.

use crate::columns::{MAX_BASE, MAX_ROW_CLASSES, pack};
use crate::rows::read_rows;
use forage_langid::model_bytes::{
    BASE_UNIT, CLASS_BYTES, CLASSES, EXPECTED_EVIDENCE_OFFSET, HEADER_BYTES, LONG_ROW_SLOTS,
    MAX_POSTING_EVIDENCE, NGRAM_FLOOR, NGRAM_WEIGHT, STEPS_PER_NAT, TableRow, WORD_FLOOR,
    locate_parts, unpack, write_checksum,
};

/// Evidence, with the base, from which a row is that of a word. In the built-in model, 3,800 of
/// 2.2 million rows have 48 to 55 steps, between n-grams with less and words with more.
const MIN_WORD_EVIDENCE: u32 = 52;

/// Units to which the evidence of words and of n-grams is rounded.
const WORD_UNIT: u32 = 8;
/// See [`WORD_UNIT`].
const NGRAM_UNIT: u32 = 4;

/// Minimum share of the greatest evidence of an n-gram for a class that is kept.
const MIN_NGRAM_SHARE: f64 = 0.4;

/// Added to the log probability of an n-gram to compare it with words: n-grams are read only in
/// unknown words, and there are shorter ones if one is left out.
const NGRAM_PRIORITY: f64 = -2.0;

/// Exponent of the number of rows of a class in its weight.
const SIZE_EXPONENT: f64 = 0.4;

/// Factor of the expected evidence of a class. Texts have less evidence of a smaller table; with
/// this factor, the reject option rejects as many texts as with the large one, in known languages
/// and in 43 that were excluded in turn.
const EXPECTED_EVIDENCE: f64 = 0.95;

/// Estimated size of a row, and of each of its classes, in the compressed package, in bits.
const ROW_BITS: f64 = 18.7;
/// See [`ROW_BITS`].
const CLASS_BITS: f64 = 13.2;

/// Returns the compact form of the evidence part of a model that is at most `max_bytes` when it is
/// compressed, by an estimate that holds for the built-in model: the contents of
/// `model/compact.bin`. Equal input gives equal bytes. Returns `None` if the bytes are not the
/// evidence part of a model.
pub fn compact(evidence: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let [classes, _, buckets] = locate_parts(evidence)?;
    let mut head = evidence.get(..buckets.start)?.to_vec();
    let table = evidence.get(buckets)?;
    let rows = keep_most_used(read_rows(table.as_chunks().0), max_bytes);
    let number = classes.len() / CLASS_BYTES;
    lower_expected_evidence(&mut head[classes]);
    let mut packed = pack(&head, number, &rows)?;
    // The checksum is that of the table that it unpacks to.
    let mut unpacked = unpack(&packed)?.as_bytes().to_vec();
    write_checksum(&mut unpacked, HEADER_BYTES);
    packed[..HEADER_BYTES].copy_from_slice(&unpacked[..HEADER_BYTES]);
    Some(packed)
}

/// Returns `true` if a row is that of a word.
fn is_word(row: &TableRow) -> bool {
    greatest_evidence(row) >= MIN_WORD_EVIDENCE
}

/// Returns the greatest evidence of a row for any class, with the base.
fn greatest_evidence(row: &TableRow) -> u32 {
    row.base + row.classes.first().map_or(0, |(_, evidence)| *evidence)
}

/// Rounds the evidence and the base of a row, and leaves out classes with little.
fn make_coarser(row: &mut TableRow) {
    // A row and another one with its fingerprint may have more.
    row.classes.truncate(MAX_ROW_CLASSES);
    let unit = if is_word(row) {
        WORD_UNIT
    } else {
        let greatest = row.classes.first().map_or(0, |(_, evidence)| *evidence);
        let least = MIN_NGRAM_SHARE * f64::from(greatest);
        row.classes
            .retain(|(_, evidence)| f64::from(*evidence) >= least);
        NGRAM_UNIT
    };
    for (_, evidence) in &mut row.classes {
        *evidence = round_to(unit, *evidence).clamp(1, MAX_POSTING_EVIDENCE);
    }
    // A long row is known by the number of its postings, so that the base must remain.
    let is_long = row.base > 0 && row.classes.len() + 1 == LONG_ROW_SLOTS;
    let min_base = if is_long { BASE_UNIT } else { 0 };
    row.base = round_to(BASE_UNIT, row.base).clamp(min_base, MAX_BASE);
}

fn round_to(unit: u32, number: u32) -> u32 {
    (number + unit / 2) / unit * unit
}

/// Keeps the rows that are used most, as many as have room in `max_bytes`, and makes them coarser.
fn keep_most_used(mut rows: Vec<TableRow>, max_bytes: usize) -> Vec<TableRow> {
    let weights = class_weights(&rows);
    let uses = rows.iter().map(|row| estimate_use(row, &weights));
    let mut ranked: Vec<(f64, usize)> = uses.zip(0..).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rows.iter_mut().for_each(make_coarser);
    let mut bits = max_bytes as f64 * 8.0;
    let mut kept = vec![false; rows.len()];
    for (_, index) in ranked {
        bits -= ROW_BITS + CLASS_BITS * rows[index].classes.len() as f64;
        if bits < 0.0 {
            break;
        }
        kept[index] = true;
    }
    let kept = rows.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(row, _)| row).collect()
}

/// Returns the use of a row: the sum, over its classes, of the probability of its word or n-gram,
/// times the weight of the class.
fn estimate_use(row: &TableRow, weights: &[f64]) -> f64 {
    let (factor, constant) = if is_word(row) {
        (1.0, WORD_FLOOR)
    } else {
        (NGRAM_WEIGHT, NGRAM_FLOOR + NGRAM_PRIORITY)
    };
    let use_in_class = |(class, evidence): &(u16, u32)| {
        let log = f64::from(evidence + row.base) / STEPS_PER_NAT / factor + constant;
        weights[usize::from(*class)] * libm::exp(log)
    };
    row.classes.iter().map(use_in_class).sum()
}

/// Returns the weight of each class: a power of its number of rows. A class with few has a small
/// sample, in which frequencies are too high.
fn class_weights(rows: &[TableRow]) -> Vec<f64> {
    let mut numbers = vec![0.0; CLASSES];
    for (class, _) in rows.iter().flat_map(|row| &row.classes) {
        numbers[usize::from(*class)] += 1.0;
    }
    let weight = |number| libm::pow(number, SIZE_EXPONENT);
    numbers.into_iter().map(weight).collect()
}

/// Lowers the expected evidence of each class by [`EXPECTED_EVIDENCE`].
fn lower_expected_evidence(classes: &mut [u8]) {
    for class in classes.chunks_exact_mut(CLASS_BYTES) {
        let expected = &mut class[EXPECTED_EVIDENCE_OFFSET];
        if *expected > 0 {
            *expected = (f64::from(*expected) * EXPECTED_EVIDENCE).round().max(1.0) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_langid::model_bytes::{
        Bucket, bucket_index, continued_key, fingerprint, neighbour, word_key,
    };
    use forage_langid::{ClassSample, EvidenceLimits, EvidenceModel, Script};

    const UNPRUNED: EvidenceLimits = EvidenceLimits {
        min_word_log_probability: f64::NEG_INFINITY,
        min_ngram_log_probability: f64::NEG_INFINITY,
        classes_per_word: 12,
        classes_per_ngram: 10,
        min_evidence_share: 0.4,
        buckets: None,
    };

    /// Returns a model of three languages that share some of their words.
    fn evidence() -> Vec<u8> {
        evidence_of(3)
    }

    /// Returns a model of so many languages that share some of their words, all of them the first.
    fn evidence_of(languages: usize) -> Vec<u8> {
        let letter = |n: usize| char::from(b'a' + n as u8);
        let sample = |language: usize| ClassSample {
            code: format!("q{}{}", letter(language / 20), letter(language % 20))
                .parse()
                .unwrap(),
            script: Script::LATIN,
            name: String::new(),
            source: String::new(),
            sample_tokens: 100_000,
            words: (0..400u16)
                .map(|n| (word(usize::from(n) * language), f64::from(n + 2).powi(-2)))
                .collect(),
            ngrams: Vec::new(),
        };
        let samples: Vec<ClassSample> = (1..=languages).map(sample).collect();
        EvidenceModel::from_samples(&samples, &UNPRUNED)
            .unwrap()
            .as_bytes()
            .to_vec()
    }

    fn word(mut n: usize) -> String {
        let mut word = String::from("d");
        while n > 0 {
            word.push_str(["ba", "ke", "li", "mo", "nu"][n % 5]);
            n /= 5;
        }
        word
    }

    fn make_small(full: &[u8]) -> Vec<u8> {
        let packed = compact(full, 1_000_000).unwrap();
        unpack(&packed).unwrap().as_bytes().to_vec()
    }

    /// Returns the classes of each of the first 400 words, in the order of their numbers.
    fn classes_of_words(evidence: &[u8]) -> Vec<Vec<u16>> {
        let [_, _, buckets] = locate_parts(evidence).unwrap();
        let table: &[Bucket] = evidence[buckets].as_chunks().0;
        let rows = read_rows(table);
        let is_part = |row: &TableRow, key: u64| {
            let home = bucket_index(key, table.len());
            row.fingerprint == fingerprint(key) && [home, neighbour(home)].contains(&row.bucket)
        };
        let classes_of = |n: usize| {
            let letters: Vec<u32> = word(n).chars().map(u32::from).collect();
            let key = word_key(&letters);
            let parts = rows
                .iter()
                .filter(|row| is_part(row, key) || is_part(row, continued_key(key)));
            let classes = parts.flat_map(|row| &row.classes);
            let mut classes: Vec<u16> = classes.map(|(class, _)| *class).collect();
            classes.sort_unstable();
            classes
        };
        (0..400).map(classes_of).collect()
    }

    #[test]
    fn all_words_are_found_again_if_there_is_room() {
        for languages in [3, 70] {
            let full = evidence_of(languages);
            let small = make_small(&full);
            assert!(EvidenceModel::from_bytes(small.clone()).is_ok());
            assert_eq!(classes_of_words(&full), classes_of_words(&small));
        }
    }

    #[test]
    fn long_rows_are_found_again() {
        assert_eq!(classes_of_words(&make_small(&evidence_of(70)))[0].len(), 59);
    }

    #[test]
    fn the_base_of_a_long_row_remains() {
        let row = |classes: u16| TableRow {
            bucket: 0,
            fingerprint: 1,
            is_marked: false,
            base: 1,
            classes: (0..classes).map(|class| (class, 80)).collect(),
        };
        let base = |mut row: TableRow| {
            make_coarser(&mut row);
            row.base
        };
        assert_eq!([base(row(13)), base(row(14))], [0, BASE_UNIT]);
    }

    #[test]
    fn the_most_used_words_are_kept() {
        let full = evidence();
        let known = |max_bytes| {
            let packed = compact(&full, max_bytes).unwrap();
            let classes = classes_of_words(unpack(&packed).unwrap().as_bytes());
            let count = |words: std::ops::Range<usize>| {
                classes[words].iter().filter(|of| !of.is_empty()).count()
            };
            (count(0..40), count(360..400))
        };
        assert_eq!(known(0), (0, 0));
        assert_eq!(known(1_000_000), (40, 40));
        let of_some_sizes: Vec<_> = (500..8000).step_by(500).map(known).collect();
        assert!(
            of_some_sizes
                .iter()
                .all(|(frequent, rare)| frequent >= rare),
            "{of_some_sizes:?}"
        );
        assert!(
            of_some_sizes.iter().any(|(frequent, rare)| frequent > rare),
            "{of_some_sizes:?}"
        );
    }

    #[test]
    fn a_damaged_file_is_no_model() {
        let packed = compact(&evidence(), 1_000_000).unwrap();
        assert!(
            (0..packed.len())
                .step_by(7)
                .all(|end| unpack(&packed[..end]).is_none())
        );
        assert!(compact(&packed[1..], 1000).is_none() && compact(&[], 1000).is_none());
    }
}
