//! The schema of the embedded index.

use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Name of the tokenizer in the schema. Opening an index compares its schema, so a new number
/// rejects indexes that were built with another tokenizer.
pub(super) const TOKENIZER: &str = "forage-terms-1";

/// The fields of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaFields {
    /// URL: the document's key, and the order of equal scores.
    pub url: Field,
    pub id: Field,
    pub title: Field,
    /// Text: the only field that is searched, as terms are learned from the text alone.
    pub text: Field,
}

/// Returns the schema and its fields.
pub(super) fn build_schema() -> (Schema, SchemaFields) {
    let mut schema = Schema::builder();
    let key = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let words = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = SchemaFields {
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
