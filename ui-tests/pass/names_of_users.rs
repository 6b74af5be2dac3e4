//! Names of the user's that an expansion, the language or a method of it has as well.
#![deny(warnings)]
#![allow(dead_code, non_upper_case_globals, non_camel_case_types, non_snake_case, unused_macros)]

pub mod hostile {
    use ::samebits::prelude::{
        Buffer, Device, Element, Error as E, Float, Number, Vec2, device as dev, kernel as kern,
    };
    pub static device: u32 = 1;
    pub static grid: u32 = 1;
    pub static KERNEL: u32 = 3;
    pub const Kernel: u32 = 3;
    pub struct Option;
    pub struct Result;
    pub struct Ok;
    pub struct Some;
    pub struct None;
    pub struct Err;
    pub struct Sized;
    pub struct Into;
    pub struct u32x;
    pub mod core {}
    pub mod std {}
    pub mod samebits {}
    pub mod primitive {}
    pub struct Arg;
    pub struct Grid;
    pub struct Unlinked;
    pub struct Readable;
    pub struct Writable;
    pub static value: f32 = 1.0;
    pub static field: f32 = 1.0;
    pub static names: f32 = 1.0;
    pub static it: f32 = 1.0;
    pub static name: f32 = 1.0;
    pub static fields: f32 = 1.0;
    pub static shape: f32 = 1.0;
    pub static bytes: f32 = 1.0;
    pub static constants: f32 = 1.0;
    pub static launch: f32 = 1.0;
    pub static kernel: f32 = 1.0;
    pub fn launch_linked() {}
    pub struct f;
    pub struct T;
    pub struct N;
    macro_rules! assert {
        ($($t:tt)*) => {
            compile_error!("assert");
        };
    }
    macro_rules! file {
        ($($t:tt)*) => {
            compile_error!("file");
        };
    }
    macro_rules! link {
        ($($t:tt)*) => {
            compile_error!("link");
        };
    }
    pub type u64 = f32;
    const SCALE: f32 = 2.0;
    #[derive(Clone, Copy, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct S {
        pub a: u32,
        b: Vec2<f32>,
        c: [f32; 3],
    }
    #[dev]
    impl S {
        pub const C: f32 = 2.0;
        fn g(self) -> f32 {
            self.b.x + self.c[1] * Self::C
        }
    }
    #[dev]
    pub const SIZE: usize = 2;
    #[dev]
    fn sc(x: f32) -> f32 {
        x * SCALE
    }
    #[kern(workgroup_size(SIZE))]
    pub fn k(s: S, a: [u32; 2], x: &[S], y: &mut [f32]) {
        let i = global_id().x;
        y[i] = s.g() + sc(x[0].c[2]) + a[1] as f32 + SCALE;
    }
    #[kern(workgroup_size(1), instances(T = [f32, i32], N = [2]))]
    pub fn gk<T: Number, const N: usize>(s: T, y: &mut [T]) {
        y[0] = s * N as T;
    }
    pub fn go() -> ::core::result::Result<(), E> {
        let d = Device::interpreter();
        let s = S { a: 1, b: Vec2::new(1.0, 2.0), c: [1.0, 2.0, 3.0] };
        let x: Buffer<S> = d.upload(&[s])?;
        let mut y = d.zeros::<f32>(2)?;
        k::launch(&d, 2, s, [1, 9], &x, &mut y)?;
        ::core::assert_eq!(y.read()?, [22.0, 22.0]);
        gk::launch::<_, 2>(&d, 1, 1.5, &mut y)?;
        ::core::assert!(y.read()?[0] == 3.0);
        ::core::result::Result::Ok(())
    }
    #[dev]
    fn twice<X: Float>(x: X) -> X {
        x + x
    }
}
mod imports {
    use samebits::prelude::{Int, Number, device, kernel};
    #[device]
    pub fn add<T: Number>(a: T, b: T) -> T {
        a + b
    }
    #[kernel(workgroup_size(1), instances(T = [u32]))]
    pub fn ik<T: Int>(y: &mut [T]) {
        y[0] = add(y[0], 2 as T);
    }
    #[device]
    pub fn wh<T>(a: T) -> T
    where
        T: Number + Copy,
    {
        a
    }
}
mod methods {
    use samebits::prelude::*;
    #[device]
    fn swap(a: &mut u32, b: &mut u32) {
        let t = *a;
        *a = *b;
        *b = t;
    }
    #[device]
    fn dot(a: u32, b: u32) -> u32 {
        a * b + 1
    }
    #[device]
    fn load(x: &[u32], i: usize) -> u32 {
        x[i]
    }
    #[device]
    fn store(x: &mut [u32], i: usize, v: u32) {
        x[i] = v;
    }
    #[device]
    fn cross(a: u32) -> u32 {
        a
    }
    #[device]
    fn clamp(a: u32) -> u32 {
        a.clamp(0, 5)
    }
    #[device]
    fn length(a: u32) -> u32 {
        a
    }
    #[device]
    fn max(a: u32, b: u32) -> u32 {
        a.max(b)
    }
    #[device]
    fn abs(a: i32) -> i32 {
        a.abs()
    }
    #[device]
    fn fetch_add(a: &Atomic<u32>) -> u32 {
        a.fetch_add(1)
    }
    #[device]
    fn to_bits(a: u32) -> u32 {
        a
    }
    #[kernel(workgroup_size(1))]
    pub fn mk(x: &[u32], y: &mut [u32], z: &[Atomic<u32>]) {
        let mut a = 1;
        let mut b = 2;
        swap(&mut a, &mut b);
        y[0] = dot(a, b);
        y[1] =
            load(x, 1) + cross(1) + clamp(9) + length(3) + max(1, 2) + abs(-3) as u32 + fetch_add(&z[0]) + to_bits(0);
        store(y, 2, 7);
    }
    pub fn go() -> Result<(), Error> {
        let d = Device::interpreter();
        let x = d.upload(&[1u32, 20])?;
        let mut y = d.zeros::<u32>(3)?;
        let mut z = d.zeros::<u32>(3)?;
        mk::launch(&d, 1, &x, &mut y, &mut z)?;
        assert_eq!(y.read()?, [3, 34, 7]);
        Ok(())
    }
}
fn main() -> Result<(), samebits::Error> {
    hostile::go()?;
    methods::go()
}
