//! Where an axis ends and has its ticks.

/// An axis from 0: its end, and the distance of its ticks, which is 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ticks {
    /// The greatest number on the axis.
    pub(crate) end: f64,
    /// The distance of two ticks.
    pub(crate) step: f64,
}

/// Ticks for numbers up to `most`: about five of them. With `is_whole` the axis ends at a tick.
pub(crate) fn ticks(most: f64, is_whole: bool) -> Ticks {
    /// Intervals that are aimed at.
    const WANTED: f64 = 5.0;
    let most = if most.is_finite() && most > 0.0 {
        most
    } else {
        1.0
    };
    let rough = most / WANTED;
    let power = 10_f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    // What is over a tick by rounding alone needs no further one.
    Ticks {
        end: if is_whole {
            (most / step - 1e-9).ceil() * step
        } else {
            most
        },
        step,
    }
}

impl Ticks {
    /// How many ticks there are, that at 0 not among them.
    pub(crate) fn count(&self) -> usize {
        (self.end / self.step + 1e-9).floor() as usize
    }
}

/// A tick's number as it is written: thousands grouped, no more decimals than the distance of the
/// ticks has.
pub(crate) fn label(number: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let text = format!("{number:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let threes = whole.as_bytes().rchunks(3).rev();
    let thousands: Vec<_> = threes.map(String::from_utf8_lossy).collect();
    thousands.join(",") + rest
}

#[cfg(test)]
mod tests {
    use super::{Ticks, label, ticks};

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            ticks(600.0, false),
            Ticks {
                end: 600.0,
                step: 200.0
            }
        );
        assert_eq!(
            ticks(2434.0, true),
            Ticks {
                end: 2500.0,
                step: 500.0
            }
        );
        assert_eq!(
            ticks(1.0, true),
            Ticks {
                end: 1.0,
                step: 0.2
            }
        );
        assert_eq!(ticks(0.0, true).count(), 5);
        assert_eq!(ticks(f64::NAN, true).count(), 5);
    }

    #[test]
    fn labels_have_no_more_digits_than_they_need() {
        assert_eq!(
            [label(0.4, 0.2), label(2500.0, 500.0), label(0.0, 0.05)],
            ["0.4", "2,500", "0.00"]
        );
    }
}
