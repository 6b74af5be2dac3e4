//! Instructions: the mnemonic, its operands, and the names of its results.

use super::body::Body;
use super::lex::{Name, Sigil, Tok};
use super::parse::{Failed, Parsed};
use crate::diag::{Code, Diag, count};
use crate::flags::{Flags, Unroll};
use crate::ir::{CallArg, Case, InstKind, ParamKind, Region, Value};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type};

impl<'s> Body<'_, 's> {
    /// An instruction with the names of its results.
    pub(super) fn inst(&mut self) -> Parsed<()> {
        let mut names = Vec::new();
        let made = self.result_names(&mut names).and_then(|()| self.operation());
        match made {
            Ok((mnemonic, loc, results)) => {
                let unnamed_atomic = names.is_empty() && mnemonic.starts_with("atomic.");
                if names.len() != results.len() && !unnamed_atomic {
                    let has = count(results.len(), "result");
                    let given =
                        if names.len() == 1 { "1 name is given" } else { &format!("{} names are given", names.len()) };
                    let message = format!("`{mnemonic}` has {has}, but {given}");
                    self.error(Code::V700, loc, message);
                }
                for (i, (name, loc)) in names.into_iter().enumerate() {
                    let value = results.get(i).copied().unwrap_or_else(|| self.poison());
                    self.define(name, loc, value);
                }
                Ok(())
            }
            Err(failed) => {
                for (name, loc) in names {
                    let value = self.poison();
                    self.define(name, loc, value);
                }
                Err(failed)
            }
        }
    }

    fn result_names(&mut self, names: &mut Vec<(Name, Loc)>) -> Parsed<()> {
        if !matches!(self.parser.peek().tok, Tok::Name(Sigil::Value, _)) {
            return Ok(());
        }
        loop {
            names.push(self.parser.name(Sigil::Value, "the name of a result")?);
            if !self.parser.eat(',') {
                return self.parser.expect('=');
            }
        }
    }

    /// What is after the names: the mnemonic, where it is, and the results.
    fn operation(&mut self) -> Parsed<(&'s str, Loc, Vec<Value>)> {
        let (mut flags, loc) = (Flags::NONE, self.parser.peek().loc());
        while let Tok::Word(word) = self.parser.peek().tok
            && let Some(flag) = Flags::from_name(word)
        {
            self.parser.take();
            flags = flags.and(flag);
        }
        if !flags.is_empty() && matches!(self.parser.peek().tok, Tok::Word("if" | "switch" | "loop" | "call")) {
            self.error(Code::V700, loc, "a call and an instruction with blocks take no flags");
            flags = Flags::NONE;
        }
        if flags.has(Flags::RACY) && !matches!(self.parser.peek().tok, Tok::Word("load" | "store")) {
            self.error(Code::V700, loc, "only loads and stores are `racy`");
            flags = Flags::NONE;
        }
        self.builder.flags(flags);
        let made = self.flagged_operation();
        self.builder.flags(Flags::NONE);
        made
    }

    fn flagged_operation(&mut self) -> Parsed<(&'s str, Loc, Vec<Value>)> {
        let Tok::Word(mnemonic) = self.parser.peek().tok else {
            if let Tok::Name(Sigil::Global, name) = &self.parser.peek().tok {
                let help = format!("call a function with `call @{}(…)`", name.text);
                return Err(self.parser.expected_or("an instruction", &help));
            }
            return Err(self.parser.expected("an instruction"));
        };
        let loc = self.parser.take().loc();
        self.builder.at(loc);
        let results = if let Some(op) = Op::from_name(mnemonic) {
            self.op(op)?
        } else if let Some(builtin) = Builtin::from_name(mnemonic) {
            vec![self.builder.builtin(builtin)]
        } else if let Some(name) = mnemonic.strip_prefix("atomic.") {
            match AtomicOp::from_name(name) {
                Some(op) => self.atomic(op, loc)?,
                None => return Err(self.error(Code::V700, loc, format!("unknown atomic `{mnemonic}`"))),
            }
        } else if let Some(name) = mnemonic.strip_prefix("subgroup.") {
            match SubgroupOp::from_name(name) {
                Some(op) => self.subgroup(op, loc)?,
                None => return Err(self.error(Code::V700, loc, format!("unknown subgroup operation `{mnemonic}`"))),
            }
        } else {
            self.keyword(mnemonic, loc)?
        };
        Ok((mnemonic, loc, results))
    }

    fn op(&mut self, op: Op) -> Parsed<Vec<Value>> {
        let args = self.values()?;
        let stated = if op.info().signature.states_result() {
            if !self.parser.eat_word("to") {
                return Err(self.parser.expected("`to` and a type"));
            }
            Some(self.parser.ty()?)
        } else {
            None
        };
        Ok(vec![match stated {
            Some(ty) => self.builder.op_to(op, &args, ty),
            None => self.builder.op(op, &args),
        }])
    }

    fn subgroup(&mut self, op: SubgroupOp, loc: Loc) -> Parsed<Vec<Value>> {
        let args = if op.operands() == 0 { Vec::new() } else { self.values()? };
        if args.len() != op.operands() {
            let (takes, given) = (count(op.operands(), "operand"), args.len());
            return Err(self.error(Code::V204, loc, format!("`subgroup.{}` takes {takes}, not {given}", op.name())));
        }
        Ok(vec![self.builder.subgroup(op, &args)])
    }

    fn atomic(&mut self, op: AtomicOp, loc: Loc) -> Parsed<Vec<Value>> {
        let stated = if op == AtomicOp::Load { Some(self.parser.ty()?) } else { None };
        if let Tok::Word(word) = self.parser.peek().tok
            && Scalar::from_name(word).is_some()
        {
            let help = format!("leave out the type: `atomic.{}` has that of its operand", op.name());
            return Err(self.parser.expected_or("memory (`@name`)", &help));
        }
        let place = self.place()?;
        let args = if self.parser.eat(',') { self.values()? } else { Vec::new() };
        if args.len() != op.operands() {
            let (takes, given) = (count(op.operands(), "value"), args.len());
            let message = format!("`atomic.{}` takes {takes} after the place, not {given}", op.name());
            return Err(self.error(Code::V204, loc, message));
        }
        let operand = args.first().map(|&arg| self.builder.function().ty(arg));
        let ty = stated.or(operand).unwrap_or(Type::Error);
        let place = self.resolve(&place, ty);
        let order = self.order(MemoryOrder::RELAXED, true)?;
        Ok(self.builder.atomic_with(op, place, &args, ty, order).into_iter().collect())
    }

    /// The attributes of an order, each at most once; what is left out is as in `default`.
    fn order(&mut self, default: MemoryOrder, may_fail: bool) -> Parsed<MemoryOrder> {
        let mut order = default;
        let mut seen: Vec<&str> = Vec::new();
        while let Tok::Word(key @ ("ordering" | "failure" | "scope")) = self.parser.peek().tok {
            let loc = self.parser.take().loc();
            if seen.contains(&key) || key == "failure" && !may_fail {
                let problem =
                    if may_fail || key != "failure" { "is given twice" } else { "is only for an access that can fail" };
                return Err(self.error(Code::V700, loc, format!("`{key}` {problem}")));
            }
            seen.push(key);
            self.parser.expect('=')?;
            let found = match self.parser.peek().tok {
                Tok::Word(word) => match key {
                    "ordering" => Ordering::from_name(word).map(|ordering| order.ordering = ordering),
                    "failure" => Ordering::from_name(word).map(|ordering| order.failure = ordering),
                    _ => Scope::from_name(word).map(|scope| order.scope = scope),
                },
                _ => None,
            };
            if found.is_none() {
                let names: Vec<&str> = match key {
                    "scope" => Scope::ALL.iter().map(|scope| scope.name()).collect(),
                    _ => Ordering::ALL.iter().map(|ordering| ordering.name()).collect(),
                };
                return Err(self.parser.expected(&format!("one of `{}`", names.join("`, `"))));
            }
            self.parser.take();
        }
        Ok(order)
    }

    /// An instruction that is neither a pure op, nor a builtin, nor an atomic, nor one of subgroups.
    fn keyword(&mut self, mnemonic: &str, loc: Loc) -> Parsed<Vec<Value>> {
        match mnemonic {
            "load" => {
                let ty = self.parser.ty()?;
                let place = self.place()?;
                let place = self.resolve(&place, ty);
                return Ok(vec![self.builder.load(place, ty)]);
            }
            "store" => {
                let place = self.place()?;
                self.parser.expect(',')?;
                let value = self.value()?;
                let place = self.resolve(&place, self.builder.function().ty(value));
                self.builder.store(place, value);
            }
            "len" => {
                let root = self.root()?;
                return Ok(vec![self.builder.len(root)]);
            }
            "barrier" => {
                self.builder.barrier();
            }
            "fence" => {
                let default = MemoryOrder { ordering: Ordering::AcqRel, ..MemoryOrder::RELAXED };
                let MemoryOrder { ordering, scope, .. } = self.order(default, false)?;
                self.builder.fence(ordering, scope);
            }
            "call" => return self.call(),
            "get" => {
                let var = self.var()?;
                return Ok(vec![self.builder.get(var)]);
            }
            "set" => {
                let var = self.var()?;
                self.parser.expect(',')?;
                let value = self.value()?;
                self.builder.set(var, value);
            }
            "if" => return self.if_(loc),
            "switch" => return self.switch(loc),
            "loop" => return self.loop_(loc),
            "yield" => {
                let values = self.jump_values()?;
                self.builder.yield_(&values);
            }
            "break" => {
                let target = self.target(mnemonic, loc)?;
                let values = self.jump_values()?;
                self.builder.break_(target, &values);
            }
            "continue" => {
                let target = self.target(mnemonic, loc)?;
                let values = self.jump_values()?;
                self.builder.continue_(target, &values);
            }
            "ret" => {
                // Where there are no results, a name on the next line begins an instruction
                // that cannot be reached.
                let none = self.builder.function().results.is_empty() && self.parser.peek().first_on_line;
                let values = if none { Vec::new() } else { self.jump_values()? };
                self.builder.ret_values(&values);
            }
            "unreachable" => {
                self.builder.unreachable();
            }
            "shared" | "private" | "table" | "var" => {
                let diag = Diag::new(Code::V700, loc, format!("`{mnemonic}` after the first instruction"));
                self.parser.diags.push(diag.help("move the declaration to the start of the function"));
                return Err(Failed);
            }
            _ => return Err(self.error(Code::V700, loc, format!("unknown instruction `{mnemonic}`"))),
        }
        Ok(Vec::new())
    }

    fn call(&mut self) -> Parsed<Vec<Value>> {
        let (name, name_loc) = self.parser.name(Sigil::Global, "the function to call")?;
        let callee = self.parser.signatures.get(&name.text);
        let callee = callee.map(|(index, callee)| (*index, callee.params.clone(), callee.results.clone()));
        self.parser.expect('(')?;
        let mut args = Vec::new();
        while self.parser.item(args.is_empty(), ')')? {
            args.push(if matches!(self.parser.peek().tok, Tok::Name(Sigil::Global, _)) {
                let place = self.place()?;
                let param = callee.as_ref().and_then(|(_, params, _)| params.get(args.len()));
                let element = match param.map(|param| param.kind) {
                    Some(ParamKind::Buffer { element, .. }) => element,
                    Some(ParamKind::Scalar(_)) | None => Type::Error,
                };
                CallArg::Place(self.resolve(&place, element))
            } else {
                CallArg::Value(self.value()?)
            });
        }
        let Some((function, _, results)) = callee else {
            // What is wrong with its own head is reported there.
            if self.parser.failed.contains(&name.text) {
                return Err(Failed);
            }
            return Err(self.error(Code::V016, name_loc, format!("cannot find function `@{}`", name.text)));
        };
        Ok(self.builder.call(function, args, &results))
    }

    fn if_(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let condition = self.value()?;
        let types = self.parser.result_types()?;
        let plain = types.is_empty();
        let then = self.arm(plain)?;
        let otherwise = self.last_arm("else", "if", plain, loc)?;
        self.builder.at(loc);
        Ok(self.builder.if_else(condition, then, otherwise, &types))
    }

    /// A region of an `if` or `switch`, which is `plain` if it gives nothing.
    fn arm(&mut self, plain: bool) -> Parsed<Region> {
        let region = self.builder.region(&[]);
        self.block(region, &[], plain)?;
        Ok(region)
    }

    /// The region behind a word, which can only be left out if it gives nothing.
    fn last_arm(&mut self, word: &str, of: &str, plain: bool, loc: Loc) -> Parsed<Region> {
        if self.parser.eat_word(word) {
            self.arm(plain)
        } else if plain {
            Ok(self.absent_block(loc))
        } else {
            Err(self.parser.expected(&format!("`{word}`, because the `{of}` has results")))
        }
    }

    fn switch(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let selector = self.value()?;
        let types = self.parser.result_types()?;
        let plain = types.is_empty();
        self.parser.expect('{')?;
        let Ok((cases, default)) = self.arms(selector, plain, loc) else {
            self.parser.skip_block();
            return Err(Failed);
        };
        self.parser.expect('}')?;
        self.builder.at(loc);
        Ok(self.builder.switch(selector, cases, default, &types))
    }

    /// The cases and the default of a `switch`.
    fn arms(&mut self, selector: Value, plain: bool, loc: Loc) -> Parsed<(Vec<Case>, Region)> {
        let mut cases = Vec::new();
        while self.parser.eat_word("case") {
            let values = self.case_values(selector)?;
            cases.push(Case { values, region: self.arm(plain)? });
        }
        let default = self.last_arm("default", "switch", plain, loc)?;
        if !self.parser.at_punct('}') {
            return Err(self.parser.expected("`case`, `default` or `}`"));
        }
        Ok((cases, default))
    }

    fn case_values(&mut self, selector: Value) -> Parsed<Vec<u64>> {
        let expected = self.builder.function().ty(selector);
        let mut values = Vec::new();
        // A case that nothing selects is useless and harmless, and wire bytes may have one.
        if self.parser.at_punct('{') {
            return Ok(values);
        }
        loop {
            let loc = self.parser.peek().loc();
            let (ty, bits) = self.parser.literal()?;
            if Type::Scalar(ty) != expected && expected != Type::Error {
                let selector = self.parser.types.display(expected).to_string();
                let message = format!("case of type `{}`, but the selector is `{selector}`", ty.name());
                self.error(Code::V021, loc, message);
            }
            values.push(bits);
            if !self.parser.eat(',') {
                return Ok(values);
            }
        }
    }

    /// `unroll`, `unroll(4)` or `unroll(never)`, and where it is.
    fn unroll(&mut self) -> Parsed<Option<(Unroll, Loc)>> {
        let loc = self.parser.peek().loc();
        if !self.parser.eat_word("unroll") {
            return Ok(None);
        }
        if !self.parser.eat('(') {
            return Ok(Some((Unroll::Full, loc)));
        }
        let unroll = match self.parser.peek().tok {
            Tok::Number(_) => Unroll::By(self.parser.plain_u32("the number of copies")?),
            Tok::Word("never") => {
                self.parser.take();
                Unroll::Never
            }
            _ => return Err(self.parser.expected("a number of copies or `never`")),
        };
        self.parser.expect(')')?;
        Ok(Some((unroll, loc)))
    }

    fn loop_(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let unroll = self.unroll()?;
        let label = match self.parser.peek().tok {
            Tok::Name(Sigil::Label, _) => Some(self.parser.name(Sigil::Label, "a label")?.0.text),
            _ => None,
        };
        let (mut params, mut types, mut initial) = (Vec::new(), Vec::new(), Vec::new());
        if self.parser.eat('(') {
            while self.parser.item(params.is_empty(), ')')? {
                params.push(self.parser.name(Sigil::Value, "a parameter of the loop")?);
                self.parser.expect(':')?;
                types.push(self.parser.ty()?);
                self.parser.expect('=')?;
                initial.push(self.value()?);
            }
        }
        let results = self.parser.result_types()?;
        let body = self.builder.region(&types);
        self.builder.at(loc);
        let kind = InstKind::Loop { body, initial, label: label.as_deref().map(Into::into) };
        let inst = self.builder.push(kind, &results);
        if let Some((unroll, loc)) = unroll {
            self.builder.at(loc);
            self.builder.unroll(inst, unroll);
        }
        self.loops.push((label, inst));
        let parsed = self.block(body, &params, false);
        self.loops.pop();
        parsed?;
        Ok(self.builder.function().insts[inst].results.clone())
    }
}
