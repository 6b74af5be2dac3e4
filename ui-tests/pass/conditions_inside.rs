//! A `cfg` inside of an item is honoured wherever rustc honours it, and so is what is built for.
#![deny(warnings)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair {
    a: f32,
    #[cfg(any())]
    absent: f32,
    b: f32,
}

#[device]
impl Pair {
    #[cfg(any())]
    fn sum(self) -> u32 {
        missing()
    }

    #[cfg(not(any()))]
    fn sum(self, #[cfg(any())] more: f32) -> f32 {
        self.a + self.b
    }
}

#[device]
const SIZE: usize = {
    #[cfg(target_pointer_width = "16")]
    {
        7
    }
    #[cfg(not(target_pointer_width = "16"))]
    {
        3
    }
};

#[device]
fn scaled<T: Float, #[cfg(any())] const N: usize>(a: T, #[cfg(any())] b: T, #[cfg_attr(all(), allow(unused))] c: T) -> T {
    a * c
}

#[kernel(workgroup_size(1))]
fn k(#[cfg(any())] w: f32, x: &[f32], #[cfg(any())] z: f32, #[cfg(not(target_pointer_width = "16"))] w: f32, y: &mut [f32]) {
    let z = [1u32, #[cfg(any())] 5, 6];
    #[cfg(target_pointer_width = "16")]
    {
        y[0] = 1.0;
    }
    #[cfg(not(target_pointer_width = "16"))]
    {
        y[0] = z[1] as f32 + w + x[0];
    }
    let t = (1u32, #[cfg(any())] 3u32, 4u32);
    y[1] = t.1 as f32;
    y[2] = scaled(10.0, #[cfg(any())] 2.0, 3.0);
    let pair = Pair { a: 1.0, #[cfg(any())] absent: 3.0, #[cfg(not(any()))] b: 2.0 };
    let Pair { a, #[cfg(any())] absent, b } = pair;
    y[3] = pair.sum() + a + b;
    y[4] = match z[1] {
        #[cfg(any())]
        6 => 1.0,
        6 => 2.0,
        _ => 3.0,
    };
    let double = |#[cfg(any())] q: f32, r: f32| r * 2.0;
    y[5] = double(2.5);
    y[6] = SIZE as f32;
    #[unroll]
    for k in 0..3 {
        y[6] += k as f32;
    }
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let x = device.upload(&[1.0])?;
    let mut y = device.zeros::<f32>(7)?;
    k::launch(&device, 1, &x, 100.0, &mut y)?;
    assert_eq!(y.read()?, [107.0, 4.0, 30.0, 6.0, 2.0, 5.0, 6.0]);
    Ok(())
}
