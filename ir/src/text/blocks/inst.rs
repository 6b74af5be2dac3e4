//! Instructions of block form: the mnemonic, its operands, its type and its keys.
//!
//! Every op of the table is an instruction of its name here too, with the table's types.
//! Three names differ, because this form uses them for conversions: the table's `trunc` of
//! floats is `ftrunc`; `cast` and `bitcast` state their type where it does not follow.

use super::ast::{Arg, CONVERSIONS, Family, Inst, Kind, RMW, Rmw, Val};
use super::parse::{FuncParser, constant_fits};
use crate::diag::{Code, Diag};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope, fence_fault};
use crate::text::lex::{Sigil, Tok};
use crate::text::literal;
use crate::text::parse::{Failed, Parsed};

/// What a mnemonic means, and how many operands it takes at least and at most.
fn meaning(mnemonic: &str) -> Option<(Kind, (usize, usize))> {
    if let Some(&(_, conv)) = CONVERSIONS.iter().find(|(name, _)| *name == mnemonic) {
        return Some((Kind::Conv(conv), (1, 1)));
    }
    if let Some(op) = mnemonic.strip_prefix("subgroup.") {
        return SubgroupOp::from_name(op).map(|op| (Kind::Subgroup(op), (op.operands(), op.operands())));
    }
    if let Some((family, predicate)) = mnemonic.split_once('.') {
        return compare(family, predicate).map(|kind| (kind, (2, 2)));
    }
    match mnemonic {
        "mov" | "iconst" | "uconst" | "fconst" => Some((Kind::Mov, (1, 1))),
        "load" => Some((Kind::Load, (1, 1))),
        "store" => Some((Kind::Store, (2, 2))),
        "gep" => Some((Kind::Gep { stride: 0, bound: None }, (2, 2))),
        "len" => Some((Kind::Len, (1, 1))),
        "barrier" => Some((Kind::Barrier, (0, 0))),
        "ftrunc" => Some((Kind::Op(Op::Trunc), (1, 1))),
        _ => Op::from_name(mnemonic).map(|op| (Kind::Op(op), op.info().signature.arity())),
    }
}

fn compare(family: &str, predicate: &str) -> Option<Kind> {
    let (family, predicate) = match (family, predicate) {
        ("icmp", predicate) => (Family::Signed, predicate),
        ("ucmp", predicate) => (Family::Unsigned, predicate),
        ("fcmp", "ord") => return Some(Kind::Ordered(true)),
        ("fcmp", "uno") => return Some(Kind::Ordered(false)),
        ("fcmp", predicate) => match (predicate.strip_prefix('o'), predicate.strip_prefix('u')) {
            (Some(predicate), _) => (Family::Ordered, predicate),
            (None, Some(predicate)) => (Family::Unordered, predicate),
            (None, None) => return None,
        },
        _ => return None,
    };
    let compares = |op: &Op| matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
    Op::from_name(predicate).filter(compares).map(|op| Kind::Compare(family, op))
}

/// What a key is set to.
enum Setting<'s> {
    Word(&'s str),
    Number(&'s str),
}

/// The keys of an instruction.
#[derive(Default)]
struct Keys<'s> {
    list: Vec<(&'s str, Setting<'s>, Loc)>,
}

impl<'s> FuncParser<'_, 's> {
    /// The instruction of this mnemonic, which was taken.
    pub(super) fn instruction(&mut self, mnemonic: &'s str, loc: Loc, result: Option<Val>) -> Parsed<Inst> {
        let (kind, (fewest, most)) = self.kind(mnemonic, loc)?;
        let mut inst = Inst { loc, mnemonic: mnemonic.to_owned(), kind, result, args: Vec::new(), to: None };
        let mut keys = Keys::default();
        if matches!(inst.kind, Kind::Call(_)) {
            self.parser.expect('(')?;
            while self.at_operand() {
                inst.args.push(self.operand()?);
                if !self.parser.eat(',') {
                    break;
                }
            }
            self.parser.expect(')')?;
        } else if most > 0 && (fewest > 0 || self.at_operand()) {
            inst.args.push(self.operand()?);
            while self.parser.at_punct(',') && !self.key_at(1) {
                self.parser.take();
                inst.args.push(self.operand()?);
            }
        }
        if self.parser.eat_word("to") {
            let to_loc = self.parser.peek().loc();
            let ty = self.parser.block_ty()?;
            if !matches!(inst.kind, Kind::Conv(_)) {
                let message = format!("`{mnemonic}` is not a conversion, so it takes no `to`");
                return Err(self.parser.error(Code::V700, to_loc, message));
            }
            inst.to = Some(ty);
        }
        self.keys(&mut keys)?;
        if inst.args.len() < fewest || inst.args.len() > most {
            let takes = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
            let message = format!("`{mnemonic}` takes {takes} operands, not {}", inst.args.len());
            return Err(self.parser.error(Code::V204, loc, message));
        }
        self.settle(&mut inst, &mut keys)?;
        if let Some((key, _, key_loc)) = keys.list.first() {
            let message = format!("`{mnemonic}` has no `{key}`");
            return Err(self.parser.error(Code::V700, *key_loc, message));
        }
        self.result_fits(&inst)?;
        Ok(inst)
    }

    fn kind(&mut self, mnemonic: &'s str, loc: Loc) -> Parsed<(Kind, (usize, usize))> {
        if let Some(name) = mnemonic.strip_prefix("atomic.") {
            let order = MemoryOrder::RELAXED;
            if name == "rmw" {
                let Tok::Word(word) = self.parser.peek().tok else {
                    return Err(self.parser.expected("an atomic operation"));
                };
                let Some(&(_, rmw)) = RMW.iter().find(|(name, _)| *name == word) else {
                    return Err(self.parser.expected("an atomic operation, such as `add`"));
                };
                self.parser.take();
                let fewest = if rmw.flag.is_some() { 1 } else { 2 };
                return Ok((Kind::Atomic(rmw, order), (fewest, 2)));
            }
            let alone = |op: &AtomicOp| matches!(op, AtomicOp::Load | AtomicOp::Store | AtomicOp::CompareExchange);
            let Some(op) = AtomicOp::from_name(name).filter(alone) else {
                return Err(self.parser.error(Code::V700, loc, format!("unknown atomic `{mnemonic}`")));
            };
            let takes = 1 + op.operands();
            return Ok((Kind::Atomic(Rmw::of(op, op.class()), order), (takes, takes)));
        }
        match mnemonic {
            "call" => {
                let (name, _) = self.parser.name(Sigil::Global, "the function to call")?;
                return Ok((Kind::Call(name.text), (0, usize::MAX)));
            }
            "fence" => return Ok((Kind::Fence(Ordering::SeqCst, Scope::Device), (0, 0))),
            "builtin" => {
                let Tok::Word(name) = self.parser.peek().tok else { return Err(self.parser.expected("a builtin")) };
                let Some(kind) = builtin(name) else { return Err(self.parser.expected("a builtin")) };
                self.parser.take();
                return Ok((kind, (0, 0)));
            }
            _ => {}
        }
        let known = builtin(mnemonic).map(|kind| (kind, (0, 0))).or_else(|| meaning(mnemonic));
        known.ok_or_else(|| self.parser.error(Code::V700, loc, format!("unknown instruction `{mnemonic}`")))
    }

    /// Whether `key =` begins this many tokens ahead.
    fn key_at(&self, ahead: usize) -> bool {
        matches!(self.parser.peek_at(ahead).tok, Tok::Word(_)) && self.parser.peek_at(ahead + 1).tok == Tok::Punct('=')
    }

    fn keys(&mut self, keys: &mut Keys<'s>) -> Parsed<()> {
        loop {
            let comma = usize::from(self.parser.at_punct(','));
            if !self.key_at(comma) {
                return Ok(());
            }
            if comma == 1 {
                self.parser.take();
            }
            let token = self.parser.take();
            let Tok::Word(key) = token.tok else { return Ok(()) };
            self.parser.eat('=');
            let setting = match self.parser.peek().tok {
                Tok::Word(word) => Setting::Word(word),
                Tok::Number(number) => Setting::Number(number),
                _ => return Err(self.parser.expected(&format!("a value of `{key}`"))),
            };
            self.parser.take();
            if keys.list.iter().any(|(other, ..)| *other == key) {
                return Err(self.parser.error(Code::V700, token.loc(), format!("`{key}` is given twice")));
            }
            keys.list.push((key, setting, token.loc()));
        }
    }

    /// A key that has a word for its value.
    fn word<T>(&mut self, keys: &mut Keys<'s>, key: &str, of: fn(&str) -> Option<T>) -> Parsed<Option<T>> {
        let Some(at) = keys.list.iter().position(|(other, ..)| *other == key) else { return Ok(None) };
        let (_, setting, loc) = keys.list.remove(at);
        let found = match setting {
            Setting::Word(word) => of(word),
            Setting::Number(_) => None,
        };
        match found {
            Some(found) => Ok(Some(found)),
            None => Err(self.parser.error(Code::V700, loc, format!("unknown {key}"))),
        }
    }

    /// A key that has a number for its value, perhaps with the type of a number.
    fn number(&mut self, keys: &mut Keys<'s>, key: &str) -> Parsed<Option<u32>> {
        let Some(at) = keys.list.iter().position(|(other, ..)| *other == key) else { return Ok(None) };
        let (_, setting, loc) = keys.list.remove(at);
        let value = match setting {
            Setting::Word(_) => None,
            Setting::Number(text) => literal::integer(text)
                .or_else(|| literal::parse(text).ok().filter(|c| c.0.is_int()).map(|c| i128::from(c.1))),
        };
        match value.map(u32::try_from) {
            Some(Ok(value)) => Ok(Some(value)),
            _ => Err(self.parser.error(Code::V103, loc, format!("`{key}` is not a number of 32 bits"))),
        }
    }

    /// The same of a key that the instruction needs.
    fn needed<T>(&mut self, inst: &Inst, keys: &mut Keys<'s>, key: &str, of: fn(&str) -> Option<T>) -> Parsed<T> {
        self.word(keys, key, of)?.ok_or_else(|| self.needs(inst, key))
    }

    fn needs(&mut self, inst: &Inst, key: &str) -> Failed {
        let message = format!("`{}` needs `{key}`", inst.mnemonic);
        let example = match key {
            "stride" => "add the number of bytes between elements, as in `stride=4`".to_owned(),
            "scope" => "add it, as in `scope=device`".to_owned(),
            _ => format!("add it, as in `{key}=acq_rel`"),
        };
        self.parser.diags.push(Diag::new(Code::V700, inst.loc, message).help(example));
        Failed
    }

    /// Gives an instruction what its keys say.
    fn settle(&mut self, inst: &mut Inst, keys: &mut Keys<'s>) -> Parsed<()> {
        match inst.kind.clone() {
            Kind::Gep { .. } => {
                let Some(stride) = self.number(keys, "stride")? else { return Err(self.needs(inst, "stride")) };
                if stride == 0 {
                    return Err(self.parser.error(Code::V301, inst.loc, "the stride cannot be 0"));
                }
                inst.kind = Kind::Gep { stride, bound: self.number(keys, "bound")? };
            }
            Kind::Barrier => {
                let scope = self.word(keys, "scope", Scope::from_name)?.unwrap_or(Scope::Workgroup);
                if scope != Scope::Workgroup {
                    return Err(self.parser.error(
                        Code::V700,
                        inst.loc,
                        "the scope of a barrier can only be `workgroup`",
                    ));
                }
            }
            Kind::Fence(..) => {
                let ordering = self.needed(inst, keys, "ordering", Ordering::from_name)?;
                let scope = self.needed(inst, keys, "scope", Scope::from_name)?;
                if let Some(fault) = fence_fault(ordering) {
                    return Err(self.parser.error(Code::V700, inst.loc, fault));
                }
                inst.kind = Kind::Fence(ordering, scope);
            }
            Kind::Atomic(op, _) => {
                let exchange = op.op == AtomicOp::CompareExchange;
                let key = if exchange { "ordering_succ" } else { "ordering" };
                let ordering = self.needed(inst, keys, key, Ordering::from_name)?;
                let mut failure = Ordering::Relaxed;
                if exchange {
                    failure = self.needed(inst, keys, "ordering_fail", Ordering::from_name)?;
                }
                let scope = self.needed(inst, keys, "scope", Scope::from_name)?;
                inst.kind = Kind::Atomic(op, MemoryOrder { ordering, failure, scope });
            }
            Kind::Mov => {
                if let (Some(Arg::Const(ty, _)), mnemonic) = (inst.args.first().map(|a| a.arg), &inst.mnemonic)
                    && !constant_fits(mnemonic, ty)
                {
                    let message = format!("`{mnemonic}` does not take a constant of type `{}`", ty.name());
                    return Err(self.parser.error(Code::V021, inst.loc, message));
                }
                if inst.mnemonic != "mov" && !matches!(inst.args.first().map(|a| a.arg), Some(Arg::Const(..))) {
                    let diag = Diag::new(Code::V021, inst.loc, format!("`{}` takes a literal", inst.mnemonic));
                    self.parser.diags.push(diag.help("use `mov`"));
                    return Err(Failed);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn result_fits(&mut self, inst: &Inst) -> Parsed<()> {
        let message = match (&inst.kind, inst.result) {
            (
                Kind::Atomic(Rmw { op: AtomicOp::Store, .. }, _) | Kind::Store | Kind::Barrier | Kind::Fence(..),
                Some(_),
            ) => {
                format!("`{}` has no result, but a name is given", inst.mnemonic)
            }
            (Kind::Atomic(..) | Kind::Call(_) | Kind::Store | Kind::Barrier | Kind::Fence(..), _) | (_, Some(_)) => {
                return Ok(());
            }
            (_, None) => format!("`{}` has a result, but no name is given for it", inst.mnemonic),
        };
        Err(self.parser.error(Code::V700, inst.loc, message))
    }
}

fn builtin(name: &str) -> Option<Kind> {
    let axis = name.strip_prefix("workgroup_size.").and_then(|axis| ["x", "y", "z"].iter().position(|a| *a == axis));
    Builtin::from_name(name).map(Kind::Builtin).or(axis.map(Kind::WorkgroupSize))
}
