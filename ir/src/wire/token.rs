//! Tokens: signed numbers of one to nine bytes.
//!
//! The leading one bits of the first byte say how many bytes follow. The remaining bits,
//! big-endian, are the number in two's complement. Each magnitude has one length: the shortest
//! whose positive range holds it, so -64 takes two bytes because 64 does. The reader refuses
//! any other length.

use crate::diag::{Code, Diag, Diags};
use crate::loc::Loc;

/// Bytes after the first of the longest token.
const MOST_EXTRA: usize = 8;

/// How many bytes follow the first.
fn extra_bytes(value: i64) -> usize {
    let magnitude = value.unsigned_abs();
    (0..MOST_EXTRA).find(|extra| magnitude >> (7 * extra + 6) == 0).unwrap_or(MOST_EXTRA)
}

/// Appends a number.
pub(super) fn write(out: &mut Vec<u8>, value: i64) {
    let extra = extra_bytes(value);
    if extra == MOST_EXTRA {
        out.push(0xff);
        out.extend(value.to_be_bytes());
        return;
    }
    let bits = 7 * (extra + 1);
    let prefix = !(u64::from(u8::MAX) >> extra) & u64::from(u8::MAX);
    let token = value as u64 & (u64::MAX >> (64 - bits)) | prefix << (8 * extra);
    out.extend(&token.to_be_bytes()[7 - extra..]);
}

/// Appends a length or another number that is not negative.
pub(super) fn write_len(out: &mut Vec<u8>, len: usize) {
    write(out, len as i64);
}

/// Appends a text.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    write_len(out, text.len());
    out.extend(text.as_bytes());
}

/// Appends a name that may be missing.
pub(super) fn write_name(out: &mut Vec<u8>, name: Option<&str>) {
    match name {
        None => write(out, 0),
        Some(name) => {
            write_len(out, name.len() + 1);
            out.extend(name.as_bytes());
        }
    }
}

/// The mistake of finding something else than `expected` at a byte.
pub(super) fn fault(offset: usize, expected: &str) -> Diags {
    Diag::new(Code::V701, Loc::NONE, format!("malformed wire bytes at offset {offset}: expected {expected}")).into()
}

/// Reads bytes from first to last.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The offset of the next byte.
    pub(super) const fn offset(&self) -> usize {
        self.offset
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: usize, expected: &str) -> Result<&'a [u8], Diags> {
        let rest = self.bytes.get(self.offset..).unwrap_or_default();
        let taken = rest.get(..len).ok_or_else(|| {
            let at = self.bytes.len();
            fault(at, &format!("{expected}, which needs {len} bytes from offset {}, but the bytes end", self.offset))
        })?;
        self.offset += len;
        Ok(taken)
    }

    /// A number.
    pub(super) fn token(&mut self, expected: &str) -> Result<i64, Diags> {
        let start = self.offset;
        let first = self.take(1, expected)?[0];
        let extra = first.leading_ones() as usize;
        let rest = self.take(extra, expected)?;
        let low = u64::from(first) & ((1 << 7usize.saturating_sub(extra)) - 1);
        let value = rest.iter().fold(low, |value, &byte| value << 8 | u64::from(byte));
        let unused = if extra == MOST_EXTRA { 0 } else { 64 - 7 * (extra + 1) };
        let value = (value << unused) as i64 >> unused;
        if extra_bytes(value) == extra {
            Ok(value)
        } else {
            Err(fault(start, &format!("{expected} in its canonical length")))
        }
    }

    /// A number that fits 32 bits without sign.
    pub(super) fn u32(&mut self, expected: &str) -> Result<u32, Diags> {
        let start = self.offset;
        let value = self.token(expected)?;
        u32::try_from(value).map_err(|_| fault(start, &format!("{expected} of 32 bits, found {value}")))
    }

    /// A count of things that each take a byte or more, so never more than there are bytes.
    pub(super) fn count(&mut self, expected: &str) -> Result<usize, Diags> {
        let start = self.offset;
        let value = self.token(expected)?;
        let rest = self.bytes.len() - self.offset;
        usize::try_from(value)
            .ok()
            .filter(|&count| count <= rest)
            .ok_or_else(|| fault(start, &format!("{expected} of at most the {rest} bytes left, found {value}")))
    }

    /// A text.
    pub(super) fn text(&mut self, expected: &str) -> Result<&'a str, Diags> {
        let len = self.count(expected)?;
        self.utf8(len, expected)
    }

    /// A name that may be missing.
    pub(super) fn name(&mut self, expected: &str) -> Result<Option<Box<str>>, Diags> {
        let start = self.offset;
        let len = self.token(expected)?;
        if len == 0 {
            return Ok(None);
        }
        let len = usize::try_from(len).map_err(|_| fault(start, &format!("{expected}, found length {len}")))?;
        self.utf8(len - 1, expected).map(|name| Some(name.into()))
    }

    fn utf8(&mut self, len: usize, expected: &str) -> Result<&'a str, Diags> {
        let start = self.offset;
        let bytes = self.take(len, expected)?;
        std::str::from_utf8(bytes).map_err(|e| fault(start + e.valid_up_to(), &format!("{expected} in UTF-8")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and their bytes, from the format's definition.
    const VECTORS: &[(i64, &[u8])] = &[
        (0, &[0x00]),
        (63, &[0x3f]),
        (-1, &[0x7f]),
        (-63, &[0x41]),
        (64, &[0x80, 0x40]),
        (-64, &[0xbf, 0xc0]),
        (8191, &[0x9f, 0xff]),
        (8192, &[0xc0, 0x20, 0x00]),
        (-8192, &[0xdf, 0xe0, 0x00]),
        (67_108_863, &[0xe3, 0xff, 0xff, 0xff]),
        (0x3f80_0000, &[0xf0, 0x3f, 0x80, 0x00, 0x00]),
        (0xffff_ffff, &[0xf0, 0xff, 0xff, 0xff, 0xff]),
        (-0x8000_0000, &[0xf7, 0x80, 0x00, 0x00, 0x00]),
        (1 << 55, &[0xff, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        (i64::MIN, &[0xff, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
    ];

    #[test]
    fn numbers_have_the_bytes_of_the_definition() {
        for (value, bytes) in VECTORS {
            let mut out = Vec::new();
            write(&mut out, *value);
            assert_eq!(&out, bytes, "{value}");
            assert_eq!(Reader::new(bytes).token("a number").unwrap(), *value);
        }
    }

    #[test]
    fn every_length_round_trips_at_its_edges() {
        for shift in 0..63 {
            for value in [1i64 << shift, (1 << shift) - 1, (1 << shift) + 1, i64::MAX] {
                for value in [value, -value] {
                    let mut out = Vec::new();
                    write(&mut out, value);
                    assert_eq!(Reader::new(&out).token("a number").unwrap(), value);
                }
            }
        }
    }

    #[test]
    fn a_longer_token_than_needed_is_refused() {
        for bytes in [&[0x80, 0x01][..], &[0x40], &[0xc0, 0x00, 0x40], &[0xff, 0, 0, 0, 0, 0, 0, 0, 1]] {
            assert!(Reader::new(bytes).token("a number").is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn a_count_beyond_the_bytes_left_is_refused() {
        let error = Reader::new(&[0x02, 0x00]).count("a count").unwrap_err();
        assert!(error.as_slice()[0].message.contains("at offset 0: expected a count of at most the 1 bytes left"));
    }
}
