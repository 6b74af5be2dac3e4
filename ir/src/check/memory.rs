//! The check of memory and of the accesses to it (V005, V009, V013, V014, V024, V025, V200,
//! V201, V300–V302).
//!
//! What it proves about a place: its offset and strides are multiples of the access's
//! alignment. Memory is words, and may be read and written as any type. But a plain access that
//! has the size and the place of a scalar or vector element must have the element's type, since
//! another type is a mistake.
//!
//! Atomic memory is of any type with atomics, or of arrays of them. It may also be of structs with such
//! fields, whose other fields are loaded and stored. Atomics of 64 bits may only be in structs that
//! consist of such atomics, since devices declare memory either as words or as pairs of words.

use super::{Checked, Origin, Placed};
use crate::arena::{Id, Side};
use crate::diag::{Code, Diag, Diags, count};
use crate::ir::{Access, Function, InstDef, InstKind, Memory, ParamKind, Place, Root, Table, Value, ValueDef};
use crate::limits::MAX_TABLE_BYTES;
use crate::loc::Loc;
use crate::ops::AtomicOp;
use crate::types::{Type, Types};

/// Reports wrong declarations and accesses. Accesses to wrongly declared memory are
/// not reported as well.
pub(super) fn check(types: &Types, function: &Function, placed: &[Placed], origin: Origin, diags: &mut Diags) {
    let mut wrong = Vec::new();
    for (i, param) in function.params.iter().enumerate() {
        let reported = match param.kind {
            ParamKind::Scalar(ty) if ty.is_value() || ty == Type::Error => None,
            ParamKind::Scalar(_) => Some(()),
            ParamKind::Buffer { element, access } => {
                buffer(types, &param.name, element, access, param.loc).map(|diag| diags.push(diag))
            }
        };
        if reported.is_some() {
            wrong.push(Root::Param(i as u32));
        }
    }
    for (i, memory) in function.shared.iter().enumerate() {
        if let Some(diag) = fixed(types, memory) {
            diags.push(diag);
            wrong.push(Root::Shared(i as u32));
        }
    }
    for (i, memory) in function.private.iter().enumerate() {
        let atomic = || {
            let message = format!("`{}` belongs to one invocation and cannot be atomic", memory.name);
            Diag::new(Code::V201, memory.loc, message).help("declare it as workgroup memory")
        };
        if let Some(diag) = fixed(types, memory).or_else(|| (memory.access == Access::Atomic).then(atomic)) {
            diags.push(diag);
            wrong.push(Root::Private(i as u32));
        }
    }
    for (i, table) in function.tables.iter().enumerate() {
        let diag = contents(types, &table.name, table.ty, table.loc).or_else(|| held(types, table));
        if table.ty == Type::Error || diag.is_some() {
            diags.extend(diag);
            wrong.push(Root::Table(i as u32));
        }
    }
    for &Placed { inst, .. } in placed {
        let def = &function.insts[inst];
        if let Some(place) = def.kind.place().filter(|place| !wrong.contains(&place.root)) {
            let access = Accessed { types, function, def, place, origin, computed: None };
            if let Err(diag) = access.check() {
                diags.push(diag);
            }
        }
    }
}

/// The indices beyond the end of memory of a fixed length that are no constants themselves but
/// are computed from constants alone. [`check`](super::check) leaves them to whoever knows
/// whether the place can be reached.
///
/// ```
/// use samebits_ir::{check::{check, computed_indices}, text::parse};
/// let text = "func kernel workgroup_size(1, 1, 1) @k() {
///     shared @tile: [u32; 4]
///     %i = add 2u32, 2u32
///     store @tile[%i], 7u32
///     ret
/// }";
/// let found = computed_indices(&check(parse(text)?)?);
/// assert_eq!(found.as_slice()[0].message, "index 4 is out of bounds: `tile` has 4 elements");
/// # Ok::<(), samebits_ir::diag::Diags>(())
/// ```
pub fn computed_indices(checked: &Checked) -> Diags {
    let (mut diags, types) = (Diags::new(), &checked.module().types);
    if types.arrays.is_empty() {
        return diags;
    }
    for index in 0..checked.module().functions.len() {
        let Some((function, _)) = checked.function(index) else { continue };
        let placed = super::placed(function);
        let computed = computed(function, &placed);
        for &Placed { inst, .. } in &placed {
            let def = &function.insts[inst];
            let Some(place) = def.kind.place() else { continue };
            let access = Accessed { types, function, def, place, origin: Origin::Source, computed: Some(&computed) };
            let found = access.ty().and_then(|ty| access.bounds(function.root_name(place.root), ty));
            // A place that is loaded from and stored to is one mistake.
            if let Err(diag) = found
                && diags.as_slice().iter().all(|other| other.loc != diag.loc)
            {
                diags.push(diag);
            }
        }
    }
    diags
}

/// The values that only depend on constants.
fn computed(function: &Function, placed: &[Placed]) -> Side<ValueDef, Option<u64>> {
    let mut known: Side<ValueDef, Option<u64>> = Side::new(None);
    for &Placed { inst, .. } in placed {
        let def = &function.insts[inst];
        let (InstKind::Op(op, args), &[result]) = (&def.kind, def.results.as_slice()) else { continue };
        let bits = |value: Value| function.constant_bits(value).or(known[value]);
        known[result] = function.evaluated(*op, args, function.ty(result), bits);
    }
    known
}

fn buffer(types: &Types, name: &str, element: Type, access: Access, loc: Loc) -> Option<Diag> {
    match (element, access) {
        (Type::Error, _) | (Type::Bytes, Access::Read | Access::ReadWrite) => None,
        _ => contents(types, name, element, loc).or_else(|| atomics(types, name, element, access, loc)),
    }
}

/// What is wrong with memory of fixed size.
fn fixed(types: &Types, memory: &Memory) -> Option<Diag> {
    if memory.ty == Type::Error {
        return None;
    }
    let element = match memory.ty {
        Type::Array(id) => types.arrays[id].element,
        other => other,
    };
    contents(types, &memory.name, memory.ty, memory.loc)
        .or_else(|| atomics(types, &memory.name, element, memory.access, memory.loc))
}

/// What is wrong with what a table holds. One that is too large is reported as such elsewhere.
fn held(types: &Types, table: &Table) -> Option<Diag> {
    if types.layout(table.ty).is_none_or(|layout| layout.size > MAX_TABLE_BYTES) {
        return None;
    }
    let scalars = table.scalars(types);
    let bits: Vec<u64> = scalars.iter().map(|&(at, scalar)| table.value(Type::Scalar(scalar), at.into())[0]).collect();
    if Table::bytes_of(types, table.ty, &bits).is_some_and(|bytes| bytes == table.bytes) {
        return None;
    }
    let (name, ty) = (&table.name, types.display(table.ty));
    Some(Diag::new(Code::V702, table.loc, format!("the contents of table `{name}` are not a value of type `{ty}`")))
}

fn contents(types: &Types, name: &str, ty: Type, loc: Loc) -> Option<Diag> {
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match ty {
            Type::Array(id) if types.arrays[id].len == 0 => {
                let message = format!("array `{name}` has no elements");
                return Some(Diag::new(Code::V024, loc, message).help("give it at least one"));
            }
            Type::Array(id) => todo.push(types.arrays[id].element),
            Type::Struct(id) if types.structs[id].fields.is_empty() => {
                let message = format!("`{name}` holds `{}`, which has no fields", types.structs[id].name);
                return Some(Diag::new(Code::V201, loc, message));
            }
            Type::Struct(id) => todo.extend(types.structs[id].fields.iter().map(|field| field.1)),
            Type::Bytes => {
                let message = format!("`{name}` holds `bytes`, which have no size");
                return Some(Diag::new(Code::V201, loc, message));
            }
            Type::Error | Type::Scalar(_) | Type::Vector(..) => {}
        }
    }
    if types.layout(ty).is_none() {
        let message = format!("`{name}` is too large: its number of bytes does not fit 32 bits");
        return Some(Diag::new(Code::V201, loc, message));
    }
    None
}

fn atomics(types: &Types, name: &str, element: Type, access: Access, loc: Loc) -> Option<Diag> {
    // An array of atomics, of any number of dimensions, is atomic memory.
    if access != Access::Atomic || holds_atomics(types, element) {
        return None;
    }
    let message = format!("`{name}` is atomic, but `{}` has no atomics", types.display(element));
    Some(Diag::new(Code::V014, loc, message).help("use an integer or a float"))
}

/// Whether memory of this type may be atomic: a number with atomics is in it.
fn holds_atomics(types: &Types, ty: Type) -> bool {
    match types.innermost(ty) {
        Type::Struct(id) => types.structs[id].fields.iter().any(|&(_, field)| holds_atomics(types, field)),
        other => has_atomics(other),
    }
}

/// Whether a type consists of numbers of 64 bits.
fn is_wide(types: &Types, ty: Type) -> bool {
    match types.innermost(ty) {
        Type::Struct(id) => types.structs[id].fields.iter().all(|&(_, field)| is_wide(types, field)),
        other => other.lane().is_some_and(|lane| lane.size() == 8),
    }
}

fn has_atomics(ty: Type) -> bool {
    match ty {
        Type::Scalar(scalar) => AtomicOp::CLASS.contains(scalar),
        Type::Error => true,
        Type::Bytes | Type::Vector(..) | Type::Array(_) | Type::Struct(_) => false,
    }
}

/// Whether every byte distance of a place is a multiple of this.
pub(super) fn is_multiple(place: &Place, bytes: u32) -> bool {
    let mut distances = place.indices.iter().map(|index| index.stride).chain([place.offset]);
    distances.all(|distance| distance.is_multiple_of(bytes))
}

/// Whether an access at this place covers exactly an element, and so must have its type.
pub(super) fn covers(types: &Types, place: &Place, element: Type, access: Type) -> bool {
    let size = types.layout(element).map_or(1, |layout| layout.size);
    let accessed = types.layout(access).map(|layout| layout.size);
    element.is_value() && accessed == Some(size) && is_multiple(place, size)
}

/// An access to memory that is declared well.
struct Accessed<'a> {
    types: &'a Types,
    function: &'a Function,
    def: &'a InstDef,
    place: &'a Place,
    origin: Origin,
    /// What values are that are computed from constants, if that counts.
    computed: Option<&'a Side<ValueDef, Option<u64>>>,
}

impl Accessed<'_> {
    fn diag(&self, code: Code, message: String) -> Diag {
        Diag::new(code, self.def.loc, message)
    }

    fn check(&self) -> Result<(), Diag> {
        let function = self.function;
        let name = function.root_name(self.place.root);
        let element = function.root_element(self.types, self.place.root).unwrap_or(Type::Error);
        if element == Type::Bytes {
            let message = format!("buffer `{name}` holds raw bytes, which cannot be accessed");
            return Err(self.diag(Code::V013, message).help("declare it as a buffer of `u32`"));
        }
        self.mode(name, element)?;
        for index in &self.place.indices {
            let ty = function.ty(index.value);
            if ty != Type::U32 && ty != Type::Error {
                let message = format!("`{name}` is indexed by `{}`", self.types.display(ty));
                return Err(self.diag(Code::V301, message).help("convert the index to `u32`"));
            }
        }
        let ty = self.ty()?;
        // The check of types reports what cannot be a value.
        if !ty.is_value() || element == Type::Error {
            return Ok(());
        }
        self.aligned(name, ty)?;
        if self.origin == Origin::Passes {
            return Ok(());
        }
        self.fits(element, ty)?;
        self.bounds(name, ty)
    }

    /// Whether the root may be accessed in this way.
    fn mode(&self, name: &str, element: Type) -> Result<(), Diag> {
        let access = self.function.root_access(self.place.root);
        let atomic = matches!(self.def.kind, InstKind::Atomic(..));
        let store = matches!(self.def.kind, InstKind::Store(..));
        match access {
            Some(Access::Read) if store => {
                let message = format!("cannot store to `{name}`, which is read-only");
                Err(self.diag(Code::V005, message).help("declare it as writable, with `mut`"))
            }
            Some(Access::Read | Access::ReadWrite) if atomic => {
                let message = format!("atomic access to `{name}`, which is not atomic");
                Err(self.diag(Code::V009, message).help("declare it as atomic"))
            }
            Some(Access::Atomic) if !atomic && !self.has_plain_fields(element) => {
                let what = if store { "store to" } else { "load from" };
                let message = format!("plain {what} `{name}`, which is atomic");
                let help = if store { "store to it atomically" } else { "load from it atomically" };
                Err(self.diag(Code::V025, message).help(help))
            }
            Some(Access::Read | Access::ReadWrite | Access::Atomic) | None => Ok(()),
        }
    }

    /// Whether memory with atomics may be loaded from and stored to as well.
    fn has_plain_fields(&self, element: Type) -> bool {
        let innermost = self.types.innermost(element);
        matches!(innermost, Type::Struct(_)) && !is_wide(self.types, innermost)
    }

    /// The type of the access.
    fn ty(&self) -> Result<Type, Diag> {
        let of = |values: &[Id<_>]| values.first().map_or(Type::Error, |&v| self.function.ty(v));
        let results = &self.def.results;
        match &self.def.kind {
            InstKind::Atomic(op, _, args, _) => {
                let ty = if args.is_empty() { of(results) } else { of(args) };
                if let Some(other) = args.iter().chain(results).map(|&v| self.function.ty(v)).find(|&t| t != ty) {
                    if ty == Type::Error || other == Type::Error {
                        return Ok(Type::Error);
                    }
                    return Err(self.mismatch(ty, other));
                }
                if !has_atomics(ty) {
                    let message = format!("`{}` has no atomics", self.types.display(ty));
                    return Err(self.diag(Code::V014, message).help("use an integer or a float"));
                }
                if ty.lane().is_some_and(|scalar| !op.class().contains(scalar)) {
                    let message = format!("`{}` has no atomic `{}`", self.types.display(ty), op.name());
                    return Err(self.diag(Code::V014, message));
                }
                Ok(ty)
            }
            InstKind::Store(_, value) => Ok(self.function.ty(*value)),
            _ => Ok(of(results)),
        }
    }

    fn mismatch(&self, expected: Type, found: Type) -> Diag {
        let (expected, found) = (self.types.display(expected), self.types.display(found));
        self.diag(Code::V200, format!("expected `{expected}`, found `{found}`"))
    }

    /// Whether the place is aligned.
    fn aligned(&self, name: &str, access: Type) -> Result<(), Diag> {
        let align = self.types.layout(access).map_or(1, |layout| layout.align);
        if is_multiple(self.place, align) { Ok(()) } else { Err(self.misplaced(name, access)) }
    }

    /// Whether an access of a whole element is of the element's type.
    fn fits(&self, element: Type, access: Type) -> Result<(), Diag> {
        let atomic = matches!(self.def.kind, InstKind::Atomic(..));
        // What is changed in one step as 64 bits cannot also be changed as parts of them.
        let innermost = self.types.innermost(element);
        if atomic && is_wide(self.types, innermost) != is_wide(self.types, access) {
            return Err(self.mismatch(innermost, access));
        }
        let covers = covers(self.types, self.place, element, access);
        if covers && element != access && !atomic { Err(self.mismatch(element, access)) } else { Ok(()) }
    }

    fn misplaced(&self, name: &str, access: Type) -> Diag {
        let message =
            format!("this place in `{name}` is not where a value of type `{}` can begin", self.types.display(access));
        self.diag(Code::V302, message)
    }

    /// Constant indices must be in bounds.
    fn bounds(&self, name: &str, ty: Type) -> Result<(), Diag> {
        let mut end = u128::from(self.place.offset) + u128::from(self.types.layout(ty).map_or(0, |l| l.size));
        // The index that reaches farthest is the one to name.
        let mut constant: Option<(u128, u64)> = None;
        for index in &self.place.indices {
            let computed = || self.computed.and_then(|computed| computed[index.value]);
            let Some(value) = self.function.constant_bits(index.value).or_else(computed) else { continue };
            if let Some(bound) = index.bound.filter(|&bound| value >= u64::from(bound)) {
                let there = if bound == 1 { "there is" } else { "there are" };
                let message = format!("index {value} is out of bounds: {there} {}", count(bound, "element"));
                return Err(self.diag(Code::V300, message));
            }
            let reach = u128::from(value) * u128::from(index.stride);
            end += reach;
            constant = constant.max(Some((reach, value)));
        }
        let Some(size) = self.function.root_size(self.types, self.place.root) else { return Ok(()) };
        if end <= u128::from(size) {
            return Ok(());
        }
        let Some((_, index)) = constant else {
            let message = format!("this place is outside `{name}`, which has {}", count(size, "byte"));
            return Err(self.diag(Code::V302, message));
        };
        let element = self.function.root_element(self.types, self.place.root);
        let element = element.and_then(|ty| self.types.layout(ty)).map_or(1, |layout| layout.size.max(1));
        let message = format!("index {index} is out of bounds: `{name}` has {}", count(size / element, "element"));
        Err(self.diag(Code::V300, message))
    }
}
