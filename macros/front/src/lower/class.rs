//! The obligations of calls of generic helpers: each type must be a member of its parameter's
//! class.

use super::Lowerer;
use crate::class::Class;
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// A type that must turn out to be a member of a class.
pub(super) struct Obligation {
    /// The type, which is perhaps not decided yet.
    pub ty: Ty,
    /// The class.
    pub class: Class,
    /// The helper that asks for it.
    pub helper: String,
    /// The type parameter.
    pub parameter: String,
    /// The call.
    pub loc: Loc,
}

impl Lowerer<'_, '_> {
    /// Whether all types of the obligations from this one on that are already known are members of
    /// their classes. Reports those that are not, because the helper's body makes no sense for
    /// them.
    pub(super) fn classes_hold(&mut self, from: usize) -> bool {
        let mut hold = true;
        for obligation in self.obligations.split_off(from.min(self.obligations.len())) {
            let ty = self.infer.resolve(&obligation.ty);
            let outside = match self.infer.kind(&ty) {
                Some(VarKind::Float) => !obligation.class.contains(&Ty::Scalar(Scalar::F32)),
                Some(VarKind::Int | VarKind::General) => false,
                None => ty != Ty::Error && !obligation.class.contains(&ty),
            };
            match outside {
                true => {
                    self.outside(&obligation);
                    self.infer.give_up(&ty);
                    hold = false;
                }
                false => self.obligations.push(obligation),
            }
        }
        hold
    }

    /// Reports types that are not members of the classes that they should be in.
    pub(super) fn discharge(&mut self) {
        for obligation in std::mem::take(&mut self.obligations) {
            match self.infer.decided(&obligation.ty) {
                Ty::Error => {}
                Ty::Var(_) => {
                    let Obligation { parameter, helper, loc, .. } = &obligation;
                    let message = format!("cannot infer `{parameter}` of `{helper}`");
                    let help = format!("write it: `{helper}::<f32>(…)`");
                    self.reporter.report(Diag::new(Code::V202, *loc, message).help(help));
                    self.infer.give_up(&obligation.ty);
                }
                ty if obligation.class.contains(&ty) => {}
                _ => self.outside(&obligation),
            }
        }
    }

    fn outside(&mut self, Obligation { ty, class, helper, parameter, loc }: &Obligation) {
        let refused = class.refuse((helper, parameter), &self.infer.show(ty));
        self.reporter.report(refused.at(*loc));
    }
}
