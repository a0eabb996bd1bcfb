//! The selection of one side of a query: a method and a length, as in `or:3`.

use super::SelectionMethod;
use std::fmt;
use std::str::FromStr;

/// Maximum number of terms on one side of a query (`docs/algorithms.md`, "Learned query
/// parameters").
pub const MAX_SIDE_LENGTH: u32 = 10;

/// A selection method and the number of terms to select, as in `or:3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectionSpec {
    /// The selection method.
    pub method: SelectionMethod,
    /// Number of terms, 0 to [`MAX_SIDE_LENGTH`].
    pub length: u32,
}

impl FromStr for SelectionSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':');
        let (method, length) =
            parts.ok_or("expected a method and a number of terms, as in or:3")?;
        let length = length.parse().ok().filter(|n| *n <= MAX_SIDE_LENGTH);
        let length = length.ok_or(format!("expected 0 to {MAX_SIDE_LENGTH} terms"))?;
        Ok(SelectionSpec {
            method: method.parse()?,
            length,
        })
    }
}

impl fmt::Display for SelectionSpec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.method.name(), self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::SelectionSpec;

    #[test]
    fn parses_a_method_and_a_length() {
        assert_eq!(
            "rtfidf:10".parse::<SelectionSpec>().unwrap().to_string(),
            "rtfidf:10"
        );
        assert!(
            "or".parse::<SelectionSpec>().is_err()
                && "or:11".parse::<SelectionSpec>().is_err()
                && "xx:1".parse::<SelectionSpec>().is_err()
        );
    }
}
