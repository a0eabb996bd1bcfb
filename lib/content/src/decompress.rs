//! Decompression of gzip and zstd, recognised by their first bytes: for files, feeds and bodies of
//! HTTP. Archives, which need the position of each record, use `zstd_frame`.

use crate::zstd_frame::{read_zstd_frame, zstd_error};
use flate2::bufread::GzDecoder;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufRead, Read};

/// The first bytes of a member of gzip (RFC 1952, section 2.3.1).
pub const GZIP_MAGIC: [u8; 3] = [0x1F, 0x8B, 8];
/// The first bytes of a frame of zstd (RFC 8878, section 3.1.1).
pub const ZSTD_MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// The first bytes of a skippable frame, with which a file of several frames may begin (RFC 8878,
/// section 3.1.2). The lower half of the first byte may be any.
const SKIPPABLE_MAGIC: [u8; 4] = 0x184D_2A50_u32.to_le_bytes();

/// A compression of whole files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// gzip (RFC 1952).
    Gzip,
    /// zstd (RFC 8878).
    Zstd,
}

impl Compression {
    /// Returns the compression of a file that begins with `head`.
    pub fn detect(head: &[u8]) -> Option<Compression> {
        if head.starts_with(&GZIP_MAGIC) {
            Some(Compression::Gzip)
        } else if head.starts_with(&ZSTD_MAGIC) || is_skippable(head) {
            Some(Compression::Zstd)
        } else {
            None
        }
    }

    /// Returns `true` if more bytes are needed to tell whether a file is compressed.
    pub(crate) fn is_undecided(head: &[u8]) -> bool {
        let is_part = |magic: &[u8]| head.len() < magic.len() && magic.starts_with(head);
        is_part(&GZIP_MAGIC) || is_part(&ZSTD_MAGIC)
    }

    /// Returns a reader of the decompressed data of `compressed`: of all members or frames.
    pub fn decompress<'a>(self, compressed: impl BufRead + Send + 'a) -> Box<dyn Read + Send + 'a> {
        match self {
            Compression::Gzip => Box::new(GzipReader(Some(GzDecoder::new(compressed)))),
            Compression::Zstd => Box::new(ZstdReader {
                compressed,
                decoder: Box::new(FrameDecoder::new()),
                is_in_frame: false,
            }),
        }
    }
}

/// Returns the name of a compression that is not read here, and the command that unpacks a file
/// which begins with `head`.
pub(crate) fn unread_compression(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const MAGIC: [(&[u8], usize, &str, &str); 4] = [
        (b"\xfd7zXZ\0", 0, "xz", "xz -dc"),
        // Begins with a digit in between, the size of a block.
        (b"1AY&SY", 4, "bzip2", "bzip2 -dc"),
        (b"\x04\x22\x4d\x18", 0, "lz4", "lz4 -dc"),
        (b"7z\xbc\xaf\x27\x1c", 0, "7z", "7z x -so"),
    ];
    let begins = |magic: &[u8], at: usize| head.get(at..).is_some_and(|h| h.starts_with(magic));
    MAGIC
        .into_iter()
        .find(|(magic, at, name, _)| {
            begins(magic, *at) && (*name != "bzip2" || head.starts_with(b"BZh"))
        })
        .map(|(_, _, name, command)| (name, command))
}

fn is_skippable(head: &[u8]) -> bool {
    head.first()
        .is_some_and(|byte| byte & 0xF0 == SKIPPABLE_MAGIC[0])
        && head.get(1..4) == Some(&SKIPPABLE_MAGIC[1..])
}

/// A reader of all members of a gzip file. Other data after a member is ignored, as by gzip(1).
struct GzipReader<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let bytes = member.read(to)?;
            if bytes > 0 || to.is_empty() {
                return Ok(bytes);
            }
            let Some(member) = self.0.take() else { break };
            let mut rest = member.into_inner();
            let start = rest.fill_buf()?;
            let start = &start[..start.len().min(2)];
            if !start.is_empty() && GZIP_MAGIC.starts_with(start) {
                self.0 = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// A reader of all frames of a zstd file, without the skippable ones.
struct ZstdReader<R> {
    compressed: R,
    decoder: Box<FrameDecoder>,
    is_in_frame: bool,
}

impl<R: BufRead> ZstdReader<R> {
    /// Starts the next frame; returns `false` at the end of the file.
    fn start_frame(&mut self) -> io::Result<bool> {
        while !self.compressed.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.compressed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = (&mut self.compressed).take(length.into());
                    io::copy(&mut { skipped }, &mut io::sink())?;
                }
                Err(e) => return Err(zstd_error(&e)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_in_frame {
                if !self.start_frame()? {
                    return Ok(0);
                }
                self.is_in_frame = true;
            }
            let bytes = read_zstd_frame(&mut self.decoder, &mut self.compressed, to)?;
            if bytes > 0 {
                return Ok(bytes);
            }
            self.is_in_frame = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::{Cursor, Read, Write};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(compressed: &[u8]) -> std::io::Result<Vec<u8>> {
        let compression = Compression::detect(compressed).unwrap();
        let mut text = Vec::new();
        compression
            .decompress(Box::new(Cursor::new(compressed.to_vec())))
            .read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn reads_all_members_and_frames() {
        let long = b"danes je lep dan ".repeat(50_000);
        for compressed in [
            [gzip(b"a"), gzip(b""), gzip(&long)].concat(),
            [zstd(b"a"), zstd(b""), zstd(&long)].concat(),
        ] {
            assert!(read(&compressed).unwrap() == [b"a", &long[..]].concat());
        }
    }

    #[test]
    fn other_data_after_gzip_and_skippable_frames_are_ignored() {
        let padded = [gzip(b"a"), vec![0; 512]].concat();
        assert_eq!(read(&padded).unwrap(), b"a");
        let skippable = [&b"\x5e\x2a\x4d\x18\x03\0\0\0xyz"[..], &zstd(b"a")].concat();
        assert_eq!(read(&skippable).unwrap(), b"a");
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let text = b"danes je lep dan, jutri bo grd".repeat(99);
        for compressed in [gzip(&text), zstd(&text)] {
            for end in [5, 20, compressed.len() - 1] {
                assert!(read(&compressed[..end]).is_err(), "{end}");
            }
        }
    }
}
