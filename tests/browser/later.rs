//! Stories of pages that do not have all at once: lines that come later, and threads that are folded.

use crate::chromium::is_there;
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// The element of a line of a file, as scripts of the page name it.
fn line(file: &str, number: u32) -> String {
    format!("document.querySelector('[data-path=\"{file}\"] [id$=n{number}]')")
}

/// Two long files on a branch, of which a page has the first lines at first.
fn long(alice: &Checkout<'_>) {
    alice.write("start.txt", "start\n");
    alice.commit("first");
    alice.git("checkout -q -b topic");
    for name in ["a.txt", "b.txt"] {
        alice.write(name, (1..=3000).map(|number| format!("line {number} of {name}\n")).collect::<String>());
    }
    alice.commit("change");
    alice.git("config postil.webLines 200");
}

#[test]
fn lines_that_come_later_outlast_the_other_layout_and_take_back_what_was_typed() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    long(&alice);
    let mut page = Opened::start(&world, &alice);
    // Before anything more has come: what is still to come stays.
    page.value("document.querySelector('[data-act=layout]').click()");
    page.value("document.querySelector('[data-act=layout]').click()");
    page.until(&format!(
        "{} && {} && !document.querySelector('.later')",
        line("a.txt", 3000),
        line("b.txt", 3000)
    ));
    assert_eq!(page.value("document.querySelectorAll('.b > div').length"), 6000);
    // A comment on the end of the last file, and one on a part that goes over two lines.
    page.value(&format!("{}.scrollIntoView({{ block: 'center' }})", line("b.txt", 2990)));
    page.value(&format!(
        "getSelection().setBaseAndExtent({}.firstChild, 2, {}.firstChild, 4)",
        line("b.txt", 2990),
        line("b.txt", 2991)
    ));
    page.press("c");
    page.until("document.activeElement.matches('.composer textarea')");
    page.insert("over two lines");
    page.until("document.querySelector('.composer .saved').textContent === 'kept'");
    page.value("document.activeElement.blur()");
    page.value(&format!("{0}.tabIndex = 0, {0}.focus()", line("b.txt", 2995)));
    page.press("c");
    page.until("document.activeElement.matches('.composer textarea')");
    page.insert("at the end");
    page.until("[...document.querySelectorAll('.composer .saved')].filter(({ textContent }) => textContent === 'kept').length === 2");
    page.browser.reload(&page.tab.clone());
    let form = |text: &str, number: u32| {
        format!(
            "[...document.querySelectorAll('.composer')].some((form) => form.querySelector('textarea').value === '{text}' \
             && form.dataset.at === {}?.id && form.closest('.code'))",
            line("b.txt", number)
        )
    };
    page.until(&format!("{} && {}", form("over two lines", 2991), form("at the end", 2995)));
    assert_eq!(page.value("document.querySelectorAll('.composer').length"), 2);
}

#[test]
fn threads_that_are_folded_since_there_are_many_are_answered_and_published() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    for number in 1..=6 {
        alice.served(&format!("comment a.txt:{number} -m 'words {number}'")).code(0);
    }
    alice.served("comment a.txt:7 -m 'not yet' --draft").code(0);
    alice.served("resolve a.txt:6 -m 'done already'").code(0);
    // More than four threads are many then.
    alice.git("config postil.webLines 200");
    let mut page = Opened::start(&world, &alice);
    page.until("document.querySelectorAll('.thread [data-brief]').length === 7");
    let card = |words: &str| {
        format!(
            "[...document.querySelectorAll('.thread')].find(({{ textContent }}) => textContent.includes('{words}'))"
        )
    };
    // They are found by what is shown of them.
    page.press("/");
    page.insert("words 5");
    page.until("document.querySelector('.search li .what')?.textContent.includes('words 5') === true");
    page.press("Escape");
    page.until("document.querySelector('dialog') === null");
    // One click shows a resolved one, and what was said.
    page.value(&format!("{}.querySelector('summary').click()", card("words 6")));
    page.until(&format!("{}.querySelector('.comment')?.checkVisibility()", card("words 6")));
    assert_eq!(page.value(&format!("{}.textContent.includes('done already')", card("words 6"))), true);
    page.value(&format!("{}.querySelector('summary').click()", card("words 2")));
    page.until(&format!("{}.querySelector('[data-act=reply]') !== null", card("words 2")));
    page.value(&format!("{}.querySelector('[data-act=reply]').click()", card("words 2")));
    page.until("document.activeElement.matches('.composer textarea')");
    page.insert("half an answer");
    page.until("document.querySelector('.composer .saved').textContent === 'kept'");
    // Its file is saved meanwhile: the thread stays open, and the form in it.
    let text = alice.git("show HEAD:a.txt");
    alice.write("a.txt", text.replace("line 19", "the last line"));
    page.until("document.querySelector('#files').textContent.includes('the last line')");
    let in_place = format!(
        "{}.querySelector('details[open]:not([data-brief]) .composer textarea')?.value === 'half an answer'",
        card("words 2")
    );
    assert_eq!(page.value(&in_place), true);
    // After a reload the others are folded again.
    page.browser.reload(&page.tab.clone());
    page.until("document.querySelectorAll('.thread [data-brief]').length === 6");
    page.until(&in_place);
    page.value("document.querySelector('.composer textarea').focus()");
    page.send();
    page.until(&format!("{}.querySelectorAll('.comment').length === 2", card("words 2")));
    // The draft is in no card that is open, and is published all the same.
    page.value("document.activeElement.blur()");
    page.press("a");
    page.until("document.querySelector('dialog')?.textContent.includes('1 draft will be published')");
    page.click("dialog button[type=submit]");
    page.until(
        "document.querySelector('dialog') === null && document.querySelector('#head .draft') === null",
    );
    assert!(!alice.served("list").code(0).stdout().contains("draft"));
}
