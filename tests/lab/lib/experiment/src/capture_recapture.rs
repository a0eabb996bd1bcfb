//! Capture-recapture: estimates the size of a population from how often the same documents are
//! found.
//!
//! Both estimators assume that all documents are found with the same probability, or that captures
//! are independent. Engines return some documents for many queries and others for few, so both
//! estimates are lower bounds.

use forage_query::coverage::IntervalEstimate;
use libm::{exp, log};

/// The 97.5 % quantile of the standard normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_964;

/// Returns Chapman's estimate (1951) from two runs that found `first` and `second` documents,
/// `both` of them in common. The variance is Seber's (1982); the interval is log-normal in the
/// number of unseen documents.
pub fn estimate_chapman(first: u64, second: u64, both: u64) -> IntervalEstimate {
    let n = first as f64;
    let m = second as f64;
    let k = both as f64;
    let value = (n + 1.0) * (m + 1.0) / (k + 1.0) - 1.0;
    let variance = (n + 1.0) * (m + 1.0) * (n - k) * (m - k) / ((k + 1.0) * (k + 1.0) * (k + 2.0));
    with_log_normal_interval(n + m - k, value, variance)
}

/// Returns Chao's lower bound (1984, 1987), in its bias-corrected form, from `found` documents, of
/// which `once` were found by one run and `twice` by two.
pub fn estimate_chao1(found: u64, once: u64, twice: u64) -> IntervalEstimate {
    let s = found as f64;
    let f1 = once as f64;
    let f2 = twice as f64;
    let value = s + f1 * (f1 - 1.0) / (2.0 * (f2 + 1.0));
    let variance = if twice > 0 {
        let ratio = f1 / f2;
        f2 * (ratio.powi(2) / 2.0 + ratio.powi(3) + ratio.powi(4) / 4.0)
    } else {
        (f1 * (f1 - 1.0) / 2.0 + f1 * (2.0 * f1 - 1.0).powi(2) / 4.0
            - f1.powi(4) / (4.0 * value.max(1.0)))
        .max(0.0)
    };
    with_log_normal_interval(s, value, variance)
}

/// Returns an estimate with an interval whose lower end is not below the number of documents found
/// (Chao 1987).
fn with_log_normal_interval(found: f64, value: f64, variance: f64) -> IntervalEstimate {
    let unseen = value - found;
    if unseen <= 0.0 {
        return IntervalEstimate {
            value: found,
            low: found,
            high: found,
        };
    }
    let factor = exp(Z * log(1.0 + variance / (unseen * unseen)).sqrt());
    IntervalEstimate {
        value,
        low: found + unseen / factor,
        high: found + unseen * factor,
    }
}

#[cfg(test)]
mod tests {
    use super::{estimate_chao1, estimate_chapman};
    use proptest::prelude::*;

    #[test]
    fn chapmans_estimate_agrees_with_a_manual_calculation() {
        // 101 · 101 / 51 − 1.
        let estimate = estimate_chapman(100, 100, 50);
        assert!((estimate.value - 199.019_607).abs() < 1e-5, "{estimate:?}");
        assert!(
            estimate.low > 150.0 && estimate.low < 180.0 && estimate.high < 250.0,
            "{estimate:?}"
        );
        assert_eq!(estimate_chapman(10, 10, 10).high, 10.0);
    }

    #[test]
    fn chaos_bound_agrees_with_a_manual_calculation() {
        // 90 + 20 · 19 / (2 · 11).
        assert!((estimate_chao1(90, 20, 10).value - (90.0 + 380.0 / 22.0)).abs() < 1e-9);
        assert_eq!(estimate_chao1(90, 0, 10).value, 90.0);
        assert!(estimate_chao1(5, 5, 0).value > 5.0);
    }

    proptest! {
        #[test]
        fn an_estimate_lies_in_its_interval_and_not_below_the_documents_found(
            a in 0_u64..5000,
            b in 0_u64..5000,
            c in 0_u64..5000,
        ) {
            let both = c.min(a).min(b);
            let found = (a + b - both) as f64;
            let e = estimate_chapman(a, b, both);
            prop_assert!(found <= e.low && e.low <= e.value, "{e:?}");
            prop_assert!(e.value <= e.high && e.high.is_finite(), "{e:?}");
            let e = estimate_chao1(a + b, a, b);
            prop_assert!((a + b) as f64 <= e.low && e.low <= e.value, "{e:?}");
            prop_assert!(e.value <= e.high && e.high.is_finite(), "{e:?}");
        }
    }
}
