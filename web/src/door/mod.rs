//! Who is let in: the checks of every connection and every request, before anything is answered.
//!
//! Pure but for `peer`, which asks the system. What is answered is not decided here.

mod admission;
mod links;
mod peer;
mod refusal;
mod response_headers;
#[cfg(target_os = "linux")]
mod sock_diag;

#[cfg(test)]
mod hostile;

pub(crate) use admission::{Admitted, Door, MAX_BODY_BYTES, MAX_HEAD_BYTES};
pub(crate) use links::{Links, VALID_FOR as LINK_VALID_FOR};
pub(crate) use peer::{PeerUser, peer_user};
pub(crate) use refusal::DoorRefusal;
pub(crate) use response_headers::secure;
