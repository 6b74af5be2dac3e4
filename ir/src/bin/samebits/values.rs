//! Buffers and scalars as text: literals in brackets, separated by commas.
//!
//! An element of a buffer is written as its scalars, in the order of their bytes. The text of a
//! buffer lists them one after the other, also those inside of vectors, arrays and structs.
//! What is printed reads back as the same bytes.

use samebits_ir::ir::MAX_TYPE_PARTS;
use samebits_ir::text::{parse_literal, print_literal};
use samebits_ir::types::{Kind, Scalar, Type, Types};

/// The scalars of an element and where they are in it.
pub struct Element {
    scalars: Vec<(u32, Scalar)>,
    /// Bytes of an element.
    pub size: usize,
}

impl Element {
    /// The scalars of a type; an error for one that has no size, or too many parts to list.
    pub fn new(types: &Types, ty: Type) -> Result<Self, String> {
        if ty == Type::Bytes {
            return Ok(Self { scalars: vec![(0, Scalar::U8)], size: 1 });
        }
        let size = types.layout(ty).map(|layout| layout.size as usize).filter(|&size| size > 0);
        let size = size.ok_or_else(|| format!("a `{}` has no size", types.display(ty)))?;
        let scalars = types.scalars(ty, MAX_TYPE_PARTS);
        let scalars =
            scalars.ok_or_else(|| format!("a `{}` has more than {MAX_TYPE_PARTS} scalars", types.display(ty)))?;
        Ok(Self { scalars, size })
    }

    /// The bytes of a list: `[1, 2]` or `[0; 8]`, or `[]`.
    pub fn parse_list(&self, source: &str) -> Result<Vec<u8>, String> {
        let list = source.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let list = list.ok_or_else(|| format!("`{source}` is not a list such as `[1.0f32, 2.0f32]` or `[0u32; 8]`"))?;
        if list.trim().is_empty() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        if let Some((item, count)) = list.split_once(';') {
            let count: usize =
                count.trim().parse().map_err(|_| format!("`{}` is not a number of elements", count.trim()))?;
            if self.scalars.len() > 1 && item.contains(',') {
                return Err("only a single value can be repeated, and all scalars of the element get it".to_owned());
            }
            let total = count.checked_mul(self.size).filter(|&total| total <= MOST_BYTES);
            let total = total.ok_or_else(|| format!("{count} elements are more than a buffer holds"))?;
            let mut element = Vec::new();
            self.put(&mut element, self.scalars.iter().map(|_| item.trim()))?;
            bytes.try_reserve_exact(total).map_err(|_| format!("not enough memory for {count} elements"))?;
            for _ in 0..count {
                bytes.extend_from_slice(&element);
            }
            return Ok(bytes);
        }
        let items: Vec<&str> = list.split(',').map(str::trim).collect();
        if !items.len().is_multiple_of(self.scalars.len().max(1)) {
            let each = self.scalars.len();
            return Err(format!("{} values do not divide into elements of {each} values", items.len()));
        }
        for element in items.chunks(self.scalars.len().max(1)) {
            self.put(&mut bytes, element.iter().copied())?;
        }
        Ok(bytes)
    }

    /// Appends an element.
    fn put<'s>(&self, bytes: &mut Vec<u8>, items: impl Iterator<Item = &'s str>) -> Result<(), String> {
        let start = bytes.len();
        bytes.resize(start + self.size, 0);
        for (&(offset, scalar), item) in self.scalars.iter().zip(items) {
            let bits = parse_scalar(scalar, item)?.to_le_bytes();
            let (at, size) = (start + offset as usize, scalar.size() as usize);
            if let (Some(to), Some(from)) = (bytes.get_mut(at..at + size), bits.get(..size)) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// The bytes of one element as a value: a scalar alone, others as a list.
    pub fn print_value(&self, bytes: &[u8]) -> String {
        let list = self.print_list(bytes);
        match self.scalars.len() {
            1 => list.trim_start_matches('[').trim_end_matches(']').to_owned(),
            _ => list,
        }
    }

    /// The list of a buffer's bytes.
    pub fn print_list(&self, bytes: &[u8]) -> String {
        let mut out = String::from("[");
        for element in bytes.chunks_exact(self.size) {
            for &(offset, scalar) in &self.scalars {
                let mut word = [0; 8];
                let (offset, size) = (offset as usize, scalar.size() as usize);
                if let (Some(to), Some(from)) = (word.get_mut(..size), element.get(offset..offset + size)) {
                    to.copy_from_slice(from);
                }
                if out.len() > 1 {
                    out.push_str(", ");
                }
                out.push_str(&print_scalar(scalar, u64::from_le_bytes(word)));
            }
        }
        out.push(']');
        out
    }
}

/// Bytes of the largest buffer, so that all of a list's literals can be counted.
pub const MOST_BYTES: usize = 1 << 31;

/// The bits of a literal, with its type or without it.
pub fn parse_scalar(scalar: Scalar, source: &str) -> Result<u64, String> {
    let name = scalar.name();
    if let Some((found, bits)) = parse_literal(source) {
        if found == scalar {
            return Ok(bits);
        }
        return Err(format!("`{source}` is a `{}`, but a `{name}` is needed: leave out its type", found.name()));
    }
    match parse_literal(&format!("{source}{name}")) {
        Some((found, bits)) if found == scalar => Ok(bits),
        Some(_) | None => Err(format!("`{source}` is not a value of type `{name}`, which {}", values(scalar))),
    }
}

/// Which values a type has, in words.
fn values(scalar: Scalar) -> String {
    let power = |bits| 1i128 << bits;
    match scalar.kind() {
        Kind::Bool => "is `true` or `false`".to_owned(),
        Kind::Signed => {
            let half = power(scalar.bits() - 1);
            format!("goes from {} to {}", -half, half - 1)
        }
        Kind::Unsigned => format!("goes from 0 to {}", power(scalar.bits()) - 1),
        Kind::Float => "is a number such as `-1.5e3`, `inf`, `-inf` or `nan`".to_owned(),
    }
}

/// A readable literal, also where the text form would only print bits.
fn print_scalar(scalar: Scalar, bits: u64) -> String {
    let words = ["inf", "-inf", "nan"].map(|word| format!("{word}{}", scalar.name()));
    let word = words.into_iter().find(|word| scalar.is_float() && parse_literal(word) == Some((scalar, bits)));
    word.unwrap_or_else(|| print_literal(scalar, bits))
}

/// The values of a scalar parameter: one, or a vector's in brackets.
pub fn parse_lanes(ty: Type, source: &str) -> Result<[u64; 4], String> {
    let scalar = ty.lane().ok_or("a parameter has no scalar type")?;
    let list = source.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let items: Vec<&str> = match (ty, list) {
        (Type::Vector(..), Some(list)) => list.split(',').map(str::trim).collect(),
        _ => vec![source.trim()],
    };
    if items.len() != ty.lanes() {
        return Err(format!("{} values are needed, as `[…]`, not {}", ty.lanes(), items.len()));
    }
    let mut lanes = [0; 4];
    for (lane, item) in lanes.iter_mut().zip(items) {
        *lane = parse_scalar(scalar, item)?;
    }
    Ok(lanes)
}
