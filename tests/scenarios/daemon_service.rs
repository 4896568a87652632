//! The daemon as a service: what systemd and launchd expect of it, played by a test.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::{Command, Stdio};

use postil_testkit::skipped;
use rustix::process::Signal;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::running::Running;
use crate::support::served::TEN_SECONDS;
use crate::support::world::World;

const SERVICE: &str = include_str!("../../systemd/postil.service");
const SOCKET: &str = include_str!("../../systemd/postil.socket");
const PLIST: &str = include_str!("../../launchd/postil.plist");

/// Passes standard input as the third descriptor beyond the standard ones, as systemd passes sockets.
const PASS: &str = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" daemon run";

fn heard(manager: &UnixDatagram) -> String {
    let mut buffer = [0; 256];
    let length = manager.recv(&mut buffer).expect("the daemon says something in time");
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

#[test]
fn systemd_passes_a_socket_and_hears_that_the_daemon_is_ready_and_lives_and_ends() {
    let world = World::new();
    let folder = world.runtime().join("postil");
    fs::create_dir(&folder).expect("a folder can be made");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("a folder can be closed");
    let listener = UnixListener::bind(world.socket()).expect("a socket can be made");
    // The client comes first: that is what starts a service by its socket.
    let waiting = std::os::unix::net::UnixStream::connect(world.socket()).expect("systemd listens");
    waiting.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
    let notify = world.runtime().join("notify");
    let manager = UnixDatagram::bind(&notify).expect("a socket can be made");
    manager.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");

    let mut shell = world.command("sh");
    shell.args(["-c", PASS, POSTIL]).env("NOTIFY_SOCKET", &notify).env("WATCHDOG_USEC", "200000");
    shell.stdin(Stdio::from(OwnedFd::from(listener)));
    let mut daemon = Running::start(&mut shell);
    assert!(heard(&manager).starts_with("READY=1"));
    assert_eq!(heard(&manager), "WATCHDOG=1");
    assert_eq!(heard(&manager), "WATCHDOG=1");
    let hello = postil_protocol::Hello::new("test", env!("CARGO_PKG_VERSION"));
    let (client, _) = postil_protocol::Client::connect(waiting, &hello).expect("it serves the client");
    drop(client);

    daemon.signal(Signal::HUP);
    let told = std::iter::from_fn(|| Some(heard(&manager))).find(|told| told != "WATCHDOG=1");
    assert_eq!(told.as_deref(), Some("RELOADING=1"));
    daemon.until("reloading");
    daemon.signal(Signal::TERM);
    let told = std::iter::from_fn(|| Some(heard(&manager)))
        .find(|told| told != "WATCHDOG=1" && !told.starts_with("READY=1"));
    assert_eq!(told.as_deref(), Some("STOPPING=1"));
    assert!(daemon.wait().success());
    assert!(world.socket().exists(), "the socket is systemd's");
}

#[test]
fn sighup_makes_the_daemon_read_everything_again_and_changes_no_answer() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let mut daemon = alice.start_postil("daemon run");
    daemon.until("ready");
    alice.served("comment a.txt:1 -m why?").code(0);
    let mut client = world.client();
    alice.write("a.txt", "one\r\ntwo\r\n");
    assert!(alice.list(&mut client).head.uncommitted);
    daemon.signal(Signal::HUP);
    daemon.until("reloading");
    assert!(alice.list(&mut client).head.uncommitted);
    // With this, git would not tell the two apart. No signal is needed for it.
    alice.git("config --global core.autocrlf input");
    assert!(!alice.list(&mut client).head.uncommitted);
    assert!(daemon.end(Signal::TERM).success());
}

/// The value of a key in a unit file.
fn setting<'a>(unit: &'a str, key: &str) -> Vec<&'a str> {
    unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('=')).collect()
}

#[test]
fn the_units_say_what_the_daemon_does() {
    assert_eq!(setting(SOCKET, "ListenStream"), ["%t/postil/socket"]);
    assert_eq!(setting(SOCKET, "SocketMode"), ["0600"]);
    assert_eq!(setting(SOCKET, "DirectoryMode"), ["0700"]);
    assert_eq!(setting(SERVICE, "Type"), ["notify"]);
    assert_eq!(setting(SERVICE, "WatchdogSec").len(), 1);
    assert_eq!(setting(SERVICE, "Requires"), ["postil.socket"]);
    // Whatever hides folders would hide repositories.
    for hides in [
        "ProtectHome",
        "ProtectSystem",
        "PrivateTmp",
        "ReadOnlyPaths",
        "InaccessiblePaths",
        "TemporaryFileSystem",
    ] {
        assert!(setting(SERVICE, hides).is_empty(), "{hides}");
    }
    // What it starts is bound by the same rules: git by ssh or https, with helpers that compile what they run, in
    // repositories that a group shares.
    let families = setting(SERVICE, "RestrictAddressFamilies").join(" ");
    let families: Vec<&str> = families.split(' ').collect();
    for needed in ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"] {
        assert!(families.contains(&needed), "{needed}");
    }
    for breaks in ["MemoryDenyWriteExecute", "RestrictSUIDSGID", "PrivateNetwork", "IPAddressDeny"] {
        assert!(setting(SERVICE, breaks).is_empty(), "{breaks}");
    }
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units() {
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return skipped("systemd-analyze");
    }
    let world = World::new();
    let units = world.tmp();
    fs::write(units.join("postil.socket"), SOCKET).expect("a file can be written");
    let here = SERVICE.replace("%h/.cargo/bin/postil", POSTIL);
    fs::write(units.join("postil.service"), here).expect("a file can be written");
    let verified = Finished::run(
        world
            .command("systemd-analyze")
            .args(["--user", "verify"])
            .args([units.join("postil.service"), units.join("postil.socket")]),
    );
    assert_eq!((verified.code(0).stdout(), verified.stderr()), (String::new(), String::new()));
}

#[test]
fn install_writes_the_units_for_this_program_and_uninstall_removes_them() {
    if cfg!(target_os = "macos") {
        return skipped("systemd");
    }
    let world = World::new();
    let systemctl = world.tmp().join("systemctl");
    let asked = world.tmp().join("asked");
    fs::write(&systemctl, format!("#!/bin/sh\necho \"$@\" >>{}\n", asked.display()))
        .expect("a script can be written");
    fs::set_permissions(&systemctl, fs::Permissions::from_mode(0o755)).expect("a script can be made to run");
    let path = std::env::var("PATH").expect("there is a PATH");
    let postil = |line: &str| {
        Finished::run(
            world
                .command(POSTIL)
                .args(line.split(' '))
                .env("PATH", format!("{}:{path}", world.tmp().display())),
        )
    };
    let units = world.home().join(".config/systemd/user");
    // Without a manager that runs, nothing is left that would have it asked later.
    fs::write(&systemctl, "#!/bin/sh\necho no bus >&2; exit 1\n").expect("a script can be written");
    assert!(postil("daemon install").code(5).stderr().contains("no bus"));
    assert_eq!(fs::read_dir(&units).expect("the folder stays").count(), 0);
    fs::write(&systemctl, format!("#!/bin/sh\necho \"$@\" >>{}\n", asked.display()))
        .expect("a script can be written");
    postil("daemon install").code(0);
    let service = fs::read_to_string(units.join("postil.service")).expect("it is installed");
    assert_eq!(setting(&service, "ExecStart"), [format!("\"{POSTIL}\" daemon run")]);
    assert_eq!(fs::read_to_string(units.join("postil.socket")).expect("it is installed"), SOCKET);
    postil("daemon uninstall").code(0);
    assert_eq!(fs::read_dir(&units).expect("the folder stays").count(), 0);
    let asked = fs::read_to_string(asked).expect("systemctl was asked");
    assert_eq!(
        asked,
        "--user daemon-reload\n--user enable --now postil.socket\n--user disable --now postil.socket postil.service\n"
    );
    assert!(postil("daemon uninstall").code(0).stdout().contains("not installed"));
}

/// A property list, as far as ours goes.
#[derive(Debug, PartialEq)]
enum Value {
    Text(String),
    Yes,
    No,
    List(Vec<Value>),
    Dict(Vec<(String, Value)>),
}

/// Reads one element, and returns what is behind it.
fn element(text: &str) -> (String, Value, &str) {
    let text = text.trim_start();
    let (tag, rest) = text.strip_prefix('<').expect("an element").split_once('>').expect("a whole tag");
    match tag {
        "true/" => return (tag.into(), Value::Yes, rest),
        "false/" => return (tag.into(), Value::No, rest),
        "key" | "string" => {
            let (content, rest) = rest.split_once(&format!("</{tag}>")).expect("an element ends");
            return (tag.into(), Value::Text(content.into()), rest);
        }
        _ => {}
    }
    let end = format!("</{tag}>");
    let mut children = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.starts_with(&end) {
        let (name, value, behind) = element(rest);
        children.push((name, value));
        rest = behind.trim_start();
    }
    let rest = &rest[end.len()..];
    let value = if tag == "dict" {
        let pairs = children.chunks(2).map(|pair| match pair {
            [(key, Value::Text(name)), (_, _)] if key == "key" => name.clone(),
            other => panic!("not a key and its value: {other:?}"),
        });
        let names: Vec<String> = pairs.collect();
        let values = children.into_iter().skip(1).step_by(2).map(|(_, value)| value);
        Value::Dict(names.into_iter().zip(values).collect())
    } else {
        Value::List(children.into_iter().map(|(_, value)| value).collect())
    };
    (tag.into(), value, rest)
}

#[test]
fn the_property_list_is_one_and_runs_the_daemon() {
    let begins = PLIST.find("<plist version=\"1.0\">").expect("a property list");
    let body = &PLIST[begins + "<plist version=\"1.0\">".len()..];
    let (_, Value::Dict(dict), rest) = element(body) else { panic!("no dictionary") };
    assert_eq!(rest.trim(), "</plist>");
    let value = |key: &str| &dict.iter().find(|(name, _)| name == key).expect(key).1;
    let text = |text: &str| Value::Text(text.into());
    assert_eq!(value("Label"), &text("org.postil.daemon"));
    let words = ["/usr/local/bin/postil", "daemon", "run"].map(text);
    assert_eq!(value("ProgramArguments"), &Value::List(words.into()));
    assert_eq!(value("RunAtLoad"), &Value::Yes);
    assert_eq!(value("KeepAlive"), &Value::Dict(vec![("SuccessfulExit".into(), Value::No)]));
}
