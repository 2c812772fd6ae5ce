//! One NumPy array as a stream of bytes: its header, and its numbers chunk by chunk.
//!
//! The header is a Python dictionary with three known keys (NEP 1), read here in a few lines: the crates for it
//! bring a grammar of all Python literals, and read numbers one by one or the whole array at once.

use std::io::{self, Read};

/// A longer header describes no array of numbers; NumPy itself refuses more than 10,000.
const HEADER_BYTES: usize = 10_000;

/// What an array's entries are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

/// The beginning of a `.npy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) item_bytes: usize,
    /// Are the bytes of an entry stored highest first?
    order: ByteOrder,
    pub(super) shape: Vec<u64>,
    pub(super) layout: Layout,
    /// Bytes before the first entry.
    pub(super) length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// Which index runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// The last: rows lie end to end.
    Rows,
    /// The first: columns lie end to end.
    Columns,
}

/// Why a header is none, or names a type that is not read (`Err` of the inner result).
#[derive(Debug)]
pub(super) enum HeaderError {
    Read(io::Error),
    Format(&'static str),
    /// As NumPy writes it.
    Type(String),
}

impl Header {
    /// Reads up to the first entry.
    pub(super) fn read(from: &mut impl Read) -> Result<Self, HeaderError> {
        let mut start = [0_u8; 8];
        from.read_exact(&mut start).map_err(HeaderError::Read)?;
        if &start[..6] != b"\x93NUMPY" {
            return Err(HeaderError::Format("an array does not begin as one"));
        }
        let (size_bytes, mut size) = match start[6] {
            1 => (2, [0_u8; 4]),
            2 | 3 => (4, [0_u8; 4]),
            _ => return Err(HeaderError::Format("an array has an unknown version")),
        };
        let read = from.read_exact(&mut size[..size_bytes]);
        read.map_err(HeaderError::Read)?;
        let length = u32::from_le_bytes(size) as usize;
        if length > HEADER_BYTES {
            return Err(HeaderError::Format("the header of an array is too long"));
        }
        let mut text = vec![0_u8; length];
        from.read_exact(&mut text).map_err(HeaderError::Read)?;
        let text = String::from_utf8_lossy(&text);
        let entry = |key| value_of(&text, key).ok_or(HeaderError::Format(NO_HEADER));
        let (kind, item_bytes, order) = type_of(entry("descr")?)?;
        Ok(Self {
            kind,
            item_bytes,
            order,
            shape: shape_of(entry("shape")?).ok_or(HeaderError::Format(NO_HEADER))?,
            layout: match entry("fortran_order")? {
                "False" => Layout::Rows,
                "True" => Layout::Columns,
                _ => return Err(HeaderError::Format(NO_HEADER)),
            },
            length: (8 + size_bytes + length) as u64,
        })
    }

    /// The entries in these bytes, as numbers.
    pub(super) fn decode<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = f64> + 'a {
        bytes.chunks_exact(self.item_bytes).map(|item| {
            let mut word = [0_u8; 8];
            word[..item.len()].copy_from_slice(item);
            if self.order == ByteOrder::Big {
                word[..item.len()].reverse();
            }
            let bits = u64::from_le_bytes(word);
            let unused = 64 - 8 * item.len() as u32;
            match (self.kind, item.len()) {
                (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
                (Kind::Float, _) => f64::from_bits(bits),
                (Kind::Signed, _) => ((bits << unused).cast_signed() >> unused) as f64,
                (Kind::Bool | Kind::Unsigned, _) => bits as f64,
            }
        })
    }

    /// Can the bytes be taken as they are?
    pub(super) fn is_little_f32(&self) -> bool {
        (self.kind, self.item_bytes, self.order) == (Kind::Float, 4, ByteOrder::Little)
    }
}

const NO_HEADER: &str = "the header of an array is damaged";

/// The text between a key and the comma behind its value.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, after) = header.split_once(&format!("'{key}':"))?;
    let after = after.trim_start();
    let end = match after.chars().next()? {
        '(' => after.find(')')? + 1,
        '[' => after.find(']')? + 1,
        _ => after.find([',', '}'])?,
    };
    Some(after[..end].trim_end())
}

fn type_of(descr: &str) -> Result<(Kind, usize, ByteOrder), HeaderError> {
    let other = || HeaderError::Type(descr.trim_matches('\'').to_owned());
    let inner = descr.strip_prefix('\'').and_then(|d| d.strip_suffix('\''));
    let inner = inner.filter(|d| d.is_ascii() && d.len() == 3);
    let [order, kind, digit] = *inner.ok_or_else(other)?.as_bytes() else {
        return Err(other());
    };
    let order = match order {
        b'<' | b'|' | b'=' => ByteOrder::Little,
        b'>' => ByteOrder::Big,
        _ => return Err(other()),
    };
    match (kind, digit) {
        (b'b', b'1') => Ok((Kind::Bool, 1, order)),
        (b'f', b'4' | b'8') => Ok((Kind::Float, usize::from(digit - b'0'), order)),
        (b'i', b'1' | b'2' | b'4' | b'8') => Ok((Kind::Signed, usize::from(digit - b'0'), order)),
        (b'u', b'1' | b'2' | b'4' | b'8') => Ok((Kind::Unsigned, usize::from(digit - b'0'), order)),
        _ => Err(other()),
    }
}

fn shape_of(text: &str) -> Option<Vec<u64>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let sizes = inner.split(',').map(str::trim).filter(|s| !s.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dictionary: &str) -> Result<Header, HeaderError> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dictionary.len() as u16).to_le_bytes());
        bytes.extend(dictionary.as_bytes());
        Header::read(&mut &bytes[..])
    }

    #[test]
    fn headers_are_read_as_numpy_writes_them() {
        let header =
            read("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 29), }   \n").unwrap();
        assert_eq!(
            (header.shape.as_slice(), header.item_bytes),
            (&[3, 29][..], 4)
        );
        assert!(header.is_little_f32());
        let header = read("{'descr': '|b1', 'fortran_order': False, 'shape': (7,), }").unwrap();
        assert_eq!((header.kind, header.shape), (Kind::Bool, vec![7]));
        let objects = read("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }");
        assert!(matches!(objects, Err(HeaderError::Type(name)) if name == "|O"));
        assert!(matches!(read("{'descr': "), Err(HeaderError::Format(_))));
    }

    #[test]
    fn numbers_of_every_kind_are_decoded() {
        let number = |descr: &str, bytes: &[u8]| {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (1,), }}");
            read(&header).unwrap().decode(bytes).next().unwrap()
        };
        let cases = [
            ("<f4", 1.5_f32.to_le_bytes().to_vec(), 1.5),
            (">f8", (-2.25_f64).to_be_bytes().to_vec(), -2.25),
            ("|i1", vec![0xff], -1.0),
            ("<i2", (-300_i16).to_le_bytes().to_vec(), -300.0),
            (">i4", (-70_000_i32).to_be_bytes().to_vec(), -70_000.0),
            ("<i8", i64::MIN.to_le_bytes().to_vec(), -(2.0_f64.powi(63))),
            ("|u1", vec![0xff], 255.0),
            ("<u8", u64::MAX.to_le_bytes().to_vec(), 2.0_f64.powi(64)),
            ("|b1", vec![1], 1.0),
        ];
        for (descr, bytes, expected) in cases {
            let found = number(descr, &bytes);
            assert!(found.total_cmp(&expected).is_eq(), "{descr}: {found}");
        }
    }
}
