//! A file as a series of records: plain, in gzip members or in zstd frames, one in each as it
//! should be, or many.
//!
//! Where there is no record, as the file is damaged, the next one is looked for: in what is left of
//! an unpacked member, then in the file, at what records begin with there.

use crate::frame;
use crate::layer::{self, Layer, Packing};
use crate::record::{self, RawRecord};
use crate::window::{Look, Window};
use ruzstd::decoding::FrameDecoder;
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Bytes of a file that are looked at together.
const WINDOW: usize = 1 << 16;
/// Bytes of a member that are unpacked again to get to a record in it that something refers to.
const MOST_AGAIN: u64 = 64 << 20;
/// Bytes of a file's members that are unpacked again to look for records where there is damage.
const MOST_LOOKS: u64 = 1 << 30;
/// What other formats begin with that people take for this one.
const OTHERS: [(&[u8], &str); 2] = [
    (
        b"filedesc:",
        "this is an ARC file, which is older than WARC; `warcio recompress` makes one of it",
    ),
    (
        b"PK\x03\x04",
        "this is a zip; if it is a WACZ, unzip it and give the files of its folder archive",
    ),
];

/// Where a record is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The byte of the file at which it begins, or the member that it is in.
    pub offset: u64,
    /// The byte of the unpacked member at which it begins.
    pub within: u64,
}

/// A part of an archive that holds no record that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveDamage {
    place: Place,
    /// How far it goes; `None` where it goes to the end of a member that holds other records, too.
    bytes: Option<u64>,
    cause: String,
    /// Whether it was found out by what can't be unpacked, which may come long after the damage.
    is_late: bool,
}

impl ArchiveDamage {
    /// The same, which goes on to where the next record is.
    fn until(self, end: Place) -> ArchiveDamage {
        let is_within = end.offset == self.place.offset;
        let bytes = match self.place.within {
            from if is_within => end.within.checked_sub(from),
            0 => end.offset.checked_sub(self.place.offset),
            _ => None,
        };
        ArchiveDamage { bytes, ..self }
    }
}

impl fmt::Display for ArchiveDamage {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { offset, within } = self.place;
        write!(to, "no WARC record at byte {offset}")?;
        if within > 0 {
            write!(to, ", byte {within} of what is packed there")?;
        }
        match self.bytes {
            Some(bytes) => write!(to, ": {}; {bytes} bytes were passed over", self.cause),
            None => write!(to, ": {}; the rest of that was passed over", self.cause),
        }?;
        let is_doubtful = self.is_late && within > 0;
        if is_doubtful {
            write!(to, ", and what was read of it may be damaged")
        } else {
            Ok(())
        }
    }
}

/// Reads a file's records.
pub(crate) struct RecordSource {
    /// Always there between calls.
    layer: Option<Layer>,
    /// Where the member begins that is open.
    member: u64,
    /// How the latest record was packed.
    packing: Option<Packing>,
    /// Whether something was met that begins as records do.
    is_archive: bool,
    /// Pipes can't be gone back in.
    is_file: bool,
    /// What is left of [`MOST_LOOKS`].
    looks: u64,
    /// What undoes zstd, with the file's dictionary.
    zstd: Option<Box<FrameDecoder>>,
}

impl RecordSource {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<RecordSource> {
        let file = File::open(path)?;
        let is_file = file.metadata()?.is_file();
        let layer = Some(Layer::Plain(Window::new(file, WINDOW)));
        Ok(RecordSource {
            layer,
            member: 0,
            packing: None,
            is_archive: false,
            is_file,
            looks: MOST_LOOKS,
            zstd: None,
        })
    }

    /// Opens a file at a record that was met there.
    pub fn open_at(path: &Path, place: Place) -> io::Result<RecordSource> {
        let mut source = RecordSource::open(path)?;
        // A dictionary would stand first.
        source.begin()?;
        source.seek(place)?;
        Ok(source)
    }

    /// Goes on with the record at `place`.
    pub fn seek(&mut self, place: Place) -> io::Result<()> {
        if place.within > MOST_AGAIN {
            return Err(io::Error::other(
                "it is too far inside of what is packed as a whole",
            ));
        }
        self.get_to(place)
    }

    fn get_to(&mut self, place: Place) -> io::Result<()> {
        self.close().seek(place.offset)?;
        if place.within > 0 {
            self.begin()?;
            let before = place.within.saturating_sub(self.stream().position());
            io::copy(&mut self.stream().take(before), &mut io::sink())?;
        }
        Ok(())
    }

    /// The next record, whose block is left out where it has more than `most` bytes; `None` at the
    /// end. What had to be passed over before it is added to `passed`.
    ///
    /// # Errors
    /// When reading fails, or the file is no archive.
    pub fn next(
        &mut self,
        most: u64,
        passed: &mut Vec<ArchiveDamage>,
    ) -> io::Result<Option<(RawRecord, Place)>> {
        let mut damage: Option<ArchiveDamage> = None;
        loop {
            match self.record(most) {
                Ok(found) => {
                    let Some(damage) = damage else {
                        return Ok(found);
                    };
                    if !self.is_archive {
                        let offset = damage.place.offset;
                        let told = format!("no WARC record at byte {offset}: {}", damage.cause);
                        return Err(io::Error::other(told));
                    }
                    passed.push(
                        damage.until(found.as_ref().map_or(self.place(), |(_, place)| *place)),
                    );
                    return Ok(found);
                }
                Err((place, e)) if is_damage(e.kind()) => {
                    // What can't be unpacked may well have been one.
                    self.is_archive |= e.kind() != ErrorKind::InvalidData;
                    self.look_for_next(place, e.kind())?;
                    let is_late = e.kind() == ErrorKind::InvalidInput;
                    damage.get_or_insert(ArchiveDamage {
                        place,
                        bytes: None,
                        cause: e.to_string(),
                        is_late,
                    });
                }
                Err((_, e)) => return Err(e),
            }
        }
    }

    /// The record that stands here, and none after it.
    pub fn record_here(&mut self, most: u64) -> io::Result<Option<RawRecord>> {
        self.record(most)
            .map(|found| found.map(|(raw, _)| raw))
            .map_err(|(_, e)| e)
    }

    /// The record that comes next, or where there is none that can be read, and why.
    fn record(&mut self, most: u64) -> Result<Option<(RawRecord, Place)>, (Place, io::Error)> {
        let begun = self.begin();
        let place = self.place();
        let read = begun.and_then(|is_there| is_there.then(|| self.read(most)).transpose());
        read.map(|raw| Some((raw?, place))).map_err(|e| (place, e))
    }

    fn read(&mut self, most: u64) -> io::Result<RawRecord> {
        let start = self
            .stream()
            .peek(record::MAGIC.len().max(OTHERS[0].0.len()))?;
        let is_record = start.starts_with(record::MAGIC);
        let other = OTHERS.iter().find(|(magic, _)| start.starts_with(magic));
        if let Some((_, told)) = other.filter(|_| !self.is_archive) {
            return Err(io::Error::new(ErrorKind::Unsupported, *told));
        }
        if !is_record {
            // Nothing is taken: in a pipe nobody can go back.
            return Err(record::wrong(record::NO_MAGIC));
        }
        self.is_archive = true;
        let left = self.left()?;
        let raw = record::read(&mut self.stream(), most, left)?;
        self.packing = Some(self.layer().packing());
        let end = self.stream().position();
        // The checksum of a member stands at its end: only then is it known that the record is as
        // it was written.
        self.stream().skip_padding()?;
        let is_padded = self.stream().position() > end;
        let next = self.stream().peek(record::MAGIC.len())?;
        let is_next = next.is_empty()
            || next.starts_with(record::MAGIC)
            || Packing::from_magic(next) != Packing::Plain;
        if !is_padded && !is_next {
            return Err(record::wrong("its length is not the one that it gives"));
        }
        if self.is_packed() && self.stream().is_at_end()? {
            self.close();
        }
        Ok(raw)
    }

    /// Gets to where the next record begins, and opens the member that it is in; `false` at the end
    /// of the file.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            self.stream().skip_padding()?;
            if self.is_packed() {
                if !self.stream().is_at_end()? {
                    return Ok(true);
                }
                self.close();
            } else if !self.skip_frame()? {
                let start = self.stream().peek(frame::MAGIC.len())?;
                let (is_there, packing) = (!start.is_empty(), Packing::from_magic(start));
                if packing == Packing::Plain {
                    return Ok(is_there);
                }
                self.open_member(packing);
            }
        }
    }

    /// Gets to what may be the next record, after one at `place` could not be read.
    fn look_for_next(&mut self, place: Place, failure: ErrorKind) -> io::Result<()> {
        // What can be unpacked may hold further ones.
        if self.is_packed()
            && failure == ErrorKind::InvalidData
            && self.look_within(place).is_ok_and(|found| found)
        {
            return Ok(());
        }
        let (is_file, packing) = (self.is_file, self.packing);
        let file = self.close();
        if is_file {
            file.seek(place.offset + 1)?;
        }
        layer::find(file, packing)?;
        Ok(())
    }

    /// As [`RecordSource::look_for_next`], in the member that is open, if there is one.
    fn look_within(&mut self, place: Place) -> io::Result<bool> {
        if self.is_file && place.within < self.looks {
            self.looks -= place.within;
            self.get_to(Place {
                within: place.within + 1,
                ..place
            })?;
        }
        layer::find(self.stream(), Some(Packing::Plain))
    }

    /// Where the next byte is.
    fn place(&mut self) -> Place {
        let position = self.stream().position();
        if self.is_packed() {
            Place {
                offset: self.member,
                within: position,
            }
        } else {
            Place {
                offset: position,
                within: 0,
            }
        }
    }

    /// Bytes that a record may have, as far as that is known.
    fn left(&mut self) -> io::Result<u64> {
        match self.layer() {
            Layer::Plain(file) if self.is_file => {
                let length = file.get_ref().metadata()?.len();
                Ok(length.saturating_sub(file.position()))
            }
            _ => Ok(u64::MAX),
        }
    }

    fn is_packed(&self) -> bool {
        self.layer().packing() != Packing::Plain
    }

    fn layer(&self) -> &Layer {
        self.layer.as_ref().expect(THERE)
    }

    fn stream(&mut self) -> &mut dyn Look {
        self.layer.as_mut().expect(THERE).stream()
    }

    fn open_member(&mut self, packing: Packing) {
        let file = self.layer.take().expect(THERE).close(&mut self.zstd);
        self.member = file.position();
        self.layer = Some(Layer::open(file, packing, &mut self.zstd));
    }

    /// Closes the member that is open, if one is.
    fn close(&mut self) -> &mut Window<File> {
        let file = self.layer.take().expect(THERE).close(&mut self.zstd);
        match self.layer.insert(Layer::Plain(file)) {
            Layer::Plain(file) => file,
            _ => unreachable!("it was put there"),
        }
    }

    /// Passes over a frame of zstd that has no records, if one is there.
    fn skip_frame(&mut self) -> io::Result<bool> {
        match self.layer.as_mut().expect(THERE) {
            Layer::Plain(file) => frame::skip(file, &mut self.zstd),
            _ => Ok(false),
        }
    }
}

const THERE: &str = "it is taken away only to be put back";

/// Whether a failure is one of the data, and not of reading them.
fn is_damage(failure: ErrorKind) -> bool {
    matches!(
        failure,
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof
    )
}

#[cfg(test)]
mod tests {
    use super::{ArchiveDamage, RecordSource};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    type Pack = fn(&[u8]) -> Vec<u8>;
    const PACKINGS: [Pack; 3] = [plain, gzip, zstd];

    fn plain(bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn record(name: &str) -> Vec<u8> {
        let block = format!("<p>{name} {}", "potok teče ".repeat(30));
        format!(
            "WARC/1.0\r\nN: {name}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
        .into_bytes()
    }

    /// Names of the records of a file, and what was passed over.
    fn read(bytes: &[u8]) -> std::io::Result<(String, Vec<ArchiveDamage>)> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let (mut source, mut names, mut passed) =
            (RecordSource::open(file.path())?, String::new(), Vec::new());
        while let Some((raw, place)) = source.next(9999, &mut passed)? {
            let name = raw.field("N").unwrap_or("?");
            let is_whole = raw
                .block
                .as_ref()
                .unwrap()
                .starts_with(format!("<p>{name} ").as_bytes());
            assert!(is_whole || !["a", "c"].contains(&name));
            let again = RecordSource::open_at(file.path(), place)
                .unwrap()
                .record_here(9999)
                .unwrap();
            assert_eq!(again, Some(raw.clone()), "the record is found at its place");
            names.push_str(name);
        }
        Ok((names, passed))
    }

    fn told(passed: &[ArchiveDamage]) -> Vec<String> {
        passed.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn records_are_read_however_they_are_packed() {
        for pack in PACKINGS {
            let [a, b, c] = ["a", "b", "c"].map(|name| pack(&record(name)));
            let all = [a.as_slice(), b"\r\n", &b, &pack(b""), &c, &[0; 5000]].concat();
            assert_eq!(
                read(&all).unwrap(),
                ("abc".into(), Vec::new()),
                "one by one, with padding between them"
            );
            let whole = pack(&["a", "b", "c"].map(record).concat());
            assert_eq!(
                read(&whole).unwrap(),
                ("abc".into(), Vec::new()),
                "as a whole"
            );
        }
        let mixed = [
            record("a"),
            gzip(&record("b")),
            zstd(&record("c")),
            record("d"),
        ]
        .concat();
        assert_eq!(read(&mixed).unwrap(), ("abcd".into(), Vec::new()));
        assert_eq!(read(b"").unwrap(), (String::new(), Vec::new()));
    }

    #[test]
    fn a_damaged_record_costs_no_other_one() {
        for pack in PACKINGS {
            let [a, b, c] = ["a", "b", "c"].map(|name| pack(&record(name)));
            for at in 0..b.len() {
                let mut damaged = b.clone();
                damaged[at] ^= 0x55;
                let (names, passed) = read(&[a.as_slice(), &damaged, &c].concat()).unwrap();
                let is_lost = names == "ac" && passed.len() == 1;
                // It may be that a byte is another and nobody knows, or that it is no matter.
                let is_like =
                    names.starts_with('a') && names.ends_with('c') && pack(b"").is_empty();
                assert!(
                    is_lost || (is_like || names == "abc") && passed.len() <= 1,
                    "{at}: {names}, {passed:?}"
                );
            }
            let (names, passed) = read(&[a.as_slice(), &b[b.len() / 2..], &c].concat()).unwrap();
            assert_eq!((names.as_str(), passed.len()), ("ac", 1), "{passed:?}");
            assert!(
                told(&passed)[0].starts_with(&format!("no WARC record at byte {}", a.len())),
                "{passed:?}"
            );
            assert!(told(&passed)[0].ends_with(&format!(
                "; {} bytes were passed over",
                b.len() - b.len() / 2
            )));
        }
    }

    #[test]
    fn a_file_that_is_cut_is_read_up_to_the_cut() {
        for pack in PACKINGS {
            let [a, b] = ["a", "b"].map(|name| pack(&record(name)));
            let both = [a.as_slice(), &b].concat();
            for length in a.len() + 1..both.len() {
                let (names, passed) = read(&both[..length]).unwrap();
                let is_lost = names == "a" && passed.len() == 1;
                // The line ends behind a record that is not packed are no part of it.
                let is_whole = pack(b"").is_empty() && length > both.len() - 5 && names == "ab";
                let is_begun = length < a.len() + 5 && names == "a";
                assert!(
                    is_lost || is_whole || is_begun,
                    "{length} of {}: {names}, {passed:?}",
                    both.len()
                );
            }
        }
        let mut whole = gzip(&["a", "b"].map(record).concat());
        let (names, passed) = read(&whole[..whole.len() - 5]).unwrap();
        let told = told(&passed);
        assert!(
            names == "a"
                && told.len() == 1
                && told[0].ends_with("; the rest of that was passed over"),
            "{told:?}"
        );
        let checksum = whole.len() - 6;
        whole[checksum] ^= 1;
        let told = read(&whole).unwrap().1[0].to_string();
        assert!(
            told.contains("checksum") && told.ends_with("what was read of it may be damaged"),
            "{told}"
        );
    }

    #[test]
    fn lengths_that_are_wrong_cost_one_record() {
        let wrong = |length: &str| {
            let text = String::from_utf8(record("b")).unwrap();
            let (head, rest) = text.split_once("Content-Length: ").unwrap();
            format!("{head}{length}\r\n{}", rest.split_once("\r\n").unwrap().1).into_bytes()
        };
        for length in [
            "",
            "x",
            "-1",
            "9",
            "450",
            "99999999999",
            "9999999999999999999999",
        ] {
            let length = format!("Content-Length: {length}");
            for pack in PACKINGS {
                let parts = [record("a"), wrong(&length), record("c")];
                for bytes in [
                    parts.clone().map(|part| pack(&part)).concat(),
                    pack(&parts.concat()),
                ] {
                    let (names, passed) = read(&bytes).unwrap();
                    assert_eq!(
                        (names.as_str(), passed.len()),
                        ("ac", 1),
                        "{length}: {passed:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_stands_behind_the_last_record_is_told_once() {
        for pack in PACKINGS {
            let a = pack(&record("a"));
            let (names, passed) =
                read(&[a.as_slice(), b"junk\n<html>\r\n\r\njunk"].concat()).unwrap();
            let told = told(&passed);
            assert!(
                names == "a" && told.len() == 1 && told[0].ends_with("; 19 bytes were passed over"),
                "{told:?}"
            );
        }
    }

    #[test]
    fn what_is_no_archive_is_told_by_its_cause() {
        for (bytes, cause) in [
            (&b"notes\n"[..], "does not begin with WARC/"),
            (
                b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA",
                "an ARC file",
            ),
            (
                &gzip(b"filedesc://IA-2.arc 0.0.0.0 20200101000000 text/plain 9\n1 0 IA"),
                "an ARC file",
            ),
            (b"PK\x03\x04\x14\0\0\0", "if it is a WACZ"),
            (&gzip(b"<html>"), "does not begin with WARC/"),
        ] {
            let e = read(bytes).unwrap_err().to_string();
            assert!(e.contains(cause), "{e}");
        }
    }
}
