//! No serious finding of axe-core on any page, light and dark, with threads open.
//!
//! `tests/browser/install` installs axe-core below `~/.cache/postil-axe`; without it, the test is skipped and counted.

use std::path::PathBuf;

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, program};
use crate::support::served::Served;
use crate::support::world::World;

/// What axe-core finds that keeps people out, each with the elements that it is about.
const SERIOUS: &str = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations\
    .filter(one => ['serious', 'critical'].includes(one.impact))\
    .map(one => one.id + ': ' + one.nodes.slice(0, 5).map(node => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | ')))";

fn axe() -> Option<String> {
    let cache = std::env::var_os("POSTIL_AXE").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/postil-axe"));
    let file = cache.or(home)?.join("node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(file).ok()
}

/// Goes to another page, or to the same one again.
fn load(page: &mut Opened<'_>, address: &str) {
    let tab = page.tab.clone();
    page.browser.leave(&tab, |browser| {
        browser.value(&tab, &format!("location.assign({address:?})"));
    });
}

#[test]
fn no_page_keeps_anybody_out() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let Some(axe) = axe() else { return postil_testkit::skipped("axe-core") };
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    alice.write(
        "guide.md",
        "# Guide\n\nSome *plain* words, [a link](https://example.org) and `code`.\n\n- one\n- two\n",
    );
    alice.git("add guide.md");
    alice.commit("guide");
    alice.served("comment a.txt:2 -m 'a `word` about it' --severity blocker --tag naming").code(0);
    alice.served("comment a.txt:4 -m '```suggestion\n        Some(path) => println!(\"{path}\\n\"),\n```' --severity question").code(0);
    alice.served("comment a.txt:6 -m 'fine' --severity praise").code(0);
    alice.served("comment guide.md --quote 'plain words' -m 'which?' --severity nit").code(0);
    alice.served("comment -m 'the whole of it' --draft").code(0);
    alice.served("resolve a.txt:6 -m 'said'").code(0);
    alice.write(
        "a.txt",
        "fn main() {\n    let file = env::args().nth(1);\n    if true {\n        other();\n    }\n}\n",
    );
    alice.write("new.txt", "untracked\n");
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelector('.thread') !== null");
    let prefix = page.value("document.body.dataset.prefix");
    let prefix = prefix.as_str().unwrap().to_owned();
    let found = |page: &mut Opened<'_>, what: &str| {
        page.value(&axe);
        for theme in ["light", "dark"] {
            page.value(&format!("document.documentElement.dataset.theme = {theme:?}"));
            let serious = page.value(SERIOUS);
            assert_eq!(serious, json!([]), "{what}, {theme}");
        }
    };
    for path in ["changes", "reviews", "drift", "review/ffff"] {
        let address = format!("{prefix}{path}");
        load(&mut page, &address);
        page.until("document.readyState === 'complete' && document.querySelector('h1') !== null");
        page.value("document.querySelectorAll('details').forEach(fold => { fold.open = true; })");
        if path == "changes" {
            page.until("document.querySelector('#link').dataset.state === 'live'");
            page.click("[data-act=timeline]");
            page.click("[data-act=prose]");
            page.until(
                "document.querySelector('.timeline') !== null && document.querySelector('.prose') !== null",
            );
            page.press("c");
            page.until("document.querySelector('.composer') !== null");
        }
        found(&mut page, path);
        if path == "changes" {
            // It counts as looked at after it was in sight for a moment.
            page.until(
                "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/looked'))",
            );
        }
    }
    // One commit with its message, and what is new.
    for looks in ["commit=HEAD", "since=looked"] {
        let commit = alice.git("rev-parse HEAD").trim().to_owned();
        let address = format!("{prefix}changes?{}", looks.replace("HEAD", &commit));
        load(&mut page, &address);
        page.until("document.querySelector('#link')?.dataset.state === 'live'");
        found(&mut page, looks);
    }
    // What lies over the page.
    load(&mut page, &format!("{prefix}changes"));
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    for (open, shown) in [
        ("#keys", "dialog .keys"),
        ("[data-act=finish]", "dialog .choices"),
        ("[data-act=suggestions]", "dialog .chosen"),
    ] {
        page.click(open);
        page.until(&format!("document.querySelector({shown:?}) !== null"));
        found(&mut page, open);
        page.value("document.querySelector('dialog').close()");
        page.until("document.querySelector('dialog') === null");
    }
    page.press("/");
    page.insert("main");
    page.until("document.querySelector('.search li') !== null");
    found(&mut page, "search");
}
