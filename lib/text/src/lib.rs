//! Pure functions on text: tokenisation into terms, Unicode normalisation, document identifiers,
//! and pseudo-random numbers that are the same on every machine.
//!
//! Nothing here reads a file, a clock or the environment.

mod address;
mod ascii_form;
mod char_cache;
mod compared_words;
mod comparison;
mod fold;
mod id;
mod leb128;
mod lexicon;
mod marks;
mod normalise;
mod paragraphs;
mod random;
mod scripts;
mod segment;
mod sentences;
mod spelling;
mod syllables;
mod terms;
mod tokens;
mod unicode_words;

pub use address::{Addresses, addresses, remove_addresses};
pub use ascii_form::ascii_form;
pub use compared_words::{
    for_each_compared_word, for_each_paragraph_word, has_other_paragraph_words,
};
pub use comparison::{comparison_form, comparison_form_of_read};
pub use fold::{LetterI, fold_unspaced, is_invisible, resolve_letter_forms};
pub use id::{document_id, document_key};
pub use leb128::{push_number, take_number};
pub use marks::{is_armenian_mark, is_optional_mark, remove_accents, remove_optional_marks};
pub use normalise::normalise;
pub use paragraphs::{is_line_end, lines, paragraphs};
pub use random::Random;
pub use scripts::{SEGMENTATION_VERSION, contains_unspaced_script, is_unspaced};
pub use segment::{count_words, for_each_word};
pub use sentences::sentences;
pub use spelling::{ReadText, Spelling, may_be_respelled, read};
pub use terms::{TYPED, Terms, for_each_folded_word, terms, terms_as_typed};
pub use tokens::for_each_token;
pub use unicode_words::for_each_unicode_word;
