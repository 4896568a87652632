//! A `postil web` that runs, and what it takes.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use postil_testkit::wait_for;

use crate::BenchResult;
use crate::laboratory::Laboratory;

/// A `postil web` that runs.
pub(super) struct WebServer {
    child: Child,
    pub address: String,
    /// How long it took until the address was told, in milliseconds.
    pub start: f64,
}

impl WebServer {
    pub fn start(laboratory: &Laboratory, postil: &Path, folder: &Path) -> BenchResult<Self> {
        let told = laboratory.place().join("address");
        let mut command = Command::new(postil);
        command.args(["web", "--no-open"]).current_dir(folder);
        let began = Instant::now();
        let file = File::create(&told)?;
        let child = laboratory.seal(&mut command).stdout(file).stderr(Stdio::null()).spawn()?;
        let address = wait_for("the address", || {
            fs::read_to_string(&told).ok().and_then(|told| told.strip_suffix('\n').map(str::to_owned))
        });
        Ok(Self { child, address, start: began.elapsed().as_secs_f64() * 1e3 })
    }

    /// The memory of the server, in megabytes.
    pub fn memory_mb(&self) -> f64 {
        let told = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = told.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
