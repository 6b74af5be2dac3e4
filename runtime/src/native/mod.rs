//! What the code of kernels for this CPU calls, and how such code is called.
//!
//! The macro turns a kernel into Rust functions, in builds without debug assertions. They are `unsafe`
//! and rely on three things that whoever calls them sees to:
//!
//! - the launch fits the kernel: its buffers, the words of its block, and the number of workgroups;
//! - the launch was found free of races, so that no two invocations access a byte of which one is written
//!   by a plain access, unless the kernel marks the access;
//! - every buffer begins at a multiple of eight bytes.
//!
//! In turn they access nothing but the buffers, and never panic.
//!
//! A function runs some neighbouring workgroups of a row ([`Span`]). It exists once for each set of
//! instructions ([`Code`]), and the machine decides which one is called. All of them give the same bits.

mod atomic;
mod half;
mod lane;
mod memory;
mod turn;
mod within;

pub use atomic::{Counter, Word, fence};
pub use core::option::Option::{None, Some};
pub use core::result::Result::{self, Err, Ok};
pub use core::sync::atomic::Ordering;
pub use half::F16;
pub use lane::{Fuse, Fused, Lane, Machine, Plain, Whole, mul_add, mul_add_f16};
pub use memory::{Aligned, Table, load, load_racy, plus, side_by_side, store, store_racy, times};
pub use turn::{nowhere, turn};
pub use within::{Within, round};

/// The primitive types, by names that mean them whatever the user's module declares.
pub mod primitive {
    pub use core::primitive::{bool, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, usize};
}

/// A buffer of a launch.
#[derive(Clone, Copy, Debug)]
pub struct HostBuffer {
    /// Its first byte, at a multiple of eight.
    pub start: *mut u8,
    /// The number of its bytes.
    pub bytes: usize,
    /// The number of its elements.
    pub len: u32,
}

/// What a launch passes to the code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The buffers, in the order of the parameters that are buffers.
    pub buffers: &'a [HostBuffer],
    /// The launch block: see `samebits_ir::launch`.
    pub block: &'a [u32],
    /// How many rounds the loops of an invocation may have together if they are not known to end.
    pub rounds: u64,
}

/// Neighbouring workgroups on x.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The id of the first one.
    pub first: [u32; 3],
    /// How many there are.
    pub count: u32,
}

/// A loop had more rounds than a launch allows; the place of the loop in the kernel's source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Endless(pub u32);

/// Runs workgroups.
///
/// # Safety
///
/// What the module says of launches.
pub type Run = unsafe fn(&Launch<'_>, Span) -> Result<(), Endless>;

/// The code of a kernel, for each level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// For any machine of the target.
    pub baseline: Run,
    /// For machines with AVX2, FMA and what came with them.
    pub avx2: Option<Run>,
    /// For machines with AVX-512.
    pub avx512: Option<Run>,
}

/// The code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// For launches that fulfil all conditions under which accesses need no tests.
    pub bare: Code,
    /// For any launch.
    pub guarded: Code,
    /// How much the work of an invocation is, about: the weights of its ops, with loops counted a few times.
    pub weight: u32,
    /// How many neighbouring workgroups are quickest if one call runs them.
    pub together: u32,
    /// The wire form of the kernel that the code was made from. It tells the conditions.
    pub image: &'static [u8],
}

/// The code of a kernel, or why there is none.
pub type Found = Result<&'static Native, &'static str>;

/// There is none because of how the program is built.
pub const NOT_IN_THIS_BUILD: Found = if cfg!(all(target_pointer_width = "64", target_endian = "little")) {
    Err("the program is built with debug assertions")
} else {
    Err("code is made for 64-bit little-endian machines only")
};

impl Launch<'_> {
    /// The bytes of a buffer that the kernel only reads.
    ///
    /// # Safety
    ///
    /// There is such a buffer, and nobody writes it while the slice exists.
    #[inline(always)]
    pub unsafe fn read(&self, buffer: usize) -> &[u8] {
        // SAFETY: the launch has the buffer, and its bytes are there as long as the launch is.
        unsafe {
            let buffer = self.buffers.get_unchecked(buffer);
            core::slice::from_raw_parts(buffer.start, buffer.bytes)
        }
    }

    /// The first byte of a buffer.
    ///
    /// # Safety
    ///
    /// There is such a buffer.
    #[inline(always)]
    pub unsafe fn written(&self, buffer: usize) -> *mut u8 {
        // SAFETY: the caller says that it is there.
        unsafe { self.buffers.get_unchecked(buffer).start }
    }

    /// The number of elements of a buffer.
    ///
    /// # Safety
    ///
    /// There is such a buffer.
    #[inline(always)]
    pub unsafe fn len(&self, buffer: usize) -> u32 {
        // SAFETY: the caller says that it is there.
        unsafe { self.buffers.get_unchecked(buffer).len }
    }

    /// A word of the block.
    ///
    /// # Safety
    ///
    /// The block has such a word.
    #[inline(always)]
    pub unsafe fn word(&self, word: usize) -> u32 {
        // SAFETY: the caller says that it is there.
        unsafe { *self.block.get_unchecked(word) }
    }

    /// Two words of the block, low first.
    ///
    /// # Safety
    ///
    /// The block has both.
    #[inline(always)]
    pub unsafe fn double(&self, word: usize) -> u64 {
        // SAFETY: the caller says that they are there.
        unsafe { u64::from(self.word(word)) | u64::from(self.word(word + 1)) << 32 }
    }
}
