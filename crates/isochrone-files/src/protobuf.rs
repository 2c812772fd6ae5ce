//! Protocol Buffers, as far as event files and ONNX models need them: fields one after another, each a key (number × 8 + kind) and a value.

/// Kinds of values.
const VARINT: u64 = 0;
const EIGHT_BYTES: u64 = 1;
const COUNTED: u64 = 2;
const FOUR_BYTES: u64 = 5;

/// A message, field by field.
#[derive(Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A whole number that is not negative.
    pub(crate) fn number(self, field: u64, value: u64) -> Self {
        self.varint(field << 3 | VARINT).varint(value)
    }

    pub(crate) fn double(self, field: u64, value: f64) -> Self {
        let message = self.varint(field << 3 | EIGHT_BYTES);
        message.with(&value.to_le_bytes())
    }

    pub(crate) fn float(self, field: u64, value: f32) -> Self {
        let message = self.varint(field << 3 | FOUR_BYTES);
        message.with(&value.to_le_bytes())
    }

    pub(crate) fn text(self, field: u64, text: &[u8]) -> Self {
        let message = self.varint(field << 3 | COUNTED);
        message.varint(text.len() as u64).with(text)
    }

    pub(crate) fn message(self, field: u64, inner: &Self) -> Self {
        self.text(field, &inner.bytes)
    }

    /// Seven bits at a time, the lowest first; the eighth bit says that more follow.
    fn varint(mut self, mut value: u64) -> Self {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        self
    }

    fn with(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the format's own description: field 1 with 150, field 2 with "testing", the first in field 3.
    #[test]
    fn the_textbook_examples() {
        let first = Message::new().number(1, 150);
        assert_eq!(first.bytes(), b"\x08\x96\x01");
        let second = Message::new().text(2, b"testing");
        assert_eq!(second.bytes(), b"\x12\x07testing");
        let third = Message::new().message(3, &first);
        assert_eq!(third.bytes(), b"\x1a\x03\x08\x96\x01");
        let largest = Message::new().number(1, u64::MAX);
        assert_eq!(largest.bytes().len(), 11);
    }
}
