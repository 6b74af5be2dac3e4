//! Fragments of every kind, in every place of an item that takes them; and types before `::`.
#![allow(unused)]
use samebits::prelude::*;
macro_rules! strukt { ($(#[$m:meta])* $v:vis $n:ident { $($fv:vis $f:ident : $t:ty),* }, $impls:ident, $c:ident : $ct:ty = $ce:expr, $fb:block) => {
    $(#[$m])* #[derive(Clone, Copy, Element)] #[element(methods)] #[repr(C)] $v struct $n { $($fv $f: $t),* }
    #[device] impl $n { $v const $c: $ct = $ce; $v fn $impls(&self) -> $ct $fb }
} }
strukt!(#[doc = "x"] #[allow(unused)] pub(crate) St { pub a: f32, b: Vec2<f32> }, get, K: f32 = 1.0 + 2.0, { 7.5 });
macro_rules! konst { ($v:vis $n:ident : $t:ty = $e:expr, $m:meta) => { #[$m] #[device] $v const $n: $t = $e * 2; } }
konst!(pub LEN: usize = 1 + 1, allow(dead_code));
macro_rules! arr2 { ($n:ident, $t:ty, $len:expr, $l:literal, $i:ident, $ty:tt, $size:literal, $path:path, $body:block, $p:pat_param, $m:meta, $e:expr, $args:tt, $cl:expr, $lv:lifetime, $vec:ty, $cast:ty, $item:item, $ret:ty, $helper:ident, $b:expr) => {
    $item
    #[device] fn $helper(x: $ret, f: impl Fn($ret) -> $ret) -> $ret $body
    #[$m]
    #[kernel $args]
    fn $n(s: $t, y: &mut [f32]) {
        let a: [f32; $len] = [$l as f32; $len];
        let $i: f32 = a[$len - 1];
        let q: $ty = $l as $ty;
        $lv: while true { if $b { break $lv; } 'inner: for i in 0..$len { continue 'inner; } break; }
        if local_id().x == 0 { y[0] = $i + q * $e; }
        y[1] = match $len as u32 { $p => 1.0, _ => 2.0 };
        let blk = $body;
        y[2] = blk;
        y[3] = s.get() + <$t>::K;
        let g = $cl;
        y[4] = g(2.0);
        y[5] = $helper(1.0, $cl);
        let v: $vec = <$vec>::new(1.0, 2.0);
        y[6] = v.y + ($i as $cast) as f32;
        y[7] = $path(3.0);
        $path(4.0);
        if !$b { y[8] = -$e; } else { y[8] = 1.0 }
        y[9] = s.a;
        y[10] = fr1(1.0);
        y[11] = -$l as f32 - $l as f32;
        #[shared] let tile: [$ty; $len];
        tile[$len - 1] = $e; y[12] = tile[1];
        let t = <$t>::K; let St { a: $i, .. } = s; y[13] = $i + t;
    }
} }
#[device]
fn idf(x: f32) -> f32 {
    x
}
arr2!(fr, St, 1 + 1, 3, name, f32, 32, idf, { 4.5 }, 2, doc = "hello", 1.0 + 2.0, (workgroup_size(1), requires(y.len() >= 4)), |x: f32| x + 1.0, 'a, Vec2<f32>, u32, #[device] fn fr1(x: f32) -> f32 { x }, f32, hh, 1 + 1 == 3);
macro_rules! whole {
    ($i:item) => {
        #[kernel(workgroup_size(1))]
        $i
    };
}
whole!(
    pub fn wk(y: &mut [f32]) {
        y[0] = 1.0;
    }
);
macro_rules! wdev {
    ($i:item) => {
        #[device]
        $i
    };
}
wdev!(
    pub fn wd(y: f32) -> f32 {
        y
    }
);
wdev!(
    const WC: usize = 3;
);
macro_rules! stm { ($n:ident, $y:ident; $($s:stmt)*) => { #[kernel(workgroup_size(1))] fn $n($y: &mut [f32]) { $($s;)* } } }
stm!(sk, y; let mut x = 1.0f32 x += 2.0 for i in 0..3 { x += 1.0; } if x > 2.0 { x = x + 1.0; } y[0] = x);
macro_rules! args {
    ($n:ident, $w:expr, $f:ident, $l:literal, $ty:ty, $c:literal) => {
        #[kernel(workgroup_size($w, 1), limits(invocations = $l), instances(T = [$ty, u32], N = [$c, 3]), features($f))]
        fn $n<T: Number, const N: usize>(y: &mut [T], z: &mut [f64]) {
            y[global_id().x] = N as T;
            z[global_id().x] = 2.0;
        }
    };
}
args!(ak, 512, f64, 512, f32, 2);
mod paths {
    use samebits::prelude::*;
    macro_rules! call {
        ($n:ident, $p:path, $t:ty, $v:ident, $l:literal) => {
            #[kernel(workgroup_size(1))]
            fn $n(y: &mut [f32]) {
                let v = <$t>::splat(1.5);
                let w = Vec2::<u32>::splat(1);
                y[0] = (w.x - 2) as f32;
                y[1] = v.x;
                y[2] = $p(2.0);
                y[3] = $v::<f32>::new(1.0, $l).y;
                y[4] = <u8>::MAX as f32;
                let z = <$t>::new(1.0, 2.0, 3.0);
                y[5] = z.z;
            }
        };
    }
    #[device]
    fn id<T: Float>(x: T) -> T {
        x
    }
    call!(pk, id::<f32>, Vec3<f32>, Vec2, -2.0);
    pub fn go() -> Result<(), Error> {
        let d = Device::interpreter();
        let mut y = d.zeros::<f32>(6)?;
        pk::launch(&d, 1, &mut y)?;
        assert_eq!(y.read()?, [4294967300.0, 1.5, 2.0, -2.0, 255.0, 3.0]);
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let d = Device::interpreter();
    let mut y = d.zeros::<f32>(16)?;
    fr::launch(&d, 1, St { a: 2.0, b: Vec2::new(1.0, 1.0) }, &mut y)?;
    let expected = [12.0, 1.0, 4.5, 10.5, 3.0, 4.5, 5.0, 3.0, -3.0, 2.0, 1.0, -6.0, 3.0, 5.0];
    assert_eq!(y.read()?[..14], expected);
    sk::launch(&d, Grid::groups(1, 1, 1), &mut y)?;
    assert_eq!(y.read()?[0], 7.0);
    paths::go()
}
