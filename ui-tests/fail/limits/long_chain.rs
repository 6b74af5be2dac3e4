//! An `if` with more `else if`s than there may be.
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn k(n: u32, y: &mut [u32]) {
    if n == 0 {
//~ ^ V018
        y[0] = 0;
    } else if n == 1 {
        y[0] = 1;
    } else if n == 2 {
        y[0] = 2;
    } else if n == 3 {
        y[0] = 3;
    } else if n == 4 {
        y[0] = 4;
    } else if n == 5 {
        y[0] = 5;
    } else if n == 6 {
        y[0] = 6;
    } else if n == 7 {
        y[0] = 7;
    } else if n == 8 {
        y[0] = 8;
    } else if n == 9 {
        y[0] = 9;
    } else if n == 10 {
        y[0] = 10;
    } else if n == 11 {
        y[0] = 11;
    } else if n == 12 {
        y[0] = 12;
    } else if n == 13 {
        y[0] = 13;
    } else if n == 14 {
        y[0] = 14;
    } else if n == 15 {
        y[0] = 15;
    } else if n == 16 {
        y[0] = 16;
    } else if n == 17 {
        y[0] = 17;
    } else if n == 18 {
        y[0] = 18;
    } else if n == 19 {
        y[0] = 19;
    } else if n == 20 {
        y[0] = 20;
    } else if n == 21 {
        y[0] = 21;
    } else if n == 22 {
        y[0] = 22;
    } else if n == 23 {
        y[0] = 23;
    } else if n == 24 {
        y[0] = 24;
    } else if n == 25 {
        y[0] = 25;
    } else if n == 26 {
        y[0] = 26;
    } else if n == 27 {
        y[0] = 27;
    } else if n == 28 {
        y[0] = 28;
    } else if n == 29 {
        y[0] = 29;
    } else if n == 30 {
        y[0] = 30;
    } else if n == 31 {
        y[0] = 31;
    } else if n == 32 {
        y[0] = 32;
    } else if n == 33 {
        y[0] = 33;
    } else if n == 34 {
        y[0] = 34;
    } else if n == 35 {
        y[0] = 35;
    } else if n == 36 {
        y[0] = 36;
    } else if n == 37 {
        y[0] = 37;
    } else if n == 38 {
        y[0] = 38;
    } else if n == 39 {
        y[0] = 39;
    } else if n == 40 {
        y[0] = 40;
    } else if n == 41 {
        y[0] = 41;
    } else if n == 42 {
        y[0] = 42;
    } else if n == 43 {
        y[0] = 43;
    } else if n == 44 {
        y[0] = 44;
    } else if n == 45 {
        y[0] = 45;
    } else if n == 46 {
        y[0] = 46;
    } else if n == 47 {
        y[0] = 47;
    } else if n == 48 {
        y[0] = 48;
    } else if n == 49 {
        y[0] = 49;
    } else if n == 50 {
        y[0] = 50;
    } else if n == 51 {
        y[0] = 51;
    } else if n == 52 {
        y[0] = 52;
    } else if n == 53 {
        y[0] = 53;
    } else if n == 54 {
        y[0] = 54;
    } else if n == 55 {
        y[0] = 55;
    } else if n == 56 {
        y[0] = 56;
    } else if n == 57 {
        y[0] = 57;
    } else if n == 58 {
        y[0] = 58;
    } else if n == 59 {
        y[0] = 59;
    } else if n == 60 {
        y[0] = 60;
    }
}

fn main() {}
