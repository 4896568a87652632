//! A page in a browser, and what can be measured of it.

use postil_testkit::chromium::{Chromium, Tab};
use serde_json::{Value, json};

use crate::BenchResult;

/// Notes when code is on the screen, when something last changed, and how long the page was blocked.
///
/// It runs before anything of the page does. Code is there in the frame after its first lines are in the window.
const WATCH: &str = "
    window.seen = { code: null, last: 0, blocked: 0, tasks: 0, events: [] };
    const code = () => {
        const found = document.querySelector(CODE);
        if (found && found.getBoundingClientRect().top < innerHeight && found.textContent.length)
            requestAnimationFrame(() => setTimeout(() => { window.seen.code ??= performance.now(); }));
        else requestAnimationFrame(code);
    };
    requestAnimationFrame(code);
    new MutationObserver(() => { window.seen.last = performance.now(); }).observe(document, { subtree: true, childList: true });
    new PerformanceObserver((list) => {
        for (const task of list.getEntries()) {
            window.seen.blocked += Math.max(0, task.duration - 50);
            window.seen.tasks = Math.max(window.seen.tasks, task.duration);
            window.seen.last = Math.max(window.seen.last, task.startTime + task.duration);
        }
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
        for (const event of list.getEntries()) window.seen.events.push([event.name, event.duration]);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
";

/// Scrolls through the page frame by frame for two seconds, and tells how long each frame took.
const SCROLL: &str = "
    new Promise((done) => {
        const frames = [];
        const began = performance.now();
        let last = began;
        const step = (now) => {
            frames.push(now - last);
            last = now;
            scrollBy(0, 120);
            if (now - began < 2000) requestAnimationFrame(step);
            else done(frames.slice(2));
        };
        requestAnimationFrame(step);
    })";

/// Nothing changes for so long, in milliseconds: the page is quiet.
const QUIET: u64 = 400;

/// A page, measured from the moment at which its address was entered.
pub struct MeasuredPage {
    pub browser: Chromium,
    pub tab: Tab,
}

/// What the load of a page was like, in milliseconds but for the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadFigures {
    pub first_byte: f64,
    pub first_paint: f64,
    pub first_code: f64,
    pub quiet: f64,
    pub blocked: f64,
    pub bytes: f64,
    pub heap_mb: f64,
}

impl MeasuredPage {
    /// Opens an address in a browser of its own; `code` is what its lines of code are.
    pub fn open(address: &str, code: &str) -> BenchResult<(Self, LoadFigures)> {
        let mut browser = Chromium::start();
        let tab = browser.tab(1440, 900);
        let watch = WATCH.replace("CODE", &format!("{code:?}"));
        browser.ask(Some(&tab), "Page.addScriptToEvaluateOnNewDocument", &json!({ "source": watch }));
        browser.go(&tab, address);
        let mut page = Self { browser, tab };
        page.until("document.readyState === 'complete' && window.seen?.code > 0");
        page.settle();
        let figures = page.load_figures()?;
        Ok((page, figures))
    }

    /// Waits until nothing has changed for a while.
    pub fn settle(&mut self) {
        self.until(&format!("performance.now() - window.seen.last > {QUIET}"));
    }

    pub fn until(&mut self, expression: &str) {
        self.browser.until(&self.tab, expression);
    }

    pub fn value(&mut self, expression: &str) -> Value {
        self.browser.value(&self.tab, expression)
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        self.value(expression).as_f64().unwrap_or(f64::NAN)
    }

    fn load_figures(&mut self) -> BenchResult<LoadFigures> {
        let told = self.value(
            "(() => { const [page] = performance.getEntriesByType('navigation'); \
             const [paint] = performance.getEntriesByName('first-contentful-paint'); \
             const rest = performance.getEntriesByType('resource').reduce((sum, r) => sum + r.decodedBodySize, 0); \
             return [page.responseStart, paint?.startTime ?? 0, seen.code, seen.last, seen.blocked, \
             page.decodedBodySize + rest, performance.memory.usedJSHeapSize / 1e6]; })()",
        );
        let figure = |at: usize| told[at].as_f64().ok_or("the page does not tell its figures");
        Ok(LoadFigures {
            first_byte: figure(0)?,
            first_paint: figure(1)?,
            first_code: figure(2)?,
            quiet: figure(3)?,
            blocked: figure(4)?,
            bytes: figure(5)?,
            heap_mb: figure(6)?,
        })
    }

    /// Frames a second, and how long 95 of 100 frames took at most, while somebody scrolls.
    pub fn scroll(&mut self) -> (f64, f64) {
        self.value("scrollTo(0, 0)");
        let told = self.value(SCROLL);
        let mut frames: Vec<f64> =
            told.as_array().map(|all| all.iter().filter_map(Value::as_f64).collect()).unwrap_or_default();
        frames.sort_by(f64::total_cmp);
        let whole: f64 = frames.iter().sum();
        let late = frames.get(frames.len() * 95 / 100).copied().unwrap_or(f64::NAN);
        (frames.len() as f64 * 1000.0 / whole.max(1.0), late)
    }

    /// Reads all of the page, screen by screen; a while at a time, since the browser must answer in between.
    pub fn read_all(&mut self) {
        self.value("scrollTo(0, 0)");
        let read = "new Promise((done) => { let left = 40; const step = () => { scrollBy(0, innerHeight * 2); left -= 1; \
             const isEnd = scrollY + innerHeight + 5 >= document.documentElement.scrollHeight; \
             if (left && !isEnd) requestAnimationFrame(step); else done(isEnd); }; requestAnimationFrame(step); })";
        while self.value(read) == json!(false) {}
    }

    /// Presses a key several times; returns how long 95 of 100 took until the next frame.
    pub fn keys(&mut self, key: &str, times: usize) -> f64 {
        self.value("seen.events.length = 0");
        for _ in 0..times {
            self.browser.press(&self.tab, key, false);
            self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
        }
        let told = self.value("seen.events.filter(([name]) => name === 'keydown').map(([, took]) => took)");
        let mut slow: Vec<f64> =
            told.as_array().map(|all| all.iter().filter_map(Value::as_f64).collect()).unwrap_or_default();
        // What took less than a frame is not told.
        slow.resize(times.max(slow.len()), 16.0);
        slow.sort_by(f64::total_cmp);
        slow.get(slow.len() * 95 / 100).copied().unwrap_or(f64::NAN)
    }

    /// The memory that the process of the page alone uses, in megabytes: the largest of those that show pages.
    pub fn process_mb(&mut self) -> f64 {
        let shows_pages = |process: &u64| {
            std::fs::read_to_string(format!("/proc/{process}/cmdline"))
                .is_ok_and(|command| command.contains("--type=renderer"))
        };
        let memory = |process: u64| {
            let told = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
            let line = told.lines().find(|line| line.starts_with("Pss:")).unwrap_or_default().to_owned();
            line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default()
        };
        let pages = self.browser.processes().into_iter().filter(shows_pages);
        pages.map(memory).fold(0.0, f64::max) / 1024.0
    }

    /// Has the browser throw away what nothing needs, as it does when memory is short.
    pub fn collect(&mut self) {
        let tab = self.tab.clone();
        self.browser.ask(Some(&tab), "HeapProfiler.collectGarbage", &json!({}));
    }
}
