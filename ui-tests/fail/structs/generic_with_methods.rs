//! A generic element that has methods: one error.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Kiss<T> {
//~        ^ V207
    a: T,
}

#[device]
impl<T> Kiss<T> {
    fn a(self) -> T {
        self.a
    }
}

fn main() {}
