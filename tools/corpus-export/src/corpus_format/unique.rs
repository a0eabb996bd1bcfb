//! Names that are unique in an export.

use foldhash::{HashMap, HashMapExt};
use xxhash_rust::xxh3::xxh3_128;

/// The names so far, 24 bytes each.
#[derive(Debug)]
pub struct UniqueNames {
    /// How often a name was asked for, by its hash.
    uses: HashMap<u128, u32>,
}

impl Default for UniqueNames {
    fn default() -> Self {
        UniqueNames {
            uses: HashMap::new(),
        }
    }
}

impl UniqueNames {
    /// Returns `name`, with a number after it if it was returned before. Names that differ in case
    /// alone count as the same, for file systems that do not tell them apart.
    pub fn name(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        loop {
            let key = xxh3_128(unique.to_lowercase().as_bytes());
            let uses = self.uses.entry(key).or_default();
            *uses += 1;
            if *uses == 1 {
                return unique;
            }
            unique = format!("{name}-{uses}");
        }
    }
}

/// Returns the name of a file for an id or a class: characters that are not letters, digits, `-`,
/// `_` or `.` are percent-encoded, and so is a `.` at the start. A long name is cut and ends in its
/// hash.
pub fn file_name_of(id: &str) -> String {
    /// Bytes; with an extension, file systems have 255.
    const MAX_LENGTH: usize = 200;
    let mut name = String::with_capacity(id.len());
    for c in id.chars() {
        let is_safe = c.is_alphanumeric() || matches!(c, '-' | '_') || c == '.' && !name.is_empty();
        if is_safe {
            name.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                name += &format!("%{byte:02X}");
            }
        }
    }
    if name.len() > MAX_LENGTH {
        let hash = format!("-{:032x}", xxh3_128(id.as_bytes()));
        name.truncate(name.floor_char_boundary(MAX_LENGTH - hash.len()));
        name += &hash;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{UniqueNames, file_name_of};

    #[test]
    fn repeated_names_get_numbers() {
        let mut names = UniqueNames::default();
        let given = ["a", "A", "a", "a-2", "b"].map(|name| names.name(name));
        assert_eq!(given, ["a", "A-2", "a-3", "a-2-2", "b"]);
    }

    #[test]
    fn names_of_files_are_safe() {
        assert_eq!(file_name_of("../a b.c"), "%2E.%2Fa%20b.c");
        assert_ne!(file_name_of("a%20b"), file_name_of("a b"));
        let long = file_name_of(&"č".repeat(500));
        assert!(long.len() <= 200 && long != file_name_of(&"č".repeat(501)));
    }
}
