//! This CPU: a kernel as Rust text.
//!
//! The text is an expression of the type `&'static n::Native`, where `n` names `samebits::native` and `IMAGE` is
//! the wire form of the kernel that the text was made from. It stands in the user's program, and rustc compiles it
//! with the program's own flags, once for each set of instructions that the machine may have.
//!
//! The invocations of a workgroup are the rounds of a loop, which LLVM makes vectors of. Where they wait for each
//! other, the loop is cut: see `plan`. A workgroup runs on one thread, so its memory is plain. A buffer
//! is accessed plainly too, since the checks have proven that no two invocations meet there, unless the kernel
//! marks the access or it is atomic.
//!
//! Workgroups of a row that have nothing of their own (no barrier, no memory, no ids) are one long loop.
//!
//! All rules are spelled out: bounds, shift counts, division, NaN, and that loops end.

mod along;
mod atomic;
mod blocks;
mod code;
mod collective;
mod lanes;
mod masked;
mod memory;
mod merge;
mod op;
mod plan;
mod single;
mod turn;
mod writer;
mod zeros;

use crate::analysis::tree::Tree;
use crate::check::{Checked, check_image};
use crate::ir::{Function, Inst, InstKind, Module, Root};
use crate::launch::LaunchBlock;
use crate::math::{Method, Step};
use crate::pass::{Expansion, expand};
use crate::types::{Scalar, Types};
use code::{lane_of, rust};
use collective::aligned;
use memory::{Home, Memories, private_roots, uses_shared};
use plan::{Given, Plan, collective_of_group, is_of_group, repeatable, waits};
use std::fmt::Write;
use writer::{Level, Over, Writer};

/// The most ops of a kernel that is written. Compilers take long for more.
pub const MAX_OPS: usize = 5000;

/// The most bytes of memory of a workgroup that the text keeps on the stack.
const MAX_STACK: u64 = 256 << 10;

/// The sets of instructions that a kernel is written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Versions {
    /// Every one that a machine of the target may have.
    All,
    /// What every machine of the target has.
    Baseline,
    /// AVX2 with FMA alone, on x86-64. The code calls itself the baseline too, so that only machines that have these
    /// instructions may run it.
    Avx2,
    /// The same of AVX-512.
    Avx512,
}

/// Why a kernel is not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// There is no such kernel.
    Missing,
    /// It has more than [`MAX_OPS`] ops.
    Ops(usize),
    /// A workgroup needs so many bytes of memory.
    Memory(u64),
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such kernel"),
            Self::Ops(count) => write!(f, "it has {count} ops, and at most {MAX_OPS} are compiled for the CPU"),
            Self::Memory(bytes) => {
                write!(f, "a workgroup needs {bytes} bytes of memory, and at most {MAX_STACK} are kept on a stack")
            }
        }
    }
}

/// The text of the kernel at this position in the module.
///
/// ```
/// use samebits_ir::backend::native::emit;
/// use samebits_ir::{builder::Builder, check::check, types::Types};
///
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
/// let text = emit(&checked, 0).map_err(|unfit| unfit.to_string())?;
/// assert!(text.contains("unsafe fn body<M: n::Machine, const BARE: bool>("));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit(checked: &Checked, function: usize) -> Result<String, Unfit> {
    emit_versions(checked, function, Versions::All)
}

/// The same for some sets of instructions. Programs that are made to test the code compile in less time so.
///
/// ```
/// use samebits_ir::backend::native::{Versions, emit_versions};
/// use samebits_ir::{builder::Builder, check::check, types::Types};
///
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
/// let text = emit_versions(&checked, 0, Versions::Baseline).map_err(|unfit| unfit.to_string())?;
/// assert!(text.contains("fn baseline_true(") && !text.contains("target_feature"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit_versions(checked: &Checked, function: usize, versions: Versions) -> Result<String, Unfit> {
    let (function, _) =
        checked.function(function).filter(|(function, _)| function.is_kernel()).ok_or(Unfit::Missing)?;
    // What all lanes have in common is judged again, of the function that is written.
    let module = Module {
        types: checked.module().types.clone(),
        functions: vec![expand(
            function,
            Expansion { step: Step::Fused, method: Method::FewTerms, keeps_loose: false },
        )],
    };
    let checked = check_image(module).map_err(|_| Unfit::Missing)?;
    let (function, findings) = checked.function(0).ok_or(Unfit::Missing)?;
    let tree = Tree::of(function);
    if tree.insts().len() > MAX_OPS {
        return Err(Unfit::Ops(tree.insts().len()));
    }
    let repeatable = repeatable(function);
    let given = Given { function, tree: &tree, uniform: &findings.uniform, repeatable: &repeatable };
    write(&given, &checked.module().types, versions)
}

fn write(given: &Given<'_>, types: &Types, versions: Versions) -> Result<String, Unfit> {
    let function = given.function;
    let waits = waits(function);
    let body = &function.regions[function.body].insts;
    let over = if is_row(function, body.iter().any(|&inst| waits[inst])) { Over::Row } else { Over::Group };
    let collective = collective_of_group(given, &waits);
    let plan = Plan::of(given, body, collective);
    let mut writer = Writer::new(given, types, Memories::of(function));
    exits(&mut writer, given, &plan);
    homes(&mut writer, given, &plan);
    writer.levels.push(Level { over, plan, run: 0 });
    writer.merged = merge::merged(&writer);
    let text = Text::of(&mut writer);
    let stack = stack(&writer);
    if stack > MAX_STACK {
        return Err(Unfit::Memory(stack));
    }
    Ok(text.finish(&writer, versions))
}

/// Whether the workgroups of a row have nothing of their own.
fn is_row(function: &Function, waits: bool) -> bool {
    let [width, ..] = function.workgroup_size();
    let of_group = |inst: &InstKind| matches!(inst, InstKind::Builtin(builtin) if is_of_group(*builtin));
    !waits && width > 1 && !uses_shared(function) && !function.insts.iter().any(|(_, def)| of_group(&def.kind))
}

/// Finds out which lanes leave runs that others go on after.
fn exits(writer: &mut Writer<'_>, given: &Given<'_>, plan: &Plan) {
    let function = given.function;
    let last = given.tree.insts().iter().map(|&inst| plan.run[inst]).max().unwrap_or(0);
    for &inst in given.tree.insts() {
        let run = plan.run[inst];
        let own = given.tree.parent(inst).and_then(|region| given.tree.owner(region));
        // The terminator of a run is where all of its lanes go.
        let nested = own.is_some_and(|owner| plan.run[owner] != 0);
        if run == 0 || !nested {
            continue;
        }
        match &function.insts[inst].kind {
            InstKind::Return(_) | InstKind::Unreachable if run < last => writer.marks_gone = true,
            InstKind::Break(target, _) | InstKind::Continue(target, _) if plan.collective[*target] => {
                writer.left_by_lanes.insert(*target);
                writer.marks_gone = true;
            }
            _ => {}
        }
    }
}

/// Finds out which private memory outlives a run.
fn homes(writer: &mut Writer<'_>, given: &Given<'_>, plan: &Plan) {
    let all: Vec<Inst> = given.tree.insts().to_vec();
    for root in private_roots(given.function, &all) {
        let is_access = |inst: &&Inst| given.function.insts[**inst].kind.place().is_some_and(|p| p.root == root);
        let mut runs = all.iter().filter(is_access).map(|&inst| plan.run[inst]);
        let first = runs.next().unwrap_or(0);
        let one_run = runs.all(|run| run == first);
        let repeated = all
            .iter()
            .filter(is_access)
            .any(|&inst| given.tree.loops_around(given.function, inst).any(|around| plan.collective[around]));
        let home = if one_run && !repeated { Home::Lane } else { Home::Group };
        writer.memory.homes.insert(root, home);
    }
}

/// The bytes that a workgroup takes on the stack.
fn stack(writer: &Writer<'_>) -> u64 {
    let function = writer.function;
    let arrays = writer.declared_for_all.iter().map(|(_, scalar, count)| u64::from(scalar.size()) * *count as u64);
    let shared = (0..function.shared.len() as u32).map(Root::Shared);
    let shared = shared.map(|root| u64::from(function.root_size(writer.types, root).unwrap_or(0)));
    let private = writer.memory.homes.iter().map(|(&root, &home)| {
        let lanes = if home == Home::Group { function.invocations() } else { 1 };
        u64::from(writer.private_bytes(root)).saturating_mul(lanes)
    });
    arrays.chain(shared).chain(private).fold(0, u64::saturating_add)
}

/// The parts of the text.
struct Text {
    body: String,
    /// What a level's function passes to the body after the launch and the span.
    buffers: Vec<(String, String)>,
    weight: u32,
}

impl Text {
    /// Writes the body.
    fn of(writer: &mut Writer<'_>) -> Self {
        let function = writer.function;
        let buffers: Vec<(String, String)> = writer
            .memory
            .buffers
            .clone()
            .into_iter()
            .enumerate()
            .map(|(i, param)| match function.root_access(Root::Param(param)) {
                Some(crate::ir::Access::Read) => (format!("r{i}: &[u8]"), format!("launch.read({i})")),
                _ => (format!("b{i}: *mut u8"), format!("launch.written({i})")),
            })
            .collect();
        prologue(writer);
        let at = writer.code.len();
        let over = writer.level().over;
        open_groups(writer, over);
        writer.list(&function.regions[function.body].insts);
        writer.code.close("}");
        writer.code.close("}");
        let declared = std::mem::take(&mut writer.declared_for_all);
        writer.code.insert(at, &aligned(&declared));
        writer.declared_for_all = declared;
        writer.code.line("n::Ok(())");
        let code = std::mem::take(&mut writer.code);
        Self { body: code.finish(), buffers, weight: weight(writer) }
    }

    /// The whole expression.
    fn finish(&self, writer: &Writer<'_>, versions: Versions) -> String {
        let mut text = String::from("{\nuse n::primitive::*;\n");
        let _ = writeln!(text, "#[inline(always)]");
        let _ = write!(text, "unsafe fn body<M: n::Machine, const BARE: bool>(launch: &n::Launch<'_>, span: n::Span");
        for (param, _) in &self.buffers {
            let _ = write!(text, ", {param}");
        }
        let _ = writeln!(text, ") -> n::Result<(), n::Endless> {{\nunsafe {{\n{}}}\n}}", self.body);
        let passed: String = self.buffers.iter().map(|(_, passed)| format!(", {passed}")).collect();
        // The baseline has one form: it is for machines that nobody buys for speed, and each form takes time to compile.
        let guarded = !writer.uses_conditions;
        let mut version = |name: &str, bare: bool, attributes: &str, machine: &str| {
            let _ = writeln!(
                text,
                "{attributes}unsafe fn {name}_{bare}(launch: &n::Launch<'_>, span: n::Span) -> n::Result<(), n::Endless> \
                 {{ unsafe {{ body::<n::{machine}, {bare}>(launch, span{passed}) }} }}"
            );
        };
        if matches!(versions, Versions::All | Versions::Baseline) {
            version("baseline", guarded, "", "Plain");
        }
        let wide: &[(&str, &str)] = match versions {
            Versions::All => &[("avx2", AVX2), ("avx512", AVX512)],
            Versions::Baseline => &[],
            Versions::Avx2 => &[("avx2", AVX2)],
            Versions::Avx512 => &[("avx512", AVX512)],
        };
        let forms: &[bool] = if writer.uses_conditions { &[true, false] } else { &[true] };
        for &bare in forms {
            for (name, features) in wide {
                let attributes =
                    format!("#[cfg(target_arch = \"x86_64\")]\n#[target_feature(enable = \"{features}\")]\n");
                version(name, bare, &attributes, "Fused");
            }
        }
        let code = |bare: bool| {
            let baseline = match versions {
                Versions::All | Versions::Baseline => format!("baseline_{guarded}"),
                Versions::Avx2 => format!("avx2_{bare}"),
                Versions::Avx512 => format!("avx512_{bare}"),
            };
            let mut text = format!("n::Code {{ baseline: {baseline}");
            for level in ["avx2", "avx512"] {
                let _ = match wide.iter().any(|(name, _)| *name == level) {
                    true => write!(
                        text,
                        ", #[cfg(target_arch = \"x86_64\")] {level}: n::Some({level}_{bare}), \
                         #[cfg(not(target_arch = \"x86_64\"))] {level}: n::None"
                    ),
                    false => write!(text, ", {level}: n::None"),
                };
            }
            text + " }"
        };
        let guarded = code(guarded);
        let _ = writeln!(
            text,
            "static NATIVE: n::Native = n::Native {{ bare: {}, guarded: {guarded}, weight: {}, together: {}, image: IMAGE }};\n&NATIVE\n}}",
            code(true),
            self.weight,
            writer.together
        );
        text
    }
}

/// The instructions of the two levels above the baseline.
const AVX2: &str = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c";
const AVX512: &str = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c";

/// Reads what the launch passes, and declares memory.
fn prologue(writer: &mut Writer<'_>) {
    let function = writer.function;
    let block = LaunchBlock::of(function);
    for (i, param) in writer.memory.buffers.clone().into_iter().enumerate() {
        if function.root_access(Root::Param(param)) == Some(crate::ir::Access::Read) {
            writer.code.line(format!("let b{i}: *const u8 = r{i}.as_ptr();"));
        }
        writer.code.line(format!("let n{i}: u32 = launch.len({i});"));
    }
    for (&value, argument) in function.regions[function.body].params.iter().zip(block.arguments()) {
        let lane = lane_of(argument.ty);
        for (i, name) in (0..).zip(writer.names(value, 'v')) {
            let at = argument.words().start + i * argument.lane_words();
            let read = match lane.bits() {
                64 => op::bitcast(Scalar::U64, lane, &format!("launch.double({at})")),
                32 => op::bitcast(Scalar::U32, lane, &format!("launch.word({at})")),
                1 => format!("launch.word({at}) != 0"),
                _ => op::bitcast(lane.unsigned(), lane, &format!("(launch.word({at}) as {})", lane.unsigned().name())),
            };
            writer.code.line(format!("let {name}: {} = {read};", rust(lane)));
        }
    }
    for (i, table) in function.tables.iter().enumerate() {
        let (count, mut bytes) = (table.bytes.len(), String::new());
        for byte in table.bytes.iter() {
            let _ = write!(bytes, "{byte},");
        }
        writer.code.line(format!("static T{i}: n::Table<{count}> = n::Table([{bytes}]);"));
        writer.code.line(format!("let t{i}: *const u8 = T{i}.0.as_ptr();"));
    }
    let [_, height, depth] = function.workgroup_size();
    writer.code.line("let [gx0, gy, gz] = span.first;");
    writer.code.line(format!("let (oy, oz) = (gy.wrapping_mul({height}), gz.wrapping_mul({depth}));"));
    for i in 0..function.shared.len() as u32 {
        let words = function.root_size(writer.types, Root::Shared(i)).unwrap_or(0).div_ceil(8);
        writer.code.line(format!("let mut shared{i} = n::Aligned([0u64; {words}]);"));
    }
}

/// Opens the loop over the workgroups, and the block of one.
fn open_groups(writer: &mut Writer<'_>, over: Over) {
    let function = writer.function;
    let [width, ..] = function.workgroup_size();
    if over == Over::Row {
        writer.code.line(format!("let ox = gx0.wrapping_mul({width});"));
        writer.code.line(format!("let width = span.count.wrapping_mul({width});"));
        writer.code.open("{");
        writer.code.open("'group: {");
        return;
    }
    writer.code.open("for group in 0..span.count {");
    writer.code.line("let gx = gx0.unchecked_add(group);");
    writer.code.line(format!("let ox = gx.unchecked_mul({width});"));
    writer.code.open("'group: {");
    let filled_once = zeros::filled_once(writer);
    for i in 0..function.shared.len() as u32 {
        if !filled_once.contains(&i) {
            writer.code.line(format!("shared{i}.0.fill(0);"));
        }
        writer.code.line(format!("let s{i}: *mut u8 = shared{i}.0.as_mut_ptr().cast();"));
    }
    if writer.marks_gone {
        writer.code.line(format!("let mut gone = [0u32; {}];", function.invocations()));
    }
    let groups: Vec<Root> =
        writer.memory.homes.iter().filter(|(_, home)| **home == Home::Group).map(|(&root, _)| root).collect();
    for root in groups {
        writer.memory_of(root, function.invocations());
    }
}

/// How much an invocation has to do, about: loops are counted eight times.
fn weight(writer: &Writer<'_>) -> u32 {
    let function = writer.function;
    let mut total = 0u32;
    for &inst in writer.tree.insts() {
        let depth = writer.tree.loops_around(function, inst).count() as u32;
        let cost = match &function.insts[inst].kind {
            InstKind::Op(op, _) => op.info().weight,
            InstKind::Load(_) | InstKind::Store(..) => 8,
            InstKind::Atomic(..) => 80,
            _ => 1,
        };
        total = total.saturating_add(cost.saturating_mul(8u32.saturating_pow(depth.min(4))));
    }
    total
}
