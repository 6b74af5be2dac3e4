//! Limits that only generated input reaches.

use samebits_ir::check::check;
use samebits_ir::diag::Code;
use samebits_ir::ir::MAX_INSTS;
use samebits_ir::text::parse;

/// A function of this many instructions, the last of which leaves it.
fn stores(count: usize) -> String {
    let stores = "  store @y[0u32], 1u32\n".repeat(count - 1);
    format!("func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {{\n{stores}  ret\n}}\n")
}

#[test]
fn a_function_of_one_instruction_too_many_is_refused_where_it_is() {
    assert!(check(parse(&stores(MAX_INSTS)).unwrap()).is_ok());
    let source = stores(MAX_INSTS + 1);
    let diags = check(parse(&source).unwrap()).unwrap_err();
    let codes: Vec<Code> = diags.as_slice().iter().map(|diag| diag.code).collect();
    assert_eq!(codes, [Code::V019]);
    assert_eq!(diags.as_slice()[0].loc.index(), source.find("ret").map(|at| at as u32));
}
