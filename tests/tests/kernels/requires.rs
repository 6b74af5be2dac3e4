//! Kernels that require something of their launches: what they compute, what is proven of
//! them, and which launches are refused, before anything runs.

use samebits::prelude::*;

/// The factor that a length has to be a multiple of the argument by.
#[device]
const ROWS: usize = 4;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Part {
    first: u32,
    range: Range,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Range {
    count: u32,
}

#[test]
fn a_dot_product_needs_no_guard() {
    #[kernel(workgroup_size(1), deny(guards), requires(y.len() >= x.len(), sums.len() > 0))]
    fn dot(x: &[u32], y: &[u32], sums: &mut [u32]) {
        let mut sum = 0;
        for k in 0..x.len() {
            sum += x[k] * y[k];
        }
        sums[0] = sum;
    }
    let report = dot::KERNEL.report().unwrap();
    assert_eq!((report.proven, report.by_launch, report.guarded.len()), (3, 0, 0), "{report}");
    assert_eq!(report.requires, ["y.len() >= x.len()", "sums.len() > 0"]);
    crate::expect(&[2 * 5 + 3 * 7], |device, out| {
        dot::launch(device, 1, &device.upload(&[2u32, 3])?, &device.upload(&[5u32, 7, 100])?, out)
    });
    for device in crate::devices() {
        let (x, y) = (device.upload(&[1u32; 4]).unwrap(), device.upload(&[1u32; 3]).unwrap());
        let mut sums = device.upload(&[9u32]).unwrap();
        let error = dot::launch(device, 1, &x, &y, &mut sums).unwrap_err();
        let text = "kernel `dot` requires `y.len() >= x.len()`, but `y.len()` is 3 and `x.len()` is 4";
        assert_eq!(error.to_string(), text, "{}", device.name());
        crate::same(device, &sums, &[9]);
    }
}

#[test]
fn arguments_constants_and_fields_count() {
    #[kernel(workgroup_size(1), requires(
        x.len() >= n * ROWS,
        i32::MIN + 8 <= shift,
        shift < 0,
        part.first + part.range.count <= x.len(),
    ))]
    fn rows(n: usize, shift: i32, part: Part, x: &[u32], out: &mut [u32]) {
        let mut sum = 0;
        for k in 0..n * ROWS {
            sum += x[k];
        }
        out[0] = sum;
        out[1] = (shift + 1) as u32;
        let mut some = 0;
        for k in 0..part.range.count {
            some += x[(part.first + k) as usize];
        }
        out[2] = some;
    }
    let part = |first, count| Part { first, range: Range { count } };
    let report = rows::KERNEL.report().unwrap();
    assert!(report.guarded.is_empty(), "{report}");
    crate::expect(&[36, u32::MAX, 11], |device, out| {
        rows::launch(device, 1, 2, -2, part(4, 2), &device.upload(&[1u32, 2, 3, 4, 5, 6, 7, 8])?, out)
    });
    for device in crate::devices() {
        let x = device.zeros::<u32>(8).unwrap();
        let mut out = device.zeros(3).unwrap();
        let mut refused =
            |n, shift, part| rows::launch(device, 1, n, shift, part, &x, &mut out).unwrap_err().to_string();
        let text = "kernel `rows` requires `x.len() >= n * ROWS`, but `x.len()` is 8 and `n * ROWS` is 12";
        assert_eq!(refused(3, -1, part(0, 0)), text);
        assert_eq!(refused(2, 0, part(0, 0)), "kernel `rows` requires `shift < 0`, but `shift` is 0");
        let text = "kernel `rows` requires `i32::MIN + 8 <= shift`, but `i32::MIN + 8` is -2147483640 and `shift` is -2147483648";
        assert_eq!(refused(2, i32::MIN, part(0, 0)), text);
        // In 32 bits this sum would be 7.
        let text = "kernel `rows` requires `part.first + part.range.count <= x.len()`, \
                    but `part.first + part.range.count` is 4294967303 and `x.len()` is 8";
        assert_eq!(refused(2, -1, part(8, u32::MAX)), text);
    }
}

#[test]
fn each_instance_has_its_requirements() {
    #[kernel(workgroup_size(1), instances(T = [u32, f32], N = [2, 3]), requires(x.len() == y.len() * N))]
    fn sums<T: Number, const N: usize>(x: &[T], y: &mut [T]) {
        for i in 0..y.len() {
            let mut sum = x[i * N];
            for k in 1..N {
                sum += x[i * N + k];
            }
            y[i] = sum;
        }
    }
    crate::expect(&[3, 7, 11], |device, out| {
        sums::launch::<_, 2>(device, 1, &device.upload(&[1u32, 2, 3, 4, 5, 6])?, out)
    });
    crate::expect(&[6.0f32, 15.0], |device, out| {
        sums::launch::<_, 3>(device, 1, &device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?, out)
    });
    for device in crate::devices() {
        let x = device.zeros::<u32>(6).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let text = "kernel `sums` requires `x.len() == y.len() * N`, but `x.len()` is 6 and `y.len() * N` is 9";
        assert_eq!(sums::launch::<_, 3>(device, 1, &x, &mut y).unwrap_err().to_string(), text);
    }
}

#[test]
fn a_view_is_as_long_as_it_is() {
    #[kernel(workgroup_size(1), requires(x.len() >= 4))]
    fn last(x: &[u32], out: &mut [u32]) {
        out[0] = x[3];
    }
    for device in crate::devices() {
        let x = device.upload(&[1u32, 2, 3, 4, 5]).unwrap();
        let mut out = device.zeros(1).unwrap();
        last::launch(device, 1, &x.slice(1..5).unwrap(), &mut out).unwrap();
        crate::same(device, &out, &[5]);
        let error = last::launch(device, 1, &x.slice(2..5).unwrap(), &mut out).unwrap_err();
        assert_eq!(error.to_string(), "kernel `last` requires `x.len() >= 4`, but `x.len()` is 3");
        // A launch of nothing is held to it as well.
        assert!(last::launch(device, 0, &x.slice(2..5).unwrap(), &mut out).is_err());
    }
}

#[test]
fn guards_that_depend_on_the_grid_or_were_unrolled_are_not_denied() {
    #[kernel(workgroup_size(8), deny(guards), requires(order.len() >= 4))]
    fn columns(order: &[u32], x: &[u32], out: &mut [u32]) {
        let i = global_id().x;
        let mut sum = 0;
        for k in 0..4 {
            sum += x[order[k] as usize];
        }
        for k in 0..order.len() {
            sum += x[i] * order[k];
        }
        out[i] = sum;
    }
    let x = [7u32, 1, 2, 3, 4, 5, 6, 8, 9];
    // 7 + 1 + 0 + 9, and for each element its product with 10.
    let expected = x.map(|x| 17 + x * (1 + 100 + 8)).map(|sum: u32| sum);
    crate::expect(&expected, |device, out| {
        columns::launch(device, 9, &device.upload(&[0u32, 1, 100, 8])?, &device.upload(&x)?, out)
    });
}
