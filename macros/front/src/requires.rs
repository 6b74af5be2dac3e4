//! `#[kernel(requires(y.len() >= x.len(), n <= x.len()))]`: what every launch must satisfy.
//!
//! A list of comparisons between amounts: lengths of the kernel's buffers, its integer
//! arguments and their fields, literals and constants, with `+`, `-`, `*` and parentheses. Each
//! mistake is one error on its own tokens. Amounts are computed exactly and have no type, so
//! casts are not allowed.

use crate::hir::{BodyParam, Passing};
use crate::infer::Ty;
use crate::link::refs;
use crate::names::Names;
use crate::report::{Refused, Reporter};
use crate::spell;
use crate::syntax::{self, member, spelled_path};
use crate::types::integer;
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use samebits_ir::ir::{Amount, MAX_REQUIREMENTS, Param, ParamKind, Relation, Requirement, Step};
use samebits_ir::loc::Loc;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;

/// A requirement of a kernel that is not yet IR.
#[derive(Clone, Debug)]
pub struct Required {
    left: Side,
    relation: Relation,
    right: Side,
    loc: Loc,
}

/// One side of a requirement.
#[derive(Clone, Default, Debug)]
struct Side {
    steps: Vec<Part>,
    /// The side as it is written, spaces aside.
    words: String,
}

/// A step of an amount whose parameter is a name.
#[derive(Clone, Debug)]
enum Part {
    /// The elements of the buffer of this name.
    Len(String),
    /// What the elements of the buffer of this name are below.
    Bound(String),
    /// The argument, or the part of one, of this name.
    Scalar(String),
    /// A step that names nothing.
    Step(Step),
}

impl Required {
    /// Both sides as they are written.
    pub fn sides(&self) -> [&str; 2] {
        [&self.left.words, &self.right.words]
    }

    /// The requirement as it is written.
    pub fn shown(&self) -> String {
        let [left, right] = self.sides();
        format!("{left} {} {right}", self.relation.sign())
    }

    /// The requirement of a kernel with these parameters.
    pub fn of(&self, params: &[Param]) -> Option<Requirement> {
        let side = |side: &Side| side.steps.iter().map(|part| part.step(params)).collect::<Option<_>>().map(Amount);
        let (left, right) = (side(&self.left)?, side(&self.right)?);
        Some(Requirement { left, relation: self.relation, right, loc: self.loc })
    }
}

impl Part {
    fn step(&self, params: &[Param]) -> Option<Step> {
        let position = |name: &str, buffer: bool| {
            let is = |param: &Param| param.name == name && buffer == matches!(param.kind, ParamKind::Buffer { .. });
            params.iter().position(is).and_then(|index| u32::try_from(index).ok())
        };
        match self {
            Self::Len(name) => position(name, true).map(Step::Len),
            Self::Bound(name) => position(name, true).map(Step::Bound),
            Self::Scalar(name) => position(name, false).map(Step::Scalar),
            Self::Step(step) => Some(*step),
        }
    }
}

type List = Punctuated<syn::Expr, syn::Token![,]>;

/// The constants that requirements name, which are linked like those in a body.
pub fn named(list: &syn::MetaList, sig: &syn::Signature) -> Vec<syn::Path> {
    let own: Vec<String> = own_names(sig);
    let mut found = Vec::new();
    let mut todo: Vec<syn::Expr> =
        list.parse_args_with(List::parse_terminated).unwrap_or_default().into_iter().collect();
    while let Some(expr) = todo.pop() {
        match expr {
            syn::Expr::Binary(binary) => todo.extend([*binary.right, *binary.left]),
            syn::Expr::Paren(paren) => todo.push(*paren.expr),
            syn::Expr::Group(group) => todo.push(*group.expr),
            syn::Expr::Unary(unary) => todo.push(*unary.expr),
            syn::Expr::Path(ref path) if !is_one_of(&path.path, &own) => found.extend(refs::of_length(&expr)),
            _ => {}
        }
    }
    found
}

/// The names of a function's parameters, those between the angle brackets included.
pub fn own_names(sig: &syn::Signature) -> Vec<String> {
    [argument_names(sig), constant_names(sig)].concat()
}

/// The names of the parameters between a function's parentheses.
pub fn argument_names(sig: &syn::Signature) -> Vec<String> {
    let params = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => syntax::binding(&typed.pat).map(|(name, _)| name),
        syn::FnArg::Receiver(_) => None,
    });
    params.map(|name| name.unraw().to_string()).collect()
}

/// The names of a function's constant parameters.
pub fn constant_names(sig: &syn::Signature) -> Vec<String> {
    sig.generics.const_params().map(|param| param.ident.unraw().to_string()).collect()
}

/// Whether a path is just one of these names.
pub fn is_one_of(path: &syn::Path, names: &[String]) -> bool {
    path.get_ident().is_some_and(|ident| names.contains(&ident.unraw().to_string()))
}

/// The first path in an expression that is just one of these names.
pub fn own_in<'a>(expr: &'a syn::Expr, names: &[String]) -> Option<&'a syn::Path> {
    struct First<'a, 'n>(Option<&'a syn::Path>, &'n [String]);
    impl<'a> syn::visit::Visit<'a> for First<'a, '_> {
        fn visit_path(&mut self, path: &'a syn::Path) {
            if self.0.is_none() && is_one_of(path, self.1) {
                self.0 = Some(path);
            }
        }
    }
    let mut first = First(None, names);
    syn::visit::Visit::visit_expr(&mut first, expr);
    first.0
}

/// Reads what stands in the parentheses after `requires`, by the parameters and the names of those that are buffers with a
/// bound.
pub fn read(
    list: &syn::MetaList,
    (params, bounded): (&[BodyParam], &[String]),
    names: &dyn Names,
    reporter: &mut Reporter<'_>,
) -> Vec<Required> {
    let mut reader = Reader { params, bounded, names, reporter };
    let comparisons = match list.parse_args_with(List::parse_terminated) {
        Ok(comparisons) => comparisons,
        Err(error) => {
            // An error that is about the end has the span of the whole call.
            let at = proc_macro2::TokenTree::Ident(proc_macro2::Ident::new("_", error.span()));
            let chained = error.to_string().contains("chained");
            let help = if chained { "write two comparisons: `a <= b, b <= c`" } else { EXAMPLE };
            reader.refuse(&at, Code::V101, format!("{error}"), help);
            return Vec::new();
        }
    };
    if comparisons.is_empty() {
        reader.refuse(list, Code::V101, "`requires` needs at least one comparison".to_owned(), EXAMPLE);
    } else if comparisons.len() > MAX_REQUIREMENTS {
        let message =
            format!("a kernel has at most {MAX_REQUIREMENTS} requirements, but this has {}", comparisons.len());
        reader.refuse(list, Code::V305, message, "use fewer requirements");
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    for comparison in &comparisons {
        if !seen.insert(comparison.to_token_stream().to_string()) {
            let message = format!("`{}` is required twice", spell::expression(comparison));
            reader.refuse(comparison, Code::V101, message, "remove one");
        }
    }
    comparisons.iter().filter_map(|comparison| reader.comparison(comparison)).collect()
}

const EXAMPLE: &str = "write `requires(y.len() >= x.len(), n <= x.len())`";

/// How deep an amount may nest.
const MAX_DEPTH: usize = 64;

struct Reader<'r, 'a> {
    params: &'r [BodyParam],
    bounded: &'r [String],
    names: &'r dyn Names,
    reporter: &'r mut Reporter<'a>,
}

/// Something was wrong and was reported.
struct Wrong;

impl Reader<'_, '_> {
    fn refuse(&mut self, at: &dyn ToTokens, code: Code, message: String, help: &str) -> Wrong {
        self.reporter.refuse_tokens(at.to_token_stream(), Refused::new(code, message).help(help));
        Wrong
    }

    fn comparison(&mut self, expr: &syn::Expr) -> Option<Required> {
        let binary = match expr {
            syn::Expr::Paren(paren) => return self.comparison(&paren.expr),
            syn::Expr::Group(group) => return self.comparison(&group.expr),
            syn::Expr::Binary(binary) => binary,
            other => {
                let help = "write a comparison, such as `x.len() >= n`";
                self.refuse(other, Code::V101, "this is not a comparison".to_owned(), help);
                return None;
            }
        };
        let sign = binary.op.to_token_stream().to_string();
        let Some(relation) = Relation::from_sign(&sign) else {
            let (message, help) = match binary.op {
                syn::BinOp::And(_) => ("requirements are separated by commas".to_owned(), "write `,` instead of `&&`"),
                syn::BinOp::Or(_) => (
                    "`||` is not allowed in a requirement, since all requirements must hold".to_owned(),
                    "keep one of the two, and test the other in the kernel",
                ),
                syn::BinOp::Ne(_) => ("`!=` is not allowed in a requirement".to_owned(), "use `<` or `>`"),
                _ => ("this is not a comparison".to_owned(), "write a comparison, such as `x.len() >= n`"),
            };
            match binary.op {
                syn::BinOp::And(_) | syn::BinOp::Or(_) | syn::BinOp::Ne(_) => {
                    self.refuse(&binary.op, Code::V101, message, help)
                }
                _ => self.refuse(binary, Code::V101, message, help),
            };
            return None;
        };
        let (mut left, mut right) = (Side::default(), Side::default());
        let results = [self.amount(&binary.left, &mut left, 0), self.amount(&binary.right, &mut right, 0)];
        let loc = self.reporter.spans.add_tokens(expr.to_token_stream());
        results.iter().all(Result::is_ok).then_some(Required { left, relation, right, loc })
    }

    fn amount(&mut self, expr: &syn::Expr, side: &mut Side, depth: usize) -> Result<(), Wrong> {
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} operators are nested");
            return Err(self.refuse(expr, Code::V018, message, "split it into several requirements"));
        }
        match expr {
            syn::Expr::Group(group) => self.amount(&group.expr, side, depth + 1),
            syn::Expr::Paren(paren) => {
                side.words.push('(');
                let result = self.amount(&paren.expr, side, depth + 1);
                side.words.push(')');
                result
            }
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => match int.base10_parse::<u64>() {
                Ok(value) => {
                    side.words.push_str(&int.to_string());
                    side.steps.push(Part::Step(Step::Number(value)));
                    Ok(())
                }
                Err(_) => {
                    let message = format!("literal `{int}` does not fit 64 bits");
                    Err(self.refuse(int, Code::V103, message, "use a smaller number"))
                }
            },
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
                side.words.push('-');
                side.steps.push(Part::Step(Step::Number(0)));
                self.amount(expr, side, depth + 1)?;
                side.steps.push(Part::Step(Step::Sub));
                Ok(())
            }
            syn::Expr::Binary(binary) => self.operation(binary, side, depth),
            syn::Expr::MethodCall(call) => self.method(call, side),
            syn::Expr::Path(path) => self.name(path, side),
            syn::Expr::Field(field) => self.field(field, side),
            syn::Expr::Cast(cast) => {
                let message = "a cast is not allowed in a requirement, which is computed exactly".to_owned();
                let help = format!("write `{}` without the cast", shown(&cast.expr));
                let (as_token, ty) = (&cast.as_token, &cast.ty);
                Err(self.refuse(&quote!(#as_token #ty), Code::V101, message, &help))
            }
            other => Err(self.no_amount(other)),
        }
    }

    fn no_amount(&mut self, expr: &syn::Expr) -> Wrong {
        let message = format!("`{}` cannot be used in a requirement", shown(expr));
        let help = "use lengths of buffers, integer arguments, literals and constants, with `+`, `-`, `*`";
        self.refuse(expr, Code::V305, message, help)
    }

    fn operation(&mut self, binary: &syn::ExprBinary, side: &mut Side, depth: usize) -> Result<(), Wrong> {
        let step = match binary.op {
            syn::BinOp::Add(_) => Step::Add,
            syn::BinOp::Sub(_) => Step::Sub,
            syn::BinOp::Mul(_) => Step::Mul,
            op if Relation::from_sign(&op.to_token_stream().to_string()).is_some() => {
                let help = "write two comparisons: `a <= b, b <= c`";
                return Err(self.refuse(&op, Code::V101, "a requirement has only one comparison".to_owned(), help));
            }
            op => {
                let message = format!("`{}` cannot be used in a requirement", op.to_token_stream());
                return Err(self.refuse(&op, Code::V101, message, "use `+`, `-` and `*`"));
            }
        };
        let left = self.amount(&binary.left, side, depth + 1);
        side.words.push_str(&format!(" {} ", binary.op.to_token_stream()));
        let right = self.amount(&binary.right, side, depth + 1);
        side.steps.push(Part::Step(step));
        left.and(right)
    }

    /// `x.len()` or `x.bound()`
    fn method(&mut self, call: &syn::ExprMethodCall, side: &mut Side) -> Result<(), Wrong> {
        let is_bound = call.method == "bound";
        if !is_bound && call.method != "len" || !call.args.is_empty() || call.turbofish.is_some() {
            let message = format!("`{}` cannot be called in a requirement", call.method);
            let help = "use `len()` of a buffer, or `bound()` of a `Below<'_, u32>`";
            return Err(self.refuse(&call.method, Code::V203, message, help));
        }
        let name = match &*call.receiver {
            syn::Expr::Path(path) => syntax::name(&path.path),
            _ => None,
        };
        let Some(name) = name else {
            let message = "only a buffer has a length in a requirement".to_owned();
            return Err(self.refuse(&call.receiver, Code::V305, message, "name a `&[T]` parameter"));
        };
        let Some(param) = self.params.iter().find(|param| param.name == name) else {
            return Err(self.unknown(&call.receiver, &name));
        };
        if param.ty == Ty::Error {
            return Err(Wrong);
        }
        if !matches!(param.passing, Passing::Memory(_)) {
            let message = format!("`{name}` is a `{}` and not a buffer", param.ty);
            return Err(self.refuse(&call.receiver, Code::V305, message, "name a `&[T]` parameter"));
        }
        if is_bound && !self.bounded.contains(&name) {
            let message = format!("`{name}` has no bound, since it is no `Below`");
            let help = format!("take it as `{name}: Below<'_, u32>`");
            return Err(self.refuse(&call.method, Code::V203, message, &help));
        }
        side.words.push_str(&format!("{name}.{}()", call.method));
        side.steps.push(if is_bound { Part::Bound(name) } else { Part::Len(name) });
        Ok(())
    }

    fn unknown(&mut self, at: &dyn ToTokens, name: &str) -> Wrong {
        let message = format!("cannot find value `{name}` in this requirement");
        let help = "use the kernel's parameters, literals or `#[device]` constants";
        self.refuse(at, Code::V006, message, help)
    }

    /// An argument or a constant.
    fn name(&mut self, path: &syn::ExprPath, side: &mut Side) -> Result<(), Wrong> {
        let spelled = spelled_path(&path.path);
        side.words.push_str(&spelled);
        let single = syntax::name(&path.path);
        let param = single.as_ref().and_then(|name| self.params.iter().find(|param| param.name == *name));
        if let Some(param) = param {
            if matches!(param.passing, Passing::Memory(_)) {
                let message = format!("`{spelled}` is a buffer and not a number");
                return Err(self.refuse(path, Code::V305, message, &format!("write `{spelled}.len()`")));
            }
            return self.argument(path, spelled, &param.ty.clone(), side);
        }
        match integer::evaluate(&syn::Expr::Path(path.clone()), self.names) {
            Some(known) => {
                let size = u64::try_from(known.value.unsigned_abs());
                let Ok(size) = size else { return Err(self.unknown(path, &spelled)) };
                let number = Part::Step(Step::Number(size));
                if known.value < 0 {
                    side.steps.extend([Part::Step(Step::Number(0)), number, Part::Step(Step::Sub)])
                } else {
                    side.steps.push(number)
                }
                Ok(())
            }
            None => Err(self.unknown(path, &spelled)),
        }
    }

    /// `argument.field`
    fn field(&mut self, field: &syn::ExprField, side: &mut Side) -> Result<(), Wrong> {
        let mut members = vec![member(&field.member)];
        let mut base = &*field.base;
        while let syn::Expr::Field(inner) = base {
            members.push(member(&inner.member));
            base = &inner.base;
        }
        let root = match base {
            syn::Expr::Path(path) => syntax::name(&path.path),
            _ => None,
        };
        let Some(root) = root else { return Err(self.no_amount(base)) };
        let Some(param) = self.params.iter().find(|param| param.name == root) else {
            return Err(self.unknown(base, &root));
        };
        let (mut ty, mut name) = (param.ty.clone(), root);
        for member in members.iter().rev() {
            let next = match &ty {
                _ if ty.is_unknown() => return Err(Wrong),
                Ty::Struct(def) => def.field(member).map(|(_, field)| field.ty.clone()),
                _ => None,
            };
            let Some(next) = next else {
                let message = format!("field `{member}` of `{name}`, a `{ty}`, cannot be used in a requirement");
                return Err(self.refuse(&field.member, Code::V203, message, "use an integer field of an argument"));
            };
            (ty, name) = (next, format!("{name}.{member}"));
        }
        side.words.push_str(&name);
        self.argument(field, name, &ty, side)
    }

    /// A number that is passed.
    fn argument(&mut self, at: &dyn ToTokens, name: String, ty: &Ty, side: &mut Side) -> Result<(), Wrong> {
        match ty {
            _ if ty.is_unknown() => Err(Wrong),
            Ty::Usize => {
                side.steps.push(Part::Scalar(name));
                Ok(())
            }
            Ty::Scalar(scalar) if scalar.is_int() => {
                side.steps.push(Part::Scalar(name));
                Ok(())
            }
            other => {
                let message = format!("`{name}` is a `{other}`, but requirements compare integers");
                Err(self.refuse(at, Code::V305, message, "compare integers and lengths"))
            }
        }
    }
}

/// An expression as it is written, spaces aside.
fn shown(expr: &syn::Expr) -> String {
    expr.to_token_stream().to_string().replace(" . ", ".").replace(" (", "(")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::compile;
    use crate::link::Linked;
    use samebits_ir::diag::Diag;

    /// The requirements of a kernel in text, or the first lines of its errors.
    fn read(requires: &str) -> Result<String, Vec<String>> {
        let arguments =
            crate::parse::arguments(format!("workgroup_size(1), requires({requires})").parse().expect("tokens"))
                .expect("syntax");
        let item: syn::ItemFn = syn::parse_quote! {
            fn k(n: i32, f: f32, t: u64, x: &[f32], y: &mut [f32]) { y[0] = 1.0; }
        };
        let linked = Linked::default();
        let mut reporter = Reporter::new();
        match compile(&arguments, &item, &linked, &mut reporter).1 {
            Ok(checked) => {
                let text = samebits_ir::text::print(checked.module());
                let (_, rest) = text.split_once("requires(").expect("requirements");
                Ok(rest.split_once(") {").expect("a header").0.to_owned())
            }
            Err(diags) => Err(diags.as_slice().iter().map(Diag::headline).collect()),
        }
    }

    #[test]
    fn amounts_are_read_as_rust_reads_them() {
        let text = "len @y >= len @x * 2 + 1, %n < (len @x - 3) * 4, %t == 0x10";
        assert_eq!(
            read("y.len() >= x.len() * 2 + 1, n < (x.len() - 3) * 4, t == 0x10usize"),
            Ok(text.replace("0x10", "16"))
        );
        assert_eq!(read("n > -2"), Ok("%n > 0 - 2".to_owned()));
        assert_eq!(read("(x.len() <= u32::MAX)"), Ok("len @x <= 4294967295".to_owned()));
    }

    #[test]
    fn each_mistake_is_an_error_of_its_own() {
        let errors = read("m >= 1, x >= 1, f >= 1, n.len() >= 1, x.len()").unwrap_err();
        let expected = [
            "cannot find value `m` in this requirement [V006]",
            "`x` is a buffer and not a number [V305]",
            "`f` is a `f32`, but requirements compare integers [V305]",
            "`n` is a `i32` and not a buffer [V305]",
            "this is not a comparison [V101]",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn what_could_exceed_128_bits_is_an_error() {
        let product = "x.len() * x.len() * x.len() * x.len() >= 1";
        assert_eq!(read(product).unwrap_err(), ["a side of this requirement may need more than 128 bits [V305]"]);
    }
}
