//! Lines that recur over the pages of a host, in bounded memory.

use crate::measures::Measures;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The number of counters: 4 MB, enough for some 10 million lines, of which one in 60 is then taken
/// for another.
const COUNTERS: usize = 1 << 22;

/// Pages before this one from which a line is boilerplate.
const MIN_PAGES: u8 = 3;

/// A count-min sketch of the pages of each host that have a line. A counter is that of all lines
/// with the same hash, so that a count may be too high, never too low; each line has two.
#[derive(Debug)]
pub struct HostLines {
    counters: Vec<u8>,
}

impl Default for HostLines {
    fn default() -> Self {
        HostLines {
            counters: vec![0; COUNTERS],
        }
    }
}

impl HostLines {
    /// Notes a page of a host. Returns for each of its lines whether at least three earlier pages
    /// of the host have it.
    pub fn find_recurring(&mut self, host: &str, page: &Measures) -> Vec<bool> {
        let host = xxh3_64_with_seed(host.as_bytes(), 0);
        let lines = page.lines.iter();
        lines
            .map(|line| self.count(host, line.key) >= MIN_PAGES)
            .collect()
    }

    /// Returns the number of pages with a line so far, and counts one more.
    fn count(&mut self, host: u64, line: u64) -> u8 {
        let key = xxh3_64_with_seed(&line.to_le_bytes(), host);
        let places = [key as u32, (key >> 32) as u32].map(|half| half as usize % COUNTERS);
        let count = self.counters[places[0]].min(self.counters[places[1]]);
        for place in places {
            // The other counter is that of another line, too, and says too much already.
            let counter = &mut self.counters[place];
            *counter = (*counter).max(count.saturating_add(1));
        }
        count
    }
}
