//! `bool` in memory: in buffers, arrays, structs and workgroup memory, and what hosts read of it.

use crate::{devices, twins};
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn marked(x: &[u32], old: &[bool], new: &mut [bool]) {
    let i = global_id().x;
    if i < new.len() {
        new[i] = x[i] % 3 == 0 && !old[i];
    }
}

#[test]
fn a_buffer_of_bool_has_a_byte_for_each() {
    // More than a workgroup, and not whole words.
    let x: Vec<u32> = (0..133u32).map(|i| i * 7 % 11).collect();
    let old: Vec<bool> = (0..133).map(|i| i % 5 == 1).collect();
    let expected: Vec<bool> = x.iter().zip(&old).map(|(x, old)| x % 3 == 0 && !old).collect();
    assert!(expected.contains(&true) && expected.contains(&false));
    for device in devices() {
        let mut new = device.upload(&[true; 133]).unwrap();
        marked::launch(device, 133, &device.upload(&x).unwrap(), &device.upload(&old).unwrap(), &mut new).unwrap();
        assert_eq!(new.read().unwrap(), expected, "on {}", device.name());
        assert_eq!(new.view::<u8>().unwrap().read().unwrap().iter().max(), Some(&1), "on {}", device.name());
    }
}

/// Bytes that are neither 0 nor 1, as another program may leave them.
const BYTES: [u8; 6] = [0, 1, 2, 128, 255, 0];
const READ: [bool; 6] = [false, true, true, true, true, false];

#[kernel(workgroup_size(1))]
fn copied(from: &[bool], to: &mut [bool], count: &mut [u32]) {
    for i in 0..from.len() {
        to[i] = from[i];
        count[i] = from[i] as u32;
    }
}

#[test]
fn what_is_not_zero_is_true_in_kernels_and_on_hosts() {
    for device in devices() {
        let from = device.upload(&BYTES).unwrap();
        let (mut to, mut count) = (device.zeros::<bool>(6).unwrap(), device.zeros::<u32>(6).unwrap());
        copied::launch(device, 1, &from.view().unwrap(), &mut to, &mut count).unwrap();
        let name = device.name();
        assert_eq!(from.view::<bool>().unwrap().read().unwrap(), READ, "on {name}");
        assert_eq!(to.read().unwrap(), READ, "on {name}");
        assert_eq!(to.view::<u8>().unwrap().read().unwrap(), READ.map(u8::from), "on {name}");
        assert_eq!(count.read().unwrap(), READ.map(u32::from), "on {name}");
    }
}

#[test]
fn no_bool_is_lent_where_it_lies() {
    let bytes = Device::cpu().upload(&BYTES).unwrap();
    assert_eq!(bytes.as_slice(), Some(&BYTES[..]));
    assert_eq!(Device::cpu().upload(&READ).unwrap().as_slice(), None);
    assert_eq!(bytes.view::<[bool; 2]>().unwrap().read_range(1..).unwrap(), [[true, true], [true, false]]);
}

#[test]
fn a_vector_of_bool_is_taken_over_as_it_is() {
    for device in devices() {
        for len in [3, 64, 65] {
            let flags: Vec<bool> = (0..len).map(|i| i % 3 == 0).collect();
            assert_eq!(device.upload_vec(flags.clone()).unwrap().read().unwrap(), flags, "on {}", device.name());
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Door {
    open: bool,
    locks: [bool; 3],
    number: u32,
    last: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Side(bool, bool, u16);

#[kernel(workgroup_size(4))]
fn opened(given: Door, rows: &[[bool; 3]], doors: &mut [Door]) {
    #[shared]
    let tried: [bool; 4];
    #[shared]
    let last: Door;
    let i = local_id().x;
    let mut door = doors[i];
    door.locks[i % 3] ^= rows[i][2];
    tried[i] = door.locks[0] | door.locks[1];
    if i == 3 {
        last = door;
    }
    workgroup_barrier();
    door.open = !tried[3 - i];
    door.last = Side(last.open, given.locks[i % 3], doors[i].last.2 + 1);
    doors[i].number += given.number;
    doors[i].open |= given.open;
    doors[i].locks = door.locks;
    if doors[i].open {
        doors[i].last = door.last;
    }
    doors[i].open = door.open;
}

#[test]
fn structs_hold_bools_between_their_other_fields() {
    let given = Door { open: false, locks: [true, false, true], number: 100, last: Side(true, true, 9) };
    let rows = [[true, true, false], [false, false, true], [true, true, true], [false, true, true]];
    let before: Vec<Door> = (0..4u16)
        .map(|i| Door {
            open: i % 2 == 0,
            locks: [i == 3, false, i > 1],
            number: i.into(),
            last: Side(i == 0, i == 1, 40 * i),
        })
        .collect();
    let mut doors = before.clone();
    let changed: Vec<Door> = (0..4)
        .map(|i| {
            let mut door = doors[i];
            door.locks[i % 3] ^= rows[i][2];
            door
        })
        .collect();
    let tried: Vec<bool> = changed.iter().map(|door| door.locks[0] | door.locks[1]).collect();
    for (i, door) in doors.iter_mut().enumerate() {
        door.number += given.number;
        door.open |= given.open;
        door.locks = changed[i].locks;
        if door.open {
            door.last = Side(changed[3].open, given.locks[i % 3], door.last.2 + 1);
        }
        door.open = !tried[3 - i];
    }
    for device in devices() {
        let mut found = device.upload(&before).unwrap();
        opened::launch(device, 4, given, &device.upload(&rows).unwrap(), &mut found).unwrap();
        assert_eq!(found.read().unwrap(), doors, "on {}", device.name());
    }
}

/// Whatever an element is, a helper may copy it.
#[device]
fn swap<T: Element>(x: &mut [T], i: usize, j: usize) {
    (x[i], x[j]) = (x[j], x[i]);
}

#[device]
fn count(flags: &[bool]) -> u32 {
    let mut n = 0;
    for i in 0..flags.len() {
        n += flags[i] as u32;
    }
    n
}

#[kernel(workgroup_size(1))]
fn turned(flags: &mut [bool], o: &mut [u32]) {
    swap(flags, 0, 3);
    let mut own = [false, true, true];
    own[flags.len() % 3] |= flags[0];
    swap(&mut own, 0, 1);
    o[0] = count(flags) * 100 + count(&own) * 10 + own[0] as u32;
}

#[test]
fn helpers_take_bools_in_any_memory() {
    let mut flags = [true, false, true, false, true];
    flags.swap(0, 3);
    for device in devices() {
        let mut found = device.upload(&[true, false, true, false, true]).unwrap();
        let mut o = device.zeros::<u32>(1).unwrap();
        turned::launch(device, 1, &mut found, &mut o).unwrap();
        assert_eq!(found.read().unwrap(), flags, "on {}", device.name());
        // [false, true, true] stays so but for the exchange: `flags[0]` is false.
        assert_eq!(o.read().unwrap(), [321], "on {}", device.name());
    }
}

twins! {
    arrays_and_structs_of_bool([1, 2, 3, 0, 5]);
    { struct Marks { pub seen: bool, pub list: [bool; 2], pub other: bool, pub n: u32 } }
    { fn mark(marks: &mut Marks, n: u32) {
        marks.list[(n % 2) as usize] = !marks.list[(n % 2) as usize];
        marks.seen = marks.seen || marks.list[0] && marks.list[1];
        marks.n += marks.seen as u32 + marks.other as u32;
    } }
    kernel(x, o) {
        let mut marks = Marks { seen: false, list: [false; 2], other: true, n: 0 };
        let mut odd = [[false; 5]; 2];
        for i in 0..x.len() {
            mark(&mut marks, x[i]);
            odd[1][i] = x[i] % 2 == 1;
            o[i] = marks.n * 100 + marks.list[0] as u32 * 10 + marks.list[1] as u32;
        }
        odd[0] = odd[1];
        odd[0][2] &= marks.seen;
        odd[0][0] = !odd[1][0];
        for i in 0..5 {
            o[8 + i] = odd[0][i] as u32 + 1;
        }
    }
}
