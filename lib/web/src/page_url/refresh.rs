//! Redirects by a page: the header field `Refresh`, and `<meta http-equiv=refresh>`.

/// Longest delay in seconds after which a page redirects; one with a longer delay is for readers.
/// Set by judgement, not measured.
const MAX_REDIRECT_DELAY: u64 = 10;

/// Returns the reference to the page that a value of `Refresh` redirects to: `None` if there is
/// none, or the delay is long. The same grammar applies to the field and to the tag (the HTML
/// standard, "shared declarative refresh steps").
pub fn refresh_target(value: &str) -> Option<&str> {
    let value = value.trim_ascii_start();
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_redirect = match &value[..digits] {
        "" => value.starts_with('.'),
        // A number that is too large for the type is a long delay, too.
        digits => digits
            .parse()
            .is_ok_and(|delay: u64| delay <= MAX_REDIRECT_DELAY),
    };
    let rest = value[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !is_redirect || !rest.starts_with(|c: char| c.is_ascii_whitespace() || ";,".contains(c)) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii();
    let reference = without_name(rest).unwrap_or(rest);
    let reference = match reference.chars().next() {
        Some(quote @ ('"' | '\'')) => reference[1..].split(quote).next().unwrap_or_default(),
        _ => reference,
    };
    (!reference.is_empty()).then_some(reference)
}

/// Returns the text after `url=`.
fn without_name(text: &str) -> Option<&str> {
    let (name, rest) = text.split_at_checked("url".len())?;
    let value = rest.trim_ascii_start().strip_prefix('=')?;
    name.eq_ignore_ascii_case("url")
        .then(|| value.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::refresh_target;
    use proptest::prelude::*;

    #[test]
    fn a_short_delay_and_a_reference_are_a_redirect() {
        for value in [
            "0;url=/x",
            "0; URL=/x",
            "0;URL='/x'",
            "0; url=\"/x\" and more",
            " 3 , Url = /x ",
            "0 /x",
            "0;/x",
            "5.9;url=/x",
            ".5;url=/x",
            "0\t;\nurl=/x",
            "10;url='/x",
        ] {
            assert_eq!(refresh_target(value), Some("/x"), "{value}");
        }
        assert_eq!(refresh_target("0;urls=/x"), Some("urls=/x"));
        for value in [
            "",
            "0",
            "5;",
            "0;url=",
            "0;url=''",
            "url=/x",
            ";url=/x",
            "0url=/x",
            "-1;url=/x",
            "11;url=/x",
            "300;url=/x",
            "99999999999999999999999;url=/x",
        ] {
            assert_eq!(refresh_target(value), None, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_value_can_be_parsed(value in "[0-9.;,= urlURL'\"č/]{0,20}") {
            let _ = refresh_target(&value);
        }
    }
}
