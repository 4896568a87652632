//! What is done with threads besides talking: places by hand, history, proposals, copying, finding.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch, program};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn an_orphan_is_placed_on_a_line_that_is_picked_or_found() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    alice.served("comment a.txt:3-6 -m 'first'").code(0);
    alice.served("comment a.txt:4-5 -m 'second'").code(0);
    alice.write("a.txt", (1..=20).map(|line| format!("nothing like it {line}\n")).collect::<String>());
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelectorAll('#orphans .thread').length === 2");
    // The lines that it was put on are there.
    page.until("document.querySelector('#orphans .was .snippet').textContent.includes('match path')");
    page.click("#orphans [data-act=pick]");
    page.value("document.querySelector('[id$=n7]').click()");
    page.until("document.querySelectorAll('#orphans .thread').length === 1");
    page.until("document.querySelector('.file .thread')?.dataset.line === '7'");
    // Places are searched for as well: by words, and by what is alike.
    page.click("#orphans [data-act=nearby]");
    page.until("document.activeElement.closest('.searching') !== null");
    page.insert("nothing 12");
    page.until("[...document.querySelectorAll('.nearby .candidate a')].some(place => place.textContent.startsWith('a.txt:12-'))");
    page.until("document.querySelectorAll('.nearby .snippet').length > 0");
    page.value("[...document.querySelectorAll('.nearby li')].find(row => row.textContent.includes('a.txt:12-')).querySelector('[data-act=move-to]').click()");
    page.until("document.querySelectorAll('#orphans .thread').length === 0");
    page.until("document.querySelector('.searching') === null");
    assert!(alice.served("list").code(0).stdout().contains("a.txt:12-"));
}

#[test]
fn an_orphan_is_placed_on_lines_that_are_named() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    alice.served("comment a.txt:4-5 -m 'second'").code(0);
    alice.write("a.txt", (1..=20).map(|line| format!("nothing like it {line}\n")).collect::<String>());
    let mut page = Opened::start(&world, &alice);
    page.click("#orphans [data-act=place]");
    page.until("document.activeElement.closest('.placing') !== null");
    page.value("document.activeElement.select()");
    page.insert("a.txt:99");
    page.value("document.querySelector('.placing [type=submit]').click()");
    page.until("!document.querySelector('.placing .problem').hidden");
    page.value(
        "document.querySelector('.placing input').select(); document.querySelector('.placing input').focus()",
    );
    page.insert("a.txt:9-10");
    page.value("document.querySelector('.placing [type=submit]').click()");
    page.until("document.querySelectorAll('#orphans .thread').length === 0");
    // The focus goes along.
    page.until("document.activeElement.dataset.line === '10'");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:9-10"), "{listed}");
    // Withdrawn by who wrote it, and gone.
    page.click("[data-line='10'] [data-act=withdraw]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.send();
    page.until("document.querySelectorAll('.thread').length === 0");
    assert!(!alice.served("list").code(0).stdout().contains("a.txt:9"));
}

#[test]
fn what_happened_is_shown_an_agent_is_told_apart_and_its_proposal_accepted() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.git("config --global postil.agents write");
    alice.served("comment a.txt:5 -m 'why another?' --severity issue --tag naming").code(0);
    let mut agent = alice.served_command("propose --done HEAD -m 'renamed it' a.txt:5");
    let proposed = agent.env("POSTIL_VIA", "agent:helper").output().unwrap();
    assert!(proposed.status.success(), "{}", String::from_utf8_lossy(&proposed.stderr));
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelector('.proposal')?.textContent.includes('agent for')");
    page.click("[data-act=timeline]");
    page.until("document.querySelectorAll('.happened li').length === 2");
    // What is said meanwhile makes the card anew; its history stays, with that.
    alice.served("reply @ -m 'let me see'").code(0);
    page.until("document.querySelectorAll('.happened li').length === 3");
    page.until("document.querySelector('[data-act=timeline]').ariaExpanded === 'true'");
    page.click("[data-act=timeline]");
    page.until("document.querySelector('.timeline') === null");
    page.click("[data-act=accept]");
    page.until("document.querySelector('.thread.resolved') !== null");
    assert!(alice.served("show @").code(0).stdout().contains("resolved"));
}

#[test]
fn files_threads_and_lines_are_found_and_threads_copied() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'a word about naming'").code(0);
    let mut page = Opened::start(&world, &alice);
    page.press("/");
    page.until("document.activeElement.closest('dialog.search') !== null");
    page.insert("naming");
    page.until("document.querySelectorAll('.search li').length === 1");
    page.press("Enter");
    page.until("document.querySelector('dialog') === null && document.activeElement.matches('.thread')");
    page.press("/");
    page.insert("another line");
    page.until("document.querySelector('.search li .chip')?.textContent === 'line'");
    page.press("Enter");
    page.until("document.activeElement.className === 'a'");
    let copied = page.value("fetch(document.body.dataset.prefix + 'copy/changes').then(r => r.text())");
    let copied = copied.as_str().unwrap();
    assert!(
        copied.contains("## a.txt:5") && copied.contains("another line 5") && copied.contains("naming"),
        "{copied}"
    );
    page.click(".thread [data-act=copy]");
    page.until("document.querySelector('.tell')?.textContent.startsWith('Copied one thread')");
    // The page of numbers.
    let tab = page.browser.tab(1280, 900);
    let address = page.value("document.querySelector('.places a[href$=drift]').href");
    page.browser.go(&tab, address.as_str().unwrap());
    page.browser.until(&tab, "document.querySelector('h1')?.textContent === 'Drift'");
    assert_eq!(page.browser.value(&tab, "document.querySelectorAll('svg rect').length > 3"), json!(true));
}
