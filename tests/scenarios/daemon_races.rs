//! Many list, write and listen at once, and over deaths of the daemon: nobody misses anything.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use postil_protocol::{Client, Comment, Event, Hello, Mark, Place, RepositoryName, Span, Subscribe, Topic};
use rustix::process::Signal;

use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::{Checkout, World};

const WRITERS: usize = 3;
const LISTENERS: usize = 4;
const ROUNDS: usize = 3;
const EACH: usize = 25;

/// A daemon, which somebody may have to start first.
fn client(world: &World, alice: &Checkout<'_>) -> Client {
    let deadline = Instant::now() + TEN_SECONDS;
    loop {
        if let Ok(stream) = std::os::unix::net::UnixStream::connect(world.socket()) {
            stream.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
            if let Ok((client, _)) = Client::connect(stream, &Hello::new("test", env!("CARGO_PKG_VERSION"))) {
                return client;
            }
        }
        assert!(Instant::now() < deadline, "no daemon listens");
        alice.served("daemon start");
    }
}

/// Listens since a mark until all that is wanted is heard, whatever becomes of the daemon.
fn listen(
    world: &World,
    alice: &Checkout<'_>,
    name: &RepositoryName,
    mut mark: Mark,
    wanted: &(dyn Fn() -> Option<BTreeSet<String>> + Sync),
) {
    let mut heard: BTreeSet<String> = BTreeSet::new();
    let deadline = Instant::now() + 6 * TEN_SECONDS;
    loop {
        let mut client = client(world, alice);
        let (topic, since) = (Topic::Repository, Some(mark.clone()));
        let subscribe = Subscribe { repository: name.clone(), topic, work_tree: false, since, via: None };
        if client.ask(&subscribe).is_err() {
            continue;
        }
        client.stream().set_read_timeout(Some(Duration::from_millis(50))).expect("a shorter limit");
        loop {
            if let Some(all) = wanted().filter(|all| all.is_subset(&heard)) {
                assert!(!all.is_empty());
                return;
            }
            assert!(Instant::now() < deadline, "heard of {} only", heard.len());
            match client.next_event() {
                Ok(Some(event)) => {
                    if let Event::Changed(changed) = &event {
                        let records = changed.changes.iter().filter_map(|change| change.record.as_ref());
                        heard.extend(records.map(ToString::to_string));
                    }
                    assert!(!matches!(event, Event::Reset(_)), "nobody has been away for long");
                    mark = event.mark().cloned().unwrap_or(mark);
                }
                Err(error) if error.is_timeout() => {}
                Ok(None) | Err(_) => break,
            }
        }
    }
}

#[test]
fn every_write_is_told_to_everybody_who_listens_since_an_earlier_mark_however_often_the_daemon_dies() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    alice.commit("first");
    alice.served("comment a.txt:1 -m first").code(0);
    let name = alice.name();
    let mark = alice.list(&mut world.client()).mark;
    let (acknowledged, writing) = (Mutex::new(BTreeSet::new()), AtomicUsize::new(WRITERS));
    let wanted = || {
        let all = || acknowledged.lock().expect("nobody panicked").clone();
        (writing.load(Ordering::SeqCst) == 0).then(all)
    };
    std::thread::scope(|scope| {
        for _ in 0..LISTENERS {
            scope.spawn(|| listen(&world, &alice, &name, mark.clone(), &wanted));
        }
        for writer in 0..WRITERS {
            let (world, alice, acknowledged, writing) = (&world, &alice, &acknowledged, &writing);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let mut asking = client(world, alice);
                    let mut n = 0;
                    while n < EACH {
                        let span = Some(Span::lines(2, 2));
                        let said = Comment {
                            message: None,
                            place: Some(Place { span, ..Place::file("a.txt") }),
                            text: format!("{writer} {round} {n}"),
                            severity: None,
                            tags: Vec::new(),
                            review: None,
                            suggestion: None,
                            draft: false,
                        };
                        match asking.ask(&alice.about(said)) {
                            Ok(written) => {
                                acknowledged.lock().expect("nobody panicked").insert(written.id.to_string());
                                n += 1;
                            }
                            // Said again to the next one, which changes nothing where it was said already.
                            Err(_) => asking = client(world, alice),
                        }
                    }
                    if writer == 0
                        && let Some(daemon) = world.daemon()
                    {
                        let _ = rustix::process::kill_process(daemon, Signal::KILL);
                    }
                }
                writing.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    let told = acknowledged.lock().expect("nobody panicked").len();
    assert_eq!(told, WRITERS * ROUNDS * EACH);
}
