//! The initial values of an invocation's arrays, which are set each time their `let` is
//! reached.

use super::Build;
use super::memory::Seen;
use crate::hir::ArrayInit;
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Index, Root, Value};
use samebits_ir::ops::Op;

/// Elements up to this number are set store by store, a longer run of one value by a loop.
const UNROLLED_FILL: u32 = 16;
/// The most stores that one `let` may need.
pub(crate) const MOST_STORES: usize = 4096;

impl Build<'_> {
    pub(super) fn array(&mut self, root: Root, init: &ArrayInit) {
        let Root::Private(index) = root else { return };
        let memory = &self.body.private[index as usize];
        let mut ty = self.infer.decided(&memory.ty);
        for _ in 0..init.depth() {
            let Ty::Array(inner, _) = ty else { return };
            ty = *inner;
        }
        let mut values = Vec::new();
        self.evaluate(init, &mut values);
        let ir = self.memory_type(&ty, Seen::ByKernels);
        let Some(stride) = self.types.layout(ir).map(|layout| layout.size) else { return };
        let leaves = self.leaves_at(&ty, 0, Seen::ByKernels);
        let element = Element { root, stride, offsets: leaves.into_iter().map(|leaf| leaf.offset).collect() };
        self.b.at(memory.loc);
        if let (Some(len), [value]) = (repeated(init), values.as_slice())
            && len > UNROLLED_FILL
        {
            return self.fill(&element, value, len);
        }
        let mut flat = Vec::new();
        if !spread(init, &mut 0, &mut flat) || flat.len().saturating_mul(element.offsets.len()) > MOST_STORES {
            let message = format!("this array needs more than {MOST_STORES} stores");
            let help = "repeat one value, `[0; N]`, and set the elements in a loop";
            self.diags.push(Diag::new(Code::V019, memory.loc, message).help(help));
            return;
        }
        for (i, value) in flat.into_iter().enumerate() {
            let index = self.b.u32(i as u32);
            self.set(&element, index, values.get(value).map_or(&[], Vec::as_slice));
        }
    }

    /// The leaves of an initialiser's values, in order, each evaluated once.
    fn evaluate(&mut self, init: &ArrayInit, values: &mut Vec<Vec<Value>>) {
        match init {
            ArrayInit::Value(id) => {
                let value = self.flat(*id);
                values.push(value);
            }
            ArrayInit::Repeat(inner, _) => self.evaluate(inner, values),
            ArrayInit::List(list) => list.iter().for_each(|init| self.evaluate(init, values)),
        }
    }

    /// Sets `len` elements to one value.
    fn fill(&mut self, element: &Element, value: &[Value], len: u32) {
        let (zero, end, one) = (self.b.u32(0), self.b.u32(len), self.b.u32(1));
        let (inst, params) = self.b.begin_loop(None, &[zero]);
        let done = self.b.op(Op::Ge, &[params[0], end]);
        self.leave_if(done, inst);
        self.set(element, params[0], value);
        let next = self.b.op(Op::Add, &[params[0], one]);
        self.b.continue_(inst, &[next]);
        self.b.end_loop(inst, &[]);
    }

    /// Stores the leaves of one element.
    fn set(&mut self, element: &Element, value: Value, leaves: &[Value]) {
        let index = Index { value, stride: element.stride, bound: None };
        for (&offset, &leaf) in element.offsets.iter().zip(leaves) {
            let place = self.b.place(element.root, &[index], offset);
            self.b.store(place, leaf);
        }
    }
}

/// The elements of an array that are set one by one.
struct Element {
    root: Root,
    /// The size of one, in bytes.
    stride: u32,
    /// Where the leaves of one lie in it.
    offsets: Vec<u32>,
}

/// The number of elements if all are one value.
fn repeated(init: &ArrayInit) -> Option<u32> {
    match init {
        ArrayInit::Value(_) => Some(1),
        ArrayInit::Repeat(inner, len) => repeated(inner)?.checked_mul(*len),
        ArrayInit::List(_) => None,
    }
}

/// Which value each element is, by its number; `false` if there are too many.
fn spread(init: &ArrayInit, next: &mut usize, flat: &mut Vec<usize>) -> bool {
    match init {
        ArrayInit::Value(_) => {
            flat.push(*next);
            *next += 1;
            flat.len() <= MOST_STORES
        }
        ArrayInit::List(list) => list.iter().all(|init| spread(init, next, flat)),
        ArrayInit::Repeat(inner, len) => {
            let start = flat.len();
            if !spread(inner, next, flat) {
                return false;
            }
            let once = flat[start..].to_vec();
            if once.len().saturating_mul(*len as usize) > MOST_STORES {
                return false;
            }
            (1..*len).for_each(|_| flat.extend_from_slice(&once));
            flat.len() <= MOST_STORES
        }
    }
}
