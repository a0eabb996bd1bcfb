//! Strings of Python.

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::intern;
use pyo3::prelude::PyAnyMethods;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyString, PyTypeMethods};
use pyo3::{Bound, PyAny, PyResult};

/// Returns a text in UTF-8. An unpaired surrogate, which UTF-8 cannot have, becomes U+FFFD, as the
/// tools read it from records.
///
/// # Errors
/// Fails if `text` is not a string.
pub fn read_text(text: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    let Ok(string) = text.cast::<PyString>() else {
        let found = text.get_type().qualname()?;
        return Err(PyTypeError::new_err(format!(
            "a text must be str, not {found}"
        )));
    };
    PyBackedStr::try_from(string.clone()).or_else(|error| {
        if error.is_instance_of::<PyUnicodeEncodeError>(text.py()) {
            replace_surrogates(string)
        } else {
            Err(error)
        }
    })
}

/// Returns a text of a column, which is empty where the column has none: `None`, or what pandas has
/// in its place.
///
/// # Errors
/// Fails if `text` is neither that nor a string.
pub fn read_cell(text: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    if text.is_instance_of::<PyString>() {
        return read_text(text);
    }
    let is_nan = || text.extract().is_ok_and(f64::is_nan);
    match text.is_none() || is_nan() || text.get_type().qualname()? == "NAType" {
        true => PyBackedStr::try_from(PyString::new(text.py(), "")),
        false => read_text(text),
    }
}

fn replace_surrogates(string: &Bound<'_, PyString>) -> PyResult<PyBackedStr> {
    let py = string.py();
    let bytes = string.call_method1(intern!(py, "encode"), ("utf-16-le", "surrogatepass"))?;
    let replaced = bytes.call_method1(intern!(py, "decode"), ("utf-16-le", "replace"))?;
    replaced.extract()
}

/// Returns the strings of an iterable, which is not a string itself: that would be its letters.
///
/// # Errors
/// Fails if it is another object, or iterating fails.
pub fn read_strings(name: &str, iterable: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if iterable.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "{name} must be a list of codes, not str"
        )));
    }
    iterable.try_iter()?.map(|item| item?.extract()).collect()
}
