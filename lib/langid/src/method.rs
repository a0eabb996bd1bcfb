//! The identification methods.

use std::fmt;
use std::str::FromStr;

/// A method of comparing a text with the languages of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Method {
    /// Evidence scores of words and n-grams (after Jauhiainen, Lindén & Jauhiainen 2016).
    #[default]
    Evidence,
    /// Out-of-place distance of n-gram ranks (Cavnar & Trenkle 1994).
    OutOfPlace,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Evidence, Self::OutOfPlace];

    /// The name of the method on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Evidence => "evidence",
            Self::OutOfPlace => "out-of-place",
        }
    }
}

/// A string that is not the name of a method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown method {0:?}; use one of: {names}",
    names = Method::ALL.map(Method::as_str).join(", ")
)]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL
            .into_iter()
            .find(|m| m.as_str() == name)
            .ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
