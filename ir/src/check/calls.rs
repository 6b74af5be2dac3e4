//! The check of calls (V106, V107, V200, V204 and, for views, V005, V009, V013, V025, V301,
//! V302).
//!
//! A view is judged where it is passed: the memory must allow what the callee says that it does
//! with the view, and the view must begin where an element may begin. What only the joined
//! places show is refused by [`inline`](crate::inline).

use super::Placed;
use super::memory::{covers, is_multiple};
use crate::diag::{Code, Diag, Diags, count};
use crate::inline;
use crate::ir::{Access, CallArg, Function, InstDef, InstKind, Module, Param, ParamKind, Place};
use crate::types::Type;

/// How many calls of a cycle a report may show.
const MAX_LABELS: usize = 8;

/// Reports functions that call themselves, one way round for each module.
pub(super) fn graph(module: &Module, diags: &mut Diags) {
    let Err(cycle) = inline::order(module) else { return };
    let Some(&(first, call, _)) = cycle.first() else { return };
    let name = |index: usize| &module.functions[index].name;
    let loc = module.functions[first].insts[call].loc;
    let mut diag = Diag::new(Code::V106, loc, format!("function `{}` calls itself", name(first)));
    if cycle.len() > 1 {
        diag.message = format!("function `{}` calls itself through `{}`", name(first), name(cycle[0].2));
    }
    for &(caller, call, callee) in cycle.iter().skip(1).take(MAX_LABELS) {
        let text = format!("`{}` calls `{}` here", name(caller), name(callee));
        diag = diag.label(module.functions[caller].insts[call].loc, text);
    }
    diags.push(diag.help("use a loop instead"));
}

/// Reports what is wrong with a function's calls.
pub(super) fn check(module: &Module, function: &Function, placed: &[Placed], diags: &mut Diags) {
    for &Placed { inst, .. } in placed {
        let def = &function.insts[inst];
        let InstKind::Call { function: callee, args } = &def.kind else { continue };
        let call = Call { module, function, def, callee: &module.functions[*callee as usize] };
        if let Err(diag) = call.check(args) {
            diags.push(diag);
        }
    }
}

struct Call<'a> {
    module: &'a Module,
    function: &'a Function,
    def: &'a InstDef,
    callee: &'a Function,
}

impl Call<'_> {
    fn diag(&self, code: Code, message: String) -> Diag {
        Diag::new(code, self.def.loc, message)
    }

    fn show(&self, ty: Type) -> String {
        format!("`{}`", self.module.types.display(ty))
    }

    fn check(&self, args: &[CallArg]) -> Result<(), Diag> {
        let Function { name, params, results, loc, .. } = self.callee;
        if self.callee.is_kernel() {
            let diag = self.diag(Code::V107, format!("cannot call kernel `{name}`"));
            return Err(diag.label(*loc, "it is a kernel").help("move what both need into a device function"));
        }
        if args.len() != params.len() {
            let (takes, given) = (count(params.len(), "argument"), args.len());
            let diag = self.diag(Code::V204, format!("`{name}` takes {takes}, not {given}"));
            return Err(diag.label(*loc, "it is defined here"));
        }
        for (arg, param) in args.iter().zip(params) {
            match (arg, param.kind) {
                (CallArg::Value(value), ParamKind::Scalar(ty)) => {
                    self.same(ty, self.function.ty(*value), param)?;
                }
                (CallArg::Place(place), ParamKind::Buffer { element, access }) => {
                    self.view(place, element, access, param)?;
                }
                (CallArg::Value(_), ParamKind::Buffer { .. }) => {
                    let message = format!("`{name}` takes memory for `{}`, not a value", param.name);
                    return Err(self.diag(Code::V200, message).label(param.loc, "the parameter is here"));
                }
                (CallArg::Place(_), ParamKind::Scalar(_)) => {
                    let message = format!("`{name}` takes a value for `{}`, not memory", param.name);
                    return Err(self.diag(Code::V200, message).label(param.loc, "the parameter is here"));
                }
            }
        }
        for (&value, &ty) in self.def.results.iter().zip(results) {
            let found = self.function.ty(value);
            if found != ty && found != Type::Error && ty != Type::Error {
                let message = format!("`{name}` returns {}, not {}", self.show(ty), self.show(found));
                return Err(self.diag(Code::V200, message).label(*loc, "it is defined here"));
            }
        }
        Ok(())
    }

    fn same(&self, expected: Type, found: Type, param: &Param) -> Result<(), Diag> {
        if expected == found || expected == Type::Error || found == Type::Error {
            return Ok(());
        }
        let (expected, found) = (self.show(expected), self.show(found));
        let message = format!("expected {expected} for `{}` of `{}`, found {found}", param.name, self.callee.name);
        Err(self.diag(Code::V200, message).label(param.loc, "the parameter is here"))
    }

    fn view(&self, place: &Place, element: Type, access: Access, param: &Param) -> Result<(), Diag> {
        let types = &self.module.types;
        let name = self.function.root_name(place.root);
        let root_element = self.function.root_element(types, place.root).unwrap_or(Type::Error);
        if root_element == Type::Bytes || element == Type::Bytes {
            let message = format!("`{name}` is passed as raw bytes, which cannot be accessed");
            return Err(self.diag(Code::V013, message).help("declare it as a buffer of `u32`"));
        }
        self.mode(name, self.function.root_access(place.root), access, param)?;
        for index in &place.indices {
            let ty = self.function.ty(index.value);
            if ty != Type::U32 && ty != Type::Error {
                let message = format!("`{name}` is indexed by {}", self.show(ty));
                return Err(self.diag(Code::V301, message).help("convert the index to `u32`"));
            }
        }
        let align = types.layout(element).map_or(1, |layout| layout.align);
        if !is_multiple(place, align) {
            let message =
                format!("this place in `{name}` is not where a value of type {} can begin", self.show(element));
            return Err(self.diag(Code::V302, message));
        }
        // A place that covers exactly an element is meant to be that element.
        if element.is_value() && covers(types, place, root_element, element) {
            return self.same(element, root_element, param);
        }
        Ok(())
    }

    /// Whether the memory may be accessed in the way that the callee says.
    fn mode(&self, name: &str, root: Option<Access>, view: Access, param: &Param) -> Result<(), Diag> {
        let callee = &self.callee.name;
        let (code, message) = match (root, view) {
            (None, _)
            | (Some(Access::Read | Access::ReadWrite), Access::Read)
            | (Some(Access::ReadWrite), Access::ReadWrite)
            | (Some(Access::Atomic), Access::Atomic) => return Ok(()),
            (Some(Access::Read), Access::ReadWrite) => {
                (Code::V005, format!("`{callee}` may store to `{name}`, which is read-only"))
            }
            (Some(Access::Read | Access::ReadWrite), Access::Atomic) => {
                (Code::V009, format!("`{callee}` accesses `{name}` atomically, but `{name}` is not atomic"))
            }
            (Some(Access::Atomic), Access::Read | Access::ReadWrite) => {
                (Code::V025, format!("`{callee}` accesses `{name}` without atomics, but `{name}` is atomic"))
            }
        };
        Err(self.diag(code, message).label(param.loc, "the parameter is here"))
    }
}
