//! The field with the text (`--text-field`), of all records that this process reads.

use forage_record::Record;
use std::sync::OnceLock;

static TEXT_FIELD: OnceLock<String> = OnceLock::new();

/// Sets the field with the text, before a record is read.
pub(crate) fn set_text_field(name: &str) {
    TEXT_FIELD.get_or_init(|| name.to_owned());
}

/// Makes the field with the text `text`, if one was set.
pub(crate) fn read_text_field(record: &mut Record) {
    if let Some(name) = TEXT_FIELD.get() {
        record.read_text_from(name);
    }
}
