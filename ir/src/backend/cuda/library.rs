//! Routines of the library as functions of the text, each made when it is first called.
//!
//! Their words are `sb_u32`; what gives two words gives a `sb_u64`. A routine that loops or
//! calls another one computes what CUDA has natively, so that none such is asked for.

use super::code::{Code, literal};
use super::op::lane;
use crate::ir::{Function, InstKind, Value};
use crate::ops::Op;
use crate::soft::Routine;
use crate::types::{Scalar, Type};

/// The expression for what a routine gives for these words.
pub(super) fn call(code: &mut Code, routine: Routine, words: &[String]) -> String {
    let function = routine.function();
    let result = match function.results[..] {
        [Type::BOOL] => "bool",
        [_] => "sb_u32",
        _ => "sb_u64",
    };
    let params: Vec<String> =
        function.regions[function.body].params.iter().map(|&value| format!("sb_u32 {}", name(value))).collect();
    let name = code.function(format!("sb_soft_{}", function.name), result, &params.join(", "), |code| {
        let mut writer = Writer { code, function, text: String::new() };
        writer.body();
        writer.text
    });
    format!("{name}({})", words.join(", "))
}

/// The words of a value.
pub(super) fn words(scalar: Scalar, value: &str) -> Vec<String> {
    if scalar.bits() == 64 {
        vec![format!("(sb_u32){value}"), format!("(sb_u32)({value} >> 32)")]
    } else {
        vec![value.to_owned()]
    }
}

fn name(value: Value) -> String {
    format!("v{}", value.index())
}

/// A routine that is being written.
struct Writer<'w> {
    code: &'w mut Code,
    function: &'w Function,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text += line.as_ref();
        self.text.push('\n');
    }

    fn body(&mut self) {
        let function = self.function;
        for &inst in &function.regions[function.body].insts {
            let def = &function.insts[inst];
            match &def.kind {
                InstKind::Op(op, args) => {
                    let value = self.op(*op, args);
                    for &result in &def.results {
                        let ty = if function.ty(result) == Type::BOOL { "bool" } else { "sb_u32" };
                        self.line(format!("const {ty} {} = {value};", name(result)));
                    }
                }
                InstKind::Return(values) => {
                    let words: Vec<String> = values.iter().map(|&value| self.value(value)).collect();
                    match &words[..] {
                        [low, high] => self.line(format!("return (sb_u64){high} << 32 | {low};")),
                        words => self.line(format!("return {};", words.concat())),
                    }
                }
                _ => {}
            }
        }
    }

    fn value(&self, value: Value) -> String {
        let ty = self.function.ty(value).lane().unwrap_or(Scalar::U32);
        self.function.constant_bits(value).map_or_else(|| name(value), |bits| literal(ty, bits))
    }

    fn op(&mut self, op: Op, args: &[Value]) -> String {
        let ty = args.first().and_then(|&value| self.function.ty(value).lane()).unwrap_or(Scalar::U32);
        let words: Vec<String> = args.iter().map(|&value| self.value(value)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match (op, &words[..]) {
            (Op::Select, [condition, yes, no]) => format!("{condition} ? {yes} : {no}"),
            // The divisor is not zero.
            (Op::Div, [a, b]) => format!("{a} / {b}"),
            _ => lane(self.code, op, ty, &words),
        }
    }
}
