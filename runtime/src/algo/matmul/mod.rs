//! Products of matrices.
//!
//! Invariant: what is added to a matrix so that rows are quads and tiles are full changes no bit. A column of -0.0 beside
//! `a` meets a row of 0.0 below `b`; their product is -0.0, and that added to any number is the number.

mod tiles;

use super::scratch::{Scratch, Slot, addressable};
use crate::kernel::Kernel;
use crate::prelude::*;
use crate::tune;
use crate::view::{Readable, View, ViewMut, Writable};

/// Multiplies two matrices whose rows lie one after the other: `c = a · b`, where `[m, k, n]` says that `a` has `m` rows
/// of `k` numbers, `b` has `k` rows of `n`, and `c` has `m` rows of `n`.
///
/// - *Time*: proportional to `m * k * n` for large matrices. On GPUs, matrices are multiplied where they lie if `n` is a
///   multiple of 4 and `k` one of 16; for small ones `k` may be one of 4. What has rows of another length is copied once.
/// - *Temporary memory*: those copies.
/// - *Determinism*: the same bits on every device. The element of row `i` and column `j` is
///   `(0..k).fold(0.0, |sum, l| a[i * k + l].mul_add(b[l * n + j], sum))`: one chain from the first product to the last,
///   each step rounded once, whatever the tiles are.
/// - *Errors*: [`Error::Lengths`] unless the lengths are those of the sizes; [`Error::TooManyElements`] for matrices of
///   2³¹ elements and more; [`Error::OutOfMemory`] and its like for the copies; those of a launch.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?; // two rows of three
/// let b = device.upload(&[1.0f32, 0.0, 0.0, 1.0, 1.0, 1.0])?; // three rows of two
/// let mut c = device.zeros::<f32>(4)?;
/// algo::matmul(&device, [2, 3, 2], &a, &b, &mut c)?;
/// assert_eq!(c.read()?, [4.0, 5.0, 10.0, 11.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn matmul(
    device: &Device,
    sizes: [usize; 3],
    a: &impl Readable<f32>,
    b: &impl Readable<f32>,
    c: &mut impl Writable<f32>,
) -> Result<(), Error> {
    Scratch::new(device).matmul(sizes, a, b, c)
}

/// Adds a product to a matrix: `c += a · b`, as [`matmul`] multiplies.
///
/// The chain of each element begins with what `c` has. So a product in parts, first some columns of `a` with as many rows
/// of `b` and then the others, has the bits of the whole one.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let (a, b) = (device.upload(&[2.0f32])?, device.upload(&[3.0f32])?);
/// let mut c = device.upload(&[0.5f32])?;
/// algo::matmul_add(&device, [1, 1, 1], &a, &b, &mut c)?;
/// assert_eq!(c.read()?, [6.5]);
/// # Ok::<(), Error>(())
/// ```
pub fn matmul_add(
    device: &Device,
    sizes: [usize; 3],
    a: &impl Readable<f32>,
    b: &impl Readable<f32>,
    c: &mut impl Writable<f32>,
) -> Result<(), Error> {
    Scratch::new(device).matmul_add(sizes, a, b, c)
}

/// Multiplies as [`matmul`] does, by the tile that is the fastest for these sizes on this device.
///
/// The first call with some sizes times all tiles for a part of a second, and the choice is kept as
/// [`tune::fastest`] says. Devices that are no GPUs have one kernel and nothing to choose. The bits are those of [`matmul`].
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let (a, b) = (device.upload(&[2.0f32, 1.0])?, device.upload(&[3.0f32, 4.0])?);
/// let mut c = device.zeros::<f32>(1)?;
/// algo::matmul_tuned(&device, [1, 2, 1], &a, &b, &mut c)?;
/// assert_eq!(c.read()?, [10.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn matmul_tuned(
    device: &Device,
    sizes: [usize; 3],
    a: &impl Readable<f32>,
    b: &impl Readable<f32>,
    c: &mut impl Writable<f32>,
) -> Result<(), Error> {
    Scratch::new(device).matmul_tuned(sizes, a, b, c)
}

impl Scratch {
    /// Multiplies as [`matmul`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (a, b, mut c) = (device.upload(&[2.0f32])?, device.upload(&[3.0f32])?, device.zeros::<f32>(1)?);
    /// Scratch::new(&device).matmul([1, 1, 1], &a, &b, &mut c)?;
    /// assert_eq!(c.read()?, [6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matmul(
        &mut self,
        sizes: [usize; 3],
        a: &impl Readable<f32>,
        b: &impl Readable<f32>,
        c: &mut impl Writable<f32>,
    ) -> Result<(), Error> {
        let mut product = Product::new(sizes, false, a.as_view(), b.as_view(), c.as_view_mut())?;
        product.run(self, Tile::of(sizes))
    }

    /// Adds a product as [`matmul_add`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (a, b, mut c) = (device.upload(&[2.0f32])?, device.upload(&[3.0f32])?, device.upload(&[1.0f32])?);
    /// Scratch::new(&device).matmul_add([1, 1, 1], &a, &b, &mut c)?;
    /// assert_eq!(c.read()?, [7.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matmul_add(
        &mut self,
        sizes: [usize; 3],
        a: &impl Readable<f32>,
        b: &impl Readable<f32>,
        c: &mut impl Writable<f32>,
    ) -> Result<(), Error> {
        let mut product = Product::new(sizes, true, a.as_view(), b.as_view(), c.as_view_mut())?;
        product.run(self, Tile::of(sizes))
    }

    /// Multiplies as [`matmul_tuned`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (a, b, mut c) = (device.upload(&[2.0f32])?, device.upload(&[3.0f32])?, device.zeros::<f32>(1)?);
    /// Scratch::new(&device).matmul_tuned([1, 1, 1], &a, &b, &mut c)?;
    /// assert_eq!(c.read()?, [6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matmul_tuned(
        &mut self,
        sizes: [usize; 3],
        a: &impl Readable<f32>,
        b: &impl Readable<f32>,
        c: &mut impl Writable<f32>,
    ) -> Result<(), Error> {
        let mut product = Product::new(sizes, false, a.as_view(), b.as_view(), c.as_view_mut())?;
        if !self.wide || product.is_trivial() {
            return product.run(self, Tile::of(sizes));
        }
        let [m, k, n] = sizes;
        let kernels = Tile::ALL.map(Tile::kernel);
        let device = self.device.clone();
        let best =
            tune::fastest(&device, &format!("matmul {m} {k} {n}"), &kernels, |i| product.run(self, Tile::ALL[i]))?;
        product.run(self, Tile::ALL[best])
    }

    /// Multiplies in the tile of an index, and gives the kernel's name; nothing if there is none of that index. For tests
    /// and benchmarks.
    #[doc(hidden)]
    pub fn matmul_in_tile(
        &mut self,
        index: usize,
        sizes: [usize; 3],
        a: &impl Readable<f32>,
        b: &impl Readable<f32>,
        c: &mut impl Writable<f32>,
    ) -> Result<Option<&'static str>, Error> {
        let Some(&tile) = Tile::ALL.get(index) else { return Ok(None) };
        let wide = std::mem::replace(&mut self.wide, true);
        let done = Product::new(sizes, false, a.as_view(), b.as_view(), c.as_view_mut())
            .and_then(|mut product| product.run(self, tile));
        self.wide = wide;
        done.map(|()| Some(tile.kernel().name()))
    }
}

/// A kernel of the family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tile {
    /// 128 × 128.
    Large,
    /// 64 × 64.
    Medium,
    /// 32 × 64.
    Small,
    /// The same with half as much for an invocation, and so twice as many of them.
    Tiny,
}

/// Of so many workgroups a GPU has enough.
const ENOUGH: usize = 200;

impl Tile {
    const ALL: [Self; 4] = [Self::Large, Self::Medium, Self::Small, Self::Tiny];

    /// The tile for products that are not timed: on an H200 the larger one was the quicker one wherever there were enough of
    /// them, and the one with the most invocations where there were not. The others are for [`Scratch::matmul_tuned`].
    fn of([m, _, n]: [usize; 3]) -> Self {
        let are_enough = |tile: &Self| {
            let [rows, columns, _] = tile.shape();
            m.div_ceil(rows).saturating_mul(n.div_ceil(columns)) >= ENOUGH
        };
        [Self::Large, Self::Medium].into_iter().find(are_enough).unwrap_or(Self::Tiny)
    }

    /// Rows and columns of a tile, and how many columns of `a` a round takes.
    const fn shape(self) -> [usize; 3] {
        match self {
            Self::Large => [128, 128, 16],
            Self::Medium => [64, 64, 16],
            Self::Small => [32, 64, 16],
            Self::Tiny => [32, 64, 32],
        }
    }

    fn kernel(self) -> &'static Kernel {
        match self {
            Self::Large => tiles::product_128::kernel::<128, 128, 8, 8, 8, 0>(),
            Self::Medium => tiles::product_64::kernel::<64, 64, 8, 8, 4, 0>(),
            Self::Small => tiles::product_32::kernel::<32, 64, 8, 8, 4, 1>(),
            Self::Tiny => tiles::product_32_by_more::kernel::<32, 64, 16, 4, 4, 1>(),
        }
    }
}

/// What is multiplied, of matching lengths.
struct Product<'a> {
    sizes: [usize; 3],
    /// Whether the product is added to what is there.
    adds: bool,
    a: View<'a, f32>,
    b: View<'a, f32>,
    c: ViewMut<'a, f32>,
}

impl<'a> Product<'a> {
    fn new(
        [m, k, n]: [usize; 3],
        adds: bool,
        a: View<'a, f32>,
        b: View<'a, f32>,
        c: ViewMut<'a, f32>,
    ) -> Result<Self, Error> {
        for (rows, columns, there) in [(m, k, a.len()), (k, n, b.len()), (m, n, c.len())] {
            let asked =
                rows.checked_mul(columns).ok_or(Error::TooManyElements { asked: rows as u128 * columns as u128 })?;
            if addressable(asked)? != there {
                return Err(Error::Lengths { from: there, to: asked });
            }
        }
        Ok(Self { sizes: [m, k, n], adds, a, b, c })
    }

    /// Whether there is nothing to multiply.
    fn is_trivial(&self) -> bool {
        self.sizes.contains(&0)
    }

    fn run(&mut self, scratch: &mut Scratch, tile: Tile) -> Result<(), Error> {
        let [m, k, n] = self.sizes;
        if self.is_trivial() {
            // A sum of nothing is zero.
            return if self.adds || m * n == 0 { Ok(()) } else { self.c.fill(0.0) };
        }
        if scratch.wide {
            return self.run_in_tiles(scratch, tile);
        }
        let grid = Grid::groups(n.div_ceil(64), m.div_ceil(tiles::ROWS), 1);
        tiles::product_in_rows::launch(
            &scratch.device,
            grid,
            u32::from(self.adds),
            m,
            k,
            n,
            &self.a,
            &self.b,
            &mut self.c,
        )
    }

    fn run_in_tiles(&mut self, scratch: &mut Scratch, tile: Tile) -> Result<(), Error> {
        let [m, k, n] = self.sizes;
        // The large tile adds to nothing.
        let tile = if self.adds && tile == Tile::Large { Tile::Medium } else { tile };
        let [rows, columns, each] = tile.shape();
        // The large tile takes whole rounds alone.
        let deep = k.next_multiple_of(if tile == Tile::Large { each } else { 4 });
        let wide = n.next_multiple_of(4);
        let is_whole = deep.is_multiple_of(each) && !self.adds;
        // Matrices that are too large with what is added.
        for len in [m.saturating_mul(deep), deep.saturating_mul(wide), m.saturating_mul(wide)] {
            addressable(len)?;
        }
        let words = |fits: bool, len: usize| if fits { 1 } else { len };
        let (a_fits, b_fits, c_fits) = (deep == k, deep == k && wide == n, wide == n);
        let mut left = scratch.take(Slot::Left, words(a_fits, m * deep))?;
        let mut right = scratch.take(Slot::Right, words(b_fits, deep * wide))?;
        let mut both = scratch.take(Slot::Product, words(c_fits, m * wide))?;
        let device = &scratch.device;
        if !a_fits {
            let mut to = left.slice_mut(..m * deep)?;
            tiles::fit::launch(device, (deep, m), m, k, m, deep, -0.0, &self.a, &mut to.view_mut()?)?;
        }
        if !b_fits {
            let mut to = right.slice_mut(..deep * wide)?;
            tiles::fit::launch(device, (wide, deep), k, n, deep, wide, 0.0, &self.b, &mut to.view_mut()?)?;
        }
        if !c_fits && self.adds {
            let mut to = both.slice_mut(..m * wide)?;
            tiles::fit::launch(device, (wide, m), m, n, m, wide, 0.0, &self.c, &mut to.view_mut()?)?;
        }
        let a = if a_fits { self.a.view()? } else { left.slice(..m * deep)?.view()? };
        let b = if b_fits { self.b.view()? } else { right.slice(..deep * wide)?.view()? };
        let grid = Grid::groups(n.div_ceil(columns), m.div_ceil(rows), 1);
        let launch = |c: &mut ViewMut<'_, Vec4<f32>>| {
            let launch = match tile {
                Tile::Large => tiles::product_128::launch::<128, 128, 8, 8, 8, 0>,
                Tile::Medium if is_whole => tiles::product_64::launch::<64, 64, 8, 8, 4, 0>,
                Tile::Medium => tiles::product_64::launch::<64, 64, 8, 8, 4, 1>,
                Tile::Small => tiles::product_32::launch::<32, 64, 8, 8, 4, 1>,
                Tile::Tiny => tiles::product_32_by_more::launch::<32, 64, 16, 4, 4, 1>,
            };
            launch(device, grid, u32::from(self.adds), m, wide / 4, deep / 4, deep / each, &a, &b, c)
        };
        if c_fits {
            launch(&mut self.c.view_mut()?)?;
        } else {
            launch(&mut both.slice_mut(..m * wide)?.view_mut()?)?;
            let from = both.slice(..m * wide)?.view::<f32>()?;
            tiles::fit::launch(device, (n, m), m, wide, m, n, 0.0, &from, &mut self.c)?;
        }
        scratch.put(Slot::Left, left);
        scratch.put(Slot::Right, right);
        scratch.put(Slot::Product, both);
        Ok(())
    }
}
