//! Which user a connection comes from, where the system tells it.

use std::net::{IpAddr, SocketAddr};

/// The user at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerUser {
    /// The user of this process.
    Own,
    /// Another one.
    Other,
    /// The system does not say.
    Unknown,
}

/// The table of connections, on Linux. To write it, the kernel looks at every connection that there could be.
const TABLE: &str = "/proc/net/tcp";

/// Asks the system who made a connection from `peer` to `own`.
pub(crate) fn peer_user(peer: SocketAddr, own: SocketAddr) -> PeerUser {
    let user = rustix::process::geteuid().as_raw();
    #[cfg(target_os = "linux")]
    if let Some(found) = super::sock_diag::user_of(peer, own) {
        return if found == user { PeerUser::Own } else { PeerUser::Other };
    }
    std::fs::read_to_string(TABLE).map_or(PeerUser::Unknown, |table| user_in(&table, peer, own, user))
}

/// Looks for the row of the other end, whose own address is `peer`.
fn user_in(table: &str, peer: SocketAddr, own: SocketAddr, user: u32) -> PeerUser {
    let (Some(peer), Some(own)) = (as_listed(peer), as_listed(own)) else { return PeerUser::Unknown };
    for row in table.lines().skip(1) {
        let mut cells = row.split_ascii_whitespace().skip(1);
        if cells.next() != Some(peer.as_str()) || cells.next() != Some(own.as_str()) {
            continue;
        }
        // State, queues, timer, retransmissions, and then the user.
        return match cells.nth(4).and_then(|user| user.parse::<u32>().ok()) {
            Some(found) if found == user => PeerUser::Own,
            Some(_) => PeerUser::Other,
            None => PeerUser::Unknown,
        };
    }
    PeerUser::Unknown
}

/// An address as the table writes it: the bytes as the machine orders them, in capitals.
fn as_listed(address: SocketAddr) -> Option<String> {
    let IpAddr::V4(ip) = address.ip() else { return None };
    let number = u32::from_ne_bytes(ip.octets());
    Some(format!("{number:08X}:{:04X}", address.port()))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_user_of_a_connection_is_read_from_the_table() {
        let (peer, own) = ("127.0.0.1:40000".parse().unwrap(), "127.0.0.1:8080".parse().unwrap());
        let row = |user: u32| {
            let (peer, own) = (as_listed(peer).unwrap(), as_listed(own).unwrap());
            format!(
                "sl local rem st\n 0: {own} {peer} 01 0:0 0:0 0 7 0 1\n 1: {peer} {own} 01 0:0 0:0 0 {user} 0 1\n"
            )
        };
        assert_eq!(user_in(&row(1000), peer, own, 1000), PeerUser::Own);
        assert_eq!(user_in(&row(1001), peer, own, 1000), PeerUser::Other);
        assert_eq!(user_in("sl\n", peer, own, 1000), PeerUser::Unknown);
        assert_eq!(user_in("sl\n 0: x", peer, "[::1]:1".parse().unwrap(), 1000), PeerUser::Unknown);
    }

    #[test]
    fn a_connection_of_this_process_is_its_own() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (_accepted, peer) = listener.accept().unwrap();
        let found = peer_user(peer, stream.peer_addr().unwrap());
        let expected = if cfg!(target_os = "linux") { PeerUser::Own } else { PeerUser::Unknown };
        assert_eq!(found, expected);
    }
}
