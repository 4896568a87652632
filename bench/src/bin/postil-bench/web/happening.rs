//! What happens elsewhere while a page is open: a head moves, and somebody else comments.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::measured_page::MeasuredPage;
use super::run::CODE;
use super::server::WebServer;
use super::work::{WORKS, WorkRepository};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{BenchRow, Goal};

/// So many threads are on the page.
const MOVED: usize = 1000;

/// So many comments of somebody else come.
const COMMENTS: usize = 12;

/// Notes when what a test waits for is on the page, as the clock of the machine says it: asking would come later.
const NOTE: &str = "
    window.noted = {};
    window.note = (name, is) => {
        delete window.noted[name];
        const look = () => { if (!(name in window.noted) && is()) { window.noted[name] = Date.now(); watch.disconnect(); } };
        const watch = new MutationObserver(look);
        watch.observe(document, { subtree: true, childList: true, attributes: true });
    };";

/// Measures both on the diff of 300 files.
pub fn happening(laboratory: &Laboratory, options: &BenchOptions<'_>) -> BenchResult<Vec<BenchRow>> {
    let repository = WORKS[1].make(laboratory, &options.program, MOVED)?;
    let server = WebServer::start(laboratory, &options.program, &repository.git.dir)?;
    let (mut page, _) = MeasuredPage::open(&server.address, CODE)?;
    page.until("document.querySelector('#link')?.dataset.state === 'live'");
    page.value(NOTE);
    let mut rows = head_moves(&mut page, &repository, options)?;
    rows.extend(others_comment(&mut page, laboratory, &options.program, &repository)?);
    Ok(rows)
}

/// How long after a head moved its diff is shown, and all threads are at their places.
fn head_moves(
    page: &mut MeasuredPage,
    repository: &WorkRepository,
    options: &BenchOptions<'_>,
) -> BenchResult<Vec<BenchRow>> {
    let (mut shown, mut placed) = (Vec::new(), Vec::new());
    let path = repository.git.dir.join("src/part0/module0/file_0.rs");
    let text = fs::read_to_string(&path)?;
    for round in 0..options.rounds.max(1) {
        // A commit that the files on disk have at once, as after a rebase or a pull.
        let more = format!("// more {round}\n{}", "// and more\n".repeat(round));
        fs::write(&path, more + &text)?;
        repository.git.git(&["commit", "-q", "-a", "-m", "more"])?;
        repository.git.git(&["reset", "-q", "--hard", "HEAD~1"])?;
        page.until(&format!("!document.querySelector('.file').textContent.includes('// more {round}') && !document.querySelector('[data-resolving]')"));
        page.settle();
        page.value(&format!(
            "note('shown', () => document.querySelector('.file').textContent.includes('// more {round}')); \
             window.lines = [...document.querySelectorAll('.file')[0].querySelectorAll('.thread')].map((t) => t.dataset.line).join(); \
             note('placed', () => !document.querySelector('[data-resolving]') && 'shown' in noted && [...document.querySelectorAll('.file')[0].querySelectorAll('.thread')].map((t) => t.dataset.line).join() !== lines)"
        ));
        let began = now()?;
        repository.git.git(&["reset", "-q", "--hard", "ORIG_HEAD"])?;
        page.until("'placed' in noted");
        shown.push(page.number("noted.shown") - began);
        placed.push(page.number("noted.placed") - began);
        page.settle();
        repository.git.git(&["reset", "-q", "--hard", "HEAD~1"])?;
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    Ok(vec![
        BenchRow::figure("a head moves with 1,000 threads: its diff is shown", median(shown), "ms")
            .aim(Goal::AtMost(150.0)),
        BenchRow::figure("a head moves with 1,000 threads: all are at their places", median(placed), "ms")
            .aim(Goal::AtMost(300.0)),
    ])
}

/// How long after somebody began to write a comment in a terminal it is shown, and what that does to who reads and types.
fn others_comment(
    page: &mut MeasuredPage,
    laboratory: &Laboratory,
    postil: &Path,
    repository: &WorkRepository,
) -> BenchResult<Vec<BenchRow>> {
    page.until("!document.querySelector('[data-resolving]')");
    page.settle();
    page.value("document.querySelectorAll('.file')[3].scrollIntoView(); document.querySelectorAll('.file')[3].querySelector('.b > .a').focus()");
    let tab = page.tab.clone();
    page.browser.press(&tab, ".", false);
    page.browser.press(&tab, "c", false);
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.browser.insert(&tab, "typed by me");
    page.settle();
    let state = "[document.activeElement.value, document.activeElement.getBoundingClientRect().top]";
    let before = page.value(state);
    let mut took = Vec::new();
    for round in 0..COMMENTS {
        page.value(&format!(
            "note('said', () => [...document.querySelectorAll('.file')[1].querySelectorAll('.thread .text')].some((text) => text.textContent.includes('said {round}')))"
        ));
        let mut command = Command::new(postil);
        let path = page.value("document.querySelectorAll('.file')[1].dataset.path");
        let place = format!("{}:{}", path.as_str().unwrap_or_default(), 40 + round);
        command.args(["comment", &place, "-m", &format!("said {round}")]).current_dir(&repository.git.dir);
        let began = now()?;
        let told = laboratory.seal(&mut command).output()?;
        if !told.status.success() {
            return Err(format!("could not comment: {}", String::from_utf8_lossy(&told.stderr)).into());
        }
        page.until("'said' in noted");
        took.push(page.number("noted.said") - began);
        page.settle();
    }
    let after = page.value(state);
    took.sort_by(f64::total_cmp);
    let late = took[took.len() * 95 / 100];
    // Pages scroll by whole pixels, and what comes above may be higher by a part of one.
    let moved = |(before, after): (f64, f64)| (before - after).abs();
    let is_still = before[1].as_f64().zip(after[1].as_f64()).map(moved).is_some_and(|pixels| pixels <= 1.0);
    let is_same = f64::from(u8::from(is_still && [&before[0], &after[0]] == [&json!("typed by me"); 2]));
    Ok(vec![
        BenchRow::figure("somebody else comments: it is shown, 95th of 100", late, "ms")
            .aim(Goal::AtMost(200.0)),
        BenchRow::figure("somebody else comments: scroll, focus and text are left alone", is_same, "")
            .aim(Goal::AtLeast(1.0)),
    ])
}

/// The clock of the machine, in milliseconds.
fn now() -> BenchResult<f64> {
    let since: Duration = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(since.as_secs_f64() * 1e3)
}
