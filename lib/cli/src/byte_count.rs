//! Numbers of bytes as arguments.

/// Parses a number of bytes: digits, and optionally a suffix K, M or G, in either case, for a power
/// of 1024.
///
/// # Errors
/// Fails if `text` has another form, or the number is too large.
fn parse_byte_count<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    const FORM: &str = "not a number of bytes; write it as 1000000, 64K, 32M or 1G";
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FORM.into());
    }
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| "too large".into())
}

/// Parses a number of bytes that is not 0, written with digits and optionally a suffix K, M or G,
/// in either case, for a power of 1024.
///
/// # Errors
/// Fails if `text` has another form, or the number is 0 or too large.
pub fn parse_positive_byte_count<N: TryFrom<u64>>(text: &str) -> Result<N, String> {
    match parse_byte_count(text) {
        Ok(0_u64) => Err("must be greater than 0".into()),
        _ => parse_byte_count(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_byte_count, parse_positive_byte_count};

    #[test]
    fn suffixes_are_powers_of_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("1000", 1000),
            ("64k", 64 << 10),
            ("100M", 100 << 20),
            ("2G", 2 << 30),
        ] {
            assert_eq!(parse_byte_count::<u64>(text), Ok(bytes));
        }
        for text in ["", "M", "-1", "1.5M", "1 M", "1MB", "10T", "M1", "ž"] {
            let error = parse_byte_count::<u64>(text).unwrap_err();
            assert!(error.starts_with("not a number of bytes"), "{text}");
        }
        for text in ["99999999999G", "99999999999999999999"] {
            assert_eq!(parse_byte_count::<u64>(text), Err("too large".into()));
        }
        assert!(parse_positive_byte_count::<usize>("0K").is_err());
        assert_eq!(
            parse_positive_byte_count::<u8>("300"),
            Err("too large".into())
        );
        assert_eq!(
            parse_positive_byte_count(&u64::MAX.to_string()),
            Ok(u64::MAX)
        );
    }
}
