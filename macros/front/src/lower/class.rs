//! The obligations of calls of generic helpers: each type must be a member of its parameter's
//! class, and have its traits.

use super::Lowerer;
use super::conversion::is_lossless;
use crate::class::Class;
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// What a type parameter's bound asks of a type.
pub(super) enum Bound {
    /// That it is a member of a class.
    Class(Class),
    /// That it has a trait.
    Trait { id: String, name: String },
    /// That a number of this type becomes one of it without loss.
    From(Ty),
}

/// A type that must turn out to be a member of a class.
pub(super) struct Obligation {
    /// The type, which is perhaps not decided yet.
    pub ty: Ty,
    /// What it must be.
    pub bound: Bound,
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
            let outside = match (self.infer.kind(&ty), &obligation.bound) {
                (Some(VarKind::Float), Bound::Class(class)) => !class.contains(&Ty::Scalar(Scalar::F32)),
                (Some(_), _) => false,
                (None, bound) => ty != Ty::Error && !self.satisfies(&ty, bound),
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
                Ty::Var(_) if matches!(obligation.bound, Bound::From(_)) => {
                    let message = "type annotations needed: nothing says what `into` is to give";
                    let help = "write the type of what it is given to: `let wide: u64 = x.into();`";
                    self.reporter.report(Diag::new(Code::V202, obligation.loc, message).help(help));
                    self.infer.give_up(&obligation.ty);
                }
                Ty::Var(_) => {
                    let Obligation { parameter, helper, loc, .. } = &obligation;
                    let message = format!("cannot infer `{parameter}` of `{helper}`");
                    let help = format!("write it: `{helper}::<f32>(…)`");
                    self.reporter.report(Diag::new(Code::V202, *loc, message).help(help));
                    self.infer.give_up(&obligation.ty);
                }
                ty if self.satisfies(&ty, &obligation.bound) => {}
                _ => self.outside(&obligation),
            }
        }
    }

    fn satisfies(&self, ty: &Ty, bound: &Bound) -> bool {
        match bound {
            Bound::Class(class) => class.contains(ty),
            Bound::Trait { id, .. } => self.context.scope.implements(ty, id),
            Bound::From(from) => {
                let from = self.infer.decided(from);
                from == Ty::Error || from == *ty || is_lossless(&from, ty)
            }
        }
    }

    fn outside(&mut self, Obligation { ty, bound, helper, parameter, loc }: &Obligation) {
        let shown = self.infer.show(ty);
        let (name, help) = match bound {
            Bound::Class(class) => {
                let refused = class.refuse((helper, parameter), &shown);
                self.reporter.report(refused.at(*loc));
                return;
            }
            Bound::From(from) => {
                let from = self.infer.show(from);
                let message = format!("`{from}` has no `Into<{shown}>`, since not every value would be kept");
                self.reporter.report(Diag::new(Code::V205, *loc, message).help(format!("write `as {shown}`")));
                return;
            }
            Bound::Trait { name, .. } => {
                let help = match self.infer.resolve(ty) {
                    Ty::Struct(def) if def.unknown.is_some() => format!("add the bound: `{}: {name}`", def.name),
                    ty => lacking(name, &ty, &shown),
                };
                (name.as_str(), help)
            }
        };
        let message = format!("`{helper}` needs `{parameter}: {name}`, but this is `{shown}`");
        self.reporter.report(Diag::new(Code::V205, *loc, message).help(help));
    }
}

/// How a type gets a trait.
pub(super) fn lacking(of_trait: &str, ty: &Ty, shown: &str) -> String {
    let (list, on) = match ty {
        Ty::Struct(_) | Ty::Enum(_) => (format!("#[element(traits({of_trait}))]"), shown),
        Ty::Scalar(_) | Ty::Usize | Ty::Vector(..) => (format!("#[device(types({shown}))]"), of_trait),
        _ => return "use a type that has it".to_owned(),
    };
    format!("write `{list}` on `{on}`, and `#[device] impl {of_trait} for {shown} {{ … }}` in its module")
}
