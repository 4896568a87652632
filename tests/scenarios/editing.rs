//! Somebody edits in an editor that speaks with `postil lsp`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::signing::team;
use crate::support::language_server::{LanguageServer, uri};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

const TEXT: &str = "one\ntwo\nthree\nfour\n";

fn server(person: &Checkout<'_>, daemon: &str) -> Command {
    let mut command = person.served_command("lsp --stdio");
    command.env("POSTIL_DAEMON", daemon);
    command
}

fn on_line(uri: &str, line: u32) -> Value {
    let at = json!({ "line": line, "character": 0 });
    json!({ "uri": uri, "range": { "start": at, "end": at } })
}

/// Alice, with a file that has a thread on its second line.
fn alice(world: &World) -> (Checkout<'_>, String) {
    let alice = world.repository("alice");
    alice.write("a.txt", TEXT);
    alice.commit("first");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    let file = uri(&alice.folder.join("a.txt"));
    (alice, file)
}

#[test]
fn a_thread_moves_with_unsaved_text_and_comments_are_written_there() {
    for daemon in ["on", "off"] {
        let world = World::new();
        let _served = Served(&world);
        let (alice, file) = alice(&world);
        let mut editor = LanguageServer::start(&mut server(&alice, daemon));
        editor.open(&file, TEXT);
        editor.until_shown(&file, &["1: alice: why two?"]);
        editor.insert(&file, 2, 0, "zero\n");
        editor.until_shown(&file, &["2: alice: why two?"]);
        let mut comment = on_line(&file, 0);
        comment["text"] = "why zero?".into();
        editor.command("postil.comment", &comment).expect("it is written");
        editor.until_shown(&file, &["0: alice: why zero?", "2: alice: why two?"]);
        // What somebody writes in a terminal appears by itself.
        alice
            .served_command("comment a.txt:4 -m 'from a terminal'")
            .env("POSTIL_DAEMON", daemon)
            .status()
            .unwrap();
        editor
            .until_shown(&file, &["0: alice: why zero?", "2: alice: why two?", "4: alice: from a terminal"]);
        editor.end();
    }
}

#[test]
fn a_daemon_that_dies_is_done_without() {
    let world = World::new();
    let _served = Served(&world);
    let (alice, file) = alice(&world);
    let mut editor = LanguageServer::start(&mut server(&alice, "on"));
    editor.open(&file, TEXT);
    editor.until_shown(&file, &["1: alice: why two?"]);
    for version in 2..6 {
        if let Some(daemon) = world.daemon() {
            // It may have ended meanwhile.
            let _ = kill_process(daemon, Signal::KILL);
        }
        editor.insert(&file, version, 0, &format!("zero {version}\n"));
        editor.until(|message| {
            let shown = &message["params"]["diagnostics"][0];
            let words = shown["message"].as_str().unwrap_or_default();
            shown["range"]["start"]["line"] == version && words.starts_with("alice: why two?")
        });
        let reply = json!({ "thread": thread(&alice), "text": format!("reply {version}") });
        // A daemon that was killed while it read a request may have stored it.
        if let Err(error) = editor.command("postil.reply", &reply) {
            assert!(error.contains("may"), "{error}");
        }
    }
    editor.end();
}

#[test]
fn a_text_that_was_typed_survives_the_end_of_the_server() {
    let world = World::new();
    let (alice, file) = alice(&world);
    let mut editor = LanguageServer::start(&mut server(&alice, "off"));
    editor.open(&file, TEXT);
    editor.until_shown(&file, &["1: alice: why two?"]);
    editor.command("postil.comment", &on_line(&file, 2)).expect("a file is opened");
    let shown = editor.until(|message| message["method"] == "window/showDocument");
    let text = shown["params"]["uri"].as_str().expect("it has an address").to_owned();
    let path = PathBuf::from(text.trim_start_matches("file://"));
    let content = fs::read_to_string(&path).expect("the file is there");
    editor.kill();
    fs::write(&path, format!("typed before the end\n{content}")).expect("it can be saved");

    let mut editor = LanguageServer::start(&mut server(&alice, "off"));
    editor.open(&file, TEXT);
    editor.until_shown(&file, &["1: alice: why two?"]);
    editor.open(&text, "typed before the end\n");
    for _ in 0..2 {
        editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": text } }));
    }
    editor.until_shown(&file, &["1: alice: why two?", "2: alice: typed before the end"]);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": text } }));
    editor.end();
    assert!(!path.exists(), "it is stored");
    let listed = alice.postil("list").code(0).stdout();
    assert_eq!(listed.matches("typed before the end").count(), 1, "{listed}");
}

#[test]
fn what_is_typed_survives_the_end_of_editor_server_and_daemon() {
    for killed in ["editor", "server", "daemon"] {
        let world = World::new();
        let _served = Served(&world);
        let (alice, file) = alice(&world);
        let mut editor = LanguageServer::start(&mut server(&alice, "on"));
        editor.open(&file, TEXT);
        editor.until_shown(&file, &["1: alice: why two?"]);
        editor.command("postil.comment", &on_line(&file, 2)).expect("a file is opened");
        let shown = editor.until(|message| message["method"] == "window/showDocument");
        let text = shown["params"]["uri"].as_str().expect("it has an address").to_owned();
        let path = PathBuf::from(text.trim_start_matches("file://"));
        editor.open(&text, &fs::read_to_string(&path).expect("the file is there"));
        editor.insert(&text, 2, 0, "typed and not saved\n");
        // An answer comes after what was sent before.
        editor.ask("nothing/known", json!({})).expect_err("nobody knows it");
        if killed == "daemon" {
            let daemon = world.daemon().expect("a daemon runs");
            kill_process(daemon, Signal::KILL).expect("it can be killed");
            let typed = fs::read_to_string(path.with_extension("typed")).expect("it is kept");
            fs::write(&path, typed).expect("it can be saved");
            editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": text } }));
            editor.until_shown(&file, &["1: alice: why two?", "2: alice: typed and not saved"]);
            editor.end();
            continue;
        }
        if killed == "editor" {
            editor.leave();
        } else {
            editor.kill();
        }
        let mut editor = LanguageServer::start(&mut server(&alice, "on"));
        editor.open(&file, TEXT);
        let told = editor.until(|message| message["method"] == "window/showMessage");
        assert!(told["params"]["message"].as_str().unwrap_or_default().contains("/TEXT-"), "{told}");
        let content = fs::read_to_string(&path).expect("it is there");
        assert!(content.starts_with("typed and not saved\n"), "{killed}: {content}");
        editor.open(&text, &content);
        editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": text } }));
        editor.until_shown(&file, &["1: alice: why two?", "2: alice: typed and not saved"]);
        editor.end();
    }
}

#[test]
fn a_passphrase_is_asked_by_a_program_and_never_on_the_terminal() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    let key = world.home().join("alice");
    let mut locked = alice.command("ssh-keygen");
    locked.args(["-q", "-p", "-N", "secret", "-P", "", "-f"]).arg(&key);
    assert!(locked.status().expect("ssh-keygen can be started").success());
    let asked = world.tmp().join("askpass");
    fs::write(&asked, "#!/bin/sh\necho secret\n").expect("it can be written");
    fs::set_permissions(&asked, fs::Permissions::from_mode(0o700)).expect("it can be run");
    let file = uri(&alice.folder.join("a.txt"));
    for (program, is_signed) in [(None, false), (Some(&asked), true)] {
        let mut command = server(&alice, "off");
        command.env("DISPLAY", "nowhere:0").env("GPG_TTY", "/dev/tty").env_remove("SSH_AUTH_SOCK");
        command.env("SSH_ASKPASS", program.map_or("/bin/false".into(), |asked| asked.display().to_string()));
        let mut editor = LanguageServer::start(&mut command);
        editor.open(&file, "one\ntwo\nthree\n");
        let mut comment = on_line(&file, 1);
        comment["text"] = "signed".into();
        let written = editor.command("postil.comment", &comment);
        assert_eq!(written.is_ok(), is_signed, "{written:?}");
        editor.end();
    }
    let listed = alice.postil("list").code(0).stdout();
    assert!(listed.contains("signed  alice: signed"), "{listed}");
}

#[test]
fn nothing_but_messages_is_printed_and_an_editor_that_goes_ends_it() {
    let world = World::new();
    let (alice, file) = alice(&world);
    let mut editor = LanguageServer::start(&mut server(&alice, "off"));
    editor.open(&file, TEXT);
    editor.open("file:///nowhere/x", "text");
    assert!(editor.ask("nothing/known", json!({})).is_err());
    editor.end();
    // One that says nothing at all is no error.
    let quiet = alice.postil("lsp");
    assert_eq!(quiet.code(0).stdout(), "");
}

/// The id of the only thread.
fn thread(person: &Checkout<'_>) -> String {
    let shown: Value =
        serde_json::from_str(&person.postil("show @ --json").code(0).stdout()).expect("it is JSON");
    shown.pointer("/thread/id").and_then(Value::as_str).expect("a thread has an id").to_owned()
}
