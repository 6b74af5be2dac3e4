//! Loops: ranges, exits, labels, and what lives across iterations.

use samebits::prelude::*;

#[test]
fn continue_does_not_skip_the_step() {
    #[kernel(workgroup_size(1))]
    fn step(o: &mut [u32]) {
        let mut s = 0;
        for j in 0..10 {
            if j % 2 == 0 {
                continue;
            }
            s += j;
            if s > 100 {
                break;
            }
        }
        o[0] = s;
        let mut t = 0;
        let mut m = 0;
        while m < 10 {
            m += 1;
            if m % 2 == 0 {
                continue;
            }
            t += m;
        }
        o[1] = t;
        for j in 5..5 {
            o[2] = j;
        }
        for j in 5..2 {
            o[2] = j;
        }
        for j in 5..=4 {
            o[2] = j;
        }
        let mut k = 0;
        loop {
            k += 1;
            if k < 7 {
                continue;
            }
            break;
        }
        o[3] = k;
    }
    crate::expect(&[25, 25, 0, 7], |device, out| step::launch(device, 1, out));
}

#[test]
fn inclusive_ranges_reach_the_greatest_value() {
    #[kernel(workgroup_size(1))]
    fn inclusive(last: u32, top: i32, o: &mut [u32]) {
        for j in u32::MAX - 2..=u32::MAX {
            o[0] += j & 3;
        }
        for j in last - 1..=last {
            o[1] += j & 3;
        }
        for j in i32::MAX - 1..=top {
            if j < 0 {
                o[2] += 100;
            }
            o[2] += 1;
        }
        for j in 3..=3 {
            o[3] += j;
        }
        for j in -2..=2 {
            if j == 0 {
                continue;
            }
            o[4] += (j + 2) as u32;
        }
        'out: for j in 0..=10 {
            for k in 0..=j {
                if k == 3 {
                    continue 'out;
                }
                if j == 6 {
                    break 'out;
                }
                o[5] += k;
            }
        }
    }
    // j = 0, 1, 2 give 0, 1, 3; 3 to 5 stop after 0 + 1 + 2.
    crate::expect(&[1 + 2 + 3, 2 + 3, 2, 3, 1 + 3 + 4, 4 + 9], |device, out| {
        inclusive::launch(device, 1, u32::MAX, i32::MAX, out)
    });
}

#[test]
fn a_loop_has_the_value_of_its_break() {
    #[kernel(workgroup_size(1))]
    fn valued(n: u32, o: &mut [u32]) {
        let mut k = 1;
        let power = loop {
            if k > n {
                break k;
            }
            k *= 2;
        };
        o[0] = power;
        let mut rounds = 0;
        let found = 'outer: loop {
            let mut j = 0;
            loop {
                j += 1;
                if j * rounds > 20 {
                    break 'outer j * 100 + rounds;
                }
                if j == 5 {
                    break;
                }
            }
            rounds += 1;
        };
        o[1] = found;
        let pi = loop {
            break 3.5f32;
        };
        o[2] = pi.to_bits();
    }
    // rounds = 5: 5 * 5 > 20 at j = 5.
    crate::expect(&[128, 505, 3.5f32.to_bits()], |device, out| valued::launch(device, 1, 100, out));
}

#[test]
fn labels_name_loops() {
    #[kernel(workgroup_size(1))]
    fn labels(o: &mut [u32]) {
        let mut c = 0;
        let mut d = 0;
        let mut s = 0;
        for _y in 0..3 {
            for _ in 0..4 {
                c += 1;
            }
            d += 10;
        }
        'out: for y in 0..4 {
            for x in 0..4 {
                if x == 2 {
                    continue 'out;
                }
                if y == 3 {
                    break 'out;
                }
                s += y * 10 + x;
            }
        }
        o[0] = c;
        o[1] = d;
        o[2] = s;
        let mut t = 0;
        'a: for x in 0..3 {
            'b: while t < 100 {
                'a: loop {
                    t += 1;
                    if t % 5 == 0 {
                        continue 'b;
                    }
                    if t % 7 == 0 {
                        break 'a;
                    }
                }
                t += 10;
                if x == 1 {
                    continue 'a;
                }
            }
        }
        o[3] = t;
    }
    let mut t = 0;
    for x in 0..3 {
        'b: while t < 100 {
            loop {
                t += 1;
                if t % 5 == 0 {
                    continue 'b;
                }
                if t % 7 == 0 {
                    break;
                }
            }
            t += 10;
            if x == 1 {
                break;
            }
        }
    }
    crate::expect(&[12, 30, 63, t], |device, out| labels::launch(device, 1, out));
}

#[test]
fn a_return_leaves_every_loop() {
    #[kernel(workgroup_size(2))]
    fn find(a: &[u32], wanted: &[u32], o: &mut [u32]) {
        let i = global_id().x;
        for y in 0..3 {
            for x in 0..4 {
                let at = y * 4 + x;
                if a[at] == wanted[i] {
                    o[i] = at as u32;
                    return;
                }
            }
        }
        o[i] = 99;
    }
    let a: Vec<u32> = (0..12).collect();
    crate::expect(&[7, 99], |device, out| {
        find::launch(device, 2, &device.upload(&a)?, &device.upload(&[7u32, 50])?, out)
    });
}

#[test]
fn locals_of_a_loop_body_start_fresh() {
    #[kernel(workgroup_size(1))]
    fn fresh(o: &mut [u32]) {
        for r in 0..4 {
            let mut acc = [0u32; 2];
            acc[(r % 2) as usize] += r + 1;
            let mut scalar = 0;
            scalar += r;
            o[r as usize] = acc[0] * 10 + acc[1] + scalar * 1000;
        }
        for r in 0..2 {
            for q in 0..2 {
                let mut long = [1u32; 20];
                long[19] += q;
                long[r as usize] += 5;
                let mut sum = 0;
                for k in 0..20 {
                    sum += long[k];
                }
                o[(4 + r * 2 + q) as usize] = sum;
            }
        }
    }
    let expected = [10, 1002, 2030, 3004, 25, 26, 25, 26];
    crate::expect(&expected, |device, out| fresh::launch(device, 1, out));
}

#[test]
fn locals_of_several_parts_start_fresh() {
    #[kernel(workgroup_size(1))]
    fn fresh(o: &mut [u32]) {
        for r in 0..4u32 {
            let mut pair = (0u32, 7u32);
            let mut v = Vec2::splat(0u32);
            let mut deep = [[0u32; 2]; 2];
            if r % 2 == 1 {
                pair.0 += r;
                v.y += r;
            } else {
                pair.1 += r;
            }
            deep[(r % 2) as usize][(r / 2) as usize] += 1;
            let cells = deep[0][0] + 2 * deep[0][1] + 4 * deep[1][0] + 8 * deep[1][1];
            o[r as usize] = pair.0 * 1000 + pair.1 * 100 + v.x + v.y * 10 + cells;
        }
        // Declared in the inner loop, and in a branch that not every round takes.
        for r in 0..3u32 {
            let mut rounds = 0;
            for q in 0..3 {
                let mut inner = 0;
                inner += q;
                rounds += inner;
                if q > r {
                    let mut seldom = 5;
                    seldom += rounds;
                    rounds = seldom;
                }
            }
            o[4 + r as usize] = rounds;
        }
    }
    // Rounds of `r = 0`: 0; 1, then 6; 8, then 13. Of 1: 0; 1; 3, then 8. Of 2: 0; 1; 3.
    let expected = [701, 1700 + 10 + 4, 902, 3700 + 30 + 8, 13, 8, 3];
    crate::expect(&expected, |device, out| fresh::launch(device, 1, out));
}

#[test]
fn a_match_of_which_no_arm_comes_back() {
    #[kernel(workgroup_size(4))]
    fn leave(o: &mut [u32]) {
        let i = global_id().x;
        let mut j = i;
        let mut sum = 0;
        loop {
            j += 1;
            match j - 1 {
                3 => {
                    if sum == 0 {
                        o[i] = 100;
                        return;
                    }
                    sum += 7;
                    continue;
                }
                5 => break,
                _ => {
                    sum += 1;
                    continue;
                }
            }
        }
        o[i] = sum;
    }
    // From 0: 0, 1, 2 and 4 add 1, 3 adds 7.
    crate::expect(&[11, 10, 9, 100], |device, out| leave::launch(device, 4, out));
}

#[test]
fn an_endless_loop_is_no_licence() {
    #[kernel(workgroup_size(1))]
    fn guarded(at: &[u32], o: &mut [u32]) {
        let mut k = 0;
        loop {
            if at[0] < 10 {
                o[at[0] as usize] = 7;
                break;
            }
            k += 1;
            if k == 1000 {
                break;
            }
        }
    }
    #[kernel(workgroup_size(1))]
    fn skipped(a: &[u32], o: &mut [u32]) {
        if a[0] == 1 {
            loop {}
        }
        o[0] = a[0];
    }
    crate::expect(&[0; 16], |device, out| guarded::launch(device, 1, &device.upload(&[12u32])?, out));
    crate::expect(&[0, 0, 7, 0], |device, out| guarded::launch(device, 1, &device.upload(&[2u32])?, out));
    crate::expect(&[2], |device, out| skipped::launch(device, 1, &device.upload(&[2u32])?, out));
}

#[test]
fn the_bounds_of_a_range_are_evaluated_once() {
    #[kernel(workgroup_size(1))]
    fn bounds(o: &mut [u32]) {
        let mut n = 3;
        for j in ({
            n += 1;
            0
        })..({
            n += 1;
            n
        }) {
            n = 1;
            o[0] += 10 + j;
        }
        o[1] = n;
        let mut m = 4usize;
        for j in 0..m {
            m = 0;
            o[2] += j as u32;
        }
        o[3] = m as u32;
    }
    crate::expect(&[10 * 5 + 10, 1, 6, 0], |device, out| bounds::launch(device, 1, out));
}

#[test]
fn a_while_ends_at_its_condition() {
    #[kernel(workgroup_size(4))]
    fn collatz(o: &mut [u32]) {
        let i = global_id().x;
        let mut n = i as u32 + 24;
        let mut steps = 0;
        while n != 1 {
            if n % 2 == 0 {
                n /= 2;
            } else {
                n = n * 3 + 1;
            }
            steps += 1;
        }
        o[i] = steps;
    }
    crate::expect(&[10, 23, 10, 111], |device, out| collatz::launch(device, 4, out));
}

#[test]
fn ifs_in_loops_carry_several_variables() {
    #[kernel(workgroup_size(8))]
    fn carried(o: &mut [u32]) {
        let i = global_id().x as u32;
        let mut a = i;
        let mut b = 1;
        let mut flag = false;
        for j in 0..20 {
            if a & 1 == 1 {
                a = a * 5 + j;
                if flag {
                    b ^= a;
                    continue;
                }
            } else {
                a = a / 2 + b;
                flag = !flag;
            }
            b += j;
            if b > 5000 {
                break;
            }
        }
        o[i as usize] = a ^ b << 8;
    }
    let twin = |i: u32| {
        let (mut a, mut b, mut flag) = (i, 1u32, false);
        for j in 0..20 {
            if a & 1 == 1 {
                a = a.wrapping_mul(5).wrapping_add(j);
                if flag {
                    b ^= a;
                    continue;
                }
            } else {
                a = (a / 2).wrapping_add(b);
                flag = !flag;
            }
            b = b.wrapping_add(j);
            if b > 5000 {
                break;
            }
        }
        a ^ b << 8
    };
    let expected: Vec<u32> = (0..8).map(twin).collect();
    crate::expect(&expected, |device, out| carried::launch(device, 8, out));
}
