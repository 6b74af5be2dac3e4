//! Helpers, structs, methods, closures and generic kernels on every device.

use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    /// `a` to `b`, by `t`.
    #[device]
    pub fn lerp<T: Float>(a: T, b: T, t: T) -> T {
        a + (b - a) * t
    }

    #[device]
    pub fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
    pub fn length2(v: Vec2<f32>) -> f32 {
        square(v.x) + square(v.y)
    }
}

use math::{length2, lerp as mix};

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
pub struct Ray {
    origin: Vec3<f32>,
    dir: Vec3<f32>,
}

#[device]
impl Ray {
    fn new(origin: Vec3<f32>, dir: Vec3<f32>) -> Self {
        Self { origin, dir }
    }

    fn at(&self, t: f32) -> Vec3<f32> {
        self.origin + self.dir * t
    }

    fn advance(&mut self, t: f32) {
        self.origin = self.at(t);
    }
}

const SCALE: f32 = 10.0;

#[device]
fn find(a: &[u32], v: u32) -> u32 {
    for y in 0..3 {
        for x in 0..4 {
            if a[y * 4 + x] == v {
                return (y * 4 + x) as u32;
            }
        }
    }
    99
}

#[device]
fn scaled(x: f32) -> f32 {
    x * SCALE
}

#[device]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[device]
fn bump(x: &mut u32, by: u32) -> (u32, bool) {
    *x += by;
    (*x, *x > 10)
}

#[device]
fn sum<const N: usize>(a: [u32; N]) -> u32 {
    let mut s = 0;
    for i in 0..N {
        s += a[i];
    }
    s
}

#[kernel]
fn all(rays: &mut [Ray], numbers: &[u32], o: &mut [f32], p: &mut [u32], extra: Ray) {
    o[0] = mix(1.0, 3.0, 0.5);
    o[1] = length2(Vec2::new(3.0, 4.0));
    o[2] = rays[1].at(2.0).y;
    rays[0].advance(1.0);
    let r = Ray::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.5, 0.5, 0.5));
    rays[2] = r;
    o[3] = scaled(2.0);
    let k = 3.0;
    o[4] = apply(|x| x * k + 1.0, 2.0);
    o[5] = extra.dir.z;
    p[0] = find(numbers, 7);
    p[1] = find(numbers, 50);
    let mut n = 6;
    let (m, big) = bump(&mut n, 5);
    p[2] = n + m + big as u32;
    bump(&mut p[3], 4);
    p[4] = sum([1, 2, 3]) + sum([5; 4]);
    let Ray { origin, .. } = r;
    o[6] = origin.x;
}

#[test]
fn smoke() {
    let device = Device::interpreter();
    let v = |x: f32| Vec3::new(x, x + 1.0, x + 2.0);
    let ray = |x| Ray { origin: v(x), dir: v(x * 2.0) };
    let mut rays = device.upload(&[ray(1.0), ray(2.0), ray(3.0)]).unwrap();
    let numbers = device.upload(&(0..12).collect::<Vec<u32>>()).unwrap();
    let mut o = device.zeros::<f32>(8).unwrap();
    let mut p = device.zeros::<u32>(8).unwrap();
    all::launch(&device, Grid::groups(1, 1, 1), &mut rays, &numbers, &mut o, &mut p, ray(4.0)).unwrap();
    println!("{:?}\n{:?}\n{:?}", o.read().unwrap(), p.read().unwrap(), rays.read().unwrap());
}
