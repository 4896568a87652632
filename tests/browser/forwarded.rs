//! A page behind a forwarded port, as `ssh -L` makes one; a connection that is cut; a repository that goes away.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;

use crate::chromium::{Chromium, is_there};
use crate::opened::{Opened, branch};
use crate::support::served::Served;
use crate::support::world::World;

/// The place of the other machine: the same port at another address.
const ELSEWHERE: &str = "127.0.0.2";

/// Passes on what comes to the same port elsewhere, until it is cut.
#[derive(Clone, Default)]
struct Forward {
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Forward {
    /// Starts with a port that is free at both addresses, and that no connection is given by itself.
    fn start() -> (u16, Self) {
        let forward = Self::default();
        let first = 20_000 + u16::try_from(std::process::id() % 10_000).expect("it is small");
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let (port, listener) = (first..32_000)
            .filter(is_free)
            .find_map(|port| Some((port, TcpListener::bind((ELSEWHERE, port)).ok()?)))
            .expect("a port is free");
        let of = forward.clone();
        thread::spawn(move || {
            for from in listener.incoming().flatten() {
                if of.is_cut.load(Ordering::Relaxed) {
                    continue;
                }
                let Ok(to) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                of.open.lock().expect("nobody panicked with it").extend([
                    from.try_clone().expect("a second handle"),
                    to.try_clone().expect("a second handle"),
                ]);
                for (mut one, mut other) in [
                    (from.try_clone().expect("a second handle"), to.try_clone().expect("a second handle")),
                    (to, from),
                ] {
                    thread::spawn(move || {
                        let _ = io::copy(&mut one, &mut other);
                        let _ = other.shutdown(Shutdown::Write);
                    });
                }
            }
        });
        (port, forward)
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
        for stream in self.open.lock().expect("nobody panicked with it").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

#[test]
fn a_forwarded_page_that_is_cut_off_comes_back_and_misses_nothing() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let (port, forward) = Forward::start();
    // To this browser, the address of the page is that of the other machine.
    let map = format!("--host-resolver-rules=MAP 127.0.0.1 {ELSEWHERE}");
    let browser = Chromium::start_with(&[&map]);
    let mut page = Opened::start_in(&world, &alice, &format!("web --no-open --port {port}"), browser);
    page.press("n");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("typed before");
    forward.cut();
    page.until("document.querySelector('#link').dataset.state === 'lost'");
    page.insert(" and while it was cut");
    alice.served("comment a.txt:7 -m 'said meanwhile'").code(0);
    alice.write("b.txt", "saved meanwhile\n");
    forward.mend();
    page.until("document.querySelector('#link').dataset.state === 'live'");
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'said meanwhile'");
    page.until("document.querySelector('[data-path=\"b.txt\"] .a')?.textContent === 'saved meanwhile'");
    assert_eq!(page.value("document.activeElement.value"), json!("typed before and while it was cut"));
    page.until("document.querySelector('.saved')?.textContent === 'kept'");
    page.send();
    page.until("document.querySelectorAll('.thread').length === 2");
}

#[test]
fn a_repository_that_goes_away_is_said_and_what_was_typed_stays() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    let mut page = Opened::start(&world, &alice);
    page.press("n");
    page.press("c");
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.insert("half a thought");
    let elsewhere = alice.folder.with_file_name("gone");
    std::fs::rename(&alice.folder, &elsewhere).unwrap();
    page.until("document.querySelector('#advice')?.textContent.includes('repository is gone')");
    assert_eq!(page.value("document.activeElement.value"), json!("half a thought"));
    // It is back, and so is the page.
    std::fs::rename(&elsewhere, &alice.folder).unwrap();
    page.until("document.querySelector('#link').dataset.state === 'live' && document.querySelector('#advice') === null");
    page.send();
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'half a thought'");
}

#[test]
fn a_branch_that_is_deleted_leaves_its_review_to_be_read() {
    if !is_there() {
        return postil_testkit::skipped("Chromium");
    }
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    branch(&alice);
    alice.served("comment a.txt:5 -m 'said on the branch'").code(0);
    alice.git("checkout -q main");
    let mut page = Opened::start_with(&world, &alice, "web --no-open topic");
    page.until("document.querySelector('.file .thread') !== null");
    alice.git("branch -q -D topic");
    let tab = page.tab.clone();
    page.browser.reload(&tab);
    page.until("document.querySelector('.thread .text')?.textContent.trim() === 'said on the branch'");
    let prefix = page.value("document.body.dataset.prefix");
    for (path, said) in [("review/ffff", "ffff"), ("compare/main/nothing", "nothing")] {
        let address = format!("{}{path}", prefix.as_str().unwrap());
        page.value(&format!("location.assign({address:?})"));
        page.until(&format!(
            "document.querySelector('main.notice')?.textContent.includes({said:?}) === true"
        ));
    }
}
