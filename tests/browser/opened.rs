//! A page that is served in a world and open in a browser.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use postil_testkit::wait_for;
use serde_json::Value;

use crate::chromium::{Chromium, Tab};
use crate::support::world::{Checkout, World};

/// A running `postil web`, and a browser with a tab that shows it.
pub struct Opened<'w> {
    server: Child,
    world: &'w World,
    pub browser: Chromium,
    pub tab: Tab,
}

/// A small program on a branch, in which everything changed.
pub fn program(alice: &Checkout<'_>) {
    alice.write("a.txt", "start\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write(
        "a.txt",
        "fn main() {\n    let path = args().nth(1);\n    match path {\n        Some(path) => println!(\"{path}\"),\n        None => eprintln!(\"usage\"),\n    }\n}",
    );
    alice.commit("change");
}

/// A file of twenty lines on a branch, of which the fifth is changed.
pub fn branch(alice: &Checkout<'_>) {
    let lines = |fifth: &str| {
        let line =
            |number: usize| if number == 5 { format!("{fifth}\n") } else { format!("line {number}\n") };
        (1..=20).map(line).collect::<String>()
    };
    alice.write("a.txt", lines("line 5"));
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", lines("another line 5"));
    alice.commit("change");
}

impl<'w> Opened<'w> {
    /// Serves the page of a repository, and opens it.
    pub fn start(world: &'w World, repository: &Checkout<'_>) -> Self {
        Self::start_with(world, repository, "web --no-open")
    }

    /// The same with another command line.
    pub fn start_with(world: &'w World, repository: &Checkout<'_>, line: &str) -> Self {
        Self::start_in(world, repository, line, Chromium::start())
    }

    /// The same in a browser that runs.
    pub fn start_in(world: &'w World, repository: &Checkout<'_>, line: &str, mut browser: Chromium) -> Self {
        let (server, address) = serve(world, repository, line);
        let tab = browser.tab(1280, 900);
        let mut opened = Self { server, world, browser, tab };
        opened.visit(&address);
        opened
    }

    fn visit(&mut self, address: &str) {
        let tab = self.tab.clone();
        self.browser.leave(&tab, |browser| browser.go(&tab, address));
        self.until("document.querySelector('#link')?.dataset.state === 'live'");
    }

    /// Ends the server as a crash would, and starts another, whose page the same tab shows.
    pub fn kill_and_serve_again(&mut self, repository: &Checkout<'_>) {
        self.kill();
        let (server, address) = serve(self.world, repository, "web --no-open");
        self.server = server;
        self.visit(&address);
    }

    /// Ends the server as a crash would.
    pub fn kill(&mut self) {
        self.server.kill().expect("it runs");
        self.server.wait().expect("a child can be waited for");
    }

    /// What an expression is on the page.
    #[track_caller]
    pub fn value(&mut self, expression: &str) -> Value {
        self.browser.value(&self.tab, expression)
    }

    /// Waits until an expression holds on the page.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        self.browser.until(&self.tab, expression);
    }

    /// Clicks on what a selector finds, as soon as it is there: a moment later, another one may be in its place.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        let click = "found?.click(); return found !== null;";
        self.until(&format!("(() => {{ const found = document.querySelector({selector:?}); {click} }})()"));
    }

    /// Types a text where the focus is, as a person would with a keyboard that types it at once.
    pub fn insert(&mut self, text: &str) {
        self.browser.insert(&self.tab, text);
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        self.browser.press(&self.tab, key, false);
    }

    /// Sends what is typed, and waits until its form is done: its card may be there before, as it is for everybody else.
    #[track_caller]
    pub fn send(&mut self) {
        self.value("void (window.sent = document.activeElement.closest('.composer'))");
        self.browser.press(&self.tab, "Enter", true);
        self.until("!sent.isConnected && !sent.querySelector('button').disabled");
    }
}

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn serve(world: &World, repository: &Checkout<'_>, line: &str) -> (Child, String) {
    let told: PathBuf = world.people().join("address");
    let file = File::create(&told).expect("a file can be made");
    let mut command = repository.served_command(line);
    let server = command.stdout(file).stderr(Stdio::null()).spawn().expect("postil starts");
    let address = wait_for("the address", || {
        let told = std::fs::read_to_string(&told).expect("the file is there");
        told.strip_suffix('\n').map(str::to_owned)
    });
    (server, address)
}
