//! A list that is asked again is told again by the daemon, and is never an old one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Instant;

use postil_core::protocol::Recall;
use serde_json::{Value, json};

use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::{Checkout, World};

fn commented(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("src/lib.rs", "fn one() {}\nfn two() {}\nfn three() {}\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.postil("comment src/lib.rs:2 -m 'why two?'").code(0);
    alice
}

/// Plays a daemon that remembers `text`, and returns what it was asked for together with what the command printed.
fn asked(alice: &Checkout<'_>, world: &World, text: &str) -> (String, String) {
    let socket = world.socket();
    let folder = socket.parent().expect("a socket is in a folder");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).expect("it is ours");
    let listener = UnixListener::bind(&socket).expect("no other daemon runs");
    let mut command = alice.served_command("list");
    let running = thread::spawn(move || command.output().expect("postil runs"));
    let (stream, _) = listener.accept().expect("postil knocks");
    let (mut lines, mut to) =
        (BufReader::new(stream.try_clone().expect("a stream has two ends")).lines(), stream);
    let mut next = || {
        let line = lines.next().expect("postil says something").expect("a line can be read");
        serde_json::from_str::<Value>(&line).expect("a line is JSON")
    };
    let (hello, recall) = (next(), next());
    assert_eq!((&hello["method"], &recall["method"]), (&json!("hello"), &json!("recall")));
    let welcome = json!({"protocol": 1, "version": env!("CARGO_PKG_VERSION"), "pid": 1, "capabilities": []});
    for (request, result) in [(&hello, welcome), (&recall, json!({ "text": text }))] {
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        writeln!(to, "{answer}").expect("postil listens");
    }
    let output = running.join().expect("postil ends");
    std::fs::remove_file(&socket).expect("the socket is ours");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("what is printed is text");
    (recall["params"]["key"].as_str().expect("a key is text").to_owned(), printed)
}

#[test]
fn a_list_that_the_daemon_remembers_is_printed_as_it_was() {
    let world = World::new();
    let alice = commented(&world);
    let (key, printed) = asked(&alice, &world, "what was printed before\n");
    assert_eq!(printed, "what was printed before\n");

    let _served = Served(&world);
    assert_eq!(remembered(&alice, &world, &key), alice.postil("list").stdout());
}

/// Lists until the daemon remembers what was printed, which it does once nothing has changed for a moment.
fn remembered(alice: &Checkout<'_>, world: &World, key: &str) -> String {
    let usual = alice.postil("list").stdout();
    let deadline = Instant::now() + TEN_SECONDS;
    loop {
        assert_eq!(alice.served("list").code(0).stdout(), usual);
        match world.client().ask(&Recall { key: key.to_owned() }) {
            Ok(recalled) => return recalled.text,
            Err(_) => assert!(Instant::now() < deadline, "it is never remembered"),
        }
    }
}

#[test]
fn whatever_happens_between_two_lists_the_second_is_no_old_one() {
    let world = World::new();
    let alice = commented(&world);
    let (key, _) = asked(&alice, &world, "");
    let _served = Served(&world);
    let steps: [&dyn Fn(); 8] = [
        &|| _ = alice.postil("comment src/lib.rs:1 -m 'why one?'").code(0),
        &|| drop(alice.git("commit --quiet --allow-empty -m second")),
        &|| {
            alice.write("src/lib.rs", "// new\nfn one() {}\nfn two() {}\nfn three() {}\n");
            assert_eq!(alice.served("list").stdout(), alice.postil("list").stdout(), "not committed");
            alice.commit("third");
        },
        &|| drop(alice.git("config core.quotePath false")),
        &|| drop(alice.git("branch --quiet -m parser")),
        &|| drop(alice.git("mv src/lib.rs src/code.rs")),
        &|| drop(alice.git("reset --quiet --hard")),
        &|| _ = alice.postil("resolve @").code(0),
    ];
    for (number, step) in steps.iter().enumerate() {
        // What is renamed and not committed is not remembered.
        if number != 6 {
            remembered(&alice, &world, &key);
        }
        step();
        assert_eq!(alice.served("list").stdout(), alice.postil("list").stdout(), "step {number}");
    }
    // What is no repository any more has no list.
    remembered(&alice, &world, &key);
    std::fs::remove_file(alice.folder.join(".git/HEAD")).expect("there is a HEAD");
    alice.served("list").code(5);
}
