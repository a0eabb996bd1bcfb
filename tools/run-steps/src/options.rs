//! Options of a pipeline, and the checks of their values.
//!
//! A pipeline is described by tables of [`OptionSpec`]s. The command line, `--help`, the man page
//! and the settings in `run.conf` are all derived from them.

use std::ops::RangeInclusive;

/// Checks a value; fails with what is wrong.
pub type Check = fn(&str) -> Result<(), &'static str>;

/// How often an option is given, and with what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Without a value.
    Flag,
    /// Once, with a value. Given again, the last value counts.
    Value,
    /// Several times, with a value each.
    Repeated,
    /// With one or more values, up to the next option.
    Many,
}

/// An option of a pipeline.
#[derive(Clone, Copy)]
pub struct OptionSpec {
    pub name: &'static str,
    /// The placeholder of the value in `--help`.
    pub value: &'static str,
    pub arity: Arity,
    /// The value of a run for which none is given; empty for none.
    pub default: &'static str,
    pub check: Check,
    /// Whether the option is a setting of the run, stored in `run.conf`.
    pub is_stored: bool,
    /// Whether `--resume` accepts another value.
    pub is_changeable: bool,
    /// Whether only a new run has the option, although it is not stored.
    pub is_initial: bool,
    pub help: &'static str,
}

impl OptionSpec {
    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = value;
        self
    }

    pub const fn checked(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// `--resume` accepts another value.
    pub const fn changeable(mut self) -> Self {
        self.is_changeable = true;
        self
    }

    /// The option is no setting of the run.
    pub const fn unstored(mut self) -> Self {
        self.is_stored = false;
        self
    }

    /// The option is no setting of the run, but what a new run reads.
    pub const fn initial(mut self) -> Self {
        self.is_initial = true;
        self.unstored()
    }

    pub const fn repeated(mut self) -> Self {
        self.arity = Arity::Repeated;
        self
    }

    /// Several values may follow the option.
    pub const fn many(mut self) -> Self {
        self.arity = Arity::Many;
        self
    }
}

/// An option with a value.
pub const fn setting(name: &'static str, value: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        value,
        arity: Arity::Value,
        default: "",
        check: any,
        is_stored: true,
        is_changeable: false,
        is_initial: false,
        help,
    }
}

/// An option without a value. As a setting it is `yes`.
pub const fn flag(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec {
        arity: Arity::Flag,
        ..setting(name, "", help)
    }
}

/// A heading of `--help`, and the options below it.
pub type Group = (&'static str, &'static [OptionSpec]);

// --- checks -------------------------------------------------------------------------------------

fn any(_: &str) -> Result<(), &'static str> {
    Ok(())
}

fn ensure(holds: bool, message: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(message) }
}

/// The largest number that an option takes: it and sums of a few are far from an overflow.
const MAX_NUMBER: u64 = 999_999_999_999_999;

fn is_number(value: &str, range: RangeInclusive<u64>) -> bool {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = value.len() > 1 && value.starts_with('0');
    is_plain && !has_leading_zero && value.parse().is_ok_and(|number| range.contains(&number))
}

/// Returns whether the value is a decimal number without a sign or an exponent.
fn is_decimal(value: &str) -> bool {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_plain = |part: &str| part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit());
    value.bytes().any(|byte| byte.is_ascii_digit()) && is_plain(whole) && is_plain(fraction)
}

pub fn number(value: &str) -> Result<(), &'static str> {
    ensure(is_number(value, 0..=MAX_NUMBER), "is not a number")
}

pub fn positive(value: &str) -> Result<(), &'static str> {
    number(value)?;
    ensure(value != "0", "must be at least 1")
}

pub fn batch(value: &str) -> Result<(), &'static str> {
    let message = "is neither auto nor a number from 1 to 1000000";
    ensure(value == "auto" || is_number(value, 1..=1_000_000), message)
}

pub fn patience(value: &str) -> Result<(), &'static str> {
    let is_valid = value == "none" || is_number(value, 0..=MAX_NUMBER);
    ensure(is_valid, "is neither none nor a number")
}

pub fn seconds(value: &str) -> Result<(), &'static str> {
    let is_valid = is_decimal(value) && !value.starts_with('.') && !value.ends_with('.');
    ensure(is_valid, "is not a number of seconds")
}

pub fn positive_seconds(value: &str) -> Result<(), &'static str> {
    seconds(value)?;
    let is_positive = value.parse::<f64>().is_ok_and(|value| value > 0.0);
    ensure(is_positive, "must be greater than 0")
}

pub fn threshold(value: &str) -> Result<(), &'static str> {
    ensure(is_decimal(value), "is not a number of at least 0")
}

pub fn share(value: &str) -> Result<(), &'static str> {
    let is_share = is_decimal(value) && value.parse::<f64>().is_ok_and(|value| value <= 1.0);
    ensure(is_share, "is not a share from 0 to 1")
}

pub fn positive_share(value: &str) -> Result<(), &'static str> {
    let is_positive = value.parse::<f64>().is_ok_and(|value| value > 0.0);
    let is_valid = share(value).is_ok() && is_positive;
    ensure(is_valid, "is not a share above 0 and at most 1")
}

pub fn langid_method(value: &str) -> Result<(), &'static str> {
    let is_known = matches!(value, "evidence" | "out-of-place");
    ensure(is_known, "expected evidence or out-of-place")
}

pub fn classifier(value: &str) -> Result<(), &'static str> {
    let margin = value.strip_prefix("run:");
    let is_valid = matches!(value, "builtin" | "run")
        || margin.is_some_and(|margin| seconds(margin).is_ok() && share(margin).is_ok());
    let message = "expected builtin, run or run:MARGIN, with a MARGIN from 0 to 1";
    ensure(is_valid, message)
}

pub fn news_strategy(value: &str) -> Result<(), &'static str> {
    let is_known = matches!(value, "rocchio" | "samples" | "auto");
    ensure(is_known, "is not a strategy; use rocchio, samples or auto")
}

pub fn label(value: &str) -> Result<(), &'static str> {
    let is_class = !value.contains(|c: char| "=/,".contains(c) || c.is_whitespace());
    ensure(is_class, "is not a class")?;
    let message = "is the label of other documents; take another one";
    ensure(value != "off-topic", message)
}

/// Classes separated by commas.
pub fn classes(value: &str) -> Result<(), &'static str> {
    let message = "classes are separated by commas, without spaces";
    ensure(!value.contains([' ', '\t']), message)?;
    let is_list = value.split(',').all(|class| !class.is_empty());
    ensure(is_list, "expected classes, separated by commas")
}

pub fn contrast(value: &str) -> Result<(), &'static str> {
    ensure(matches!(value, "others" | "all"), "expected others or all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let cases: [(Check, &[&str], &[&str]); 9] = [
            (
                number,
                &["0", "7", "999999999999999"],
                &["", "-1", "07", "1e3", "9999999999999999"],
            ),
            (positive, &["1"], &["0", "x"]),
            (batch, &["auto", "1", "1000000"], &["0", "1000001", "Auto"]),
            (patience, &["none", "0", "3600"], &["1.5", "-1"]),
            (
                positive_seconds,
                &["0.5", "2"],
                &["0", "0.0", ".5", "1.", "inf"],
            ),
            (threshold, &["0", ".5", "2."], &["", ".", "-1", "nan"]),
            (share, &["0", "1", "0.125", ".5"], &["1.1", "2"]),
            (
                classifier,
                &["builtin", "run", "run:0", "run:0.03"],
                &["run:", "run:2", "x"],
            ),
            (classes, &["slv", "slv,hrv"], &["slv,", ",", "slv, hrv"]),
        ];
        for (check, accepted, refused) in cases {
            for value in accepted {
                assert_eq!(check(value), Ok(()), "{value}");
            }
            for value in refused {
                assert!(check(value).is_err(), "{value}");
            }
        }
    }
}
