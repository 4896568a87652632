//! How the lines of a diff are shown: colours, split, more lines, white space.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// A program of three hundred lines on a branch: lines are changed, added and deleted in several places.
fn program(alice: &Checkout<'_>) {
    let text = |edit: fn(usize) -> Option<String>| -> String {
        (1..=300).filter_map(edit).map(|line| format!("{line}\n")).collect()
    };
    let plain = |number| {
        Some(if number == 1 { "fn main() {".into() } else { format!("    let a{number} = {number};") })
    };
    alice.write("a.rs", text(plain));
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write(
        "a.rs",
        text(|number| match number {
            1 => Some("fn main() {".into()),
            20..=22 => Some(format!("    let changed{number} = \"{number}\";")),
            50 => None,
            100 => Some("    let a100 = 100;\n    // new\n    // newer".into()),
            150..=290 if number % 2 == 0 => Some(format!("    other(a{number}, {number});")),
            _ => Some(format!("    let a{number} = {number};")),
        }),
    );
    alice.commit("change");
}

#[test]
fn a_split_is_the_same_from_the_server_and_from_the_page() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    alice.served("comment a.rs:21 -m 'on a new line'").code(0);
    alice.served("comment a.rs:160 -m 'in the middle of a long change'").code(0);
    let mut page = Opened::start(&world, &alice);
    let code = "document.querySelector('.code').outerHTML.replace(/ tabindex=\"0\"| aria-label=\"line[^\"]*\"/g, '')";
    let unified = page.value(code);
    assert!(unified.as_str().unwrap().contains("<i class=\"k\">let</i>"), "{unified}");
    // The line that one reads stays where it is.
    page.value("document.querySelector('[id$=n200]').scrollIntoView({ block: 'center' })");
    let tops = page.value(
        "import(`${document.body.dataset.prefix}assets/steady.js`).then(({ steady }) => { \
         /* Something else changed just before, which held another line. */ steady(() => {}); \
         const line = document.querySelector('[id$=n200]'); \
         line.tabIndex = 0; line.focus(); \
         const top = () => line.getBoundingClientRect().top; \
         const before = top(); \
         line.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', bubbles: true })); \
         return [before, top()]; })",
    );
    // A page is scrolled by whole pixels.
    let moved = tops[0].as_f64().zip(tops[1].as_f64()).map(|(before, after)| (before - after).abs());
    assert!(moved.is_some_and(|pixels| pixels < 1.0), "{tops}");
    page.until("document.querySelector('.code.split') !== null");
    let split = page.value(code);
    page.until(
        "performance.getEntriesByType('resource').some(r => r.name.endsWith('/layout') && r.responseEnd > 0)",
    );
    page.browser.reload(&page.tab.clone());
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    assert_eq!(page.value(code), split, "it is remembered, and rendered by the server");
    page.press("m");
    page.until("document.querySelector('.code.split') === null");
    assert_eq!(page.value(code), unified, "and back");
    // Both sides of a row are beside each other.
    page.press("m");
    let rows = page.value("(() => { const [d, a] = ['o20', 'n20'].map(id => document.querySelector(`[id$=${id}]`).getBoundingClientRect()); return [d.top === a.top, d.right <= a.left + 1]; })()");
    assert_eq!(rows, json!([true, true]));
}

#[test]
fn a_split_is_commented_on_at_both_sides_and_walked_by_keys() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    let mut page = Opened::start(&world, &alice);
    page.press("m");
    page.until("document.querySelector('.code.split') !== null");
    page.value(
        "document.querySelector('[id$=n20]').tabIndex = 0, document.querySelector('[id$=n20]').focus()",
    );
    page.press("j");
    page.until("document.activeElement.id.endsWith('n21')");
    page.browser.press_with(&page.tab.clone(), "ArrowLeft", 8);
    page.until("document.activeElement.id.endsWith('o21')");
    page.press("j");
    page.until("document.activeElement.id.endsWith('o22')");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("about what was there");
    page.send();
    page.until("document.querySelector('.thread[data-side=old]')?.dataset.line === '22'");
    // It stands below both sides of its row.
    let below = "document.querySelector('.thread[data-side=old]').previousElementSibling.lastElementChild.id.endsWith('n22')";
    page.until(below);
    page.value("document.querySelector('[id$=n101]').scrollIntoView({ block: 'center' })");
    page.browser.drag(&page.tab.clone(), "[id$=n101]", "[id$=n102]");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("both lines");
    page.send();
    page.until("document.querySelector('.thread[data-side=new]')?.dataset.start === '101'");
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("a.rs:22") && listed.contains("a.rs:101-102"), "{listed}");
}

#[test]
fn lines_that_are_left_out_come_by_key_and_up_to_what_they_are_inside_of() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    program(&alice);
    let mut page = Opened::start(&world, &alice);
    let shown = "document.querySelectorAll('.b > div:not(.d)').length";
    let gap = "document.querySelector('.gap').dataset.to";
    assert_eq!(page.value(gap), json!("16"));
    page.click(".gap [data-at]");
    page.until("document.querySelector('[id$=n1]')?.textContent === 'fn main() {'");
    page.value(
        "document.querySelector('[id$=n25]').tabIndex = 0, document.querySelector('[id$=n25]').focus()",
    );
    let before = page.value(shown).as_u64().unwrap();
    page.press("x");
    page.until(&format!("{shown} === {}", before + 10));
    assert_eq!(page.value("document.activeElement.id.endsWith('n25')"), json!(true), "the cursor stays");
    page.press("X");
    page.until("document.querySelector('.gap') === null");
    assert_eq!(page.value(shown), json!(301));
    let order = "[...document.querySelectorAll('.b > div:not(.d)')].every((line, at) => line.id.endsWith(`n${at + 1}`))";
    assert_eq!(page.value(order), json!(true));
}

#[test]
fn white_space_is_in_the_address() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", "one\n   two\nTHREE\n");
    alice.commit("change");
    let mut page = Opened::start(&world, &alice);
    assert_eq!(page.value("document.querySelectorAll('.b > .a').length"), json!(2));
    page.click("#space");
    page.until("location.search === '?space=ignore'");
    page.until("document.querySelectorAll('.b > .a').length === 1");
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    // What is fetched later is shown in the same way.
    alice.write("a.txt", "one\n\t two\nTHREE\nfour\n");
    page.until("document.querySelector('[id$=n4]')?.textContent === 'four'");
    assert_eq!(page.value("document.querySelectorAll('.b > .a').length"), json!(2));
}

#[test]
fn an_image_is_put_over_the_one_that_it_was() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    let drawing = |colour: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'><rect width='80' height='40' fill='{colour}'/></svg>"
        )
    };
    alice.write("logo.svg", drawing("red"));
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("logo.svg", drawing("blue"));
    alice.commit("recolor");
    let mut page = Opened::start(&world, &alice);
    page.click("[data-act=swipe]");
    let edge = "[...document.querySelectorAll('.images img')].map(image => image.style.clipPath)";
    assert_eq!(page.value(edge), json!(["", "inset(0px 0px 0px 50%)"]));
    // The edge has the focus, and moves by the arrow keys.
    let tab = page.tab.clone();
    let at = "document.activeElement.type === 'range' && document.activeElement.value";
    assert_eq!(page.value(at), json!("50"));
    page.value("document.activeElement.value = 80; document.activeElement.dispatchEvent(new Event('input', { bubbles: true }))");
    assert_eq!(page.value(edge), json!(["", "inset(0px 0px 0px 80%)"]));
    let lefts = "new Set([...document.querySelectorAll('.images img')].map(image => image.getBoundingClientRect().left)).size";
    page.browser
        .until(&tab, "[...document.querySelectorAll('.images img')].every(image => image.naturalWidth > 0)");
    assert_eq!(page.value(lefts), json!(1), "one over the other");
    page.click("[data-act=swipe]");
    assert_eq!(page.value(edge), json!(["", ""]));
}

#[test]
fn nothing_is_wider_than_a_narrow_window() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'a_very_long_word_that_goes_on_and_on_and_on_without_any_end_to_be_seen_anywhere'").code(0);
    alice.served("comment a.txt:9-12 -m lost").code(0);
    alice.write("a.txt", "nothing like it\n".repeat(30));
    let mut page = Opened::start(&world, &alice);
    let tab = page.browser.tab(320, 800);
    let address = page.value("location.origin + document.body.dataset.prefix");
    let wide = "[...document.querySelectorAll('body *')].filter(node => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1 \
        && !node.closest('.scroll, pre, .vh, .skip, dialog')).slice(0, 3).map(node => node.className || node.localName)";
    for path in ["changes", "reviews", "drift"] {
        let address = format!("{}{path}", address.as_str().unwrap());
        page.browser.leave(&tab, |browser| browser.go(&tab, &address));
        page.browser.until(&tab, "document.querySelector('#link')?.dataset.state === 'live'");
        if path == "changes" {
            page.browser.value(&tab, "document.querySelector('#orphans [data-act=nearby]').click()");
            page.browser.until(&tab, "document.querySelector('.found')?.childElementCount > 0");
        }
        assert_eq!(page.browser.value(&tab, wide), json!([]), "{path}");
        let is_wider = "document.documentElement.scrollWidth > innerWidth";
        assert_eq!(page.browser.value(&tab, is_wider), json!(false), "{path}");
    }
}

#[test]
fn what_is_printed_is_light_and_without_what_is_pressed() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m printed").code(0);
    let mut page = Opened::start(&world, &alice);
    page.value("document.documentElement.dataset.theme = 'dark'");
    let tab = page.tab.clone();
    page.browser.ask(Some(&tab), "Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    let style = "(() => { const of = (found) => getComputedStyle(document.querySelector(found)); \
        return [of('.columns').display, of('.b').contentVisibility, of('.fh').position, of(':root').colorScheme, of('.acts').display, of('.tree').display]; })()";
    assert_eq!(page.value(style), json!(["block", "visible", "static", "light", "none", "none"]));
    assert_eq!(page.value("document.querySelector('.thread .text').checkVisibility()"), json!(true));
}
