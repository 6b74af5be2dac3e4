//! The first values of an invocation's arrays, set each time that their `let` is reached.

use super::Build;
use crate::hir::ArrayInit;
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Index, Root, Value};
use samebits_ir::ops::Op;

/// Elements up to this number are set store by store, a longer run of one value by a loop.
const UNROLLED_FILL: u32 = 16;
/// The most stores that one `let` may need.
const MOST_STORES: usize = 4096;

impl Build<'_> {
    pub(super) fn array(&mut self, root: Root, init: &ArrayInit) {
        let Root::Private(index) = root else { return };
        let memory = &self.body.private[index as usize];
        let ty = self.infer.decided(&memory.ty);
        let mut element = &ty;
        while let Ty::Array(inner, _) = element {
            element = inner;
        }
        let mut values = Vec::new();
        self.evaluate(init, &mut values);
        let stride = element.value().and_then(|ty| self.types.layout(ty)).map(|layout| layout.size);
        self.b.at(memory.loc);
        if let (Some(len), [value], Some(stride)) = (repeated(init), values.as_slice(), stride)
            && let [value] = value.as_slice()
            && len > UNROLLED_FILL
        {
            return self.fill(root, *value, len, stride);
        }
        let mut flat = Vec::new();
        if !spread(init, &mut values.iter(), &mut flat) {
            let message = format!("this array needs more than {MOST_STORES} stores");
            let help = "repeat one value, `[0; N]`, and set the elements in a loop";
            self.diags.push(Diag::new(Code::V019, memory.loc, message).help(help));
            return;
        }
        // The leaves of structs and tuples are not all of one size.
        let Some(stride) = stride else { return self.whole(root, &flat) };
        for (i, value) in flat.into_iter().enumerate() {
            let index = Index { value: self.b.u32(i as u32), stride, bound: None };
            let place = self.b.place(root, &[index], 0);
            self.b.store(place, value);
        }
    }

    /// The leaves of each value of an initialiser, in order, each once.
    fn evaluate(&mut self, init: &ArrayInit, values: &mut Vec<Vec<Value>>) {
        match init {
            ArrayInit::Value(id) => {
                let leaves = self.flat(*id);
                values.push(leaves);
            }
            ArrayInit::Repeat(inner, _) => self.evaluate(inner, values),
            ArrayInit::List(list) => list.iter().for_each(|init| self.evaluate(init, values)),
        }
    }

    /// Sets `len` elements to one value.
    fn fill(&mut self, root: Root, value: Value, len: u32, stride: u32) {
        let (zero, end, one) = (self.b.u32(0), self.b.u32(len), self.b.u32(1));
        let (inst, params) = self.b.begin_loop(None, &[zero]);
        let done = self.b.op(Op::Ge, &[params[0], end]);
        self.leave_if(done, inst);
        let place = self.b.place(root, &[Index { value: params[0], stride, bound: None }], 0);
        self.b.store(place, value);
        let next = self.b.op(Op::Add, &[params[0], one]);
        self.b.continue_(inst, &[next]);
        self.b.end_loop(inst, &[]);
    }
}

/// The number of elements if all are one value.
fn repeated(init: &ArrayInit) -> Option<u32> {
    match init {
        ArrayInit::Value(_) => Some(1),
        ArrayInit::Repeat(inner, len) => repeated(inner)?.checked_mul(*len),
        ArrayInit::List(_) => None,
    }
}

/// The leaves of each element; `false` if there are too many.
fn spread<'v>(init: &ArrayInit, values: &mut impl Iterator<Item = &'v Vec<Value>>, flat: &mut Vec<Value>) -> bool {
    match init {
        ArrayInit::Value(_) => {
            flat.extend(values.next().into_iter().flatten());
            flat.len() <= MOST_STORES
        }
        ArrayInit::List(list) => list.iter().all(|init| spread(init, values, flat)),
        ArrayInit::Repeat(inner, len) => {
            let start = flat.len();
            if !spread(inner, values, flat) {
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
