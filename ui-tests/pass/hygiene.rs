//! Variables, labels and `self` of a macro are apart from those of its caller, as in Rust; items are not.
#![deny(warnings)]
use samebits::prelude::*;

macro_rules! sum {
    ($name:ident, $x:ident, $y:ident => $e:expr) => {
        #[kernel]
        fn $name(a: &[f32], b: &[f32], o: &mut [f32]) {
            let i = global_id().x;
            if i < o.len() {
                let $x = a[i];
                let y = 100.0f32;
                let $y = b[i];
                o[i] = $e * y;
            }
        }
    };
}

sum!(sum, x, y => x + y);

macro_rules! helper {
    ($name:ident, $x:ident, $e:expr) => {
        #[device]
        fn $name($x: u32) -> u32 {
            let x = 1000u32;
            let f = |t: u32| t + x;
            let $x = $x + 1;
            f($e)
        }
    };
}

helper!(doubled, x, x * 2);

macro_rules! nested {
    ($name:ident, $a:ident) => {
        helper!($name, $a, {
            let x = 7u32;
            x + $a
        });
    };
}

nested!(other, a);
nested!(same, x);

macro_rules! shadowed {
    ($name:ident, $x:ident, $l:lifetime) => {
        #[kernel(workgroup_size(1), requires($x.len() >= n))]
        fn $name($x: &[u32], x: u32, n: usize, o: &mut [u32]) {
            o[0] = $x[0] + x;
            for x in 0..3u32 {
                o[0] += x;
            }
            o[1] = match x {
                x if x > 1 => x + $x[1],
                _ => n as u32,
            };
            $l: for _ in 0..4u32 {
                'a: for j in 0..4u32 {
                    if j == 1 {
                        continue 'a;
                    }
                    if j == 3 {
                        continue $l;
                    }
                    o[2] += 1;
                }
            }
            #[shared]
            let tile: [u32; 4];
            {
                let tile = 3u32;
                o[3] = tile;
            }
            tile[0] = x;
            o[4] = tile[0];
        }
    };
}

shadowed!(shadowed, x, 'b);

macro_rules! methods {
    ($name:ident, $own:ident, $e:expr) => {
        #[derive(Clone, Copy, Element)]
        #[element(methods)]
        #[repr(C)]
        struct $name {
            a: u32,
        }

        #[device]
        impl $name {
            fn get(&$own, k: u32) -> u32 {
                $e + k + $own.a
            }
        }
    };
}

methods!(Own, self, self.a);

macro_rules! items {
    ($name:ident, $e:expr) => {
        #[kernel(workgroup_size(1))]
        fn $name(own: Own, o: &mut [u32]) {
            const TEN: u32 = 10;
            o[0] = $e;
            o[1] = own.get(2);
            o[2] = doubled(5);
            o[3] = other(5);
            o[4] = same(5);
        }
    };
}

// Items and helpers are not kept apart.
items!(items, TEN + doubled(0));

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let (a, b) = (device.upload(&[1.0, 2.0])?, device.upload(&[10.0, 20.0])?);
    let mut o = device.zeros::<f32>(2)?;
    sum::launch(&device, 2, &a, &b, &mut o)?;
    assert_eq!(o.read()?, [1100.0, 2200.0]);
    let x = device.upload(&[1, 20])?;
    let mut o = device.zeros::<u32>(5)?;
    shadowed::launch(&device, 1, &x, 10, 2, &mut o)?;
    assert_eq!(o.read()?, [14, 30, 8, 3, 10]);
    items::launch(&device, 1, Own { a: 40 }, &mut o)?;
    // 10 + (1000 + 2 · 1), 40 + 2 + 40, 1000 + 2 · 6, 1000 + 7 + 6 twice.
    assert_eq!(o.read()?, [1012, 82, 1012, 1013, 1013]);
    Ok(())
}
