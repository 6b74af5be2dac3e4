//! Grids: ids on three axes, many groups, and launches of nothing.

use samebits::prelude::*;

#[test]
fn ids_on_three_axes() {
    #[kernel(workgroup_size(2, 3, 4))]
    fn ids(o: &mut [u32], sizes: &mut [u32]) {
        let g = global_id();
        let l = local_id();
        let w = workgroup_id();
        let n = num_workgroups();
        let at = g.x + 4 * (g.y + 6 * g.z);
        o[at] = (l.x + 10 * l.y + 100 * l.z + 1000 * w.x + 10000 * w.y + 100000 * w.z) as u32
            + 1_000_000 * local_index() as u32;
        if g.x + g.y + g.z == 0 {
            sizes[0] = n.x as u32;
            sizes[1] = n.y as u32;
            sizes[2] = n.z as u32;
        }
    }
    let value = |x: u32, y: u32, z: u32| {
        let (l, w) = ([x % 2, y % 3, z % 4], [x / 2, y / 3, z / 4]);
        let index = l[0] + 2 * (l[1] + 3 * l[2]);
        l[0] + 10 * l[1] + 100 * l[2] + 1000 * w[0] + 10000 * w[1] + 100000 * w[2] + 1_000_000 * index
    };
    let expected: Vec<u32> = (0..4 * 6 * 8).map(|i| value(i % 4, i / 4 % 6, i / 24)).collect();
    for device in crate::devices() {
        let (mut o, mut sizes) = (device.zeros(expected.len()).unwrap(), device.zeros(3).unwrap());
        // Rounded up to whole groups: 2, 2 and 2 of them.
        ids::launch(device, (3, 5, 7), &mut o, &mut sizes).unwrap();
        crate::same(device, &o, &expected);
        crate::same(device, &sizes, &[2, 2, 2]);
    }
}

#[test]
fn more_groups_than_an_axis_of_a_device_holds() {
    #[kernel(workgroup_size(64))]
    fn many(n: u32, o: &mut [u32], g: &mut [u32], c: &[Atomic<u32>]) {
        c[0].fetch_add(1);
        let w = workgroup_id().x;
        if local_index() == 0 {
            g[w] = w as u32;
        }
        if w == 65_536 && local_index() == 0 {
            c[1].fetch_add(num_workgroups().x as u32);
        }
        let i = global_id().x;
        if (i as u32) < n {
            o[i] = i as u32 ^ 0x5a5a_5a5a;
        }
    }
    let n = 4_194_305;
    // Before the judge, four million invocations take a minute.
    for device in crate::devices().iter().filter(|device| device.name() != "judge") {
        let mut o = device.zeros(n).unwrap();
        let mut g = device.zeros(65_537).unwrap();
        let mut c = device.zeros(2).unwrap();
        many::launch(device, n, n as u32, &mut o, &mut g, &mut c).unwrap();
        assert!(o.read().unwrap().iter().enumerate().all(|(i, &x)| x == i as u32 ^ 0x5a5a_5a5a));
        assert!(g.read().unwrap().iter().enumerate().all(|(i, &x)| x == i as u32));
        crate::same(device, &c, &[4_194_368, 65_537]);
    }
}

#[test]
fn a_launch_of_nothing_changes_nothing() {
    #[kernel(workgroup_size(4))]
    fn add(a: &[f32], o: &mut [f32]) {
        let i = global_id().x;
        o[i] = a[i] + a.len() as f32;
    }
    for device in crate::devices() {
        let a = device.upload::<f32>(&[]).unwrap();
        let mut o = device.upload(&[5.0f32; 4]).unwrap();
        add::launch(device, 0, &a, &mut o).unwrap();
        add::launch(device, Grid::groups(0, 5, 1), &a, &mut o).unwrap();
        crate::same(device, &o, &[5.0; 4]);
        add::launch(device, 4, &a, &mut o).unwrap();
        crate::same(device, &o, &[0.0; 4]);
        let mut nothing = device.zeros(0).unwrap();
        add::launch(device, 4, &a, &mut nothing).unwrap();
        crate::same(device, &nothing, &[]);
    }
}

#[test]
fn a_matrix_product() {
    #[kernel(workgroup_size(4, 4))]
    fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        let row = global_id().y;
        let column = global_id().x;
        if row < n && column < n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
    let n = 7;
    let numbers = |seed: usize| -> Vec<f32> { (0..n * n).map(|i| (i * seed % 101) as f32 / 7.0 - 5.0).collect() };
    let (a, b) = (numbers(37), numbers(53));
    let element = |i: usize| {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i / n * n + k] * b[k * n + i % n];
        }
        sum
    };
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    crate::expect(&expected, |device, out| {
        product::launch(device, (n, n), n, &device.upload(&a)?, &device.upload(&b)?, out)
    });
}
