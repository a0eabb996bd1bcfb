//! Writes the bytes of a [`crate::ranks::Ranks`].

use crate::ngram::NGram;
use crate::profile::Profile;
use crate::profile_file::fnv1a;
use crate::ranks::{ABSENT, HEADER, MAGIC, NGRAM, POSTING, VERSION};

/// Strings one after the other, each kept once if it is that of the entry before.
#[derive(Default)]
pub(crate) struct Strings {
    pub(crate) bytes: Vec<u8>,
    last: (usize, usize),
}

impl Strings {
    /// Where `string` stands: start and length.
    pub(crate) fn place(&mut self, string: &str) -> [u8; 8] {
        let (start, length) = self.last;
        if self.bytes.get(start..start + length) != Some(string.as_bytes()) {
            self.last = (self.bytes.len(), string.len());
            self.bytes.extend_from_slice(string.as_bytes());
        }
        let mut place = [0; 8];
        place[..4].copy_from_slice(&number(self.last.0));
        place[4..].copy_from_slice(&number(self.last.1));
        place
    }
}

/// N-grams that this part of the profiles have are kept as rows.
const COMMON: usize = 8;

/// The model of these profiles, which are sorted and at most 65,535.
pub(crate) fn pack(profiles: &[&Profile]) -> Vec<u8> {
    let (table, strings) = describe(profiles);
    let mut inverted: Vec<(NGram, u16, u16)> = Vec::new();
    for (number, profile) in (0u16..).zip(profiles) {
        inverted.extend((0u16..).zip(profile.ngrams()).map(|(rank, (ngram, _))| (*ngram, number, rank)));
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
            starts.extend_from_slice(&number(postings.len() / POSTING));
            for (_, profile, rank) in group {
                postings.extend_from_slice(&profile.to_le_bytes());
                postings.extend_from_slice(&rank.to_le_bytes());
            }
        }
    }
    starts.extend_from_slice(&number(postings.len() / POSTING));
    let counts = [profiles.len(), common.len() / NGRAM, ngrams.len() / NGRAM, postings.len() / POSTING, strings.len()];
    assemble(counts, &[table, common, rows, ngrams, starts, postings, strings])
}

/// The table of the profiles, and the strings that it points to.
fn describe(profiles: &[&Profile]) -> (Vec<u8>, Vec<u8>) {
    let mut names = Strings::default();
    let name_places: Vec<_> = profiles.iter().map(|p| names.place(&p.name)).collect();
    let mut sources = Strings { bytes: names.bytes, last: (0, 0) };
    let mut table = Vec::new();
    for (profile, name) in profiles.iter().zip(name_places) {
        table.extend_from_slice(&profile.code.to_bytes());
        table.push(0);
        table.extend_from_slice(&profile.script.to_bytes());
        table.extend_from_slice(&profile.words.to_le_bytes());
        table.extend_from_slice(&name);
        table.extend_from_slice(&sources.place(&profile.source));
    }
    (table, sources.bytes)
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

fn assemble(counts: [usize; 5], parts: &[Vec<u8>]) -> Vec<u8> {
    let mut model = Vec::with_capacity(HEADER + parts.iter().map(Vec::len).sum::<usize>());
    model.extend_from_slice(&MAGIC);
    model.extend_from_slice(&VERSION.to_le_bytes());
    for count in counts {
        model.extend_from_slice(&number(count));
    }
    model.resize(HEADER, 0);
    for part in parts {
        model.extend_from_slice(part);
    }
    let check = fnv1a(&model[HEADER..]).to_le_bytes();
    model[HEADER - 8..HEADER].copy_from_slice(&check);
    model
}

/// A number of the model's; 65,535 profiles of 400 n-grams have 26 million postings, so 32 bits hold all of them.
fn number(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}
