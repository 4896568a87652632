//! What happens elsewhere appears on the page, and leaves alone what a person does there.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_rebase_in_a_terminal_moves_threads_and_leaves_the_page_in_peace() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m here").code(0);
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelector('.thread').dataset.line === '5'");
    page.click("[data-act=reply]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("I am typing");
    let top = page.value("document.activeElement.getBoundingClientRect().top");
    page.value("globalThis.states = []; new MutationObserver(() => states.push(document.querySelector('#link').dataset.state)).observe(document.querySelector('#link'), { attributes: true })");
    // Two lines more above, in the base.
    alice.git("checkout -q main");
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", format!("zero\nnull\n{text}"));
    alice.commit("more above");
    alice.git("checkout -q topic");
    alice.git("rebase -q main");
    page.until("document.querySelector('.thread').dataset.line === '7'");
    // Before the threads were in their places, that was to be seen.
    assert_eq!(page.value("states.includes('resolving')"), json!(true));
    page.until("document.querySelector('#link').dataset.state === 'live'");
    page.until("document.querySelector('[id$=n7]')?.textContent === 'another line 5'");
    let kept = page.value("[document.activeElement.tagName, document.activeElement.value]");
    assert_eq!(kept, json!(["TEXTAREA", "I am typing"]));
    // While another branch was checked out, the page was short; the form is back where it was.
    page.until(&format!("Math.abs(document.activeElement.getBoundingClientRect().top - {top}) < 60"));
}

#[test]
fn what_could_not_be_fetched_is_fetched_again_without_other_news() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelector('#link').dataset.state === 'live'");
    // Each part is refused once.
    page.value(
        "globalThis.refused = new Set(); globalThis.real = fetch; \
         globalThis.fetch = (address, options) => { \
           const part = /(outline|parts|files|threads)\\//.exec(address)?.[1]; \
           if (!part || refused.has(part)) return real(address, options); \
           refused.add(part); return Promise.reject(new TypeError('refused')); }",
    );
    alice.served("comment a.txt:5 -m here").code(0);
    page.until("document.querySelector('.thread')?.dataset.line === '5'");
    page.until("refused.size === 4");
    page.until("document.querySelector('#tree .badge')?.textContent === '1'");
}

#[test]
fn what_is_typed_stays_after_its_thread_is_gone() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m here").code(0);
    let mut page = Opened::start(&world, &alice);
    page.click("[data-act=reply]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("I am typing");
    let typed = json!(["TEXTAREA", "I am typing"]);
    let focused = "[document.activeElement.tagName, document.activeElement.value]";
    // Its author takes it back meanwhile.
    alice.served("withdraw @").code(0);
    page.until("!document.querySelector('.thread')");
    assert_eq!(page.value(focused), typed);
}

#[test]
fn threads_of_a_branch_that_is_left_go_and_come_back_with_it() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.write("b.txt", "the same on both\n");
    alice.commit("more");
    alice.git("branch -f main");
    alice.write("c.txt", "only here\n");
    alice.commit("and more");
    // One in a file that the branch did not change: only the thread brings it into the diff.
    alice.served("comment b.txt:1 -m unchanged").code(0);
    alice.served("comment c.txt:1 -m changed").code(0);
    alice.served("comment -m 'all of it'").code(0);
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelectorAll('.thread').length === 3");
    alice.git("checkout -q main");
    page.until("document.querySelectorAll('.thread').length === 0");
    page.until("document.querySelectorAll('.file').length === 0");
    alice.git("checkout -q topic");
    page.until("document.querySelectorAll('.thread').length === 3");
}

#[test]
fn nothing_is_missed_while_the_daemon_is_replaced() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    alice.served("daemon stop").code(0);
    alice.served("comment a.txt:5 -m 'without a daemon'").code(0);
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'without a daemon'");
    page.until("document.querySelector('#link').dataset.state === 'live'");
}

#[test]
fn two_tabs_share_a_stream_and_both_show_what_others_write() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    let second = page.browser.tab(1280, 900);
    let address = page.value("location.href");
    page.browser.go(&second, address.as_str().unwrap());
    page.browser.until(&second, "document.querySelector('#link')?.dataset.state === 'live'");
    alice.served("comment a.txt:5 -m 'from a terminal'").code(0);
    let shown = "document.querySelector('.thread .text')?.textContent.trim() === 'from a terminal'";
    page.until(shown);
    page.browser.until(&second, shown);
    let streams = "performance.getEntriesByType('resource').filter(r => r.name.includes('/events')).length";
    let open = [page.value(streams), page.browser.value(&second, streams)];
    assert_eq!(open[1], json!(0), "the second tab has none of its own");
    alice.served("reply @ -m 'and again'").code(0);
    page.browser.until(&second, "document.querySelectorAll('.thread .comment').length === 2");
}

#[test]
fn a_file_that_is_saved_is_shown_and_a_lost_connection_is_told() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    // Far down, where the new file comes above what is read.
    page.value("document.body.style.setProperty('padding-bottom', '3000px')");
    page.value("scrollTo(0, document.querySelector('[id$=n7]').getBoundingClientRect().top + scrollY - 200)");
    let top = page.value("document.querySelector('[id$=n7]').getBoundingClientRect().top");
    alice.write("0.txt", "made while the page was open\n");
    page.until(
        "document.querySelector('[data-path=\"0.txt\"] .a')?.textContent === 'made while the page was open'",
    );
    // What came near has its height after a frame; then the browser may move the page by itself again.
    page.until("document.documentElement.style.overflowAnchor === ''");
    let now =
        page.value("document.querySelector('[data-path=\"a.txt\"] [id$=n7]').getBoundingClientRect().top");
    let moved = (now.as_f64().unwrap() - top.as_f64().unwrap()).abs();
    assert!(moved <= 2.0, "what is read moved by {moved} pixels");
    page.until("document.querySelector('#tree').textContent.includes('0.txt')");
    page.kill();
    page.until("document.querySelector('#link').dataset.state === 'lost'");
    assert_eq!(page.value("document.querySelector('#link .word').textContent"), json!("connection lost"));
}
