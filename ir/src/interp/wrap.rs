//! A device function run by itself: a kernel of one invocation around it.

use crate::builder::Builder;
use crate::check::{Checked, check_image};
use crate::ir::{Access, CallArg, ParamKind, Place};

/// A module with one more kernel, of one invocation, and the kernel's index: it takes the
/// parameters of the device function of this index, then a buffer of one element for each
/// result, calls the function and stores what it gives. `None` if there is no such device
/// function, or if it leaves no room for the call within the limits.
///
/// ```
/// use samebits_ir::interp::{Arg, Options, Program, Words, entry};
/// use samebits_ir::{check::check, text::parse};
///
/// let source = "func @square(%a: u32) -> u32 { %b = mul %a, %a ret %b }";
/// let checked = parse(source).and_then(check).map_err(|_| "sound")?;
/// let (checked, kernel) = entry(&checked, 0).ok_or("a device function")?;
/// let result = Words::zeroed(4);
/// let args = [Arg::Scalar([7, 0, 0, 0]), Arg::Buffer { words: &result, offset: 0, len: 1 }];
/// let program = Program::new(&checked, kernel).ok_or("a kernel")?;
/// program.run([1, 1, 1], &args, &Options::default()).map_err(|_| "runs")?;
/// assert_eq!(result.read(0..4), [49, 0, 0, 0]);
/// # Ok::<(), &str>(())
/// ```
pub fn entry(checked: &Checked, function: usize) -> Option<(Checked, usize)> {
    let mut module = checked.module().clone();
    let callee = module.functions.get(function).filter(|callee| !callee.is_kernel())?;
    let unused = |name: &str, taken: &dyn Fn(&str) -> bool| {
        let mut unused = name.to_owned();
        while taken(&unused) {
            unused.push('_');
        }
        unused
    };
    let name = unused(&callee.name, &|name| module.functions.iter().any(|f| f.name == name));
    let mut b = Builder::new(name, [1; 3]);
    b.at(callee.loc);
    let mut args = Vec::new();
    for param in &callee.params {
        args.push(match param.kind {
            ParamKind::Scalar(ty) => CallArg::Value(b.scalar(param.name.clone(), ty)),
            ParamKind::Buffer { element, access } => {
                let root = b.buffer(param.name.clone(), element, access);
                CallArg::Place(Place { root, offset: 0, indices: Vec::new() })
            }
        });
    }
    let results = callee.results.iter().enumerate().map(|(i, &ty)| {
        let name = unused(&format!("result{i}"), &|name| callee.params.iter().any(|p| p.name == name));
        b.buffer(name, ty, Access::ReadWrite)
    });
    let results: Vec<_> = results.collect();
    let values = b.call(function as u32, args, &callee.results);
    for (root, value) in results.into_iter().zip(values) {
        b.store(Place { root, offset: 0, indices: Vec::new() }, value);
    }
    b.ret();
    module.functions.push(b.finish());
    let kernel = module.functions.len() - 1;
    Some((check_image(module).ok()?, kernel))
}
