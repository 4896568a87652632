//! Stories of more than anybody reads: a crowd on one line, lost threads, and lines of a megabyte.

use std::fmt::Write as _;

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::Opened;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// So many threads are on one line.
const CROWD: usize = 60;

/// So many have lost their file; of so many, a page has not all at first.
const LOST: usize = 105;

/// Writes comments, a hundred at once.
fn comment(alice: &Checkout<'_>, path: &str, lines: Option<&str>, count: usize) {
    for from in (0..count).step_by(100) {
        let mut text = String::new();
        for number in from..count.min(from + 100) {
            let _ = writeln!(
                text,
                "{}",
                json!({ "path": path, "lines": lines, "text": format!("{path} {number}") })
            );
        }
        let file = alice.folder.with_extension("jsonl");
        std::fs::write(&file, text).expect("it is written");
        alice.served(&format!("comment --batch {}", file.display())).code(0);
    }
}

fn crowded(alice: &Checkout<'_>) {
    alice.write("start.txt", "start\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("crowd.txt", "one\ntwo\nthree\n");
    alice.write("gone.txt", "gone\n");
    let long = format!("{}\nshort\n{}\n", "a ".repeat(1 << 19), "x".repeat(1 << 20));
    alice.write("mega.txt", long);
    alice.commit("change");
    comment(alice, "crowd.txt", Some("2"), CROWD);
    let words = alice.folder.with_extension("words");
    std::fs::write(&words, format!("many words\n\n{} the last one", "word ".repeat(20_000)))
        .expect("it is written");
    alice.served(&format!("comment crowd.txt:3 -F {}", words.display())).code(0);
    comment(alice, "gone.txt", None, LOST);
    alice.git("rm -q gone.txt");
    alice.commit("gone");
}

#[test]
fn a_crowd_on_a_line_lost_threads_and_lines_of_a_megabyte_come_part_by_part() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    crowded(&alice);
    alice.git("config postil.webLines 100");
    let mut page = Opened::start(&world, &alice);
    // All are counted at once, and all come when they are near.
    let open = format!("{} open threads", CROWD + LOST + 1);
    assert!(page.value("document.querySelector('#head').textContent").as_str().unwrap().contains(&open));
    page.until("document.querySelector('#orphans .count').textContent === '105'");
    page.until("document.querySelectorAll('#orphans .thread').length === 105");
    page.until(&format!(
        "document.querySelectorAll('[data-path=\"crowd.txt\"] .thread').length === {}",
        CROWD + 1
    ));
    page.until("document.querySelectorAll('[data-path=\"mega.txt\"] .b > div').length === 3 && !document.querySelector('.later')");
    let lines = page.value("document.querySelectorAll('[data-path=\"crowd.txt\"] .b > div').length");
    assert_eq!(lines, json!(3), "each line is there once");
    let longest =
        "Math.max(...[...document.querySelectorAll('.b > div')].map(line => line.textContent.length))";
    assert!(page.value(longest).as_u64().unwrap() < 10_000);
    // Of one that is very long, the first words come, and the others when it is opened.
    let last = "[...document.querySelectorAll('[data-path=\"crowd.txt\"] .thread')].at(-1)";
    assert!(!page.value(&format!("{last}.textContent")).as_str().unwrap().contains("the last one"));
    page.value(&format!("{last}.querySelector('summary').click()"));
    page.until(&format!("{last}.textContent.includes('the last one')"));
    // A file has no scripts, so it has all of them.
    let file = alice.folder.with_extension("html");
    alice.served(&format!("web --export {}", file.display())).code(0);
    let html = std::fs::read_to_string(&file).unwrap();
    assert_eq!(html.matches("data-thread=").count(), CROWD + LOST + 1);
    assert!(html.contains("the last one") && !html.contains("class=later"));
}
