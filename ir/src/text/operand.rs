//! Operands: values, literals and places.

use super::body::Body;
use super::lex::{Sigil, Tok, short};
use super::literal::{self, BadNumber};
use super::parse::{Failed, Parsed, Parser};
use crate::diag::{Code, Diag};
use crate::ir::{Index, Place, Root, Value};
use crate::types::{Scalar, Type};

/// A place whose strides may follow from the access.
pub(super) struct RawPlace {
    root: Root,
    indices: Vec<(Value, Option<u32>, Option<u32>)>,
    offset: u32,
}

impl Parser<'_> {
    /// The type and bits of a literal.
    pub(super) fn literal(&mut self) -> Parsed<(Scalar, u64)> {
        let token = self.take();
        let loc = token.loc();
        match token.tok {
            Tok::Word("true") => Ok((Scalar::Bool, 1)),
            Tok::Word("false") => Ok((Scalar::Bool, 0)),
            Tok::Word("bits") => {
                self.expect('(')?;
                let Tok::Number(text) = self.peek().tok else { return Err(self.expected("the bits")) };
                self.take();
                self.expect(')')?;
                let ty = self.scalar()?;
                match literal::integer(text).map(u64::try_from) {
                    Some(Ok(bits)) if bits <= ty.mask() => Ok((ty, bits)),
                    Some(_) => {
                        let message =
                            format!("bits `{}` do not fit the {} bits of `{}`", short(text), ty.bits(), ty.name());
                        Err(self.error(Code::V103, loc, message))
                    }
                    None => Err(self.error(
                        Code::V700,
                        loc,
                        format!("`{}` is not a whole number without a type", short(text)),
                    )),
                }
            }
            Tok::Number(text) => match literal::parse(text) {
                Ok(constant) => Ok(constant),
                Err(BadNumber::Range(ty)) => {
                    Err(self.error(Code::V103, loc, format!("literal `{}` does not fit `{}`", short(text), ty.name())))
                }
                Err(BadNumber::NoType) => {
                    let diag = Diag::new(Code::V700, loc, format!("number `{text}` has no type"));
                    self.diags.push(diag.help(format!("write its type behind it, as in `{text}u32`")));
                    Err(Failed)
                }
                Err(BadNumber::Syntax) => Err(self.error(Code::V700, loc, format!("`{text}` is not a number"))),
            },
            _ => Err(self.error(Code::V700, loc, format!("expected a literal, found {}", token.describe()))),
        }
    }
}

impl Body<'_, '_> {
    fn starts_value(&self) -> bool {
        matches!(
            self.parser.peek().tok,
            Tok::Name(Sigil::Value, _) | Tok::Number(_) | Tok::Word("true" | "false" | "bits")
        )
    }

    pub(super) fn value(&mut self) -> Parsed<Value> {
        if !self.starts_value() {
            return Err(self.parser.expected("a value"));
        }
        if !matches!(self.parser.peek().tok, Tok::Name(..)) {
            let (ty, bits) = self.parser.literal()?;
            return Ok(self.builder.constant(ty, bits));
        }
        let (name, loc) = self.parser.name(Sigil::Value, "a value")?;
        let problem = match self.values.get(&name) {
            Some(known) if known.visible => return Ok(known.value),
            Some(known) => Diag::new(Code::V006, loc, format!("cannot find value `%{}` here", name.text))
                .label(known.loc, "it is defined in a region that ended"),
            None => Diag::new(Code::V006, loc, format!("cannot find value `%{}`", name.text)),
        };
        self.parser.diags.push(problem);
        Ok(self.poison())
    }

    /// One value or more.
    pub(super) fn values(&mut self) -> Parsed<Vec<Value>> {
        let mut values = vec![self.value()?];
        while self.parser.eat(',') {
            values.push(self.value()?);
        }
        Ok(values)
    }

    /// The values of a jump, perhaps none.
    pub(super) fn jump_values(&mut self) -> Parsed<Vec<Value>> {
        if self.starts_value() { self.values() } else { Ok(Vec::new()) }
    }

    pub(super) fn place(&mut self) -> Parsed<RawPlace> {
        let root = self.root()?;
        let mut indices = Vec::new();
        while self.parser.eat('[') {
            let value = self.value()?;
            let stride = if self.parser.eat('*') { Some(self.parser.plain_u32("the stride")?) } else { None };
            let bound = if self.parser.eat('<') { Some(self.parser.plain_u32("the bound")?) } else { None };
            self.parser.expect(']')?;
            indices.push((value, stride, bound));
        }
        let offset = if self.parser.eat('+') { self.parser.plain_u32("the offset in bytes")? } else { 0 };
        Ok(RawPlace { root, indices, offset })
    }

    pub(super) fn resolve(&self, place: &RawPlace, access: Type) -> Place {
        // Without a size there is a mistake that the type check reports; any stride will do.
        let size = self.parser.types.layout(access).map_or(1, |layout| layout.size);
        let indices = place.indices.iter();
        let indices = indices.map(|&(value, stride, bound)| Index { value, stride: stride.unwrap_or(size), bound });
        Place { root: place.root, offset: place.offset, indices: indices.collect() }
    }
}
