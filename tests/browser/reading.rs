//! Opening the page and reading it.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn the_page_shows_the_changes_and_the_threads_at_their_lines() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.write("new.txt", "nobody added me\n");
    alice.served("comment a.txt:5 -m 'why another?' --severity issue").code(0);
    alice.served("comment a.txt:5 --side old -m 'the old one was fine'").code(0);
    let mut page = Opened::start(&world, &alice);
    let text = |selector: &str| format!("document.querySelector({selector:?}).textContent");
    assert_eq!(page.value(&text(".b > .a")), json!("another line 5"));
    assert_eq!(page.value(&text(".b > .d")), json!("line 5"));
    assert_eq!(page.value(&text("[data-path='new.txt'] .b > .a")), json!("nobody added me"));
    // Each card stands right below the block that ends with its line.
    let above = |side: &str| {
        format!(
            "document.querySelector('.thread[data-side={side}]').previousElementSibling.lastElementChild.className"
        )
    };
    assert_eq!(page.value(&above("new")), json!("a"));
    assert_eq!(page.value(&above("old")), json!("d"));
    let words = page.value("[...document.querySelectorAll('.thread .text')].map(t => t.textContent.trim())");
    assert_eq!(words, json!(["the old one was fine", "why another?"]));
    // The secret of the link is not in the address, and the cookie is not for scripts.
    assert_eq!(page.value("location.pathname.includes('open') || document.cookie !== ''"), json!(false));
    // Nothing is wider than the window, also in a narrow one.
    assert_eq!(page.value("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    let narrow = page.browser.tab(390, 844);
    let address = page.value("location.href");
    page.browser.go(&narrow, address.as_str().unwrap());
    page.browser.until(&narrow, "document.querySelector('.thread') !== null");
    assert_eq!(
        page.browser.value(&narrow, "document.documentElement.scrollWidth <= innerWidth"),
        json!(true)
    );
}

#[test]
fn hostile_words_are_words_on_the_page() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.write("<img src=x onerror=document.title='bad'>.txt", "<script>document.title='bad'</script>\n");
    alice.served("comment a.txt:5 -m '<img src=x onerror=document.title=1><script>document.title=2</script> [x](javascript:document.title=3)'").code(0);
    alice.served("review edit --title '<script>document.title=4</script>'").code(0);
    let mut page = Opened::start(&world, &alice);
    let made = page.value("[document.querySelectorAll('.main img, .main script, [onerror]').length, document.querySelectorAll('a[href^=javascript]').length]");
    assert_eq!(made, json!([0, 0]));
    assert_eq!(
        page.value("document.querySelector('h1').textContent"),
        json!("<script>document.title=4</script>")
    );
    assert_eq!(
        page.value(
            "document.querySelector('.thread script') === null && document.title.startsWith('<script>')"
        ),
        json!(true)
    );
    let loaded =
        "performance.getEntriesByType('resource').every(r => new URL(r.name).origin === location.origin)";
    assert_eq!(page.value(loaded), json!(true));
}
