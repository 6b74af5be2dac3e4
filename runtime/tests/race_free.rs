//! Kernels that are held to be free of races: what a launch must satisfy, and accesses whose races
//! their authors answer for, on each device.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn squares(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = (i * i) as u32;
    }
}

#[kernel(workgroup_size(8, 8))]
fn image(width: u32, height: u32, y: &mut [u32]) {
    let (column, row) = (global_id().x as u32, global_id().y as u32);
    if column < width && row < height {
        y[(row * width + column) as usize] = column;
    }
}

#[kernel(workgroup_size(64))]
fn marks(x: &[u32], words: &mut [u32], floats: &mut [f32], halves: &mut [u16], wide: &mut [Vec4<f32>]) {
    #[shared]
    let any: u32;
    let i = global_id().x;
    if i < x.len() && x[i] > 10 {
        unsafe {
            any = 1;
            words[1] = 7;
            floats[2] = 0.5;
            halves[3] = 9;
            wide[0] = Vec4::new(1.0, 2.0, 3.0, 4.0);
        }
    }
    workgroup_barrier();
    if local_index() == 0 && workgroup_id().x < 2 {
        let seen = unsafe { any };
        words[2 + workgroup_id().x] = seen;
    }
}

#[kernel(workgroup_size(64))]
fn sum_of_what_is_there(x: &mut [u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        let left = unsafe { x[i / 2] };
        unsafe {
            x[i / 2] = 5;
        }
        y[i] = if left == 5 || left == 3 { 1 } else { 0 };
    }
}

#[test]
fn a_launch_is_refused_where_the_proof_does_not_hold() {
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        squares::launch(&device, 64, &mut y).unwrap();
        assert_eq!(y.read().unwrap()[9], 81);
        let error = squares::launch(&device, (64, 2), &mut y).unwrap_err();
        let expected = format!(
            "kernel `squares` may race in this launch: it is free of races only where `groups.y == 1` holds, which keeps \
             the store to `y` ({}:13:9) apart from that of other invocations",
            file!()
        );
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error, Error::MayRace { .. }));
    }
}

#[test]
fn a_condition_on_arguments_is_looked_at() {
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        image::launch(&device, (8, 8), 8, 8, &mut y).unwrap();
        assert_eq!(y.read().unwrap()[13], 5);
        // Rows that are 2^31 wide meet again after two of them.
        let error = image::launch(&device, (8, 8), 1 << 31, 8, &mut y).unwrap_err();
        assert!(matches!(error, Error::MayRace { .. }), "{error}");
    }
}

#[test]
fn what_many_store_is_what_one_of_them_stores() {
    for device in devices() {
        let x: Vec<u32> = (0..128).map(|i| if i < 64 { 0 } else { i }).collect();
        let x = device.upload(&x).unwrap();
        let (mut words, mut floats) = (device.zeros::<u32>(4).unwrap(), device.zeros::<f32>(4).unwrap());
        let (mut halves, mut wide) = (device.zeros::<u16>(5).unwrap(), device.zeros::<Vec4<f32>>(1).unwrap());
        marks::launch(&device, 128, &x, &mut words, &mut floats, &mut halves, &mut wide).unwrap();
        assert_eq!(words.read().unwrap(), [0, 7, 0, 1], "{}", device.name());
        assert_eq!(floats.read().unwrap(), [0.0, 0.0, 0.5, 0.0]);
        assert_eq!(halves.read().unwrap(), [0, 0, 0, 9, 0]);
        assert_eq!(wide.read().unwrap(), [Vec4::new(1.0, 2.0, 3.0, 4.0)]);
    }
}

#[test]
fn a_racy_load_sees_what_was_there_or_what_was_stored() {
    for device in devices() {
        let mut x = device.upload(&[3u32; 4096]).unwrap();
        let mut y = device.zeros::<u32>(4096).unwrap();
        sum_of_what_is_there::launch(&device, 4096, &mut x, &mut y).unwrap();
        assert!(y.read().unwrap().iter().all(|&seen| seen == 1), "{}", device.name());
    }
}

#[test]
fn a_judge_still_sees_what_races() {
    let device = Device::judge(samebits::judge::Schedule::Forward);
    let mut x = device.upload(&[3u32; 8]).unwrap();
    let mut y = device.zeros::<u32>(8).unwrap();
    let error = sum_of_what_is_there::launch(&device, 8, &mut x, &mut y).unwrap_err();
    assert!(matches!(error, Error::Race { .. }), "{error}");
}

#[test]
fn a_report_tells_races_conditions_and_whose_word_it_is() {
    assert_eq!(
        squares::KERNEL.report().unwrap().races,
        ["race-free and deterministic if", "  groups.y == 1", "  groups.z == 1"]
    );
    let marks = marks::KERNEL.report().unwrap().races.join("\n");
    assert!(marks.contains("by the word of the author\n  store to `any`"), "{marks}");
    assert!(marks.contains("runtime/tests/race_free.rs:") && !marks.contains("deterministic"), "{marks}");
}

#[kernel]
fn scatter(places: Distinct<'_, u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < places.len() && i < x.len() {
        y[places[i] as usize] = x[i];
    }
}

#[test]
fn distinct_places_are_stored_to_without_a_race() {
    for device in devices() {
        let places = device.upload(&[3u32, 0, 2, 1, 9]).unwrap();
        let (x, mut y) = (device.upload(&[1u32, 2, 3, 4, 5]).unwrap(), device.zeros::<u32>(4).unwrap());
        let distinct = Distinct::check(&places).unwrap();
        scatter::launch(&device, 5, distinct, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [2, 4, 3, 1]);
        let part = places.slice(1..3).unwrap();
        scatter::launch(&device, 5, Distinct::check(&part).unwrap(), &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [1, 4, 2, 1]);
    }
}

#[test]
fn equal_places_are_named() {
    let device = Device::interpreter();
    let places = device.upload(&[4u32, 7, 1, 7]).unwrap();
    let error = Distinct::check(&places).unwrap_err();
    assert_eq!(error, Error::NotDistinct { element: 7, first: 1, second: 3 });
    assert_eq!(error.to_string(), "the elements 1 and 3 are both 7, but no two may be equal");
    assert!(Distinct::check(&places.slice(..3).unwrap()).is_ok());
}
