//! Source locations beside an image: a byte string of its own, so that the image, which
//! is what caches know a kernel by, does not depend on where its source stands.
//!
//! ```text
//! locations = (line column)*   for each function itself, then each of its instructions
//! ```
//!
//! Functions and instructions come in the order of the image's walk. A line is a token
//! that says how much it differs from the one before; a column, from 1, is as it is. An
//! unknown place is column 0. Bytes that do not fit the module are refused as a whole:
//! a wrong place would be worse than none.

use super::token::{self, Reader};
use crate::ir::{Function, Inst, MAX_NESTING, Module, Region};
use crate::loc::Loc;

/// A line and a column, both from 1, the column in characters.
pub type LineColumn = (u32, u32);

/// The places of a module's functions and instructions, by what `place` says of their locations.
///
/// ```
/// use samebits_ir::{loc::Loc, text, wire};
/// let source = "func kernel workgroup_size(1, 1, 1) @k() {\n  ret\n}";
/// let module = text::parse(source).unwrap();
/// let bytes = wire::encode_locations(&module, |loc| {
///     let (line, column) = samebits_ir::diag::line_column(source, loc.index()? as usize);
///     Some((line as u32, column as u32))
/// });
/// let mut stored = wire::decode(&wire::encode(&module)).unwrap();
/// let table = wire::attach_locations(&mut stored, &bytes);
/// let ret = stored.functions[0].insts.iter().next().unwrap().1.loc;
/// assert_eq!(table[ret.index().unwrap() as usize], (2, 3));
/// ```
pub fn encode_locations(module: &Module, mut place: impl FnMut(Loc) -> Option<LineColumn>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last = 0;
    for function in &module.functions {
        let mut write = |loc: Loc| match place(loc) {
            Some((line, column)) => {
                token::write(&mut out, i64::from(line) - last);
                token::write(&mut out, i64::from(column));
                last = i64::from(line);
            }
            None => {
                token::write(&mut out, 0);
                token::write(&mut out, 0);
            }
        };
        write(function.loc);
        for inst in walk(function) {
            write(function.insts[inst].loc);
        }
    }
    out
}

/// Gives a decoded module its locations back, as indices of the table that is returned.
/// Where the bytes do not fit, the table is empty and there are no locations.
pub fn attach_locations(module: &mut Module, bytes: &[u8]) -> Vec<LineColumn> {
    let Some(table) = decode(bytes) else { return Vec::new() };
    let counts = module.functions.iter().map(|function| 1 + walk(function).len());
    if counts.sum::<usize>() != table.len() {
        return Vec::new();
    }
    let mut next = 0;
    let mut loc = || {
        let known = table.get(next as usize).is_some_and(|&(_, column)| column > 0);
        next += 1;
        if known { Loc::new(next - 1) } else { Loc::NONE }
    };
    for function in &mut module.functions {
        function.loc = loc();
        for inst in walk(function) {
            function.insts[inst].loc = loc();
        }
    }
    table
}

fn decode(bytes: &[u8]) -> Option<Vec<LineColumn>> {
    let mut reader = Reader::new(bytes);
    let (mut table, mut line) = (Vec::new(), 0_i64);
    while reader.offset() < bytes.len() {
        line = line.checked_add(reader.token("a line").ok()?)?;
        let column = reader.u32("a column").ok()?;
        table.push((u32::try_from(line).ok()?, column));
    }
    Some(table)
}

/// The instructions that regions hold, in the order of the image.
fn walk(function: &Function) -> Vec<Inst> {
    fn region(function: &Function, region_id: Region, depth: usize, out: &mut Vec<Inst>) {
        let def = function.regions.get(region_id).filter(|_| depth <= MAX_NESTING);
        let Some(def) = def else { return };
        for &inst in &def.insts {
            let Some(def) = function.insts.get(inst) else { continue };
            out.push(inst);
            for inner in def.kind.regions() {
                region(function, inner, depth + 1, out);
            }
        }
    }
    let mut out = Vec::new();
    region(function, function.body, 0, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    const SOURCE: &str = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
        %i = global_id.x
        loop 'l (%n: u32 = 0u32) {
            %c = eq %n, %i
            if %c { break 'l } else { store @y[%n], %i }
            %m = add %n, 1u32
            continue 'l %m
        }
        ret
    }";

    fn place(loc: Loc) -> Option<LineColumn> {
        let (line, column) = crate::diag::line_column(SOURCE, loc.index()? as usize);
        Some((line as u32, column as u32))
    }

    #[test]
    fn every_instruction_gets_its_place_back() {
        let module = text::parse(SOURCE).unwrap();
        let mut stored = super::super::decode(&super::super::encode(&module)).unwrap();
        let table = attach_locations(&mut stored, &encode_locations(&module, place));
        let (before, after) = (&module.functions[0], &stored.functions[0]);
        let (old, new) = (walk(before), walk(after));
        assert_eq!(old.len(), new.len());
        for (old, new) in old.into_iter().zip(new) {
            let at = after.insts[new].loc.index().map(|i| table[i as usize]);
            assert_eq!(at, place(before.insts[old].loc));
        }
    }

    #[test]
    fn unknown_places_stay_unknown() {
        let mut module = text::parse(SOURCE).unwrap();
        let bytes = encode_locations(&module, |_| None);
        assert!(!attach_locations(&mut module, &bytes).is_empty());
        assert!(module.functions[0].insts.iter().all(|(_, def)| def.loc == Loc::NONE));
    }

    #[test]
    fn bytes_that_do_not_fit_give_no_locations() {
        let module = text::parse(SOURCE).unwrap();
        let good = encode_locations(&module, place);
        let wrong =
            [&good[..good.len() - 1], &[&good[..], &[0, 1]].concat(), &[0xff; 9], &[0x80], &[]].map(<[u8]>::to_vec);
        for bytes in wrong {
            assert_eq!(attach_locations(&mut module.clone(), &bytes), [], "{bytes:?}");
        }
    }
}
