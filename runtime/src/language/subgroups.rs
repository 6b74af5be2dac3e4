//! Subgroups: how 32 invocations of a workgroup exchange values without memory of their own.
//!
//! A subgroup is 32 invocations with consecutive `local_index()`, on every device. The last subgroup of a workgroup may
//! have fewer. A `lane` is the number of an invocation in its subgroup, from 0, as a `u32`; `subgroup_lane()` gives it
//! as a `usize`.
//!
//! | function | what each invocation gets |
//! | --- | --- |
//! | `subgroup_add(x)`, `subgroup_mul(x)`, `subgroup_min(x)`, `subgroup_max(x)` | the sum, product, minimum, maximum over all lanes; numbers and vectors |
//! | `subgroup_and(x)`, `subgroup_or(x)`, `subgroup_xor(x)` | the same bit by bit; integers |
//! | `subgroup_inclusive_add(x)`, `subgroup_inclusive_mul(x)`, `subgroup_inclusive_min(x)`, `subgroup_inclusive_max(x)` | the same over the lanes up to its own |
//! | `subgroup_exclusive_add(x)`, `subgroup_exclusive_mul(x)`, `subgroup_exclusive_min(x)`, `subgroup_exclusive_max(x)` | the same over the lanes before its own; the first lane gets `0`, `1`, the greatest and the least number of the type |
//! | `subgroup_all(b)`, `subgroup_any(b)` | whether `b` is true in all, in any |
//! | `subgroup_ballot(b)` | a bit for each lane, set where `b` is true |
//! | `subgroup_broadcast(x, lane)`, `subgroup_shuffle(x, lane)` | the `x` of that lane |
//! | `subgroup_broadcast_first(x)` | the `x` of the first lane |
//! | `subgroup_shuffle_xor(x, mask)` | the `x` of the lane whose number is its own `^ mask` |
//! | `subgroup_shuffle_up(x, by)`, `subgroup_shuffle_down(x, by)` | the `x` of the lane that is `by` lanes before, after its own |
//! | `subgroup_elect()` | `true` in the first lane, `false` in the others |
//!
//! - If the last subgroup lacks lanes, sums, products, minima and maxima of all kinds, `subgroup_all` and `subgroup_any`
//!   leave them out: `subgroup_min` is the minimum of the lanes that exist. A shuffle or a broadcast from a missing lane
//!   gives zero, and its bit of a ballot is 0.
//! - Shuffles and broadcasts take structs, tuples, enums, matrices and arrays as well, part by part; sums and their like
//!   take numbers and vectors, so do them for each field.
//! - Every invocation of the subgroup must reach a subgroup operation; otherwise it is error V400. So do it before an
//!   `if` that lanes decide, and use its result inside. Other subgroups of the workgroup need not reach it. It does not
//!   order memory: `workgroup_barrier()` does that.
//! - What a subgroup shares is proven by its ids (`subgroup_id()`, `local_index() / 32`, `global_id().x / 32` where the
//!   workgroup is a multiple of 32 wide), by launch arguments, loads from read-only buffers at such places, and results
//!   that all lanes get, such as those of `subgroup_add` and `subgroup_broadcast_first`. What is read from writable
//!   memory may differ: broadcast it.
//! - Where only some subgroups come to an operation, the others take part in its steps and their values are dropped. A
//!   loop with an operation that subgroups go through in different numbers of rounds costs two barriers a round,
//!   unless all of them count alike, as in `for k in 0..n`.
//! - Sums of floats have the same bits everywhere, since their order is fixed: lanes that are 1 apart are added first,
//!   then those that are 2, 4, 8 and 16 apart. The first lane of `subgroup_exclusive_add` gets `0.0`.
//! - On a GPU with other subgroups, the operations go through workgroup memory: up to 8 bytes per invocation, which count
//!   towards the 16 KiB of every kernel that uses them.
//!
//! ```
//! use samebits::prelude::*;
//!
//! /// The sum over the workgroup, in its first 32 invocations.
//! #[device]
//! fn total(sums: &mut [f32; 32], x: f32) -> f32 {
//!     let sum = subgroup_add(x);
//!     if subgroup_elect() {
//!         sums[subgroup_id()] = sum;
//!     }
//!     workgroup_barrier();
//!     let sum = if local_index() < num_subgroups() { sums[local_index()] } else { 0.0 };
//!     subgroup_add(sum)
//! }
//!
//! #[kernel(workgroup_size(256))]
//! fn sum(x: &[f32], y: &mut [f32]) {
//!     #[shared]
//!     let sums: [f32; 32];
//!     let all = total(&mut sums, x[global_id().x]);
//!     if local_index() == 0 {
//!         y[workgroup_id().x] = all;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&(0..300).map(|i| i as f32).collect::<Vec<_>>())?;
//! let mut y = device.zeros::<f32>(2)?;
//! sum::launch(&device, x.len(), &x, &mut y)?;
//! assert_eq!(y.read()?, [32640.0, 12210.0]); // out of bounds, `x` has zeros
//! # Ok::<(), Error>(())
//! ```
//!
//! A row for each subgroup, of any length; subgroups without a row leave:
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(64))]
//! fn sums(starts: &[u32], x: &[u32], y: &mut [u32]) {
//!     let row = global_id().x / 32;
//!     if row >= y.len() {
//!         return;
//!     }
//!     let end = starts[row + 1] as usize;
//!     let mut first = starts[row] as usize;
//!     let mut sum = 0;
//!     while first < end {
//!         let at = first + subgroup_lane();
//!         sum += subgroup_add(if at < end { x[at] } else { 0 });
//!         first += 32;
//!     }
//!     if subgroup_elect() {
//!         y[row] = sum;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let starts = device.upload(&[0u32, 40, 40, 43])?;
//! let x = device.upload(&(0..43).collect::<Vec<u32>>())?;
//! let mut y = device.zeros::<u32>(3)?;
//! sums::launch(&device, 32 * 3, &starts, &x, &mut y)?;
//! assert_eq!(y.read()?, [780, 0, 123]);
//! # Ok::<(), Error>(())
//! ```
//!
//! A scan over the workgroup needs the totals of the subgroups before. All subgroups read the totals and only one
//! writes them, so there is a barrier between:
//!
//! ```
//! use samebits::prelude::*;
//! # use samebits::judge::Schedule;
//!
//! /// The sum up to this invocation; workgroups have whole subgroups.
//! #[device]
//! fn scanned(sums: &mut [u32; 32], x: u32) -> u32 {
//!     let lane = subgroup_lane();
//!     let sum = subgroup_inclusive_add(x);
//!     if lane == 31 {
//!         sums[subgroup_id()] = sum;
//!     }
//!     workgroup_barrier();
//!     let before = subgroup_exclusive_add(sums[lane]);
//!     workgroup_barrier();
//!     if subgroup_id() == 0 {
//!         sums[lane] = before;
//!     }
//!     workgroup_barrier();
//!     sums[subgroup_id()] + sum
//! }
//!
//! #[kernel(workgroup_size(256))]
//! fn scan(x: &[u32], y: &mut [u32]) {
//!     #[shared]
//!     let sums: [u32; 32];
//!     let i = global_id().x;
//!     y[i] = scanned(&mut sums, x[i]);
//! }
//!
//! let x: Vec<u32> = (0..256).collect();
//! let device = Device::interpreter();
//! # for device in [device, Device::judge(Schedule::Random(4))] {
//! let mut y = device.zeros::<u32>(256)?;
//! scan::launch(&device, 256, &device.upload(&x)?, &mut y)?;
//! assert!(y.read()?.into_iter().zip(0..).all(|(sum, i)| sum == i * (i + 1) / 2));
//! # }
//! # Ok::<(), Error>(())
//! ```
