//! Constants that are no numbers, and arrays that are indexed without a name.

use samebits::prelude::*;

#[device]
const TABLE: [f32; 3] = [1.0, 2.0, 4.0];

#[device]
const PAIRS: [[u32; 2]; 2] = [[1, 2], [3, 4]];

mod far {
    use samebits::prelude::*;

    #[device]
    pub const V: Vec2<f32> = Vec2::new(3.0, 5.0);
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[element(methods)]
struct Bank {
    a: [f32; 4],
}

#[device]
impl Bank {
    const SIZE: usize = 4;
    const STEPS: [f32; 2] = [7.0, 8.0];

    fn filled(x: f32) -> [f32; 4] {
        let mut all = [0.0; Self::SIZE];
        for i in 0..Self::SIZE {
            all[i] = x + Self::STEPS[i % 2];
        }
        all
    }

    fn copied(&self) -> Self {
        *self
    }
}

#[kernel(workgroup_size(1))]
fn lookups(i: usize, banks: &[Bank], o: &mut [f32]) {
    o[0] = TABLE[i] + PAIRS[i % 2][1] as f32;
    o[1] = Bank::filled(1.0)[i];
    o[2] = banks[0].copied().a[i] + [10.0, 20.0, 30.0][i];
    let halves = [0.5; Bank::SIZE];
    o[3] = halves[3] + far::V.y;
    let mut sum = 0.0;
    for j in 0..3 {
        sum += TABLE[j];
    }
    o[4] = sum;
    o[5] = TABLE[i + 1] + 1.0;
}

#[test]
fn arrays_without_a_name_are_indexed() {
    for device in crate::devices() {
        let banks = device.upload(&[Bank { a: [1.0, 2.0, 3.0, 4.0] }]).unwrap();
        let mut o = device.zeros::<f32>(6).unwrap();
        lookups::launch(device, 1, 2, &banks, &mut o).unwrap();
        // The last one reads past the end of the table.
        crate::same(device, &o, &[4.0 + 2.0, 1.0 + 7.0, 3.0 + 30.0, 0.5 + 5.0, 7.0, 1.0]);
    }
}

#[device]
const OF_CIRCLES: [f64; 2] = [std::f64::consts::TAU, core::f64::consts::LN_2 * 2.0];

#[kernel(workgroup_size(1), features(f64))]
fn constants_of_doubles(at: usize, o: &mut [u64]) {
    o[0] = std::f64::consts::FRAC_PI_3.to_bits();
    o[1] = OF_CIRCLES[at].to_bits();
    o[2] = OF_CIRCLES[at + 1].to_bits();
}

#[test]
fn constants_of_mathematics_are_known_as_doubles() {
    use std::f64::consts;
    let expected = [consts::FRAC_PI_3, consts::TAU, consts::LN_2 * 2.0].map(f64::to_bits);
    crate::expect(&expected, |device, out| constants_of_doubles::launch(device, 1, 0, out));
}
