//! Prose: a Markdown file as it reads, and comments on words of it.

use serde_json::json;

use crate::chromium::is_there;
use crate::opened::Opened;
use crate::support::served::Served;
use crate::support::world::World;

#[test]
fn words_of_a_page_are_selected_commented_on_and_marked_where_they_are() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("guide.md", "# Guide\n\nOld words.\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    alice.write(
        "guide.md",
        "# Guide\n\nThe *same* words.\n\nThen <img src=x onerror=document.title=1> the *same* words, ünd &amp; more.\n",
    );
    alice.commit("change");
    let mut page = Opened::start(&world, &alice);
    page.click("[data-act=prose]");
    page.until("document.querySelector('.prose .page h3')?.textContent === 'Guide'");
    assert_eq!(page.value("document.querySelector('.prose img') === null"), json!(true));
    page.click(".prose [data-side=old][data-act]");
    page.until("document.querySelector('.prose .page[data-side=old]').innerText.includes('Old words.')");
    page.click(".prose [data-side=new][data-act]");
    // The second of two equal places, from inside of an element to behind an entity.
    page.value(
        "(() => { const runs = [...document.querySelectorAll('.page[data-side=new] [data-r]')]; \
         const from = runs.filter(run => run.textContent === 'same')[1]; const to = runs.find(run => run.textContent.includes('more')); \
         getSelection().setBaseAndExtent(from.firstChild, 0, to.firstChild, to.textContent.indexOf('more') + 4); })()",
    );
    page.until("document.querySelector('.words-button')?.hidden === false");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("which ones?");
    page.send();
    page.until("document.querySelector('.thread .quote')?.textContent === 'same words, ünd & more'");
    page.until("document.querySelectorAll('.prose mark').length > 0");
    let marked = "[...document.querySelectorAll('.prose mark')].map(mark => mark.textContent).join('')";
    assert_eq!(page.value(marked), json!("same words, ünd & more"));
    // In the source, the same words with their marks.
    page.click("[data-act=prose]");
    page.until("document.querySelector('.prose') === null");
    page.until("[...(CSS.highlights.get('postil-parts') ?? [])].map(range => range.toString()).join() === '*same* words, ünd &amp; more'");
    // They move, and are marked where they are now.
    let text = std::fs::read_to_string(alice.folder.join("guide.md")).unwrap();
    alice.write("guide.md", text.replace("# Guide\n", "# Guide\n\nA new beginning.\n"));
    page.click("[data-act=prose]");
    page.until(
        "document.querySelector('.prose .page[data-side=new]')?.textContent.includes('A new beginning.')",
    );
    page.until(&format!("{marked} === 'same words, ünd & more'"));
    let shown = alice.served("show @").code(0).stdout();
    assert!(shown.contains("which ones?") && shown.contains("guide.md:7"), "{shown}");
}
