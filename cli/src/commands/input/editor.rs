//! A text from the person's editor, the one that git would open.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::flag;

use crate::commands::Context;
use crate::connect::CommandSession;
use crate::exit::Exit;
use crate::failure::{Failure, FailureKind};
use crate::render::git_says;

/// Everything from this line on is no part of the text.
const SCISSORS: &str = "------------------------ >8 ------------------------";

/// A shell reports that a signal ended its command as this plus the signal's number.
const SHELL_SIGNAL: i32 = 128;

/// Whether somebody is there who can write in an editor.
///
/// An agent would wait for one that nobody sees, and what an editor draws is not JSON.
pub fn may_open(session: &CommandSession, context: &Context) -> bool {
    !session.is_program() && !context.is_json()
}

/// Opens the editor of a repository on `file` with `initial`, and returns what was written there.
///
/// `about` is shown below a scissors line, so that the text may contain any line of Markdown.
pub fn ask(file: &Path, git_dir: &Path, initial: &str, about: &[String]) -> Result<String, Failure> {
    let mut buffer = format!(
        "{initial}\n{SCISSORS}\nWrite your comment above this line, in Markdown. An empty comment is not saved.\n"
    );
    for line in about {
        buffer.push_str(line);
        buffer.push('\n');
    }
    let failed = |error: std::io::Error| {
        Failure::new(
            FailureKind::Unavailable,
            format!("could not use the file {} for the editor", file.display()),
        )
        .because(error)
        .hint("check disk space and permissions, or use `-m TEXT`")
    };
    fs::write(file, buffer).map_err(failed)?;
    open(file, git_dir)?;
    let written = fs::read_to_string(file).map_err(failed)?;
    Ok(above_scissors(&written))
}

/// The content of a file that was edited; `None` if it cannot be read.
pub fn read_text(file: &Path) -> Option<String> {
    fs::read_to_string(file).ok().map(|written| above_scissors(&written))
}

/// Opens the editor on `file` with lines, and returns what became of them.
pub fn change(file: &Path, git_dir: &Path, lines: &[u8]) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            FailureKind::Unavailable,
            format!("could not use the file {} for the editor", file.display()),
        )
        .because(error)
        .hint("check disk space and permissions, or use `-m TEXT`")
    };
    fs::write(file, lines).map_err(failed)?;
    open(file, git_dir)?;
    let written = fs::read(file).map_err(failed)?;
    // A leftover file does no harm.
    let _ = fs::remove_file(file);
    Ok(written)
}

fn open(file: &Path, git_dir: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            FailureKind::Unavailable,
            format!("could not use the file {} for the editor", file.display()),
        )
        .because(error)
        .hint("check disk space and permissions, or use `-m TEXT`")
    };
    let editor = git_says("GIT_EDITOR", git_dir)
        .ok_or_else(|| Failure::new(FailureKind::Usage, "no editor configured").hint("use `-m TEXT`"))?;
    // As git does it: the editor may be a command with arguments, and Ctrl-C is for it alone while it runs.
    let is_over = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGQUIT] {
        let code = Exit::Interrupted as i32;
        flag::register_conditional_shutdown(signal, code, Arc::clone(&is_over)).map_err(failed)?;
    }
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(file).status();
    is_over.store(true, Ordering::SeqCst);
    let status = status.map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    let is_interrupted =
        [status.signal(), status.code().map(|code| code - SHELL_SIGNAL)].contains(&Some(SIGINT));
    Err(if is_interrupted {
        Failure::new(FailureKind::Interrupted, "the editor was interrupted; nothing was saved")
    } else {
        Failure::new(FailureKind::Usage, format!("the editor {editor:?} failed; nothing was saved"))
            .hint("use `-m TEXT`, or set another editor with `git config core.editor`")
    })
}

/// Whether a text has what an editor is told, and so may be open in one.
pub(super) fn has_scissors(written: &str) -> bool {
    written.contains(SCISSORS)
}

/// What a person wrote, without what the editor was told below it.
pub(super) fn above_scissors(written: &str) -> String {
    // Also if the text ends right before the scissors: what is below them was not typed.
    let said = written.split_once(SCISSORS).map_or(written, |(said, _)| said);
    said.lines().collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_below_the_scissors_is_not_said() {
        let written = format!("# a heading\n\nwords\n\n{SCISSORS}\nno words\n");
        assert_eq!(above_scissors(&written), "# a heading\n\nwords");
        assert_eq!(above_scissors(&format!("\n{SCISSORS}\nx")), "");
        assert_eq!(above_scissors("no scissors\r\n"), "no scissors");
        assert_eq!(above_scissors(&format!("one\ntwo{SCISSORS}\nno words\n")), "one\ntwo");
    }
}
