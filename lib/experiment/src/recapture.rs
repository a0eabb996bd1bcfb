//! Capture and recapture: the size of a population, from how often the same documents are found.
//!
//! Both estimates assume that all documents are found with the same probability, or that captures
//! are independent. Engines return some documents for many queries and others for few, so that both
//! are lower bounds.

use forage_query::coverage::IntervalEstimate;
use libm::{exp, log};

/// The 97.5 % point of the normal distribution.
const Z: f64 = 1.959_964;

/// Chapman's estimate (1951) from two runs that found `first` and `second` documents, `both` of
/// them the same; with Seber's variance (1982), the interval log-normal over what is unseen.
pub fn chapman(first: u64, second: u64, both: u64) -> IntervalEstimate {
    let (n, m, k) = (first as f64, second as f64, both as f64);
    let value = (n + 1.0) * (m + 1.0) / (k + 1.0) - 1.0;
    let variance = (n + 1.0) * (m + 1.0) * (n - k) * (m - k) / ((k + 1.0) * (k + 1.0) * (k + 2.0));
    around(n + m - k, value, variance)
}

/// Chao's lower bound (1984, 1987; the form without bias) from `met` documents, of which `once`
/// were met once and `twice` twice.
pub fn chao1(met: u64, once: u64, twice: u64) -> IntervalEstimate {
    let (s, f1, f2) = (met as f64, once as f64, twice as f64);
    let value = s + f1 * (f1 - 1.0) / (2.0 * (f2 + 1.0));
    let variance = if twice > 0 {
        let ratio = f1 / f2;
        f2 * (ratio.powi(2) / 2.0 + ratio.powi(3) + ratio.powi(4) / 4.0)
    } else {
        (f1 * (f1 - 1.0) / 2.0 + f1 * (2.0 * f1 - 1.0).powi(2) / 4.0
            - f1.powi(4) / (4.0 * value.max(1.0)))
        .max(0.0)
    };
    around(s, value, variance)
}

/// An interval that does not reach below what was met (Chao 1987).
fn around(met: f64, value: f64, variance: f64) -> IntervalEstimate {
    let unseen = value - met;
    if unseen <= 0.0 {
        return IntervalEstimate {
            value: met,
            low: met,
            high: met,
        };
    }
    let spread = exp(Z * log(1.0 + variance / (unseen * unseen)).sqrt());
    IntervalEstimate {
        value,
        low: met + unseen / spread,
        high: met + unseen * spread,
    }
}

#[cfg(test)]
mod tests {
    use super::{chao1, chapman};
    use proptest::prelude::*;

    #[test]
    fn chapmans_estimate_by_hand() {
        // 101 · 101 / 51 − 1.
        let estimate = chapman(100, 100, 50);
        assert!((estimate.value - 199.019_607).abs() < 1e-5, "{estimate:?}");
        assert!(
            estimate.low > 150.0 && estimate.low < 180.0 && estimate.high < 250.0,
            "{estimate:?}"
        );
        assert_eq!(chapman(10, 10, 10).high, 10.0);
    }

    #[test]
    fn chaos_bound_by_hand() {
        // 90 + 20 · 19 / (2 · 11).
        assert!((chao1(90, 20, 10).value - (90.0 + 380.0 / 22.0)).abs() < 1e-9);
        assert_eq!(chao1(90, 0, 10).value, 90.0);
        assert!(chao1(5, 5, 0).value > 5.0);
    }

    proptest! {
        #[test]
        fn an_estimate_lies_in_its_interval_and_not_below_what_was_met(a in 0_u64..5000, b in 0_u64..5000, c in 0_u64..5000) {
            let both = c.min(a).min(b);
            let met = (a + b - both) as f64;
            let e = chapman(a, b, both);
            prop_assert!(met <= e.low && e.low <= e.value && e.value <= e.high && e.high.is_finite(), "{e:?}");
            let e = chao1(a + b, a, b);
            prop_assert!((a + b) as f64 <= e.low && e.low <= e.value && e.value <= e.high && e.high.is_finite(), "{e:?}");
        }
    }
}
