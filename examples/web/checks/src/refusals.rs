//! What a page cannot do, and what becomes of a device whose browser refuses a kernel.

use samebits::prelude::*;
use samebits::tune;

/// Its barrier stands under what was read of workgroup memory. That is the same for all invocations, since nobody
/// writes there meanwhile; browsers do not see that.
#[kernel(workgroup_size(8))]
fn intricate(n: u32, y: &mut [u32]) {
    #[shared]
    let tile: [u32; 8];
    let lane = local_index();
    tile[lane] = lane as u32;
    workgroup_barrier();
    if tile[0] < n {
        workgroup_barrier();
    }
    y[global_id().x] = n;
}

#[kernel]
fn count(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] += 1;
    }
}

fn shown<T>(what: &str, result: Result<T, Error>) -> String {
    match result {
        Ok(_) => format!("{what}: no error"),
        Err(error) => format!("{what}: {error}").replace('\n', "; "),
    }
}

/// A line for each.
///
/// # Errors
///
/// Those of calls that a page may make.
pub async fn all() -> Result<Vec<String>, Error> {
    let device = Device::best_async().await?;
    let mut lines = vec![
        shown("Device::best", Device::best()),
        shown("Device::named", Device::named("wgpu")),
        format!("Device::all: {:?}", Device::all().iter().map(Device::name).collect::<Vec<_>>()),
    ];
    let mut y = device.zeros::<u32>(8)?;
    count::launch(&device, 8, &mut y)?;
    lines.push(shown("read", y.read()));
    lines.push(shown("read_into", y.read_into(&mut [0; 8])));
    lines.push(shown("wait", device.wait()));
    lines.push(shown("debug_lines", device.debug_lines()));
    lines.push(shown("profile", device.profile(|| count::launch(&device, 8, &mut y))));
    lines.push(shown("trim", device.trim()));
    let tuned = tune::fastest(&device, "", &[count::KERNEL, count::KERNEL], |_| count::launch(&device, 8, &mut y));
    lines.push(shown("tune", tuned.map(|_| ())));
    // After all this the device still works.
    lines.push(format!("read_async: {:?}", y.read_async()?.await?));
    lines.push(shown("wait, when all is done", device.wait()));

    let mut x = device.zeros::<u32>(8)?;
    let refused = match intricate::launch(&device, 8, 3, &mut x) {
        Ok(()) => x.read_async()?.await.map(|_| ()),
        Err(error) => Err(error),
    };
    lines.push(shown("a kernel that the browser refuses", refused));

    let other = Device::best_async().await?;
    let mut y = other.zeros::<u32>(8)?;
    other.lose();
    let lost = match count::launch(&other, 8, &mut y) {
        Ok(()) => match y.read_async() {
            Ok(read) => read.await.map(|_| ()),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    lines.push(shown("a device that is lost", lost));
    Ok(lines)
}
