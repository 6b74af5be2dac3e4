//! Memory of the host, in which native code and the interpreter run.
//!
//! New memory is zero and begins with a cache line. The system gives its pages when they are first touched.
//! Memory may also be a `Vec` of the program's, taken over as it is.
//!
//! Who accesses which bytes is known by borrows: only a buffer or view that is borrowed mutably lends bytes to be
//! written, and every access is over when its call returns. So no bytes that a call writes are accessed by another
//! one, and the host copies bytes as plain memory. The interpreter and native code also access whole words of 32
//! bits. A kernel therefore gets a part in place only if no other part has a byte of its words. Any other part is
//! copied for the launch, and back if the kernel writes it.
//!
//! Invariants:
//!
//! - The first byte lies at a multiple of [`ALIGN`].
//! - There are whole words; those beyond the last byte are the memory's own.
//! - Every byte is initialised.

use crate::backend::{Bound, Part, writes};
use samebits_ir::ir::Param;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::AtomicU32;

/// What the address of a buffer is a multiple of when kernels access it, as native code relies on.
pub(crate) const ALIGN: usize = 8;

/// What the address of new memory is a multiple of: the bytes of a cache line.
const LINE: usize = 64;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// The memory of a buffer.
#[derive(Debug)]
pub(crate) struct Memory {
    start: NonNull<u8>,
    bytes: usize,
    /// What the allocator gave, and how it was asked for.
    allocation: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is this value's alone, and threads access it as the methods ask.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// This many bytes of zero, or `None` if the machine does not have them.
    pub fn zeroed(bytes: usize) -> Option<Self> {
        // An allocation of a greater alignment would be cleared by hand, which touches every page.
        let size = bytes.checked_next_multiple_of(WORD)?.checked_add(LINE)?;
        let layout = Layout::from_size_align(size, ALIGN).ok()?;
        // SAFETY: the size is not zero.
        let allocation = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        // SAFETY: the allocation has a line more than the words take, and less is skipped.
        let start = unsafe { allocation.add(allocation.align_offset(LINE).min(LINE)) };
        Some(Self { start, bytes, allocation, layout })
    }

    /// The memory of a vector, or the vector if it does not begin or end as memory must.
    ///
    /// # Safety
    ///
    /// An element has no padding.
    pub unsafe fn of_vec<T: Copy>(vec: Vec<T>) -> Result<Self, Vec<T>> {
        let (bytes, room) = (size_of_val(vec.as_slice()), vec.capacity() * size_of::<T>());
        let (words, layout) = (bytes.next_multiple_of(WORD), Layout::array::<T>(vec.capacity()));
        let Ok(layout) = layout else { return Err(vec) };
        if bytes == 0 || words > room || !vec.as_ptr().addr().is_multiple_of(ALIGN) {
            return Err(vec);
        }
        let mut vec = ManuallyDrop::new(vec);
        let Some(start) = NonNull::new(vec.as_mut_ptr().cast::<u8>()) else {
            return Err(ManuallyDrop::into_inner(vec));
        };
        // SAFETY: the vector has room for the words, and nobody else has it.
        unsafe { start.add(bytes).write_bytes(0, words - bytes) };
        Ok(Self { start, bytes, allocation: start, layout })
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where a byte lies, if it and `bytes` bytes from it on are in the memory's words.
    fn at(&self, offset: usize, bytes: usize) -> NonNull<u8> {
        let room = self.bytes.next_multiple_of(WORD);
        assert!(offset <= room && bytes <= room - offset, "callers stay within the memory");
        // SAFETY: it lies in the allocation or at its end.
        unsafe { self.start.add(offset) }
    }

    /// The bytes of a part.
    ///
    /// # Safety
    ///
    /// Nobody writes them while the slice exists.
    pub unsafe fn slice(&self, offset: usize, bytes: usize) -> &[u8] {
        // SAFETY: the bytes are there, and the caller says that nobody writes them.
        unsafe { slice::from_raw_parts(self.at(offset, bytes).as_ptr(), bytes) }
    }

    /// The words of a part that a kernel may access in place.
    ///
    /// # Safety
    ///
    /// Nobody accesses these words as plain memory while the slice exists, except that all may read them if
    /// nobody writes them.
    unsafe fn words(&self, offset: usize, bytes: usize) -> &[AtomicU32] {
        let words = bytes.div_ceil(WORD);
        let start = self.at(offset, words * WORD).cast();
        // SAFETY: the words are there and aligned, since the part begins at a multiple of `ALIGN`; the caller
        // answers for other accesses.
        unsafe { slice::from_raw_parts(start.as_ptr(), words) }
    }

    /// Copies bytes from an offset.
    ///
    /// # Safety
    ///
    /// Nobody writes them at the same time.
    pub unsafe fn read(&self, offset: usize, out: &mut [u8]) {
        // SAFETY: the bytes are there; `out` is borrowed, so it is not in this memory.
        unsafe { self.at(offset, out.len()).copy_to_nonoverlapping(NonNull::from(&mut *out).cast(), out.len()) };
    }

    /// Copies bytes to an offset.
    ///
    /// # Safety
    ///
    /// Nobody accesses them at the same time.
    pub unsafe fn write(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: as for `read`, the other way; `bytes` are borrowed, so this memory does not change them.
        unsafe { self.at(offset, bytes.len()).copy_from(NonNull::from(bytes).cast(), bytes.len()) };
    }

    /// Copies bytes between two memories, or parts of one.
    ///
    /// # Safety
    ///
    /// Nobody writes the former or accesses the latter at the same time.
    pub unsafe fn copy(from: (&Self, usize), to: (&Self, usize), bytes: usize) {
        // SAFETY: both are there.
        unsafe { to.0.at(to.1, bytes).copy_from(from.0.at(from.1, bytes), bytes) };
    }

    /// Whether a kernel may access a part where it lies: no byte of its words belongs to another part.
    fn is_in_place(part: &Part<&Self>) -> bool {
        let end = part.range().end;
        let ends_alone = end.is_multiple_of(WORD as u64) || end == part.memory.bytes as u64;
        part.start.is_multiple_of(ALIGN as u64) && ends_alone
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the allocation was made with this layout, by the same allocator, and goes once.
        unsafe { dealloc(self.allocation.as_ptr(), self.layout) };
    }
}

impl<'a> Part<&'a Memory> {
    /// The first byte.
    pub fn pointer(&self) -> *mut u8 {
        self.memory.at(self.start as usize, self.bytes as usize).as_ptr()
    }

    /// The words of the part, which can be accessed in place.
    ///
    /// # Safety
    ///
    /// As for a launch: its caller has borrowed the part for it.
    pub unsafe fn words(&self) -> &'a [AtomicU32] {
        // SAFETY: the caller says so, and no other part has a byte of these words.
        unsafe { self.memory.words(self.start as usize, self.bytes as usize) }
    }
}

/// The copies of those parts of a launch that a kernel cannot access in place.
#[derive(Debug)]
pub(crate) struct Copies<'a>(Vec<Copied<'a>>);

#[derive(Debug)]
struct Copied<'a> {
    /// The argument's position.
    argument: usize,
    copy: Memory,
    part: Part<&'a Memory>,
}

impl<'a> Copies<'a> {
    /// Those that these arguments need, or how many bytes the machine does not have. Takes no memory of the heap
    /// if there are none.
    ///
    /// # Safety
    ///
    /// The arguments are borrowed for the launch.
    pub unsafe fn of(args: &[Bound<'a, &'a Memory>]) -> Result<Self, u64> {
        let mut copies = Vec::new();
        for (argument, arg) in args.iter().enumerate() {
            if let Bound::Buffer(part) = *arg
                && !Memory::is_in_place(&part)
            {
                let copy = usize::try_from(part.bytes).ok().and_then(Memory::zeroed).ok_or(part.bytes)?;
                // SAFETY: the launch has borrowed the part, and nobody else has the copy.
                unsafe { Memory::copy((part.memory, part.start as usize), (&copy, 0), copy.bytes) };
                copies.push(Copied { argument, copy, part });
            }
        }
        Ok(Self(copies))
    }

    /// The argument of this position as a kernel accesses it.
    pub fn passed<'b>(&'b self, argument: usize, arg: &Bound<'b, &'b Memory>) -> Bound<'b, &'b Memory> {
        match (arg, self.0.iter().find(|copied| copied.argument == argument)) {
            (Bound::Buffer(part), Some(copied)) => Bound::Buffer(Part { memory: &copied.copy, start: 0, ..*part }),
            (arg, _) => *arg,
        }
    }

    /// Copies back what the kernel may have written.
    ///
    /// # Safety
    ///
    /// The launch is over, and its arguments are still borrowed.
    pub unsafe fn back(&self, params: &[Param]) {
        for Copied { argument, copy, part } in &self.0 {
            if params.get(*argument).is_some_and(writes) {
                // SAFETY: the launch has borrowed the part to write it.
                unsafe { Memory::copy((copy, 0), (part.memory, part.start as usize), copy.bytes) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(memory: &Memory) -> Vec<u8> {
        let mut out = vec![1; memory.bytes()];
        // SAFETY: the memory is this thread's.
        unsafe { memory.read(0, &mut out) };
        out
    }

    #[test]
    fn new_memory_is_zero_and_begins_with_a_line() {
        for bytes in [0, 1, 3, 4, 63, 64, 65, 1000, 1 << 20] {
            let memory = Memory::zeroed(bytes).unwrap();
            assert!(memory.start.addr().get().is_multiple_of(LINE));
            assert_eq!(read(&memory), vec![0; bytes]);
        }
        assert!(Memory::zeroed(usize::MAX).is_none());
        assert!(Memory::zeroed(isize::MAX as usize).is_none());
    }

    #[test]
    fn bytes_at_any_place_come_back_and_those_beside_them_stay() {
        let memory = Memory::zeroed(13).unwrap();
        for offset in 0..13 {
            for len in 0..=13 - offset {
                let mut expected = read(&memory);
                let bytes: Vec<u8> = (1..=len as u8).collect();
                expected[offset..offset + len].copy_from_slice(&bytes);
                // SAFETY: the memory is this thread's.
                unsafe { memory.write(offset, &bytes) };
                assert_eq!(read(&memory), expected);
            }
        }
        // SAFETY: as above.
        unsafe { Memory::copy((&memory, 0), (&memory, 7), 6) };
        assert_eq!(read(&memory)[7..], read(&memory)[..6]);
    }

    /// The memory of a vector of numbers.
    fn of_vec<T: bytemuck::NoUninit>(vec: Vec<T>) -> Result<Memory, Vec<T>> {
        // SAFETY: they have no padding.
        unsafe { Memory::of_vec(vec) }
    }

    #[test]
    fn a_vector_is_taken_over_if_it_has_whole_words() {
        let vec = vec![1u64, 2, 3];
        let start = vec.as_ptr().addr();
        let memory = of_vec(vec).unwrap();
        assert_eq!((memory.start.addr().get(), memory.bytes()), (start, 24));
        assert_eq!(read(&memory)[..9], [1, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(of_vec(vec![1u8, 2, 3]).unwrap_err(), [1, 2, 3]);
        let mut roomy = Vec::with_capacity(64);
        roomy.extend([1u8, 2, 3]);
        if let Ok(memory) = of_vec(roomy) {
            assert_eq!(read(&memory), [1, 2, 3]);
            // SAFETY: the memory is this thread's.
            assert_eq!(unsafe { memory.words(0, 3) }[0].load(std::sync::atomic::Ordering::Relaxed), 0x0003_0201);
        }
        assert_eq!(of_vec(Vec::<u32>::new()).unwrap_err(), []);
    }

    #[test]
    fn a_part_is_accessed_in_place_if_its_words_are_its_own() {
        let memory = Memory::zeroed(43).unwrap();
        let in_place = |start, bytes| {
            Memory::is_in_place(&Part { memory: &memory, start, bytes, len: bytes as u32, most: u32::MAX })
        };
        assert_eq!([(0, 43), (8, 35), (0, 8), (8, 4), (40, 3)].map(|(start, bytes)| in_place(start, bytes)), [true; 5]);
        assert_eq!([(0, 42), (4, 8), (1, 3), (40, 2)].map(|(start, bytes)| in_place(start, bytes)), [false; 4]);
    }
}
