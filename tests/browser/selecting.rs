//! Parts of lines: selected by the mouse or by the keys, commented on, and marked where they are.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::Opened;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// The words of all threads that are on parts of lines, as they are marked.
const MARKED: &str =
    "[...(CSS.highlights.get('postil-parts') ?? [])].map(range => range.toString()).join(' | ')";

/// A file with tabs, wide characters and two bytes at the end of each line, on a branch that changes it.
fn odd_lines(alice: &Checkout<'_>) {
    alice.write("a.txt", "one\r\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", "one\r\n\tlet s = \"\u{1f600} smile\"; // why\r\n\tprint(\u{fc}ber, s);\r\n");
    alice.commit("change");
}

/// The point at the left of a character of a line.
fn point(page: &mut Opened<'_>, line: u32, text: &str) -> (f64, f64) {
    let found = page.value(&format!(
        "(() => {{ const line = document.querySelector('[id$=n{line}]'); \
         const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); \
         for (let node = walker.nextNode(); node; node = walker.nextNode()) {{ \
           const at = node.data.indexOf({text:?}); if (at < 0) continue; \
           const range = document.createRange(); range.setStart(node, at); range.setEnd(node, at + 1); \
           const box = range.getBoundingClientRect(); return [box.left + 0.5, box.top + box.height / 2]; }} }})()"
    ));
    (found[0].as_f64().expect("the text is there"), found[1].as_f64().expect("the text is there"))
}

#[test]
fn a_part_of_a_line_is_dragged_over_commented_on_and_marked() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    odd_lines(&alice);
    let mut page = Opened::start(&world, &alice);
    let ends = [point(&mut page, 2, "\u{1f600}"), point(&mut page, 2, "\";")];
    let tab = page.tab.clone();
    page.browser.drag_between(&tab, ends);
    page.until("document.querySelector('.words-button')?.hidden === false");
    page.click(".words-button");
    page.until("document.querySelector('.composer label')?.textContent === 'Comment on \u{201c}\u{1f600} smile\u{201d} in line 2 of a.txt'");
    let written = "[...CSS.highlights.get('postil-written')].map(range => range.toString()).join()";
    assert_eq!(page.value(written), json!("\u{1f600} smile"));
    page.insert("which one?");
    page.until("document.querySelector('.saved')?.textContent === 'kept'");
    // It is there again, with what it is about.
    page.browser.reload(&tab);
    page.until("document.querySelector('.composer textarea')?.value === 'which one?'");
    page.until(&format!("{written} === '\u{1f600} smile'"));
    page.value("document.querySelector('.composer textarea').focus()");
    page.send();
    page.until("document.querySelector('.thread') !== null");
    page.until(&format!("{MARKED} === '\u{1f600} smile'"));
    page.until("CSS.highlights.get('postil-written').size === 0");
    let shown = alice.served("show @ --json").code(0).stdout();
    assert!(shown.contains("\"column\": 11") || shown.contains("\"column\":11"), "{shown}");
    // The words move, and are marked where they are now.
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", format!("zero\r\n{text}"));
    page.until("document.querySelector('.thread').dataset.line === '3'");
    page.until(&format!("{MARKED} === '\u{1f600} smile'"));
}

#[test]
fn parts_of_lines_are_selected_with_the_keys_and_across_lines() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    odd_lines(&alice);
    let mut page = Opened::start(&world, &alice);
    let selected = "getSelection().toString()";
    page.press("n");
    for (key, expected) in [
        ("w", "let"),
        ("w", "s"),
        ("w", "="),
        ("b", "s"),
        ("W", "s ="),
        ("W", "s = \"\u{1f600}"),
        ("B", "s ="),
    ] {
        page.press(key);
        assert_eq!(page.value(selected), json!(expected), "{key}");
    }
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("why this?");
    page.send();
    page.until(&format!("{MARKED} === 's ='"));
    // From inside of one line to inside of the next one.
    page.value(
        "(() => { const line = (n) => document.querySelector(`[id$=n${n}]`); \
         const node = (line, text) => { const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); \
           for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.data.includes(text)) return [node, node.data.indexOf(text)]; }; \
         const to = node(line(3), 'ber'); getSelection().setBaseAndExtent(...node(line(2), 'why'), to[0], to[1] + 3); })()",
    );
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("and both?");
    page.send();
    page.until("document.querySelectorAll('.thread').length === 2");
    page.until(&format!("{MARKED}.includes('why') && {MARKED}.endsWith('ber')"));
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:2-3") || listed.contains("a.txt:2:"), "{listed}");
    // Whole lines, picked with the keys.
    page.press("Escape");
    page.value(
        "(() => { const line = document.querySelector('[id$=n1]'); line.tabIndex = 0; line.focus(); })()",
    );
    let tab = page.tab.clone();
    page.browser.press_with(&tab, "ArrowDown", 8);
    page.until("document.querySelectorAll('[data-picked]').length === 2");
    page.press("c");
    page.until(
        "document.querySelector('.composer label')?.textContent === 'Comment on lines 1 to 2 of a.txt'",
    );
    assert_eq!(page.value("document.querySelectorAll('[data-picked]').length"), json!(0));
}
