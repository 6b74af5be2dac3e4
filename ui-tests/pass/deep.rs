//! A kernel as deep as one may be compiles in the stack that rustc gives a macro, which is built without optimisation.

use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn deep(x: &[u32], o: &mut [u32]) {
if x[28] > 0 {
if x[27] > 0 {
if x[26] > 0 {
if x[25] > 0 {
if x[24] > 0 {
if x[23] > 0 {
if x[22] > 0 {
if x[21] > 0 {
if x[20] > 0 {
if x[19] > 0 {
if x[18] > 0 {
if x[17] > 0 {
if x[16] > 0 {
if x[15] > 0 {
if x[14] > 0 {
if x[13] > 0 {
if x[12] > 0 {
if x[11] > 0 {
if x[10] > 0 {
if x[9] > 0 {
if x[8] > 0 {
if x[7] > 0 {
if x[6] > 0 {
if x[5] > 0 {
if x[4] > 0 {
if x[3] > 0 {
if x[2] > 0 {
if x[1] > 0 {
if x[0] > 0 {
o[0] = 1;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}

fn main() {
    let device = Device::interpreter();
    let mut x = vec![1u32; 29];
    for (last, expected) in [(1, 1), (0, 0)] {
        x[0] = last;
        let x = device.upload(&x).unwrap();
        let mut o = device.zeros::<u32>(1).unwrap();
        deep::launch(&device, 1, &x, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), [expected]);
    }
}
