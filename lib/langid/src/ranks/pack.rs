//! Writes the bytes of a [`crate::ranks::Ranks`].

use super::{ABSENT, HEADER, MAGIC, NGRAM, POSTING, VERSION};
use crate::classes::{self, LanguageClass, count};
use crate::ngram::NGram;
use crate::profile::Profile;

/// N-grams that this part of the profiles have are kept as rows.
const COMMON: usize = 8;

/// The model of these profiles, which are sorted and at most 65,535.
pub(crate) fn pack(profiles: &[&Profile]) -> Vec<u8> {
    let (table, strings) = classes::write(profiles.iter().map(|profile| (known(profile), 0)));
    let mut inverted: Vec<(NGram, u16, u16)> = Vec::new();
    for (number, profile) in (0u16..).zip(profiles) {
        inverted.extend(
            (0u16..)
                .zip(profile.ngrams())
                .map(|(rank, (ngram, _))| (*ngram, number, rank)),
        );
    }
    inverted.sort_unstable();
    let (mut common, mut rows) = (Vec::new(), Vec::new());
    let (mut ngrams, mut starts, mut postings) = (Vec::new(), Vec::new(), Vec::new());
    for group in inverted.chunk_by(|a, b| a.0 == b.0) {
        let packed = group[0].0.0.to_le_bytes();
        if group.len() * COMMON >= profiles.len() {
            common.extend_from_slice(&packed);
            add_row(&mut rows, profiles.len(), group);
        } else {
            ngrams.extend_from_slice(&packed);
            starts.extend_from_slice(&count(postings.len() / POSTING));
            for (_, profile, rank) in group {
                postings.extend_from_slice(&profile.to_le_bytes());
                postings.extend_from_slice(&rank.to_le_bytes());
            }
        }
    }
    starts.extend_from_slice(&count(postings.len() / POSTING));
    let counts = [
        profiles.len(),
        common.len() / NGRAM,
        ngrams.len() / NGRAM,
        postings.len() / POSTING,
        strings.len(),
    ];
    let mut model = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    counts
        .iter()
        .for_each(|n| model.extend_from_slice(&count(*n)));
    model.resize(HEADER, 0);
    for part in [table, common, rows, ngrams, starts, postings, strings] {
        model.extend_from_slice(&part);
    }
    classes::seal(&mut model, HEADER);
    model
}

fn known(profile: &Profile) -> LanguageClass<'_> {
    let Profile {
        code,
        script,
        name,
        source,
        words,
        ..
    } = profile;
    LanguageClass {
        code: *code,
        script: *script,
        name,
        words: *words,
        source,
    }
}

fn add_row(rows: &mut Vec<u8>, profiles: usize, group: &[(NGram, u16, u16)]) {
    let mut row = vec![ABSENT; profiles];
    for (_, profile, rank) in group {
        row[usize::from(*profile)] = *rank;
    }
    for byte in 0..2 {
        rows.extend(row.iter().map(|rank| rank.to_le_bytes()[byte]));
    }
}
