//! The listening socket that a service manager passes at start (`sd_listen_fds(3)`).
//!
//! Which process it is meant for is part of the agreement: a child that inherits the variables takes nothing.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixListener;

use super::error::SocketError;

/// The first passed descriptor, after the three standard ones.
const FIRST: i32 = 3;

/// Takes the listening socket that was passed to this process, if there is one.
///
/// One descriptor is expected; more are left alone.
pub fn passed() -> Result<Option<UnixListener>, SocketError> {
    let ours = is_meant_for(std::process::id(), |name| std::env::var_os(name));
    if !ours {
        return Ok(None);
    }
    let listener = take(FIRST).map_err(SocketError::Passed)?;
    // An address of another family is refused here.
    listener.local_addr().map_err(SocketError::Passed)?;
    Ok(Some(listener))
}

fn is_meant_for(pid: u32, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let number = |name: &str| variable(name)?.to_str()?.parse::<u32>().ok();
    number("LISTEN_PID") == Some(pid) && number("LISTEN_FDS").is_some_and(|count| count > 0)
}

/// A copy of the descriptor: the kernel checks that there is one, which taking the number as it is would not.
#[cfg(target_os = "linux")]
fn take(descriptor: i32) -> io::Result<UnixListener> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    let copy = pidfd_getfd(this, descriptor, PidfdGetfdFlags::empty())?;
    Ok(UnixListener::from(copy))
}

#[cfg(not(target_os = "linux"))]
fn take(_: i32) -> io::Result<UnixListener> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn variables_for_another_process_are_left_alone() {
        let check = |pid: &'static str, count: &'static str, expected| {
            let variable = |name: &str| match name {
                "LISTEN_PID" => Some(OsString::from(pid)),
                "LISTEN_FDS" => Some(OsString::from(count)),
                _ => None,
            };
            assert_eq!(is_meant_for(42, variable), expected, "{pid} {count}");
        };
        check("42", "1", true);
        check("43", "1", false);
        check("42", "0", false);
        check("", "1", false);
        assert!(!is_meant_for(42, |_| None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_passed_descriptor_is_listened_on_and_a_wrong_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let original = UnixListener::bind(&path).unwrap();
        let taken = take(original.as_raw_fd()).unwrap();
        let _client = UnixStream::connect(&path).unwrap();
        taken.accept().unwrap();
        assert!(take(1_000_000).is_err());
    }
}
