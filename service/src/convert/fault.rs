//! Errors of the core, as faults for clients.

use std::error::Error;

use postil_core::anchoring::{AnchorError, LocateError};
use postil_core::git::{NoPlace, OpenError, ReadError, RefError};
use postil_core::notes::NotesError;
use postil_core::patch;
use postil_core::record::RecordError;
use postil_core::review::ReviewError;
use postil_core::suggestion::MakeError;
use postil_protocol::{Advice, Fault, FaultCode};

/// An error with its place among the codes.
pub(crate) trait FaultSource: Error + Sized + 'static {
    /// What kind it is.
    fn code(&self) -> FaultCode;

    /// What exactly it is, if that is reported.
    fn reason(&self) -> Option<&'static str> {
        None
    }

    /// What to do next, if there is advice.
    fn advice(&self) -> Option<Advice> {
        None
    }

    /// The error as a client gets it.
    fn fault(self) -> Fault {
        let mut fault = Fault::new(self.code(), self.to_string());
        fault.data.reason = self.reason().map(Into::into);
        fault.data.advice = self.advice().map(Box::new);
        match self.source() {
            Some(cause) => fault.because(cause),
            None => fault,
        }
    }
}

/// Turns the error of a result into a fault.
pub(crate) trait OrFault<T> {
    /// The value, or the fault.
    fn or_fault(self) -> Result<T, Fault>;
}

impl<T, E: FaultSource> OrFault<T> for Result<T, E> {
    fn or_fault(self) -> Result<T, Fault> {
        self.map_err(FaultSource::fault)
    }
}

impl FaultSource for OpenError {
    fn code(&self) -> FaultCode {
        FaultCode::NoRepository
    }
}

impl FaultSource for ReadError {
    fn code(&self) -> FaultCode {
        FaultCode::Damaged
    }
}

impl FaultSource for RefError {
    fn code(&self) -> FaultCode {
        match self {
            Self::Raced { .. } | Self::Locked { .. } | Self::Busy { .. } => FaultCode::Conflict,
            Self::Write { .. } => FaultCode::WriteFailed,
            _ => FaultCode::Damaged,
        }
    }
}

impl FaultSource for NotesError {
    fn code(&self) -> FaultCode {
        match self {
            Self::Ref(error) => error.code(),
            Self::Write(_) | Self::WriteTree { .. } => FaultCode::WriteFailed,
            Self::Open(_) => FaultCode::NoRepository,
            Self::NothingToPurge => FaultCode::NotFound,
            Self::OutOfSight { .. } | Self::MergeOpen { .. } => FaultCode::Conflict,
            _ => FaultCode::Damaged,
        }
    }

    fn advice(&self) -> Option<Advice> {
        matches!(self, Self::MergeOpen { .. }).then_some(Advice::FinishNotesMerge)
    }
}

impl FaultSource for ReviewError {
    fn code(&self) -> FaultCode {
        match self {
            Self::NoSuchBranch { .. } | Self::NoBase => FaultCode::NoSuchPlace,
            Self::OwnBase { .. } | Self::Detached | Self::Unrelated { .. } => FaultCode::Refused,
            Self::Record(error) => error.code(),
            _ => FaultCode::Damaged,
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::NoSuchBranch { .. } => Some(Advice::ListBranches),
            Self::NoBase => Some(Advice::ChooseBase),
            Self::Unrelated { .. } => Some(Advice::ChooseRelatedBase),
            Self::OwnBase { .. } => Some(Advice::SwitchToReviewed),
            Self::Detached => Some(Advice::SwitchToBranch),
            _ => None,
        }
    }
}

impl FaultSource for AnchorError {
    fn code(&self) -> FaultCode {
        match self {
            Self::TooMany { .. } => FaultCode::TooLarge,
            _ => FaultCode::NoSuchPlace,
        }
    }
}

impl FaultSource for NoPlace {
    fn code(&self) -> FaultCode {
        match self {
            Self::Forbidden { .. } | Self::Through { .. } => FaultCode::Unsafe,
            Self::Look { .. } => FaultCode::WriteFailed,
        }
    }

    fn reason(&self) -> Option<&'static str> {
        Some("forbidden-path")
    }
}

impl FaultSource for MakeError {
    fn code(&self) -> FaultCode {
        FaultCode::Refused
    }
}

impl FaultSource for patch::PatchReadError {
    fn code(&self) -> FaultCode {
        match self {
            Self::TooLarge { .. } | Self::TooManyFiles { .. } => FaultCode::TooLarge,
            Self::Path { .. } => FaultCode::Unsafe,
            _ => FaultCode::Refused,
        }
    }

    fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::Nothing => "no-patch",
            Self::TooLarge { .. } | Self::TooManyFiles { .. } => return None,
            Self::Path { .. } => "forbidden-path",
            Self::Unclosed { .. } => "unclosed-block",
            Self::Separators { .. } => "ambiguous-block",
            Self::Combined { .. } => "combined-diff",
            Self::Empty { .. } => "empty-change",
            Self::Stray { .. } => "stray-line",
            Self::Mixed { .. } => "mixed-forms",
        })
    }
}

impl FaultSource for LocateError {
    fn code(&self) -> FaultCode {
        FaultCode::Damaged
    }
}

impl FaultSource for RecordError {
    fn code(&self) -> FaultCode {
        match self {
            Self::BodyTooLarge { .. } | Self::TooManyLines { .. } | Self::PathTooLong { .. } => {
                FaultCode::TooLarge
            }
            _ => FaultCode::Refused,
        }
    }
}

/// A cause that is known in words alone.
pub(crate) fn cause(words: impl Into<String>) -> std::io::Error {
    std::io::Error::other(words.into())
}

/// What gix says, as damage.
pub(crate) fn damaged(what: impl Into<String>, error: &(dyn Error + 'static)) -> Fault {
    Fault::new(FaultCode::Damaged, what).because(error)
}
