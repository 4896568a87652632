//! Suggestions on the page: written by editing lines, shown as a diff, applied to the files and undone.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Suggests another fifth line through the page.
fn suggest(page: &mut Opened<'_>) {
    page.press("n");
    page.press("j");
    page.until("document.activeElement.className === 'a'");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("shorter");
    page.value(
        "[...document.querySelectorAll('.composer button')].find(b => b.textContent === 'Suggest a change').click()",
    );
    page.until("document.activeElement.className === 'code-area' && document.activeElement.value === 'another line 5'");
    page.value("document.activeElement.select()");
    page.insert("the <fifth> line");
}

fn fifth(alice: &Checkout<'_>) -> String {
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).expect("the file is there");
    text.lines().nth(4).expect("the file has five lines").to_owned()
}

#[test]
fn a_suggestion_is_written_previewed_applied_and_undone() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    suggest(&mut page);
    page.until("document.querySelector('.suggest .snippet .a')?.textContent === '+the <fifth> line'");
    assert_eq!(
        page.value("document.querySelector('.suggest .snippet .d').textContent"),
        json!("\u{2212}another line 5")
    );
    page.send();
    page.until("document.querySelector('.thread .suggestion .chip.applies') !== null");
    page.until(
        "document.querySelector('.thread .suggestion .snippet .a').textContent === '+the <fifth> line'",
    );
    // What is shown is what is written: a file that changed after the plan was shown is not touched.
    page.click(".thread [data-act=apply]");
    page.until("document.querySelector('dialog .planned .a')?.textContent === '+the <fifth> line'");
    let other =
        std::fs::read_to_string(alice.folder.join("a.txt")).unwrap().replace("line 20", "line twenty");
    alice.write("a.txt", &other);
    page.click("dialog .button.first");
    page.until("!document.querySelector('dialog .problem').hidden");
    assert_eq!(std::fs::read_to_string(alice.folder.join("a.txt")).unwrap(), other);
    page.until("!document.querySelector('dialog .button.first').disabled");
    page.click("dialog .button.first");
    page.until("document.querySelector('dialog') === null");
    assert_eq!(fifth(&alice), "the <fifth> line");
    // It is not shown for long.
    page.until("(globalThis.undo = document.querySelector('.tell button')) !== null");
    page.until("document.querySelector('.thread .suggestion .chip.done') !== null");
    page.until(
        "[...document.querySelectorAll('.b > .a')].some(line => line.textContent === 'the <fifth> line')",
    );
    page.value("undo.click()");
    page.until("document.querySelector('.thread .suggestion .chip.applies') !== null");
    assert_eq!(fifth(&alice), "another line 5");
}

#[test]
fn what_is_suggested_is_sent_if_the_lines_cannot_be_read() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.value(
        "globalThis.real = fetch; globalThis.fetch = (address, options) => \
           /text\\//.test(address) ? Promise.reject(new TypeError('refused')) : real(address, options)",
    );
    page.press("n");
    page.press("j");
    page.until("document.activeElement.className === 'a'");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.value(
        "[...document.querySelectorAll('.composer button')].find(b => b.textContent === 'Suggest a change').click()",
    );
    page.until("!document.querySelector('.suggest .problem').hidden");
    page.value("document.querySelector('.code-area').focus()");
    page.insert("the fifth line");
    page.send();
    page.until(
        "document.querySelector('.thread .suggestion .snippet .a')?.textContent === '+the fifth line'",
    );
}

#[test]
fn a_conflict_shows_both_sides_and_several_suggestions_are_applied_at_once() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    for line in [5, 8, 12] {
        let text = format!("comment a.txt:{line} -m '```suggestion\nmine {line}\n```'");
        alice.served(&text).code(0);
    }
    let before = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", before.replace("another line 5", "typed by somebody"));
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelectorAll('.suggestion .chip.applies').length === 2");
    page.until("document.querySelector('.clash .sides')?.textContent.includes('typed by somebody')");
    page.click("[data-act=suggestions]");
    page.until("document.querySelectorAll('dialog .chosen input').length === 3");
    page.until("document.querySelectorAll('dialog .chosen input:checked').length === 2");
    page.click("dialog .row2 input");
    page.click("dialog .button.first");
    page.until("document.querySelector('dialog') === null");
    let after = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    assert!(after.contains("mine 8\n") && after.contains("mine 12\n") && after.contains("typed by somebody"));
    page.until("document.querySelectorAll('.thread.resolved').length === 2");
}

#[test]
fn a_page_that_is_read_only_applies_nothing() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m '```suggestion\nmine\n```'").code(0);
    let mut page = Opened::start_with(&world, &alice, "web --no-open --read-only");
    page.until("document.querySelector('.suggestion .chip.applies') !== null");
    assert_eq!(page.value("document.querySelector('[data-act=apply]') === null"), json!(true));
    let post = |path: &str| {
        format!(
            "fetch(document.body.dataset.prefix + {path:?}, {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: '{{}}' }}).then(r => r.status)"
        )
    };
    for path in ["do/apply", "do/undo", "do/comment", "preview/changes"] {
        assert_eq!(page.value(&post(path)), json!(403), "{path}");
    }
    assert_eq!(fifth(&alice), "another line 5");
}
