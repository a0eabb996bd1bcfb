//! The sides of a finding: a number, or a value of a setting times a factor.

use crate::setting_value::SettingValue;

/// A side of a finding.
#[derive(Debug, Clone)]
pub(crate) struct ComparedSide {
    /// The factor, or the number if there is no value.
    pub factor: f64,
    /// The value, before the factor is applied.
    pub value: Option<SettingValue>,
}

/// Parses a finite number.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses a list of targets that are separated by commas.
pub(crate) fn parse_targets(names: &[&str]) -> Vec<String> {
    names
        .iter()
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

impl ComparedSide {
    /// Parses a number, or `[FACTOR *] SETTING QUANTITY CHECKPOINT [TARGETS]`. A factor is above 0.
    pub(crate) fn parse(text: &str) -> Result<ComparedSide, String> {
        let malformed = || {
            format!(
                "`{text}` is neither a number nor a value such as `or:3 PosCalls calls=300 slv,tgl`"
            )
        };
        if let Some(factor) = parse_number(text) {
            return Ok(ComparedSide {
                factor,
                value: None,
            });
        }
        let (factor, value) = text.split_once(" * ").unwrap_or(("1", text));
        let words: Vec<&str> = value.split_whitespace().collect();
        let [setting, quantity, checkpoint, targets @ ..] = &words[..] else {
            return Err(malformed());
        };
        if targets.len() > 1 || !checkpoint.contains('=') {
            return Err(malformed());
        }
        let value = SettingValue {
            quantity: quantity.parse()?,
            setting: setting.to_string(),
            checkpoint: checkpoint.parse()?,
            targets: parse_targets(targets),
        };
        Ok(ComparedSide {
            factor: parse_number(factor)
                .filter(|factor| *factor > 0.0)
                .ok_or_else(malformed)?,
            value: Some(value),
        })
    }

    /// Formats a number of this side.
    pub(crate) fn format(&self, number: f64) -> String {
        match &self.value {
            None => number.to_string(),
            Some(value) => value.quantity.format(number),
        }
    }
}
