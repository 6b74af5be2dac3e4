//! Messages of a kernel to its host: failed assertions, and lines.
//!
//! [`macros`](crate::macros) has made calls of them. A message is evaluated where it is said, as any other call; that
//! its text fits its values is for rustc to say, which sees both in the launcher.

use super::Lowerer;
use crate::hir::{ExprId, ExprKind, Message};
use crate::infer::{Ty, VarKind};
use crate::syntax;
use crate::words::messages::{ASSERTION, DEBUG_ASSERTIONS, LEFT, LINE, RIGHT, UNREACHABLE};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// How many messages a kernel may have, those of each call of a helper counted.
const MAX_MESSAGES: usize = 256;
/// How many values a message may have.
const MAX_VALUES: usize = 16;

impl<'a> Lowerer<'a, '_> {
    /// A call that a macro of the language became; `None` for any other call.
    pub(super) fn message(&mut self, call: &'a syn::ExprCall, name: &str, loc: Loc) -> Option<ExprId> {
        let ty = match name {
            ASSERTION | LINE => Ty::Unit,
            UNREACHABLE => self.infer.var(VarKind::General),
            DEBUG_ASSERTIONS => return Some(self.debug_assertions(loc)),
            _ => return None,
        };
        let mut args = call.args.iter();
        let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. })) = args.next() else {
            return Some(self.error(loc));
        };
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for arg in args {
            let (name, value) = match arg {
                syn::Expr::Assign(assign) => (named(&assign.left), &*assign.right),
                value => (None, value),
            };
            names.push(name);
            values.push(self.expr(value));
        }
        // That two values cannot be compared was reported, and is no reason to report them as values of a message.
        let compared = |name: &str| {
            let at = names.iter().position(|found| found.as_ref().is_some_and(|found| found == name))?;
            Some(self.body.exprs[values[at]].ty.clone())
        };
        if let (Some(left), Some(right)) = (compared(LEFT), compared(RIGHT))
            && (!self.infer.unify(&left, &right) || matches!(self.infer.resolve(&left), Ty::Array(..)))
        {
            [left, right].iter().for_each(|ty| self.infer.give_up(ty));
            return Some(self.error(loc));
        }
        let too_many = if values.len() > MAX_VALUES {
            Some((format!("a message has at most {MAX_VALUES} values"), "split it"))
        } else if self.body.messages.len() == MAX_MESSAGES {
            let message =
                format!("a kernel has at most {MAX_MESSAGES} messages, those of each call of a helper counted");
            Some((message, "remove some, or call fewer helpers that have some"))
        } else {
            None
        };
        if let Some((message, help)) = too_many {
            return Some(self.refuse(Diag::new(Code::V019, loc, message).help(help)));
        }
        let number = self.body.messages.len();
        let message = Message { is_assertion: name != LINE, format: literal.token(), names, loc };
        self.body.messages.push(message);
        Some(self.push(ExprKind::Message(number, values), ty, loc))
    }

    /// Whether the program has debug assertions, which the launch says.
    fn debug_assertions(&mut self, loc: Loc) -> ExprId {
        let ty = Ty::Scalar(Scalar::Bool);
        let local = match self.body.debug_assertions {
            Some(local) => local,
            None => self.variable("debug_assertions", ty.clone(), false, loc),
        };
        self.body.debug_assertions = Some(local);
        self.push(ExprKind::Local(local), ty, loc)
    }
}

/// The name that a value of a message has.
fn named(left: &syn::Expr) -> Option<syn::Ident> {
    match syntax::peel(left) {
        syn::Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    }
}
