//! Encoding of a rank model.

use super::{ABSENT, HEADER_BYTES, MAGIC, NGRAM_BYTES, POSTING_BYTES, VERSION};
use crate::classes::{self, LanguageClass};
use crate::expectation::Expectation;
use crate::format::encode_u32;
use crate::model_header;
use crate::ngram::NGram;
use crate::profile::Profile;

/// An n-gram is stored as a row if at least one in this many profiles has it.
const COMMON_FRACTION: usize = 8;

/// Encodes these profiles, which are sorted and at most 65,535.
pub(crate) fn pack_profiles(profiles: &[&Profile]) -> Vec<u8> {
    let classes = profiles
        .iter()
        .map(|profile| (to_class(profile), Expectation::default()));
    let (table, strings) = classes::encode_classes(classes);
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
        if group.len() * COMMON_FRACTION >= profiles.len() {
            common.extend_from_slice(&packed);
            add_row(&mut rows, profiles.len(), group);
        } else {
            ngrams.extend_from_slice(&packed);
            starts.extend_from_slice(&encode_u32(postings.len() / POSTING_BYTES));
            for (_, profile, rank) in group {
                postings.extend_from_slice(&profile.to_le_bytes());
                postings.extend_from_slice(&rank.to_le_bytes());
            }
        }
    }
    starts.extend_from_slice(&encode_u32(postings.len() / POSTING_BYTES));
    let sizes = [
        profiles.len(),
        common.len() / NGRAM_BYTES,
        ngrams.len() / NGRAM_BYTES,
        postings.len() / POSTING_BYTES,
        strings.len(),
    ];
    let mut model = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    for size in sizes {
        model.extend_from_slice(&encode_u32(size));
    }
    model.resize(HEADER_BYTES, 0);
    for part in [table, common, rows, ngrams, starts, postings, strings] {
        model.extend_from_slice(&part);
    }
    model_header::write_checksum(&mut model, HEADER_BYTES);
    model
}

fn to_class(profile: &Profile) -> LanguageClass<'_> {
    LanguageClass {
        code: profile.code,
        script: profile.script,
        name: &profile.name,
        sample_tokens: profile.sample_tokens,
        source: &profile.source,
    }
}

/// Appends the ranks of a common n-gram in all profiles.
fn add_row(rows: &mut Vec<u8>, profiles: usize, group: &[(NGram, u16, u16)]) {
    let mut row = vec![ABSENT; profiles];
    for (_, profile, rank) in group {
        row[usize::from(*profile)] = *rank;
    }
    for byte in 0..2 {
        rows.extend(row.iter().map(|rank| rank.to_le_bytes()[byte]));
    }
}
