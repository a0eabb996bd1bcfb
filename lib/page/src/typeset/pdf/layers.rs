//! Layers that are switched off: optional content (ISO 32000-1, 8.11).

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};
use hayro_syntax::xref::XRef;
use std::collections::HashSet;

/// The layers of a document that a viewer does not show at first.
#[derive(Debug, Default)]
pub(super) struct Layers {
    hidden: HashSet<ObjectIdentifier>,
}

impl Layers {
    pub fn from_xref(xref: &XRef) -> Layers {
        let catalog = xref.get::<Dict>(xref.root_id()).unwrap_or_default();
        let properties = catalog.get::<Dict>("OCProperties").unwrap_or_default();
        let config = properties.get::<Dict>("D").unwrap_or_default();
        let mut hidden = HashSet::new();
        if config.get::<Name>("BaseState").as_deref() == Some(b"OFF") {
            hidden.extend(list_references(&properties, "OCGs"));
            for id in list_references(&config, "ON") {
                hidden.remove(&id);
            }
        }
        hidden.extend(list_references(&config, "OFF"));
        Layers { hidden }
    }

    /// Returns `true` if the layer that is the value of a key is switched off, or the layers of the
    /// membership dictionary that is its value.
    pub fn is_hidden(&self, owner: &Dict, key: &[u8]) -> bool {
        if self.hidden.is_empty() {
            return false;
        }
        let is_off = |id: &ObjectIdentifier| self.hidden.contains(id);
        let own = owner.get_ref(key).map(ObjectIdentifier::from);
        let membership = owner.get::<Dict>(key).unwrap_or_default();
        if membership.get::<Name>("Type").as_deref() != Some(b"OCMD") {
            return own.as_ref().is_some_and(is_off);
        }
        let members = list_references(&membership, "OCGs");
        if members.is_empty() {
            return false;
        }
        match membership.get::<Name>("P").as_deref() {
            Some(b"AllOn") => members.iter().any(is_off),
            Some(b"AnyOff") => !members.iter().any(is_off),
            Some(b"AllOff") => !members.iter().all(is_off),
            _ => members.iter().all(is_off),
        }
    }
}

/// Returns the references in an array, or the one that is a value itself.
fn list_references(owner: &Dict, key: &str) -> Vec<ObjectIdentifier> {
    let Some(array) = owner.get::<Array>(key) else {
        return owner.get_ref(key).map(Into::into).into_iter().collect();
    };
    let references = array.raw_iter().filter_map(|item| item.as_obj_ref());
    references.map(Into::into).collect()
}
