//! A terminal as people have it: a shell in tmux, typed into, and read from its screen.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use postil_testkit::skipped;

use super::served::TEN_SECONDS;
use super::world::{Checkout, World};

/// The terminal of one person. A tmux of its own, because windows of one tmux share an environment; it ends with the test.
pub struct Tmux<'world> {
    world: &'world World,
    person: &'static str,
    socket: PathBuf,
}

impl<'world> Tmux<'world> {
    /// Opens a shell of this person, 80 columns wide, whose prompt is their name; `None` where there is no tmux.
    pub fn open(world: &'world World, person: &Checkout<'_>) -> Option<Self> {
        let is_there = Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success());
        if !is_there {
            skipped("tmux, which is a terminal without a screen");
            return None;
        }
        let name = person.person();
        let socket = world.runtime().join(format!("tmux-{name}"));
        let mut command = person.command("tmux");
        command
            .current_dir(world.people())
            .arg("-S")
            .arg(&socket)
            .args(["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "40"])
            .args(["bash", "--norc", "--noprofile"])
            .env("PS1", format!("{name}$ "))
            .env("LC_ALL", "C.UTF-8")
            .env("HISTFILE", "/dev/null");
        let status = command.status().expect("tmux can be started");
        let tmux = Self { world, person: name, socket };
        assert!(status.success(), "tmux opens no window for {name}");
        tmux.until_prompt();
        Some(tmux)
    }

    /// Types a line, and returns what the terminal shows after it: without the line, and without the next prompt.
    pub fn typed(&self, line: &str) -> String {
        self.tmux(&["send-keys", "C-l"]);
        self.until_prompt();
        self.tmux(&["clear-history"]);
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
        let screen = self.until_prompt_after(&format!("{}$ {line}", self.person));
        let lines = screen.lines().collect::<Vec<_>>();
        let typed = lines.iter().rposition(|shown| shown.trim_end() == format!("{}$ {line}", self.person));
        let shown = &lines[typed.map_or(0, |at| at + 1)..lines.len().saturating_sub(1)];
        shown.iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// Starts a program that takes the whole terminal.
    pub fn begin(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    /// Presses keys, one after the other, by the names of tmux; what has no name is typed.
    pub fn keys(&self, keys: &[&str]) {
        for key in keys {
            self.tmux(&["send-keys", key]);
        }
    }

    /// Waits until there is a line with these words, and with those at its end.
    pub fn until_line(&self, words: &str, end: &str) {
        self.until("0", |screen| {
            screen.lines().any(|line| line.contains(words) && line.trim_end().ends_with(end))
        });
    }

    /// Waits until the line that an editor shows with this number has these words at its end.
    pub fn until_numbered(&self, number: u32, end: &str) {
        let number = number.to_string();
        let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        self.until("0", |screen| {
            let found = screen
                .lines()
                .find(|line| line.split_whitespace().take(2).find(is_number) == Some(number.as_str()));
            found.is_some_and(|line| line.trim_end().ends_with(end))
        });
    }

    /// The prompt, without the blank at its end.
    fn prompt(&self) -> String {
        format!("{}$", self.person)
    }

    /// Waits until the terminal shows nothing but a prompt.
    fn until_prompt(&self) {
        self.until("0", |screen| screen.trim_end() == self.prompt());
    }

    /// Waits until there is a prompt below `line`, and returns all that is shown.
    fn until_prompt_after(&self, line: &str) -> String {
        self.until("-", |screen| {
            // A shell that was just started may show its first prompt above.
            let mut lines = screen.trim_end().lines();
            lines.next_back().is_some_and(|last| last == self.prompt())
                && lines.any(|shown| shown.trim_end() == line)
        })
    }

    /// Waits until the terminal shows what it should, from this line on: `0` is the top of the window, `-` that of all.
    fn until(&self, from: &str, is_there: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + 3 * TEN_SECONDS;
        loop {
            let screen = self.tmux(&["capture-pane", "-p", "-J", "-S", from]);
            if is_there(&screen) {
                return screen.trim_end().to_owned() + "\n";
            }
            assert!(Instant::now() < deadline, "the terminal of {} shows only\n{screen}", self.person);
        }
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut command = self.world.command("tmux");
        let output = command.arg("-S").arg(&self.socket).args(args).output().expect("tmux can be started");
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        // Without a window it has ended already.
        let _ = self.world.command("tmux").arg("-S").arg(&self.socket).arg("kill-server").output();
    }
}
