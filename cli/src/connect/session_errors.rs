//! Errors of a session in words of the command line, with what to do next.

use postil_client::{Checkout, RepositoryArgs, SessionError, relative};
use postil_protocol::{Fault, FaultCode};

use super::daemon::refused;
use crate::advice;
use crate::failure::{Failure, FailureKind};

/// What to do if there is no repository.
const NAME_A_REPOSITORY: &str = "run this in a git repository, or use `-C DIR`";

/// Finds the repository of a command that needs no service.
pub fn find_checkout(args: &RepositoryArgs) -> Result<Checkout, Failure> {
    args.find().map_err(|error| failed(error, None))
}

/// An error of a session that a command did not open itself.
pub fn session_failed(error: SessionError) -> Failure {
    failed(error, None)
}

/// An error, as a person who is in `checkout` reads it.
pub fn failed(error: SessionError, checkout: Option<&Checkout>) -> Failure {
    let no_repository =
        || Failure::new(FailureKind::Unavailable, "not inside a git repository that postil can use");
    match error {
        SessionError::Directory { path, source } => {
            Failure::new(FailureKind::Unavailable, format!("cannot change to {}", path.display()))
                .because(source)
                .hint("give an existing directory with `-C DIR`")
        }
        SessionError::NoRepository(source) => no_repository().because(source).hint(NAME_A_REPOSITORY),
        SessionError::Ceiling => no_repository().because(error).hint(NAME_A_REPOSITORY),
        SessionError::UnreadableParameter(source) => {
            Failure::new(FailureKind::Usage, "could not parse a setting given with `git -c`")
                .because(source)
                .hint("use `git -c NAME=VALUE postil …`")
        }
        SessionError::InvalidParameter(source) => {
            Failure::new(FailureKind::Usage, "invalid setting given with `git -c`")
                .because(source)
                .hint("see `git help config`")
        }
        SessionError::UnknownAuthor => Failure::new(FailureKind::Usage, "git does not know who you are")
            .hint("run `git config user.name NAME` and `git config user.email EMAIL`"),
        SessionError::InvalidVia { text } => {
            Failure::new(FailureKind::Usage, format!("invalid program: {text:?}")).hint(
                "`--via` and POSTIL_VIA are `agent:NAME[@VERSION][,model=MODEL]`, `tool:NAME` or `person`",
            )
        }
        SessionError::Fault(fault) => of_fault(&fault, checkout),
        SessionError::MaybeSaved(source) => {
            let what = "the daemon stopped before confirming; this may or may not have been saved";
            Failure::new(FailureKind::Unavailable, what)
                .because(source)
                .hint("check with `postil list` before you try again")
        }
        SessionError::Connect(error) => refused(error),
        SessionError::Subscribe(source) => {
            Failure::new(FailureKind::Unavailable, "could not subscribe to events of the daemon")
                .because(source)
                .hint("run `postil daemon restart`")
        }
        SessionError::SubscriptionEnded => {
            Failure::new(FailureKind::Unavailable, "the repository no longer exists")
                .hint("if it comes back, run this command again")
        }
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
        FaultCode::NotFound | FaultCode::Ambiguous | FaultCode::NoSuchPlace => FailureKind::NotFound,
        FaultCode::NotYours | FaultCode::Conflict => FailureKind::Conflict,
        FaultCode::InvalidParams | FaultCode::Refused | FaultCode::TooLarge => FailureKind::Usage,
        FaultCode::Unsafe => FailureKind::Unsafe,
        _ => FailureKind::Unavailable,
    };
    let mut causes = fault.data.causes.clone();
    causes.extend(fault.data.candidates.iter().map(|candidate| format!("it could be {candidate}")));
    let code = fault.data.reason.as_deref().unwrap_or(fault.code.name());
    let told = |words: &str| match (&fault.data.path, checkout) {
        (Some(path), Some(checkout)) => renamed(checkout, path.as_bytes(), words),
        _ => words.to_owned(),
    };
    let failure = Failure::new(kind, told(&fault.message)).because_all(causes).coded(code);
    let failure = failure.advised(fault.advice());
    match fault.advice().and_then(|advice| advice::hint(&advice)) {
        Some(hint) => failure.hint(told(&hint)),
        None => failure,
    }
}
