//! A page open in a headless Chromium, and the server on this machine that it talks to.
//!
//! There is no debugging protocol: the page asks for `jobs` when it has nothing to do, and
//! posts `results`, or `failed` with the reason. The browser has a profile of its own, which
//! goes with it. An answer is waited for as long as the browser gets on, however slow the
//! machine is that others keep busy; [`progress`](super::progress) says what that means.

use super::progress::{Limits, Patience, Progress, family, is_alive};
use crate::engines::say;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server};

/// The variable that names the browser, a path.
const BROWSER: &str = "SAMEBITS_BROWSER";
/// The variable that makes a machine without a browser a failure.
const REQUIRE: &str = "SAMEBITS_REQUIRE_BROWSER";
/// What the browser is called where nothing names it.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// WebGPU on SwiftShader, which is on every machine, and nothing that asks the network.
const ARGUMENTS: [&str; 15] = [
    "--headless",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-gpu-watchdog",
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan,WebGPU",
    "--ignore-gpu-blocklist",
    "--use-webgpu-adapter=swiftshader",
    "--password-store=basic",
];

/// How long a request for jobs waits before it is answered that there are none yet.
const NO_JOBS: Duration = Duration::from_secs(5);
/// How long a browser may stand still, or compute, without an answer; it takes a second for most.
const LIMITS: Limits = Limits { still: Duration::from_secs(120), running: Duration::from_secs(600) };
/// How often it is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long the browser's processes may stand still before they are left to end by themselves.
const ENDING: Limits = Limits { still: Duration::from_secs(10), running: Duration::from_secs(60) };
/// The media type of what only the page and its test understand.
const BYTES: &str = "application/octet-stream";

/// A file that the server has: its path, its type, its bytes.
#[derive(Clone, Debug)]
pub struct File {
    /// The path, with its slash.
    pub path: &'static str,
    /// The media type.
    pub media: &'static str,
    /// What is sent.
    pub bytes: Vec<u8>,
}

/// An open page.
pub struct Page {
    jobs: Option<Sender<Vec<u8>>>,
    results: Receiver<Result<Vec<u8>, String>>,
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    browser: Child,
    profile: PathBuf,
}

impl Page {
    /// Opens the first of these files in a browser; `None` where there is no browser, which
    /// is said.
    ///
    /// # Panics
    ///
    /// If there is no browser and one is required, or if it does not start.
    pub fn open(files: Vec<File>) -> Option<Self> {
        let Some(program) = browser() else {
            let required = std::env::var_os(REQUIRE).is_some_and(|value| value == "1");
            assert!(!required, "{REQUIRE}=1, and there is no browser: {BROWSER} is not set, and of {NAMES:?} is none");
            say("SKIPPED in a browser: there is none, so nothing was tested (apt-get install chromium)");
            return None;
        };
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a port of this machine"));
        let address = server.server_addr().to_ip().expect("an address of this machine");
        let url = format!("http://{address}{}", files.first().map_or("/", |file| file.path));
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile = std::env::temp_dir().join(format!("samebits-browser-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&profile).expect("a folder for the browser's profile");
        let log = std::fs::File::create(profile.join("log")).expect("a file for the browser's words");
        let browser = Command::new(&program)
            .args(ARGUMENTS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let (jobs, todo) = channel();
        let (done, results) = channel();
        let serving = server.clone();
        let thread = std::thread::spawn(move || serve(&serving, &files, &todo, &done));
        Some(Self { jobs: Some(jobs), results, server, thread: Some(thread), browser, profile })
    }

    /// Gives the page something to do.
    pub fn send(&self, job: Vec<u8>) {
        // A server that is gone has said why in the results.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
    }

    /// The next results, or why there are none.
    pub fn receive(&mut self) -> Result<Vec<u8>, String> {
        let mut progress = Progress::of(self.browser.id(), LIMITS);
        loop {
            match self.results.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err("the server of the page ended".to_owned()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let why = match (self.browser.try_wait(), progress.look()) {
                (Ok(Some(status)), _) => format!("the browser ended with {status}"),
                (_, Patience::Still(time)) => {
                    format!("the page gave no answer, and the browser stood still for {time:?}")
                }
                (_, Patience::Endless(time)) => {
                    format!("the page gave no answer in {time:?} that the browser computed")
                }
                (_, Patience::Left) => continue,
            };
            return Err(format!("{why}; it said:\n{}", self.log()));
        }
    }

    /// The last lines that the browser wrote.
    fn log(&self) -> String {
        let log = std::fs::read(self.profile.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Its other processes end when this one is gone, and write into the profile until then.
        let others: Vec<u32> = family(self.browser.id()).into_iter().filter(|id| *id != self.browser.id()).collect();
        let _ = self.browser.kill();
        let _ = self.browser.wait();
        self.jobs = None;
        self.server.unblock();
        let _ = self.thread.take().map(JoinHandle::join);
        let mut waits: Vec<Progress> = others.iter().map(|process| Progress::of(*process, ENDING)).collect();
        while others.iter().any(|process| is_alive(*process)) {
            std::thread::sleep(Duration::from_millis(20));
            waits.retain_mut(|wait| wait.look() == Patience::Left);
            if waits.is_empty() {
                break;
            }
        }
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// The program of the browser.
fn browser() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os(BROWSER) {
        return Some(path.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let mut programs = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    programs.find(|program| program.is_file())
}

/// Answers requests until the server is told to end.
fn serve(server: &Server, files: &[File], todo: &Receiver<Vec<u8>>, done: &Sender<Result<Vec<u8>, String>>) {
    // An error, too, is how `unblock` ends it.
    while let Ok(mut request) = server.recv() {
        let path = request.url().to_owned();
        match (request.method(), path.as_str()) {
            (Method::Get, "/jobs") => match todo.recv_timeout(NO_JOBS) {
                Ok(job) => answer(request, BYTES, job),
                Err(RecvTimeoutError::Timeout) => answer(request, BYTES, Vec::new()),
                Err(RecvTimeoutError::Disconnected) => return,
            },
            (Method::Post, "/results" | "/failed") => {
                let mut bytes = Vec::new();
                let read = request.as_reader().read_to_end(&mut bytes);
                answer(request, BYTES, Vec::new());
                let result = match read {
                    Err(error) => Err(format!("the page's answer broke off: {error}")),
                    Ok(_) if path == "/failed" => Err(String::from_utf8_lossy(&bytes).into_owned()),
                    Ok(_) => Ok(bytes),
                };
                if done.send(result).is_err() {
                    return;
                }
            }
            _ => match files.iter().find(|file| file.path == path) {
                Some(file) => answer(request, file.media, file.bytes.clone()),
                // The page sees that by itself.
                None => drop(request.respond(Response::empty(404))),
            },
        }
    }
}

fn answer(request: Request, media: &str, bytes: Vec<u8>) {
    let header = Header::from_bytes("content-type", media).expect("a media type is ASCII");
    // Who hung up needs no answer.
    let _ = request.respond(Response::from_data(bytes).with_header(header));
}
