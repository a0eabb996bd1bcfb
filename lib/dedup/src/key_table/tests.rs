use super::{Field, HEADER_BYTES, KeyTable, MAX_ENTRIES_PER_KEY, path_of};
use forage_text::Random;
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;

fn entries(table: &KeyTable, key: u64) -> Vec<i64> {
    table.entries(key).collect()
}

/// Adds `n` entries of two keys each to the table of `index`.
fn fill(index: &Path, n: i64) -> KeyTable {
    let mut table = KeyTable::open(index, 7).unwrap();
    for entry in 1..=n {
        for part in 0..2 {
            table.insert(key(entry, part), entry).unwrap();
        }
        table.set_last_entry(entry);
    }
    table
}

fn key(entry: i64, part: u64) -> u64 {
    crate::shingles::mix(entry as u64 * 2 + part)
}

fn assert_filled(table: &KeyTable, n: i64) {
    assert_eq!(table.last_entry(), n);
    for entry in 1..=n {
        assert!(entries(table, key(entry, 0)).contains(&entry), "{entry}");
        assert!(entries(table, key(entry, 1)).contains(&entry), "{entry}");
    }
}

#[test]
fn a_table_grows_and_is_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("x.db");
    drop(fill(&index, 5000));
    assert_filled(&KeyTable::open(&index, 7).unwrap(), 5000);
    assert_filled(&KeyTable::open_copy(&index, 7).unwrap(), 5000);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn room_for_keys_is_made_at_once() {
    let mut table = KeyTable::in_memory().unwrap();
    table.insert(7 << 32, 1).unwrap();
    table.reserve(5000).unwrap();
    assert_eq!((table.bits, table.entries(7 << 32).count()), (13, 1));
    table.reserve(5000).unwrap();
    assert_eq!(table.bits, 13);
}

#[test]
fn after_a_restart_only_what_was_flushed_counts() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("x.db");
    let mut table = fill(&index, 300);
    table.flush().unwrap();
    table.set_last_entry(400);
    table.put(Field::Boot, 1);
    drop(table);
    assert_filled(&KeyTable::open(&index, 7).unwrap(), 300);
}

#[test]
fn a_table_of_other_content_or_another_format_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let index = dir.path().join("x.db");
    let mut table = fill(&index, 300);
    table.flush().unwrap();
    drop(table);
    let whole = std::fs::read(path_of(&index)).unwrap();
    let flipped = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x40;
        bytes
    };
    let swapped: Vec<u8> = whole
        .chunks(8)
        .flat_map(|x| x.iter().rev().copied())
        .collect();
    let damaged = [
        whole[..whole.len() / 2].to_vec(),
        whole[..HEADER_BYTES].to_vec(),
        Vec::new(),
        flipped(3),
        flipped(20),
        flipped(HEADER_BYTES + 5000),
        swapped,
        vec![0; whole.len()],
    ];
    for (number, bytes) in damaged.iter().enumerate() {
        std::fs::write(path_of(&index), bytes).unwrap();
        let copy = KeyTable::open_copy(&index, 7).unwrap();
        assert_eq!(copy.last_entry(), 0, "{number}");
        assert_eq!(std::fs::read(path_of(&index)).unwrap(), *bytes);
        assert_eq!(
            KeyTable::open(&index, 7).unwrap().last_entry(),
            0,
            "{number}"
        );
        drop(fill(&index, 300));
        assert_filled(&KeyTable::open(&index, 7).unwrap(), 300);
    }
    assert_eq!(KeyTable::open(&index, 8).unwrap().last_entry(), 0);
}

#[test]
fn a_key_of_many_entries_keeps_the_first_ones() {
    let mut table = KeyTable::in_memory().unwrap();
    let keys = [1_u64 << 40, 1 << 41];
    for entry in 1..=1000 {
        for key in keys {
            table.insert(key, entry).unwrap();
        }
    }
    let first: Vec<i64> = (1..=MAX_ENTRIES_PER_KEY as i64).collect();
    assert_eq!(keys.map(|key| entries(&table, key)), [first.clone(), first]);
}

proptest! {
    #[test]
    fn has_the_entries_of_each_key(keys in prop::collection::vec(0_u64..300, 0..2000)) {
        let mut table = KeyTable::in_memory().unwrap();
        let mut expected: HashMap<u64, Vec<i64>> = HashMap::new();
        let mut random = Random::for_purpose(0, &["keys"]);
        let names: Vec<u64> = (0..300).map(|_| random.next_u64()).collect();
        for (entry, key) in (1_i64..).zip(keys) {
            let key = names[key as usize];
            table.insert(key, entry).unwrap();
            expected.entry(key).or_default().push(entry);
        }
        for key in names {
            let expected = expected.remove(&key).unwrap_or_default();
            prop_assert_eq!(entries(&table, key), expected);
        }
    }
}
