//! Which files were viewed, and which are folded.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::Opened;
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn a_viewed_file_is_folded_until_it_changes_and_again_when_that_is_undone() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.write("src/b.txt", "two\n");
    alice.write("src/c.txt", "three\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write("a.txt", "ONE\n");
    alice.write("src/b.txt", "TWO\n");
    alice.write("src/c.txt", "THREE\n");
    alice.write("Cargo.lock", "made\n");
    alice.commit("change");
    let mut page = Opened::start(&world, &alice);
    let state = "[...document.querySelectorAll('.file')].map(f => [f.dataset.path, f.dataset.viewed ?? '', 'folded' in f.dataset]).join(' ')";
    assert_eq!(
        page.value(state),
        json!("Cargo.lock,,true a.txt,,false src/b.txt,,false src/c.txt,,false"),
        "what a program wrote is folded, and not viewed"
    );
    page.value("document.querySelector('[data-path=\"a.txt\"] .b > div').tabIndex = 0, document.querySelector('[data-path=\"a.txt\"] .b > div').focus()");
    page.press("M");
    page.until("document.activeElement.closest('.file')?.dataset.path === 'src/b.txt'");
    assert_eq!(page.value("document.querySelector('#viewed-count').textContent"), json!("1 viewed"));
    page.click(".folder [data-act=view-folder]");
    let all = "Cargo.lock,,true a.txt,yes,true src/b.txt,yes,true src/c.txt,yes,true";
    page.until(&format!("{state} === {all:?}"));
    page.until("performance.getEntriesByType('resource').filter(r => r.name.endsWith('/viewed') && r.responseEnd > 0).length === 2");
    // The server keeps it: another process of it knows.
    page.kill_and_serve_again(&alice);
    page.until(&format!("{state} === {all:?}"));
    assert_eq!(page.value("document.querySelector('#viewed-count').textContent"), json!("3 viewed"));
    alice.write("a.txt", "ONE, and more\n");
    page.until("document.querySelector('[data-path=\"a.txt\"]').dataset.viewed === 'before'");
    assert_eq!(
        page.value("'folded' in document.querySelector('[data-path=\"a.txt\"]').dataset"),
        json!(false)
    );
    let said =
        "getComputedStyle(document.querySelector('[data-path=\"a.txt\"] .chip.before')).display !== 'none'";
    assert_eq!(page.value(said), json!(true));
    alice.write("a.txt", "ONE\n");
    page.until("document.querySelector('[data-path=\"a.txt\"]').dataset.viewed === 'yes'");
    page.until("document.querySelector('#viewed-count').textContent === '3 viewed'");
    // And by key.
    page.press("]");
    page.press("r");
    page.until("document.querySelectorAll('.file[data-viewed=yes]').length !== 3");
}
