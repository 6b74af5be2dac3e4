//! One function without its calls: the walk over the caller and the copies of callees.
//!
//! Every instruction that is copied, every call and every site is taken from two budgets,
//! the function's and the module's, so that the work is bounded whatever calls what.

use super::{Flat, MAX_INDICES, Origin, Site, too_long};
use crate::arena::Side;
use crate::diag::{Code, Diag};
use crate::flags::Flags;
use crate::ir::{
    CallArg, Function, Index, Inst, InstDef, InstKind, MAX_INSTS, MAX_NESTING, Memory, Module, Place, Region,
    RegionDef, Replaced, Root, Value, ValueDef,
};
use crate::loc::Loc;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;

/// How many elements are set to zero without a loop.
const UNROLLED: u32 = 8;

/// Replaces the calls of a function whose callees are done.
pub(super) fn flatten(module: &Module, flats: &[Option<Flat>], index: usize, left: &mut usize) -> Result<Flat, Diag> {
    let source = &module.functions[index];
    let flat = Flat::new(source);
    let mut splicer = Splicer {
        module,
        flats,
        source,
        flat,
        replaced: Replaced::new(),
        private: BTreeMap::new(),
        private_of: (0..source.private.len()).map(|i| (index, i)).collect(),
        length: 0,
        left,
    };
    for (i, &owner) in splicer.private_of.iter().enumerate() {
        splicer.private.insert(owner, i as u32);
    }
    splicer.region(source.body, 0, false)?;
    splicer.flat.private_of = splicer.private_of;
    Ok(splicer.flat)
}

struct Splicer<'a> {
    module: &'a Module,
    flats: &'a [Option<Flat>],
    source: &'a Function,
    flat: Flat,
    /// What stands for the result of a call whose body stands in its place.
    replaced: Replaced,
    /// The private memory that stands for that of a function. A function runs once at a
    /// time, so one is enough.
    private: BTreeMap<(usize, usize), u32>,
    /// Whose private memory each one is.
    private_of: Vec<(usize, usize)>,
    length: usize,
    left: &'a mut usize,
}

/// A callee that is being copied.
struct Callee<'a> {
    index: usize,
    function: &'a Function,
    flat: Option<&'a Flat>,
    /// Where the call is.
    loc: Loc,
    values: Side<ValueDef, Option<Value>>,
    insts: Side<InstDef, Option<Inst>>,
    /// The place that is passed for each parameter.
    views: Vec<Option<Place>>,
    private: Vec<u32>,
    /// What its workgroup memory is here.
    shared: Vec<u32>,
    /// What its tables are here.
    tables: Vec<u32>,
    /// The loop that a `return` leaves, or `None` if the last instruction is the only one.
    target: Option<Inst>,
    /// What the only `return` gives.
    returned: Vec<Value>,
    site: Option<usize>,
    /// The sites of the callee's own calls.
    inner: Vec<Option<usize>>,
}

impl Callee<'_> {
    /// Gives memory of its own the number that it has here.
    fn own(&self, root: &mut Root) {
        let (new, old) = match root {
            Root::Private(old) => (&self.private, old),
            Root::Shared(old) => (&self.shared, old),
            Root::Table(old) => (&self.tables, old),
            Root::Param(_) => return,
        };
        *old = new.get(*old as usize).copied().unwrap_or(*old);
    }
}

impl<'a> Splicer<'a> {
    /// Takes from the budgets.
    fn spend(&mut self, call: Loc) -> Result<(), Diag> {
        self.length += 1;
        *self.left = self.left.saturating_sub(1);
        if self.length > MAX_INSTS || *self.left == 0 {
            return Err(too_long(self.source, call, *self.left == 0));
        }
        Ok(())
    }

    /// Appends an instruction that has no origin of its own.
    fn push(&mut self, kind: InstKind, results: Vec<Value>, loc: Loc) -> Inst {
        self.flat.function.inst(kind, results, loc)
    }

    fn value(&mut self, ty: Type) -> Value {
        self.flat.function.value(ty)
    }

    /// An op with a result of this type, placed at the end of a list.
    fn op(&mut self, out: &mut Vec<Inst>, loc: Loc, op: Op, args: &[Value], ty: Type) -> Value {
        let value = self.value(ty);
        out.push(self.push(InstKind::Op(op, args.to_vec()), vec![value], loc));
        value
    }

    fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        self.flat.function.constant(ty, bits)
    }

    /// Walks over the caller's own region.
    fn region(&mut self, region: Region, depth: usize, repeats: bool) -> Result<(), Diag> {
        let mut out = Vec::new();
        for inst in self.flat.function.region_insts(region) {
            let loc = self.flat.function.insts[inst].loc;
            self.spend(loc)?;
            self.replaced.follow(&mut self.flat.function.insts[inst].kind);
            if let InstKind::Call { function, args } = &self.flat.function.insts[inst].kind {
                let (function, args) = (*function as usize, args.clone());
                self.call(inst, function, args, depth, repeats, &mut out)?;
                continue;
            }
            out.push(inst);
            let kind = &self.flat.function.insts[inst].kind;
            let repeats = repeats || matches!(kind, InstKind::Loop { .. });
            for inner in kind.regions() {
                self.region(inner, depth + 1, repeats)?;
            }
        }
        self.flat.function.regions[region].insts = out;
        Ok(())
    }

    /// Puts the callee's body in the place of a call.
    fn call(
        &mut self,
        inst: Inst,
        index: usize,
        args: Vec<CallArg>,
        depth: usize,
        repeats: bool,
        out: &mut Vec<Inst>,
    ) -> Result<(), Diag> {
        let flat = self.flats[index].as_ref();
        let function = flat.map_or(&self.module.functions[index], |flat| &flat.function);
        let loc = self.flat.function.insts[inst].loc;
        let target = if returns_at_the_end(function) { None } else { Some(inst) };
        let mut callee = Callee {
            index,
            function,
            flat,
            loc,
            values: Side::new(None),
            insts: Side::new(None),
            views: Vec::new(),
            private: Vec::new(),
            shared: Vec::new(),
            tables: Vec::new(),
            target,
            returned: Vec::new(),
            site: None,
            inner: vec![None; flat.map_or(0, |flat| flat.sites.len())],
        };
        let mut scalars = function.regions[function.body].params.iter();
        for arg in args {
            match arg {
                CallArg::Value(value) => {
                    callee.views.push(None);
                    if let Some(&param) = scalars.next() {
                        callee.values[param] = Some(value);
                    }
                }
                CallArg::Place(place) => callee.views.push(Some(place)),
            }
        }
        self.private(&mut callee, depth, repeats, out)?;
        self.shared(&mut callee)?;
        for table in &function.tables {
            if let Root::Table(id) = self.flat.function.table(table.clone()) {
                callee.tables.push(id);
            }
        }
        if target.is_none() {
            let body = self.copy_region(&mut callee, function.body, depth)?;
            out.extend(body);
            self.replaced.set_all(&self.flat.function.insts[inst].results, &callee.returned);
            // It is placed nowhere any more, and such instructions are empty.
            let def = &mut self.flat.function.insts[inst];
            def.kind = InstKind::Unreachable;
            def.results.clear();
            return Ok(());
        }
        let body = self.flat.function.regions.push(RegionDef::default());
        self.flat.function.insts[inst].kind = InstKind::Loop { body, initial: Vec::new(), label: None };
        self.flat.calls[inst] = true;
        out.push(inst);
        let insts = self.copy_region(&mut callee, function.body, depth + 1)?;
        self.flat.function.regions[body].insts = insts;
        Ok(())
    }

    /// Finds the private memory of a callee and sets it to zero where it may not be.
    fn private(
        &mut self,
        callee: &mut Callee<'a>,
        depth: usize,
        repeats: bool,
        out: &mut Vec<Inst>,
    ) -> Result<(), Diag> {
        for (i, memory) in callee.function.private.iter().enumerate() {
            let owner = callee.flat.and_then(|flat| flat.private_of.get(i).copied()).unwrap_or((callee.index, i));
            let known = self.private.get(&owner).copied();
            let id = known.unwrap_or_else(|| {
                self.flat.function.private.push(memory.clone());
                self.private_of.push(owner);
                let id = self.flat.function.private.len() as u32 - 1;
                self.private.insert(owner, id);
                id
            });
            callee.private.push(id);
            if known.is_some() || repeats {
                self.zero(id, memory, callee, depth, out)?;
            }
        }
        Ok(())
    }

    /// Gives a call workgroup memory of its own: its invocations may still be in an earlier call of the
    /// same function when others begin this one.
    fn shared(&mut self, callee: &mut Callee<'a>) -> Result<(), Diag> {
        for memory in &callee.function.shared {
            self.spend(callee.loc)?;
            self.flat.function.shared.push(memory.clone());
            callee.shared.push(self.flat.function.shared.len() as u32 - 1);
        }
        Ok(())
    }

    /// Sets private memory to zero.
    fn zero(
        &mut self,
        id: u32,
        memory: &Memory,
        callee: &Callee<'a>,
        depth: usize,
        out: &mut Vec<Inst>,
    ) -> Result<(), Diag> {
        let loc = callee.loc;
        let types = &self.module.types;
        let size = types.layout(memory.ty).map_or(0, |layout| layout.size);
        let element = match memory.ty {
            Type::Array(array) => types.arrays[array].element,
            other => other,
        };
        // Elements as they are, or words.
        let (ty, lane) = match element {
            Type::Scalar(lane) | Type::Vector(lane, _) => (element, lane),
            Type::Error | Type::Bytes | Type::Array(_) | Type::Struct(_) => {
                let lane = match size % 4 {
                    0 => Scalar::U32,
                    2 => Scalar::U16,
                    _ => Scalar::U8,
                };
                (Type::Scalar(lane), lane)
            }
        };
        let stride = types.layout(ty).map_or(1, |layout| layout.size);
        let count = size / stride;
        let mut value = self.constant(lane, 0);
        if let Type::Vector(_, lanes) = ty {
            let zeros = vec![value; lanes.into()];
            self.spend(loc)?;
            value = self.op(out, loc, Op::Construct, &zeros, ty);
        }
        let root = Root::Private(id);
        if count <= UNROLLED {
            for i in 0..count {
                self.spend(loc)?;
                let place = Place { root, offset: i * stride, indices: Vec::new() };
                out.push(self.push(InstKind::Store(place, value), Vec::new(), loc));
            }
            return Ok(());
        }
        if depth + 2 > MAX_NESTING {
            return Err(too_deep(callee, Loc::NONE));
        }
        let (i, more, next) = (self.value(Type::U32), self.value(Type::BOOL), self.value(Type::U32));
        let (zero, one, count) =
            (self.constant(Scalar::U32, 0), self.constant(Scalar::U32, 1), self.constant(Scalar::U32, count.into()));
        let body = self.flat.function.regions.push(RegionDef { params: vec![i], insts: Vec::new() });
        let kind = InstKind::Loop { body, initial: vec![zero], label: None };
        let around = self.push(kind, Vec::new(), loc);
        let go_on = self.push(InstKind::Yield(Vec::new()), Vec::new(), loc);
        let stop = self.push(InstKind::Break(around, Vec::new()), Vec::new(), loc);
        let regions = &mut self.flat.function.regions;
        let then = regions.push(RegionDef { params: Vec::new(), insts: vec![go_on] });
        let otherwise = regions.push(RegionDef { params: Vec::new(), insts: vec![stop] });
        let place = Place { root, offset: 0, indices: vec![Index { value: i, stride, bound: None }] };
        let insts = vec![
            self.push(InstKind::Op(Op::Lt, vec![i, count]), vec![more], loc),
            self.push(InstKind::If { condition: more, then, otherwise }, Vec::new(), loc),
            self.push(InstKind::Store(place, value), Vec::new(), loc),
            self.push(InstKind::Op(Op::Add, vec![i, one]), vec![next], loc),
            self.push(InstKind::Continue(around, vec![next]), Vec::new(), loc),
        ];
        for _ in 0..insts.len() + 3 {
            self.spend(loc)?;
        }
        self.flat.function.regions[body].insts = insts;
        out.push(around);
        Ok(())
    }

    /// Copies the instructions of a callee's region. The nesting of regions is bounded, so
    /// is the depth here.
    fn copy_region(&mut self, callee: &mut Callee<'a>, region: Region, depth: usize) -> Result<Vec<Inst>, Diag> {
        let function = callee.function;
        let mut out = Vec::new();
        for &inst in &function.regions[region].insts {
            if depth > MAX_NESTING {
                return Err(too_deep(callee, function.insts[inst].loc));
            }
            self.spend(callee.loc)?;
            self.copy(callee, inst, depth, &mut out)?;
        }
        Ok(out)
    }

    fn copy(&mut self, callee: &mut Callee<'a>, inst: Inst, depth: usize, out: &mut Vec<Inst>) -> Result<(), Diag> {
        let def = &callee.function.insts[inst];
        let mut kind = def.kind.clone();
        kind.map_operands(|value| self.mapped(callee, value));
        match &mut kind {
            InstKind::Load(place) | InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) => {
                let ty = callee.function.accessed(inst).unwrap_or(Type::Error);
                *place = self.place(callee, place, ty, def.loc)?;
            }
            InstKind::Len(Root::Param(param)) => {
                if let Some(view) = callee.views.get(*param as usize).cloned().flatten() {
                    let element = callee.function.root_element(&self.module.types, Root::Param(*param));
                    let from = out.len();
                    let len = self.view_len(&view, element.unwrap_or(Type::Error), def.loc, out);
                    for _ in from..out.len() {
                        self.spend(callee.loc)?;
                    }
                    for &made in &out[from..] {
                        self.set_origin(callee, made, inst)?;
                    }
                    if let Some(&result) = def.results.first() {
                        callee.values[result] = Some(len);
                    }
                    return Ok(());
                }
            }
            InstKind::Len(root) => {
                callee.own(root);
            }
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                *target = callee.insts[*target].unwrap_or(*target);
            }
            InstKind::Return(values) => {
                let values = std::mem::take(values);
                match callee.target {
                    None => {
                        callee.returned = values;
                        return Ok(());
                    }
                    Some(target) => kind = InstKind::Break(target, values),
                }
            }
            // SSA form has no variables, and a callee has no calls any more.
            _ => {}
        }
        let results: Vec<Value> = def.results.iter().map(|&value| self.define(callee, value)).collect();
        let copied = self.push(kind, results, def.loc);
        callee.insts[inst] = Some(copied);
        // What the caller lends may be its own.
        let may_be_racy = self.flat.function.insts[copied].kind.may_be_racy();
        let flags = callee.function.flags[inst];
        let flags = if may_be_racy { flags } else { flags.without(Flags::RACY) };
        if !flags.is_empty() {
            self.flat.function.flags[copied] = flags;
        }
        if callee.function.unroll[inst].is_some() {
            self.flat.function.unroll[copied] = callee.function.unroll[inst];
        }
        self.set_origin(callee, copied, inst)?;
        if callee.flat.is_some_and(|flat| flat.calls[inst]) {
            self.flat.calls[copied] = true;
        }
        out.push(copied);
        self.copy_regions(callee, inst, copied, depth)
    }

    /// Copies the regions of an instruction and lets its copy own them.
    fn copy_regions(&mut self, callee: &mut Callee<'a>, inst: Inst, copied: Inst, depth: usize) -> Result<(), Diag> {
        let mut regions = Vec::new();
        for region in callee.function.insts[inst].kind.regions() {
            let params: Vec<Value> =
                callee.function.regions[region].params.iter().map(|&value| self.define(callee, value)).collect();
            let insts = self.copy_region(callee, region, depth + 1)?;
            regions.push(self.flat.function.regions.push(RegionDef { params, insts }));
        }
        let mut regions = regions.into_iter();
        self.flat.function.insts[copied].kind.for_each_region_mut(|region| *region = regions.next().unwrap_or(*region));
        Ok(())
    }

    /// A new value for one that the callee defines.
    fn define(&mut self, callee: &mut Callee<'a>, value: Value) -> Value {
        let new = self.flat.function.values.push(callee.function.values[value].clone());
        callee.values[value] = Some(new);
        new
    }

    fn mapped(&mut self, callee: &Callee<'a>, value: Value) -> Value {
        let def = &callee.function.values[value];
        match (def.constant, def.ty) {
            (Some(bits), Type::Scalar(ty)) => self.constant(ty, bits),
            _ => callee.values[value].unwrap_or(value),
        }
    }

    /// The place in the caller's memory of a place in the callee's.
    fn place(&mut self, callee: &Callee<'a>, place: &Place, access: Type, loc: Loc) -> Result<Place, Diag> {
        let mut place = place.clone();
        let Root::Param(param) = place.root else {
            callee.own(&mut place.root);
            return Ok(place);
        };
        let Some(view) = callee.views.get(param as usize).and_then(Option::as_ref) else { return Ok(place) };
        let name = &callee.function.params[param as usize].name;
        let refuse = |code, message: String| Err(Diag::new(code, callee.loc, message).label(loc, "the access is here"));
        let align = self.module.types.layout(access).map_or(1, |layout| layout.align);
        let mut distances = view.indices.iter().map(|index| index.stride).chain([view.offset]);
        if !distances.all(|bytes| bytes.is_multiple_of(align)) {
            let access = self.module.types.display(access);
            return refuse(
                Code::V302,
                format!("this place in view `{name}` is not where a value of type `{access}` can begin"),
            );
        }
        let Some(offset) = view.offset.checked_add(place.offset) else {
            return refuse(
                Code::V302,
                format!("an access to view `{name}` is too far from its start: the distance does not fit 32 bits"),
            );
        };
        let indices: Vec<Index> = view.indices.iter().chain(&place.indices).copied().collect();
        if indices.len() > MAX_INDICES {
            return refuse(Code::V019, format!("an access to view `{name}` has more than {MAX_INDICES} indices"));
        }
        Ok(Place { root: view.root, offset, indices })
    }

    /// The number of elements from where a view begins to the end of its memory. What is
    /// left is counted down one step of the place at a time and never below zero, in
    /// elements where each step is one, else in bytes of 64 bits.
    fn view_len(&mut self, view: &Place, element: Type, loc: Loc, out: &mut Vec<Inst>) -> Value {
        let types = &self.module.types;
        let of = self.flat.function.root_element(types, view.root);
        let root_size = of.and_then(|ty| types.layout(ty)).map_or(1, |layout| layout.size.max(1));
        let size = types.layout(element).map_or(1, |layout| layout.size.max(1));
        let whole = root_size == size
            && view.offset.is_multiple_of(size)
            && view.indices.iter().all(|index| index.stride == size);
        let len = self.value(Type::U32);
        out.push(self.push(InstKind::Len(view.root), vec![len], loc));
        let (lane, unit) = if whole { (Scalar::U32, size) } else { (Scalar::U64, 1) };
        let ty = Type::Scalar(lane);
        let mut rest = len;
        if !whole {
            let size = self.constant(lane, root_size.into());
            rest = self.op(out, loc, Op::Cast, &[len], ty);
            rest = self.op(out, loc, Op::Mul, &[rest, size], ty);
        }
        let zero = self.constant(lane, 0);
        let offset = self.constant(lane, u64::from(view.offset / unit));
        let mut steps = vec![(offset, None)];
        for index in &view.indices {
            let mut step = index.value;
            if !whole {
                let stride = self.constant(lane, index.stride.into());
                step = self.op(out, loc, Op::Cast, &[step], ty);
                step = self.op(out, loc, Op::Mul, &[step, stride], ty);
            }
            steps.push((step, index.bound.map(|bound| (index.value, bound))));
        }
        for (step, bound) in steps {
            if step != zero {
                let fits = self.op(out, loc, Op::Le, &[step, rest], Type::BOOL);
                let less = self.op(out, loc, Op::Sub, &[rest, step], ty);
                rest = self.op(out, loc, Op::Select, &[fits, less, zero], ty);
            }
            if let Some((value, bound)) = bound {
                let bound = self.constant(Scalar::U32, bound.into());
                let inside = self.op(out, loc, Op::Lt, &[value, bound], Type::BOOL);
                rest = self.op(out, loc, Op::Select, &[inside, rest, zero], ty);
            }
        }
        if whole {
            return rest;
        }
        let (size, most) = (self.constant(lane, size.into()), self.constant(lane, u32::MAX.into()));
        rest = self.op(out, loc, Op::Div, &[rest, size], ty);
        rest = self.op(out, loc, Op::Min, &[rest, most], ty);
        self.op(out, loc, Op::Cast, &[rest], Type::U32)
    }

    /// Notes where a copied instruction comes from.
    fn set_origin(&mut self, callee: &mut Callee<'a>, copied: Inst, inst: Inst) -> Result<(), Diag> {
        let origin = callee.flat.and_then(|flat| flat.origins[inst]);
        let (function, inst, inner) =
            origin.map_or((callee.index, inst, None), |origin| (origin.function, origin.inst, Some(origin.site)));
        let site = self.site(callee, inner)?;
        self.flat.origins[copied] = Some(Origin { function, inst, site });
        Ok(())
    }

    /// The site here of a site of the callee, or of the call itself.
    fn site(&mut self, callee: &mut Callee<'a>, inner: Option<usize>) -> Result<usize, Diag> {
        // The sites around it that are not made yet, innermost first.
        let mut missing = Vec::new();
        let mut next = inner;
        let sites = callee.flat.map_or(&[][..], |flat| &flat.sites);
        let mut outer = loop {
            match next {
                None => break callee.site,
                Some(site) => match callee.inner.get(site).copied().flatten() {
                    Some(known) => break Some(known),
                    None => {
                        missing.push(site);
                        next = sites.get(site).and_then(|site| site.outer);
                    }
                },
            }
        };
        let here = match outer {
            Some(here) => here,
            None => {
                self.spend(callee.loc)?;
                self.flat.sites.push(Site { callee: callee.index, loc: callee.loc, outer: None });
                self.flat.sites.len() - 1
            }
        };
        callee.site.get_or_insert(here);
        outer = Some(here);
        for site in missing.into_iter().rev() {
            let Some(def) = sites.get(site) else { continue };
            self.spend(callee.loc)?;
            self.flat.sites.push(Site { outer, ..*def });
            let new = self.flat.sites.len() - 1;
            callee.inner[site] = Some(new);
            outer = Some(new);
        }
        Ok(outer.unwrap_or(here))
    }
}

/// Whether the last instruction of the body is the only `return`.
fn returns_at_the_end(function: &Function) -> bool {
    let mut todo = vec![function.body];
    let mut returns = 0;
    while let Some(region) = todo.pop() {
        for &inst in &function.regions[region].insts {
            let kind = &function.insts[inst].kind;
            returns += usize::from(matches!(kind, InstKind::Return(_)));
            todo.extend(kind.regions());
        }
    }
    returns == 1 && matches!(function.terminator(function.body), Some(InstKind::Return(_)))
}

fn too_deep(callee: &Callee<'_>, loc: Loc) -> Diag {
    let message = format!("with `{}` inlined, blocks nest more than {MAX_NESTING} deep", callee.function.name);
    let diag = Diag::new(Code::V018, callee.loc, message).help("call it from fewer nested blocks");
    if loc == Loc::NONE { diag } else { diag.label(loc, "the deepest block is here") }
}
