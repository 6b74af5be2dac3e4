//! What a program brings along to be used in kernels: functions, closures, type parameters,
//! structs, methods and constants.
//!
//! # Helpers
//!
//! A function with `#[device]` can be called by kernels and by other such functions, from any
//! module or crate that can see it: `use`, renaming, globs and `pub` do for it what they do for all
//! functions. Its body is written in this language, all of it: it knows where an invocation is, has
//! loops, returns early, waits at barriers.
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
//! - It is checked where it is defined, whether something calls it or not.
//! - It is not a function of the program: to the host its name is a type, and a call there is
//!   rustc's error. Write host code that needs the same a second time.
//! - It cannot call itself (V106), and two cannot call each other: GPUs have no stack to speak of.
//! - Names of macros and attributes of Rust, and of functions and methods of this language, are
//!   taken: a helper cannot be called `max`, `test` or `assert` (V110).
//! - What a helper or a `#[device] impl` names must be whole without it. An `impl` with a method that calls a
//!   helper which takes the same struct, or two `impl`s that name each other's structs, never are, nor are
//!   two helpers that call each other: rustc says "cannot find macro" of them all. Make the helper a method,
//!   or the method a helper.
//! - A call of what is no helper is rustc's "cannot find macro `name` in this scope", on the call:
//!   give the function `#[device]`, or import it. So is a struct or a length of an array that is
//!   not marked for kernels.
//! - A function names at most 60 helpers, structs and constants itself (V112); what those name does
//!   not count.
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
//! Parameters of helpers may be references, which stand for the place that is lent: a variable, an
//! element of a buffer, workgroup memory, or a part of these.
//!
//! | parameter | argument |
//! | --- | --- |
//! | `&T`, `&mut T` | `&x`, `&mut y[i]`, `&mut ray.origin`; `*p` is the value, while fields, indices and methods need no star |
//! | `&[T]`, `&mut [T]` | a buffer `x`, or an array of any length: `&mut tile` |
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
//! The indices of a lent place are computed once, where it is lent. As in Rust, what one argument
//! may change no other one may see (V206); two elements of one buffer count as one place.
//!
//! # Closures
//!
//! A closure is passed to a helper with a parameter `f: impl Fn(f32) -> f32`, or `f: F` where `F:
//! Fn(f32) -> f32`; it can also be called where it was made. It sees the variables around it, and a
//! `FnMut` may change them.
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
//! A closure sees the variables around it as they are when it is called; a `move` closure has copies
//! of them, and one that changes these is passed as `|x| f(x)`, not by its name. What a closure sees is not held against the other arguments of its
//! call, as Rust would hold it: one that changes what is lent beside it is accepted, and reads and writes in order.
//!
//! There are no values that are functions: a helper is passed as `|x| square(x)`, and a closure is
//! neither chosen by an `if`, stored nor returned.
//!
//! # Generics
//!
//! Type parameters stand for the members of a class, which is a trait of the prelude: `Float`,
//! `Int`, `Signed`, `Unsigned`, `Number` (all of these), or `Element` (whatever a buffer holds, to
//! be copied only). `const N: usize` stands for a length. A generic helper is checked for all
//! members of its classes where it is defined, so that a call cannot go wrong inside of it.
//!
//! What its type parameters are is found out by the arguments, or written: `least::<f32>(…)` is
//! needed where the body has a `T::MAX` or calls a method, and only a closure or the result says
//! what `T` is.
//!
//! A generic kernel lists its instances. The launcher picks one by the types of its arguments; what
//! no argument says is written after `launch`.
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
//! # Structs
//!
//! A struct with `#[derive(Clone, Copy, Element)]` and `#[repr(C)]` is the element of buffers, an
//! argument of kernels, and a value in them: of named fields or of a tuple's, each a number, a
//! vector, an array or another such struct. Its fields leave no gaps and are no `bool`, so that
//! its bytes are the same to all devices (V207). With a `usize` in it, whose size is another on the host, it is no element
//! of buffers (its gaps then do not matter), but an argument and a value all the same.
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
//! There are also literals with `..base`, arrays of structs, and structs in workgroup memory.
//! Structs are compared field by field: they have no `==`. What is private is so in kernels too:
//! rustc judges the use of a private field or method where the function names the struct, and
//! otherwise no other crate may use it.
//!
//! # Methods
//!
//! A struct that says `#[element(methods)]` has one `#[device] impl` in the same module, with
//! methods that take `self`, `&self` or `&mut self`, associated functions and constants. The
//! constants exist on the host too; the functions do not, and an ordinary `impl` may have others of
//! the same names there.
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
//! # Constants
//!
//! A `const` inside of the kernel may be a scalar, vector or tuple, and the length of an array. An
//! ordinary `const` from outside (`LIMIT`, `settings::LIMIT`) must be a scalar, be written in
//! capitals and have the type that its use asks for. Where no use asks for one, as in `for k in 0..LIMIT { s += k as f32; }`,
//! it has its own, and so have all such constants of a kernel. rustc evaluates it and the launch passes it,
//! so that it cannot be the length of an array or a bound of a range in a pattern. A kernel may use
//! 32 of them, those of its helpers included.
//!
//! A `#[device] const` is known when the kernel is compiled: it may also be the length of an array,
//! the size of the workgroup, an instance, or an argument after `::`. Its value is computed from
//! literals and other such constants. Where it computes with `usize`, its value must be the same with the host's `usize`,
//! which rustc asserts. It may be an array, a vector or a struct as well, of which an
//! element or a field is named: `TABLE[i]`, `ORIGIN.x`.
//!
//! Known are also `MIN`, `MAX` and `BITS` of the integers; `MIN`, `MAX`, `MIN_POSITIVE`, `EPSILON`,
//! `INFINITY`, `NEG_INFINITY` and `NAN` of the floats; and `std::f32::consts::PI` and its siblings.
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
