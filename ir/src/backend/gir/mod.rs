//! Block form: a module as labelled blocks with `phi`, which
//! [`text::parse`](crate::text::parse) reads back.
//!
//! What is read back behaves like the original, but is not the same module. Regions become
//! blocks, their parameters and results `phi`s, and places chains of `gep`. A `bool` is a `u32`
//! that is 0 or 1, the result of comparisons; only memory and vectors keep `bool`s, which are
//! converted at loads and stores.
//!
//! A device function is written as one if block form allows it: with at most one result and
//! without memory of its own. If a module has others, the kernels are written with all calls
//! inlined.

mod body;
mod op;

use crate::check::Checked;
use crate::ir::{Access, Function, FunctionKind, InstDef, InstKind, Memory, ParamKind, Place, Root};
use crate::loc::Loc;
use crate::text::names::{Sigil, StructNames, Unique, sigil, structs};
use crate::types::{Type, Types};
use body::Body;
use std::fmt::Write;

/// The text of a module in block form, for a module that [`check`](crate::check::check)
/// accepts as a source: what images alone may say, such as `bool` memory read as `u32`, has
/// no words in it.
///
/// ```
/// use samebits_ir::{backend::gir, check::check, text};
///
/// let source = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) { store @y, 1u32 ret }";
/// let checked = text::parse(source).and_then(check).map_err(|_| "sound")?;
/// let text = gir::emit(&checked);
/// assert!(text.contains("%y: ptr[global]<u32>") && text.contains("entry:\n  store %y, 1u32\n  ret\n"));
/// assert!(text::parse(&text).and_then(check).is_ok());
/// # Ok::<(), &str>(())
/// ```
pub fn emit(checked: &Checked) -> String {
    let module = checked.module();
    let has_no_memory = |f: &Function| f.private.is_empty() && f.shared.is_empty() && f.tables.is_empty();
    let plain = |f: &Function| f.is_kernel() || (f.results.len() <= 1 && has_no_memory(f));
    let flat = !module.functions.iter().all(plain);
    let mut out = String::new();
    let names = StructNames::new(&module.types);
    structs(&mut out, &module.types, &names);
    let mut globals = Unique::default();
    let function_names: Vec<String> = module.functions.iter().map(|f| globals.name(&f.name)).collect();
    for (i, function) in module.functions.iter().enumerate() {
        let function = match checked.function(i) {
            Some((as_it_runs, _)) if flat => as_it_runs,
            _ => function,
        };
        if flat && !function.is_kernel() {
            continue;
        }
        let stored = (!function.tables.is_empty()).then(|| without_tables(&module.types, function));
        let function = stored.as_ref().unwrap_or(function);
        if !out.is_empty() {
            out.push('\n');
        }
        let mut body = Body::new(module, &names, &function_names, function);
        body.memory(&mut globals, &mut out);
        let mut params = Vec::new();
        for param in &function.params {
            let name = body.param(&param.name);
            params.push(match param.kind {
                ParamKind::Scalar(ty) => format!("{name}: {}", body.value_ty(ty)),
                ParamKind::Buffer { element, .. } => {
                    let space = if function.is_kernel() { "global" } else { "generic" };
                    format!("{name}: ptr[{space}]<{}>", names.ty(&module.types, element))
                }
            });
        }
        body.scalars();
        let kind = match function.kind {
            FunctionKind::Kernel { workgroup_size: [x, y, z] } => {
                let limits = if function.limits.is_empty() { String::new() } else { format!("{} ", function.limits) };
                format!("kernel workgroup_size({x}, {y}, {z}) {limits}")
            }
            FunctionKind::Device => String::new(),
        };
        let ret = function.results.first().map_or("void".to_owned(), |&ty| body.value_ty(ty));
        let name = sigil(Sigil::Global, &function_names[i]);
        let _ = writeln!(out, "func {kind}{name}({}) -> {ret} {{", params.join(", "));
        out.push_str(&body.blocks());
        out.push_str("}\n");
    }
    out
}

/// A function whose tables are private memory that is stored when it begins: block form has
/// no memory with more than one first value.
fn without_tables(types: &Types, function: &Function) -> Function {
    let mut function = function.clone();
    let first = function.private.len() as u32;
    for id in function.insts.ids() {
        match &mut function.insts[id].kind {
            InstKind::Load(Place { root, .. }) | InstKind::Len(root) => {
                if let Root::Table(i) = *root {
                    *root = Root::Private(first + i);
                }
            }
            _ => {}
        }
    }
    let mut stores = Vec::new();
    for (i, table) in std::mem::take(&mut function.tables).into_iter().enumerate() {
        let (name, ty) = (table.name.clone(), table.ty);
        function.private.push(Memory { name, ty, access: Access::ReadWrite, loc: table.loc });
        for (offset, scalar) in table.scalars(types) {
            let value = function.constant(scalar, table.value(Type::Scalar(scalar), offset.into())[0]);
            let place = Place { root: Root::Private(first + i as u32), offset, indices: Vec::new() };
            let kind = InstKind::Store(place, value);
            stores.push(function.insts.push(InstDef { kind, results: Vec::new(), loc: Loc::NONE }));
        }
    }
    let body = function.body;
    function.regions[body].insts.splice(0..0, stores);
    function
}
