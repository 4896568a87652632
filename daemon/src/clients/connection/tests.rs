//! Clients that ask, leave, hang and flood, each against a connection of its own.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream as Blocking;
use std::thread;

use postil_protocol::{
    Client, ClientError, Hello, List, MAX_FRAME_BYTES, RepositoryName, RepositoryRequest, ReviewSince,
    Status, Subscribe, Sync, Topic, Undo,
};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;

use super::*;
use crate::events::outbox::MAX_WAITING_BYTES;
use crate::fixture::{HeldAnswers, TEN_SECONDS, World, run};
use crate::repository::task::spawn_task;
use crate::watching::repository_paths;

/// Serves the client at the other end.
fn served(world: &World, far: Blocking) -> impl Future<Output = ()> + use<> {
    served_within(world, far, TEN_SECONDS)
}

/// The same, for a client that has so long to say hello.
fn served_within(world: &World, far: Blocking, hello: Duration) -> impl Future<Output = ()> + use<> {
    far.set_nonblocking(true).unwrap();
    world.hub.connections.fetch_add(1, Ordering::SeqCst);
    serve_within(Arc::clone(&world.hub), UnixStream::from_std(far).unwrap(), MessageRoom::default(), hello)
}

/// Lets a client in, and runs it on a thread of its own while the connection is served.
async fn with<T: Send + 'static>(world: &World, client: impl FnOnce(Blocking) -> T + Send + 'static) -> T {
    let (near, far) = Blocking::pair().unwrap();
    near.set_read_timeout(Some(TEN_SECONDS)).unwrap();
    let client = thread::spawn(move || client(near));
    served(world, far).await;
    tokio::task::spawn_blocking(move || client.join().unwrap()).await.unwrap()
}

fn hello() -> Hello {
    Hello::new("test", "1.0.0")
}

fn about<P>(world: &World, params: P) -> RepositoryRequest<P> {
    RepositoryRequest {
        repository: world.name(),
        author: None,
        at: None,
        via: None,
        utc_offset: 0,
        buffers: Vec::new(),
        params,
    }
}

fn code<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> FaultCode {
    match answer {
        Err(ClientError::Fault(fault)) => fault.code,
        other => panic!("{other:?}"),
    }
}

/// Sends lines, closes its end, and returns the codes of what comes back.
fn codes(mut stream: Blocking, lines: &[u8]) -> Vec<i64> {
    stream.write_all(lines).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    BufReader::new(stream)
        .lines()
        .map(|line| {
            let answer: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            answer["error"]["code"].as_i64().unwrap_or_default()
        })
        .collect()
}

#[test]
fn nonsense_is_answered_and_the_first_request_must_be_hello() {
    let found = run(async {
        let lines: &[u8] = b"{\n[]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sing\"}\n\
            {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hello\",\"params\":{\"protocol\":2}}\n\
            {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"sing\"}\n\
            {\"jsonrpc\":\"2.0\",\"method\":\"sing\"}\n\
            {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"unsubscribe\",\"params\":{\"subscription\":9}}\n";
        with(&World::new(spawn_task), |stream| codes(stream, lines)).await
    });
    assert_eq!(found, [-32700, -32600, -32600, 0, -32601, 1]);
}

#[test]
fn an_endless_line_is_refused_and_ends_the_connection() {
    let found = run(async {
        with(&World::new(spawn_task), |mut stream| {
            let mut reading = stream.try_clone().unwrap();
            let writing = thread::spawn(move || {
                // Fails once the other end has had enough.
                let _ = stream.write_all(&vec![b'x'; MAX_FRAME_BYTES * 2]);
            });
            let mut answer = String::new();
            let _ = std::io::Read::read_to_string(&mut reading, &mut answer);
            writing.join().unwrap();
            answer
        })
        .await
    });
    assert!(found.contains("\"name\":\"too-large\""), "{found}");
}

#[test]
fn a_defect_ends_one_request_and_nothing_else() {
    run(async {
        let world = World::new(spawn_task);
        let (status, list) = (about(&world, Status::default()), about(&world, List::default()));
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            assert_eq!(code(client.ask(&status)), FaultCode::Internal);
            assert_eq!(client.ask(&list).unwrap().total, 1);
        })
        .await;
        assert_eq!(world.hub.connections.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn what_writes_files_or_starts_git_for_a_person_is_refused() {
    run(async {
        let world = World::new(spawn_task);
        let (sync, undo) = (about(&world, Sync::default()), about(&world, Undo::default()));
        let asked = with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            assert_eq!(code(client.ask(&sync)), FaultCode::Refused);
            client.ask(&undo)
        })
        .await;
        let Err(ClientError::Fault(fault)) = asked else { panic!("{asked:?}") };
        assert_eq!((fault.code, fault.data.reason.as_deref()), (FaultCode::Refused, Some("client-only")));
        assert!(fault.message.contains("\"undo\""), "{fault}");
    });
}

#[test]
fn a_request_that_reads_can_be_taken_back() {
    run(async {
        let world = World::new(spawn_task);
        let slow = Arc::clone(&world.fake.slow);
        let list = about(&world, List::default());
        let fake = Arc::clone(&world.fake);
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            let held = HeldAnswers::of(slow);
            let pending = client.send(&list).unwrap();
            run(fake.until(|asked| asked.iter().any(|what| what == "list 1")));
            client.ask(&Cancel { id: pending.id().clone() }).unwrap();
            drop(held);
            // Its computation is stopped.
            run(fake.until(|asked| asked.iter().any(|what| what == "stopped 1")));
            // The answer came before that of the cancelling, and was passed over; a second one never comes.
            assert_eq!(client.ask(&list).unwrap().total, 1);
        })
        .await;
    });
}

#[test]
fn what_came_since_a_verdict_can_be_taken_back() {
    run(async {
        let world = World::new(spawn_task);
        let slow = Arc::clone(&world.fake.slow);
        let since = about(&world, ReviewSince::default());
        let fake = Arc::clone(&world.fake);
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            let held = HeldAnswers::of(slow);
            let pending = client.send(&since).unwrap();
            run(fake.until(|asked| asked.iter().any(|what| what == "since 1")));
            client.ask(&Cancel { id: pending.id().clone() }).unwrap();
            drop(held);
            run(fake.until(|asked| asked.iter().any(|what| what == "stopped 1")));
        })
        .await;
    });
}

#[test]
fn those_who_ask_the_same_share_an_answer_unless_it_writes() {
    let question = |id: u32, method: &str, params: &str| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let request = RpcRequest::parse(line.as_bytes()).unwrap();
        let call = Call::from_parts(&request.method, request.params()).unwrap().unwrap();
        shared_question(&call, &request)
    };
    let here = r#"{"repository":{"git_dir":"/r"}}"#;
    let first = question(1, "review.since", here);
    assert!(first.is_some() && first == question(2, "review.since", here));
    assert_ne!(first, question(3, "review.since", r#"{"repository":{"git_dir":"/s"}}"#));
    assert_ne!(first, question(4, "review.show", here));
    assert_eq!(question(5, "write-positions", here), None);
}

#[test]
fn a_client_that_does_not_read_is_cut_off_without_harm_to_others() {
    run(async {
        let world = World::new(spawn_task);
        world.watched_repository().await;
        let (near, far) = Blocking::pair().unwrap();
        let deaf = tokio::spawn(served(&world, far));
        // Every event has the repository's name as the client says it, which can be said at length.
        let long = format!("{}{}", world.git_dir().display(), "/.".repeat(2000));
        let name = RepositoryName { git_dir: long.as_str().into(), work_tree: None };
        let subscribe =
            |topic| Subscribe { repository: name.clone(), topic, work_tree: false, since: None, via: None };
        let (first, second) = (subscribe(Topic::Repository), subscribe(Topic::Repository));
        let _near = tokio::task::spawn_blocking(move || {
            let (mut client, _) = Client::connect(near, &hello()).unwrap();
            client.ask(&first).unwrap();
            client
        })
        .await
        .unwrap();
        let repository = world.hub.by_name(&world.name()).await.unwrap();
        let git_dir = world.git_dir();
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            client.ask(&second).unwrap();
            // Events that this client reads and the other one does not.
            let enough = MAX_WAITING_BYTES / long.len() + 200;
            for _ in 0..enough {
                repository.subscribers().resolving(&git_dir, None);
                client.next_event().unwrap().unwrap();
            }
        })
        .await;
        // At once, and not because it stalled.
        timeout(TEN_SECONDS, deaf).await.unwrap().unwrap();
    });
}

#[test]
fn a_client_that_takes_no_answers_has_few_made() {
    run(async {
        let world = World::new(spawn_task);
        world.watched_repository().await;
        world.fake.wordy.store(MAX_WAITING_BYTES / 3, Ordering::SeqCst);
        let (near, far) = Blocking::pair().unwrap();
        let greedy = tokio::spawn(served(&world, far));
        near.set_read_timeout(Some(TEN_SECONDS)).unwrap();
        let ask = |id: u32, method: &str, params: &serde_json::Value| {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            (&near).write_all(format!("{line}\n").as_bytes()).unwrap();
        };
        ask(0, "hello", &json!({"protocol": 2}));
        (1..=16).for_each(|n| ask(n, "list", &json!({"repository": world.name(), "limit": n})));
        let one = about(&world, List::default());
        world.fake.until(|asked| asked.iter().any(|what| what == "list 1")).await;
        // Requests to one repository take turns, so this one comes after all that have started.
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            client.ask(&one).unwrap();
        })
        .await;
        let made = world.fake.asked().iter().filter(|what| *what == "list 1").count();
        assert!(made <= 3 + MAX_AT_ONCE + 1, "{made}");
        // All of them are made once they are taken.
        let taken = tokio::task::spawn_blocking(move || BufReader::new(near).lines().take(17).count());
        assert_eq!(taken.await.unwrap(), 17);
        greedy.await.unwrap();
    });
}

#[test]
fn a_client_that_goes_before_it_is_subscribed_is_told_nothing() {
    run(async {
        let world = World::new(spawn_task);
        let slow = HeldAnswers::of(Arc::clone(&world.fake.slow));
        let lines = format!(
            "{}\n{}\n",
            r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2}}"#,
            json!({"jsonrpc": "2.0", "id": 2, "method": "subscribe", "params": {"repository": world.name()}})
        );
        let (near, far) = Blocking::pair().unwrap();
        let served = tokio::spawn(served(&world, far));
        (&near).write_all(lines.as_bytes()).unwrap();
        near.shutdown(Shutdown::Write).unwrap();
        world.fake.until(|asked| asked.iter().any(|what| what == "changes 1")).await;
        drop(slow);
        timeout(TEN_SECONDS, served).await.expect("the connection ends").unwrap();
        assert_eq!(world.hub.by_name(&world.name()).await.unwrap().subscribers().len(), 0);
    });
}

#[test]
fn a_disk_that_does_not_answer_keeps_nobody_else_waiting() {
    run(async {
        let world = World::new(spawn_task);
        // Opening a pipe blocks until its other end is opened.
        let folder = world.git_dir().join("hangs");
        fs::create_dir(&folder).unwrap();
        let pipe = folder.join("commondir");
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        let mut hangs = about(&world, List::default());
        hangs.repository.git_dir = repository_paths::text(&folder);
        let list = about(&world, List::default());
        with(&world, move |stream| {
            let (mut client, _) = Client::connect(stream, &hello()).unwrap();
            let pending = client.send(&hangs).unwrap();
            let meanwhile = client.ask(&list).map(|list| list.total);
            drop(fs::OpenOptions::new().write(true).open(pipe));
            assert_eq!(meanwhile.unwrap(), 1);
            assert_eq!(code(client.wait::<RepositoryRequest<List>>(&pending)), FaultCode::NoRepository);
        })
        .await;
    });
}

#[test]
fn a_newer_client_makes_this_daemon_give_way() {
    run(async {
        let world = World::new(spawn_task);
        with(&world, |stream| {
            let newer = Hello::new("test", "1.0.1");
            assert_eq!(code(Client::connect(stream, &newer)), FaultCode::Version);
        })
        .await;
        world.hub.stopping().await;
    });
}

#[test]
fn a_client_that_never_says_hello_is_cut_off_and_a_quiet_one_is_not() {
    run(async {
        let world = World::new(spawn_task);
        // Not so short that a busy machine takes longer for a hello.
        let limit = Duration::from_secs(1);
        let (near, far) = Blocking::pair().unwrap();
        near.set_read_timeout(Some(TEN_SECONDS)).unwrap();
        let quiet = tokio::spawn(served_within(&world, far, limit));
        let greet = move || Client::connect(near, &hello()).unwrap().0;
        let mut client = tokio::task::spawn_blocking(greet).await.unwrap();
        let (mut silent, far) = Blocking::pair().unwrap();
        silent.set_read_timeout(Some(TEN_SECONDS)).unwrap();
        // What is no hello does not count.
        silent.write_all(b"{\n").unwrap();
        served_within(&world, far, limit).await;
        let told = BufReader::new(silent).lines().collect::<Result<Vec<_>, _>>().unwrap();
        assert!(told.len() == 2 && told[1].contains("no hello came in time"), "{told:?}");
        // It was let in earlier, and has asked nothing since.
        let list = about(&world, List::default());
        let listed = tokio::task::spawn_blocking(move || client.ask(&list).unwrap().total);
        assert_eq!(listed.await.unwrap(), 1);
        quiet.await.unwrap();
    });
}
