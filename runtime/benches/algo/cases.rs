//! The cases: buffers, one call of a primitive, and what the CPU computes.

use samebits::algo::{Operator, Scratch, random};
use samebits::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// What is queued.
pub type Work<'a> = Box<dyn FnMut() -> Result<(), Error> + 'a>;

/// A primitive with its buffers.
pub struct Case<'a> {
    /// Restores the input and runs.
    pub run: Work<'a>,
    /// Restores the input alone. Most cases do not change it.
    pub restore: Work<'a>,
    /// Compares the result of the last run with the CPU's.
    pub check: Work<'a>,
}

/// Makes the buffers of a case for so many elements.
pub type Make = fn(&Device, usize) -> Result<Case<'_>, Error>;

/// All cases by their names.
pub const CASES: [(&str, Make); 20] = [
    ("reduce_u32", reduce::<u32>),
    ("reduce_f32", reduce::<f32>),
    ("reduce_f64", reduce::<f64>),
    ("scan_u32", scan::<u32>),
    ("scan_f32", scan::<f32>),
    ("scan_u64", scan::<u64>),
    ("select_u32", select),
    ("partition_u32", partition),
    ("histogram_256", histogram::<256>),
    ("histogram_2048", histogram::<2048>),
    ("histogram_65536", histogram::<65536>),
    ("sort_u32", sort::<u32>),
    ("sort_f32", sort::<f32>),
    ("sort_u64", sort::<u64>),
    ("pairs_u32", pairs::<u32>),
    ("pairs_u64", pairs::<u64>),
    ("transpose_u32", transpose),
    ("fill_u32", fill_u32),
    ("fill_f32", fill_f32),
    ("fill_normal", fill_normal),
];

#[kernel(workgroup_size(256), requires(x.len() >= out.len()))]
fn copy_words(x: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = x[i];
    }
}

/// Random words of the device's.
fn words(device: &Device, len: usize) -> Result<Buffer<u32>, Error> {
    let mut words = device.zeros::<u32>(len)?;
    random::fill_u32(device, 1, &mut words)?;
    Ok(words)
}

fn nothing<'a>() -> Work<'a> {
    Box::new(|| Ok(()))
}

/// A case that keeps its input: a call on a result, and a test of it.
fn keeping<'a, R: 'a>(
    result: R,
    mut run: impl FnMut(&mut R) -> Result<(), Error> + 'a,
    mut check: impl FnMut(&R) -> Result<(), Error> + 'a,
) -> Case<'a> {
    let result = Rc::new(RefCell::new(result));
    let other = Rc::clone(&result);
    Case {
        run: Box::new(move || run(&mut result.borrow_mut())),
        restore: nothing(),
        check: Box::new(move || check(&other.borrow())),
    }
}

/// A copy of so many words, with which all is compared.
pub fn copy(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let x = words(device, len)?;
    let out = device.zeros::<u32>(len)?;
    Ok(keeping(out, move |out| copy_words::launch(device, len, &x, out), |_| Ok(())))
}

/// A number that is made of a word, so that sums are exact.
trait FromWord: samebits::algo::Scalar + PartialEq + std::fmt::Debug {
    fn of(word: u32) -> Self;
    fn plus(self, other: Self) -> Self;
}
macro_rules! from_word {
    ($($ty:ident: $word:ident => $of:expr, $add:expr;)*) => {$(
        impl FromWord for $ty {
            fn of($word: u32) -> Self {
                $of
            }
            fn plus(self, other: Self) -> Self {
                $add(self, other)
            }
        }
    )*};
}
from_word! {
    u32: word => word, u32::wrapping_add;
    u64: word => word.into(), u64::wrapping_add;
    f32: word => ((word >> 30) as f32 - 1.5) * 2.0, |a, b| a + b;
    f64: word => (word >> 10).into(), |a, b| a + b;
}

fn numbers<T: FromWord>(device: &Device, len: usize) -> Result<(Vec<T>, Buffer<T>), Error> {
    let numbers: Vec<T> = words(device, len)?.read()?.into_iter().map(T::of).collect();
    let buffer = device.upload(&numbers)?;
    Ok((numbers, buffer))
}

fn reduce<T: FromWord>(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let (x, buffer) = numbers::<T>(device, len)?;
    let mut scratch = Scratch::new(device);
    let run = move |total: &mut Buffer<T>| scratch.reduce_into(Operator::Sum, &buffer, total);
    let check = move |total: &Buffer<T>| {
        assert_eq!(total.read()?[0], x.iter().fold(T::default(), |sum, &x| sum.plus(x)));
        Ok(())
    };
    Ok(keeping(device.zeros::<T>(1)?, run, check))
}

fn scan<T: FromWord>(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let (x, buffer) = numbers::<T>(device, len)?;
    let mut scratch = Scratch::new(device);
    let run = move |y: &mut Buffer<T>| scratch.inclusive_scan(Operator::Sum, &buffer, y);
    let check = move |y: &Buffer<T>| {
        let mut sum: Option<T> = None;
        for (found, &x) in y.read()?.into_iter().zip(&x) {
            let next = sum.map_or(x, |sum| sum.plus(x));
            assert_eq!(found, next);
            sum = Some(next);
        }
        Ok(())
    };
    Ok(keeping(device.zeros::<T>(len)?, run, check))
}

/// Words, and flags of about half of them.
fn flagged(device: &Device, len: usize) -> Result<(Vec<u32>, [Buffer<u32>; 2]), Error> {
    let x = words(device, len)?;
    let read = x.read()?;
    let flags = device.upload(&read.iter().map(|x| x >> 7 & 1).collect::<Vec<_>>())?;
    Ok((read, [x, flags]))
}

fn select(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let (read, [x, flags]) = flagged(device, len)?;
    let mut scratch = Scratch::new(device);
    let run = move |(y, count): &mut (Buffer<u32>, Buffer<u32>)| scratch.compact_into(&x, &flags, y, count);
    let check = move |(y, count): &(Buffer<u32>, Buffer<u32>)| {
        let kept: Vec<u32> = read.iter().copied().filter(|x| x >> 7 & 1 == 1).collect();
        assert_eq!(count.read()?[0] as usize, kept.len());
        assert!(y.read_range(..kept.len())? == kept);
        Ok(())
    };
    Ok(keeping((device.zeros::<u32>(len)?, device.zeros::<u32>(1)?), run, check))
}

fn partition(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let (read, [x, flags]) = flagged(device, len)?;
    let mut scratch = Scratch::new(device);
    let run = move |(y, count): &mut (Buffer<u32>, Buffer<u32>)| scratch.partition_into(&x, &flags, y, count);
    let check = move |(y, _): &(Buffer<u32>, Buffer<u32>)| {
        let mut moved = read.clone();
        moved.sort_by_key(|x| x >> 7 & 1 == 0);
        assert!(y.read()? == moved);
        Ok(())
    };
    Ok(keeping((device.zeros::<u32>(len)?, device.zeros::<u32>(1)?), run, check))
}

fn histogram<const BINS: usize>(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let keys: Vec<u32> = words(device, len)?.read()?.into_iter().map(|word| word % BINS as u32).collect();
    let buffer = device.upload(&keys)?;
    let mut scratch = Scratch::new(device);
    let run = move |bins: &mut Buffer<u32>| scratch.histogram(&buffer, bins);
    let check = move |bins: &Buffer<u32>| {
        let mut expected = vec![0; BINS];
        keys.iter().for_each(|&key| expected[key as usize] += 1);
        assert!(bins.read()? == expected);
        Ok(())
    };
    Ok(keeping(device.zeros::<u32>(BINS)?, run, check))
}

/// A key that is made of words.
trait Made: samebits::algo::Key {
    /// An order that is the sort's.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering;
}
impl Made for u32 {
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.cmp(b)
    }
}
impl Made for u64 {
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.cmp(b)
    }
}
impl Made for f32 {
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.total_cmp(b)
    }
}

/// Random keys: all bits are random.
fn keys<K: Made>(device: &Device, len: usize) -> Result<Buffer<K>, Error> {
    let mut keys = device.zeros::<K>(len)?;
    random::fill_u32(device, 1, &mut keys.view_mut::<u32>()?)?;
    Ok(keys)
}

/// Whether two lists of keys are the same to the bit.
fn same<K: Made>(a: &[K], b: &[K]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| K::order(a, b).is_eq())
}

fn sort<K: Made>(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let unsorted = Rc::new(keys::<K>(device, len)?);
    let sorted = Rc::new(RefCell::new(device.zeros::<K>(len)?));
    let mut scratch = Scratch::new(device);
    let restore = {
        let (unsorted, sorted) = (Rc::clone(&unsorted), Rc::clone(&sorted));
        move || sorted.borrow_mut().copy_from(&*unsorted)
    };
    let again = restore.clone();
    let result = Rc::clone(&sorted);
    let run = move || {
        again()?;
        scratch.sort(&mut *sorted.borrow_mut())
    };
    let check = move || {
        let mut expected = unsorted.read()?;
        expected.sort_unstable_by(K::order);
        assert!(same(&result.borrow().read()?, &expected));
        Ok(())
    };
    Ok(Case { run: Box::new(run), restore: Box::new(restore), check: Box::new(check) })
}

fn pairs<K: Made>(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    let unsorted = Rc::new(keys::<K>(device, len)?);
    let places = device.upload(&(0..len as u32).collect::<Vec<_>>())?;
    let sorted = Rc::new(RefCell::new((device.zeros::<K>(len)?, device.zeros::<u32>(len)?)));
    let mut scratch = Scratch::new(device);
    let places = Rc::new(places);
    let restore = {
        let (unsorted, places, sorted) = (Rc::clone(&unsorted), Rc::clone(&places), Rc::clone(&sorted));
        move || {
            let (keys, values) = &mut *sorted.borrow_mut();
            keys.copy_from(&*unsorted)?;
            values.copy_from(&*places)
        }
    };
    let again = restore.clone();
    let result = Rc::clone(&sorted);
    let run = move || {
        again()?;
        let (keys, values) = &mut *sorted.borrow_mut();
        scratch.sort_pairs(keys, values)
    };
    let check = move || {
        let mut expected: Vec<(K, u32)> = unsorted.read()?.into_iter().zip(0..).collect();
        expected.sort_by(|a, b| K::order(&a.0, &b.0));
        let (keys, values): (Vec<K>, Vec<u32>) = expected.into_iter().unzip();
        let (found, places) = &*result.borrow();
        assert!(same(&found.read()?, &keys) && places.read()? == values);
        Ok(())
    };
    Ok(Case { run: Box::new(run), restore: Box::new(restore), check: Box::new(check) })
}

fn transpose(device: &Device, len: usize) -> Result<Case<'_>, Error> {
    // As square as may be.
    let rows = (1..=len.isqrt()).rev().find(|rows| len.is_multiple_of(*rows)).unwrap_or(1);
    let x = words(device, len)?;
    let read = x.read()?;
    let mut scratch = Scratch::new(device);
    let run = move |y: &mut Buffer<u32>| scratch.transpose(rows, &x, y);
    let check = move |y: &Buffer<u32>| {
        let columns = len / rows;
        assert!(y.read()?.into_iter().enumerate().all(|(i, found)| found == read[i % rows * columns + i / rows]));
        Ok(())
    };
    Ok(keeping(device.zeros::<u32>(len)?, run, check))
}

macro_rules! fills {
    ($($name:ident $ty:ty: $check:expr;)*) => {$(
        fn $name(device: &Device, len: usize) -> Result<Case<'_>, Error> {
            let check: fn(Vec<$ty>) -> bool = $check;
            let run = move |y: &mut Buffer<$ty>| random::$name(device, 3, y);
            let check = move |y: &Buffer<$ty>| {
                assert!(check(y.read_range(..8.min(y.len()))?));
                Ok(())
            };
            Ok(keeping(device.zeros::<$ty>(len)?, run, check))
        }
    )*};
}
fills! {
    fill_u32 u32: |found| found.iter().enumerate().all(|(i, &word)| {
        word == random::on_host::philox([i as u32 / 4, 0, 0, 0], [3, 0])[i % 4]
    });
    fill_f32 f32: |found| found.iter().all(|x| (0.0..1.0).contains(x));
    fill_normal f32: |found| found.iter().all(|x| x.abs() < 6.0);
}
