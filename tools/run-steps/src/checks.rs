//! Checks of the values of options.

use std::ops::RangeInclusive;

/// Checks a value; fails with what is wrong.
pub type Check = fn(&str) -> Result<(), &'static str>;

/// Returns the check of this name in the tables of options.
pub fn check_named(name: &str) -> Option<Check> {
    Some(match name {
        "batch" => batch,
        "classes" => classes,
        "classifier" => classifier,
        "contact" => contact,
        "contrast" => contrast,
        "engine" => engine,
        "label" => label,
        "langid_method" => langid_method,
        "news_strategy" => news_strategy,
        "number" => number,
        "patience" => patience,
        "person" => person,
        "port" => port,
        "positive" => positive,
        "positive_seconds" => positive_seconds,
        "positive_share" => positive_share,
        "seconds" => seconds,
        "share" => share,
        "threshold" => threshold,
        _ => return None,
    })
}

/// Accepts any value.
pub fn any(_: &str) -> Result<(), &'static str> {
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

fn number(value: &str) -> Result<(), &'static str> {
    ensure(is_number(value, 0..=MAX_NUMBER), "is not a number")
}

fn positive(value: &str) -> Result<(), &'static str> {
    number(value)?;
    ensure(value != "0", "must be at least 1")
}

fn port(value: &str) -> Result<(), &'static str> {
    ensure(
        is_number(value, 1..=65_535),
        "is not a port from 1 to 65535",
    )
}

/// Accepts the address of a mailbox or of a page, by which webmasters can reach the user.
fn contact(value: &str) -> Result<(), &'static str> {
    let is_contact = forage_cli::parse_contact(value).is_ok();
    ensure(is_contact, forage_cli::NO_CONTACT)
}

fn batch(value: &str) -> Result<(), &'static str> {
    let message = "is neither auto nor a number from 1 to 1000000";
    ensure(value == "auto" || is_number(value, 1..=1_000_000), message)
}

fn patience(value: &str) -> Result<(), &'static str> {
    let is_valid = value == "none" || is_number(value, 0..=MAX_NUMBER);
    ensure(is_valid, "is neither none nor a number")
}

/// Accepts a name that can be a part of the name of a file.
fn person(value: &str) -> Result<(), &'static str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    // A dot alone is the folder in which the user is.
    let has_letter = value.is_empty() || value.chars().any(char::is_alphanumeric);
    let is_name = value.chars().all(is_plain) && has_letter && value.len() <= 100;
    ensure(is_name, "is not a name of letters, digits, - and _")
}

fn seconds(value: &str) -> Result<(), &'static str> {
    let is_valid = is_decimal(value) && !value.starts_with('.') && !value.ends_with('.');
    ensure(is_valid, "is not a number of seconds")
}

fn positive_seconds(value: &str) -> Result<(), &'static str> {
    seconds(value)?;
    let is_positive = value.parse::<f64>().is_ok_and(|value| value > 0.0);
    ensure(is_positive, "must be greater than 0")
}

fn threshold(value: &str) -> Result<(), &'static str> {
    ensure(is_decimal(value), "is not a number of at least 0")
}

fn share(value: &str) -> Result<(), &'static str> {
    let is_share = is_decimal(value) && value.parse::<f64>().is_ok_and(|value| value <= 1.0);
    ensure(is_share, "is not a share from 0 to 1")
}

fn positive_share(value: &str) -> Result<(), &'static str> {
    let is_positive = value.parse::<f64>().is_ok_and(|value| value > 0.0);
    let is_valid = share(value).is_ok() && is_positive;
    ensure(is_valid, "is not a share above 0 and at most 1")
}

fn langid_method(value: &str) -> Result<(), &'static str> {
    let is_known = matches!(value, "evidence" | "out-of-place");
    ensure(is_known, "expected evidence or out-of-place")
}

fn classifier(value: &str) -> Result<(), &'static str> {
    let margin = value.strip_prefix("run:");
    let is_valid = matches!(value, "builtin" | "run")
        || margin.is_some_and(|margin| seconds(margin).is_ok() && share(margin).is_ok());
    let message = "expected builtin, run or run:MARGIN, with a MARGIN from 0 to 1";
    ensure(is_valid, message)
}

fn engine(value: &str) -> Result<(), &'static str> {
    let is_known = matches!(value, "slurm" | "parallel" | "spark") || value.contains('/');
    ensure(is_known, "expected slurm, parallel, spark or ./PROGRAM")
}

fn news_strategy(value: &str) -> Result<(), &'static str> {
    let is_known = matches!(value, "rocchio" | "samples" | "auto");
    ensure(is_known, "is not a strategy; use rocchio, samples or auto")
}

fn label(value: &str) -> Result<(), &'static str> {
    let is_class = !value.contains(|c: char| "=/,".contains(c) || c.is_whitespace());
    ensure(is_class, "is not a class")?;
    let message = "is the label of other documents; take another one";
    ensure(value != "off-topic", message)
}

/// Classes separated by commas.
fn classes(value: &str) -> Result<(), &'static str> {
    let message = "classes are separated by commas, without spaces";
    ensure(!value.contains([' ', '\t']), message)?;
    let is_list = value.split(',').all(|class| !class.is_empty());
    ensure(is_list, "expected classes, separated by commas")
}

fn contrast(value: &str) -> Result<(), &'static str> {
    ensure(matches!(value, "others" | "all"), "expected others or all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        let cases: [(Check, &[&str], &[&str]); 10] = [
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
            (
                person,
                &["ana", "b.", "Žiga-2"],
                &[".", "..", "-", "../ana"],
            ),
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
