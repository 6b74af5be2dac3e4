//! The language of kernels: what may stand in a `#[kernel]` function and in what it calls, and
//! what it means.
//!
//! A kernel is a subset of Rust with Rust's syntax, scopes, type inference and names of
//! methods. The macro reads it, so nothing that only bodies use needs an import; the types and classes in signatures
//! do. What is the program's own can be used if it is marked for kernels: functions and constants with
//! `#[device]`, structs with `#[derive(Element)]`, and these are imported as
//! in all Rust. What is refused is an error with a code, whose page is in
//! `ir/docs/errors/`; the exact value of every operation is in `ir/docs/ops.md`.
//!
//! # The attribute
//!
//! `#[kernel]` stands on a free function without result. Its arguments:
//!
//! | argument | meaning |
//! | --- | --- |
//! | `workgroup_size(x, y, z)` | invocations of a workgroup: one to three literals or `#[device]` constants, at most 64 on z and 256 in all, or 1024 where that is declared. Without it 64 |
//! | `limits(workgroup_memory = 32768)` | that the kernel may use [more than every device has](#limits-and-features) |
//! | `features(f64)` | that it uses [what not every device has by nature](#limits-and-features) |
//! | `instances(T = [f32, u32], N = [2, 3])` | what the parameters of a [generic kernel](items#generics) are; each combination is compiled |
//! | `fast_math` | `f32` is what the device makes of it: fused, flushed, off by a little; equal bits are given up for this kernel, except by the interpreter |
//! | `requires(y.len() >= x.len(), n <= x.len())` | what [every launch satisfies](#requirements) |
//! | `deny(guards)` | an access inside of a loop that is tested each time it runs is error V304, with [what is missing](#requirements) |
//! | `crate = path` | where `samebits` is, if not at `::samebits` |
//!
//! Docs, `cfg`, `deprecated` and lint attributes go on the launcher. Inside of the function `cfg` stands wherever it may
//! in Rust, on parameters, statements, elements and arms, and lint attributes steer [warnings](#warnings). In code that a macro makes,
//! the macro's variables and labels are apart from its caller's, as in Rust. The function becomes a type of its
//! name with `launch(&device, grid, …) -> Result<(), Error>`.
//! Call that, `k::launch(…)`: `k(…)` is rustc's error "expected function, found enum".
//!
//! # Parameters
//!
//! | parameter | what the kernel has | what `launch` takes |
//! | --- | --- | --- |
//! | `x: &[T]` | a buffer that it reads | `&Buffer<T>` or a view |
//! | `x: &mut [T]` | a buffer that it reads and writes | `&mut Buffer<T>` or a `ViewMut` |
//! | `x: &[Atomic<u32>]` | a buffer of atomics, of any number | `&mut Buffer<u32>`, an ordinary one |
//! | `n: T`, `mut n: T` | a value: a number, `bool`, `usize`, a vector, an array or a struct | `T` |
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn count_even(x: &[u32], even: &[Atomic<u32>]) {
//!     let i = global_id().x;
//!     if i < x.len() && x[i] % 2 == 0 {
//!         even[0].fetch_add(1);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[1, 2, 4, 5, 6])?;
//! let mut even = device.zeros::<u32>(1)?; // the atomics are a buffer of `u32`
//! count_even::launch(&device, x.len(), &x, &mut even)?;
//! assert_eq!(even.read()?, [3]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Requirements
//!
//! `requires` lists comparisons (`>=`, `>`, `<=`, `<`, `==`) that every launch satisfies: between lengths of
//! buffers, integer arguments and integer fields of them, literals and constants (`#[device]` ones, and `N` of a
//! generic kernel), with `+`, `-`, `*` and parentheses. They are computed exactly; nothing wraps, and what is
//! below zero is less than everything else. The launcher compares once, before anything is submitted, and
//! refuses a launch that breaks one. So the compiler knows them: what follows from them is not tested again.
//!
//! With `deny(guards)` no test is left inside of a loop, save for what depends on the number of workgroups, which
//! no signature can state and the launcher looks at: the others are errors that name the fact that is missing.
//! What counts are the loops of the compiled kernel. One that is unrolled away, as small ones are by themselves,
//! is none: its accesses may keep their tests, one in each copy, and `KERNEL.report()` lists them.
//! `#[unroll(never)]` before such a loop keeps it one.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(requires(y.len() >= x.len(), sums.len() >= 1), deny(guards))]
//! fn dot(x: &[u32], y: &[u32], sums: &mut [u32]) {
//!     let mut sum = 0;
//!     for k in 0..x.len() {
//!         sum += x[k] * y[k];
//!     }
//!     if global_id().x == 0 {
//!         sums[0] = sum;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let (x, y) = (device.upload(&[1, 2, 3])?, device.upload(&[4, 5])?);
//! let mut sums = device.zeros::<u32>(1)?;
//! let error = dot::launch(&device, 1, &x, &y, &mut sums).unwrap_err();
//! let text = "kernel `dot` requires `y.len() >= x.len()`, but `y.len()` is 2 and `x.len()` is 3";
//! assert_eq!(error.to_string(), text);
//! dot::launch(&device, 1, &y, &x, &mut sums)?;
//! assert_eq!(sums.read()?, [14]);
//! assert_eq!(dot::KERNEL.report()?.proven, 3);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Types
//!
//! | type | buffer element | by value | variable |
//! | --- | --- | --- | --- |
//! | `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64` | yes | yes | yes |
//! | `bool` | no: use `u32` | yes | yes |
//! | `usize`, of 32 bits | no, nor in what one holds: use `u32` | yes, below 2³² | yes |
//! | `Vec2<T>`, `Vec3<T>`, `Vec4<T>` of `f32`, `u32` or `i32` | yes | yes | yes |
//! | `[T; N]` of scalars, vectors, arrays or structs | yes | yes | yes |
//! | `(A, B, …)` of scalars, vectors, tuples and structs | no | no | yes |
//! | [structs](items#structs) with `#[derive(Element)]` | yes, unless a `usize` is in them | yes | yes |
//! | `Atomic<u32>`, `Atomic<f32>` … | yes | no | in workgroup memory |
//!
//! A literal without a suffix has the type that its use asks for, also under a cast: `2.0 as f32`. Where nothing asks for one, an
//! integer is an `i32`, as in Rust, but a float has to say its type: `let f = 1.0f32;`. A constant has the type that it
//! was declared with. Arithmetic on `f64` is exact on every device, but done in software on GPUs and so many
//! times slower there than that on `f32`. Where types differ, convert with `as`; nothing is converted by itself.
//! `f16` is `half::f16`, which the prelude has with the feature `f16`; it is on by default. Without
//! it, rustc takes the name for a type of its own that is unstable.
//!
//! # Where an invocation is
//!
//! | function | value |
//! | --- | --- |
//! | `global_id().x`, `.y`, `.z` | the invocation's place in the whole launch |
//! | `local_id().x`, … | its place in the workgroup |
//! | `workgroup_id().x`, … | the workgroup's place among the workgroups |
//! | `num_workgroups().x`, … | how many workgroups there are |
//! | `local_index()` | `local_id` as one number: x first, then y, then z |
//! | `subgroup_id()`, `subgroup_lane()` | `local_index() / 32` and `local_index() % 32` |
//! | `num_subgroups()` | how many subgroups the workgroup has |
//! | `x.len()`, `x.is_empty()` | the number of elements of a buffer or an array, and whether it is zero; of a constant array it may be a length: `[0; TABLE.len()]` |
//!
//! All of them are `usize`, as is every index, so `x[global_id().x]` needs no cast and
//! `global_id().x as u32` makes a `u32`. Launches are rounded up to whole workgroups: compare an id with a length
//! before it counts.
//!
//! # Memory of a workgroup
//!
//! | in a body | meaning |
//! | --- | --- |
//! | `#[shared] let tile: [f32; 256];` | memory that the workgroup's invocations share; it starts as zero. Scalars, vectors, structs, arrays of arrays and arrays of atomics too, 16 KiB in all unless [more](#limits-and-features) is declared |
//! | `workgroup_barrier();` | waits until every invocation of the workgroup is here; what each wrote before, to workgroup memory and to buffers, each sees after |
//! | `broadcast(&cell)` | the value in the workgroup memory `cell` (or `tile[0]`), with a barrier before and after: all invocations get the same one, so that barriers may stand under a condition on it |
//!
//! Barriers and `broadcast` belong where all invocations of the workgroup come by; anything else is
//! error V010.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(64))]
//! fn compact(x: &[u32], out: &mut [u32], used: &[Atomic<u32>]) {
//!     #[shared]
//!     let count: Atomic<u32>;
//!     #[shared]
//!     let start: u32;
//!     let i = global_id().x;
//!     let wanted = i < x.len() && x[i] != 0;
//!     let mut place = 0;
//!     if wanted {
//!         place = count.fetch_add(1);
//!     }
//!     workgroup_barrier();
//!     if local_index() == 0 {
//!         start = used[0].fetch_add(count.load());
//!     }
//!     let first = broadcast(&start);
//!     if wanted {
//!         out[(first + place) as usize] = x[i];
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[0, 7, 0, 7, 7])?;
//! let mut out = device.zeros::<u32>(5)?;
//! let mut used = device.zeros::<u32>(1)?;
//! compact::launch(&device, x.len(), &x, &mut out, &mut used)?;
//! assert_eq!(out.read()?, [7, 7, 7, 0, 0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Subgroups
//!
//! A subgroup is 32 invocations of a workgroup, on every device: those of consecutive
//! `local_index()`. The last one of a workgroup may have fewer. Its invocations tell each other
//! values without memory of their own; `lane` counts them from 0, and is a `u32`.
//!
//! | function | what each invocation gets |
//! | --- | --- |
//! | `subgroup_add(x)`, `subgroup_mul(x)`, `subgroup_min(x)`, `subgroup_max(x)` | the sum, product, least, greatest of all; numbers and vectors of them |
//! | `subgroup_and(x)`, `subgroup_or(x)`, `subgroup_xor(x)` | the same bit by bit; integers |
//! | `subgroup_inclusive_add(x)`, `subgroup_inclusive_mul(x)`, `subgroup_inclusive_min(x)`, `subgroup_inclusive_max(x)` | that of the lanes up to its own |
//! | `subgroup_exclusive_add(x)`, `subgroup_exclusive_mul(x)`, `subgroup_exclusive_min(x)`, `subgroup_exclusive_max(x)` | that of the lanes before its own; the first lane has `0`, `1`, the greatest and the least number there is |
//! | `subgroup_all(b)`, `subgroup_any(b)` | whether `b` is true in all, in any |
//! | `subgroup_ballot(b)` | a bit for each lane, set where `b` is true |
//! | `subgroup_broadcast(x, lane)`, `subgroup_shuffle(x, lane)` | what that lane has |
//! | `subgroup_broadcast_first(x)` | what the first lane has |
//! | `subgroup_shuffle_xor(x, mask)` | what the lane has whose number is its own `^ mask` |
//! | `subgroup_shuffle_up(x, by)`, `subgroup_shuffle_down(x, by)` | what the lane has that is so many before, after its own |
//! | `subgroup_elect()` | `true` in the first lane, `false` in the others |
//!
//! - The last subgroup may lack lanes. Sums, products, least and greatest of all kinds, `subgroup_all` and
//!   `subgroup_any` leave out the lanes that are not there: `subgroup_min` is the least of those that are.
//!   Only a shuffle or a broadcast from such a lane gives zero, and its bit of a ballot is 0.
//! - All invocations of the workgroup have to come by, as with a barrier; anything else is error V400. So do
//!   it before an `if` and use its result inside. No memory is ordered: `workgroup_barrier()` does that.
//! - Sums of floats are the same bits everywhere, since their order is: lanes that are 1 apart are added first,
//!   then those that are 2, 4, 8 and 16 apart. The first lane of `subgroup_exclusive_add` has `0.0`.
//! - Where a GPU has other subgroups, they go through up to 8 bytes of workgroup memory an invocation,
//!   which count towards the 16 KiB of every kernel that has any.
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
//! A scan over the workgroup needs what the subgroups before add up to. All of them read the sums, and only one
//! writes them, so that a barrier stands between:
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
//!
//! # Atomics
//!
//! On `Atomic<T>` in a buffer or in workgroup memory, where `T` is an integer of 8 to 64 bits
//! or a float. There is no ordering to give, and all but `store` return the value from before.
//!
//! | method | what it does |
//! | --- | --- |
//! | `load()`, `store(v)`, `swap(v)` | reads, writes, both |
//! | `fetch_add(v)`, `fetch_sub(v)` | adds, subtracts, wrapping |
//! | `fetch_min(v)`, `fetch_max(v)` | keeps the lesser, the greater |
//! | `fetch_and(v)`, `fetch_or(v)`, `fetch_xor(v)`, `fetch_nand(v)` | bit by bit; integers |
//! | `fetch_inc_wrap(n)` | adds 1, or makes it 0 where it is `n` or above; unsigned integers |
//! | `fetch_dec_wrap(n)` | subtracts 1, or makes it `n` where it is 0 or above `n`; unsigned integers |
//! | `compare_exchange(old, new)` | writes `new` if `old` is there, to the bit, and returns what was there: a number, no `Result` |
//!
//! - Sums of integers do not depend on who adds first. **Sums of floats do**: each addition is
//!   exact to the last bit, but the order of additions is not the same on every device, nor
//!   from run to run, and so `fetch_add` and `fetch_sub` on floats are outside the promise of
//!   the same bits. `fetch_min` and `fetch_max` are within it.
//! - Atomics of 64 bits need a device that has them; elsewhere the launch is refused before
//!   anything is queued, with an error that names the kernel, the feature and the device.
//! - 32-bit integers are one instruction on a GPU; numbers of 8 and 16 bits, floats,
//!   `fetch_nand` and the wrapping counters are a loop that tries until nobody came between.
//!
//! # Limits and features
//!
//! Every device runs a kernel that declares nothing. What goes beyond is declared, so that nobody
//! learns it from another device; and what is declared without need is an error too.
//!
//! | in `limits(…)` | what it is | every device has | at most |
//! | --- | --- | --- | --- |
//! | `workgroup_memory` | bytes, each array rounded up to 16 | 16384 | 232448 |
//! | `invocations` | of a workgroup, on all axes together | 256 | 1024 |
//! | `buffers` | parameters that are buffers | 8 | 1024 |
//! | `argument_bytes` | what is passed by value, constants included; 4 for each buffer, and 20 | 65536 | 1048576 |
//!
//! | in `features(…)` | what it is |
//! | --- | --- |
//! | `f64` | values of that type: software, and slow, on GPUs |
//! | `f16` | values of that type |
//! | `atomic64` | atomics of 64 bits; integers of 64 bits need no declaration |
//! | `float_atomics` | atomics of floats. Sums depend on who adds first, so that their bits may differ from run to run |
//!
//! What a kernel uses is what stands in it and in the helpers that it calls; only kernels declare.
//! The instances of a generic kernel share the declaration. Before a launch is queued, what its
//! kernel needs is compared with the device: an [`Error`](crate::Error) names the kernel, what it
//! needs and the device, and nothing has run. The interpreter has all that can be declared.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(16, 32), limits(invocations = 512, workgroup_memory = 20480), features(f64))]
//! fn turn(x: &[f64], y: &mut [f64]) {
//!     #[shared]
//!     let tile: [[f64; 80]; 32];
//!     let (i, j) = (local_id().x, local_id().y);
//!     tile[j][i] = x[local_index()];
//!     workgroup_barrier();
//!     y[local_index()] = tile[31 - j][15 - i];
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&(0..512).map(f64::from).collect::<Vec<_>>())?;
//! let mut y = device.zeros::<f64>(512)?;
//! turn::launch(&device, (16, 32), &x, &mut y)?;
//! assert_eq!(y.read()?[..2], [511.0, 510.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Statements and expressions
//!
//! | | |
//! | --- | --- |
//! | variables | `let x = …;`, `let mut x: T = …;`, `let (a, (b, _)) = …;`, `let [a, b] = array;`, shadowing |
//! | assignment | `=`, `+=` and its like, to a variable, an element, a lane or a part: `y[i].x = 1.0`, `t.0 += 1`, `(a, b) = (b, a)`, `_ = x` |
//! | arrays | `let mut a = [0u32; 8];`, `let a = [[1.0f32, 2.0], [3.0, 4.0]];`, `a[i][j]`; 64 KiB an invocation. One of literals without `mut` is a [table](#tables) |
//! | blocks | `{ … }`, `if … else …`, `match`; each has a value as in Rust |
//! | loops | `while`, `loop` with `break value`, `for i in a..b` and `a..=b`, `(a..b).rev()`, `.step_by(n)` with a `usize` for any range; labels, `break`, `continue`, `return` |
//! | before a loop | `#[unroll]` for a copy of its body for each round, whose number must be a constant then; `#[unroll(4)]` for four copies in each round; `#[unroll(never)]` |
//! | `match` | on integers and `bool`: literals, ranges, constants, `a \| b`, `name`, `name @ 1..=3`, `_`, guards; all values must be covered |
//! | operators | `+ - * / % & \| ^ ! << >>`, `== != < <= > >=`, `&&` and `\|\|` (the right side only if needed), `as` |
//!
//! A loop may go on for as long as the device lets it. On the interpreter an invocation that takes more than 2³⁰
//! steps is taken for endless (before the judge 2²⁷), unless the environment variable `SAMEBITS_STEPS` sets another
//! number. So are those of a workgroup with barriers, and all before the judge, that take sixteen times as many
//! together, since they take turns. llvmpipe ends the loops of an invocation after 65,535 rounds, in which those
//! of 64-bit divisions count. Either is an error, and never a wrong result.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn steps(n: usize, y: &mut [u32]) {
//!     let i = global_id().x;
//!     if i >= y.len() {
//!         return;
//!     }
//!     let (mut low, mut high) = (0u32, n as u32);
//!     let kind = match i {
//!         0 => 1,
//!         1 | 2 => 10,
//!         odd if odd % 2 == 1 => 100,
//!         _ => 1000,
//!     };
//!     for step in (0..n).rev().step_by(2) {
//!         (low, high) = (low + step as u32, high ^ kind);
//!     }
//!     let doubled = loop {
//!         if low >= kind {
//!             break low;
//!         }
//!         low = 2 * low + 1;
//!     };
//!     y[i] = if doubled % 2 == 0 { high } else { doubled };
//! }
//! # let device = Device::interpreter();
//! # let mut y = device.zeros::<u32>(5)?;
//! # steps::launch(&device, 5, 6, &mut y)?;
//! # let expected: Vec<u32> = [1u32, 10, 10, 100, 1000].iter().map(|&kind| {
//! #     let (mut low, mut high) = (0u32, 6u32);
//! #     for step in (0..6u32).rev().step_by(2) { (low, high) = (low + step, high ^ kind); }
//! #     while low < kind { low = 2 * low + 1; }
//! #     if low % 2 == 0 { high } else { low }
//! # }).collect();
//! # assert_eq!(y.read()?, expected);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Tables
//!
//! A constant with an array in it (a `#[device] const`, one of a struct, one of a body) is a table:
//! it is part of the kernel, stored once, and shared by all look-ups of all invocations. So is an
//! array of literals that is indexed without a name or named without `mut`. A look-up costs what a
//! load from a read-only buffer costs, and is known while the kernel is compiled if its index
//! is. Beyond the end it gives zero. The tables of a kernel take at most 65,536 bytes together,
//! of which equal ones count once; what is larger is passed as a buffer.
//!
//! The value of a constant is computed once, while the macro expands, by the interpreter. It may
//! have loops, `if`, `match` and other constants in it, and in a constant of a body also calls of
//! `#[device]` functions. It costs nothing in the kernel. The computation may take 10,000,000
//! steps: a step is about one operation, so that a table of 256 entries with eight rounds each is
//! far below. Only a constant that depends on one without `#[device]` is computed where it is
//! named, and has at most 1024 numbers.
//!
//! # What a program brings along
//!
//! Functions, closures, type parameters, structs with methods, and constants of a program's own are
//! in [`items`].
//!
//! # Methods of integers
//!
//! | method | result |
//! | --- | --- |
//! | `min(b)`, `max(b)`, `clamp(low, high)`, `midpoint(b)` | the same type |
//! | `abs()`, `wrapping_abs()`, `signum()` | the same type; signed integers |
//! | `is_negative()`, `is_positive()` | `bool`; signed integers |
//! | `abs_diff(b)`, `unsigned_abs()` of signed integers | the unsigned type of the same width |
//! | `saturating_add(b)`, `saturating_sub(b)`, `saturating_mul(b)` | the nearest value of the type |
//! | `overflowing_add(b)`, `overflowing_sub(b)`, `overflowing_mul(b)` | `(value, whether it wrapped)` |
//! | `div_euclid(b)`, `rem_euclid(b)`, `wrapping_div_euclid(b)`, `wrapping_rem_euclid(b)` | the remainder is not negative; 0 for a zero divisor |
//! | `pow(n)`, `wrapping_pow(n)` | a power, which wraps; `n` is `u32` |
//! | `ilog2()` | `u32`; `u32::MAX` for zero |
//! | `isqrt()`, `div_ceil(b)`, `next_multiple_of(b)`, `next_power_of_two()` | the same type; unsigned integers; nothing panics, what does not fit wraps |
//! | `is_power_of_two()` | `bool`; unsigned integers |
//! | `wrapping_add(b)`, `wrapping_sub(b)`, `wrapping_mul(b)`, `wrapping_div(b)`, `wrapping_rem(b)`, `wrapping_neg()`, `wrapping_shl(n)`, `wrapping_shr(n)` | what the operators give; `n` is `u32` |
//! | `rotate_left(n)`, `rotate_right(n)` | the same type; `n` is `u32` |
//! | `count_ones()`, `count_zeros()`, `leading_zeros()`, `leading_ones()`, `trailing_zeros()`, `trailing_ones()` | `u32` |
//! | `reverse_bits()`, `swap_bytes()` | the same type |
//!
//! `usize` has those of unsigned integers. `bool` has operators and no methods.
//!
//! # Methods of floats
//!
//! | method | result |
//! | --- | --- |
//! | `abs()`, `signum()`, `copysign(b)` | signs |
//! | `min(b)`, `max(b)`, `clamp(low, high)` | a NaN loses in `min` and `max`, and stays in `clamp` |
//! | `floor()`, `ceil()`, `trunc()`, `round()`, `round_ties_even()`, `fract()` | whole numbers and what is left |
//! | `sqrt()`, `recip()`, `mul_add(b, c)` | correctly rounded |
//! | `div_euclid(b)`, `rem_euclid(b)`, `to_degrees()`, `to_radians()` | the steps of std, each correctly rounded |
//! | `is_nan()`, `is_infinite()`, `is_finite()`, `is_normal()`, `is_subnormal()`, `is_sign_negative()`, `is_sign_positive()` | `bool` |
//! | `to_bits()`, `f32::from_bits(n)` | the bits as an unsigned integer, and back; `f16` and `f64` too |
//!
//! There is no `sin`, `exp`, `ln`, `powf` and the like yet.
//!
//! # Functions of bits and packed words
//!
//! What GPUs have and std has no name for. `T` is any integer, or what the remark says.
//!
//! | function | result |
//! | --- | --- |
//! | `mul_hi(a, b)` | the upper half of the product of twice the width |
//! | `mod_floor(a, b)` | the remainder with the divisor's sign |
//! | `avg_floor(a, b)`, `avg_ceil(a, b)` | the mean, rounded down or up, without overflow |
//! | `bit_extract(x, offset, count)` | `count` bits from `offset` on, sign-extended for signed integers; the rest is cut off at the width |
//! | `bit_insert(x, new, offset, count)` | `x` with those bits taken from the low ones of `new` |
//! | `bit_select(mask, a, b)` | the bits of `a` where `mask` has ones, of `b` elsewhere |
//! | `test_bit(x, n)` | whether a bit is set: `bool` |
//! | `find_lsb(x)`, `find_msb(x)` | the place of the lowest set bit, or of the highest one that differs from the sign, as `i32`; −1 if there is none |
//! | `funnel_shr(high, low, n)` | the lower half of both together, shifted right; unsigned integers |
//! | `saturate(x)` | a float limited to 0.0 to 1.0; 0.0 for NaN |
//! | `frexp_fraction(x)`, `frexp_exponent(x)`, `ldexp(x, n)` | a float as `fraction * 2^exponent`, and back with one rounding; exponents are `i32` |
//! | `f16_to_zero(x)`, `to_bf16_bits(x)`, `from_bf16_bits(n)` | conversions of `f32` to `f16` and to the bits of a bfloat, a `u16` |
//! | `pack_half_2x16(v)`, `pack_half_2x16_to_zero(v)`, `unpack_half_2x16(n)` | `Vec2<f32>` as two `f16` in a `u32`, the first lane lowest |
//! | `pack_snorm_2x16(v)`, `pack_unorm_2x16(v)`, `unpack_snorm_2x16(n)`, `unpack_unorm_2x16(n)` | `Vec2<f32>` from −1.0 or 0.0 to 1.0 as halves of a `u32` |
//! | `pack_snorm_4x8(v)`, `pack_unorm_4x8(v)`, `unpack_snorm_4x8(n)`, `unpack_unorm_4x8(n)` | `Vec4<f32>` likewise as bytes |
//! | `dot4_i8(a, b, c)`, `dot4_u8(a, b, c)`, `dot4_i8_u8(a, b, c)` | `c` plus the products of the four bytes of two `u32`; wraps |
//! | `dot4_i8_sat(a, b, c)`, `dot4_u8_sat(a, b, c)`, `dot4_i8_u8_sat(a, b, c)` | the same, or the nearest value of the type |
//! | `dot2_i16(a, b, c)`, `dot2_u16(a, b, c)` | the same of halves |
//! | `dot2_i16_sat(a, b, c)`, `dot2_u16_sat(a, b, c)` | the same, or the nearest value of the type |
//! | `msad4_u8(a, b, c)` | `c` plus the differences of bytes, but for those that are 0 in `a` |
//!
//! # Vectors
//!
//! | | |
//! | --- | --- |
//! | made by | `Vec3::new(x, y, z)`, `Vec3::splat(x)` |
//! | lanes | `v.x` to `v.w`, also assigned to |
//! | swizzles | methods of two to four lanes: `v.xy()`, `v.zyx()`, `v.xxxx()` |
//! | operators | those of the lanes but shifts, between vectors, and `+ - * /` also with a scalar on either side: `2.0 * v`; no comparisons |
//! | `as` | to its own type; between `Vec2<u32>` or `Vec4<u32>` and `u32`, `i32`, `u64` and `bool` as in `ir/docs/ops.md`, and from `Vec4<u32>` to `Vec2<u32>` |
//! | products | `a.dot(b)`, `a.cross(b)` of `Vec3`, `v.length()` and `v.length_squared()` of floats |
//! | lane by lane | the methods of the lanes with vectors as arguments, but for those that give a `bool`; and the functions of bits |
//!
//! On the host the same types have `new`, `splat`, their fields and these operators, which are those of Rust's
//! numbers there: an integer that overflows panics in a debug build.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn numbers(x: &[f32], y: &mut [f32], bits: &mut [u32]) {
//!     let a = x[0];
//!     y[0] = a.clamp(0.0, 1.0) + a.fract() + 4.0f32.recip();
//!     let v = Vec3::new(a, 2.0, 3.0);
//!     let w = 2.0 * v.zyx() - Vec3::splat(1.0);
//!     y[1] = v.dot(w).mul_add(0.5, w.xy().length_squared()).sqrt();
//!     y[2] = v.cross(w).abs().max(v).y;
//!     bits[0] = a.to_bits().rotate_left(3).count_ones();
//!     bits[1] = 7u32.abs_diff(9).min(5).wrapping_sub(3);
//! }
//!
//! let device = Device::interpreter();
//! let x = device.upload(&[1.5f32])?;
//! let (mut y, mut bits) = (device.zeros(3)?, device.zeros(2)?);
//! numbers::launch(&device, 1, &x, &mut y, &mut bits)?;
//! assert_eq!(y.read()?[0], 1.0 + 0.5 + 0.25);
//! assert_eq!(bits.read()?, [1.5f32.to_bits().count_ones(), u32::MAX]);
//! # let (v, w) = ([1.5f32, 2.0, 3.0], [5.0f32, 3.0, 2.0]);
//! # let dot = v[0] * w[0] + v[1] * w[1] + v[2] * w[2];
//! # assert_eq!(y.read()?[1], dot.mul_add(0.5, w[0] * w[0] + w[1] * w[1]).sqrt());
//! # assert_eq!(y.read()?[2], (v[2] * w[0] - v[0] * w[2]).abs().max(v[1]));
//! # Ok::<(), Error>(())
//! ```
//!
//! # What differs from Rust
//!
//! - Nothing panics. Integers wrap, also in what would be a debug build; `x / 0` and `x % 0` are 0, `MIN / -1` is `MIN`; the
//!   count of a shift is taken modulo the width, and may be of any integer type.
//! - Out of bounds, a load gives zero, a store does nothing, and an atomic does nothing and returns 0.
//! - `usize` is 32 bits wide: `usize::MAX` is 2³² − 1. A constant whose value would be another on the host is refused,
//!   and so is a cast of 64 bits to `usize` where nothing says that it fits: `(x & 0xff) as usize` is right, and
//!   `x as u32 as usize` drops the high half.
//! - A step of zero counts as one: `.step_by(0)` panics in Rust. Where the compiler sees the zero it is refused.
//! - Whatever makes a NaN makes the same one, `0x7fc00000` for `f32`; only `-`, `abs` and `copysign` change its sign.
//! - A `let` has its value at once: there is no `let x;`, but for `#[shared]`.
//! - Buffers are no values, and arrays are values that can be copied, passed and returned, but not compared. Neither has
//!   slices of a part or iterators: index them, or pass a helper the whole (`x`, `&*x` or `&x[..]`) and where to begin.
//! - References are for arguments only: there is no `let r = &x;`, and no function returns one.
//! - A literal fits a type parameter: `2.0 * x` is right for an `x: T` of any `T: Float`, which rustc would refuse.
//! - Functions, methods and closures are put where they are called, so that there is no recursion, and no value is a function.
//! - A private field or method of a struct that a function uses without naming its type is open to the whole crate.
//! - Not there yet: enums, traits, calls through `Type::method(value)`, generic structs, macros (`assert!` too), `if let`,
//!   labelled blocks, strings, `i128`, `isize`.
//! - rustc sees the launcher and not the body: it gives [some of its warnings](#warnings) there, and not all.
//!
//! # Warnings
//!
//! rustc warns of faults of a body by these lints of its own, in kernels, helpers and methods:
//! `unused_variables`, `unused_assignments`, `unused_mut`, `unused_labels`, `unreachable_code`, `unused_must_use` (of
//! operators), `path_statements`, `unused_comparisons` (where the type is written beside the variable), and `dead_code`
//! of constants in a body. `#[allow(…)]`, `#[expect(…)]`, `#[deny(…)]` and their like steer them as in any function,
//! on the function, its parameters, statements and blocks. What is done with a part of a variable, or with what is
//! lent or captured, is not followed: there a warning may be missing that rustc would give elsewhere.
//!
//! # All limits
//!
#![doc = include_str!("language/limits.md")]

pub mod items;
