//! Why a call failed, in words that a model can act on.

use std::fmt::Write as _;

use postil_client::SessionError;
use postil_protocol::{Advice, Fault};
use postil_words::sanitize;

use crate::wire::toolbox::ToolAnswer;

/// What failed, why, and what to do.
pub(super) fn failed(error: &SessionError) -> ToolAnswer {
    ToolAnswer::error(told(error))
}

/// The same as text, for one of several items.
pub(super) fn told(error: &SessionError) -> String {
    let (what, next) = match error {
        SessionError::Fault(fault) => return of_fault(fault),
        SessionError::Directory { .. } | SessionError::NoRepository(_) | SessionError::Ceiling => {
            (error.to_string(), "a person must start `postil mcp` in a git repository, or with `-C DIR`")
        }
        SessionError::UnknownAuthor => {
            (error.to_string(), "a person must set user.name and user.email with `git config`")
        }
        SessionError::MaybeSaved(_) => (error.to_string(), "look with `threads` before you write it again"),
        SessionError::SubscriptionEnded => (error.to_string(), "call again if it comes back"),
        _ => (error.to_string(), "call again; if it stays, tell a person"),
    };
    let mut told = what;
    let mut cause = std::error::Error::source(error);
    while let Some(why) = cause {
        let _ = write!(told, ": {why}");
        cause = why.source();
    }
    harmless(&format!("{told}; {next}"))
}

fn of_fault(fault: &Fault) -> String {
    let mut told = fault.message.to_string();
    for cause in &fault.data.causes {
        let _ = write!(told, ": {cause}");
    }
    if !fault.data.candidates.is_empty() {
        let _ = write!(told, " (perhaps: {})", fault.data.candidates.join(", "));
    }
    if let Some(next) = fault.advice().and_then(|advice| next(&advice)) {
        let _ = write!(told, "; {next}");
    }
    harmless(&told)
}

/// What to do, for a program that has these tools alone; what a person must do is told as such.
fn next(advice: &Advice) -> Option<String> {
    Some(match advice {
        Advice::ListThreads => "`threads` lists what there is".to_owned(),
        Advice::ListAgain => "call again without `cursor`".to_owned(),
        Advice::GiveMoreDigits => "give more digits of the id".to_owned(),
        Advice::NameWhatExists => "name a file, line or commit that exists".to_owned(),
        Advice::NamePathInside => "paths are relative to the root of the repository".to_owned(),
        Advice::CountLines => "lines start at 1; leave `lines` out for the whole file".to_owned(),
        Advice::ChooseWord { words } => format!("possible: {}", words.join(", ")),
        Advice::AllowAgents { setting } => {
            format!(
                "a person must allow it in their own configuration: `git config --global {setting} draft`"
            )
        }
        Advice::ProposeInstead => "call `propose`; a person decides".to_owned(),
        Advice::LetPersonDo => "a person must do that".to_owned(),
        Advice::TryAgain => "call again".to_owned(),
        Advice::AllowIgnored => "git ignores the file, and only a person may share its lines".to_owned(),
        _ => return None,
    })
}

/// One line that hides nothing.
fn harmless(text: &str) -> String {
    sanitize::line(text.as_bytes())
}
