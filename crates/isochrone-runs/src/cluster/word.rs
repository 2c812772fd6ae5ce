//! Numbers on the wire: little-endian, whatever the machine.

/// A number that is sent.
pub trait Word: Copy {
    /// Of one.
    const BYTES: usize;

    /// As it is added up.
    fn number(&self) -> f64;

    /// Appends these.
    fn push(numbers: &[Self], bytes: &mut Vec<u8>);

    /// Adds the numbers in `bytes` to the sums, one each.
    fn add(bytes: &[u8], sums: &mut [f64]);
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const BYTES: usize = size_of::<$type>();

            fn number(&self) -> f64 {
                f64::from(*self)
            }

            // Written to room that is there: pushing byte by byte takes ten times as long.
            fn push(numbers: &[Self], bytes: &mut Vec<u8>) {
                let start = bytes.len();
                bytes.resize(start + Self::BYTES * numbers.len(), 0);
                let room = bytes[start..].as_chunks_mut::<{ size_of::<$type>() }>().0;
                let each = room.iter_mut().zip(numbers);
                each.for_each(|(room, number)| *room = number.to_le_bytes());
            }

            fn add(bytes: &[u8], sums: &mut [f64]) {
                let words = bytes.as_chunks::<{ size_of::<$type>() }>().0;
                let each = sums.iter_mut().zip(words);
                each.for_each(|(sum, word)| *sum += f64::from(<$type>::from_le_bytes(*word)));
            }
        }
    };
}

word!(f32);
word!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pushed_is_added() {
        let mut bytes = vec![7];
        f32::push(&[1.5, -0.25], &mut bytes);
        let mut sums = [1.0, 1.0];
        f32::add(&bytes[1..], &mut sums);
        assert_eq!(sums.map(f64::to_bits), [2.5, 0.75].map(f64::to_bits));
        bytes.clear();
        f64::push(&sums, &mut bytes);
        f64::add(&bytes, &mut sums);
        assert_eq!(bytes.len(), 16);
        assert_eq!(sums.map(f64::to_bits), [5.0, 1.5].map(f64::to_bits));
    }
}
