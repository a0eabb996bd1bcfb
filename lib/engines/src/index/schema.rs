//! The schema of the embedded index.

use forage_text::SEGMENTATION_VERSION;
use tantivy::schema::{
    FAST, Field, FieldType, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

/// Start of the name of the tokenizer in the schema; the segmentation version follows. Opening an
/// index compares its schema, so an index with terms of another version is refused.
const TOKENIZER_PREFIX: &str = "forage-terms-";

/// Name of the field of links.
const LINKS: &str = "links";

/// The fields of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaFields {
    /// URL: the document's key, and the order of equal scores.
    pub url: Field,
    pub id: Field,
    pub title: Field,
    /// Text: the only field that is searched, as terms are learned from the text alone.
    pub text: Field,
    /// URLs of the pages that the document links to: one term each, without frequency or position.
    /// `None` in an index that an earlier version of Forage created.
    pub links: Option<Field>,
}

/// Returns the name of the tokenizer for terms of this program's segmentation version.
pub(super) fn tokenizer_name() -> String {
    format!("{TOKENIZER_PREFIX}{SEGMENTATION_VERSION}")
}

/// Returns the segmentation version of the terms of an index with this schema; `None` if it is no
/// schema of Forage.
pub(super) fn segmentation_version(schema: &Schema) -> Option<u32> {
    let text = schema.get_field("text").ok()?;
    let FieldType::Str(options) = schema.get_field_entry(text).field_type() else {
        return None;
    };
    let tokenizer = options.get_indexing_options()?.tokenizer();
    let version: u32 = tokenizer.strip_prefix(TOKENIZER_PREFIX)?.parse().ok()?;
    // Not with a sign or leading zeros, which no version of Forage writes.
    if tokenizer != format!("{TOKENIZER_PREFIX}{version}") {
        return None;
    }
    [true, false]
        .iter()
        .any(|has_links| build_schema_with(tokenizer, *has_links).0 == *schema)
        .then_some(version)
}

/// Returns the fields of an index with a schema of Forage.
pub(super) fn fields_of(schema: &Schema) -> SchemaFields {
    SchemaFields {
        links: schema.get_field(LINKS).ok(),
        ..build_schema().1
    }
}

/// Returns the schema and its fields.
pub(super) fn build_schema() -> (Schema, SchemaFields) {
    build_schema_with(&tokenizer_name(), true)
}

/// Returns the schema with a tokenizer, with or without the field of links, which is the last one.
/// The fields are the same for each tokenizer.
fn build_schema_with(tokenizer: &str, has_links: bool) -> (Schema, SchemaFields) {
    let mut schema = Schema::builder();
    let key = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let words = TextFieldIndexing::default()
        .set_tokenizer(tokenizer)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = SchemaFields {
        url: schema.add_text_field(
            "url",
            TextOptions::from(FAST).set_indexing_options(key.clone()),
        ),
        id: schema.add_text_field("id", STORED),
        title: schema.add_text_field("title", STORED),
        text: schema.add_text_field(
            "text",
            TextOptions::from(STORED).set_indexing_options(words),
        ),
        links: has_links.then(|| {
            schema.add_text_field(LINKS, TextOptions::default().set_indexing_options(key))
        }),
    };
    (schema.build(), fields)
}
