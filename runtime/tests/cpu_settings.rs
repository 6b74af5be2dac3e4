//! What the environment says of native code. One test, since it sets the environment.

use samebits::__private::ir::wire;
use samebits::__private::native::{self, Code, Endless, Native, Span};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn wait(n: u32, y: &mut [u32]) {
    let mut k = 0;
    while k < n {
        k += 1;
    }
    y[0] = k;
}

/// Stores which code it is. The loop ends after as many rounds as are allowed.
unsafe fn run<const LEVEL: u32>(launch: &native::Launch<'_>, _span: Span) -> Result<(), Endless> {
    // SAFETY: the buffer and the words of the block are those of the kernel, and the buffer has an element.
    unsafe {
        native::store(launch.written(0), 0, LEVEL);
        if u64::from(launch.word(6)) > launch.rounds { Err(Endless(1)) } else { Ok(()) }
    }
}

const CODE: Code = Code { baseline: run::<1>, avx2: Some(run::<2>), avx512: Some(run::<3>) };
static WAIT: Native = Native { bare: CODE, guarded: CODE, weight: 5, together: 1, image: &[] };

fn set(variable: &str, value: &str) {
    // SAFETY: the test is the only one of its process, and no other thread reads the environment.
    unsafe { std::env::set_var(variable, value) };
}

#[test]
fn the_environment_restricts_instructions_and_rounds() {
    let image = wait::KERNEL.image();
    let site = |line, helper| wire::Site { file: Some("k.rs"), line, column: 5, helper };
    let sites = [site(9, None), site(3, Some(("helper", 0)))];
    let locations = wire::encode_locations(&wire::decode(image).unwrap(), &sites, |_| Some(0));
    let kernel = Kernel::from_image("wait", image).as_written(image, locations.leak()).native(Ok(&WAIT));
    let launch =
        |device: &Device, n: u32, y: &mut Buffer<u32>| kernel.launch(device, 1, &[Arg::scalar(n), Arg::buffer_mut(y)]);

    // Each level that the machine has.
    let names = ["baseline", "avx2", "avx512"];
    let most = Device::cpu().report().instructions().unwrap();
    let most = names.iter().position(|name| *name == most).unwrap();
    for (level, name) in names.iter().enumerate() {
        set("SAMEBITS_CPU", name);
        let device = Device::cpu();
        let mut y = device.zeros::<u32>(1).unwrap();
        let launched = launch(&device, 5, &mut y);
        if level <= most {
            assert_eq!((launched, device.report().instructions()), (Ok(()), Some(*name)));
            assert_eq!(y.read(), Ok(vec![level as u32 + 1]));
        } else {
            assert!(matches!(launched, Err(Error::Variable { variable: "SAMEBITS_CPU", .. })), "{launched:?}");
        }
    }
    set("SAMEBITS_CPU", "sse9");
    let device = Device::named("cpu").unwrap();
    let error = launch(&device, 5, &mut device.zeros(1).unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("the environment variable `SAMEBITS_CPU` is `sse9`, but must be `baseline`"), "{error}");
    set("SAMEBITS_CPU", "");

    set("SAMEBITS_STEPS", "1000");
    let device = Device::cpu();
    let [mut wrong, mut right] = [(); 2].map(|()| device.zeros::<u32>(1).unwrap());
    assert_eq!(launch(&device, 1000, &mut right), Ok(()));
    let error = launch(&device, 1001, &mut wrong).unwrap_err();
    let words = "kernel `wait`: an invocation took more than the 1000 rounds of loops allowed for one, and is still in \
                 this loop\n  --> k.rs:3:5\n  note: in `helper`, which is called here\n  --> k.rs:9:5\n  \
                 help: if this is intended, set the environment variable `SAMEBITS_STEPS` to more rounds";
    assert_eq!(error.to_string(), words);
    // What the launch may have written depends on it, and nothing else does.
    assert_eq!((wrong.read(), wrong.as_slice()), (Err(error.clone()), None));
    assert_eq!((right.read(), device.wait()), (Ok(vec![most as u32 + 1]), Err(error)));
    wrong.fill(0).unwrap();
    assert_eq!((wrong.as_slice(), device.wait()), (Some(&[0][..]), Ok(())));

    set("SAMEBITS_STEPS", "many");
    let device = Device::cpu();
    let error = launch(&device, 1, &mut device.zeros(1).unwrap()).unwrap_err().to_string();
    assert_eq!(error, "the environment variable `SAMEBITS_STEPS` is `many`, but must be a number of steps");
}
