//! The handshake: whether the two ends understand each other, and which of them is to give way.

use postil_protocol::{Capability, Fault, FaultCode, Hello, MAKES_ROOM, PROTOCOL_VERSION, Welcome};

/// What a client is answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Greeting {
    /// Both understand each other.
    Welcome(Welcome),
    /// The client is older than the daemon, and does not speak its language.
    Refused(Fault),
    /// The client is newer: this daemon ends, so that the client can start its own.
    MakeRoom(Fault),
}

/// Answers the handshake of a client, as a daemon of `version`.
pub(crate) fn check_hello(version: &str, hello: &Hello) -> Greeting {
    let fault = |words: String| Fault::new(FaultCode::Version, words);
    if hello.protocol > PROTOCOL_VERSION || numbers(&hello.version) > numbers(version) {
        let theirs = shown(&hello.version);
        let words = format!("this daemon is postil {version} and stops for postil {theirs}");
        return Greeting::MakeRoom(fault(words).reason(MAKES_ROOM));
    }
    if hello.protocol < PROTOCOL_VERSION {
        return Greeting::Refused(fault(format!(
            "this daemon is postil {version} and speaks protocol {PROTOCOL_VERSION}, not {}",
            hello.protocol
        )));
    }
    Greeting::Welcome(Welcome {
        protocol: PROTOCOL_VERSION,
        version: version.to_owned(),
        pid: std::process::id(),
        capabilities: vec![Capability::Subscriptions, Capability::Cancellation, Capability::WorkTree],
    })
}

/// The numbers of a version, for comparing; a suffix (`-rc.1`) is ignored.
fn numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map_while(|part| part.parse().ok()).collect()
}

fn shown(version: &str) -> &str {
    if version.is_empty() { "(a later version)" } else { version }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ours: &str, protocol: u32, theirs: &str, expected: &str) {
        let hello = Hello { protocol, client: "test".into(), version: theirs.into() };
        let found = match check_hello(ours, &hello) {
            Greeting::Welcome(_) => "welcome",
            Greeting::Refused(_) => "refused",
            Greeting::MakeRoom(_) => "make room",
        };
        assert_eq!(found, expected, "{ours} {protocol} {theirs}");
    }

    #[test]
    fn the_older_one_gives_way() {
        let protocol = PROTOCOL_VERSION;
        check("0.9.1", protocol, "0.9.1", "welcome");
        check("0.10.0", protocol, "0.9.1", "welcome");
        check("0.9.1", protocol, "0.10.0", "make room");
        check("0.9.1", protocol, "", "welcome");
        check("0.9.1", protocol + 1, "", "make room");
        check("0.9.1", protocol - 1, "0.0.1", "refused");
    }
}
