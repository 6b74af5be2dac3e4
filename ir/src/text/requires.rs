//! The requirements of a kernel in its header: `requires(len @y >= len @x, %n <= 4)`.
//!
//! They are printed with no more parentheses than needed, so that reading the text gives the
//! same steps. Nesting is limited, since the parser is recursive.

use super::lex::{Sigil, Tok};
use super::literal;
use super::names::sigil;
use super::parse::{Parsed, Parser};
use crate::diag::Code;
use crate::ir::{Amount, MAX_NESTING, Param, ParamKind, Relation, Requirement, Step};

/// The requirements as a header states them, with a space before; nothing if there are none.
pub(super) fn requirements(list: &[Requirement], params: &[String]) -> String {
    let name = |kind, index: u32| params.get(index as usize).map_or("?".to_owned(), |name| sigil(kind, name));
    let amount = |amount: &Amount| {
        amount.written(|step| match step {
            Step::Number(value) => value.to_string(),
            Step::Len(index) => format!("len {}", name(Sigil::Global, index)),
            Step::Scalar(index) => name(Sigil::Value, index),
            Step::Bound(index) => format!("bound {}", name(Sigil::Global, index)),
            Step::Add | Step::Sub | Step::Mul => String::new(),
        })
    };
    let shown = |one: &Requirement| format!("{} {} {}", amount(&one.left), one.relation.sign(), amount(&one.right));
    let shown: Vec<String> = list.iter().map(shown).collect();
    if shown.is_empty() { String::new() } else { format!(" requires({})", shown.join(", ")) }
}

impl Parser<'_> {
    /// What follows the word `requires`.
    pub(super) fn requirements(&mut self, params: &[Param]) -> Parsed<Vec<Requirement>> {
        self.expect('(')?;
        let mut list = Vec::new();
        loop {
            let loc = self.peek().loc();
            let left = self.amount(params)?;
            let relation = self.relation()?;
            let right = self.amount(params)?;
            list.push(Requirement { left, relation, right, loc });
            if !self.eat(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(list)
    }

    fn relation(&mut self) -> Parsed<Relation> {
        let first = match self.peek().tok {
            Tok::Punct(c @ ('<' | '>' | '=')) => c,
            _ => return Err(self.expected("`>=`, `>`, `<=`, `<` or `==`")),
        };
        self.take();
        let sign = if self.eat('=') { format!("{first}=") } else { first.to_string() };
        Relation::from_sign(&sign).ok_or_else(|| self.expected("`=`"))
    }

    fn amount(&mut self, params: &[Param]) -> Parsed<Amount> {
        let mut steps = Vec::new();
        self.sum(params, 0, &mut steps)?;
        Ok(Amount(steps))
    }

    fn sum(&mut self, params: &[Param], depth: usize, steps: &mut Vec<Step>) -> Parsed<()> {
        self.product(params, depth, steps)?;
        loop {
            let step = match self.peek().tok {
                Tok::Punct('+') => Step::Add,
                Tok::Punct('-') => Step::Sub,
                _ => return Ok(()),
            };
            self.take();
            self.product(params, depth, steps)?;
            steps.push(step);
        }
    }

    fn product(&mut self, params: &[Param], depth: usize, steps: &mut Vec<Step>) -> Parsed<()> {
        self.factor(params, depth, steps)?;
        while self.eat('*') {
            self.factor(params, depth, steps)?;
            steps.push(Step::Mul);
        }
        Ok(())
    }

    fn factor(&mut self, params: &[Param], depth: usize, steps: &mut Vec<Step>) -> Parsed<()> {
        let loc = self.peek().loc();
        if self.eat('(') {
            if depth >= MAX_NESTING {
                return Err(self.error(Code::V018, loc, format!("more than {MAX_NESTING} parentheses are nested")));
            }
            self.sum(params, depth + 1, steps)?;
            return self.expect(')');
        }
        let is_buffer = |param: &Param| matches!(param.kind, ParamKind::Buffer { .. });
        let step = [("len", Step::Len as fn(u32) -> Step), ("bound", Step::Bound)];
        if let Some((_, step)) = step.into_iter().find(|(word, _)| self.eat_word(word)) {
            let (name, loc) = self.name(Sigil::Global, "a buffer")?;
            let index = params.iter().position(|param| param.name == name.text && is_buffer(param));
            let Some(index) = index else {
                return Err(self.error(Code::V006, loc, format!("cannot find buffer `@{}`", name.text)));
            };
            steps.push(step(index as u32));
            return Ok(());
        }
        if let Tok::Number(text) = self.peek().tok {
            let value = literal::integer(text).and_then(|value| u64::try_from(value).ok());
            let Some(value) = value else {
                return Err(self.expected("a whole number of at most 64 bits, without a sign or a type"));
            };
            self.take();
            steps.push(Step::Number(value));
            return Ok(());
        }
        let (name, loc) = self.name(Sigil::Value, "`len @name`, `bound @name`, `%name`, a number or `(`")?;
        let index = params.iter().position(|param| param.name == name.text && !is_buffer(param));
        let Some(index) = index else {
            return Err(self.error(Code::V006, loc, format!("cannot find value `%{}`", name.text)));
        };
        steps.push(Step::Scalar(index as u32));
        Ok(())
    }
}
