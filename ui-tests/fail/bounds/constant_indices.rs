//! Constant indices beyond memory of a fixed length, of each kind.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Tile {
    corners: [u32; 4],
    size: Vec2<f32>,
}

#[kernel]
fn of_each_memory(tiles: &[Tile], rows: &[[u32; 3]], y: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    let own = [1u32, 2, 3, 4];
    let nested = [[1u32, 2], [3, 4], [5, 6]];
    y[0] = own[4];
//~        ^ V300
    y[1] = tile[4];
//~        ^ V300
    tile[5] = 1;
//~ ^ V300
    y[2] = nested[3][0];
//~        ^ V300
    y[3] = nested[0][2];
//~        ^ V300
    y[4] = tiles[0].corners[4];
//~        ^ V300
    let local = tiles[1];
    y[5] = local.corners[4];
//~        ^ V300
    y[6] = rows[0][3];
//~        ^ V300
    tile[6] += 1;
//~ ^ V300
    y[8] = rows[1000][2];
}

fn main() {}
