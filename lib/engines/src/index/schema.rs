//! What the index keeps of a document.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Name of the tokeniser in the schema. The schema is compared when an index is opened, so raising
/// the number with a change of the tokeniser refuses indexes that were cut otherwise.
pub(super) const TOKENIZER: &str = "forage-terms-1";

/// The fields of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// The URL: a document's key, and what orders equal scores.
    pub url: Field,
    pub id: Field,
    pub title: Field,
    /// The text; only this is searched, as only this is learned from.
    pub text: Field,
}

/// The schema and its fields.
pub(super) fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let key = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let words = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        url: schema.add_text_field("url", TextOptions::from(FAST).set_indexing_options(key)),
        id: schema.add_text_field("id", STORED),
        title: schema.add_text_field("title", STORED),
        text: schema.add_text_field(
            "text",
            TextOptions::from(STORED).set_indexing_options(words),
        ),
    };
    (schema.build(), fields)
}
