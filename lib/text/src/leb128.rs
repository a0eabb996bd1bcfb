//! Numbers of variable length: seven bits per byte, the lowest first (LEB128).

/// Appends a number.
pub fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a number from the start of `bytes`; returns `None` if there is none, or one of more than
/// 64 bits.
#[inline]
pub fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        // The last of ten bytes has one bit.
        if shift == 63 && byte > 1 {
            return None;
        }
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::{push_number, take_number};

    #[test]
    fn numbers_are_read_as_written() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            push_number(&mut bytes, number);
        }
        let mut rest = &bytes[..];
        for number in numbers {
            assert_eq!(take_number(&mut rest), Some(number));
        }
        assert_eq!(take_number(&mut rest), None);
        for damaged in [&[0x80][..], &[0xFF; 10]] {
            assert_eq!(take_number(&mut { damaged }), None, "{damaged:?}");
        }
    }
}
