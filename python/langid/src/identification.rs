//! The result of an identification.

use forage_langid::{LanguageCode, Script};
use pyo3::exceptions::PyValueError;
use pyo3::types::{PyDict, PyDictMethods, PyList, PyListMethods};
use pyo3::{Bound, PyErr, PyResult, Python, pyclass, pymethods};

/// The language of a text: what the field `langid` of a record has, under the same names.
#[pyclass(frozen, eq, module = "forage.langid")]
#[derive(Debug, Clone, PartialEq)]
pub struct Identification {
    code: LanguageCode,
    script: Script,
    /// The probability that `code` is right, 0 to 1; 0 if the language is unknown.
    #[pyo3(get)]
    score: f64,
    /// The distance of the second-best language from the best, 0 to 1.
    #[pyo3(get)]
    margin: f64,
    top: Vec<(LanguageCode, f64)>,
    alternatives: Vec<LanguageCode>,
    /// The legacy font for which the text was typed, so that its language is unknown; or None.
    #[pyo3(get)]
    font: Option<String>,
}

/// The values of an [`Identification`], in the order of its arguments.
type Values = (
    String,
    String,
    f64,
    f64,
    Vec<(String, f64)>,
    Option<String>,
    Vec<String>,
);

#[pymethods]
impl Identification {
    #[new]
    #[pyo3(signature = (code, script, score, margin, top, font=None, alternatives=Vec::new()))]
    fn new(
        code: &str,
        script: &str,
        score: f64,
        margin: f64,
        top: Vec<(String, f64)>,
        font: Option<String>,
        alternatives: Vec<String>,
    ) -> PyResult<Self> {
        let parse_score = |(code, score): &(String, f64)| Ok((parse_code(code)?, *score));
        let invalid = || PyValueError::new_err(format!("{script:?} is not a code of ISO 15924"));
        Ok(Self {
            code: parse_code(code)?,
            script: Script::new(script).ok_or_else(invalid)?,
            score,
            margin,
            top: top.iter().map(parse_score).collect::<PyResult<_>>()?,
            alternatives: alternatives
                .iter()
                .map(|code| parse_code(code))
                .collect::<PyResult<_>>()?,
            font,
        })
    }

    /// The ISO 639-3 code of the language; "und" if it is unknown.
    #[getter]
    fn code(&self) -> &str {
        self.code.as_str()
    }

    /// The ISO 15924 code of the script.
    #[getter]
    fn script(&self) -> &str {
        self.script.as_str()
    }

    /// The best languages with their probabilities, at most five, best first; if the language is
    /// unknown, the nearest ones.
    #[getter]
    fn top(&self) -> Vec<(&str, f64)> {
        self.top
            .iter()
            .map(|(code, score)| (code.as_str(), *score))
            .collect()
    }

    /// The other languages that are about as likely as `code`, best first.
    #[getter]
    fn alternatives(&self) -> Vec<&str> {
        self.alternatives.iter().map(LanguageCode::as_str).collect()
    }

    /// Returns the field `langid` of a record, as `json` reads it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let field = PyDict::new(py);
        field.set_item("code", self.code())?;
        field.set_item("script", self.script())?;
        field.set_item("score", self.score)?;
        field.set_item("margin", self.margin)?;
        let top = PyList::empty(py);
        for (code, score) in self.top() {
            let language = PyDict::new(py);
            language.set_item("code", code)?;
            language.set_item("score", score)?;
            top.append(language)?;
        }
        field.set_item("top", top)?;
        if !self.alternatives.is_empty() {
            field.set_item("alternatives", self.alternatives())?;
        }
        if let Some(font) = &self.font {
            field.set_item("font", font)?;
        }
        Ok(field)
    }

    /// For pickle.
    fn __getnewargs__(&self) -> Values {
        let top = self
            .top
            .iter()
            .map(|(code, score)| (code.to_string(), *score));
        (
            self.code.to_string(),
            self.script.to_string(),
            self.score,
            self.margin,
            top.collect(),
            self.font.clone(),
            self.alternatives.iter().map(ToString::to_string).collect(),
        )
    }

    fn __repr__(&self) -> String {
        let Self {
            code,
            script,
            score,
            margin,
            ..
        } = self;
        format!(
            "Identification(code='{code}', script='{script}', score={score:?}, margin={margin:?}, …)"
        )
    }
}

fn parse_code(code: &str) -> PyResult<LanguageCode> {
    code.parse().map_err(to_value_error)
}

/// Returns the exception for an unsuitable argument.
pub fn to_value_error(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

impl From<forage_langid::Identification> for Identification {
    /// Rounds as the tool `langid` does.
    fn from(identification: forage_langid::Identification) -> Self {
        let top = identification.top.into_iter();
        Self {
            code: identification.code,
            script: identification.script,
            score: round(identification.score),
            margin: round(identification.margin),
            top: top.map(|(code, score)| (code, round(score))).collect(),
            alternatives: identification.alternatives,
            font: identification.font.map(|font| font.to_string()),
        }
    }
}

/// Rounds to four decimals. More would not be significant, and could differ between machines.
fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
