//! Why a request is refused, as a person reads it who sees the answer.

use hyper::StatusCode;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoorRefusal {
    /// It is not a request to this server, or not a whole one.
    Malformed,
    /// It names another host.
    ForeignHost,
    /// It was made by another page.
    ForeignPage,
    /// It has no cookie, or a wrong one.
    NoCookie,
    /// The link was used, is too old, or never was one.
    UsedLink,
    /// Nothing is answered to this method there.
    Method,
    /// What it writes is not JSON.
    NotJson,
    /// Its head is too long.
    LongHead,
    /// It is too long.
    TooLarge,
    /// It took too long.
    TooSlow,
    /// There is nothing at this address.
    NotFound,
    /// The page was started to be read alone.
    ReadOnly,
    /// So many streams are open.
    TooManyStreams,
}

impl DoorRefusal {
    /// The status of the answer.
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::ForeignHost | Self::ForeignPage | Self::NoCookie | Self::UsedLink | Self::ReadOnly => {
                StatusCode::FORBIDDEN
            }
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::LongHead => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::TooManyStreams => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    /// The answer, for people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Malformed => "This is not a request that the review page understands.",
            Self::ForeignHost => {
                "The review page answers under its own address only. To reach it from another machine, forward the \
                 same port: ssh -L PORT:127.0.0.1:PORT HOST"
            }
            Self::ForeignPage => "Another page asked for this, and the review page answers only its own.",
            Self::NoCookie => "This browser is not known here. Run `postil web` again for a fresh link.",
            Self::UsedLink => {
                "This link was used before or is too old. Run `postil web` again for a fresh link."
            }
            Self::Method => "This cannot be done here.",
            Self::NotJson => "What is written here must be JSON.",
            Self::LongHead | Self::TooLarge => "This is too long.",
            Self::TooSlow => "This took too long.",
            Self::NotFound => "There is nothing at this address.",
            Self::ReadOnly => "This page was started with --read-only.",
            Self::TooManyStreams => "Too many pages wait for news here. Close some of them.",
        }
    }
}
