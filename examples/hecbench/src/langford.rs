//! Planar Langford sequences: 1, 1, 2, 2, … n, n in an order in which m numbers stand between both m, and lines between equal numbers,
//! above or below, do not cross.
//!
//! Each invocation searches in depth, with a stack of its own in workgroup memory: at each place a pair opens or closes, above or
//! below. A pair that closes is the one that opened last on its side, which its distance names. At some depth a hash of
//! the state tells whose part of the tree this is. The host sorts what was found and drops what occurs twice.
//!
//! Sizes: n of 7, 8, 11, 12 and 15, for 16,383 invocations.
//! What differs: stacks have room for the greatest n, and n is an argument; places of solutions are counted in 32 bits.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;
use std::collections::BTreeSet;

/// The greatest n.
#[device]
const MOST: usize = 15;
/// Invocations of a workgroup.
#[device]
const LANES: usize = 4;

/// What is left to try: a pair that opens or closes at a place.
#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Choice {
    place: i8,
    /// The number less one of the pair that closes, or -1 if one opens.
    number: i8,
    /// 1 above, 0 below.
    side: i8,
    /// Pairs that have opened.
    opened: i8,
}

/// For each number less one, where its second one stands.
type Solution = [i8; 16];

#[kernel(workgroup_size(LANES))]
pub(crate) fn search(n: i32, parts: u64, found: &[Atomic<u32>], solutions: &mut [[i8; 16]]) {
    #[shared]
    let stacks: [[Choice; 6 * MOST]; LANES];
    // Numbers that are left, and which places are open on both sides, before each place.
    #[shared]
    let left: [[u32; 2 * MOST + 1]; LANES];
    #[shared]
    let open: [[[u64; 2]; 2 * MOST + 1]; LANES];
    let lane = local_id().x;
    let part = global_id().x as u64;
    let depth = if n > 19 { 8 + n / 3 } else { n - 5 };
    let mut solution = [0i8; 16];
    left[lane][0] = (1 << n) - 1;
    open[lane][0] = [0, 0];
    stacks[lane][0] = Choice { place: 0, number: -1, side: 0, opened: 0 };
    let mut top = 1;
    while top > 0 && part < parts {
        top -= 1;
        let Choice { place, number, side, mut opened } = stacks[lane][top];
        let at = place as usize;
        let mut numbers = left[lane][at];
        let mut sides = open[lane][at];
        if number >= 0 {
            solution[number as usize] = place;
            numbers ^= 1 << number;
            // The pair that opened last is the lowest bit.
            sides[side as usize] &= sides[side as usize] - 1;
        } else {
            sides[side as usize] |= 1 << (2 * n - 1 - place as i32);
            opened += 1;
        }
        let place = place as i32 + 1;
        left[lane][at + 1] = numbers;
        open[lane][at + 1] = sides;
        if place == 2 * n {
            let to = found[0].fetch_add(1) as usize;
            // A counter never gives a place twice.
            unsafe { solutions[to] = solution };
            continue;
        }
        if place == depth && (131_071 * (sides[1] - sides[0]) + numbers as u64) % parts != part {
            continue;
        }
        for side in 0..2 {
            if sides[side] != 0 {
                let number = place - 2 * n - 1 + sides[side].trailing_zeros() as i32;
                let fits = number >= 0 && number < n && numbers >> number & 1 == 1;
                // Of a sequence and its reverse one is enough.
                if fits && (number > 0 || place <= n) {
                    stacks[lane][top] = Choice { place: place as i8, number: number as i8, side: side as i8, opened };
                    top += 1;
                }
            }
        }
        if (opened as i32) < n {
            for side in 0..2 {
                stacks[lane][top] = Choice { place: place as i8, number: -1, side: 1 - side, opened };
                top += 1;
            }
        }
    }
}

/// n, the invocations, and room for solutions.
fn inputs(scale: Scale) -> (&'static [i32], usize, usize) {
    scale.of((&[7, 8], 63, 100), (&[7, 8, 11, 12, 15], 16_383, 1_000_000))
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (sizes, parts, room) = inputs(scale);
    let mut found = device.zeros::<u32>(1)?;
    let mut solutions = device.zeros::<Solution>(room)?;
    let mut unique = Vec::new();
    Ok(Job::new(["search"], move |ask| {
        match ask {
            Ask::Step(_) => {
                unique.clear();
                for &n in sizes {
                    found.fill(0)?;
                    search::launch(device, parts, n, parts as u64, &mut found, &mut solutions)?;
                    let count = found.read()?[0] as usize;
                    unique.push(solutions.read_range(..count)?.into_iter().collect::<BTreeSet<_>>());
                }
            }
            Ask::Answer(answer) => {
                for unique in &unique {
                    answer.add("solutions", &unique.iter().copied().collect::<Vec<_>>());
                }
            }
        }
        Ok(())
    }))
}

/// A partial sequence.
struct Partial {
    n: usize,
    place: usize,
    solution: Solution,
    used: Vec<bool>,
    /// Where pairs opened, below and above.
    open: [Vec<usize>; 2],
    opened: usize,
    found: BTreeSet<Solution>,
}

impl Partial {
    fn go_on(&mut self) {
        if self.place == 2 * self.n {
            self.found.insert(self.solution);
            return;
        }
        for side in 0..2 {
            // The first pair is below.
            if self.opened < self.n && (self.place > 0 || side == 0) {
                self.open[side].push(self.place);
                (self.opened, self.place) = (self.opened + 1, self.place + 1);
                self.go_on();
                (self.opened, self.place) = (self.opened - 1, self.place - 1);
                self.open[side].pop();
            }
            let Some(&first) = self.open[side].last() else { continue };
            let between = self.place - first - 1;
            let is_reverse = between == 1 && self.place > self.n;
            if between >= 1 && between <= self.n && !self.used[between - 1] && !is_reverse {
                let before = self.solution;
                self.open[side].pop();
                self.used[between - 1] = true;
                self.solution[between - 1] = self.place as i8;
                self.place += 1;
                self.go_on();
                self.place -= 1;
                self.solution = before;
                self.used[between - 1] = false;
                self.open[side].push(first);
            }
        }
    }
}

fn plain(n: usize) -> BTreeSet<Solution> {
    let open = [Vec::new(), Vec::new()];
    let found = BTreeSet::new();
    let mut partial = Partial { n, place: 0, solution: [0; 16], used: vec![false; n], open, opened: 0, found };
    partial.go_on();
    partial.found
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let mut answer = Answer::default();
    for &n in inputs(scale).0 {
        answer.add("solutions", &plain(n as usize).into_iter().collect::<Vec<_>>());
    }
    answer
}

#[cfg(test)]
mod tests {
    /// The published numbers.
    #[test]
    fn the_reference_finds_as_many_as_are_known() {
        assert_eq!([3, 4, 7, 8, 11].map(|n| super::plain(n).len()), [1, 0, 0, 4, 16]);
    }
}
