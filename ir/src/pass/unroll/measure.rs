//! How large a loop's body is, and how much of it would remain in an unrolled copy.
//!
//! In a copy the counters are constants. Folding computes what depends on nothing else, and a
//! branch on it becomes one arm. Neither counts as remaining.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, Region, Root, Value, ValueDef};
use crate::ops::{Op, SubgroupOp};
use crate::types::Scalar;

/// How often the parameters that are constants in each round are looked for.
const MAX_PASSES: usize = 4;

/// What a loop's body is made of.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Measure {
    /// Its instructions.
    pub(super) size: usize,
    /// Those that are left in a copy.
    pub(super) left: usize,
    /// How deep regions are nested in it.
    pub(super) depth: usize,
    /// Whether another loop is in it.
    pub(super) loops: bool,
    /// Whether it waits for other invocations.
    pub(super) waits: bool,
    /// What compiling those costs that become much code, as [`cost`] counts.
    pub(super) cost: usize,
    /// Whether a private array is indexed by what is a constant in a copy. Only constant
    /// indices let an array become values.
    pub(super) indexes: bool,
    /// Whether private memory is accessed at all.
    pub(super) private: bool,
    /// Whether it does anything but compute.
    pub(super) acts: bool,
}

/// The values that are constants in each round of the loop that was looked at last.
pub(super) struct Measurer {
    known: Side<ValueDef, bool>,
}

impl Measurer {
    pub(super) fn new() -> Self {
        Self { known: Side::new(false) }
    }

    /// Measures the body of a loop with these `continue`s.
    pub(super) fn measure(
        &mut self,
        function: &Function,
        body: Region,
        initial: &[Value],
        continues: &[Inst],
    ) -> Measure {
        let params = &function.regions[body].params;
        for (&param, &first) in params.iter().zip(initial) {
            self.known[param] = function.constant_bits(first).is_some();
        }
        let mut measure = Measure::default();
        for _ in 0..MAX_PASSES {
            measure = self.region(function, body);
            let mut wrong = false;
            for &from in continues {
                let InstKind::Continue(_, args) = &function.insts[from].kind else { continue };
                for (&param, &arg) in params.iter().zip(args) {
                    if self.known[param] && !self.is_known(function, arg) {
                        self.known[param] = false;
                        wrong = true;
                    }
                }
            }
            if !wrong {
                return measure;
            }
        }
        for &param in params {
            self.known[param] = false;
        }
        if params.is_empty() { measure } else { self.region(function, body) }
    }

    fn is_known(&self, function: &Function, value: Value) -> bool {
        self.known[value] || function.constant_bits(value).is_some()
    }

    /// Measures a region. The checks limit how deep regions are nested.
    fn region(&mut self, function: &Function, region: Region) -> Measure {
        let mut sum = Measure { depth: 1, ..Measure::default() };
        for &inst in &function.regions[region].insts {
            let one = self.inst(function, inst);
            sum = sum.and(one);
            sum.left += one.left;
            sum.cost += one.cost;
            sum.depth = sum.depth.max(1 + one.depth);
        }
        sum
    }

    fn inst(&mut self, function: &Function, inst: Inst) -> Measure {
        let def = &function.insts[inst];
        let one = Measure { size: 1, left: 1, cost: cost(function, inst), ..Measure::default() };
        let mut known = false;
        let measure = match &def.kind {
            InstKind::Op(_, args) => {
                known = args.iter().all(|&arg| self.is_known(function, arg));
                if known { Measure { left: 0, cost: 0, ..one } } else { one }
            }
            InstKind::Load(place) | InstKind::Store(place, _) => {
                let private = matches!(place.root, Root::Private(_)) && !place.indices.is_empty();
                let mut indices = place.indices.iter();
                Measure {
                    indexes: private && indices.all(|index| self.is_known(function, index.value)),
                    private,
                    acts: true,
                    ..one
                }
            }
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                let decided = self.is_known(function, *value);
                let mut sum = if decided { Measure { left: 0, cost: 0, ..one } } else { one };
                for inner in def.kind.regions() {
                    let arm = self.region(function, inner);
                    sum = sum.and(arm);
                    sum.left = if decided { sum.left.max(arm.left) } else { sum.left + arm.left };
                    sum.cost = if decided { sum.cost.max(arm.cost) } else { sum.cost + arm.cost };
                    sum.depth = sum.depth.max(arm.depth);
                }
                sum
            }
            InstKind::Loop { body, .. } => {
                for &param in &function.regions[*body].params {
                    self.known[param] = false;
                }
                let inner = self.region(function, *body);
                let left = one.left + inner.left;
                let cost = LOOP + inner.cost;
                Measure { left, cost, depth: inner.depth, loops: true, ..one.and(inner) }
            }
            InstKind::Barrier | InstKind::Subgroup(..) | InstKind::Fence(..) => {
                Measure { waits: true, acts: true, ..one }
            }
            InstKind::Yield(_) | InstKind::Continue(..) | InstKind::Break(..) | InstKind::Unreachable => {
                Measure { left: 0, ..one }
            }
            InstKind::Atomic(..) | InstKind::Call { .. } | InstKind::Set(..) => Measure { acts: true, ..one },
            InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Get(_) | InstKind::Return(_) => one,
        };
        for &result in &def.results {
            self.known[result] = known;
        }
        measure
    }
}

/// What a loop in the body costs, which stays in each copy: a driver looks at all loops together.
const LOOP: usize = 8;

/// What an instruction costs to compile beyond an instruction of a device, as back ends do it:
/// about the tens of such instructions that become of it. Where a driver puts all functions
/// into one, its time grows with the square of that.
fn cost(function: &Function, inst: Inst) -> usize {
    let def = &function.insts[inst];
    let lane = |value: &Value| function.ty(*value).lane();
    match &def.kind {
        // An exchange through workgroup memory between barriers; sums and scans take five.
        InstKind::Subgroup(SubgroupOp::Elect, _) => 0,
        InstKind::Subgroup(op, _) if op.fold().is_some() => 40,
        InstKind::Subgroup(..) => 8,
        // Of what no device adds at once an exchange in a loop.
        InstKind::Atomic(..) => match def.results.first().and_then(lane) {
            Some(ty) if ty.is_float() || ty.bits() > 32 => 4,
            _ => 1,
        },
        InstKind::Barrier => 1,
        InstKind::Op(op, args) => {
            let scalar = args.iter().find_map(lane).or(def.results.first().and_then(lane));
            let lanes = args.iter().map(|&arg| function.ty(arg).lanes()).max().unwrap_or(1);
            lanes * cost_of_op(*op, scalar, def.results.first().and_then(lane))
        }
        InstKind::Switch { cases, .. } => cases.iter().map(|case| case.values.len()).sum::<usize>() / 8,
        _ => 0,
    }
}

/// The same of an op on a lane of a type, and of one that gives it.
fn cost_of_op(op: Op, from: Option<Scalar>, to: Option<Scalar>) -> usize {
    let moves = matches!(op, Op::Construct | Op::Extract | Op::Bitcast | Op::Select | Op::Neg | Op::Abs | Op::CopySign);
    match (from, to) {
        _ if moves => 0,
        (Some(Scalar::F64), Some(Scalar::Bool)) => 1,
        (Some(Scalar::F64), _) | (_, Some(Scalar::F64)) => 4,
        (Some(Scalar::F16), Some(Scalar::F16)) => 1,
        (Some(Scalar::I64 | Scalar::U64), _) if is_division(op) => 4,
        _ => 0,
    }
}

const fn is_division(op: Op) -> bool {
    matches!(op, Op::Div | Op::Rem | Op::Mod | Op::DivEuclid | Op::RemEuclid)
}

impl Measure {
    /// Both, but for what is left, its cost and how deep it is, which depends on how they stand.
    fn and(self, other: Self) -> Self {
        Self {
            size: self.size + other.size,
            left: self.left,
            cost: self.cost,
            depth: self.depth,
            loops: self.loops || other.loops,
            waits: self.waits || other.waits,
            indexes: self.indexes || other.indexes,
            private: self.private || other.private,
            acts: self.acts || other.acts,
        }
    }
}
