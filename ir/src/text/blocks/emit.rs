//! Building a function that has been structured.
//!
//! A value that is used outside of its block, and every `phi`, is a variable: set where it is
//! defined, or on the edges, and read once in each block. SSA construction, a part of checking,
//! turns variables into values again. What happens on an edge is simultaneous: everything is
//! read before anything is set.

use super::access::{Uses, space};
use super::ast::{Arg, Def, End, Func, Initial, Kind, Operand, Space, Ty, Val};
use super::flow::Flow;
use super::graph::{Edge, Exit, Graph, Node};
use super::infer::{Sort, Typed};
use super::pointer::{Base, Pointers};
use super::structure::{Part, structure};
use super::{Callee, Globals};
use crate::builder::Builder;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Access, Case, Function, Inst, MAX_NESTING, Root, Value, Var};
use crate::loc::Loc;
use crate::ops::Op;
use crate::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// All that is known of a function.
pub(super) struct Input<'a> {
    pub(super) func: &'a Func,
    pub(super) flow: &'a Flow,
    pub(super) typed: &'a Typed,
    pub(super) pointers: &'a Pointers,
    pub(super) globals: &'a Globals,
    pub(super) types: &'a Types,
    pub(super) callees: &'a HashMap<String, Callee>,
    pub(super) uses: &'a Uses,
    pub(super) all: &'a BTreeMap<String, Uses>,
}

/// The function, or `None` for what was reported.
pub(super) fn function(input: &Input<'_>, diags: &mut Diags) -> Option<Function> {
    let func = input.func;
    let graph = graph(input);
    let Ok(parts) = structure(&graph) else {
        too_deep(func, diags);
        return None;
    };
    let mut builder = func.builder();
    builder.limits(func.limits);
    let mut emit = Emit {
        input,
        graph: &graph,
        builder,
        params: HashMap::new(),
        roots: HashMap::new(),
        vars: HashMap::new(),
        routes: Vec::new(),
        here: Rc::default(),
        truths: vec![false; func.values.len()],
        alias: vec![None; func.values.len()],
        blocks: HashMap::new(),
        loops: HashMap::new(),
        nesting: 0,
        diags,
        failed: false,
    };
    emit.builder.at(func.loc);
    emit.declare();
    if emit.parts(&parts) {
        emit.builder.unreachable();
    }
    let failed = emit.failed;
    let mut function = emit.builder.finish();
    function.loc = func.loc;
    (!failed).then_some(function)
}

fn too_deep(func: &Func, diags: &mut Diags) {
    let message = format!("the blocks of `{}` nest more than {MAX_NESTING} deep", func.name);
    diags.push(Diag::new(Code::V018, func.loc, message).help("split the function in two"));
}

/// The reachable blocks as a graph to be structured.
fn graph(input: &Input<'_>) -> Graph {
    let (func, flow) = (input.func, input.flow);
    let mut nodes = Vec::new();
    for &block in &flow.order {
        // Places are those of the order, in which the entry is the first.
        let edge = |to: usize| Edge { to: flow.place[to].unwrap_or(0), blocks: Some((block, to)), via: None };
        let exit = match &func.blocks[block].end {
            End::Br(to) => Exit::Jump(edge(*to)),
            End::BrIf(_, then, otherwise) => Exit::Branch(edge(*then), edge(*otherwise)),
            End::Switch(_, default, cases) if cases.is_empty() => Exit::Jump(edge(*default)),
            End::Switch(_, default, cases) => {
                Exit::Switch(cases.iter().map(|&(bits, to)| (bits, edge(to))).collect(), edge(*default))
            }
            End::Ret(_) | End::Unreachable => Exit::Leave,
        };
        nodes.push(Node { block: Some(block), exit });
    }
    let costs = |block: usize| {
        let insts = &func.blocks[block].insts;
        // Copies of one barrier would be different barriers, and calls may hold one.
        let fixed = insts.iter().any(|inst| matches!(inst.kind, Kind::Barrier | Kind::Subgroup(_) | Kind::Call(_)));
        (!fixed).then_some(insts.len() + 1)
    };
    Graph::new(nodes, &costs)
}

pub(super) struct Emit<'a, 'd> {
    pub(super) input: &'a Input<'a>,
    graph: &'a Graph,
    pub(super) builder: Builder,
    params: HashMap<Val, Value>,
    roots: HashMap<Base, (Root, u32)>,
    /// The values that are variables.
    pub(super) vars: HashMap<Val, Var>,
    /// The numbers of the dispatchers.
    routes: Vec<Var>,
    /// The values known in the block that is being built.
    pub(super) here: Rc<HashMap<Val, Value>>,
    /// The values that are built as `bool`, though their type is `u32`.
    pub(super) truths: Vec<bool>,
    /// What a copy is a copy of.
    alias: Vec<Option<Operand>>,
    /// The blocks and loops around, each with whether something leaves it.
    blocks: HashMap<usize, (Inst, bool)>,
    loops: HashMap<usize, (Inst, bool)>,
    nesting: usize,
    pub(super) diags: &'d mut Diags,
    failed: bool,
}

impl Emit<'_, '_> {
    pub(super) fn error(&mut self, code: Code, loc: Loc, message: impl Into<String>) {
        self.failed = true;
        self.diags.push(Diag::new(code, loc, message));
    }

    // Declarations.

    fn declare(&mut self) {
        let input = self.input;
        for (i, &(val, ty, loc)) in input.func.params.iter().enumerate() {
            let name = input.func.values[val].name.clone();
            self.builder.at(loc);
            match ty {
                Ty::Value(ty) => {
                    let value = self.builder.scalar(name, ty);
                    self.params.insert(val, value);
                }
                Ty::Pointer(space, pointee) => {
                    let access = self.access(space, Base::Param(i));
                    let root = self.builder.buffer(name, pointee, access);
                    self.roots.insert(Base::Param(i), (root, 0));
                }
            }
        }
        if let Some(ty) = input.func.ret {
            self.builder.results(&[ty]);
        }
        let initial = self.globals();
        self.aliases();
        self.variables();
        for (root, ty, bits, loc) in initial {
            self.builder.at(loc);
            let value = self.builder.constant(ty, bits);
            let place = self.builder.place(root, &[], 0);
            self.builder.store(place, value);
        }
        self.builder.at(input.func.loc);
    }

    fn access(&self, space: Space, base: Base) -> Access {
        if space == Space::Const { Access::Read } else { self.input.uses.mode(base) }
    }

    /// Declares the globals that the function uses; the result is what they begin with.
    fn globals(&mut self) -> Vec<(Root, Scalar, u64, Loc)> {
        let input = self.input;
        let mut initial = Vec::new();
        let (hidden, arena_mode) = (hidden(input.globals, input.uses), arena_mode(input.globals, input.uses));
        let mut arena = None;
        for slot in hidden {
            let Some(global) = input.globals.get(slot) else { continue };
            let (base, loc) = (Base::Global(slot), global.loc);
            self.builder.at(loc);
            let access = self.access(global.space, base);
            let (name, ty) = (global.name.clone(), global.pointee);
            let is_kernel = input.func.kernel.is_some();
            let root = match (global.space, global.initial) {
                (_, Initial::Address(offset)) => {
                    let root =
                        *arena.get_or_insert_with(|| self.builder.buffer("arena", input.globals.arena, arena_mode));
                    self.roots.insert(base, (root, offset));
                    continue;
                }
                (Space::Shared, _) if is_kernel => self.builder.shared(name, ty, access),
                (Space::Local, _) | (_, Initial::Value(..)) if is_kernel => {
                    let root = self.builder.private(name, ty);
                    if let Initial::Value(ty, bits) = global.initial {
                        initial.push((root, ty, bits, loc));
                    }
                    root
                }
                _ => self.builder.buffer(name, element(input.types, global), access),
            };
            self.roots.insert(base, (root, 0));
        }
        initial
    }

    fn aliases(&mut self) {
        let input = self.input;
        for &block in &input.flow.order {
            for inst in &input.func.blocks[block].insts {
                let Some(result) = inst.result else { continue };
                if inst.kind == Kind::Mov {
                    self.alias[result] = Some(self.real(inst.args[0]));
                }
                let truth = |arg: &Operand| self.is_truth(*arg);
                self.truths[result] = match inst.kind {
                    Kind::Compare(..) | Kind::Ordered(_) => true,
                    Kind::Op(Op::And | Op::Or | Op::Xor) => {
                        input.typed.types[result] == Type::U32 && inst.args.iter().all(truth)
                    }
                    _ => false,
                };
            }
        }
    }

    /// What an operand is, through copies.
    pub(super) fn real(&self, operand: Operand) -> Operand {
        match operand.arg {
            Arg::Value(val) => self.alias[val].map_or(operand, |real| Operand { arg: real.arg, ..operand }),
            Arg::Global(_) | Arg::Const(..) => operand,
        }
    }

    /// Whether an operand is known to be 0 or 1.
    fn is_truth(&self, operand: Operand) -> bool {
        match self.real(operand).arg {
            Arg::Value(val) => self.truths[val],
            Arg::Const(Scalar::U32, bits) => bits <= 1,
            Arg::Const(..) | Arg::Global(_) => false,
        }
    }

    /// The type that a value is built with.
    fn built(&self, val: Val) -> Type {
        match self.input.typed.sorts[val] {
            Sort::Pointer(_) => Type::U32,
            Sort::Value if self.truths[val] => Type::BOOL,
            Sort::Value => self.input.typed.types[val],
        }
    }

    /// Makes a variable of every `phi` and of what is used outside of its block.
    fn variables(&mut self) {
        let input = self.input;
        let func = input.func;
        for &block in &input.flow.order {
            let b = &func.blocks[block];
            for phi in &b.phis {
                self.variable(phi.result);
            }
            for inst in &b.insts {
                inst.args.iter().for_each(|&arg| self.used(arg, block));
            }
            b.end.operand().into_iter().for_each(|value| self.used(value, block));
            for to in b.successors() {
                for phi in &func.blocks[to].phis {
                    phi.from.iter().filter(|from| from.1 == block).for_each(|from| self.used(from.0, block));
                }
            }
        }
        for number in 0..self.graph.dispatchers {
            let var = self.builder.var(format!("route{number}"), Type::U32);
            self.routes.push(var);
        }
    }

    fn used(&mut self, operand: Operand, block: usize) {
        if let Some(address) = self.input.pointers.address(operand) {
            for step in &address.steps {
                self.used(step.index, block);
            }
            if let Some(val) = address.chosen {
                self.used_value(val, block);
            }
        } else if let Arg::Value(val) = self.real(operand).arg {
            self.used_value(val, block);
        }
    }

    fn used_value(&mut self, val: Val, block: usize) {
        if matches!(self.input.func.values[val].def, Some(Def::Block(from, _)) if from != block) {
            self.variable(val);
        }
    }

    fn variable(&mut self, val: Val) {
        if self.vars.contains_key(&val) {
            return;
        }
        let info = &self.input.func.values[val];
        self.builder.at(info.loc);
        let ty = self.built(val);
        let var = self.builder.var(info.name.clone(), ty);
        self.vars.insert(val, var);
    }

    /// The root of a base and the bytes at which it begins there.
    pub(super) fn root(&self, base: Base) -> Option<(Root, u32)> {
        self.roots.get(&base).copied()
    }

    /// Whether all accesses to a base are atomic. Structs may have other fields beside atomics.
    pub(super) fn is_atomic(&self, base: Base) -> bool {
        let (function, types) = (self.builder.function(), self.input.types);
        self.root(base).is_some_and(|(root, _)| {
            let element = function.root_element(types, root).map(|element| types.innermost(element));
            function.root_access(root) == Some(Access::Atomic) && !matches!(element, Some(Type::Struct(_)))
        })
    }

    pub(super) fn space(&self, base: Base) -> Space {
        space(self.input.func, self.input.globals, base)
    }

    // Values.

    /// A value as it is built, in the block that is being built.
    pub(super) fn raw(&mut self, val: Val) -> Value {
        if let Some(&value) = self.params.get(&val).or_else(|| self.here.get(&val)) {
            return value;
        }
        match self.vars.get(&val) {
            Some(&var) => {
                let value = self.builder.get(var);
                self.know(val, value);
                value
            }
            // Only what a mistake left undefined.
            None => self.builder.constant(Scalar::U32, 0),
        }
    }

    pub(super) fn know(&mut self, val: Val, value: Value) {
        Rc::make_mut(&mut self.here).insert(val, value);
    }

    /// An operand as a value of its type.
    pub(super) fn value(&mut self, operand: Operand) -> Value {
        match self.real(operand).arg {
            Arg::Value(val) => {
                let value = self.raw(val);
                if self.truths[val] { self.builder.op_to(Op::Cast, &[value], Type::U32) } else { value }
            }
            Arg::Const(ty, bits) => self.builder.constant(ty, bits),
            Arg::Global(_) => self.builder.constant(Scalar::U32, 0),
        }
    }

    /// Whether an operand is not zero.
    pub(super) fn truth(&mut self, operand: Operand) -> Value {
        match self.real(operand).arg {
            Arg::Value(val) => {
                let value = self.raw(val);
                match self.builder.function().ty(value) {
                    Type::Scalar(ty) if ty != Scalar::Bool => {
                        let zero = self.builder.constant(ty, 0);
                        self.builder.op(Op::Ne, &[value, zero])
                    }
                    _ => value,
                }
            }
            Arg::Const(_, bits) => self.builder.constant(Scalar::Bool, u64::from(bits != 0)),
            Arg::Global(_) => self.builder.constant(Scalar::Bool, 0),
        }
    }

    // Control.

    /// Builds parts in a row; tells whether what follows them is reached.
    fn parts(&mut self, parts: &[Part]) -> bool {
        parts.iter().all(|part| self.part(part))
    }

    fn part(&mut self, part: &Part) -> bool {
        match part {
            Part::Code(node) => {
                self.here = Rc::default();
                if let Some(block) = self.graph.nodes[*node].block {
                    self.code(block);
                }
                true
            }
            Part::Edge(edge) => {
                self.edge(*edge);
                true
            }
            Part::If(node, then, otherwise) => {
                let condition = match self.end(*node) {
                    Some(End::BrIf(condition, ..)) => self.truth(*condition),
                    _ => self.builder.constant(Scalar::Bool, 1),
                };
                let arms = self.arms(&[then, otherwise]);
                self.at_end(*node);
                self.builder.if_else(condition, arms.0[0], arms.0[1], &[]);
                self.reached(arms.1)
            }
            Part::Switch(node, arms) => {
                let (selector, values) = self.selector(*node);
                let lists: Vec<&Vec<Part>> = arms.iter().collect();
                let (regions, reached) = self.arms(&lists);
                let cases = values.into_iter().zip(&regions);
                let cases = cases.map(|(bits, &region)| Case { values: vec![bits], region }).collect();
                self.at_end(*node);
                if let Some(&default) = regions.last() {
                    self.builder.switch(selector, cases, default, &[]);
                }
                self.reached(reached)
            }
            Part::Block(node, inner) => self.construct(*node, inner, false),
            Part::Loop(head, body) => self.construct(*head, body, true),
            Part::Leave(node) => self.leave(*node, false),
            Part::Break(head) => self.leave(*head, true),
            Part::Continue(head) => {
                if let Some(&(inst, _)) = self.loops.get(head) {
                    self.builder.continue_(inst, &[]);
                }
                false
            }
            Part::Return(node) => {
                match self.end(*node) {
                    Some(End::Ret(Some(value))) => {
                        let value = self.value(*value);
                        self.at_end(*node);
                        self.builder.ret_values(&[value]);
                    }
                    Some(End::Unreachable) => self.builder.unreachable(),
                    _ => self.builder.ret(),
                }
                false
            }
        }
    }

    /// A loop, or a block, which is a loop that its end leaves; tells whether anything leaves it.
    fn construct(&mut self, node: usize, inner: &[Part], repeats: bool) -> bool {
        let label = self.label(node);
        let (inst, _) = self.builder.begin_loop(label.as_deref(), &[]);
        self.around(repeats).insert(node, (inst, false));
        match (self.nested(inner), repeats) {
            (true, true) => self.builder.continue_(inst, &[]),
            (true, false) => _ = self.leave(node, false),
            (false, _) => {}
        }
        self.builder.end_loop(inst, &[]);
        let left = self.around(repeats).get(&node).is_some_and(|around| around.1);
        self.reached(left)
    }

    fn around(&mut self, repeats: bool) -> &mut HashMap<usize, (Inst, bool)> {
        if repeats { &mut self.loops } else { &mut self.blocks }
    }

    fn leave(&mut self, node: usize, repeats: bool) -> bool {
        if let Some((inst, left)) = self.around(repeats).get_mut(&node) {
            *left = true;
            let inst = *inst;
            self.builder.break_(inst, &[]);
        }
        false
    }

    /// Ends what nothing leaves.
    fn reached(&mut self, reached: bool) -> bool {
        if !reached {
            self.builder.unreachable();
        }
        reached
    }

    fn nested(&mut self, parts: &[Part]) -> bool {
        if self.nesting >= MAX_NESTING {
            if !self.failed {
                self.failed = true;
                too_deep(self.input.func, self.diags);
            }
            return false;
        }
        self.nesting += 1;
        let reached = self.parts(parts);
        self.nesting -= 1;
        reached
    }

    /// Builds regions that end in `yield` where their end is reached, and tells whether
    /// one is.
    fn arms(&mut self, arms: &[&Vec<Part>]) -> (Vec<crate::ir::Region>, bool) {
        let here = Rc::clone(&self.here);
        let (mut regions, mut reached) = (Vec::new(), false);
        for arm in arms {
            let region = self.builder.region(&[]);
            self.builder.enter(region);
            self.here = Rc::clone(&here);
            if self.nested(arm) {
                reached = true;
                self.builder.yield_(&[]);
            }
            self.builder.leave();
            regions.push(region);
        }
        self.here = here;
        (regions, reached)
    }

    fn end(&self, node: usize) -> Option<&End> {
        let block = self.graph.nodes[node].block?;
        Some(&self.input.func.blocks[block].end)
    }

    fn at_end(&mut self, node: usize) {
        let loc = self.graph.nodes[node].block.map(|block| self.input.func.blocks[block].end_loc);
        self.builder.at(loc.unwrap_or(self.input.func.loc));
    }

    fn label(&self, node: usize) -> Option<String> {
        let block = self.graph.nodes[node].block?;
        Some(self.input.func.blocks[block].label.clone()).filter(|label| !label.is_empty())
    }

    /// What a switch selects by, and the cases but for the default.
    fn selector(&mut self, node: usize) -> (Value, Vec<u64>) {
        if let Exit::Dispatch(number, edges) = &self.graph.nodes[node].exit {
            let value = self.builder.get(self.routes[*number]);
            return (value, (0..edges.len().saturating_sub(1) as u64).collect());
        }
        match self.end(node) {
            Some(End::Switch(selector, _, cases)) => {
                let cases = cases.iter().map(|case| case.0).collect();
                (self.value(*selector), cases)
            }
            _ => (self.builder.constant(Scalar::U32, 0), Vec::new()),
        }
    }

    fn edge(&mut self, edge: Edge) {
        let mut sets = Vec::new();
        if let Some((from, to)) = edge.blocks {
            let func = self.input.func;
            self.builder.at(func.blocks[from].end_loc);
            for phi in &func.blocks[to].phis {
                let Some(&(operand, _)) = phi.from.iter().find(|entry| entry.1 == from) else { continue };
                let Some(&var) = self.vars.get(&phi.result) else { continue };
                let value = match self.input.typed.sorts[phi.result] {
                    Sort::Value => self.value(operand),
                    Sort::Pointer(_) => self.distance(operand, self.input.pointers.unit(phi.result)),
                };
                sets.push((var, value));
            }
        }
        for (var, value) in sets {
            self.builder.set(var, value);
        }
        if let Some((number, which)) = edge.via {
            let which = self.builder.u32(which);
            self.builder.set(self.routes[number], which);
        }
    }

    fn code(&mut self, block: usize) {
        let func = self.input.func;
        for inst in &func.blocks[block].insts {
            self.builder.at(inst.loc);
            let made = self.inst(inst);
            if let (Some(val), Some(value)) = (inst.result, made) {
                let info = &func.values[val];
                if !info.number {
                    self.builder.name(value, &info.name);
                }
                self.know(val, value);
                if let Some(&var) = self.vars.get(&val) {
                    self.builder.set(var, value);
                }
            }
        }
        self.builder.at(func.blocks[block].end_loc);
    }
}

/// The globals that a function has besides its parameters, in the order of declaration.
pub(super) fn hidden(globals: &Globals, uses: &Uses) -> Vec<usize> {
    let mut slots: Vec<usize> = uses.globals.iter().copied().collect();
    slots.sort_by_key(|&slot| globals.get(slot).map(|global| global.loc));
    slots
}

/// What is done with the arena: what is done with any of it.
fn arena_mode(globals: &Globals, uses: &Uses) -> Access {
    let in_arena =
        |slot: &&usize| globals.get(**slot).is_some_and(|global| matches!(global.initial, Initial::Address(_)));
    let modes = uses.globals.iter().filter(in_arena).map(|&slot| uses.mode(Base::Global(slot)));
    modes.max().unwrap_or(Access::Read)
}

/// The element of a view of a global.
fn element(types: &Types, global: &super::ast::Global) -> Type {
    match global.space {
        Space::Global | Space::Const => global.pointee,
        Space::Shared | Space::Local | Space::Generic => types.innermost(global.pointee),
    }
}
