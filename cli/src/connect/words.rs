//! Errors of a session in words of the command line, with what to do next.

use postil_client::{Checkout, RepositoryArgs, SessionError, relative};
use postil_protocol::{Fault, FaultCode};

use super::daemon::refused;
use crate::advice;
use crate::failure::{Failure, Kind};

/// What to do if there is no repository.
const NAME_A_REPOSITORY: &str = "run it inside a git repository, or name one with `-C DIR`";

/// Finds the repository of a command that needs no service.
pub fn find_checkout(args: &RepositoryArgs) -> Result<Checkout, Failure> {
    args.find().map_err(|error| failed(error, None))
}

/// An error, as a person who is in `checkout` reads it.
pub fn failed(error: SessionError, checkout: Option<&Checkout>) -> Failure {
    let no_repository = || Failure::new(Kind::Unavailable, "this is no repository that can be used");
    match error {
        SessionError::Directory { path, source } => {
            Failure::new(Kind::Unavailable, format!("cannot go to {}", path.display()))
                .because(source)
                .hint("name a folder that exists with `-C DIR`")
        }
        SessionError::NoRepository(source) => no_repository().because(source).hint(NAME_A_REPOSITORY),
        SessionError::Ceiling => no_repository().because(error).hint(NAME_A_REPOSITORY),
        SessionError::UnreadableParameter(source) => {
            Failure::new(Kind::Usage, "a setting that `git -c` gave cannot be understood")
                .because(source)
                .hint("give it as `git -c NAME=VALUE postil …`")
        }
        SessionError::InvalidParameter(source) => {
            Failure::new(Kind::Usage, "a setting that `git -c` gave cannot be used")
                .because(source)
                .hint("`git help config` tells what it may be")
        }
        SessionError::UnknownAuthor => Failure::new(Kind::Usage, "git does not know who you are")
            .hint("tell it with `git config user.name NAME` and `git config user.email EMAIL`"),
        SessionError::Fault(fault) => of_fault(&fault, checkout),
        SessionError::MaybeSaved(source) => {
            let what = "the daemon stopped before confirming; this may or may not have been saved";
            Failure::new(Kind::Unavailable, what)
                .because(source)
                .hint("look with `postil list` before you try again")
        }
        SessionError::DaemonOff => {
            Failure::new(Kind::Unavailable, "only a daemon tells what happens, and it is turned off")
                .hint("`git config --unset postil.daemon` turns it on, unless POSTIL_DAEMON turns it off")
        }
        SessionError::Connect(error) => refused(error),
        SessionError::Subscribe(source) => {
            Failure::new(Kind::Unavailable, "the daemon does not tell what happens")
                .because(source)
                .hint("`postil daemon restart` starts it anew")
        }
        SessionError::SubscriptionEnded => Failure::new(Kind::Unavailable, "the repository is gone")
            .hint("where it is there again, give the same command again"),
    }
}

/// Words that name a file of the repository, with the name that it has from where the person is.
pub fn renamed(checkout: &Checkout, path: &[u8], words: &str) -> String {
    if checkout.prefix().is_empty() || path.is_empty() {
        return words.to_owned();
    }
    let here = relative(checkout.prefix(), path);
    words.replace(&*String::from_utf8_lossy(path), &String::from_utf8_lossy(&here))
}

/// An error of the service.
fn of_fault(fault: &Fault, checkout: Option<&Checkout>) -> Failure {
    let kind = match fault.code {
        FaultCode::NotFound | FaultCode::Ambiguous | FaultCode::NoSuchPlace => Kind::NotFound,
        FaultCode::NotYours | FaultCode::Conflict => Kind::Conflict,
        FaultCode::InvalidParams | FaultCode::Refused | FaultCode::TooLarge => Kind::Usage,
        _ => Kind::Unavailable,
    };
    let mut causes = fault.data.causes.clone();
    causes.extend(fault.data.candidates.iter().map(|candidate| format!("it could be {candidate}")));
    let code = fault.data.reason.as_deref().unwrap_or(fault.code.name());
    let told = |words: &str| match (&fault.data.path, checkout) {
        (Some(path), Some(checkout)) => renamed(checkout, path.as_bytes(), words),
        _ => words.to_owned(),
    };
    let failure = Failure::new(kind, told(&fault.message)).because_all(causes).coded(code);
    match fault.advice().and_then(|advice| advice::hint(&advice)) {
        Some(hint) => failure.hint(told(&hint)),
        None => failure,
    }
}
