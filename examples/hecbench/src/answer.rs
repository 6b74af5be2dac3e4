//! Results as named bytes, so that those of a device and those of plain Rust can be compared bit for bit.

use samebits::prelude::f16;

/// What a program computed: parts with names.
///
/// ```
/// use samebits_hecbench::answer::Answer;
/// let mut answer = Answer::default();
/// answer.add("halves", &[0.5f32]);
/// assert_eq!(answer.parts[0].bytes, 0.5f32.to_le_bytes());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// In the order in which they were added.
    pub parts: Vec<Part>,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub name: String,
    /// The bytes of its numbers, each with the lowest first.
    pub bytes: Vec<u8>,
}

impl Answer {
    /// Adds a part.
    pub fn add<T: Bytes>(&mut self, name: impl Into<String>, numbers: &[T]) {
        let mut bytes = Vec::with_capacity(size_of_val(numbers));
        for number in numbers {
            number.put(&mut bytes);
        }
        self.parts.push(Part { name: name.into(), bytes });
    }

    /// The first difference to what is expected, in words.
    pub fn difference(&self, expected: &Self) -> Option<String> {
        if self.parts.len() != expected.parts.len() {
            return Some(format!("{} parts instead of {}", self.parts.len(), expected.parts.len()));
        }
        self.parts.iter().zip(&expected.parts).find_map(|(part, expected)| {
            if part.name != expected.name || part.bytes.len() != expected.bytes.len() {
                let of = |part: &Part| format!("{} bytes of `{}`", part.bytes.len(), part.name);
                return Some(format!("{} instead of {}", of(part), of(expected)));
            }
            let at = part.bytes.iter().zip(&expected.bytes).position(|(byte, expected)| byte != expected)?;
            let of =
                |bytes: &[u8]| bytes[at & !7..].iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
            let (found, wanted) = (of(&part.bytes), of(&expected.bytes));
            Some(format!("`{}` differs at byte {at}: {found} instead of {wanted}", part.name))
        })
    }
}

/// What has bytes.
pub trait Bytes {
    /// Adds them.
    fn put(&self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Bytes for $number {
            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )* };
}
numbers! { u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 }

impl Bytes for bool {
    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }
}

impl<T: Bytes, const N: usize> Bytes for [T; N] {
    fn put(&self, bytes: &mut Vec<u8>) {
        for number in self {
            number.put(bytes);
        }
    }
}
