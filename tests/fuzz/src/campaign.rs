//! A campaign: the inputs of one target, one after another.

use crate::corpus;
use crate::minimise::minimise;
use crate::panics::{self, CaughtPanic};
use crate::statistics::{self, InputTimes};
use crate::targets::Target;
use crate::watchdog::Watchdog;
use forage_text::Random;
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Greatest number of inputs that are kept because they were answered in a new way.
const MAX_POOL: usize = 2000;
/// Size of the longest random input that is kept, in bytes: long ones are run so slowly that few
/// others would be.
const MAX_KEPT_BYTES: usize = 32 << 10;

/// Inputs that are tried to shorten one that panics, and one that is slow. Set by judgement.
const MAX_TRIALS: usize = 2000;
const MAX_SLOW_TRIALS: usize = 100;

/// A failure of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// It panicked.
    Panic(CaughtPanic),
    /// It took much longer than for other inputs of the size.
    Slow(Duration),
}

impl Failure {
    /// The name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Panic(_) => "panic",
            Failure::Slow(_) => "slow",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Panic(panic) => write!(f, "{}: {}", panic.location, panic.message),
            Failure::Slow(time) => write!(f, "{:.1} s", time.as_secs_f64()),
        }
    }
}

/// The inputs of one target. Its random choices depend on the seed alone.
pub struct Campaign<'a> {
    target: &'a Target,
    seed: u64,
    /// Inputs from which others are derived: the corpus, then those that were answered in a new
    /// way.
    pool: Vec<Vec<u8>>,
    /// The number of inputs of the corpus that have not been run.
    corpus: std::ops::Range<usize>,
    /// The number of random inputs that were made.
    made: u64,
    shapes: HashSet<u64>,
    watchdog: Option<Arc<Watchdog>>,
    /// An input is slow only if it takes longer; `None`: inputs are never slow.
    slow_limit: Option<Duration>,
    /// The times of all inputs.
    pub times: InputTimes,
    /// The defects that were found.
    pub failures: Vec<Failure>,
}

impl<'a> Campaign<'a> {
    /// Reads the corpus of a target.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn new(target: &'a Target, seed: u64) -> io::Result<Campaign<'a>> {
        let pool = corpus::read_corpus(target)?;
        Ok(Campaign {
            target,
            seed,
            corpus: 0..pool.len(),
            pool,
            made: 0,
            shapes: HashSet::new(),
            watchdog: None,
            slow_limit: None,
            times: InputTimes::default(),
            failures: Vec::new(),
        })
    }

    /// Watches each input, and reports inputs that are slow and take longer than `slow_limit`.
    #[must_use]
    pub fn with_limits(self, watchdog: Arc<Watchdog>, slow_limit: Duration) -> Self {
        Campaign {
            watchdog: Some(watchdog),
            slow_limit: Some(slow_limit),
            ..self
        }
    }

    /// The number of different ways in which inputs were answered.
    pub fn shapes(&self) -> usize {
        self.shapes.len()
    }

    /// Returns `true` if the whole corpus has been run.
    pub fn has_run_corpus(&self) -> bool {
        self.corpus.is_empty()
    }

    /// Runs the next input: first those of the corpus, then random ones. Returns the failure and
    /// its input, made shorter, if it fails in a way in which none has failed before.
    pub fn run_next(&mut self) -> Option<(Failure, Vec<u8>)> {
        let (input, is_new) = match self.corpus.next() {
            Some(number) => (self.pool[number].clone(), false),
            None => (self.next_random_input(), true),
        };
        let (time, result) = self.run(&input);
        self.times.add(input.len(), time);
        match result {
            Ok(shape) => {
                if self.shapes.insert(shape) && is_new {
                    self.keep(&input);
                }
                self.check_time(&input, time)
            }
            Err(panic) => self.check_panic(&input, panic),
        }
    }

    /// Keeps an input, so that others are derived from it.
    fn keep(&mut self, input: &[u8]) {
        let longest = self.pool.iter().take(self.corpus.end).map(Vec::len).max();
        let is_short = input.len() <= longest.unwrap_or(0).max(MAX_KEPT_BYTES);
        if is_short && self.pool.len() < MAX_POOL {
            self.pool.push(input.to_vec());
        }
    }

    fn next_random_input(&mut self) -> Vec<u8> {
        let purpose = [self.target.name, &self.made.to_string()];
        self.made += 1;
        let mut random = Random::for_purpose(self.seed, &purpose);
        let mut choose = || random.next_below(self.pool.len().max(1) as u64) as usize;
        let (first, second) = (choose(), choose());
        let mut input = self.pool.get(first).cloned().unwrap_or_default();
        let other = self.pool.get(second).map_or(&[][..], Vec::as_slice);
        (self.target.mutate)(self.target, &mut input, other, &mut random);
        input
    }

    /// Runs an input, and returns its time and the shape of its answer.
    fn run(&self, input: &[u8]) -> (Duration, Result<u64, CaughtPanic>) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.begin(input);
        }
        let start = Instant::now();
        let result = panics::catch(|| (self.target.run)(input));
        let time = start.elapsed();
        if let Some(watchdog) = &self.watchdog {
            watchdog.end();
        }
        let result = match result {
            Err(panic) if self.target.is_expected(&panic) => Ok(0),
            result => result,
        };
        (time, result)
    }

    fn check_panic(&mut self, input: &[u8], panic: CaughtPanic) -> Option<(Failure, Vec<u8>)> {
        let is_known = self.failures.iter().any(
            |failure| matches!(failure, Failure::Panic(known) if known.is_same_defect(&panic)),
        );
        if is_known {
            return None;
        }
        let shorter = minimise(input, MAX_TRIALS, |bytes| {
            let result = self.run(bytes).1;
            result.is_err_and(|other| other.is_same_defect(&panic))
        });
        let failure = Failure::Panic(panic);
        self.failures.push(failure.clone());
        Some((failure, shorter))
    }

    /// Runs an input again that took long, because the machine may have been busy, and measures the
    /// CPU time.
    fn check_time(&mut self, input: &[u8], time: Duration) -> Option<(Failure, Vec<u8>)> {
        let limit = self.slow_limit?;
        let cpu_time = |bytes: &[u8]| {
            let start = statistics::cpu_time();
            let _ = self.run(bytes);
            statistics::cpu_time().saturating_sub(start)
        };
        if !self.times.is_slow(input.len(), time, limit) {
            return None;
        }
        let time = cpu_time(input);
        if !self.times.is_slow(input.len(), time, limit) {
            return None;
        }
        let shorter = minimise(input, MAX_SLOW_TRIALS, |bytes| cpu_time(bytes) > limit / 2);
        let failure = Failure::Slow(time);
        self.failures.push(failure.clone());
        Some((failure, shorter))
    }
}
