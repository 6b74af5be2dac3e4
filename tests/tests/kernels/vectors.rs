//! Vectors: construction, lanes, arithmetic lane by lane, memory.

use samebits::prelude::*;

#[test]
fn arithmetic_is_lane_by_lane() {
    #[kernel(workgroup_size(1))]
    fn lanes(
        a: &[Vec4<f32>],
        b: &[Vec3<i32>],
        c: &[Vec2<u32>],
        o: &mut [Vec4<f32>],
        p: &mut [Vec3<i32>],
        q: &mut [Vec2<u32>],
    ) {
        let one = Vec4::new(1.0f32, 1.0, 1.0, 1.0);
        o[0] = a[0] * a[1] + one;
        o[1] = a[0] - a[1] / one;
        o[2] = -a[0];
        o[3] = Vec4::new(a[0].w, a[0].z, a[1].y, a[1].x);
        p[0] = b[0] + b[1] * Vec3::new(2, 3, 4);
        p[1] = b[0] / b[1];
        p[2] = b[0] % b[1];
        p[3] = -b[0];
        q[0] = c[0] + c[1];
        q[1] = c[0] & c[1] | Vec2::new(1u32, 0);
        q[2] = c[0] ^ c[1];
        q[3] = !c[0];
        let mut v = c[0];
        v += c[1];
        v *= Vec2::new(3u32, 5u32);
        q[4] = v;
        let chosen = if c[0].x > 5 { c[0] } else { c[1] };
        q[5] = chosen;
    }
    for device in crate::devices() {
        let a = device.upload(&[Vec4::new(1.0f32, 2.0, 3.0, 4.0), Vec4::new(0.5, -1.0, 2.0, 0.25)]).unwrap();
        let b = device.upload(&[Vec3::new(7, -7, i32::MIN), Vec3::new(2, 2, -1)]).unwrap();
        let c = device.upload(&[Vec2::new(6u32, u32::MAX), Vec2::new(3, 2)]).unwrap();
        let (mut o, mut p, mut q) = (device.zeros(4).unwrap(), device.zeros(4).unwrap(), device.zeros(6).unwrap());
        lanes::launch(device, 1, &a, &b, &c, &mut o, &mut p, &mut q).unwrap();
        let min = i32::MIN;
        let o_expected = [
            Vec4::new(1.5, -1.0, 7.0, 2.0),
            Vec4::new(0.5, 3.0, 1.0, 3.75),
            Vec4::new(-1.0, -2.0, -3.0, -4.0),
            Vec4::new(4.0, 3.0, -1.0, 0.5),
        ];
        let p_expected = [
            Vec3::new(11, -1, min.wrapping_add(-4)),
            Vec3::new(3, -3, min),
            Vec3::new(1, -1, 0),
            Vec3::new(-7, 7, min),
        ];
        assert_eq!(o.read().unwrap(), o_expected, "on {}", device.name());
        assert_eq!(p.read().unwrap(), p_expected, "on {}", device.name());
        let q_expected = [
            Vec2::new(9, 1),
            Vec2::new(3, 2),
            Vec2::new(5, u32::MAX - 2),
            Vec2::new(!6, 0),
            Vec2::new(27, 5),
            Vec2::new(6, u32::MAX),
        ];
        assert_eq!(q.read().unwrap(), q_expected, "on {}", device.name());
    }
}

#[test]
fn vectors_pass_through_arguments_locals_and_arrays() {
    #[kernel(workgroup_size(4))]
    fn pass(scale: Vec2<f32>, shift: Vec3<u32>, x: &[Vec2<f32>], o: &mut [Vec2<f32>], n: &mut [u32]) {
        #[shared]
        let tile: [Vec2<f32>; 4];
        let i = local_index();
        tile[i] = x[i] * scale;
        workgroup_barrier();
        let other = tile[3 - i];
        let mut kept = [other; 3];
        kept[1] = kept[0] + kept[2];
        o[i] = kept[1];
        n[i] = shift.x + shift.y * 10 + shift.z * 100;
    }
    for device in crate::devices() {
        let x: Vec<_> = (0..4).map(|i| Vec2::new(i as f32, -1.0)).collect();
        let x = device.upload(&x).unwrap();
        let (mut o, mut n) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
        pass::launch(device, 4, Vec2::new(0.5, 3.0), Vec3::new(1, 2, 3), &x, &mut o, &mut n).unwrap();
        let expected = [3.0, 2.0, 1.0, 0.0].map(|x| Vec2::new(x, -6.0));
        assert_eq!(o.read().unwrap(), expected, "on {}", device.name());
        crate::same(device, &n, &[321; 4]);
    }
}

#[test]
fn casts_between_vectors_and_wide_integers() {
    #[kernel(workgroup_size(1))]
    fn casts(a: &[u64], v: &[Vec2<u32>], o: &mut [u64], p: &mut [Vec2<u32>], q: &mut [Vec4<u32>]) {
        p[0] = a[0] as Vec2<u32>;
        o[0] = v[0] as u64;
        p[1] = 7u32 as Vec2<u32>;
        q[0] = 9u32 as Vec4<u32>;
        p[2] = Vec4::new(1u32, 2, 3, 4) as Vec2<u32>;
    }
    for device in crate::devices() {
        let a = device.upload(&[0x0123_4567_89ab_cdefu64]).unwrap();
        let v = device.upload(&[Vec2::new(5u32, 6)]).unwrap();
        let (mut o, mut p, mut q) = (device.zeros(1).unwrap(), device.zeros(3).unwrap(), device.zeros(1).unwrap());
        casts::launch(device, 1, &a, &v, &mut o, &mut p, &mut q).unwrap();
        crate::same(device, &o, &[6 << 32 | 5]);
        let p_expected = [Vec2::new(0x89ab_cdef, 0x0123_4567), Vec2::new(7, 7), Vec2::new(1, 2)];
        assert_eq!(p.read().unwrap(), p_expected, "on {}", device.name());
        assert_eq!(q.read().unwrap(), [Vec4::new(9, 9, 9, 9)], "on {}", device.name());
    }
}

#[test]
fn an_assignment_by_an_operator_finds_its_place_first() {
    #[kernel(workgroup_size(1))]
    fn places(o: &mut [Vec2<u32>]) {
        let mut i = 0;
        let mut a = [Vec2::splat(0u32); 2];
        a[i] += {
            i = 1;
            Vec2::splat(5)
        };
        o[0] = a[0];
        o[1] = a[1];
        let mut k = 2;
        o[k] += {
            k = 3;
            Vec2::new(7, i as u32)
        };
        o[4].x = k as u32;
    }
    for device in crate::devices() {
        let mut o = device.zeros(5).unwrap();
        places::launch(device, 1, &mut o).unwrap();
        let expected = [[5, 5], [0, 0], [7, 1], [0, 0], [3, 0]].map(Vec2::from);
        assert_eq!(o.read().unwrap(), expected, "on {}", device.name());
    }
}
