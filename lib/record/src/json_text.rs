//! Strings and numbers as JSON text.

/// Appends a string. Most need no escapes.
pub(crate) fn push_string(json: &mut String, text: &str) {
    let is_plain = |byte: u8| (byte >= b' ') & (byte != b'"') & (byte != b'\\');
    if text
        .bytes()
        .fold(true, |plain, byte| plain & is_plain(byte))
    {
        json.push('"');
        json.push_str(text);
        json.push('"');
    } else {
        let escaped = serde_json::to_string(text).expect("a string can always be serialized");
        json.push_str(&escaped);
    }
}

/// Appends a probability, rounded to four decimals. More would not be significant, and could differ
/// between machines.
pub(crate) fn push_probability(json: &mut String, number: f64) {
    let ten_thousandths = (number * 1e4).clamp(0.0, 1e4);
    let whole = ten_thousandths as u16;
    let rounded = whole + u16::from(ten_thousandths - f64::from(whole) >= 0.5);
    let decimals = match rounded {
        10_000 => return json.push_str("1.0"),
        rounded => 10_000 + rounded,
    };
    json.push_str("0.");
    for unit in [1000, 100, 10, 1] {
        json.push(char::from(b'0' + (decimals / unit % 10) as u8));
        if decimals % unit == 0 {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_written_as_numbers_with_four_decimals() {
        let check = |number: f64, expected: f64| {
            let mut json = String::new();
            push_probability(&mut json, number);
            assert_eq!(json, serde_json::to_string(&expected).unwrap(), "{number}");
        };
        for number in 0..=20_000 {
            let number = f64::from(number) / 2e4;
            check(number, (number * 1e4).round() / 1e4);
        }
        check(0.123_449_999, 0.1234);
        check(f64::NAN, 0.0);
    }

    #[test]
    fn strings_are_escaped() {
        for text in ["", "slv", "kruti-dev", "a\"b\\c", "č\n"] {
            let mut json = String::new();
            push_string(&mut json, text);
            assert_eq!(json, serde_json::to_string(text).unwrap());
        }
    }
}
