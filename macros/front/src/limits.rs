//! Every limit of a kernel in one table, each number from where it is kept.
//!
//! The table is the page `runtime/src/language/limits.md` of the language's reference; a test holds
//! the page against it. The limits that differ between devices are in [`samebits_ir::limits`]; a
//! kernel declares them.

use crate::infer::MAX_LEAVES;
use crate::{build, instances, link, lower, parse};
use samebits_ir::diag::Code;
use samebits_ir::ir::{MAX_INSTS, MAX_NESTING, MAX_REQUIREMENTS, MAX_STEPS};
use samebits_ir::{check, inline, limits, pass, types};

/// A limit.
struct Row {
    what: &'static str,
    most: u64,
    code: Code,
    instead: &'static str,
}

const fn row(what: &'static str, most: usize, code: Code, instead: &'static str) -> Row {
    Row { what, most: most as u64, code, instead }
}

const ROWS: &[Row] = &[
    row("nesting of expressions and blocks in one function", lower::MAX_DEPTH, Code::V018, "name a part with `let`"),
    row(
        "the same with inlined helpers and closures",
        lower::MAX_DEPTH_IN_ALL,
        Code::V018,
        "name the results with `let`, and call one after the other",
    ),
    row(
        "conditions of an `if` with its `else if`s",
        lower::MAX_CHAIN,
        Code::V018,
        "`match` on a number, or leave with `return` after some of them",
    ),
    row("nesting of calls", lower::MAX_CALLS, Code::V018, "call from a loop, or from the caller"),
    row(
        "expressions of a function with its helpers inlined",
        lower::MAX_EXPRS,
        Code::V019,
        "call helpers in a loop, or split the kernel",
    ),
    row("instructions of a kernel", MAX_INSTS, Code::V019, "split the kernel"),
    row("nesting of blocks in the compiled kernel", MAX_NESTING, Code::V018, "leave early with `return` or `continue`"),
    row(
        "helpers, structs and `#[device]` constants that one item uses",
        link::chain::MAX_NAMES,
        Code::V112,
        "move some calls into a helper",
    ),
    row(
        "constants from outside in a kernel",
        lower::MAX_OUTER,
        Code::V019,
        "declare some of them inside, or as one `#[device]` table",
    ),
    row("instances of a generic kernel", instances::MAX_INSTANCES, Code::V101, "list fewer, or write two kernels"),
    row("parts of a tuple, counting the parts of its parts", lower::MAX_PARTS, Code::V019, "use an array or a struct"),
    row(
        "numbers and vectors of one value, such as an array that is copied, passed or returned",
        MAX_LEAVES,
        Code::V019,
        "borrow it: `&array`",
    ),
    row("numbers and vectors of one argument by value", parse::MAX_ARGUMENT, Code::V201, "take a buffer: `&[T]`"),
    row(
        "steps to compute the value of a constant",
        build::value::MAX_STEPS as usize,
        Code::V019,
        "compute it on the host and pass it as a buffer",
    ),
    row(
        "stores that the `[…]` of one `let` needs",
        build::MOST_STORES,
        Code::V019,
        "repeat one value, `[0; N]`, and fill it in a loop",
    ),
    row(
        "bytes of a kernel's constant tables",
        limits::MAX_TABLE_BYTES as usize,
        Code::V607,
        "pass the largest as a buffer",
    ),
    row("characters of a number", crate::depth::MAX_NUMBER, Code::V103, "write fewer digits"),
    row(
        "bytes of an invocation's own arrays",
        check::MAX_PRIVATE_BYTES as usize,
        Code::V602,
        "use workgroup memory or a buffer",
    ),
    row("nesting of types", MAX_NESTING, Code::V702, "use one array with a computed index"),
    row("types that a type is made of", types::MAX_TYPE_PARTS, Code::V702, "use an array"),
    row("comparisons of `requires`", MAX_REQUIREMENTS, Code::V305, "state only what the accesses need"),
    row("numbers and operators of one comparison", MAX_STEPS, Code::V305, "compute it on the host and pass it"),
    row(
        "instructions of a kernel with the copies of `#[unroll]`",
        pass::MAX_SIZE_ASKED,
        Code::V109,
        "`#[unroll(4)]`, or no attribute",
    ),
    row("invocations of a workgroup on z", limits::MAX_SIZE_ON_Z as usize, Code::V600, "put them on x or y"),
    row(
        "instructions of a function of IR text with all calls inlined",
        inline::MAX_INLINED,
        Code::V019,
        "call fewer, or in a loop",
    ),
    row(
        "indices of an access of IR text with all calls inlined",
        inline::MAX_INDICES,
        Code::V019,
        "use a view of fewer dimensions",
    ),
];

/// The page of the reference. The macros read no IR text, so the most bytes of one are handed in.
pub fn page(text_bytes: usize) -> String {
    let mut page = String::from(
        "Exceeding a limit is an error with its code; nothing is cut silently. The limits that differ between \
         devices are in [limits and features](#limits-and-features).\n\n\
         | what | at most | error | instead |\n| --- | --- | --- | --- |\n",
    );
    let text = row("bytes of an IR text", text_bytes, Code::V700, "split the module");
    for Row { what, most, code, instead } in ROWS.iter().chain([&text]) {
        page.push_str(&format!("| {what} | {} | {} | {instead} |\n", grouped(*most), code));
    }
    page.push_str(
        "\nrustc allows 128 nested macro calls, and each name that a kernel uses takes two of them. The length of an \
         array is below 2³².\n",
    );
    page
}

/// A number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
