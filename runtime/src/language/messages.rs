//! Assertions and lines: what a kernel says to its host.
//!
//! `assert!`, `assert_eq!`, `assert_ne!`, `debug_assert!`, `debug_assert_eq!`, `debug_assert_ne!` and `unreachable!` are
//! written as in Rust, in kernels, helpers and closures. A kernel cannot stop, so a failed assertion changes nothing in
//! it: the kernel goes on, and nothing is concluded from the condition. The next read or wait on the host returns
//! [`Error::Assertion`](crate::Error::Assertion), once, with the text, the place and the first invocation that failed.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn gather(x: &[f32], places: &[u32], y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < y.len() {
//!         let place = places[i] as usize;
//!         assert!(place < x.len(), "y[{i}] asks for x[{place}]");
//!         y[i] = x[place];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let (x, places) = (device.upload(&[1.0f32, 2.0])?, device.upload(&[1u32, 7, 0])?);
//! let mut y = device.zeros::<f32>(3)?;
//! gather::launch(&device, 3, &x, &places, &mut y)?;
//! let error = y.read().unwrap_err();
//! assert!(error.to_string().starts_with("kernel `gather`: y[1] asks for x[7]\n  in invocation (1, 0, 0), at "));
//! assert_eq!(y.read()?, [2.0, 0.0, 1.0]); // beyond the end is zero
//! # Ok::<(), Error>(())
//! ```
//!
//! - Texts are Rust's: `{}`, `{name}`, `{:?}`, `{:>8.3}`. They show numbers, `bool` and vectors. A message has at most
//!   16 values, and a kernel at most 256 messages, those of each call of a helper counted.
//! - `debug_assert!` and its like are tested if the program has debug assertions, which is found out at the launch.
//! - `unreachable!()` has a value of any type, which is zero.
//! - A kernel with assertions has one buffer more, and atomic accesses of it where an assertion fails. Launches whose
//!   assertions hold pay for the conditions, and the next read for a look into the buffer. Reports and race proofs leave
//!   it out.
//! - A launch counts towards the next read or wait of its device, whatever buffer is read.
//!
//! # Lines
//!
//! `debug!("{i}: {}", x[i])` says a line. It needs no import, and is left out of the kernel, with its values, unless the
//! attribute says `debug`: `#[kernel(debug)]`. The next read or wait prints the lines to standard error, in the order of
//! their invocations, and [`Device::debug_lines`](crate::Device::debug_lines) gives them to the program.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(32), debug)]
//! fn doubled(y: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < y.len() {
//!         if y[i] < 0.0 {
//!             debug!("y[{i}] is {:.1}", y[i]);
//!         }
//!         y[i] *= 2.0;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let mut y = device.upload(&[1.0f32, -2.0, -0.5])?;
//! doubled::launch(&device, 3, &mut y)?;
//! let texts: Vec<String> = device.debug_lines()?.into_iter().map(|line| line.text).collect();
//! assert_eq!(texts, ["y[1] is -2.0", "y[2] is -0.5"]);
//! # Ok::<(), Error>(())
//! ```
