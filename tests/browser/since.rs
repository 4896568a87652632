//! Only what is new since one looked or judged: after commits, and after a rebase.

use postil_testkit::wait_until;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// All lines that are shown as changed.
const CHANGED: &str = "[...document.querySelectorAll('.b > .a, .b > .d')].map(line => \
    (line.className === 'a' ? '+' : '-') + line.textContent).join('|')";

fn head(alice: &Checkout<'_>) -> String {
    alice.git("rev-parse HEAD").trim().to_owned()
}

/// Waits until it is written down that the head was looked at.
fn looked(alice: &Checkout<'_>) {
    let (file, head) = (alice.folder.join(".git/postil/looked-heads"), head(alice));
    wait_until("the look", || std::fs::read_to_string(&file).unwrap_or_default().contains(&head));
}

#[test]
fn what_is_new_since_one_looked_is_shown_after_commits_and_after_a_rebase() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m here").code(0);
    let mut page = Opened::start(&world, &alice);
    looked(&alice);
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", text.replace("line 15\n", "a new line 15\n"));
    alice.commit("more");
    page.until(&format!("{CHANGED}.includes('+a new line 15')"));
    page.value("[...document.querySelectorAll('.since a')].find(link => link.textContent === 'Since I looked').click()");
    page.until("document.querySelector('.since-note')?.textContent.includes('commits were added')");
    page.until(&format!("{CHANGED} === '-line 15|+a new line 15'"));
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    looked(&alice);
    // Two lines more in the base, and the branch says something else about one line.
    alice.git("checkout -q main");
    let base = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", format!("zero\nnull\n{base}"));
    alice.commit("above");
    alice.git("checkout -q topic");
    alice.git("rebase -q main");
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).unwrap();
    alice.write("a.txt", text.replace("a new line 15\n", "quite another line 15\n"));
    alice.git("commit -q -a --amend --no-edit");
    let tab = page.tab.clone();
    page.browser.reload(&tab);
    page.until("document.querySelector('.since-note')?.textContent.includes('was rewritten')");
    page.until(&format!("{CHANGED} === '-a new line 15|+quite another line 15'"));
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    // Lines that are left out come as anywhere else.
    page.value("document.querySelector('.gap button:not([data-side])').click()");
    page.until("[...document.querySelectorAll('.b > div')].some(line => line.textContent === 'zero')");
    page.until(&format!("{CHANGED} === '-a new line 15|+quite another line 15'"));
    // A new line is commented on; one that is gone is in no file.
    page.value(
        "(() => { const line = document.querySelector('.b > .d'); line.tabIndex = 0; line.focus(); })()",
    );
    page.press("c");
    page.until("document.querySelector('.tell')?.textContent.startsWith('Only the earlier version')");
    page.value(
        "(() => { const line = document.querySelector('.b > .a'); line.tabIndex = 0; line.focus(); })()",
    );
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("better");
    page.send();
    page.until("[...document.querySelectorAll('.file .thread .text')].some(text => text.textContent.trim() === 'better')");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.txt:17"), "{listed}");
}

#[test]
fn what_is_new_since_ones_verdict_is_shown() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("review start").code(0);
    alice.served("review approve -m fine").code(0);
    alice.write("b.txt", "new\n");
    alice.commit("more");
    let mut page = Opened::start(&world, &alice);
    page.value("[...document.querySelectorAll('.since a')].find(link => link.textContent === 'Since I judged').click()");
    page.until("document.querySelector('.since-note')?.textContent.includes('your verdict')");
    page.until(&format!("{CHANGED} === '+new'"));
}
