//! All of the language, as an editor sees it: rustc checks the shadow of each kernel, helper and
//! method, and no lint objects to it.
//!
//! The package sets `cfg(rust_analyzer)`, so that this compiles only if the shadows do. What the helpers' calls
//! give is said by types, in the tests at the end.
#![deny(warnings, missing_docs, unsafe_code)]

use core::ops::{Add, AddAssign, Mul, Sub};
use samebits::prelude::*;
use samebits_tests_editor::math::{Quat, lerp, normalize};

const SCALE: f32 = 0.5;

#[device]
const LANES: usize = 64;

/// A way through space.
#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
    direction: Vec3<f32>,
}

#[device]
impl Ray {
    const UP: Self = Self { origin: Vec3::new(0.0, 0.0, 0.0), direction: Vec3::new(0.0, 1.0, 0.0) };

    /// The place after this distance.
    fn at(&self, distance: f32) -> Vec3<f32> {
        self.origin + self.direction * distance
    }

    fn advance(&mut self, distance: f32) -> bool {
        self.origin = self.at(distance);
        distance > 0.0
    }

    fn of<T: Float>(x: T, lanes: usize) -> Self {
        let half = 0.5 * x + lanes as T;
        Ray { origin: Vec3::splat(half.sqrt() as f32), ..Self::UP }
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(u32, u32);

/// A helper with everything that a parameter may be.
#[device]
fn gather<T: Number, const N: usize>(
    list: [T; N],
    places: &mut [u32],
    counts: &[Atomic<u32>],
    one: &Atomic<u32>,
    pair: (u32, bool),
    mut f: impl FnMut(T) -> T,
) -> T {
    let mut sum = list[0];
    for i in 1..N {
        sum += f(list[i]) * 2 as T;
    }
    places[0] = counts[0].load() + one.fetch_add(pair.0);
    sum.max(T::MIN)
}

#[device]
fn clamped<T>(x: T, by: impl Fn(T) -> T) -> T
where
    T: Int,
{
    by(x).clamp(0, T::MAX).rotate_left(3)
}

#[device]
fn chosen<T: Element>(first: T, second: T, which: bool) -> T {
    if which { first } else { second }
}

#[device]
fn square(x: f32) -> f32 {
    x * x
}

mod inner {
    use samebits::prelude::{Atomic, Vec3, device};

    /// Nothing is imported but what its signature names.
    #[device]
    pub(super) fn doubled(v: Vec3<f32>, n: &Atomic<u32>) -> Vec3<f32> {
        v * (n.load() as f32 + super::square(2.0))
    }
}

mod bare {
    #![no_implicit_prelude]

    #[::samebits::device]
    pub(super) fn least(x: i32, y: i32) -> i32 {
        let mut least = x;
        for i in (0..4).rev().step_by(2) {
            least = least.min(y + i);
        }
        least
    }
}

#[kernel(workgroup_size(LANES))]
fn memory(n: usize, x: &[f32], y: &mut [f32], bins: &[Atomic<u32>], rays: &mut [Ray]) {
    #[shared]
    let tile: [f32; LANES];
    #[shared]
    let count: Atomic<u32>;
    #[shared]
    let start: Pair;
    let (i, lane) = (global_id().x, local_id().y + local_index());
    tile[lane] = x[i] * SCALE;
    count.fetch_max(workgroup_id().z as u32);
    workgroup_barrier();
    if lane == 0 {
        start = Pair(bins[0].compare_exchange(1, 2), num_workgroups().x as u32);
        bins[lane].store(count.swap(1));
    }
    let first = broadcast(&start).0 + broadcast(&tile[0]) as u32;
    let Ray { origin, mut direction } = rays[i];
    direction.y += first as f32;
    rays[i] = Ray { origin, direction };
    rays[i].advance(-1.0);
    rays[i] = Ray::of::<f32>(1.0, n);
    y[3 * i] = rays[i].at(2.0).xy().length() + inner::doubled(origin, &count).y;
    let pair = Pair(1, 2);
    let Pair(a, b) = chosen(pair, start, n > 4);
    y[3 * i + 1] = (a + b) as f32 + square(square(3.0)) + normalize(origin).x + lerp(0.0, y[3 * i], 0.5);
    y[3 * i + 2] = Quat::IDENTITY.rotate(direction).dot(Vec3::new(1.0, 2.0, 3.0));
}

#[kernel(workgroup_size(1))]
fn statements(n: u32, o: &mut [u32], signed: &mut [i32]) {
    const LIMIT: u32 = 40 << 1;
    let mut list = [[0u32; 4]; 3];
    let mut places = [0u32; LANES as usize];
    #[shared]
    let counts: [Atomic<u32>; 4];
    'rows: for y in 0..3 {
        #[unroll]
        for x in (0..4).rev() {
            if x as u32 == n {
                continue 'rows;
            }
            list[y][x] = y as u32 * 4 + x as u32;
        }
    }
    let (mut a, mut b) = (0, 1u32);
    (a, b) = (b, a + b);
    #[unroll(2)]
    while a < LIMIT {
        a += match a % 4 {
            0 => 1,
            1 | 2 => b,
            odd @ 3..=9 if odd > n => odd,
            _ => n,
        };
    }
    let found = loop {
        if a == 0 {
            break -1i32;
        }
        a >>= 1;
    };
    signed[0] = found + bare::least(found, 3) * i32::MAX;
    assert!(a > 0, "{a} and {}", list[1][2]);
    debug_assert_eq!(a, b + 1);
    debug!("{found}");
    let twice = |x: u32| x * 2;
    o[0] = twice(list[1][2]) ^ clamped(n, |x| !x);
    o[1] = gather([1.0f32, 2.0], &mut places, &counts, &counts[1], (n, n != 0), |x| x + 1.0) as u32;
    o[2] = -(found - 1) as u32 + places[3] + u32::BITS + (n as u64 >> 3) as u32;
    #[cfg(any())]
    {
        no_such_function();
    }
    return;
}

#[kernel(workgroup_size(1))]
fn iteration(n: u32, x: &[f32], o: &mut [f32]) {
    let kind;
    if n > 3 {
        kind = b'x' as u32;
    } else {
        kind = 'y' as u32 + const { 2 };
    }
    for (i, v) in x.iter().enumerate().skip(1) {
        o[i] = v * 2.0;
    }
    for v in o.iter_mut() {
        *v += kind as f32;
    }
    o[0] = x.iter().zip(&*o).map(|(a, b)| a * b).sum();
    let (1..=4, m) = (n, n + 1) else { return };
    if let (2, k) = (m, kind)
        && k > 1
        && let [a, .., b] = [k, m, n]
    {
        o[1] = (a + b) as f32;
    }
    o[2] = 'found: {
        for v in [n, m] {
            if v == 7 {
                break 'found 1.0;
            }
        }
        (1..=m).filter(|i| i % 2 == 0).count() as f32
    };
}

/// What a value and its double are, if both fit.
#[device]
fn doubled(n: u8) -> Option<(u8, u8)> {
    Some((n, n.checked_mul(2)?))
}

#[derive(Clone, Copy, PartialEq, Element)]
#[element(methods)]
enum Event {
    Nothing,
    Hit { t: f32, id: u32 },
    Miss(Option<u32>),
}

#[device]
impl Event {
    fn time(self) -> Option<f32> {
        match self {
            Self::Hit { t, .. } => Some(t),
            Event::Miss(_) | Self::Nothing => None,
        }
    }
}

#[kernel(workgroup_size(1))]
fn events(x: &[f32], y: &mut [f32]) {
    let mut last = Event::Nothing;
    for (i, &t) in x.iter().enumerate() {
        last = if t > 0.0 { Event::Hit { t, id: i as u32 } } else { Event::Miss(Some(i as u32)) };
    }
    if let Event::Hit { t: at, id } = last {
        y[0] = at + id as f32;
    }
    y[1] = last.time().unwrap_or(0.5) + (last == Event::Miss(None)) as u32 as f32;
}

#[device]
const FIRST: Event = Event::Hit { t: 1.0, id: 0 };

#[kernel(workgroup_size(1))]
fn variants_in_scope(x: &[f32], y: &mut [u32]) {
    use Event::*;
    let last = if x[0] > 1.0 { Hit { t: x[1], id: 3 } } else { FIRST };
    y[0] = matches!(last, Hit { id: 1..=4, .. }) as u32 + !matches!(last, Nothing | Miss(_) if x[2] > 0.5) as u32;
    {
        use Event::{Hit as Struck, Miss};
        y[1] = match last {
            Struck { id, .. } => id,
            Miss(id) => id.unwrap_or(3),
            Nothing => 4,
        };
    }
}

#[kernel(workgroup_size(1))]
fn options(n: u32, x: &[u32], y: &mut [u32]) {
    let Some(first) = x.get(n as usize).copied() else { return };
    let mut best: Option<u32> = None;
    if let Some(&last) = x.last()
        && let Some((a, b)) = doubled(last as u8)
    {
        best = Some(first.checked_add(a as u32).map_or(b as u32, |sum| sum << 1));
    }
    while let Some(v) = best.take() {
        best = v.checked_sub(7).filter(|v| *v > 3).or(None);
        y[0] += v;
    }
    y[1] = match x.iter().position(|&v| v == n) {
        Some(i @ 1..=3) => i as u32,
        Some(_) => best.unwrap_or_default(),
        None => x.iter().copied().min().unwrap_or(first),
    };
    let half = |v: u32| -> Option<f32> { Some(v.checked_div(n)? as f32 * 0.5) };
    y[2] = half(first).zip(x.first()).is_some_and(|(a, b)| a as u32 == *b) as u32 + (best == Some(first)) as u32;
}

#[kernel(workgroup_size(1))]
fn arithmetic(v: Vec4<f32>, w: Vec2<u32>, x: &mut [f32], y: &mut [Vec3<i32>], z: &mut [u64]) {
    x[0] = (2.0 * v - v / 3.0).wzyx().mul_add(v, v).max(v).fract().length_squared();
    x[1] = v.xyz().cross(v.zyx()).x.clamp(0.0, 1.0).copysign(-1.0) % std::f32::consts::PI;
    let integers = y[0] & Vec3::splat(7) | !y[1];
    y[0] = integers.abs().saturating_add(-y[1]);
    y[0] += Vec3::new(1, 2, find_msb(w.x));
    y[1].x -= dot4_i8(w.x, w.y, 1);
    z[0] = w as u64 + mul_hi(z[0], 3) + 5u32 as u64;
    let packed = z[0] as Vec2<u32> * w.count_ones();
    x[2] = unpack_half_2x16(packed.x).y + ldexp(saturate(x[1]), 2) + f32::from_bits(w.y);
    let (sum, wrapped) = packed.y.overflowing_add(bit_extract(w.x, 3, 4));
    x[3] = if wrapped || test_bit(sum, 3) { f32::NAN } else { 1.0f32.to_bits() as f32 };
}

#[kernel(workgroup_size(1))]
fn vectors(v: Vec3<f32>, places: &[u64], y: &mut [u32]) {
    let mask = v.cmplt(v.zyx());
    let w = Vec3::select(mask, v.normalize(), v.lerp(v.yzx(), 0.5)).cast::<i32>();
    let mut u = Vec4::from((w, 1));
    u[places[0] as usize] = v.extend(1.0).cast::<i32>().element_sum();
    y[0] = u32::from_le_bytes(u[0].to_le_bytes()) + v.length().to_bits() + mask.any() as u32;
    y[1] = y[0].ilog10() + u.truncate().min_element().cast_unsigned() + v.is_nan().cast::<u32>().x;
    let at = places[1] as usize;
    y[at] = 1;
}

#[kernel(workgroup_size(1))]
fn slices(x: &[u32], y: &mut [u32]) {
    for (c, d) in x.chunks_exact(2).zip(y.chunks_mut(3)) {
        d[0] = c[0] + c.len() as u32;
        d.fill(x.windows(2).map(|w: &[u32]| w[0] * w[1]).sum());
    }
    let mut t = [1u32, 2, 3, 4];
    let (low, high) = t.split_at_mut(2);
    low.copy_from_slice(high);
    low.swap(0, 1);
    t.reverse();
    let (a, _) = x.split_at(1);
    y[0] = (t.contains(&a[0]) || x.starts_with(&t) || (1..4).contains(&x.len())) as u32;
    y[1..5].copy_from_slice(&t);
}

#[kernel(workgroup_size(1))]
fn matrices(m: Mat3<f32>, x: &[Mat2<f32>], y: &mut [Mat2<f32>], v: &mut [Vec3<f32>]) {
    let turned: Mat3<f32> = m.transpose().inverse() * 2.0 - Mat3::IDENTITY;
    v[0] = turned * v[1] * m.determinant() + turned[1];
    v[0].x = turned.z_axis.y + Mat4::<f32>::ZERO.to_cols_array()[3];
    y[0] = x[0] * Mat2::from_cols(x[1].x_axis, x[1][global_id().x]) + Mat2::from_diagonal(v[0].xy());
    y[0] *= Mat2::from_cols_array([1.0f32, 2.0, 3.0, 4.0]) * 0.5;
    y[1][0].y = 1.0;
}

#[kernel(workgroup_size(1))]
fn bfloats(x: &[bf16], scale: bf16, y: &mut [bf16]) {
    let wide: f32 = x[0].to_f32() * f32::from(scale);
    y[0] = bf16::from_f32(wide);
    y[1] = bf16::from_bits(x[1].to_bits() ^ 0x8000);
}

#[kernel(workgroup_size(1), features(f16))]
fn halves(x: &mut [f16], y: &mut [f32]) {
    let h = x[0] * x[1];
    x[0] = h.sqrt().mul_add(h, -h).max(f16::MIN) + y[0] as f16;
    y[0] = f16_to_zero(2.5) as f32 + h as f32;
}

#[kernel(instances(T = [f32, u32], N = [2, 3]))]
fn scaled<T: Number, const N: usize>(x: &[[T; N]], by: T, y: &mut [T]) {
    let mut sum = 0 as T;
    for i in 0..N {
        sum += x[global_id().x][i] * by + N as T;
    }
    y[global_id().x] = sum.min(T::MAX);
}

macro_rules! made {
    ($name:ident, $a:ident: $ty:ty, $value:expr, $body:block) => {
        #[kernel(workgroup_size(1))]
        fn $name($a: $ty, out: &mut [$ty]) {
            out[0] = $value * 2;
            out[1] = $body;
        }
    };
}

made!(by_macro, a: u32, a + 1, { a });

/// A figure with sides.
#[device]
trait Figure {
    const SIDES: u32;

    fn area(&self) -> f32;

    /// Twice as much, and more.
    fn doubled(&self) -> f32 {
        self.area() * 2.0 + Self::SIDES as f32
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Figure))]
#[repr(C)]
struct Tile(f32);

#[device]
impl Figure for Tile {
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.0 * self.0
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Figure))]
#[repr(u32)]
enum Form {
    Dot,
    Line,
}

#[device]
impl Figure for Form {
    const SIDES: u32 = Form::Line as u32;

    fn area(&self) -> f32 {
        match *self {
            Form::Dot => 0.0,
            Self::Line => 1.0,
        }
    }
}

/// A place, with operators.
#[derive(Clone, Copy, PartialEq, Element)]
#[element(traits(Add, Mul<f32>, f32: Mul<Place>, AddAssign), methods)]
#[repr(C)]
struct Place {
    x: f32,
    y: f32,
}

#[device]
impl Add for Place {
    type Output = Self;

    fn add(self, other: Self) -> Self::Output {
        Place { x: self.x + other.x, y: self.y + square(other.y) }
    }
}

#[device]
impl Mul<f32> for Place {
    type Output = Place;

    fn mul(self, by: f32) -> Place {
        Place { x: self.x * by as f32, y: self.y * by }
    }
}

#[device]
impl Mul<Place> for f32 {
    type Output = Place;

    fn mul(self, by: Place) -> Place {
        by * self
    }
}

#[device]
impl AddAssign for Place {
    fn add_assign(&mut self, other: Place) {
        *self = *self + other;
    }
}

#[device]
impl Place {
    fn between(self, other: Self) -> Self {
        (self + other) * 0.5
    }
}

/// Several of a sort.
#[derive(Clone, Copy, Element)]
#[element(traits(Sub))]
#[repr(C)]
struct Several<T>(T, T);

#[device]
impl<T: Number> Sub for Several<T> {
    type Output = Several<T>;

    fn sub(self, other: Self) -> Self::Output {
        Several(self.0 - other.0, (self.1 - other.1) * 2 as T)
    }
}

#[kernel(workgroup_size(1))]
fn operators(places: &mut [Place], y: &mut [u32]) {
    let mut place = 2.0 * places[0].between(places[1]);
    place += places[1];
    places[0] = place;
    let rest = Several(y[0], y[1]) - Several(1, 2);
    y[0] = rest.0 + (place == places[1]) as u32;
}

/// What is near, of numbers.
#[device(types(f32, Vec2<f32>))]
trait Near {
    fn near(self, other: Self) -> bool;

    fn far(self, other: Self) -> bool {
        !self.near(other)
    }
}

#[device]
impl Near for f32 {
    fn near(self, other: Self) -> bool {
        (self - other).abs() < 1.0
    }
}

#[device]
impl Near for Vec2<f32> {
    fn near(self, other: Vec2<f32>) -> bool {
        (self.x - other.x).abs() < 1.0
    }
}

#[device]
fn count_far<T: Near>(a: T, b: T) -> u32 {
    a.far(b) as u32 + T::near(a, b) as u32
}

#[device]
fn combined(x: &[f32], f: impl Fn(f32, f32) -> f32) -> f32 {
    f(x[0], x[1])
}

/// Functions by their names.
#[kernel]
fn named(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = combined(x, f32::max) + combined(x, core::ops::Mul::mul) + x.iter().copied().fold(0.0, f32::min);
}

#[kernel]
fn nears(forms: &[Form], x: &[f32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = count_far(x[0], x[1]) + x[i].near(2.0) as u32 + area_of(forms[i]) as u32 + Form::SIDES;
    y[i] += count_far(Vec2::splat(x[i]), Vec2::new(0.0, 1.0));
}

#[device]
fn area_of<F: Figure>(figure: F) -> f32 {
    figure.area() + F::doubled(&figure)
}

#[kernel]
fn figures(tiles: &[Tile], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = area_of(tiles[i]) + tiles[1].area() + Tile::SIDES as f32;
}

/// What `gather` is for three numbers.
/// Orders of atomics, which the methods take or leave out.
#[kernel(features(atomic_orders, seq_cst))]
fn orders(lock: &[Atomic<u32>], y: &mut [u32]) {
    #[shared]
    let flag: Atomic<i32>;
    if lock[0].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed) == 0 {
        if global_id().x == 0 {
            y[0] = lock[1].fetch_add(1, Ordering::AcqRel) + lock[1].load();
        }
        lock[0].store(0, std::sync::atomic::Ordering::Release);
    }
    flag.store_in(1, Ordering::Relaxed, Scope::Workgroup);
    fence(Ordering::SeqCst);
    fence_in(Ordering::AcqRel, Scope::Workgroup);
    let old: i32 = flag.compare_exchange_weak_in(1, 2, Ordering::AcqRel, Ordering::Acquire, Scope::Workgroup);
    flag.fetch_max(old + flag.swap(3, Ordering::Acquire) + flag.load(Ordering::Acquire));
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[element(methods)]
struct Node {
    hits: [Atomic<u32>; 2],
    value: u32,
}

#[device]
impl Node {
    fn hit(&self, at: usize) -> u32 {
        self.hits[at % 2].fetch_add(self.value)
    }
}

#[kernel(workgroup_size(1))]
fn atomic_fields(nodes: &mut [Node]) {
    #[shared]
    let own: [Node; 4];
    for node in nodes.iter() {
        node.hits[0].fetch_max(own[1].hit(3));
    }
    nodes[0].value = nodes[1].hit(1) + own[2].hits[1].load();
}

#[derive(Clone, Copy, PartialEq, Element)]
#[element(methods)]
enum Maybe<T> {
    No,
    Yes(T),
}

#[device]
impl<T: Number> Maybe<T> {
    fn or(self, otherwise: T) -> T {
        match self {
            Self::Yes(value) => value,
            Maybe::No => otherwise,
        }
    }
}

#[kernel(workgroup_size(1))]
fn generic_enums(x: &[f32], y: &mut [f32]) {
    let mut found = Maybe::No;
    let rest = x.iter().skip(1).copied();
    for v in rest.clone() {
        if let Maybe::No = found {
            found = Maybe::Yes(v);
        }
    }
    y[0] = found.or(rest.sum()) + Maybe::<u32>::No.or(3) as f32;
}

type Gather = fn([f32; 3], &mut [u32], &[Atomic<u32>], &Atomic<u32>, (u32, bool), fn(f32) -> f32) -> f32;

#[test]
fn a_call_has_the_helpers_signature() {
    let _: fn(f32) -> f32 = square::call;
    let _: Gather = gather::call;
    let _: fn(Pair, Pair, bool) -> Pair = chosen::call;
    let _: fn(&mut Ray, f32) -> bool = Ray::advance;
    let _: fn(i64, fn(i64) -> i64) -> i64 = clamped::call;
}

#[test]
fn a_kernel_is_launched_as_ever() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut out = device.zeros::<u32>(2)?;
    by_macro::launch(&device, 1, 20, &mut out)?;
    assert_eq!(out.read()?, [42, 20]);
    Ok(())
}
