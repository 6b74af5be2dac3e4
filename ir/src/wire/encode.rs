//! From a module to bytes.
//!
//! The order of everything comes from one walk over the regions, never from ids, so that
//! modules of one structure encode alike. The walk is linear in the module's size: it
//! enters a region once and a type once.

use super::token::{write, write_len, write_name, write_text};
use super::{DEVICE_TABLES, FAST_MATH, INVALID, INVALID_TYPE, InstNumber, LIMITS, MAGIC, REQUIRES, TABLES, VERSION};
use super::{access_number, constant_number, instructions, limits, plain_type_number, promise_number};
use super::{scalar_number, step_number};
use crate::arena::Side;
use crate::ir::{
    Amount, CallArg, Case, Function, FunctionKind, Inst, InstKind, Memory, Module, ParamKind, Place, Region,
    Requirement, Root, Table, Value, ValueDef, Var, VarDef,
};
use crate::ops::{AtomicOp, Builtin, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{ArrayDef, Scalar, StructDef, Type, Types};
use std::collections::HashMap;

/// The bytes of a module.
///
/// ```
/// use samebits_ir::{builder::Builder, types::Types, wire};
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let bytes = wire::encode(&b.into_module(Types::default()));
/// assert_eq!(&bytes[..4], b"SBIR");
/// assert_eq!(wire::encode(&wire::decode(&bytes)?), bytes);
/// # Ok::<(), samebits_ir::diag::Diags>(())
/// ```
pub fn encode(module: &Module) -> Vec<u8> {
    let mut types = TypeTable::new(&module.types);
    let mut functions = Vec::new();
    write_len(&mut functions, module.functions.len());
    for function in &module.functions {
        FunctionEncoder::new(function, &mut types).encode(&mut functions);
    }
    let mut out = MAGIC.to_vec();
    write(&mut out, i64::from(VERSION));
    write_len(&mut out, types.defs.len());
    types.defs.iter().for_each(|def| out.extend(def));
    out.extend(functions);
    out
}

/// The declared types that were met, in the order of the file.
struct TypeTable<'m> {
    types: &'m Types,
    defs: Vec<Vec<u8>>,
    /// The numbers of equal declarations; only looked up, so its order does not matter.
    known: HashMap<Vec<u8>, i64>,
    arrays: Side<ArrayDef, Option<i64>>,
    structs: Side<StructDef, Option<i64>>,
}

impl<'m> TypeTable<'m> {
    fn new(types: &'m Types) -> Self {
        let (arrays, structs) = (Side::new(None), Side::new(None));
        Self { types, defs: Vec::new(), known: HashMap::new(), arrays, structs }
    }

    /// The number of a type, which is declared if it is new.
    fn number(&mut self, ty: Type) -> i64 {
        self.number_in(ty, 0)
    }

    /// Where the number of a type is kept that is declared.
    fn slot(&mut self, ty: Type) -> Option<&mut Option<i64>> {
        match ty {
            Type::Array(id) => self.types.arrays.get(id).map(|_| &mut self.arrays[id]),
            Type::Struct(id) => self.types.structs.get(id).map(|_| &mut self.structs[id]),
            Type::Error | Type::Bytes | Type::Scalar(_) | Type::Vector(..) => None,
        }
    }

    fn number_in(&mut self, ty: Type, depth: usize) -> i64 {
        let Some(slot) = self.slot(ty) else { return plain_type_number(ty) };
        if let Some(number) = *slot {
            return number;
        }
        if depth == limits::TYPE_NESTING {
            return INVALID_TYPE;
        }
        // A type that contains itself meets this and stays invalid.
        *slot = Some(INVALID_TYPE);
        let (types, mut bytes) = (self.types, Vec::new());
        match ty {
            Type::Array(id) => {
                write(&mut bytes, 0);
                write(&mut bytes, self.number_in(types.arrays[id].element, depth + 1));
                write(&mut bytes, i64::from(types.arrays[id].len));
            }
            Type::Struct(id) => {
                write(&mut bytes, 1);
                write_text(&mut bytes, &types.structs[id].name);
                write_len(&mut bytes, types.structs[id].fields.len());
                for (name, ty) in &types.structs[id].fields {
                    write_text(&mut bytes, name);
                    write(&mut bytes, self.number_in(*ty, depth + 1));
                }
            }
            Type::Error | Type::Bytes | Type::Scalar(_) | Type::Vector(..) => {}
        }
        let number = self.declare(bytes);
        self.slot(ty).into_iter().for_each(|slot| *slot = Some(number));
        number
    }

    fn declare(&mut self, bytes: Vec<u8>) -> i64 {
        if let Some(&number) = self.known.get(&bytes) {
            return number;
        }
        let number = -1 - self.defs.len() as i64;
        self.known.insert(bytes.clone(), number);
        self.defs.push(bytes);
        number
    }
}

fn requirements(out: &mut Vec<u8>, list: &[Requirement]) {
    write_len(out, list.len());
    for Requirement { left, relation, right, .. } in list {
        write(out, relation.number());
        for Amount(steps) in [left, right] {
            write_len(out, steps.len());
            for step in steps {
                let (number, field) = step_number(*step);
                write(out, number);
                field.into_iter().for_each(|field| write(out, field));
            }
        }
    }
}

/// Writes the head and the fields of an instruction, in the order of the table.
macro_rules! encode_kind {
    ($self:ident $inst:ident $kind:ident; $($name:ident = $number:literal, $doc:literal
        $(, ($($a:ident: $of_a:ident),*))? $(, { $($b:ident: $of_b:ident),* })?;)*) => {
        match $kind {
            $($(InstKind::$name($($a),*) => {
                $self.head(InstNumber::$name);
                $($self.$of_a($a);)*
            })?
            $(InstKind::$name { $($b),* } => {
                $self.head(InstNumber::$name);
                $($self.$of_b($b);)*
            })?)*
            InstKind::Op(op, args) => {
                write(&mut $self.out, i64::from(op.info().number));
                $self.operands(args);
            }
            InstKind::Atomic(op, place, args, order) => {
                $self.atomic(*op, *order);
                $self.place(place);
                $self.operands(args);
            }
            InstKind::Loop { body, initial, label } => $self.loop_($inst, body, initial, label.as_deref()),
        }
    };
}

/// What the walk over one function has met.
struct FunctionEncoder<'m, 't> {
    function: &'m Function,
    types: &'t mut TypeTable<'m>,
    /// The body's bytes; what precedes it in the file is known only after it.
    out: Vec<u8>,
    /// A value's number, counted from 1; 0 is for values that the walk did not meet.
    numbers: Side<ValueDef, i64>,
    values: i64,
    constants: Vec<(Scalar, u64)>,
    constant_numbers: HashMap<(Scalar, u64), i64>,
    vars: Vec<&'m VarDef>,
    var_numbers: Side<VarDef, Option<i64>>,
    /// The loops around, outermost first.
    loops: Vec<Inst>,
    /// How many regions are around.
    depth: usize,
    entered: Side<crate::ir::RegionDef, bool>,
}

impl<'m, 't> FunctionEncoder<'m, 't> {
    fn new(function: &'m Function, types: &'t mut TypeTable<'m>) -> Self {
        Self {
            function,
            types,
            out: Vec::new(),
            numbers: Side::new(0),
            values: 0,
            constants: Vec::new(),
            constant_numbers: HashMap::new(),
            vars: Vec::new(),
            var_numbers: Side::new(None),
            loops: Vec::new(),
            depth: 0,
            entered: Side::new(false),
        }
    }

    fn encode(mut self, out: &mut Vec<u8>) {
        let function = self.function;
        write_text(out, &function.name);
        match function.kind {
            FunctionKind::Device => write(out, if function.tables.is_empty() { 0 } else { DEVICE_TABLES }),
            FunctionKind::Kernel { workgroup_size } => {
                let fast_math = if function.fast_math { FAST_MATH } else { 0 };
                let limits = if function.limits.is_empty() { 0 } else { LIMITS };
                let requires = if function.requires.is_empty() { 0 } else { REQUIRES };
                let tables = if function.tables.is_empty() { 0 } else { TABLES };
                write(out, 1 + (fast_math | limits | requires | tables));
                workgroup_size.iter().for_each(|&size| write(out, i64::from(size)));
                if limits != 0 {
                    write_len(out, function.limits.iter().count());
                    for (limit, amount) in function.limits.iter() {
                        write(out, limit as i64);
                        write(out, i64::from(amount));
                    }
                }
                if requires != 0 {
                    requirements(out, &function.requires);
                }
            }
        }
        write_len(out, function.params.len());
        for param in &function.params {
            write_text(out, &param.name);
            let (kind, ty) = match param.kind {
                ParamKind::Scalar(ty) => (0, ty),
                ParamKind::Buffer { element, access } => {
                    (promise_number(param.elements).unwrap_or(access_number(access)), element)
                }
            };
            write(out, kind);
            write(out, self.types.number(ty));
        }
        write_len(out, function.results.len());
        for &ty in &function.results {
            write(out, self.types.number(ty));
        }
        self.memory(out, &function.shared);
        self.memory(out, &function.private);
        if !function.tables.is_empty() {
            self.tables(out, &function.tables);
        }
        self.region(&function.body);
        write_len(out, self.vars.len());
        for var in &self.vars {
            write_text(out, &var.name);
            write(out, self.types.number(var.ty));
        }
        write_len(out, self.constants.len());
        for &(scalar, bits) in &self.constants {
            write(out, scalar_number(scalar));
            write(out, constant_number(scalar, bits));
        }
        out.extend(self.out);
    }

    fn memory(&mut self, out: &mut Vec<u8>, list: &[Memory]) {
        write_len(out, list.len());
        for memory in list {
            write_text(out, &memory.name);
            write(out, self.types.number(memory.ty));
            write(out, access_number(memory.access));
        }
    }

    fn tables(&mut self, out: &mut Vec<u8>, list: &[Table]) {
        write_len(out, list.len());
        for table in list {
            write_text(out, &table.name);
            write(out, self.types.number(table.ty));
            write_len(out, table.bytes.len());
            out.extend_from_slice(&table.bytes);
        }
    }

    fn region(&mut self, region: &Region) {
        let def = self.function.regions.get(*region);
        let Some(def) = def.filter(|_| self.depth <= limits::NESTING && !self.entered[*region]) else {
            return write(&mut self.out, INVALID);
        };
        self.entered[*region] = true;
        self.depth += 1;
        self.define(&def.params);
        write_len(&mut self.out, def.insts.len());
        for &inst in &def.insts {
            self.inst(inst);
        }
        self.depth -= 1;
    }

    /// Writes the types and names of values and numbers them.
    fn define(&mut self, values: &[Value]) {
        write_len(&mut self.out, values.len());
        for &value in values {
            let Some(def) = self.function.values.get(value) else {
                write(&mut self.out, INVALID_TYPE);
                continue;
            };
            write(&mut self.out, self.types.number(def.ty));
            write_name(&mut self.out, def.name.as_deref());
            self.values += 1;
            self.numbers[value] = self.values;
        }
    }

    fn operand(&mut self, value: &Value) {
        let number = match self.function.values.get(*value) {
            Some(ValueDef { ty: Type::Scalar(scalar), constant: Some(bits), .. }) => self.constant(*scalar, *bits),
            Some(_) if self.numbers[*value] > 0 => self.values + 1 - self.numbers[*value],
            _ => 0,
        };
        write(&mut self.out, number);
    }

    fn constant(&mut self, scalar: Scalar, bits: u64) -> i64 {
        let constants = &mut self.constants;
        *self.constant_numbers.entry((scalar, bits)).or_insert_with(|| {
            constants.push((scalar, bits));
            -(constants.len() as i64)
        })
    }

    fn operands(&mut self, values: &[Value]) {
        write_len(&mut self.out, values.len());
        values.iter().for_each(|value| self.operand(value));
    }

    fn var(&mut self, var: &Var) {
        let number = match (self.function.vars.get(*var), self.var_numbers[*var]) {
            (None, _) => INVALID,
            (Some(_), Some(number)) => number,
            (Some(def), None) => {
                let number = self.vars.len() as i64;
                self.vars.push(def);
                self.var_numbers[*var] = Some(number);
                number
            }
        };
        write(&mut self.out, number);
    }

    fn root(&mut self, root: &Root) {
        let number = match *root {
            Root::Param(i) => 4 * i64::from(i),
            Root::Shared(i) => 4 * i64::from(i) + 1,
            Root::Private(i) => 4 * i64::from(i) + 2,
            Root::Table(i) => 4 * i64::from(i) + 3,
        };
        write(&mut self.out, number);
    }

    fn place(&mut self, place: &Place) {
        self.root(&place.root);
        write(&mut self.out, i64::from(place.offset));
        write_len(&mut self.out, place.indices.len());
        for index in &place.indices {
            self.operand(&index.value);
            write(&mut self.out, i64::from(index.stride));
            write(&mut self.out, index.bound.map_or(0, |bound| i64::from(bound) + 1));
        }
    }

    fn target(&mut self, target: &Inst) {
        let found = self.loops.iter().rev().position(|around| around == target);
        write(&mut self.out, found.map_or(INVALID, |between| between as i64));
    }

    fn builtin(&mut self, builtin: &Builtin) {
        write(&mut self.out, builtin.number().into());
    }

    fn subgroup_op(&mut self, op: &SubgroupOp) {
        write(&mut self.out, op.number().into());
    }

    fn ordering(&mut self, ordering: &Ordering) {
        write(&mut self.out, ordering.number().into());
    }

    fn scope(&mut self, scope: &Scope) {
        write(&mut self.out, scope.number().into());
    }

    fn function(&mut self, function: &u32) {
        write(&mut self.out, i64::from(*function));
    }

    fn arguments(&mut self, args: &[CallArg]) {
        write_len(&mut self.out, args.len());
        for arg in args {
            match arg {
                CallArg::Value(value) => {
                    write(&mut self.out, 0);
                    self.operand(value);
                }
                CallArg::Place(place) => {
                    write(&mut self.out, 1);
                    self.place(place);
                }
            }
        }
    }

    fn cases(&mut self, cases: &[Case]) {
        write_len(&mut self.out, cases.len());
        for case in cases {
            write_len(&mut self.out, case.values.len());
            case.values.iter().for_each(|&value| write(&mut self.out, value as i64));
            self.region(&case.region);
        }
    }

    fn head(&mut self, number: InstNumber) {
        write(&mut self.out, number.head());
    }

    fn inst(&mut self, inst: Inst) {
        let Some(def) = self.function.insts.get(inst) else {
            return write(&mut self.out, 0);
        };
        let flags = self.function.flags[inst];
        if !flags.is_empty() {
            self.head(InstNumber::Flagged);
            write(&mut self.out, i64::from(flags.number()));
        }
        let kind = &def.kind;
        instructions!(encode_kind! self inst kind);
        self.define(&def.results);
    }

    fn atomic(&mut self, op: AtomicOp, order: MemoryOrder) {
        let plain = order == MemoryOrder::RELAXED;
        self.head(if plain { InstNumber::Atomic } else { InstNumber::AtomicOrdered });
        write(&mut self.out, i64::from(op.number()));
        if !plain {
            self.ordering(&order.ordering);
            self.ordering(&order.failure);
            self.scope(&order.scope);
        }
    }

    fn loop_(&mut self, inst: Inst, body: &Region, initial: &[Value], label: Option<&str>) {
        match self.function.unroll[inst] {
            Some((unroll, _)) => {
                self.head(InstNumber::LoopUnrolled);
                write(&mut self.out, unroll.number());
            }
            None => self.head(InstNumber::Loop),
        }
        write_name(&mut self.out, label);
        self.operands(initial);
        self.loops.push(inst);
        self.region(body);
        self.loops.pop();
    }
}
