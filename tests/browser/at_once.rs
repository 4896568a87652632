//! Two things at once: what somebody began is not lost when the page changes, or when a key is pressed twice.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Keeps the next answer of a part of the page until `release()` is called; `isHeld` says that it came.
fn hold(page: &mut Opened<'_>, part: &str) {
    page.value(&format!(
        "globalThis.real ??= fetch; globalThis.isHeld = globalThis.isTaken = false; \
         globalThis.fetch = async (address, options) => {{ \
           if (isTaken || !address.includes('/{part}')) return real(address, options); \
           globalThis.isTaken = true; \
           const answer = await real(address, options); \
           await new Promise((run) => {{ globalThis.release = run; globalThis.isHeld = true; }}); \
           return answer; }}"
    ));
}

/// Saves the file with another last line, and waits until that is shown.
fn save(page: &mut Opened<'_>, alice: &Checkout<'_>, path: &str, line: &str) {
    let text = std::fs::read_to_string(alice.folder.join(path)).expect("the file is there");
    alice.write(path, format!("{text}{line}\n"));
    page.until(&format!(
        "document.querySelector('[data-path=\"{path}\"] .code').textContent.includes('{line}')"
    ));
}

#[test]
fn what_is_sent_twice_is_there_once_and_of_two_dialogs_one_opens() {
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
    page.insert("once");
    hold(&mut page, "do/comment");
    page.value("globalThis.sent = document.activeElement.form");
    let tab = page.tab.clone();
    page.browser.press(&tab, "Enter", true);
    page.browser.press(&tab, "Enter", true);
    page.until("isHeld");
    page.value("release()");
    page.until("!sent.isConnected");
    assert_eq!(alice.served("list").code(0).stdout().matches("once").count(), 1);
    page.value("for (const name of ['finish', 'suggestions', 'finish']) document.querySelector(`[data-act=${name}]`)?.click()");
    page.until("document.querySelector('dialog[open]') !== null");
    page.value("import(document.body.dataset.prefix + 'assets/apply.js')");
    assert_eq!(page.value("document.querySelectorAll('dialog').length"), json!(1));
}

#[test]
fn a_file_that_is_made_anew_meanwhile_gets_what_was_asked_for() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.write("guide.md", "# Guide\n\nWords of the guide.\n");
    alice.commit("guide");
    let mut page = Opened::start(&world, &alice);
    // The words are quoted while the file is saved: the form is on the page all the same.
    page.click("[data-act=prose]");
    page.until("document.querySelector('.prose .page') !== null");
    page.value("(() => { const run = document.querySelector('.page [data-r]:not(h3 *)'); getSelection().setBaseAndExtent(run.firstChild, 0, run.firstChild, 3); })()");
    hold(&mut page, "words/");
    page.press("c");
    page.until("isHeld");
    page.value("getSelection().removeAllRanges()");
    save(&mut page, &alice, "guide.md", "More.");
    page.value("release()");
    page.until("document.querySelector('.composer') !== null");
    page.click("[data-act=prose]");
    // The page of prose is asked for while the file is saved: what comes last is older.
    hold(&mut page, "prose/");
    page.click("[data-act=prose]");
    page.until("isHeld");
    save(&mut page, &alice, "guide.md", "And more.");
    let is_new = "document.querySelector('.prose')?.textContent.includes('And more.') === true";
    page.until(is_new);
    page.value(
        "new Promise((done) => { release(); requestAnimationFrame(() => requestAnimationFrame(done)); })",
    );
    assert_eq!(page.value(is_new), json!(true));
}

#[test]
fn lines_that_are_picked_wait_for_a_file_that_changes_and_what_was_said_meanwhile_is_shown() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.value(
        "(() => { const line = document.querySelector('[id$=n7]'); line.tabIndex = 0; line.focus(); })()",
    );
    let tab = page.tab.clone();
    page.browser.press_with(&tab, "ArrowDown", 8);
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", format!("zero\n{text}"));
    page.until("document.querySelector('.changed-note') !== null");
    assert_eq!(page.value("document.querySelectorAll('[data-picked]').length"), json!(2));
    alice.served("comment a.txt:6 -m 'said meanwhile'").code(0);
    page.until("document.querySelector('.thread') !== null");
    page.click(".changed-note button");
    page.until("document.querySelector('[id$=n1]')?.textContent === 'zero'");
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'said meanwhile'");
    assert_eq!(page.value("document.querySelectorAll('[data-picked], .changed-note').length"), json!(0));
}

#[test]
fn what_is_written_on_lines_that_were_left_out_stays_there() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    let lines = |fifth: &str| {
        let line =
            |number: usize| if number == 5 { format!("{fifth}\n") } else { format!("line {number}\n") };
        (1..=90).map(line).collect::<String>()
    };
    alice.write("a.txt", lines("line 5"));
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", lines("another line 5"));
    alice.commit("change");
    let mut page = Opened::start(&world, &alice);
    page.click(".gap:last-child button:not([data-side])");
    page.until("document.querySelector('[id$=n60]') !== null");
    page.value(
        "(() => { const line = document.querySelector('[id$=n60]'); line.tabIndex = 0; line.focus(); })()",
    );
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("about line 60");
    page.until("document.querySelector('.saved')?.textContent === 'kept'");
    let stands_below = |line: &str| {
        format!(
            "document.querySelector('.composer')?.previousElementSibling.lastElementChild?.textContent === '{line}'"
        )
    };
    // The file is saved, and comes back without those lines.
    alice.write("a.txt", format!("zero\n{}", lines("another line 5")));
    page.until("document.querySelector('[id$=n1]')?.textContent === 'zero'");
    page.until(&stands_below("line 60"));
    page.until("document.querySelector('.composer label').textContent === 'Comment on line 61 of a.txt'");
    assert_eq!(page.value("document.activeElement.value"), json!("about line 60"));
    page.browser.reload(&page.tab.clone());
    page.until(&stands_below("line 60"));
    assert_eq!(page.value("document.querySelector('.composer textarea').value"), json!("about line 60"));
    page.value("document.querySelector('.composer textarea').focus()");
    page.send();
    assert!(alice.served("list").code(0).stdout().contains("a.txt:61"));
}

#[test]
fn what_one_reads_stays_where_it_is_also_after_a_scroll() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    // The page changes, somebody scrolls before that is laid out, and then something above grows.
    let moved = page.value(
        "(async () => { \
           const { steady } = await import(document.body.dataset.prefix + 'assets/steady.js'); \
           document.body.style.paddingBottom = '3000px'; \
           const line = document.querySelector('[id$=n7]'); \
           const frame = () => new Promise(requestAnimationFrame); \
           scrollTo(0, line.getBoundingClientRect().top + scrollY - 130); \
           for (let frames = 0; frames < 6; frames += 1) await frame(); \
           const top = line.getBoundingClientRect().top; \
           steady(() => {}); scrollBy(0, 1); await frame(); \
           document.querySelector('#head').style.paddingBottom = '150px'; \
           for (let frames = 0; frames < 4; frames += 1) await frame(); \
           return Math.abs(line.getBoundingClientRect().top - top + 1); })()",
    );
    assert!(moved.as_f64().unwrap() <= 2.0, "what is read moved by {moved} pixels");
}
