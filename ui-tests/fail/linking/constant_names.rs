//! Constants that are not written as constants are.
#![allow(non_upper_case_globals)]
use samebits::prelude::*;

#[device]
const size: usize = 4;
//~   ^ V110

#[device]
const Size: usize = 4;
//~   ^ V110

fn main() {}
