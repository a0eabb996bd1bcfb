//! Times of the inputs of a campaign.

use std::time::Duration;

/// Inputs of a size that must have been run before one of that size can be called slow.
const MIN_SAMPLES: u64 = 20;
/// Classes of sizes and of times, by powers of two.
const CLASSES: usize = 64;

/// The times of inputs by their sizes, as histograms of powers of two.
#[derive(Debug)]
pub struct InputTimes {
    /// By ⌊log2 bytes⌋, the numbers of inputs by ⌊log2 microseconds⌋.
    histograms: Vec<[u64; CLASSES]>,
    /// The longest time, and the size of that input in bytes.
    pub slowest: (Duration, usize),
}

impl Default for InputTimes {
    fn default() -> Self {
        InputTimes {
            histograms: vec![[0; CLASSES]; CLASSES],
            slowest: (Duration::ZERO, 0),
        }
    }
}

impl InputTimes {
    /// Adds the time of an input of this size.
    pub fn add(&mut self, bytes: usize, time: Duration) {
        let class = log2(time.as_micros() as u64);
        self.histograms[log2(bytes as u64)][class] += 1;
        self.slowest = self.slowest.max((time, bytes));
    }

    /// Returns `true` if an input takes much longer than others of its size: more than 20 times the
    /// median, and more than `limit`.
    pub fn is_slow(&self, bytes: usize, time: Duration, limit: Duration) -> bool {
        let histogram = &self.histograms[log2(bytes as u64)];
        let median = median(histogram).filter(|_| histogram.iter().sum::<u64>() >= MIN_SAMPLES);
        time > limit && median.is_none_or(|median| time > 20 * median)
    }

    /// Returns the number of inputs.
    pub fn count(&self) -> u64 {
        self.histograms.iter().flatten().sum()
    }

    /// Returns the median time of all inputs, rounded up to a power of two.
    pub fn median(&self) -> Duration {
        let mut all = [0; CLASSES];
        for histogram in &self.histograms {
            for (sum, count) in all.iter_mut().zip(histogram) {
                *sum += count;
            }
        }
        median(&all).unwrap_or_default()
    }
}

/// Returns the upper end of the class that has the median.
fn median(histogram: &[u64; CLASSES]) -> Option<Duration> {
    let half = histogram.iter().sum::<u64>().div_ceil(2);
    let mut sum = 0;
    let class = histogram.iter().position(|count| {
        sum += count;
        sum >= half && sum > 0
    })?;
    Some(Duration::from_micros(2 << class))
}

/// Returns the CPU time of this process, to 10 ms; 0 on systems that have no `/proc`.
pub fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may contain blanks.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let times = fields.split_ascii_whitespace().skip(11).take(2);
    let ticks = times.filter_map(|ticks| ticks.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

fn log2(number: u64) -> usize {
    number.max(1).ilog2() as usize
}

#[cfg(test)]
mod tests {
    use super::InputTimes;
    use std::time::Duration;

    #[test]
    fn an_input_is_slow_by_the_median_of_its_size() {
        let mut times = InputTimes::default();
        for _ in 0..30 {
            times.add(1000, Duration::from_millis(50));
            times.add(9000, Duration::from_millis(500));
        }
        let is_slow = |bytes, seconds| {
            times.is_slow(bytes, Duration::from_secs(seconds), Duration::from_secs(2))
        };
        assert!(is_slow(1000, 3) && !is_slow(9000, 3) && !is_slow(1000, 1));
    }
}
