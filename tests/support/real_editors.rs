//! The editors that `.ci/install-editors` installs, started in a world of a test.

use std::path::{Path, PathBuf};
use std::process::Command;

use postil_testkit::skipped;

use super::postil::{POSTIL, folder_of_git_postil};
use super::world::Checkout;

/// A folder of editors.
#[derive(Clone, Copy, Debug)]
pub enum Suite {
    /// Neovim 0.10, Helix 25.01 and Emacs 30.
    Trixie,
    /// Newer versions of Neovim and Helix.
    Sid,
    /// Vim, with ALE.
    Vim,
}

/// Where the editors are; `None` where they are not installed, which is counted.
pub fn installed(suite: Suite) -> Option<PathBuf> {
    let folder = std::env::var_os("POSTIL_EDITORS").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/postil-editors"));
    let name = match suite {
        Suite::Trixie => "trixie",
        Suite::Sid => "sid",
        Suite::Vim => "vim",
    };
    let folder = folder.or(home).map(|folder| folder.join(name));
    let found = folder.filter(|folder| folder.join("ready").exists());
    if found.is_none() {
        skipped(&format!("the editors of .ci/install-editors, {name}"));
    }
    found
}

/// Variables that every editor needs.
fn prepared(mut command: Command) -> Command {
    let own = folder_of_git_postil().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(own).chain(std::env::split_paths(&path));
    command
        .env("PATH", std::env::join_paths(path).expect("no folder has a colon in its name"))
        .env("POSTIL_DAEMON", "off")
        .env("TERM", "xterm-256color")
        .env("LC_ALL", "C.UTF-8");
    command
}

/// Neovim without a screen, which runs a script.
pub fn neovim(editors: &Path, person: &Checkout<'_>, script: &Path) -> Command {
    let mut command = prepared(person.command(editors.join("usr/bin/nvim")));
    let libraries = format!("set rtp+={}", editors.join("usr/lib/nvim").display());
    command
        .env("VIMRUNTIME", editors.join("usr/share/nvim/runtime"))
        .args(["--headless", "--cmd", &libraries, "-c"])
        .arg(format!("luafile {}", script.display()));
    command
}

/// Vim without a screen, which runs a script.
pub fn vim(editors: &Path, person: &Checkout<'_>, config: &Path, script: &Path) -> Command {
    let mut command = prepared(person.command(editors.join("usr/bin/vim.basic")));
    command
        .env("VIMRUNTIME", editors.join("usr/share/vim/vim91"))
        .args(["-N", "-i", "NONE", "-n", "-es", "-u"])
        .arg(config)
        .arg("-S")
        .arg(script);
    command
}

/// Helix, for a terminal.
pub fn helix(editors: &Path, file: &str) -> String {
    let runtime = editors.join("usr/lib/hx/runtime");
    let program = editors.join("usr/lib/hx/hx");
    let own = folder_of_git_postil().display();
    format!(
        "PATH={own}:$PATH POSTIL_DAEMON=off HELIX_RUNTIME={} {} {file}",
        runtime.display(),
        program.display()
    )
}

/// The configuration that `postil lsp --setup` prints.
#[track_caller]
pub fn setup(editors: &Path, person: &Checkout<'_>, editor: &str) -> String {
    let mut command = prepared(person.command(POSTIL));
    let path = std::env::join_paths([editors.join("usr/lib/hx"), folder_of_git_postil().to_owned()]);
    command.env("PATH", path.expect("no folder has a colon in its name"));
    let output = command.args(["lsp", "--setup", editor]).output().expect("postil can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("it is text")
}

/// Emacs without a screen, which runs a script.
pub fn emacs(editors: &Path, person: &Checkout<'_>, script: &Path) -> Command {
    let share = editors.join("usr/share/emacs/30.1");
    let libexec = editors.join("usr/libexec/emacs/30.1/x86_64-linux-gnu");
    let dump = std::fs::read_dir(&libexec).expect("Emacs has its own folder");
    let dump = dump.filter_map(Result::ok).map(|file| file.path());
    let dump = dump.into_iter().find(|file| file.extension().is_some_and(|ending| ending == "pdmp"));
    let mut folders = vec![share.join("lisp")];
    let below = std::fs::read_dir(share.join("lisp")).expect("Emacs has its programs");
    folders.extend(below.filter_map(Result::ok).map(|file| file.path()).filter(|file| file.is_dir()));
    let mut command = prepared(person.command(editors.join("usr/bin/emacs-nox")));
    command
        .env("EMACSLOADPATH", std::env::join_paths(folders).expect("no folder has a colon in its name"))
        .env("EMACSDATA", share.join("etc"))
        .env("EMACSDOC", share.join("etc"))
        .arg(format!("--dump-file={}", dump.expect("Emacs has a dump").display()))
        .args(["-Q", "--batch", "-l"])
        .arg(script);
    command
}
