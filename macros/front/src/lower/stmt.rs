//! Blocks and statements.

use super::{Binding, Lowerer, Memory};
use crate::hir::{Block, ExprId, ExprKind, Local, Stmt};
use crate::infer::{Ty, VarKind};
use crate::parse::binding;
use crate::types;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root};

impl<'a> Lowerer<'a, '_> {
    /// A block and its type, in a scope of its own.
    pub(super) fn block(&mut self, block: &'a syn::Block) -> (Block, Ty) {
        let scope = self.names.len();
        let result = self.nested(block, |this| this.block_body(block));
        self.names.truncate(scope);
        result.unwrap_or((Block { stmts: Vec::new(), tail: None }, Ty::Error))
    }

    fn block_body(&mut self, block: &'a syn::Block) -> (Block, Ty) {
        let mut stmts = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut stmts),
                syn::Stmt::Expr(expr, None) if last => tail = Some(self.expr(expr)),
                syn::Stmt::Expr(expr, semicolon) => {
                    let id = self.expr(expr);
                    if semicolon.is_none() {
                        self.expect(id, &Ty::Unit);
                    }
                    diverges |= self.ty(id) == Ty::Never;
                    stmts.push(Stmt::Expr(id));
                }
                syn::Stmt::Item(item) => {
                    let help = "declare it outside of the kernel, or use `let`";
                    self.unsupported(item, "an item", Some(help));
                }
                syn::Stmt::Macro(mac) => {
                    self.unsupported(mac, "a macro", None);
                }
            }
        }
        let ty = match tail {
            Some(tail) => self.ty(tail),
            None if diverges => Ty::Never,
            None => Ty::Unit,
        };
        (Block { stmts, tail }, ty)
    }

    fn local(&mut self, local: &'a syn::Local, stmts: &mut Vec<Stmt>) {
        let mut shared = false;
        for attr in &local.attrs {
            if attr.path().is_ident("shared") && matches!(attr.meta, syn::Meta::Path(_)) {
                shared = true;
            } else if !is_lint(attr) {
                self.unsupported(attr, "this attribute", None);
            }
        }
        let (pat, annotation) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        if shared {
            self.shared(local, pat, annotation);
            return;
        }
        let Some(init) = &local.init else {
            let loc = self.loc(local);
            let name = binding(pat).map(|(name, _)| name.to_string());
            self.diags.push(
                Diag::new(Code::V100, loc, "a `let` in a kernel needs a value at once")
                    .help("write `let mut name = value;`, or `#[shared] let name: [T; N];` for workgroup memory"),
            );
            self.names.extend(name.map(|name| (name, Binding::Refused)));
            return;
        };
        if let Some((else_token, _)) = &init.diverge {
            self.unsupported(else_token, "`let … else`", Some("use `if` and `return`"));
        }
        let annotated = annotation.map(|ty| match types::read(ty) {
            Ok(known) => known,
            Err(refused) => {
                let loc = self.loc(ty);
                self.report(refused, loc);
                Ty::Error
            }
        });
        if let syn::Pat::Wild(_) = pat {
            let value = self.expr(&init.expr);
            if let Some(expected) = annotated {
                self.expect(value, &expected);
            }
            stmts.push(Stmt::Expr(value));
            return;
        }
        let Some((name, mutable)) = binding(pat) else {
            match (pat, &*init.expr) {
                (syn::Pat::Tuple(_), syn::Expr::Tuple(tuple)) => tuple.elems.iter().for_each(|e| {
                    self.expr(e);
                }),
                (_, expr) => {
                    self.expr(expr);
                }
            }
            self.unsupported(pat, "this pattern", Some("bind one name at a time: `let name = value;`"));
            return;
        };
        let loc = self.loc(name);
        let name = name.to_string();
        match &*init.expr {
            syn::Expr::Array(_) | syn::Expr::Repeat(_) => {
                let binding = self.array(&name, mutable, annotated, &init.expr, stmts);
                self.names.push((name, binding));
            }
            expr => {
                let value = self.expr(expr);
                if let Some(expected) = annotated {
                    self.expect(value, &expected);
                }
                let ty = self.ty(value);
                let binding = match ty {
                    Ty::Error => Binding::Refused,
                    Ty::Slice(_) | Ty::Array(..) | Ty::Atomic(_) => Binding::Refused,
                    ty => Binding::Local(self.body.locals.push(Local {
                        name: name.clone(),
                        ty,
                        mutable,
                        iterates: false,
                        loc,
                    })),
                };
                if let Binding::Local(id) = binding {
                    stmts.push(Stmt::Let(id, value));
                }
                self.names.push((name, binding));
            }
        }
    }

    /// `#[shared] let name: [T; N];`
    fn shared(&mut self, local: &'a syn::Local, pat: &'a syn::Pat, annotation: Option<&'a syn::Type>) {
        let help = "write `#[shared] let tile: [f32; 256];`";
        let Some((name, _)) = binding(pat) else {
            self.unsupported(pat, "this pattern", Some(help));
            return;
        };
        let loc = self.loc(name);
        let name = name.to_string();
        if let Some(init) = &local.init {
            let loc = self.loc(&*init.expr);
            let message = "workgroup memory cannot have an initial value: it starts as zero";
            self.diags.push(Diag::new(Code::V100, loc, message).help(help));
        }
        let read = match annotation {
            Some(ty) => types::read(ty).and_then(|ty| if ty == Ty::Usize { Err(types::no_usize()) } else { Ok(ty) }),
            None => {
                self.diags.push(Diag::new(Code::V202, loc, "workgroup memory needs a type").help(help));
                self.names.push((name, Binding::Refused));
                return;
            }
        };
        let ty = match read {
            Ok(ty) => ty,
            Err(refused) => {
                let loc = annotation.map_or(loc, |ty| self.loc(ty));
                self.report(refused, loc);
                self.names.push((name, Binding::Refused));
                return;
            }
        };
        let access = if matches!(innermost(&ty), Ty::Atomic(_)) { Access::Atomic } else { Access::ReadWrite };
        let root = Root::Shared(self.body.shared.len() as u32);
        self.body.shared.push(crate::hir::Memory { name: name.clone(), ty: ty.clone(), loc });
        self.names.push((name, Binding::Memory(Memory { root, ty, access, mutable: true, loc })));
    }

    /// `let name = [a, b]` and `let name = [a; N]`: memory of the invocation.
    fn array(
        &mut self,
        name: &str,
        mutable: bool,
        annotated: Option<Ty>,
        init: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Binding {
        let loc = self.loc(init);
        let element = self.infer.var(VarKind::General);
        let (values, len): (Vec<ExprId>, u32) = match init {
            syn::Expr::Repeat(repeat) => {
                let value = self.expr(&repeat.expr);
                match types::array_len(&repeat.len) {
                    Ok(len) => (vec![value], len),
                    Err(refused) => {
                        let loc = self.loc(&*repeat.len);
                        self.report(refused, loc);
                        return Binding::Refused;
                    }
                }
            }
            syn::Expr::Array(array) => {
                let values: Vec<ExprId> = array.elems.iter().map(|e| self.expr(e)).collect();
                let len = values.len() as u32;
                (values, len)
            }
            _ => return Binding::Refused,
        };
        if len == 0 {
            self.diags.push(Diag::new(Code::V024, loc, "an array needs at least one element"));
            return Binding::Refused;
        }
        for &value in &values {
            self.expect(value, &element);
        }
        let ty = Ty::Array(Box::new(element), len);
        if let Some(expected) = annotated {
            self.expect_at(loc, &expected, &ty, "make the type before the `=` and the value agree");
        }
        let root = Root::Private(self.body.private.len() as u32);
        self.body.private.push(crate::hir::Memory { name: name.to_owned(), ty: ty.clone(), loc });
        stmts.push(Stmt::Array { root, values });
        Binding::Memory(Memory { root, ty, access: Access::ReadWrite, mutable, loc })
    }

    /// An expression that is a block of its own.
    pub(super) fn block_expr(&mut self, block: &'a syn::Block) -> ExprId {
        let loc = self.loc(block);
        let (block, ty) = self.block(block);
        self.push(ExprKind::Block(block), ty, loc)
    }
}

/// The element that an array of arrays is made of.
pub(super) fn innermost(ty: &Ty) -> &Ty {
    let mut ty = ty;
    while let Ty::Array(element, _) = ty {
        ty = element;
    }
    ty
}

/// Attributes that only steer rustc's lints mean nothing to a kernel.
pub(super) fn is_lint(attr: &syn::Attribute) -> bool {
    ["allow", "warn", "deny", "forbid", "expect", "doc"].iter().any(|name| attr.path().is_ident(name))
}
