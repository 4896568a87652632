//! The browser, which benchmarks drive as well.

pub use postil_testkit::chromium::{Chromium, Tab, is_there};
