//! What the operations of four other systems are in this one.
//!
//! NIR's ALU opcodes, the compute opcodes of DXBC-IR, the instructions of GIR and the
//! expressions of vyre: for each there is an op of the table that is the same, instructions
//! that do the same, or a sentence that says why there is none. The page `docs/src/reference/systems.md`
//! is made of these lists, and so is the last column of `docs/src/reference/ops.md`. Tests run every
//! expansion and compare the lists with the systems' own.

pub mod dxbc;
pub mod gir;
pub mod nir;
pub mod vyre;

use samebits_ir::ops::Op;
use std::fmt::Write as _;

/// What an operation is here.
#[derive(Clone, Copy, Debug)]
pub enum Here {
    /// Any of these ops, by type; operands and values are the same.
    Ops(&'static [Op]),
    /// These instructions.
    Text(Text),
    /// What is no pure op.
    Other(&'static str),
    /// There is none, for this reason.
    Absent(&'static str),
}

/// Instructions on the operands `%a`, `%b`, `%c`, `%d`, whose value is `%r`.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The types of the operands, and the value's after the arrow.
    pub types: &'static str,
    /// The instructions.
    pub text: &'static str,
    /// Operands and the value that they give, as literals.
    pub probes: &'static [(&'static str, &'static str)],
}

/// A system's name for an operation, and what it is here.
pub type Entry = (&'static str, Here);

/// A system.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// What it is called.
    pub name: &'static str,
    /// What its list contains, in a sentence.
    pub scope: &'static str,
    /// The operations.
    pub entries: &'static [Entry],
}

/// The four systems.
pub const SYSTEMS: [System; 4] = [
    System {
        name: "NIR",
        scope: "The ALU opcodes for compute, without the suffixes of result widths, and the families that are left out.",
        entries: nir::ENTRIES,
    },
    System {
        name: "DXBC-IR",
        scope: "The opcodes of the IR that compute shaders may use, and the ones that need textures.",
        entries: dxbc::ENTRIES,
    },
    System { name: "GIR", scope: "The instructions.", entries: gir::ENTRIES },
    System { name: "vyre", scope: "The operators, expressions, statements and atomics.", entries: vyre::ENTRIES },
];

/// Shorthand for the lists.
const fn op(op: &'static [Op]) -> Here {
    Here::Ops(op)
}

/// Shorthand for the lists.
const fn text(types: &'static str, text: &'static str, probes: &'static [(&'static str, &'static str)]) -> Here {
    Here::Text(Text { types, text, probes })
}

/// The names of an op in the systems that have it, by system.
pub fn names(of: Op) -> Vec<(&'static str, Vec<&'static str>)> {
    let names = |system: &System| {
        let same = |&&(_, here): &&Entry| matches!(here, Here::Ops(ops) if ops.contains(&of));
        system.entries.iter().filter(same).map(|&(name, _)| name).collect::<Vec<_>>()
    };
    SYSTEMS.iter().map(|system| (system.name, names(system))).filter(|(_, names)| !names.is_empty()).collect()
}

/// The page that tells what everything is here.
pub fn page() -> String {
    let mut out = String::from(
        "# Operations of other systems\n\n\
         This page is generated from `tests/src/systems/` by a test, which also runs every expansion.\n\n\
         An expansion works on the operands `%a`, `%b`, `%c`, `%d`; its value is `%r`.\n\
         Where a system defines an edge otherwise than this table does, the expansion does as that system.\n",
    );
    for system in SYSTEMS {
        let _ = write!(out, "\n## {}\n\n{}\n\n| operation | here |\n| --- | --- |\n", system.name, system.scope);
        for (name, here) in system.entries {
            let here = match here {
                Here::Ops(ops) => ops.iter().map(|op| format!("`{}`", op.info().name)).collect::<Vec<_>>().join(" "),
                Here::Text(text) => format!("`{}`, of `{}`", text.text, text.types),
                Here::Other(what) => (*what).to_owned(),
                Here::Absent(why) => format!("none: {why}"),
            };
            let _ = writeln!(out, "| `{name}` | {here} |");
        }
    }
    out
}
