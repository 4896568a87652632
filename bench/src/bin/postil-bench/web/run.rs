//! Shows the three works in a browser, and compares what that is like with the goals.

use postil_testkit::chromium;

use super::happening::happening;
use super::measured_page::{LoadFigures, MeasuredPage};
use super::rivals::RIVALS;
use super::server::WebServer;
use super::work::{WORKS, WebWork, WorkRepository};
use crate::BenchResult;
use crate::laboratory::Laboratory;
use crate::options::BenchOptions;
use crate::table::{self, BenchRow, Goal};

const ROUNDS: usize = 3;

/// So many threads are on each page.
const THREADS: usize = 200;

/// The lines of code of our page.
pub(super) const CODE: &str = ".b > div";

/// Measures a `postil` that was built beside this program, or the one that is named.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let options = BenchOptions::read(options, ROUNDS)?;
    if !chromium::is_there() {
        return Err("there is no Chromium; tests/browser/install installs it".into());
    }
    let laboratory = Laboratory::new()?;
    let mut rows = Vec::new();
    for work in &WORKS {
        if options.wants(work.letter) {
            rows.extend(measure(&laboratory, &options, work)?);
        }
    }
    if options.wants("moves") {
        rows.extend(happening(&laboratory, &options)?);
    }
    table::print(&rows);
    Ok(())
}

/// The goal of a work; infinity if there is none.
fn goal(work: &WebWork, goals: [f64; 3]) -> f64 {
    let at = WORKS.iter().position(|known| known.letter == work.letter).unwrap_or_default();
    goals[at]
}

fn measure(
    laboratory: &Laboratory,
    options: &BenchOptions<'_>,
    work: &WebWork,
) -> BenchResult<Vec<BenchRow>> {
    // A small review has few.
    let threads = if work.letter == "a" { THREADS / 10 } else { THREADS };
    let repository = work.make(laboratory, &options.program, threads)?;
    let mut loads = Vec::new();
    let mut last = None;
    for _ in 0..options.rounds.max(1) {
        let server = WebServer::start(laboratory, &options.program, &repository.git.dir)?;
        let (page, load) = MeasuredPage::open(&server.address, CODE)?;
        loads.push((server.start, load));
        last = Some((server, page));
    }
    let (server, mut page) = last.ok_or("there was no round")?;
    let named = |what: &str| format!("({}) {what}", work.letter);
    let median = |pick: fn(&(f64, LoadFigures)) -> f64| {
        let mut all: Vec<f64> = loads.iter().map(pick).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let row = |what: &str, figure: f64, unit: &'static str, goals: [f64; 3]| {
        let row = BenchRow::figure(named(what), figure, unit);
        let goal = goal(work, goals);
        if goal.is_finite() { row.aim(Goal::AtMost(goal)) } else { row }
    };
    let lines = page.number("document.querySelectorAll('.b > div').length").max(1.0);
    let unified = page.number("document.querySelectorAll('*').length") / lines;
    let mut rows = vec![
        BenchRow::figure(named("lines of diff"), lines, ""),
        row("start of the server", median(|load| load.0), "ms", [60.0, 100.0, 60.0]),
        row("first byte", median(|load| load.1.first_byte), "ms", [200.0, 300.0, 250.0]),
        row("first paint", median(|load| load.1.first_paint), "ms", [180.0, 200.0, 200.0]),
        row("first code", median(|load| load.1.first_code), "ms", [200.0, 300.0, 250.0]),
        row("complete and quiet", median(|load| load.1.quiet), "ms", [500.0, 900.0, 500.0]),
        row("blocked", median(|load| load.1.blocked), "ms", [50.0, 300.0, 50.0]),
        row("elements a line, unified", unified, "", [f64::INFINITY, 3.0, 3.0]),
        row("bytes", median(|load| load.1.bytes) / 1e6, "MB", [0.25, f64::INFINITY, f64::INFINITY]),
        row("heap", median(|load| load.1.heap_mb), "MB", [6.0, 6.0, 6.0]),
        row("server after the page", server.memory_mb(), "MB", [30.0, 30.0, 30.0]),
    ];
    rows.push(counts(&mut page, &repository, &named("files whose counts are not git's")));
    rows.push(find(&mut page, &named("the last line is found by the browser")));
    rows.extend(interaction(&mut page, &named));
    let ours = median(|load| load.1.first_code);
    for rival in &RIVALS {
        let Some(rival_server) = rival.start(&repository.git.dir)? else {
            println!("{} is not installed, and not compared; .ci/install-rivals installs it", rival.name);
            continue;
        };
        let (rival_page, load) = MeasuredPage::open(&rival_server.address, rival.code)?;
        let name = format!("{} {}", rival.name, rival.version());
        rows.push(BenchRow::figure(named(&format!("first code of {name}")), load.first_code, "ms"));
        rows.push(BenchRow::figure(named(&format!("{name} quiet")), load.quiet, "ms"));
        rows.push(BenchRow::figure(named(&format!("heap of {name}")), load.heap_mb, "MB"));
        let share = ours / load.first_code;
        rows.push(
            BenchRow::figure(named(&format!("first code, of that of {name}")), share, "")
                .aim(Goal::AtMost(0.25)),
        );
        drop(rival_page);
    }
    Ok(rows)
}

/// Whether the page counts as git does.
fn counts(page: &mut MeasuredPage, repository: &WorkRepository, what: &str) -> BenchRow {
    let told = page.value(
        "Object.fromEntries([...document.querySelectorAll('.file')].map((f) => [f.dataset.path, [f.querySelector('.plus')?.textContent ?? '+0', f.querySelector('.minus')?.textContent ?? '-0']]))",
    );
    let number = |text: &serde_json::Value| {
        text.as_str().and_then(|text| text.trim_start_matches(['+', '-', '\u{2212}']).parse::<u64>().ok())
    };
    let differs = |(added, deleted, path): &&(u64, u64, String)| {
        let shown = &told[path.as_str()];
        number(&shown[0]) != Some(*added) || number(&shown[1]) != Some(*deleted)
    };
    let wrong = repository.counts.iter().filter(differs).count();
    BenchRow::figure(what, wrong as f64, "").aim(Goal::AtMost(0.0))
}

/// Whether the browser's own find reaches the last line.
fn find(page: &mut MeasuredPage, what: &str) -> BenchRow {
    let found = page.value(
        "(() => { const last = [...document.querySelectorAll('.b > div')].at(-1).textContent.trim(); getSelection().removeAllRanges(); return window.find(last, true, true, true); })()",
    );
    BenchRow::figure(what, f64::from(u8::from(found == serde_json::json!(true))), "").aim(Goal::AtLeast(1.0))
}

/// What keys, forms and scrolling are like.
fn interaction(page: &mut MeasuredPage, named: &dyn Fn(&str) -> String) -> Vec<BenchRow> {
    let most = |what: &str, figure: f64, unit: &'static str, most: f64| {
        BenchRow::figure(named(what), figure, unit).aim(Goal::AtMost(most))
    };
    let (frames, late) = page.scroll();
    let mut rows = vec![
        BenchRow::figure(named("frames a second while scrolling"), frames, "").aim(Goal::AtLeast(58.0)),
        most("frame, 95th of 100", late, "ms", 25.0),
    ];
    page.value("scrollTo(0, 0)");
    page.browser.press(&page.tab.clone(), "j", false);
    rows.push(most("next line, 95th of 100", page.keys("j", 40), "ms", 32.0));
    page.value("seen.events.length = 0");
    page.browser.press(&page.tab.clone(), "c", false);
    page.until("document.activeElement.tagName === 'TEXTAREA'");
    page.settle();
    let opened = page.number(
        "Math.max(16, ...seen.events.filter(([name]) => name === 'keydown').map(([, took]) => took))",
    );
    rows.push(most("open a comment", opened, "ms", 64.0));
    rows.push(most("a key typed, 95th of 100", page.keys("x", 30), "ms", 24.0));
    page.value("document.activeElement.value = ''; [...document.querySelectorAll('.composer button')].at(-1).click(); document.activeElement.blur()");
    page.until("document.querySelector('.composer') === null");
    let split = page.number(
        "(() => { const began = performance.now(); document.querySelector('[data-act=layout]').click(); document.body.offsetHeight; return performance.now() - began; })()",
    );
    rows.push(most("unified to split", split, "ms", 500.0));
    let elements =
        page.number("document.querySelectorAll('*').length / document.querySelectorAll('.b > div').length");
    rows.push(most("elements a line, split", elements, "", 4.5));
    let back = page.number(
        "(() => { const began = performance.now(); document.querySelector('[data-act=layout]').click(); document.body.offsetHeight; return performance.now() - began; })()",
    );
    rows.push(most("split to unified", back, "ms", 500.0));
    page.read_all();
    rows.push(most(
        "heap after reading all",
        page.number("performance.memory.usedJSHeapSize / 1e6"),
        "MB",
        6.0,
    ));
    rows.push(most("its process after reading all", page.process_mb(), "MB", 650.0));
    page.collect();
    rows.push(most("the same, of what is still needed", page.process_mb(), "MB", 650.0));
    rows
}
