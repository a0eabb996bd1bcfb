//! Text extraction from typeset documents: PDF, and PostScript if `ps2pdf` is installed.
//!
//! Both formats are programming languages, and no library that reads them can be prevented from
//! overflowing its stack or exhausting the memory. So [`extract_pdf_text_with`] and
//! [`convert_postscript_to_pdf`] read a document in a sandboxed subprocess (`sandbox`).
//! [`extract_pdf_text`] reads a PDF in this process, for the program that is such a subprocess.
//! `lines` converts the lines of a page to running text.
//!
//! The input is bytes, the output is text. Nothing here depends on the web, on records, or on the
//! source of a document.

mod lines;
mod pdf;
mod postscript;
mod sandbox;

pub use pdf::{PdfText, extract_pdf_text, extract_pdf_text_with};
pub use postscript::convert_postscript_to_pdf;
use rustix::io::Errno;
use std::io;

/// Longest text of a document, in bytes.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// Returns `true` for the error of starting a thread or a process beyond a limit of this machine:
/// of threads and processes, memory, or open files.
pub fn is_machine_limit(e: &io::Error) -> bool {
    let limits = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(e).is_some_and(|code| limits.contains(&code))
}

/// The reason why a typeset document has no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypesetError {
    /// The document is damaged, or encrypted with a password.
    #[error("{0}")]
    Unreadable(String),
    /// The text exceeds this limit, in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The program that reads the format is not installed.
    #[error("{0} is not installed")]
    NoReader(&'static str),
    /// A limit of this machine prevents the start of the program that reads the format.
    #[error("{0}")]
    MachineLimit(String),
    /// The program that reads the format cannot be run.
    #[error("{0}")]
    Internal(String),
}

impl TypesetError {
    /// Returns the error for a program, by its name, that cannot be run.
    fn from_start_error(program: &str, e: &io::Error) -> TypesetError {
        let cause = format!("{program}: {e}");
        match is_machine_limit(e) {
            true => TypesetError::MachineLimit(cause),
            false => TypesetError::Internal(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TypesetError;
    use rustix::io::Errno;
    use std::io;

    #[test]
    fn a_limit_of_the_machine_is_no_other_failure_of_a_program() {
        for code in [Errno::AGAIN, Errno::NOMEM, Errno::MFILE] {
            let error = TypesetError::from_start_error("a", &code.into());
            assert!(matches!(error, TypesetError::MachineLimit(_)), "{code}");
        }
        for e in [Errno::NOENT.into(), io::Error::other("a")] {
            let error = TypesetError::from_start_error("a", &e);
            assert!(matches!(error, TypesetError::Internal(_)), "{e}");
        }
    }
}
