//! `&mut self` called on what cannot be changed.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl Ray {
    fn advance(&mut self, t: f32) {
        self.origin += self.origin * t;
    }
}

#[kernel]
fn k(x: &[Ray], r: Ray, y: &mut [Ray]) {
    x[0].advance(1.0);
//~ ^ V005
    r.advance(1.0);
//~ ^ V008
    let a = r;
    a.advance(2.0);
//~ ^ V008
    y[0] = a;
    y[0].advance(3.0);
}

fn main() {}
