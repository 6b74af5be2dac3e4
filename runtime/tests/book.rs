//! The book's program for the judge: it is this one, and fails as it says.

use samebits::judge::Schedule;
use samebits::prelude::*;

#[kernel]
fn exchange(y: &mut [u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = unsafe { y[1 - i] }; // the other invocation may be storing it
    unsafe { y[i] = 7 };
}

fn judged(schedule: Schedule) -> Result<Vec<u32>, Error> {
    let device = Device::judge(schedule);
    let mut y = device.zeros::<u32>(2)?;
    let mut out = device.zeros::<u32>(2)?;
    exchange::launch(&device, 2, &mut y, &mut out)?; // an error if there was a race
    let result = out.read()?;
    for finding in device.findings() {
        println!("{finding}"); // accesses out of bounds, reads of memory that nothing wrote
    }
    Ok(result)
}

const BOOK: &str = include_str!("../../docs/src/debugging.md");

#[test]
fn the_program_of_the_book_is_the_one_tested_here() {
    let (_, source) = include_str!("book.rs").split_once("\n\n").expect("a program");
    let (program, _) = source.split_once("\nconst BOOK").expect("an end");
    assert!(BOOK.contains(&format!("```rust\n{program}```")));
}

#[test]
fn every_schedule_finds_the_race_of_the_book() {
    for schedule in [Schedule::Forward, Schedule::Reversed, Schedule::Random(7)] {
        let error = judged(schedule).expect_err("a race").to_string();
        assert!(error.contains("race on `y["), "{error}");
    }
}

#[test]
fn the_launch_is_what_fails() {
    let device = Device::judge(Schedule::Forward);
    let mut buffers = [device.zeros::<u32>(2).expect("memory"), device.zeros::<u32>(2).expect("memory")];
    let [y, out] = &mut buffers;
    let error = exchange::launch(&device, 2, y, out).expect_err("a race");
    assert!(matches!(error, Error::Race { .. }), "{error}");
    assert!(buffers[1].read().is_ok());
}

#[test]
fn the_race_is_told_in_the_words_of_the_book() {
    let error = judged(Schedule::Random(7)).expect_err("a race").to_string();
    assert!(BOOK.contains(&error), "{error}");
}
