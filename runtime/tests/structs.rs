//! Structs and arrays as elements of buffers and as arguments, over kernels that are text.
//!
//! The implementations are what the derive for structs writes. Expected values are what the
//! fields of plain Rust structs have.

mod devices;

use devices::devices;
use samebits::__private::{Arg, Kernel, ir::text};
use samebits::prelude::*;
use types::{Body, Camera, Cell, Ray, Rgb};

/// Structs as programs have them.
mod types {
    use samebits::prelude::{Vec2, Vec3};

    macro_rules! elements {
        ($($name:ident { $($field:ident: $ty:ty,)* })*) => { $(
            #[derive(Clone, Copy, PartialEq, Debug)]
            #[repr(C)]
            pub struct $name { $(pub $field: $ty,)* }

            // SAFETY: zero is a value of every field, all of which are elements.
            unsafe impl ::samebits::__private::bytemuck::Zeroable for $name {}
            // SAFETY: every field is an element and the struct is `repr(C)`; the assertion below
            // says that there is no padding.
            unsafe impl ::samebits::__private::bytemuck::Pod for $name {}
            impl ::samebits::__private::Sealed for $name {}
            // SAFETY: the shape lists the fields of a `repr(C)` struct in order.
            unsafe impl ::samebits::Element for $name {
                const SHAPE: ::samebits::__private::Shape = ::samebits::__private::Shape::Struct {
                    name: stringify!($name),
                    fields: &[$(::samebits::__private::Field {
                        name: stringify!($field),
                        shape: <$ty as ::samebits::Element>::SHAPE,
                    }),*],
                };
            }
            impl ::samebits::__private::Argument for $name {
                fn argument(self) -> ::samebits::__private::Arg<'static> {
                    ::samebits::__private::Arg::parts([
                        $(::samebits::__private::Argument::argument(self.$field)),*
                    ])
                }
            }
            const _: () = assert!(<$name as ::samebits::Element>::SHAPE.bytes() == size_of::<$name>());
        )* };
    }

    elements! {
        Ray { origin: Vec3<f32>, dir: Vec3<f32>, }
        Body { path: Ray, weights: [[f32; 2]; 3], id: u32, }
        Cell { key: u64, count: u32, tag: u16, low: u8, high: u8, }
        Rgb { r: u8, g: u8, b: u8, }
        Camera { eye: Vec3<f32>, zoom: f32, rays: [Ray; 2], clip: [Vec2<u32>; 2], frame: u64, mode: i8, flags: [u8; 7], }
    }

    /// Another struct with the name of one above.
    pub mod other {
        use samebits::prelude::Vec3;
        elements! { Ray { origin: Vec3<f32>, towards: Vec3<f32>, } }
    }
}

/// The declarations of the structs in the IR.
const STRUCTS: &str = "
struct Ray { origin: vec3<f32>, dir: vec3<f32> }
struct Body { path: Ray, weights: [[f32; 2]; 3], id: u32 }
struct Cell { key: u64, count: u32, tag: u16, low: u8, high: u8 }
struct Rgb { r: u8, g: u8, b: u8 }
";

/// The kernel of a text after the declarations.
#[track_caller]
fn kernel(source: &str) -> Kernel {
    let module = text::parse(&format!("{STRUCTS}{source}")).expect("a text that parses");
    Kernel::from_module(&module, 0).expect("a module that passes the checks")
}

fn ray(n: f32) -> Ray {
    Ray { origin: Vec3::new(n, n + 1.0, n + 2.0), dir: Vec3::new(0.5 * n, -n, 8.0) }
}

fn body(n: u8) -> Body {
    let at = f32::from(n) * 10.0;
    let weights = [[at, at + 1.0], [at + 2.0, at + 3.0], [at + 4.0, at + 5.0]];
    Body { path: ray(at + 6.0), weights, id: u32::from(n) }
}

#[test]
fn a_field_is_loaded_and_stored_and_the_others_stay() {
    let advance = kernel(
        "func kernel workgroup_size(4, 1, 1) @advance(%t: f32, @rays: mut [Ray]) {
           %i = global_id.x
           %origin = load vec3<f32> @rays[%i * 24]
           %dir = load vec3<f32> @rays[%i * 24] + 12
           %times = vec %t, %t, %t
           %way = mul %dir, %times
           %to = add %origin, %way
           store @rays[%i * 24], %to
           ret
         }",
    );
    let rays = [1.0, 2.0, 3.0, 4.0, 5.0].map(ray);
    let expected = rays.map(|Ray { origin: o, dir: d }| Ray {
        origin: Vec3::new(o.x + d.x * 4.0, o.y + d.y * 4.0, o.z + d.z * 4.0),
        dir: d,
    });
    for device in devices() {
        let mut buffer = device.upload(&rays).unwrap();
        advance.launch(&device, rays.len(), &[Arg::scalar(4.0f32), Arg::buffer_mut(&mut buffer)]).unwrap();
        assert_eq!(buffer.read().unwrap(), expected, "{}", device.name());
    }
}

#[test]
fn a_field_of_a_struct_in_a_struct_has_its_place() {
    let turn = kernel(
        "func kernel workgroup_size(2, 1, 1) @turn(@bodies: mut [Body]) {
           %i = global_id.x
           %dir = load vec3<f32> @bodies[%i * 52] + 12
           %id = load u32 @bodies[%i * 52] + 48
           %back = neg %dir
           %next = add %id, 100u32
           store @bodies[%i * 52] + 12, %back
           store @bodies[%i * 52] + 48, %next
           ret
         }",
    );
    let bodies = [body(1), body(2)];
    let expected = bodies.map(|mut body| {
        let Vec3 { x, y, z } = body.path.dir;
        body.path.dir = Vec3::new(-x, -y, -z);
        body.id += 100;
        body
    });
    for device in devices() {
        let mut buffer = device.upload(&bodies).unwrap();
        turn.launch(&device, 2, &[Arg::buffer_mut(&mut buffer)]).unwrap();
        assert_eq!(buffer.read().unwrap(), expected, "{}", device.name());
    }
}

/// Loads `bodies[i].weights[row][column]` and stores it doubled.
fn double_weight() -> Kernel {
    kernel(
        "func kernel workgroup_size(2, 1, 1) @double(%row: u32, %column: u32, @bodies: mut [Body], @out: mut [f32]) {
           %i = global_id.x
           %weight = load f32 @bodies[%i * 52][%row * 8 < 3][%column * 4 < 2] + 24
           store @out[%i], %weight
           %twice = add %weight, %weight
           store @bodies[%i * 52][%row * 8 < 3][%column * 4 < 2] + 24, %twice
           ret
         }",
    )
}

#[test]
fn arrays_in_structs_are_indexed_by_variables() {
    let double = double_weight();
    for device in devices() {
        for (row, column) in [(0u32, 0u32), (1, 1), (2, 0), (2, 1)] {
            let bodies = [body(3), body(4)];
            let mut buffer = device.upload(&bodies).unwrap();
            let mut out = device.zeros::<f32>(2).unwrap();
            let args = [Arg::scalar(row), Arg::scalar(column), Arg::buffer_mut(&mut buffer), Arg::buffer_mut(&mut out)];
            double.launch(&device, 2, &args).unwrap();
            let at = |body: &Body| body.weights[row as usize][column as usize];
            assert_eq!(out.read().unwrap(), bodies.each_ref().map(at), "{}", device.name());
            let expected = bodies.map(|mut body| {
                body.weights[row as usize][column as usize] *= 2.0;
                body
            });
            assert_eq!(buffer.read().unwrap(), expected, "{}", device.name());
        }
    }
}

#[test]
fn an_index_past_an_array_in_a_struct_reaches_no_other_field() {
    let double = double_weight();
    for device in devices() {
        // The next row, the next field, the next element, none at all.
        for (row, column) in [(0u32, 2u32), (3, 0), (6, 1), (u32::MAX, 0), (0, u32::MAX)] {
            let bodies = [body(5), body(6)];
            let mut buffer = device.upload(&bodies).unwrap();
            let mut out = device.upload(&[-1.0f32; 2]).unwrap();
            let args = [Arg::scalar(row), Arg::scalar(column), Arg::buffer_mut(&mut buffer), Arg::buffer_mut(&mut out)];
            double.launch(&device, 2, &args).unwrap();
            assert_eq!(out.read().unwrap(), [0.0; 2], "{}, [{row}][{column}]", device.name());
            assert_eq!(buffer.read().unwrap(), bodies, "{}, [{row}][{column}]", device.name());
        }
    }
}

/// Loads the weight `[2][1]` and the id of an element and stores both plus one.
fn last_fields() -> Kernel {
    kernel(
        "func kernel workgroup_size(1, 1, 1) @last(%i: u32, @bodies: mut [Body], @out: mut [f32]) {
           %weight = load f32 @bodies[%i * 52] + 44
           %id = load u32 @bodies[%i * 52] + 48
           %number = cast %id to f32
           store @out, %weight
           store @out + 4, %number
           store @bodies[%i * 52] + 44, 1.0f32
           store @bodies[%i * 52] + 48, 1u32
           ret
         }",
    )
}

#[test]
fn an_element_out_of_bounds_loads_zero_and_takes_no_store() {
    let last = last_fields();
    for device in devices() {
        // Products of the last three with the size wrap to the first element.
        for index in [2u32, 3, 1 << 30, 1 << 31, u32::MAX] {
            let bodies = [body(7), body(8)];
            let mut buffer = device.upload(&bodies).unwrap();
            let mut out = device.upload(&[-1.0f32; 2]).unwrap();
            last.launch(&device, 1, &[Arg::scalar(index), Arg::buffer_mut(&mut buffer), Arg::buffer_mut(&mut out)])
                .unwrap();
            assert_eq!(out.read().unwrap(), [0.0; 2], "{}, {index}", device.name());
            assert_eq!(buffer.read().unwrap(), bodies, "{}, {index}", device.name());
        }
    }
}

#[test]
fn a_slice_of_structs_ends_before_its_neighbours() {
    let last = last_fields();
    for device in devices() {
        let mut buffer = device.upload(&[body(1), body(2), body(3)]).unwrap();
        let mut out = device.upload(&[-1.0f32; 2]).unwrap();
        {
            let mut middle = buffer.slice_mut(1..2).unwrap();
            for index in [0u32, 1] {
                last.launch(&device, 1, &[Arg::scalar(index), Arg::buffer_mut(&mut middle), Arg::buffer_mut(&mut out)])
                    .unwrap();
            }
        }
        let mut changed = body(2);
        (changed.weights[2][1], changed.id) = (1.0, 1);
        assert_eq!(buffer.read().unwrap(), [body(1), changed, body(3)], "{}", device.name());
        assert_eq!(out.read().unwrap(), [0.0; 2], "{}", device.name());
    }
}

#[test]
fn no_element_of_an_empty_buffer_can_be_reached() {
    // 400 bytes: longer than the memory of an empty buffer.
    let copy = kernel(
        "func kernel workgroup_size(1, 1, 1) @copy(@x: [[f32; 100]], @y: mut [[f32; 100]], @out: mut [u32]) {
           %i = global_id.x
           %a = load f32 @x[%i * 400] + 396
           %b = load f32 @y[%i * 400] + 396
           store @y[%i * 400] + 396, 1.0f32
           %sum = add %a, %b
           %bits = bitcast %sum to u32
           store @out, %bits
           ret
         }",
    );
    for device in devices() {
        let x = device.zeros::<[f32; 100]>(0).unwrap();
        let mut y = device.zeros::<[f32; 100]>(0).unwrap();
        let mut out = device.upload(&[7u32]).unwrap();
        copy.launch(&device, 1, &[Arg::buffer(&x), Arg::buffer_mut(&mut y), Arg::buffer_mut(&mut out)]).unwrap();
        assert_eq!(out.read().unwrap(), [0], "{}", device.name());
    }
}

#[test]
fn fields_below_a_length_are_not_tested_where_the_launch_allows_that() {
    let guarded = kernel(
        "func kernel workgroup_size(4, 1, 1) @guarded(%row: u32, @bodies: mut [Body], @rays: mut [Ray]) {
           %i = global_id.x
           %n = len @bodies
           %in = lt %i, %n
           if %in {
             %origin = load vec3<f32> @bodies[%i * 52]
             %weight = load f32 @bodies[%i * 52][%row * 8 < 3] + 28
             %dir = vec %weight, %weight, %weight
             store @rays[%i * 24], %origin
             store @rays[%i * 24] + 12, %dir
           }
           ret
         }",
    );
    let report = guarded.report().unwrap();
    assert_eq!((report.accesses, report.proven), (4, 1));
    assert_eq!(report.conditions, ["2 >= row", "rays.len() >= bodies.len()"]);
    let bodies = [1, 2, 3].map(body);
    for device in devices() {
        // Launches that fulfil both conditions, one of them, and none.
        for (row, len) in [(1u32, 3), (1, 2), (3, 3), (3, 2)] {
            let mut from = device.upload(&bodies).unwrap();
            let mut to = device.zeros::<Ray>(len).unwrap();
            guarded
                .launch(&device, 3, &[Arg::scalar(row), Arg::buffer_mut(&mut from), Arg::buffer_mut(&mut to)])
                .unwrap();
            let weight = |body: &Body| body.weights.get(row as usize).map_or(0.0, |row| row[1]);
            let turned = |body: &Body| {
                let weight = weight(body);
                Ray { origin: body.path.origin, dir: Vec3::new(weight, weight, weight) }
            };
            let expected: Vec<Ray> = bodies[..len].iter().map(turned).collect();
            assert_eq!(to.read().unwrap(), expected, "{}, {row} of {len}", device.name());
        }
    }
}

#[test]
fn fields_of_8_to_64_bits_lie_side_by_side() {
    let bump = kernel(
        "func kernel workgroup_size(4, 1, 1) @bump(@cells: mut [Cell]) {
           %i = global_id.x
           %key = load u64 @cells[%i * 16]
           %tag = load u16 @cells[%i * 16] + 12
           %low = load u8 @cells[%i * 16] + 14
           %high = load u8 @cells[%i * 16] + 15
           %key.1 = mul %key, 3u64
           %tag.1 = sub %tag, 1u16
           store @cells[%i * 16], %key.1
           store @cells[%i * 16] + 12, %tag.1
           store @cells[%i * 16] + 14, %high
           store @cells[%i * 16] + 15, %low
           ret
         }",
    );
    let cells: [Cell; 7] = std::array::from_fn(|i| {
        let n = i as u8;
        Cell { key: 0x1234_5678_9abc_def0 >> n, count: 1000 + u32::from(n), tag: u16::from(n), low: n, high: 0xf0 | n }
    });
    let expected = cells.map(|cell| Cell {
        key: cell.key.wrapping_mul(3),
        count: cell.count,
        tag: cell.tag.wrapping_sub(1),
        low: cell.high,
        high: cell.low,
    });
    for device in devices() {
        let mut buffer = device.upload(&cells).unwrap();
        bump.launch(&device, cells.len(), &[Arg::buffer_mut(&mut buffer)]).unwrap();
        assert_eq!(buffer.read().unwrap(), expected, "{}", device.name());
    }
}

#[test]
fn elements_of_three_bytes_share_words_with_their_neighbours() {
    let rotate = kernel(
        "func kernel workgroup_size(64, 1, 1) @rotate(@x: mut [Rgb]) {
           %i = global_id.x
           %r = load u8 @x[%i * 3]
           %g = load u8 @x[%i * 3] + 1
           %b = load u8 @x[%i * 3] + 2
           store @x[%i * 3], %g
           store @x[%i * 3] + 1, %b
           store @x[%i * 3] + 2, %r
           ret
         }",
    );
    let pixel = |i: usize| Rgb { r: i as u8, g: (3 * i) as u8, b: !(i as u8) };
    for device in devices() {
        for len in [1, 2, 3, 5, 130] {
            let pixels: Vec<Rgb> = (0..len).map(pixel).collect();
            let mut buffer = device.upload(&pixels).unwrap();
            rotate.launch(&device, len, &[Arg::buffer_mut(&mut buffer)]).unwrap();
            let expected: Vec<Rgb> = pixels.iter().map(|p| Rgb { r: p.g, g: p.b, b: p.r }).collect();
            assert_eq!(buffer.read().unwrap(), expected, "{} of {len}", device.name());
        }
    }
}

#[test]
fn one_buffer_is_structs_to_one_kernel_and_words_to_another() {
    let store = kernel(
        "func kernel workgroup_size(1, 1, 1) @store(@cells: mut [Cell]) {
           %i = global_id.x
           store @cells[%i * 16], 0x1111222233334444u64
           store @cells[%i * 16] + 8, 0x55556666u32
           store @cells[%i * 16] + 12, 0x7777u16
           store @cells[%i * 16] + 14, 0x88u8
           store @cells[%i * 16] + 15, 0x99u8
           ret
         }",
    );
    #[kernel(workgroup_size(4))]
    fn flip(words: &mut [u32]) {
        let i = global_id().x;
        words[i] = !words[i];
    }
    for device in devices() {
        let mut words = device.zeros::<u32>(8).unwrap();
        store.launch(&device, 2, &[Arg::buffer_mut(&mut words.view_mut::<Cell>().unwrap())]).unwrap();
        let stored = [0x3333_4444, 0x1111_2222, 0x5555_6666, 0x9988_7777];
        assert_eq!(words.read().unwrap(), [stored, stored].concat(), "{}", device.name());
        flip::launch(&device, 8, &mut words).unwrap();
        let [key, count] = [!0x1111_2222_3333_4444, 0xaaaa_9999];
        let cell = Cell { key, count: count as u32, tag: 0x8888, low: 0x77, high: 0x66 };
        assert_eq!(words.view::<Cell>().unwrap().read().unwrap(), [cell, cell], "{}", device.name());
    }
}

#[test]
fn arrays_are_elements_too() {
    let sum = kernel(
        "func kernel workgroup_size(1, 1, 1) @sum(@rows: [[u32; 3]], %column: u32, @out: mut [u32]) {
           %i = global_id.x
           %cell = load u32 @rows[%i * 12][%column * 4 < 3]
           store @out[%i], %cell
           ret
         }",
    );
    for device in devices() {
        let rows = device.upload(&[[1u32, 2, 3], [4, 5, 6]]).unwrap();
        let mut out = device.zeros::<u32>(3).unwrap();
        sum.launch(&device, 3, &[Arg::buffer(&rows), Arg::scalar(1u32), Arg::buffer_mut(&mut out)]).unwrap();
        assert_eq!(out.read().unwrap(), [2, 5, 0], "{}", device.name());
    }
}

#[test]
fn large_elements_are_filled_and_read() {
    type Page = [u32; 1 << 18];
    for device in devices() {
        let mut pages = device.zeros::<Page>(3).unwrap();
        pages.view_mut::<u32>().unwrap().fill(5).unwrap();
        let page: Vec<Page> = pages.read_range(1..2).unwrap();
        pages.slice_mut(..2).unwrap().write(0, &page).unwrap();
        assert!(pages.read().unwrap().iter().flatten().all(|word| *word == 5), "{}", device.name());
        type Row = [u32; 20_000];
        let mut rows = device.zeros::<Row>(3).unwrap();
        rows.fill([9; 20_000]).unwrap();
        assert!(rows.read().unwrap().iter().flatten().all(|word| *word == 9), "{}", device.name());
    }
}

/// The parameters that a `camera: Camera` has, in order.
const CAMERA: &str = "%camera.eye: vec3<f32>, %camera.zoom: f32,
    %camera.rays.0.origin: vec3<f32>, %camera.rays.0.dir: vec3<f32>,
    %camera.rays.1.origin: vec3<f32>, %camera.rays.1.dir: vec3<f32>,
    %camera.clip.0: vec2<u32>, %camera.clip.1: vec2<u32>, %camera.frame: u64, %camera.mode: i8,
    %f0: u8, %f1: u8, %f2: u8, %f3: u8, %f4: u8, %f5: u8, %f6: u8";

fn camera() -> Camera {
    Camera {
        eye: Vec3::new(1.0, 2.0, 3.0),
        zoom: 4.0,
        rays: [ray(5.0), ray(6.0)],
        clip: [Vec2::new(7, 8), Vec2::new(9, 10)],
        frame: 11 << 40 | 12,
        mode: -13,
        flags: [14, 15, 16, 17, 18, 19, 20],
    }
}

/// Stores the camera between two words, if its leaves come in order.
fn snap() -> Kernel {
    kernel(&format!(
        "struct Camera {{ eye: vec3<f32>, zoom: f32, rays: [Ray; 2], clip: [vec2<u32>; 2], frame: u64, mode: i8,
           flags: [u8; 7] }}
         func kernel workgroup_size(1, 1, 1) @snap(%first: u32, {CAMERA}, @out: mut [Camera], @ends: mut [u32], %last: u32) {{
           store @ends, %first
           store @ends + 4, %last
           store @out, %camera.eye
           store @out + 12, %camera.zoom
           store @out + 16, %camera.rays.0.origin
           store @out + 28, %camera.rays.0.dir
           store @out + 40, %camera.rays.1.origin
           store @out + 52, %camera.rays.1.dir
           store @out + 64, %camera.clip.0
           store @out + 72, %camera.clip.1
           store @out + 80, %camera.frame
           store @out + 88, %camera.mode
           store @out + 89, %f0
           store @out + 90, %f1
           store @out + 91, %f2
           store @out + 92, %f3
           store @out + 93, %f4
           store @out + 94, %f5
           store @out + 95, %f6
           ret
         }}"
    ))
}

#[test]
fn a_struct_is_passed_as_its_leaves_in_order() {
    let snap = snap();
    for device in devices() {
        let mut out = device.zeros::<Camera>(1).unwrap();
        let mut ends = device.zeros::<u32>(2).unwrap();
        let [first, last] = [Arg::scalar(21u32), Arg::scalar(22u32)];
        let args = [first, Arg::scalar(camera()), Arg::buffer_mut(&mut out), Arg::buffer_mut(&mut ends), last];
        snap.launch(&device, 1, &args).unwrap();
        assert_eq!(out.read().unwrap(), [camera()], "{}", device.name());
        assert_eq!(ends.read().unwrap(), [21, 22], "{}", device.name());
    }
}

#[test]
fn an_array_of_structs_is_passed_element_by_element() {
    let subtract = kernel(
        "func kernel workgroup_size(1, 1, 1) @subtract(
           %cells.0.key: u64, %cells.0.count: u32, %cells.0.tag: u16, %cells.0.low: u8, %cells.0.high: u8,
           %cells.1.key: u64, %cells.1.count: u32, %cells.1.tag: u16, %cells.1.low: u8, %cells.1.high: u8,
           @out: mut [Cell]) {
           %key = sub %cells.0.key, %cells.1.key
           %count = sub %cells.0.count, %cells.1.count
           %tag = sub %cells.0.tag, %cells.1.tag
           %low = sub %cells.0.low, %cells.1.low
           %high = sub %cells.0.high, %cells.1.high
           store @out, %key
           store @out + 8, %count
           store @out + 12, %tag
           store @out + 14, %low
           store @out + 15, %high
           ret
         }",
    );
    let cells = [
        Cell { key: 5 << 33, count: 40, tag: 300, low: 7, high: 99 },
        Cell { key: 1 << 33, count: 9, tag: 299, low: 2, high: 100 },
    ];
    for device in devices() {
        let mut out = device.zeros::<Cell>(1).unwrap();
        subtract.launch(&device, 1, &[Arg::scalar(cells), Arg::buffer_mut(&mut out)]).unwrap();
        let expected = Cell { key: 4 << 33, count: 31, tag: 1, low: 5, high: 255 };
        assert_eq!(out.read().unwrap(), [expected], "{}", device.name());
    }
}

#[test]
fn a_launch_with_structs_is_compared_leaf_by_leaf() {
    let snap = snap();
    let device = Device::interpreter();
    let mut out = device.zeros::<Camera>(1).unwrap();
    let mut ends = device.zeros::<u32>(2).unwrap();
    let text = |args: &[Arg<'_>]| snap.launch(&device, 1, args).unwrap_err().to_string();
    let mut with = |args: Vec<Arg<'static>>| {
        let rest = [Arg::buffer_mut(&mut out), Arg::buffer_mut(&mut ends), Arg::scalar(0u32)];
        text(&args.into_iter().chain(rest).collect::<Vec<_>>())
    };
    assert_eq!(
        with(vec![Arg::scalar(0u32), Arg::scalar(camera().rays)]),
        "kernel `snap` takes 21 arguments, but 8 were passed"
    );
    // The first ray in the place of the eye and the zoom, and the rest filled up.
    let shifted = |second| vec![Arg::scalar(0u32), second, Arg::scalar([0u32; 15])];
    let first = shifted(Arg::scalar(ray(1.0)));
    assert_eq!(with(first), "kernel `snap`, argument `camera.zoom`: expected `f32`, found `vec3<f32>`");
    let second = shifted(Arg::parts([Arg::scalar(camera().eye), Arg::scalar(1.0f32)]));
    assert_eq!(with(second), "kernel `snap`, argument `camera.rays.0.origin`: expected `vec3<f32>`, found `u32`");
}

#[test]
fn a_usize_in_an_array_that_is_too_large_is_named() {
    let add = kernel(
        "func kernel workgroup_size(1, 1, 1) @add(%sizes.0: u32, %sizes.1: u32, @out: mut [u32]) {
           %sum = add %sizes.0, %sizes.1
           store @out, %sum
           ret
         }",
    );
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        let launch = |sizes: [usize; 2], out: &mut Buffer<u32>| {
            add.launch(&device, 1, &[Arg::scalar(sizes), Arg::buffer_mut(out)])
        };
        launch([1, 2], &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [3], "{}", device.name());
        assert_eq!(
            launch([1, 1 << 32], &mut out).unwrap_err().to_string(),
            "kernel `add`, argument `sizes.1`: 4294967296 was passed, but a `usize` is at most 4294967295 on a device"
        );
    }
}

#[test]
fn a_buffer_of_other_elements_is_refused_by_its_name() {
    let count = kernel(
        "func kernel workgroup_size(1, 1, 1) @count(@rays: [Ray], @out: mut [u32]) {
           %n = len @rays
           store @out, %n
           ret
         }",
    );
    let device = Device::interpreter();
    let mut out = device.zeros::<u32>(1).unwrap();
    let mut text =
        |rays: Arg<'_>| count.launch(&device, 1, &[rays, Arg::buffer_mut(&mut out)]).unwrap_err().to_string();
    let expected = "kernel `count`, argument `rays`: expected a buffer of `Ray`, found";
    let bodies = device.zeros::<Body>(1).unwrap();
    assert_eq!(text(Arg::buffer(&bodies)), format!("{expected} a buffer of `Body`"));
    let others = device.zeros::<types::other::Ray>(1).unwrap();
    assert_eq!(text(Arg::buffer(&others)), format!("{expected} a buffer of `Ray` with other fields"));
    let arrays = device.zeros::<[Ray; 2]>(1).unwrap();
    assert_eq!(text(Arg::buffer(&arrays)), format!("{expected} a buffer of `[Ray; 2]`"));
    assert_eq!(text(Arg::scalar(1u32)), format!("{expected} `u32`"));
    let rays = device.zeros::<Ray>(3).unwrap();
    count.launch(&device, 1, &[Arg::buffer(&rays), Arg::buffer_mut(&mut out)]).unwrap();
    assert_eq!(out.read().unwrap(), [3]);
}
