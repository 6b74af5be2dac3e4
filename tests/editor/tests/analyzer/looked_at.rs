//! What the tests look at in rust-analyzer. A comment below a line says what is to be found at its carets:
//! `hover:` a part of the text that is shown, `goes to:` a part of the line where it is declared.
//! `half:` is a line that somebody has typed halfway, which is put in its place: what may follow at `$0`.

use samebits::prelude::*;

/// How many bodies a tile holds.
#[device]
const TILE: usize = 64;

/// A body in space.
#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
pub struct Body {
    /// Where it is.
    at: Vec3<f32>,
    mass: f32,
}

#[device]
impl Body {
    /// How strongly it pulls at this distance.
    fn pull(&self, distance: f32) -> f32 {
        self.mass / (distance * distance)
        //   ^^^^ hover: mass: f32
        //   ^^^^ goes to: mass: f32,
    }
}

/// The middle of two numbers.
#[device]
fn middle<T: Float>(a: T, b: T) -> T {
    let half = 0.5 as T;
    let sum = a + b;
    // half: half.$0 => mul_add sqrt max
    sum * half
    //    ^^^^ goes to: let half = 0.5 as T;
}

/// What the bodies weigh together, tile by tile.
#[kernel(workgroup_size(TILE))]
pub fn weigh(bodies: &[Body], scale: f32, count: &[Atomic<u32>], out: &mut [f32]) {
    #[shared]
    let tile: [f32; TILE];
    let (i, lane) = (global_id().x, local_index());
    //               ^^^^^^^^^ hover: pub fn global_id() -> Ids
    //                           ^ hover: pub x: usize
    let body = bodies[i];
    //  ^^^^ hover: let body: Body
    //         ^^^^^^ hover: bodies: &[Body]
    //         ^^^^^^ goes to: pub fn weigh(bodies: &[Body]
    // half: let far = body.at.$0 => x length dot normalize
    // half: let m = body.$0 => at mass pull
    // half: bod$0 => body bodies
    tile[lane] = body.mass.mul_add(scale, 1.0);
    //                     ^^^^^^^ hover: fn mul_add(self, a: f32, b: f32) -> f32
    //   ^^^^ goes to: let (i, lane) =
    workgroup_barrier();
    // <- hover: Waits until every invocation of the workgroup is here
    let far = body.at.length();
    //  ^^^ hover: let far: f32
    //                ^^^^^^ hover: The square root of length_squared.
    let strong = body.pull(far) > 1.0;
    //  ^^^^^^ hover: let strong: bool
    //                ^^^^ hover: How strongly it pulls at this distance.
    //                ^^^^ goes to: fn pull(&self, distance: f32) -> f32 {
    if strong {
        count[0].fetch_add(1);
        //       ^^^^^^^^^ hover: fetch_add
        // half: count[0].$0 => fetch_add load store
    }
    let mut sum = 0.0f32;
    for weight in tile {
        //^^^^ hover: let weight: f32
        sum += weight;
        // half: if weight > sum && $0 => weight sum lane
    }
    let both = middle(sum, far);
    //         ^^^^^^ hover: The middle of two numbers.
    //         ^^^^^^ goes to: fn middle<T: Float>(a: T, b: T) -> T {
    let twice = |x: f32| x * both;
    //  ^^^^^ hover: let twice: impl Fn(f32) -> f32
    out[i] = twice(sum);
    // half: out[i] = wor$0 => workgroup_id workgroup_barrier
}

/// Launches it from the host.
pub fn host(device: &Device) -> Result<Vec<f32>, Error> {
    let bodies = device.upload(&[Body { at: Vec3::new(0.0, 0.0, 1.0), mass: 2.0 }; TILE])?;
    let mut count = device.zeros::<u32>(1)?;
    let mut out = device.zeros::<f32>(TILE)?;
    weigh::launch(device, TILE, &bodies, 0.5, &mut count, &mut out)?;
    //     ^^^^^^ hover: bodies: &impl ::samebits::Readable<Body>
    out.read()
}
