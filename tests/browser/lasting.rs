//! What lasts: a page whose server was replaced says what to do, and a page can be kept as a file.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_page_whose_server_ended_says_what_to_do() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.kill();
    page.until("document.querySelector('#advice')?.textContent.includes('run postil web')");
    assert_eq!(page.value("document.querySelector('#advice').getAttribute('role')"), json!("alert"));
}

#[test]
fn a_page_is_kept_as_one_file_that_needs_nothing_else() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'why *another*?'").code(0);
    let file = world.people().join("review.html");
    alice.served(&format!("web --export {}", file.display())).code(0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains("<script") && !text.contains("href=\"/") && text.contains("Content-Security-Policy")
    );
    let mut page = Opened::start(&world, &alice);
    let tab = page.browser.tab(1280, 900);
    page.browser.go(&tab, &format!("file://{}", file.display()));
    page.browser.until(&tab, "document.querySelector('.thread em')?.textContent === 'another'");
    let shown = "[document.querySelector('.b > .a').textContent, getComputedStyle(document.querySelector('.thread')).borderRadius, \
        [...document.querySelectorAll('button')].filter(button => button.checkVisibility()).map(button => button.textContent)]";
    let shown = page.browser.value(&tab, shown);
    assert_eq!(shown[0], json!("another line 5"));
    assert_eq!(shown[1], json!("10px"), "its styles are in it");
    let unwanted =
        shown[2].as_array().unwrap().iter().filter(|word| !word.as_str().unwrap().starts_with("Show"));
    assert_eq!(unwanted.count(), 0, "nothing to press that does nothing: {shown}");
    let links = "[...document.querySelectorAll('a')].map(link => link.getAttribute('href')).filter(to => !to.startsWith('#'))";
    assert_eq!(page.browser.value(&tab, links), json!([]), "a file leads nowhere");
}
