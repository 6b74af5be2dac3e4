//! The writer of one naga function: expressions with their emission, blocks, locals.
//!
//! Invariants: an expression is emitted exactly where it is made, so that a load reads
//! what memory holds there; literals and variables, which naga forbids to emit, are
//! not. Arithmetic on two literals is done here with wrapping, because consumers of the
//! module may evaluate literals with rules of their own. All integers are `u32`; signed
//! readings are a bitcast around the one operation that needs them.

use naga::{
    AtomicFunction, BinaryOperator as Bin, Expression, Handle, Literal, MathFunction, Span, Statement, UnaryOperator,
};
use std::collections::BTreeMap;

/// A naga expression.
pub(super) type Expr = Handle<Expression>;

/// What the naga functions of a module share: types, and the count of open loops.
#[derive(Clone, Copy)]
pub(super) struct Basic {
    /// `u32`.
    pub u32: Handle<naga::Type>,
    /// `i32`.
    pub i32: Handle<naga::Type>,
    /// `f32`.
    pub f32: Handle<naga::Type>,
    /// `bool`.
    pub bool: Handle<naga::Type>,
    /// Where loops are counted, if they are.
    pub open_loops: Option<OpenLoops>,
}

/// The word that counts the loops that were entered and not left.
#[derive(Clone, Copy)]
pub(super) struct OpenLoops {
    /// The array of such words.
    pub words: Handle<naga::GlobalVariable>,
    /// The position in it.
    pub index: u32,
}

/// A naga function that is being written.
pub(super) struct Code {
    /// The function so far; its body is set by [`Code::finish`].
    pub function: naga::Function,
    /// Types.
    pub basic: Basic,
    /// The blocks being filled, outermost first; never empty.
    blocks: Vec<naga::Block>,
    words: BTreeMap<u32, Expr>,
    flags: [Option<Expr>; 2],
    zero: Option<Expr>,
}

impl Code {
    /// A function without arguments and statements.
    pub fn new(name: Option<String>, basic: Basic) -> Self {
        let function = naga::Function { name, ..naga::Function::default() };
        Self { function, basic, blocks: vec![naga::Block::new()], words: BTreeMap::new(), flags: [None; 2], zero: None }
    }

    /// The function, done.
    pub fn finish(mut self) -> naga::Function {
        self.function.body = self.blocks.drain(..).next().unwrap_or_default();
        self.function
    }

    // Blocks.

    /// Appends a statement to the open block.
    pub fn statement(&mut self, statement: Statement) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement, Span::UNDEFINED);
        }
    }

    /// Opens a block; what follows goes there.
    pub fn open(&mut self) {
        self.blocks.push(naga::Block::new());
    }

    /// Closes the open block and gives it.
    pub fn close(&mut self) -> naga::Block {
        if self.blocks.len() > 1 { self.blocks.pop().unwrap_or_default() } else { naga::Block::new() }
    }

    /// Whether the open block never goes on, since its last statement does not.
    pub fn ended(&self) -> bool {
        self.blocks.last().is_some_and(never_goes_on)
    }

    /// Runs what `then` writes if the condition holds; a condition known here leaves no branch.
    pub fn when(&mut self, condition: Expr, then: impl FnOnce(&mut Self)) {
        match self.known_flag(condition) {
            Some(true) => then(self),
            Some(false) => {}
            None => {
                self.open();
                then(self);
                let accept = self.close();
                self.statement(Statement::If { condition, accept, reject: naga::Block::new() });
            }
        }
    }

    // Loops.

    /// Appends a loop whose body is the open block, which is closed. What the body does to
    /// leave it goes with [`Code::leave_loops`], and [`Code::enter_loop`] stands before it.
    pub fn repeat_block(&mut self) {
        self.repeat_block_or(naga::Block::new());
    }

    /// The same; if nothing leaves the loop, `way_out` stands first in it.
    pub fn repeat_block_or(&mut self, mut way_out: naga::Block) {
        let mut body = self.close();
        if !breaks(&body) && !contains(&body, |statement| matches!(statement, Statement::Return { .. })) {
            way_out.append(&mut body);
            body = way_out;
        }
        self.statement(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
    }

    /// Counts a loop that is entered next. An atomic access of memory that others see is
    /// what no compiler removes; it would find a flag of the invocation's own always set.
    pub fn enter_loop(&mut self) {
        self.count_loops(AtomicFunction::Add, 1);
    }

    /// Counts loops that are left next.
    pub fn leave_loops(&mut self, count: u32) {
        self.count_loops(AtomicFunction::Subtract, count);
    }

    fn count_loops(&mut self, fun: AtomicFunction, count: u32) {
        let Some(OpenLoops { words, index }) = self.basic.open_loops else { return };
        if count > 0 {
            let words = self.plain(Expression::GlobalVariable(words));
            let (pointer, value) = (self.member(words, index), self.word(count));
            self.statement(Statement::Atomic { pointer, fun, value, result: None });
        }
    }

    // Expressions.

    /// An expression that naga wants unemitted: a literal, a variable, an argument.
    pub fn plain(&mut self, expression: Expression) -> Expr {
        self.function.expressions.append(expression, Span::UNDEFINED)
    }

    /// An expression, emitted here.
    pub fn push(&mut self, expression: Expression) -> Expr {
        let handle = self.plain(expression);
        let Some(block) = self.blocks.last_mut() else { return handle };
        if let Some(Statement::Emit(range)) = block.last_mut()
            && let Some((first, last)) = range.first_and_last()
            && last.index() + 1 == handle.index()
        {
            *range = naga::Range::new_from_bounds(first, handle);
            return handle;
        }
        block.push(Statement::Emit(naga::Range::new_from_bounds(handle, handle)), Span::UNDEFINED);
        handle
    }

    /// Gives an emitted expression a name, which also makes text outputs compute it once.
    pub fn name(&mut self, expression: Expr, name: &str) {
        let plain = matches!(
            self.function.expressions[expression],
            Expression::Literal(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_)
                | Expression::GlobalVariable(_)
                | Expression::LocalVariable(_)
        );
        if !plain {
            self.function.named_expressions.entry(expression).or_insert_with(|| name.to_owned());
        }
    }

    /// A `u32` literal.
    pub fn word(&mut self, value: u32) -> Expr {
        if let Some(&known) = self.words.get(&value) {
            return known;
        }
        let handle = self.plain(Expression::Literal(Literal::U32(value)));
        self.words.insert(value, handle);
        handle
    }

    /// A `bool` literal.
    pub fn flag(&mut self, value: bool) -> Expr {
        if let Some(known) = self.flags[usize::from(value)] {
            return known;
        }
        let handle = self.plain(Expression::Literal(Literal::Bool(value)));
        self.flags[usize::from(value)] = Some(handle);
        handle
    }

    /// An `f32` of these bits. Infinities and NaN have no literal, those of
    /// subnormals and -0.0 do not survive every target's text, and the shortest one of the
    /// greatest number is above it, which Tint refuses; they are made at run
    /// time from a word that no constant evaluation can know.
    pub fn float(&mut self, bits: u32) -> Expr {
        if has_literal(bits) {
            return self.plain(Expression::Literal(Literal::F32(f32::from_bits(bits))));
        }
        let pointer = match self.zero {
            Some(pointer) => pointer,
            None => {
                let pointer = self.local(self.basic.u32);
                self.zero = Some(pointer);
                pointer
            }
        };
        let (zero, bits) = (self.load(pointer), self.word(bits));
        let word = self.push(Expression::Binary { op: Bin::InclusiveOr, left: bits, right: zero });
        self.float_of(word)
    }

    /// The value of a `u32` literal.
    pub fn known(&self, expression: Expr) -> Option<u32> {
        match self.function.expressions[expression] {
            Expression::Literal(Literal::U32(value)) => Some(value),
            _ => None,
        }
    }

    /// The value of a `bool` literal.
    pub fn known_flag(&self, expression: Expr) -> Option<bool> {
        match self.function.expressions[expression] {
            Expression::Literal(Literal::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// A binary operation of naga, as it is.
    pub fn raw(&mut self, op: Bin, left: Expr, right: Expr) -> Expr {
        self.push(Expression::Binary { op, left, right })
    }

    /// A binary operation on words or on conditions.
    pub fn binary(&mut self, op: Bin, left: Expr, right: Expr) -> Expr {
        if let (Some(a), Some(b)) = (self.known(left), self.known(right)) {
            let value = match op {
                Bin::Add => a.wrapping_add(b),
                Bin::Subtract => a.wrapping_sub(b),
                Bin::Multiply => a.wrapping_mul(b),
                Bin::And => a & b,
                Bin::InclusiveOr => a | b,
                Bin::ExclusiveOr => a ^ b,
                Bin::ShiftLeft => a.wrapping_shl(b),
                Bin::ShiftRight => a.wrapping_shr(b),
                Bin::Equal => return self.flag(a == b),
                Bin::NotEqual => return self.flag(a != b),
                Bin::Less => return self.flag(a < b),
                Bin::LessEqual => return self.flag(a <= b),
                Bin::Greater => return self.flag(a > b),
                Bin::GreaterEqual => return self.flag(a >= b),
                Bin::Divide => a.checked_div(b).unwrap_or(0),
                Bin::Modulo => a.checked_rem(b).unwrap_or(0),
                Bin::LogicalAnd | Bin::LogicalOr => return self.raw(op, left, right),
            };
            return self.word(value);
        }
        match (op, self.known(left), self.known(right)) {
            (Bin::Add | Bin::InclusiveOr | Bin::ExclusiveOr, Some(0), _) | (Bin::Multiply, Some(1), _) => return right,
            (Bin::Add | Bin::Subtract | Bin::InclusiveOr | Bin::ExclusiveOr, _, Some(0)) => return left,
            (Bin::Multiply | Bin::Divide, _, Some(1)) => return left,
            _ => {}
        }
        match (op, self.known_flag(left), self.known_flag(right)) {
            (Bin::And, Some(true), _) | (Bin::InclusiveOr, Some(false), _) => return right,
            (Bin::And, _, Some(true)) | (Bin::InclusiveOr, _, Some(false)) => return left,
            (Bin::And, Some(false), _) | (Bin::And, _, Some(false)) => return self.flag(false),
            (Bin::InclusiveOr, Some(true), _) | (Bin::InclusiveOr, _, Some(true)) => return self.flag(true),
            _ => {}
        }
        self.raw(op, left, right)
    }

    /// The complement of a word.
    pub fn complement(&mut self, expr: Expr) -> Expr {
        match self.known(expr) {
            Some(value) => self.word(!value),
            None => self.push(Expression::Unary { op: UnaryOperator::BitwiseNot, expr }),
        }
    }

    /// The opposite of a condition.
    pub fn not(&mut self, expr: Expr) -> Expr {
        match self.known_flag(expr) {
            Some(value) => self.flag(!value),
            None => self.push(Expression::Unary { op: UnaryOperator::LogicalNot, expr }),
        }
    }

    /// One of two values.
    pub fn select(&mut self, condition: Expr, accept: Expr, reject: Expr) -> Expr {
        match self.known_flag(condition) {
            Some(true) => accept,
            Some(false) => reject,
            None if accept == reject => accept,
            None => self.push(Expression::Select { condition, accept, reject }),
        }
    }

    /// Whether an `f32` is known.
    pub fn is_float_literal(&self, expr: Expr) -> bool {
        matches!(self.function.expressions[expr], Expression::Literal(Literal::F32(_)))
    }

    /// A math function of one argument.
    pub fn math(&mut self, fun: MathFunction, arg: Expr) -> Expr {
        self.push(Expression::Math { fun, arg, arg1: None, arg2: None, arg3: None })
    }

    /// The bits of an `f32` or `i32` as a word.
    pub fn word_of(&mut self, expr: Expr) -> Expr {
        if let Expression::Literal(Literal::F32(value)) = self.function.expressions[expr] {
            return self.word(value.to_bits());
        }
        if let Expression::As { expr, kind: naga::ScalarKind::Float, convert: None } = self.function.expressions[expr] {
            return expr;
        }
        self.push(Expression::As { expr, kind: naga::ScalarKind::Uint, convert: None })
    }

    /// A word's bits as an `f32`.
    pub fn float_of(&mut self, expr: Expr) -> Expr {
        // Targets evaluate a constant reading of bits, with the faults of their literals.
        if let Some(bits) = self.known(expr).filter(|&bits| !has_literal(bits)) {
            return self.float(bits);
        }
        self.push(Expression::As { expr, kind: naga::ScalarKind::Float, convert: None })
    }

    /// A word's bits as an `i32`.
    pub fn signed_of(&mut self, expr: Expr) -> Expr {
        if let Some(value) = self.known(expr) {
            return self.plain(Expression::Literal(Literal::I32(value as i32)));
        }
        self.push(Expression::As { expr, kind: naga::ScalarKind::Sint, convert: None })
    }

    /// A condition as a word, 0 or 1.
    pub fn truth_word(&mut self, condition: Expr) -> Expr {
        let (one, zero) = (self.word(1), self.word(0));
        self.select(condition, one, zero)
    }

    /// Whether a word is not zero.
    pub fn truth(&mut self, word: Expr) -> Expr {
        let zero = self.word(0);
        self.binary(Bin::NotEqual, word, zero)
    }

    // Locals and memory.

    /// A variable of the function, zero at its start, as a pointer.
    pub fn local(&mut self, ty: Handle<naga::Type>) -> Expr {
        let init = self.plain(Expression::ZeroValue(ty));
        let variable = naga::LocalVariable { name: None, ty, init: Some(init) };
        let variable = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.plain(Expression::LocalVariable(variable))
    }

    /// What a pointer points to, now.
    pub fn load(&mut self, pointer: Expr) -> Expr {
        self.push(Expression::Load { pointer })
    }

    /// What a pointer into workgroup memory points to, for all invocations at once, which
    /// have to agree on the pointer.
    pub fn uniform_load(&mut self, pointer: Expr, ty: Handle<naga::Type>) -> Expr {
        let result = self.plain(Expression::WorkGroupUniformLoadResult { ty });
        self.statement(Statement::WorkGroupUniformLoad { pointer, result });
        result
    }

    /// Sets what a pointer points to.
    pub fn store(&mut self, pointer: Expr, value: Expr) {
        self.statement(Statement::Store { pointer, value });
    }

    /// A pointer to an element, or a lane of a vector.
    pub fn element(&mut self, base: Expr, index: Expr) -> Expr {
        match self.known(index) {
            // WGSL takes no constant index of this size, not even in code that is never reached,
            // nor does naga take the greatest one.
            Some(large) if large > i32::MAX as u32 => {
                let variable = self.local(self.basic.u32);
                self.store(variable, index);
                let index = self.load(variable);
                self.push(Expression::Access { base, index })
            }
            Some(index) => self.member(base, index),
            None => self.push(Expression::Access { base, index }),
        }
    }

    /// A member of a struct, an element or a lane at a fixed place.
    pub fn member(&mut self, base: Expr, index: u32) -> Expr {
        self.push(Expression::AccessIndex { base, index })
    }
}

/// Whether every target's text has a literal for an `f32` of these bits.
fn has_literal(bits: u32) -> bool {
    let value = f32::from_bits(bits);
    value.is_normal() && value.abs() < f32::MAX || bits == 0
}

/// Whether nothing that stood after this block in its place would be reached.
fn never_goes_on(block: &naga::Block) -> bool {
    match block.last() {
        Some(Statement::Break | Statement::Continue | Statement::Return { .. }) => true,
        Some(Statement::If { accept, reject, .. }) => never_goes_on(accept) && never_goes_on(reject),
        Some(Statement::Switch { cases, .. }) => {
            cases.iter().all(|case| case.fall_through || never_goes_on(&case.body) && !breaks(&case.body))
        }
        Some(Statement::Loop { body, .. }) => !breaks(body),
        _ => false,
    }
}

/// Whether a `break` in this block leaves the construct that has the block.
fn breaks(block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break => true,
        Statement::If { accept, reject, .. } => breaks(accept) || breaks(reject),
        _ => false,
    })
}

/// Whether such a statement is in this block, however deep.
fn contains(block: &naga::Block, is_it: fn(&Statement) -> bool) -> bool {
    block.iter().any(|statement| match statement {
        Statement::If { accept, reject, .. } => contains(accept, is_it) || contains(reject, is_it),
        Statement::Switch { cases, .. } => cases.iter().any(|case| contains(&case.body, is_it)),
        Statement::Loop { body, .. } => contains(body, is_it),
        other => is_it(other),
    })
}

/// Whether memory is put in order in this block without anybody waiting.
#[cfg(feature = "wgsl")]
pub(super) fn has_fence(block: &naga::Block) -> bool {
    contains(block, |statement| matches!(statement, Statement::MemoryBarrier(_)))
}
