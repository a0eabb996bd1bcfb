//! The media type and the character encoding of a body, from its declaration and its bytes.
//!
//! - [`MediaType`]: the type of a page, declared or detected.
//! - [`decode`]: the text of a page in any encoding.
//! - [`FileKind`], [`decode_plain_text`]: the same for files, which declare neither.

mod charset;
mod file_kind;
mod media_type;

pub use charset::{decode, decode_plain_text, foreign_encoding};
pub use file_kind::FileKind;
pub use media_type::{MediaType, PageFormat};
