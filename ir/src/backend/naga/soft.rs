//! Software float ops as functions of the naga module, made if the kernel needs them.

use super::code::{Basic, Code, Expr};
use super::float::{self, Machine, Step};
use crate::ir::{Function, InstKind};
use crate::ops::Op;
use naga::{
    BinaryOperator as Bin, Expression, FunctionArgument, FunctionResult, Handle, MathFunction, Span, Statement,
};

/// The functions of a module.
#[derive(Clone, Copy, Default)]
pub(super) struct Soft {
    /// `a * b + c`, rounded once.
    pub mul_add: Option<Handle<naga::Function>>,
    /// `a / b`.
    pub quotient: Option<Handle<naga::Function>>,
    /// The square root.
    pub root: Option<Handle<naga::Function>>,
    /// `a % b`.
    pub remainder: Option<Handle<naga::Function>>,
}

impl Soft {
    /// The functions that the ops of this kernel call.
    pub fn new(module: &mut naga::Module, basic: Basic, function: &Function, exact: bool, fused: bool) -> Self {
        let uses = |op: Op| {
            function.insts.iter().any(|(_, inst)| match &inst.kind {
                InstKind::Op(used, args) => {
                    *used == op && args.iter().any(|&v| function.ty(v).lane().is_some_and(|lane| lane.is_float()))
                }
                _ => false,
            })
        };
        let inexact = !exact && (uses(Op::Add) || uses(Op::Sub) || uses(Op::Mul));
        let mut soft = Self::default();
        if inexact || uses(Op::MulAdd) && !(exact && fused) {
            soft.mul_add =
                Some(define(module, basic, "mul_add_", 3, |m, args| float::mul_add(m, args[0], args[1], args[2])));
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
    let mut code = Code::new(Some(name.to_owned()), basic);
    let argument = |_| FunctionArgument { name: None, ty: basic.u32, binding: None };
    code.function.arguments = (0..arguments).map(argument).collect();
    code.function.result = Some(FunctionResult { ty: basic.u32, binding: None });
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
    fn repeat(&mut self, count: Expr, word: Expr, step: &mut Step<'_, Self>) -> Expr {
        let (counter, state) = (self.local(self.basic.u32), self.local(self.basic.u32));
        self.store(counter, count);
        self.store(state, word);
        self.open();
        let (count, word) = (self.load(counter), self.load(state));
        let zero = self.word(0);
        let done = self.binary(Bin::Equal, count, zero);
        self.when(done, |code| code.statement(Statement::Break));
        let (count, word) = step(self, count, word);
        self.store(counter, count);
        self.store(state, word);
        let body = self.close();
        self.statement(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        self.load(state)
    }
}
