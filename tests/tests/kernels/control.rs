//! Blocks, `if`, `return`, short-circuits and scopes.

use samebits::prelude::*;

#[test]
fn shadowing_binds_a_new_name() {
    #[kernel(workgroup_size(1))]
    fn shadow(n: u32, o: &mut [f32]) {
        let x = 1.0;
        let x = x + 1.0;
        {
            let x = x * 10.0;
            o[0] = x;
        }
        o[1] = x;
        let n = n as f32 * 2.0;
        o[2] = n;
        let mut acc = 0;
        for j in 0..2 {
            let j = j + 5;
            acc += j;
        }
        o[3] = acc as f32;
        let o2 = o[0];
        let x = if x > 1.0 {
            let x = 7.0;
            x
        } else {
            x
        };
        o[4] = x + o2;
        let acc = acc == 11;
        if acc {
            o[5] = 1.0;
        }
    }
    crate::expect(&[20.0, 2.0, 8.0, 11.0, 27.0, 1.0], |device, out| shadow::launch(device, 1, 4, out));
}

#[test]
fn blocks_and_ifs_have_values() {
    #[kernel(workgroup_size(8))]
    fn values(o: &mut [u32]) {
        let i = global_id().x as u32;
        let class = if i < 2 {
            10
        } else if i < 4 {
            let twice = i * 2;
            twice + 20
        } else if i == 6 {
            return;
        } else {
            30
        };
        let sum = {
            let a = class + 1;
            let b = a * 2;
            a + b
        };
        o[i as usize] = sum + if i % 2 == 0 { 1000 } else { 2000 };
    }
    let twin = |i: u32| {
        let class = match i {
            0 | 1 => 10,
            2 | 3 => i * 2 + 20,
            6 => return 0,
            _ => 30,
        };
        (class + 1) * 3 + if i.is_multiple_of(2) { 1000 } else { 2000 }
    };
    let expected: Vec<u32> = (0..8).map(twin).collect();
    crate::expect(&expected, |device, out| values::launch(device, 8, out));
}

#[test]
fn an_early_return_ends_one_invocation() {
    #[kernel(workgroup_size(4))]
    fn early(n: u32, o: &mut [u32]) {
        let i = global_id().x;
        o[i] = 1;
        if i as u32 >= n {
            return;
        }
        o[i] = 2;
        for j in 0..10 {
            if j == i {
                o[i] += 10;
                if j == 1 {
                    return;
                }
            }
        }
        o[i] += 100;
    }
    crate::expect(&[112, 12, 112, 1, 1, 1], |device, out| early::launch(device, 6, 3, out));
}

#[test]
fn the_right_side_of_a_logical_operator_runs_only_if_it_must() {
    #[kernel(workgroup_size(8))]
    fn short(a: &[u32], ran: &[Atomic<u32>], o: &mut [u32]) {
        let i = global_id().x;
        let p = a[i] & 1 != 0;
        let q = a[i] & 2 != 0;
        let mut r = 0;
        if p && ran[0].fetch_add(1) < 100 {
            r += 1;
        }
        if p || ran[1].fetch_add(1) > 100 {
            r += 2;
        }
        if p && q && ran[2].fetch_add(1) < 100 {
            r += 4;
        }
        if p && q || ran[3].fetch_add(1) > 100 {
            r += 8;
        }
        let both = p && {
            r += 16;
            q
        };
        let either = p || {
            r += 32;
            q
        };
        o[i] = r + both as u32 * 64 + either as u32 * 128;
    }
    // Of eight invocations four have p, four have q and two have both.
    let twin = |i: u32| {
        let (p, q) = (i & 1 != 0, i & 2 != 0);
        let mut r = p as u32 * (1 + 2 + 16) + (p && q) as u32 * (4 + 8) + !p as u32 * 32;
        r += (p && q) as u32 * 64 + (p || q) as u32 * 128;
        r
    };
    let expected: Vec<u32> = (0..8).map(twin).collect();
    for device in crate::devices() {
        let a = device.upload(&[0u32, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        let (mut ran, mut o) = (device.zeros(4).unwrap(), device.zeros(8).unwrap());
        short::launch(device, 8, &a, &mut ran, &mut o).unwrap();
        crate::same(device, &o, &expected);
        crate::same(device, &ran, &[4, 4, 2, 6]);
    }
}

#[test]
fn a_condition_may_have_effects() {
    #[kernel(workgroup_size(1))]
    fn effects(o: &mut [u32]) {
        let mut n = 0;
        if {
            n += 1;
            n == 1
        } {
            o[0] = n;
        }
        while {
            n += 1;
            n < 5
        } {
            o[1] += n;
        }
        let chosen = if n == 5 {
            o[2] = 9;
            n + 1
        } else {
            o[2] = 8;
            0
        };
        o[3] = chosen;
    }
    crate::expect(&[1, 2 + 3 + 4, 9, 6], |device, out| effects::launch(device, 1, out));
}

#[test]
fn a_mutable_argument_is_a_variable() {
    #[kernel(workgroup_size(2))]
    fn mutable(mut n: u32, o: &mut [u32]) {
        n += global_id().x as u32;
        n *= 2;
        o[global_id().x] = n;
    }
    crate::expect(&[10, 12], |device, out| mutable::launch(device, 2, 5, out));
}

#[test]
fn statements_without_effect_are_statements() {
    #[kernel(workgroup_size(1))]
    #[allow(unused_must_use)]
    fn idle(o: &mut [u32]) {
        let _ = o[0] + 1;
        o[0] + 2;
        {};
        if false {}
        let _unused = 5;
        #[allow(unused_variables)]
        let unused = 7;
        (o[0]) = (3);
        { o[1] = 4 }
    }
    crate::expect(&[3, 4], |device, out| idle::launch(device, 1, out));
}

#[test]
fn an_empty_kernel_does_nothing() {
    #[kernel]
    fn nothing() {}
    #[kernel(workgroup_size(1))]
    fn idle(_n: u32, _o: &mut [u32]) {}
    for device in crate::devices() {
        nothing::launch(device, 100).unwrap();
    }
    crate::expect(&[0], |device, out| idle::launch(device, 1, 1, out));
}

/// The condition decides, whatever is known of the two values.
#[test]
fn a_choice_between_literals_keeps_its_condition() {
    #[kernel(workgroup_size(4))]
    fn choose(a: &[i32], n: u32, o: &mut [i32], g: &mut [u32]) {
        let i = global_id().x;
        o[i] = if a[i] > 0 { 1 } else { 2 };
        let mut ok = true;
        ok = if ok { (i as u32) < n } else { false };
        ok = if ok { a[i] != 0 } else { false };
        g[i] = if ok { 7 } else { 9 };
    }
    for device in crate::devices() {
        for (a, n, o, g) in [
            ([5, -5, 0, 1], 3, [1, 2, 2, 1], [7, 7, 9, 9]),
            ([5, 0, 4, 1], 3, [1, 2, 1, 1], [7, 9, 7, 9]),
            ([5, 0, 4, 1], 4, [1, 2, 1, 1], [7, 9, 7, 7]),
            ([5, 0, 4, 1], 0, [1, 2, 1, 1], [9, 9, 9, 9]),
        ] {
            let a = device.upload(&a).unwrap();
            let (mut found_o, mut found_g) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
            choose::launch(device, 4, &a, n, &mut found_o, &mut found_g).unwrap();
            crate::same(device, &found_o, &o);
            crate::same(device, &found_g, &g);
        }
    }
}

#[test]
fn a_choice_between_literals_by_a_literal() {
    #[kernel(workgroup_size(1))]
    fn choose(n: u32, o: &mut [u32]) {
        let (five, zero) = (5, 0);
        o[0] = if five > zero { 1 } else { 2 };
        o[1] = if zero > five { 1 } else { 2 };
        let mut ok = true;
        ok = if ok { 2 < n } else { false };
        ok = if ok { five != zero } else { false };
        o[2] = if ok { 7 } else { 9 };
        ok = if ok { zero != 0 } else { true };
        o[3] = if ok { 7 } else { 9 };
    }
    crate::expect(&[1, 2, 7, 9], |device, out| choose::launch(device, 1, 3, out));
    crate::expect(&[1, 2, 9, 7], |device, out| choose::launch(device, 1, 2, out));
}

#[test]
fn a_variable_may_be_named_like_a_function() {
    #[kernel(workgroup_size(4))]
    fn hide(local_index: u32, o: &mut [u32]) {
        let global_id = global_id().x;
        let workgroup_id = workgroup_id().x as u32;
        let sum = {
            let workgroup_id = workgroup_id * 100;
            workgroup_id + local_index
        };
        o[global_id] = workgroup_id * 10 + sum;
    }
    crate::expect(&[5, 5, 5, 5, 115, 115, 115, 115], |device, out| hide::launch(device, 8, 5, out));
}
