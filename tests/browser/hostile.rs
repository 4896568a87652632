//! The hostile corpus on the real page: nothing of it runs, and nothing of it is markup.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn nothing_of_the_hostile_corpus_runs_or_is_markup() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile/texts");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 3, "the corpus is there");
    let mut said = 0;
    for (number, file) in files.iter().enumerate() {
        let text = fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&text).replace('\0', "");
        // As code, as prose, and as a comment.
        alice.write(&format!("code-{number}.txt"), &text);
        alice.write(&format!("prose-{number}.md"), &text);
        let kept = world.people().join("text");
        fs::write(&kept, &text).unwrap();
        let line = format!("comment a.txt:5 -F {}", kept.display());
        said += u32::from(alice.served_command(&line).output().unwrap().status.success());
    }
    assert!(said > 3, "{said} comments");
    let mut page = Opened::start(&world, &alice);
    page.until(&format!("document.querySelectorAll('.thread').length === {said}"));
    // A few at a time: each of them is asked for by itself.
    for from in (0..files.len()).step_by(16) {
        let some = format!("[...document.querySelectorAll('[data-act=prose]')].slice({from}, {})", from + 16);
        page.value(&format!("{some}.forEach(button => button.click())"));
        page.until(&format!("{some}.every(button => button.getAttribute('aria-pressed') === 'true') || document.querySelector('.tell') !== null"));
    }
    page.until("document.querySelectorAll('.prose, .tell').length > 0");
    let markup = "[...document.querySelectorAll('main script, main iframe, main img, main object, main embed, main form:not(.composer), main style, main link, main meta, main base, main input:not([type=checkbox])')].map(found => found.outerHTML)";
    assert_eq!(page.value(markup), json!([]));
    let handlers = "[...document.querySelectorAll('main *')].flatMap(found => found.getAttributeNames()).filter(name => name.startsWith('on') || name === 'style' || name === 'srcdoc')";
    assert_eq!(page.value(handlers), json!([]));
    // The page has links of its own, to its other views; what others wrote leads out, or within the page.
    let links = "[...document.querySelectorAll('main a[href]')].filter(link => link.closest('.thread, .file') || !link.getAttribute('href').startsWith(document.body.dataset.prefix)).map(link => link.getAttribute('href')).filter(to => !/^(https?:|mailto:|#)/i.test(to))";
    assert_eq!(page.value(links), json!([]));
    let elsewhere =
        "performance.getEntriesByType('resource').every(r => new URL(r.name).origin === location.origin)";
    assert_eq!(page.value(elsewhere), json!(true));
}
