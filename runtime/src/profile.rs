//! Where a device's time goes: how long each launch ran.
//!
//! ```
//! use samebits::prelude::*;
//!
//! #[kernel(workgroup_size(64))]
//! fn double(x: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < x.len() {
//!         x[i] = x[i] * 2.0;
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let mut x = device.upload(&[1.0f32; 1000])?;
//! let (_, profile) = device.profile(|| {
//!     double::launch(&device, 1000, &mut x)?;
//!     double::launch(&device, 1000, &mut x)
//! })?;
//! assert_eq!(profile.launches().len(), 2);
//! println!("{profile}"); // a line for each kernel
//! # Ok::<(), Error>(())
//! ```

use crate::device::Device;
use crate::error::Error;
use crate::trace;
use std::fmt::{self, Write};
use std::time::Duration;

pub use crate::backend::Timed;

/// The launches of some work, and when they ran. Shown, it is a table with a line for each kernel, that of
/// the most time first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    device: String,
    launches: Vec<Timed>,
}

/// The launches of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Row<'a> {
    kernel: &'a str,
    launches: u64,
    total: u64,
    shortest: u64,
    longest: u64,
    bytes: u64,
}

impl Profile {
    /// Of launches that were timed by any clock.
    fn new(device: &str, mut launches: Vec<Timed>) -> Self {
        let zero = launches.iter().map(|launch| launch.time[0]).min().unwrap_or(0);
        for launch in &mut launches {
            launch.time = launch.time.map(|time| time.saturating_sub(zero));
        }
        Self { device: device.to_owned(), launches }
    }

    /// The launches, in the order in which they were queued.
    pub fn launches(&self) -> &[Timed] {
        &self.launches
    }

    /// The time of all launches of a kernel; of all kernels without a name.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// # #[kernel(workgroup_size(1))]
    /// # fn one(y: &mut [u32]) { y[0] = 1; }
    /// # let device = Device::interpreter();
    /// # let mut y = device.zeros::<u32>(1)?;
    /// let (_, profile) = device.profile(|| one::launch(&device, 1, &mut y))?;
    /// assert_eq!(profile.time(Some("one")), profile.time(None));
    /// assert!(profile.time(Some("two")).is_zero());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn time(&self, kernel: Option<&str>) -> Duration {
        let of = self.launches.iter().filter(|launch| kernel.is_none_or(|kernel| launch.kernel == kernel));
        Duration::from_nanos(of.map(Timed::nanos).sum())
    }

    /// The part of the time from the first launch's beginning to the last one's end in which a launch ran, from 0
    /// to 1. The rest the device spent on copies, or on waiting for the host. 0 without launches.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (_, profile) = device.profile(|| device.wait())?;
    /// assert_eq!(profile.busy(), 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn busy(&self) -> f64 {
        let end = self.launches.iter().map(|launch| launch.time[1]).max().unwrap_or(0);
        if end == 0 { 0.0 } else { (self.time(None).as_nanos() as f64 / end as f64).min(1.0) }
    }

    /// The launches in the JSON that Chrome's `chrome://tracing` and Perfetto show.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// # #[kernel(workgroup_size(1))]
    /// # fn one(y: &mut [u32]) { y[0] = 1; }
    /// # let device = Device::interpreter();
    /// # let mut y = device.zeros::<u32>(1)?;
    /// let (_, profile) = device.profile(|| one::launch(&device, 1, &mut y))?;
    /// assert!(profile.chrome_trace().contains(r#""name":"one","ph":"X","ts":0.000,"#));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn chrome_trace(&self) -> String {
        let name = text(&self.device);
        let mut json = format!(
            "{{\"traceEvents\":[\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{{\"name\":{name}}}}}"
        );
        for launch in &self.launches {
            let micros = |nanos: u64| nanos as f64 / 1e3;
            let (kernel, begin, time) = (text(&launch.kernel), micros(launch.time[0]), micros(launch.nanos()));
            // Writing to a string does not fail.
            let _ = write!(
                json,
                ",\n{{\"name\":{kernel},\"ph\":\"X\",\"ts\":{begin:.3},\"dur\":{time:.3},\"pid\":0,\"tid\":0,\"args\":{{\"bytes\":{}}}}}",
                launch.bytes
            );
        }
        json + "\n]}\n"
    }

    /// The kernels, that of the most time first.
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for launch in &self.launches {
            let nanos = launch.nanos();
            let row = match rows.iter_mut().find(|row| row.kernel == launch.kernel) {
                Some(row) => row,
                None => {
                    let kernel = &launch.kernel;
                    rows.push(Row { kernel, launches: 0, total: 0, shortest: nanos, longest: nanos, bytes: 0 });
                    match rows.last_mut() {
                        Some(row) => row,
                        None => continue,
                    }
                }
            };
            row.launches += 1;
            row.total += nanos;
            row.bytes += launch.bytes;
            (row.shortest, row.longest) = (row.shortest.min(nanos), row.longest.max(nanos));
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.total));
        rows
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, total) = (self.launches.len(), self.time(None).as_nanos() as f64);
        write!(f, "{}: {count} launches, {:.3} ms, busy {:.0} %", self.device, total / 1e6, self.busy() * 100.0)?;
        let rows = self.rows();
        let width = rows.iter().map(|row| row.kernel.chars().count()).max().unwrap_or(0).max(6);
        if !rows.is_empty() {
            write!(
                f,
                "\n  {:width$} {:>8} {:>11} {:>6} {:>11} {:>11} {:>11} {:>8}",
                "kernel", "launches", "total ms", "%", "mean us", "least us", "most us", "GB/s"
            )?;
        }
        for Row { kernel, launches, total: time, shortest, longest, bytes } in rows {
            let (time, micros) = (time as f64, |nanos: f64| nanos / 1e3);
            let share = if total == 0.0 { 0.0 } else { time / total * 100.0 };
            let rate = if time == 0.0 { 0.0 } else { bytes as f64 / time };
            write!(
                f,
                "\n  {kernel:width$} {launches:>8} {:>11.3} {share:>6.1} {:>11.2} {:>11.2} {:>11.2} {rate:>8.1}",
                time / 1e6,
                micros(time / launches as f64),
                micros(shortest as f64),
                micros(longest as f64),
            )?;
        }
        Ok(())
    }
}

impl Device {
    /// Runs some work, and tells how long each launch of it ran on the device.
    ///
    /// A GPU's own clock is asked, if the driver gives it. Elsewhere each launch is waited for. The bytes of a launch
    /// are those of all buffers that it was passed, so a rate is that of a kernel that reads or writes each byte once.
    /// Fills and copies are not listed. Launches of other threads are listed too.
    ///
    /// See [`profile`](crate::profile) for an example.
    ///
    /// # Errors
    ///
    /// That of the work, or what stands in the way of the clock. Two profiles of one device at once are
    /// [`Error::Profiled`].
    pub fn profile<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Profile), Error> {
        self.any().begin_timing()?;
        let done = work();
        let launches = self.any().end_timing();
        let done = done?;
        let profile = Profile::new(self.name(), launches?);
        for Timed { kernel, bytes, time: [begin, end] } in &profile.launches {
            let _left = trace::enter!(
                "ran",
                device = self.name(),
                kernel = kernel,
                bytes = bytes,
                begin_ns = begin,
                end_ns = end
            );
        }
        Ok((done, profile))
    }
}

/// A text as JSON.
fn text(text: &str) -> String {
    let mut json = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            // Writing to a string does not fail.
            c if c.is_control() => _ = write!(json, "\\u{:04x}", u32::from(c)),
            c => json.push(c),
        }
    }
    json + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, bytes: u64, begin: u64, end: u64) -> Timed {
        Timed { kernel: kernel.to_owned(), bytes, time: [begin, end] }
    }

    fn profile() -> Profile {
        let launches = [
            launch("small", 1000, 5_000, 6_000),
            launch("large", 8_000_000, 6_000, 10_000),
            launch("small", 1000, 12_000, 15_000),
            launch("large", 8_000_000, 15_000, 21_000),
        ];
        Profile::new("a device", launches.into())
    }

    #[test]
    fn kernels_are_listed_by_their_time() {
        let expected = "\
a device: 4 launches, 0.014 ms, busy 88 %
  kernel launches    total ms      %     mean us    least us     most us     GB/s
  large         2       0.010   71.4        5.00        4.00        6.00   1600.0
  small         2       0.004   28.6        2.00        1.00        3.00      0.5";
        assert_eq!(profile().to_string(), expected);
        assert_eq!(profile().time(Some("small")), Duration::from_micros(4));
        assert_eq!(profile().launches()[3].begin(), Duration::from_micros(10));
    }

    #[test]
    fn nothing_is_no_division_by_zero() {
        assert_eq!(Profile::new("d", Vec::new()).to_string(), "d: 0 launches, 0.000 ms, busy 0 %");
        let instant = Profile::new("d", vec![launch("k", 1, 7, 7)]).to_string();
        assert!(instant.ends_with("0.0        0.00        0.00        0.00      0.0"), "{instant}");
    }

    #[test]
    fn a_trace_is_json_whatever_the_names_are() {
        let trace = Profile::new("a \"b\"\n", vec![launch("k\\", 4, 1500, 4000)]).chrome_trace();
        let expected = r#"{"traceEvents":[
{"name":"process_name","ph":"M","pid":0,"args":{"name":"a \"b\"\u000a"}},
{"name":"k\\","ph":"X","ts":0.000,"dur":2.500,"pid":0,"tid":0,"args":{"bytes":4}}
]}
"#;
        assert_eq!(trace, expected);
    }
}
