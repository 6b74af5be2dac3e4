//! Zeros in memory before the kernel's own code, or in place of it.
//!
//! Vulkan leaves the memory of a workgroup as it was. The invocations of the workgroup set it to
//! zero together, each of them every so many elements, and wait for each other.

use super::body::Body;
use super::code::Code;
use super::memory::View;
use super::module::{Id, Reg};
use crate::ir::{InstKind, Region, Root, Value};
use spirv::{LoopControl, Op};

/// Elements that a round of a loop sets: some devices count rounds.
const EACH: u32 = 16;

impl Body<'_> {
    /// Sets workgroup memory to zero before the kernel's own code, where the kernel could see that
    /// it is not ([`Filled`](crate::analysis::filled)).
    pub(super) fn zero_workgroup_memory(&mut self) {
        let arrays = self.memory.workgroup_arrays();
        let invocations = (self.function.invocations() as u32).max(1);
        let mut any = false;
        for (root, element, len) in arrays {
            if let Root::Shared(index) = root
                && self.filled.arrays.get(index as usize) == Some(&true)
            {
                continue;
            }
            let Some(view) = self.memory.view(&mut self.code, root, element) else { continue };
            any = true;
            let first = self.ids.local_index;
            let rounds = len / invocations;
            strided(&mut self.code, &view, (first, invocations), rounds);
            let done = rounds * invocations;
            if done < len {
                let done = self.code.word(done);
                let index = self.code.binary(Op::IAdd, first, done);
                let end = self.code.word(len);
                let inside = self.code.binary(Op::ULessThan, index, end);
                self.code.when(inside, |code| set(code, &view, index));
            }
        }
        if any {
            self.wait(false);
        }
    }
}

impl Body<'_> {
    /// Does what an `if` does that only stores to workgroup memory, in place of zeros there: stores zero if the condition
    /// does not hold. So nothing waits for the condition, and loads of several such `if`s are under way together.
    pub(super) fn blend(&mut self, condition: Value, then: Region) {
        let function = self.function;
        let condition = self.register(condition);
        self.under = Some(condition);
        for &inst in &function.regions[then].insts {
            match &function.insts[inst].kind {
                InstKind::Store(place, value) => {
                    let ty = function.ty(*value);
                    let (registers, zeros) = (self.registers(*value), self.zero(ty));
                    let pairs = registers.iter().zip(zeros);
                    let blended: Vec<Id> =
                        pairs.map(|(&register, zero)| self.code.select(condition, register, zero)).collect();
                    self.under = None;
                    self.store(inst, place, ty, &blended);
                }
                InstKind::Yield(_) => {}
                _ => self.inst(inst),
            }
        }
        self.under = None;
    }
}

/// Sets the first elements of an array of the invocation to zero.
pub(super) fn set_to_zero(code: &mut Code, view: &View, len: u32) {
    let first = code.word(0);
    strided(code, view, (first, 1), len);
}

/// Sets so many elements to zero, one every `stride`, from `first` on.
fn strided(code: &mut Code, view: &View, (first, stride): (Id, u32), count: u32) {
    let some = |code: &mut Code, first: Id, count: u32| {
        for n in 0..count {
            let distance = code.word(n * stride);
            let index = code.binary(Op::IAdd, first, distance);
            set(code, view, index);
        }
    };
    let rounds = count / EACH;
    if rounds > 1 {
        let counter = code.local(Reg::U32);
        code.store(counter, first);
        let distance = code.word(rounds * EACH * stride);
        let end = code.binary(Op::IAdd, first, distance);
        let [header, body, next, leave, go, merge] = [(); 6].map(|()| code.label());
        code.open(header, true);
        code.begin_loop(merge, next, body, LoopControl::NONE);
        code.open(body, true);
        let at = code.load(Reg::U32, counter);
        let done = code.binary(Op::UGreaterThanEqual, at, end);
        code.branch_if(done, leave, go, go);
        code.open(leave, true);
        code.branch(merge);
        code.open(go, true);
        some(code, at, EACH);
        let step = code.word(EACH * stride);
        let at = code.binary(Op::IAdd, at, step);
        code.store(counter, at);
        code.open(next, true);
        code.branch(header);
        code.open(merge, true);
        let distance = code.word(rounds * EACH * stride);
        let rest = code.binary(Op::IAdd, first, distance);
        some(code, rest, count % EACH);
    } else {
        some(code, first, count);
    }
}

fn set(code: &mut Code, view: &View, index: Id) {
    let pointer = view.pointer(code, index, None);
    let zero = code.constant(view.element.reg, 0);
    view.write(code, pointer, &vec![zero; view.element.width as usize]);
}
