//! Which user listens at the other end of a socket.
//!
//! The kernel answers, so no process can give a wrong answer. The daemon asks the same about its clients.

use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::error::SocketError;

/// Refuses a socket at `path` on which another user than `expected` listens.
pub(super) fn check(stream: &UnixStream, path: &Path, expected: u32) -> Result<(), SocketError> {
    let found =
        user(stream).map_err(|source| SocketError::UnknownListener { path: path.to_owned(), source })?;
    if found != expected {
        return Err(SocketError::ForeignListener { path: path.to_owned(), found, expected });
    }
    Ok(())
}

/// The effective user of the process that began to listen.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library's own function for it is not stable")]
fn user(stream: &UnixStream) -> io::Result<u32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the descriptor is open for as long as `stream` is borrowed, and the kernel writes at most `length` bytes
    // to `peer`, which is that long.
    let answer = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    if answer == 0 { Ok(peer.uid) } else { Err(io::Error::last_os_error()) }
}

/// As above.
#[cfg(not(target_os = "linux"))]
#[expect(unsafe_code, reason = "the standard library's own function for it is not stable")]
fn user(stream: &UnixStream) -> io::Result<u32> {
    let (mut user, mut group) = (0, 0);
    // SAFETY: the descriptor is open for as long as `stream` is borrowed, and both numbers can be written to.
    let answer = unsafe { libc::getpeereid(stream.as_raw_fd(), &raw mut user, &raw mut group) };
    if answer == 0 { Ok(user) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_socket_of_the_expected_user_is_accepted() {
        let (near, _far) = UnixStream::pair().unwrap();
        let (path, own) = (Path::new("/run/socket"), rustix::process::geteuid().as_raw());
        check(&near, path, own).unwrap();
        let error = check(&near, path, own + 1).unwrap_err();
        let expected = format!("user {own} listens on /run/socket, not user {}", own + 1);
        assert_eq!(error.to_string(), expected);
    }
}
