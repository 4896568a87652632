//! Commit by commit: messages that are commented on like files, and a commit that has none before it.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_message_is_commented_on_at_its_lines() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.write("b.txt", "b\n");
    alice.commit("second\n\nBecause <b>it</b> was asked for.\nNobody knows why.");
    alice.served("comment --message HEAD:1 -m 'second what?'").code(0);
    let mut page = Opened::start(&world, &alice);
    // From all changes, its thread leads to the commit.
    page.click("#about .thread a.at");
    page.until(
        "location.search.startsWith('?commit=') && document.querySelector('#link')?.dataset.state === 'live'",
    );
    page.until(
        "document.querySelector('.message .b + .thread .text')?.textContent.trim() === 'second what?'",
    );
    assert_eq!(page.value("document.querySelectorAll('.thread').length"), json!(1), "it is there once");
    let lines = "[...document.querySelectorAll('.message .b > div')].map(line => line.textContent)";
    let message = json!(["second", "", "Because <b>it</b> was asked for.", "Nobody knows why."]);
    assert_eq!(page.value(lines), message);
    page.value("(() => { const line = document.querySelector('.message [id$=n3]'); line.tabIndex = 0; line.focus(); })()");
    page.press("j");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("then ask");
    page.send();
    page.until("document.querySelectorAll('.message .thread').length === 2");
    // What others say there comes by itself.
    alice.served("comment --message HEAD -m 'all of it'").code(0);
    page.until("document.querySelector('.message .whole .text')?.textContent.trim() === 'all of it'");
    assert_eq!(page.value("document.querySelectorAll('.thread').length"), json!(3));
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("then ask") && listed.contains(":4"), "{listed}");
}

#[test]
fn a_commit_with_none_before_it_is_shown_like_any_other() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.git("checkout -q --orphan fresh");
    alice.write("new.txt", "a new beginning\n");
    alice.commit("begin anew");
    alice.write("new.txt", "a new beginning\nand more\n");
    alice.commit("go on");
    let mut page = Opened::start_with(&world, &alice, "web --no-open topic..fresh");
    page.click("[data-commit=after]");
    page.until("document.querySelector('.message .b')?.textContent === 'begin anew'");
    page.until("[...document.querySelectorAll('.file:not(.message) .a')].some(line => line.textContent === 'a new beginning')");
    page.value("(() => { const line = [...document.querySelectorAll('.a')].find(line => line.textContent === 'a new beginning'); line.tabIndex = 0; line.focus(); })()");
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("why anew?");
    page.send();
    page.until("document.querySelector('.file .thread .text')?.textContent.trim() === 'why anew?'");
}

#[test]
fn what_a_commit_deletes_is_commented_on_where_it_was() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    // A line that only the branch had: the base has another one at its place.
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", text.replace("another line 5", "a third line 5"));
    alice.commit("third");
    let mut page = Opened::start(&world, &alice);
    page.click("[data-commit=before]");
    page.until("document.querySelector('.b > .d')?.textContent === 'another line 5' && document.querySelector('#link')?.dataset.state === 'live'");
    page.value(
        "(() => { const line = document.querySelector('.b > .d'); line.tabIndex = 0; line.focus(); })()",
    );
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("it was better");
    page.send();
    page.until("[...document.querySelectorAll('.thread .text')].some(text => text.textContent.trim() === 'it was better')");
    let shown = alice.served("show @").code(0).stdout();
    assert!(shown.contains("another line 5"), "{shown}");
}
