//! Every conversion between floats and integers, with all four directions of rounding.
//!
//! One kernel turns doubles into integers, by way of floats too, and combines the results. The other turns integers into
//! floats and doubles and adds them up.
//!
//! Sizes: a million numbers each.
//! What differs: the integers count up from the original's number, which all of its own are.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

#[kernel(workgroup_size(256), features(f64), requires(y.len() == x.len()))]
pub(crate) fn to_integers(x: &[f64], y: &mut [i64]) {
    let i = global_id().x;
    if i >= x.len() {
        return;
    }
    let double = x[i];
    let single = double as f32;
    let bits = double.to_bits();

    let mut a = (bits >> 32) as i32 ^ bits as i32;
    a ^= double.floor() as i32 ^ double.round_ties_even() as i32 ^ double.ceil() as i32 ^ double as i32;
    a ^= single.floor() as i32 ^ single.round_ties_even() as i32 ^ single.ceil() as i32 ^ single as i32;
    a ^= single.to_bits() as i32;

    let mut b = double.floor() as u32 ^ double.round_ties_even() as u32 ^ double.ceil() as u32 ^ double as u32;
    b ^= single.floor() as u32 ^ single.round_ties_even() as u32 ^ single.ceil() as u32 ^ single as u32;
    b ^= single.to_bits();

    let mut c = double.floor() as i64 ^ double.round_ties_even() as i64 ^ double.ceil() as i64 ^ double as i64;
    c ^= single.floor() as i64 ^ single.round_ties_even() as i64 ^ single.ceil() as i64 ^ single as i64;
    c ^= bits as i64;

    let mut d = double.floor() as u64 ^ double.round_ties_even() as u64 ^ double.ceil() as u64 ^ double as u64;
    d ^= single.floor() as u64 ^ single.round_ties_even() as u64 ^ single.ceil() as u64 ^ single as u64;

    y[i] = ((a as u32 + b) as u64 + (c as u64 + d)) as i64;
}

/// Conversions of an integer to a float that has fewer digits, rounded down, up and towards zero.
macro_rules! directed {
    ($($module:ident $integer:ident $float:ident;)*) => { $(
        mod $module {
            use samebits::prelude::*;

            #[device]
            pub fn down(x: $integer) -> $float {
                let nearest = x as $float;
                // The greatest integer is no float: what a cast back makes of a greater one.
                let above = nearest as $integer > x || nearest as $integer == $integer::MAX;
                // The next float towards zero, or away from it.
                let away = nearest < 0.0;
                if above { $float::from_bits(if away { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 }) } else { nearest }
            }

            #[device]
            pub fn up(x: $integer) -> $float {
                let nearest = x as $float;
                let below = (nearest as $integer) < x;
                let away = nearest > 0.0;
                if below { $float::from_bits(if away { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 }) } else { nearest }
            }

            #[device]
            pub fn to_zero(x: $integer) -> $float {
                if x > 0 { down(x) } else { up(x) }
            }
        }
    )* };
}

directed! {
    i32_to_f32 i32 f32;
    u32_to_f32 u32 f32;
    i64_to_f32 i64 f32;
    u64_to_f32 u64 f32;
    i64_to_f64 i64 f64;
    u64_to_f64 u64 f64;
}

#[kernel(workgroup_size(256), features(f64), requires(y.len() == x.len()))]
pub(crate) fn to_floats(x: &[i64], y: &mut [i64]) {
    let i = global_id().x;
    if i >= x.len() {
        return;
    }
    let long = x[i];
    let (word, unsigned, unsigned_long) = (long as i32, long as u32, long as u64);

    let mut single = f64::from_bits(unsigned_long) as f32;
    single += i32_to_f32::down(word);
    single += word as f32;
    single += i32_to_f32::up(word);
    single += i32_to_f32::to_zero(word);

    single += u32_to_f32::down(unsigned);
    single += unsigned as f32;
    single += u32_to_f32::up(unsigned);
    single += u32_to_f32::to_zero(unsigned);

    single += f32::from_bits(unsigned);
    single += f32::from_bits(unsigned);

    single += i64_to_f32::down(long);
    single += long as f32;
    single += i64_to_f32::up(long);
    single += i64_to_f32::to_zero(long);

    single += u64_to_f32::down(unsigned_long);
    single += unsigned_long as f32;
    single += u64_to_f32::up(unsigned_long);
    single += u64_to_f32::to_zero(unsigned_long);

    let mut double = word as f64;
    double += unsigned as f64;

    double += i64_to_f64::down(long);
    double += long as f64;
    double += i64_to_f64::up(long);
    double += i64_to_f64::to_zero(long);

    double += u64_to_f64::down(unsigned_long);
    double += unsigned_long as f64;
    double += u64_to_f64::up(unsigned_long);
    double += u64_to_f64::to_zero(unsigned_long);

    double += f64::from_bits(unsigned_long);
    y[i] = (single as f64 + double).to_bits() as i64;
}

fn inputs(scale: Scale) -> (Vec<f64>, Vec<i64>) {
    let n = scale.of(150, 1_000_000);
    let doubles = (1..=n).map(|i| 22.44 / f64::from(i)).collect();
    (doubles, (0..n).map(|i| 0x4036_70a3_d70a_3d71 + i64::from(i)).collect())
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (doubles, longs) = inputs(scale);
    let n = doubles.len();
    let (doubles, longs) = (device.upload(&doubles)?, device.upload(&longs)?);
    let (mut integers, mut floats) = (device.zeros(n)?, device.zeros(n)?);
    Ok(Job::new(["to integers", "to floats"], move |ask| match ask {
        Ask::Step(0) => to_integers::launch(device, n, &doubles, &mut integers),
        Ask::Step(_) => to_floats::launch(device, n, &longs, &mut floats),
        Ask::Answer(answer) => {
            answer.add("integers", &integers.read()?);
            answer.add("floats", &floats.read()?);
            Ok(())
        }
    }))
}

/// Down, to the nearest, up and to zero, as whole numbers.
fn whole(x: f64) -> [i128; 4] {
    [x.floor(), x.round_ties_even(), x.ceil(), x.trunc()].map(|x| x as i128)
}

/// Whether a whole number is less than another, before and after it is a float: the floats around it.
macro_rules! around {
    ($float:ty, $x:expr) => {{
        let x: i128 = $x;
        let nearest = x as $float;
        let down = if nearest as i128 > x { nearest.next_down() } else { nearest };
        let up = if (nearest as i128) < x { nearest.next_up() } else { nearest };
        [down, nearest, up, if x < 0 { up } else { down }]
    }};
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (doubles, longs) = inputs(scale);
    let integers = doubles.iter().map(|&x| {
        let all = [whole(x), whole(f64::from(x as f32))];
        // The nearest number of each type, of all combined.
        let combined = |low: i128, high: i128| all.iter().flatten().fold(0, |xor, x| xor ^ *x.clamp(&low, &high));
        let (bits, single) = (x.to_bits(), (x as f32).to_bits());
        let a = combined(i32::MIN.into(), i32::MAX.into()) as u32 ^ (bits >> 32) as u32 ^ bits as u32 ^ single;
        let b = combined(0, u32::MAX.into()) as u32 ^ single;
        let c = combined(i64::MIN.into(), i64::MAX.into()) as u64 ^ bits;
        let d = combined(0, u64::MAX.into()) as u64;
        u64::from(a.wrapping_add(b)).wrapping_add(c.wrapping_add(d))
    });
    let floats = longs.iter().map(|&long| {
        let (word, unsigned) = (long as i32, long as u32);
        let mut single = f64::from_bits(long as u64) as f32;
        let mut add = |floats: &[f32]| single = floats.iter().fold(single, |sum, float| sum + float);
        add(&around!(f32, word.into()));
        add(&around!(f32, unsigned.into()));
        add(&[f32::from_bits(unsigned); 2]);
        add(&around!(f32, long.into()));
        add(&around!(f32, (long as u64).into()));
        let [signed, plain] = [around!(f64, long.into()), around!(f64, (long as u64).into())];
        let rest = signed.into_iter().chain(plain).chain([f64::from_bits(long as u64)]);
        let double = rest.fold(f64::from(word) + f64::from(unsigned), |sum, double| sum + double);
        (f64::from(single) + double).to_bits()
    });
    let mut answer = Answer::default();
    answer.add("integers", &integers.collect::<Vec<_>>());
    answer.add("floats", &floats.collect::<Vec<_>>());
    answer
}
