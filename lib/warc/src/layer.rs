//! How records are packed in a file: as they are, or in gzip members or zstd frames.

use crate::frame::{self, ZstdFrame};
use crate::record;
use crate::tail;
use crate::window::{Look, Window};
use flate2::bufread::GzDecoder;
use memchr::memmem;
use ruzstd::decoding::FrameDecoder;
use std::fs::File;
use std::io;

/// Bytes of an unpacked member that are looked at together.
const MEMBER_WINDOW: usize = 1 << 14;
/// Bytes that tell whether a record begins: the head of a gzip member may hold the name of a file.
const BEGINNING: usize = 1 << 12;

/// A file, or the member of it that is open.
pub(crate) enum Layer {
    Plain(Window<File>),
    Gzip(Window<GzDecoder<Window<File>>>),
    Zstd(Window<ZstdFrame>),
}

/// How a record is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// What begins with these bytes.
    pub fn from_magic(start: &[u8]) -> Packing {
        match start {
            start if start.starts_with(&tail::MAGIC) => Packing::Gzip,
            start if start.starts_with(&frame::MAGIC) => Packing::Zstd,
            _ => Packing::Plain,
        }
    }

    /// Where the first record begins that is packed like this, if one does.
    fn find(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Packing::Plain => memmem::find_iter(bytes, record::MAGIC)
                .find(|&at| is_version(&bytes[at + record::MAGIC.len()..])),
            Packing::Gzip => {
                memmem::find_iter(bytes, &tail::MAGIC).find(|&at| tail::begins_record(&bytes[at..]))
            }
            Packing::Zstd => memmem::find(bytes, &frame::MAGIC),
        }
    }
}

/// Whether a version stands here, and ends its line: in running text there may be anything.
fn is_version(bytes: &[u8]) -> bool {
    let line = bytes
        .iter()
        .take(8)
        .position(|byte| *byte == b'\n')
        .map(|end| bytes[..end].trim_ascii_end());
    line.is_some_and(|line| {
        !line.is_empty()
            && line
                .iter()
                .all(|byte| byte.is_ascii_digit() || *byte == b'.')
    })
}

impl Layer {
    /// Opens the member that the file stands at.
    pub fn open(
        file: Window<File>,
        packing: Packing,
        zstd: &mut Option<Box<FrameDecoder>>,
    ) -> Layer {
        match packing {
            Packing::Plain => Layer::Plain(file),
            Packing::Gzip => Layer::Gzip(Window::new(GzDecoder::new(file), MEMBER_WINDOW)),
            Packing::Zstd => Layer::Zstd(Window::new(
                ZstdFrame::new(file, zstd.take().unwrap_or_default()),
                MEMBER_WINDOW,
            )),
        }
    }

    /// The file, which stands behind the member where that was read to its end.
    pub fn close(self, zstd: &mut Option<Box<FrameDecoder>>) -> Window<File> {
        match self {
            Layer::Plain(file) => file,
            Layer::Gzip(member) => member.into_inner().into_inner(),
            Layer::Zstd(frame) => {
                let (file, decoder) = frame.into_inner().into_parts();
                *zstd = Some(decoder);
                file
            }
        }
    }

    /// What records are read from.
    pub fn stream(&mut self) -> &mut dyn Look {
        match self {
            Layer::Plain(file) => file,
            Layer::Gzip(member) => member,
            Layer::Zstd(frame) => frame,
        }
    }

    pub fn packing(&self) -> Packing {
        match self {
            Layer::Plain(_) => Packing::Plain,
            Layer::Gzip(_) => Packing::Gzip,
            Layer::Zstd(_) => Packing::Zstd,
        }
    }
}

/// Goes on to what looks like the beginning of a record, packed like that, or in any way; or to the
/// end.
pub(crate) fn find(from: &mut dyn Look, packing: Option<Packing>) -> io::Result<bool> {
    loop {
        let bytes = from.peek(usize::MAX)?;
        let one = packing.as_ref().map_or(
            &[Packing::Plain, Packing::Gzip, Packing::Zstd][..],
            std::slice::from_ref,
        );
        if let Some(at) = one.iter().filter_map(|packing| packing.find(bytes)).min() {
            from.consume(at);
            return Ok(true);
        }
        let length = bytes.len();
        // What begins near the end is looked at again, with what comes after it.
        let passed = if length > BEGINNING {
            length - BEGINNING
        } else {
            length
        };
        from.consume(passed);
        if length <= BEGINNING {
            return Ok(false);
        }
    }
}
