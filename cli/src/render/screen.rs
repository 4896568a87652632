//! Where results go: standard output, perhaps through the pager that git would choose.

use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use postil_client::Checkout;

use super::colour::{Colour, Ink};
use super::site::Naming;
use crate::failure::{Failure, FailureKind};

/// So much is written at once: a long list goes out in a few pieces.
const BUFFER_BYTES: usize = 256 << 10;

/// How a shell ends that cannot run a command.
const PAGER_DID_NOT_RUN: [i32; 2] = [126, 127];

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// How much is printed besides results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volume {
    /// Results and errors alone.
    Quiet,
    /// What a person needs.
    #[default]
    Usual,
    /// More.
    Verbose,
}

/// Whether long results go through a pager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paging {
    /// Where git would use one: `pager.postil` decides, and names it, before `core.pager` and the environment.
    #[default]
    AsGit,
    /// Never.
    Never,
}

/// Where results go.
#[expect(clippy::struct_excessive_bools, reason = "each is something that a terminal can or cannot do")]
pub struct Screen {
    out: Option<Box<dyn Write>>,
    pager: Option<Child>,
    paging: Paging,
    own_pager: Option<String>,
    git_dir: PathBuf,
    is_coloured: bool,
    /// Whether what goes through a pager may be coloured.
    colours_page: bool,
    on_terminal: bool,
    width: Option<usize>,
    /// Whether the terminal opens links.
    can_link: bool,
    /// How files are named.
    pub naming: Naming,
    /// How results are written.
    pub format: OutputFormat,
    volume: Volume,
    /// What lines begin with.
    margin: &'static str,
    /// The id of what was stored, which is reported if the output fails.
    pub(super) stored: Option<String>,
}

impl Screen {
    /// Writes to standard output.
    pub fn new(checkout: &Checkout, colour: Colour, format: OutputFormat, volume: Volume) -> Self {
        Self::like(None, checkout, colour, format, volume)
    }

    /// The same, with the pager and the colours of a command of git, unless postil has its own.
    pub fn like(
        git_command: Option<&str>,
        checkout: &Checkout,
        colour: Colour,
        format: OutputFormat,
        volume: Volume,
    ) -> Self {
        let of_git =
            |section: &str| git_command.and_then(|command| checkout.setting(&format!("{section}.{command}")));
        // In `git -p postil`, git has put its pager between, and that is on a terminal.
        let through_git = std::env::var_os("GIT_PAGER_IN_USE").is_some_and(|value| is_yes(&value));
        let on_terminal = io::stdout().is_terminal() || through_git;
        let colours_page = colour == Colour::Always || checkout.switch("color.pager").unwrap_or(true);
        let color_ui = checkout
            .setting("color.postil")
            .or_else(|| of_git("color"))
            .or_else(|| checkout.setting("color.ui"));
        let no_color = std::env::var_os("NO_COLOR");
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let is_coloured = colour.decide(color_ui.as_deref(), no_color.as_deref(), on_terminal && !is_dumb)
            && (colours_page || !through_git);
        Self {
            // Beneath it standard output looks for ends of lines: whatever is written at once passes that by.
            out: Some(Box::new(io::BufWriter::with_capacity(BUFFER_BYTES, io::stdout()))),
            pager: None,
            paging: Paging::AsGit,
            own_pager: checkout.setting("pager.postil").or_else(|| of_git("pager")),
            git_dir: checkout.git_dir().to_owned(),
            is_coloured: is_coloured && format == OutputFormat::Text,
            colours_page,
            on_terminal,
            width: if on_terminal { columns() } else { None },
            can_link: on_terminal && !through_git && knows_links(|name| std::env::var(name).ok()),
            naming: Naming::new(checkout),
            format,
            volume,
            margin: "",
            stored: None,
        }
    }

    /// The same, with or without a pager.
    #[must_use]
    pub fn paged(self, paging: Paging) -> Self {
        Self { paging, ..self }
    }

    /// Sends further output through the pager, if git would do that and the output is a terminal.
    pub fn page(&mut self) {
        if !io::stdout().is_terminal() || self.format == OutputFormat::Json || self.pager.is_some() {
            return;
        }
        if self.paging == Paging::Never {
            return;
        }
        let pager = match wanted(self.own_pager.as_deref()) {
            PagerSetting::No => return,
            PagerSetting::This(pager) => Some(pager),
            PagerSetting::Usual => git_says("GIT_PAGER", &self.git_dir),
        };
        let Some(pager) = pager.filter(|pager| !pager.is_empty() && pager != "cat") else { return };
        let mut command = Command::new("sh");
        command.args(["-c", &pager]).stdin(Stdio::piped());
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        // Without a pager the result is shown all the same.
        if let Ok(mut child) = command.spawn()
            && let Some(stdin) = child.stdin.take()
        {
            self.out = Some(Box::new(io::BufWriter::with_capacity(BUFFER_BYTES, stdin)));
            self.pager = Some(child);
            self.is_coloured &= self.colours_page;
            // Other pagers may show an address as text between escape sequences, or drop it.
            self.can_link &= pager.split_whitespace().next().is_some_and(|word| word == "less");
        }
    }

    /// Writes a line.
    pub fn line(&mut self, line: impl Display) -> Result<(), Failure> {
        let out = self.out.as_mut().expect("the screen is open until it is closed");
        let written = writeln!(out, "{}{line}", self.margin);
        written.map_err(|error| self.unread(error))
    }

    /// Lets each further line begin with these words.
    pub fn set_margin(&mut self, margin: &'static str) {
        self.margin = margin;
    }

    /// Writes text that has the ends of its lines.
    pub fn lines(&mut self, text: &str) -> Result<(), Failure> {
        let out = self.out.as_mut().expect("the screen is open until it is closed");
        let written = out.write_all(text.as_bytes());
        written.map_err(|error| self.unread(error))
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let out = self.out.as_mut().expect("the screen is open until it is closed");
        let written = out.write_all(bytes);
        written.map_err(|error| self.unread(error))
    }

    /// Prints something that is not a result, on standard error.
    pub fn print_message(&mut self, line: impl Display) {
        if self.volume > Volume::Quiet {
            // Who cannot read it misses no result.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// Asks the person, and waits for a line; `None` at the end of the input.
    pub fn prompt(&mut self, question: &str) -> Result<Option<String>, Failure> {
        let out = self.out.as_mut().expect("the screen is open until it is closed");
        out.flush().map_err(Failure::output)?;
        // The question is for the person alone.
        let _ = write!(io::stderr(), "{question}");
        let mut said = String::new();
        let read = io::stdin().read_line(&mut said);
        Ok(read.is_ok_and(|count| count > 0).then_some(said))
    }

    /// Prints what was written so far.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let out = self.out.as_mut().expect("the screen is open until it is closed");
        out.flush().map_err(Failure::output)
    }

    /// Whether results are for programs.
    pub fn is_json(&self) -> bool {
        self.format == OutputFormat::Json
    }

    /// Whether a person reads this as it is printed: on a terminal, or in a pager on one.
    pub fn is_on_terminal(&self) -> bool {
        self.on_terminal
    }

    /// Whether lines are coloured.
    pub fn is_coloured(&self) -> bool {
        self.is_coloured
    }

    /// Whether lines are neither coloured nor cut.
    pub fn is_plain(&self) -> bool {
        !self.is_coloured && self.width.is_none()
    }

    /// Whether the terminal opens links, so that an address need not be shown.
    pub fn can_link(&self) -> bool {
        self.is_coloured && self.can_link
    }

    /// Whether `--verbose` was given.
    pub fn is_verbose(&self) -> bool {
        self.volume == Volume::Verbose
    }

    /// Words in the colour of what they are.
    pub fn ink(&self, ink: Ink, words: impl Display) -> String {
        let words = words.to_string();
        if !self.is_coloured || words.is_empty() {
            return words;
        }
        let style = ink.style();
        format!("{style}{words}{style:#}")
    }

    /// The width of the terminal; `None` if the output is not a terminal.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Ends the output, and waits until the pager was left.
    pub fn close(mut self) -> Result<(), Failure> {
        let flushed = match self.out.take() {
            Some(mut out) => out.flush().map_err(Failure::output),
            None => Ok(()),
        };
        self.leave_pager().and(flushed).map_err(|failure| match self.stored.take() {
            Some(id) => failure.also(format!("{id} was saved anyway")),
            None => failure,
        })
    }

    /// What it means that the output cannot be written.
    fn unread(&mut self, error: io::Error) -> Failure {
        // It ends when nothing more comes.
        self.out = Some(Box::new(io::sink()));
        self.leave_pager().err().unwrap_or_else(|| Failure::output(error))
    }

    /// Waits until the pager was left; fails where there is none of that name.
    fn leave_pager(&mut self) -> Result<(), Failure> {
        let Some(mut pager) = self.pager.take() else { return Ok(()) };
        let ended = pager.wait().ok().and_then(|status| status.code());
        // How one that ran ended says nothing about the result.
        if ended.is_none_or(|code| !PAGER_DID_NOT_RUN.contains(&code)) {
            return Ok(());
        }
        Err(Failure::new(FailureKind::Unavailable, "could not run the pager; nothing was shown")
            .hint("use `--no-pager`, or set another pager with `git config --global core.pager less`"))
    }
}

/// What `pager.postil` says: a pager, or whether to use the usual one.
#[derive(Debug, PartialEq, Eq)]
enum PagerSetting {
    No,
    Usual,
    This(String),
}

fn wanted(setting: Option<&str>) -> PagerSetting {
    match setting.map(str::to_lowercase).as_deref() {
        // A name alone, without a value, is true in git.
        None | Some("" | "true" | "yes" | "on" | "1") => PagerSetting::Usual,
        Some("false" | "no" | "off" | "0") => PagerSetting::No,
        Some(_) => PagerSetting::This(setting.unwrap_or_default().to_owned()),
    }
}

/// Whether git would take a value for a yes.
fn is_yes(value: &OsStr) -> bool {
    value.to_str().is_some_and(|value| !value.is_empty() && wanted(Some(value)) == PagerSetting::Usual)
}

/// What git would use in a repository, as `git var` prints it.
pub fn git_says(variable: &str, git_dir: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(git_dir).args(["var", variable]).stderr(Stdio::null());
    let output = git.output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| said.trim_end().to_owned())
}

/// Whether the terminal is one that opens links (OSC 8), by what it says of itself in the environment.
///
/// In a multiplexer, nobody knows what is around it.
fn knows_links(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    if is_set("TMUX") || is_set("STY") {
        return false;
    }
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let term = variable("TERM").unwrap_or_default();
    let vte: u32 = variable("VTE_VERSION").and_then(|version| version.parse().ok()).unwrap_or(0);
    vte >= 5000
        || ["KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "WEZTERM_PANE", "DOMTERM"]
            .iter()
            .any(|name| is_set(name))
        || ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper"].contains(&program.as_str())
        || ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "foot-extra", "contour"]
            .contains(&term.as_str())
}

fn columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    said.or_else(|| {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        (size.ws_col > 0).then_some(usize::from(size.ws_col))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_that_are_known_to_open_links_get_them() {
        let knows = |set: &[(&str, &str)]| {
            knows_links(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(knows(&[("VTE_VERSION", "7200"), ("TERM", "xterm-256color")]));
        assert!(knows(&[("TERM", "xterm-kitty")]));
        assert!(!knows(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]));
        assert!(!knows(&[("TERM", "xterm-256color")]));
        assert!(!knows(&[("VTE_VERSION", "4600")]));
        assert!(!knows(&[]));
    }
}
