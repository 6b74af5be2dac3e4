//! Squares of numbers that are turned round on their way from memory to memory.

/// No place in memory yet.
#[inline(always)]
pub const fn nowhere() -> *mut u8 {
    core::ptr::null_mut()
}

/// Loads four rows of four numbers of 32 bits, and stores the columns as rows.
///
/// # Safety
///
/// The sixteen bytes from each pointer on are there, those of `from` are numbers, nobody accesses any of them at the
/// same time, and nothing that is loaded is stored to.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn turn(from: [*mut u8; 4], to: [*mut u8; 4]) {
    use core::arch::x86_64::*;
    // SAFETY: every machine of the target has these instructions, and the caller says that the bytes are there.
    unsafe {
        let [a, b, c, d] = from.map(|from| _mm_loadu_si128(from.cast_const().cast()));
        let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
        let turned = [
            _mm_unpacklo_epi64(ab, cd),
            _mm_unpackhi_epi64(ab, cd),
            _mm_unpacklo_epi64(ab_high, cd_high),
            _mm_unpackhi_epi64(ab_high, cd_high),
        ];
        for (to, turned) in to.into_iter().zip(turned) {
            _mm_storeu_si128(to.cast(), turned);
        }
    }
}

/// Loads four rows of four numbers of 32 bits, and stores the columns as rows.
///
/// # Safety
///
/// The sixteen bytes from each pointer on are there, those of `from` are numbers, nobody accesses any of them at the
/// same time, and nothing that is loaded is stored to.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub unsafe fn turn(from: [*mut u8; 4], to: [*mut u8; 4]) {
    // SAFETY: the caller says that the bytes are there.
    unsafe {
        let rows = from.map(|from| from.cast_const().cast::<[u32; 4]>().read_unaligned());
        for (i, to) in to.into_iter().enumerate() {
            to.cast::<[u32; 4]>().write_unaligned(rows.map(|row| row[i]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let square: [[u32; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| (4 * i + j) as u32));
        let (mut loaded, mut stored) = (square, [[0u32; 4]; 4]);
        let pointers = |rows: &mut [[u32; 4]; 4]| rows.each_mut().map(|row| row.as_mut_ptr().cast::<u8>());
        // SAFETY: each pointer leads to the sixteen bytes of a row, and the squares are two.
        unsafe { turn(pointers(&mut loaded), pointers(&mut stored)) };
        assert_eq!(loaded, square);
        for (i, row) in stored.iter().enumerate() {
            assert_eq!(*row, square.map(|row| row[i]));
        }
    }
}
