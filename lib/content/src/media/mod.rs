//! The media type and the character encoding of a body, from its declaration and its bytes.
//!
//! - [`MediaType`]: the type of a page, declared or detected.
//! - [`decode`]: the text of a page or a feed in any encoding.
//! - [`ContentKind`], [`decode_plain_text`]: the same for files, which declare neither.

mod charset;
mod content_kind;
mod declaration;
mod language_hint;
mod link;
mod media_type;
mod saved_file;
mod single_byte;
mod utf16;

pub use charset::{decode, decode_plain_text, foreign_encoding, unread_charset};
pub use content_kind::ContentKind;
pub(crate) use content_kind::{MARK, readable_beginning};
pub use link::{alternate_language, has_relation, is_page_type};
pub use media_type::{MediaType, PageFormat};
pub use saved_file::split_response;
