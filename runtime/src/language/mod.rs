//! The language of kernels: what a `#[kernel]` function and the code that it calls may contain, and what it means.
//!
//! Kernels are written in a subset of Rust, with Rust's syntax, scopes, type inference and names of methods. Functions
//! that are only used in bodies need no import, since the macro knows them; types and classes in signatures do. Your own
//! functions and constants need `#[device]`, your structs `#[derive(Element)]`, and they are imported as in all Rust.
//! Each error has a code with a page, which `samebits explain V010` prints. The exact value of every operation is in `docs/src/reference/ops.md`.
//!
//! # The attribute
//!
//! `#[kernel]` goes on a free function without a result. Its arguments:
//!
//! | argument | meaning |
//! | --- | --- |
//! | `workgroup_size(x, y, z)` | the number of invocations of a workgroup, as one to three literals, `#[device]` constants or [constant parameters](items#generics), or what `+`, `-`, `*` and `/` make of them: at most 64 on z and 256 in all, or 1024 if declared. The default is 64 |
//! | `limits(workgroup_memory = 32768)` | the kernel may use [more than every device has](#limits-and-features) |
//! | `features(f64)` | the kernel uses [what not every device has](#limits-and-features) |
//! | `instances(T = [f32, u32], N = [2, 3])` | the types and numbers that a [generic kernel](items#generics) is compiled for, in every combination |
//! | `fast_math` | the device may compute `f32` in its own way: fuse a product into a sum, flush subnormals, be slightly off in quotients and roots. Devices may then differ in their results; the interpreter stays exact |
//! | `debug` | lines of [`debug!`](messages) are said |
//! | `requires(y.len() >= x.len(), n <= x.len())` | what [every launch must satisfy](#requirements) |
//! | `deny(guards)` | an access in a loop that needs a bounds test is error V304, which says [what is missing](#requirements) |
//! | `warn(all)` | rustc warns of what is known to be slow on GPUs; or list some of `strides` (V320), `banks` (V321), `contention` (V322), `barriers` (V323), `guards` (V304), `loops` (V324), `doubles` (V325). The warnings obey the lint `deprecated` |
//! | `deny(schedule)` | what depends on the order in which invocations run is error V502; [races](#races) are errors of every kernel |
//! | `crate = path` | where `samebits` is, if not at `::samebits` |
//!
//! The function becomes a type of its name, with `launch(&device, grid, …) -> Result<(), Error>`. Write
//! `k::launch(…)`; a call `k(…)` is rustc's error "expected function, found enum".
//! Docs, `cfg`, `deprecated` and lint attributes on the function go on the launcher. Inside of the function `cfg` is
//! allowed wherever Rust allows it, and lint attributes steer [warnings](#warnings). Variables and labels that a
//! macro makes are hygienic, as in Rust.
//!
//! # Parameters
//!
//! | parameter | in the kernel | what `launch` takes |
//! | --- | --- | --- |
//! | `x: &[T]` | a buffer to read | `&Buffer<T>` or a view |
//! | `x: &mut [T]` | a buffer to read and write | `&mut Buffer<T>` or a `ViewMut` |
//! | `x: &[Atomic<u32>]` | a buffer of atomics, of any type of number | an ordinary `&mut Buffer<u32>` |
//! | `p: Below<'_, u32>` | a buffer to read, whose elements are below a bound, so that accesses by them are not tested; the bound is `p.bound()` in `requires(…)` | `Below::check(&buffer, bound)?` |
//! | `p: Distinct<'_, u32>` | a buffer to read, of which no two elements are equal: for a [scatter](#races) | `Distinct::check(&buffer)?` |
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
//! `requires` lists comparisons (`>=`, `>`, `<=`, `<`, `==`) that every launch must satisfy. They compare lengths of
//! buffers, integer arguments and their integer fields, literals, and constants (`#[device]` ones, and `N` of a generic
//! kernel), with `+`, `-`, `*` and parentheses. They are computed exactly: nothing wraps, and negative numbers are less
//! than 0. The launcher evaluates them before anything is submitted, and refuses a launch that breaks one. So the
//! compiler relies on them, and leaves out the bounds tests that they make needless.
//!
//! With `deny(guards)`, a bounds test that stays in a loop is an error, which names the missing fact. A condition on the
//! number of workgroups is not an error, since no signature can state it; the launcher evaluates it.
//! Only the loops of the compiled kernel count. A loop that is unrolled completely, as small ones are automatically, is
//! no longer a loop: its accesses may keep their tests, one in each copy, and `KERNEL.report()` lists them.
//! `#[unroll(never)]` before a loop keeps it a loop.
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
//! # Races
//!
//! Two accesses of one place by two invocations race if one of them is a plain store and nothing orders them. A barrier
//! orders the invocations of a workgroup; nothing but atomics and the end of a launch orders workgroups. The compiler
//! proves that a kernel has no races, or refuses it: error V500 names two invocations that meet, V501 says what was not
//! understood. A proof may rest on the launch: on the number of workgroups of an axis, on lengths and on arguments, as
//! that the rows of an image are as long as the grid is wide. The launcher looks at that before anything is submitted,
//! and refuses with `Error::MayRace`. `report()` of the kernel lists the conditions.
//!
//! What is understood: sums, products, shifts and masks of ids, counters of loops, lengths and arguments; quotients
//! and remainders; `^`; conditions around an access; barriers, also in loops; tables of constants; and places from
//! `counter[0].fetch_add(1)` on a counter that nothing else writes to, which are all different.
//!
//! A scatter through indices that are data has no race if no two indices are equal. A parameter
//! `p: Distinct<'_, u32>` is read like `&[u32]`, and the launch passes a
//! [`Distinct`](crate::Distinct), which is made by looking at the numbers once. A load out of bounds gives 0 like
//! any other, so let `i < p.len()` be known.
//!
//! `unsafe { … }` marks the loads and stores in it, and in closures that are written in it, but not those of helpers
//! that it calls, as meant to race with each other. Each word of them is read and written as a whole, 64 bits as two
//! words. The judge still reports them.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(64))]
//! fn find(x: &[u32], wanted: u32, found: &mut [u32]) {
//!     let i = global_id().x;
//!     if i < x.len() && x[i] == wanted {
//!         // One of several is as good as another.
//!         unsafe {
//!             found[0] = i as u32;
//!         }
//!     }
//! }
//!
//! #[kernel(workgroup_size(64))]
//! fn double(y: &mut [u32]) {
//!     let i = global_id().x;
//!     if i < y.len() {
//!         y[i] *= 2;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let (x, mut found) = (device.upload(&[4, 9, 4])?, device.zeros::<u32>(1)?);
//! find::launch(&device, x.len(), &x, 9, &mut found)?;
//! double::launch(&device, 1, &mut found)?;
//! assert_eq!(found.read()?, [2]);
//! // Two rows of workgroups would double each element twice.
//! let error = double::launch(&device, (1, 2), &mut found).unwrap_err();
//! assert!(matches!(error, Error::MayRace { .. }));
//! # Ok::<(), Error>(())
//! ```
//!
//! # Types
//!
//! | type | buffer element | by value | variable |
//! | --- | --- | --- | --- |
//! | `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64` | yes | yes | yes |
//! | `bool` | yes: [a byte](#types) | yes | yes |
//! | `bf16` | yes | yes | yes |
//! | `usize`, of 32 bits | no, also not inside of an element: use `u32` | yes, below 2³² | yes |
//! | `Vec2<T>`, `Vec3<T>`, `Vec4<T>` of numbers | yes | yes | yes |
//! | the same of `bool` | no | yes | yes |
//! | `Mat2<T>`, `Mat3<T>`, `Mat4<T>` of floats | yes | yes | yes |
//! | `[T; N]` of scalars, vectors, arrays or structs | yes | yes | yes |
//! | `(A, B, …)` of scalars, vectors, tuples and structs | no | no | yes |
//! | [structs](items#structs) with `#[derive(Element)]` | yes, unless they hold a `usize` | yes | yes |
//! | [enums](items#enums) without fields, with `#[derive(Element)]` | yes | yes | yes |
//! | `Atomic<u32>`, `Atomic<f32>` …, and [structs](#atomics) that hold them | yes | no | in workgroup memory |
//!
//! In a buffer a `bool` is a byte, as in Rust. Kernels and hosts read a byte that is not 0 as `true`, whoever wrote it; a
//! store writes 0 or 1. So `buffer.view::<bool>()` of bytes is allowed. `as_slice` lends no `bool`: read a vector.
//!
//! A literal without a suffix gets its type from its use, also under a cast: `2.0 as f32`. If no use decides, an integer
//! is an `i32`, as in Rust, and a float is an error: write `let f = 1.0f32;`. A constant has its declared type. Types
//! never convert implicitly; use `as`.
//! Arithmetic on `f64` is exact on every device. On GPUs it is done in software, and is many times slower than `f32`.
//! `f16` is `half::f16`. The prelude has it with the feature `f16`, which is on by default. Without the feature, rustc
//! takes the name for its own unstable type.
//!
//! `bf16` is the upper half of an `f32`, which is stored and converted, and no number: `v.to_f32()` or `f32::from(v)` gives
//! the same number, `bf16::from_f32(x)` the nearest one, to even; NaN becomes the one NaN. `to_bits` and `from_bits` keep
//! the bits. On the host it is `half::bf16`, with the feature `f16` of the crate. No device needs a feature for it.
//!
//! # Where an invocation is
//!
//! | function | value |
//! | --- | --- |
//! | `global_id().x`, `.y`, `.z` | the invocation's place in the whole launch |
//! | `local_id().x`, … | its place in the workgroup |
//! | `workgroup_id().x`, … | the workgroup's place among the workgroups |
//! | `num_workgroups().x`, … | the number of workgroups |
//! | `local_index()` | `local_id` as one number: x first, then y, then z |
//! | `subgroup_id()`, `subgroup_lane()` | `local_index() / 32` and `local_index() % 32` |
//! | `num_subgroups()` | the number of subgroups of the workgroup |
//! | `x.len()`, `x.is_empty()` | the number of elements of a buffer or an array, and whether it is zero. The length of a constant array can be an array length: `[0; TABLE.len()]` |
//!
//! All of them are `usize`, as is every index: `x[global_id().x]` needs no cast, and `global_id().x as u32` is a `u32`.
//! Launches are rounded up to whole workgroups, so compare an id with a length before you use it.
//!
//! ## Indices of 64 bits
//!
//! An index may be cast from any integer: `x[i as usize]`. Of a `u64` or an `i64` all 64 bits count, as they do on the
//! host: an index that does not fit 32 bits is out of bounds, and never the index of another element. The same is true of
//! a variable without `mut` that is cast so, also where it is passed to a helper, and of comparisons with it. For
//! anything else such a cast is error V012, unless its value clearly fits, as that of `(x & 0xff) as usize` does. Compute
//! with the 64 bits and cast last, or drop the high half: `x as u32 as usize`.
//!
//! ```
//! use samebits::prelude::*;
//!
//! // A sparse matrix times a vector.
//! #[kernel]
//! fn multiply(starts: &[u64], columns: &[i64], values: &[f32], x: &[f32], y: &mut [f32]) {
//!     let row = global_id().x;
//!     if row < y.len() {
//!         let mut sum = 0.0;
//!         for k in starts[row]..starts[row + 1] {
//!             let column = columns[k as usize] as usize;
//!             sum += values[k as usize] * x[column];
//!         }
//!         y[row] = sum;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let starts = device.upload(&[0u64, 2, 3])?;
//! // The last column does not exist.
//! let columns = device.upload(&[1i64, 0, 1 << 32])?;
//! let (values, x) = (device.upload(&[2.0, 3.0, 4.0])?, device.upload(&[1.0, 10.0])?);
//! let mut y = device.zeros::<f32>(2)?;
//! multiply::launch(&device, 2, &starts, &columns, &values, &x, &mut y)?;
//! assert_eq!(y.read()?, [23.0, 0.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Memory of a workgroup
//!
//! | in a body | meaning |
//! | --- | --- |
//! | `#[shared] let tile: [f32; 256];` | memory that the invocations of the workgroup share. It starts as zero. It may hold scalars, vectors, structs, arrays and atomics, 16 KiB in all unless [more](#limits-and-features) is declared |
//! | `workgroup_barrier();` | waits until every invocation of the workgroup is here. What any of them wrote before, to workgroup memory and buffers, all of them see after |
//! | `broadcast(&cell)` | the value in the workgroup memory `cell` (or `tile[0]`), with a barrier before and after. All invocations get the same value, so a condition on it may contain barriers |
//!
//! Every invocation of the workgroup must reach a barrier or `broadcast`; otherwise it is error V010.
//!
//! [Helpers](items#helpers), methods and closures declare workgroup memory too. Each call in the source has memory of
//! its own, so two calls need no barrier between them; the memory of all calls counts. A call in a loop is one call: its
//! memory keeps what the round before left in it, and a barrier must be between two rounds if invocations read what
//! others wrote. The kernel is refused if one is missing (V500).
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
//!         // Nobody else has this place, which the compiler cannot tell.
//!         unsafe {
//!             out[(first + place) as usize] = x[i];
//!         }
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
//! A subgroup is 32 invocations of a workgroup. They exchange values without memory of their own: [`subgroups`].
//!
//! # Atomics
//!
//! An `Atomic<T>` is in a buffer or in workgroup memory, where `T` is an integer of 8 to 64 bits or a float. All methods
//! except `store` return the old value. Without an order they are relaxed: nobody sees a half of the access, and it
//! says nothing about other memory.
//!
//! | method | what it does |
//! | --- | --- |
//! | `load()`, `store(v)`, `swap(v)` | reads, writes, does both |
//! | `fetch_add(v)`, `fetch_sub(v)` | adds, subtracts, wrapping |
//! | `fetch_min(v)`, `fetch_max(v)` | keeps the lesser, the greater |
//! | `fetch_and(v)`, `fetch_or(v)`, `fetch_xor(v)`, `fetch_nand(v)` | bit by bit; integers |
//! | `fetch_inc_wrap(n)` | adds 1, or sets 0 if the value is `n` or above; unsigned integers |
//! | `fetch_dec_wrap(n)` | subtracts 1, or sets `n` if the value is 0 or above `n`; unsigned integers |
//! | `compare_exchange(old, new)` | writes `new` if the value has the bits of `old`; returns the old value as a number, not a `Result` |
//!
//! `compare_exchange_weak` is the same as `compare_exchange`. To know whether it wrote, compare: `a.compare_exchange(0, 1)
//! == 0`.
//!
//! - **Sums of floats may differ**: each addition is exact to the last bit, but the order of additions differs between
//!   devices and runs. So `fetch_add` and `fetch_sub` on floats are outside the promise of the same bits. Sums of
//!   integers, and `fetch_min` and `fetch_max` of floats, are within it.
//! - Atomics of 64 bits need a device that has them. Elsewhere the launch is refused before anything is queued, with an
//!   error that names the kernel, the feature and the device.
//!
//! A struct may hold atomics, alone, in arrays or in other structs, beside fields that are none. It is memory and no
//! value: a kernel takes a buffer of it or declares workgroup memory, and accesses the fields one by one or through
//! references. Making, copying or assigning one is error V025. A kernel takes a buffer of it as `&mut [Node]`; in helpers
//! and closures `&Node` and `&[Node]` do as well, through which atomics are changed and other fields read. An
//! atomic never races with another atomic; any other field is plain memory, with the same rules as a buffer of its own.
//! Atomics of 64 bits need a struct of nothing else (V201, V207). On the host such a field is a plain number:
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[derive(Clone, Copy, Element)]
//! #[repr(C)]
//! struct Node {
//!     hits: Atomic<u32>,
//!     value: u32,
//! }
//!
//! #[kernel(workgroup_size(64))]
//! fn visit(at: &[u32], nodes: &mut [Node]) {
//!     let i = global_id().x;
//!     if i < at.len() {
//!         nodes[at[i] as usize].hits.fetch_add(1);
//!     }
//!     if i < nodes.len() {
//!         nodes[i].value *= 2;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let node = |value| Node { hits: Atomic::new(0), value };
//! let (at, mut nodes) = (device.upload(&[1, 0, 1])?, device.upload(&[node(5), node(6)])?);
//! visit::launch(&device, 3, &at, &mut nodes)?;
//! let after: Vec<(u32, u32)> = nodes.read()?.iter().map(|n| (n.hits.into_inner(), n.value)).collect();
//! assert_eq!(after, [(1, 10), (2, 12)]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Orders
//!
//! Where one invocation writes memory and another one reads it, something has to order the two. A barrier does so within
//! a workgroup. Between workgroups, atomics do, with the orders of Rust's own atomics and with their meaning:
//!
//! | written | meaning |
//! | --- | --- |
//! | `flag.store(1, Ordering::Release)` | whoever sees this value by an acquire sees all that was written before it |
//! | `flag.load(Ordering::Acquire)` | what follows sees what was written before the release that was read |
//! | `lock.swap(1, Ordering::AcqRel)` | both; every method that reads and writes may have it |
//! | `lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)` | the order if it writes, and the order if not |
//! | `fence(Ordering::Release)` | the same for the relaxed accesses after it; `Ordering::Acquire` for those before it |
//! | `n.fetch_add(1, Ordering::Relaxed)` | the same as `n.fetch_add(1)` |
//! | `flag.store_in(1, Ordering::Release, Scope::Workgroup)` | an order between the invocations of the workgroup alone, which is quicker. Each method has a form with `_in`, and `fence_in(order, scope)` is a fence |
//!
//! - Without a [`Scope`](crate::prelude::Scope) an order is for all invocations of the device, and that of an atomic in
//!   workgroup memory is for its workgroup.
//! - The order is written in the call, by any path to Rust's `Ordering`, which the prelude has: it cannot be a variable.
//!   A load cannot be `Release`, a store not `Acquire`, a fence not `Relaxed`: error V310.
//! - A kernel with orders declares `features(atomic_orders)`. A device gives an order or a stronger one, and never a
//!   weaker one; a device that cannot is refused at the launch. `SeqCst` needs `features(seq_cst)`, which GPUs lack;
//!   most code that says `SeqCst` needs no more than `AcqRel`.
//! - What a lock or a flag guards is plain memory that several invocations access. The compiler cannot follow that, so
//!   these accesses stand in `unsafe`. The judge can: it reports a race if an order is missing or too weak.
//! - **Who waits may wait for ever.** The invocations of a subgroup need not go on while one of them waits, so let
//!   one invocation of a workgroup take a lock, and never wait for one of the same workgroup: use a barrier. Workgroups
//!   are started in the order of their numbers on this CPU. GPUs promise nothing; in practice a workgroup that has started
//!   goes on. So wait for workgroups of lower numbers only, or number them by an atomic as they start.
//!
//! ```
//! use samebits::prelude::*;
//! # use samebits::judge::Schedule;
//!
//! // Workgroups write rows one after the other, under a lock.
//! #[kernel(workgroup_size(32), features(atomic_orders))]
//! fn append(x: &[u32], lock: &[Atomic<u32>], used: &mut [u32], list: &mut [u32]) {
//!     let row = x[workgroup_id().x];
//!     if local_index() == 0 && row != 0 {
//!         while lock[0].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed) != 0 {}
//!         // Only one workgroup is here at a time, which the compiler cannot tell.
//!         unsafe {
//!             list[used[0] as usize] = row;
//!             used[0] += 1;
//!         }
//!         lock[0].store(0, Ordering::Release);
//!     }
//! }
//!
//! # for device in [Device::interpreter(), Device::judge(Schedule::Random(3))] {
//! # /*
//! let device = Device::interpreter();
//! # */
//! let x = device.upload(&[5, 0, 7, 6])?;
//! let (mut lock, mut used) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
//! let mut list = device.zeros::<u32>(4)?;
//! append::launch(&device, 32 * x.len(), &x, &mut lock, &mut used, &mut list)?;
//! let mut found = list.read()?;
//! found.sort();
//! assert_eq!(found, [0, 5, 6, 7]);
//! # }
//! # Ok::<(), Error>(())
//! ```
//! - On a GPU an atomic access to a 32-bit integer is one instruction. Numbers of 8 and 16 bits, floats, `fetch_nand` and
//!   the wrapping counters are a loop that retries until no other invocation interferes.
//!
//! # Limits and features
//!
//! A kernel that declares nothing runs on every device. A kernel that needs more must declare it, so that you learn of
//! it when you compile and not on another device. An unneeded declaration is an error too.
//!
//! | in `limits(…)` | what it is | every device has | at most |
//! | --- | --- | --- | --- |
//! | `workgroup_memory` | bytes, each array rounded up to 16 | 16384 | 232448 |
//! | `invocations` | of a workgroup, on all axes together | 256 | 1024 |
//! | `buffers` | parameters that are buffers | 8 | 1024 |
//! | `argument_bytes` | of arguments by value and constants, plus 4 for each buffer, plus 20 | 65536 | 1048576 |
//!
//! | in `features(…)` | what it is |
//! | --- | --- |
//! | `f64` | values of that type; slow on GPUs |
//! | `f16` | values of that type |
//! | `atomic64` | atomics of 64 bits; integers of 64 bits need no declaration |
//! | `float_atomics` | atomics of floats, whose sums may differ from run to run |
//! | `atomic_orders` | [orders](#orders) of atomics up to `AcqRel`, and fences. Vulkan devices with the Vulkan memory model have them; through naga there are none |
//! | `seq_cst` | the order `SeqCst`. This CPU and the interpreter have it |
//!
//! Uses in the helpers that a kernel calls count as the kernel's; only kernels declare. The instances of a generic
//! kernel share the declaration. A launch on a device that lacks what the kernel needs is refused before anything is
//! queued, with an [`Error`](crate::Error) that names the kernel, the need and the device. This CPU and the interpreter
//! have all that can be declared.
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
//! | variables | `let x = …;`, `let mut x: T = …;`, `let (a, (b, _)) = …;`, `let [a, .., b] = array;`, `let [a, rest @ ..] = array;`, `let pattern = … else { … };`, shadowing; `let x;` gets its value later, on every way to its uses |
//! | assignment | `=`, `+=` and its like, to a variable, an element, a lane or a part: `y[i].x = 1.0`, `t.0 += 1`, `(a, b) = (b, a)`, `[a, b] = [b, a]`, `_ = x`; tuples, arrays and structs of places nest, with `_` and `..`: `(a, [b, ..], P { x, .. }) = value` |
//! | arrays | `let mut a = [0u32; 8];`, `let a = [[1.0f32, 2.0], [3.0, 4.0]];`, `a[i][j]`; 64 KiB per invocation. An array of literals without `mut` is a [table](#tables) |
//! | blocks | `{ … }`, `if … else …` with up to 59 `else if`s, `match`, `'a: { … break 'a value; … }`; each has a value as in Rust. `if` and `while` take `let pattern = …`, alone or between `&&` |
//! | loops | `while`, `loop` with `break value`, `for i in a..b` and over any [iterator](#iterators); labels, `break`, `continue`, `return` |
//! | before a loop | `#[unroll]`: a copy of the body for each round, whose number must be constant; `#[unroll(4)]`: four copies in each round; `#[unroll(never)]` |
//! | patterns | literals of integers and `bool`, ranges, constants, `a \| b`, `name`, `name @ 1..=3`, `_`, and tuples, structs and arrays of these, with `..`; guards, which may hold `let pattern = …`. A `match` must cover all values. `matches!(x, 1 \| 2)`. Where the value is behind a reference, as in `match self` of a `&self`, names in patterns are references: `*name` is the value. Behind a `&mut`, as in `match &mut s`, `if let Some(v) = &mut o`, `let P { x, .. } = &mut p;` and `match self` of a `&mut self`, they refer to the parts themselves: `*v += 1`. So do the names in `let [a, .., b] = &mut array;`, behind `@`, and in the alternatives of a `match` or of a whole `if let`: `A(v) \| B(_, v) => *v += 1`. In alternatives elsewhere they only read |
//! | operators | `+ - * / % & \| ^ ! << >>`, `== != < <= > >=`, `&&` and `\|\|` (which evaluate the right side only if needed), `as` as in Rust |
//!
//! Operands are evaluated once, from left to right. As in Rust, `a[i] += b` of numbers evaluates `b` first, and of vectors,
//! matrices and your own types finds `a[i]` first. Of a type parameter, which may be either, it is error V100 where the
//! order shows: give the index or `b` a name before.
//!
//! As in Rust, what is borrowed first stays as it is while the rest is evaluated. In `v += b` of vectors, matrices and your
//! own types `b` may read `v`, and not change it; so may the arguments of `v.method(b)`. In `f(&mut v, b)` a `b` may not use
//! `v` at all. Else it is error V206.
//!
//! An endless loop is an error, and never a wrong result. On the interpreter an invocation may take 2³⁰ steps, on the
//! judge 2²⁷. Invocations that take turns (those of a workgroup with barriers, and all on the judge) may together take
//! sixteen times as many. In native code for this CPU the loops of an invocation that are not known to end may have
//! 2³² rounds. The environment variable `SAMEBITS_STEPS` sets another number. llvmpipe ends the loops of an invocation
//! after 65,535 rounds in all, including those of 64-bit divisions.
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
//! # Iterators
//!
//! A `for` goes over ranges (`a..b`, `a..=b`), over arrays, and over buffers, arrays, workgroup memory and tables by
//! reference: `for v in x`, `&x`, `&mut x`, `x.iter()`, `x.iter_mut()`. An iterator is no value: it stands in the head of
//! a `for`, before what consumes it, or in a variable, `let it = x.iter().zip(y);`, and becomes one loop without memory of
//! its own. A variable's is used up once (V209), borrows what it goes over until then, and has `it.clone()`. It has no
//! `it.next()` and nothing else that would leave its rest for later.
//!
//! | | |
//! | --- | --- |
//! | parts | `x.chunks(n)`, `x.chunks_exact(n)`, `x.windows(n)`, and `chunks_mut`, `chunks_exact_mut` |
//! | adapters | `.map(f)`, `.filter(f)`, `.enumerate()`, `.zip(other)`, `.rev()`, `.step_by(n)`, `.skip(n)`, `.take(n)`, `.copied()`, `.cloned()`. `n` is a `usize`, `f` a closure; `a..` is for `zip` and `take` |
//! | consumers | `.sum()` and `.product()` of numbers, `.fold(first, f)`, `.any(f)`, `.all(f)`, `.count()`, `.for_each(f)`; those that may find nothing, such as `.min()` and `.find(f)`, give an [`Option`](options) |
//! | items | of `.iter()` are references, as in Rust: `*v`, `&v`, `(a, b)` and `P { x, .. }` in patterns, `v.method()`, and `+` and other operators of numbers follow them |
//!
//! `c[0]` to `c[n - 1]` of the parts of `chunks_exact(n)` and `windows(n)` need no bounds test. Where `n` is 0 there are no
//! parts.
//!
//! Sums of floats are taken from the first item to the last, and begin with -0.0, as in Rust. While a loop goes over
//! references, what they belong to cannot be changed, or with `&mut` used at all. Behind a `filter` there is no `zip`.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(1))]
//! fn moments(x: &[f32], weights: &[f32], y: &mut [f32]) {
//!     y[0] = x.iter().zip(weights).map(|(a, b)| a * b).sum();
//!     y[1] = x.iter().filter(|v| **v > 1.0).count() as f32;
//!     for (i, v) in x.iter().enumerate().skip(1).step_by(2) {
//!         y[2] += i as f32 * v;
//!     }
//!     for v in y.iter_mut() {
//!         *v *= 2.0;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let (x, weights) = (device.upload(&[1.0f32, 2.0, 3.0, 4.0])?, device.upload(&[0.5f32, 0.25])?);
//! let mut y = device.zeros::<f32>(3)?;
//! moments::launch(&device, 1, &x, &weights, &mut y)?;
//! assert_eq!(y.read()?, [2.0, 6.0, 2.0 * (1.0 * 2.0 + 3.0 * 4.0)]);
//! # Ok::<(), Error>(())
//! ```
//!
//! # Tables
//!
//! A constant with an array in it (a `#[device] const`, a constant of a struct or of a body) is a table: it is part of
//! the kernel, stored once, and all look-ups of all invocations share it. An array of literals is a table too if it is
//! indexed directly or bound without `mut`. A look-up costs as much as a load from a read-only buffer; with a constant
//! index it costs nothing. Beyond the end it gives zero. The tables of a kernel may take 65,536 bytes together, and equal
//! ones count once. Pass a larger one as a buffer.
//!
//! The interpreter computes the value of a constant once, while the macro expands, so the kernel pays nothing for it. The
//! constant may contain loops, `if`, `match` and other constants, and a constant of a body may also call `#[device]`
//! functions. The computation may take 10,000,000 steps. A step is about one operation, so a table of 256 entries with
//! eight rounds each is far below. The exception is a constant that depends on one without `#[device]`: it is computed
//! where it is named, and has at most 1024 numbers.
//!
//! # Options and enums with fields
//!
//! [`options`] describes `Option`, its methods and `?`, and what gives one; and enums whose variants have fields.
//!
//! # Your own items
//!
//! [`items`] describes your own functions, closures, type parameters, structs with methods, traits, and constants.
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
//! | `checked_add(b)`, `checked_sub(b)` and their like | an [`Option`](options) |
//! | `overflowing_add(b)`, `overflowing_sub(b)`, `overflowing_mul(b)` | `(value, whether it wrapped)` |
//! | `div_euclid(b)`, `rem_euclid(b)`, `wrapping_div_euclid(b)`, `wrapping_rem_euclid(b)` | the remainder is not negative; 0 for a zero divisor |
//! | `pow(n)`, `wrapping_pow(n)` | a power, which wraps; `n` is `u32` |
//! | `ilog2()` | `u32`; `u32::MAX` for zero |
//! | `ilog10()`, `ilog(base)` | `u32`, rounded down; `u32::MAX` for zero and below, and for bases below 2 |
//! | `isqrt()` | the same type; 0 below zero |
//! | `div_ceil(b)`, `next_multiple_of(b)`, `next_power_of_two()` | the same type; unsigned integers; nothing panics, what does not fit wraps |
//! | `is_power_of_two()`, `is_multiple_of(b)` | `bool`; unsigned integers |
//! | `cast_signed()`, `cast_unsigned()`, `wrapping_add_signed(b)`, `wrapping_add_unsigned(b)`, `wrapping_sub_unsigned(b)` | the same bits with or without a sign; sums with numbers of the other sort |
//! | `saturating_neg()`, `saturating_abs()` | the same type; signed integers |
//! | `unbounded_shl(n)`, `unbounded_shr(n)` | as `<<` and `>>`, but all bits are gone for counts of the width and above |
//! | `wrapping_add(b)`, `wrapping_sub(b)`, `wrapping_mul(b)`, `wrapping_div(b)`, `wrapping_rem(b)`, `wrapping_neg()`, `wrapping_shl(n)`, `wrapping_shr(n)` | what the operators give; `n` is `u32` |
//! | `u64::from(x)`, `usize::from(x)`, `f64::from(x)` and their like | where every value of the type of `x` is one of the other, as in Rust; also `x.into()`, where the type that it is given to is known. Your own types [list theirs](items#operators) |
//! | `u8::try_from(x)` and its like | of integers, with `.ok()`, which is an [`Option`](options), `.is_ok()`, `.is_err()`, `.unwrap_or(v)`, `.unwrap_or_default()` or `.map_or(v, f)` behind it; a kernel has no `Result` |
//! | `rotate_left(n)`, `rotate_right(n)` | the same type; `n` is `u32` |
//! | `count_ones()`, `count_zeros()`, `leading_zeros()`, `leading_ones()`, `trailing_zeros()`, `trailing_ones()` | `u32` |
//! | `reverse_bits()`, `swap_bytes()`, `to_le()`, `to_be()`, `u32::from_le(n)`, `u32::from_be(n)` | the same type |
//! | `to_le_bytes()`, `to_be_bytes()`, `to_ne_bytes()` | `[u8; N]`; back with `u32::from_le_bytes(bytes)` and its like. The native order is little-endian |
//!
//! `usize` has those of unsigned integers. `bool` has operators, and `b.then_some(v)` and `b.then(|| v)`, which are an [`Option`](options).
//!
//! # Methods of floats
//!
//! | method | result |
//! | --- | --- |
//! | `abs()`, `signum()`, `copysign(b)` | signs |
//! | `min(b)`, `max(b)`, `clamp(low, high)` | `min` and `max` ignore a NaN, `clamp` keeps it |
//! | `floor()`, `ceil()`, `trunc()`, `round()`, `round_ties_even()`, `fract()` | rounding to whole numbers, and the fraction |
//! | `sqrt()`, `recip()`, `mul_add(b, c)` | correctly rounded |
//! | `div_euclid(b)`, `rem_euclid(b)`, `to_degrees()`, `to_radians()` | computed in the steps of std, each correctly rounded |
//! | `is_nan()`, `is_infinite()`, `is_finite()`, `is_normal()`, `is_subnormal()`, `is_sign_negative()`, `is_sign_positive()` | `bool` |
//! | `next_up()`, `next_down()` | the number beside |
//! | `to_bits()`, `f32::from_bits(n)` | the bits as an unsigned integer, and back; `f16` and `f64` too |
//! | `to_le_bytes()` and its like, `f32::from_le_bytes(bytes)` | the bytes, as of integers |
//!
//! # Mathematical functions
//!
//! All floats have them, and vectors lane by lane. The result for `f32` and `f16` is the correctly rounded one: the exact
//! result, rounded once. For `f64` it is within a unit in the last place. Either way it has the same bits on every
//! device, for every argument: `1e30f32.sin()` too.
//!
//! | method or function | result |
//! | --- | --- |
//! | `exp()`, `exp2()`, `exp10(x)`, `exp_m1()` | powers of e, 2 and 10; `exp_m1` less 1 |
//! | `ln()`, `log2()`, `log10()`, `ln_1p()` | logarithms; `ln_1p` of 1 more |
//! | `powf(y)`, `powi(n)` | powers; `n` is an `i32` |
//! | `sin()`, `cos()`, `tan()`, `sin_cos()` | of an angle in radians; `sin_cos` gives both as a tuple |
//! | `sin_pi(x)`, `cos_pi(x)`, `tan_pi(x)` | of an angle in half circles: `sin_pi(0.5)` is 1.0 |
//! | `asin()`, `acos()`, `atan()`, `y.atan2(x)` | angles in radians |
//! | `sinh()`, `cosh()`, `tanh()`, `asinh()`, `acosh()`, `atanh()` | hyperbolic functions and their inverses |
//! | `cbrt()`, `rsqrt(x)`, `hypot(y)` | the cube root, 1 over the square root, the length of a vector of two |
//! | `erf(x)`, `erfc(x)`, `tgamma(x)`, `lgamma(x)` | the error function, 1 less it, the gamma function, the logarithm of its magnitude; `f32` and `f16` only, within a unit in the last place |
//!
//! Special values are those of IEEE 754 and Rust: `0.0f32.ln()` is -infinity, `(-1.0f32).ln()` is NaN. On the host,
//! [`samebits::math`](crate::math) gives the same bits, which Rust's own functions do not: those are the platform's.
//!
//! They are computed in `f64`, so they are quick where the hardware has it at a good rate, as CPUs and data centre GPUs do. On a
//! device without `f64` they are computed in integers and are slow.
//!
//! ```
//! use samebits::prelude::*;
//!
//! // Coordinates from angles and distances.
//! #[kernel(requires(places.len() >= polar.len()))]
//! fn to_places(polar: &[Vec2<f32>], places: &mut [Vec2<f32>]) {
//!     let i = global_id().x;
//!     if i < polar.len() {
//!         let (sine, cosine) = polar[i].x.sin_cos();
//!         places[i] = Vec2::new(cosine, sine) * Vec2::splat(polar[i].y.exp());
//!     }
//! }
//!
//! let device = Device::best()?;
//! let polar = [Vec2::new(0.0, 0.0), Vec2::new(1e30, 2.0)];
//! let (buffer, mut places) = (device.upload(&polar)?, device.zeros(2)?);
//! to_places::launch(&device, 2, &buffer, &mut places)?;
//! let length = samebits::math::exp(2.0f32);
//! let expected = Vec2::new(samebits::math::cos(1e30f32) * length, samebits::math::sin(1e30f32) * length);
//! assert_eq!(places.read()?, [Vec2::new(1.0, 0.0), expected]);
//! # Ok::<(), Error>(())
//! ```
//!
//! ## A device's own functions
//!
//! GPUs have instructions for some functions of `f32`, which are quicker and less exact, each in its own way. A kernel
//! with `#[kernel(fast_math)]` uses them for all, and `approx::exp(x)` for one. The result then differs from device to
//! device; this CPU and the interpreter give the exact one. Vulkan bounds the error of these:
//!
//! | function | error on Vulkan |
//! | --- | --- |
//! | `approx::exp(x)`, `approx::exp2(x)` | 3 + 2 \|x\| units in the last place |
//! | `approx::ln(x)`, `approx::log2(x)` | 3 units; 2⁻²¹ absolute for `x` from 0.5 to 2 |
//! | `approx::sin(x)`, `approx::cos(x)` | 2⁻¹¹ absolute for `x` from -π to π, none stated beyond |
//! | `approx::tan(x)` | that of the quotient of both |
//! | `approx::powf(x, y)` | that of `exp2(y * log2(x))`, and `x` is not negative |
//! | `approx::rsqrt(x)` | 2 units |
//! | `approx::asin(x)`, `approx::acos(x)`, `approx::atan(x)`, `approx::atan2(y, x)` | 4,096 units |
//! | `approx::sinh(x)`, `approx::cosh(x)`, `approx::tanh(x)`, `approx::asinh(x)`, `approx::acosh(x)`, `approx::atanh(x)` | that of formulas of `exp` and `ln` |
//!
//! # Functions of bits and packed words
//!
//! Functions that GPUs have and std has not. `T` is any integer, unless the table says otherwise.
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
//! # Vectors and matrices
//!
//! [`vectors`] describes what vectors and matrices have.
//!
//! # What differs from Rust
//!
//! - Nothing panics: a failed [`assert!`](messages) is reported, and the kernel goes on. Integers always wrap. `x / 0` and `x % 0` are 0, and `MIN / -1` is `MIN`. The count of a shift is
//!   taken modulo the width, and may be of any integer type.
//! - Out of bounds, a load gives zero, a store does nothing, and an atomic does nothing and returns 0.
//! - `usize` is 32 bits wide: `usize::MAX` is 2³² − 1. A constant that would have another value on the host is refused.
//!   So is a [cast of 64 bits](#indices-of-64-bits) to `usize` where a lost bit would show.
//! - A step of zero counts as one, where `.step_by(0)` panics in Rust. If the compiler sees the zero, it is an error.
//! - Every NaN result has the same bits, `0x7fc00000` for `f32`. Only `-`, `abs` and `copysign` change its sign.
//! - A buffer is not a value. An array can be copied, passed and returned, but not compared.
//! - A [part](items#parts) `&x[a..b]` never panics: it ends where the whole ends, and is empty if `b` is before `a`.
//! - [References](items#references) are arguments, variables and items of iterators, and no values: no function returns
//!   one, and no struct holds one.
//! - A `&mut` slice that a `for` went over by its name can be used again, where Rust would want `x.iter_mut()`.
//! - A literal fits a type parameter: `2.0 * x` is allowed for an `x: T` of any `T: Float`, which rustc would refuse.
//! - Functions, methods and closures are inlined. So there is no recursion, and a function is not a value.
//! - A private field or method of a struct is open to the whole crate in a function that uses it without naming its type.
//! - Not there yet: macros but for `matches!` and [those that say something](messages), strings, `i128`, `isize`.
//! - rustc sees the launcher and not the body: it gives [some of its warnings](#warnings) there, and not all.
//!
//! # Warnings
//!
//! In kernels, helpers and methods rustc warns by these lints: `unused_variables`, `unused_assignments`, `unused_mut`,
//! `unused_labels`, `unreachable_code`, `path_statements`, `unused_must_use` for operators, `unused_comparisons` where the
//! source says the type of the variable, `dead_code` for constants in a body, `unused_unsafe` and `unsafe_code`. `#[allow(…)]`, `#[expect(…)]`,
//! `#[deny(…)]` and the like work as in any function: on the function, on its parameters, on statements and on blocks.
//! Assignments to parts of a variable are not followed, nor is a variable that is borrowed or captured. There a
//! warning may be missing that rustc gives elsewhere.
//!
//! # All limits
//!
#![doc = include_str!("limits.md")]

pub mod items;
pub mod messages;
pub mod options;
pub mod subgroups;
pub mod vectors;
