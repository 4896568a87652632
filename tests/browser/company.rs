//! Several pages at once: two browsers, and more tabs than a browser has connections.

use serde_json::json;

use crate::chromium::{Chromium, Tab, is_there};
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

/// More than the connections that a browser opens to one host.
const TABS: usize = 10;

const STREAMS: &str =
    "performance.getEntriesByType('resource').filter(entry => entry.name.includes('/events')).length";

const LIVE: &str = "document.querySelector('#link')?.dataset.state === 'live'";

#[test]
fn ten_tabs_share_one_stream_and_another_takes_it_over() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    let address = page.value("location.href");
    let tabs: Vec<Tab> = (1..TABS).map(|_| page.browser.tab(800, 600)).collect();
    for tab in &tabs {
        page.browser.go(tab, address.as_str().unwrap());
    }
    for tab in &tabs {
        page.browser.until(tab, LIVE);
        assert_eq!(page.browser.value(tab, STREAMS), json!(0), "one stream is enough");
    }
    alice.served("comment a.txt:5 -m one").code(0);
    for tab in &tabs {
        page.browser.until(tab, "document.querySelectorAll('.thread').length === 1");
    }
    // The tab that holds the stream is closed.
    page.browser.close(&page.tab.clone());
    alice.served("comment a.txt:7 -m two").code(0);
    for tab in &tabs {
        page.browser.until(tab, "document.querySelectorAll('.thread').length === 2");
    }
}

#[test]
fn two_browsers_write_at_once_and_each_shows_both() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    // A second start gives a link to the page that runs, which another browser opens.
    let link = alice.served("web --no-open").code(0).stdout();
    let mut other = Chromium::start();
    let tab = other.tab(800, 600);
    other.go(&tab, link.trim_end());
    other.until(&tab, LIVE);
    let at = |line: u32| {
        format!(
            "(() => {{ const line = document.querySelector('[id$=n{line}]'); line.tabIndex = 0; line.focus(); }})()"
        )
    };
    page.value(&at(5));
    other.value(&tab, &at(7));
    page.press("c");
    other.press(&tab, "c", false);
    let typing = "document.activeElement.tagName === 'TEXTAREA'";
    page.until(typing);
    other.until(&tab, typing);
    page.insert("from one");
    other.insert(&tab, "from the other");
    page.send();
    // While one types, the comment of the other arrives, and the focus stays.
    other.until(&tab, "document.querySelector('.thread .text')?.textContent.trim() === 'from one'");
    assert_eq!(other.value(&tab, "document.activeElement.value"), json!("from the other"));
    other.press(&tab, "Enter", true);
    let both = "document.querySelectorAll('.thread').length === 2";
    other.until(&tab, both);
    page.until(both);
}
