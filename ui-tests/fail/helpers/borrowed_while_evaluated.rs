//! Changes of what an operator or a call has borrowed, while it evaluates what comes next.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods, traits(AddAssign))]
#[repr(C)]
struct P {
    a: u32,
    b: u32,
}

#[device]
impl P {
    fn grow(&mut self, by: u32) {
        self.a += by;
    }
}

#[device]
impl AddAssign for P {
    fn add_assign(&mut self, other: P) {
        self.a += other.a;
    }
}

#[device]
fn add(to: &mut u32, by: u32) {
    *to += by;
}

#[device]
fn by_name(to: &mut u32) {
    add(to, *to);
    add(to, {
        *to = 1;
//~     ^ V206
        2
    });
}

#[device]
fn sum(of: &[u32; 2], more: u32) -> u32 {
    of[0] + of[1] + more
}

#[device]
fn added<T: Copy + AddAssign>(a: T, b: T) -> T {
    let mut c = a;
    c += {
        c = b;
//~     ^ V206
        b
    };
    c
}

#[kernel(workgroup_size(1))]
fn k(n: u32, y: &mut [u32]) {
    let mut v = Vec2::new(n, 2);
    v += {
        v.x = 1;
//~     ^ V206
        Vec2::splat(1)
    };
    let mut m = Mat2::<f32>::IDENTITY;
    m *= {
        let part = &mut m;
//~                ^ V206
        *part = *part * 2.0;
        2.0
    };
    let mut many = [v; 2];
    many[n as usize] -= {
        many[0] = v;
//~     ^ V206
        v
    };
    let mut p = P { a: n, b: 1 };
    p += {
        p.a = 2;
//~     ^ V206
        p
    };
    p.grow({
        p.b = 3;
//~     ^ V206
        p.a
    });
    let mut t = [n, 2];
    by_name(&mut t[0]);
    add(&mut t[0], t[1]);
//~                ^ V206
    y[0] = sum(&t, {
        t[1] = 5;
//~     ^ V206
        1
    });
    y[1] = added(v.x, v.y) + m.x_axis.x as u32 + many[0].x + p.a;
}

fn main() {}
