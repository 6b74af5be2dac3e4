//! Types of Rust's that no kernel has.
use samebits::prelude::*;
#[allow(unused_imports)]
use std::collections::HashMap;
#[allow(unused_imports)]
use std::sync::atomic::AtomicU32;

#[kernel]
fn k(a: u128, b: isize, c: char, d: &str, e: Option<u32>, f: &[AtomicU32], g: &HashMap<u32, u32>, h: *const f32) {}
//~     ^ V201
//~              ^ V201
//~                        ^ V201
//~                                 ^ V201
//~                                          ^ V201
//~                                                          ^ V201
//~                                                                           ^ V201
//~                                                                                                  ^ V201

#[kernel]
fn references(a: &u32, b: &[f32; 4], c: &Vec<f32>, d: [u8; 65536]) {}
//~              ^ V201
//~                       ^ V201
//~                                     ^ V201
//~                                                   ^ V201

fn main() {}
