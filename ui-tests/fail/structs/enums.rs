//! Enums that memory cannot hold, and uses that Rust or a kernel does not allow.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
enum Plain {
//~  ^ V207
    A,
}

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Positive {
//~  ^ V207
    A = 1,
    B,
}

#[derive(Clone, Copy, PartialEq, Element)]
#[repr(u32)]
enum Cell {
    Dead,
    Alive,
}

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Unequal {
    A,
    B,
}

const FIRST: Cell = Cell::Alive;

#[kernel]
fn uses(cells: &[Cell], other: Unequal, y: &mut [u32]) {
    let cell = cells[0];
    y[0] = match cell {
//~              ^ V105
        Cell::Dead => 1,
    };
    y[1] = cell + 1;
//~             ^ V021
    y[2] = Cell::Alove as u32;
//~        ^ V203
    let back = 1 as Cell;
//~            ^ V012
    let less = cell < Cell::Alive;
//~                 ^ V021
    let wrong: Cell = 1u32;
//~                   ^ V200
    let float = cell as f32;
//~             ^ V012
    let sum = subgroup_add(cell);
//~                        ^ V021
    let first = cell == other;
//~                  ^ V021
}

#[kernel]
fn uncovered(cells: &[Cell], y: &mut [u32]) {
    y[0] = match cells[0] {
//~              ^ V105
        Cell::Dead => 1,
    };
    y[1] = match (cells[0], cells[1]) {
//~              ^ V105
        (Cell::Dead, _) => 1,
        (_, Cell::Dead) => 2,
    };
}

#[kernel]
fn constant(y: &mut [u32]) {
    y[0] = (FIRST == Cell::Alive) as u32;
//~         ^ V202
}

#[kernel]
fn equal(other: Unequal, y: &mut [u32]) {
    y[global_id().x] = (other == Unequal::A) as u32;
//~                           ^ E0277
}

#[kernel]
fn alone(cells: &[Cell], y: &mut [u32]) {
    y[0] = match cells[0] {
        Dead => 1,
//~     ^ V100
        _ => 2,
    };
}

fn main() {}
