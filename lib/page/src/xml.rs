//! Names and attributes of the elements of XML files in a zip.

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

/// Returns a name without its prefix.
pub(crate) fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Returns the value of an attribute.
pub(crate) fn attribute_value(tag: &BytesStart, name: &str) -> Option<String> {
    let attribute = tag.html_attributes().flatten().find(|attribute| {
        let key: &str = attribute.key.as_ref();
        key == name
    })?;
    attribute
        .normalized_value(XmlVersion::Implicit1_0)
        .ok()
        .map(Into::into)
}
