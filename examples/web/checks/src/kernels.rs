//! Kernels and calls of the runtime that a page and a test of this machine both run: their bytes have to be equal.
//!
//! Nothing here waits for a device, so that all of it can run in a page.

use samebits::graph::Graph;
use samebits::prelude::*;

/// What one of them gave: its name, and bytes.
pub type Outcome = (&'static str, Vec<u8>);

/// Elements of most buffers; no whole number of workgroups.
const LEN: usize = 1000;

#[kernel]
fn floats(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        let sum = a * x[i] + y[i];
        y[i] = (sum / (x[i] - 3.0)).sqrt() + a.mul_add(x[i], sum);
    }
}

#[kernel]
fn functions(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i].exp() + x[i].abs().ln();
    }
}

#[kernel(features(f64))]
fn doubles(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i] * x[i] + y[i];
    }
}

#[kernel]
fn integers(x: &[u32], y: &mut [u64]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        let wide = x[i] as u64 * 0x9e37_79b9_7f4a_7c15;
        y[i] = (wide >> (x[i] & 63)) / (x[i] as u64 % 1000 + 1) ^ (x[i].rotate_left(7) as i32 >> 3) as u64;
    }
}

#[kernel(workgroup_size(256))]
fn sums(x: &[u32], sums: &mut [u32]) {
    #[shared]
    let tile: [u32; 256];
    let lane = local_index();
    tile[lane] = x[global_id().x];
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] += tile[lane + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if lane == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

#[kernel]
fn histogram(x: &[u32], counts: &[Atomic<u32>]) {
    let i = global_id().x;
    if i < x.len() {
        counts[(x[i] >> 24) as usize].fetch_add(1);
    }
}

#[kernel]
fn bytes(x: &[u32], y: &mut [u8]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = (x[i] >> 13) as u8;
    }
}

#[kernel]
fn inclined(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        assert!(y[i] < 900, "{} is too much", y[i]);
        y[i] += 1;
    }
}

/// Numbers without a pattern.
pub fn numbers(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ i >> 3).wrapping_mul(0x9e37_79b1).rotate_left(i & 31)).collect()
}

/// Floats of all kinds: small integers, and bits without a pattern, subnormals and NaN among them.
fn reals(len: usize) -> Vec<f32> {
    let of =
        |(i, bits): (usize, u32)| if i.is_multiple_of(2) { (i as f32 - 500.0) * 0.125 } else { f32::from_bits(bits) };
    numbers(len).into_iter().enumerate().map(of).collect()
}

fn words<T: Element + Bits>(elements: Vec<T>) -> Vec<u8> {
    elements.into_iter().flat_map(Bits::bits).collect()
}

/// Elements as bytes.
pub trait Bits {
    /// The bytes, low byte first.
    fn bits(self) -> Vec<u8>;
}

macro_rules! bits {
    ($($ty:ty)*) => { $(
        impl Bits for $ty {
            fn bits(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )* };
}

bits! { u8 u32 u64 f32 f64 }

/// Runs all of them on a device.
///
/// # Errors
///
/// The first that any call gives.
pub async fn all(device: &Device) -> Result<Vec<Outcome>, Error> {
    let mut outcomes = Vec::new();

    let x = device.upload(&reals(LEN))?;
    let mut y = device.upload(&vec![0.1f32; LEN])?;
    floats::launch(device, LEN, 1.7, &x, &mut y)?;
    outcomes.push(("floats", words(y.read_async()?.await?)));

    functions::launch(device, LEN, &x, &mut y)?;
    outcomes.push(("functions", words(y.read_async()?.await?)));

    let wide: Vec<f64> = reals(LEN).into_iter().map(|x| f64::from(x) * 1.1).collect();
    let x = device.upload(&wide)?;
    let mut y = device.upload(&wide)?;
    doubles::launch(device, LEN, &x, &mut y)?;
    outcomes.push(("doubles", words(y.read_async()?.await?)));

    let x = device.upload(&numbers(LEN))?;
    let mut y = device.zeros::<u64>(LEN)?;
    integers::launch(device, LEN, &x, &mut y)?;
    outcomes.push(("integers", words(y.read_async()?.await?)));

    let mut y = device.zeros::<u32>(LEN.div_ceil(256))?;
    sums::launch(device, Grid::groups(y.len(), 1, 1), &x, &mut y)?;
    outcomes.push(("sums", words(y.read_async()?.await?)));

    let mut counts = device.zeros::<u32>(256)?;
    histogram::launch(device, LEN, &x, &mut counts)?;
    outcomes.push(("histogram", words(counts.read_async()?.await?)));

    let mut y = device.zeros::<u8>(LEN)?;
    bytes::launch(device, LEN, &x, &mut y)?;
    outcomes.push(("bytes", words(y.read_async()?.await?)));

    transfers(device, &mut outcomes).await?;
    Ok(outcomes)
}

/// What moves bytes: large uploads, parts that begin within a word, fills, copies, reads that are on their way together,
/// and a graph.
async fn transfers(device: &Device, outcomes: &mut Vec<Outcome>) -> Result<(), Error> {
    // More than one chunk.
    let many = numbers(3 << 20);
    let large = device.upload(&many)?;
    let mut copy = device.zeros::<u32>(many.len())?;
    copy.copy_from(&large)?;
    let last = copy.slice(many.len() - LEN..)?.read_async()?;

    let mut y = device.upload(&[7u8; 100])?;
    y.write(3, &[1, 2, 3, 4, 5])?;
    let before = y.read_async()?;
    y.fill(9)?;
    y.write(98, &[8])?;
    let after = y.read_async()?;
    // The later one first.
    outcomes.push(("a later read", words(after.await?)));
    outcomes.push(("an earlier read", words(before.await?)));
    outcomes.push(("a large upload", words(last.await?)));

    let mut graph = Graph::new(device);
    let (x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
    sums::record(&mut graph, Grid::groups(4, 1, 1), &x, &mut y)?;
    let (mut x_is, mut y_is) = (device.upload(&numbers(LEN))?, device.zeros::<u32>(4)?);
    graph.replay([x.bind(&mut x_is), y.bind(&mut y_is)])?;
    device.wait_async()?.await?;
    outcomes.push(("a graph", words(y_is.read_async()?.await?)));

    let mut y = device.upload(&(0..LEN as u32).collect::<Vec<_>>())?;
    inclined::launch(device, LEN, &mut y)?;
    let failed = match y.read_async()?.await {
        Ok(_) => "nothing failed".to_owned(),
        // Behind the place in the source, whose path differs.
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    outcomes.push(("an assertion", failed.into_bytes()));
    outcomes.push(("after an assertion", words(y.read_async()?.await?)));
    Ok(())
}
