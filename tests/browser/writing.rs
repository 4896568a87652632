//! Writing through the page: comments, replies, and what is typed and not sent yet.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch, program};
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
    // From a line that was removed to one that was not: as the lines are where the drag ends.
    page.until("document.documentElement.style.overflowAnchor === ''");
    page.browser.drag(&page.tab.clone(), "[id$=o5]", "[id$=n6]");
    page.until(
        "document.querySelector('.composer label')?.textContent === 'Comment on lines 5 to 6 of a.txt'",
    );
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
    assert_eq!(
        page.value("document.activeElement.tagName"),
        json!("BODY"),
        "the focus is where the person leaves it"
    );
    page.kill_and_serve_again(&alice);
    page.until("document.querySelector('.composer textarea')?.value === 'half a thought'");
    let before =
        page.value("document.querySelector('.composer').previousElementSibling.lastElementChild.className");
    assert_eq!(before, json!("d"), "at the line where it was typed");
}

#[test]
fn an_orphan_is_placed_by_hand_and_drafts_are_published_with_a_verdict() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    alice.served("comment a.txt:3-6 -m 'where does this belong?'").code(0);
    let text: String =
        (1..=20).filter(|line| !(8..=10).contains(line)).map(|line| format!("line {line}\n")).collect();
    alice.write("a.txt", text.replace("line 11\n", "nothing like it\nat all\n"));
    let mut page = Opened::start(&world, &alice);
    page.click("#orphans [data-act=move]");
    page.until("document.querySelector('#orphans .thread') === null && document.querySelector('.file .thread') !== null");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("where does this belong?") && !listed.contains("orphaned"), "{listed}");
    // A draft, which others do not see until it is published.
    page.click("[data-act=review-comment]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("the whole of it");
    page.value("[...document.querySelectorAll('.composer button')].find(b => b.textContent === 'Save as draft').click()");
    page.until("document.querySelector('#about .chip.draft') !== null");
    assert!(alice.served("status").code(0).stdout().contains("draft"));
    page.click("[data-act=finish]");
    page.until("document.querySelector('dialog[open]') !== null");
    assert_eq!(
        page.value("document.querySelector('dialog .about').textContent"),
        json!("1 draft will be published.")
    );
    page.click("dialog [value=changes]");
    page.click("dialog [type=submit]");
    page.until("document.querySelector('dialog') === null");
    page.until("document.querySelector('.verdict.changes') !== null && document.querySelector('.chip.draft') === null");
    let shown = alice.served("review show").code(0).stdout();
    assert!(shown.contains("changes requested by alice"), "{shown}");
}

#[test]
fn a_comment_is_edited_and_light_or_dark_is_remembered() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'a *first* text'").code(0);
    let mut page = Opened::start(&world, &alice);
    page.click("[data-act=edit]");
    page.until("document.activeElement.value === 'a *first* text'");
    page.value("document.activeElement.select()");
    page.insert("a better text");
    page.send();
    page.until("document.querySelector('.thread .text').textContent.trim() === 'a better text'");
    assert!(alice.served("show @").code(0).stdout().contains("a better text"));
    page.click("#theme");
    let theme = page.value("document.documentElement.dataset.theme");
    page.until(
        "performance.getEntriesByType('resource').some(r => r.name.endsWith('/theme') && r.responseEnd > 0)",
    );
    page.kill_and_serve_again(&alice);
    assert_eq!(page.value("document.documentElement.dataset.theme"), theme, "another port, the same person");
}

#[test]
fn what_is_written_goes_where_its_lines_went_and_an_answer_is_edited() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.press("n");
    page.press("j");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("this one");
    page.until("document.querySelector('.saved')?.textContent === 'kept'");
    // An editor saves while somebody writes.
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", format!("zero\nhalf\n{text}"));
    page.until("document.querySelector('.composer label')?.textContent === 'Comment on line 7 of a.txt'");
    assert_eq!(page.value("document.activeElement.value"), json!("this one"));
    let above = "document.querySelector('.composer').previousElementSibling.lastElementChild.textContent";
    assert_eq!(page.value(above), json!("another line 5"));
    page.send();
    page.until("document.querySelector('.thread')?.dataset.line === '7'");
    // An answer of one's own is edited like the first comment, and a thread is open again for a reason.
    page.click("[data-act=reply]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("an answer");
    page.send();
    page.click("[data-act=edit][data-of]");
    page.until("document.activeElement.value === 'an answer'");
    page.value("document.activeElement.select()");
    page.insert("a better answer");
    page.send();
    page.until(
        "document.querySelector('.comment + .comment .text')?.textContent.trim() === 'a better answer'",
    );
    page.click("[data-act=resolve]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.send();
    page.until("document.querySelector('.thread.resolved') !== null");
    page.click("[data-act=reopen]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("it is back");
    page.send();
    page.until("document.querySelector('.thread.open .reason')?.textContent.includes('it is back')");
}

#[test]
fn the_review_of_another_branch_is_read_and_commented_on() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'said on the branch'").code(0);
    alice.git("checkout -q main");
    let mut page = Opened::start_with(&world, &alice, "web --no-open topic");
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'said on the branch'");
    assert_eq!(page.value("document.querySelector('.b > .a').textContent"), json!("another line 5"));
    page.press("n");
    page.press("j");
    page.until("document.activeElement.className === 'a'");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("from elsewhere");
    page.send();
    page.until("document.querySelectorAll('.file .thread').length === 2");
    page.until("[...document.querySelectorAll('.thread')].every(card => card.dataset.line === '5')");
    // What others write there comes by itself.
    alice.git("checkout -q topic");
    alice.served("comment a.txt:6 -m 'one line below'").code(0);
    page.until("document.querySelectorAll('.file .thread').length === 3");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:5") && listed.contains("from elsewhere"), "{listed}");
}
