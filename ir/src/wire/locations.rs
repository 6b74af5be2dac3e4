//! Source locations beside an image: a byte string of its own, so that the image, which
//! is what caches know a kernel by, does not depend on where its source stands.
//!
//! ```text
//! locations = texts sites number*
//! texts     = count (length bytes)*
//! sites     = count (line column file helper [call])*
//! ```
//!
//! A site is a place in a source and, in a helper, the call that the helper stands in for,
//! so that a place leads to the place in the kernel through every call between. A line is a
//! token that says how much it differs from the one before; a column, from 1, is as it is.
//! A file and a helper are numbers of texts plus one, or 0 for a file that is not known and
//! for no helper. A call is how many sites before this one its site stands, so that calls
//! never go round.
//!
//! Each function itself, then each of its instructions in the order of the image's walk, has
//! the number of its site plus one, or 0 where its place is unknown. It is a token that says
//! how much it differs from the one before. Bytes that do not fit the module are refused as a
//! whole: a wrong place would be worse than none.

use super::token::{self, Reader};
use crate::ir::{Function, Inst, MAX_NESTING, Module, Region};
use crate::loc::Loc;
use std::collections::BTreeMap;

/// A place in a source, and how it came into the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site<T> {
    /// The file, if it is known.
    pub file: Option<T>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The helper that the place is in, and the number of the site where it is called,
    /// which is less than this site's; nothing in the kernel itself.
    pub helper: Option<(T, u32)>,
}

/// The places of a module's functions and instructions: sites, and which of them `number`
/// says that a location has.
///
/// ```
/// use samebits_ir::{loc::Loc, text, wire};
/// let source = "func kernel workgroup_size(1, 1, 1) @k() {\n  ret\n}";
/// let module = text::parse(source).unwrap();
/// let site = wire::Site { file: Some("k.gir"), line: 2, column: 3, helper: None };
/// let bytes = wire::encode_locations(&module, &[site.clone()], |loc| (loc.index()? > 42).then_some(0));
/// let mut stored = wire::decode(&wire::encode(&module)).unwrap();
/// let table = wire::attach_locations(&mut stored, &bytes);
/// let ret = stored.functions[0].insts.iter().next().unwrap().1.loc;
/// assert_eq!(table[ret.index().unwrap() as usize], site);
/// assert_eq!(stored.functions[0].loc, Loc::NONE);
/// ```
pub fn encode_locations<T: AsRef<str>>(
    module: &Module,
    sites: &[Site<T>],
    mut number: impl FnMut(Loc) -> Option<u32>,
) -> Vec<u8> {
    let mut texts: Vec<&str> = Vec::new();
    let mut known: BTreeMap<&str, i64> = BTreeMap::new();
    for text in sites.iter().flat_map(|site| site.file.iter().chain(site.helper.iter().map(|(name, _)| name))) {
        known.entry(text.as_ref()).or_insert_with(|| {
            texts.push(text.as_ref());
            texts.len() as i64
        });
    }
    let mut out = Vec::new();
    token::write_len(&mut out, texts.len());
    texts.iter().for_each(|text| token::write_text(&mut out, text));
    token::write_len(&mut out, sites.len());
    let text = |text: Option<&T>| text.and_then(|text| known.get(text.as_ref())).copied().unwrap_or(0);
    let mut last = 0;
    for (i, site) in sites.iter().enumerate() {
        token::write(&mut out, i64::from(site.line) - last);
        last = site.line.into();
        token::write(&mut out, site.column.into());
        token::write(&mut out, text(site.file.as_ref()));
        token::write(&mut out, text(site.helper.as_ref().map(|(name, _)| name)));
        if let Some((_, call)) = &site.helper {
            token::write(&mut out, i as i64 - i64::from(*call));
        }
    }
    last = 0;
    let mut write = |loc: Loc| {
        let next = number(loc).map_or(0, |number| i64::from(number) + 1);
        token::write(&mut out, next - last);
        last = next;
    };
    for function in &module.functions {
        write(function.loc);
        walk(function).into_iter().for_each(|inst| write(function.insts[inst].loc));
    }
    out
}

/// Gives a decoded module its locations back, as indices of the table that is returned.
/// Where the bytes do not fit, the table is empty and there are no locations.
pub fn attach_locations<'a>(module: &mut Module, bytes: &'a [u8]) -> Vec<Site<&'a str>> {
    let Some((sites, numbers)) = decode(bytes) else { return Vec::new() };
    let counts = module.functions.iter().map(|function| 1 + walk(function).len());
    if counts.sum::<usize>() != numbers.len() {
        return Vec::new();
    }
    let mut numbers = numbers.into_iter();
    let mut loc = || numbers.next().flatten().map_or(Loc::NONE, Loc::new);
    for function in &mut module.functions {
        function.loc = loc();
        for inst in walk(function) {
            function.insts[inst].loc = loc();
        }
    }
    sites
}

/// The sites, and the number of the site of each function and instruction.
type Table<'a> = (Vec<Site<&'a str>>, Vec<Option<u32>>);

fn decode(bytes: &[u8]) -> Option<Table<'_>> {
    let mut reader = Reader::new(bytes);
    let mut texts = Vec::new();
    for _ in 0..reader.count("texts").ok()? {
        texts.push(reader.text("a text").ok()?);
    }
    let text = |number: u32| match number.checked_sub(1) {
        None => Some(None),
        Some(index) => texts.get(index as usize).copied().map(Some),
    };
    let (mut sites, mut line) = (Vec::new(), 0_i64);
    for i in 0..reader.count("sites").ok()? as u32 {
        line = line.checked_add(reader.token("a line").ok()?)?;
        let column = reader.u32("a column").ok()?;
        let file = text(reader.u32("a file").ok()?)?;
        let helper = match text(reader.u32("a helper").ok()?)? {
            None => None,
            Some(name) => {
                let back = reader.u32("a call").ok().filter(|&back| back > 0)?;
                Some((name, i.checked_sub(back)?))
            }
        };
        sites.push(Site { file, line: u32::try_from(line).ok()?, column, helper });
    }
    let (mut numbers, mut last) = (Vec::new(), 0_i64);
    while reader.offset() < bytes.len() {
        last = last.checked_add(reader.token("a number").ok()?)?;
        let number = u32::try_from(last).ok().filter(|&number| number as usize <= sites.len())?;
        numbers.push(number.checked_sub(1));
    }
    Some((sites, numbers))
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

    /// Each place of the text as a site of its own, those behind the first in a helper that
    /// is called at the one before.
    fn sites() -> Vec<Site<String>> {
        let site = |at: usize| {
            let (line, column) = crate::diag::line_column(SOURCE, at);
            let helper = (at > 0).then(|| (format!("helper{}", at % 3), at as u32 - 1));
            let file = at.is_multiple_of(2).then(|| "src/\u{e9}.rs".to_owned());
            Site { file, line: line as u32, column: column as u32, helper }
        };
        (0..SOURCE.len()).filter(|&at| SOURCE.is_char_boundary(at)).map(site).collect()
    }

    #[test]
    fn every_instruction_gets_its_place_back() {
        let module = text::parse(SOURCE).unwrap();
        let mut stored = super::super::decode(&super::super::encode(&module)).unwrap();
        let (sites, bytes) = (sites(), encode_locations(&module, &sites(), Loc::index));
        let table = attach_locations(&mut stored, &bytes);
        assert_eq!(table.len(), sites.len());
        for (old, new) in sites.iter().zip(&table) {
            let helper = old.helper.as_ref().map(|(name, call)| (name.as_str(), *call));
            let expected = Site { file: old.file.as_deref(), line: old.line, column: old.column, helper };
            assert_eq!(*new, expected);
        }
        let (before, after) = (&module.functions[0], &stored.functions[0]);
        let (old, new) = (walk(before), walk(after));
        assert_eq!(old.len(), new.len());
        for (old, new) in old.into_iter().zip(new) {
            assert_eq!(after.insts[new].loc, before.insts[old].loc);
        }
    }

    #[test]
    fn unknown_places_stay_unknown() {
        let mut module = text::parse(SOURCE).unwrap();
        let bytes = encode_locations(&module, &sites(), |_| None);
        assert!(!attach_locations(&mut module, &bytes).is_empty());
        assert!(module.functions[0].insts.iter().all(|(_, def)| def.loc == Loc::NONE));
    }

    #[test]
    fn bytes_that_do_not_fit_give_no_locations() {
        let module = text::parse(SOURCE).unwrap();
        let good = encode_locations(&module, &sites(), Loc::index);
        let far = encode_locations(&module, &sites(), |_| Some(SOURCE.len() as u32));
        let mut forward = sites();
        forward[1].helper = Some((String::new(), 1));
        let forward = encode_locations(&module, &forward, Loc::index);
        let wrong = [&good[..good.len() - 1], &[&good[..], &[0]].concat(), &[0xff; 9], &[0x80], &[], &far, &forward];
        for bytes in wrong {
            assert_eq!(attach_locations(&mut module.clone(), bytes), [], "{bytes:?}");
        }
        for at in 0..good.len() {
            for flip in [1, 0x40, 0x80] {
                let mut bytes = good.clone();
                bytes[at] ^= flip;
                let table = attach_locations(&mut module.clone(), &bytes);
                assert!(
                    table.iter().enumerate().all(|(i, site)| site.helper.is_none_or(|(_, call)| (call as usize) < i))
                );
            }
        }
    }
}
