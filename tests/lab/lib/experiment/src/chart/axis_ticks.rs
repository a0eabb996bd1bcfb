//! The end and the ticks of an axis.

/// Number of intervals between ticks to aim at. Set by judgement.
const TARGET_INTERVALS: f64 = 5.0;

/// The ticks of an axis that starts at 0. Their distance is 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisTicks {
    /// The greatest number on the axis.
    pub(crate) end: f64,
    /// The distance between two ticks.
    pub(crate) step: f64,
}

impl AxisTicks {
    /// Returns about five ticks for numbers up to `max`. With `ends_at_tick` the axis is extended
    /// to the next tick.
    pub(crate) fn new(max: f64, ends_at_tick: bool) -> AxisTicks {
        let max = if max.is_finite() && max > 0.0 {
            max
        } else {
            1.0
        };
        let rough_step = max / TARGET_INTERVALS;
        let power = 10_f64.powi(rough_step.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|digit| digit * power)
            .into_iter()
            .find(|step| *step >= rough_step * 0.999)
            .unwrap_or(10.0 * power);
        let end = if ends_at_tick {
            // The tolerance prevents a further tick for a number that exceeds a tick by a rounding
            // error.
            (max / step - 1e-9).ceil() * step
        } else {
            max
        };
        AxisTicks { end, step }
    }

    /// Returns the number of ticks, without the one at 0.
    pub(crate) fn count(&self) -> usize {
        (self.end / self.step + 1e-9).floor() as usize
    }
}

/// Formats the number of a tick, with commas between thousands, and with as many decimals as the
/// distance between ticks has.
pub(crate) fn format_tick(number: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let text = format!("{number:.decimals$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let groups = whole.as_bytes().rchunks(3).rev();
    let thousands: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    thousands.join(",") + fraction
}

#[cfg(test)]
mod tests {
    use super::{AxisTicks, format_tick};

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            AxisTicks::new(600.0, false),
            AxisTicks {
                end: 600.0,
                step: 200.0
            }
        );
        assert_eq!(
            AxisTicks::new(2434.0, true),
            AxisTicks {
                end: 2500.0,
                step: 500.0
            }
        );
        assert_eq!(
            AxisTicks::new(1.0, true),
            AxisTicks {
                end: 1.0,
                step: 0.2
            }
        );
        assert_eq!(AxisTicks::new(0.0, true).count(), 5);
        assert_eq!(AxisTicks::new(f64::NAN, true).count(), 5);
    }

    #[test]
    fn tick_labels_have_no_more_decimals_than_needed() {
        assert_eq!(
            [
                format_tick(0.4, 0.2),
                format_tick(2500.0, 500.0),
                format_tick(0.0, 0.05)
            ],
            ["0.4", "2,500", "0.00"]
        );
    }
}
