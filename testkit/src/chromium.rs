//! A Chromium without a window, driven over its debugging pipe: messages of JSON, each with a zero byte at its end.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::{Value, json};

use crate::{LONG_ENOUGH, wait_until};

/// The names under which systems have it.
const NAMES: [&str; 2] = ["chromium", "chromium-browser"];

/// A browser with a profile of its own, which is gone afterwards.
pub struct Chromium {
    child: Child,
    to: File,
    from: Receiver<Value>,
    last: u64,
    _profile: tempfile::TempDir,
}

/// A tab, by the session that speaks to it.
#[derive(Clone)]
pub struct Tab(String);

/// Whether there is a browser on this machine.
pub fn is_there() -> bool {
    program().is_some()
}

fn program() -> Option<&'static str> {
    let folders = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    NAMES.into_iter().find(|name| folders.iter().any(|folder| folder.join(name).is_file()))
}

impl Chromium {
    /// Starts one.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one with more options.
    pub fn start_with(options: &[&str]) -> Self {
        let profile = tempfile::tempdir().expect("a folder can be made");
        let pipe = |name: &str| {
            let path = profile.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo is there").success());
            path
        };
        let (to, from) = (pipe("to"), pipe("from"));
        let child =
            command(profile.path(), options).arg(&to).arg(&from).spawn().expect("a shell can be started");
        // In the order in which the shell opens them: each end waits for the other.
        let to = File::options().write(true).open(to).expect("the shell opens it too");
        let from = File::open(from).expect("the shell opens it too");
        Self { child, to, from: messages(from), last: 0, _profile: profile }
    }

    /// Asks the browser, or a tab of it.
    #[track_caller]
    pub fn ask(&mut self, tab: Option<&Tab>, method: &str, params: &Value) -> Value {
        self.try_ask(tab, method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same; what the browser says if it cannot.
    fn try_ask(&mut self, tab: Option<&Tab>, method: &str, params: &Value) -> Result<Value, Value> {
        self.last += 1;
        let id = self.last;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(Tab(session)) = tab {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.from.recv_timeout(LONG_ENOUGH).expect("the browser answers");
            if answer["id"] == json!(id) {
                return match answer.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }

    /// A new tab, of this size.
    pub fn tab(&mut self, width: u32, height: u32) -> Tab {
        let target = self.ask(None, "Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.ask(None, "Target.attachToTarget", &attach);
        let tab = Tab(session["sessionId"].as_str().expect("a session has a name").to_owned());
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask(Some(&tab), "Emulation.setDeviceMetricsOverride", &size);
        self.ask(Some(&tab), "Page.enable", &json!({}));
        // A person's window has the focus. Without it, a browser shows no cursor, and paints nothing when that moves.
        self.ask(Some(&tab), "Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }));
        tab
    }

    /// Goes to an address.
    pub fn go(&mut self, tab: &Tab, address: &str) {
        self.ask(Some(tab), "Page.navigate", &json!({ "url": address }));
    }

    /// What an expression is on the page.
    #[track_caller]
    pub fn value(&mut self, tab: &Tab, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.ask(Some(tab), "Runtime.evaluate", &params);
        answer["result"]["value"].clone()
    }

    /// Waits until an expression holds; while the page gives way to another one, it does not.
    #[track_caller]
    pub fn until(&mut self, tab: &Tab, expression: &str) {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        wait_until(expression, || match self.try_ask(Some(tab), "Runtime.evaluate", &params) {
            Ok(answer) => answer["result"]["value"] == json!(true),
            Err(error) => {
                assert!(error["message"] == "Inspected target navigated or closed", "{error}");
                false
            }
        });
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, tab: &Tab, text: &str) {
        self.ask(Some(tab), "Input.insertText", &json!({ "text": text }));
    }

    /// Presses a key, with Ctrl or without.
    pub fn press(&mut self, tab: &Tab, key: &str, with_ctrl: bool) {
        self.press_with(tab, key, if with_ctrl { 2 } else { 0 });
    }

    /// Presses a key with others held: 1 for Alt, 2 for Ctrl, 8 for Shift.
    pub fn press_with(&mut self, tab: &Tab, key: &str, modifiers: u8) {
        let text = if key.chars().count() == 1 && modifiers == 0 { key } else { "" };
        let event = |kind: &str| json!({ "type": kind, "key": key, "text": text, "modifiers": modifiers });
        self.ask(Some(tab), "Input.dispatchKeyEvent", &event("keyDown"));
        self.ask(Some(tab), "Input.dispatchKeyEvent", &event("keyUp"));
    }

    /// Presses, moves and releases the mouse, from the left edge of one element to that of another.
    #[track_caller]
    pub fn drag(&mut self, tab: &Tab, from: &str, to: &str) {
        let place = |this: &mut Self, selector: &str| {
            let box_of = format!(
                "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect(); return [r.left + 14, r.top + r.height / 2]; }})()"
            );
            let found = this.value(tab, &box_of);
            (found[0].as_f64().expect("it is there"), found[1].as_f64().expect("it is there"))
        };
        let ends = [place(self, from), place(self, to)];
        self.drag_between(tab, ends);
    }

    /// Presses, moves and releases the mouse, from one point of the window to another.
    #[track_caller]
    pub fn drag_between(&mut self, tab: &Tab, ends: [(f64, f64); 2]) {
        let mouse = |kind: &str, (x, y): (f64, f64), buttons: u8| json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        for event in [
            mouse("mouseMoved", ends[0], 0),
            mouse("mousePressed", ends[0], 1),
            mouse("mouseMoved", ends[1], 1),
            mouse("mouseReleased", ends[1], 0),
        ] {
            self.ask(Some(tab), "Input.dispatchMouseEvent", &event);
        }
    }

    /// A picture of what the tab shows, as PNG in base 64.
    pub fn picture(&mut self, tab: &Tab) -> String {
        let answer = self.ask(Some(tab), "Page.captureScreenshot", &json!({ "format": "png" }));
        answer["data"].as_str().unwrap_or_default().to_owned()
    }

    /// The processes of the browser.
    pub fn processes(&mut self) -> Vec<u64> {
        let answer = self.ask(None, "SystemInfo.getProcessInfo", &json!({}));
        let processes = answer["processInfo"].as_array().cloned().unwrap_or_default();
        processes.iter().filter_map(|process| process["id"].as_u64()).collect()
    }

    /// Closes a tab.
    pub fn close(&mut self, tab: &Tab) {
        self.ask(Some(tab), "Page.close", &json!({}));
    }

    /// Loads the page again, and waits until the one before is gone: it would answer as well.
    #[track_caller]
    pub fn reload(&mut self, tab: &Tab) {
        self.leave(tab, |this| {
            this.ask(Some(tab), "Page.reload", &json!({}));
        });
    }

    /// Does what loads another page, and waits until the one before is gone.
    #[track_caller]
    pub fn leave(&mut self, tab: &Tab, load: impl FnOnce(&mut Self)) {
        self.value(tab, "globalThis.isLeft = true");
        load(self);
        self.until(tab, "globalThis.isLeft === undefined");
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It ends with its pipe, or at once.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A shell that becomes the browser, with the pipes where it expects them; their paths are its arguments.
fn command(profile: &Path, more: &[&str]) -> Command {
    let usual = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // What is outside of the window is never painted, whatever size a tab is told to have.
        "--window-size=1440,1000",
        "--remote-debugging-pipe",
    ];
    let program = program().expect("looked for before");
    let options: Vec<String> = usual.iter().chain(more).map(|option| format!("'{option}'")).collect();
    let line = format!(
        "exec {program} {} --user-data-dir=\"$0/profile\" about:blank 3<\"$1\" 4>\"$2\"",
        options.join(" ")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).arg(profile).env("HOME", profile);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Reads messages on a thread, so that waiting for one can end.
fn messages(from: File) -> Receiver<Value> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut message = Vec::new();
        while from.read_until(0, &mut message).is_ok_and(|length| length > 0) {
            message.pop();
            let Ok(read) = serde_json::from_slice(&message) else { return };
            if sender.send(read).is_err() {
                return;
            }
            message.clear();
        }
    });
    receiver
}
