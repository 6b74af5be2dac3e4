//! Your own functions, closures, type parameters, structs, methods, traits and constants in kernels.
//!
//! # Helpers
//!
//! A function with `#[device]` is a *helper*. Kernels and other helpers can call it, from any module or crate that can see
//! it: `use`, renaming, globs and `pub` work as for all functions. Its body may contain whatever a kernel may contain: ids,
//! loops, early returns, barriers, workgroup memory.
//!
//! ```
//! use samebits::prelude::*;
//!
//! mod colour {
//!     use samebits::prelude::*;
//!
//!     /// Red, green and blue from 0.0 to 1.0.
//!     #[device]
//!     pub fn unpack(pixel: u32) -> (f32, f32, f32) {
//!         (channel(pixel), channel(pixel >> 8), channel(pixel >> 16))
//!     }
//!
//!     #[device]
//!     fn channel(bits: u32) -> f32 {
//!         (bits & 255) as f32 / 255.0
//!     }
//! }
//!
//! use colour::unpack;
//!
//! #[kernel]
//! fn brightness(pixels: &[u32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < pixels.len() {
//!         let (red, green, blue) = unpack(pixels[i]);
//!         y[i] = 0.25 * red + 0.5 * green + 0.25 * blue;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let pixels = device.upload(&[0xff_ffffu32, 0x00_ff00])?;
//! let mut y = device.zeros::<f32>(2)?;
//! brightness::launch(&device, pixels.len(), &pixels, &mut y)?;
//! assert_eq!(y.read()?, [1.0, 0.5]);
//! # Ok::<(), Error>(())
//! ```
//!
//! - A helper is checked where it is defined, whether it is called or not.
//! - It is not a function of the host program: there its name is a type, and a call is rustc's error. If the host needs the
//!   same function, write it a second time.
//! - It cannot call itself (V106), and two helpers cannot call each other, since calls are inlined.
//! - It cannot have the name of one of Rust's macros or attributes, or of a function of this language: `test`, `assert` or
//!   `global_id` is error V110.
//! - It cannot name an item that names it in turn. So an `impl` cannot have a method that calls a helper which takes the
//!   same struct, and two `impl`s cannot name each other's structs. rustc reports "cannot find macro" for all of them. Make
//!   the helper a method, or the method a helper.
//! - If a called function is not a helper, rustc reports "cannot find macro `name` in this scope" on the call: add
//!   `#[device]` to the function, or import it. The same is true of a struct or of the length of an array.
//! - A function may name at most 60 helpers, structs and constants itself (V112). What those name does not count.
//!
//! ```compile_fail,E0423
//! use samebits::prelude::*;
//!
//! #[device]
//! fn square(x: f32) -> f32 {
//!     x * x
//! }
//!
//! assert_eq!(square(3.0), 9.0); // a helper is called by kernels
//! ```
//!
//! # References
//!
//! Parameters of helpers may be references. A reference stands for the place that is borrowed: a variable, an element of a
//! buffer, workgroup memory, or a part of these.
//!
//! | parameter | argument |
//! | --- | --- |
//! | `&T`, `&mut T` | `&x`, `&mut y[i]`, `&mut ray.origin`; `*p` is the value; fields, indices and methods need no `*` |
//! | `&[T]`, `&mut [T]` | a buffer `x`, an array of any length: `&mut tile`, or a [part](#parts) of either: `&x[a..b]` |
//! | `&[T; N]`, `&mut [T; N]` | an array |
//! | `&Atomic<T>`, `&[Atomic<T>]` | `&counts[i]`, or a buffer `counts` |
//!
//! ```
//! use samebits::prelude::*;
//!
//! /// The sum over the workgroup, which is then in the first place.
//! #[device]
//! fn add_up(tile: &mut [u32]) {
//!     let lane = local_index();
//!     let mut step = tile.len() / 2;
//!     while step > 0 {
//!         if lane < step {
//!             tile[lane] += tile[lane + step];
//!         }
//!         workgroup_barrier();
//!         step /= 2;
//!     }
//! }
//!
//! #[device]
//! fn raise(most: &mut u32, by: u32) {
//!     *most = by.max(*most);
//! }
//!
//! #[kernel(workgroup_size(64))]
//! fn sums(x: &[u32], y: &mut [u32]) {
//!     #[shared]
//!     let tile: [u32; 64];
//!     tile[local_index()] = x[global_id().x];
//!     workgroup_barrier();
//!     add_up(&mut tile);
//!     if local_index() == 0 {
//!         raise(&mut y[workgroup_id().x], tile[0]);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&(0..128).collect::<Vec<u32>>())?;
//! let mut y = device.upload(&[0u32, 9999])?;
//! sums::launch(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?, [(0..64).sum(), 9999]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A variable may be a reference too: `let b = &mut bodies[i];`, `let part = &x[a..];`, `let again = &mut *r;`.
//!
//! The indices of a borrowed place are computed once, where it is borrowed. As in Rust, nothing else may see what a `&mut`
//! may change, and nothing may change what is borrowed, up to the last use of the reference (V206). Two elements of one
//! buffer count as one place. A reference cannot be put into a struct, returned, chosen by an `if`, or assigned anew.
//!
//! # Parts
//!
//! `&x[a..b]` and `&mut x[a..b]` lend a part of a buffer, of workgroup memory or of an array; `a..`, `..b`, `a..=b` and
//! `..` are ranges too. In the helper the part is a slice: its indices count from `a`, and `len()` is its own. A part
//! may be lent on in parts.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[device]
//! fn dot(a: &[f32], b: &[f32]) -> f32 {
//!     let mut sum = 0.0;
//!     for i in 0..a.len() {
//!         sum += a[i] * b[i];
//!     }
//!     sum
//! }
//!
//! /// The product of a matrix and a vector.
//! #[kernel]
//! fn product(matrix: &[f32], x: &[f32], y: &mut [f32]) {
//!     let (row, width) = (global_id().x, x.len());
//!     if row < y.len() {
//!         y[row] = dot(&matrix[row * width..(row + 1) * width], x);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let matrix = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
//! let x = device.upload(&[10.0f32, 1.0])?;
//! let mut y = device.zeros::<f32>(2)?;
//! product::launch(&device, 2, &matrix, &x, &mut y)?;
//! assert_eq!(y.read()?, [12.0, 34.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! - Beyond the end of a part is out of bounds, also where the whole goes on: a load gives zero, a store does nothing.
//! - Where Rust panics, a part is shorter: it ends where the whole ends, and is empty if the range ends before it
//!   begins. If numbers in the source alone show that, it is error V300.
//! - A part is as provable as its indices written by hand: `for i in 0..part.len()` needs no bounds test, and parts of
//!   different invocations that do not overlap do not race.
//!
//! - `let (a, b) = x.split_at(n);` and `split_at_mut` lend two parts, which nothing takes for one place.
//!
//! Buffers, arrays, workgroup memory and their parts have these methods. Each is a loop of the invocation that calls it.
//!
//! | method | what it does |
//! | --- | --- |
//! | `x.fill(v)`, `x.reverse()` | as in Rust |
//! | `x.swap(i, j)` | reads both and stores both; beyond the end it reads zeros and stores nothing |
//! | `x.copy_from_slice(&y)` | copies as many elements as both have; lengths that differ in the source are error V300 |
//! | `x.contains(&v)`, `x.starts_with(&y)` | compare numbers and vectors with `==`; `(a..b).contains(&v)` is there too |
//!
//! # Closures
//!
//! A helper with a parameter `f: impl Fn(f32) -> f32`, or `f: F` where `F: Fn(f32) -> f32`, takes a closure. A closure can
//! also be called where it was made. It sees the variables around it, and a `FnMut` may change them.
//!
//! ```
//! use samebits::prelude::*;
//!
//! /// Where a function that grows becomes 0, between two places.
//! #[device]
//! fn root(mut low: f32, mut high: f32, f: impl Fn(f32) -> f32) -> f32 {
//!     for _ in 0..30 {
//!         let middle = 0.5 * (low + high);
//!         if f(middle) < 0.0 {
//!             low = middle;
//!         } else {
//!             high = middle;
//!         }
//!     }
//!     high
//! }
//!
//! #[kernel]
//! fn cube_roots(x: &[f32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     let a = x[i];
//!     let cube = |r: f32| r * r * r;
//!     y[i] = root(0.0, 8.0, |r| cube(r) - a);
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[8.0f32, 27.0])?;
//! let mut y = device.zeros::<f32>(2)?;
//! cube_roots::launch(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?, [2.0, 3.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A closure that nothing calls is checked as well; then the types of its parameters must be written. Its types are those
//! of its first call. What may be called how often is as in Rust: one that changes what it captures is called through
//! `let mut f`, or passed as `mut f: impl FnMut(…)`; an `FnOnce` is used once. From where it is made to its last call,
//! nobody else uses what it changes (V206).
//!
//! A closure sees the variables around it as they are when it is called. A `move` closure has copies of them; if it changes
//! these, pass it as `|x| f(x)` and not by its name. Unlike Rust, the language does not compare what a closure that is
//! written in a call sees with the other arguments: it may change what is borrowed beside it, and reads and writes happen
//! in order.
//!
//! A closure may take references: `|part: &[u32], i: usize| part[i]`, and a helper `f: impl Fn(&[u32], usize) -> u32`.
//!
//! Where a closure can stand, the path of a function through a type can, too: `reduce(x, f32::max)`, `u32::wrapping_add`,
//! `Point::new`, `T::half` of a trait, and operators, `core::ops::Add::add` or `Point::add`. Iterators take them as well:
//! `x.iter().copied().fold(0, u32::max)`. Otherwise a function is not a value: pass a helper as `|x| square(x)`. A closure cannot be chosen by an `if`, stored or returned.
//!
//! # Generics
//!
//! A type parameter stands for the members of a class, which is a trait of the prelude: `Float`, `Int`, `Signed`,
//! `Unsigned`, `Number` (all of these), or `Element` (whatever a buffer holds, only to be copied). `const N: usize` stands
//! for a length. Operators of `core::ops` are bounds as well, as in `T: Copy + Add<Output = T> + PartialOrd`: such a `T`
//! is a `Number`, and with `&`, `|`, `^` or `!` an `Int`; your own types with operators are none. A generic helper is checked for all members of its classes where it is defined, so a call cannot cause an
//! error inside of it.
//!
//! Type parameters are inferred from the arguments. Write them, as in `least::<f32>(…)`, if only a closure or the result
//! decides `T` and the body has a `T::MAX` or calls a method.
//!
//! A generic kernel lists its instances. The launcher picks one by the types of its arguments. Write after `launch` what
//! they do not decide.
//!
//! ```
//! use samebits::prelude::*;
//!
//! /// A polynomial by Horner's rule.
//! #[device]
//! fn polynomial<T: Float, const N: usize>(coefficients: [T; N], x: T) -> T {
//!     let mut sum = 0.0;
//!     for i in 0..N {
//!         sum = sum * x + coefficients[i];
//!     }
//!     sum
//! }
//!
//! #[kernel(instances(T = [f32, f64], N = [1, 2]), features(f64))]
//! fn powers<T: Float, const N: usize>(x: &[T], y: &mut [T]) {
//!     let i = global_id().x;
//!     y[i] = polynomial([1.0, 0.0, 0.5], x[i]) * N as T;
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[2.0f64, 3.0])?;
//! let mut y = device.zeros::<f64>(2)?;
//! powers::launch::<_, 2>(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?, [9.0, 19.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A constant parameter may also be a part of the size of the workgroup, of the lengths of arrays and of workgroup memory,
//! in kernels and in helpers: `N * 2`. Each instance is a kernel of its own. `k::kernel::<256>()` gives it, with
//! all methods that `KERNEL` has where a kernel is not generic: `report()`, `report_on(&device)`, `emitted_on(&device)`.
//!
//! ```
//! use samebits::prelude::*;
//!
//! /// The sum over a workgroup of so many invocations.
//! #[device]
//! fn sum_of_all<const SIZE: usize>(x: u32) -> u32 {
//!     #[shared]
//!     let sums: [[u32; SIZE]; 2];
//!     let lane = local_index();
//!     sums[0][lane] = x;
//!     workgroup_barrier();
//!     let (mut step, mut from) = (1, 0);
//!     while step < SIZE {
//!         let before = if lane >= step { sums[from][lane - step] } else { 0 };
//!         sums[1 - from][lane] = sums[from][lane] + before;
//!         from = 1 - from;
//!         step *= 2;
//!         workgroup_barrier();
//!     }
//!     sums[from][SIZE - 1]
//! }
//!
//! #[kernel(workgroup_size(SIZE), instances(SIZE = [64, 256]))]
//! fn sums<const SIZE: usize>(x: &[u32], y: &mut [u32]) {
//!     let sum = sum_of_all::<SIZE>(x[global_id().x]);
//!     if local_index() == 0 {
//!         y[workgroup_id().x] = sum;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&(0..256).collect::<Vec<u32>>())?;
//! let mut y = device.zeros::<u32>(4)?;
//! sums::launch::<64>(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?, [2016, 6112, 10208, 14304]);
//! sums::launch::<256>(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?[0], 32640);
//! assert!(sums::kernel::<256>().report()?.races[0].starts_with("race-free and deterministic"));
//! # Ok::<(), Error>(())
//! ```
//!
//! # Structs
//!
//! A struct with `#[derive(Clone, Copy, Element)]` and `#[repr(C)]` can be an element of buffers, an argument of kernels, and
//! a value in them. Its fields are named or those of a tuple. Each is a number, a `bool`, a vector, an array or another such
//! struct. There may be no gaps between fields, so that its bytes are the same on all devices (V207). A struct with a
//! `usize`, whose size differs on the host, can be an argument and a value but no element of buffers; it may have gaps.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, PartialEq, Debug, Element)]
//! #[repr(C)]
//! struct Particle {
//!     place: Vec2<f32>,
//!     speed: Vec2<f32>,
//! }
//!
//! #[derive(Clone, Copy, Element)]
//! #[repr(C)]
//! struct Step {
//!     time: f32,
//!     gravity: f32,
//! }
//!
//! #[kernel]
//! fn fall(step: Step, particles: &mut [Particle]) {
//!     let i = global_id().x;
//!     if i < particles.len() {
//!         let Particle { place, mut speed } = particles[i];
//!         speed.y -= step.gravity * step.time;
//!         particles[i] = Particle { place: place + speed * step.time, speed };
//!         if particles[i].place.y < 0.0 {
//!             particles[i].place.y = 0.0;
//!         }
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let at = |x, y| Particle { place: Vec2::new(x, y), speed: Vec2::new(1.0, 0.0) };
//! let mut particles = device.upload(&[at(0.0, 8.0), at(1.0, 0.0)])?;
//! fall::launch(&device, particles.len(), Step { time: 0.5, gravity: 10.0 }, &mut particles)?;
//! let places = particles.read()?.iter().map(|particle| particle.place).collect::<Vec<_>>();
//! assert_eq!(places, [Vec2::new(0.5, 5.5), Vec2::new(1.5, 0.0)]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A struct may be generic over types and lengths, `struct Tile<T, const N: usize>`. Its arguments are written or
//! inferred: `Tile { data: [0.0f32; 4] }`, `Tile::<f32, 4>`. A length has to follow from the type of a field or an
//! argument; what the result is used for does not tell it. It is an element where its arguments make it one without gaps,
//! and has no `Pod`.
//!
//! There are also literals with `..base`, arrays of structs, and structs in workgroup memory. A struct that derives
//! `PartialEq` has `==` and `!=`. Privacy is as in Rust: rustc judges the use of a private field or method where the function names the
//! struct. Where it does not name it, other crates cannot use it.
//!
//! # Enums
//!
//! An enum whose variants have no fields can be the same with `#[derive(Clone, Copy, Element)]` and a `repr` of an integer
//! such as `#[repr(u8)]`. One of its variants must have the value 0, because new memory is zero. There are `match`,
//! `if let`, `as u32`, and `==` if it derives `PartialEq`. `use Light::*;` in a body brings its variants into scope. Where memory holds a number that is no variant, kernels and
//! hosts read the variant of 0; `as_slice` lends none of them. An enum with fields is a
//! [value in kernels alone](super::options#enums-with-fields).
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, PartialEq, Debug, Element)]
//! #[repr(u8)]
//! enum Light {
//!     Red,
//!     Green,
//!     Yellow,
//! }
//!
//! #[kernel]
//! fn change(lights: &mut [Light]) {
//!     let i = global_id().x;
//!     if i < lights.len() {
//!         lights[i] = match lights[i] {
//!             Light::Red => Light::Green,
//!             Light::Green => Light::Yellow,
//!             Light::Yellow => Light::Red,
//!         };
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let mut lights = device.upload(&[Light::Red, Light::Yellow])?;
//! change::launch(&device, lights.len(), &mut lights)?;
//! assert_eq!(lights.read()?, [Light::Green, Light::Red]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Methods
//!
//! A struct or an enum with `#[element(methods)]` has one `impl` with `#[device]`, in the same module, for methods that take `self`,
//! `&self` or `&mut self`, associated functions, and constants. The constants exist on the host too. The functions do not,
//! and an ordinary `impl` may have others of the same names.
//!
//! The `impl` of a generic struct is for all its types of some classes, and has no constants:
//! `#[device] impl<T: Number, const N: usize> Tile<T, N>`. Its methods are checked for all members of the classes.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, Element)]
//! #[element(methods)]
//! #[repr(C)]
//! struct Bounds {
//!     low: f32,
//!     high: f32,
//! }
//!
//! #[device]
//! impl Bounds {
//!     const NOTHING: Self = Self { low: f32::INFINITY, high: f32::NEG_INFINITY };
//!
//!     fn add(&mut self, x: f32) {
//!         self.low = self.low.min(x);
//!         self.high = self.high.max(x);
//!     }
//!
//!     fn width(&self) -> f32 {
//!         self.high - self.low
//!     }
//! }
//!
//! #[kernel]
//! fn spread(x: &[f32], y: &mut [f32]) {
//!     if global_id().x == 0 {
//!         let mut bounds = Bounds::NOTHING;
//!         for i in 0..x.len() {
//!             bounds.add(x[i]);
//!         }
//!         y[0] = bounds.width();
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[2.0f32, -1.0, 4.0])?;
//! let mut y = device.zeros::<f32>(1)?;
//! spread::launch(&device, 1, &x, &mut y)?;
//! assert_eq!(y.read()?, [5.0]);
//! assert!(Bounds::NOTHING.low > Bounds::NOTHING.high);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Traits
//!
//! A trait with `#[device]` has functions and constants that types give, and a helper or a kernel can ask for it with the
//! bound of a type parameter. A struct or an enum lists its traits, `#[element(traits(Shape))]`, and each
//! `#[device] impl Shape for Square` stands in its module. A struct without fields is a name for functions and constants: a
//! kernel has no values of it, and names it as a type argument. For a type of the language, the trait lists the type, as in
//! `#[device(types(f32, Vec2<f32>))] trait Shape`, and `#[device] impl Shape for f32` stands in the module of the trait.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[device]
//! trait Metric {
//!     const IS_EXACT: u32;
//!
//!     fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32;
//!
//!     /// A trait may give a function itself.
//!     fn norm(a: Vec2<f32>) -> f32 {
//!         Self::distance(a, Vec2::splat(0.0))
//!     }
//! }
//!
//! #[derive(Clone, Copy, Element)]
//! #[element(traits(Metric))]
//! struct Euclid;
//!
//! #[device]
//! impl Metric for Euclid {
//!     const IS_EXACT: u32 = 0;
//!
//!     fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
//!         (a - b).length()
//!     }
//! }
//!
//! #[derive(Clone, Copy, Element)]
//! #[element(traits(Metric))]
//! struct Manhattan;
//!
//! #[device]
//! impl Metric for Manhattan {
//!     const IS_EXACT: u32 = 1;
//!
//!     fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
//!         (a.x - b.x).abs() + (a.y - b.y).abs()
//!     }
//! }
//!
//! #[device]
//! fn nearest<M: Metric>(x: &[Vec2<f32>], to: Vec2<f32>) -> usize {
//!     let mut best = 0;
//!     for i in 0..x.len() {
//!         if M::distance(x[i], to) < M::distance(x[best], to) {
//!             best = i;
//!         }
//!     }
//!     best
//! }
//!
//! #[kernel(instances(M = [Euclid, Manhattan]))]
//! fn search<M: Metric>(x: &[Vec2<f32>], to: Vec2<f32>, y: &mut [f32]) {
//!     if global_id().x == 0 {
//!         let best = nearest::<M>(x, to);
//!         y[0] = M::norm(x[best]);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[Vec2::new(3.0, 4.0), Vec2::new(6.0, 0.0)])?;
//! let mut y = device.zeros::<f32>(1)?;
//! search::launch::<Euclid>(&device, 1, &x, Vec2::splat(0.0), &mut y)?;
//! assert_eq!(y.read()?, [5.0]);
//! search::launch::<Manhattan>(&device, 1, &x, Vec2::splat(0.0), &mut y)?;
//! assert_eq!(y.read()?, [6.0]);
//! assert_eq!(<Euclid as Metric>::IS_EXACT, 0); // the constants exist on the host too
//! # Ok::<(), Error>(())
//! ```
//!
//! - Which function runs is known where it is called; nothing is looked up when the kernel runs. Write `shape.area()`,
//!   `S::area(&shape)`, `Shape::area(&shape)` or `<S as Shape>::area(&shape)`.
//! - A helper with such a bound is checked once, for a type of which nothing but its traits is known. With a class of
//!   numbers as a further bound, `T: Shape + Number`, it is checked for the numbers that have the trait.
//! - As in Rust, a trait must be in scope where a method of a type that is not a parameter is called by it.
//! - If a type has a method of a name by two traits, or its own and that of a trait, `value.name()` is refused: write a
//!   path.
//! - The functions are for kernels only: on the host a call is an error.
//! - Traits and their structs have no type parameters; their functions may have some. There are no associated types, and no
//!   trait builds on another: write both as bounds, `T: A + B`.
//! - A function of a trait for a number or a vector cannot have the name of a method that it has already, such as `abs`.
//!   The implementations for types of the language do not know each other.
//! - A struct's own methods and the traits' macros are linked in this order: the trait, the struct with its own methods, the
//!   implementations. So a struct's own methods cannot call those of its traits, and what a trait names
//!   cannot name types with the trait. An implementation knows what the struct lists before it.
//!
//! # Operators
//!
//! A struct or an enum lists its operators like traits, with the type on the right where that is another one, and each
//! `#[device] impl` stands in its module. They are those of `core::ops`: `Add`, `Sub`, `Mul`, `Div`, `Rem`, `Neg`, `Not`,
//! `BitAnd`, `BitOr`, `BitXor`, `Shl`, `Shr`, and `AddAssign` and its like. The type on the left may be one of the language:
//! `f32: Mul<Complex>`.
//!
//! ```
//! use core::ops::{Add, Mul};
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, PartialEq, Debug, Element)]
//! #[element(traits(Add, Mul, Mul<f32>, f32: Mul<Complex>), methods)]
//! #[repr(C)]
//! struct Complex {
//!     re: f32,
//!     im: f32,
//! }
//!
//! #[device]
//! impl Add for Complex {
//!     type Output = Self;
//!
//!     fn add(self, other: Self) -> Self {
//!         Complex { re: self.re + other.re, im: self.im + other.im }
//!     }
//! }
//!
//! #[device]
//! impl Mul for Complex {
//!     type Output = Self;
//!
//!     fn mul(self, other: Self) -> Self::Output {
//!         Complex {
//!             re: self.re * other.re - self.im * other.im,
//!             im: self.re * other.im + self.im * other.re,
//!         }
//!     }
//! }
//!
//! #[device]
//! impl Mul<f32> for Complex {
//!     type Output = Self;
//!
//!     fn mul(self, by: f32) -> Self {
//!         Complex { re: self.re * by, im: self.im * by }
//!     }
//! }
//!
//! #[device]
//! impl Mul<Complex> for f32 {
//!     type Output = Complex;
//!
//!     fn mul(self, by: Complex) -> Complex {
//!         by * self
//!     }
//! }
//!
//! #[device]
//! impl Complex {
//!     fn squared(self) -> Self {
//!         self * self
//!     }
//! }
//!
//! #[kernel]
//! fn step(c: Complex, z: &mut [Complex]) {
//!     let i = global_id().x;
//!     if i < z.len() {
//!         z[i] = 0.5 * z[i].squared() + c;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let mut z = device.upload(&[Complex { re: 1.0, im: 1.0 }, Complex { re: 2.0, im: 0.0 }])?;
//! step::launch(&device, 2, Complex { re: 1.0, im: 0.0 }, &mut z)?;
//! assert_eq!(z.read()?, [Complex { re: 1.0, im: 1.0 }, Complex { re: 3.0, im: 0.0 }]);
//! # Ok::<(), Error>(())
//! ```
//!
//! - Methods, operators and traits know the operators that stand before them in `#[element(…)]`; an operator knows
//!   the methods that do. So `Complex` may use `*` in its methods here, and could not use its methods in `mul`.
//! - A generic struct has them for all its types of some classes: `#[device] impl<T: Number> Add for Pair<T>`, and
//!   `traits(Add, Mul<T>)`.
//! - As of all functions for kernels, the host has none of them: an ordinary `impl` beside it gives it its own.
//! - Operators of references are not there: a kernel copies all values. Nor are `Index` and the order by `<`.
//! - If a literal fits several implementations, give it a type: `z * 2.0f32`.
//! - `From` is listed like an operator of the type that it makes: `traits(From<Polar>)` on `Complex`, for
//!   `Complex::from(p)` and `p.into()`; `f32: From<Complex>` makes a number. Where several conversions of a type are known,
//!   `into()` needs a `let` with a type. `Into` is not implemented: write `From`.
//! - Two types cannot list operators that take each other. One of them lists both, and says so where the other is on the
//!   left:
//!
//! ```
//! use core::ops::Add;
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, Element)]
//! #[element(traits(Add<Offset>, Offset: Add<Place>, From<u32>))]
//! #[repr(C)]
//! struct Place(u32);
//!
//! #[derive(Clone, Copy, Element)]
//! #[repr(C)]
//! struct Offset(u32);
//!
//! #[device]
//! impl Add<Offset> for Place {
//!     type Output = Place;
//!
//!     fn add(self, by: Offset) -> Place {
//!         Place(self.0 + by.0)
//!     }
//! }
//!
//! #[device(listed_by(Place))]
//! impl Add<Place> for Offset {
//!     type Output = Place;
//!
//!     fn add(self, to: Place) -> Place {
//!         to + self
//!     }
//! }
//!
//! #[device]
//! impl From<u32> for Place {
//!     fn from(at: u32) -> Self {
//!         Place(at)
//!     }
//! }
//!
//! #[kernel(workgroup_size(1))]
//! fn go(x: &[u32], y: &mut [u32]) {
//!     let place = Offset(x[1]) + Place::from(x[0]);
//!     y[0] = place.0;
//! }
//!
//! let device = Device::interpreter();
//! let (x, mut y) = (device.upload(&[40, 2])?, device.zeros::<u32>(1)?);
//! go::launch(&device, 1, &x, &mut y)?;
//! assert_eq!(y.read()?, [42]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Constants
//!
//! A `const` inside of a kernel may be a scalar, vector or tuple, and the length of an array. An ordinary `const` from
//! outside (`LIMIT`, `settings::LIMIT`) must be a scalar, be written in capitals and have the type that its use asks for.
//! If no use asks for a type, as in `for k in 0..LIMIT { s += k as f32; }`, it has its declared one, which must then be the
//! same for all such constants of the kernel. rustc evaluates it and the launch passes it. So it cannot be the length of an
//! array or a bound of a range in a pattern. A kernel and its helpers may use 32 of them.
//!
//! A `#[device] const` is known when the kernel is compiled. So it can also be the length of an array, the size of the
//! workgroup, an instance, or an argument after `::`. Its value is computed from literals and other such constants. If it
//! computes with `usize`, its value must be the same with the host's `usize`, which rustc asserts. It may also be an array,
//! a vector, a struct or an enum: `TABLE[i]`, `ORIGIN.x`, `START`. The name of a struct's or an enum's alone is taken for
//! such a constant if it stands in the same file; from elsewhere, reach it through its type: `Light::FIRST`.
//!
//! There are also `MIN`, `MAX` and `BITS` of the integers; `MIN`, `MAX`, `MIN_POSITIVE`, `EPSILON`, `INFINITY`,
//! `NEG_INFINITY` and `NAN` of the floats; and `std::f32::consts::PI`, `std::f64::consts::E` and their siblings.
//!
//! ```
//! use samebits::prelude::*;
//!
//! const SCALE: f32 = 0.5;
//!
//! #[device]
//! const LANES: usize = 32;
//!
//! #[kernel(workgroup_size(LANES))]
//! fn turn(y: &mut [f32]) {
//!     const LAST: usize = 31;
//!     #[shared]
//!     let tile: [f32; LANES];
//!     let (i, lane) = (global_id().x, local_id().x);
//!     tile[lane] = y[i];
//!     workgroup_barrier();
//!     y[i] = tile[LAST - lane] * SCALE * std::f32::consts::PI;
//! }
//! # let device = Device::interpreter();
//! # let mut y = device.upload(&(0..32).map(|i| i as f32).collect::<Vec<_>>())?;
//! # turn::launch(&device, 32, &mut y)?;
//! # assert_eq!(y.read()?[0], 31.0 * SCALE * std::f32::consts::PI);
//! # Ok::<(), Error>(())
//! ```
