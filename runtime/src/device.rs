//! Devices: how a program finds and opens them, and what they allow.

use crate::backend::cpu::{CPU, Cpu};
use crate::backend::interpreter::{INTERPRETER, Interpreter, JUDGE};
use crate::backend::{self, AnyDevice, CAN_WAIT, Control, Memory, Opened, Receive};
use crate::error::Error;
use crate::judge::{Finding, Schedule};
#[cfg(feature = "wgpu")]
use crate::kernel::Kernel;
use crate::later::{Later, later};
use crate::messages::{Line, print};
#[cfg(feature = "wgpu")]
use crate::report::Emitted;
use crate::report::Report;
#[cfg(feature = "wgpu")]
use samebits_ir::backend::computed::Computed;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

pub use crate::backend::{Limits, MemoryUse};

/// The environment variable that [`Device::best`] honours.
const VARIABLE: &str = "SAMEBITS_DEVICE";

/// The back end of browsers.
const WGPU: &str = "wgpu";

/// Whether devices are a browser's, which are opened by a future.
const IS_PAGE: bool = cfg!(all(feature = "wgpu", target_family = "wasm"));

/// A device that runs kernels: a GPU or this CPU.
///
/// A clone is another handle of the same device. Buffers of two devices do not mix, even
/// if the two were opened from the same GPU.
///
/// ```
/// use samebits::prelude::*;
/// let device = Device::interpreter();
/// let buffer = device.upload(&[1.0f32, 2.0])?;
/// assert_eq!(buffer.read()?, [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Device(Arc<dyn AnyDevice>);

impl Device {
    /// A GPU if this machine has one, else this CPU; or the device that the environment
    /// variable `SAMEBITS_DEVICE` names.
    ///
    /// The variable is `cpu`, `interpreter`, `judge` (see the functions of these names), the name of a back end or a part of a device's
    /// name. The back end `wgpu` means its first device: a GPU if there is one, else software
    /// Vulkan. Software is used only when it is asked for.
    ///
    /// With `SAMEBITS_VERIFY=1` each launch on any device also runs on this CPU, and the launch is
    /// [`Error::Differs`] if the bytes are not the same. Launches on this CPU are compared with the interpreter.
    /// That is slow, and meant for tests.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::best()?;
    /// println!("running on {}", device.name());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn best() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            Some(wanted) if !wanted.is_empty() => Self::named(&wanted.to_string_lossy()),
            _ => {
                if IS_PAGE {
                    return Err(Error::CannotWait { device: WGPU.to_owned() });
                }
                for found in backend::all().filter(|found| found.is_gpu) {
                    match found.open() {
                        Ok(device) => return Ok(Self(device)),
                        // The next one would say the same.
                        Err(error @ Error::Variable { .. }) => return Err(error),
                        Err(_) => {}
                    }
                }
                Ok(Self::cpu())
            }
        }
    }

    /// [`best`](Self::best) as a future, which a page of the web needs: it cannot wait until a device is open. There it is
    /// the browser's GPU by WebGPU, else this CPU, on which kernels are interpreted. Elsewhere it is ready at once.
    ///
    /// Other calls that open a device or wait for one are [`Error::CannotWait`] on the web.
    ///
    /// ```
    /// use samebits::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [u32]) {
    ///     let i = global_id().x;
    ///     if i < x.len() {
    ///         x[i] = x[i] * 2;
    ///     }
    /// }
    ///
    /// async fn doubled(x: &[u32]) -> Result<Vec<u32>, Error> {
    ///     let device = Device::best_async().await?;
    ///     let mut buffer = device.upload(x)?;
    ///     double::launch(&device, x.len(), &mut buffer)?;
    ///     buffer.read_async()?.await
    /// }
    /// assert_eq!(pollster::block_on(doubled(&[1, 2, 3]))?, [2, 4, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub async fn best_async() -> Result<Self, Error> {
        #[cfg(all(feature = "wgpu", target_family = "wasm"))]
        {
            Ok(match backend::web::open().await {
                Some(Ok(device)) => Self(device),
                Some(Err(_)) | None => Self::cpu(),
            })
        }
        #[cfg(not(all(feature = "wgpu", target_family = "wasm")))]
        Self::best()
    }

    /// The device that a value of `SAMEBITS_DEVICE` names; see [`best`](Self::best).
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::named("interpreter")?.name(), "interpreter");
    /// let error = Device::named("abacus").unwrap_err();
    /// assert!(error.to_string().starts_with("there is no device `abacus`; this machine has `cpu`, `interpreter`"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn named(wanted: &str) -> Result<Self, Error> {
        match wanted {
            CPU => Ok(Self::cpu()),
            INTERPRETER => Ok(Self::interpreter()),
            JUDGE => Ok(Self::judge(Schedule::Forward)),
            name if IS_PAGE => Err(Error::CannotWait { device: name.to_owned() }),
            name => backend::named(name)?.open().map(Self),
        }
    }

    /// This CPU: kernels run as native code on the threads of rayon's pool, with the instructions that this machine
    /// has.
    ///
    /// Kernels are compiled to native code in builds without debug assertions, such as `--release`, for
    /// little-endian targets of 64 bits. Others run on the interpreter, with the same bits, and so do kernels that
    /// are not written in Rust. [`report`](Self::report) says which instructions are used. The environment variable
    /// `SAMEBITS_CPU` restricts them: `baseline`, `avx2` or `avx512`.
    ///
    /// A launch returns when it has run. Its buffers are ordinary memory: [`upload_vec`](Self::upload_vec) and
    /// [`as_slice`](crate::Buffer::as_slice) copy nothing.
    ///
    /// An invocation counts as endless if its loops that are not known to end have more than 2³² rounds. The
    /// environment variable `SAMEBITS_STEPS` sets another number. On the interpreter it sets the number of steps.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::cpu().name(), "cpu");
    /// ```
    pub fn cpu() -> Self {
        Self(Opened::device(Cpu::new()))
    }

    /// The reference interpreter: slow, exact, on every machine.
    ///
    /// An invocation that takes more than 2³⁰ steps, about ten seconds in a release build, counts
    /// as endless: the launch is an error that names the invocation and the loop. The environment
    /// variable `SAMEBITS_STEPS` sets another number. The number of invocations does not matter,
    /// but the invocations of a workgroup with barriers take turns, and together may take sixteen
    /// times as many steps.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().name(), "interpreter");
    /// ```
    pub fn interpreter() -> Self {
        Self(Opened::device(Interpreter::new()))
    }

    /// The reference interpreter, which gives a launch up after this many steps of all
    /// its invocations together. A single invocation has no limit of its own.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::interpreter_with_budget(1_000_000);
    /// assert_eq!(device.name(), "interpreter");
    /// ```
    pub fn interpreter_with_budget(steps: u64) -> Self {
        Self(Opened::device(Interpreter::with_budget(steps)))
    }

    /// The reference interpreter as judge: invocations run in an order of choice, and every
    /// access is watched.
    ///
    /// A launch with a race is [`Error::Race`]. A launch that can never end, or in which not every
    /// invocation reaches a barrier, is [`Error::Fault`]. Both name the places in the kernel's
    /// source. [`findings`](Self::findings) gives everything else, such as accesses out of bounds.
    /// Buffers hold the results even after a race. The judge runs on one thread, far slower than
    /// [`interpreter`](Self::interpreter), and is meant for tests. An invocation may take 2²⁷
    /// steps, or as many as `SAMEBITS_STEPS` says, and invocations that take turns sixteen times
    /// as many together.
    ///
    /// It runs the kernel as it is written, with every load and store of the source. Other
    /// devices run the optimised kernel, in which unneeded loads and stores are gone; the bytes
    /// are the same.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::judge::Schedule;
    ///
    /// #[kernel(workgroup_size(4))]
    /// fn last(y: &mut [u32]) {
    ///     unsafe { y[0] = global_id().x as u32 };
    /// }
    ///
    /// for schedule in [Schedule::Forward, Schedule::Reversed, Schedule::Random(7)] {
    ///     let device = Device::judge(schedule);
    ///     let mut y = device.zeros::<u32>(1)?;
    ///     let race = last::launch(&device, 4, &mut y).unwrap_err();
    ///     assert!(race.to_string().starts_with("kernel `last`: race on `y[0]`: invocation "), "{race}");
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn judge(schedule: Schedule) -> Self {
        Self(Opened::device(Interpreter::judge(schedule)))
    }

    /// Takes the judge's findings since the last call; empty on other devices. If there are too
    /// many, the oldest are kept.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert!(Device::interpreter().findings().is_empty());
    /// ```
    pub fn findings(&self) -> Vec<Finding> {
        self.control().findings()
    }

    /// Every device of this machine that can be opened: this CPU, the interpreter, then those of each back
    /// end, hardware first.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let names: Vec<String> = Device::all().iter().map(|device| device.name().to_owned()).collect();
    /// assert_eq!(names[..2], ["cpu", "interpreter"]);
    /// ```
    pub fn all() -> Vec<Self> {
        let found = backend::all().filter_map(|found| found.open().ok().map(Self));
        [Self::cpu(), Self::interpreter()].into_iter().chain(found).collect()
    }

    /// The device's name.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert_eq!(Device::interpreter().name(), "interpreter");
    /// ```
    pub fn name(&self) -> &str {
        self.control().name()
    }

    /// What the device allows.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(Device::interpreter().limits().shared_bytes >= 16384);
    /// ```
    pub fn limits(&self) -> Limits {
        self.control().limits()
    }

    /// What the device is and how it computes: its driver, how kernels reach it, and for each group
    /// of ops the form that the device was found to compute right when it was opened; of this CPU, which instructions
    /// native code uses.
    ///
    /// What is found is kept in a folder for caches, of the platform or as `SAMEBITS_CACHE` says;
    /// `SAMEBITS_CACHE=off` keeps nothing. With `SAMEBITS_FLOATS=software` floats are always computed
    /// by functions of the library. `SAMEBITS_SHADERS` sets how kernels reach Vulkan devices: `spirv`
    /// or `naga`.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// println!("{}", Device::interpreter().report());
    /// ```
    pub fn report(&self) -> Report {
        self.control().report()
    }

    /// Whether the device is a GPU and not software on this CPU.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// assert!(!Device::interpreter().is_gpu());
    /// ```
    pub fn is_gpu(&self) -> bool {
        self.control().is_gpu()
    }

    /// The same device, opened again so that kernels reach it in another way, to try both: as
    /// modules of naga where they reach it as SPIR-V of our own. `None` if there is one way only.
    #[doc(hidden)]
    pub fn other_way(&self) -> Option<Result<Self, Error>> {
        Some(self.0.other_way()?.map(Self))
    }

    /// How many times a kernel was compiled for the device.
    #[doc(hidden)]
    pub fn compilations(&self) -> u64 {
        self.0.compilations()
    }

    /// Waits until everything that was queued has run. A read waits by itself.
    ///
    /// A wait gives up after ten minutes, with [`Error::TimedOut`], and so does a read; the work goes
    /// on. Some drivers, such as llvmpipe, wait for earlier work when more is submitted. There the
    /// next read or write takes as long as that work.
    ///
    /// This also reports a launch that has failed since it was queued: until a call has returned the
    /// error, and as long as there is a buffer that the launch may have written and that was not
    /// written anew.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// Device::interpreter().wait()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn wait(&self) -> Result<(), Error> {
        self.0.finish()?;
        self.said()
    }

    /// Prints the lines that kernels have said, and gives the first assertion that has failed, of launches that have run.
    pub(crate) fn said(&self) -> Result<(), Error> {
        self.print_lines();
        self.0.board().tell()
    }

    /// The same of what was queued until now, when that has run. A device that cannot be waited for begins to copy now.
    pub(crate) fn said_later(&self) -> Result<impl FnOnce() -> Result<(), Error> + Send + use<>, Error> {
        let asked = if CAN_WAIT { None } else { Some(self.0.board().ask(&self.0)?) };
        let device = self.clone();
        Ok(move || match asked {
            None => device.said(),
            Some(asked) => {
                device.0.board().lines_of(asked).iter().for_each(|line| print(line));
                device.0.board().tell()
            }
        })
    }

    /// Whether no assertion has failed. A failure is left for the next read or wait to tell.
    pub(crate) fn is_fine(&self) -> bool {
        self.print_lines();
        self.0.board().is_fine()
    }

    fn print_lines(&self) {
        self.0.board().lines(&*self.0).iter().for_each(|line| print(line));
    }

    /// Waits, and takes the lines that kernels have said with `debug!` since the last read or wait, in the order of
    /// their launches and invocations. A read or a wait prints them to standard error instead.
    ///
    /// Only kernels with the argument `debug` say lines. There is room for some ten thousand between two reads; more are
    /// lost. A failed assertion is the error of the next read or wait.
    ///
    /// ```
    /// use samebits::prelude::*;
    ///
    /// #[kernel(workgroup_size(2), debug)]
    /// fn halve(y: &mut [u32]) {
    ///     let i = global_id().x;
    ///     debug!("{} becomes {}", y[i], y[i] / 2);
    ///     y[i] /= 2;
    /// }
    ///
    /// let device = Device::interpreter();
    /// let mut y = device.upload(&[8u32, 5])?;
    /// halve::launch(&device, 2, &mut y)?;
    /// let lines = device.debug_lines()?;
    /// let texts: Vec<&str> = lines.iter().map(|line| &line.text[..]).collect();
    /// assert_eq!(texts, ["8 becomes 4", "5 becomes 2"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn debug_lines(&self) -> Result<Vec<Line>, Error> {
        self.0.finish()?;
        Ok(self.0.board().lines(&*self.0))
    }

    /// A [`wait`](Self::wait) as a future of any executor. It waits for what was queued before this call.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let mut buffer = device.zeros::<u32>(4)?;
    /// buffer.fill(1)?;
    /// pollster::block_on(device.wait_async()?)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn wait_async(&self) -> Result<Later<()>, Error> {
        let (promise, later) = later();
        let receive = self.ask(None)?;
        let said = self.said_later()?;
        let device = self.clone();
        self.0.later(Box::new(move || {
            let waited = receive(&mut []).and_then(|()| device.control().failures().report()).and_then(|()| said());
            // The device may close here, and what waits for the result may need that.
            drop(device);
            promise.keep(waited);
        }));
        Ok(later)
    }

    /// Begins to copy some bytes of a memory, or to wait.
    pub(crate) fn ask(&self, from: Option<(&Memory, Range<u64>)>) -> Result<Receive, Error> {
        self.0.clone().ask(from)
    }

    /// How much memory the device's buffers have, and how much is kept for new ones: a dropped buffer of up to 64 MiB is
    /// kept, up to 256 MiB in all, since drivers take long to make one. [`trim`](Self::trim) gives that back.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::cpu();
    /// let buffer = device.zeros::<u32>(100)?;
    /// assert_eq!((device.memory().buffers, device.memory().bytes), (1, 400));
    /// drop(buffer);
    /// assert_eq!((device.memory().buffers, device.memory().most_bytes), (0, 400));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn memory(&self) -> MemoryUse {
        self.0.memory_use()
    }

    /// Gives back the memory that is kept for later use, after everything that was queued has run. A device that has
    /// not enough memory for a new buffer does so by itself.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let device = Device::best()?;
    /// drop(device.zeros::<u32>(100)?);
    /// device.trim()?;
    /// assert_eq!(device.memory().kept_bytes, 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn trim(&self) -> Result<(), Error> {
        self.0.trim()
    }

    /// How many times work was submitted to the driver, if there is one.
    #[doc(hidden)]
    pub fn submissions(&self) -> u64 {
        self.control().submissions()
    }

    /// Makes the driver drop the device, to try what happens then.
    #[doc(hidden)]
    pub fn lose(&self) {
        self.control().lose();
    }

    /// Makes the driver refuse the work that is queued, to try what happens then.
    #[doc(hidden)]
    pub fn spoil(&self) {
        self.control().spoil();
    }

    /// Changes how long a wait may take, to try what happens then.
    #[doc(hidden)]
    pub fn set_timeout(&self, timeout: Duration) {
        self.control().set_timeout(timeout);
    }

    /// Lets launches of more invocations count as large, for which kernels may be compiled in another way, to try that
    /// with small ones.
    #[doc(hidden)]
    pub fn set_large(&self, invocations: u64) {
        self.control().set_large(invocations);
    }

    /// A device of a back end that was opened elsewhere.
    #[cfg(feature = "wgpu")]
    pub(crate) fn of_shared(device: Arc<dyn AnyDevice>) -> Self {
        Self(device)
    }

    /// The device as its back end knows it.
    #[cfg(feature = "wgpu")]
    pub(crate) fn shared(&self) -> &Arc<dyn AnyDevice> {
        &self.0
    }

    /// The device's memory and launches.
    pub(crate) fn any(&self) -> &dyn AnyDevice {
        &*self.0
    }

    /// The device without its memory.
    pub(crate) fn control(&self) -> &dyn Control {
        self.0.control()
    }

    /// Whether this is the same device, and not only an equal one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(feature = "wgpu")]
impl Kernel {
    /// How a device computes the kernel's ops: which are its own, in which form, and which are
    /// calls of library functions, so that you see why a kernel is slow there. `None` of a device
    /// that has every op, such as the interpreter.
    ///
    /// ```
    /// use samebits::prelude::*;
    ///
    /// #[kernel(workgroup_size(64))]
    /// fn roots(y: &mut [f32]) {
    ///     let i = global_id().x;
    ///     if i < y.len() {
    ///         y[i] = y[i].sqrt();
    ///     }
    /// }
    ///
    /// assert!(roots::KERNEL.report_on(&Device::interpreter())?.is_none());
    /// if let Some(report) = roots::KERNEL.report_on(&Device::best()?)? {
    ///     print!("{report}");
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn report_on(&self, device: &Device) -> Result<Option<Computed>, Error> {
        let kernel = self.load()?;
        Ok(device.control().native().and_then(|native| Computed::of(kernel.checked(), kernel.index(), native)))
    }

    /// What the device's driver is handed for the kernel, in launches that fulfil all conditions of its
    /// [`report`](Self::report) and are not so large that an invocation of the device does the work of several: a module of SPIR-V, or one of naga. `None` for this CPU and the interpreter, which have
    /// no driver. [`Emitted`](crate::report::Emitted) has an example.
    pub fn emitted_on(&self, device: &Device) -> Result<Option<Emitted>, Error> {
        Ok(device.control().emitted(self.load()?))
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}
