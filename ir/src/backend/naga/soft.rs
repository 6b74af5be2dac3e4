//! Software ops as functions of the naga module, made if the kernel needs them.

use super::code::{Basic, Code, Expr};
use super::double_op::Doubles;
use super::float::{self, Machine, Step};
use super::wide;
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstKind};
use crate::ops::{AtomicOp, Op};
use crate::types::Scalar;
use naga::{
    BinaryOperator as Bin, Expression, FunctionArgument, FunctionResult, Handle, MathFunction, Span, Statement,
    TypeInner, VectorSize,
};

/// The functions of a module.
#[derive(Clone, Copy, Default)]
pub(super) struct Soft {
    /// `a * b + c`, rounded once.
    pub mul_add: Option<Handle<naga::Function>>,
    /// `a * b + c`, rounded to odd.
    pub mul_add_odd: Option<Handle<naga::Function>>,
    /// `a / b`.
    pub quotient: Option<Handle<naga::Function>>,
    /// The square root.
    pub root: Option<Handle<naga::Function>>,
    /// `a % b`.
    pub remainder: Option<Handle<naga::Function>>,
    /// Quotient and remainder of unsigned 64-bit numbers, four words.
    pub divide: Option<Handle<naga::Function>>,
    /// Those on `f64`.
    pub doubles: Doubles,
}

/// Whether a function uses an op that has an operand with such lanes.
pub(super) fn uses(function: &Function, op: Op, fits: &dyn Fn(Scalar) -> bool) -> bool {
    function.insts.iter().any(|(_, inst)| match &inst.kind {
        InstKind::Op(used, args) => *used == op && args.iter().any(|&v| function.ty(v).lane().is_some_and(fits)),
        _ => false,
    })
}

/// Whether the device may compute an op on `f32` as it pleases.
pub(super) fn is_loose(function: &Function, inst: Inst) -> bool {
    function.fast_math && !function.flags[inst].has(Flags::PRECISE)
}

/// Whether a function adds to or subtracts from such a float in one step.
pub(super) fn sums_atomically(function: &Function, ty: Scalar) -> bool {
    function.insts.iter().any(|(_, inst)| match &inst.kind {
        InstKind::Atomic(AtomicOp::Add | AtomicOp::Sub, _, args, _) => {
            args.iter().any(|&v| function.ty(v).lane() == Some(ty))
        }
        _ => false,
    })
}

impl Soft {
    /// The functions that the ops of this kernel call.
    pub fn new(module: &mut naga::Module, basic: Basic, function: &Function, exact: bool, fused: bool) -> Self {
        let uses_with = |op: Op, fits: &dyn Fn(Scalar) -> bool| uses(function, op, fits);
        // `f64` has functions of its own.
        let uses = |op: Op| {
            function.insts.iter().any(|(inst, def)| match &def.kind {
                InstKind::Op(used, args) if *used == op => args.iter().any(|&v| match function.ty(v).lane() {
                    Some(Scalar::F32) => !is_loose(function, inst) || op == Op::Rem,
                    lane => lane == Some(Scalar::F16),
                }),
                _ => false,
            })
        };
        let wide = |scalar: Scalar| scalar.is_int() && scalar.bits() == 64;
        let sums = sums_atomically(function, Scalar::F32) || sums_atomically(function, Scalar::F16);
        let inexact = !exact && (sums || uses(Op::Add) || uses(Op::Sub) || uses(Op::Mul));
        let mut soft = Self { doubles: Doubles::new(module, basic, function), ..Self::default() };
        if inexact || uses(Op::MulAdd) && !(exact && fused) {
            soft.mul_add =
                Some(define(module, basic, "mul_add_", 3, |m, args| float::mul_add(m, args[0], args[1], args[2])));
        }
        if uses_with(Op::MulAdd, &|scalar| scalar == Scalar::F16) {
            let body = |m: &mut Code, args: &[Expr]| float::mul_add_odd(m, args[0], args[1], args[2]);
            soft.mul_add_odd = Some(define(module, basic, "mul_add_odd_", 3, body));
        }
        if !exact && uses(Op::Div) {
            soft.quotient = Some(define(module, basic, "quotient_", 2, |m, args| float::quotient(m, args[0], args[1])));
        }
        if !exact && uses(Op::Sqrt) {
            soft.root = Some(define(module, basic, "root_", 1, |m, args| float::root(m, args[0])));
        }
        if uses(Op::Rem) {
            soft.remainder =
                Some(define(module, basic, "remainder_", 2, |m, args| float::remainder(m, args[0], args[1])));
        }
        if uses_with(Op::Div, &wide) || uses_with(Op::Rem, &wide) {
            let ty = TypeInner::Vector { size: VectorSize::Quad, scalar: naga::Scalar::U32 };
            let ty = module.types.insert(naga::Type { name: None, inner: ty }, Span::UNDEFINED);
            soft.divide = Some(define_of(module, basic, "divide_", 4, ty, |m, args| {
                let (quotient, rest) = wide::divide_unsigned(m, [args[0], args[1]], [args[2], args[3]]);
                let components = [quotient, rest].concat();
                m.push(Expression::Compose { ty, components })
            }));
        }
        soft
    }
}

/// A function from words to a word.
fn define(
    module: &mut naga::Module,
    basic: Basic,
    name: &str,
    arguments: u32,
    body: impl FnOnce(&mut Code, &[Expr]) -> Expr,
) -> Handle<naga::Function> {
    define_of(module, basic, name, arguments, basic.u32, body)
}

/// A function from words to a value of a type.
pub(super) fn define_of(
    module: &mut naga::Module,
    basic: Basic,
    name: &str,
    arguments: u32,
    ty: Handle<naga::Type>,
    body: impl FnOnce(&mut Code, &[Expr]) -> Expr,
) -> Handle<naga::Function> {
    let mut code = Code::new(Some(name.to_owned()), basic);
    let argument = |_| FunctionArgument { name: None, ty: basic.u32, binding: None };
    code.function.arguments = (0..arguments).map(argument).collect();
    code.function.result = Some(FunctionResult { ty, binding: None });
    let arguments: Vec<Expr> = (0..arguments).map(|i| code.plain(Expression::FunctionArgument(i))).collect();
    let value = body(&mut code, &arguments);
    code.statement(Statement::Return { value: Some(value) });
    module.functions.append(code.finish(), Span::UNDEFINED)
}

impl Code {
    /// The result of a function on words.
    pub fn call(&mut self, function: Handle<naga::Function>, arguments: Vec<Expr>) -> Expr {
        let result = self.plain(Expression::CallResult(function));
        self.statement(Statement::Call { function, arguments, result: Some(result) });
        result
    }
}

impl Machine for Code {
    type U = Expr;
    type B = Expr;

    fn k(&mut self, value: u32) -> Expr {
        self.word(value)
    }
    fn add(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Add, a, b)
    }
    fn sub(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Subtract, a, b)
    }
    fn mul(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Multiply, a, b)
    }
    fn div(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Divide, a, b)
    }
    fn and(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::And, a, b)
    }
    fn or(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::InclusiveOr, a, b)
    }
    fn xor(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::ExclusiveOr, a, b)
    }
    fn shl(&mut self, a: Expr, n: Expr) -> Expr {
        self.binary(Bin::ShiftLeft, a, n)
    }
    fn shr(&mut self, a: Expr, n: Expr) -> Expr {
        self.binary(Bin::ShiftRight, a, n)
    }
    fn clz(&mut self, a: Expr) -> Expr {
        match self.known(a) {
            Some(value) => self.word(value.leading_zeros()),
            None => self.math(MathFunction::CountLeadingZeros, a),
        }
    }
    fn ones(&mut self, a: Expr) -> Expr {
        match self.known(a) {
            Some(value) => self.word(value.count_ones()),
            None => self.math(MathFunction::CountOneBits, a),
        }
    }
    fn reverse(&mut self, a: Expr) -> Expr {
        match self.known(a) {
            Some(value) => self.word(value.reverse_bits()),
            None => self.math(MathFunction::ReverseBits, a),
        }
    }
    fn eq(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Equal, a, b)
    }
    fn lt(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::Less, a, b)
    }
    fn both(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::And, a, b)
    }
    fn either(&mut self, a: Expr, b: Expr) -> Expr {
        self.binary(Bin::InclusiveOr, a, b)
    }
    fn not(&mut self, a: Expr) -> Expr {
        Code::not(self, a)
    }
    fn pick(&mut self, c: Expr, a: Expr, b: Expr) -> Expr {
        self.select(c, a, b)
    }
    fn repeat(&mut self, count: Expr, words: Vec<Expr>, step: &mut Step<'_, Self>) -> Vec<Expr> {
        let counter = self.local(self.basic.u32);
        let states: Vec<Expr> = words.iter().map(|_| self.local(self.basic.u32)).collect();
        self.store(counter, count);
        for (&state, word) in states.iter().zip(words) {
            self.store(state, word);
        }
        self.enter_loop();
        self.open();
        let count = self.load(counter);
        let words = states.iter().map(|&state| self.load(state)).collect();
        let zero = self.word(0);
        let done = self.binary(Bin::Equal, count, zero);
        self.when(done, |code| {
            code.leave_loops(1);
            code.statement(Statement::Break);
        });
        let (count, words) = step(self, count, words);
        self.store(counter, count);
        for (&state, word) in states.iter().zip(words) {
            self.store(state, word);
        }
        self.repeat_block();
        states.iter().map(|&state| self.load(state)).collect()
    }
}
