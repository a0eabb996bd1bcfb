//! The argument `--classifier`.

use langid::state_file::ClassProfiles;
use std::str::FromStr;

/// An argument of `--classifier`, as in corpus-builder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Classifier {
    /// The built-in model of langid.
    Builtin,
    /// Profiles of the classes of the run, which learn from documents with this margin or more.
    Run {
        /// Minimum margin.
        min_margin: f64,
    },
}

impl FromStr for Classifier {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let min_margin = match text {
            "builtin" => return Ok(Classifier::Builtin),
            "run" => Some(ClassProfiles::MIN_MARGIN),
            _ => text.strip_prefix("run:").and_then(|text| text.parse().ok()),
        };
        min_margin
            .filter(|margin| (0.0..=1.0).contains(margin))
            .map(|min_margin| Classifier::Run { min_margin })
            .ok_or_else(|| {
                "expected builtin, run or run:MARGIN, with a MARGIN from 0 to 1, as in run:0.03"
                    .into()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::Classifier;
    use langid::state_file::ClassProfiles;

    #[test]
    fn the_margin_is_a_share() {
        let run = |min_margin| Ok(Classifier::Run { min_margin });
        assert_eq!("builtin".parse(), Ok(Classifier::Builtin));
        assert_eq!("run".parse(), run(ClassProfiles::MIN_MARGIN));
        assert_eq!("run:0".parse(), run(0.0));
        assert_eq!("run:1.0".parse(), run(1.0));
        for text in ["", "run:", "run:2", "run:-0.1", "run:nan", "Run"] {
            assert!(text.parse::<Classifier>().is_err(), "{text}");
        }
    }
}
