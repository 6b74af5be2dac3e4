//! Structs: in buffers, as arguments, as locals and in workgroup memory, with their patterns
//! and bounds, against plain Rust.

use crate::twins;
use samebits::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Ray {
    pub origin: Vec3<f32>,
    pub dir: Vec3<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Cell {
    pub low: u32,
    pub list: [u32; 3],
    pub high: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Small(pub u8, pub i8, pub u16, pub f32, pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Body {
    pub path: Ray,
    pub cells: [Cell; 2],
    pub m: [[i16; 2]; 3],
    pub id: u32,
    pub small: Small,
}

fn v(n: f32) -> Vec3<f32> {
    Vec3::new(n, n + 1.0, n + 2.0)
}

fn ray(n: f32) -> Ray {
    Ray { origin: v(n), dir: v(-2.0 * n) }
}

fn cell(n: u32) -> Cell {
    Cell { low: n, list: [n + 1, n + 2, n + 3], high: n + 4 }
}

fn body(n: u8) -> Body {
    let i = i16::from(n);
    Body {
        path: ray(f32::from(n)),
        cells: [cell(n.into()), cell(100 + u32::from(n))],
        m: [[i, -i], [i * 2, -i * 2], [i * 3, -i * 3]],
        id: 7 * u32::from(n),
        small: Small(n, -3, 40_000, 0.5, u64::MAX - u64::from(n)),
    }
}

/// Compares what a buffer of structs holds.
#[track_caller]
fn same<T: Element + std::fmt::Debug + PartialEq>(device: &Device, buffer: &Buffer<T>, expected: &[T]) {
    assert_eq!(buffer.read().unwrap(), expected, "on {}", device.name());
}

#[kernel(workgroup_size(2))]
fn edited(n: u32, bodies: &mut [Body]) {
    let i = local_id().x;
    bodies[i].path.origin.y += 10.0;
    bodies[i].path.dir = bodies[i].path.origin.zyx();
    bodies[i].cells[i].list[2 - i] = n;
    bodies[i].cells[1 - i].high *= 2;
    bodies[i].m[i + 1][1] -= 5;
    bodies[i].small.1 = bodies[i].small.1 * 2;
    bodies[i].small.4 += 3;
    bodies[i].small.3 = bodies[i].path.dir.xz().y;
    let mut whole = bodies[i + 2];
    whole.id = bodies[i].id + 1;
    whole.m[0] = whole.m[2];
    bodies[i + 2] = whole;
}

#[test]
fn fields_at_any_depth_are_loaded_and_stored_and_their_neighbours_stay() {
    let mut expected = [1, 2, 3, 4, 5].map(body);
    let before = expected;
    for i in 0..2 {
        let b = &mut expected[i];
        b.path.origin.y += 10.0;
        b.path.dir = Vec3::new(b.path.origin.z, b.path.origin.y, b.path.origin.x);
        b.cells[i].list[2 - i] = 66;
        b.cells[1 - i].high *= 2;
        b.m[i + 1][1] -= 5;
        b.small.1 *= 2;
        b.small.4 = b.small.4.wrapping_add(3);
        b.small.3 = b.path.dir.z;
        expected[i + 2].id = expected[i].id + 1;
        expected[i + 2].m[0] = expected[i + 2].m[2];
    }
    for device in crate::devices() {
        let mut bodies = device.upload(&before).unwrap();
        edited::launch(device, 2, 66, &mut bodies).unwrap();
        same(device, &bodies, &expected);
    }
}

#[kernel(workgroup_size(1))]
fn dynamic(at: &[u32], cells: &mut [Cell], o: &mut [u32]) {
    let k = global_id().x;
    let i = at[2 * k] as usize;
    let j = at[2 * k + 1] as usize;
    // No two of `at` are one place.
    let mut copy = unsafe {
        o[k * 2] = cells[i].list[j];
        cells[i].list[j] = 1000 + k as u32;
        cells[i]
    };
    copy.list[j] += 1;
    o[k * 2 + 1] = copy.list[j] * 10 + (copy.list[0] + copy.list[1] + copy.list[2] + copy.low + copy.high) % 10;
}

#[test]
fn an_index_out_of_bounds_inside_of_a_struct_hits_no_neighbour() {
    let at = [(0, 0), (1, 2), (2, 3), (3, u32::MAX), (4, 1 << 30), (5, 4), (8, 1), (u32::MAX, 0), (6, 0x5555_5555)];
    let mut expected = [0, 10, 20, 30, 40, 50, 60].map(cell);
    let before = expected;
    let (mut loaded, mut copied) = (Vec::new(), Vec::new());
    for (k, (i, j)) in at.into_iter().enumerate() {
        let (i, j) = (i as usize, j as usize);
        let mut copy = Cell { low: 0, list: [0; 3], high: 0 };
        loaded.push(expected.get(i).and_then(|cell| cell.list.get(j)).copied().unwrap_or(0));
        if let Some(cell) = expected.get_mut(i) {
            if let Some(item) = cell.list.get_mut(j) {
                *item = 1000 + k as u32;
            }
            copy = *cell;
        }
        if let Some(item) = copy.list.get_mut(j) {
            *item += 1;
        }
        let sum = copy.list.iter().sum::<u32>() + copy.low + copy.high;
        copied.push(copy.list.get(j).copied().unwrap_or(0) * 10 + sum % 10);
    }
    let pairs: Vec<u32> = at.iter().flat_map(|(i, j)| [*i, *j]).collect();
    for device in crate::devices() {
        let mut cells = device.upload(&before).unwrap();
        let mut o = device.zeros::<u32>(2 * at.len()).unwrap();
        dynamic::launch(device, at.len(), &device.upload(&pairs).unwrap(), &mut cells, &mut o).unwrap();
        same(device, &cells, &expected);
        crate::same(
            device,
            &o,
            &loaded.iter().zip(&copied).flat_map(|(one, other)| [*one, *other]).collect::<Vec<u32>>(),
        );
    }
}

#[kernel(workgroup_size(1))]
fn whole_out_of_bounds(at: u32, bodies: &mut [Body], o: &mut [Body]) {
    let other = bodies[1];
    let i = at as usize;
    bodies[i] = other;
    bodies[i].path.dir.y = 5.0;
    bodies[i].cells[1].list[0] = 3;
    o[0] = bodies[i];
}

#[test]
fn a_whole_struct_out_of_bounds_is_zero_and_is_not_stored() {
    let bodies = [1, 2].map(body);
    for device in crate::devices() {
        for at in [2, 3, 1 << 26, u32::MAX] {
            let mut buffer = device.upload(&bodies).unwrap();
            let mut o = device.upload(&[body(9)]).unwrap();
            whole_out_of_bounds::launch(device, 1, at, &mut buffer, &mut o).unwrap();
            same(device, &buffer, &bodies);
            let zero = Small(0, 0, 0, 0.0, 0);
            let none = Cell { low: 0, list: [0; 3], high: 0 };
            let path = Ray { origin: Vec3::new(0.0, 0.0, 0.0), dir: Vec3::new(0.0, 0.0, 0.0) };
            same(device, &o, &[Body { path, cells: [none; 2], m: [[0; 2]; 3], id: 0, small: zero }]);
        }
    }
}

#[kernel(workgroup_size(1))]
fn by_value(a: Body, n: u32, c: Cell, s: Small, o: &mut [u32], bodies: &mut [Body]) {
    let i = n as usize;
    o[0] = a.cells[i].list[i + 1] + a.id;
    o[1] = c.list[i] * 1000 + c.low + c.high;
    o[2] = (a.m[i + 1][i] as i32 + 100) as u32;
    o[3] = s.0 as u32 + (s.1 as i32 + 10) as u32 + s.2 as u32;
    o[4] = (a.path.dir.y + a.path.origin.z + s.3) as i32 as u32;
    o[5] = (s.4 >> 32) as u32;
    o[6] = a.cells[i + 1].list[i] + c.list[i + 5];
    bodies[0] = a;
    bodies[1] = Body { cells: [c, a.cells[0]], small: s, ..a };
}

#[test]
fn structs_with_arrays_are_arguments_of_kernels() {
    let (a, c, s) = (body(3), cell(50), Small(1, 2, 3, 4.5, 5 << 33));
    // The second cell is 103, [104, 105, 106], 107; `dir` is (-6, -5, -4), `origin` ends in 5.
    let expected = [106 + 21, 52 * 1000 + 50 + 54, 100 - 9, 1 + 12 + 3, 4, 10, 0];
    for device in crate::devices() {
        let mut o = device.zeros::<u32>(7).unwrap();
        let mut bodies = device.upload(&[body(0), body(1), body(2)]).unwrap();
        by_value::launch(device, 1, a, 1, c, s, &mut o, &mut bodies).unwrap();
        crate::same(device, &o, &expected);
        same(device, &bodies, &[a, Body { cells: [c, a.cells[0]], small: s, ..a }, body(2)]);
    }
}

#[kernel(workgroup_size(4))]
fn shared_structs(cells: &mut [Cell]) {
    #[shared]
    let tile: [Cell; 4];
    #[shared]
    let one: Cell;
    let lane = local_id().x;
    tile[lane] = cells[global_id().x];
    tile[lane].list[lane] = 7;
    if lane == 2 {
        one.list[lane - 1] = 9;
    }
    workgroup_barrier();
    let mut mine = tile[3 - lane];
    mine.low = one.list[1] + one.high;
    tile[3 - lane].list[lane + 5] = 1;
    cells[global_id().x] = mine;
}

#[test]
fn structs_in_workgroup_memory_start_zeroed_and_are_shared() {
    let cells: Vec<Cell> = (0..8).map(|i| cell(i * 10)).collect();
    let mut expected = Vec::new();
    for group in cells.chunks(4) {
        for lane in 0..4 {
            let mut mine = group[3 - lane];
            if let Some(item) = mine.list.get_mut(3 - lane) {
                *item = 7;
            }
            mine.low = 9;
            expected.push(mine);
        }
    }
    for device in crate::devices() {
        let mut buffer = device.upload(&cells).unwrap();
        shared_structs::launch(device, 8, &mut buffer).unwrap();
        same(device, &buffer, &expected);
    }
}

#[kernel(workgroup_size(1))]
fn swizzled(rays: &mut [Ray], o: &mut [f32]) {
    let mut r = rays[0];
    o[0] = r.origin.zx().dot(r.dir.xy());
    r.dir.z += 1.5;
    r.dir = r.dir.yzx() * 2.0;
    let Ray { origin, dir } = r;
    o[1] = origin.x + dir.y;
    rays[1] = Ray { origin: r.dir.zzx(), ..r };
    rays[2].origin.x = rays[1].dir.xx().y;
}

twins! {
    literals_and_patterns_of_structs([2, 3, 4, 5]);
    { struct Inner { pub x: u32, pub y: u32 } }
    { struct Outer { pub a: u32, pub inner: Inner, pub list: [u32; 2], pub t: Pair } }
    { struct Pair(pub u32, pub i32); }
    { fn make(n: u32) -> Outer { Outer { list: [n, n + 1], a: n, t: Pair(n * 2, -5), inner: Inner { y: n + 5, x: n + 4 } } } }
    { fn take(outer: Outer) -> u32 {
        let Outer { inner: Inner { x, y: renamed }, t: Pair(p, q), list: [l, m], .. } = outer;
        x + renamed * 10 + p * 100 + l * 1000 + m * 10_000 + if q < 0 { 100_000 } else { 0 }
    } }
    kernel(x, o) {
        let first = make(x[0]);
        o[0] = take(first);
        let second = Outer { a: 7, inner: Inner { x: 1, ..first.inner }, ..first };
        o[1] = take(second) + second.a;
        let a = 90;
        let list = [a, 2];
        let third = Outer { a, list, ..make(x[3]) };
        o[2] = take(third) + third.a;
        let Outer { a: only, .. } = third;
        o[3] = only;
        let Outer { inner, t, .. } = third;
        o[4] = inner.x * 100 + t.0;
        let Pair(left, right) = make(5).t;
        o[5] = left * 100 - (right + 10) as u32;
        let (Inner { x: a, .. }, [_, b]) = (first.inner, second.list);
        o[6] = a * 10 + b;
        let mut changed = first;
        changed.inner = Inner { x: changed.inner.y, y: changed.inner.x };
        changed.list[x[0] as usize - 1] = 40;
        (changed.t.0, changed.a) = (changed.a, changed.t.0);
        o[7] = take(changed) + changed.a;
        o[8] = take(first) + first.a;
        let mut many = [first, second, third];
        many[x[0] as usize].inner.y = 77;
        many[1] = many[x[0] as usize];
        o[9] = take(many[0]) + take(many[1]);
        let list = [4, 5];
        let rows = [list, first.list, [8, 9]];
        let copies = [list; 3];
        let same = [Inner { x: 6, y: 7 }; 20];
        let tuples = [(1, [2, 3]), (4, list)];
        let row = tuples[1].1;
        o[12] = rows[0][1] * 1000 + rows[1][0] * 100 + rows[2][1] * 10 + copies[2][1];
        o[13] = same[19].y * 100 + same[0].x * 10 + tuples[0].0 + row[0];
        o[10] = take(Outer { a: 1, ..if x[1] == 3 { second } else { third } });
        let mut i = 0;
        let mut count = 0;
        while i < 3 {
            let mut fresh = Inner { x: 0, y: i };
            fresh.x += 1;
            count += fresh.x * 10 + fresh.y;
            i += 1;
        }
        o[11] = count;
    }
}

#[test]
fn vectors_in_structs_are_taken_apart() {
    for device in crate::devices() {
        let rays = [Ray { origin: Vec3::new(1.0, 2.0, 3.0), dir: Vec3::new(4.0, 5.0, 6.0) }, ray(0.0), ray(1.0)];
        let mut buffer = device.upload(&rays).unwrap();
        let mut o = device.zeros::<f32>(2).unwrap();
        swizzled::launch(device, 1, &mut buffer, &mut o).unwrap();
        let dir = Vec3::new(10.0, 15.0, 8.0);
        crate::same(device, &o, &[3.0 * 4.0 + 1.0 * 5.0, 16.0]);
        let last = Ray { origin: Vec3::new(10.0, 2.0, 3.0), ..ray(1.0) };
        same(device, &buffer, &[rays[0], Ray { origin: Vec3::new(8.0, 8.0, 10.0), dir }, last]);
    }
}

/// Words of shading languages and of Rust as names of fields and structs.
mod keywords {
    use samebits::prelude::*;

    macro_rules! with_fields {
        ($($field:ident)*) => {
            #[derive(Clone, Copy, Debug, PartialEq, Element)]
            #[repr(C)]
            pub struct Buffer { $(pub $field: u32),* }

            impl Buffer {
                /// Each field has the next number.
                pub fn counted() -> Self {
                    let mut n = 0;
                    Self { $($field: { n += 1; n }),* }
                }
            }

            #[kernel(workgroup_size(1))]
            pub(super) fn main(texture: Buffer, uniform: &[Buffer], out: &mut [Buffer]) {
                $(out[0].$field = texture.$field * 2 + uniform[0].$field;)*
                let Buffer { $($field),* } = out[0];
                out[1] = Buffer { $($field: $field + 1),* };
            }
        };
    }
    with_fields! {
        distance sample sin half default vec2 array atomic ptr packed uniform workgroup private function
        var discard switch float double int unsigned goto asm register template operator class this
        new delete namespace thread_idx constant thread kernel null precision highp flat input output
        r#struct r#loop r#match r#type x y z w xy xyz rgb length len main buffer texture
    }

    macro_rules! structs {
        ($($name:ident)*) => {
            $(
                #[derive(Clone, Copy, Debug, PartialEq, Element)]
                #[repr(C)]
                pub struct $name {
                    pub value: u32,
                }
            )*

            #[kernel(workgroup_size(1))]
            #[allow(unused_assignments)]
            pub(super) fn vec4(o: &mut [u32]) {
                let mut i = 0;
                $(
                    let value = $name { value: i as u32 + 5 };
                    o[i] = value.value;
                    i += 1;
                )*
            }
        };
    }
    structs! { Texture Sampler Texture2D Float4 Uint Global Params Args Main ConstantBuffer Bool }
}

#[test]
fn keywords_of_the_targets_are_names_of_fields() {
    let counted = keywords::Buffer::counted();
    for device in crate::devices() {
        let uniform = device.upload(&[counted]).unwrap();
        let mut out = device.upload(&[counted; 2]).unwrap();
        keywords::main::launch(device, 1, counted, &uniform, &mut out).unwrap();
        let words = out.view::<u32>().unwrap().read().unwrap();
        let n = words.len() as u32 / 2;
        let expected: Vec<u32> = (1..=n).map(|i| i * 3).chain((1..=n).map(|i| i * 3 + 1)).collect();
        assert_eq!(words, expected, "on {}", device.name());
    }
}

#[test]
fn keywords_of_the_targets_are_names_of_structs() {
    let expected: Vec<u32> = (5..16).collect();
    crate::expect(&expected, |device, out| keywords::vec4::launch(device, 1, out));
}
