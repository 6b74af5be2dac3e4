//! The check of structure (V702, V018, V019), which everything later relies on.
//!
//! It takes arenas of any content. What it proves, in this order: every id of the types,
//! values and declarations is in range and types have no cycle; then, from the body
//! inwards, that every region has one owner, ends in its only terminator and holds
//! instructions that are placed once, that operands are visible where they are used,
//! that terminators fit what they leave, and that nesting and length are bounded.
//! Instructions and regions that are placed nowhere are not looked at.

use super::malformed;
use crate::arena::Side;
use crate::diag::{Code, Diag, Diags};
use crate::flags::Flags;
use crate::ir::{
    Access, CallArg, Elements, Function, Inst, InstDef, InstKind, MAX_INSTS, MAX_NESTING, MAX_REQUIREMENTS,
    MAX_TYPE_PARTS, Module, ParamKind, Place, Region, RegionDef, Root, Value, ValueDef,
};
use crate::loc::Loc;
use crate::ops::AtomicOp;
use crate::types::{Type, Types};
use std::collections::BTreeSet;

/// Reports at most one mistake for each function.
pub(super) fn check(module: &Module, diags: &mut Diags) {
    if let Err(what) = check_types(&module.types) {
        diags.push(Diag::new(Code::V702, Loc::NONE, what));
        return;
    }
    for function in &module.functions {
        if let Err(diag) = check_function(module, function) {
            diags.push(diag);
        }
    }
}

fn in_range(types: &Types, ty: Type) -> bool {
    match ty {
        Type::Error | Type::Bytes | Type::Scalar(_) => true,
        Type::Vector(_, lanes) => (2..=4).contains(&lanes),
        Type::Array(id) => types.arrays.get(id).is_some(),
        Type::Struct(id) => types.structs.get(id).is_some(),
    }
}

/// Proves that types are in range, without cycles and of bounded depth and size.
fn check_types(types: &Types) -> Result<(), &'static str> {
    let arrays = types.arrays.len();
    let node = |ty: Type| match ty {
        Type::Array(id) => Some(id.index()),
        Type::Struct(id) => Some(arrays + id.index()),
        Type::Error | Type::Bytes | Type::Scalar(_) | Type::Vector(..) => None,
    };
    let mut children: Vec<Vec<Type>> = types.arrays.iter().map(|(_, def)| vec![def.element]).collect();
    children.extend(types.structs.iter().map(|(_, def)| def.fields.iter().map(|field| field.1).collect()));
    if children.iter().flatten().any(|&ty| !in_range(types, ty)) {
        return Err("a type refers to a type that does not exist");
    }
    // Parts and depth of the types that are done; `None` for those that are not.
    let mut done: Vec<Option<(usize, usize)>> = vec![None; children.len()];
    let mut open = vec![false; children.len()];
    for start in 0..children.len() {
        let mut stack = vec![start];
        while let Some(&top) = stack.last() {
            if done[top].is_some() {
                stack.pop();
                continue;
            }
            let inner = || children[top].iter().filter_map(|&ty| node(ty));
            if !open[top] {
                open[top] = true;
                let todo: Vec<usize> = inner().filter(|&n| done[n].is_none()).collect();
                if todo.iter().any(|&n| open[n]) {
                    return Err("a type contains itself");
                }
                stack.extend(todo);
                continue;
            }
            let (mut parts, mut depth) = (1 + children[top].len() - inner().count(), 1);
            for (inner_parts, inner_depth) in inner().filter_map(|n| done[n]) {
                parts = parts.saturating_add(inner_parts);
                depth = depth.max(inner_depth + 1);
            }
            if parts > MAX_TYPE_PARTS || depth > MAX_NESTING {
                return Err("a type is too large");
            }
            done[top] = Some((parts, depth));
            stack.pop();
        }
    }
    Ok(())
}

fn check_function(module: &Module, function: &Function) -> Result<(), Diag> {
    let types = &module.types;
    let fail = |what: &str| Err(malformed(function, function.loc, what));
    let declared = function.params.iter().map(|p| match p.kind {
        ParamKind::Buffer { element, .. } => element,
        ParamKind::Scalar(ty) => ty,
    });
    let memory = function.shared.iter().chain(&function.private).map(|m| m.ty);
    let vars = function.vars.iter().map(|(_, var)| var.ty);
    let values = function.values.iter().map(|(_, value)| value.ty);
    let declared = declared.chain(function.results.iter().copied());
    if !declared.chain(memory).chain(vars).chain(values).all(|ty| in_range(types, ty)) {
        return fail("a type that does not exist");
    }
    if function.fast_math && !function.is_kernel() {
        return fail("only a kernel can have `fast_math`");
    }
    if !function.limits.is_empty() && !function.is_kernel() {
        return fail("only a kernel can declare limits");
    }
    if !function.requires.is_empty() && !function.is_kernel() {
        return fail("only a kernel can have requirements");
    }
    let is_number = |ty: Type| matches!(ty, Type::Scalar(scalar) if scalar.is_int());
    for param in function.params.iter().filter(|param| param.elements != Elements::Any) {
        if !function.is_kernel() {
            return fail("only a kernel can have a promise about the elements of a buffer");
        }
        let fits = match (param.kind, param.elements) {
            (ParamKind::Buffer { element, access: Access::Read }, Elements::Below) => element == Type::U32,
            (ParamKind::Buffer { element, access: Access::Read }, _) => is_number(element),
            (ParamKind::Buffer { .. } | ParamKind::Scalar(_), _) => false,
        };
        if !fits {
            return fail("a promise about elements that are no integers, or that may be written");
        }
    }
    if function.requires.len() > MAX_REQUIREMENTS {
        return Err(malformed(function, function.loc, format!("more than {MAX_REQUIREMENTS} requirements")));
    }
    for (&(ty, bits), &value) in &function.constants {
        let Some(def) = function.values.get(value) else { return fail("a constant that does not exist") };
        if def.ty != Type::Scalar(ty) || def.constant != Some(bits) || bits & !ty.mask() != 0 {
            return fail("a constant of another value");
        }
    }
    for (value, def) in function.values.iter() {
        let listed = match (def.constant, def.ty) {
            (None, _) => true,
            (Some(bits), Type::Scalar(ty)) => function.constants.get(&(ty, bits)) == Some(&value),
            (Some(_), _) => false,
        };
        if !listed {
            return fail("a constant that is not in the table of constants");
        }
    }
    let Some(body) = function.regions.get(function.body) else { return fail("no body") };
    let scalars = function.params.iter().filter_map(|p| match p.kind {
        ParamKind::Scalar(ty) => Some(ty),
        ParamKind::Buffer { .. } => None,
    });
    let body_params = body.params.iter().map(|&v| function.values.get(v).map(|def| def.ty));
    if !body_params.eq(scalars.map(Some)) {
        return fail("the body's parameters are not the scalar parameters");
    }
    if function.is_kernel() && !function.results.is_empty() {
        return fail("a kernel with results");
    }
    let mut walk = Walk {
        functions: &module.functions,
        function,
        visible: Side::new(false),
        defined: Side::new(false),
        placed: Side::new(false),
        owned: Side::new(false),
        scope: Vec::new(),
        loops: Vec::new(),
        length: 0,
    };
    walk.region(function.body, Owner { loc: function.loc, kind: OwnerKind::Body }, 0)
}

#[derive(Clone, Copy)]
struct Owner {
    loc: Loc,
    kind: OwnerKind,
}

#[derive(Clone, Copy)]
enum OwnerKind {
    Body,
    /// An `if` or `switch` with this many results.
    Branch(usize),
    Loop,
}

struct Walk<'a> {
    functions: &'a [Function],
    function: &'a Function,
    visible: Side<ValueDef, bool>,
    defined: Side<ValueDef, bool>,
    placed: Side<InstDef, bool>,
    owned: Side<RegionDef, bool>,
    /// The visible values in the order of their definition.
    scope: Vec<Value>,
    /// The loops around, outermost first.
    loops: Vec<Inst>,
    length: usize,
}

impl Walk<'_> {
    fn fail<T>(&self, loc: Loc, what: &str) -> Result<T, Diag> {
        Err(malformed(self.function, loc, what))
    }

    fn region(&mut self, region: Region, owner: Owner, depth: usize) -> Result<(), Diag> {
        let function = self.function;
        let Some(def) = function.regions.get(region) else {
            return self.fail(owner.loc, "a region that does not exist");
        };
        if self.owned[region] {
            return self.fail(owner.loc, "a region with two owners");
        }
        self.owned[region] = true;
        if depth > MAX_NESTING {
            let message = format!("blocks nest more than {MAX_NESTING} deep");
            return Err(Diag::new(Code::V018, owner.loc, message).help("split the kernel in two"));
        }
        if matches!(owner.kind, OwnerKind::Branch(_)) && !def.params.is_empty() {
            return self.fail(owner.loc, "a branch with parameters");
        }
        let outside = self.scope.len();
        self.define(&def.params, owner.loc)?;
        for (position, &inst) in def.insts.iter().enumerate() {
            let Some(inst_def) = function.insts.get(inst) else {
                return self.fail(owner.loc, "an instruction that does not exist");
            };
            if self.placed[inst] {
                return self.fail(inst_def.loc, "an instruction in two places");
            }
            self.placed[inst] = true;
            self.length += 1;
            if self.length > MAX_INSTS {
                let message = format!("function `{}` has more than {MAX_INSTS} instructions", function.name);
                return Err(Diag::new(Code::V019, inst_def.loc, message).help("split it into several kernels"));
            }
            if inst_def.kind.is_terminator() != (position + 1 == def.insts.len()) {
                let last = position + 1 == def.insts.len();
                return Err(self.ends_wrong(inst_def.loc, owner.kind, last));
            }
            if !function.flags[inst].is_empty() && !inst_def.kind.takes_flags() {
                return self.fail(inst_def.loc, "flags on an instruction that takes none");
            }
            if function.flags[inst].has(Flags::RACY) && !inst_def.kind.may_be_racy() {
                return self.fail(inst_def.loc, "`racy` on what is no load or store of a buffer or workgroup memory");
            }
            self.operands(inst_def)?;
            self.inst(inst, inst_def, owner.kind, depth)?;
            self.define(&inst_def.results, inst_def.loc)?;
        }
        if def.insts.is_empty() {
            return Err(self.ends_wrong(owner.loc, owner.kind, true));
        }
        for value in self.scope.drain(outside..) {
            self.visible[value] = false;
        }
        Ok(())
    }

    /// A region whose last instruction is no terminator, or that goes on after one.
    fn ends_wrong(&self, loc: Loc, owner: OwnerKind, last: bool) -> Diag {
        if !last {
            return Diag::new(Code::V702, loc, "nothing can follow a terminator in its region")
                .help("remove this instruction, which never runs, or move it into a region of its own");
        }
        let name = &self.function.name;
        let (message, help) = match owner {
            OwnerKind::Body => (format!("function `{name}` ends without `ret`"), "add `ret` as the last instruction"),
            OwnerKind::Branch(_) => (
                "this region ends without `yield`, `break`, `continue` or `ret`".to_owned(),
                "end it with `yield`, and the values of its results",
            ),
            OwnerKind::Loop => (
                "the body of this loop ends without `continue`, `break` or `ret`".to_owned(),
                "end it with `continue` to go round again",
            ),
        };
        Diag::new(Code::V702, loc, message).help(help)
    }

    fn define(&mut self, values: &[Value], loc: Loc) -> Result<(), Diag> {
        for &value in values {
            let Some(def) = self.function.values.get(value) else {
                return self.fail(loc, "a result that does not exist");
            };
            if self.defined[value] || def.constant.is_some() {
                return self.fail(loc, "a value that is defined twice");
            }
            self.defined[value] = true;
            self.visible[value] = true;
            self.scope.push(value);
        }
        Ok(())
    }

    fn operands(&self, def: &InstDef) -> Result<(), Diag> {
        let mut wrong = false;
        def.kind.for_each_operand(|value| {
            let constant = self.function.values.get(value).is_some_and(|def| def.constant.is_some());
            wrong |= !constant && !self.visible[value];
        });
        if wrong { self.fail(def.loc, "a use of a value where it is not defined") } else { Ok(()) }
    }

    fn inst(&mut self, inst: Inst, def: &InstDef, owner: OwnerKind, depth: usize) -> Result<(), Diag> {
        let function = self.function;
        let results = |count: usize| {
            if def.results.len() == count { Ok(()) } else { self.fail(def.loc, "a wrong number of results") }
        };
        let counts = |ok: bool| if ok { Ok(()) } else { self.fail(def.loc, "a wrong number of operands") };
        match &def.kind {
            InstKind::Op(op, args) => {
                results(1)?;
                let (fewest, most) = op.info().signature.arity();
                counts((fewest..=most).contains(&args.len()))
            }
            InstKind::Load(place) => {
                results(1)?;
                self.place(place, def.loc)
            }
            InstKind::Store(place, _) => {
                results(0)?;
                self.place(place, def.loc)
            }
            InstKind::Atomic(op, place, args, _) => {
                results(usize::from(*op != AtomicOp::Store))?;
                counts(args.len() == op.operands())?;
                self.place(place, def.loc)
            }
            InstKind::Len(root) => {
                results(1)?;
                self.root(*root, def.loc)
            }
            InstKind::Builtin(_) => results(1),
            InstKind::Subgroup(op, args) => {
                results(1)?;
                counts(args.len() == op.operands())
            }
            InstKind::Barrier | InstKind::Fence(..) | InstKind::Unreachable => results(0),
            InstKind::Return(args) => {
                results(0)?;
                counts(args.len() == function.results.len())
            }
            InstKind::Call { function: callee, args } => {
                let Some(callee) = self.functions.get(*callee as usize) else {
                    return self.fail(def.loc, "a call of a function that does not exist");
                };
                results(callee.results.len())?;
                for arg in args {
                    if let CallArg::Place(place) = arg {
                        self.place(place, def.loc)?;
                    }
                }
                Ok(())
            }
            InstKind::Get(var) => {
                results(1)?;
                self.var(function.vars.get(*var).is_some(), def.loc)
            }
            InstKind::Set(var, _) => {
                results(0)?;
                self.var(function.vars.get(*var).is_some(), def.loc)
            }
            InstKind::If { then, otherwise, .. } => {
                let owner = Owner { loc: def.loc, kind: OwnerKind::Branch(def.results.len()) };
                self.region(*then, owner, depth + 1)?;
                self.region(*otherwise, owner, depth + 1)
            }
            InstKind::Switch { cases, default, .. } => {
                let mut seen = BTreeSet::new();
                if !cases.iter().flat_map(|case| &case.values).all(|&bits| seen.insert(bits)) {
                    return self.fail(def.loc, "a switch with two cases of one value");
                }
                let owner = Owner { loc: def.loc, kind: OwnerKind::Branch(def.results.len()) };
                for case in cases {
                    self.region(case.region, owner, depth + 1)?;
                }
                self.region(*default, owner, depth + 1)
            }
            InstKind::Loop { body, initial, .. } => {
                let params = function.regions.get(*body).map(|region| region.params.len());
                counts(params == Some(initial.len()))?;
                self.loops.push(inst);
                self.region(*body, Owner { loc: def.loc, kind: OwnerKind::Loop }, depth + 1)?;
                self.loops.pop();
                Ok(())
            }
            InstKind::Yield(args) => {
                results(0)?;
                match owner {
                    OwnerKind::Branch(results) => counts(args.len() == results),
                    OwnerKind::Body | OwnerKind::Loop => self.fail(def.loc, "a `yield` outside of `if` and `switch`"),
                }
            }
            InstKind::Break(target, args) => {
                results(0)?;
                self.target(*target, def.loc)?;
                counts(args.len() == function.insts[*target].results.len())
            }
            InstKind::Continue(target, args) => {
                results(0)?;
                self.target(*target, def.loc)?;
                let params = match &function.insts[*target].kind {
                    InstKind::Loop { initial, .. } => Some(initial.len()),
                    _ => None,
                };
                counts(params == Some(args.len()))
            }
        }
    }

    /// A loop around is an instruction that exists, so that it may be indexed after this.
    fn target(&self, target: Inst, loc: Loc) -> Result<(), Diag> {
        if self.loops.contains(&target) { Ok(()) } else { self.fail(loc, "a break or continue without its loop") }
    }

    fn var(&self, exists: bool, loc: Loc) -> Result<(), Diag> {
        if exists { Ok(()) } else { self.fail(loc, "a variable that does not exist") }
    }

    fn root(&self, root: Root, loc: Loc) -> Result<(), Diag> {
        if self.function.root_access(root).is_some() { Ok(()) } else { self.fail(loc, "memory that does not exist") }
    }

    fn place(&self, place: &Place, loc: Loc) -> Result<(), Diag> {
        if place.indices.iter().any(|index| index.stride == 0) {
            return self.fail(loc, "an index of stride zero");
        }
        self.root(place.root, loc)
    }
}
