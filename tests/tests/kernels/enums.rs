//! Enums without fields: as values, in `match`, in buffers and structs, and what hosts and kernels read of numbers that
//! are no variant.

use crate::{devices, twins};
use samebits::prelude::*;

/// As another module or crate would see it.
mod life {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Element)]
    #[element(methods)]
    #[repr(u8)]
    pub enum Cell {
        Dead = 0,
        Alive,
    }

    #[device]
    impl Cell {
        pub const FIRST: Self = Cell::Alive;

        pub fn next(self, around: u32) -> Self {
            match (self, around) {
                (Self::Alive, 2 | 3) | (Cell::Dead, 3) => Self::Alive,
                _ => Cell::Dead,
            }
        }

        pub fn is_alive(&self) -> bool {
            *self == Cell::Alive
        }

        pub fn of(n: u32) -> Cell {
            match n {
                1 => Cell::Alive,
                _ => Cell::Dead,
            }
        }
    }
}

use life::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(i16)]
enum Step {
    Back = -1,
    Stay,
    Forward,
    Far = 100,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Piece {
    cell: Cell,
    moved: bool,
    step: Step,
    last: [Step; 2],
}

#[device]
fn turned(step: Step) -> Step {
    match step {
        Step::Back => Step::Forward,
        Step::Forward => Step::Back,
        other => other,
    }
}

#[device]
fn sort(step: Step) -> u32 {
    match step {
        Step::Back | Step::Far => 1,
        s if s == Step::Stay => 2,
        _ => 3,
    }
}

#[device]
fn swap<T: Element>(x: &mut [T], i: usize, j: usize) {
    (x[i], x[j]) = (x[j], x[i]);
}

#[kernel(workgroup_size(4))]
fn play(given: Cell, cells: &mut [Cell], pieces: &mut [Piece], o: &mut [i32]) {
    #[shared]
    let kept: [Step; 4];
    let i = local_id().x;
    cells[i] = cells[i].next(i as u32);
    if i == 1 {
        kept[1] = Step::Far;
        let mut piece = pieces[0];
        o[0] = piece.step as i32 * 100 + piece.cell as i32;
        piece.last[1] = piece.step;
        piece.step = turned(piece.step);
        swap(&mut piece.last, 0, 1);
        pieces[0] = piece;
        o[1] = given.is_alive() as i32 + (Cell::of(1) == given) as i32 + (Cell::FIRST != Cell::Dead) as i32;
        let cell = if o[1] == 3 { Cell::Alive } else { Cell::Dead };
        if let Cell::Alive = cell {
            o[2] = 7;
        }
        o[3] = sort(pieces[1].step) as i32 * 10 + sort(Step::Far) as i32;
    }
    workgroup_barrier();
    if i == 0 {
        // Workgroup memory begins as zero.
        o[4] = kept[1] as i32 + kept[0] as i32;
    }
}

#[test]
fn enums_are_values_arguments_and_elements() {
    let piece = |step| Piece { cell: Cell::Alive, moved: true, step, last: [Step::Far, Step::Stay] };
    for device in devices() {
        let name = device.name();
        let mut cells = device.upload(&[Cell::Alive; 4]).unwrap();
        let mut pieces = device.upload(&[piece(Step::Back), piece(Step::Stay)]).unwrap();
        let mut o = device.zeros::<i32>(5).unwrap();
        play::launch(device, 4, Cell::Alive, &mut cells, &mut pieces, &mut o).unwrap();
        assert_eq!(cells.read().unwrap(), [Cell::Dead, Cell::Dead, Cell::Alive, Cell::Alive], "on {name}");
        let moved = Piece { last: [Step::Back, Step::Far], ..piece(Step::Forward) };
        assert_eq!(pieces.read().unwrap(), [moved, piece(Step::Stay)], "on {name}");
        assert_eq!(o.read().unwrap(), [-99, 3, 7, 21, 100], "on {name}");
    }
}

#[kernel(workgroup_size(1))]
fn copied(from: &[Step], to: &mut [Step], n: &mut [i32]) {
    for i in 0..from.len() {
        to[i] = from[i];
        n[i] = from[i] as i32;
    }
}

#[test]
fn a_number_that_is_no_variant_reads_as_the_variant_of_zero() {
    let numbers = [-1i16, 0, 1, 2, 99, 100, 101, i16::MIN, i16::MAX];
    let variant = |n| match n {
        -1 => Step::Back,
        1 => Step::Forward,
        100 => Step::Far,
        _ => Step::Stay,
    };
    let expected = numbers.map(variant);
    for device in devices() {
        let name = device.name();
        let from = device.upload(&numbers).unwrap();
        let (mut to, mut n) = (device.zeros::<Step>(9).unwrap(), device.zeros::<i32>(9).unwrap());
        copied::launch(device, 1, &from.view().unwrap(), &mut to, &mut n).unwrap();
        assert_eq!(from.view::<Step>().unwrap().read().unwrap(), expected, "on {name}");
        assert_eq!(to.read().unwrap(), expected, "on {name}");
        assert_eq!(to.view::<i16>().unwrap().read().unwrap(), expected.map(|step| step as i16), "on {name}");
        assert_eq!(n.read().unwrap(), expected.map(|step| step as i32), "on {name}");
    }
    let buffer = Device::cpu().upload(&expected).unwrap();
    assert_eq!(buffer.as_slice(), None);
}

twins! {
    enums_of_any_discriminants([0, 1, 2, 3, 4]);
    { enum Op { Add = 0, Sub = 7, Mul = 200, Not = 4_000_000_000 } }
    { fn op(n: u32) -> Op { match n { 0 => Op::Add, 1 => Op::Sub, 2 => Op::Mul, _ => Op::Not } } }
    { fn apply(op: Op, a: u32, b: u32) -> u32 {
        match op { Op::Add => a + b, Op::Sub => a - b, Op::Mul => a * b, Op::Not => !a }
    } }
    { fn pick(a: Op, b: Op) -> u32 {
        match (a, b) {
            (Op::Add, _) => 1,
            (_, Op::Mul | Op::Sub) => 2,
            (Op::Not, last) if last as u32 > 5 => 3,
            _ => 4,
        }
    } }
    kernel(x, o) {
        for i in 0..x.len() {
            let this = op(x[i]);
            o[i] = apply(this, 9, 4);
            o[8 + i] = this as u32;
            o[16 + i] = pick(this, op(x[4 - i]));
            o[24 + i] = (this as u8) as u32 + (this == Op::Mul) as u32;
        }
        let mut many = [Op::Sub; 3];
        many[x[1] as usize] = Op::Not;
        let (first, Op::Not) = (many[0], many[1]) else { return };
        o[30] = first as u32;
        let choose = |n: u32| if n > 2 { Op::Mul } else { Op::Add };
        o[31] = choose(x[3]) as u32 + choose(x[0]) as u32;
    }
}

mod links {
    use samebits::prelude::*;

    /// Variants that are called as the orders of atomics are.
    #[derive(Clone, Copy, Element, PartialEq)]
    #[repr(u32)]
    pub enum Link {
        Relaxed,
        Acquire = 5,
        Release = 9,
    }

    impl Link {
        pub fn next(self) -> Self {
            if self == Link::Acquire { Link::Release } else { Link::Acquire }
        }
    }

    #[kernel(workgroup_size(1))]
    pub fn follow(x: &[Link], o: &mut [u32], counts: &[Atomic<u32>]) {
        let i = global_id().x;
        let next = match x[i] {
            Link::Relaxed | Link::Release => Link::Acquire,
            Link::Acquire => Link::Release,
        };
        counts[0].fetch_add(next as u32, Ordering::Relaxed);
        o[i] = next as u32 * 10 + Link::Release as u32;
    }
}

#[test]
fn variants_may_have_the_names_of_orders() {
    use links::Link;
    let x = [Link::Acquire, Link::Relaxed, Link::Release];
    let expected: Vec<u32> = x.iter().map(|link| link.next() as u32 * 10 + 9).collect();
    crate::expect(&expected, |device, out| {
        let mut counts = device.upload(&[0u32])?;
        links::follow::launch(device, 3, &device.upload(&x)?, out, &mut counts)
    });
}
