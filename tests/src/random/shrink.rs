//! Making a failing kernel small.
//!
//! A step removes something: instructions, branches, rounds, operands, digits of constants,
//! arguments. It is kept if the checks accept the rest and the fault still shows. Steps are
//! tried until none is kept, those that remove most first.

use super::Kernel;
use super::compare::{accept, judge, run};
use crate::filetest::Argument;
use samebits_ir::interp::Schedule;
use samebits_ir::ir::{
    CallArg, Function, FunctionKind, Inst, InstDef, InstKind, Module, ParamKind, Place, Region, Root, Value,
};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Type;
use samebits_ir::{text, wire};
use std::fmt::Write;

/// How many kernels are tried at most; each attempt takes some milliseconds.
const MOST_ATTEMPTS: usize = 6_000;

/// A smaller kernel for which `fails` still holds.
pub fn shrink(kernel: &Kernel, fails: &dyn Fn(&Kernel) -> bool) -> Kernel {
    let mut shrinker = Shrinker { best: kernel.clone(), fails, attempts: 0 };
    loop {
        let before = shrinker.size();
        shrinker.launch();
        shrinker.instructions();
        shrinker.structure();
        shrinker.operands();
        shrinker.unused();
        if shrinker.size() >= before || shrinker.attempts >= MOST_ATTEMPTS {
            break;
        }
    }
    shrinker.best
}

/// A kernel as a file test: the launch, what the interpreter says that it gives, and the text.
pub fn file(kernel: &Kernel, about: &str) -> String {
    let mut out = String::new();
    for line in about.lines() {
        let _ = writeln!(out, "; {line}");
    }
    let Some(function) = kernel.module.functions.last() else { return out };
    let [x, y, z] = kernel.launch.groups;
    let _ = writeln!(out, "; run: @{} groups({x}, {y}, {z})", function.name);
    for (param, argument) in function.params.iter().zip(&kernel.launch.arguments) {
        let _ = match (argument, param.kind) {
            (Argument::Buffer { bytes, .. }, _) => writeln!(out, ";   @{}={}", param.name, words(bytes)),
            (Argument::Scalar(lanes), ParamKind::Scalar(ty)) => {
                let lane = ty.lane().unwrap_or(samebits_ir::types::Scalar::U32);
                let list: Vec<String> =
                    lanes.iter().take(ty.lanes()).map(|&bits| text::print_literal(lane, bits)).collect();
                match &list[..] {
                    [one] => writeln!(out, ";   %{}={one}", param.name),
                    _ => writeln!(out, ";   %{}=[{}]", param.name, list.join(", ")),
                }
            }
            (Argument::Scalar(_), ParamKind::Buffer { .. }) => Ok(()),
        };
    }
    if let Ok((memories, _)) = accept(kernel).map_err(|f| f.what).and_then(|c| run(&c, kernel.index(), &kernel.launch))
    {
        out += ";   =>\n";
        for ((param, argument), bytes) in function.params.iter().zip(&kernel.launch.arguments).zip(memories) {
            if let Argument::Buffer { .. } = argument {
                let _ = writeln!(out, ";   @{}={}", param.name, words(&bytes));
            }
        }
    }
    out + &text::print(&kernel.module)
}

/// Bytes as a list of literals.
fn words(bytes: &[u8]) -> String {
    let literal = |chunk: &[u8]| {
        let word = chunk.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
        format!("{word}u32")
    };
    let list: Vec<String> = bytes.chunks(4).map(literal).collect();
    match list.first() {
        Some(first) if list.len() > 1 && list.iter().all(|word| word == first) => format!("[{first}; {}]", list.len()),
        _ => format!("[{}]", list.join(", ")),
    }
}

/// A region of a function of the module.
type At = (usize, Region);

struct Shrinker<'a> {
    best: Kernel,
    fails: &'a dyn Fn(&Kernel) -> bool,
    attempts: usize,
}

impl Shrinker<'_> {
    /// Instructions, and digits of constants and of arguments.
    fn size(&self) -> usize {
        let functions = &self.best.module.functions;
        let insts: usize = functions.iter().map(|f| placed(f).len() * 8 + f.params.len() + f.private.len() * 2).sum();
        let digits: usize = functions.iter().flat_map(constants).map(|bits| 64 - bits.leading_zeros() as usize).sum();
        let arguments = self.best.launch.arguments.iter().map(|argument| match argument {
            Argument::Buffer { bytes, .. } => bytes.iter().filter(|&&byte| byte != 0).count() + bytes.len(),
            Argument::Scalar(lanes) => lanes.iter().filter(|&&lane| lane != 0).count(),
        });
        insts * 16 + digits + arguments.sum::<usize>() + self.best.launch.groups.iter().sum::<u32>() as usize
    }

    /// Keeps a change if the fault still shows.
    fn attempt(&mut self, change: impl FnOnce(&mut Kernel) -> bool) -> bool {
        if self.attempts >= MOST_ATTEMPTS {
            return false;
        }
        let mut kernel = self.best.clone();
        if !change(&mut kernel) {
            return false;
        }
        self.attempts += 1;
        let stays = is_sound(&kernel) && (self.fails)(&kernel);
        if stays {
            self.best = kernel;
        }
        stays
    }

    /// Every region of the module, outer ones first.
    fn regions(&self) -> Vec<At> {
        let mut all = Vec::new();
        for (i, function) in self.best.module.functions.iter().enumerate() {
            let mut todo = vec![function.body];
            while let Some(region) = todo.pop() {
                all.push((i, region));
                for &inst in &function.regions[region].insts {
                    todo.extend(function.insts[inst].kind.regions());
                }
            }
        }
        all
    }

    /// Takes away runs of instructions, long ones first.
    fn instructions(&mut self) {
        for (f, region) in self.regions() {
            let len = |s: &Self| s.best.module.functions[f].regions[region].insts.len().saturating_sub(1);
            let mut run = len(self).next_power_of_two();
            while run > 0 {
                let mut at = len(self);
                while at > 0 {
                    let start = at.saturating_sub(run);
                    let end = at.min(len(self));
                    self.attempt(|kernel| take_away(&mut kernel.module.functions[f], region, start, end));
                    at = start;
                }
                run /= 2;
            }
        }
    }

    /// Lets one region stand for a branch, and one round for a loop.
    fn structure(&mut self) {
        for (f, region) in self.regions() {
            let mut at = 0;
            while let Some(&inst) = self.best.module.functions[f].regions[region].insts.get(at) {
                let regions = self.best.module.functions[f].insts[inst].kind.regions();
                let mut stays = false;
                for inner in regions {
                    stays = stays || self.attempt(|k| stand_in(&mut k.module.functions[f], region, at, inner));
                }
                stays = stays || self.attempt(|k| run_once(&mut k.module.functions[f], inst));
                if !stays {
                    at += 1;
                }
            }
        }
        for f in 0..self.best.module.functions.len() {
            for inst in placed(&self.best.module.functions[f]) {
                self.attempt(|k| match &mut k.module.functions[f].insts[inst].kind {
                    InstKind::Switch { cases, .. } => cases.pop().is_some(),
                    _ => false,
                });
            }
        }
    }

    /// Replaces operands by constants, and constants by smaller ones.
    fn operands(&mut self) {
        for f in 0..self.best.module.functions.len() {
            for inst in placed(&self.best.module.functions[f]) {
                let mut count = 0;
                self.best.module.functions[f].insts[inst].kind.for_each_operand(|_| count += 1);
                for n in 0..count {
                    for smaller in [|_| 0, |_| 1, |bits: u64| bits / 2] {
                        if self.attempt(|k| simplify(&mut k.module.functions[f], inst, n, smaller)) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Makes the launch and what it passes smaller.
    fn launch(&mut self) {
        self.attempt(|k| std::mem::replace(&mut k.launch.groups, [1; 3]) != [1; 3]);
        let sizes = |k: &mut Kernel, size: [u32; 3]| match k.module.functions.last_mut().map(|f| &mut f.kind) {
            Some(FunctionKind::Kernel { workgroup_size }) => std::mem::replace(workgroup_size, size) != size,
            _ => false,
        };
        if !self.attempt(|k| sizes(k, [1; 3])) {
            self.attempt(|k| sizes(k, [2, 1, 1]));
        }
        for i in 0..self.best.launch.arguments.len() {
            self.attempt(|k| match &mut k.launch.arguments[i] {
                Argument::Scalar(lanes) => std::mem::take(lanes) != [0; 4],
                Argument::Buffer { bytes, .. } => {
                    std::mem::replace(bytes, vec![0; bytes.len()]).iter().any(|&b| b != 0)
                }
            });
            // Shorter, by whole elements and whole words.
            while self.attempt(|k| halve(k, i)) {}
            let len = match &self.best.launch.arguments[i] {
                Argument::Buffer { bytes, .. } => bytes.len(),
                Argument::Scalar(_) => 0,
            };
            for word in 0..(len / 4).min(64) {
                self.attempt(|k| match &mut k.launch.arguments[i] {
                    Argument::Buffer { bytes, .. } => {
                        let Some(word) = bytes.get_mut(word * 4..word * 4 + 4) else { return false };
                        let changes = word.iter().any(|&byte| byte != 0);
                        word.fill(0);
                        changes
                    }
                    Argument::Scalar(_) => false,
                });
            }
        }
    }

    /// Removes declarations and functions that nothing uses.
    fn unused(&mut self) {
        // Values instead of variables; and the binary form keeps no type that is not used.
        self.attempt(|k| accept(k).map(|checked| k.module = checked.module().clone()).is_ok());
        self.attempt(|k| wire::decode(&wire::encode(&k.module)).map(|module| k.module = module).is_ok());
        for f in (0..self.best.module.functions.len().saturating_sub(1)).rev() {
            self.attempt(|k| {
                k.module.functions.remove(f);
                for function in &mut k.module.functions {
                    for inst in placed(function) {
                        if let InstKind::Call { function, .. } = &mut function.insts[inst].kind {
                            if *function as usize == f {
                                return false;
                            }
                            *function -= u32::from(*function as usize > f);
                        }
                    }
                }
                true
            });
        }
        for f in 0..self.best.module.functions.len() {
            let function = &self.best.module.functions[f];
            let privates = (0..function.private.len() as u32).map(Root::Private);
            let shared = (0..function.shared.len() as u32).map(Root::Shared);
            let tables = (0..function.tables.len() as u32).map(Root::Table);
            let params = (0..function.params.len() as u32).map(Root::Param);
            let is_last = f + 1 == self.best.module.functions.len();
            let roots: Vec<Root> = privates.chain(shared).chain(tables).chain(params.filter(|_| is_last)).collect();
            for root in roots.into_iter().rev() {
                self.attempt(|k| drop_root(k, f, root));
            }
        }
    }
}

/// Whether the checks accept a kernel and it has no race: what a race gives is no fault of
/// a pass.
fn is_sound(kernel: &Kernel) -> bool {
    let Ok(checked) = accept(kernel) else { return false };
    let schedules = [Schedule::Reversed, Schedule::Random(1)];
    let orders = if is_alone(kernel) { &[][..] } else { &schedules };
    orders.iter().all(|&schedule| judge(&checked, kernel.index(), &kernel.launch, schedule).is_ok())
}

fn is_alone(kernel: &Kernel) -> bool {
    let size = kernel.module.functions.last().map_or([1; 3], Function::workgroup_size);
    size == [1; 3] && kernel.launch.groups == [1; 3]
}

/// Halves a buffer.
fn halve(kernel: &mut Kernel, argument: usize) -> bool {
    let Argument::Buffer { bytes, len } = &mut kernel.launch.arguments[argument] else { return false };
    let half = *len / 2;
    if half == 0 {
        return false;
    }
    let size = bytes.len() / *len as usize;
    bytes.truncate(size * half as usize);
    *len = half;
    bytes.len().is_multiple_of(4)
}

/// The instructions that a function's regions hold.
fn placed(function: &Function) -> Vec<Inst> {
    let (mut all, mut todo) = (Vec::new(), vec![function.body]);
    while let Some(region) = todo.pop() {
        for &inst in &function.regions[region].insts {
            all.push(inst);
            todo.extend(function.insts[inst].kind.regions());
        }
    }
    all
}

/// The constants that are operands, as often as they are.
fn constants(function: &Function) -> Vec<u64> {
    let mut all = Vec::new();
    for inst in placed(function) {
        function.insts[inst].kind.for_each_operand(|value| all.extend(function.constant_bits(value)));
    }
    all
}

/// Zeros of the types of values, and the instructions that make those of vectors.
fn zeros(function: &mut Function, values: &[Value]) -> (Vec<Inst>, Vec<Value>) {
    let (mut insts, mut out) = (Vec::new(), Vec::new());
    for &value in values {
        let ty = function.ty(value);
        let Some(lane) = ty.lane() else { continue };
        let zero = function.constant(lane, 0);
        out.push(match ty {
            Type::Vector(_, lanes) => {
                let result = function.values.push(function.values[value].clone());
                let kind = InstKind::Op(Op::Construct, vec![zero; lanes.into()]);
                insts.push(function.insts.push(InstDef { kind, results: vec![result], loc: Loc::NONE }));
                result
            }
            _ => zero,
        });
    }
    (insts, out)
}

fn replace(function: &mut Function, from: &[Value], to: &[Value]) {
    for inst in function.insts.ids() {
        function.insts[inst].kind.map_operands(|value| {
            from.iter().position(|&other| other == value).and_then(|at| to.get(at).copied()).unwrap_or(value)
        });
    }
}

/// Takes away the instructions of a region from one position to another; what they gave
/// is zero.
fn take_away(function: &mut Function, region: Region, start: usize, end: usize) -> bool {
    let insts = function.regions[region].insts.clone();
    if start >= end || end >= insts.len() {
        return false;
    }
    let gone = &insts[start..end];
    let results: Vec<Value> = gone.iter().flat_map(|&inst| function.insts[inst].results.clone()).collect();
    let used = |value: &Value| {
        placed(function).into_iter().any(|inst| {
            let mut found = false;
            function.insts[inst].kind.for_each_operand(|operand| found |= operand == *value);
            found && !gone.contains(&inst)
        })
    };
    let results: Vec<Value> = results.into_iter().filter(used).collect();
    let (made, given) = zeros(function, &results);
    // Zeros instead of zeros would be no step.
    if !made.is_empty() && made.len() >= gone.len() {
        return false;
    }
    replace(function, &results, &given);
    function.regions[region].insts.splice(start..end, made);
    true
}

/// Lets the instructions of one of its regions stand in the place of an instruction.
fn stand_in(function: &mut Function, region: Region, at: usize, inner: Region) -> bool {
    let insts = function.regions[region].insts.clone();
    let inst = insts[at];
    let mut body = function.regions[inner].insts.clone();
    let Some(&last) = body.last() else { return false };
    let results = function.insts[inst].results.clone();
    let (params, initial) = match function.insts[inst].kind.clone() {
        InstKind::Loop { initial, .. } => (function.regions[inner].params.clone(), initial),
        _ => (Vec::new(), Vec::new()),
    };
    let rest = match function.insts[last].kind.clone() {
        InstKind::Yield(values) => {
            body.pop();
            replace(function, &results, &values);
            &insts[at + 1..]
        }
        InstKind::Break(target, values) if target == inst => {
            body.pop();
            replace(function, &results, &values);
            &insts[at + 1..]
        }
        InstKind::Continue(target, _) if target == inst => {
            body.pop();
            let (made, given) = zeros(function, &results);
            body.extend(made);
            replace(function, &results, &given);
            &insts[at + 1..]
        }
        _ => &[],
    };
    replace(function, &params, &initial);
    function.regions[region].insts = [&insts[..at], &body, rest].concat();
    true
}

/// Lets a loop end where it would come round again.
fn run_once(function: &mut Function, target: Inst) -> bool {
    if !matches!(function.insts[target].kind, InstKind::Loop { .. }) {
        return false;
    }
    let results = function.insts[target].results.clone();
    let mut changed = false;
    let mut todo = vec![function.body];
    while let Some(region) = todo.pop() {
        for inst in function.region_insts(region) {
            todo.extend(function.insts[inst].kind.regions());
            if matches!(function.insts[inst].kind, InstKind::Continue(of, _) if of == target) {
                let (made, given) = zeros(function, &results);
                function.insts[inst].kind = InstKind::Break(target, given);
                let insts = &mut function.regions[region].insts;
                let end = insts.len().saturating_sub(1);
                insts.splice(end..end, made);
                changed = true;
            }
        }
    }
    changed
}

/// Makes an operand a constant, or a smaller one.
fn simplify(function: &mut Function, inst: Inst, operand: usize, smaller: fn(u64) -> u64) -> bool {
    let (mut n, mut old) = (0, None);
    function.insts[inst].kind.for_each_operand(|value| {
        if n == operand {
            old = Some(value);
        }
        n += 1;
    });
    let Some(old) = old else { return false };
    let Type::Scalar(scalar) = function.ty(old) else { return false };
    let before = function.constant_bits(old);
    let bits = smaller(before.unwrap_or(0)) & scalar.mask();
    if before.is_some_and(|before| bits >= before) {
        return false;
    }
    let new = function.constant(scalar, bits);
    let mut n = 0;
    function.insts[inst].kind.map_operands(|value| {
        n += 1;
        if n - 1 == operand { new } else { value }
    });
    true
}

/// Removes a memory or a parameter that nothing names.
fn drop_root(kernel: &mut Kernel, f: usize, root: Root) -> bool {
    let Module { functions, .. } = &mut kernel.module;
    let function = &mut functions[f];
    let mut scalar = None;
    match root {
        Root::Private(i) => drop(function.private.remove(i as usize)),
        Root::Shared(i) => drop(function.shared.remove(i as usize)),
        Root::Table(i) => drop(function.tables.remove(i as usize)),
        Root::Param(i) => {
            if let ParamKind::Scalar(_) = function.params[i as usize].kind {
                let before = &function.params[..i as usize];
                let at = before.iter().filter(|p| matches!(p.kind, ParamKind::Scalar(_))).count();
                let body = function.body;
                scalar = Some(function.regions[body].params.remove(at));
            }
            function.params.remove(i as usize);
            kernel.launch.arguments.remove(i as usize);
        }
    }
    let down = |found: &mut Root| {
        let (Root::Private(a) | Root::Shared(a) | Root::Param(a) | Root::Table(a)) = found;
        let (Root::Private(b) | Root::Shared(b) | Root::Param(b) | Root::Table(b)) = root;
        *a -= u32::from(*a > b);
    };
    let renumber = |found: &mut Root| {
        let is_of_kind = std::mem::discriminant(found) == std::mem::discriminant(&root);
        let is_used = *found == root;
        if is_of_kind && !is_used {
            down(found);
        }
        is_used
    };
    let mut is_used = false;
    for inst in placed(function) {
        function.insts[inst].kind.for_each_operand(|value| is_used |= Some(value) == scalar);
        match &mut function.insts[inst].kind {
            InstKind::Load(Place { root, .. })
            | InstKind::Store(Place { root, .. }, _)
            | InstKind::Atomic(_, Place { root, .. }, ..)
            | InstKind::Len(root) => is_used |= renumber(root),
            InstKind::Call { args, .. } => {
                for arg in args {
                    if let CallArg::Place(place) = arg {
                        is_used |= renumber(&mut place.root);
                    }
                }
            }
            _ => {}
        }
    }
    !is_used
}
