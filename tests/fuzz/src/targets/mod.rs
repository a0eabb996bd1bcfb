//! The parsers that are fuzzed.

mod archives;
mod bodies;
mod engines;
mod files;
mod models;
mod records;
mod state_files;
mod state_seeds;
mod states;
mod texts;

use crate::mutation;
use crate::panics::CaughtPanic;
use forage_text::Random;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A parser, or a group of parsers of one format.
pub struct Target {
    /// Its name, which is also that of its folders.
    pub name: &'static str,
    /// What is read.
    pub summary: &'static str,
    /// Reads an input. The result is the shape of the answer: inputs with a new one are kept.
    pub run: fn(&[u8]) -> u64,
    /// Makes seeds, in addition to those in the folder.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Changes an input. The slice is another input of the target.
    pub mutate: Mutation,
    /// Words of the format.
    pub dictionary: &'static [&'static str],
    /// Size of the longest input.
    pub max_bytes: usize,
    /// Stack that the tools give the parser.
    pub stack_bytes: usize,
    /// Random inputs that the tests run.
    pub test_inputs: u64,
    /// Parts of the paths of crates whose panics the tools contain, because they run the parser in
    /// a subprocess.
    pub contained: &'static [&'static str],
}

/// A function that changes an input.
pub type Mutation = fn(&Target, &mut Vec<u8>, &[u8], &mut Random);

impl Target {
    /// The stack of a thread in Rust, which the workers of a tool have.
    const THREAD_STACK: usize = 2 << 20;

    /// A target with the usual values: no seeds but those of the folder, and changes of bytes.
    const fn new(name: &'static str, summary: &'static str, run: fn(&[u8]) -> u64) -> Target {
        Target {
            name,
            summary,
            run,
            seeds: Vec::new,
            mutate: mutate_bytes,
            dictionary: &[],
            max_bytes: 256 << 10,
            stack_bytes: Target::THREAD_STACK,
            test_inputs: 1000,
            contained: &[],
        }
    }

    /// Returns `true` for a panic that the tools contain.
    pub fn is_expected(&self, panic: &CaughtPanic) -> bool {
        let mut crates = self.contained.iter();
        crates.any(|path| panic.location.contains(path))
    }
}

/// All targets.
pub static TARGETS: [Target; 25] = [
    bodies::HTML,
    bodies::PAGE,
    bodies::PDF,
    bodies::CHARSET,
    engines::REPLIES,
    archives::WARC,
    files::ROBOTS,
    files::TDMREP,
    files::SITE_RULES,
    files::TOPIC_PROFILE,
    files::URL,
    texts::TEXT,
    models::PROFILE,
    models::MODEL,
    records::RECORD,
    records::JOURNAL,
    states::STATS,
    states::LEDGER,
    states::SEEN,
    states::HITS,
    states::FRONTIER,
    states::PROFILES,
    states::TOPIC,
    states::FEEDBACK,
    states::SITES,
];

fn mutate_bytes(target: &Target, input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    mutation::mutate(input, other, target.dictionary, target.max_bytes, random);
}

/// Returns the shape of a result, by its kind and the magnitudes of its numbers.
fn shape_of(kind: &str, numbers: &[usize]) -> u64 {
    let magnitudes = numbers.iter().map(|n| n.checked_ilog2());
    hash(&(kind, magnitudes.collect::<Vec<_>>()))
}

/// Returns the shape of an error: its message up to the first thing that may be from the input.
fn shape_of_error(error: impl fmt::Display) -> u64 {
    let message = error.to_string();
    let letters = message.chars().filter(|c| !c.is_ascii_digit());
    let is_quote = |c: &char| !matches!(c, '`' | '"' | '\'' | '…') && c.is_ascii();
    hash(&letters.take_while(is_quote).take(80).collect::<String>())
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a number below `n` that depends on the input, to choose one of several options.
fn choice(input: &[u8], n: usize) -> usize {
    (hash(&input) % n as u64) as usize
}
