//! A real sshd on loopback, with keys and settings of its own.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postil_core::sync::{ExchangeDirection, SyncError, TransportError};
use postil_testkit::skipped;

use super::team::{LIMIT, Server, Team};

/// Where sshd is, which few have on their PATH.
const PLACES: [&str; 3] = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];

#[test]
fn reviews_travel_by_ssh() {
    let team = Team::of(&["alice", "bob"]);
    let Some(sshd) = Sshd::start(&team) else { return };
    for name in ["alice", "bob"] {
        team.clone_of(name).git(&["config", "core.sshCommand", &sshd.command("key")]);
    }
    team.clone_of("alice").say("HEAD", "over ssh");
    let sent = team.sync_with("alice", &sshd.address(), ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(sent.went.comments, 1);
    let came = team.sync_with("bob", &sshd.address(), ExchangeDirection::Both, LIMIT).unwrap();
    assert_eq!(came.came.comments, 1);
}

#[test]
fn a_key_that_the_server_does_not_know_and_a_host_that_we_do_not_know_are_errors_and_no_questions() {
    let team = Team::of(&["alice"]);
    let Some(sshd) = Sshd::start(&team) else { return };
    let alice = team.clone_of("alice");
    alice.say("HEAD", "kept");
    keygen(&team.sandbox.path().join("stranger"));
    alice.git(&["config", "core.sshCommand", &sshd.command("stranger")]);
    let refused = team.sync_with("alice", &sshd.address(), ExchangeDirection::Both, LIMIT).unwrap_err();
    assert!(refused.to_string().contains("Permission denied"), "{refused}");
    fs::write(team.sandbox.path().join("known"), "").unwrap();
    alice.git(&["config", "core.sshCommand", &sshd.command("key").replace("=yes", "=ask")]);
    let refused = team.sync_with("alice", &sshd.address(), ExchangeDirection::Both, LIMIT).unwrap_err();
    assert!(matches!(refused, SyncError::Transport(TransportError::Fetch { .. })), "{refused}");
    assert_eq!(alice.record_ids().len(), 1);
}

struct Sshd {
    port: u16,
    folder: PathBuf,
    repository: PathBuf,
    _server: Server,
}

impl Sshd {
    /// Starts one that lets in the holder of `key`, and waits until it listens; says what is missing where it cannot.
    fn start(team: &Team) -> Option<Self> {
        let found = PLACES.iter().map(Path::new).find(|path| path.exists());
        let Some(program) = found else {
            skipped("sshd");
            return None;
        };
        let folder = team.sandbox.path().to_owned();
        for key in ["host", "key"] {
            keygen(&folder.join(key));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = fs::read_to_string(folder.join("host.pub")).unwrap();
        fs::write(folder.join("known"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        let place = folder.display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {place}/host\nAuthorizedKeysFile {place}/key.pub\n\
             PidFile none\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        );
        fs::write(folder.join("sshd_config"), config).unwrap();
        let mut command = Command::new(program);
        command.args(["-D", "-e", "-f"]).arg(folder.join("sshd_config"));
        let mut server = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(server.stderr.take().unwrap());
        let server = Server(server);
        let (mut line, mut all) = (String::new(), String::new());
        while !line.contains("Server listening") {
            line.clear();
            if said.read_line(&mut line).unwrap() == 0 {
                // As root it wants a folder that only its own service makes.
                skipped(&format!("an sshd that starts: {}", all.trim()));
                return None;
            }
            all.push_str(&line);
        }
        // What it says later must have somewhere to go.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Some(Self { port, folder, repository: team.remote().dir.clone(), _server: server })
    }

    fn address(&self) -> String {
        let user = Command::new("id").arg("-un").output().unwrap().stdout;
        let user = String::from_utf8(user).unwrap();
        format!("ssh://{}@127.0.0.1:{}{}", user.trim(), self.port, self.repository.display())
    }

    /// The ssh of somebody who knows the server and nobody else.
    fn command(&self, key: &str) -> String {
        let place = self.folder.display();
        format!(
            "ssh -F /dev/null -i {place}/{key} -o IdentitiesOnly=yes -o IdentityAgent=none \
             -o UserKnownHostsFile={place}/known -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes"
        )
    }
}

fn keygen(file: &Path) {
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(file).status();
    assert!(made.unwrap().success());
}
