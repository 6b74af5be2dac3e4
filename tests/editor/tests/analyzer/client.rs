//! rust-analyzer as an editor runs it: a child process that speaks the Language Server Protocol.
//!
//! The client waits until the server has loaded the workspace, and opens and changes texts in the server's
//! memory only. No file is written.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Names the program.
const PROGRAM: &str = "SAMEBITS_ANALYZER";
/// Names the folder with the sources of the standard library, if the toolchain has none.
const SOURCES: &str = "SAMEBITS_ANALYZER_SOURCES";
/// Names the folder with the libraries that the program is linked with, if the system has them nowhere.
const LIBRARIES: &str = "SAMEBITS_ANALYZER_LIBRARIES";
/// Makes a missing program a failure.
const REQUIRE: &str = "SAMEBITS_REQUIRE_ANALYZER";

/// The server answers `ContentModified` while it takes a change in, and asks to try again.
const CONTENT_MODIFIED: i64 = -32801;
const TRIES: u32 = 50;

/// A place in a text, counted from 0; columns are UTF-16 units, which in these texts are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// A diagnostic of rust-analyzer's own. It does not run cargo here.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub line: usize,
    pub last_line: usize,
    /// 1 is an error, 2 a warning.
    pub severity: u64,
    pub code: String,
    pub message: String,
}

/// A running server, which has loaded the workspace.
pub struct Analyzer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
    versions: i64,
    settings: Value,
    /// Opened texts.
    open: Vec<PathBuf>,
}

impl Analyzer {
    /// Starts the server and waits until it has loaded the workspace. `None` if no server is named.
    ///
    /// # Panics
    /// If none is named and one is required, or it does not start.
    pub fn start() -> Option<Self> {
        let Some(program) = std::env::var_os(PROGRAM) else {
            assert!(std::env::var_os(REQUIRE).is_none(), "{PROGRAM} names no rust-analyzer, and {REQUIRE} is set");
            eprintln!("skipped: {PROGRAM} names no rust-analyzer");
            return None;
        };
        let root = root();
        let mut command = Command::new(&program);
        if let Some(libraries) = std::env::var_os(LIBRARIES) {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        let mut child = command
            .current_dir(&root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()));
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        // Only the macros are built, and not all that the workspace depends on.
        let build = ["cargo", "check", "-p", "samebits", "--no-default-features", "--message-format=json", "--quiet"];
        let mut cargo = json!({ "buildScripts": { "overrideCommand": build } });
        if let Some(sources) = std::env::var_os(SOURCES) {
            cargo["sysrootSrc"] = sources.to_string_lossy().into();
        }
        let settings = json!({
            "cargo": cargo,
            "checkOnSave": false,
            "cachePriming": { "enable": false },
            "procMacro": { "enable": true },
            "files": { "watcher": "server" },
        });
        let mut server =
            Self { child, input, output: BufReader::new(output), requests: 0, versions: 0, settings, open: Vec::new() };
        server.initialize(&root);
        Some(server)
    }

    fn initialize(&mut self, root: &Path) {
        let folder = uri(root);
        let capabilities = json!({
            "experimental": { "serverStatusNotification": true },
            "workspace": { "configuration": true },
            "textDocument": { "diagnostic": {}, "hover": { "contentFormat": ["plaintext"] } },
        });
        self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": folder,
                "workspaceFolders": [{ "uri": folder, "name": "samebits" }],
                "capabilities": capabilities,
                "initializationOptions": self.settings,
            }),
        );
        self.notify("initialized", json!({}));
        // It is quiescent when the macros are built, too.
        loop {
            let message = self.receive();
            let status = &message["params"];
            if message["method"] == "experimental/serverStatus" && status["quiescent"] == true {
                assert_eq!(status["health"], "ok", "rust-analyzer could not load the workspace: {status}");
                return;
            }
        }
    }

    /// Opens a text, or replaces it.
    pub fn show(&mut self, path: &Path, text: &str) {
        let path = root().join(path);
        self.versions += 1;
        let document = json!({ "uri": uri(&path), "languageId": "rust", "version": self.versions, "text": text });
        if self.open.contains(&path) {
            let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
            self.notify("textDocument/didChange", change);
        } else {
            self.notify("textDocument/didOpen", json!({ "textDocument": document }));
            self.open.push(path);
        }
    }

    /// What rust-analyzer itself objects to in an opened text.
    pub fn diagnostics(&mut self, path: &Path) -> Vec<Diagnostic> {
        let answer =
            self.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri(&root().join(path)) } }));
        let items = answer["items"].as_array().cloned().unwrap_or_else(|| panic!("a report, not {answer}"));
        let line = |item: &Value, end: &str| item["range"][end]["line"].as_u64().expect("a line") as usize;
        let read = |item: &Value| Diagnostic {
            line: line(item, "start"),
            last_line: line(item, "end"),
            severity: item["severity"].as_u64().expect("a severity"),
            code: item["code"].as_str().unwrap_or_default().to_owned(),
            message: item["message"].as_str().unwrap_or_default().to_owned(),
        };
        items.iter().map(read).collect()
    }

    /// The text that is shown for what is at a place; empty if none is.
    pub fn hover(&mut self, path: &Path, place: Place) -> String {
        let answer = self.request("textDocument/hover", at(path, place));
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// Where what is at a place is declared: files and lines.
    pub fn definitions(&mut self, path: &Path, place: Place) -> Vec<(PathBuf, usize)> {
        let answer = self.request("textDocument/definition", at(path, place));
        let found = answer.as_array().cloned().unwrap_or_default();
        let read = |item: &Value| {
            let path = item["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file");
            (PathBuf::from(path), item["range"]["start"]["line"].as_u64().expect("a line") as usize)
        };
        found.iter().map(read).collect()
    }

    /// The names that may be written at a place.
    pub fn completions(&mut self, path: &Path, place: Place) -> Vec<String> {
        let answer = self.request("textDocument/completion", at(path, place));
        let items = if answer.is_array() { &answer } else { &answer["items"] };
        // What follows the name, such as `(…)`, is no part of it.
        let name = |item: &Value| {
            let label = item["label"].as_str().expect("a label");
            label.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '!').next().unwrap_or_default().to_owned()
        };
        items.as_array().map(|items| items.iter().map(name).collect()).unwrap_or_default()
    }

    /// Asks, and waits for the answer; `null` if there is nothing.
    fn request(&mut self, method: &str, params: Value) -> Value {
        for _ in 0..TRIES {
            self.requests += 1;
            let id = self.requests;
            self.send(&json!({ "id": id, "method": method, "params": params }));
            let answer = loop {
                let message = self.receive();
                if message["id"] == id && message["method"].is_null() {
                    break message;
                }
            };
            let error = &answer["error"];
            if error.is_null() {
                return answer["result"].clone();
            }
            assert_eq!(error["code"], CONTENT_MODIFIED, "rust-analyzer refuses {method}: {error}");
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("rust-analyzer does not answer {method}")
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        let sent = write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| self.input.flush());
        sent.expect("rust-analyzer ended");
    }

    /// The next message. What the server asks for is answered.
    fn receive(&mut self) -> Value {
        let mut length = None;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line of a header");
            assert_ne!(read, 0, "rust-analyzer ended");
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("Content-Length: ") {
                length = Some(number.parse::<usize>().expect("a length"));
            }
        }
        let mut text = vec![0; length.expect("a length")];
        self.output.read_exact(&mut text).expect("a message");
        let message: Value = serde_json::from_slice(&text).expect("a message in JSON");
        if !message["method"].is_null() && !message["id"].is_null() {
            let asked = message["params"]["items"].as_array().map_or(0, Vec::len);
            let result = match message["method"].as_str() {
                Some("workspace/configuration") => Value::from(vec![self.settings.clone(); asked]),
                _ => Value::Null,
            };
            self.send(&json!({ "id": message["id"], "result": result }));
        }
        message
    }
}

impl Drop for Analyzer {
    fn drop(&mut self) {
        // It has nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn at(path: &Path, place: Place) -> Value {
    json!({
        "textDocument": { "uri": uri(&root().join(path)) },
        "position": { "line": place.line, "character": place.column },
    })
}
