//! Asks the kernel of Linux about one connection, by `sock_diag(7)`.
//!
//! A browser opens six connections at once, and each is asked about before it is answered: the kernel's table of all
//! connections takes a hundred times as long.

use std::io::{Error, ErrorKind};
use std::net::{IpAddr, SocketAddr};

use rustix::net::netlink::{SOCK_DIAG, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

/// A question or an answer about sockets of a family.
const BY_FAMILY: u16 = 20;

/// It is a question.
const REQUEST: u16 = 1;

/// The head of each message.
const HEAD_BYTES: usize = 16;

/// A question: its head, what it asks for, and which socket it is about.
const ASKED_BYTES: usize = HEAD_BYTES + 56;

/// Where the user is in an answer, which begins like a question but for four bytes.
const USER_AT: usize = HEAD_BYTES + 4 + 48 + 12;

/// The user whose socket is at `from` and is connected to `to`; `None` if the kernel does not say.
pub(super) fn user_of(from: SocketAddr, to: SocketAddr) -> Option<u32> {
    let asked = question(from, to)?;
    let answer = ask(&asked).ok()?;
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    // What it is about must be what was asked for.
    let is_it = answer.get(HEAD_BYTES + 4..HEAD_BYTES + 8)? == &asked[HEAD_BYTES + 8..HEAD_BYTES + 12];
    if kind == BY_FAMILY && is_it { word(USER_AT) } else { None }
}

/// The question about one socket, as the kernel reads it.
fn question(from: SocketAddr, to: SocketAddr) -> Option<Vec<u8>> {
    let (IpAddr::V4(from_ip), IpAddr::V4(to_ip)) = (from.ip(), to.ip()) else { return None };
    let mut asked = Vec::with_capacity(ASKED_BYTES);
    asked.extend(u32::try_from(ASKED_BYTES).ok()?.to_ne_bytes());
    asked.extend(BY_FAMILY.to_ne_bytes());
    asked.extend(REQUEST.to_ne_bytes());
    asked.extend([0; 8]); // A number for the answer, and who asks: the kernel knows.
    asked.extend([2, 6, 0, 0]); // IPv4, TCP, nothing more than the usual.
    asked.extend(u32::MAX.to_ne_bytes()); // In any state.
    asked.extend(from.port().to_be_bytes());
    asked.extend(to.port().to_be_bytes());
    for ip in [from_ip, to_ip] {
        asked.extend(ip.octets());
        asked.extend([0; 12]);
    }
    asked.extend([0; 4]); // On any interface.
    asked.extend([u8::MAX; 8]); // Whichever socket has these addresses.
    Some(asked)
}

fn ask(asked: &[u8]) -> Result<Vec<u8>, Error> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG))?;
    let kernel = SocketAddrNetlink::new(0, 0);
    if rustix::net::sendto(&socket, asked, SendFlags::empty(), &kernel)? != asked.len() {
        return Err(ErrorKind::WriteZero.into());
    }
    // The kernel has answered before the question is sent.
    let mut answer = vec![0; 1 << 12];
    let (read, _) = rustix::net::recv(&socket, &mut answer[..], RecvFlags::empty())?;
    answer.truncate(read);
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_kernel_says_whose_socket_it_is_or_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let to = listener.local_addr().unwrap();
        let stream = TcpStream::connect(to).unwrap();
        let from = stream.local_addr().unwrap();
        let user = rustix::process::geteuid().as_raw();
        // Some systems do not answer such questions at all.
        assert!(user_of(from, to).is_none_or(|found| found == user));
        let (no_socket, no_port) = ("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
        assert_eq!(user_of(no_socket, no_port), None);
        assert_eq!(user_of("[::1]:1".parse().unwrap(), to), None);
    }

    #[test]
    fn a_question_has_the_bytes_that_the_kernel_reads() {
        let asked = question("127.0.0.1:258".parse().unwrap(), "127.0.0.2:772".parse().unwrap()).unwrap();
        assert_eq!(asked.len(), ASKED_BYTES);
        assert_eq!(&asked[HEAD_BYTES + 8..HEAD_BYTES + 12], [1, 2, 3, 4], "ports as networks order them");
        assert_eq!(&asked[HEAD_BYTES + 12..HEAD_BYTES + 16], [127, 0, 0, 1]);
        assert_eq!(&asked[HEAD_BYTES + 28..HEAD_BYTES + 32], [127, 0, 0, 2]);
    }
}
