//! The table by which entries of an index are found: a hash table from 64-bit keys to entries.
//!
//! The table of a file `seen.db` is the file `seen.db-keys`, which is mapped into memory, so that a
//! look-up costs the same in an index of any size. It is a cache: whatever it says is verified with
//! the entries, and if it is missing, damaged, or of another state of the index, it is built again
//! from them. So it needs no transactions: a key of an entry that was never committed does no harm.
//! Keys may only be missing after a failure of the machine. Therefore the table records the boot of
//! the machine, and the number of entries whose keys are known to be on disk.
//!
//! The table is an array of slots of 8 bytes, least significant byte first: the number of an entry,
//! 0 in an empty slot, and 32 bits of the key, the *tag*. The first bits of the tag are the place
//! where the search for a key begins; it ends at the next empty slot (linear probing). When three
//! quarters of the slots are used, the table is doubled. Two keys have the same tag with a
//! probability of 2⁻³², so that a look-up among a million documents of 20 keys finds a wrong entry
//! once in 200 times.

use memmap2::{MmapMut, MmapOptions};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of the file: the format and its version.
const MAGIC: [u8; 16] = *b"forage keys 0001";
/// Bytes before the slots.
const HEADER_BYTES: usize = 128;
const SLOT_BYTES: usize = 8;
/// Binary logarithm of the least number of slots: 8 kB.
const MIN_BITS: u32 = 10;
/// Largest table with a checksum: computing it takes about 0.1 s.
const MAX_CHECKED_BYTES: usize = 256 << 20;
/// Largest table that is flushed whatever it lacks: that takes a few ms.
const MAX_FLUSHED_BYTES: usize = 4 << 20;
/// Maximum number of entries per key. There are more only if many pages were made from one
/// template; a near-duplicate of one of them has other keys, too. Set by judgement, not measured.
const MAX_ENTRIES_PER_KEY: usize = 128;

/// The fields of the header: their positions in units of 8 bytes.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// The random number of the content of the index.
    Content = 2,
    /// The boot of the machine that has written the table.
    Boot,
    /// The last entry whose keys the table has, if the machine was not restarted.
    LastEntry,
    /// The last entry whose keys are known to be on disk.
    FlushedEntry,
    /// The number of slots that are used.
    UsedSlots,
    /// The number of slots that were used when the checksum was computed.
    CheckedSlots,
    /// The checksum of all slots; 0 if there is none.
    Checksum,
}

/// A table of the keys of entries.
#[derive(Debug)]
pub(crate) struct KeyTable {
    map: MmapMut,
    /// Binary logarithm of the number of slots.
    bits: u32,
    /// The file; `None` for a table in memory.
    path: Option<PathBuf>,
}

impl KeyTable {
    /// Creates an empty table in memory.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub(crate) fn in_memory() -> io::Result<KeyTable> {
        let map = MmapMut::map_anon(table_bytes(MIN_BITS))?;
        Ok(KeyTable::from_map(map, MIN_BITS, None))
    }

    /// Opens the table of an index at `path`, or creates an empty one if there is none that has
    /// keys of this `content`.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub(crate) fn open(index: &Path, content: i64) -> io::Result<KeyTable> {
        let path = path_of(index);
        let _ = std::fs::remove_file(path_of_new(&path)); // of a process that was killed
        let file = OpenOptions::new().read(true).write(true).open(&path);
        if let Some((map, bits)) = file.and_then(|file| map(&file, false)).ok().flatten() {
            let mut table = KeyTable::from_map(map, bits, Some(path));
            if table.accepts(content) {
                return Ok(table);
            }
        }
        KeyTable::create(index, content)
    }

    /// Creates an empty table of an index at `path`, or replaces the one that there is.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn create(index: &Path, content: i64) -> io::Result<KeyTable> {
        let mut table = KeyTable::in_memory()?;
        table.path = Some(path_of(index));
        table.put(Field::Content, content as u64);
        table.replace_by_larger(MIN_BITS)?;
        Ok(table)
    }

    /// Returns a copy of the table of an index at `path`, to which keys can be added in memory, or
    /// an empty one if there is none that has keys of this `content`.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub(crate) fn open_copy(index: &Path, content: i64) -> io::Result<KeyTable> {
        let copy = File::open(path_of(index)).and_then(|file| map(&file, true));
        if let Some((map, bits)) = copy.ok().flatten() {
            let mut table = KeyTable::from_map(map, bits, None);
            if table.accepts(content) {
                return Ok(table);
            }
        }
        KeyTable::in_memory()
    }

    fn from_map(mut map: MmapMut, bits: u32, path: Option<PathBuf>) -> KeyTable {
        map[..MAGIC.len()].copy_from_slice(&MAGIC);
        KeyTable { map, bits, path }
    }

    /// Returns `true` if the table has keys of this content and is not damaged. Notes how many of
    /// them are there after a restart of the machine.
    fn accepts(&mut self, content: i64) -> bool {
        let boot = boot();
        if boot == 0 || self.get(Field::Boot) != boot {
            self.put(Field::LastEntry, self.get(Field::FlushedEntry));
            self.put(Field::Boot, boot);
        }
        let checked = self.get(Field::CheckedSlots);
        let is_checked = checked != 0 && checked == self.get(Field::UsedSlots);
        self.get(Field::Content) == content as u64
            && self.get(Field::UsedSlots) < 1 << self.bits
            && (!is_checked || self.checksum() == self.get(Field::Checksum))
    }

    /// Returns the last entry whose keys the table has.
    pub(crate) fn last_entry(&self) -> i64 {
        self.get(Field::LastEntry) as i64
    }

    /// Notes that the table has the keys of all entries up to `entry`.
    pub(crate) fn set_last_entry(&mut self, entry: i64) {
        self.put(Field::LastEntry, entry as u64);
        let flushed = self.get(Field::FlushedEntry).min(entry as u64);
        self.put(Field::FlushedEntry, flushed);
    }

    /// Notes the number of the content of the index, after entries were removed.
    pub(crate) fn set_content(&mut self, content: i64) {
        self.put(Field::Content, content as u64);
    }

    /// Returns the entries with the key, in the order in which they were added, and in rare cases
    /// others.
    pub(crate) fn entries(&self, key: u64) -> impl Iterator<Item = i64> {
        let tag = tag_of(key);
        self.probe(tag)
            .map(|place| self.slot(place))
            .take_while(|&slot| slot != 0)
            .filter(move |slot| slot >> 32 == tag)
            .map(|slot| i64::from(slot as u32))
    }

    /// Reads the slots at which the searches for `keys` begin, so that the processor fetches all of
    /// them at once. In a search, it waits for one after the other.
    pub(crate) fn prefetch(&self, keys: impl Iterator<Item = u64>) {
        let slots = keys.map(|key| self.slot(self.home(tag_of(key))));
        std::hint::black_box(slots.fold(0, |all, slot| all ^ slot));
    }

    /// Adds an entry with the key.
    ///
    /// # Errors
    /// Fails if the table cannot grow, or its entries have no more numbers.
    pub(crate) fn insert(&mut self, key: u64, entry: i64) -> io::Result<()> {
        if self.get(Field::UsedSlots) >= (1_u64 << self.bits) / 4 * 3 {
            self.grow_to(self.bits + 1)?;
        }
        let number = u32::try_from(entry).map_err(|_| io::Error::other("has no more entries"))?;
        self.insert_slot((tag_of(key) << 32) | u64::from(number));
        Ok(())
    }

    /// Makes room for so many more keys. Keys in ascending order need it: they would fill a small
    /// table from its beginning, so that each is searched for behind all others.
    ///
    /// # Errors
    /// Fails if the table cannot grow.
    pub(crate) fn reserve(&mut self, keys: usize) -> io::Result<()> {
        let needed = self.get(Field::UsedSlots).saturating_add(keys as u64);
        let mut bits = self.bits;
        while needed > (1_u64 << bits) / 4 * 3 {
            bits += 1;
        }
        match bits == self.bits {
            true => Ok(()),
            false => self.grow_to(bits),
        }
    }

    /// Adds an entry with the key, unless there is one.
    ///
    /// # Errors
    /// Fails as [`KeyTable::insert`].
    pub(crate) fn insert_first(&mut self, key: u64, entry: i64) -> io::Result<()> {
        // Those of later entries were never committed.
        let has_one = self.entries(key).any(|earlier| earlier <= entry);
        match has_one {
            true => Ok(()),
            false => self.insert(key, entry),
        }
    }

    /// Writes a slot, unless it exists or there are too many of its tag.
    fn insert_slot(&mut self, new: u64) {
        let mut with_tag = 0;
        for place in self.probe(new >> 32) {
            let slot = self.slot(place);
            if slot == 0 {
                self.map[slot_range(place)].copy_from_slice(&new.to_le_bytes());
                self.put(Field::UsedSlots, self.get(Field::UsedSlots) + 1);
                return;
            }
            with_tag += usize::from(slot >> 32 == new >> 32);
            if slot == new || with_tag == MAX_ENTRIES_PER_KEY {
                return;
            }
        }
    }

    /// Makes the table durable with the keys of all entries up to the last one, if it is small or
    /// lacks many of them on disk. A flush of a large table takes a second, and it would save as
    /// much only after a restart of the machine.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let (last, flushed) = (self.get(Field::LastEntry), self.get(Field::FlushedEntry));
        let is_due = self.map.len() <= MAX_FLUSHED_BYTES || flushed < last / 2;
        if self.path.is_none() || flushed == last || !is_due {
            return Ok(());
        }
        self.map.flush()?;
        self.put(Field::CheckedSlots, self.get(Field::UsedSlots));
        self.put(Field::Checksum, self.checksum());
        self.put(Field::FlushedEntry, self.get(Field::LastEntry));
        self.map.flush_range(0, HEADER_BYTES)
    }

    fn grow_to(&mut self, bits: u32) -> io::Result<()> {
        if bits > u32::BITS {
            return Err(io::Error::other("has no more slots"));
        }
        self.replace_by_larger(bits)
    }

    /// Replaces the table, and its file, by one of 2 to the power of `bits` slots. A kill leaves
    /// the old file or the new one.
    fn replace_by_larger(&mut self, bits: u32) -> io::Result<()> {
        let new = self.path.as_deref().map(path_of_new);
        let map = match &new {
            Some(new) => create_file(new, table_bytes(bits))?,
            None => MmapMut::map_anon(table_bytes(bits))?,
        };
        let mut table = KeyTable::from_map(map, bits, self.path.take());
        table.put(Field::Content, self.get(Field::Content));
        table.put(Field::Boot, boot());
        table.put(Field::LastEntry, self.get(Field::LastEntry));
        // From an empty slot on, so that the entries of a tag come in their order.
        let slots = 1 << self.bits;
        let empty = (0..slots).find(|&place| self.slot(place) == 0);
        for place in (0..slots).map(|distance| (empty.unwrap_or(0) + distance) & (slots - 1)) {
            let slot = self.slot(place);
            if slot != 0 {
                table.insert_slot(slot);
            }
        }
        if let (Some(new), Some(path)) = (&new, &table.path) {
            std::fs::rename(new, path)?;
        }
        *self = table;
        Ok(())
    }

    /// Returns all places, in the order in which a tag is searched for.
    fn probe(&self, tag: u64) -> impl Iterator<Item = usize> + use<> {
        let slots = 1_usize << self.bits;
        let home = self.home(tag);
        (0..slots).map(move |distance| (home + distance) & (slots - 1))
    }

    /// Returns the place at which the search for a tag begins.
    fn home(&self, tag: u64) -> usize {
        (tag >> (u32::BITS - self.bits)) as usize
    }

    fn slot(&self, place: usize) -> u64 {
        read_number(&self.map[slot_range(place)])
    }

    fn checksum(&self) -> u64 {
        let slots = &self.map[HEADER_BYTES..];
        match slots.len() <= MAX_CHECKED_BYTES {
            true => xxh3_64(slots),
            false => 0,
        }
    }

    fn get(&self, field: Field) -> u64 {
        read_number(&self.map[field_range(field)])
    }

    fn put(&mut self, field: Field, value: u64) {
        self.map[field_range(field)].copy_from_slice(&value.to_le_bytes());
    }
}

fn read_number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

fn field_range(field: Field) -> Range<usize> {
    let start = 8 * field as usize;
    start..start + 8
}

fn slot_range(place: usize) -> Range<usize> {
    let start = HEADER_BYTES + place * SLOT_BYTES;
    start..start + SLOT_BYTES
}

fn table_bytes(bits: u32) -> usize {
    HEADER_BYTES + (SLOT_BYTES << bits)
}

/// Returns the tag of a key.
pub(crate) fn tag_of(key: u64) -> u64 {
    key >> 32
}

/// Returns the path of the table of an index.
pub(crate) fn path_of(index: &Path) -> PathBuf {
    with_suffix(index, "-keys")
}

/// Returns the path whose table has the 5-grams of the paragraphs of an index.
pub(crate) fn paragraphs_path_of(index: &Path) -> PathBuf {
    with_suffix(index, "-paragraphs")
}

/// Returns the path of the table that replaces the one at `path`, until it is complete.
fn path_of_new(path: &Path) -> PathBuf {
    with_suffix(path, "-new")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns a number of the present boot of the machine; 0 if the system does not tell it. The table
/// is then valid as far as it was flushed.
fn boot() -> u64 {
    std::fs::read("/proc/sys/kernel/random/boot_id").map_or(0, |id| xxh3_64(&id))
}

/// Maps a table that is a file, or a copy of it, and returns the binary logarithm of its slots;
/// `None` if it is no table of this version.
#[expect(unsafe_code, reason = "a mapped file can change under the process")]
fn map(file: &File, is_copy: bool) -> io::Result<Option<(MmapMut, u32)>> {
    let length = file.metadata()?.len();
    let Some(bits) = (MIN_BITS..=u32::BITS).find(|&bits| table_bytes(bits) as u64 == length) else {
        return Ok(None);
    };
    let options = MmapOptions::new();
    // SAFETY: the bytes have no invalid values. No other process writes the file, because the index
    // is locked, but for one whose table is copied; a slot is then read before or after it is
    // written. A table that grows is replaced, not truncated.
    let map = unsafe {
        match is_copy {
            true => options.map_copy(file),
            false => options.map_mut(file),
        }
    }?;
    Ok((map.len() == table_bytes(bits) && map[..MAGIC.len()] == MAGIC).then_some((map, bits)))
}

/// Creates a file of `bytes` zeros and maps it. The zeros are written, so that a full disk is an
/// error here, and not a signal when the mapped bytes change.
#[expect(unsafe_code, reason = "a mapped file can change under the process")]
fn create_file(path: &Path, bytes: usize) -> io::Result<MmapMut> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    let mut file = options.open(path)?;
    // In single pages: Linux keeps what is written at once together, and then the first change of
    // each mapped page visits all pages of its group, which made a document three times as dear.
    let zeros = [0; 4096];
    let mut missing = bytes;
    while missing > 0 {
        let part = &zeros[..missing.min(zeros.len())];
        file.write_all(part).inspect_err(|_| {
            let _ = std::fs::remove_file(path);
        })?;
        missing -= part.len();
    }
    // SAFETY: the bytes have no invalid values, and no other process knows the file.
    unsafe { MmapMut::map_mut(&file) }
}

#[cfg(test)]
mod tests;
