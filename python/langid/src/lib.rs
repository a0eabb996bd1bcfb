//! The module `forage.langid`: language identification for Python.
//!
//! [`identifier`] has what Python calls, [`identification`] what it gets, and [`batch`] how many
//! texts are identified without Python's lock.

mod batch;
mod identification;
mod identifier;
mod text;

use pyo3::prelude::{PyModule, PyModuleMethods};
use pyo3::{Bound, PyResult, pymodule, wrap_pyfunction};

#[pymodule]
fn _langid(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<identification::Identification>()?;
    module.add_class::<identifier::Identifier>()?;
    module.add_function(wrap_pyfunction!(identifier::identify, module)?)?;
    module.add_function(wrap_pyfunction!(identifier::identify_many, module)?)
}
