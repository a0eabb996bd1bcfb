//! The header of a part of a model: a magic number, a version, the numbers of its entries, and a
//! checksum; and the errors in reading it.

use crate::classes;
use crate::format::{decode_u32, fnv1a};
use std::ops::Range;

/// An error in reading or building a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The magic number is missing.
    #[error("not a language model; make one with ngram-profile --pack")]
    NotAModel,
    /// Written by a later version of this program.
    #[error("language model has version {0}, newer than this program; use a newer program")]
    NewerVersion(u32),
    /// Written by an earlier version of this program, or not by this program.
    #[error(
        "language model has version {0}, which is no longer supported; make it again with \
         ngram-profile --pack"
    )]
    OlderVersion(u32),
    /// Truncated or modified.
    #[error("language model is truncated or damaged; make it again with ngram-profile --pack")]
    Damaged,
    /// More profiles than the class numbers of a model allow.
    #[error("{number} profiles exceed the limit of {limit} per model")]
    TooManyProfiles {
        /// Number of profiles given.
        number: usize,
        /// Number of profiles allowed.
        limit: usize,
    },
}

/// Bytes of the checksum, which is at the end of the header and covers everything after it.
const CHECKSUM_BYTES: usize = 8;

/// Checks that a header begins with `magic` and has this version.
pub(crate) fn check_header(bytes: &[u8], magic: [u8; 8], version: u32) -> Result<(), ModelError> {
    if !bytes.starts_with(&magic) {
        return Err(ModelError::NotAModel);
    }
    match decode_u32(bytes, magic.len()).ok_or(ModelError::Damaged)? as u32 {
        newer if newer > version => Err(ModelError::NewerVersion(newer)),
        older if older < version => Err(ModelError::OlderVersion(older)),
        _ => Ok(()),
    }
}

/// Writes the checksum of the bytes after the header into the end of the header.
pub fn write_checksum(bytes: &mut [u8], header: usize) {
    let checksum = fnv1a(&bytes[header..]).to_le_bytes();
    bytes[header - CHECKSUM_BYTES..header].copy_from_slice(&checksum);
}

/// Returns `true` if the bytes after the header match the checksum.
pub(crate) fn has_valid_checksum(bytes: &[u8], header: usize) -> bool {
    let checksum = bytes
        .get(header - CHECKSUM_BYTES..header)
        .and_then(|b| b.try_into().ok())
        .map(u64::from_le_bytes);
    checksum.is_some_and(|checksum| checksum == fnv1a(&bytes[header..]))
}

/// Checks the classes of a part of a model, in these ranges, and its checksum.
pub(crate) fn check_part(
    bytes: &[u8],
    header: usize,
    classes: &Range<usize>,
    strings: &Range<usize>,
) -> Result<(), ModelError> {
    let are_valid = classes::are_valid(&bytes[classes.clone()], &bytes[strings.clone()]);
    if are_valid && has_valid_checksum(bytes, header) {
        Ok(())
    } else {
        Err(ModelError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_other_versions_and_other_files() {
        let header = |version: u32| [&b"forage\0x"[..], &version.to_le_bytes()].concat();
        let checked = |bytes: &[u8]| check_header(bytes, *b"forage\0x", 2);
        assert_eq!(checked(&header(2)), Ok(()));
        assert_eq!(checked(&header(3)), Err(ModelError::NewerVersion(3)));
        assert_eq!(checked(&header(0)), Err(ModelError::OlderVersion(0)));
        assert_eq!(checked(&header(2)[..9]), Err(ModelError::Damaged));
        assert_eq!(checked(b"something else"), Err(ModelError::NotAModel));
    }

    #[test]
    fn a_changed_byte_invalidates_the_checksum() {
        let mut bytes: Vec<u8> = (0..100).collect();
        write_checksum(&mut bytes, 16);
        assert!(
            has_valid_checksum(&bytes, 16)
                && !has_valid_checksum(&bytes[..99], 16)
                && !has_valid_checksum(&bytes[..8], 16)
        );
        bytes[50] ^= 1;
        assert!(!has_valid_checksum(&bytes, 16));
    }
}
