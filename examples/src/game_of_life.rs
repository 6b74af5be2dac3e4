//! Conway's Game of Life on a torus: a launch for each generation, from one buffer to the
//! other and back, recorded once and replayed. Dead cells cool down, which leaves trails.
//!
//! A cell is [`ALIVE`], or what is left of its warmth: 14 right after its death, then less,
//! down to 0. The number is also the cell's colour in the pictures.

use crate::cli::Size;
use samebits::graph::{BufferSlot, Graph};
use samebits::prelude::*;
use std::error::Error as StdError;

/// The number of a living cell.
pub const ALIVE: u32 = 15;

/// A torus of cells, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// How many cells it has.
    pub size: Size,
    /// The cells, `width * height` of them.
    pub cells: Vec<u32>,
}

#[kernel(workgroup_size(16, 16))]
pub(crate) fn generation(width: usize, height: usize, cells: &[u32], next: &mut [u32]) {
    let x = global_id().x;
    let y = global_id().y;
    if x < width && y < height {
        let cell = cells[y * width + x];
        let mut around = 0;
        for dy in 0..3 {
            let row = (y + height + dy - 1) % height * width;
            for dx in 0..3 {
                if cells[row + (x + width + dx - 1) % width] == ALIVE {
                    around += 1;
                }
            }
        }
        // The cell itself is among the nine.
        let lives = around == 3 || around == 4 && cell == ALIVE;
        next[y * width + x] = if lives { ALIVE } else { cell.max(1) - 1 };
    }
}

/// Generations that are recorded together, an even number.
const TOGETHER: usize = 32;

/// Some generations, to be replayed.
struct Generations {
    graph: Graph,
    cells: BufferSlot<u32>,
    next: BufferSlot<u32>,
}

impl Generations {
    fn record(device: &Device, size: Size, count: usize) -> Result<Self, Error> {
        let Size { width, height } = size;
        let mut graph = Graph::new(device);
        let (mut cells, mut next) = (graph.buffer(), graph.buffer());
        for i in 0..count {
            let (from, to) = if i % 2 == 0 { (&cells, &mut next) } else { (&next, &mut cells) };
            generation::record(&mut graph, (width, height), width, height, from, to)?;
        }
        Ok(Self { graph, cells, next })
    }

    /// The last generation is in `cells` if their number is even, else in `next`.
    fn replay(&self, cells: &mut Buffer<u32>, next: &mut Buffer<u32>) -> Result<(), Error> {
        self.graph.replay([self.cells.bind(cells), self.next.bind(next)])
    }
}

/// So many pictures of the world on a device, the first one before anything has happened,
/// and `every` generations between two of them.
pub fn on(
    device: &Device,
    world: &World,
    frames: usize,
    every: usize,
    mut done: impl FnMut(usize),
) -> Result<Vec<World>, Error> {
    let mut cells = device.upload(&world.cells)?;
    let mut next = device.zeros(cells.len())?;
    let (many, rest) = (Generations::record(device, world.size, TOGETHER)?, every % TOGETHER);
    let few = Generations::record(device, world.size, rest)?;
    let mut shown = Vec::new();
    for frame in 0..frames {
        if frame > 0 {
            for _ in 0..every / TOGETHER {
                many.replay(&mut cells, &mut next)?;
            }
            few.replay(&mut cells, &mut next)?;
            if rest % 2 == 1 {
                std::mem::swap(&mut cells, &mut next);
            }
        }
        shown.push(World { size: world.size, cells: cells.read()? });
        done(frame + 1);
    }
    Ok(shown)
}

/// The same in plain Rust.
pub fn plain(world: &World, frames: usize, every: usize) -> Vec<World> {
    let mut world = world.clone();
    let mut shown = Vec::new();
    for frame in 0..frames {
        for _ in 0..if frame > 0 { every } else { 0 } {
            world = world.next();
        }
        shown.push(world.clone());
    }
    shown
}

impl World {
    fn next(&self) -> Self {
        let Size { width, height } = self.size;
        let mut around = vec![0; self.cells.len()];
        for (i, _) in self.cells.iter().enumerate().filter(|(_, cell)| **cell == ALIVE) {
            let (x, y) = (i % width, i / width);
            for row in [y + height - 1, y, y + 1] {
                for column in [x + width - 1, x, x + 1] {
                    around[row % height * width + column % width] += 1;
                }
            }
        }
        let cell = |(cell, around): (&u32, &i32)| match (around - i32::from(*cell == ALIVE), *cell) {
            (3, _) | (2, ALIVE) => ALIVE,
            (_, cell) => cell.saturating_sub(1),
        };
        Self { size: self.size, cells: self.cells.iter().zip(&around).map(cell).collect() }
    }

    /// A world of chance, mirrored on both axes and, if it is square, on the diagonals.
    pub fn symmetric(size: Size, seed: u32) -> Self {
        let mut cells = vec![0; size.width * size.height];
        let half = |place: usize, length: usize| place.min(length - 1 - place) as u32;
        for (i, cell) in cells.iter_mut().enumerate() {
            let (x, y) = (half(i % size.width, size.width), half(i / size.width, size.height));
            let (x, y) = if size.width == size.height { (x.min(y), x.max(y)) } else { (x, y) };
            let mut bits = (seed ^ x.wrapping_mul(0x9e37_79b9)).wrapping_add(y.wrapping_mul(0x85eb_ca6b));
            for factor in [0x7feb_352d, 0x846c_a68b] {
                bits = (bits ^ bits >> 16).wrapping_mul(factor);
            }
            // Rim and middle: a third of the cells near the middle live, none elsewhere.
            let middle = x * 4 > size.width as u32 && y * 4 > size.height as u32;
            *cell = if middle && (bits >> 16) % 3 == 0 { ALIVE } else { 0 };
        }
        Self { size, cells }
    }

    /// How many cells live.
    pub fn living(&self) -> usize {
        self.cells.iter().filter(|cell| **cell == ALIVE).count()
    }
}

/// An animated PNG of worlds of one size, each cell being `scale` by `scale` pixels.
pub fn animation(worlds: &[World], scale: usize) -> Result<Vec<u8>, Box<dyn StdError>> {
    let mut file = Vec::new();
    let Some(size) = worlds.first().map(|world| world.size) else { return Err("there is nothing to show".into()) };
    let side = |cells: usize| cells.checked_mul(scale).and_then(|side| u32::try_from(side).ok());
    let sides = side(size.width).zip(side(size.height));
    let (width, height) = sides.ok_or("the picture is too large for a PNG")?;
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette(palette());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_animated(u32::try_from(worlds.len())?, 0)?;
    encoder.set_frame_delay(1, 12)?;
    let mut writer = encoder.write_header()?;
    for world in worlds {
        let mut bytes = Vec::new();
        for row in world.cells.chunks(size.width) {
            let pixels: Vec<u8> = row.iter().flat_map(|cell| std::iter::repeat_n(*cell as u8, scale)).collect();
            let line = pixels.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0));
            let line: Vec<u8> = line.collect();
            (0..scale).for_each(|_| bytes.extend_from_slice(&line));
        }
        writer.write_image_data(&bytes)?;
    }
    writer.finish()?;
    Ok(file)
}

/// From night over embers to the white of the living.
fn palette() -> Vec<u8> {
    const STOPS: [[i32; 3]; 4] = [[10, 12, 28], [48, 22, 86], [190, 46, 72], [252, 168, 60]];
    let mut colours = Vec::new();
    for step in 0..15 {
        let (from, to, part) = (STOPS[step / 5], STOPS[step / 5 + 1], step as i32 % 5);
        colours.extend((0..3).map(|c| (from[c] + (to[c] - from[c]) * part / 5) as u8));
    }
    colours.extend([255, 250, 230]);
    colours
}
