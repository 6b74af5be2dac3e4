//! Work that fails after it was queued: who is told, how often, and who is not.

mod devices;

use devices::{devices, drivers};
use samebits::judge::Schedule;
use samebits::prelude::*;

/// Counts as far as asked; llvmpipe ends that after 65,535 rounds, each of which may make several of these.
#[kernel(workgroup_size(1))]
fn count(n: u32, y: &mut [u32]) {
    let mut s = 1u32;
    let mut j = 0;
    while j < n {
        s = s * 1664525 + 1013904223;
        j += 1;
    }
    y[0] = s;
    y[1] = j;
}

#[kernel(workgroup_size(64))]
fn double(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = 2 * x[i];
}

/// More rounds than llvmpipe takes.
const TOO_MANY: u32 = 1_000_000;

/// The device that ends loops by itself, if this machine has it.
fn cutting() -> impl Iterator<Item = Device> {
    devices().into_iter().filter(|device| device.name().contains("llvmpipe"))
}

/// The error for `count`.
fn cut<T>(device: &Device) -> Result<T, Error> {
    Err(Error::LoopCut { kernel: "count".into(), device: device.name().into() })
}

#[test]
fn a_cut_loop_is_the_error_of_what_it_wrote_each_time_and_of_nothing_else() {
    for device in cutting() {
        let [mut wrong, mut right] = [(); 2].map(|()| device.zeros::<u32>(2).unwrap());
        count::launch(&device, 1, TOO_MANY, &mut wrong).unwrap();
        count::launch(&device, 1, 10, &mut right).unwrap();
        for _ in 0..3 {
            assert_eq!(right.read().unwrap()[1], 10);
            assert_eq!(wrong.read(), cut(&device));
            assert_eq!(wrong.read_range(1..), cut(&device));
        }
        wrong.fill(7).unwrap();
        assert_eq!(wrong.read(), Ok(vec![7; 2]));
        assert_eq!(device.wait(), Ok(()));
    }
}

#[test]
fn a_thread_is_not_told_of_anothers_cut_loop() {
    for device in cutting() {
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let device = &device;
                scope.spawn(move || {
                    let mut y = device.zeros::<u32>(2).unwrap();
                    for round in 0..10 {
                        let rounds = if thread % 2 == 0 { TOO_MANY } else { 100 + round };
                        count::launch(device, 1, rounds, &mut y).unwrap();
                        if thread % 2 == 0 {
                            assert_eq!((y.read(), y.read()), (cut(device), cut(device)));
                            y.fill(0).unwrap();
                        } else {
                            assert_eq!(y.read().unwrap()[1], rounds);
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn what_was_made_of_wrong_data_is_wrong_as_well() {
    for device in cutting() {
        let [mut wrong, mut copy, mut made, mut again, mut clean] = [(); 5].map(|()| device.zeros::<u32>(2).unwrap());
        let other = Device::interpreter();
        count::launch(&device, 1, TOO_MANY, &mut wrong).unwrap();
        // Nobody knows yet.
        copy.copy_from(&wrong).unwrap();
        double::launch(&device, 2, &copy, &mut made).unwrap();
        double::launch(&device, 2, &clean.slice(..).unwrap(), &mut again).unwrap();
        assert_eq!((made.read(), copy.read(), again.read()), (cut(&device), cut(&device), Ok(vec![0; 2])));
        // Now it is known.
        double::launch(&device, 2, &made, &mut clean).unwrap();
        assert_eq!(clean.read(), cut(&device));
        assert_eq!(other.zeros::<u32>(2).unwrap().copy_from(&clean), cut(&device));
        wrong.fill(1).unwrap();
        assert_eq!((wrong.read(), copy.read()), (Ok(vec![1; 2]), cut(&device)));
        copy.copy_from(&wrong).unwrap();
        assert_eq!(copy.read(), Ok(vec![1; 2]));
    }
}

#[test]
fn only_the_part_that_was_lent_is_wrong() {
    for device in cutting() {
        let mut buffer = device.zeros::<u32>(9).unwrap();
        count::launch(&device, 1, TOO_MANY, &mut buffer.slice_mut(3..6).unwrap()).unwrap();
        assert_eq!(buffer.slice(..3).unwrap().read(), Ok(vec![0; 3]));
        assert_eq!(buffer.read_range(6..), Ok(vec![0; 3]));
        assert_eq!((buffer.read(), buffer.read_range(5..7)), (cut(&device), cut(&device)));
        buffer.slice_mut(3..5).unwrap().fill(1).unwrap();
        assert_eq!((buffer.read_range(..5), buffer.read()), (Ok(vec![0, 0, 0, 1, 1]), cut(&device)));
        buffer.write(5, &[2]).unwrap();
        assert_eq!(buffer.read(), Ok(vec![0, 0, 0, 1, 1, 2, 0, 0, 0]));
    }
}

#[test]
fn a_wait_reports_a_failure_until_nothing_depends_on_it() {
    for device in cutting() {
        let mut y = device.zeros::<u32>(2).unwrap();
        count::launch(&device, 1, TOO_MANY, &mut y).unwrap();
        assert_eq!([device.wait(), device.wait()], [cut(&device), cut(&device)]);
        drop(y);
        assert_eq!(device.wait(), Ok(()));
        // Once at least, also if nobody can read it any more.
        let mut y = device.zeros::<u32>(2).unwrap();
        count::launch(&device, 1, TOO_MANY, &mut y).unwrap();
        drop(y);
        assert_eq!([device.wait(), device.wait()], [cut(&device), Ok(())]);
    }
}

#[test]
fn one_of_thousands_of_launches_is_found() {
    for device in cutting() {
        let [mut wrong, mut right] = [(); 2].map(|()| device.zeros::<u32>(2).unwrap());
        for i in 0..3000 {
            let (rounds, y) = if i == 500 { (TOO_MANY, &mut wrong) } else { (i % 7, &mut right) };
            count::launch(&device, 1, rounds, y).unwrap();
        }
        assert_eq!((right.read().unwrap()[1], wrong.read()), (2999 % 7, cut(&device)));
    }
}

#[test]
fn a_batch_that_the_driver_refuses_is_the_error_of_what_it_would_have_written() {
    for device in drivers() {
        let x = device.upload(&[1u32, 2]).unwrap();
        let [mut lost, mut copied, mut bystander] = [(); 3].map(|()| device.zeros::<u32>(2).unwrap());
        let mut bytes = device.zeros::<u8>(6).unwrap();
        double::launch(&device, 2, &x, &mut bystander).unwrap();
        device.wait().unwrap();
        double::launch(&device, 2, &x, &mut lost).unwrap();
        copied.copy_from(&x).unwrap();
        bytes.write(1, &[5]).unwrap();
        device.spoil();
        assert_eq!(bystander.read(), Ok(vec![2, 4]), "on {}", device.name());
        for _ in 0..2 {
            assert!(matches!(lost.read(), Err(Error::Driver { .. })), "{:?}", lost.read());
            assert!(matches!(copied.read(), Err(Error::Driver { .. })));
            assert!(matches!(bytes.read_range(1..2), Err(Error::Driver { .. })));
            assert!(matches!(device.wait(), Err(Error::Driver { .. })));
            assert_eq!(bytes.read_range(2..), Ok(vec![0; 4]));
        }
        double::launch(&device, 2, &bystander, &mut lost).unwrap();
        lost.fill(0).unwrap();
        double::launch(&device, 2, &bystander, &mut lost).unwrap();
        assert_eq!(lost.read(), Ok(vec![4, 8]));
    }
}

#[test]
fn a_launch_that_the_interpreter_gives_up_leaves_no_result() {
    let device = Device::interpreter_with_budget(1000);
    let [mut wrong, mut right, mut made] = [(); 3].map(|()| device.zeros::<u32>(2).unwrap());
    let error = count::launch(&device, 1, 5000, &mut wrong).unwrap_err();
    count::launch(&device, 1, 10, &mut right).unwrap();
    double::launch(&device, 2, &wrong, &mut made).unwrap();
    for _ in 0..2 {
        assert_eq!((wrong.read(), made.read()), (Err(error.clone()), Err(error.clone())));
        assert_eq!(right.read().unwrap()[1], 10);
        assert_eq!(device.wait(), Err(error.clone()));
    }
    wrong.fill(3).unwrap();
    made.copy_from(&wrong).unwrap();
    assert_eq!((made.read(), device.wait()), (Ok(vec![3; 2]), Ok(())));
}

#[test]
fn a_race_leaves_its_result() {
    #[kernel(workgroup_size(2))]
    fn racy(y: &mut [u32]) {
        unsafe {
            y[0] = local_id().x as u32;
        }
    }
    let device = Device::judge(Schedule::Forward);
    let mut y = device.zeros::<u32>(1).unwrap();
    assert!(matches!(racy::launch(&device, 2, &mut y), Err(Error::Race { .. })));
    assert_eq!((y.read(), device.wait()), (Ok(vec![1]), Ok(())));
}
