//! `postil lsp`: threads in every editor that speaks the Language Server Protocol.
//!
//! Standard output belongs to the editor: nothing else is printed there, and nothing is ever asked on the terminal,
//! which may be the editor's own.

use std::env;
use std::io::Write;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use postil_lsp::SetupEditor;

use crate::connect::Acting;
use crate::failure::{Failure, FailureKind};

/// Names a terminal on which gpg would ask for a passphrase.
const TERMINAL_OF_GPG: &str = "GPG_TTY";

/// Show and write comments in your editor
///
/// Your editor starts this program and speaks the Language Server Protocol with it,
/// over standard input and output. Threads are shown at their lines and move with
/// every key; comments, replies and suggestions work in unsaved text too.
/// With --setup, it prints what to put into the configuration of your editor.
///
/// If you sign, keys come from an agent or an askpass program: nothing is asked on
/// the terminal.
///
/// Examples:
///
///     postil lsp --setup helix >> ~/.config/helix/languages.toml
///     postil lsp --setup neovim
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct LspArgs {
    /// Print the configuration for an editor instead of serving one
    #[arg(long, value_name = "EDITOR")]
    setup: Option<WantedEditor>,

    /// Ignored: it is the only way, and some editors name it
    #[arg(long, hide = true)]
    stdio: bool,
}

/// An editor, as it is typed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WantedEditor {
    Neovim,
    Helix,
    Emacs,
    Vim,
    Zed,
    Vscode,
    Jetbrains,
}

/// Serves an editor until it ends, or prints how to set one up.
pub fn run(args: &LspArgs, acting: &Acting, out: &mut impl Write) -> Result<(), Failure> {
    if let Some(editor) = args.setup {
        let found = |names: &[&str]| names.iter().find_map(|name| on_path(name));
        let helix = found(&["hx", "helix"]);
        let text = postil_lsp::setup(editor.into(), &program_name(), helix.as_deref());
        return out.write_all(text.as_bytes()).map_err(Failure::output);
    }
    leave_the_terminal().map_err(broken)?;
    postil_lsp::run(acting.program(), postil_daemon::give_back_memory).map_err(broken)
}

/// How another program starts this one: by its name if that leads here, else by its path.
pub fn program_name() -> String {
    let this = env::current_exe().and_then(std::fs::canonicalize).unwrap_or_else(|_| PathBuf::from("postil"));
    let is_this = |path: &Path| std::fs::canonicalize(path).is_ok_and(|path| path == this);
    match on_path("postil") {
        Some(found) if is_this(&found) => "postil".to_owned(),
        _ => this.display().to_string(),
    }
}

/// The program of this name on the PATH, with links followed.
fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let found = env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    std::fs::canonicalize(found).ok()
}

impl From<WantedEditor> for SetupEditor {
    fn from(wanted: WantedEditor) -> Self {
        match wanted {
            WantedEditor::Neovim => Self::Neovim,
            WantedEditor::Helix => Self::Helix,
            WantedEditor::Emacs => Self::Emacs,
            WantedEditor::Vim => Self::Vim,
            WantedEditor::Zed => Self::Zed,
            WantedEditor::Vscode => Self::VsCode,
            WantedEditor::Jetbrains => Self::JetBrains,
        }
    }
}

/// Makes sure that no program which signs asks for a passphrase on the editor's terminal.
fn leave_the_terminal() -> std::io::Result<()> {
    if env::var_os(TERMINAL_OF_GPG).is_some() {
        let mut again = Command::new(env::current_exe()?);
        return Err(again.args(env::args_os().skip(1)).env_remove(TERMINAL_OF_GPG).exec());
    }
    // Without a terminal, ssh-keygen asks its askpass program. This fails for who leads a group already, which is only
    // who typed it into a shell.
    let _ = rustix::process::setsid();
    Ok(())
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    Failure::new(FailureKind::Unavailable, "could not serve the editor")
        .because(error)
        .hint("your editor starts `postil lsp`; see docs/editors")
}
