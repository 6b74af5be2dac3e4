//! From bytes to a module.
//!
//! Everything that a number names is looked up in what was read before it, so that ids in
//! the result are always in range. Lists grow as their entries are read, never by a count
//! alone. At the end the module is encoded again: what differs was not canonical.

use super::token::{Reader, fault};
use super::{DEVICE_TABLES, FAST_MATH, InstNumber, LIMITS, MAGIC, REQUIRES, STEPS, TABLES, VERSION};
use super::{access, constant_number, encode, instructions, limits, plain_type, promise, step_number};
use crate::arena::{Arena, Id};
use crate::diag::{Code, Diag, Diags};
use crate::flags::{Flags, Unroll};
use crate::ir::{
    Amount, CallArg, Case, Function, Index, Inst, InstDef, InstKind, Memory, Module, Param, ParamKind, Place, Region,
    RegionDef, Relation, Requirement, Root, Step, Table, Value, ValueDef, Var, VarDef,
};
use crate::limits::{Limit, Limits};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{ArrayDef, Scalar, StructDef, Type, Types};

/// The module that these bytes are the encoding of. See [`encode()`](super::encode()) for
/// an example.
///
/// # Errors
///
/// One `V701` that names the offset and what was expected there.
pub fn decode(bytes: &[u8]) -> Result<Module, Diags> {
    let mut reader = Reader::new(bytes);
    header(&mut reader, bytes.len())?;
    let mut decoder = Decoder { types: Types::default(), table: Vec::new(), functions: 0, reader };
    decoder.types()?;
    decoder.functions = decoder.reader.count("the number of functions")?;
    let functions = (0..decoder.functions).map(|_| decoder.function()).collect::<Result<_, _>>()?;
    let end = decoder.reader.offset();
    if end != bytes.len() {
        return Err(fault(end, &format!("the end of the bytes, found {} more", bytes.len() - end)));
    }
    let module = Module { types: decoder.types, functions };
    let canonical = encode(&module);
    if canonical == bytes {
        return Ok(module);
    }
    let differs = canonical.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    Err(fault(differs, "the canonical encoding of this module"))
}

/// Checks what comes before the types.
fn header(reader: &mut Reader<'_>, len: usize) -> Result<(), Diags> {
    let wrong = |message: String| Diags::from(Diag::new(Code::V701, Loc::NONE, message));
    if len > limits::FILE {
        return Err(wrong(format!("{len} wire bytes are too many, at most {} are allowed", limits::FILE)));
    }
    let magic = reader.take(MAGIC.len(), "the magic `SBIR`")?;
    if magic != MAGIC {
        return Err(wrong("not a wire file: it does not start with `SBIR`".to_owned()));
    }
    let version = reader.u32("the version")?;
    if version != VERSION {
        return Err(wrong(format!("wire version {version} is not supported, expected version {VERSION}")));
    }
    Ok(())
}

/// A declared type and how large it is as a tree.
struct Declared {
    ty: Type,
    depth: usize,
    parts: usize,
}

struct Decoder<'a> {
    reader: Reader<'a>,
    types: Types,
    table: Vec<Declared>,
    /// How many functions the file says that it has.
    functions: usize,
}

impl Decoder<'_> {
    fn types(&mut self) -> Result<(), Diags> {
        for _ in 0..self.reader.count("the number of types")? {
            let start = self.reader.offset();
            let (mut depth, mut parts) = (0, 1);
            let ty = match self.reader.token("a type declaration")? {
                0 => {
                    let element = self.part(&mut depth, &mut parts)?;
                    let len = self.reader.u32("an array length")?;
                    Type::Array(self.types.arrays.push(ArrayDef { element, len }))
                }
                1 => {
                    let name = self.reader.text("a struct name")?.to_owned();
                    let count = self.reader.count("the number of fields")?;
                    let mut field =
                        || Ok((self.reader.text("a field name")?.to_owned(), self.part(&mut depth, &mut parts)?));
                    let fields = (0..count).map(|_| field()).collect::<Result<_, Diags>>()?;
                    Type::Struct(self.types.structs.push(StructDef { name, fields }))
                }
                other => return Err(fault(start, &format!("an array (0) or struct (1), found {other}"))),
            };
            if depth >= limits::TYPE_NESTING {
                return Err(fault(start, &format!("types nested at most {} deep", limits::TYPE_NESTING)));
            }
            if parts > limits::TYPE_PARTS {
                return Err(fault(start, &format!("a type of at most {} parts", limits::TYPE_PARTS)));
            }
            self.table.push(Declared { ty, depth: depth + 1, parts });
        }
        Ok(())
    }

    /// A type inside of another, whose size it adds to.
    fn part(&mut self, depth: &mut usize, parts: &mut usize) -> Result<Type, Diags> {
        let (ty, declared) = self.type_entry()?;
        let (inner_depth, inner_parts) =
            declared.and_then(|i| self.table.get(i)).map_or((0, 1), |inner| (inner.depth, inner.parts));
        *depth = (*depth).max(inner_depth);
        *parts = parts.saturating_add(inner_parts);
        Ok(ty)
    }

    fn ty(&mut self) -> Result<Type, Diags> {
        Ok(self.type_entry()?.0)
    }

    /// A type, and its place in the table if it is a declared one.
    fn type_entry(&mut self) -> Result<(Type, Option<usize>), Diags> {
        let start = self.reader.offset();
        let number = self.reader.token("a type")?;
        if number >= 0 {
            let ty = plain_type(number).ok_or_else(|| fault(start, &format!("a type, found number {number}")))?;
            return Ok((ty, None));
        }
        // `!number` is `-1 - number`, which cannot overflow.
        let found = usize::try_from(!number).ok().and_then(|i| Some((self.table.get(i)?.ty, Some(i))));
        found.ok_or_else(|| fault(start, &format!("one of {} declared types, found number {number}", self.table.len())))
    }

    /// A number, looked up in its table.
    fn lookup<T>(&mut self, expected: &str, find: impl FnOnce(i64) -> Option<T>) -> Result<T, Diags> {
        let start = self.reader.offset();
        let number = self.reader.token(expected)?;
        find(number).ok_or_else(|| fault(start, &format!("{expected}, found number {number}")))
    }

    fn memory(&mut self, expected: &str) -> Result<Vec<Memory>, Diags> {
        let count = self.reader.count(expected)?;
        let memory = |_| {
            let name = self.reader.text("a memory's name")?.to_owned();
            let (ty, access) = (self.ty()?, self.lookup("an access", access)?);
            Ok(Memory { name, ty, access, loc: Loc::NONE })
        };
        (0..count).map(memory).collect()
    }

    fn tables(&mut self) -> Result<Vec<Table>, Diags> {
        let count = self.reader.count("the number of tables")?;
        let table = |_| {
            let name = self.reader.text("a table's name")?.to_owned();
            let ty = self.ty()?;
            let len = self.reader.count("the number of a table's bytes")?;
            Ok(Table { name, ty, bytes: self.reader.take(len, "a table's bytes")?.into(), loc: Loc::NONE })
        };
        (0..count).map(table).collect()
    }

    fn params(&mut self) -> Result<Vec<Param>, Diags> {
        let count = self.reader.count("the number of parameters")?;
        let param = |_| {
            let name = self.reader.text("a parameter's name")?.to_owned();
            let start = self.reader.offset();
            let number = self.reader.token("a parameter's kind")?;
            let ty = self.ty()?;
            let promised = promise(number);
            let kind = match (number, access(number)) {
                _ if promised.is_some() => ParamKind::Buffer { element: ty, access: crate::ir::Access::Read },
                (0, _) => ParamKind::Scalar(ty),
                (_, Some(access)) => ParamKind::Buffer { element: ty, access },
                (_, None) => return Err(fault(start, &format!("a parameter's kind, found number {number}"))),
            };
            Ok(Param { name, kind, elements: promised.unwrap_or_default(), loc: Loc::NONE })
        };
        (0..count).map(param).collect()
    }

    /// What a kernel declares; in another order than the encoder's it is not canonical.
    fn limits(&mut self) -> Result<Limits, Diags> {
        let mut declared = Limits::NONE;
        for _ in 0..self.reader.count("the number of limits")? {
            let limit = self.lookup("a limit", |number| Limit::ALL.get(usize::try_from(number).ok()?).copied())?;
            declared.set(limit, self.reader.u32("the amount of a limit")?);
        }
        Ok(declared)
    }

    fn function(&mut self) -> Result<Function, Diags> {
        let name = self.reader.text("a function's name")?.to_owned();
        let start = self.reader.offset();
        let mut tables = false;
        let mut function = match self.reader.token("a function's kind")? {
            0 => Function::device(name, Loc::NONE),
            DEVICE_TABLES => {
                tables = true;
                Function::device(name, Loc::NONE)
            }
            kind @ 1..=16 => {
                let mut workgroup_size = [0; 3];
                for size in &mut workgroup_size {
                    *size = self.reader.u32("a workgroup size")?;
                }
                let mut function = Function::new(name, workgroup_size, Loc::NONE);
                let parts = kind - 1;
                function.fast_math = parts & FAST_MATH != 0;
                if parts & LIMITS != 0 {
                    function.limits = self.limits()?;
                }
                if parts & REQUIRES != 0 {
                    function.requires = self.requirements()?;
                }
                tables = parts & TABLES != 0;
                function
            }
            other => {
                return Err(fault(start, &format!("a device function (0 or -1) or kernel (1 to 16), found {other}")));
            }
        };
        function.params = self.params()?;
        function.results =
            (0..self.reader.count("the number of results")?).map(|_| self.ty()).collect::<Result<_, _>>()?;
        function.shared = self.memory("the number of workgroup memories")?;
        function.private = self.memory("the number of private memories")?;
        if tables {
            function.tables = self.tables()?;
        }
        for _ in 0..self.reader.count("the number of variables")? {
            let name = self.reader.text("a variable's name")?.to_owned();
            let ty = self.ty()?;
            function.vars.push(VarDef { name, ty, loc: Loc::NONE });
        }
        let mut constants = Vec::new();
        for _ in 0..self.reader.count("the number of constants")? {
            let (scalar, bits) = self.constant()?;
            constants.push(function.constant(scalar, bits));
        }
        function.regions = Arena::new();
        let mut body =
            BodyDecoder { decoder: self, function, constants, values: Vec::new(), loops: Vec::new(), depth: 0 };
        let region = body.region()?;
        body.function.body = region;
        Ok(body.function)
    }

    fn requirements(&mut self) -> Result<Vec<Requirement>, Diags> {
        let count = self.reader.count("the number of requirements")?;
        let requirement = |_| {
            let relation = self.lookup("a relation", Relation::from_number)?;
            Ok(Requirement { left: self.amount()?, relation, right: self.amount()?, loc: Loc::NONE })
        };
        (0..count).map(requirement).collect()
    }

    fn amount(&mut self) -> Result<Amount, Diags> {
        (0..self.reader.count("the number of steps")?).map(|_| self.step()).collect::<Result<_, _>>().map(Amount)
    }

    fn step(&mut self) -> Result<Step, Diags> {
        let find = |number| STEPS.into_iter().find(|&step| step_number(step).0 == number);
        Ok(match self.lookup("a step", find)? {
            Step::Number(_) => Step::Number(self.reader.token("a number")? as u64),
            Step::Len(_) => Step::Len(self.reader.u32("a parameter")?),
            Step::Scalar(_) => Step::Scalar(self.reader.u32("a parameter")?),
            Step::Bound(_) => Step::Bound(self.reader.u32("a parameter")?),
            other @ (Step::Add | Step::Sub | Step::Mul) => other,
        })
    }

    fn constant(&mut self) -> Result<(Scalar, u64), Diags> {
        let start = self.reader.offset();
        let number = self.reader.token("a constant's scalar type")?;
        let scalar = usize::try_from(number).ok().and_then(|i| Scalar::ALL.get(i).copied());
        let scalar = scalar.ok_or_else(|| fault(start, &format!("a scalar type, found number {number}")))?;
        let start = self.reader.offset();
        let value = self.reader.token("a constant's value")?;
        let bits = value as u64 & scalar.mask();
        if constant_number(scalar, bits) != value {
            return Err(fault(start, &format!("a constant of type `{}`, found {value}", scalar.name())));
        }
        Ok((scalar, bits))
    }
}

struct BodyDecoder<'d, 'a> {
    decoder: &'d mut Decoder<'a>,
    function: Function,
    constants: Vec<Value>,
    /// The values so far, in the order of their numbers.
    values: Vec<Value>,
    /// The loops around, outermost first.
    loops: Vec<Inst>,
    /// How many regions are around.
    depth: usize,
}

/// The fields of an instruction of this number, in the order of the table.
macro_rules! decode_kind {
    ($self:ident $inst:ident $number:ident $start:ident; $($name:ident = $value:literal, $doc:literal
        $(, ($($a:ident: $of_a:ident),*))? $(, { $($b:ident: $of_b:ident),* })?;)*) => {
        match $number {
            $($(InstNumber::$name => InstKind::$name($($self.$of_a()?),*),)?
            $(InstNumber::$name => InstKind::$name { $($b: $self.$of_b()?),* },)?)*
            InstNumber::Flagged => return Err(fault($start, "an instruction, found flags once more")),
            InstNumber::Atomic => $self.atomic(false)?,
            InstNumber::AtomicOrdered => $self.atomic(true)?,
            InstNumber::Loop => $self.loop_($inst)?,
            InstNumber::LoopUnrolled => {
                let unroll = $self.decoder.lookup("how to unroll a loop", Unroll::from_number)?;
                $self.function.unroll[$inst] = Some((unroll, Loc::NONE));
                $self.loop_($inst)?
            }
        }
    };
}

impl BodyDecoder<'_, '_> {
    fn region(&mut self) -> Result<Region, Diags> {
        if self.depth > limits::NESTING {
            let start = self.decoder.reader.offset();
            return Err(fault(start, &format!("regions nested at most {} deep", limits::NESTING)));
        }
        let params = self.define("the number of region parameters")?;
        let region = self.function.regions.push(RegionDef { params, insts: Vec::new() });
        self.depth += 1;
        for _ in 0..self.decoder.reader.count("the number of instructions")? {
            let inst = self.inst()?;
            self.function.regions[region].insts.push(inst);
        }
        self.depth -= 1;
        Ok(region)
    }

    fn define(&mut self, expected: &str) -> Result<Vec<Value>, Diags> {
        let mut values = Vec::new();
        for _ in 0..self.decoder.reader.count(expected)? {
            let ty = self.decoder.ty()?;
            let name = self.decoder.reader.name("a value's name")?;
            values.push(self.function.values.push(ValueDef { ty, constant: None, name }));
        }
        self.values.extend(&values);
        Ok(values)
    }

    fn operand(&mut self) -> Result<Value, Diags> {
        let start = self.decoder.reader.offset();
        let number = self.decoder.reader.token("an operand")?;
        let found = if number > 0 {
            usize::try_from(number).ok().and_then(|back| self.values.get(self.values.len().checked_sub(back)?))
        } else if number < 0 {
            usize::try_from(!number).ok().and_then(|i| self.constants.get(i))
        } else {
            None
        };
        found.copied().ok_or_else(|| {
            let (values, constants) = (self.values.len(), self.constants.len());
            fault(start, &format!("one of {values} values or {constants} constants, found {number}"))
        })
    }

    fn operands(&mut self) -> Result<Vec<Value>, Diags> {
        (0..self.decoder.reader.count("the number of operands")?).map(|_| self.operand()).collect()
    }

    fn var(&mut self) -> Result<Var, Diags> {
        let start = self.decoder.reader.offset();
        let index = self.decoder.reader.u32("a variable")? as usize;
        if index < self.function.vars.len() {
            Ok(Id::from_index(index))
        } else {
            Err(fault(start, &format!("one of {} variables, found {index}", self.function.vars.len())))
        }
    }

    fn root(&mut self) -> Result<Root, Diags> {
        let start = self.decoder.reader.offset();
        let number = self.decoder.reader.token("a root")?;
        let function = &self.function;
        let index = u32::try_from(number / 4).ok().filter(|_| number >= 0);
        let found = index.and_then(|index| match number % 4 {
            0 => Some((Root::Param(index), function.params.len())),
            1 => Some((Root::Shared(index), function.shared.len())),
            2 => Some((Root::Private(index), function.private.len())),
            3 => Some((Root::Table(index), function.tables.len())),
            _ => None,
        });
        found
            .filter(|&(_, len)| index.is_some_and(|index| (index as usize) < len))
            .map(|(root, _)| root)
            .ok_or_else(|| fault(start, &format!("a root of the function, found number {number}")))
    }

    fn place(&mut self) -> Result<Place, Diags> {
        let root = self.root()?;
        let offset = self.decoder.reader.u32("a byte offset")?;
        let count = self.decoder.reader.count("the number of indices")?;
        Ok(Place { root, offset, indices: (0..count).map(|_| self.index()).collect::<Result<_, _>>()? })
    }

    fn index(&mut self) -> Result<Index, Diags> {
        let value = self.operand()?;
        let stride = self.decoder.reader.u32("a stride")?;
        let start = self.decoder.reader.offset();
        let more = self.decoder.reader.token("a bound")?;
        let bound = (more != 0).then(|| u32::try_from(more.wrapping_sub(1))).transpose();
        let bound = bound.map_err(|_| fault(start, &format!("0 or a bound plus one, found {more}")))?;
        Ok(Index { value, stride, bound })
    }

    fn function(&mut self) -> Result<u32, Diags> {
        let start = self.decoder.reader.offset();
        let function = self.decoder.reader.u32("a function")?;
        if function as usize >= self.decoder.functions {
            return Err(fault(start, &format!("one of {} functions, found {function}", self.decoder.functions)));
        }
        Ok(function)
    }

    fn arguments(&mut self) -> Result<Vec<CallArg>, Diags> {
        (0..self.decoder.reader.count("the number of arguments")?).map(|_| self.argument()).collect()
    }

    fn argument(&mut self) -> Result<CallArg, Diags> {
        let start = self.decoder.reader.offset();
        match self.decoder.reader.token("a kind of argument")? {
            0 => self.operand().map(CallArg::Value),
            1 => self.place().map(CallArg::Place),
            other => Err(fault(start, &format!("a value (0) or a place (1), found {other}"))),
        }
    }

    fn target(&mut self) -> Result<Inst, Diags> {
        let start = self.decoder.reader.offset();
        let between = self.decoder.reader.token("a loop")?;
        let found = usize::try_from(between).ok().and_then(|between| self.loops.iter().rev().nth(between));
        found
            .copied()
            .ok_or_else(|| fault(start, &format!("one of {} loops around, found {between}", self.loops.len())))
    }

    fn numbered<T>(&mut self, expected: &str, find: impl FnOnce(u16) -> Option<T>) -> Result<T, Diags> {
        self.decoder.lookup(expected, |number| u16::try_from(number).ok().and_then(find))
    }

    fn inst(&mut self) -> Result<Inst, Diags> {
        // The id comes first, because what leaves a loop names the loop.
        let placeholder = InstDef { kind: InstKind::Unreachable, results: Vec::new(), loc: Loc::NONE };
        let inst = self.function.insts.push(placeholder);
        let kind = self.flagged(inst)?;
        let results = self.define("the number of results")?;
        self.function.insts[inst] = InstDef { kind, results, loc: Loc::NONE };
        Ok(inst)
    }

    /// The flags, if there are any, and the instruction.
    fn flagged(&mut self, inst: Inst) -> Result<InstKind, Diags> {
        let start = self.decoder.reader.offset();
        let head = self.decoder.reader.token("an instruction")?;
        if InstNumber::from_head(head) != Some(InstNumber::Flagged) {
            return self.kind(inst, start, head);
        }
        let find = |number| Flags::from_number(u8::try_from(number).ok()?).filter(|flags| !flags.is_empty());
        let flags = self.decoder.lookup("flags", find)?;
        let start = self.decoder.reader.offset();
        let head = self.decoder.reader.token("an instruction")?;
        let kind = self.kind(inst, start, head)?;
        if !kind.takes_flags() {
            return Err(fault(start, "an instruction that takes flags"));
        }
        if flags.has(Flags::RACY) && !kind.may_be_racy() {
            return Err(fault(start, "a load or store of a buffer or workgroup memory, since it is racy"));
        }
        self.function.flags[inst] = flags;
        Ok(kind)
    }

    fn kind(&mut self, inst: Inst, start: usize, head: i64) -> Result<InstKind, Diags> {
        if let Some(op) = u16::try_from(head).ok().and_then(Op::from_number) {
            return Ok(InstKind::Op(op, self.operands()?));
        }
        let Some(number) = InstNumber::from_head(head) else {
            return Err(fault(start, &format!("an instruction, found number {head}")));
        };
        Ok(instructions!(decode_kind! self inst number start))
    }

    fn atomic(&mut self, is_ordered: bool) -> Result<InstKind, Diags> {
        let op = self.numbered("an atomic op", AtomicOp::from_number)?;
        let mut order = MemoryOrder::RELAXED;
        if is_ordered {
            let start = self.decoder.reader.offset();
            order = MemoryOrder { ordering: self.ordering()?, failure: self.ordering()?, scope: self.scope()? };
            if order == MemoryOrder::RELAXED {
                return Err(fault(start, "an order other than the default one"));
            }
        }
        Ok(InstKind::Atomic(op, self.place()?, self.operands()?, order))
    }

    fn loop_(&mut self, inst: Inst) -> Result<InstKind, Diags> {
        let label = self.decoder.reader.name("a loop's name")?;
        let initial = self.operands()?;
        self.loops.push(inst);
        let body = self.region()?;
        self.loops.pop();
        Ok(InstKind::Loop { body, initial, label })
    }

    fn builtin(&mut self) -> Result<Builtin, Diags> {
        self.numbered("a builtin", Builtin::from_number)
    }

    fn subgroup_op(&mut self) -> Result<SubgroupOp, Diags> {
        self.numbered("a subgroup op", SubgroupOp::from_number)
    }

    fn ordering(&mut self) -> Result<Ordering, Diags> {
        self.numbered("an ordering", Ordering::from_number)
    }

    fn scope(&mut self) -> Result<Scope, Diags> {
        self.numbered("a scope", Scope::from_number)
    }

    fn cases(&mut self) -> Result<Vec<Case>, Diags> {
        (0..self.decoder.reader.count("the number of cases")?).map(|_| self.case()).collect()
    }

    fn case(&mut self) -> Result<Case, Diags> {
        let reader = &mut self.decoder.reader;
        let count = reader.count("the number of case values")?;
        let value = |_| reader.token("a case value").map(|value| value as u64);
        Ok(Case { values: (0..count).map(value).collect::<Result<_, _>>()?, region: self.region()? })
    }
}
