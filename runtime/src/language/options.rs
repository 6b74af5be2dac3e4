//! `Option`, and enums whose variants have fields: values of which there are several forms.
//!
//! An `Option<T>` is a value like any other: of a variable, a parameter, a result, a part of a tuple or of an array of
//! the invocation's own. `T` is a number, a `bool`, a vector, a struct, a tuple, an array, an enum or an `Option`. It costs
//! what a `bool` and a `T` cost. No buffer, workgroup memory, struct or argument of a launch holds one, since Rust does not
//! say what its bytes are.
//!
//! | | |
//! | --- | --- |
//! | values | `Some(v)`, `None`; what it may hold follows from its uses, or is written: `let x: Option<f32> = None;`, `None::<f32>` |
//! | patterns | `match`, `if let Some(x) = …`, `while let`, `let Some(x) = … else { … };`, of `&x` as well, and of `&mut x`, where `*v = 1` changes what it holds; `Some(1..=3)`, `Some((a, _))`, `Some(Some(x))` |
//! | questions | `is_some()`, `is_none()`, `is_some_and(f)`, `is_none_or(f)`; `==` and `!=`, where what it holds has them |
//! | what it holds | `unwrap_or(v)`, `unwrap_or_default()`, `unwrap_or_else(f)`, `map_or(v, f)`, `map_or_else(g, f)` |
//! | another | `map(f)`, `and(o)`, `and_then(f)`, `or(o)`, `or_else(f)`, `xor(o)`, `filter(f)`, `zip(o)`, `flatten()`, `copied()`, `cloned()` |
//! | in place | `take()`, `take_if(f)`, `replace(v)` |
//! | `value?` | in a `#[device]` function or a closure that returns an `Option`: what `value` holds, or else it returns `None` |
//!
//! `f` and `g` are closures. `unwrap` and `expect` do not exist, as a kernel cannot panic.
//!
//! What gives an `Option`:
//!
//! | | |
//! | --- | --- |
//! | integers | `checked_add(b)`, `checked_sub(b)`, `checked_mul(b)`, `checked_div(b)`, `checked_rem(b)`, `checked_div_euclid(b)`, `checked_rem_euclid(b)`, `checked_neg()`, `checked_abs()`, `checked_shl(n)`, `checked_shr(n)`, `checked_pow(n)`, `checked_isqrt()`, `checked_ilog2()`, `checked_ilog10()`, `checked_ilog(base)`, `checked_next_multiple_of(b)`, `checked_next_power_of_two()`, `checked_add_signed(b)`, `checked_sub_signed(b)`, `checked_add_unsigned(b)`, `checked_sub_unsigned(b)`, of the integers that have them in Rust |
//! | `bool` | `b.then_some(v)`, and `b.then(f)`, where `f` runs only if `b` is true |
//! | integers of another type | `u8::try_from(x).ok()` |
//! | elements | `x.get(i)`, `x.first()`, `x.last()` of buffers, arrays, workgroup memory and [parts](super#statements-and-expressions) of them |
//! | iterators | `.min()`, `.max()`, `.min_by_key(f)`, `.max_by_key(f)` of integers, `.position(f)`, `.find(f)`, `.next()`, `.nth(n)`, `.last()`, `.reduce(f)` |
//!
//! As in Rust, those of elements, and of iterators over references, hold a reference: write `*v` for the value, `&v` in the
//! pattern, or `.copied()` behind it. The reference stands for the value as it was when the reference was made. An access
//! by `get` is tested once.
//! What such a reference leads to is a copy that was made where the `Option` was: a change of `x` while `x.get(i)` lives
//! is not refused as in Rust, and not seen through it.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, Element)]
//! #[repr(C)]
//! struct Ball {
//!     center: Vec3<f32>,
//!     radius: f32,
//! }
//!
//! // How far a ray from the origin gets until it meets a ball.
//! #[device]
//! fn hit(direction: Vec3<f32>, ball: Ball) -> Option<f32> {
//!     let along = ball.center.dot(direction);
//!     let rest = along * along - ball.center.length_squared() + ball.radius * ball.radius;
//!     if rest < 0.0 {
//!         return None;
//!     }
//!     Some(along - rest.sqrt()).filter(|t| *t > 0.0)
//! }
//!
//! #[kernel]
//! fn distances(directions: &[Vec3<f32>], balls: &[Ball], far: &mut [f32]) {
//!     let i = global_id().x;
//!     let Some(direction) = directions.get(i).copied() else { return };
//!     let mut nearest: Option<f32> = None;
//!     for ball in balls {
//!         if let Some(t) = hit(direction, *ball)
//!             && nearest.is_none_or(|best| t < best)
//!         {
//!             nearest = Some(t);
//!         }
//!     }
//!     if i < far.len() {
//!         far[i] = nearest.unwrap_or(f32::INFINITY);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let balls = [5.0, 3.0].map(|x| Ball { center: Vec3::new(x, 0.0, 0.0), radius: 1.0 });
//! let (directions, balls) = (device.upload(&[Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)])?, device.upload(&balls)?);
//! let mut far = device.zeros::<f32>(2)?;
//! distances::launch(&device, 2, &directions, &balls, &mut far)?;
//! assert_eq!(far.read()?, [2.0, f32::INFINITY]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Enums with fields
//!
//! An enum some of whose variants have fields is a value in kernels as well, once it has `#[derive(Clone, Copy, Element)]`.
//! It costs what a number and the fields of all its variants cost. The derive makes it known to kernels; it is no
//! [`Element`](crate::Element), so no buffer and no launch takes it.
//!
//! | | |
//! | --- | --- |
//! | values | `Event::Nothing`, `Event::Miss(n)`, `Event::Hit { t, id: 3 }`; in its methods `Self::Miss(n)` |
//! | patterns | the same, with `..` for other fields: `Event::Hit { t, .. }`. A `match` must cover all variants |
//! | in scope | `use Event::*;`, `use Event::{Hit, Miss as Lost};` in the body, for `Hit { t, id: 3 }`. The macro does not see a `use` outside of the body |
//! | `==`, `!=` | with `#[derive(PartialEq)]`, if the fields are numbers, `bool`s, vectors, arrays, tuples, and structs, enums and `Option`s of them |
//! | methods | with `#[element(methods)]` and a `#[device] impl`, [as of structs](super::items) |
//! | generic | `enum Maybe<T> { No, Yes(T) }`, also with lengths and with classes as bounds: `Maybe::Yes(x)`, `Maybe::<f32>::No`, with methods in `#[device] impl<T: Number> Maybe<T>`, and with operators. Types are found as in Rust; a length is written, as in `Part::<_, 4>::Nothing`, unless the matched value tells it. It has no traits of kernels and no constants |
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, Element)]
//! #[element(methods)]
//! enum Step {
//!     Push(u32),
//!     Add,
//!     Move { by: u32, left: bool },
//! }
//!
//! #[device]
//! impl Step {
//!     fn of(code: u32) -> Step {
//!         match code & 3 {
//!             0 => Step::Add,
//!             1 => Self::Move { by: code >> 3, left: code & 4 != 0 },
//!             _ => Step::Push(code >> 2),
//!         }
//!     }
//! }
//!
//! #[kernel]
//! fn run(codes: &[u32], y: &mut [u32]) {
//!     let i = global_id().x;
//!     let (mut total, mut top) = (0, 0);
//!     for code in codes {
//!         match Step::of(*code) {
//!             Step::Push(n) => top = n,
//!             Step::Add => total += top,
//!             Step::Move { by, left: true } => total <<= by,
//!             Step::Move { by, .. } => total >>= by,
//!         }
//!     }
//!     if i < y.len() {
//!         y[i] = total + i as u32;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let codes = device.upload(&[5 << 2 | 2, 0, 1 << 3 | 4 | 1, 0])?;
//! let mut y = device.zeros::<u32>(2)?;
//! run::launch(&device, 2, &codes, &mut y)?;
//! assert_eq!(y.read()?, [15, 16]);
//! # Ok::<(), Error>(())
//! ```
