//! The media type and the character encoding of a body, from its declaration and its bytes.
//!
//! - [`MediaType`]: the type of a page, declared or detected.
//! - [`decode`]: the text of a page or a feed in any encoding.
//! - [`FileKind`], [`decode_plain_text`]: the same for files, which declare neither.

mod charset;
mod declaration;
mod file_kind;
mod language_hint;
mod media_type;
mod saved_file;
mod utf16;

pub use charset::{decode, decode_plain_text, foreign_encoding};
pub use file_kind::FileKind;
pub use media_type::{MediaType, PageFormat};
pub use saved_file::split_response;
