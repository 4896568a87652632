//! Killed in the middle of anything, hundreds of times, the daemon loses nothing that it acknowledged.

use std::collections::BTreeSet;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use postil_protocol::{Client, Comment, Hello, List, Place, RepositoryRequest, Scope, Span};
use postil_testkit::{wait_at_most, wait_until};

use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// How often it is killed.
const KILLS: usize = 200;

/// Who writes meanwhile.
const WRITERS: usize = 4;

/// The comments that were acknowledged, by id.
type Acknowledged = Arc<Mutex<BTreeSet<String>>>;

#[test]
fn a_daemon_that_is_killed_under_load_loses_nothing_acknowledged() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    let acknowledged = Acknowledged::default();
    let writing = Arc::new(AtomicBool::new(true));
    let tried = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|n| {
            let (socket, acknowledged) = (world.socket(), Arc::clone(&acknowledged));
            let (writing, tried) = (Arc::clone(&writing), Arc::clone(&tried));
            let request = move |text: String| comment(text);
            let about = alice.about(());
            thread::spawn(move || {
                while writing.load(Ordering::SeqCst) {
                    // Nobody listens between a kill and the next start.
                    let mut found = None;
                    wait_until("a daemon listens, or the test is over", || {
                        found = client(&socket).ok();
                        found.is_some() || !writing.load(Ordering::SeqCst)
                    });
                    let Some(mut client) = found else { break };
                    loop {
                        let text = format!("writer {n}, comment {}", tried.fetch_add(1, Ordering::SeqCst));
                        let request = RepositoryRequest {
                            repository: about.repository.clone(),
                            author: about.author.clone(),
                            at: None,
                            via: None,
                            utc_offset: 0,
                            buffers: Vec::new(),
                            params: request(text),
                        };
                        let Ok(written) = client.ask(&request) else { break };
                        acknowledged.lock().expect("no writer panics").insert(written.id.as_str().to_owned());
                        if !writing.load(Ordering::SeqCst) {
                            break;
                        }
                    }
                }
            })
        })
        .collect();
    for kill in 0..KILLS {
        let mut daemon = start(&world);
        let before = acknowledged.lock().expect("no writer panics").len();
        // Killed at another moment each time: sometimes before anything, usually while something is written.
        let enough = kill % 3;
        let patience = if enough == 0 { (kill as u64 * 7) % 40 } else { 1000 };
        wait_at_most(Duration::from_millis(patience), || {
            enough > 0 && acknowledged.lock().expect("no writer panics").len() >= before + enough
        });
        if kill % 10 == 0 {
            move_head(&alice, kill);
        }
        daemon.kill().expect("a daemon can be killed");
        daemon.wait().expect("a child can be waited for");
    }
    let mut daemon = start(&world);
    writing.store(false, Ordering::SeqCst);
    for writer in writers {
        writer.join().expect("no writer panics");
    }
    let mut client = client(&world.socket()).expect("the last daemon serves");
    let list = List { scope: Scope::All, ..List::default() };
    let listed = client.ask(&alice.about(list)).expect("threads are listed");
    let kept: BTreeSet<String> = listed.threads.iter().map(|thread| thread.id.as_str().to_owned()).collect();
    let acknowledged = acknowledged.lock().expect("no writer panics");
    let lost: Vec<&String> = acknowledged.difference(&kept).collect();
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), acknowledged.len());
    assert!(acknowledged.len() > KILLS / 4, "only {} were written", acknowledged.len());
    // What is there without a daemon is what it said.
    let without = alice.postil("--json list --all").code(0).stdout();
    assert!(acknowledged.iter().all(|id| without.contains(id.as_str())));
    alice.git("fsck --full --strict");
    daemon.kill().expect("a daemon can be killed");
    daemon.wait().expect("a child can be waited for");
}

fn start(world: &World) -> Child {
    let mut command = world.command(POSTIL);
    command.args(["daemon", "run"]).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("postil starts");
    wait_until("the daemon listens", || UnixStream::connect(world.socket()).is_ok());
    child
}

fn client(socket: &std::path::Path) -> Result<Client, ()> {
    let stream = UnixStream::connect(socket).map_err(drop)?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).map_err(drop)?;
    Client::connect(stream, &Hello::new("test", env!("CARGO_PKG_VERSION")))
        .map(|(client, _)| client)
        .map_err(drop)
}

fn comment(text: String) -> Comment {
    let span = Span { start: 1, end: 1, start_column: None, end_column: None };
    Comment {
        message: None,
        place: Some(Place { span: Some(span), ..Place::file("a.txt") }),
        text,
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    }
}

fn move_head(alice: &Checkout<'_>, n: usize) {
    alice.write("b.txt", n.to_string());
    alice.commit("more");
}
