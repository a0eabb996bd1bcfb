//! Identifiers, and the functions that use the built-in model.

use crate::batch::Identifications;
use crate::identification::{Identification, to_value_error};
use crate::text::{read_strings, read_text};
use forage_langid::{LanguageCode, Profile, Scratch};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::{PyAnyMethods, PyDictMethods};
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{Bound, PyAny, PyErr, PyResult, Python, pyclass, pyfunction, pymethods};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// An identifier of all languages of the built-in model.
static BUILTIN: LazyLock<Arc<forage_langid::Identifier>> =
    LazyLock::new(|| Arc::new(forage_langid::Identifier::builtin()));

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Identifies texts with chosen languages. Can be shared by threads, and pickled; the files of
/// profiles are then read again.
///
/// Args:
///     only: Consider only these languages (ISO 639-3 or 639-1).
///     without: Remove these languages from the model; a profile of such a language is still used.
///     profiles: Files written by `ngram-profile`, of languages to be added.
#[pyclass(frozen, module = "forage.langid")]
pub struct Identifier {
    identifier: Arc<forage_langid::Identifier>,
    only: Option<Vec<String>>,
    without: Vec<String>,
    profiles: Vec<PathBuf>,
}

#[pymethods]
impl Identifier {
    #[new]
    #[pyo3(signature = (*, only=None, without=None, profiles=None))]
    fn new(
        only: Option<&Bound<'_, PyAny>>,
        without: Option<&Bound<'_, PyAny>>,
        profiles: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let only = only.map(|codes| read_strings("only", codes)).transpose()?;
        let without = without.map_or(Ok(Vec::new()), |codes| read_strings("without", codes))?;
        let profiles = profiles.map_or(Ok(Vec::new()), read_paths)?;
        Ok(Self {
            identifier: Arc::new(build_identifier(only.as_deref(), &without, &profiles)?),
            only,
            without,
            profiles,
        })
    }

    /// Returns the language of `text`.
    fn identify(&self, text: &Bound<'_, PyAny>) -> PyResult<Identification> {
        identify_text(&self.identifier, text)
    }

    /// Returns an iterator over the languages of `texts`, in their order; see
    /// `forage.langid.identify_many`.
    #[pyo3(signature = (texts, jobs=0))]
    fn identify_many(&self, texts: &Bound<'_, PyAny>, jobs: usize) -> PyResult<Identifications> {
        identify_texts(&self.identifier, texts, jobs)
    }

    /// The codes of the languages among which texts are identified, sorted.
    #[getter]
    fn languages(&self) -> Vec<String> {
        let codes: BTreeSet<LanguageCode> = self.identifier.classes().map(|c| c.code).collect();
        codes.iter().map(LanguageCode::to_string).collect()
    }

    /// For pickle.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let arguments = PyDict::new(py);
        arguments.set_item("only", &self.only)?;
        arguments.set_item("without", &self.without)?;
        arguments.set_item("profiles", &self.profiles)?;
        Ok((PyTuple::empty(py), arguments))
    }
}

/// Returns the language of `text`.
///
/// Other Python threads run meanwhile.
#[pyfunction]
pub fn identify(text: &Bound<'_, PyAny>) -> PyResult<Identification> {
    identify_text(&BUILTIN, text)
}

/// Returns an iterator over the languages of `texts`, in their order.
///
/// Texts are read in chunks of up to 4,096, so that memory does not depend on their number, and
/// identified on `jobs` threads, as many as there are cores if 0, while other Python threads run.
#[pyfunction]
#[pyo3(signature = (texts, jobs=0))]
pub fn identify_many(texts: &Bound<'_, PyAny>, jobs: usize) -> PyResult<Identifications> {
    identify_texts(&BUILTIN, texts, jobs)
}

fn identify_text(
    identifier: &forage_langid::Identifier,
    text: &Bound<'_, PyAny>,
) -> PyResult<Identification> {
    let utf8 = read_text(text)?;
    let identify = || SCRATCH.with_borrow_mut(|scratch| identifier.identify_with(scratch, &utf8));
    Ok(text.py().detach(identify).into())
}

fn identify_texts(
    identifier: &Arc<forage_langid::Identifier>,
    texts: &Bound<'_, PyAny>,
    jobs: usize,
) -> PyResult<Identifications> {
    if texts.is_instance_of::<PyString>() {
        let message = "texts must be an iterable of str, not one str; identify() takes that";
        return Err(PyTypeError::new_err(message));
    }
    let texts = texts.try_iter()?.unbind();
    Ok(Identifications::new(Arc::clone(identifier), texts, jobs))
}

fn read_paths(paths: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if paths.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "profiles must be a list of files, not str",
        ));
    }
    paths.try_iter()?.map(|path| path?.extract()).collect()
}

/// Returns an identifier with these options, in the same order as the tool `langid`: --without does
/// not concern profiles, --only does.
fn build_identifier(
    only: Option<&[String]>,
    without: &[String],
    profiles: &[PathBuf],
) -> PyResult<forage_langid::Identifier> {
    let mut identifier = forage_langid::Identifier::clone(&BUILTIN);
    identifier
        .exclude(&parse_codes(without)?)
        .map_err(to_value_error)?;
    let profiles: Vec<Profile> = profiles
        .iter()
        .map(|p| read_profile(p))
        .collect::<Result<_, _>>()?;
    identifier.add_profiles(&profiles).map_err(to_value_error)?;
    if let Some(only) = only {
        identifier
            .restrict_to(&parse_codes(only)?)
            .map_err(to_value_error)?;
    }
    if identifier.classes().next().is_none() {
        return Err(PyValueError::new_err(
            "no language is left; check only and without",
        ));
    }
    Ok(identifier)
}

fn parse_codes(codes: &[String]) -> PyResult<Vec<LanguageCode>> {
    codes
        .iter()
        .map(|code| code.parse().map_err(to_value_error))
        .collect()
}

fn read_profile(path: &Path) -> PyResult<Profile> {
    let bytes = std::fs::read(path).map_err(|error| to_os_error(&error, path))?;
    Profile::from_text(&bytes)
        .map_err(|error| PyValueError::new_err(format!("{}: {error}", path.display())))
}

/// Returns the exception that `open` would raise, which names the file.
fn to_os_error(error: &std::io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let message = error.to_string();
            let cause = message
                .split(" (os error")
                .next()
                .unwrap_or_default()
                .to_owned();
            PyOSError::new_err((number, cause, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}
