//! Writing through the page: comments, replies, and what is typed and not sent yet.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_comment_is_written_by_keyboard_alone_and_answered() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    // To the first change, and on to the line that was added.
    page.press("n");
    page.press("j");
    page.until("document.activeElement.className === 'a'");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("why *another*?");
    page.send();
    page.until("document.querySelector('.thread em')?.textContent === 'another'");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:5") && listed.contains("why *another*?"), "{listed}");
    assert_eq!(page.value("document.querySelector('.composer') === null"), json!(true));
    // Focus is on the card, where `c` replies.
    page.press("c");
    page.until(
        "document.activeElement.closest('.thread') !== null && document.activeElement.tagName === 'TEXTAREA'",
    );
    page.insert("because");
    page.send();
    page.until("document.querySelectorAll('.thread .comment').length === 2");
    page.click("[data-act=resolve]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("said in person");
    page.send();
    page.until("document.querySelector('.thread.resolved') !== null");
    let shown = alice.served("show @").code(0).stdout();
    assert!(shown.contains("because") && shown.contains("said in person"), "{shown}");
}

#[test]
fn several_lines_are_picked_by_dragging() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    let line = |number: u32| {
        format!("document.querySelector('[id$=n{number}]').scrollIntoView({{block: 'center'}})")
    };
    page.value(&line(5));
    page.browser.drag(&page.tab.clone(), "[id$=n5]", "[id$=n7]");
    page.until(
        "document.querySelector('.composer label')?.textContent === 'Comment on lines 5 to 7 of a.txt'",
    );
    page.insert("these three");
    page.send();
    page.until("document.querySelector('.thread') !== null");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:5-7"), "{listed}");
}

#[test]
fn what_is_typed_survives_a_reload_and_a_crash_of_the_server() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.press("n");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("half a thought");
    page.until("document.querySelector('.saved')?.textContent === 'kept'");
    page.browser.reload(&page.tab.clone());
    page.until("document.querySelector('.composer textarea')?.value === 'half a thought'");
    page.kill_and_serve_again(&alice);
    page.until("document.querySelector('.composer textarea')?.value === 'half a thought'");
    let before =
        page.value("document.querySelector('.composer').previousElementSibling.lastElementChild.className");
    assert_eq!(before, json!("d"), "at the line where it was typed");
}
