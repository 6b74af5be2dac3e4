//! Methods, associated functions and constants of structs, against the same Rust on the host.

use crate::twins;
use samebits::prelude::*;

twins! {
    methods_take_self_in_every_way([3, 4, 5, 6]);
    { with_methods struct Counter { pub n: u32, pub step: u32, pub log: [u32; 3] } }
    { impl Counter {
        const START: u32 = 5;
        const TWICE: u32 = Self::START * 2;

        fn new(step: u32) -> Self { Self { n: Self::START, step, log: [0; 3] } }
        fn with(n: u32) -> Counter { Counter { n, ..Counter::new(1) } }
        fn value(&self) -> u32 { self.n * 10 + self.step }
        fn next(&mut self) -> u32 { self.n += self.step; self.note(0); self.n }
        fn note(&mut self, at: usize) { self.log[at] += self.value(); }
        fn twice(self) -> Self { Self { n: self.n * 2, ..self } }
        fn spent(mut self) -> u32 { self.n += 100; self.next() + self.log[0] }
        fn merge(&self, other: &Self, by: impl Fn(u32, u32) -> u32) -> Self { Self { n: by(self.n, other.n), ..*self } }
        fn swap(&mut self, other: &mut Self) { let old = *self; *self = *other; *other = old; }
        fn chain(&mut self, n: u32) -> u32 { if n > 2 { return self.next(); } self.next() + self.next() }
        fn total(list: &[u32]) -> u32 { let mut s = Self::TWICE; for i in 0..list.len() { s += list[i]; } s }
    } }
    { with_methods struct Pair { pub a: Counter, pub b: [Counter; 2] } }
    { impl Pair {
        fn sum(&self) -> u32 { self.a.value() + self.b[0].value() * 1000 + self.b[1].value() * 100_000 }
        fn step(&mut self, i: usize) -> u32 { self.a.next() + self.b[i].next() }
        fn first(&self) -> Counter { self.b[0] }
    } }
    kernel(x, o) {
        let mut c = Counter::new(x[0]);
        o[0] = c.value();
        o[1] = c.next() * 100 + c.next();
        c.note(1);
        let log = c.log;
        o[2] = log[0] * 1000 + log[1];
        o[3] = c.twice().value() + c.value() * 1000;
        o[4] = c.spent() + c.n * 1000;
        let d = Counter::with(x[1]);
        let k = 2;
        o[5] = c.merge(&d, |a, b| a * k + b).value();
        let mut e = d.merge(&c, |a, b| a.max(b));
        c.swap(&mut e);
        o[6] = c.value() * 1000 + e.value();
        o[7] = c.chain(1) * 1000 + e.chain(3);
        o[8] = Counter::START + Counter::TWICE * 100 + Counter::total(x) * 10_000;
        let mut p = Pair { a: c, b: [d, e] };
        o[9] = p.step(x[0] as usize - 2);
        o[10] = p.sum();
        p.b[0].swap(&mut p.a);
        o[11] = p.sum() + p.first().twice().n;
        o[12] = Counter::with(1).twice().twice().next();
        let mut many = [d, e, Counter::new(2)];
        for i in 0..3 {
            many[i].next();
            o[13] += many[i].value();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
pub struct Ray {
    origin: Vec3<f32>,
    dir: Vec3<f32>,
}

const LIMIT: f32 = 16.0 - 0.5;

mod numbers {
    pub const EXTRA: u32 = 40 + 2;
}

#[device]
impl Ray {
    const HALF: f32 = 0.5;

    fn at(&self, t: f32) -> Vec3<f32> {
        self.origin + self.dir * t
    }

    fn advance(&mut self, t: f32) {
        self.origin = self.at(t * Self::HALF);
    }

    fn limited(self) -> f32 {
        self.origin.y.min(LIMIT) + numbers::EXTRA as f32
    }

    fn flipped<T: Float>(&self, t: T) -> T {
        -t
    }

    fn sums<const N: usize>(&self, list: [f32; N]) -> f32 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += list[i] * self.dir.x;
        }
        sum
    }
}

#[kernel(workgroup_size(2), requires(rays.len() <= 100))]
fn in_buffers(t: f32, rays: &mut [Ray], o: &mut [f32]) {
    #[shared]
    let tile: [Ray; 2];
    let (i, lane) = (global_id().x, local_id().x);
    rays[i].advance(t);
    o[i * 5] = rays[i].at(2.0).z;
    tile[lane] = rays[i];
    tile[lane].advance(2.0);
    workgroup_barrier();
    o[i * 5 + 1] = tile[1 - lane].at(0.0).x;
    o[i * 5 + 2] = rays[i].limited();
    o[i * 5 + 3] = rays[i].flipped(1.5f32) + rays[100].at(3.0).x;
    o[i * 5 + 4] = rays[i].sums([1.0, 2.0, 3.0]);
    rays[i + 100].advance(1.0);
}

#[test]
fn methods_work_on_elements_of_buffers_and_of_workgroup_memory() {
    let at = |r: &Ray, t: f32| {
        let lane = |o: f32, d: f32| o + d * t;
        Vec3::new(lane(r.origin.x, r.dir.x), lane(r.origin.y, r.dir.y), lane(r.origin.z, r.dir.z))
    };
    let ray = |n: f32| Ray { origin: Vec3::new(n, n * 4.0, n + 2.0), dir: Vec3::new(n, 2.0, -n) };
    let before = [1.0, 2.0, 3.0, 4.0].map(ray);
    let mut after = before;
    after.iter_mut().for_each(|ray| ray.origin = at(ray, 1.5));
    let expected: Vec<f32> = (0..4)
        .flat_map(|i| {
            let (own, other) = (&after[i], &after[i ^ 1]);
            let sum = own.dir.x + 2.0 * own.dir.x + 3.0 * own.dir.x;
            [at(own, 2.0).z, at(other, 1.0).x, own.origin.y.min(15.5) + 42.0, -1.5, sum]
        })
        .collect();
    for device in crate::devices() {
        let mut rays = device.upload(&before).unwrap();
        let mut o = device.zeros::<f32>(20).unwrap();
        in_buffers::launch(device, 4, 3.0, &mut rays, &mut o).unwrap();
        crate::same(device, &o, &expected);
        assert_eq!(rays.read().unwrap(), after, "on {}", device.name());
    }
}

#[test]
fn associated_constants_exist_on_the_host_too() {
    assert_eq!(Ray::HALF, 0.5);
}

/// The struct is in one module, its methods use helpers and structs of others.
mod geometry {
    use samebits::prelude::*;

    pub mod points {
        use samebits::prelude::*;

        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[element(methods)]
        #[repr(C)]
        pub struct Point {
            pub x: i32,
            pub y: i32,
        }

        #[device]
        impl Point {
            pub const ORIGIN: Point = Point { x: 0, y: 0 };

            pub fn new(x: i32, y: i32) -> Self {
                Self { x, y }
            }

            pub fn minus(self, other: Self) -> Self {
                Self::new(self.x - other.x, self.y - other.y)
            }

            pub fn far(self) -> i32 {
                super::distance(self.x, 0) + super::distance(0, self.y)
            }
        }
    }

    #[device]
    pub fn distance(a: i32, b: i32) -> i32 {
        if a > b { a - b } else { b - a }
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Line {
        pub from: points::Point,
        pub to: points::Point,
    }

    #[device]
    impl Line {
        pub fn length(&self) -> i32 {
            self.to.minus(self.from).far()
        }

        pub fn from_origin(to: points::Point) -> Self {
            Line { from: points::Point::ORIGIN, to }
        }
    }
}

use geometry::{Line as Segment, points};

#[kernel(workgroup_size(1))]
fn lines(x: &[Segment], o: &mut [i32]) {
    let i = global_id().x;
    o[i * 3] = x[i].length();
    o[i * 3 + 1] = Segment::from_origin(points::Point::new(-3, i as i32)).length();
    o[i * 3 + 2] = x[i].from.minus(points::Point::ORIGIN).far();
}

#[test]
fn methods_of_structs_of_other_modules() {
    let line = |a, b, c, d| Segment { from: points::Point { x: a, y: b }, to: points::Point { x: c, y: d } };
    let x = [line(1, 2, 3, 4), line(-5, 6, 7, -8)];
    crate::expect(&[4, 3, 3, 26, 4, 11], |device, out| lines::launch(device, 2, &device.upload(&x)?, out));
}
